// SPDX-License-Identifier: MIT
/*
 * .ze_info: the YAML text in a zebin that says what each kernel is and where
 * its arguments go. Every field the text may have is in a table here, with what
 * it may hold; a field that is in no table is an error, for it may change what a
 * dispatcher must do.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "internal.h"

#define MAX_KERNELS	1024
#define MAX_PAYLOADS	4096
#define MAX_ARG_INDEX	1023
#define MAX_CROSS_SIZE	0x4000u
#define MAX_SLM		(128u * 1024)
#define MAX_SCRATCH	(256u << 10)
#define MAX_PRIVATE	(64u << 20)
#define VOID_PROGRAM	"Intel_Symbol_Table_Void_Program"
/* groups/xetile_groups.h puts it into every module that uses it. */
#define NEEDS_GROUPS	"xetile_needs_non_uniform_groups"
#define LOCAL_ID_BYTES	192	/* three rows of 32 lanes of 16 bits */

struct zeinfo {
	yaml_document_t doc;
	const char *kernel;		/* name, for error texts */
	struct xt_zebin *zebin;
};

/* --- errors and scalars ----------------------------------------------------- */

static int bad(const struct zeinfo *zi, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static int bad(const struct zeinfo *zi, const char *fmt, ...)
{
	char what[256];
	va_list args;

	va_start(args, fmt);
	vsnprintf(what, sizeof(what), fmt, args);
	va_end(args);
	if (zi->kernel)
		return xt_error(-EINVAL, "zebin: .ze_info: kernel %.64s: %s", zi->kernel, what);
	return xt_error(-EINVAL, "zebin: .ze_info: %s", what);
}

/* The first reason is the one that is told. */
static void refuse(struct xt_kernel_desc *k, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static void refuse(struct xt_kernel_desc *k, const char *fmt, ...)
{
	va_list args;

	if (k->refusal[0])
		return;
	va_start(args, fmt);
	vsnprintf(k->refusal, sizeof(k->refusal), fmt, args);
	va_end(args);
}

/* Text of a scalar, or NULL when the node is none. */
static const char *scalar(const yaml_node_t *node)
{
	if (!node || node->type != YAML_SCALAR_NODE ||
	    memchr(node->data.scalar.value, 0, node->data.scalar.length))
		return NULL;
	return (const char *)node->data.scalar.value;
}

static int get_u32(const struct zeinfo *zi, const yaml_node_t *node, const char *key,
		   uint32_t max, uint32_t *out)
{
	const char *text = scalar(node), *p;
	uint64_t v = 0;

	for (p = text; p && *p >= '0' && *p <= '9' && p - text < 10; p++)
		v = v * 10 + (*p - '0');
	if (!p || p == text || *p)
		return bad(zi, "%s is no number", key);
	if (v > max)
		return bad(zi, "%s %" PRIu64 " exceeds %u", key, v, max);
	*out = v;
	return 0;
}

static int get_bool(const struct zeinfo *zi, const yaml_node_t *node, const char *key,
		    bool *out)
{
	const char *text = scalar(node);

	if (!text || (strcmp(text, "true") && strcmp(text, "false")))
		return bad(zi, "%s is neither true nor false", key);
	*out = *text == 't';
	return 0;
}

static int get_xyz(struct zeinfo *zi, const yaml_node_t *node, const char *key,
		   uint32_t max, uint32_t out[3])
{
	const yaml_node_item_t *item;
	unsigned int i = 0;
	int err;

	if (node->type != YAML_SEQUENCE_NODE ||
	    node->data.sequence.items.top - node->data.sequence.items.start != 3)
		return bad(zi, "%s is no list of three", key);
	for (item = node->data.sequence.items.start; i < 3; item++, i++) {
		err = get_u32(zi, yaml_document_get_node(&zi->doc, *item), key, max, &out[i]);
		if (err)
			return err;
	}
	return 0;
}

/* --- mappings by table --------------------------------------------------------- */

#define MAX_FIELDS	48

/*
 * A field a mapping may have. @set gets the field's node; NULL: any value will
 * do. Each function works on the object its table is for.
 */
struct field {
	const char *key;
	int (*set)(struct zeinfo *zi, const struct field *f, const yaml_node_t *node, void *obj);
	size_t offset;
	uint32_t max;
	const char *refusal;	/* of a field that must not be true */
};

static int get_map(struct zeinfo *zi, const yaml_node_t *node, const char *what,
		   const struct field *fields, size_t num, void *obj)
{
	bool seen[MAX_FIELDS] = { false };
	const yaml_node_pair_t *pair;
	size_t i;
	int err;

	if (!node || node->type != YAML_MAPPING_NODE)
		return bad(zi, "%s is no mapping", what);
	for (pair = node->data.mapping.pairs.start; pair < node->data.mapping.pairs.top; pair++) {
		const char *key = scalar(yaml_document_get_node(&zi->doc, pair->key));
		const yaml_node_t *value = yaml_document_get_node(&zi->doc, pair->value);

		if (!key || !value)
			return bad(zi, "%s has a field without a name or a value", what);
		for (i = 0; i < num && strcmp(key, fields[i].key); i++)
			;
		if (i == num)
			return bad(zi, "%s: unknown field %.48s", what, key);
		if (seen[i])
			return bad(zi, "%s: %s stands there twice", what, key);
		seen[i] = true;
		err = fields[i].set ? fields[i].set(zi, &fields[i], value, obj) : 0;
		if (err)
			return err;
	}
	return 0;
}

static int get_list(struct zeinfo *zi, const yaml_node_t *node, const char *what, void *obj,
		    int (*each)(struct zeinfo *zi, const yaml_node_t *node, void *obj))
{
	const yaml_node_item_t *item;
	int err;

	if (node->type != YAML_SEQUENCE_NODE)
		return bad(zi, "%s is no list", what);
	for (item = node->data.sequence.items.start;
	     item < node->data.sequence.items.top; item++) {
		err = each(zi, yaml_document_get_node(&zi->doc, *item), obj);
		if (err)
			return err;
	}
	return 0;
}

static int set_u32(struct zeinfo *zi, const struct field *f, const yaml_node_t *node, void *obj)
{
	return get_u32(zi, node, f->key, f->max, (uint32_t *)((char *)obj + f->offset));
}

static int set_text(struct zeinfo *zi, const struct field *f, const yaml_node_t *node, void *obj)
{
	const char *text = scalar(node);

	if (!text)
		return bad(zi, "%s is no text", f->key);
	*(const char **)((char *)obj + f->offset) = text;
	return 0;
}

/* Says something a dispatcher need not know, but must be well-formed. */
static int any_u32(struct zeinfo *zi, const struct field *f, const yaml_node_t *node, void *obj)
{
	uint32_t v;

	(void)obj;
	return get_u32(zi, node, f->key, UINT32_MAX, &v);
}

static int any_bool(struct zeinfo *zi, const struct field *f, const yaml_node_t *node, void *obj)
{
	bool v;

	(void)obj;
	return get_bool(zi, node, f->key, &v);
}

static int any_text(struct zeinfo *zi, const struct field *f, const yaml_node_t *node, void *obj)
{
	(void)obj;
	return scalar(node) ? 0 : bad(zi, "%s is no text", f->key);
}

/* --- execution_env --------------------------------------------------------------- */

struct env {
	struct xt_kernel_desc *k;
	bool has_4gb_buffers;
};

static int env_u32(struct zeinfo *zi, const struct field *f, const yaml_node_t *node, void *obj)
{
	struct env *env = obj;

	return get_u32(zi, node, f->key, f->max, (uint32_t *)((char *)env->k + f->offset));
}

static int env_refuse_bool(struct zeinfo *zi, const struct field *f, const yaml_node_t *node,
			   void *obj)
{
	struct env *env = obj;
	bool v;
	int err = get_bool(zi, node, f->key, &v);

	if (!err && v)
		refuse(env->k, "%s", f->refusal);
	return err;
}

static int env_refuse_u32(struct zeinfo *zi, const struct field *f, const yaml_node_t *node,
			  void *obj)
{
	struct env *env = obj;
	uint32_t v;
	int err = get_u32(zi, node, f->key, UINT32_MAX, &v);

	if (!err && v)
		refuse(env->k, "%s", f->refusal);
	return err;
}

static int env_bool(struct zeinfo *zi, const struct field *f, const yaml_node_t *node, void *obj)
{
	struct env *env = obj;

	return get_bool(zi, node, f->key, (bool *)((char *)env->k + f->offset));
}

static int env_4gb(struct zeinfo *zi, const struct field *f, const yaml_node_t *node, void *obj)
{
	struct env *env = obj;

	return get_bool(zi, node, f->key, &env->has_4gb_buffers);
}

static int env_required_local(struct zeinfo *zi, const struct field *f,
			      const yaml_node_t *node, void *obj)
{
	struct env *env = obj;

	return get_xyz(zi, node, f->key, 1024, env->k->required_local);
}

static int env_walk_order(struct zeinfo *zi, const struct field *f,
			  const yaml_node_t *node, void *obj)
{
	uint32_t order[3];
	struct env *env = obj;
	int err = get_xyz(zi, node, f->key, 2, order);

	if (err)
		return err;
	if (order[0] == order[1] || order[1] == order[2] || order[0] == order[2])
		return bad(zi, "%s names a dimension twice", f->key);
	if (order[0] != 0 || order[1] != 1)
		refuse(env->k, "work-items in an order other than x, y, z");
	return 0;
}

#define IN_KERNEL(member)	offsetof(struct xt_kernel_desc, member)

static const struct field env_fields[] = {
	{ "simd_size", env_u32, IN_KERNEL(simd), 32, NULL },
	{ "grf_count", env_u32, IN_KERNEL(grf_count), 256, NULL },
	{ "slm_size", env_u32, IN_KERNEL(slm_size), MAX_SLM, NULL },
	{ "barrier_count", env_u32, IN_KERNEL(barriers), 32, NULL },
	{ "offset_to_skip_per_thread_data_load", env_u32, IN_KERNEL(skip_offset), 0x10000, NULL },
	{ "required_work_group_size", env_required_local, 0, 0, NULL },
	{ "work_group_walk_order_dimensions", env_walk_order, 0, 0, NULL },
	{ "has_dpas", env_bool, IN_KERNEL(has_dpas), 0, NULL },
	{ "has_4gb_buffers", env_4gb, 0, 0, NULL },
	{ "has_stack_calls", env_bool, IN_KERNEL(has_stack_calls), 0, NULL },
	{ "require_iab", env_bool, IN_KERNEL(needs_implicit), 0, NULL },
	{ "has_printf_calls", env_bool, IN_KERNEL(has_printf), 0, NULL },
	{ "has_indirect_calls", env_refuse_bool, 0, 0, "function pointers" },
	{ "has_rtcalls", env_refuse_bool, 0, 0, "ray tracing" },
	{ "has_sample", env_refuse_bool, 0, 0, "samplers" },
	{ "has_bindless_image_read", env_refuse_bool, 0, 0, "images" },
	{ "has_device_enqueue", env_refuse_bool, 0, 0, "device-side enqueue" },
	{ "require_assert_buffer", env_refuse_bool, 0, 0, "assert" },
	{ "require_sync_buffer", env_refuse_bool, 0, 0, "a barrier over work-groups" },
	{ "generate_local_id", env_refuse_bool, 0, 0, "local ids in an unknown layout" },
	{ "inline_data_payload_size", env_refuse_u32, 0, 0, "inline data" },
	{ "has_multi_scratch_spaces", any_bool, 0, 0, NULL },
	{ "disable_mid_thread_preemption", any_bool, 0, 0, NULL },
	{ "has_fence_for_image_access", any_bool, 0, 0, NULL },
	{ "has_global_atomics", any_bool, 0, 0, NULL },
	{ "has_lsc_stores_with_non_default_l1_cache_controls", any_bool, 0, 0, NULL },
	{ "has_no_stateless_write", any_bool, 0, 0, NULL },
	{ "subgroup_independent_forward_progress", any_bool, 0, 0, NULL },
	{ "require_disable_eufusion", any_bool, 0, 0, NULL },
	{ "eu_thread_count", any_u32, 0, 0, NULL },
	{ "indirect_stateless_count", any_u32, 0, 0, NULL },
	{ "offset_to_skip_set_ffid_gp", any_u32, 0, 0, NULL },
	{ "private_size", any_u32, 0, 0, NULL },
	{ "spill_size", any_u32, 0, 0, NULL },
	{ "required_sub_group_size", any_u32, 0, 0, NULL },
	{ "quantum_size", any_u32, 0, 0, NULL },
	{ "quantum_resources", any_u32, 0, 0, NULL },
	{ "slm_alloc_mode", any_text, 0, 0, NULL },
	{ "thread_scheduling_mode", any_text, 0, 0, NULL },
};

/* --- payload_arguments -------------------------------------------------------------- */

struct payload_text {
	const char *arg_type, *addrmode;
	uint32_t offset, size, arg_index, source_offset, slm_alignment;
	bool has_offset, has_size, has_index;
};

static int payload_num(struct zeinfo *zi, const struct field *f, const yaml_node_t *node,
		       void *obj)
{
	struct payload_text *p = obj;

	if (f->offset == offsetof(struct payload_text, offset))
		p->has_offset = true;
	else if (f->offset == offsetof(struct payload_text, size))
		p->has_size = true;
	else if (f->offset == offsetof(struct payload_text, arg_index))
		p->has_index = true;
	return set_u32(zi, f, node, obj);
}

#define IN_PAYLOAD(member)	offsetof(struct payload_text, member)

static const struct field payload_fields[] = {
	{ "arg_type", set_text, IN_PAYLOAD(arg_type), 0, NULL },
	{ "offset", payload_num, IN_PAYLOAD(offset), MAX_CROSS_SIZE, NULL },
	{ "size", payload_num, IN_PAYLOAD(size), MAX_CROSS_SIZE, NULL },
	{ "arg_index", payload_num, IN_PAYLOAD(arg_index), MAX_ARG_INDEX, NULL },
	{ "source_offset", payload_num, IN_PAYLOAD(source_offset), MAX_CROSS_SIZE, NULL },
	{ "slm_alignment", payload_num, IN_PAYLOAD(slm_alignment), MAX_SLM, NULL },
	{ "addrmode", set_text, IN_PAYLOAD(addrmode), 0, NULL },
	{ "addrspace", any_text, 0, 0, NULL },
	{ "access_type", any_text, 0, 0, NULL },
	{ "is_ptr", any_bool, 0, 0, NULL },
	{ "is_pipe", any_bool, 0, 0, NULL },
	{ "image_type", any_text, 0, 0, NULL },
	{ "image_transformable", any_bool, 0, 0, NULL },
	{ "sampler_type", any_text, 0, 0, NULL },
	{ "sampler_index", any_u32, 0, 0, NULL },
	{ "bti_value", any_u32, 0, 0, NULL },
};

struct arg_kind {
	const char *name;
	enum xt_arg_type type;
	uint32_t size;		/* bytes it must have; 0: at least one; -1: any */
	bool user;		/* belongs to an argument of the kernel */
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
	/* A buffer's own address is in its pointer, so nothing is left to add. */
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

/* A pointer comes with one of four ways to get at what it points to. */
static int get_addrmode(struct zeinfo *zi, struct xt_kernel_desc *k,
			const struct payload_text *t, struct xt_payload *p)
{
	const char *mode = t->addrmode;

	if (!mode)
		return bad(zi, "arg_bypointer %u: addrmode is missing", t->arg_index);
	if (!strcmp(mode, "stateless")) {
		if (t->size != 8)
			return bad(zi, "arg_bypointer %u: size %u is not 8", t->arg_index, t->size);
	} else if (!strcmp(mode, "slm")) {
		if (t->size != 4 && t->size != 8)
			return bad(zi, "arg_bypointer %u: size %u is not 4 or 8", t->arg_index,
				   t->size);
		p->type = XT_ARG_SLM;
		p->slm_align = t->slm_alignment ? t->slm_alignment : 16;
		if (p->slm_align & (p->slm_align - 1))
			return bad(zi, "arg_bypointer %u: slm_alignment %u is no power of two",
				   t->arg_index, p->slm_align);
	} else if (!strcmp(mode, "stateful")) {
		if (t->size)
			return bad(zi, "arg_bypointer %u: size %u of a stateful one is not 0",
				   t->arg_index, t->size);
		p->type = XT_ARG_NOTHING;
	} else if (!strcmp(mode, "bindless")) {
		p->type = XT_ARG_REFUSED;
		refuse(k, "bindless access");
	} else {
		return bad(zi, "arg_bypointer %u: unknown addrmode %.32s", t->arg_index, mode);
	}
	return 0;
}

static int get_payload(struct zeinfo *zi, const yaml_node_t *node, void *obj)
{
	struct xt_kernel_desc *k = obj;
	struct payload_text t = { 0 };
	const struct arg_kind *kind;
	struct xt_payload *p;
	int err;

	err = get_map(zi, node, "payload_arguments", payload_fields,
		      ARRAY_SIZE(payload_fields), &t);
	if (err)
		return err;
	if (!t.arg_type || !t.has_offset || !t.has_size)
		return bad(zi, "payload_arguments: %s is missing",
			   !t.arg_type ? "arg_type" : t.has_offset ? "size" : "offset");
	kind = find_kind(t.arg_type);
	if (!kind)
		return bad(zi, "payload_arguments: unknown arg_type %.48s", t.arg_type);
	if (kind->user && !t.has_index)
		return bad(zi, "%s: arg_index is missing", kind->name);
	if ((kind->size == 0 && !t.size) ||
	    (kind->size && kind->size != ANY_SIZE && kind->size != t.size))
		return bad(zi, "%s: size %u is wrong", kind->name, t.size);
	if (t.offset + t.size > MAX_CROSS_SIZE)
		return bad(zi, "%s: offset %u and size %u exceed %u", kind->name, t.offset,
			   t.size, MAX_CROSS_SIZE);
	if (k->num_payloads == MAX_PAYLOADS)
		return bad(zi, "more than %d payload_arguments", MAX_PAYLOADS);

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
		refuse(k, "%s", kind->refusal);
	k->needs_implicit |= p->type == XT_ARG_IMPLICIT;
	k->has_printf |= p->type == XT_ARG_PRINTF;
	if (!strcmp(kind->name, "arg_bypointer"))
		return get_addrmode(zi, k, &t, p);
	return 0;
}

/* --- per-thread data ------------------------------------------------------------------ */

static int get_per_thread(struct zeinfo *zi, const yaml_node_t *node, void *obj)
{
	struct xt_kernel_desc *k = obj;
	struct payload_text t = { 0 };
	int err;

	err = get_map(zi, node, "per_thread_payload_arguments", payload_fields,
		      ARRAY_SIZE(payload_fields), &t);
	if (err)
		return err;
	if (!t.arg_type || !t.has_offset || !t.has_size)
		return bad(zi, "per_thread_payload_arguments: a field is missing");
	if (!strcmp(t.arg_type, "packed_local_ids")) {
		refuse(k, "packed local ids");
		return 0;
	}
	if (strcmp(t.arg_type, "local_id"))
		return bad(zi, "per_thread_payload_arguments: unknown arg_type %.48s", t.arg_type);
	if (k->has_local_ids)
		return bad(zi, "local_id stands there twice");
	if (t.offset || t.size != LOCAL_ID_BYTES)
		return bad(zi, "local_id: offset %u, size %u are not 0, %d", t.offset, t.size,
			   LOCAL_ID_BYTES);
	k->has_local_ids = true;
	return 0;
}

struct memory_text {
	const char *type, *usage;
	uint32_t size, slot;
	bool per_item;
};

static int memory_bool(struct zeinfo *zi, const struct field *f, const yaml_node_t *node,
		       void *obj)
{
	struct memory_text *t = obj;

	return get_bool(zi, node, f->key, &t->per_item);
}

static const struct field memory_fields[] = {
	{ "type", set_text, offsetof(struct memory_text, type), 0, NULL },
	{ "usage", set_text, offsetof(struct memory_text, usage), 0, NULL },
	{ "size", set_u32, offsetof(struct memory_text, size), UINT32_MAX, NULL },
	{ "slot", set_u32, offsetof(struct memory_text, slot), 1, NULL },
	{ "is_simt_thread", memory_bool, 0, 0, NULL },
};

static int get_memory(struct zeinfo *zi, const yaml_node_t *node, void *obj)
{
	struct xt_kernel_desc *k = obj;
	struct memory_text t = { 0 };
	uint64_t size;
	int err;

	err = get_map(zi, node, "per_thread_memory_buffers", memory_fields,
		      ARRAY_SIZE(memory_fields), &t);
	if (err)
		return err;
	if (!t.type || !t.usage || !t.size)
		return bad(zi, "per_thread_memory_buffers: a field is missing");
	if (!strcmp(t.type, "slm")) {
		refuse(k, "private memory in local memory (%.32s, %u bytes)", t.usage, t.size);
		return 0;
	}
	/* A hardware thread is what has memory: of one for each work-item, all of these. */
	size = (uint64_t)t.size * (t.per_item ? k->simd : 1);
	if (!strcmp(t.type, "scratch")) {
		if (k->scratch[t.slot])
			return bad(zi, "per_thread_memory_buffers: slot %u stands there twice",
				   t.slot);
		if (size > MAX_SCRATCH)
			return bad(zi, "per_thread_memory_buffers: %" PRIu64 " bytes of scratch exceed %u",
				   size, MAX_SCRATCH);
		k->scratch[t.slot] = size;
	} else if (!strcmp(t.type, "global")) {
		if (k->private_size)
			return bad(zi, "per_thread_memory_buffers: two of type global");
		if (size > MAX_PRIVATE)
			return bad(zi, "per_thread_memory_buffers: %" PRIu64 " bytes exceed %u",
				   size, MAX_PRIVATE);
		k->private_size = size;
	} else {
		return bad(zi, "per_thread_memory_buffers: unknown type %.32s", t.type);
	}
	return 0;
}

static int get_sampler(struct zeinfo *zi, const yaml_node_t *node, void *obj)
{
	(void)zi;
	(void)node;
	refuse(obj, "samplers");
	return 0;
}

/* --- kernels ---------------------------------------------------------------------------- */

struct kernel_nodes {
	const char *name;
	const yaml_node_t *env, *payload, *per_thread, *memory, *samplers, *attributes;
};

static int set_node(struct zeinfo *zi, const struct field *f, const yaml_node_t *node, void *obj)
{
	(void)zi;
	*(const yaml_node_t **)((char *)obj + f->offset) = node;
	return 0;
}

static const struct field kernel_fields[] = {
	{ "name", set_text, offsetof(struct kernel_nodes, name), 0, NULL },
	{ "execution_env", set_node, offsetof(struct kernel_nodes, env), 0, NULL },
	{ "payload_arguments", set_node, offsetof(struct kernel_nodes, payload), 0, NULL },
	{ "per_thread_payload_arguments", set_node,
	  offsetof(struct kernel_nodes, per_thread), 0, NULL },
	{ "per_thread_memory_buffers", set_node, offsetof(struct kernel_nodes, memory), 0, NULL },
	{ "inline_samplers", set_node, offsetof(struct kernel_nodes, samplers), 0, NULL },
	{ "user_attributes", set_node, offsetof(struct kernel_nodes, attributes), 0, NULL },
	{ "binding_table_indices", NULL, 0, 0, NULL },
	{ "experimental_properties", NULL, 0, 0, NULL },
	{ "debug_env", NULL, 0, 0, NULL },
};

/* Buffers reached through a binding table only: there is none in our batches. */
static void check_stateful(const struct env *env)
{
	struct xt_kernel_desc *k = env->k;
	bool stateful = false, twin;
	uint32_t i, j;

	for (i = 0; i < k->num_payloads; i++) {
		const struct xt_payload *p = &k->payloads[i];

		if (p->type != XT_ARG_NOTHING)
			continue;
		stateful = true;
		for (j = 0, twin = false; j < k->num_payloads; j++)
			twin |= k->payloads[j].arg == p->arg &&
				k->payloads[j].type == XT_ARG_POINTER;
		if (!twin)
			refuse(k, "binding tables (argument %d)", p->arg);
	}
	if (stateful && !env->has_4gb_buffers)
		refuse(k, "binding tables: compile with -cl-intel-greater-than-4GB-buffer-required");
}

/* No byte of the cross-thread data may have two owners. */
static int check_payloads(struct zeinfo *zi, struct xt_kernel_desc *k)
{
	uint8_t *used = calloc(1, MAX_CROSS_SIZE);
	uint32_t i, b, end = 0;
	int err = 0;

	if (!used)
		return xt_error(-ENOMEM, "out of memory");
	for (i = 0; i < k->num_payloads && !err; i++) {
		const struct xt_payload *p = &k->payloads[i];

		for (b = p->offset; b < p->offset + p->size && !err; b++) {
			if (used[b]++)
				err = bad(zi, "payload_arguments overlap at offset %u", b);
		}
		if (p->size && p->offset + p->size > end)
			end = p->offset + p->size;
		if (p->arg >= 0 && (uint32_t)p->arg >= k->num_args)
			k->num_args = p->arg + 1;
	}
	k->cross_size = xt_align(end, 32);
	free(used);
	return err;
}

static int check_kernel(struct zeinfo *zi, struct xt_kernel_desc *k)
{
	if (k->simd != 16 && k->simd != 32) {
		if (k->simd != 1 && k->simd != 8)
			return bad(zi, "simd_size %u is missing or wrong", k->simd);
		refuse(k, "%u work-items a thread", k->simd);
	}
	if (k->grf_count != 128 && k->grf_count != 256)
		return bad(zi, "grf_count %u is not 128 or 256", k->grf_count);
	if (k->skip_offset % 64)
		return bad(zi, "offset_to_skip_per_thread_data_load %u is no multiple of 64",
			   k->skip_offset);
	return check_payloads(zi, k);
}

static int get_attributes(struct zeinfo *zi, const yaml_node_t *node, struct env *env)
{
	static const struct field order = { .key = "intel_reqd_workgroup_walk_order" };
	const yaml_node_pair_t *pair;
	const char *key;
	int err = 0;

	if (node->type != YAML_MAPPING_NODE)
		return bad(zi, "user_attributes is no mapping");
	/* Attributes repeat what the source says; only the order binds us. */
	for (pair = node->data.mapping.pairs.start;
	     pair < node->data.mapping.pairs.top && !err; pair++) {
		key = scalar(yaml_document_get_node(&zi->doc, pair->key));
		if (key && !strcmp(key, order.key))
			err = env_walk_order(zi, &order,
					     yaml_document_get_node(&zi->doc, pair->value), env);
	}
	return err;
}

static int get_kernel(struct zeinfo *zi, const yaml_node_t *node, void *obj)
{
	struct xt_zebin *zebin = obj;
	struct kernel_nodes n = { 0 };
	struct xt_kernel_desc *k;
	struct env env = { 0 };
	uint32_t i;
	int err;

	zi->kernel = NULL;
	err = get_map(zi, node, "kernels", kernel_fields, ARRAY_SIZE(kernel_fields), &n);
	if (err)
		return err;
	if (!n.name || !*n.name || strlen(n.name) > 1023)
		return bad(zi, "a kernel has no name, or too long a one");
	zi->kernel = n.name;
	/* Where compilers keep the functions and data of a module: nothing to launch. */
	if (!strcmp(n.name, VOID_PROGRAM))
		return 0;
	if (!strcmp(n.name, NEEDS_GROUPS)) {
		zebin->needs_groups = true;
		return 0;
	}
	if (!n.env)
		return bad(zi, "execution_env is missing");
	for (i = 0; i < zebin->num_kernels; i++) {
		if (!strcmp(zebin->kernels[i].name, n.name))
			return bad(zi, "stands there twice");
	}
	if (zebin->num_kernels == MAX_KERNELS)
		return bad(zi, "is one of more than %d", MAX_KERNELS);

	k = realloc(zebin->kernels, (zebin->num_kernels + 1) * sizeof(*k));
	if (!k)
		return xt_error(-ENOMEM, "out of memory");
	zebin->kernels = k;
	k += zebin->num_kernels;
	memset(k, 0, sizeof(*k));
	k->name = strdup(n.name);
	if (!k->name)
		return xt_error(-ENOMEM, "out of memory");
	zebin->num_kernels++;

	env.k = k;
	err = get_map(zi, n.env, "execution_env", env_fields, ARRAY_SIZE(env_fields), &env);
	if (!err && n.attributes)
		err = get_attributes(zi, n.attributes, &env);
	if (!err && n.payload)
		err = get_list(zi, n.payload, "payload_arguments", k, get_payload);
	if (!err && n.per_thread)
		err = get_list(zi, n.per_thread, "per_thread_payload_arguments", k,
			       get_per_thread);
	if (!err && n.memory)
		err = get_list(zi, n.memory, "per_thread_memory_buffers", k, get_memory);
	if (!err && n.samplers)
		err = get_list(zi, n.samplers, "inline_samplers", k, get_sampler);
	if (!err)
		err = check_kernel(zi, k);
	if (!err)
		check_stateful(&env);
	return err;
}

/* --- kernels_misc_info ----------------------------------------------------------- */

struct arg_info {
	struct xt_kernel_desc *k;
	uint32_t index;
	const char *type_name;
};

static const struct field arg_info_fields[] = {
	{ "index", set_u32, offsetof(struct arg_info, index), UINT32_MAX, NULL },
	{ "type_name", set_text, offsetof(struct arg_info, type_name), 0, NULL },
	{ "name", any_text, 0, 0, NULL },
	{ "address_qualifier", any_text, 0, 0, NULL },
	{ "access_qualifier", any_text, 0, 0, NULL },
	{ "type_qualifiers", any_text, 0, 0, NULL },
};

/*
 * A type is told as "uchar;1", with its size. Some compilers give a small value
 * a slot of four bytes, so the payload alone does not tell what the user passes.
 */
static int get_arg_info(struct zeinfo *zi, const yaml_node_t *node, void *obj)
{
	struct arg_info info = { .k = obj };
	const char *p;
	uint32_t i, size = 0;
	int err;

	err = get_map(zi, node, "args_info", arg_info_fields, ARRAY_SIZE(arg_info_fields), &info);
	if (err)
		return err;
	p = info.type_name ? strrchr(info.type_name, ';') : NULL;
	if (!p || !p[1] || strspn(p + 1, "0123456789") != strlen(p + 1) || strlen(p) > 6)
		return 0;
	while (*++p)
		size = size * 10 + (*p - '0');
	for (i = 0; i < info.k->num_payloads; i++) {
		struct xt_payload *payload = &info.k->payloads[i];

		if (payload->type == XT_ARG_VALUE && payload->arg == (int32_t)info.index)
			payload->declared = size;
	}
	return 0;
}

struct misc_nodes {
	const char *name;
	const yaml_node_t *args;
};

static const struct field misc_fields[] = {
	{ "name", set_text, offsetof(struct misc_nodes, name), 0, NULL },
	{ "args_info", set_node, offsetof(struct misc_nodes, args), 0, NULL },
};

static int get_misc(struct zeinfo *zi, const yaml_node_t *node, void *obj)
{
	struct xt_zebin *zebin = obj;
	struct misc_nodes n = { 0 };
	uint32_t i;
	int err;

	zi->kernel = NULL;
	err = get_map(zi, node, "kernels_misc_info", misc_fields, ARRAY_SIZE(misc_fields), &n);
	if (err)
		return err;
	if (!n.name)
		return bad(zi, "kernels_misc_info: name is missing");
	for (i = 0; n.args && i < zebin->num_kernels; i++) {
		if (strcmp(zebin->kernels[i].name, n.name))
			continue;
		zi->kernel = n.name;
		return get_list(zi, n.args, "args_info", &zebin->kernels[i], get_arg_info);
	}
	return 0;
}

/* --- the whole --------------------------------------------------------------------------- */

struct top_nodes {
	const char *version;
	const yaml_node_t *kernels, *misc;
};

static const struct field top_fields[] = {
	{ "version", set_text, offsetof(struct top_nodes, version), 0, NULL },
	{ "kernels", set_node, offsetof(struct top_nodes, kernels), 0, NULL },
	{ "kernels_misc_info", set_node, offsetof(struct top_nodes, misc), 0, NULL },
	{ "functions", NULL, 0, 0, NULL },
	{ "global_host_access_table", NULL, 0, 0, NULL },
};

static int get_top(struct zeinfo *zi)
{
	struct top_nodes top = { 0 };
	int err;

	err = get_map(zi, yaml_document_get_root_node(&zi->doc), "the text", top_fields,
		      ARRAY_SIZE(top_fields), &top);
	if (err)
		return err;
	if (!top.version)
		return bad(zi, "version is missing");
	if (strncmp(top.version, "1.", 2))
		return bad(zi, "version %.16s is not 1.x", top.version);
	if (!top.kernels)
		return bad(zi, "kernels is missing");
	err = get_list(zi, top.kernels, "kernels", zi->zebin, get_kernel);
	zi->kernel = NULL;
	if (!err && top.misc)
		err = get_list(zi, top.misc, "kernels_misc_info", zi->zebin, get_misc);
	return err;
}

int xt_zeinfo_parse(const char *text, size_t size, struct xt_zebin *zebin)
{
	struct zeinfo zi = { .zebin = zebin };
	yaml_parser_t parser;
	int err;

	if (!yaml_parser_initialize(&parser))
		return xt_error(-ENOMEM, "out of memory");
	yaml_parser_set_input_string(&parser, (const unsigned char *)text, size);
	if (!yaml_parser_load(&parser, &zi.doc)) {
		err = bad(&zi, "line %zu: %s", parser.problem_mark.line + 1,
			  parser.problem ? parser.problem : "no YAML");
	} else {
		err = get_top(&zi);
		yaml_document_delete(&zi.doc);
	}
	yaml_parser_delete(&parser);
	return err;
}
