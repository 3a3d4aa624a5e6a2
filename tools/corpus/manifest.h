/* SPDX-License-Identifier: MIT */
/*
 * The manifest: one line a kernel with its work-items, where the right result
 * comes from, and its arguments with their data and what they are compared by.
 * Documentation/gpu/xetile/corpus.rst tells the grammar.
 */
#ifndef CORPUS_MANIFEST_H
#define CORPUS_MANIFEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CORPUS_MAX_ARGS	16
#define CORPUS_MAX_TOLS	64
#define CORPUS_MAX_LIST	32
#define CORPUS_ROOM	64	/* bytes behind each buffer that kernels may touch */

enum corpus_tol_kind {
	CORPUS_ULP,		/* units in the last place of the wanted value */
	CORPUS_ABS,		/* a distance */
	CORPUS_REL,		/* a fraction of the wanted value */
	CORPUS_ANY,		/* not defined by the source: not compared */
};

struct corpus_tol {
	enum corpus_tol_kind kind;
	double bound;
	double at;		/* ULP: of the wanted value or this, whichever is more */
};

/* Element i of a buffer is held to entry i modulo @num. */
struct corpus_tols {
	char config[16];	/* empty: every configuration without a list of its own */
	unsigned int num;
	struct corpus_tol tol[CORPUS_MAX_TOLS];
};

enum corpus_data {
	CORPUS_RANDOM,		/* integers: any bits, floats: within 10 of 0 */
	CORPUS_RANGE,		/* lo <= x <= hi */
	CORPUS_NONZERO,		/* the same without 0 */
	CORPUS_SPECIAL,		/* range, and now and then what is no ordinary number */
	CORPUS_ZERO,
	CORPUS_IOTA,		/* 0, 1, 2... */
	CORPUS_STEPS,		/* starts with 0, each next larger by a number of the range */
	CORPUS_LIST,		/* these, again and again */
};

enum corpus_arg_kind {
	CORPUS_BUFFER,
	CORPUS_VALUE,
	CORPUS_LOCAL,
};

struct corpus_arg {
	enum corpus_arg_kind kind;
	char type;		/* i, u, f, b (bfloat16) */
	unsigned int size;	/* bytes of an element */
	uint64_t count;		/* BUFFER: elements, LOCAL: bytes */
	enum corpus_data data;
	double lo, hi;
	unsigned int num_list;
	double list[CORPUS_MAX_LIST];
	unsigned int value_size;
	uint8_t value[64];
	unsigned int num_tols;
	struct corpus_tols tols[3];
};

enum corpus_oracle {
	CORPUS_POCL,		/* the same source, run by a CPU OpenCL */
	CORPUS_C,		/* reference.c, written from the definition */
};

struct corpus_kernel {
	char file[96];		/* relative to the manifest's folder */
	char name[64];
	unsigned int dims;
	uint32_t global[3], local[3];
	enum corpus_oracle oracle;
	bool ieee;		/* also compiled with correctly rounded division */
	unsigned int num_args;
	struct corpus_arg args[CORPUS_MAX_ARGS];
};

struct corpus_manifest {
	unsigned int num;
	struct corpus_kernel *kernels;
};

/* 0, or -1 with the line and what is wrong in @why. */
int corpus_manifest_parse(const char *text, struct corpus_manifest *m, char *why, size_t size);
int corpus_manifest_read(const char *path, struct corpus_manifest *m, char *why, size_t size);
void corpus_manifest_free(struct corpus_manifest *m);

/* The bounds of argument @arg in configuration @config; NULL: equal bits. */
const struct corpus_tols *corpus_tols(const struct corpus_arg *arg, const char *config);

/* Bytes of a buffer that are compared, and of all buffers of a kernel. */
size_t corpus_arg_bytes(const struct corpus_arg *arg);
size_t corpus_kernel_bytes(const struct corpus_kernel *k);

#endif
