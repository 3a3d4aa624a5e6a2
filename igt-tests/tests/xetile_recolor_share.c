// SPDX-License-Identifier: MIT
/*
 * Recolors of a buffer that another card uses.
 *
 * suite: share
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <xf86drm.h>

#include "xetile_recolor.h"

IGT_TEST_DESCRIPTION("Recolor of buffers that several cards use");

#define PAGES	16u

/* The other card, which has the buffer mapped at DATA_ADDR */
struct importer {
	struct ctx x;
	uint32_t queue, bo;
};

static void importer_init(struct importer *b, int exporter, uint32_t bo)
{
	int fd = xetile_open_number(1), file;

	igt_assert_eq(drmPrimeHandleToFD(exporter, bo, DRM_CLOEXEC | DRM_RDWR, &file), 0);
	ctx_init(&b->x, fd);
	b->queue = xetile_copy_queue(fd, b->x.vm);
	igt_assert_eq(drmPrimeFDToHandle(fd, file, &b->bo), 0);
	close(file);
	xetile_vm_map(fd, b->x.vm, b->bo, 0, DATA_ADDR, PAGES * PAGE);
}

static void importer_fini(struct importer *b)
{
	int fd = b->x.fd;

	xetile_vm_unmap(fd, b->x.vm, DATA_ADDR, PAGES * PAGE);
	xetile_bo_close(fd, b->bo);
	xetile_queue_destroy(fd, b->queue);
	ctx_fini(&b->x);
	close(fd);
}

/* The importer reads each page's first word, and writes one behind it. */
static void use(struct importer *b, uint32_t seed, uint32_t value)
{
	struct xetile_batch batch;

	memset(b->x.gate.map, 0, PAGES * 4);
	b->x.gate.map[PAGES] = value;
	batch_begin(&batch, &b->x.batch, 0);
	for (unsigned int i = 0; i < PAGES; i++) {
		batch_mem_copy(&batch, b->x.gate.addr + i * 4, DATA_ADDR + i * PAGE, 4);
		batch_mem_copy(&batch, DATA_ADDR + i * PAGE + 256, b->x.gate.addr + PAGES * 4, 4);
	}
	batch_end(&batch);
	xetile_run(b->x.fd, b->queue, batch_addr(&batch));
	for (unsigned int i = 0; i < PAGES; i++)
		igt_assert_eq_u32(b->x.gate.map[i], seed + i);
}

static uint64_t share_of(int fd, uint32_t bo)
{
	struct drm_xetile_bo_info info = { .handle = bo };

	igt_assert_eq(xetile_ioctl(fd, DRM_IOCTL_XETILE_BO_INFO, &info), 0);
	return info.share;
}

/*
 * Each card finds what the other one wrote, wherever the pages go. When the importer has the buffer
 * in system memory, it stays there, and has its new color later.
 */
static void test_exporter(const struct xetile_card *card)
{
	const struct drm_xetile_bo_range ranges[] = {
		range_of(0, PAGES, DRM_XETILE_COLOR_TILE, 2),
		range_of(3, 7, DRM_XETILE_COLOR_CHUNK, 0),
		range_of(5, 9, DRM_XETILE_COLOR_TILE, 1),
		range_of(0, PAGES, DRM_XETILE_COLOR_FOLLOW, 0),
	};
	struct importer b;
	struct canvas c;
	struct place p;
	uint32_t *map;

	canvas_init(&c, card, PAGES, 0, DRM_XETILE_PLACE_HBM | DRM_XETILE_PLACE_SYSTEM);
	place_init(&p, c.fd);
	xetile_vm_map(p.fd, p.vm, c.bo, 0, DATA_ADDR, PAGES * PAGE);
	map = xetile_bo_map(c.fd, c.bo, PAGES * PAGE);
	importer_init(&b, c.fd, c.bo);
	use(&b, c.seed, 99);
	for (unsigned int i = 0; i < ARRAY_SIZE(ranges); i++) {
		xetile_recolor(c.fd, c.bo, &ranges[i], 1);
		canvas_note(&c, &ranges[i], 1);
		use(&b, c.seed, 100 + i);
		for (unsigned int n = 0; n < PAGES; n++)
			igt_assert_eq_u32(map[n * PAGE / 4 + 64], 100 + i);
		if (share_of(c.fd, c.bo) & DRM_XETILE_SHARE_SYSTEM)
			igt_assert_eq_u64(pages_on(c.fd, c.bo, DRM_XETILE_MEM_SYSTEM), PAGES);
		else
			canvas_check(&c);
		place_store(&p, DATA_ADDR, c.seed);
	}
	igt_info("%s\n", share_of(c.fd, c.bo) & DRM_XETILE_SHARE_SYSTEM ? "system memory" :
									 "peer-to-peer");
	/* The memory is not the importer's. */
	igt_assert_eq(__xetile_recolor(b.x.fd, b.bo, &ranges[0], 1, NULL, 0), -EINVAL);
	importer_fini(&b);
	xetile_assert_soon(!share_of(c.fd, c.bo));
	place_store(&p, DATA_ADDR, c.seed);
	canvas_check(&c);
	munmap(map, PAGES * PAGE);
	place_fini(&p);
	canvas_fini(&c);
}

igt_main
{
	struct xetile_card card = { .fd = -1 };

	igt_fixture {
		xetile_open_card(&card);
		igt_require_f(card.device.num_tiles >= 2, "needs two tiles\n");
	}
	igt_describe("A buffer that another card uses must be recolored under that card's jobs");
	igt_subtest("exporter")
		test_exporter(&card);
	igt_fixture
		close(card.fd);
}
