// SPDX-License-Identifier: MIT
/*
 * A small reader of YAML for zeinfo.c and zeinfo_args.c: scalars, lists, and mappings whose
 * fields a table names. A field that is in no table is an error.
 */
#include "zeinfo.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "error.h"

int xt_yaml_bad(const struct xt_zeinfo *zi, const char *fmt, ...)
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

const char *xt_yaml_scalar(const yaml_node_t *node)
{
	if (!node || node->type != YAML_SCALAR_NODE ||
	    memchr(node->data.scalar.value, 0, node->data.scalar.length))
		return NULL;
	return (const char *)node->data.scalar.value;
}

int xt_yaml_u32(const struct xt_zeinfo *zi, const yaml_node_t *node, const char *key,
		uint32_t max, uint32_t *out)
{
	const char *text = xt_yaml_scalar(node), *p;
	uint64_t v = 0;

	for (p = text; p && *p >= '0' && *p <= '9' && p - text < 10; p++)
		v = v * 10 + (*p - '0');
	if (!p || p == text || *p)
		return xt_yaml_bad(zi, "%s is no number", key);
	if (v > max)
		return xt_yaml_bad(zi, "%s %" PRIu64 " exceeds %u", key, v, max);
	*out = v;
	return 0;
}

int xt_yaml_bool(const struct xt_zeinfo *zi, const yaml_node_t *node, const char *key,
		 bool *out)
{
	const char *text = xt_yaml_scalar(node);

	if (!text || (strcmp(text, "true") && strcmp(text, "false")))
		return xt_yaml_bad(zi, "%s is neither true nor false", key);
	*out = *text == 't';
	return 0;
}

int xt_yaml_xyz(struct xt_zeinfo *zi, const yaml_node_t *node, const char *key,
		uint32_t max, uint32_t out[3])
{
	const yaml_node_item_t *item;
	unsigned int i = 0;
	int err;

	if (node->type != YAML_SEQUENCE_NODE ||
	    node->data.sequence.items.top - node->data.sequence.items.start != 3)
		return xt_yaml_bad(zi, "%s is no list of three", key);
	for (item = node->data.sequence.items.start; i < 3; item++, i++) {
		err = xt_yaml_u32(zi, yaml_document_get_node(&zi->doc, *item), key, max, &out[i]);
		if (err)
			return err;
	}
	return 0;
}

#define MAX_FIELDS	48

int xt_yaml_map(struct xt_zeinfo *zi, const yaml_node_t *node, const char *what,
		const struct xt_field *fields, size_t num, void *obj)
{
	bool seen[MAX_FIELDS] = { false };
	const yaml_node_pair_t *pair;
	size_t i;
	int err;

	if (!node || node->type != YAML_MAPPING_NODE)
		return xt_yaml_bad(zi, "%s is no mapping", what);
	for (pair = node->data.mapping.pairs.start; pair < node->data.mapping.pairs.top; pair++) {
		const char *key = xt_yaml_scalar(yaml_document_get_node(&zi->doc, pair->key));
		const yaml_node_t *value = yaml_document_get_node(&zi->doc, pair->value);

		if (!key || !value)
			return xt_yaml_bad(zi, "%s has a field without a name or a value", what);
		for (i = 0; i < num && strcmp(key, fields[i].key); i++)
			;
		if (i == num)
			return xt_yaml_bad(zi, "%s: unknown field %.48s", what, key);
		if (seen[i])
			return xt_yaml_bad(zi, "%s: there are two fields %s", what, key);
		seen[i] = true;
		err = fields[i].set ? fields[i].set(zi, &fields[i], value, obj) : 0;
		if (err)
			return err;
	}
	return 0;
}

int xt_yaml_list(struct xt_zeinfo *zi, const yaml_node_t *node, const char *what, void *obj,
		 int (*each)(struct xt_zeinfo *zi, const yaml_node_t *node, void *obj))
{
	const yaml_node_item_t *item;
	int err;

	if (node->type != YAML_SEQUENCE_NODE)
		return xt_yaml_bad(zi, "%s is no list", what);
	for (item = node->data.sequence.items.start;
	     item < node->data.sequence.items.top; item++) {
		err = each(zi, yaml_document_get_node(&zi->doc, *item), obj);
		if (err)
			return err;
	}
	return 0;
}

int xt_yaml_set_u32(struct xt_zeinfo *zi, const struct xt_field *f, const yaml_node_t *node,
		    void *obj)
{
	return xt_yaml_u32(zi, node, f->key, f->max, (uint32_t *)((char *)obj + f->offset));
}

int xt_yaml_set_text(struct xt_zeinfo *zi, const struct xt_field *f, const yaml_node_t *node,
		     void *obj)
{
	const char *text = xt_yaml_scalar(node);

	if (!text)
		return xt_yaml_bad(zi, "%s is no text", f->key);
	*(const char **)((char *)obj + f->offset) = text;
	return 0;
}

/* The library does not need the value of the field, but the value must be well-formed. */
int xt_yaml_any_u32(struct xt_zeinfo *zi, const struct xt_field *f, const yaml_node_t *node,
		    void *obj)
{
	uint32_t v;

	(void)obj;
	return xt_yaml_u32(zi, node, f->key, UINT32_MAX, &v);
}

int xt_yaml_any_bool(struct xt_zeinfo *zi, const struct xt_field *f, const yaml_node_t *node,
		     void *obj)
{
	bool v;

	(void)obj;
	return xt_yaml_bool(zi, node, f->key, &v);
}

int xt_yaml_any_text(struct xt_zeinfo *zi, const struct xt_field *f, const yaml_node_t *node,
		     void *obj)
{
	(void)obj;
	return xt_yaml_scalar(node) ? 0 : xt_yaml_bad(zi, "%s is no text", f->key);
}

int xt_yaml_set_node(struct xt_zeinfo *zi, const struct xt_field *f, const yaml_node_t *node,
		     void *obj)
{
	(void)zi;
	*(const yaml_node_t **)((char *)obj + f->offset) = node;
	return 0;
}
