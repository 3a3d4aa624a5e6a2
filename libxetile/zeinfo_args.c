// SPDX-License-Identifier: MIT
/*
 * .ze_info of one kernel: the places of its arguments, the data of each thread, and the memory
 * that each thread needs. zeinfo.c calls these functions for the elements of a kernel's lists.
 */
#include "zeinfo.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "util.h"
#include "zebin.h"

#define MAX_PAYLOADS	4096
#define MAX_ARG_INDEX	1023
#define MAX_SCRATCH	(256u << 10)
#define MAX_PRIVATE	(64u << 20)

void xt_zeinfo_refuse(struct xt_kernel_desc *k, const char *fmt, ...)
{
	va_list args;

	if (k->refusal[0])
		return;
	va_start(args, fmt);
	vsnprintf(k->refusal, sizeof(k->refusal), fmt, args);
	va_end(args);
}

struct payload_text {
	const char *arg_type, *addrmode;
	uint32_t offset, size, arg_index, source_offset, slm_alignment;
	bool has_offset, has_size, has_index;
};

static int payload_num(struct xt_zeinfo *zi, const struct xt_field *f, const yaml_node_t *node,
		       void *obj)
{
	struct payload_text *p = obj;

	if (f->offset == offsetof(struct payload_text, offset))
		p->has_offset = true;
	else if (f->offset == offsetof(struct payload_text, size))
		p->has_size = true;
	else if (f->offset == offsetof(struct payload_text, arg_index))
		p->has_index = true;
	return xt_yaml_set_u32(zi, f, node, obj);
}

#define IN_PAYLOAD(member)	offsetof(struct payload_text, member)

static const struct xt_field payload_fields[] = {
	{ "arg_type", xt_yaml_set_text, IN_PAYLOAD(arg_type), 0, NULL },
	{ "offset", payload_num, IN_PAYLOAD(offset), XT_MAX_CROSS_SIZE, NULL },
	{ "size", payload_num, IN_PAYLOAD(size), XT_MAX_CROSS_SIZE, NULL },
	{ "arg_index", payload_num, IN_PAYLOAD(arg_index), MAX_ARG_INDEX, NULL },
	{ "source_offset", payload_num, IN_PAYLOAD(source_offset), XT_MAX_CROSS_SIZE, NULL },
	{ "slm_alignment", payload_num, IN_PAYLOAD(slm_alignment), XT_MAX_SLM, NULL },
	{ "addrmode", xt_yaml_set_text, IN_PAYLOAD(addrmode), 0, NULL },
	{ "addrspace", xt_yaml_any_text, 0, 0, NULL },
	{ "access_type", xt_yaml_any_text, 0, 0, NULL },
	{ "is_ptr", xt_yaml_any_bool, 0, 0, NULL },
	{ "is_pipe", xt_yaml_any_bool, 0, 0, NULL },
	{ "image_type", xt_yaml_any_text, 0, 0, NULL },
	{ "image_transformable", xt_yaml_any_bool, 0, 0, NULL },
	{ "sampler_type", xt_yaml_any_text, 0, 0, NULL },
	{ "sampler_index", xt_yaml_any_u32, 0, 0, NULL },
	{ "bti_value", xt_yaml_any_u32, 0, 0, NULL },
};

struct arg_kind {
	const char *name;
	enum xt_arg_type type;
	uint32_t size;		/* bytes that the piece must have; 0: at least one; or ANY_SIZE */
	bool user;		/* the piece belongs to an argument of the kernel */
	const char *refusal;
};

#define ANY_SIZE	UINT32_MAX

static const struct arg_kind arg_kinds[] = {
	{ "global_id_offset", XT_ARG_GLOBAL_OFFSET, 12, false, NULL },
	{ "local_size", XT_ARG_LOCAL_SIZE, 12, false, NULL },
	{ "enqueued_local_size", XT_ARG_ENQUEUED_LOCAL_SIZE, 12, false, NULL },
	{ "group_count", XT_ARG_GROUP_COUNT, 12, false, NULL },
	{ "global_size", XT_ARG_GLOBAL_SIZE, 12, false, NULL },
	{ "work_dimensions", XT_ARG_WORK_DIM, 4, false, NULL },
	{ "arg_byvalue", XT_ARG_VALUE, 0, true, NULL },
	{ "arg_bypointer", XT_ARG_POINTER, ANY_SIZE, true, NULL },
	{ "buffer_address", XT_ARG_POINTER, 8, true, NULL },
	{ "buffer_size", XT_ARG_BUFFER_SIZE, 8, true, NULL },
	/* The pointer is the buffer's first byte with its offset already added. */
	{ "buffer_offset", XT_ARG_ZERO, 4, true, NULL },
	{ "const_base", XT_ARG_CONST_BASE, 8, false, NULL },
	{ "global_base", XT_ARG_GLOBAL_BASE, 8, false, NULL },
	{ "private_base_stateless", XT_ARG_PRIVATE_BASE, 8, false, NULL },
	{ "printf_buffer", XT_ARG_PRINTF, 8, false, NULL },
	{ "implicit_arg_buffer", XT_ARG_IMPLICIT, 8, false, NULL },
	{ "assert_buffer", XT_ARG_REFUSED, ANY_SIZE, false, "assert" },
	{ "sync_buffer", XT_ARG_REFUSED, ANY_SIZE, false, "a barrier over work-groups" },
	{ "rt_global_buffer", XT_ARG_REFUSED, ANY_SIZE, false, "ray tracing" },
	{ "indirect_data_pointer", XT_ARG_REFUSED, ANY_SIZE, false, "heapless addressing" },
	{ "scratch_pointer", XT_ARG_REFUSED, ANY_SIZE, false, "heapless addressing" },
	{ "region_group_size", XT_ARG_REFUSED, ANY_SIZE, false, "region groups" },
	{ "region_group_dimension", XT_ARG_REFUSED, ANY_SIZE, false, "region groups" },
	{ "region_group_wg_count", XT_ARG_REFUSED, ANY_SIZE, false, "region groups" },
	{ "region_group_barrier_buffer", XT_ARG_REFUSED, ANY_SIZE, false, "region groups" },
};

static const struct arg_kind *find_kind(const char *name)
{
	static const struct arg_kind image = {
		"image", XT_ARG_REFUSED, ANY_SIZE, false, "images",
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(arg_kinds); i++) {
		if (!strcmp(name, arg_kinds[i].name))
			return &arg_kinds[i];
	}
	if (!strncmp(name, "image_", 6) || !strncmp(name, "sampler_", 8))
		return &image;
	return NULL;
}

/* A kernel accesses the memory of a pointer in one of four ways. */
static int get_addrmode(struct xt_zeinfo *zi, struct xt_kernel_desc *k,
			const struct payload_text *t, struct xt_payload *p)
{
	const char *mode = t->addrmode;

	if (!mode)
		return xt_yaml_bad(zi, "arg_bypointer %u: addrmode is missing", t->arg_index);
	if (!strcmp(mode, "stateless")) {
		if (t->size != 8)
			return xt_yaml_bad(zi, "arg_bypointer %u: size %u is not 8", t->arg_index,
					   t->size);
	} else if (!strcmp(mode, "slm")) {
		if (t->size != 4 && t->size != 8)
			return xt_yaml_bad(zi, "arg_bypointer %u: size %u is not 4 or 8",
					   t->arg_index, t->size);
		p->type = XT_ARG_SLM;
		p->slm_align = t->slm_alignment ? t->slm_alignment : 16;
		if (p->slm_align & (p->slm_align - 1))
			return xt_yaml_bad(zi,
					   "arg_bypointer %u: slm_alignment %u is no power of two",
					   t->arg_index, p->slm_align);
	} else if (!strcmp(mode, "stateful")) {
		if (t->size)
			return xt_yaml_bad(zi,
					   "arg_bypointer %u: size %u of a stateful pointer is not 0",
					   t->arg_index, t->size);
		p->type = XT_ARG_NOTHING;
	} else if (!strcmp(mode, "bindless")) {
		p->type = XT_ARG_REFUSED;
		xt_zeinfo_refuse(k, "bindless access");
	} else {
		return xt_yaml_bad(zi, "arg_bypointer %u: unknown addrmode %.32s", t->arg_index,
				   mode);
	}
	return 0;
}

int xt_zeinfo_payload(struct xt_zeinfo *zi, const yaml_node_t *node, void *obj)
{
	struct xt_kernel_desc *k = obj;
	struct payload_text t = { 0 };
	const struct arg_kind *kind;
	struct xt_payload *p;
	int err;

	err = xt_yaml_map(zi, node, "payload_arguments", payload_fields,
			  ARRAY_SIZE(payload_fields), &t);
	if (err)
		return err;
	if (!t.arg_type || !t.has_offset || !t.has_size)
		return xt_yaml_bad(zi, "payload_arguments: %s is missing",
				   !t.arg_type ? "arg_type" : t.has_offset ? "size" : "offset");
	kind = find_kind(t.arg_type);
	if (!kind)
		return xt_yaml_bad(zi, "payload_arguments: unknown arg_type %.48s", t.arg_type);
	if (kind->user && !t.has_index)
		return xt_yaml_bad(zi, "%s: arg_index is missing", kind->name);
	if ((kind->size == 0 && !t.size) ||
	    (kind->size && kind->size != ANY_SIZE && kind->size != t.size))
		return xt_yaml_bad(zi, "%s: size %u is wrong", kind->name, t.size);
	if (t.offset + t.size > XT_MAX_CROSS_SIZE)
		return xt_yaml_bad(zi, "%s: offset %u and size %u exceed %u", kind->name, t.offset,
				   t.size, XT_MAX_CROSS_SIZE);
	if (k->num_payloads == MAX_PAYLOADS)
		return xt_yaml_bad(zi, "more than %d payload_arguments", MAX_PAYLOADS);

	p = realloc(k->payloads, (k->num_payloads + 1) * sizeof(*p));
	if (!p)
		return xt_error(-ENOMEM, "out of memory");
	k->payloads = p;
	p += k->num_payloads++;
	*p = (struct xt_payload){
		.type = kind->type,
		.offset = t.offset,
		.size = t.size,
		.arg = kind->user ? (int32_t)t.arg_index : -1,
		.source = t.source_offset,
	};
	if (p->type == XT_ARG_REFUSED)
		xt_zeinfo_refuse(k, "%s", kind->refusal);
	k->needs_implicit |= p->type == XT_ARG_IMPLICIT;
	k->has_printf |= p->type == XT_ARG_PRINTF;
	if (!strcmp(kind->name, "arg_bypointer"))
		return get_addrmode(zi, k, &t, p);
	return 0;
}

int xt_zeinfo_per_thread(struct xt_zeinfo *zi, const yaml_node_t *node, void *obj)
{
	struct xt_kernel_desc *k = obj;
	struct payload_text t = { 0 };
	int err;

	err = xt_yaml_map(zi, node, "per_thread_payload_arguments", payload_fields,
			  ARRAY_SIZE(payload_fields), &t);
	if (err)
		return err;
	if (!t.arg_type || !t.has_offset || !t.has_size)
		return xt_yaml_bad(zi, "per_thread_payload_arguments: a field is missing");
	if (!strcmp(t.arg_type, "packed_local_ids")) {
		xt_zeinfo_refuse(k, "packed local ids");
		return 0;
	}
	if (strcmp(t.arg_type, "local_id"))
		return xt_yaml_bad(zi, "per_thread_payload_arguments: unknown arg_type %.48s",
				   t.arg_type);
	if (k->has_local_ids)
		return xt_yaml_bad(zi, "there are two local_id");
	if (t.offset || t.size != XT_LOCAL_ID_ROW)
		return xt_yaml_bad(zi, "local_id: offset %u, size %u are not 0, %zu", t.offset,
				   t.size, XT_LOCAL_ID_ROW);
	k->has_local_ids = true;
	return 0;
}

struct memory_text {
	const char *type, *usage;
	uint32_t size, slot;
	bool per_item;
};

static int memory_bool(struct xt_zeinfo *zi, const struct xt_field *f, const yaml_node_t *node,
		       void *obj)
{
	struct memory_text *t = obj;

	return xt_yaml_bool(zi, node, f->key, &t->per_item);
}

static const struct xt_field memory_fields[] = {
	{ "type", xt_yaml_set_text, offsetof(struct memory_text, type), 0, NULL },
	{ "usage", xt_yaml_set_text, offsetof(struct memory_text, usage), 0, NULL },
	{ "size", xt_yaml_set_u32, offsetof(struct memory_text, size), UINT32_MAX, NULL },
	{ "slot", xt_yaml_set_u32, offsetof(struct memory_text, slot), 1, NULL },
	{ "is_simt_thread", memory_bool, 0, 0, NULL },
};

int xt_zeinfo_memory(struct xt_zeinfo *zi, const yaml_node_t *node, void *obj)
{
	struct xt_kernel_desc *k = obj;
	struct memory_text t = { 0 };
	uint64_t size;
	int err;

	err = xt_yaml_map(zi, node, "per_thread_memory_buffers", memory_fields,
			  ARRAY_SIZE(memory_fields), &t);
	if (err)
		return err;
	if (!t.type || !t.usage || !t.size)
		return xt_yaml_bad(zi, "per_thread_memory_buffers: a field is missing");
	if (!strcmp(t.type, "slm")) {
		xt_zeinfo_refuse(k, "private memory in shared local memory (%.32s, %u bytes)", t.usage,
				 t.size);
		return 0;
	}
	/* A hardware thread has the memory of all its work-items. */
	size = (uint64_t)t.size * (t.per_item ? k->simd : 1);
	if (!strcmp(t.type, "scratch")) {
		if (k->scratch[t.slot])
			return xt_yaml_bad(zi,
					   "per_thread_memory_buffers: there are two buffers in slot %u",
					   t.slot);
		if (size > MAX_SCRATCH)
			return xt_yaml_bad(zi,
					   "per_thread_memory_buffers: %" PRIu64 " bytes of scratch exceed %u",
					   size, MAX_SCRATCH);
		k->scratch[t.slot] = size;
	} else if (!strcmp(t.type, "global")) {
		if (k->private_size)
			return xt_yaml_bad(zi, "per_thread_memory_buffers: there are two buffers of type global");
		if (size > MAX_PRIVATE)
			return xt_yaml_bad(zi,
					   "per_thread_memory_buffers: %" PRIu64 " bytes exceed %u",
					   size, MAX_PRIVATE);
		k->private_size = size;
	} else {
		return xt_yaml_bad(zi, "per_thread_memory_buffers: unknown type %.32s", t.type);
	}
	return 0;
}

int xt_zeinfo_sampler(struct xt_zeinfo *zi, const yaml_node_t *node, void *obj)
{
	(void)zi;
	(void)node;
	xt_zeinfo_refuse(obj, "samplers");
	return 0;
}
