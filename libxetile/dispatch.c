// SPDX-License-Identifier: MIT
/*
 * Planning a launch: xt_dispatch_plan() checks the sizes that xetile_launch() is given and
 * computes the numbers that are the same for every tile. Pure: no call reaches the driver.
 */
#include "dispatch.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <pvc_bits.h>
#include <pvc_gfx_commands.h>

#include "card.h"
#include "error.h"
#include "kernel.h"
#include "module.h"
#include "util.h"
#include "zebin.h"

/*
 * A kernel indexes private memory by the number of its hardware thread. These numbers count the
 * threads of all XT_MAX_DSS dual subslices, fused off or not. The hardware indexes scratch, with
 * more numbers for each execution unit than the unit has threads.
 */
#define SCRATCH_THREADS_PER_EU	16

/* The most bytes that the walker's length field can hold, in units of 64 */
#define INDIRECT_MAX	(PVC_FIELD_GET(PVC_COMPUTE_WALKER2_INDIRECT_LENGTH, ~0u) & ~63u)

static bool is_pow2(uint32_t v)
{
	return v && !(v & (v - 1));
}

/* Local memory: the bytes that the kernel declares, then each argument's bytes, aligned. */
static int plan_slm(const struct xetile_kernel *kernel, uint32_t limit, uint32_t *total)
{
	const struct xt_kernel_desc *k = kernel->desc;
	uint64_t size = k->slm_size;
	uint32_t i;

	for (i = 0; i < k->num_args; i++) {
		const struct xt_arg *arg = &kernel->args[i];

		if (arg->kind == XETILE_ARG_LOCAL)
			size = xt_align(size, arg->slm_align) + arg->local_size;
	}
	if (limit > XT_MAX_SLM)
		limit = XT_MAX_SLM;
	if (size > limit)
		return xt_error(-EINVAL, "kernel %s: %" PRIu64 " bytes of local memory exceed %u",
				k->name, size, limit);
	*total = size;
	return 0;
}

static int plan_shape(const struct xt_kernel_desc *k, const struct xetile_launch_desc *desc,
		      struct xt_dispatch *d)
{
	static const char dims[] = "xyz";
	unsigned int i;

	if (!desc->groups[0] || !desc->local[0])
		return xt_error(-EINVAL, "kernel %s: there are no work-groups, or work-groups are empty",
				k->name);
	for (i = 0; i < 3; i++) {
		d->groups[i] = desc->groups[i] ? desc->groups[i] : 1;
		d->local[i] = desc->local[i] ? desc->local[i] : 1;
		d->offset[i] = desc->offset[i];
		if (d->groups[i] > 1 || d->local[i] > 1 || !i)
			d->work_dim = i + 1;
		if (d->local[i] > XT_MAX_GROUP_ITEMS)
			return xt_error(-EINVAL, "kernel %s: local size %u in %c exceeds %d", k->name,
					d->local[i], dims[i], XT_MAX_GROUP_ITEMS);
		if ((uint64_t)d->groups[i] * d->local[i] + d->offset[i] > UINT32_MAX)
			return xt_error(-EINVAL, "kernel %s: global size in %c exceeds 32 bits",
					k->name, dims[i]);
		if (k->required_local[0] && d->local[i] != k->required_local[i])
			return xt_error(-EINVAL, "kernel %s demands work-groups of %ux%ux%u", k->name,
					k->required_local[0], k->required_local[1],
					k->required_local[2]);
	}
	return 0;
}

int xt_dispatch_plan(const struct xetile_kernel *kernel,
		     const struct drm_xetile_query_device *props, uint32_t num_dss,
		     unsigned int tiles, const struct xetile_launch_desc *desc,
		     struct xt_dispatch *d)
{
	const struct xt_kernel_desc *k = kernel->desc;
	uint32_t i, items, eu_threads;
	int err;

	memset(d, 0, sizeof(*d));
	for (i = 0; i < k->num_args; i++) {
		if (!kernel->args[i].set)
			return xt_error(-EINVAL, "kernel %s: argument %u is not set", k->name, i);
	}
	if (k->has_printf && !kernel->printf)
		return xt_error(-EINVAL, "kernel %s: memory for its printf is not set", k->name);
	err = plan_shape(k, desc, d);
	if (!err)
		err = plan_slm(kernel, props->max_slm, &d->slm_total);
	if (err)
		return err;

	/* A vector engine runs half as many threads when each has 256 registers. */
	eu_threads = props->threads_per_eu / (k->grf_count == 256 ? 2 : 1);
	items = d->local[0] * d->local[1];
	if (items <= XT_MAX_GROUP_ITEMS)
		items *= d->local[2];
	d->threads = (items + k->simd - 1) / k->simd;
	if (items > XT_MAX_GROUP_ITEMS || d->threads > props->eus_per_dss * eu_threads)
		return xt_error(-EINVAL, "kernel %s: work-groups of %ux%ux%u are too large", k->name,
				d->local[0], d->local[1], d->local[2]);
	d->max_threads = num_dss * props->eus_per_dss * eu_threads;
	if (d->max_threads > UINT16_MAX)
		d->max_threads = UINT16_MAX;

	d->scratch_slots = XT_MAX_DSS * props->eus_per_dss * SCRATCH_THREADS_PER_EU;
	d->private_slots = XT_MAX_DSS * props->eus_per_dss * props->threads_per_eu;
	d->implicit_size = k->needs_implicit ?
		XT_IMPLICIT_SIZE(kernel->module->zebin.implicit_version) : 0;
	/*
	 * The hardware makes local ids by shifts, so x and y must be powers of two. Functions that
	 * use implicit arguments read local ids from memory.
	 */
	d->hw_local_ids = k->has_local_ids && k->skip_offset && !d->implicit_size &&
		is_pow2(d->local[0]) && is_pow2(d->local[1]);
	d->indirect_size = d->implicit_size + k->cross_size;
	if (k->has_local_ids && !d->hw_local_ids)
		d->indirect_size += d->threads * XT_LOCAL_ID_ROW;
	if (d->indirect_size > INDIRECT_MAX)
		return xt_error(-EINVAL, "kernel %s: %u bytes of arguments exceed the limit", k->name,
				d->indirect_size);

	d->partitioned = tiles > 1;
	return xetile_plan_partition(d->groups, tiles, desc->rule, &d->plan);
}
