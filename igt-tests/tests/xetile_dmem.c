// SPDX-License-Identifier: MIT
/*
 * Control groups of the controller dmem: HBM is charged by tile, a group that has as much as it may
 * has its own buffers evicted and no others, and what is protected stays. Statements: W21.
 *
 * Debian's kernels have no such groups; the lab's kernel kcsan has. One process makes all buffers:
 * a buffer is charged to the group that the process is in when the buffer gets its HBM.
 *
 * suite: igt
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "xetile_job.h"
#include "xetile_recolor.h"

IGT_TEST_DESCRIPTION("Control groups for HBM");

#define GROUPS		"/tmp/xetile-dmem"
#define MIB		(1ull << 20)
#define MAX		(16 * MIB)
#define PIECE		(4 * MIB)
#define PIECES		(MAX / PIECE)
#define HBM		DRM_XETILE_PLACE_HBM
#define BOTH		(HBM | DRM_XETILE_PLACE_SYSTEM)
#define SYSTEM		DRM_XETILE_MEM_SYSTEM
#define STRICT		DRM_XETILE_BO_STRICT

/* --- groups ------------------------------------------------------------------------ */

static void group_path(const char *group, const char *file, char path[96])
{
	snprintf(path, 96, GROUPS "%s%s/%s", *group ? "/" : "", group, file);
}

static int group_write(const char *group, const char *file, const char *text)
{
	char path[96];

	group_path(group, file, path);
	return xetile_write_file(path, text);
}

/* Makes a group below another one; "" is the uppermost. */
static void group_make(const char *above, const char *group)
{
	char path[96];

	igt_require_f(!group_write(above, "cgroup.subtree_control", "+dmem"),
		      "the kernel has no control group for dmem\n");
	group_path(group, "", path);
	igt_assert_eq(mkdir(path, 0700), 0);
}

static void groups_begin(void)
{
	mkdir(GROUPS, 0700);
	igt_require_f(!mount("none", GROUPS, "cgroup2", 0, NULL), "no control groups\n");
}

/* Gets HBM charged to a group from now on. */
static void enter(const char *group)
{
	igt_assert_eq(group_write(group, "cgroup.procs", "0"), 0);
}

/* The kernel keeps a group until nothing is charged to it. */
static void groups_end(void)
{
	static const char *const groups[] = { "a", "b", "p/a", "p/b", "p" };
	char path[96];

	if (access(GROUPS "/cgroup.procs", F_OK))
		return;
	enter("");
	for (unsigned int i = 0; i < ARRAY_SIZE(groups); i++) {
		group_path(groups[i], "", path);
		if (!access(path, F_OK))
			xetile_assert_soon(!rmdir(path));
	}
	igt_assert_eq(umount(GROUPS), 0);
	rmdir(GROUPS);
}

/* Reads the number of a tile in a group's file; @region becomes the name of the tile's region. */
static uint64_t group_read(const char *group, const char *file, unsigned int tile,
			   char region[128])
{
	unsigned long long value = 0;
	char path[96], line[256], name[16];
	bool found = false;
	FILE *f;

	group_path(group, file, path);
	f = fopen(path, "re");
	igt_assert_f(f, "%s: %m\n", path);
	snprintf(name, sizeof(name), "/hbm%u ", tile);
	while (!found && fgets(line, sizeof(line), f))
		found = strstr(line, name) && sscanf(line, "%127s %llu", region, &value) == 2;
	fclose(f);
	igt_assert_f(found, "%s: no region is called hbm%u\n", path, tile);
	return value;
}

static uint64_t current(const char *group, unsigned int tile)
{
	char region[128];

	return group_read(group, "dmem.current", tile, region);
}

static void group_set(const char *group, const char *file, unsigned int tile, uint64_t bytes)
{
	char region[128], text[192];

	group_read("", "dmem.capacity", tile, region);
	snprintf(text, sizeof(text), "%s %llu", region, (unsigned long long)bytes);
	igt_assert_eq(group_write(group, file, text), 0);
}

/* --- buffers ----------------------------------------------------------------------- */

static bool lies_on(int fd, uint32_t bo, uint32_t tile, uint64_t size)
{
	return pages_on(fd, bo, tile) == size / PAGE;
}

/* Creates a buffer in equal parts on tiles, of a VM or of none. Returns 0 or -errno. */
static int try_even(int fd, uint64_t size, uint32_t tile_mask, uint32_t placement, uint32_t vm,
		    uint32_t *bo)
{
	struct drm_xetile_bo_create args = {
		.size = size, .placement = placement, .flags = STRICT,
		.color = DRM_XETILE_COLOR_EVEN, .tile_mask = tile_mask, .vm_id = vm,
	};
	int err = __xetile_bo_create(fd, &args);

	*bo = args.handle;
	return err;
}

static uint32_t even(int fd, uint64_t size, uint32_t tile_mask)
{
	uint32_t bo;

	igt_assert_eq(try_even(fd, size, tile_mask, HBM, 0, &bo), 0);
	return bo;
}

/* --- limits ------------------------------------------------------------------------ */

/* The group has its own buffers evicted, those used longest ago first, on the tile of the limit. */
static void fill_tile(int fd, unsigned int tile, uint32_t bos[2 * PIECES])
{
	for (unsigned int i = 0; i < 2 * PIECES; i++) {
		bos[i] = even(fd, PIECE, 1u << tile);
		paint(fd, bos[i], PIECE, tile << 28 | i << 20);
		igt_assert_eq_u64(current("a", tile), (i < PIECES ? i + 1 : PIECES) * PIECE);
	}
	for (unsigned int i = 0; i < 2 * PIECES; i++)
		igt_assert(lies_on(fd, bos[i], i < PIECES ? SYSTEM : tile, PIECE));
	for (unsigned int i = 0; i < 2 * PIECES; i++)
		check_paint(fd, bos[i], PIECE, tile << 28 | i << 20);
}

static void test_max(const struct xetile_card *card)
{
	uint32_t bos[DRM_XETILE_MAX_TILES][2 * PIECES], other, shared, all, bo;
	unsigned int num = card->device.num_tiles, t;
	int fd = card->fd;

	groups_begin();
	group_make("", "a");
	all = (1u << num) - 1;
	for (t = 0; t < num; t++) {
		char region[128];

		igt_assert_eq_u64(group_read("", "dmem.capacity", t, region),
				  card->tiles[t].hbm_total);
		group_set("a", "dmem.max", t, MAX);
	}
	/* The oldest, and larger than the group may have */
	other = even(fd, num * 2 * MAX, all);
	enter("a");
	for (t = 0; t < num; t++) {
		fill_tile(fd, t, bos[t]);
		if (t + 1 < num)
			igt_assert_eq_u64(current("a", t + 1), 0);
	}
	/* A buffer of all tiles takes the oldest one's place on each. */
	shared = even(fd, num * PIECE, all);
	for (t = 0; t < num; t++) {
		igt_assert_eq_u64(current("a", t), MAX);
		igt_assert(lies_on(fd, bos[t][PIECES], SYSTEM, PIECE));
		igt_assert(lies_on(fd, bos[t][PIECES + 1], t, PIECE));
		igt_assert_eq_u64(pages_on(fd, other, t), 2 * MAX / PAGE);
	}
	/* What can never be within the limit */
	igt_assert_eq(try_even(fd, MAX + PAGE, 1, HBM, 0, &bo), -ENOSPC);
	igt_assert_eq(try_even(fd, MAX + PAGE, 1, BOTH, 0, &bo), 0);
	igt_assert(lies_on(fd, bo, SYSTEM, MAX + PAGE));
	igt_assert_eq_u64(pages_on(fd, other, SYSTEM), 0);
	xetile_bo_close(fd, bo);
	xetile_bo_close(fd, other);
	xetile_bo_close(fd, shared);
	for (t = 0; t < num; t++)
		for (unsigned int i = 0; i < 2 * PIECES; i++)
			xetile_bo_close(fd, bos[t][i]);
	for (t = 0; t < num; t++)
		xetile_assert_soon(!current("a", t));
}

/* Buffers that jobs use stay, and nobody else's go for them; the call does not wait. */
static void test_busy(const struct xetile_card *card)
{
	uint32_t busy, other, bo;
	int fd = card->fd;
	struct place p;

	groups_begin();
	group_make("", "a");
	group_set("a", "dmem.max", 0, MAX);
	place_init(&p, fd);
	other = even(fd, MAX, 1);
	enter("a");
	busy = even(fd, MAX, 1);
	xetile_vm_map(fd, p.vm, busy, 0, DATA_ADDR, MAX);
	place_hold(&p);
	igt_assert_eq(try_even(fd, PIECE, 1, HBM, 0, &bo), -ENOSPC);
	igt_assert_eq(try_even(fd, PIECE, 1, BOTH, 0, &bo), 0);
	igt_assert(lies_on(fd, bo, SYSTEM, PIECE));
	xetile_bo_close(fd, bo);
	place_let_go(&p);
	bo = even(fd, PIECE, 1);
	igt_assert(lies_on(fd, busy, SYSTEM, MAX));
	igt_assert(lies_on(fd, other, 0, MAX));
	igt_assert_eq_u64(current("a", 0), PIECE);
	xetile_bo_close(fd, bo);
	xetile_bo_close(fd, busy);
	xetile_bo_close(fd, other);
	place_fini(&p);
}

/* A buffer is not charged while it is evicted, and again when it returns. */
static void test_return(const struct xetile_card *card)
{
	uint32_t vm, bo, hog;
	int fd = card->fd;

	require_room_elsewhere(card);
	xetile_wait_hbm_free(fd);
	groups_begin();
	group_make("", "a");
	group_make("", "b");
	enter("a");
	bo = even(fd, PIECE, 1);
	igt_assert_eq_u64(current("a", 0), PIECE);
	enter("");
	hog = take_free_and_more(fd, PIECE / 2);
	igt_assert(lies_on(fd, bo, SYSTEM, PIECE));
	igt_assert_eq_u64(current("a", 0), 0);
	xetile_bo_close(fd, hog);
	/* Who brings it back pays for it. */
	enter("b");
	vm = xetile_vm(fd);
	xetile_vm_map(fd, vm, bo, 0, DATA_ADDR, PIECE);
	igt_assert_eq_u64(current("a", 0), 0);
	igt_assert_eq_u64(current("b", 0), PIECE);
	xetile_vm_destroy(fd, vm);
	xetile_bo_close(fd, bo);
}

/*
 * The recolor of another group's buffer has the caller's group pay for all of it. When the limit is
 * lower, a buffer that may be in system memory goes there, and another one stays as it is.
 */
static void test_recolor(const struct xetile_card *card)
{
	const struct drm_xetile_bo_range range = range_of(0, 1, DRM_XETILE_COLOR_TILE, 2);
	uint32_t system, stays;
	int fd = card->fd;

	igt_require_f(card->device.num_tiles >= 2, "needs two tiles\n");
	groups_begin();
	group_make("", "a");
	for (unsigned int t = 0; t < 2; t++)
		group_set("a", "dmem.max", t, MAX);
	igt_assert_eq(try_even(fd, 4 * MAX, 3, BOTH, 0, &system), 0);
	stays = even(fd, 4 * MAX, 3);
	enter("a");
	igt_assert_eq(__xetile_recolor(fd, system, &range, 1, NULL, 0), 0);
	igt_assert(lies_on(fd, system, SYSTEM, 4 * MAX));
	igt_assert_eq(__xetile_recolor(fd, stays, &range, 1, NULL, 0), -ENOSPC);
	for (unsigned int t = 0; t < 2; t++) {
		igt_assert_eq_u64(pages_on(fd, stays, t), 2 * MAX / PAGE);
		igt_assert_eq_u64(current("a", t), 0);
	}
	xetile_bo_close(fd, system);
	xetile_bo_close(fd, stays);
}

/* --- protection -------------------------------------------------------------------- */

/* Two groups with a buffer each, of which a's is older; then others want tile 0. */
struct pair {
	uint32_t a, b;
};

static struct pair pair_make(int fd, const char *a, const char *b)
{
	struct pair pair;

	enter(a);
	pair.a = even(fd, MAX, 1);
	paint(fd, pair.a, MAX, 1);
	enter(b);
	pair.b = even(fd, MAX, 1);
	paint(fd, pair.b, MAX, 2);
	enter("");
	return pair;
}

static void pair_close(int fd, const struct pair *pair)
{
	check_paint(fd, pair->a, MAX, 1);
	check_paint(fd, pair->b, MAX, 2);
	xetile_bo_close(fd, pair->a);
	xetile_bo_close(fd, pair->b);
}

/* Others get what is not protected, and no more. */
static void test_min(const struct xetile_card *card)
{
	uint32_t hog, bo;
	int fd = card->fd;
	struct pair pair;

	require_room_elsewhere(card);
	xetile_wait_hbm_free(fd);
	groups_begin();
	group_make("", "a");
	group_make("", "b");
	group_set("a", "dmem.min", 0, MAX);
	pair = pair_make(fd, "a", "b");
	hog = take_free_and_more(fd, MAX / 2);
	igt_assert(lies_on(fd, pair.a, 0, MAX));
	igt_assert(lies_on(fd, pair.b, SYSTEM, MAX));
	xetile_bo_close(fd, hog);
	/* Nothing else is left. */
	xetile_assert_soon(hbm_free(fd) > card->tiles[0].hbm_total / 2);
	igt_assert_eq(try_even(fd, (hbm_free(fd) & ~(PAGE - 1)) + MAX / 2, 1, HBM, 0, &bo),
		      -ENOSPC);
	igt_assert(lies_on(fd, pair.a, 0, MAX));
	/* What exceeds the minimum does not protect the rest: a buffer goes as a whole. */
	group_set("a", "dmem.min", 0, MAX - PAGE);
	hog = take_free_and_more(fd, MAX / 2);
	igt_assert(lies_on(fd, pair.a, SYSTEM, MAX));
	xetile_bo_close(fd, hog);
	pair_close(fd, &pair);
}

/* What is protected a little goes last, but before the buffer goes elsewhere. */
static void test_low(const struct xetile_card *card)
{
	int fd = card->fd;
	struct pair pair;
	uint32_t hog;

	require_room_elsewhere(card);
	xetile_wait_hbm_free(fd);
	groups_begin();
	group_make("", "a");
	group_make("", "b");
	group_set("a", "dmem.low", 0, MAX);
	pair = pair_make(fd, "a", "b");
	hog = take_free_and_more(fd, MAX / 2);
	igt_assert(lies_on(fd, pair.a, 0, MAX));
	igt_assert(lies_on(fd, pair.b, SYSTEM, MAX));
	xetile_bo_close(fd, hog);
	xetile_assert_soon(hbm_free(fd) > card->tiles[0].hbm_total / 2);
	igt_assert_eq(try_even(fd, (hbm_free(fd) & ~(PAGE - 1)) + MAX / 2, 1, BOTH, 0, &hog), 0);
	igt_assert_eq_u64(pages_on(fd, hog, SYSTEM), 0);
	igt_assert(lies_on(fd, pair.a, SYSTEM, MAX));
	xetile_bo_close(fd, hog);
	pair_close(fd, &pair);
}

/* A limit of the group above evicts from all groups below, but for what is protected there. */
static void test_tree(const struct xetile_card *card)
{
	uint32_t other, bo[2];
	int fd = card->fd;
	struct pair pair;

	groups_begin();
	group_make("", "p");
	group_make("p", "p/a");
	group_make("p", "p/b");
	other = even(fd, MAX, 1);
	group_set("p", "dmem.max", 0, 2 * MAX);
	group_set("p/a", "dmem.min", 0, MAX);
	pair = pair_make(fd, "p/a", "p/b");
	enter("p/b");
	bo[0] = even(fd, PIECE, 1);
	igt_assert(lies_on(fd, pair.a, 0, MAX));
	igt_assert(lies_on(fd, pair.b, SYSTEM, MAX));
	group_set("p/a", "dmem.min", 0, 0);
	bo[1] = even(fd, MAX, 1);
	igt_assert(lies_on(fd, pair.a, SYSTEM, MAX));
	igt_assert(lies_on(fd, bo[0], 0, PIECE));
	igt_assert_eq_u64(current("p", 0), MAX + PIECE);
	igt_assert(lies_on(fd, other, 0, MAX));
	xetile_bo_close(fd, bo[0]);
	xetile_bo_close(fd, bo[1]);
	xetile_bo_close(fd, other);
	pair_close(fd, &pair);
}

igt_main
{
	struct xetile_card card = { .fd = -1 };

	igt_fixture
		xetile_open_card(&card);

	igt_describe("A group at its limit on a tile must have its own idle buffers evicted there, "
		     "and no others");
	igt_subtest("max")
		test_max(&card);
	igt_fixture
		groups_end();
	igt_describe("A group at its limit must not have others' buffers evicted, nor wait for its "
		     "own jobs");
	igt_subtest("busy")
		test_busy(&card);
	igt_fixture
		groups_end();
	igt_describe("The group that brings a buffer to HBM must pay as long as it is there");
	igt_subtest("return")
		test_return(&card);
	igt_fixture
		groups_end();
	igt_describe("A recolor must be within the limit of the caller's group");
	igt_subtest("recolor")
		test_recolor(&card);
	igt_fixture
		groups_end();
	igt_describe("What dmem.min protects must stay, whatever others want");
	igt_subtest("min")
		test_min(&card);
	igt_fixture
		groups_end();
	igt_describe("What dmem.low protects must go last");
	igt_subtest("low")
		test_low(&card);
	igt_fixture
		groups_end();
	igt_describe("The limit of a group must evict from all groups below it");
	igt_subtest("tree")
		test_tree(&card);
	igt_fixture
		groups_end();

	igt_fixture
		close(card.fd);
}
