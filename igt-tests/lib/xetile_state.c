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

static uint32_t submit(struct job *j, const struct xetile_batch *b)
{
	struct drm_xetile_sync sync = { .flags = DRM_XETILE_SYNC_SIGNAL };

	sync.handle = xetile_syncobj(j->fd);
	igt_assert_eq(__xetile_exec(j->fd, j->queue, batch_addr(b), &sync, 1), 0);
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
	return submit(j, &b);
}

uint32_t state_start_reader(struct job *j, uint32_t offset, unsigned int word)
{
	struct xetile_batch b;

	batch_begin(&b, &j->batch, offset);
	batch_store_state(&b, j->data.addr + 4 * word);
	batch_end(&b);
	return submit(j, &b);
}

int state_end(struct job *j, uint32_t syncobj)
{
	int status;

	igt_assert_eq(__xetile_wait(j->fd, syncobj, 60000), 0);
	status = xetile_fence_status(j->fd, syncobj);
	xetile_syncobj_destroy(j->fd, syncobj);
	return status;
}
