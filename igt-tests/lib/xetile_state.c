// SPDX-License-Identifier: MIT
#include "xetile_state.h"

#define MI_LOAD_REGISTER_IMM	0x11080001u	/* relative to the engine */

/* Offsets and numbers of dwords: predicate sources and data, general purpose registers */
static const struct {
	uint32_t first, num;
} ranges[] = {
	{ 0x400, 6 },
	{ 0x600, 32 },
};

void batch_load_reg(struct xetile_batch *b, uint32_t offset, uint32_t value)
{
	batch_emit(b, MI_LOAD_REGISTER_IMM);
	batch_emit(b, offset);
	batch_emit(b, value);
}

static uint32_t marked(uint32_t mark, unsigned int n)
{
	return (mark + 1) << 16 | n;
}

void batch_mark_state(struct xetile_batch *b, uint32_t mark)
{
	unsigned int n = 0;

	for (unsigned int r = 0; r < ARRAY_SIZE(ranges); r++)
		for (unsigned int i = 0; i < ranges[r].num; i++, n++)
			batch_load_reg(b, ranges[r].first + 4 * i, marked(mark, n));
}

void batch_store_state(struct xetile_batch *b, uint64_t addr)
{
	for (unsigned int r = 0; r < ARRAY_SIZE(ranges); r++)
		for (unsigned int i = 0; i < ranges[r].num; i++, addr += 4)
			batch_store_reg(b, ranges[r].first + 4 * i, addr);
}

unsigned int state_marked(const volatile uint32_t *state, uint32_t mark)
{
	unsigned int count = 0;

	for (unsigned int n = 0; n < STATE_DWORDS; n++)
		count += state[n] == marked(mark, n);
	return count;
}

void state_check_same(const volatile uint32_t *a, const volatile uint32_t *b)
{
	for (unsigned int n = 0; n < STATE_DWORDS; n++)
		igt_assert_f(a[n] == b[n], "dword %u of the state is %#x, not %#x\n", n, a[n],
			     b[n]);
}

uint32_t state_start_each(struct job *j, const struct xetile_batch *batches, unsigned int num)
{
	struct drm_xetile_sync sync = { .flags = DRM_XETILE_SYNC_SIGNAL };
	struct drm_xetile_exec args = { .queue_id = j->queue, .num_batches = num };
	uint64_t addrs[DRM_XETILE_MAX_TILES];

	for (unsigned int m = 0; m < num; m++)
		addrs[m] = batch_addr(&batches[m]);
	sync.handle = xetile_syncobj(j->fd);
	args.batch = num == 1 ? addrs[0] : to_user(addrs);
	args.syncs = XETILE_ARRAY(&sync, 1);
	igt_assert_eq(xetile_ioctl(j->fd, DRM_IOCTL_XETILE_EXEC, &args), 0);
	return sync.handle;
}

uint32_t state_start_marker(struct job *j, uint32_t offset, uint32_t mark, unsigned int word)
{
	struct xetile_batch b;

	batch_begin(&b, &j->batch, offset);
	batch_mark_state(&b, mark);
	batch_store(&b, j->data.addr + 4 * word, 1, false);
	batch_wait(&b, j->data.addr + 256, 1);
	batch_end(&b);
	return state_start_each(j, &b, 1);
}

uint32_t state_start_reader(struct job *j, uint32_t offset, unsigned int word)
{
	struct xetile_batch b[DRM_XETILE_MAX_TILES];
	struct drm_xetile_queue_info info;

	xetile_queue_info(j->fd, j->queue, &info);
	for (unsigned int m = 0; m < info.num_members; m++) {
		batch_begin(&b[m], &j->batch, offset + m * STATE_BATCH);
		batch_store_state(&b[m], j->data.addr + 4 * (word + m * STATE_SPACE));
		batch_end(&b[m]);
	}
	return state_start_each(j, b, info.num_members);
}

int state_end(struct job *j, uint32_t syncobj)
{
	int status;

	igt_assert_eq(__xetile_wait(j->fd, syncobj, 60000), 0);
	status = xetile_fence_status(j->fd, syncobj);
	xetile_syncobj_destroy(j->fd, syncobj);
	return status;
}
