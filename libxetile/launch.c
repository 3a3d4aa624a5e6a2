// SPDX-License-Identifier: MIT
/*
 * Launching a kernel: plan, write one part for each tile, submit once.
 */
#include <errno.h>
#include <string.h>

#include "internal.h"

int xetile_launch(struct xetile_queue *queue, struct xetile_kernel *kernel,
		  const struct xetile_launch_desc *desc, unsigned int num_waits,
		  struct xetile_event *const *waits, struct xetile_event **out)
{
	const struct xetile_module *m = kernel->module;
	struct xt_batch_place place = { .indirect = XT_BATCH_BYTES };
	struct xt_dispatch d;
	struct xt_slot *slot;
	uint32_t t, part = 0;
	uint8_t *to;
	int err;

	if (queue->engine_class != XETILE_COMPUTE)
		return xt_error(-EINVAL, "kernels run on compute queues only");
	if (m->context != queue->context)
		return xt_error(-EINVAL, "the kernel is of another context than the queue");
	err = xt_dispatch_plan(kernel, &queue->context->card->props, queue->num_dss,
			       queue->num_tiles, desc, &d);
	if (err)
		return err;
	err = xt_queue_slot(queue, XT_BATCH_BYTES + d.indirect_size + XT_BATCH_PREFETCH, &slot);
	if (err)
		return err;

	for (t = 0; t < XETILE_MAX_TILES; t++) {
		if (!(queue->tile_mask & (1u << t)))
			continue;
		to = (uint8_t *)slot->mem->map + part * slot->part_size;
		place.base = slot->mem->addr + part * slot->part_size;
		place.image = m->image->addr + t * m->image_size;
		xt_batch_launch((uint32_t *)to, kernel->desc, &d, &place);
		xt_batch_indirect(to + place.indirect, kernel, &d);
		part++;
	}
	return xt_queue_submit(queue, slot, num_waits, waits, out);
}
