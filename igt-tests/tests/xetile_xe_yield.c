// SPDX-License-Identifier: MIT
/*
 * Batches of exec queues that wait for each other's numbers on one engine: the one that waits
 * yields the engine long before its turn is over, also to a lower priority. Gap of the map of
 * runtimes: M11.
 *
 * suite: igt 1-tile
 */
#include <string.h>
#include <unistd.h>

#include "xetile_xe_exec.h"

IGT_TEST_DESCRIPTION("Exec queues that wait for each other yield their engine");

#define XE_COPY		DRM_XE_ENGINE_CLASS_COPY
#define XE_COMPUTE	DRM_XE_ENGINE_CLASS_COMPUTE
#define ROUNDS		32u
/* Turns of 50 ms, the longest that there are */
#define SLICE_US	50000u
/* Queues that do not yield exchange so many numbers: each takes two turns. */
#define FEW		8u

static struct xetile_card card = { .fd = -1 };

static uint32_t queue_with(struct ctx *c, uint32_t class, uint64_t priority)
{
	struct drm_xe_ext_set_property ext[2];
	uint32_t q;

	memset(ext, 0, sizeof(ext));
	ext[0].property = DRM_XE_EXEC_QUEUE_SET_PROPERTY_PRIORITY;
	ext[0].value = priority;
	ext[0].base.next_extension = to_user(&ext[1]);
	ext[1].property = DRM_XE_EXEC_QUEUE_SET_PROPERTY_TIMESLICE;
	ext[1].value = SLICE_US;
	igt_assert_eq(__xe_queue(c->fd, c->vm, 0, class, 1, ext, &q), 0);
	return q;
}

/* Rounds of a batch: it writes the next number to @mine, and waits for the other's, at @other. */
static void exchange(struct ctx *c, struct xetile_batch *b, unsigned int slot, unsigned int rounds)
{
	bool first = !slot;
	uint64_t mine = c->gate.addr + (first ? 0 : 64), other = c->gate.addr + (first ? 64 : 0);

	batch_begin(b, &c->batch, slot * SZ_4K);
	for (uint32_t i = 1; i <= rounds; i++) {
		if (first)
			batch_store(b, mine, i, false);
		batch_wait(b, other, i);
		if (!first)
			batch_store(b, mine, i, false);
	}
	batch_end(b);
}

/* A queue of the driver's own interface, on the same engine: it does not yield. */
static uint32_t queue_native(struct ctx *c, uint32_t class)
{
	struct drm_xetile_queue_create args = {
		.vm_id = c->vm, .engine_class = class == XE_COPY ? COPY : COMPUTE, .target = TILE,
		.weight = 1000,
	};

	igt_assert_eq(__xetile_queue_create(c->fd, &args), 0);
	return args.queue_id;
}

/* Returns how many milliseconds two batches take that exchange numbers on one engine. */
static unsigned int exchange_ms(struct ctx *c, const uint32_t *queues, unsigned int rounds)
{
	uint32_t fences[2] = { xetile_syncobj(card.fd), xetile_syncobj(card.fd) };
	struct xetile_batch b[2];
	uint64_t from;

	c->gate.map[0] = 0;
	c->gate.map[16] = 0;
	for (unsigned int i = 0; i < 2; i++)
		exchange(c, &b[i], i, rounds);
	from = xetile_now_ms();
	for (unsigned int i = 0; i < 2; i++)
		igt_assert_eq(__xe_exec_batch(c->fd, queues[i], batch_addr(&b[i]), fences[i]), 0);
	for (unsigned int i = 0; i < 2; i++) {
		xetile_wait_done(c->fd, fences[i]);
		xetile_syncobj_destroy(c->fd, fences[i]);
	}
	from = xetile_now_ms() - from;
	igt_assert_eq_u32(c->gate.map[0], rounds);
	igt_assert_eq_u32(c->gate.map[16], rounds);
	for (unsigned int i = 0; i < 2; i++)
		xe_queue_destroy(c->fd, queues[i]);
	return from;
}

/*
 * On one engine: the compute engine, or with @class XE_COPY BCS0, which a queue that does not yield
 * shares with others only if all copy engines are in use.
 */
static void test_exchange(uint32_t class, uint64_t priority, uint64_t other)
{
	unsigned int ms, by_slices = 2 * FEW * SLICE_US / 1000;
	uint32_t queues[2];
	struct ctx c;

	ctx_init(&c, card.fd);
	queues[0] = queue_with(&c, class, priority);
	queues[1] = queue_with(&c, class, other);
	ms = exchange_ms(&c, queues, ROUNDS);
	/* A busy machine is slow to switch, for these queues as well. */
	if (class == XE_COMPUTE) {
		queues[0] = queue_native(&c, class);
		queues[1] = queue_native(&c, class);
		by_slices = exchange_ms(&c, queues, FEW);
	}
	ctx_fini(&c);
	igt_info("%u rounds: %u ms; %u by slices: %u ms\n", ROUNDS, ms, FEW, by_slices);
	by_slices *= ROUNDS / FEW;
	igt_assert_lt(ms, class == XE_COMPUTE ? by_slices * 2 / 3 : by_slices);
}

/*
 * A batch of a low priority goes on, and ends, while two others, of which one has a high priority,
 * wait for ever, on the same engine.
 */
static void test_spinners(uint32_t class)
{
	struct xe_held waits[2];
	struct xetile_batch b;
	uint32_t q;
	struct ctx c;

	ctx_init(&c, card.fd);
	xe_held_start(&waits[0], &c, queue_with(&c, class, 2), 0);
	xe_held_start(&waits[1], &c, queue_with(&c, class, 1), 1);
	for (unsigned int i = 0; i < 2; i++)
		xetile_assert_soon(xe_held_runs(&waits[i]));
	q = queue_with(&c, class, 0);
	for (unsigned int i = 1; i <= 8; i++) {
		uint64_t from = xetile_now_ms();

		batch_begin(&b, &c.batch, 15 * SZ_4K);
		batch_store(&b, c.gate.addr + SZ_4K, i, false);
		batch_end(&b);
		xe_run(c.fd, q, batch_addr(&b));
		igt_assert_eq_u32(c.gate.map[SZ_4K / 4], i);
		/* Those above it would keep it off for 16 slices. */
		igt_info("%u ms\n", (unsigned int)(xetile_now_ms() - from));
	}
	xe_queue_destroy(c.fd, q);
	for (unsigned int i = 0; i < 2; i++) {
		xe_held_end(&waits[i]);
		xe_queue_destroy(c.fd, waits[i].queue);
	}
	ctx_fini(&c);
}

igt_main {
	static const struct {
		const char *name;
		uint32_t class;
	} classes[] = { { "compute", XE_COMPUTE }, { "copy", XE_COPY } };

	igt_fixture {
		xetile_open_card(&card);
	}
	for (unsigned int i = 0; i < ARRAY_SIZE(classes); i++) {
		const uint32_t class = classes[i].class;

		igt_subtest_f("same-%s", classes[i].name)
			test_exchange(class, 1, 1);
		igt_subtest_f("lower-%s", classes[i].name)
			test_exchange(class, 1, 0);
		igt_subtest_f("higher-%s", classes[i].name)
			test_exchange(class, 0, 2);
		igt_subtest_f("spinners-%s", classes[i].name)
			test_spinners(class);
	}
	igt_fixture {
		close(card.fd);
	}
}
