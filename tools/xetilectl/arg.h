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
};

struct ctl_arg {
	enum ctl_arg_kind kind;
	/* VALUE */
	uint8_t value[CTL_MAX_VALUE];
	size_t value_size;
	/* SLM, BUFFER */
	uint64_t size;
	/* BUFFER; the texts belong to the caller */
	char *in, *out;
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
/* Write the buffer to its file, if it has one. Returns CTL_OK, or CTL_FAILED after a message. */
int ctl_arg_save(const struct ctl_arg *arg);
/* Print the first elements of a buffer, as its dump= says. */
void ctl_arg_print(const struct ctl_arg *arg, unsigned int index, bool json);

#endif
