// SPDX-License-Identifier: MIT
/*
 * What happens to memory over time: eviction and return with the color kept, the
 * documented order when a tile is full, binds that wait for fences, buffers
 * shared between files.
 * Statements: S41, W22.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <xf86drm.h>

#include "xetile_igt.h"
#include "xetile_memcg.h"
#include "xetile_vgem.h"

IGT_TEST_DESCRIPTION("Eviction, full tiles, binds in time, sharing");

#define PAGE		SZ_64K
#define BATCH_ADDR	0x10000000ull
#define DATA_ADDR	0x4000000000ull
#define MAX_RUNS	4096u
#define GO		1024u		/* dword of the control buffer that lets a batch go on */

#define HELD_MS		300000u

/* A VM with a queue on tile 0, and a buffer for batches and words */
struct place {
	int fd;
	uint32_t vm, queue;
	struct xetile_buf ctl;
	uint32_t held;		/* syncobj of the batch that is held */
};

static void place_init(struct place *p, int fd)
{
	struct drm_xetile_queue_create queue = {
		.target = DRM_XETILE_TARGET_TILE,
		/* What is done while a batch is held takes a slow kernel longer than the default. */
		.timeout_ms = HELD_MS,
	};

	p->fd = fd;
	queue.vm_id = p->vm = xetile_vm(fd);
	igt_assert_eq(__xetile_queue_create(fd, &queue), 0);
	p->queue = queue.queue_id;
	xetile_buf_init(&p->ctl, fd, p->vm, BATCH_ADDR, PAGE, DRM_XETILE_PLACE_SYSTEM);
}

static void place_fini(struct place *p)
{
	xetile_buf_fini(&p->ctl);
	xetile_queue_destroy(p->fd, p->queue);
	xetile_vm_destroy(p->fd, p->vm);
}

/* Start a batch that runs until let_go(): all that is mapped is busy */
static void hold(struct place *p)
{
	struct drm_xetile_sync sync = { .flags = DRM_XETILE_SYNC_SIGNAL };
	struct xetile_batch b;

	p->ctl.map[GO] = 0;
	batch_begin(&b, &p->ctl, 0);
	batch_wait(&b, p->ctl.addr + GO * 4, 1);
	batch_end(&b);
	p->held = sync.handle = xetile_syncobj(p->fd);
	igt_assert_eq(__xetile_exec(p->fd, p->queue, batch_addr(&b), &sync, 1), 0);
}

static void let_go(struct place *p)
{
	p->ctl.map[GO] = 1;
	igt_assert_eq(__xetile_wait(p->fd, p->held, 20000), 0);
	igt_assert_eq(xetile_fence_status(p->fd, p->held), 1);
	xetile_syncobj_destroy(p->fd, p->held);
}

static void gpu_store(struct place *p, uint64_t addr, uint32_t value)
{
	struct xetile_batch b;

	batch_begin(&b, &p->ctl, 0x2000);
	batch_store(&b, addr, value, false);
	batch_end(&b);
	xetile_run(p->fd, p->queue, batch_addr(&b));
}

static uint64_t pages_on(int fd, uint32_t bo, uint32_t tile)
{
	struct drm_xetile_color_run *runs = calloc(MAX_RUNS, sizeof(*runs));
	uint32_t n = xetile_bo_runs(fd, bo, runs, MAX_RUNS);
	uint64_t pages = 0;

	igt_assert_lte(n, MAX_RUNS);
	for (uint32_t i = 0; i < n; i++)
		if (runs[i].tile == tile)
			pages += runs[i].pages;
	free(runs);
	return pages;
}

static void paint(int fd, uint32_t bo, uint64_t size, uint32_t seed)
{
	uint32_t *map = xetile_bo_map(fd, bo, size);

	for (uint64_t at = 0; at < size; at += PAGE) {
		map[at / 4] = seed + at / PAGE;
		map[at / 4 + PAGE / 4 - 1] = ~(seed + at / PAGE);
	}
	munmap(map, size);
}

static void check_paint(int fd, uint32_t bo, uint64_t size, uint32_t seed)
{
	uint32_t *map = xetile_bo_map(fd, bo, size);

	for (uint64_t at = 0; at < size; at += PAGE) {
		igt_assert_eq_u32(map[at / 4 + PAGE / 4 - 1], ~(seed + at / PAGE));
		if (at)
			igt_assert_eq_u32(map[at / 4], seed + at / PAGE);
	}
	munmap(map, size);
}

static int try_tile(int fd, uint64_t size, uint32_t tile, uint32_t flags, uint32_t placement,
		    uint32_t *bo)
{
	struct drm_xetile_bo_create args = {
		.size = size, .placement = placement, .flags = flags,
		.color = DRM_XETILE_COLOR_TILE, .tile_mask = 1u << tile,
	};
	int ret = __xetile_bo_create(fd, &args);

	*bo = args.handle;
	return ret;
}

static uint32_t strict_on(int fd, uint64_t size, uint32_t tile)
{
	uint32_t bo;

	igt_assert_eq(try_tile(fd, size, tile, DRM_XETILE_BO_STRICT, DRM_XETILE_PLACE_HBM, &bo), 0);
	return bo;
}

static uint64_t part_of_tile(const struct xetile_card *card, unsigned int percent)
{
	return card->tiles[0].hbm_total / 100 * percent / PAGE * PAGE;
}

/* Of the kernel's own copies */
static uint64_t passes(int fd)
{
	return xetile_debugfs_sum(fd, "copies", "passes");
}

static uint64_t hbm_free(int fd)
{
	struct drm_xetile_query_tile tiles[DRM_XETILE_MAX_TILES] = { 0 };

	xetile_query_tiles(fd, tiles);
	return tiles[0].hbm_total - tiles[0].hbm_used;
}

static void test_restore(const struct xetile_card *card)
{
	uint64_t size = part_of_tile(card, 30), pages = size / PAGE;
	uint32_t bo[4];
	struct place p;

	place_init(&p, card->fd);
	for (int i = 0; i < 3; i++) {
		bo[i] = strict_on(p.fd, size, 0);
		paint(p.fd, bo[i], size, i << 24);
	}
	xetile_vm_map(p.fd, p.vm, bo[0], 0, DATA_ADDR, size);
	gpu_store(&p, DATA_ADDR, 7);
	/* touched last: the other two go first */
	bo[3] = strict_on(p.fd, size, 0);
	igt_assert_eq_u64(pages_on(p.fd, bo[0], 0), pages);
	igt_assert_eq_u64(pages_on(p.fd, bo[1], DRM_XETILE_MEM_SYSTEM), pages);
	check_paint(p.fd, bo[1], size, 1 << 24);

	/* it is wanted again when it is mapped, and somebody else goes */
	xetile_vm_map(p.fd, p.vm, bo[1], 0, DATA_ADDR + SZ_1G, size);
	gpu_store(&p, DATA_ADDR + SZ_1G, 8);
	igt_assert_eq_u64(pages_on(p.fd, bo[1], 0), pages);
	check_paint(p.fd, bo[1], size, 1 << 24);

	/* evict what is mapped: the next job of the VM has it back, and maps it anew */
	for (int i = 0; i < 2; i++) {
		xetile_bo_close(p.fd, bo[3 - i]);
		bo[3 - i] = strict_on(p.fd, size, 0);
	}
	xetile_bo_close(p.fd, strict_on(p.fd, part_of_tile(card, 35), 0));
	igt_assert_lte_u64(1, pages_on(p.fd, bo[0], DRM_XETILE_MEM_SYSTEM) +
			   pages_on(p.fd, bo[1], DRM_XETILE_MEM_SYSTEM));
	gpu_store(&p, DATA_ADDR, 9);
	gpu_store(&p, DATA_ADDR + SZ_1G, 10);
	for (int i = 0; i < 2; i++) {
		uint32_t *map = xetile_bo_map(p.fd, bo[i], PAGE);

		igt_assert_eq_u64(pages_on(p.fd, bo[i], 0), pages);
		igt_assert_eq_u32(map[0], 9 + i);
		munmap(map, PAGE);
		check_paint(p.fd, bo[i], size, i << 24);
	}
	for (int i = 0; i < 4; i++)
		xetile_bo_close(p.fd, bo[i]);
	place_fini(&p);
}

/* Does it sleep until a job is done? */
static bool waits_for_fence(pid_t pid)
{
	char path[64], where[128] = "";
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/wchan", pid);
	file = fopen(path, "re");
	igt_assert(file);
	igt_assert_lte(0, (int)fread(where, 1, sizeof(where) - 1, file));
	fclose(file);
	return !strncmp(where, "dma_fence", 9);
}

static void require_window(const struct xetile_card *card)
{
	igt_require_f(card->tiles[0].hbm_visible < part_of_tile(card, 60),
		      "the CPU reaches most of the HBM or all\n");
}

/* What a debugger reads through this mapping, of the page's last word */
static uint32_t peek(const uint32_t *map, uint64_t page)
{
	int mem = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
	uint32_t word;

	igt_assert_eq(pread(mem, &word, sizeof(word),
			    to_user(map + (page + 1) * PAGE / 4 - 1)), sizeof(word));
	close(mem);
	return word;
}

/* Where BAR2 shows a part of HBM only, the CPU has the rest by way of system memory */
static void test_window(const struct xetile_card *card)
{
	uint64_t size = part_of_tile(card, 15), pages = size / PAGE, moved = 0;
	uint32_t bo[6], *map;
	struct place p;

	require_window(card);
	place_init(&p, card->fd);
	for (int i = 0; i < 6; i++) {
		bo[i] = strict_on(p.fd, size, 0);
		xetile_vm_map(p.fd, p.vm, bo[i], 0, DATA_ADDR + i * SZ_1G, size);
	}
	for (int i = 0; i < 6; i++) {
		paint(p.fd, bo[i], size, i << 24);
		moved += pages_on(p.fd, bo[i], DRM_XETILE_MEM_SYSTEM);
	}
	/* of 90 % of the HBM at most 60 are within: two of the six at least are not */
	igt_assert_lte_u64(2 * pages, moved);

	/* a job has them where they were, with what the CPU wrote */
	for (int i = 0; i < 6; i++)
		gpu_store(&p, DATA_ADDR + i * SZ_1G, 7 + i);
	for (int i = 0; i < 6; i++)
		igt_assert_eq_u64(pages_on(p.fd, bo[i], 0), pages);
	for (int i = 0; i < 6; i++) {
		map = xetile_bo_map(p.fd, bo[i], size);
		/* large blocks first: what is beyond is not the last page */
		for (uint64_t page = 0; page < pages; page += pages / 16)
			igt_assert_eq_u32(peek(map, page), ~((i << 24) + page));
		igt_assert_eq_u32(map[0], 7 + i);
		munmap(map, size);
		check_paint(p.fd, bo[i], size, i << 24);
		xetile_bo_close(p.fd, bo[i]);
	}
	place_fini(&p);
}

/* Page tables are written by the CPU: buffers leave them room where it reaches */
static void test_window_full(const struct xetile_card *card)
{
	unsigned int num = card->tiles[0].hbm_visible / PAGE;
	uint32_t *small, vm, word;

	require_window(card);
	small = calloc(num, sizeof(*small));
	igt_assert(small);
	word = xetile_bo(card->fd, PAGE, DRM_XETILE_PLACE_SYSTEM);
	for (unsigned int i = 0; i < num; i++)
		small[i] = strict_on(card->fd, PAGE, 0);
	vm = xetile_vm(card->fd);
	for (uint64_t i = 0; i < 400; i++)
		xetile_vm_map(card->fd, vm, word, 0, DATA_ADDR + i * SZ_1G, PAGE);
	xetile_vm_destroy(card->fd, vm);
	for (unsigned int i = 0; i < num; i++)
		xetile_bo_close(card->fd, small[i]);
	free(small);
	xetile_bo_close(card->fd, word);
}

/* More than what page tables have for themselves */
static uint64_t slack(const struct xetile_card *card)
{
	return card->tiles[0].hbm_total / 128 + 2 * SZ_2M;
}

/* The one idle buffer of tile 0, of @size, makes room. */
static void push_out(const struct xetile_card *card, uint32_t bo, uint64_t size)
{
	uint64_t used = xetile_hbm_used(card->fd);
	uint64_t all = hbm_free(card->fd) + size - slack(card);

	xetile_bo_close(card->fd, strict_on(card->fd, all / PAGE * PAGE, 0));
	xetile_assert_soon(xetile_hbm_used(card->fd) <= used - size);
	igt_assert_eq_u64(pages_on(card->fd, bo, DRM_XETILE_MEM_SYSTEM), size / PAGE);
}

/* What fills tile 0, but for pieces of 64 KiB that lie apart */
struct filling {
	uint32_t most;
	uint32_t small[MAX_RUNS];
	unsigned int num;
};

/* The pieces left free are in all a good @size */
static void fill(struct filling *f, const struct xetile_card *card, uint64_t size)
{
	int fd = card->fd;
	uint64_t used;

	f->most = strict_on(fd, (hbm_free(fd) - 2 * size - slack(card)) / PAGE * PAGE, 0);
	f->num = (hbm_free(fd) - slack(card)) / PAGE / 2 * 2;
	igt_assert_lte(f->num, MAX_RUNS);
	for (unsigned int i = 0; i < f->num; i++)
		f->small[i] = strict_on(fd, PAGE, 0);
	used = xetile_hbm_used(fd);
	for (unsigned int i = 0; i < f->num; i += 2)
		xetile_bo_close(fd, f->small[i]);
	xetile_assert_soon(xetile_hbm_used(fd) <= used - f->num / 2 * PAGE);
}

static void unfill(struct filling *f, int fd)
{
	uint64_t used = xetile_hbm_used(fd), size = pages_on(fd, f->most, 0) + f->num / 2;

	for (unsigned int i = 1; i < f->num; i += 2)
		xetile_bo_close(fd, f->small[i]);
	xetile_bo_close(fd, f->most);
	xetile_assert_soon(xetile_hbm_used(fd) <= used - size * PAGE);
}

/*
 * A buffer that comes back is mapped by other tables than before, in pieces or in one: those
 * that went out of use are freed without a bind.
 */
static void test_tables(const struct xetile_card *card)
{
	uint64_t size = 16 * SZ_2M, used[3];
	struct filling filling;
	struct place p;
	uint32_t bo;

	/* what others gave up is freed by workers, and is not to be taken for used below */
	xetile_assert_soon(xetile_hbm_used(card->fd) < size);
	place_init(&p, card->fd);
	bo = strict_on(p.fd, size, 0);
	xetile_vm_map(p.fd, p.vm, bo, 0, DATA_ADDR, size);
	for (unsigned int round = 0; round < ARRAY_SIZE(used); round++) {
		push_out(card, bo, size);
		fill(&filling, card, size);
		gpu_store(&p, DATA_ADDR, 1);
		igt_assert_eq_u64(pages_on(p.fd, bo, 0), size / PAGE);
		unfill(&filling, p.fd);
		push_out(card, bo, size);
		gpu_store(&p, DATA_ADDR, 2);
		igt_assert_eq_u64(pages_on(p.fd, bo, 0), size / PAGE);
		/* what was retired by one goes with the next but one */
		gpu_store(&p, DATA_ADDR, 3);
		gpu_store(&p, DATA_ADDR, 4);
		used[round] = xetile_hbm_used(p.fd);
	}
	for (unsigned int round = 1; round < ARRAY_SIZE(used); round++)
		igt_assert_eq_u64(used[round], used[0]);
	xetile_bo_close(p.fd, bo);
	place_fini(&p);
}

static void on_alarm(int sig)
{
}

/*
 * A buffer that found HBM full is always in use when there is room. Each job looks at it once:
 * many do before one waits for it.
 */
static void test_busy_stray(const struct xetile_card *card)
{
	const struct itimerval tick = { .it_interval.tv_usec = 50000, .it_value.tv_usec = 50000 };
	const struct sigaction interrupt = { .sa_handler = on_alarm };
	struct drm_xetile_exec args = { .num_batches = 1 };
	uint64_t size = 4 * SZ_2M, hog_size = part_of_tile(card, 99);
	struct place hog, user, p;
	struct xetile_batch b;
	struct sigaction old;
	uint32_t hog_bo, bo;
	bool waits = false;

	xetile_wait_hbm_free(card->fd);
	place_init(&hog, card->fd);
	place_init(&user, card->fd);
	place_init(&p, card->fd);
	hog_bo = strict_on(card->fd, hog_size, 0);
	xetile_vm_map(card->fd, hog.vm, hog_bo, 0, DATA_ADDR, hog_size);
	hold(&hog);
	igt_assert_eq(try_tile(card->fd, 4 * size, 0, DRM_XETILE_BO_STRICT,
			       DRM_XETILE_PLACE_HBM | DRM_XETILE_PLACE_SYSTEM, &bo), 0);
	igt_assert_eq_u64(pages_on(card->fd, bo, DRM_XETILE_MEM_SYSTEM), 4 * size / PAGE);
	xetile_vm_map(card->fd, p.vm, bo, 0, DATA_ADDR, size);
	xetile_vm_map(card->fd, user.vm, bo, 0, DATA_ADDR, size);
	hold(&user);
	let_go(&hog);
	xetile_bo_close(card->fd, hog_bo);
	place_fini(&hog);
	xetile_assert_soon(hbm_free(card->fd) > hog_size);

	args.queue_id = p.queue;
	batch_begin(&b, &p.ctl, 0);
	batch_end(&b);
	args.batch = batch_addr(&b);
	igt_assert_eq(sigaction(SIGALRM, &interrupt, &old), 0);
	igt_assert_eq(setitimer(ITIMER_REAL, &tick, NULL), 0);
	for (int i = 0; i < 60; i++)
		igt_assert_eq(ioctl(card->fd, DRM_IOCTL_XETILE_EXEC, &args), 0);
	/* now and then one does */
	for (int i = 0; i < 8; i++)
		waits |= ioctl(card->fd, DRM_IOCTL_XETILE_EXEC, &args) == -1 && errno == EINTR;
	igt_assert(waits);
	igt_assert_eq(setitimer(ITIMER_REAL, &(struct itimerval) { 0 }, NULL), 0);
	igt_assert_eq(sigaction(SIGALRM, &old, NULL), 0);
	igt_assert_eq_u64(pages_on(card->fd, bo, DRM_XETILE_MEM_SYSTEM), 4 * size / PAGE);

	let_go(&user);
	for (int i = 0; i < 2; i++)
		gpu_store(&p, DATA_ADDR, i);
	igt_assert_eq_u64(pages_on(card->fd, bo, 0), 4 * size / PAGE);
	xetile_bo_close(card->fd, bo);
	place_fini(&p);
	place_fini(&user);
}

/*
 * Leaves no 64 KiB of a part of tile 0 whole: many page tables are made there, one beside the
 * other, and most of them given back. Returns the VM that keeps the others.
 */
static uint32_t crumble(int fd, uint64_t size)
{
	const unsigned int each = PAGE / 4096, most = DRM_XETILE_MAX_ARRAY;
	uint32_t vm = xetile_vm(fd), word = xetile_bo(fd, PAGE, DRM_XETILE_PLACE_SYSTEM);
	struct drm_xetile_bind *binds = calloc(most, sizeof(*binds));
	struct drm_xetile_vm_bind args = { .vm_id = vm };
	unsigned int num = size / 4096;

	igt_assert(binds);
	for (unsigned int at = 0; at < num; at += args.binds.count) {
		unsigned int n = num - at < most ? num - at : most;

		for (unsigned int i = 0; i < n; i++)
			binds[i] = (struct drm_xetile_bind) {
				.addr = DATA_ADDR + (at + i) * SZ_2M, .range = PAGE,
				.handle = word, .tile_mask = 1,
			};
		args.binds = (struct drm_xetile_array) DRM_XETILE_ARRAY(binds, n);
		igt_assert_eq(xetile_ioctl(fd, DRM_IOCTL_XETILE_VM_BIND, &args), 0);
	}
	for (unsigned int i = 0; i < num / each; i++)
		binds[i] = (struct drm_xetile_bind) {
			.op = DRM_XETILE_BIND_UNMAP, .tile_mask = 1,
			.addr = DATA_ADDR + i * each * SZ_2M, .range = (each - 1) * SZ_2M,
		};
	args.binds = (struct drm_xetile_array) DRM_XETILE_ARRAY(binds, num / each);
	igt_assert_eq(xetile_ioctl(fd, DRM_IOCTL_XETILE_VM_BIND, &args), 0);
	xetile_bo_close(fd, word);
	free(binds);
	return vm;
}

/* Fill tile 0 with what is in use, to the last piece that a buffer can have */
static void fill_busy(struct place *p, const struct xetile_card *card)
{
	uint64_t at = DATA_ADDR, most = hbm_free(p->fd) - 2 * slack(card) - 16 * SZ_2M;
	uint32_t bo = strict_on(p->fd, most / PAGE * PAGE, 0), tile;

	xetile_vm_map(p->fd, p->vm, bo, 0, at, most / PAGE * PAGE);
	xetile_bo_close(p->fd, bo);
	at += SZ_1G;
	for (uint64_t size = 16 * SZ_2M; size >= PAGE; size /= 2) {
		do {
			igt_assert_eq(try_tile(p->fd, size, 0, DRM_XETILE_BO_STRICT,
					       DRM_XETILE_PLACE_HBM | DRM_XETILE_PLACE_SYSTEM,
					       &bo), 0);
			tile = pages_on(p->fd, bo, 0) ? 0 : DRM_XETILE_MEM_SYSTEM;
			if (!tile)
				xetile_vm_map(p->fd, p->vm, bo, 0, at, size);
			xetile_bo_close(p->fd, bo);
			at += SZ_1G;
		} while (!tile);
	}
}

/*
 * A buffer that lies in part on another tile, and for which there seems to be room, but memory
 * is in pieces too small: it goes by system memory for nothing, once and not at each job.
 */
static void test_detour(const struct xetile_card *card)
{
	const uint64_t part = 4 * SZ_2M;
	/* dealt in pieces of 2 MiB, of which tile 0 has room for all but the last */
	struct drm_xetile_bo_create args = {
		.size = 2 * (part + SZ_2M), .placement = DRM_XETILE_PLACE_HBM,
		.color = DRM_XETILE_COLOR_CHUNK, .tile_mask = 3, .granule = SZ_2M,
	};
	uint32_t crumbs, place, bo;
	uint64_t copied;
	struct place busy, keeps, p;

	igt_require_f(card->device.num_tiles >= 2, "needs two tiles\n");
	xetile_wait_hbm_free(card->fd);
	place_init(&busy, card->fd);
	place_init(&keeps, card->fd);
	place_init(&p, card->fd);
	/* half as much again as what is kept free for page tables */
	crumbs = crumble(card->fd, card->tiles[0].hbm_total / 128 / 2 * 3);
	place = strict_on(card->fd, part, 0);
	xetile_vm_map(card->fd, keeps.vm, place, 0, DATA_ADDR, part);
	hold(&keeps);
	hold(&busy);
	fill_busy(&busy, card);
	let_go(&keeps);
	xetile_vm_unmap(card->fd, keeps.vm, DATA_ADDR, part);
	xetile_bo_close(card->fd, place);
	/* room for all of it, if pieces did not matter */
	xetile_assert_soon(hbm_free(card->fd) > part + SZ_2M);
	igt_assert_eq(__xetile_bo_create(card->fd, &args), 0);
	bo = args.handle;
	igt_assert_eq_u64(pages_on(card->fd, bo, 0), part / PAGE);
	igt_assert_eq_u64(pages_on(card->fd, bo, 1), (args.size - part) / PAGE);
	paint(card->fd, bo, args.size, 0x7000000);
	xetile_vm_map(card->fd, p.vm, bo, 0, DATA_ADDR, args.size);
	copied = passes(card->fd);
	gpu_store(&p, DATA_ADDR, 1);
	igt_assert_lte_u64(copied + 1, passes(card->fd));
	copied = passes(card->fd);
	for (int i = 0; i < 3; i++)
		gpu_store(&p, DATA_ADDR, 2 + i);
	igt_assert_eq_u64(passes(card->fd), copied);
	check_paint(card->fd, bo, args.size, 0x7000000);

	let_go(&busy);
	xetile_bo_close(card->fd, bo);
	xetile_vm_destroy(card->fd, crumbs);
	place_fini(&p);
	place_fini(&keeps);
	place_fini(&busy);
}

/*
 * Buffers private to a VM, more than there is room for: they make room for each other when
 * they are made, and for others; a job has those it can have in HBM, the rest in system memory.
 */
static void test_private(const struct xetile_card *card)
{
	uint64_t size = part_of_tile(card, 15);
	struct drm_xetile_bo_create args = {
		.size = size, .placement = DRM_XETILE_PLACE_HBM | DRM_XETILE_PLACE_SYSTEM,
		.flags = DRM_XETILE_BO_STRICT, .color = DRM_XETILE_COLOR_TILE, .tile_mask = 1,
	};
	uint64_t pages = size / PAGE, in_hbm, used;
	uint32_t bo[8], other;
	struct place p;

	place_init(&p, card->fd);
	args.vm_id = p.vm;
	for (int i = 0; i < 8; i++) {
		igt_assert_eq(__xetile_bo_create(p.fd, &args), 0);
		bo[i] = args.handle;
		paint(p.fd, bo[i], size, i << 24);
		xetile_vm_map(p.fd, p.vm, bo[i], 0, DATA_ADDR + i * SZ_1G, size);
	}
	/* one that can be nowhere else */
	args.placement = DRM_XETILE_PLACE_HBM;
	igt_assert_eq(__xetile_bo_create(p.fd, &args), 0);
	igt_assert_eq_u64(pages_on(p.fd, args.handle, 0), pages);
	used = xetile_hbm_used(p.fd);
	xetile_bo_close(p.fd, args.handle);
	xetile_assert_soon(xetile_hbm_used(p.fd) <= used - size);
	for (int round = 0; round < 2; round++) {
		in_hbm = 0;
		for (int i = 0; i < 8; i++) {
			gpu_store(&p, DATA_ADDR + i * SZ_1G, 10 * round + i);
			in_hbm += pages_on(p.fd, bo[i], 0);
		}
		igt_assert_lte_u64(4 * pages, in_hbm);
		/* the idle ones make room for somebody else, all of them */
		other = strict_on(p.fd, part_of_tile(card, 90), 0);
		used = xetile_hbm_used(p.fd);
		xetile_bo_close(p.fd, other);
		xetile_assert_soon(xetile_hbm_used(p.fd) <= used - part_of_tile(card, 90));
	}
	for (int i = 0; i < 8; i++) {
		uint32_t *map = xetile_bo_map(p.fd, bo[i], PAGE);

		igt_assert_eq_u32(map[0], 10 + i);
		munmap(map, PAGE);
		check_paint(p.fd, bo[i], size, i << 24);
		xetile_bo_close(p.fd, bo[i]);
	}
	place_fini(&p);
}

static void check_clear(int fd, uint32_t bo)
{
	uint32_t *map = xetile_bo_map(fd, bo, PAGE);

	igt_assert_eq_u32(map[0], 0);
	munmap(map, PAGE);
}

/* What is mapped but has no handle is as much in use as the rest of its VM */
static void test_private_closed(const struct xetile_card *card)
{
	uint64_t size = part_of_tile(card, 40), used;
	struct drm_xetile_bo_create args = {
		.size = size, .placement = DRM_XETILE_PLACE_HBM,
		.color = DRM_XETILE_COLOR_TILE, .tile_mask = 1, .flags = DRM_XETILE_BO_STRICT,
	};
	uint32_t older;
	struct place p;

	place_init(&p, card->fd);
	args.vm_id = p.vm;
	igt_assert_eq(__xetile_bo_create(p.fd, &args), 0);
	xetile_vm_map(p.fd, p.vm, args.handle, 0, DATA_ADDR, size);
	xetile_bo_close(p.fd, args.handle);
	older = strict_on(p.fd, size, 0);
	/* it is idle when it is cleared */
	check_clear(p.fd, older);
	gpu_store(&p, DATA_ADDR, 1);
	xetile_bo_close(p.fd, strict_on(p.fd, size, 0));
	igt_assert_eq_u64(pages_on(p.fd, older, DRM_XETILE_MEM_SYSTEM), size / PAGE);
	xetile_bo_close(p.fd, older);
	/* and it goes with its last mapping */
	used = xetile_hbm_used(p.fd);
	xetile_vm_unmap(p.fd, p.vm, DATA_ADDR, size);
	xetile_assert_soon(xetile_hbm_used(p.fd) <= used - size);
	place_fini(&p);
}

#define PIECES 64

/* Of all that is evicted for a buffer nothing has its color looked at again. */
static void test_many(const struct xetile_card *card)
{
	uint64_t size = part_of_tile(card, 90) / PIECES / PAGE * PAGE, runs;
	uint64_t all = part_of_tile(card, 90) / SZ_2M * SZ_2M;
	struct drm_xetile_bo_create args = {
		.size = all, .placement = DRM_XETILE_PLACE_HBM, .flags = DRM_XETILE_BO_STRICT,
		.color = DRM_XETILE_COLOR_CHUNK, .granule = PAGE, .tile_mask = 1,
	};
	unsigned int evicted = 0;
	uint32_t bo[PIECES];

	if (card->device.num_tiles > 1) {
		args.size *= 2;
		args.tile_mask = 3;
	}
	for (int i = 0; i < PIECES; i++)
		bo[i] = strict_on(card->fd, size, 0);
	check_clear(card->fd, bo[PIECES - 1]);
	runs = xetile_debugfs_sum(card->fd, "hbm", "runs");
	igt_assert_eq(__xetile_bo_create(card->fd, &args), 0);
	runs = xetile_debugfs_sum(card->fd, "hbm", "runs") - runs;
	for (int i = 0; i < PIECES; i++) {
		evicted += !pages_on(card->fd, bo[i], 0);
		xetile_bo_close(card->fd, bo[i]);
	}
	igt_assert_lte(PIECES / 2, (int)evicted);
	igt_assert_eq_u64(runs, args.size / PAGE);
	xetile_bo_close(card->fd, args.handle);
}

/* The call of another process that has to wait for room */
struct waiter {
	int (*call)(int fd, uint32_t vm, uint32_t queue, uint32_t bo, uint64_t size);
	/* In order: its buffer is there; everything is busy; it calls; it returned @ret */
	volatile bool ready, go, calls, done;
	pid_t pid;
	int ret;
};

struct touch {
	const uint32_t *map;
	volatile pid_t thread;
	uint32_t value;
};

static void *touch(void *arg)
{
	struct touch *t = arg;

	t->thread = syscall(SYS_gettid);
	t->value = *(volatile const uint32_t *)t->map;
	return NULL;
}

/* While one thread waits for what it touches the others have address space and buffer */
static void window_busy(const struct xetile_card *card)
{
	uint64_t size = part_of_tile(card, 65);
	int fd = xetile_reopen(card->fd);
	struct touch t = { 0 };
	pthread_t thread;
	struct place p;
	uint32_t bo;

	place_init(&p, fd);
	bo = strict_on(fd, size, 0);
	xetile_vm_map(fd, p.vm, bo, 0, DATA_ADDR, size);
	gpu_store(&p, DATA_ADDR, 11);
	t.map = xetile_bo_map(fd, bo, size);
	hold(&p);
	igt_assert_eq(pthread_create(&thread, NULL, touch, &t), 0);
	xetile_assert_soon(t.thread && waits_for_fence(t.thread));
	igt_assert_eq_u64(pages_on(fd, bo, 0), size / PAGE);
	/* a call that wants the address space for itself */
	igt_assert_eq(mprotect((void *)t.map, PAGE, PROT_READ), 0);
	igt_assert_eq(t.value, 0);

	let_go(&p);
	igt_assert_eq(pthread_join(thread, NULL), 0);
	igt_assert_eq_u32(t.value, 11);
	munmap((void *)t.map, size);
	xetile_bo_close(fd, bo);
	place_fini(&p);
	close(fd);
}

/* The CPU waits for the jobs that use what it does not reach, for as long as they run */
static void test_window_busy(const struct xetile_card *card)
{
	require_window(card);
	/* in a process of its own, for where the wait ends too soon it is killed */
	igt_fork(child, 1)
		window_busy(card);
	igt_waitchildren();
}

static void test_color(const struct xetile_card *card)
{
	uint64_t size = 32 * SZ_2M + 5 * PAGE;
	struct drm_xetile_color_run before[MAX_RUNS], after[MAX_RUNS];
	uint32_t fill, bo, n;
	struct place p;

	igt_require_f(card->device.num_tiles >= 2, "needs two tiles\n");
	place_init(&p, card->fd);
	bo = xetile_bo_color(p.fd, size, DRM_XETILE_COLOR_CHUNK, 0, SZ_64K);
	n = xetile_bo_runs(p.fd, bo, before, MAX_RUNS);
	igt_assert_eq_u32(n, size / PAGE);
	paint(p.fd, bo, size, 0x5000000);
	xetile_vm_map(p.fd, p.vm, bo, 0, DATA_ADDR, size);
	gpu_store(&p, DATA_ADDR, 1);

	/* one tile without room for its half is enough to evict it whole */
	fill = strict_on(p.fd, part_of_tile(card, 99), 0);
	igt_assert_eq_u64(pages_on(p.fd, bo, DRM_XETILE_MEM_SYSTEM), size / PAGE);
	xetile_bo_close(p.fd, fill);

	gpu_store(&p, DATA_ADDR, 2);
	igt_assert_eq_u32(xetile_bo_runs(p.fd, bo, after, MAX_RUNS), n);
	igt_assert_eq(memcmp(before, after, n * sizeof(before[0])), 0);
	check_paint(p.fd, bo, size, 0x5000000);
	xetile_bo_close(p.fd, bo);
	place_fini(&p);
}

/* Tile 0 is full of what runs: spill, then system memory, then waiting */
static void test_busy(const struct xetile_card *card)
{
	uint64_t size = part_of_tile(card, 60), pages = size / PAGE;
	uint32_t busy, bo;
	struct place p;
	int status;

	place_init(&p, card->fd);
	busy = strict_on(p.fd, size, 0);
	xetile_vm_map(p.fd, p.vm, busy, 0, DATA_ADDR, size);
	hold(&p);

	if (card->device.num_tiles > 1) {
		igt_assert_eq(try_tile(p.fd, size, 0, 0, DRM_XETILE_PLACE_HBM, &bo), 0);
		igt_assert_lte_u64(pages / 2, pages_on(p.fd, bo, 0));
		igt_assert_eq_u64(pages_on(p.fd, bo, 0) + pages_on(p.fd, bo, 1), pages);
		xetile_bo_close(p.fd, bo);
	}
	igt_assert_eq(try_tile(p.fd, size, 0, DRM_XETILE_BO_STRICT,
			       DRM_XETILE_PLACE_HBM | DRM_XETILE_PLACE_SYSTEM, &bo), 0);
	igt_assert_eq_u64(pages_on(p.fd, bo, DRM_XETILE_MEM_SYSTEM), pages);
	xetile_bo_close(p.fd, bo);
	igt_assert_eq_u64(pages_on(p.fd, busy, 0), pages);

	/* nowhere else to go: the call waits for the job, it does not fail */
	igt_fork(child, 1) {
		usleep(300000);
		p.ctl.map[GO] = 1;
	}
	bo = strict_on(p.fd, size, 0);
	status = xetile_fence_status(p.fd, p.held);
	igt_waitchildren();
	igt_assert_eq(status, 1);
	igt_assert_eq_u64(pages_on(p.fd, busy, DRM_XETILE_MEM_SYSTEM), pages);
	xetile_syncobj_destroy(p.fd, p.held);
	xetile_bo_close(p.fd, bo);
	xetile_bo_close(p.fd, busy);
	place_fini(&p);
}

/* @hog percent of tile 0 are in use, somebody makes @bo, and the hog goes. */
static void check_returns(const struct xetile_card *card, uint32_t flags, uint32_t placement,
			  unsigned int hog_percent, unsigned int percent)
{
	uint64_t size = part_of_tile(card, percent), hog_size = part_of_tile(card, hog_percent);
	uint64_t pages = size / PAGE, used, copied;
	uint32_t bo, hog_bo;
	struct place hog, p;

	place_init(&hog, card->fd);
	place_init(&p, card->fd);
	hog_bo = strict_on(card->fd, hog_size, 0);
	xetile_vm_map(hog.fd, hog.vm, hog_bo, 0, DATA_ADDR, hog_size);
	hold(&hog);

	igt_assert_eq(try_tile(p.fd, size, 0, flags, placement, &bo), 0);
	paint(p.fd, bo, size, 0x6000000);
	xetile_vm_map(p.fd, p.vm, bo, 0, DATA_ADDR, size);
	gpu_store(&p, DATA_ADDR, 1);
	igt_assert_lte_u64(pages_on(p.fd, bo, 0), pages - 1);
	/* nothing moves while there is nothing new */
	copied = passes(card->fd);
	gpu_store(&p, DATA_ADDR, 2);
	igt_assert_eq_u64(passes(card->fd), copied);

	used = xetile_hbm_used(card->fd);
	let_go(&hog);
	xetile_bo_close(hog.fd, hog_bo);
	place_fini(&hog);
	xetile_assert_soon(xetile_hbm_used(card->fd) <= used - hog_size);
	igt_assert_lte_u64(pages_on(p.fd, bo, 0), pages - 1);
	gpu_store(&p, DATA_ADDR, 3);
	igt_assert_eq_u64(pages_on(p.fd, bo, 0), pages);
	gpu_store(&p, DATA_ADDR + 4, 4);
	check_paint(p.fd, bo, size, 0x6000000);
	xetile_bo_close(p.fd, bo);
	place_fini(&p);
}

static void test_return_system(const struct xetile_card *card)
{
	check_returns(card, DRM_XETILE_BO_STRICT, DRM_XETILE_PLACE_HBM | DRM_XETILE_PLACE_SYSTEM,
		      60, 60);
}

static void test_return_spilled(const struct xetile_card *card)
{
	igt_require_f(card->device.num_tiles >= 2, "needs two tiles\n");
	/* there is room beside what it has, and there is not */
	check_returns(card, 0, DRM_XETILE_PLACE_HBM, 80, 30);
	check_returns(card, 0, DRM_XETILE_PLACE_HBM, 60, 70);
}

/* --- HBM is full of what runs, and somebody wants room ---------------------------- */

#define ROUNDS 10

static int call_create(int fd, uint32_t vm, uint32_t queue, uint32_t bo, uint64_t size)
{
	uint32_t another;

	return try_tile(fd, size, 0, DRM_XETILE_BO_STRICT, DRM_XETILE_PLACE_HBM, &another);
}

static int call_bind(int fd, uint32_t vm, uint32_t queue, uint32_t bo, uint64_t size)
{
	struct drm_xetile_bind bind = {
		.addr = DATA_ADDR + SZ_1G, .range = PAGE, .handle = bo, .op = DRM_XETILE_BIND_MAP,
	};

	return __xetile_vm_bind(fd, vm, &bind, 1, NULL, 0);
}

static int call_exec(int fd, uint32_t vm, uint32_t queue, uint32_t bo, uint64_t size)
{
	struct place p = { .fd = fd, .vm = vm, .queue = queue };
	struct drm_xetile_sync sync = { .flags = DRM_XETILE_SYNC_SIGNAL };
	struct xetile_batch b;
	int ret;

	xetile_buf_init(&p.ctl, fd, vm, BATCH_ADDR + SZ_2M, PAGE, DRM_XETILE_PLACE_SYSTEM);
	batch_begin(&b, &p.ctl, 0);
	batch_store(&b, DATA_ADDR, 5, false);
	batch_end(&b);
	sync.handle = xetile_syncobj(fd);
	ret = __xetile_exec(fd, queue, batch_addr(&b), &sync, 1);
	if (!ret)
		ret = __xetile_wait(fd, sync.handle, 20000);
	return ret;
}

static void wait_for_room(struct waiter *w, int card, uint64_t size)
{
	int fd = xetile_reopen(card);
	uint32_t bo = strict_on(fd, size, 0);
	struct place p;

	place_init(&p, fd);
	xetile_vm_map(fd, p.vm, bo, 0, DATA_ADDR, size);
	w->pid = getpid();
	w->ready = true;
	xetile_assert_soon(w->go);
	w->calls = true;
	w->ret = w->call(fd, p.vm, p.queue, bo, size);
	w->done = true;
	close(fd);
}

/* So many that whoever looks for something on another tile does not pass them by at once */
#define ELSEWHERE	200

/*
 * While it waits nothing of ours is locked: we look at our buffers, in no time, and let go
 * of them in the end.
 */
static void test_busy_wait(const struct xetile_card *card,
			   int (*call)(int fd, uint32_t vm, uint32_t queue, uint32_t bo,
				       uint64_t size))
{
	struct waiter *w = mmap(NULL, sizeof(*w), PROT_READ | PROT_WRITE,
				MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	uint64_t size = part_of_tile(card, 30);
	int elsewhere = xetile_reopen(card->fd);
	uint32_t busy[3];
	struct place p;
	time_t start;

	igt_assert(w != MAP_FAILED);
	for (int i = 0; i < ELSEWHERE && card->device.num_tiles > 1; i++)
		strict_on(elsewhere, SZ_64K, 1);
	w->call = call;
	igt_fork(child, 1)
		wait_for_room(w, card->fd, 2 * size);
	xetile_assert_soon(w->ready);

	place_init(&p, card->fd);
	for (int i = 0; i < 3; i++) {
		busy[i] = strict_on(p.fd, size, 0);
		xetile_vm_map(p.fd, p.vm, busy[i], 0, DATA_ADDR + i * SZ_1G, size);
	}
	hold(&p);
	w->go = true;
	xetile_assert_soon(w->calls && waits_for_fence(w->pid));
	/* a call that keeps one of them locked at a time keeps us waiting in each round */
	start = time(NULL);
	for (int i = 0; i < 3 * ROUNDS; i++) {
		igt_assert_eq_u64(pages_on(p.fd, busy[i % 3], 0), size / PAGE);
		igt_assert_lt(time(NULL) - start, 60);
	}
	igt_assert(!w->done);

	let_go(&p);
	xetile_assert_soon(w->done);
	igt_assert_eq(w->ret, 0);
	igt_waitchildren();
	/* what it took room from works on */
	gpu_store(&p, DATA_ADDR, 1);
	for (int i = 0; i < 3; i++)
		xetile_bo_close(p.fd, busy[i]);
	place_fini(&p);
	close(elsewhere);
	munmap(w, sizeof(*w));
}

/* --- the kernel's own copies are shared ------------------------------------------- */

/* Of 8 MiB each; a buffer that goes to system memory */
static uint64_t passes_of(uint64_t size)
{
	return size / (4 * SZ_2M);
}

/* Whoever makes this room copies for a long time */
static uint32_t big_idle(const struct xetile_card *card, uint64_t size)
{
	uint32_t bo = strict_on(card->fd, size, 0);

	paint(card->fd, bo, size, 0x3000000);
	return bo;
}

static void wait_for_copies(struct waiter *w, int card, uint64_t size)
{
	int fd = xetile_reopen(card);

	w->pid = getpid();
	w->ready = true;
	xetile_assert_soon(w->go);
	w->calls = true;
	w->ret = call_create(fd, 0, 0, 0, size);
	w->done = true;
	close(fd);
}

static struct waiter *start_copies(const struct xetile_card *card, uint64_t size)
{
	struct waiter *w = mmap(NULL, sizeof(*w), PROT_READ | PROT_WRITE,
				MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	igt_assert(w != MAP_FAILED);
	igt_fork(child, 1)
		wait_for_copies(w, card->fd, size);
	xetile_assert_soon(w->ready);
	return w;
}

/* What the CPU paints beyond its reach moves to system memory at once, and is not copied later. */
static void require_reach(const struct xetile_card *card)
{
	igt_require_f(card->tiles[0].hbm_visible == card->tiles[0].hbm_total,
		      "the CPU does not reach all of the HBM\n");
}

/* So much left free that small buffers find room, and so little that each is cleared alone. */
#define ROOM_TO_CLEAR	(64 * SZ_2M)

/* Nothing is cleared before anybody asks for it any more. */
static uint32_t leave_little(int fd)
{
	uint64_t bytes = hbm_free(fd);

	igt_require(bytes > 2 * ROOM_TO_CLEAR);
	xetile_use_up_clear(fd);
	return strict_on(fd, (bytes - ROOM_TO_CLEAR) / PAGE * PAGE, 0);
}

/*
 * Small buffers are cleared while a big one is copied, between its passes. Those count that
 * are asked for after the copy has begun, and are there before it is half done.
 */
static void test_copy_shared(const struct xetile_card *card)
{
	uint64_t size = part_of_tile(card, 60), start, half = passes_of(size) / 2, own = 0;
	uint32_t big = big_idle(card, size), small, rest = leave_little(card->fd);
	unsigned int between = 0;
	struct waiter *w;

	w = start_copies(card, size);
	start = passes(card->fd);
	w->go = true;
	while (!w->done) {
		bool begun = passes(card->fd) - start - own > 1;

		small = strict_on(card->fd, PAGE, 0);
		own++;
		between += begun && passes(card->fd) - start - own < half;
		xetile_bo_close(card->fd, small);
	}
	igt_waitchildren();
	igt_assert_eq(w->ret, 0);
	xetile_bo_close(card->fd, rest);
	igt_info("%u buffers made within %" PRIu64 " passes\n", between, half);
	igt_assert_lte(1, (int)between);
	igt_assert_eq_u64(pages_on(card->fd, big, DRM_XETILE_MEM_SYSTEM), size / PAGE);
	check_paint(card->fd, big, size, 0x3000000);
	xetile_bo_close(card->fd, big);
	munmap(w, sizeof(*w));
}

/* Who is killed does not copy to the end, and nothing is lost of what it would have moved. */
static void test_copy_killed(const struct xetile_card *card)
{
	uint64_t size = part_of_tile(card, 60), start;
	uint32_t big = big_idle(card, size);
	struct waiter *w = mmap(NULL, sizeof(*w), PROT_READ | PROT_WRITE,
				MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int status;
	pid_t pid;

	igt_assert(w != MAP_FAILED);
	w->go = true;
	start = passes(card->fd);
	pid = fork();
	igt_assert_lte(0, pid);
	if (!pid) {
		wait_for_copies(w, card->fd, size);
		_exit(0);
	}
	xetile_assert_soon(passes(card->fd) > start + 1);
	igt_assert_eq(kill(pid, SIGKILL), 0);
	igt_assert_eq(waitpid(pid, &status, 0), pid);
	igt_assert(WIFSIGNALED(status));
	igt_info("%" PRIu64 " of %" PRIu64 " passes\n", passes(card->fd) - start, passes_of(size));
	igt_assert_lte_u64(passes(card->fd) - start, passes_of(size) - 1);
	igt_assert_eq_u64(pages_on(card->fd, big, 0), size / PAGE);
	check_paint(card->fd, big, size, 0x3000000);
	xetile_bo_close(card->fd, big);
	munmap(w, sizeof(*w));
}

/* What moves a buffer takes no memory of the kernel's that grows with the buffer. */
static void test_copy_memory(const struct xetile_card *card)
{
	uint64_t size = part_of_tile(card, 60), before;
	uint32_t big = big_idle(card, size);

	memcg_init();
	igt_fork(child, 1) {
		int fd = xetile_reopen(card->fd);

		memcg_enter();
		/* what a first call takes */
		xetile_bo_close(fd, strict_on(fd, PAGE, 0));
		before = memcg_bytes("current", "");
		strict_on(fd, size, 0);
		igt_info("%" PRIu64 " bytes\n", memcg_bytes("peak", "") - before);
		/* less than two bytes for a page of 4 KiB, and what is charged ahead */
		igt_assert_lte_u64(memcg_bytes("peak", ""),
				   before + size / 4096 * 2 + SZ_2M / 2);
	}
	igt_waitchildren();
	memcg_fini();
	igt_assert_eq_u64(pages_on(card->fd, big, DRM_XETILE_MEM_SYSTEM), size / PAGE);
	xetile_bo_close(card->fd, big);
}

#define IN_FLIGHT 4

struct busy {
	volatile bool ready, stop;
	volatile unsigned int batches;
};

/* Batches without a pause, so that there is always one that uses the VM */
static void keep_busy(int card, uint64_t size, struct busy *busy)
{
	struct drm_xetile_sync sync[IN_FLIGHT];
	int fd = xetile_reopen(card);
	struct xetile_batch b;
	struct place p;

	place_init(&p, fd);
	xetile_vm_map(fd, p.vm, strict_on(fd, size, 0), 0, DATA_ADDR, size);
	xetile_queue_destroy(fd, p.queue);
	p.queue = xetile_queue(fd, p.vm, DRM_XETILE_ENGINE_COPY, DRM_XETILE_TARGET_TILE, 0, 0);
	batch_begin(&b, &p.ctl, 0);
	for (int i = 0; i < 16; i++)
		batch_mem_copy(&b, DATA_ADDR, DATA_ADDR + SZ_2M, 4 * PAGE);
	batch_end(&b);
	for (unsigned int n = 0; !busy->stop; n++) {
		struct drm_xetile_sync *s = &sync[n % IN_FLIGHT];

		if (n >= IN_FLIGHT) {
			igt_assert_eq(__xetile_wait(fd, s->handle, 20000), 0);
			xetile_syncobj_destroy(fd, s->handle);
			busy->ready = true;
		}
		*s = (struct drm_xetile_sync) {
			.handle = xetile_syncobj(fd), .flags = DRM_XETILE_SYNC_SIGNAL,
		};
		igt_assert_eq(__xetile_exec(fd, p.queue, batch_addr(&b), s, 1), 0);
		busy->batches = n;
	}
	close(fd);
}

/* Who is never idle does not keep all of a tile for itself, and goes on */
static void test_busy_always(const struct xetile_card *card)
{
	struct busy *s;
	uint64_t size = part_of_tile(card, 60);
	unsigned int before;
	uint32_t bo;

	s = mmap(NULL, sizeof(*s), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	igt_assert(s != MAP_FAILED);
	igt_fork(child, 1)
		keep_busy(card->fd, size, s);
	xetile_assert_soon(s->ready);
	for (int i = 0; i < 3; i++) {
		bo = strict_on(card->fd, size, 0);
		before = s->batches;
		/* it has its room again, which was idle */
		xetile_assert_soon(s->batches > before + IN_FLIGHT);
		xetile_bo_close(card->fd, bo);
	}
	s->stop = true;
	igt_waitchildren();
	munmap(s, sizeof(*s));
}

/* What is mapped while a job runs may be used by that job */
static void test_map_under_job(const struct xetile_card *card)
{
	uint64_t size = part_of_tile(card, 60);
	uint32_t late, bo;
	struct place p;

	place_init(&p, card->fd);
	hold(&p);
	late = strict_on(p.fd, size, 0);
	xetile_vm_map(p.fd, p.vm, late, 0, DATA_ADDR, size);
	igt_assert_eq(try_tile(p.fd, size, 0, DRM_XETILE_BO_STRICT,
			       DRM_XETILE_PLACE_HBM | DRM_XETILE_PLACE_SYSTEM, &bo), 0);
	igt_assert_eq_u64(pages_on(p.fd, late, 0), size / PAGE);
	xetile_bo_close(p.fd, bo);
	let_go(&p);
	xetile_bo_close(p.fd, late);
	place_fini(&p);
}

/*
 * A job that runs does not see a fresh buffer before it is cleared: of what somebody else left
 * in the memory nothing is there when the bind is done.
 */
static void test_fresh_under_job(const struct xetile_card *card)
{
	uint64_t size = part_of_tile(card, 60), left = part_of_tile(card, 70);
	struct drm_xetile_sync done = { .flags = DRM_XETILE_SYNC_SIGNAL }, bound = done;
	struct drm_xetile_bind bind = { .addr = DATA_ADDR, .range = size };
	const unsigned int probes = 16;
	struct xetile_batch b;
	struct place p;
	uint32_t bo;

	bo = strict_on(card->fd, left, 0);
	paint(card->fd, bo, left, 0x5ec00000);
	xetile_bo_close(card->fd, bo);

	place_init(&p, card->fd);
	xetile_queue_destroy(p.fd, p.queue);
	p.queue = xetile_queue(p.fd, p.vm, DRM_XETILE_ENGINE_COPY, DRM_XETILE_TARGET_TILE, 0, 0);
	p.ctl.map[GO] = 0;
	batch_begin(&b, &p.ctl, 0);
	batch_wait(&b, p.ctl.addr + GO * 4, 1);
	for (unsigned int i = 0; i < probes; i++)
		batch_mem_copy(&b, p.ctl.addr + 0x4000 + i * 64,
			       DATA_ADDR + size - (i + 1) * (size / probes / PAGE * PAGE), 64);
	batch_end(&b);
	done.handle = xetile_syncobj(p.fd);
	bound.handle = xetile_syncobj(p.fd);
	igt_assert_eq(__xetile_exec(p.fd, p.queue, batch_addr(&b), &done, 1), 0);

	bind.handle = strict_on(p.fd, size, 0);
	igt_assert_eq(__xetile_vm_bind(p.fd, p.vm, &bind, 1, &bound, 1), 0);
	igt_assert_eq(__xetile_wait(p.fd, bound.handle, 20000), 0);
	p.ctl.map[GO] = 1;
	igt_assert_eq(__xetile_wait(p.fd, done.handle, 20000), 0);
	igt_assert_eq(xetile_fence_status(p.fd, done.handle), 1);
	for (unsigned int i = 0; i < probes; i++)
		igt_assert_eq_u32(p.ctl.map[(0x4000 + i * 64) / 4], 0);

	xetile_syncobj_destroy(p.fd, done.handle);
	xetile_syncobj_destroy(p.fd, bound.handle);
	xetile_bo_close(p.fd, bind.handle);
	place_fini(&p);
}

/* Binds wait for their fences, in order; jobs submitted after them wait too */
static void test_async(const struct xetile_card *card)
{
	struct drm_xetile_sync syncs[2] = { 0 }, out = { .flags = DRM_XETILE_SYNC_SIGNAL };
	struct place holder, p;
	struct drm_xetile_bind bind;
	uint32_t a, b, *map_a, *map_b;
	struct xetile_batch batch;

	place_init(&holder, card->fd);
	place_init(&p, card->fd);
	a = xetile_bo(p.fd, PAGE, DRM_XETILE_PLACE_HBM);
	b = xetile_bo(p.fd, PAGE, DRM_XETILE_PLACE_HBM);
	map_a = xetile_bo_map(p.fd, a, PAGE);
	map_b = xetile_bo_map(p.fd, b, PAGE);
	xetile_vm_map(p.fd, p.vm, a, 0, DATA_ADDR, PAGE);

	/* a queue of its own, so that the held batch is not before it */
	xetile_queue_destroy(p.fd, p.queue);
	p.queue = xetile_queue(p.fd, p.vm, DRM_XETILE_ENGINE_COPY, DRM_XETILE_TARGET_TILE, 0, 0);
	hold(&holder);
	syncs[0].handle = holder.held;
	syncs[1].handle = xetile_syncobj(p.fd);
	syncs[1].flags = DRM_XETILE_SYNC_SIGNAL;
	bind = (struct drm_xetile_bind) {
		.addr = DATA_ADDR, .range = PAGE, .handle = b, .op = DRM_XETILE_BIND_MAP,
	};
	igt_assert_eq(__xetile_vm_bind(p.fd, p.vm, &bind, 1, syncs, 2), 0);
	igt_assert_eq(__xetile_wait(p.fd, syncs[1].handle, 50), -ETIME);

	/* has nothing to wait for, but follows the one before */
	bind.addr += SZ_2M;
	xetile_vm_map(p.fd, p.vm, a, 0, DATA_ADDR + SZ_2M, PAGE);

	batch_begin(&batch, &p.ctl, 0x2000);
	batch_store(&batch, DATA_ADDR, 0x111, false);
	batch_store(&batch, DATA_ADDR + SZ_2M, 0x222, false);
	batch_end(&batch);
	out.handle = xetile_syncobj(p.fd);
	igt_assert_eq(__xetile_exec(p.fd, p.queue, batch_addr(&batch), &out, 1), 0);
	igt_assert_eq(__xetile_wait(p.fd, out.handle, 50), -ETIME);
	igt_assert_eq_u32(map_a[0], 0);

	let_go(&holder);
	igt_assert_eq(__xetile_wait(p.fd, syncs[1].handle, 20000), 0);
	igt_assert_eq(__xetile_wait(p.fd, out.handle, 20000), 0);
	igt_assert_eq_u32(map_b[0], 0x111);
	igt_assert_eq_u32(map_a[0], 0x222);

	xetile_syncobj_destroy(p.fd, out.handle);
	xetile_syncobj_destroy(p.fd, syncs[1].handle);
	munmap(map_a, PAGE);
	munmap(map_b, PAGE);
	xetile_bo_close(p.fd, a);
	xetile_bo_close(p.fd, b);
	place_fini(&p);
	place_fini(&holder);
}

/* A file that goes away with binds that still wait, and with a job behind them */
static void test_close_waiting(const struct xetile_card *card)
{
	struct place holder;
	int file;

	place_init(&holder, card->fd);
	hold(&holder);
	igt_assert_eq(drmSyncobjExportSyncFile(card->fd, holder.held, &file), 0);
	igt_fork(child, 1) {
		int fd = xetile_reopen(card->fd);
		struct drm_xetile_sync in = { 0 };
		struct drm_xetile_bind bind = { .addr = DATA_ADDR, .range = PAGE };
		struct xetile_batch batch;
		struct place p;

		place_init(&p, fd);
		in.handle = xetile_syncobj(fd);
		igt_assert_eq(drmSyncobjImportSyncFile(fd, in.handle, file), 0);
		bind.handle = xetile_bo(fd, PAGE, DRM_XETILE_PLACE_HBM);
		for (int i = 0; i < 20; i++, bind.addr += SZ_1G)
			igt_assert_eq(__xetile_vm_bind(fd, p.vm, &bind, 1, &in, 1), 0);
		batch_begin(&batch, &p.ctl, 0x2000);
		batch_store(&batch, DATA_ADDR, 1, false);
		batch_end(&batch);
		igt_assert_eq(__xetile_exec(fd, p.queue, batch_addr(&batch), NULL, 0), 0);
	}
	igt_waitchildren();
	close(file);
	let_go(&holder);
	gpu_store(&holder, holder.ctl.addr + 0x8000, 3);
	igt_assert_eq_u32(holder.ctl.map[0x8000 / 4], 3);
	place_fini(&holder);
}

/* A bind of a buffer in @vm that waits for a fence of another driver; out: what it signals */
static uint32_t bind_foreign(struct vgem *vgem, int fd, uint32_t vm, uint32_t bo, uint64_t size)
{
	struct drm_xetile_bind bind = { .addr = DATA_ADDR, .range = size, .handle = bo };
	struct drm_xetile_sync syncs[2] = { 0 };

	syncs[0].handle = xetile_syncobj(fd);
	syncs[1].handle = xetile_syncobj(fd);
	syncs[1].flags = DRM_XETILE_SYNC_SIGNAL;
	vgem_fence(vgem, fd, syncs[0].handle);
	igt_assert_eq(__xetile_vm_bind(fd, vm, &bind, 1, syncs, 2), 0);
	igt_assert_eq(xetile_fence_status(fd, syncs[1].handle), 0);
	return syncs[1].handle;
}

/* A file is closed while its bind, and a job behind it, wait for who may never signal */
static void test_close_foreign(const struct xetile_card *card)
{
	uint64_t used, size = 32 * SZ_2M;
	struct xetile_batch batch;
	struct vgem vgem;
	struct place p;
	int fd;

	vgem_init(&vgem);
	/* what a first file leaves for those after it is no loss */
	fd = xetile_reopen(card->fd);
	place_init(&p, fd);
	munmap(p.ctl.map, p.ctl.size);
	close(fd);
	used = xetile_hbm_used(card->fd);

	fd = xetile_reopen(card->fd);
	place_init(&p, fd);
	bind_foreign(&vgem, fd, p.vm, strict_on(fd, size, 0), size);
	batch_begin(&batch, &p.ctl, 0);
	batch_store(&batch, DATA_ADDR, 1, false);
	batch_end(&batch);
	igt_assert_eq(__xetile_exec(fd, p.queue, batch_addr(&batch), NULL, 0), 0);
	munmap(p.ctl.map, p.ctl.size);
	close(fd);
	xetile_assert_soon(xetile_hbm_used(card->fd) <= used);
	/* it has not signalled, nor expired, by now */
	igt_assert_eq(vgem_signal(&vgem), 0);
	vgem_fini(&vgem);
}

/* A VM is given up while a bind waits: jobs to come keep it, else it is cancelled */
static void test_destroy_foreign(const struct xetile_card *card)
{
	uint32_t bo, vm, queue, done;
	int fd = card->fd;
	struct vgem vgem;

	vgem_init(&vgem);
	bo = xetile_bo(fd, PAGE, DRM_XETILE_PLACE_HBM);
	vm = xetile_vm(fd);
	queue = xetile_queue(fd, vm, DRM_XETILE_ENGINE_COPY, DRM_XETILE_TARGET_TILE, 0, 0);
	done = bind_foreign(&vgem, fd, vm, bo, PAGE);
	xetile_vm_destroy(fd, vm);
	igt_assert_eq(__xetile_wait(fd, done, 50), -ETIME);
	xetile_queue_destroy(fd, queue);
	igt_assert_eq(__xetile_wait(fd, done, 20000), 0);
	igt_assert_eq(xetile_fence_status(fd, done), -ECANCELED);
	igt_assert_eq(vgem_signal(&vgem), 0);
	xetile_syncobj_destroy(fd, done);

	/* without a queue */
	vm = xetile_vm(fd);
	done = bind_foreign(&vgem, fd, vm, bo, PAGE);
	xetile_vm_destroy(fd, vm);
	igt_assert_eq(__xetile_wait(fd, done, 20000), 0);
	igt_assert_eq(xetile_fence_status(fd, done), -ECANCELED);
	igt_assert_eq(vgem_signal(&vgem), 0);
	xetile_syncobj_destroy(fd, done);
	xetile_bo_close(fd, bo);
	vgem_fini(&vgem);
}

static void test_share(const struct xetile_card *card)
{
	int other = xetile_reopen(card->fd), file;
	uint32_t bo = xetile_bo(card->fd, PAGE, DRM_XETILE_PLACE_HBM), same, there, *map;
	struct place p;

	igt_assert_eq(drmPrimeHandleToFD(card->fd, bo, DRM_CLOEXEC | DRM_RDWR, &file), 0);
	igt_assert_eq(drmPrimeFDToHandle(card->fd, file, &same), 0);
	igt_assert_eq_u32(same, bo);
	igt_assert_eq(drmPrimeFDToHandle(other, file, &there), 0);

	place_init(&p, other);
	xetile_vm_map(other, p.vm, there, 0, DATA_ADDR, PAGE);
	gpu_store(&p, DATA_ADDR + 8, 0xabc);
	map = xetile_bo_map(card->fd, bo, PAGE);
	igt_assert_eq_u32(map[2], 0xabc);
	munmap(map, PAGE);

	/* each handle, and the file, keeps it by itself */
	xetile_bo_close(card->fd, bo);
	gpu_store(&p, DATA_ADDR + 8, 0xdef);
	map = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	igt_assert(map != MAP_FAILED);
	igt_assert_eq_u32(map[2], 0xdef);
	munmap(map, PAGE);
	close(file);
	xetile_bo_close(other, there);
	place_fini(&p);
	close(other);
}

igt_main
{
	struct xetile_card card = { .fd = -1 };

	igt_fixture {
		struct sysinfo info;

		xetile_open_card(&card);
		/* what is evicted must have somewhere to go */
		igt_assert_eq(sysinfo(&info), 0);
		igt_require_f(card.tiles[0].hbm_total <= info.totalram / 10 * 6,
			      "a tile's HBM is too big for the system memory there is\n");
	}

	igt_describe("Idle buffers make room, and come back with their bytes when wanted");
	igt_subtest("restore")
		test_restore(&card);
	igt_describe("The CPU has what lies beyond BAR2 by way of system memory");
	igt_subtest("window")
		test_window(&card);
	igt_describe("Page tables have room where the CPU reaches them");
	igt_subtest("window-full")
		test_window_full(&card);
	igt_describe("Page tables that a buffer's return takes out of use are freed");
	igt_subtest("tables")
		test_tables(&card);
	igt_describe("Buffers private to a VM make room, and come back with their bytes when wanted");
	igt_subtest("private")
		test_private(&card);
	igt_describe("The CPU waits for jobs that use what lies beyond BAR2, and locks nothing");
	igt_subtest("window-busy")
		test_window_busy(&card);
	igt_describe("Private buffers without a handle are used with the others of their VM");
	igt_subtest("private-closed")
		test_private_closed(&card);
	igt_describe("What it takes to evict many does not grow with the buffer they are evicted for");
	igt_subtest("many")
		test_many(&card);
	igt_describe("A buffer that comes back has the color it had, run by run");
	igt_subtest("color")
		test_color(&card);
	igt_describe("A tile full of busy buffers: sibling, system memory, waiting (W22)");
	igt_subtest("busy")
		test_busy(&card);
	igt_describe("A buffer that found HBM full has its color when there is room, and a job");
	igt_subtest("return-system")
		test_return_system(&card);
	igt_describe("A buffer that spilled has its color when there is room, and a job");
	igt_subtest("return-spilled")
		test_return_spilled(&card);
	igt_describe("A job looks once at a buffer that does not lie as asked, and is in use");
	igt_subtest("busy-stray")
		test_busy_stray(&card);
	igt_describe("A buffer that cannot have its color is not copied back and forth by each job");
	igt_subtest("detour")
		test_detour(&card);
	igt_describe("Who waits for room to create a buffer locks nobody's");
	igt_subtest("busy-create")
		test_busy_wait(&card, call_create);
	igt_describe("Who waits for room to bind a buffer locks nobody's");
	igt_subtest("busy-bind")
		test_busy_wait(&card, call_bind);
	igt_describe("A job that waits for room for its buffers locks nobody's");
	igt_subtest("busy-exec")
		test_busy_wait(&card, call_exec);
	igt_describe("A big buffer on its way to system memory delays no small ones elsewhere");
	igt_subtest("copy-shared") {
		require_reach(&card);
		test_copy_shared(&card);
	}
	igt_describe("A call that is killed stops copying, and loses nothing");
	igt_subtest("copy-killed") {
		require_reach(&card);
		test_copy_killed(&card);
	}
	igt_describe("Moving a big buffer takes little memory, when memory may be short");
	igt_subtest("copy-memory") {
		require_reach(&card);
		test_copy_memory(&card);
	}
	igt_describe("A client that always has a job in flight shares its tile with others");
	igt_subtest("busy-always")
		test_busy_always(&card);
	igt_describe("What is mapped while a job runs is not evicted under it");
	igt_subtest("map-under-job")
		test_map_under_job(&card);
	igt_describe("What is mapped while a job runs is cleared before it is seen");
	igt_subtest("fresh-under-job")
		test_fresh_under_job(&card);
	igt_describe("Binds that wait for fences keep their order, and jobs wait for them");
	igt_subtest("bind-async")
		test_async(&card);
	igt_describe("A file is closed while its binds and jobs wait");
	igt_subtest("close-waiting")
		test_close_waiting(&card);
	igt_describe("A file is closed while a bind waits for another driver's fence");
	igt_subtest("close-foreign")
		test_close_foreign(&card);
	igt_describe("A VM is given up while a bind waits for another driver's fence");
	igt_subtest("destroy-foreign")
		test_destroy_foreign(&card);
	igt_describe("A buffer shared with another file is the same buffer");
	igt_subtest("share")
		test_share(&card);

	igt_fixture
		close(card.fd);
}
