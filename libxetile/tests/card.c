// SPDX-License-Identifier: MIT
/*
 * The library on a card, through its public header only. The program runs on a machine, or in
 * a guest, with the driver loaded. XETILE_TEST_TOP is the folder of libxetile.
 *
 * Exit status: 0 when all tests passed, 1 when a test failed, 77 when there is no card.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xetile.h>

#include "test.h"

#define MS	60000

unsigned int test_passed, test_failed;

static struct xetile_platform *platform;
static struct xetile_device *root;
static struct xetile_context *context;

const char *test_top(void)
{
	const char *top = getenv("XETILE_TEST_TOP");

	return top ? top : ".";
}

static int load(const char *name, struct xetile_module **module, struct xetile_kernel **kernel)
{
	char path[512];
	int err;

	snprintf(path, sizeof(path), "%s/kernels/kernels.bin", test_top());
	err = xetile_module_load_file(context, path, module);
	return err ? err : xetile_kernel_create(*module, name, kernel);
}

static struct xetile_mem *alloc(struct xetile_device *device, const char *color, uint64_t size,
				void **map)
{
	struct xetile_mem_desc desc = { .size = size };
	struct xetile_mem *mem = NULL;

	if (color && xetile_color_parse(color, &desc))
		return NULL;
	desc.size = size;
	if (!xetile_mem_alloc(context, device, &desc, &mem) && xetile_mem_map(mem, map)) {
		xetile_mem_free(mem);
		mem = NULL;
	}
	xetile_color_free(&desc);
	return mem;
}

/* The runs that the driver reports for a color equal the runs of the planner. */
static bool color_is(enum xetile_color color, const char *text, uint64_t pages,
		     uint64_t granule)
{
	struct xetile_run want[64], got[64];
	struct xetile_device_info info;
	struct xetile_mem *mem;
	int n, i, num;
	void *map;

	CHECK(!xetile_device_get_info(root, &info));
	n = xetile_plan_color(color, pages * XETILE_COLOR_PAGE, info.tile_mask, granule, want, 64);
	CHECK(n > 0 && n <= 64);
	mem = alloc(root, text, pages * XETILE_COLOR_PAGE, &map);
	CHECK(mem, "%s", xetile_last_error());
	num = xetile_mem_color(mem, got, 64);
	CHECK(num == n, "%d runs, not %d", num, n);
	for (i = 0; i < n; i++)
		CHECK(got[i].tile == want[i].tile && got[i].pages == want[i].pages, "run %d", i);
	xetile_mem_free(mem);
	return true;
}

static bool check_colors(void)
{
	unsigned int pages;

	for (pages = 1; pages <= 19; pages++) {
		if (!color_is(XETILE_COLOR_EVEN, "even", pages, 0) ||
		    !color_is(XETILE_COLOR_FOLLOW, "follow", pages, 0) ||
		    !color_is(XETILE_COLOR_CHUNK, "chunk:64k", pages, 0) ||
		    !color_is(XETILE_COLOR_CHUNK, "chunk:128k", pages, 131072))
			return false;
	}
	return true;
}

/* A buffer without a color has the chunks that the keys of Intel's runtime ask for. */
static bool check_default_color(void)
{
	const struct xetile_mem_desc desc = { .size = 7 * XETILE_COLOR_PAGE };
	struct xetile_run want[8], got[8];
	struct xetile_context *own_context;
	struct xetile_device_info info;
	struct xetile_platform *own;
	struct xetile_device *card;
	struct xetile_mem *mem;
	int i, n, num;

	setenv("MultiStoragePolicy", "2", 1);
	setenv("MultiStorageGranularity", "128", 1);
	num = xetile_platform_open(&own);
	unsetenv("MultiStoragePolicy");
	unsetenv("MultiStorageGranularity");
	CHECK(!num, "%s", xetile_last_error());
	CHECK(!xetile_platform_select(own, "0", &card));
	CHECK(!xetile_context_create(card, &own_context), "%s", xetile_last_error());
	CHECK(!xetile_device_get_info(card, &info));
	CHECK(!xetile_mem_alloc(own_context, card, &desc, &mem), "%s", xetile_last_error());
	n = xetile_plan_color(XETILE_COLOR_CHUNK, desc.size, info.tile_mask, 131072, want, 8);
	num = xetile_mem_color(mem, got, 8);
	CHECK(num == n && n > 0, "%d runs, not %d", num, n);
	for (i = 0; i < n; i++)
		CHECK(got[i].tile == want[i].tile && got[i].pages == want[i].pages, "run %d", i);
	xetile_mem_free(mem);
	xetile_context_destroy(own_context);
	xetile_platform_close(own);
	return true;
}

/* A buffer gets another color in its midst, and all of it then; its content stays. */
static bool check_recolor(void)
{
	static const struct xetile_run want[] = { { 0, 2 }, { 1, 1 }, { 0, 1 }, { 1, 1 }, { 0, 3 } };
	struct xetile_mem_range range = {
		2 * XETILE_COLOR_PAGE, { .size = 3 * XETILE_COLOR_PAGE, .color = XETILE_COLOR_MAP },
	};
	static const struct xetile_run middle[] = { { 1, 1 }, { 0, 1 }, { 1, 1 } };
	const uint64_t pages = 8, size = pages * XETILE_COLOR_PAGE;
	struct xetile_device_info info;
	struct xetile_run got[16];
	struct xetile_mem *mem;
	uint32_t *words;
	unsigned int i;
	void *map;

	CHECK(!xetile_device_get_info(root, &info));
	mem = alloc(root, "tile:0", size, &map);
	CHECK(mem, "%s", xetile_last_error());
	words = map;
	for (i = 0; i < size / 4; i++)
		words[i] = i * 2654435761u;
	if (info.num_tiles > 1) {
		range.desc.num_runs = 3;
		range.desc.runs = middle;
		CHECK(!xetile_mem_recolor(mem, root, &range, 1), "%s", xetile_last_error());
		CHECK(xetile_mem_color(mem, got, 16) == 5);
		for (i = 0; i < 5; i++)
			CHECK(got[i].tile == want[i].tile && got[i].pages == want[i].pages, "run %u", i);
	}
	range = (struct xetile_mem_range) { 0, { .color = XETILE_COLOR_TILE } };
	CHECK(!xetile_mem_recolor(mem, root, &range, 1), "%s", xetile_last_error());
	CHECK(xetile_mem_color(mem, got, 16) == 1 && got[0].tile == 0 && got[0].pages == pages);
	for (i = 0; i < size / 4; i++)
		CHECK(words[i] == i * 2654435761u, "word %u", i);
	xetile_mem_free(mem);
	return true;
}

/* The driver puts a buffer on the tile that others leave the most HBM. */
static bool check_least_occupied(void)
{
	struct xetile_mem *taken, *mem;
	struct xetile_device_info info;
	struct xetile_run run;
	void *map;

	CHECK(!xetile_device_get_info(root, &info));
	taken = alloc(root, "tile:0", 64 << 20, &map);
	mem = alloc(root, "tile:least", 3 * XETILE_COLOR_PAGE, &map);
	CHECK(taken && mem, "%s", xetile_last_error());
	CHECK(xetile_mem_color(mem, &run, 1) == 1 && run.pages == 3);
	CHECK(!!run.tile == (info.num_tiles > 1), "tile %u", run.tile);
	xetile_mem_free(mem);
	xetile_mem_free(taken);
	return true;
}

static bool check_fresh_memory(void)
{
	uint64_t i, size = 3 * XETILE_COLOR_PAGE;
	unsigned int round;
	uint8_t *bytes;
	void *map;

	for (round = 0; round < 4; round++) {
		struct xetile_mem *mem = alloc(root, NULL, size, &map);

		CHECK(mem, "%s", xetile_last_error());
		bytes = map;
		for (i = 0; i < size; i++)
			CHECK(!bytes[i], "byte %llu", (unsigned long long)i);
		memset(bytes, 0xa5, size);
		xetile_mem_free(mem);
	}
	return true;
}

/* Every group of a launch of any shape runs exactly once. */
static bool shape_runs(struct xetile_queue *queue, struct xetile_kernel *kernel,
		       const struct xetile_launch_desc *launch)
{
	uint32_t total = launch->groups[0] * launch->groups[1] * launch->groups[2], i;
	struct xetile_mem *mem[3] = { NULL };
	struct xetile_event *event;
	uint32_t *words[3];
	void *map;

	for (i = 0; i < 3; i++) {
		mem[i] = alloc(root, i ? "chunk:64k" : NULL, 4 * (total + 1), &map);
		CHECK(mem[i], "%s", xetile_last_error());
		words[i] = map;
		CHECK(!xetile_kernel_set_mem(kernel, i, mem[i], 0));
	}
	CHECK(!xetile_launch(queue, kernel, launch, 0, NULL, &event), "%s", xetile_last_error());
	CHECK(!xetile_event_wait(event, MS), "%s", xetile_last_error());
	CHECK(words[0][0] == total, "%u tickets, not %u", words[0][0], total);
	for (i = 0; i < total; i++)
		CHECK(words[2][i] == 1, "group %u ran %u times", i, words[2][i]);
	CHECK(!words[2][total]);
	xetile_event_destroy(event);
	for (i = 0; i < 3; i++)
		xetile_mem_free(mem[i]);
	return true;
}

static bool check_shapes(struct xetile_device *device, enum xetile_plan_rule rule)
{
	static const uint32_t groups[][3] = {
		{ 1, 1, 1 }, { 2, 1, 1 }, { 3, 1, 1 }, { 1, 5, 1 }, { 1, 1, 7 }, { 3, 5, 7 },
		{ 19, 3, 2 }, { 2, 3, 21 }, { 100, 1, 1 },
	};
	static const uint32_t locals[][3] = {
		{ 1, 1, 1 }, { 16, 1, 1 }, { 32, 2, 1 }, { 33, 1, 1 }, { 24, 8, 1 }, { 5, 3, 7 },
		{ 1, 1, 64 }, { 256, 1, 1 },
	};
	struct xetile_module *module;
	struct xetile_kernel *kernel;
	struct xetile_queue *queue;
	unsigned int g, l;

	CHECK(!load("whoami", &module, &kernel), "%s", xetile_last_error());
	CHECK(!xetile_queue_create(context, device, NULL, &queue), "%s", xetile_last_error());
	for (g = 0; g < sizeof(groups) / sizeof(groups[0]); g++) {
		for (l = 0; l < sizeof(locals) / sizeof(locals[0]); l++) {
			struct xetile_launch_desc launch = { .rule = rule };

			memcpy(launch.groups, groups[g], sizeof(launch.groups));
			memcpy(launch.local, locals[l], sizeof(launch.local));
			if (!shape_runs(queue, kernel, &launch)) {
				printf("  groups %u,%u,%u of %u,%u,%u\n", groups[g][0],
				       groups[g][1], groups[g][2], locals[l][0], locals[l][1],
				       locals[l][2]);
				return false;
			}
		}
	}
	xetile_queue_destroy(queue);
	xetile_kernel_destroy(kernel);
	xetile_module_unload(module);
	return true;
}

static bool check_copies(struct xetile_device *device, enum xetile_queue_class class)
{
	static const uint64_t sizes[] = { 1, 5, 4096, 0x3fff, 0x4000, 0x4001, 0x12345, 0x234567 };
	const struct xetile_queue_desc copy = { .engine_class = class };
	const uint64_t room = 0x300000;
	struct xetile_event *fill, *event;
	struct xetile_mem *a, *b;
	struct xetile_queue *queue;
	uint8_t *src, *dst;
	unsigned int s;
	uint64_t i;
	void *map;

	CHECK(!xetile_queue_create(context, device, &copy, &queue), "%s", xetile_last_error());
	a = alloc(root, "even", room, &map);
	src = map;
	b = alloc(root, "chunk:64k", room, &map);
	dst = map;
	CHECK(a && b, "%s", xetile_last_error());
	for (i = 0; i < room; i++)
		src[i] = i * 7 + (i >> 8);
	for (s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
		uint64_t from = 3, to = 1001, size = sizes[s];

		/* The copy waits for the fill: in the other order the fill would overwrite it. */
		CHECK(!xetile_fill(queue, b, 0, room, 0x5a, 0, NULL, &fill), "%s",
		      xetile_last_error());
		CHECK(!xetile_copy(queue, b, to, a, from, size, 1, &fill, &event), "%s",
		      xetile_last_error());
		CHECK(!xetile_event_wait(event, MS), "%s", xetile_last_error());
		for (i = 0; i < room; i++) {
			uint8_t want = i >= to && i < to + size ? src[i - to + from] : 0x5a;

			CHECK(dst[i] == want, "size %llu: byte %llu is 0x%x, not 0x%x",
			      (unsigned long long)size, (unsigned long long)i, dst[i], want);
		}
		xetile_event_destroy(event);
		xetile_event_destroy(fill);
	}
	xetile_queue_destroy(queue);
	xetile_mem_free(a);
	xetile_mem_free(b);
	return true;
}

/* Rows of other pitches: each byte of them arrives, and the bytes between them stay. */
static bool check_rects(enum xetile_queue_class class)
{
	/* Width, rows, pitches */
	static const uint64_t shapes[][4] = {
		{ 1, 3, 1, 2 }, { 700, 50, 901, 700 }, { 16384, 100, 16384, 20000 },
		{ 40000, 40, 50000, 40001 }, { 3, 20000, 5, 4 }, { 100, 9, 262144, 262145 },
		{ 300000, 7, 300001, 300000 },
	};
	const struct xetile_queue_desc copy = { .engine_class = class };
	struct xetile_rect r = { .dst_offset = 13, .src_offset = 101 };
	const uint64_t room = 0x300000;
	struct xetile_event *event;
	struct xetile_queue *queue;
	uint8_t *src, *dst, want;
	uint64_t i, y, x;
	unsigned int s;
	void *map;

	CHECK(!xetile_queue_create(context, root, &copy, &queue), "%s", xetile_last_error());
	r.src = alloc(root, "even", room, &map);
	src = map;
	r.dst = alloc(root, "chunk:64k", room, &map);
	dst = map;
	CHECK(r.src && r.dst, "%s", xetile_last_error());
	for (i = 0; i < room; i++)
		src[i] = i * 7 + (i >> 8);
	for (s = 0; s < sizeof(shapes) / sizeof(shapes[0]); s++) {
		r.width = shapes[s][0];
		r.rows = shapes[s][1];
		r.dst_pitch = shapes[s][2];
		r.src_pitch = shapes[s][3];
		/* The copy is behind the fill, because both are of one queue. */
		CHECK(!xetile_fill(queue, r.dst, 0, room, 0x5a, 0, NULL, NULL), "%s",
		      xetile_last_error());
		CHECK(!xetile_copy_rect(queue, &r, 0, NULL, &event), "%s", xetile_last_error());
		CHECK(!xetile_event_wait(event, MS), "%s", xetile_last_error());
		xetile_event_destroy(event);
		for (i = 0; i < room; i++) {
			want = 0x5a;
			y = i < r.dst_offset ? r.rows : (i - r.dst_offset) / r.dst_pitch;
			x = i < r.dst_offset ? 0 : (i - r.dst_offset) % r.dst_pitch;
			if (y < r.rows && x < r.width)
				want = src[r.src_offset + y * r.src_pitch + x];
			CHECK(dst[i] == want, "shape %u: byte %llu is 0x%x, not 0x%x", s,
			      (unsigned long long)i, dst[i], want);
		}
	}
	xetile_queue_destroy(queue);
	xetile_mem_free(r.src);
	xetile_mem_free(r.dst);
	return true;
}

/* Fills bytes of @mem. Returns the mask of tiles whose engines have run, or < 0. */
static int tiles_used(struct xetile_context *ctx, struct xetile_device *device,
		      enum xetile_queue_class class, struct xetile_mem *mem, uint64_t offset,
		      uint64_t size)
{
	const struct xetile_queue_desc copy = { .engine_class = class };
	struct xetile_event *event = NULL;
	struct xetile_queue_info info;
	struct xetile_queue *queue;
	int err, tiles = 0;
	unsigned int i;

	err = xetile_queue_create(ctx, device, &copy, &queue);
	if (err)
		return err;
	err = xetile_fill(queue, mem, offset, size, 0x33, 0, NULL, &event);
	if (!err)
		err = xetile_event_wait(event, MS);
	if (!err)
		err = xetile_queue_get_info(queue, &info);
	for (i = 0; !err && i < info.num_members; i++) {
		if (info.members[i].instance >= 0)
			tiles |= 1 << info.members[i].tile;
	}
	xetile_event_destroy(event);
	xetile_queue_destroy(queue);
	return err ? err : tiles;
}

/* W11: the engine is the nearest one, also of a buffer that was recolored, or is another's. */
static bool check_engines(void)
{
	struct xetile_mem_range range = {
		2 * XETILE_COLOR_PAGE, {
			.size = XETILE_COLOR_PAGE, .color = XETILE_COLOR_TILE, .tile = 0,
		},
	};
	const uint64_t page = XETILE_COLOR_PAGE;
	struct xetile_context *other;
	struct xetile_mem *mem, *again;
	struct xetile_device_info info;
	unsigned int last, i;
	void *map;
	int fd;

	CHECK(!xetile_device_get_info(root, &info));
	last = info.num_tiles - 1;
	mem = alloc(root, "even", 8 * page, &map);
	CHECK(mem, "%s", xetile_last_error());
	CHECK(tiles_used(context, root, XETILE_COPY, mem, 7 * page, page) == 1);
	CHECK(tiles_used(context, root, XETILE_COPY_NEAREST, mem, 0, page) == 1);
	CHECK(tiles_used(context, root, XETILE_COPY_NEAREST, mem, 7 * page, page) == 1 << last);
	CHECK(tiles_used(context, root, XETILE_COPY_SPLIT, mem, 0, 8 * page) ==
	      (1 << info.num_tiles) - 1);
	xetile_mem_free(mem);

	mem = alloc(root, last ? "tile:1" : "tile:0", 8 * page, &map);
	CHECK(mem, "%s", xetile_last_error());
	CHECK(!xetile_mem_recolor(mem, root, &range, 1), "%s", xetile_last_error());
	CHECK(!xetile_context_create(root, &other), "%s", xetile_last_error());
	fd = xetile_mem_export(mem);
	CHECK(fd >= 0, "%s", xetile_last_error());
	CHECK(!xetile_mem_import(other, fd, &again), "%s", xetile_last_error());
	close(fd);
	for (i = 0; i < 8; i++) {
		int want = last && i != 2 ? 2 : 1;

		CHECK(tiles_used(context, root, XETILE_COPY_NEAREST, mem, i * page, page) == want,
		      "page %u", i);
		CHECK(tiles_used(other, root, XETILE_COPY_NEAREST, again, i * page, page) == want,
		      "page %u of the import", i);
	}
	xetile_mem_free(again);
	xetile_context_destroy(other);
	xetile_mem_free(mem);
	return true;
}

/* W18: a buffer with a copy on each tile is written as one, and each tile reads its own copy. */
static bool check_replicate(void)
{
	const uint64_t page = XETILE_COLOR_PAGE, size = 2 * page;
	const struct xetile_queue_desc split = { .engine_class = XETILE_COPY_SPLIT };
	const struct xetile_queue_desc one = { .engine_class = XETILE_COPY };
	struct xetile_device_info info;
	struct xetile_mem *mem, *from;
	struct xetile_queue *queue;
	struct xetile_event *event;
	uint32_t *copies, *words;
	unsigned int i, t;
	void *map;

	CHECK(!xetile_device_get_info(root, &info));
	from = alloc(root, "even", size, &map);
	words = map;
	CHECK(from, "%s", xetile_last_error());
	mem = alloc(root, "replicate", size, &map);
	copies = map;
	CHECK(mem && xetile_mem_size(mem) == size, "%s", xetile_last_error());
	for (i = 0; i < size / 4; i++)
		words[i] = i * 3;
	CHECK(!xetile_queue_create(context, root, &one, &queue), "%s", xetile_last_error());
	CHECK(xetile_copy(queue, mem, 0, from, 0, size, 0, NULL, NULL) == -EINVAL);
	xetile_queue_destroy(queue);
	CHECK(!xetile_queue_create(context, root, &split, &queue), "%s", xetile_last_error());
	CHECK(!xetile_copy(queue, mem, 0, from, 0, size, 0, NULL, NULL), "%s", xetile_last_error());
	CHECK(!xetile_fill(queue, mem, page, 8, 0x55, 0, NULL, &event), "%s", xetile_last_error());
	CHECK(!xetile_event_wait(event, -1), "%s", xetile_last_error());
	xetile_event_destroy(event);
	xetile_queue_destroy(queue);
	for (t = 0; t < info.num_tiles; t++) {
		for (i = 0; i < size / 4; i++)
			CHECK(copies[t * size / 4 + i] == (i - page / 4 < 2 ? 0x55555555 : i * 3),
			      "word %u of copy %u", i, t);
		copies[t * size / 4] = 100 + t;
	}
	for (t = 0; t < info.num_tiles; t++) {
		struct xetile_device *tile = xetile_device_sub_device(root, t);

		CHECK(!xetile_queue_create(context, tile ? tile : root, &one, &queue), "%s",
		      xetile_last_error());
		CHECK(!xetile_copy(queue, from, 0, mem, 0, page, 0, NULL, &event), "%s",
		      xetile_last_error());
		CHECK(!xetile_event_wait(event, -1), "%s", xetile_last_error());
		CHECK(words[0] == 100 + t, "tile %u read %u", t, words[0]);
		xetile_event_destroy(event);
		xetile_queue_destroy(queue);
	}
	xetile_mem_free(mem);
	xetile_mem_free(from);
	return true;
}

#define COPIED_WORDS	(7 * XETILE_COLOR_PAGE / 4)

static int recolor(struct xetile_mem *mem, struct xetile_device *device, const char *color)
{
	struct xetile_mem_range range = { 0 };
	int err = xetile_color_parse(color, &range.desc);

	if (!err)
		err = xetile_mem_recolor(mem, device, &range, 1);
	xetile_color_free(&range.desc);
	return err;
}

/* Has the engine of a tile copy words, which must count from @first on. */
static bool reads(struct xetile_device *tile, struct xetile_mem *mem, uint32_t num, uint32_t first)
{
	const struct xetile_queue_desc one = { .engine_class = XETILE_COPY };
	struct xetile_queue *queue;
	struct xetile_event *event;
	struct xetile_mem *own;
	uint32_t *words, i;
	void *map;

	own = alloc(root, "even", 4 * num, &map);
	CHECK(own && !xetile_queue_create(context, tile, &one, &queue), "%s", xetile_last_error());
	CHECK(!xetile_copy(queue, own, 0, mem, 0, 4 * num, 0, NULL, &event), "%s",
	      xetile_last_error());
	CHECK(!xetile_event_wait(event, MS), "%s", xetile_last_error());
	words = map;
	for (i = 0; i < num; i++)
		CHECK(words[i] == first + i, "word %u", i);
	xetile_event_destroy(event);
	xetile_queue_destroy(queue);
	xetile_mem_free(own);
	return true;
}

/* The CPU finds the words in each of @copies, and the engine of each tile at the GPU's address. */
static bool has_copied_words(struct xetile_mem *mem, uint64_t addr, unsigned int copies)
{
	struct xetile_device_info info;
	struct xetile_device *tile;
	uint32_t *words;
	unsigned int i;
	void *map;

	CHECK(!xetile_device_get_info(root, &info));
	CHECK(xetile_mem_address(mem) == addr && xetile_mem_size(mem) == COPIED_WORDS * 4);
	CHECK(!xetile_mem_map(mem, &map), "%s", xetile_last_error());
	words = map;
	for (i = 0; i < copies * COPIED_WORDS; i++)
		CHECK(words[i] == 700 + i % COPIED_WORDS, "word %u", i);
	for (i = 0; i < info.num_tiles; i++) {
		tile = xetile_device_sub_device(root, i);
		CHECK(reads(tile ? tile : root, mem, COPIED_WORDS, 700), "tile %u", i);
		/* A tile that has a copy reads this one. */
		if (copies != info.num_tiles)
			continue;
		words[i * COPIED_WORDS] = 5000 + i;
		CHECK(reads(tile ? tile : root, mem, 1, 5000 + i), "tile %u", i);
		words[i * COPIED_WORDS] = 700;
	}
	return true;
}

/* W18: a buffer gets copies and loses them; words, the GPU's address and the kind of HBM stay. */
static bool check_to_copies(void)
{
	struct xetile_mem_range half = {
		0, { .size = XETILE_COLOR_PAGE, .color = XETILE_COLOR_REPLICATE },
	};
	struct xetile_device_info info;
	struct xetile_run run;
	struct xetile_mem *mem;
	uint32_t *words, i;
	uint64_t addr;
	void *map;
	int fd;

	CHECK(!xetile_device_get_info(root, &info));
	mem = alloc(root, "even", COPIED_WORDS * 4, &map);
	CHECK(mem, "%s", xetile_last_error());
	addr = xetile_mem_address(mem);
	words = map;
	for (i = 0; i < COPIED_WORDS; i++)
		words[i] = 700 + i;
	CHECK(xetile_mem_recolor(mem, root, &half, 1) == -EOPNOTSUPP);
	CHECK(!recolor(mem, root, "replicate"), "%s", xetile_last_error());
	CHECK(has_copied_words(mem, addr, info.num_tiles));
	CHECK(xetile_mem_recolor(mem, root, &half, 1) == -EOPNOTSUPP);
	CHECK(!recolor(mem, root, "chunk:128k"), "%s", xetile_last_error());
	CHECK(has_copied_words(mem, addr, 1));
	CHECK(xetile_mem_color(mem, NULL, 0) == (info.num_tiles > 1 ? 4 : 1));
	/* From there it is as any other buffer. */
	CHECK(!recolor(mem, root, "tile:0"), "%s", xetile_last_error());
	CHECK(has_copied_words(mem, addr, 1));
	CHECK(!recolor(mem, root, "replicate"), "%s", xetile_last_error());
	CHECK(has_copied_words(mem, addr, info.num_tiles));
	if (info.num_tiles > 1) {
		CHECK(!recolor(mem, xetile_device_sub_device(root, 1), "replicate"), "%s",
		      xetile_last_error());
		CHECK(has_copied_words(mem, addr, 1));
		CHECK(xetile_mem_color(mem, &run, 1) == 1 && run.tile == 1);
	}
	CHECK(!recolor(mem, root, "even"), "%s", xetile_last_error());
	fd = xetile_mem_export(mem);
	CHECK(fd >= 0, "%s", xetile_last_error());
	close(fd);
	CHECK(recolor(mem, root, "replicate") == -EOPNOTSUPP);
	CHECK(has_copied_words(mem, addr, 1));
	xetile_mem_free(mem);
	return true;
}

/* Ends a kernel that spins, after a time in which a call that does not wait for it would return. */
static void *end_spin(void *flag)
{
	sleep(3);
	*(volatile uint32_t *)flag = 1;
	return NULL;
}

/* Work that was launched before has written its bytes when they are copied. */
static bool check_to_copies_busy(void)
{
	const struct xetile_launch_desc launch = { .groups = { 2, 1, 1 }, .local = { 32, 1, 1 } };
	const struct xetile_queue_desc one = { .engine_class = XETILE_COPY };
	const uint64_t size = COPIED_WORDS * 4;
	struct xetile_queue *queue, *copy;
	struct xetile_device_info info;
	struct xetile_module *module;
	struct xetile_kernel *kernel;
	struct xetile_event *event;
	struct xetile_mem *mem, *flag;
	pthread_t thread;
	uint32_t *word;
	uint64_t i;
	void *map;

	CHECK(!xetile_device_get_info(root, &info));
	CHECK(!load("spin", &module, &kernel), "%s", xetile_last_error());
	CHECK(!xetile_queue_create(context, root, NULL, &queue), "%s", xetile_last_error());
	CHECK(!xetile_queue_create(context, root, &one, &copy), "%s", xetile_last_error());
	mem = alloc(root, "even", size, &map);
	flag = alloc(root, "even", 2 * XETILE_COLOR_PAGE, &map);
	CHECK(mem && flag, "%s", xetile_last_error());
	word = map;
	CHECK(!xetile_kernel_set_mem(kernel, 0, flag, 0));
	CHECK(!xetile_kernel_set_mem(kernel, 1, flag, XETILE_COLOR_PAGE));
	CHECK(!xetile_launch(queue, kernel, &launch, 0, NULL, &event), "%s", xetile_last_error());
	CHECK(!xetile_fill(copy, mem, 0, size, 0x5a, 1, &event, NULL), "%s", xetile_last_error());
	CHECK(!pthread_create(&thread, NULL, end_spin, word));
	CHECK(!recolor(mem, root, "replicate"), "%s", xetile_last_error());
	CHECK(!pthread_join(thread, NULL));
	CHECK(!xetile_mem_map(mem, &map), "%s", xetile_last_error());
	for (i = 0; i < info.num_tiles * size; i++)
		CHECK(((uint8_t *)map)[i] == 0x5a, "byte %llu", (unsigned long long)i);
	xetile_event_destroy(event);
	xetile_queue_destroy(copy);
	xetile_queue_destroy(queue);
	xetile_kernel_destroy(kernel);
	xetile_module_unload(module);
	xetile_mem_free(flag);
	xetile_mem_free(mem);
	return true;
}

static uint64_t hbm_used(void)
{
	struct xetile_device_info info;

	return xetile_device_get_info(root, &info) ? 0 : info.hbm_used;
}

/*
 * What was given up is freed a moment later. The library may have got some blocks for its fences and
 * commands meanwhile, which it keeps.
 */
static bool uses_hbm(uint64_t want)
{
	const uint64_t blocks = 16 * XETILE_COLOR_PAGE;
	unsigned int i;

	for (i = 0; i < 100 && hbm_used() > want + blocks; i++)
		usleep(50000);
	CHECK(hbm_used() <= want + blocks, "%llu, not %llu", (unsigned long long)hbm_used(),
	      (unsigned long long)want);
	return true;
}

static bool check_to_copies_often(void)
{
	const struct xetile_mem_desc desc = { .size = 2 << 20, .flags = XETILE_MEM_PRIVATE };
	uint64_t addr, before = hbm_used(), with;
	struct xetile_mem *mem;
	unsigned int i;

	CHECK(!xetile_mem_alloc(context, root, &desc, &mem), "%s", xetile_last_error());
	addr = xetile_mem_address(mem);
	with = hbm_used();
	for (i = 0; i < 100; i++)
		CHECK(!recolor(mem, root, i % 2 ? "even" : "replicate"), "%u: %s", i,
		      xetile_last_error());
	CHECK(xetile_mem_address(mem) == addr && uses_hbm(with));
	xetile_mem_free(mem);
	return uses_hbm(before);
}

#define OBJECTS		1000
#define OBJECT_PAGES	5

/* The color of object @i: its own tile, or chunks, of which the pool has more than 4096 runs. */
static void object_color(unsigned int i, unsigned int tiles, struct xetile_mem_desc *desc)
{
	*desc = (struct xetile_mem_desc) { .size = OBJECT_PAGES * XETILE_COLOR_PAGE };
	desc->color = i % 8 ? XETILE_COLOR_CHUNK : XETILE_COLOR_TILE;
	desc->tile = i % 8 ? 0 : i / 8 % tiles;
}

static bool object_is(struct xetile_mem *mem, unsigned int i, const struct xetile_device_info *info)
{
	struct xetile_run want[OBJECT_PAGES], got[OBJECT_PAGES];
	struct xetile_mem_desc desc;
	int n, num, k;
	void *map;

	object_color(i, info->num_tiles, &desc);
	n = xetile_plan_color(desc.color, desc.size, desc.color == XETILE_COLOR_TILE ?
			      1u << desc.tile : info->tile_mask, 0, want, OBJECT_PAGES);
	num = xetile_mem_color(mem, got, OBJECT_PAGES);
	CHECK(num == n && n > 0, "object %u: %d runs, not %d", i, num, n);
	for (k = 0; k < n; k++)
		CHECK(got[k].tile == want[k].tile && got[k].pages == want[k].pages,
		      "object %u, run %d", i, k);
	CHECK(!xetile_mem_map(mem, &map));
	for (k = 0; k < OBJECT_PAGES; k++)
		CHECK(((uint32_t *)map)[k * XETILE_COLOR_PAGE / 4] == i * 10 + k, "object %u", i);
	return true;
}

/* W4 S9: a pool of a thousand objects, each with a color of its own, which others do not change */
static bool check_pool(void)
{
	const struct xetile_mem_desc size = {
		.size = (uint64_t)OBJECTS * OBJECT_PAGES * XETILE_COLOR_PAGE,
	};
	static struct xetile_mem *objects[OBJECTS];
	struct xetile_mem_desc desc;
	struct xetile_device_info info;
	struct xetile_pool *pool;
	unsigned int i, k;
	void *map;

	CHECK(!xetile_device_get_info(root, &info));
	CHECK(!xetile_pool_create(context, root, &size, &pool), "%s", xetile_last_error());
	for (i = 0; i < OBJECTS; i++) {
		object_color(i, info.num_tiles, &desc);
		CHECK(!xetile_pool_alloc(pool, root, &desc, &objects[i]), "%s",
		      xetile_last_error());
		CHECK(!xetile_mem_map(objects[i], &map), "%s", xetile_last_error());
		for (k = 0; k < OBJECT_PAGES; k++)
			((uint32_t *)map)[k * XETILE_COLOR_PAGE / 4] = i * 10 + k;
	}
	CHECK(xetile_pool_alloc(pool, root, &desc, &objects[0]) == -ENOSPC);
	for (i = 0; i < OBJECTS; i++) {
		if (!object_is(objects[i], i, &info))
			return false;
	}
	/* The engine of an object is the nearest one, and its neighbours stay as they are. */
	CHECK(tiles_used(context, root, XETILE_COPY_NEAREST, objects[8], 0, desc.size) ==
	      1 << 1 % info.num_tiles);
	CHECK(object_is(objects[7], 7, &info) && object_is(objects[9], 9, &info));
	CHECK(!xetile_mem_map(objects[8], &map));
	for (k = 0; k < desc.size; k++)
		CHECK(((uint8_t *)map)[k] == 0x33, "byte %u", k);
	/* The place of one is the place of another one. */
	xetile_mem_free(objects[500]);
	object_color(500, info.num_tiles, &desc);
	CHECK(!xetile_pool_alloc(pool, root, &desc, &objects[500]), "%s", xetile_last_error());
	CHECK(object_is(objects[500], 500, &info));
	for (i = 0; i < OBJECTS; i++)
		xetile_mem_free(objects[i]);
	xetile_pool_destroy(pool);
	return true;
}

/* The driver stops a kernel that never ends and bans its queue; other queues go on. */
static bool check_hang(void)
{
	const struct xetile_launch_desc launch = { .groups = { 2, 1, 1 }, .local = { 32, 1, 1 } };
	const struct xetile_queue_desc brief = { .timeout_ms = 500 };
	struct xetile_queue_info info;
	struct xetile_module *module;
	struct xetile_kernel *kernel;
	struct xetile_queue *queue;
	struct xetile_event *event;
	struct xetile_mem *mem;
	void *map;
	int err;

	CHECK(!load("spin", &module, &kernel), "%s", xetile_last_error());
	CHECK(!xetile_queue_create(context, root, &brief, &queue), "%s", xetile_last_error());
	mem = alloc(root, "even", 2 * XETILE_COLOR_PAGE, &map);
	CHECK(mem, "%s", xetile_last_error());
	CHECK(!xetile_kernel_set_mem(kernel, 0, mem, 0));
	CHECK(!xetile_kernel_set_mem(kernel, 1, mem, XETILE_COLOR_PAGE));
	CHECK(!xetile_launch(queue, kernel, &launch, 0, NULL, &event), "%s", xetile_last_error());
	CHECK(xetile_event_status(event) == -EINPROGRESS);
	err = xetile_event_wait(event, MS);
	CHECK(err == -ETIME, "%d: %s", err, xetile_last_error());
	CHECK(!xetile_queue_get_info(queue, &info));
	CHECK(info.banned && info.resets);
	CHECK(info.ban.reason == XETILE_BAN_TIMEOUT && info.ban.engine_class == XETILE_COMPUTE);
	CHECK(xetile_launch(queue, kernel, &launch, 0, NULL, NULL) == -ECANCELED);
	xetile_event_destroy(event);
	xetile_queue_destroy(queue);
	xetile_kernel_destroy(kernel);
	xetile_module_unload(module);
	xetile_mem_free(mem);
	return check_shapes(root, XETILE_PLAN_DEFAULT);
}

static bool check_huge(void)
{
	const struct xetile_mem_desc desc = { .size = 1ull << 50 };
	struct xetile_mem *mem;

	CHECK(xetile_mem_alloc(context, root, &desc, &mem) == -ENOSPC);
	CHECK(strstr(xetile_last_error(), "cannot allocate"));
	return true;
}

#define SHARED_WORDS	(5 * XETILE_COLOR_PAGE / 4)

/* Copies a buffer by the GPU into one of the context's own, and looks for the words there. */
static bool has_words(struct xetile_context *ctx, struct xetile_device *device,
		      struct xetile_mem *mem, uint32_t first)
{
	const struct xetile_queue_desc copy = { .engine_class = XETILE_COPY };
	const struct xetile_mem_desc desc = { .size = SHARED_WORDS * 4 };
	struct xetile_queue *queue;
	struct xetile_event *event;
	struct xetile_mem *own;
	void *map;
	uint32_t i;

	CHECK(!xetile_queue_create(ctx, device, &copy, &queue), "%s", xetile_last_error());
	CHECK(!xetile_mem_alloc(ctx, device, &desc, &own), "%s", xetile_last_error());
	CHECK(!xetile_mem_map(own, &map), "%s", xetile_last_error());
	CHECK(!xetile_copy(queue, own, 0, mem, 0, SHARED_WORDS * 4, 0, NULL, &event), "%s",
	      xetile_last_error());
	CHECK(!xetile_event_wait(event, MS), "%s", xetile_last_error());
	for (i = 0; i < SHARED_WORDS; i++)
		CHECK(((uint32_t *)map)[i] == first + i, "word %u", i);
	xetile_event_destroy(event);
	xetile_queue_destroy(queue);
	xetile_mem_free(own);
	return true;
}

/* A buffer is pinned, is given up and taken back, and has its words; other work goes on meanwhile. */
static bool check_residency(void)
{
	const struct xetile_mem_desc desc = {
		.size = SHARED_WORDS * 4, .flags = XETILE_MEM_PRIVATE,
	};
	struct xetile_mem *mem, *other;
	uint32_t *words, i;
	void *map;

	CHECK(!xetile_mem_alloc(context, root, &desc, &mem), "%s", xetile_last_error());
	CHECK(!xetile_mem_alloc(context, root, &desc, &other), "%s", xetile_last_error());
	CHECK(!xetile_mem_map(other, &map), "%s", xetile_last_error());
	words = map;
	for (i = 0; i < SHARED_WORDS; i++)
		words[i] = 5000 + i;
	CHECK(!xetile_mem_map(mem, &map), "%s", xetile_last_error());
	words = map;
	for (i = 0; i < SHARED_WORDS; i++)
		words[i] = 100 + i;
	CHECK(xetile_mem_export(mem) == -EPERM);
	CHECK(!xetile_mem_pin(mem, -1), "%s", xetile_last_error());
	CHECK(xetile_mem_allow_purge(mem) == -EINVAL);
	CHECK(has_words(context, root, mem, 100));
	CHECK(!xetile_mem_unpin(mem), "%s", xetile_last_error());
	CHECK(!xetile_mem_allow_purge(mem), "%s", xetile_last_error());
	CHECK(has_words(context, root, other, 5000));
	CHECK(xetile_mem_forbid_purge(mem) == 1, "%s", xetile_last_error());
	CHECK(has_words(context, root, mem, 100));
	xetile_mem_free(other);
	xetile_mem_free(mem);
	return true;
}

/* The other process: another context, if possible of another card */
static bool share_child(int socket, const char *selector)
{
	struct xetile_platform *cards;
	struct xetile_device *device;
	struct xetile_context *ctx;
	struct xetile_mem *mem;
	uint32_t *words, i;
	char byte = 0;
	void *map;

	CHECK(!xetile_platform_open(&cards), "%s", xetile_last_error());
	CHECK(!xetile_platform_select(cards, selector, &device), "%s", xetile_last_error());
	CHECK(!xetile_context_create(device, &ctx), "%s", xetile_last_error());
	CHECK(!xetile_mem_receive(ctx, socket, &mem), "%s", xetile_last_error());
	CHECK(xetile_mem_size(mem) == SHARED_WORDS * 4);
	CHECK(has_words(ctx, device, mem, 100));
	CHECK(!!(xetile_mem_share(mem) & XETILE_SHARE_IMPORTED) == (selector[0] != '0'));
	CHECK(!xetile_mem_map(mem, &map), "%s", xetile_last_error());
	words = map;
	for (i = 0; i < SHARED_WORDS; i++)
		words[i] += 5000;
	CHECK(write(socket, &byte, 1) == 1);
	/* A byte without a file is no memory, and neither is the end. */
	CHECK(xetile_mem_receive(ctx, socket, &mem) == -EPROTO);
	CHECK(xetile_mem_receive(ctx, socket, &mem) == -EPIPE);
	return true;
}

/* W15: two processes, on one card or on two, share a buffer by a socket. */
static bool check_share(const char *selector)
{
	struct xetile_mem_desc desc = {
		.size = SHARED_WORDS * 4, .color = XETILE_COLOR_CHUNK,
		/* The other card need not reach this one's HBM. */
		.flags = XETILE_MEM_SPILL,
	};
	struct xetile_mem *mem, *again;
	int ends[2], status, fd;
	uint32_t *words, i;
	char byte = 'm';
	pid_t child;
	void *map;

	CHECK(!socketpair(AF_UNIX, SOCK_STREAM, 0, ends));
	CHECK(!xetile_mem_alloc(context, root, &desc, &mem), "%s", xetile_last_error());
	CHECK(!xetile_mem_map(mem, &map), "%s", xetile_last_error());
	words = map;
	for (i = 0; i < SHARED_WORDS; i++)
		words[i] = 100 + i;
	fd = xetile_mem_export(mem);
	CHECK(fd >= 0, "%s", xetile_last_error());
	CHECK(xetile_mem_import(context, fd, &again) == -EEXIST);
	CHECK(xetile_mem_import(context, ends[0], &again) < 0);
	close(fd);
	fflush(stdout);
	child = fork();
	CHECK(child >= 0);
	if (!child) {
		close(ends[0]);
		_exit(!share_child(ends[1], selector));
	}
	close(ends[1]);
	CHECK(!xetile_mem_send(mem, ends[0]), "%s", xetile_last_error());
	CHECK(read(ends[0], &byte, 1) == 1);
	CHECK(has_words(context, root, mem, 5100));
	CHECK(write(ends[0], "m", 1) == 1);
	close(ends[0]);
	CHECK(waitpid(child, &status, 0) == child);
	CHECK(WIFEXITED(status) && !WEXITSTATUS(status), "status 0x%x", status);
	CHECK(has_words(context, root, mem, 5100));
	xetile_mem_free(mem);
	return true;
}

int main(void)
{
	struct xetile_device *second;
	struct xetile_device_info info;

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (xetile_platform_open(&platform) || xetile_platform_select(platform, "0", &root) ||
	    xetile_context_create(root, &context) || xetile_device_get_info(root, &info)) {
		printf("skip: no card: %s\n", xetile_last_error());
		xetile_platform_close(platform);
		return 77;
	}
	printf("card 0: %u tiles\n", info.num_tiles);
	test_run("S40 S41 C4 C5: colors follow the rules", check_colors());
	test_run("S56 S57 C12: the environment's color is the default", check_default_color());
	test_run("a buffer gets another color, in parts and as a whole", check_recolor());
	test_run("S7 S8: the tile with the most free HBM", check_least_occupied());
	test_run("fresh memory reads zero", check_fresh_memory());
	test_run("S12 S28 S38: every group once, on the card, default rule",
		 check_shapes(root, XETILE_PLAN_DEFAULT));
	test_run("S17 C2: every group once, on the card, published rule",
		 check_shapes(root, XETILE_PLAN_PUBLISHED));
	test_run("S39 S126: every group once, on its last tile",
		 check_shapes(xetile_device_sub_device(root, info.num_tiles - 1),
			      XETILE_PLAN_DEFAULT));
	test_run("S46 S113: fills and copies, on the card", check_copies(root, XETILE_COPY));
	test_run("S48: fills and copies, on its last tile",
		 check_copies(xetile_device_sub_device(root, info.num_tiles - 1), XETILE_COPY));
	test_run("W11: fills and copies, by the nearest engine",
		 check_copies(root, XETILE_COPY_NEAREST));
	test_run("W11: fills and copies, by all engines", check_copies(root, XETILE_COPY_SPLIT));
	test_run("W11: rows, by one engine", check_rects(XETILE_COPY));
	test_run("W11: rows, by the nearest engine", check_rects(XETILE_COPY_NEAREST));
	test_run("W11: rows, by all engines", check_rects(XETILE_COPY_SPLIT));
	test_run("W11: the engine is the nearest one", check_engines());
	test_run("W18: each tile has a copy of a buffer", check_replicate());
	test_run("W18: a buffer gets copies, and loses them", check_to_copies());
	test_run("W18: ... while work uses it", check_to_copies_busy());
	test_run("W18: ... a hundred times", check_to_copies_often());
	test_run("W4 S9: objects of a pool have colors of their own", check_pool());
	test_run("a buffer is pinned, and one is given up and taken back", check_residency());
	test_run("a buffer larger than all memory is refused", check_huge());
	test_run("W15: two processes share a buffer", check_share("0"));
	if (!xetile_platform_select(platform, "1", &second))
		test_run("S132: two processes share a buffer of two cards", check_share("1"));
	test_run("W12: the driver stops a kernel that hangs, others go on",
		 check_hang());
	xetile_context_destroy(context);
	xetile_platform_close(platform);
	printf("libxetile on a card: %u passed, %u failed\n", test_passed, test_failed);
	return test_failed != 0;
}
