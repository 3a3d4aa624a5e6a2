/* SPDX-License-Identifier: MIT */
/*
 * The manifest: one line per kernel with its work-items, the source of the correct result,
 * and its arguments with their data and bounds for the comparison.
 * Documentation/gpu/xetile/conformance.rst has the grammar.
 */
#ifndef CTS_MANIFEST_H
#define CTS_MANIFEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CTS_MAX_ARGS	16
#define CTS_MAX_TOLS	64
#define CTS_MAX_LIST	32
#define CTS_ROOM	64	/* bytes behind each buffer that kernels may touch */

enum cts_tol_kind {
	CTS_ULP,		/* units in the last place of the wanted value */
	CTS_ABS,		/* a distance */
	CTS_REL,		/* a fraction of the wanted value */
	CTS_ANY,		/* not defined by the source: not compared */
};

struct cts_tol {
	enum cts_tol_kind kind;
	double bound;
	double at;		/* ULP: units of this value, if it is the larger one */
};

/* Entry i modulo @num is the bound of element i of a buffer. */
struct cts_tols {
	char config[16];	/* empty: every configuration without a list of its own */
	unsigned int num;
	struct cts_tol tol[CTS_MAX_TOLS];
};

enum cts_data {
	CTS_RANDOM,		/* integers: any bits, floats: within 10 of 0 */
	CTS_RANGE,		/* lo <= x <= hi */
	CTS_NONZERO,		/* lo <= x <= hi, without 0 */
	CTS_SPECIAL,		/* range, with special values in between (NaN, infinity...) */
	CTS_ZERO,
	CTS_IOTA,		/* 0, 1, 2... */
	CTS_STEPS,		/* 0, then each element adds a number of the range */
	CTS_LIST,		/* the numbers of a list, repeated */
};

enum cts_arg_kind {
	CTS_BUFFER,
	CTS_VALUE,
	CTS_LOCAL,
};

struct cts_arg {
	enum cts_arg_kind kind;
	char type;		/* i, u, f, b (bfloat16) */
	unsigned int size;	/* bytes of an element */
	uint64_t count;		/* BUFFER: elements, LOCAL: bytes */
	enum cts_data data;
	double lo, hi;
	unsigned int num_list;
	double list[CTS_MAX_LIST];
	unsigned int value_size;
	uint8_t value[64];
	unsigned int num_tols;
	struct cts_tols tols[3];
};

enum cts_oracle {
	CTS_POCL,		/* the same source, run by a CPU OpenCL */
	CTS_C,		/* reference*.c, written from the definition */
};

struct cts_kernel {
	char file[96];		/* relative to the manifest's folder */
	char name[64];
	unsigned int dims;
	uint32_t global[3], local[3];
	enum cts_oracle oracle;
	bool ieee;		/* also compiled with correctly rounded division */
	unsigned int num_args;
	struct cts_arg args[CTS_MAX_ARGS];
};

struct cts_manifest {
	unsigned int num;
	struct cts_kernel *kernels;
};

/* Return 0, or -1 with the line and the error in @why. */
int cts_manifest_parse(const char *text, struct cts_manifest *m, char *why, size_t size);
int cts_manifest_read(const char *path, struct cts_manifest *m, char *why, size_t size);
void cts_manifest_free(struct cts_manifest *m);

/* The bounds of argument @arg in configuration @config; NULL: equal bits. */
const struct cts_tols *cts_tols(const struct cts_arg *arg, const char *config);

/* Bytes of a buffer that are compared, and of all buffers of a kernel. */
size_t cts_arg_bytes(const struct cts_arg *arg);
size_t cts_kernel_bytes(const struct cts_kernel *k);

#endif
