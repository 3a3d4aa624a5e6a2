// SPDX-License-Identifier: MIT
/*
 * How much HBM is in use: QUERY, sysfs, fdinfo and the clients' own sums tell the same, also while
 * many clients create and close buffers, and to every user. XETILE_CLIENTS is the number of clients
 * of the subtest rounds, up to 1000. Statements: W9.
 *
 * suite: once
 */
#include <errno.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "xetile_igt.h"
#include "xetile_place.h"
#include "xetile_privilege.h"

IGT_TEST_DESCRIPTION("All reports of used HBM agree");

#define USER	65534

/* The number in a file of a tile's folder memory */
static uint64_t memory_file(int fd, unsigned int tile, const char *name)
{
	char file[64], text[32];

	snprintf(file, sizeof(file), "../memory/%s", name);
	igt_assert_eq(xetile_sysfs_read(fd, tile, file, text, sizeof(text)), 0);
	return strtoull(text, NULL, 10);
}

/* --- sysfs ------------------------------------------------------------------------ */

/* While nothing changes, sysfs shows what QUERY tells. */
static void check_files(int fd, unsigned int num_tiles)
{
	struct drm_xetile_query_tile tiles[DRM_XETILE_MAX_TILES] = { 0 };

	igt_assert_eq_u32(xetile_query_tiles(fd, tiles), num_tiles);
	for (unsigned int t = 0; t < num_tiles; t++) {
		igt_assert_lte_u64(1, tiles[t].hbm_total);
		igt_assert_eq_u64(memory_file(fd, t, "total_bytes"), tiles[t].hbm_total);
		igt_assert_eq_u64(memory_file(fd, t, "used_bytes"), tiles[t].hbm_used);
		igt_assert_eq_u64(memory_file(fd, t, "visible_bytes"), tiles[t].hbm_visible);
	}
}

static void test_sysfs(const struct xetile_card *card)
{
	unsigned int num = card->device.num_tiles;
	uint64_t used[DRM_XETILE_MAX_TILES];
	uint32_t bo;

	xetile_wait_hbm_free(card->fd);
	check_files(card->fd, num);
	for (unsigned int t = 0; t < num; t++)
		used[t] = memory_file(card->fd, t, "used_bytes");
	for (unsigned int t = 0; t < num; t++) {
		bo = strict_on(card->fd, SZ_2M, t);
		for (unsigned int other = 0; other < num; other++)
			igt_assert_eq_u64(memory_file(card->fd, other, "used_bytes"),
					  used[other] + (other == t ? SZ_2M : 0));
		check_files(card->fd, num);
		xetile_bo_close(card->fd, bo);
		xetile_wait_hbm_free(card->fd);
	}
	bo = xetile_bo_color(card->fd, num * SZ_64K, DRM_XETILE_COLOR_EVEN, 0, 0);
	for (unsigned int t = 0; t < num; t++)
		igt_assert_eq_u64(memory_file(card->fd, t, "used_bytes"), used[t] + SZ_64K);
	/* A user without any privilege learns the same. */
	igt_fork(child, 1) {
		privilege_become(USER);
		check_files(card->fd, num);
		for (unsigned int t = 0; t < num; t++)
			igt_assert_eq_u64(memory_file(card->fd, t, "used_bytes"), used[t] + SZ_64K);
	}
	igt_waitchildren();
	xetile_bo_close(card->fd, bo);
}

/* --- churn ------------------------------------------------------------------------ */

/* Files of the card, and the processes that use them */
#define CLIENTS	1000u
#define PROCESSES	50u
#define EACH	(CLIENTS / PROCESSES)
#define STEPS	12u
#define HELD	3u

/*
 * Bytes of a tile, which only grow. A client has at least what it has created less what it has
 * begun to close, and at most what it has begun to create less what it has closed.
 */
struct tally {
	_Atomic uint64_t create_begin, create_end, close_begin, close_end;
};

/* In memory that all processes share */
struct churn {
	struct tally tiles[DRM_XETILE_MAX_TILES];
	_Atomic unsigned int finished;
};

struct piece {
	uint32_t handle;
	uint64_t bytes[DRM_XETILE_MAX_TILES];
};

static void piece_create(struct churn *churn, int fd, unsigned int num_tiles, unsigned int seed,
			 struct piece *piece)
{
	uint32_t tile = seed % (num_tiles + 1);
	bool even = tile == num_tiles;
	struct drm_xetile_bo_create args = {
		.size = SZ_64K * (even ? num_tiles : 1 + seed % 2),
		.placement = DRM_XETILE_PLACE_HBM, .flags = DRM_XETILE_BO_STRICT,
		.color = even ? DRM_XETILE_COLOR_EVEN : DRM_XETILE_COLOR_TILE,
		.tile_mask = even ? 0 : 1u << tile,
	};

	for (unsigned int t = 0; t < num_tiles; t++) {
		piece->bytes[t] = even ? SZ_64K : t == tile ? args.size : 0;
		churn->tiles[t].create_begin += piece->bytes[t];
	}
	igt_assert_eq(__xetile_bo_create(fd, &args), 0);
	for (unsigned int t = 0; t < num_tiles; t++)
		churn->tiles[t].create_end += piece->bytes[t];
	piece->handle = args.handle;
}

/* A buffer that is still being cleared would be freed later: the read waits for that. */
static void piece_wait(int fd, const struct piece *piece)
{
	volatile uint32_t *map = xetile_bo_map(fd, piece->handle, SZ_64K);

	igt_assert_eq_u32(*map, 0);
	munmap((void *)map, SZ_64K);
}

static void piece_close(struct churn *churn, int fd, unsigned int num_tiles, struct piece *piece)
{
	piece_wait(fd, piece);
	for (unsigned int t = 0; t < num_tiles; t++)
		churn->tiles[t].close_begin += piece->bytes[t];
	xetile_bo_close(fd, piece->handle);
	for (unsigned int t = 0; t < num_tiles; t++)
		churn->tiles[t].close_end += piece->bytes[t];
	piece->handle = 0;
}

/* Has some clients create and close buffers; they keep some until the pipe @stop ends. */
static void churn_some(struct churn *churn, const int fds[EACH], unsigned int num_tiles,
		       unsigned int seed, int stop)
{
	struct piece pieces[EACH][HELD] = { 0 };
	char c;

	for (unsigned int i = 0; i < EACH * STEPS; i++) {
		unsigned int n = i % EACH;
		struct piece *piece = &pieces[n][(seed + i / EACH) % HELD];

		if (piece->handle)
			piece_close(churn, fds[n], num_tiles, piece);
		piece_create(churn, fds[n], num_tiles, seed + i, piece);
		sched_yield();
	}
	for (unsigned int n = 0; n < EACH; n++)
		for (unsigned int i = 0; i < HELD; i++)
			piece_wait(fds[n], &pieces[n][i]);
	churn->finished++;
	igt_assert_eq(read(stop, &c, 1), 0);
}

/* How much one of the reports says that is in use on a tile, @clients being the clients' files */
typedef uint64_t (*report_fn)(int fd, unsigned int tile, const int *clients);

static uint64_t report_query(int fd, unsigned int tile, const int *clients)
{
	struct drm_xetile_query_tile tiles[DRM_XETILE_MAX_TILES] = { 0 };

	xetile_query_tiles(fd, tiles);
	return tiles[tile].hbm_used;
}

static uint64_t report_sysfs(int fd, unsigned int tile, const int *clients)
{
	return memory_file(fd, tile, "used_bytes");
}

static uint64_t report_fdinfo(int fd, unsigned int tile, const int *clients)
{
	uint64_t sum = 0;
	char key[32];

	snprintf(key, sizeof(key), "drm-resident-hbm%u", tile);
	for (unsigned int i = 0; i < CLIENTS; i++)
		sum += xetile_fdinfo_bytes(clients[i], key);
	return sum;
}

static const struct {
	const char *name;
	report_fn read;
} reports[] = {
	{ "QUERY", report_query },
	{ "sysfs", report_sysfs },
	{ "fdinfo", report_fdinfo },
};

/*
 * Asserts that a report is one of the numbers that were true while it was made: @base and what the
 * clients had. Returns how far apart the bounds were.
 */
static uint64_t sample(struct churn *churn, int fd, unsigned int tile, const int *clients,
		       unsigned int report, uint64_t base)
{
	struct tally *tally = &churn->tiles[tile];
	uint64_t created = tally->create_end, closed = tally->close_end;
	uint64_t told = reports[report].read(fd, tile, clients);
	uint64_t least = created - tally->close_begin, most = tally->create_begin - closed;

	/* All that was created before may be closed by now. */
	if (created < tally->close_begin)
		least = 0;
	igt_assert_f(told >= base + least && told <= base + most,
		     "%s of tile %u: %llu bytes, not between %llu and %llu\n",
		     reports[report].name, tile, (unsigned long long)told,
		     (unsigned long long)(base + least), (unsigned long long)(base + most));
	return most - least;
}

/* Looks at all reports until all clients have finished. Returns the number of samples. */
static unsigned int sample_all(struct churn *churn, const struct xetile_card *card,
			       const int *clients, uint64_t base[][ARRAY_SIZE(reports)])
{
	unsigned int n = 0;

	while (churn->finished < PROCESSES)
		for (unsigned int t = 0; t < card->device.num_tiles; t++)
			for (unsigned int r = 0; r < ARRAY_SIZE(reports); r++, n++)
				sample(churn, card->fd, t, clients, r, base[t][r]);
	return n;
}

static void open_clients(const struct xetile_card *card, int *clients, unsigned int num)
{
	struct rlimit files = { 2 * CLIENTS, 2 * CLIENTS };

	igt_assert_eq(setrlimit(RLIMIT_NOFILE, &files), 0);
	for (unsigned int i = 0; i < num; i++)
		clients[i] = xetile_reopen(card->fd);
}

/*
 * Every report is one of the values that were true while it was made; and all are equal, exactly,
 * while nothing changes.
 */
static void test_churn(const struct xetile_card *card)
{
	unsigned int num = card->device.num_tiles, samples;
	uint64_t base[DRM_XETILE_MAX_TILES][ARRAY_SIZE(reports)];
	struct churn *churn = mmap(NULL, sizeof(*churn), PROT_READ | PROT_WRITE,
				   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	static int clients[CLIENTS];
	int stop[2];

	igt_assert(churn != MAP_FAILED);
	igt_assert_eq(pipe(stop), 0);
	xetile_wait_hbm_free(card->fd);
	open_clients(card, clients, CLIENTS);
	for (unsigned int t = 0; t < num; t++)
		for (unsigned int r = 0; r < ARRAY_SIZE(reports); r++)
			base[t][r] = reports[r].read(card->fd, t, clients);

	igt_fork(i, PROCESSES) {
		close(stop[1]);
		churn_some(churn, &clients[i * EACH], num, i, stop[0]);
	}
	samples = sample_all(churn, card, clients, base);
	igt_info("%u samples while %u clients made %u buffers each\n", samples, CLIENTS, STEPS);
	igt_assert_lte(3, samples);
	for (unsigned int t = 0; t < num; t++)
		for (unsigned int r = 0; r < ARRAY_SIZE(reports); r++)
			igt_assert_eq_u64(sample(churn, card->fd, t, clients, r, base[t][r]), 0);
	close(stop[1]);
	igt_waitchildren();
	close(stop[0]);
	for (unsigned int i = 0; i < CLIENTS; i++)
		close(clients[i]);
	xetile_wait_hbm_free(card->fd);
	for (unsigned int t = 0; t < num; t++)
		igt_assert_eq_u64(memory_file(card->fd, t, "used_bytes"), base[t][1]);
	munmap(churn, sizeof(*churn));
}

/* --- rounds ----------------------------------------------------------------------- */

/* Processes, each with as many of the clients; the steps of a client in a round */
#define WORKERS		8u
#define FEW_CLIENTS	64u
#define ROUNDS		4u
#define ROUND_STEPS	3u
#define SLOTS		2u
/* Every so many clients one also maps its buffers, and has page tables. */
#define MAPPERS		8u
#define MOST_TABLES	SZ_64K

/* What fdinfo tells of a region */
struct usage {
	uint64_t total, resident, active, purgeable;
};

/* What a client's buffers have, by BO_INFO */
struct share {
	uint64_t hbm[DRM_XETILE_MAX_TILES], purgeable[DRM_XETILE_MAX_TILES], system;
};

/* In memory that all processes share */
struct rounds {
	struct share shares[CLIENTS];
	_Atomic unsigned int finished;
};

struct slot {
	uint32_t handle;
	bool purgeable;
};

/* As many clients as XETILE_CLIENTS says, up to CLIENTS; returns how many a worker has. */
static unsigned int clients_of_worker(void)
{
	const char *text = getenv("XETILE_CLIENTS");
	unsigned int n = text ? strtoul(text, NULL, 10) : FEW_CLIENTS;

	igt_assert_lte(WORKERS, n);
	igt_assert_lte(n, CLIENTS);
	return n / WORKERS;
}

struct client {
	int fd;
	uint32_t vm, random;
	bool maps;
	struct slot slots[SLOTS];
};

/* The region's number: its tile, or @num for system memory; -1: no region of memory */
static int region_of(const char *name, int num)
{
	if (!strcmp(name, "system"))
		return num;
	return !strncmp(name, "hbm", 3) && name[3] >= '0' && name[3] < '0' + num && !name[4] ?
	       name[3] - '0' : -1;
}

static uint64_t *field_of(struct usage *usage, const char *key)
{
	return !strcmp(key, "total") ? &usage->total : !strcmp(key, "resident") ? &usage->resident :
	       !strcmp(key, "active") ? &usage->active :
	       !strcmp(key, "purgeable") ? &usage->purgeable : NULL;
}

/* Reads a file's fdinfo, once, into the regions of @num tiles and that of system memory. */
static void read_usage(int fd, unsigned int num, struct usage usage[DRM_XETILE_MAX_TILES + 1])
{
	char path[64], line[256], key[16], region[16];
	unsigned int found = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	f = fopen(path, "re");
	igt_assert(f);
	while (fgets(line, sizeof(line), f)) {
		unsigned long long n;
		char unit[8] = "";
		uint64_t *field;
		int at;

		if (sscanf(line, "drm-%15[a-z]-%15[a-z0-9]: %llu %7s", key, region, &n, unit) < 3)
			continue;
		at = region_of(region, num);
		field = at < 0 ? NULL : field_of(&usage[at], key);
		if (!field)
			continue;
		*field = n << (!strcmp(unit, "KiB") ? 10 : !strcmp(unit, "MiB") ? 20 : 0);
		found++;
	}
	fclose(f);
	igt_assert_eq(found, 4 * (num + 1));
}

static uint32_t next_random(struct client *c)
{
	c->random = c->random * 1664525u + 1013904223u;
	return c->random >> 16;
}

static bool purge(struct client *c, struct slot *slot, bool allow)
{
	struct drm_xetile_bo_purge args = {
		.handle = slot->handle, .flags = allow ? DRM_XETILE_PURGE_ALLOW : 0,
	};

	igt_assert_eq(xetile_ioctl(c->fd, DRM_IOCTL_XETILE_BO_PURGE, &args), 0);
	slot->purgeable = allow;
	return args.retained;
}

/* Waits until the card has cleared or copied a buffer. */
static void slot_wait(struct client *c, const struct slot *slot)
{
	volatile uint32_t *map = xetile_bo_map(c->fd, slot->handle, SZ_64K);

	igt_assert_eq_u32(*map, 0);
	munmap((void *)map, SZ_64K);
}

static void slot_create(struct client *c, struct slot *slot, unsigned int num_tiles)
{
	uint32_t tile = next_random(c) % (num_tiles + 1);
	bool even = tile == num_tiles;
	struct drm_xetile_bo_create args = {
		.size = SZ_64K * (even ? num_tiles : 1), .vm_id = c->vm,
		.placement = DRM_XETILE_PLACE_HBM |
			     (next_random(c) % 2 ? DRM_XETILE_PLACE_SYSTEM : 0),
		.color = even ? DRM_XETILE_COLOR_EVEN : DRM_XETILE_COLOR_TILE,
		.tile_mask = even ? 0 : 1u << tile,
	};

	igt_assert_eq(__xetile_bo_create(c->fd, &args), 0);
	*slot = (struct slot) { .handle = args.handle };
	slot_wait(c, slot);
}

/* A buffer that was evicted comes back. */
static void slot_map(struct client *c, const struct slot *slot)
{
	xetile_vm_map(c->fd, c->vm, slot->handle, 0, DATA_ADDR, SZ_64K);
	xetile_vm_unmap(c->fd, c->vm, DATA_ADDR, SZ_64K);
	slot_wait(c, slot);
}

static void slot_close(struct client *c, struct slot *slot)
{
	xetile_bo_close(c->fd, slot->handle);
	*slot = (struct slot) { 0 };
}

static void client_step(struct client *c, unsigned int num_tiles)
{
	struct slot *slot = &c->slots[next_random(c) % SLOTS];

	if (!slot->handle) {
		slot_create(c, slot, num_tiles);
		return;
	}
	switch (next_random(c) % 4) {
	case 0:
		slot_close(c, slot);
		break;
	case 1:
		purge(c, slot, true);
		break;
	default:
		if (slot->purgeable && !purge(c, slot, false))
			slot_wait(c, slot);
		if (c->maps)
			slot_map(c, slot);
		break;
	}
}

/* Tells what the client's buffers have, one by one. */
static void client_tell(const struct client *c, unsigned int num_tiles, struct share *share)
{
	*share = (struct share) { 0 };
	for (unsigned int i = 0; i < SLOTS; i++) {
		const struct slot *slot = &c->slots[i];

		if (!slot->handle)
			continue;
		for (unsigned int t = 0; t < num_tiles; t++) {
			uint64_t bytes = pages_on(c->fd, slot->handle, t) * SZ_64K;

			share->hbm[t] += bytes;
			share->purgeable[t] += slot->purgeable ? bytes : 0;
		}
		share->system += pages_on(c->fd, slot->handle, DRM_XETILE_MEM_SYSTEM) * SZ_64K;
	}
}

/* Waits for the parent, which looks at all clients while nothing changes. */
static void worker_pause(struct rounds *rounds, int go)
{
	char c;

	rounds->finished++;
	igt_assert_eq(read(go, &c, 1), 1);
}

/* @shares: of this worker's @num clients, whose files are @fds */
static void work(struct rounds *rounds, struct share *shares, const int *fds, unsigned int num,
		 unsigned int seed, unsigned int num_tiles, int go)
{
	static struct client clients[CLIENTS];

	for (unsigned int i = 0; i < num; i++)
		clients[i] = (struct client) {
			.fd = fds[i], .vm = xetile_vm(fds[i]), .maps = i % MAPPERS == 0,
			.random = seed + i,
		};
	for (unsigned int round = 0; round < ROUNDS; round++) {
		for (unsigned int i = 0; i < num * ROUND_STEPS; i++)
			client_step(&clients[i % num], num_tiles);
		worker_pause(rounds, go);
		for (unsigned int i = 0; i < num; i++)
			client_tell(&clients[i], num_tiles, &shares[i]);
		worker_pause(rounds, go);
	}
}

/* What holds at every moment, whatever the clients do */
static void check_moment(const struct xetile_card *card, int client)
{
	struct usage usage[DRM_XETILE_MAX_TILES + 1] = { 0 };
	struct drm_xetile_query_tile tiles[DRM_XETILE_MAX_TILES] = { 0 };
	unsigned int num = card->device.num_tiles;

	read_usage(client, num, usage);
	xetile_query_tiles(card->fd, tiles);
	for (unsigned int t = 0; t <= num; t++) {
		/* None of them is negative. */
		igt_assert_lte_u64(usage[t].total, t < num ? tiles[t].hbm_total : SZ_1G);
		igt_assert_lte_u64(usage[t].resident, usage[t].total);
		igt_assert_lte_u64(usage[t].active, usage[t].resident);
		igt_assert_lte_u64(usage[t].purgeable, usage[t].resident - usage[t].active);
	}
	igt_assert_eq_u64(usage[num].purgeable, 0);
	for (unsigned int t = 0; t < num; t++) {
		igt_assert_lte_u64(tiles[t].hbm_used, tiles[t].hbm_total);
		igt_assert_lte_u64(memory_file(card->fd, t, "used_bytes"), tiles[t].hbm_total);
	}
}

/* Looks at one client after the other until all workers have finished. */
static void wait_workers(struct rounds *rounds, const struct xetile_card *card,
			 const int *clients, unsigned int num)
{
	for (unsigned int i = 0; rounds->finished < WORKERS; i++)
		check_moment(card, clients[i * 37 % num]);
	rounds->finished = 0;
}

/* Each worker has a pipe of its own, because a fast one must not take what a slow one waits for. */
static void let_workers_go(const int go[WORKERS][2])
{
	for (unsigned int i = 0; i < WORKERS; i++)
		igt_assert_eq(write(go[i][1], "", 1), 1);
}

/* fdinfo of a client is what its buffers have, by BO_INFO, and its page tables. */
static void check_client(const struct share *share, const struct usage *usage, unsigned int num,
			 bool maps)
{
	for (unsigned int t = 0; t < num; t++) {
		uint64_t tables = usage[t].resident - share->hbm[t];

		igt_assert_lte_u64(share->hbm[t], usage[t].resident);
		igt_assert_lte_u64(SZ_4K, tables);
		igt_assert_lte_u64(tables, maps ? MOST_TABLES : SZ_4K);
		igt_assert_eq_u64(usage[t].total, usage[t].resident);
		igt_assert_eq_u64(usage[t].purgeable, share->purgeable[t]);
		igt_assert_eq_u64(usage[t].active, 0);
	}
	igt_assert_eq_u64(usage[num].resident, share->system);
}

/*
 * While nothing changes QUERY, sysfs and all files' fdinfo tell the same, and so does what BO_INFO
 * tells of each buffer. @others: what is in use besides the clients' memory. Less is never in use
 * than they have; more only until a worker has freed what they closed while others looked at it.
 */
static void check_pause(const struct rounds *rounds, const struct xetile_card *card,
			const int *clients, unsigned int each,
			const uint64_t others[DRM_XETILE_MAX_TILES])
{
	unsigned int num = card->device.num_tiles;
	uint64_t sum[DRM_XETILE_MAX_TILES] = { 0 };

	for (unsigned int i = 0; i < each * WORKERS; i++) {
		struct usage usage[DRM_XETILE_MAX_TILES + 1] = { 0 };

		read_usage(clients[i], num, usage);
		check_client(&rounds->shares[i], usage, num, i % each % MAPPERS == 0);
		for (unsigned int t = 0; t < num; t++)
			sum[t] += usage[t].resident;
	}
	for (unsigned int t = 0; t < num; t++) {
		igt_assert_lte_u64(others[t] + sum[t], memory_file(card->fd, t, "used_bytes"));
		xetile_assert_soon(memory_file(card->fd, t, "used_bytes") == others[t] + sum[t]);
	}
	check_files(card->fd, num);
}

/* Has half of what the clients have on each tile evicted: that which came first. */
static void evict_half(const struct xetile_card *card, const uint64_t others[DRM_XETILE_MAX_TILES])
{
	for (unsigned int t = 0; t < card->device.num_tiles; t++) {
		uint64_t used = memory_file(card->fd, t, "used_bytes");
		uint64_t size = card->tiles[t].hbm_total - used + (used - others[t]) / 2;

		xetile_bo_close(card->fd, strict_on(card->fd, size & ~(SZ_64K - 1), t));
	}
}

/* Clients create, close, map and give up buffers, which are evicted; then all stand still. */
static void test_rounds(const struct xetile_card *card)
{
	unsigned int num = card->device.num_tiles, each = clients_of_worker();
	struct rounds *rounds = mmap(NULL, sizeof(*rounds), PROT_READ | PROT_WRITE,
				     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	uint64_t others[DRM_XETILE_MAX_TILES], evicted = 0;
	static int clients[CLIENTS];
	int go[WORKERS][2];

	igt_assert(rounds != MAP_FAILED);
	xetile_wait_hbm_free(card->fd);
	open_clients(card, clients, each * WORKERS);
	for (unsigned int i = 0; i < WORKERS; i++)
		igt_assert_eq(pipe(go[i]), 0);
	for (unsigned int t = 0; t < num; t++)
		others[t] = memory_file(card->fd, t, "used_bytes");
	igt_fork(i, WORKERS) {
		/* The end of the test ends this process. */
		for (unsigned int k = 0; k < WORKERS; k++)
			close(go[k][1]);
		work(rounds, &rounds->shares[i * each], &clients[i * each], each, i * each, num,
		     go[i][0]);
	}
	for (unsigned int round = 0; round < ROUNDS; round++) {
		wait_workers(rounds, card, clients, each * WORKERS);
		if (round % 2)
			evict_half(card, others);
		let_workers_go(go);
		wait_workers(rounds, card, clients, each * WORKERS);
		check_pause(rounds, card, clients, each, others);
		for (unsigned int i = 0; i < each * WORKERS; i++)
			evicted += rounds->shares[i].system;
		let_workers_go(go);
	}
	igt_waitchildren();
	igt_assert_lte_u64(1, evicted);
	for (unsigned int i = 0; i < each * WORKERS; i++)
		close(clients[i]);
	for (unsigned int t = 0; t < num; t++)
		xetile_assert_soon(memory_file(card->fd, t, "used_bytes") == others[t]);
	for (unsigned int i = 0; i < WORKERS; i++) {
		close(go[i][0]);
		close(go[i][1]);
	}
	munmap(rounds, sizeof(*rounds));
}

igt_main
{
	struct xetile_card card = { .fd = -1 };

	igt_fixture
		xetile_open_card(&card);

	igt_describe("sysfs must show the HBM in use, and every user must learn it (W9)");
	igt_subtest("sysfs")
		test_sysfs(&card);
	igt_describe("QUERY, sysfs, fdinfo and the clients' sums must agree at every moment, while "
		     "1000 clients create and close buffers (W9)");
	igt_subtest("churn")
		test_churn(&card);
	igt_describe("fdinfo of each client must be the sum of its buffers and page tables, and "
		     "QUERY and sysfs the sum of fdinfo, between rounds in which buffers come, go, "
		     "are mapped, evicted and dropped (W9)");
	igt_subtest("rounds")
		test_rounds(&card);

	igt_fixture
		close(card.fd);
}
