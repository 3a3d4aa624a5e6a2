/* SPDX-License-Identifier: MIT */
/*
 * .ze_info, the text in a zebin that describes its kernels. zebin.c calls xt_zeinfo_parse(); the
 * rest of this header is for the three files that read the text: zeinfo.c, zeinfo_args.c, yaml.c.
 * All functions that return int return 0 or a negative errno with an error text.
 */
#ifndef _XETILE_ZEINFO_H_
#define _XETILE_ZEINFO_H_

#include <yaml.h>

#include "zebin.h"

struct xt_zeinfo {
	yaml_document_t doc;
	const char *kernel;		/* the kernel's name for error texts, or NULL */
	struct xt_zebin *zebin;
};

/* --- yaml.c: scalars, lists, and mappings by table --------------------------- */

/*
 * A field that a mapping may have. @set gets the field's node and the object of the table; a NULL
 * @set accepts any value.
 */
struct xt_field {
	const char *key;
	int (*set)(struct xt_zeinfo *zi, const struct xt_field *f, const yaml_node_t *node,
		   void *obj);
	size_t offset;
	uint32_t max;
	const char *refusal;	/* the kernel is refused with this reason when the field is true */
};

/* Set the error text, with the name of the kernel. Returns -EINVAL. */
int xt_yaml_bad(const struct xt_zeinfo *zi, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Returns the text of a scalar, or NULL: the node is no scalar. */
const char *xt_yaml_scalar(const yaml_node_t *node);
int xt_yaml_u32(const struct xt_zeinfo *zi, const yaml_node_t *node, const char *key,
		uint32_t max, uint32_t *out);
int xt_yaml_bool(const struct xt_zeinfo *zi, const yaml_node_t *node, const char *key,
		 bool *out);
int xt_yaml_xyz(struct xt_zeinfo *zi, const yaml_node_t *node, const char *key,
		uint32_t max, uint32_t out[3]);
/* Read a mapping: each field must be in @fields, and may be there once. */
int xt_yaml_map(struct xt_zeinfo *zi, const yaml_node_t *node, const char *what,
		const struct xt_field *fields, size_t num, void *obj);
int xt_yaml_list(struct xt_zeinfo *zi, const yaml_node_t *node, const char *what, void *obj,
		 int (*each)(struct xt_zeinfo *zi, const yaml_node_t *node, void *obj));
/* Functions for .set: set_ stores the value at .offset of @obj, any_ only checks the value. */
int xt_yaml_set_u32(struct xt_zeinfo *zi, const struct xt_field *f, const yaml_node_t *node,
		    void *obj);
int xt_yaml_set_text(struct xt_zeinfo *zi, const struct xt_field *f, const yaml_node_t *node,
		     void *obj);
int xt_yaml_any_u32(struct xt_zeinfo *zi, const struct xt_field *f, const yaml_node_t *node,
		    void *obj);
int xt_yaml_any_bool(struct xt_zeinfo *zi, const struct xt_field *f, const yaml_node_t *node,
		     void *obj);
int xt_yaml_any_text(struct xt_zeinfo *zi, const struct xt_field *f, const yaml_node_t *node,
		     void *obj);
int xt_yaml_set_node(struct xt_zeinfo *zi, const struct xt_field *f, const yaml_node_t *node,
		     void *obj);

/* --- zeinfo.c ---------------------------------------------------------------- */

/* Fill @zebin->kernels from the text of .ze_info. Returns as xt_zebin_parse(). */
int xt_zeinfo_parse(const char *text, size_t size, struct xt_zebin *zebin);

/* --- zeinfo_args.c: elements of a kernel's lists; @obj is the kernel ---------- */

/* Note why a kernel cannot be launched; a second reason is dropped. */
void xt_zeinfo_refuse(struct xt_kernel_desc *k, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
int xt_zeinfo_payload(struct xt_zeinfo *zi, const yaml_node_t *node, void *obj);
int xt_zeinfo_per_thread(struct xt_zeinfo *zi, const yaml_node_t *node, void *obj);
int xt_zeinfo_memory(struct xt_zeinfo *zi, const yaml_node_t *node, void *obj);
int xt_zeinfo_sampler(struct xt_zeinfo *zi, const yaml_node_t *node, void *obj);

#endif
