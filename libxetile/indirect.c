// SPDX-License-Identifier: MIT
/*
 * Indirect data of a launch: the kernel's implicit arguments, its arguments, and the local ids
 * when the hardware cannot make them. batch.c describes the layout. The functions are pure:
 * they write only to the memory that the caller names.
 */
#include "indirect.h"

#include <stdio.h>
#include <string.h>

#include "batch.h"
#include "dispatch.h"
#include "kernel.h"
#include "memory.h"
#include "module.h"
#include "util.h"
#include "zebin.h"

static void put_xyz(uint8_t *to, const uint32_t v[3])
{
	memcpy(to, v, 3 * sizeof(v[0]));
}

static void put_u64(uint8_t *to, uint32_t size, uint64_t v)
{
	memcpy(to, &v, size < sizeof(v) ? size : sizeof(v));
}

/* The offset of an argument's local memory */
static uint32_t slm_offset(const struct xetile_kernel *kernel, int32_t index)
{
	uint32_t i, size = kernel->desc->slm_size;

	for (i = 0; (int32_t)i <= index; i++) {
		const struct xt_arg *arg = &kernel->args[i];

		if (arg->kind != XETILE_ARG_LOCAL)
			continue;
		size = xt_align(size, arg->slm_align);
		if ((int32_t)i < index)
			size += arg->local_size;
	}
	return size;
}

static void put_payload(uint8_t *cross, const struct xetile_kernel *kernel,
			const struct xt_dispatch *d, const struct xt_batch_place *place,
			const struct xt_payload *p)
{
	const struct xetile_module *m = kernel->module;
	const struct xt_arg *arg = p->arg >= 0 ? &kernel->args[p->arg] : NULL;
	uint32_t global[3];
	uint8_t *to = cross + p->offset;
	unsigned int i;

	switch (p->type) {
	case XT_ARG_GLOBAL_OFFSET:
		put_xyz(to, d->offset);
		break;
	case XT_ARG_LOCAL_SIZE:
	case XT_ARG_ENQUEUED_LOCAL_SIZE:
		put_xyz(to, d->local);
		break;
	case XT_ARG_GROUP_COUNT:
		put_xyz(to, d->groups);
		break;
	case XT_ARG_GLOBAL_SIZE:
		for (i = 0; i < 3; i++)
			global[i] = d->groups[i] * d->local[i];
		put_xyz(to, global);
		break;
	case XT_ARG_WORK_DIM:
		put_u64(to, p->size, d->work_dim);
		break;
	case XT_ARG_VALUE:
		memcpy(to, arg->value + p->source, p->size);
		break;
	case XT_ARG_POINTER:
		put_u64(to, p->size, arg->address);
		break;
	case XT_ARG_BUFFER_SIZE:
		put_u64(to, p->size, arg->buffer_size);
		break;
	case XT_ARG_SLM:
		put_u64(to, p->size, slm_offset(kernel, p->arg));
		break;
	case XT_ARG_CONST_BASE:
	case XT_ARG_GLOBAL_BASE:
		i = p->type == XT_ARG_CONST_BASE ? XT_DATA_CONST : XT_DATA_GLOBAL;
		put_u64(to, p->size, m->data[i] ? m->data[i]->addr : 0);
		break;
	case XT_ARG_PRIVATE_BASE:
		put_u64(to, p->size, place->private_base);
		break;
	case XT_ARG_PRINTF:
		put_u64(to, p->size, kernel->printf->addr);
		break;
	case XT_ARG_IMPLICIT:
		put_u64(to, p->size, place->base + place->indirect);
		break;
	case XT_ARG_ZERO:
	case XT_ARG_NOTHING:
	case XT_ARG_REFUSED:
		break;
	}
}

/* Offsets of the implicit arguments; version 1 has more arguments behind those of version 0. */
#define IMPLICIT_SIZE_V0	112
#define IMPLICIT_SIZE_V1	140
#define IMPLICIT_LOCAL_SIZE	4
#define IMPLICIT_GLOBAL_SIZE	16
#define IMPLICIT_PRINTF		40
#define IMPLICIT_GLOBAL_OFFSET	48
#define IMPLICIT_LOCAL_IDS	72
#define IMPLICIT_GROUP_COUNT	80
#define IMPLICIT_ENQUEUED_SIZE	128

static void put_implicit(uint8_t *to, const struct xetile_kernel *kernel,
			 const struct xt_dispatch *d, const struct xt_batch_place *place)
{
	const struct xt_kernel_desc *k = kernel->desc;
	uint32_t version = kernel->module->zebin.implicit_version;
	unsigned int i;

	to[0] = version ? IMPLICIT_SIZE_V1 : IMPLICIT_SIZE_V0;
	to[1] = version;
	to[2] = d->work_dim;
	to[3] = k->simd;
	put_xyz(to + IMPLICIT_LOCAL_SIZE, d->local);
	for (i = 0; i < 3; i++) {
		put_u64(to + IMPLICIT_GLOBAL_SIZE + 8 * i, 8,
			(uint64_t)d->groups[i] * d->local[i]);
		put_u64(to + IMPLICIT_GLOBAL_OFFSET + 8 * i, 8, d->offset[i]);
	}
	if (kernel->printf)
		put_u64(to + IMPLICIT_PRINTF, 8, kernel->printf->addr);
	put_u64(to + IMPLICIT_LOCAL_IDS, 8,
		place->base + place->indirect + d->implicit_size + k->cross_size);
	put_xyz(to + IMPLICIT_GROUP_COUNT, d->groups);
	if (version)
		put_xyz(to + IMPLICIT_ENQUEUED_SIZE, d->local);
}

/*
 * A thread has XT_LOCAL_ID_LANES lanes of x, then of y, then of z, whatever its width; x runs
 * fastest over the work-items of the group.
 */
static void put_local_ids(uint8_t *rows, uint32_t simd, const struct xt_dispatch *d)
{
	uint32_t thread, lane, item;

	for (thread = 0; thread < d->threads; thread++) {
		uint16_t ids[3][XT_LOCAL_ID_LANES] = { { 0 } };

		for (lane = 0; lane < simd; lane++) {
			item = thread * simd + lane;
			ids[0][lane] = item % d->local[0];
			ids[1][lane] = item / d->local[0] % d->local[1];
			ids[2][lane] = item / (d->local[0] * d->local[1]);
		}
		memcpy(rows + thread * XT_LOCAL_ID_ROW, ids, sizeof(ids));
	}
}

void xt_indirect_write(uint8_t *to, const struct xetile_kernel *kernel,
		       const struct xt_dispatch *d, const struct xt_batch_place *place)
{
	const struct xt_kernel_desc *k = kernel->desc;
	uint32_t i;

	memset(to, 0, d->indirect_size);
	if (d->implicit_size)
		put_implicit(to, kernel, d, place);
	to += d->implicit_size;
	for (i = 0; i < k->num_payloads; i++)
		put_payload(to, kernel, d, place, &k->payloads[i]);
	if (k->has_local_ids && !d->hw_local_ids)
		put_local_ids(to + k->cross_size, k->simd, d);
}
