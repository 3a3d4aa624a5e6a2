// SPDX-License-Identifier: MIT
/*
 * .ze_info: the YAML text in a zebin that describes each kernel and the places of its arguments.
 * A table names every field that the text may have, with the values that the field may have. A
 * field that is in no table is an error, because it may change the way a kernel must be launched.
 */
#include "zeinfo.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "util.h"
#include "zebin.h"

#define MAX_KERNELS	1024
#define VOID_PROGRAM	"Intel_Symbol_Table_Void_Program"
/* groups/xetile_groups.h puts this kernel into every module that includes the header. */
#define NEEDS_GROUPS	"xetile_needs_non_uniform_groups"

/* --- execution_env --------------------------------------------------------------- */

struct env {
	struct xt_kernel_desc *k;
	bool has_4gb_buffers;
};

static int env_u32(struct xt_zeinfo *zi, const struct xt_field *f, const yaml_node_t *node,
		   void *obj)
{
	struct env *env = obj;

	return xt_yaml_u32(zi, node, f->key, f->max, (uint32_t *)((char *)env->k + f->offset));
}

static int env_refuse_bool(struct xt_zeinfo *zi, const struct xt_field *f, const yaml_node_t *node,
			   void *obj)
{
	struct env *env = obj;
	bool v;
	int err = xt_yaml_bool(zi, node, f->key, &v);

	if (!err && v)
		xt_zeinfo_refuse(env->k, "%s", f->refusal);
	return err;
}

static int env_refuse_u32(struct xt_zeinfo *zi, const struct xt_field *f, const yaml_node_t *node,
			  void *obj)
{
	struct env *env = obj;
	uint32_t v;
	int err = xt_yaml_u32(zi, node, f->key, UINT32_MAX, &v);

	if (!err && v)
		xt_zeinfo_refuse(env->k, "%s", f->refusal);
	return err;
}

static int env_bool(struct xt_zeinfo *zi, const struct xt_field *f, const yaml_node_t *node,
		    void *obj)
{
	struct env *env = obj;

	return xt_yaml_bool(zi, node, f->key, (bool *)((char *)env->k + f->offset));
}

static int env_4gb(struct xt_zeinfo *zi, const struct xt_field *f, const yaml_node_t *node,
		   void *obj)
{
	struct env *env = obj;

	return xt_yaml_bool(zi, node, f->key, &env->has_4gb_buffers);
}

static int env_required_local(struct xt_zeinfo *zi, const struct xt_field *f,
			      const yaml_node_t *node, void *obj)
{
	struct env *env = obj;

	return xt_yaml_xyz(zi, node, f->key, XT_MAX_GROUP_ITEMS, env->k->required_local);
}

static int env_walk_order(struct xt_zeinfo *zi, const struct xt_field *f,
			  const yaml_node_t *node, void *obj)
{
	uint32_t order[3];
	struct env *env = obj;
	int err = xt_yaml_xyz(zi, node, f->key, 2, order);

	if (err)
		return err;
	if (order[0] == order[1] || order[1] == order[2] || order[0] == order[2])
		return xt_yaml_bad(zi, "%s names a dimension twice", f->key);
	if (order[0] != 0 || order[1] != 1)
		xt_zeinfo_refuse(env->k, "work-items in an order other than x, y, z");
	return 0;
}

#define IN_KERNEL(member)	offsetof(struct xt_kernel_desc, member)

static const struct xt_field env_fields[] = {
	{ "simd_size", env_u32, IN_KERNEL(simd), 32, NULL },
	{ "grf_count", env_u32, IN_KERNEL(grf_count), 256, NULL },
	{ "slm_size", env_u32, IN_KERNEL(slm_size), XT_MAX_SLM, NULL },
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
	{ "has_multi_scratch_spaces", xt_yaml_any_bool, 0, 0, NULL },
	{ "disable_mid_thread_preemption", xt_yaml_any_bool, 0, 0, NULL },
	{ "has_fence_for_image_access", xt_yaml_any_bool, 0, 0, NULL },
	{ "has_global_atomics", xt_yaml_any_bool, 0, 0, NULL },
	{ "has_lsc_stores_with_non_default_l1_cache_controls", xt_yaml_any_bool, 0, 0, NULL },
	{ "has_no_stateless_write", xt_yaml_any_bool, 0, 0, NULL },
	{ "subgroup_independent_forward_progress", xt_yaml_any_bool, 0, 0, NULL },
	{ "require_disable_eufusion", xt_yaml_any_bool, 0, 0, NULL },
	{ "eu_thread_count", xt_yaml_any_u32, 0, 0, NULL },
	{ "indirect_stateless_count", xt_yaml_any_u32, 0, 0, NULL },
	{ "offset_to_skip_set_ffid_gp", xt_yaml_any_u32, 0, 0, NULL },
	{ "private_size", xt_yaml_any_u32, 0, 0, NULL },
	{ "spill_size", xt_yaml_any_u32, 0, 0, NULL },
	{ "required_sub_group_size", xt_yaml_any_u32, 0, 0, NULL },
	{ "quantum_size", xt_yaml_any_u32, 0, 0, NULL },
	{ "quantum_resources", xt_yaml_any_u32, 0, 0, NULL },
	{ "slm_alloc_mode", xt_yaml_any_text, 0, 0, NULL },
	{ "thread_scheduling_mode", xt_yaml_any_text, 0, 0, NULL },
};

/* --- kernels ---------------------------------------------------------------------------- */

struct kernel_nodes {
	const char *name;
	const yaml_node_t *env, *payload, *per_thread, *memory, *samplers, *attributes;
};

static const struct xt_field kernel_fields[] = {
	{ "name", xt_yaml_set_text, offsetof(struct kernel_nodes, name), 0, NULL },
	{ "execution_env", xt_yaml_set_node, offsetof(struct kernel_nodes, env), 0, NULL },
	{ "payload_arguments", xt_yaml_set_node, offsetof(struct kernel_nodes, payload), 0, NULL },
	{ "per_thread_payload_arguments", xt_yaml_set_node,
	  offsetof(struct kernel_nodes, per_thread), 0, NULL },
	{ "per_thread_memory_buffers", xt_yaml_set_node, offsetof(struct kernel_nodes, memory), 0,
	NULL },
	{ "inline_samplers", xt_yaml_set_node, offsetof(struct kernel_nodes, samplers), 0, NULL },
	{ "user_attributes", xt_yaml_set_node, offsetof(struct kernel_nodes, attributes), 0, NULL },
	{ "binding_table_indices", NULL, 0, 0, NULL },
	{ "experimental_properties", NULL, 0, 0, NULL },
	{ "debug_env", NULL, 0, 0, NULL },
};

/* Refuse a buffer that is reached through a binding table only: the batches have no such table. */
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
			xt_zeinfo_refuse(k, "binding tables (argument %d)", p->arg);
	}
	if (stateful && !env->has_4gb_buffers)
		xt_zeinfo_refuse(k,
				 "binding tables: compile with -cl-intel-greater-than-4GB-buffer-required");
}

/* No byte of the cross-thread data may have two owners. */
static int check_payloads(struct xt_zeinfo *zi, struct xt_kernel_desc *k)
{
	uint8_t *used = calloc(1, XT_MAX_CROSS_SIZE);
	uint32_t i, b, end = 0;
	int err = 0;

	if (!used)
		return xt_error(-ENOMEM, "out of memory");
	for (i = 0; i < k->num_payloads && !err; i++) {
		const struct xt_payload *p = &k->payloads[i];

		for (b = p->offset; b < p->offset + p->size && !err; b++) {
			if (used[b]++)
				err = xt_yaml_bad(zi, "payload_arguments overlap at offset %u", b);
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

static int check_kernel(struct xt_zeinfo *zi, struct xt_kernel_desc *k)
{
	if (k->simd != 16 && k->simd != 32) {
		if (k->simd != 1 && k->simd != 8)
			return xt_yaml_bad(zi, "simd_size %u is missing or wrong", k->simd);
		xt_zeinfo_refuse(k, "%u work-items a thread", k->simd);
	}
	if (k->grf_count != 128 && k->grf_count != 256)
		return xt_yaml_bad(zi, "grf_count %u is not 128 or 256", k->grf_count);
	if (k->skip_offset % 64)
		return xt_yaml_bad(zi,
				   "offset_to_skip_per_thread_data_load %u is no multiple of 64",
				   k->skip_offset);
	return check_payloads(zi, k);
}

static int get_attributes(struct xt_zeinfo *zi, const yaml_node_t *node, struct env *env)
{
	static const struct xt_field order = { .key = "intel_reqd_workgroup_walk_order" };
	const yaml_node_pair_t *pair;
	const char *key;
	int err = 0;

	if (node->type != YAML_MAPPING_NODE)
		return xt_yaml_bad(zi, "user_attributes is no mapping");
	/* Attributes repeat the source code's; only the order changes the launch. */
	for (pair = node->data.mapping.pairs.start;
	     pair < node->data.mapping.pairs.top && !err; pair++) {
		key = xt_yaml_scalar(yaml_document_get_node(&zi->doc, pair->key));
		if (key && !strcmp(key, order.key))
			err = env_walk_order(zi, &order,
					     yaml_document_get_node(&zi->doc, pair->value), env);
	}
	return err;
}

static int get_kernel(struct xt_zeinfo *zi, const yaml_node_t *node, void *obj)
{
	struct xt_zebin *zebin = obj;
	struct kernel_nodes n = { 0 };
	struct xt_kernel_desc *k;
	struct env env = { 0 };
	uint32_t i;
	int err;

	zi->kernel = NULL;
	err = xt_yaml_map(zi, node, "kernels", kernel_fields, ARRAY_SIZE(kernel_fields), &n);
	if (err)
		return err;
	if (!n.name || !*n.name || strlen(n.name) > 1023)
		return xt_yaml_bad(zi, "a kernel has no name, or its name is too long");
	zi->kernel = n.name;
	/* Compilers keep the functions and data of a module under this name: it is no kernel. */
	if (!strcmp(n.name, VOID_PROGRAM))
		return 0;
	if (!strcmp(n.name, NEEDS_GROUPS)) {
		zebin->needs_groups = true;
		return 0;
	}
	if (!n.env)
		return xt_yaml_bad(zi, "execution_env is missing");
	for (i = 0; i < zebin->num_kernels; i++) {
		if (!strcmp(zebin->kernels[i].name, n.name))
			return xt_yaml_bad(zi, "there are two kernels of this name");
	}
	if (zebin->num_kernels == MAX_KERNELS)
		return xt_yaml_bad(zi, "there are more than %d kernels", MAX_KERNELS);

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
	err = xt_yaml_map(zi, n.env, "execution_env", env_fields, ARRAY_SIZE(env_fields), &env);
	if (!err && n.attributes)
		err = get_attributes(zi, n.attributes, &env);
	if (!err && n.payload)
		err = xt_yaml_list(zi, n.payload, "payload_arguments", k, xt_zeinfo_payload);
	if (!err && n.per_thread)
		err = xt_yaml_list(zi, n.per_thread, "per_thread_payload_arguments", k,
				   xt_zeinfo_per_thread);
	if (!err && n.memory)
		err = xt_yaml_list(zi, n.memory, "per_thread_memory_buffers", k, xt_zeinfo_memory);
	if (!err && n.samplers)
		err = xt_yaml_list(zi, n.samplers, "inline_samplers", k, xt_zeinfo_sampler);
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
	const char *name, *type_name;
};

static const struct xt_field arg_info_fields[] = {
	{ "index", xt_yaml_set_u32, offsetof(struct arg_info, index), UINT32_MAX, NULL },
	{ "type_name", xt_yaml_set_text, offsetof(struct arg_info, type_name), 0, NULL },
	{ "name", xt_yaml_set_text, offsetof(struct arg_info, name), 0, NULL },
	{ "address_qualifier", xt_yaml_any_text, 0, 0, NULL },
	{ "access_qualifier", xt_yaml_any_text, 0, 0, NULL },
	{ "type_qualifiers", xt_yaml_any_text, 0, 0, NULL },
};

/* Note the name and the type of a parameter; those of a second one of the number are dropped. */
static int note_parameter(struct xt_kernel_desc *k, const struct arg_info *info)
{
	struct xt_parameter *p;
	size_t length;

	if (info->index >= XT_MAX_PARAMETERS || !info->name || !info->type_name)
		return 0;
	if (info->index >= k->num_parameters) {
		p = realloc(k->parameters, (info->index + 1) * sizeof(*p));
		if (!p)
			return xt_error(-ENOMEM, "out of memory");
		memset(p + k->num_parameters, 0,
		       (info->index + 1 - k->num_parameters) * sizeof(*p));
		k->parameters = p;
		k->num_parameters = info->index + 1;
	}
	p = &k->parameters[info->index];
	if (p->name)
		return 0;
	length = strcspn(info->type_name, ";");
	/* YAML lets a short file name one long text again and again. */
	p->name = strndup(info->name, XT_MAX_NAME);
	p->type = strndup(info->type_name, length < XT_MAX_NAME ? length : XT_MAX_NAME);
	return p->name && p->type ? 0 : xt_error(-ENOMEM, "out of memory");
}

/*
 * A type has the form "uchar;1", with its size. Some compilers give a small value a slot of four
 * bytes, so the payload alone does not tell how many bytes the user passes.
 */
static int get_arg_info(struct xt_zeinfo *zi, const yaml_node_t *node, void *obj)
{
	struct arg_info info = { .k = obj };
	const char *p;
	uint32_t i, size = 0;
	int err;

	err = xt_yaml_map(zi, node, "args_info", arg_info_fields, ARRAY_SIZE(arg_info_fields),
			  &info);
	if (!err)
		err = note_parameter(info.k, &info);
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

static const struct xt_field misc_fields[] = {
	{ "name", xt_yaml_set_text, offsetof(struct misc_nodes, name), 0, NULL },
	{ "args_info", xt_yaml_set_node, offsetof(struct misc_nodes, args), 0, NULL },
};

static int get_misc(struct xt_zeinfo *zi, const yaml_node_t *node, void *obj)
{
	struct xt_zebin *zebin = obj;
	struct misc_nodes n = { 0 };
	uint32_t i;
	int err;

	zi->kernel = NULL;
	err = xt_yaml_map(zi, node, "kernels_misc_info", misc_fields, ARRAY_SIZE(misc_fields), &n);
	if (err)
		return err;
	if (!n.name)
		return xt_yaml_bad(zi, "kernels_misc_info: name is missing");
	for (i = 0; n.args && i < zebin->num_kernels; i++) {
		if (strcmp(zebin->kernels[i].name, n.name))
			continue;
		zi->kernel = n.name;
		return xt_yaml_list(zi, n.args, "args_info", &zebin->kernels[i], get_arg_info);
	}
	return 0;
}

/* --- the text ----------------------------------------------------------------------------- */

struct top_nodes {
	const char *version;
	const yaml_node_t *kernels, *misc;
};

static const struct xt_field top_fields[] = {
	{ "version", xt_yaml_set_text, offsetof(struct top_nodes, version), 0, NULL },
	{ "kernels", xt_yaml_set_node, offsetof(struct top_nodes, kernels), 0, NULL },
	{ "kernels_misc_info", xt_yaml_set_node, offsetof(struct top_nodes, misc), 0, NULL },
	{ "functions", NULL, 0, 0, NULL },
	{ "global_host_access_table", NULL, 0, 0, NULL },
};

static int get_top(struct xt_zeinfo *zi)
{
	struct top_nodes top = { 0 };
	int err;

	err = xt_yaml_map(zi, yaml_document_get_root_node(&zi->doc), "the text", top_fields,
			  ARRAY_SIZE(top_fields), &top);
	if (err)
		return err;
	if (!top.version)
		return xt_yaml_bad(zi, "version is missing");
	if (strncmp(top.version, "1.", 2))
		return xt_yaml_bad(zi, "version %.16s is not 1.x", top.version);
	if (!top.kernels)
		return xt_yaml_bad(zi, "kernels is missing");
	err = xt_yaml_list(zi, top.kernels, "kernels", zi->zebin, get_kernel);
	zi->kernel = NULL;
	if (!err && top.misc)
		err = xt_yaml_list(zi, top.misc, "kernels_misc_info", zi->zebin, get_misc);
	return err;
}

int xt_zeinfo_parse(const char *text, size_t size, struct xt_zebin *zebin)
{
	struct xt_zeinfo zi = { .zebin = zebin };
	yaml_parser_t parser;
	int err;

	if (!yaml_parser_initialize(&parser))
		return xt_error(-ENOMEM, "out of memory");
	yaml_parser_set_input_string(&parser, (const unsigned char *)text, size);
	if (!yaml_parser_load(&parser, &zi.doc)) {
		err = xt_yaml_bad(&zi, "line %zu: %s", parser.problem_mark.line + 1,
				  parser.problem ? parser.problem : "no YAML");
	} else {
		err = get_top(&zi);
		yaml_document_delete(&zi.doc);
	}
	yaml_parser_delete(&parser);
	return err;
}
