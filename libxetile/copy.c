// SPDX-License-Identifier: MIT
/*
 * Copies and fills by a copy engine: each call checks its ranges, writes a batch into a slot of
 * the queue and submits the slot.
 */
#include "xetile.h"

#include <errno.h>
#include <inttypes.h>

#include "batch.h"
#include "context.h"
#include "error.h"
#include "memory.h"
#include "queue.h"

static int check_range(const struct xetile_queue *queue, const struct xetile_mem *mem,
		       uint64_t offset, uint64_t size, const char *what)
{
	if (mem->context != queue->context)
		return xt_error(-EINVAL, "the %s is of another context than the queue", what);
	if (offset > mem->size || size > mem->size - offset)
		return xt_error(-EINVAL, "%" PRIu64 " bytes at %" PRIu64 " exceed the %s of %" PRIu64,
				size, offset, what, mem->size);
	return 0;
}

static int get_slot(struct xetile_queue *queue, uint64_t size, struct xt_slot **slot)
{
	if (queue->engine_class != XETILE_COPY)
		return xt_error(-EINVAL, "copies and fills run on copy queues only");
	if (!size)
		return xt_error(-EINVAL, "a copy or fill of no bytes");
	return xt_queue_slot(queue, xt_batch_copy_bytes(size) + XT_BATCH_PREFETCH, slot);
}

/* A queue of copies is on one tile. */
static struct xt_batch_end batch_end(const struct xetile_queue *queue)
{
	return (struct xt_batch_end) {
		.fence = xt_context_fence(queue->context, __builtin_ctz(queue->tile_mask)),
		.nowhere = queue->context->minor >= 1,
	};
}

int xetile_copy(struct xetile_queue *queue, struct xetile_mem *dst, uint64_t dst_offset,
		struct xetile_mem *src, uint64_t src_offset, uint64_t size,
		unsigned int num_waits, struct xetile_event *const *waits,
		struct xetile_event **out)
{
	const struct xt_batch_end end = batch_end(queue);
	struct xt_slot *slot;
	int err;

	err = check_range(queue, dst, dst_offset, size, "destination");
	if (!err)
		err = check_range(queue, src, src_offset, size, "source");
	if (err)
		return err;
	if (dst == src && dst_offset < src_offset + size && src_offset < dst_offset + size)
		return xt_error(-EINVAL, "source and destination overlap");
	err = get_slot(queue, size, &slot);
	if (err)
		return err;
	xt_batch_copy(slot->mem->map, dst->addr + dst_offset, src->addr + src_offset, size,
		      &end);
	return xt_queue_submit(queue, slot, num_waits, waits, out);
}

int xetile_fill(struct xetile_queue *queue, struct xetile_mem *dst, uint64_t offset,
		uint64_t size, uint8_t value, unsigned int num_waits,
		struct xetile_event *const *waits, struct xetile_event **out)
{
	const struct xt_batch_end end = batch_end(queue);
	struct xt_slot *slot;
	int err;

	err = check_range(queue, dst, offset, size, "destination");
	if (!err)
		err = get_slot(queue, size, &slot);
	if (err)
		return err;
	xt_batch_fill(slot->mem->map, dst->addr + offset, size, value, &end);
	return xt_queue_submit(queue, slot, num_waits, waits, out);
}
