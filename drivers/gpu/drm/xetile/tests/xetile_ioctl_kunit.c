// SPDX-License-Identifier: GPL-2.0-only
/*
 * Arguments that the calls refuse, and arguments that the calls accept. The card is only a
 * struct: it has two tiles of 1 GiB, and 1 GiB of system memory.
 */
#include <kunit/test.h>
#include <linux/kernel.h>
#include <linux/mman.h>
#include <linux/sizes.h>
#include <linux/srcu.h>
#include <linux/uaccess.h>

#include "../ioctl/xetile_ioctl.c"
#include "../ioctl/xetile_ioctl_bo.c"
#include "../ioctl/xetile_ioctl_bo_keep.c"
#include "../ioctl/xetile_ioctl_bo_range.c"
#include "../ioctl/xetile_ioctl_color.c"

/* Result of a call that passed all checks */
#define REACHED	-ECANCELED

static struct xetile_bo_args reached_with;
static u32 reached_runs;
/* Number of syncs that were looked up and not put, and a handle that does not exist */
static int syncs_held;
#define NO_SUCH_SYNC	404
static int vms_held;
#define NO_SUCH_VM	404

int xetile_file_make_bo(struct drm_file *file, const struct xetile_bo_args *args, u32 *handle)
{
	reached_with = *args;
	reached_runs = args->color.num_runs ? args->color.runs[0].pages : 0;
	return REACHED;
}

int xetile_managed_advise(struct xetile_bo *whole, const struct xetile_managed_advice *list,
			  unsigned int num)
{
	return REACHED;
}

int xetile_pin(struct xetile_bo *bo, struct xetile_account *account, struct eventfd_ctx *event)
{
	return REACHED;
}

int xetile_unpin(struct xetile_bo *bo)
{
	return REACHED;
}

int xetile_purge_allow(struct xetile_bo *bo, bool *retained)
{
	return REACHED;
}

int xetile_purge_forbid(struct xetile_bo *bo, bool *retained)
{
	return REACHED;
}

int xetile_bo_runs(struct xetile_bo *bo, struct xetile_bo_state *state)
{
	return -EIO;
}

int xetile_recolor(struct xetile_bo *bo, u32 handle, const struct xetile_color_patch *patches,
		   u32 num, const struct xetile_sync_set *syncs)
{
	return REACHED;
}

int xetile_syncs_wait(const struct xetile_sync *syncs, unsigned int n)
{
	return 0;
}

bool xetile_hbm_can_hold(struct xetile_device *xt, u64 size)
{
	return size <= (u64)xt->num_tiles * SZ_1G;
}

/* The last tile of the mask */
unsigned int xetile_hbm_least_occupied(struct xetile_device *xt, u32 tiles)
{
	return __fls(tiles);
}

u64 xetile_sysmem_capacity(struct xetile_device *xt)
{
	return SZ_1G;
}

int xetile_sync_get(struct xetile_sync *sync, struct drm_file *file, u32 handle, u64 point,
		    bool signal, bool timeline)
{
	if (handle == NO_SUCH_SYNC)
		return -ENOENT;
	syncs_held++;
	return 0;
}

void xetile_sync_put(struct xetile_sync *sync)
{
	syncs_held--;
}

/* The only address space: vms_held counts its references that were not put */
static struct xetile_vm *const some_vm = (struct xetile_vm *)&vms_held;
static struct drm_gem_object some_vm_gem;

struct xetile_vm *xetile_file_vm(struct xetile_file *xf, u32 id)
{
	if (id == NO_SUCH_VM)
		return NULL;
	vms_held++;
	return some_vm;
}

void xetile_vm_put(struct xetile_vm *vm)
{
	if (vm)
		vms_held--;
}

struct drm_gem_object *xetile_vm_gem(struct xetile_vm *vm)
{
	return &some_vm_gem;
}

/* Copies @data to a page of user memory. Returns its address, or 0 when @size is 0. */
static u64 user_copy(struct kunit *test, const void *data, size_t size)
{
	unsigned long at;

	if (!size)
		return 0;
	at = kunit_vm_mmap(test, NULL, 0, PAGE_SIZE, PROT_READ | PROT_WRITE,
			   MAP_ANONYMOUS | MAP_PRIVATE, 0);
	KUNIT_ASSERT_NE_MSG(test, at, 0, "no user memory");
	KUNIT_ASSERT_EQ(test, copy_to_user((void __user *)at, data, size), 0);
	return at;
}

static void calls_cleanup(void *calls)
{
	cleanup_srcu_struct(calls);
}

static struct xetile_device *card_new(struct kunit *test)
{
	struct xetile_device *xt = kunit_kzalloc(test, sizeof(*xt), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, xt);
	KUNIT_ASSERT_EQ(test, init_srcu_struct(&xt->calls), 0);
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, calls_cleanup, &xt->calls), 0);
	xt->num_tiles = 2;
	xt->tiles[1].id = 1;
	xt->tiles[0].range.capacity = SZ_1G;
	xt->tiles[1].range.capacity = SZ_1G;
	return xt;
}

struct bo_case {
	const char *name;
	struct drm_xetile_bo_create args;
	int err;
	struct drm_xetile_color_run runs[2];
	/* mask of the tile that is chosen; 0: the mask of the arguments */
	u32 chosen;
};

#define EMPTIEST	.flags = DRM_XETILE_BO_LEAST_OCCUPIED
#define TILE_OF(mask)	.color = DRM_XETILE_COLOR_TILE, .tile_mask = (mask)
#define HBM	.placement = DRM_XETILE_PLACE_HBM
#define BOTH	.placement = DRM_XETILE_PLACE_HBM | DRM_XETILE_PLACE_SYSTEM
#define MIGRATE		.flags = DRM_XETILE_BO_MIGRATE

static const struct bo_case bo_cases[] = {
	{ "plain", { .size = 1, HBM }, REACHED },
	{ "no size", { HBM }, -EINVAL },
	{ "size that wraps", { .size = U64_MAX, HBM }, -EINVAL },
	{ "nowhere", { .size = 1 }, -EINVAL },
	{ "unknown place", { .size = 1, .placement = 4 }, -EINVAL },
	{ "unknown flag", { .size = 1, HBM, .flags = 4 }, -EINVAL },
	{ "unknown color", { .size = 1, HBM, .color = 99 }, -EINVAL },
	{ "color of system memory",
	  { .size = 1, .placement = DRM_XETILE_PLACE_SYSTEM, .color = DRM_XETILE_COLOR_CHUNK },
	  -EINVAL },
	{ "replicate", { .size = 1, HBM, .color = DRM_XETILE_COLOR_REPLICATE }, REACHED },
	{ "copies whose sizes wrap",
	  { .size = 1ull << 63, HBM, .color = DRM_XETILE_COLOR_REPLICATE }, -EINVAL },
	{ "missing tile", { .size = 1, HBM, .tile_mask = 4 }, -EINVAL },
	{ "granule without chunks", { .size = 1, HBM, .granule = SZ_64K }, -EINVAL },
	{ "odd granule", { .size = 1, HBM, .color = DRM_XETILE_COLOR_CHUNK, .granule = SZ_4K },
	  -EINVAL },
	{ "granule past 32 bits",
	  { .size = 1, HBM, .color = DRM_XETILE_COLOR_CHUNK, .granule = 1ull << 48 }, -EINVAL },
	{ "chunks", { .size = SZ_1M, HBM, .color = DRM_XETILE_COLOR_CHUNK, .granule = SZ_128K },
	  REACHED },
	{ "map without runs", { .size = 1, HBM, .color = DRM_XETILE_COLOR_MAP }, -EINVAL },
	{ "runs without map",
	  { .size = 1, HBM, .color = DRM_XETILE_COLOR_MAP, .runs.count = 2 }, -EINVAL },
	{ "too many runs",
	  { .size = 1, HBM, .color = DRM_XETILE_COLOR_MAP, .runs = { 1, U32_MAX, 8 } },
	  -EINVAL },
	{ "map that cannot be read",
	  { .size = 1, HBM, .color = DRM_XETILE_COLOR_MAP, .runs = { ~0ull << 60, 1, 8 } },
	  -EFAULT },
	{ "map", { .size = 5 * SZ_64K, HBM, .color = DRM_XETILE_COLOR_MAP, .runs = { 0, 2, 8 } },
	  REACHED, { { 1, 3 }, { 0, 2 } } },
	{ "map without a stride",
	  { .size = 5 * SZ_64K, HBM, .color = DRM_XETILE_COLOR_MAP, .runs.count = 2 },
	  -EINVAL, { { 1, 3 }, { 0, 2 } } },
	{ "map of another size",
	  { .size = 6 * SZ_64K, HBM, .color = DRM_XETILE_COLOR_MAP, .runs = { 0, 2, 8 } },
	  -EINVAL, { { 1, 3 }, { 0, 2 } } },
	{ "of an address space", { .size = 1, HBM, .vm_id = 1 }, REACHED },
	{ "of none there is", { .size = 1, HBM, .vm_id = NO_SUCH_VM }, -ENOENT },
	{ "of an address space, and wrong",
	  { .size = 6 * SZ_64K, HBM, .color = DRM_XETILE_COLOR_MAP, .runs = { 0, 2, 8 },
	    .vm_id = 1 }, -EINVAL, { { 1, 3 }, { 0, 2 } } },
	{ "that moves on access", { .size = 1, BOTH, .vm_id = 1, MIGRATE }, REACHED },
	{ "that moves, of no address space", { .size = 1, BOTH, MIGRATE }, -EINVAL },
	{ "that moves, in HBM alone", { .size = 1, HBM, .vm_id = 1, MIGRATE }, -EINVAL },
	{ "that moves, and has copies",
	  { .size = 1, BOTH, .vm_id = 1, MIGRATE, .color = DRM_XETILE_COLOR_REPLICATE },
	  -EOPNOTSUPP },
	{ "that moves, for both memories", { .size = SZ_1G, BOTH, .vm_id = 1, MIGRATE }, REACHED },
	{ "that moves, past system memory",
	  { .size = SZ_1G + 1, BOTH, .vm_id = 1, MIGRATE }, -ENOSPC },
	{ "all there is", { .size = 2ull * SZ_1G, HBM }, REACHED },
	{ "more than there is", { .size = 2ull * SZ_1G + 1, HBM }, -ENOSPC },
	{ "more, with system memory", { .size = 2ull * SZ_1G + 1, BOTH }, -ENOSPC },
	{ "one tile, strict",
	  { .size = SZ_1G + SZ_64K, HBM, .color = DRM_XETILE_COLOR_TILE, .tile_mask = 1,
	    .flags = DRM_XETILE_BO_STRICT }, -ENOSPC },
	{ "one tile, with spilling",
	  { .size = SZ_1G + SZ_64K, HBM, .color = DRM_XETILE_COLOR_TILE, .tile_mask = 1 },
	  REACHED },
	{ "several tiles to choose from", { .size = SZ_128K, HBM, EMPTIEST, TILE_OF(3) }, REACHED,
	  .chosen = 2 },
	{ "any tile", { .size = SZ_128K, HBM, EMPTIEST, TILE_OF(0) }, REACHED, .chosen = 2 },
	{ "one tile to choose from", { .size = SZ_128K, BOTH, EMPTIEST, TILE_OF(1) }, REACHED },
	{ "several tiles and no choice", { .size = SZ_128K, HBM, TILE_OF(3) }, -EINVAL },
	{ "one page, the emptiest tile", { .size = 1, HBM, EMPTIEST }, REACHED, .chosen = 2 },
	{ "two pages, the emptiest tile", { .size = SZ_128K, HBM, EMPTIEST }, REACHED },
	{ "the emptiest of missing tiles", { .size = 1, HBM, EMPTIEST, .tile_mask = 5 }, -EINVAL },
	{ "the emptiest of system memory",
	  { .size = 1, .placement = DRM_XETILE_PLACE_SYSTEM, EMPTIEST }, -EINVAL },
	{ "chunks on the emptiest tile",
	  { .size = 1, HBM, EMPTIEST, .color = DRM_XETILE_COLOR_CHUNK }, -EINVAL },
};

KUNIT_ARRAY_PARAM_DESC(bo, bo_cases, name);

static void ioctl_bo_create(struct kunit *test)
{
	const struct bo_case *c = test->param_value;
	struct xetile_device *xt = card_new(test);
	struct drm_file *file = kunit_kzalloc(test, sizeof(*file), GFP_KERNEL);
	struct drm_xetile_bo_create args = c->args;
	struct xetile_file xf = { };
	unsigned int copies;

	KUNIT_ASSERT_NOT_NULL(test, file);
	file->driver_priv = &xf;
	vms_held = 0;
	if (c->runs[0].pages)
		args.runs.data = user_copy(test, c->runs, sizeof(c->runs));
	memset(&reached_with, 0, sizeof(reached_with));
	KUNIT_EXPECT_EQ(test, xetile_ioctl_bo_create(&xt->drm, &args, file), c->err);
	KUNIT_EXPECT_EQ(test, vms_held, 0);
	if (c->err != REACHED)
		return;
	copies = c->args.color == DRM_XETILE_COLOR_REPLICATE ? xt->num_tiles : 1;
	KUNIT_EXPECT_EQ(test, reached_with.size, copies * ALIGN(c->args.size, SZ_64K));
	KUNIT_EXPECT_EQ(test, reached_with.color.tile_mask,
			c->chosen ?: c->args.tile_mask ?: 3);
	KUNIT_EXPECT_EQ(test, reached_with.color.granule * (u64)SZ_64K, c->args.granule);
	KUNIT_EXPECT_EQ(test, reached_runs, c->runs[0].pages);
	KUNIT_EXPECT_PTR_EQ(test, reached_with.owner, c->args.vm_id ? &some_vm_gem : NULL);
}

struct range_case {
	const char *name;
	u32 num;
	struct drm_xetile_bo_range ranges[2];
	int err;
	struct drm_xetile_color_run runs[2];
};

#define TILE(n)		.color = DRM_XETILE_COLOR_TILE, .tile_mask = BIT(n)
#define TWO_RUNS	.color = DRM_XETILE_COLOR_MAP, .runs = { 0, 2, 8 }

/* Ranges of an object of ten pages */
static const struct range_case range_cases[] = {
	{ "all", 1, { { .size = 10 * SZ_64K, TILE(1) } }, 0 },
	{ "none", 0, { }, -EINVAL },
	{ "two", 2, { { .size = SZ_64K, TILE(1) }, { .offset = SZ_64K, .size = SZ_64K, TILE(0) } },
	  0 },
	{ "two, the last one first", 2,
	  { { .offset = SZ_256K, .size = SZ_64K, TILE(1) }, { .size = SZ_256K, TILE(0) } }, 0 },
	{ "two that overlap", 2,
	  { { .offset = SZ_64K, .size = SZ_256K, TILE(1) }, { .size = SZ_128K, TILE(0) } },
	  -EINVAL },
	{ "empty", 1, { { .offset = SZ_64K, TILE(1) } }, -EINVAL },
	{ "odd size", 1, { { .size = SZ_4K, TILE(1) } }, -EINVAL },
	{ "odd offset", 1, { { .offset = SZ_4K, .size = SZ_64K, TILE(1) } }, -EINVAL },
	{ "too long", 1, { { .offset = SZ_64K, .size = 10 * SZ_64K, TILE(1) } }, -EINVAL },
	{ "behind the end", 1, { { .offset = 11 * SZ_64K, .size = SZ_64K, TILE(1) } }, -EINVAL },
	{ "that wraps", 1, { { .offset = SZ_64K, .size = -(u64)SZ_64K, TILE(1) } }, -EINVAL },
	{ "replicate", 1, { { .size = SZ_64K, .color = DRM_XETILE_COLOR_REPLICATE } },
	  -EOPNOTSUPP },
	{ "unknown color", 1, { { .size = SZ_64K, .color = 99 } }, -EINVAL },
	{ "missing tile", 1, { { .size = SZ_64K, TILE(2) } }, -EINVAL },
	{ "map", 1, { { .offset = SZ_64K, .size = 5 * SZ_64K, TWO_RUNS } }, 0,
	  { { 1, 3 }, { 0, 2 } } },
	{ "map of another size", 1, { { .size = 6 * SZ_64K, TWO_RUNS } }, -EINVAL,
	  { { 1, 3 }, { 0, 2 } } },
	{ "the second is wrong", 2, { { .size = 5 * SZ_64K, TWO_RUNS },
	  { .offset = SZ_4K, .size = SZ_64K, TILE(0) } }, -EINVAL, { { 1, 3 }, { 0, 2 } } },
};

KUNIT_ARRAY_PARAM_DESC(range, range_cases, name);

static void ioctl_bo_ranges(struct kunit *test)
{
	const struct range_case *c = test->param_value;
	struct xetile_device *xt = card_new(test);
	struct drm_xetile_bo_range ranges[2];
	struct drm_xetile_array from = { 0, c->num, sizeof(ranges[0]) };
	struct patches patches;
	u32 i;

	memcpy(ranges, c->ranges, sizeof(ranges));
	for (i = 0; i < c->num; i++)
		if (ranges[i].runs.count)
			ranges[i].runs.data = user_copy(test, c->runs, sizeof(c->runs));
	from.data = user_copy(test, ranges, c->num * sizeof(ranges[0]));
	KUNIT_ASSERT_EQ(test, read_ranges(xt, &from, 10 * SZ_64K, &patches), c->err);
	if (c->err)
		return;
	KUNIT_EXPECT_EQ(test, patches.num, c->num);
	for (i = 1; i < patches.num; i++)
		KUNIT_EXPECT_GE(test, patches.array[i].page,
				patches.array[i - 1].page + patches.array[i - 1].pages);
	put_patches(&patches);
}

struct sync_case {
	const char *name;
	u32 num;
	struct drm_xetile_sync syncs[6];
	int err;
};

#define SIGNAL		DRM_XETILE_SYNC_SIGNAL
#define TIMELINE	DRM_XETILE_SYNC_TIMELINE

static const struct sync_case sync_cases[] = {
	{ "none", 0, {}, 0 },
	{ "one to wait for", 1, { { .handle = 1 } }, 0 },
	{ "a point of a binary one", 1, { { .handle = 1, .point = 1 } }, -EINVAL },
	{ "a timeline", 1, { { .handle = 1, .flags = TIMELINE, .point = 7 } }, 0 },
	{ "a timeline from its start", 1, { { .handle = 1, .flags = TIMELINE } }, 0 },
	{ "signal what has passed", 1, { { .handle = 1, .flags = TIMELINE | SIGNAL } }, -EINVAL },
	{ "unknown flag", 1, { { .handle = 1, .flags = 4 } }, -EINVAL },
	{ "no such handle", 1, { { .handle = NO_SUCH_SYNC } }, -ENOENT },
	{ "the second is missing", 2, { { .handle = 1 }, { .handle = NO_SUCH_SYNC } }, -ENOENT },
	{ "the second is wrong", 2, { { .handle = 1 }, { .flags = 4 } }, -EINVAL },
	{ "many", 6, { { 1 }, { 2 }, { 3 }, { 4 }, { 5 }, { 6 } }, 0 },
	{ "the last of many is missing", 6, { { 1 }, { 2 }, { 3 }, { 4 }, { 5 }, { NO_SUCH_SYNC } },
	  -ENOENT },
};

KUNIT_ARRAY_PARAM_DESC(sync, sync_cases, name);

static void ioctl_syncs(struct kunit *test)
{
	const struct sync_case *c = test->param_value;
	struct drm_xetile_array from = {
		user_copy(test, c->syncs, c->num * sizeof(c->syncs[0])), c->num,
		sizeof(c->syncs[0])
	};
	struct xetile_sync_set syncs;

	syncs_held = 0;
	KUNIT_EXPECT_EQ(test, xetile_ioctl_syncs(NULL, &from, &syncs), c->err);
	KUNIT_EXPECT_EQ(test, syncs.num, c->err ? 0 : c->num);
	KUNIT_EXPECT_EQ(test, syncs_held, c->err ? 0 : c->num);
	xetile_ioctl_syncs_put(&syncs);
	KUNIT_EXPECT_EQ(test, syncs_held, 0);
}

struct array_case {
	const char *name;
	struct drm_xetile_array array;
	int err;
};

#define OUT_OF_REACH	(~0ull << 60)

static const struct array_case bounds_cases[] = {
	{ "too many", { 0, DRM_XETILE_MAX_ARRAY + 1, 16 }, -EINVAL },
	{ "out of reach", { OUT_OF_REACH, 1, 16 }, -EFAULT },
	{ "longer ones out of reach", { OUT_OF_REACH, 1, 24 }, -EFAULT },
	{ "none", { OUT_OF_REACH, 0, 0 }, 0 },
	{ "no stride", { OUT_OF_REACH, 1, 0 }, -EINVAL },
	{ "short stride", { OUT_OF_REACH, 1, 15 }, -EINVAL },
	{ "longest stride", { OUT_OF_REACH, 1, DRM_XETILE_MAX_STRIDE }, -EFAULT },
	{ "too long a stride", { OUT_OF_REACH, 1, DRM_XETILE_MAX_STRIDE + 1 }, -EINVAL },
};

KUNIT_ARRAY_PARAM_DESC(bounds, bounds_cases, name);

static void ioctl_array_bounds(struct kunit *test)
{
	const struct array_case *c = test->param_value;
	struct drm_xetile_array answer = c->array;
	struct drm_xetile_sync data[2] = { };
	struct xetile_sync_set syncs;
	int err = c->err;

	KUNIT_EXPECT_EQ(test, xetile_ioctl_syncs(NULL, &c->array, &syncs), c->err);
	KUNIT_EXPECT_EQ(test, syncs.num, 0);

	/* An answer may have room for any number of elements. */
	if (answer.count > DRM_XETILE_MAX_ARRAY) {
		answer.data = OUT_OF_REACH;
		err = -EFAULT;
	}
	KUNIT_EXPECT_EQ(test, xetile_ioctl_answer(&answer, data, ARRAY_SIZE(data),
						  struct drm_xetile_sync, point), err);
	KUNIT_EXPECT_EQ(test, answer.count, err ? c->array.count : ARRAY_SIZE(data));
}

/* A struct that grew by one field since its first version */
struct grown {
	u64 old;
	u64 new;
};

static void ioctl_array_short(struct kunit *test)
{
	const u64 user[] = { 1, 2, 3 };
	struct drm_xetile_array array = { user_copy(test, user, sizeof(user)), 3, 8 };
	struct grown *copy = xetile_ioctl_array(&array, struct grown, old);
	unsigned int i;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, copy);
	for (i = 0; i < ARRAY_SIZE(user); i++) {
		KUNIT_EXPECT_EQ(test, copy[i].old, user[i]);
		KUNIT_EXPECT_EQ(test, copy[i].new, 0);
	}
	kvfree(copy);
}

static void ioctl_array_long(struct kunit *test)
{
	u64 user[] = { 1, 2, 0, 4, 5, 0 };
	struct drm_xetile_array array = { user_copy(test, user, sizeof(user)), 2, 24 };
	struct grown *copy = xetile_ioctl_array(&array, struct grown, old);

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, copy);
	KUNIT_EXPECT_EQ(test, copy[1].old, user[3]);
	KUNIT_EXPECT_EQ(test, copy[1].new, user[4]);
	kvfree(copy);

	user[5] = 1;
	array.data = user_copy(test, user, sizeof(user));
	copy = xetile_ioctl_array(&array, struct grown, old);
	KUNIT_EXPECT_EQ(test, PTR_ERR(copy), -E2BIG);
}

static void ioctl_answer_strides(struct kunit *test)
{
	const struct grown data[] = { { 1, 2 }, { 3, 4 }, { 5, 6 } };
	const u64 expected[][6] = { { 1, 3 }, { 1, 2, 3, 4 }, { 1, 2, 0, 3, 4, 0 } };
	u64 user[7];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(expected); i++) {
		struct drm_xetile_array array = { .count = 2, .stride = 8 * (i + 1) };

		memset(user, 0xa5, sizeof(user));
		array.data = user_copy(test, user, sizeof(user));
		KUNIT_EXPECT_EQ(test, xetile_ioctl_answer(&array, data, ARRAY_SIZE(data),
							  struct grown, old), 0);
		KUNIT_EXPECT_EQ(test, array.count, ARRAY_SIZE(data));
		KUNIT_ASSERT_EQ(test, copy_from_user(user, u64_to_user_ptr(array.data),
						     sizeof(user)), 0);
		KUNIT_EXPECT_MEMEQ(test, user, expected[i], 16 * (i + 1));
		KUNIT_EXPECT_EQ(test, user[2 * (i + 1)], 0xa5a5a5a5a5a5a5a5ull);
	}
}

static struct kunit_case ioctl_tests[] = {
	KUNIT_CASE_PARAM(ioctl_bo_create, bo_gen_params),
	KUNIT_CASE_PARAM(ioctl_bo_ranges, range_gen_params),
	KUNIT_CASE_PARAM(ioctl_syncs, sync_gen_params),
	KUNIT_CASE_PARAM(ioctl_array_bounds, bounds_gen_params),
	KUNIT_CASE(ioctl_array_short),
	KUNIT_CASE(ioctl_array_long),
	KUNIT_CASE(ioctl_answer_strides),
	{}
};

static struct kunit_suite ioctl_suite = {
	.name = "xetile_ioctl",
	.test_cases = ioctl_tests,
};

kunit_test_suite(ioctl_suite);
