// SPDX-License-Identifier: MIT
/*
 * Kernels and their arguments. An argument may stand in several places of the cross-thread data
 * (split values, a pointer and its size), so a kernel keeps one value for each argument, and
 * indirect.c copies the value to its places at launch.
 */
#include "kernel.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "memory.h"
#include "module.h"
#include "util.h"
#include "zebin.h"

/* A struct's last padding may lie outside of the slots; a value is longer by less than this. */
#define VALUE_PAD	16

static int classify(struct xetile_kernel *kernel)
{
	const struct xt_kernel_desc *k = kernel->desc;
	uint32_t i, j, declared;
	unsigned int pieces;

	for (i = 0; i < k->num_args; i++) {
		struct xt_arg *arg = &kernel->args[i];

		for (j = 0, pieces = 0, declared = 0; j < k->num_payloads; j++) {
			const struct xt_payload *p = &k->payloads[j];
			enum xetile_arg_kind kind;

			if (p->arg != (int32_t)i)
				continue;
			if (p->type == XT_ARG_VALUE)
				kind = XETILE_ARG_VALUE;
			else if (p->type == XT_ARG_SLM)
				kind = XETILE_ARG_LOCAL;
			else if (p->type == XT_ARG_POINTER || p->type == XT_ARG_BUFFER_SIZE)
				kind = XETILE_ARG_POINTER;
			else
				continue;
			if (arg->kind != XETILE_ARG_UNUSED && arg->kind != kind)
				return xt_error(-EINVAL, "kernel %s: argument %u is of two kinds",
						k->name, i);
			arg->kind = kind;
			if (p->slm_align > arg->slm_align)
				arg->slm_align = p->slm_align;
			if (kind == XETILE_ARG_VALUE) {
				pieces++;
				declared = p->declared;
				if (p->source + p->size > arg->size)
					arg->size = p->source + p->size;
			}
		}
		/*
		 * A scalar has its declared size, or the size of its slot when the file does not
		 * tell the declared size. The kernel may leave a struct's last padding unused.
		 */
		arg->extent = arg->size_max = arg->size;
		if (pieces > 1 || arg->size > 8 || (arg->size & (arg->size - 1)))
			arg->size_max += VALUE_PAD - 1;
		else if (declared && declared < arg->size)
			arg->size_max = arg->size = declared;
		if (arg->kind == XETILE_ARG_VALUE) {
			arg->value = calloc(1, arg->size_max > arg->extent ?
					    arg->size_max : arg->extent);
			if (!arg->value)
				return xt_error(-ENOMEM, "out of memory");
		}
		arg->set = arg->kind == XETILE_ARG_UNUSED;
	}
	return 0;
}

int xetile_kernel_create(struct xetile_module *module, const char *name,
			 struct xetile_kernel **out)
{
	const struct xt_kernel_desc *desc = NULL;
	struct xetile_kernel *kernel;
	uint32_t i;
	int err;

	for (i = 0; i < module->zebin.num_kernels; i++) {
		if (!strcmp(module->zebin.kernels[i].name, name))
			desc = &module->zebin.kernels[i];
	}
	if (!desc)
		return xt_error(-ENOENT, "there is no kernel %.64s in the module", name);
	if (desc->refusal[0])
		return xt_error(-EOPNOTSUPP, "kernel %.64s needs a feature that the library does not have: %s",
				name, desc->refusal);
	kernel = calloc(1, sizeof(*kernel));
	if (!kernel)
		return xt_error(-ENOMEM, "out of memory");
	kernel->module = module;
	kernel->desc = desc;
	kernel->args = calloc(desc->num_args ? desc->num_args : 1, sizeof(*kernel->args));
	err = kernel->args ? classify(kernel) : xt_error(-ENOMEM, "out of memory");
	if (err) {
		xetile_kernel_destroy(kernel);
		return err;
	}
	*out = kernel;
	return 0;
}

void xetile_kernel_destroy(struct xetile_kernel *kernel)
{
	uint32_t i;

	if (!kernel)
		return;
	for (i = 0; kernel->args && i < kernel->desc->num_args; i++)
		free(kernel->args[i].value);
	free(kernel->args);
	free(kernel);
}

void (xetile_kernel_get_info)(const struct xetile_kernel *kernel, struct xetile_kernel_info *info,
			      size_t size)
{
	const struct xt_kernel_desc *k = kernel->desc;
	struct xetile_kernel_info all;

	memset(&all, 0, sizeof(all));
	all.name = k->name;
	all.num_args = k->num_args;
	all.simd = k->simd;
	all.grf_count = k->grf_count;
	all.slm_size = k->slm_size;
	all.barriers = k->barriers;
	all.text_size = k->text_size;
	all.prints = k->has_printf;
	all.num_parameters = k->num_parameters;
	memcpy(all.required_local, k->required_local, sizeof(all.required_local));
	xt_answer(info, size, &all, sizeof(all));
}

static const struct xt_parameter *get_parameter(const struct xetile_kernel *kernel,
						unsigned int index)
{
	return index < kernel->desc->num_parameters ? &kernel->desc->parameters[index] : NULL;
}

const char *xetile_kernel_arg_name(const struct xetile_kernel *kernel, unsigned int index)
{
	const struct xt_parameter *p = get_parameter(kernel, index);

	return p ? p->name : NULL;
}

const char *xetile_kernel_arg_type(const struct xetile_kernel *kernel, unsigned int index)
{
	const struct xt_parameter *p = get_parameter(kernel, index);

	return p ? p->type : NULL;
}

int xetile_kernel_arg(const struct xetile_kernel *kernel, unsigned int index, size_t *size)
{
	const struct xt_arg *arg;

	if (index >= kernel->desc->num_args)
		return xt_error(-EINVAL, "kernel %s has %u arguments, not %u",
				kernel->desc->name, kernel->desc->num_args, index + 1);
	arg = &kernel->args[index];
	if (size)
		*size = arg->kind == XETILE_ARG_VALUE ? arg->size : 8;
	return arg->kind;
}

/* Returns the argument when its kind is @kind or UNUSED, else NULL with an error text. */
static struct xt_arg *get_arg(struct xetile_kernel *kernel, unsigned int index,
			      enum xetile_arg_kind kind)
{
	static const char * const names[] = {
		[XETILE_ARG_UNUSED] = "nothing",
		[XETILE_ARG_VALUE] = "a value",
		[XETILE_ARG_POINTER] = "memory",
		[XETILE_ARG_LOCAL] = "shared local memory",
	};
	int is = xetile_kernel_arg(kernel, index, NULL);

	if (is < 0)
		return NULL;
	if (is != XETILE_ARG_UNUSED && is != (int)kind) {
		xt_error(-EINVAL, "kernel %s: argument %u takes %s, not %s", kernel->desc->name,
			 index, names[is], names[kind]);
		return NULL;
	}
	return &kernel->args[index];
}

int xetile_kernel_set_value(struct xetile_kernel *kernel, unsigned int index,
			    const void *value, size_t size)
{
	struct xt_arg *arg = get_arg(kernel, index, XETILE_ARG_VALUE);

	if (!arg)
		return -EINVAL;
	if (arg->kind == XETILE_ARG_UNUSED)
		return 0;
	if (size < arg->size || size > arg->size_max)
		return xt_error(-EINVAL, "kernel %s: argument %u takes %zu bytes, not %zu",
				kernel->desc->name, index, arg->size, size);
	memcpy(arg->value, value, size);
	arg->set = true;
	return 0;
}

static int set_pointer(struct xetile_kernel *kernel, unsigned int index, uint64_t address,
		       uint64_t buffer_size)
{
	struct xt_arg *arg = get_arg(kernel, index, XETILE_ARG_POINTER);

	if (!arg)
		return -EINVAL;
	arg->address = address;
	arg->buffer_size = buffer_size;
	arg->set = true;
	return 0;
}

int xetile_kernel_set_mem(struct xetile_kernel *kernel, unsigned int index,
			  struct xetile_mem *mem, uint64_t offset)
{
	if (!mem)
		return set_pointer(kernel, index, 0, 0);
	if (mem->context != kernel->module->context)
		return xt_error(-EINVAL, "kernel %s: argument %u: memory of another context",
				kernel->desc->name, index);
	if (offset >= mem->size)
		return xt_error(-EINVAL, "kernel %s: argument %u: offset %" PRIu64 " is not in the buffer",
				kernel->desc->name, index, offset);
	return set_pointer(kernel, index, mem->addr + offset, mem->size - offset);
}

int xetile_kernel_set_address(struct xetile_kernel *kernel, unsigned int index,
			      uint64_t address)
{
	return set_pointer(kernel, index, address, 0);
}

int xetile_kernel_set_local(struct xetile_kernel *kernel, unsigned int index,
			    uint32_t size)
{
	struct xt_arg *arg = get_arg(kernel, index, XETILE_ARG_LOCAL);

	if (!arg)
		return -EINVAL;
	if (!size)
		return xt_error(-EINVAL, "kernel %s: argument %u: no bytes of local memory",
				kernel->desc->name, index);
	arg->local_size = size;
	arg->set = true;
	return 0;
}
