/* SPDX-License-Identifier: MIT */
/*
 * A kernel argument of the command line. run.c keeps one for each ARG.
 */
#ifndef _XETILECTL_ARG_H_
#define _XETILECTL_ARG_H_

#include <xetile.h>

/** enum ctl_type - type of a scalar, or of the elements of a buffer */
enum ctl_type {
	CTL_U8, CTL_I8, CTL_U16, CTL_I16, CTL_U32, CTL_I32, CTL_U64, CTL_I64, CTL_F32, CTL_F64,
	CTL_NUM_TYPES,
};

/* Bytes of the longest value */
#define CTL_MAX_VALUE	256

enum ctl_arg_kind {
	CTL_ARG_BUFFER,
	CTL_ARG_VALUE,
	CTL_ARG_SLM,
	CTL_ARG_NULL,
	CTL_ARG_PLAIN,		/* a value without a type: the kernel's parameter has one */
};

struct ctl_arg {
	enum ctl_arg_kind kind;
	const char *text;		/* as the user wrote it, as far as it is not cut into pieces */
	const char *name;		/* of the parameter; NULL: arguments have an order */
	const char *plain;		/* PLAIN */
	/* VALUE */
	uint8_t value[CTL_MAX_VALUE];
	size_t value_size;
	/* SLM, BUFFER */
	uint64_t size;
	/* BUFFER; the texts belong to the caller */
	char *in, *out;
	int out_fd;			/* of the file @out, when it is open; else -1 */
	const char *color_text;		/* NULL: no color is named */
	bool fill, iota;
	enum ctl_type fill_type;
	uint8_t fill_value[8];
	bool dump;
	enum ctl_type dump_type;
	uint64_t dump_count;
	struct xetile_mem_desc color;
	struct xetile_mem *mem;
	void *map;
};

size_t ctl_type_size(enum ctl_type type);
/*
 * Read an argument. The call changes @text, which must live as long as @arg. Returns CTL_OK, or
 * another exit code after a message.
 */
int ctl_arg_parse(char *text, struct ctl_arg *arg);
/* Fill a mapped buffer. Returns CTL_OK, or CTL_FAILED after a message. */
int ctl_arg_fill(struct ctl_arg *arg);
/*
 * Read a PLAIN value as the type of a kernel's parameter, such as "float" or "uint4", whose numbers
 * stand between commas. Returns CTL_OK, or CTL_USAGE after a message.
 */
int ctl_arg_read_plain(struct ctl_arg *arg, const char *type);
/*
 * Open the buffer's file, if it has one: what cannot be written must not be computed. Its contents
 * stay. Returns as the next.
 */
int ctl_arg_open(struct ctl_arg *arg);
/* Write the buffer to its open file. Returns CTL_OK, or CTL_FAILED after a message. */
int ctl_arg_save(const struct ctl_arg *arg);
/* Print the first elements of a buffer, as its dump= says. */
void ctl_arg_print(const struct ctl_arg *arg, unsigned int index, bool json);

#endif
