// SPDX-License-Identifier: GPL-2.0-only
/*
 * The end of an address space's updates. The address space has no reference any more, but its
 * work is still in a workqueue, or the gate holds the work. No pointer to the work may be left,
 * because the memory of the work is freed next.
 *
 * The test has its own workqueue, and a work that occupies the queue, so that later works stay in
 * the queue until the test releases the queue.
 */
#include <kunit/test.h>
#include <linux/atomic.h>
#include <linux/completion.h>
#include <linux/kernel.h>
#include <linux/rcupdate.h>

#include "../card/xetile_gate.c"
#include "../mem/xetile_fence.c"
#include "../mem/xetile_vm_order.c"
#include "../mem/xetile_vm_update.c"

int xetile_account_take_job(struct xetile_account *account)
{
	return 0;
}

void xetile_account_give_job(struct xetile_account *account)
{
}

int xetile_account_take_deps(struct xetile_account *account, unsigned int num)
{
	return 0;
}

void xetile_account_give_deps(struct xetile_account *account, unsigned int num)
{
}

/* An address space, and a card of which only the gate and the workqueue are used */
struct space {
	struct xetile_device xt;
	struct dma_resv resv;
	struct xetile_vm_updates ups;
	/* references that the changes hold */
	atomic_t refs;
	/* the work ran after the end of the address space */
	bool late;
	/* occupies the workqueue until @go */
	struct work_struct keeper;
	struct completion keeps, go;
};

static void space_get(struct xetile_vm_updates *ups)
{
	atomic_inc(&container_of(ups, struct space, ups)->refs);
}

static void space_put(struct xetile_vm_updates *ups)
{
	atomic_dec(&container_of(ups, struct space, ups)->refs);
}

static void keeper_work(struct work_struct *work)
{
	struct space *space = container_of(work, struct space, keeper);

	complete(&space->keeps);
	wait_for_completion(&space->go);
}

static void keep_queue(struct space *space)
{
	reinit_completion(&space->go);
	queue_work(space->xt.bind_wq, &space->keeper);
	wait_for_completion(&space->keeps);
}

/* Releases the queue, and waits until all works in the queue have run. */
static void let_queue_go(struct space *space)
{
	complete_all(&space->go);
	flush_workqueue(space->xt.bind_wq);
}

static void space_free(void *arg)
{
	struct space *space = arg;

	let_queue_go(space);
	destroy_workqueue(space->xt.bind_wq);
	dma_resv_fini(&space->resv);
}

static struct space *space_new(struct kunit *test)
{
	struct space *space = kunit_kzalloc(test, sizeof(*space), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, space);
	space->xt.bind_wq = alloc_ordered_workqueue("xetile-kunit", 0);
	KUNIT_ASSERT_NOT_NULL(test, space->xt.bind_wq);
	xetile_gate_init(&space->xt.gate);
	dma_resv_init(&space->resv);
	INIT_WORK(&space->keeper, keeper_work);
	init_completion(&space->keeps);
	init_completion(&space->go);
	space->ups.get = space_get;
	space->ups.put = space_put;
	xetile_vm_updates_init(&space->ups, &space->xt, &space->resv);
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, space_free, space), 0);
	return space;
}

/* The work's function after the end: in the driver the memory of the work would be freed. */
static void late_work(struct work_struct *work)
{
	container_of(work, struct space, ups.work.work)->late = true;
}

/* Ends an address space without references, as the driver does before it frees the memory. */
static void space_end(struct kunit *test, struct space *space)
{
	struct xetile_vm_updates *ups = &space->ups;
	bool is_queued;

	KUNIT_EXPECT_EQ(test, atomic_read(&space->refs), 0);
	xetile_vm_updates_fini(ups);
	is_queued = work_pending(&ups->work.work);
	KUNIT_EXPECT_FALSE(test, is_queued);
	KUNIT_EXPECT_TRUE(test, list_empty(&space->xt.gate.held));
	ups->work.work.func = late_work;
}

struct end_case {
	const char *name;
	bool is_held, is_queued;
};

static const struct end_case end_cases[] = {
	{ "nowhere", false, false },
	{ "queued", false, true },
	{ "held", true, false },
	{ "held, and queued", true, true },
};

KUNIT_ARRAY_PARAM_DESC(end, end_cases, name);

/* The last user of an address space always queues the work, even when no change waits. */
static void vm_update_end(struct kunit *test)
{
	const struct end_case *c = test->param_value;
	struct space *space = space_new(test);
	struct xetile_gate *gate = &space->xt.gate;
	bool is_queued;

	if (c->is_held) {
		xetile_gate_close(gate);
		xetile_vm_updates_end(&space->ups, -ECANCELED);
		flush_workqueue(space->xt.bind_wq);
	}
	KUNIT_EXPECT_EQ(test, !list_empty(&gate->held), c->is_held);
	keep_queue(space);
	if (c->is_queued)
		xetile_vm_updates_end(&space->ups, -ECANCELED);
	is_queued = work_pending(&space->ups.work.work);
	KUNIT_EXPECT_EQ(test, is_queued, c->is_queued);

	space_end(test, space);
	xetile_gate_open(gate);
	let_queue_go(space);
	KUNIT_EXPECT_FALSE(test, space->late);
}

static struct dma_fence *fence_new(struct kunit *test)
{
	struct dma_fence *fence = xetile_fence_alloc();

	KUNIT_ASSERT_NOT_NULL(test, fence);
	xetile_fence_arm_bind(fence, dma_fence_context_alloc(1), 1);
	return fence;
}

/* Makes a change without an operation, which waits for @fence. Returns the change's fence. */
static struct dma_fence *change(struct kunit *test, struct space *space, struct dma_fence *fence)
{
	const struct xetile_sync sync = { .fence = fence };
	const struct xetile_vm_place place = { .syncs = &sync, .num_syncs = 1 };
	struct xetile_vm_update *upd = xetile_vm_update_create(&space->ups);
	struct dma_fence *made = NULL;
	int err;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, upd);
	dma_resv_lock(&space->resv, NULL);
	err = xetile_vm_update_order(upd, &place);
	if (err)
		xetile_vm_update_cancel(upd);
	else
		made = xetile_vm_update_apply(upd, NULL);
	dma_resv_unlock(&space->resv);
	KUNIT_ASSERT_EQ(test, err, 0);
	KUNIT_ASSERT_NOT_NULL(test, made);
	return made;
}

/*
 * The fences of two changes signal on two processors. The first signal queues the work, which does
 * both changes and drops the last reference. Only then the other processor queues the work again.
 */
static void vm_update_late(struct kunit *test)
{
	struct space *space = space_new(test);
	struct xetile_vm_updates *ups = &space->ups;
	struct dma_fence *fences[2], *made[2];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(fences); i++) {
		fences[i] = fence_new(test);
		made[i] = change(test, space, fences[i]);
	}
	KUNIT_EXPECT_GT(test, atomic_read(&space->refs), 0);

	keep_queue(space);
	for (i = 0; i < ARRAY_SIZE(fences); i++) {
		KUNIT_EXPECT_FALSE(test, dma_fence_is_signaled(made[i]));
		dma_fence_signal(fences[i]);
	}
	let_queue_go(space);
	for (i = 0; i < ARRAY_SIZE(fences); i++) {
		KUNIT_EXPECT_EQ(test, dma_fence_get_status(made[i]), 1);
		dma_fence_put(made[i]);
		dma_fence_put(fences[i]);
	}

	keep_queue(space);
	xetile_gated_queue(&ups->work);
	space_end(test, space);
	let_queue_go(space);
	KUNIT_EXPECT_FALSE(test, space->late);
}

/* A fence holds the module, and an RCU callback frees the fence. */
static void vm_update_test_exit(struct kunit *test)
{
	rcu_barrier();
}

static struct kunit_case vm_update_tests[] = {
	KUNIT_CASE_PARAM(vm_update_end, end_gen_params),
	KUNIT_CASE(vm_update_late),
	{}
};

static struct kunit_suite vm_update_suite = {
	.name = "xetile_vm_update",
	.exit = vm_update_test_exit,
	.test_cases = vm_update_tests,
};

kunit_test_suite(vm_update_suite);
