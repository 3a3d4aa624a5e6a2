// SPDX-License-Identifier: MIT
/*
 * Launching a kernel: xetile_launch() plans the dispatch, writes one part of a slot for each
 * tile and submits the slot once.
 */
#include "launch.h"

#include <errno.h>
#include <string.h>

#include "batch.h"
#include "card.h"
#include "context.h"
#include "debug.h"
#include "dispatch.h"
#include "error.h"
#include "indirect.h"
#include "kernel.h"
#include "memory.h"
#include "module.h"
#include "slot.h"
#include "zebin.h"

/* Get memory for hardware threads, of the kinds that the kernel needs. */
static int get_thread_mem(struct xetile_queue *queue, const struct xt_kernel_desc *k,
			  const struct xt_dispatch *d,
			  const struct xt_thread_mem *mem[XT_THREAD_MEM_KINDS])
{
	uint64_t size[XT_THREAD_MEM_KINDS] = { 0 };
	unsigned int i;
	int err;

	for (i = 0; i < 2; i++) {
		if (k->scratch[i])
			size[XT_THREAD_SCRATCH0 + i] =
				(uint64_t)xt_batch_scratch_pitch(k->scratch[i]) * d->scratch_slots;
	}
	size[XT_THREAD_PRIVATE] = (uint64_t)k->private_size * d->private_slots;
	for (i = 0; i < XT_THREAD_MEM_KINDS; i++) {
		if (!size[i])
			continue;
		err = xt_queue_thread_mem(queue, i, size[i], &mem[i]);
		if (err)
			return xt_error_add(err, "kernel %s: memory of its threads", k->name);
	}
	return 0;
}

static uint64_t part_address(const struct xt_thread_mem *mem, uint32_t part)
{
	return mem ? mem->mem->addr + part * mem->part_size : 0;
}

static int plan_split(struct xt_launch *launch, const struct xetile_follow *follow)
{
	const struct xetile_queue *queue = launch->queue;
	struct xt_split *split = &launch->split;
	int err;

	if (follow->mem->context != queue->context)
		return xt_error(-EINVAL, "the buffer to follow is of another context than the queue");
	err = xt_split_plan(follow, launch->dispatch.groups, queue->tile_mask, split);
	if (err)
		return err;
	if (split->num && queue->num_tiles > 1)
		launch->dispatch.more = xt_batch_more(split->walkers);
	else
		split->num = 0;
	return 0;
}

static void show(const struct xt_launch *launch)
{
	const struct xt_dispatch *d = &launch->dispatch;

	if (launch->split.num)
		xt_debug("kernel %s: %ux%ux%u groups, split by color along %c in %u ranges",
			 launch->kernel->desc->name, d->groups[0], d->groups[1], d->groups[2],
			 'x' + launch->split.dim, launch->split.num);
	else
		xt_debug("kernel %s: %ux%ux%u groups, %u of %u along %c for each of %u tiles",
			 launch->kernel->desc->name, d->groups[0], d->groups[1], d->groups[2],
			 d->plan.share, d->plan.groups, 'x' + d->plan.dim, d->plan.parts);
}

int xt_launch_plan(struct xetile_queue *queue, const struct xetile_kernel *kernel,
		   const struct xetile_launch_desc *desc, struct xt_launch *launch)
{
	struct xt_dispatch *d = &launch->dispatch;
	int err;

	launch->queue = queue;
	launch->kernel = kernel;
	memset(launch->mem, 0, sizeof(launch->mem));
	launch->split.num = 0;
	if (queue->engine_class != XETILE_COMPUTE)
		return xt_error(-EINVAL, "kernels run on compute queues only");
	if (kernel->module->context != queue->context)
		return xt_error(-EINVAL, "the kernel is of another context than the queue");
	err = xt_dispatch_plan(kernel, &queue->context->card->props, queue->num_dss,
			       queue->num_tiles, desc, d);
	if (!err && desc->follow.mem)
		err = plan_split(launch, &desc->follow);
	if (err)
		return err;
	show(launch);
	launch->bytes = XT_BATCH_BYTES + d->more + d->indirect_size;
	return get_thread_mem(queue, kernel->desc, d, launch->mem);
}

void xt_launch_write(const struct xt_launch *launch, struct xetile_mem *mem, uint64_t part_size,
		     uint64_t offset, bool timed, unsigned int num[XETILE_MAX_TILES])
{
	const struct xetile_queue *queue = launch->queue;
	const struct xetile_kernel *kernel = launch->kernel;
	const struct xetile_module *m = kernel->module;
	const struct xt_dispatch *d = &launch->dispatch;
	struct xt_batch_place place = { .indirect = XT_BATCH_BYTES + d->more };
	unsigned int dwords;
	uint32_t t, part = 0;
	uint8_t *to;

	for (t = 0; t < XETILE_MAX_TILES; t++) {
		if (!(queue->tile_mask & (1u << t)))
			continue;
		to = (uint8_t *)mem->map + part * part_size + offset;
		place.base = mem->addr + part * part_size + offset;
		place.image = m->image->addr + t * m->image_size;
		place.scratch[0] = part_address(launch->mem[XT_THREAD_SCRATCH0], part);
		place.scratch[1] = part_address(launch->mem[XT_THREAD_SCRATCH1], part);
		place.private_base = part_address(launch->mem[XT_THREAD_PRIVATE], part);
		place.times = timed ? place.base + XT_BATCH_TIMES + d->more : 0;
		place.split = launch->split.num ? &launch->split : NULL;
		place.tile = t;
		place.fence = xt_context_fence(queue->context, t);
		dwords = xt_batch_launch((uint32_t *)to, kernel->desc, d, &place);
		xt_batch_end((uint32_t *)to, dwords);
		if (num)
			num[part] = dwords;
		xt_batch_states((uint32_t *)(to + XT_BATCH_STATES + d->more),
				kernel->desc, d, &place);
		xt_indirect_write(to + place.indirect, kernel, d, &place);
		part++;
	}
}

int xetile_launch(struct xetile_queue *queue, struct xetile_kernel *kernel,
		  const struct xetile_launch_desc *desc, unsigned int num_waits,
		  struct xetile_event *const *waits, struct xetile_event **out)
{
	struct xt_launch launch;
	struct xt_slot *slot;
	int err;

	err = xt_launch_plan(queue, kernel, desc, &launch);
	if (err)
		return err;
	err = xt_queue_slot(queue, launch.bytes + XT_BATCH_PREFETCH, &slot);
	if (err)
		return err;
	slot->times = queue->timed && out ? XT_BATCH_TIMES + launch.dispatch.more : 0;
	xt_launch_write(&launch, slot->mem, slot->part_size, 0, slot->times, NULL);
	return xt_queue_submit(queue, slot, num_waits, waits, out);
}
