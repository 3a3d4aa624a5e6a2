// SPDX-License-Identifier: MIT
/*
 * Batches that hang or fault are stopped, their fence and their queue say so, and all other batches
 * go on.
 * Statements: W12.
 *
 * suite: igt soak 1-tile 4-tiles
 */
#include <errno.h>
#include <unistd.h>

#include "xetile_igt.h"

IGT_TEST_DESCRIPTION("Batches that hang or fault");

enum wreck { WRECK_LOOP, WRECK_WAIT, WRECK_FAULT, WRECK_COMMAND, WRECK_BATCH_FAULT };

static uint64_t wreck_batch(struct ctx *c, enum wreck how)
{
	struct xetile_batch b;

	batch_begin(&b, &c->batch, 0);
	switch (how) {
	case WRECK_LOOP:
		batch_hang(&b);
		break;
	case WRECK_WAIT:
		batch_wait(&b, c->gate.addr, 0xdead);
		break;
	case WRECK_FAULT:
		batch_store(&b, DATA_ADDR, 1, false);
		break;
	case WRECK_COMMAND:
		batch_emit(&b, 0x7fu << 23 | 7u << 29);
		break;
	case WRECK_BATCH_FAULT:
		return DATA_ADDR;
	}
	batch_end(&b);
	return batch_addr(&b);
}

static void check_ban(const struct drm_xetile_queue_info *info, enum wreck how, uint32_t class)
{
	static const uint32_t reasons[] = {
		[WRECK_LOOP] = DRM_XETILE_BAN_TIMEOUT, [WRECK_WAIT] = DRM_XETILE_BAN_TIMEOUT,
		[WRECK_FAULT] = DRM_XETILE_BAN_FAULT, [WRECK_COMMAND] = DRM_XETILE_BAN_ERROR,
		[WRECK_BATCH_FAULT] = DRM_XETILE_BAN_FAULT,
	};
	bool fault = reasons[how] == DRM_XETILE_BAN_FAULT, on_member = false;

	igt_assert_eq_u32(info->ban.reason, reasons[how]);
	igt_assert_eq_u32(info->ban.engine_class, class);
	for (uint32_t m = 0; m < info->num_members; m++)
		on_member |= info->members[m].tile == info->ban.tile &&
			     (class == COPY || info->members[m].instance == info->ban.instance);
	igt_assert(on_member);
	igt_assert_eq_u64(info->ban.fault_addr, fault ? DATA_ADDR : 0);
	igt_assert_eq_u32(info->ban.fault_access,
			  how == WRECK_FAULT ? DRM_XETILE_ACCESS_WRITE : DRM_XETILE_ACCESS_READ);
	igt_assert_eq(info->ban.pad, 0);
}

/*
 * A batch never ends, or makes the engine fail. Its fence must carry the error, its queue must be
 * banned, and all other clients must go on (W12).
 */
static void test_wreck(const struct xetile_card *card, enum wreck how, uint32_t class,
		       uint32_t target)
{
	struct drm_xetile_queue_create args = {
		.engine_class = class, .target = target, .timeout_ms = 500,
	};
	struct drm_xetile_sync hung = { .flags = DRM_XETILE_SYNC_SIGNAL };
	struct drm_xetile_sync behind = { .flags = DRM_XETILE_SYNC_SIGNAL };
	struct drm_xetile_sync other = { .flags = DRM_XETILE_SYNC_SIGNAL };
	const int error = how == WRECK_LOOP || how == WRECK_WAIT ? -ETIME : -EIO;
	struct drm_xetile_queue_info info;
	struct ctx bad, good;
	struct xetile_batch b;
	int fd = xetile_reopen(card->fd), status;
	uint32_t q;

	ctx_init(&bad, card->fd);
	ctx_init(&good, fd);
	args.vm_id = bad.vm;
	igt_assert_eq(__xetile_queue_create(card->fd, &args), 0);
	q = xetile_queue(fd, good.vm, class, target, 0, 0);
	hung.handle = xetile_syncobj(card->fd);
	behind.handle = xetile_syncobj(card->fd);
	other.handle = xetile_syncobj(fd);

	igt_assert_eq(__xetile_exec(card->fd, args.queue_id, wreck_batch(&bad, how), &hung, 1), 0);
	/* A batch behind on the same queue, and one of another file on the same engine */
	batch_begin(&b, &bad.batch, 4096);
	batch_store(&b, bad.gate.addr + 64, 1, false);
	batch_end(&b);
	status = __xetile_exec(card->fd, args.queue_id, batch_addr(&b), &behind, 1);
	igt_assert(status == 0 || status == -ECANCELED);
	batch_begin(&b, &good.batch, 0);
	batch_store(&b, good.gate.addr, 7, false);
	batch_end(&b);
	igt_assert_eq(__xetile_exec(fd, q, batch_addr(&b), &other, 1), 0);

	igt_assert_eq(__xetile_wait(card->fd, hung.handle, 30000), 0);
	igt_assert_eq(xetile_fence_status(card->fd, hung.handle), error);
	if (!status) {
		igt_assert_eq(__xetile_wait(card->fd, behind.handle, 30000), 0);
		igt_assert_eq(xetile_fence_status(card->fd, behind.handle), -ECANCELED);
		igt_assert_eq_u32(bad.gate.map[16], 0);
	}
	igt_assert_eq(__xetile_wait(fd, other.handle, 30000), 0);
	igt_assert_eq(xetile_fence_status(fd, other.handle), 1);
	igt_assert_eq_u32(good.gate.map[0], 7);

	xetile_queue_info(card->fd, args.queue_id, &info);
	igt_assert(info.flags & DRM_XETILE_QUEUE_BANNED);
	igt_assert_lte(1, info.resets);
	check_ban(&info, how, class);
	igt_assert_eq(__xetile_exec(card->fd, args.queue_id, batch_addr(&b), NULL, 0), -ECANCELED);
	xetile_queue_info(fd, q, &info);
	igt_assert_eq(info.flags & DRM_XETILE_QUEUE_BANNED, 0);
	igt_assert_eq_u32(info.ban.reason, DRM_XETILE_BAN_NONE);

	/* A new queue of the same file works. */
	xetile_queue_destroy(card->fd, args.queue_id);
	args.queue_id = xetile_queue(card->fd, bad.vm, class, target, 0, 0);
	batch_begin(&b, &bad.batch, 0);
	batch_store(&b, bad.gate.addr + 128, 9, false);
	batch_end(&b);
	xetile_run(card->fd, args.queue_id, batch_addr(&b));
	igt_assert_eq_u32(bad.gate.map[32], 9);

	xetile_syncobj_destroy(card->fd, hung.handle);
	xetile_syncobj_destroy(card->fd, behind.handle);
	xetile_syncobj_destroy(fd, other.handle);
	xetile_queue_destroy(card->fd, args.queue_id);
	xetile_queue_destroy(fd, q);
	ctx_fini(&bad);
	ctx_fini(&good);
	close(fd);
}

/* A long job without a fault must survive the reset that its neighbour has caused. */
static void test_innocent(const struct xetile_card *card)
{
	struct drm_xetile_queue_create args = {
		.engine_class = COMPUTE, .target = TILE, .timeout_ms = 500,
	};
	struct drm_xetile_sync hung = { .flags = DRM_XETILE_SYNC_SIGNAL };
	struct drm_xetile_sync slow = { .flags = DRM_XETILE_SYNC_SIGNAL };
	int fd = xetile_reopen(card->fd);
	struct ctx bad, good;
	struct xetile_batch b;
	uint32_t q;

	ctx_init(&bad, card->fd);
	ctx_init(&good, fd);
	args.vm_id = bad.vm;
	igt_assert_eq(__xetile_queue_create(card->fd, &args), 0);
	q = xetile_queue(fd, good.vm, COMPUTE, TILE, 0, 0);
	hung.handle = xetile_syncobj(card->fd);
	slow.handle = xetile_syncobj(fd);

	batch_begin(&b, &good.batch, 0);
	batch_store(&b, good.gate.addr + 64, 1, false);
	batch_wait(&b, good.gate.addr, 1);
	batch_store(&b, good.gate.addr + 128, 1, false);
	batch_end(&b);
	igt_assert_eq(__xetile_exec(fd, q, batch_addr(&b), &slow, 1), 0);
	igt_assert_eq(__xetile_exec(card->fd, args.queue_id, wreck_batch(&bad, WRECK_LOOP), &hung, 1), 0);
	igt_assert_eq(__xetile_wait(card->fd, hung.handle, 30000), 0);
	igt_assert_eq(xetile_fence_status(card->fd, hung.handle), -ETIME);

	igt_assert_eq(xetile_fence_status(fd, slow.handle), 0);
	good.gate.map[0] = 1;
	igt_assert_eq(__xetile_wait(fd, slow.handle, 20000), 0);
	igt_assert_eq(xetile_fence_status(fd, slow.handle), 1);
	igt_assert_eq_u32(good.gate.map[32], 1);

	xetile_syncobj_destroy(card->fd, hung.handle);
	xetile_syncobj_destroy(fd, slow.handle);
	xetile_queue_destroy(card->fd, args.queue_id);
	xetile_queue_destroy(fd, q);
	ctx_fini(&bad);
	ctx_fini(&good);
	close(fd);
}

igt_main
{
	static const struct {
		const char *name;
		uint32_t class, target;
	} targets[] = {
		{ "compute-tile", COMPUTE, TILE },
		{ "compute-root", COMPUTE, ROOT },
		{ "copy-tile", COPY, TILE },
	};
	static const struct {
		const char *name;
		enum wreck how;
	} wrecks[] = {
		{ "loop", WRECK_LOOP },
		{ "wait", WRECK_WAIT },
		{ "page-fault", WRECK_FAULT },
		{ "batch-page-fault", WRECK_BATCH_FAULT },
		{ "bad-command", WRECK_COMMAND },
	};
	struct xetile_card card = { .fd = -1 };

	igt_fixture
		xetile_open_card(&card);

	for (unsigned int i = 0; i < ARRAY_SIZE(wrecks); i++) {
		for (unsigned int j = 0; j < ARRAY_SIZE(targets); j++) {
			igt_describe("A failing batch must be stopped with ETIME or EIO, its "
				     "queue be banned, the next say ECANCELED; others go on "
				     "(W12)");
			igt_subtest_f("%s-%s", wrecks[i].name, targets[j].name)
				test_wreck(&card, wrecks[i].how, targets[j].class,
					   targets[j].target);
		}
	}
	igt_describe("A batch without a fault must survive its neighbour's reset");
	igt_subtest("innocent")
		test_innocent(&card);

	igt_fixture
		close(card.fd);
}
