/* SPDX-License-Identifier: MIT */
/*
 * A zebin: the ELF file of compiled kernels, read into the tables of this header. module.c loads
 * the tables into a card's memory; dispatch.c, batch.c and indirect.c read a kernel's entry.
 */
#ifndef _XETILE_ZEBIN_H_
#define _XETILE_ZEBIN_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum xt_arg_type {
	XT_ARG_GLOBAL_OFFSET,
	XT_ARG_LOCAL_SIZE,
	XT_ARG_ENQUEUED_LOCAL_SIZE,
	XT_ARG_GROUP_COUNT,
	XT_ARG_GLOBAL_SIZE,
	XT_ARG_WORK_DIM,
	XT_ARG_VALUE,
	XT_ARG_POINTER,
	XT_ARG_SLM,
	XT_ARG_BUFFER_SIZE,
	XT_ARG_CONST_BASE,
	XT_ARG_GLOBAL_BASE,
	XT_ARG_PRIVATE_BASE,
	XT_ARG_PRINTF,
	XT_ARG_IMPLICIT,	/* pointer to the implicit arguments */
	XT_ARG_ZERO,		/* takes room; the library leaves the room zero */
	XT_ARG_NOTHING,		/* takes no room */
	XT_ARG_REFUSED,		/* needs something that the library cannot do */
};

/* One piece of the cross-thread data */
struct xt_payload {
	enum xt_arg_type type;
	uint32_t offset;
	uint32_t size;
	int32_t arg;		/* index of the user's argument, -1: none */
	uint32_t source;	/* offset in the argument's value */
	uint32_t declared;	/* bytes of the parameter in the source code, 0: unknown */
	uint32_t slm_align;
};

/* What a compiler tells of a parameter in the source, if it was asked to; NULL: nothing */
struct xt_parameter {
	char *name;
	char *type;
};

/* Parameters of a kernel that the library notes */
#define XT_MAX_PARAMETERS	128
/* Bytes that it notes of a name or a type */
#define XT_MAX_NAME		255

struct xt_kernel_desc {
	char *name;
	uint32_t simd;
	uint32_t grf_count;
	uint32_t slm_size;
	uint32_t barriers;
	uint32_t skip_offset;
	uint32_t required_local[3];
	uint32_t cross_size;	/* bytes, a multiple of 32 */
	bool has_local_ids;
	bool has_dpas;
	bool has_stack_calls;
	bool needs_implicit;	/* implicit arguments lie in front of the cross-thread data */
	bool has_printf;
	uint32_t scratch[2];	/* bytes of scratch for a hardware thread, by slot */
	uint32_t private_size;	/* bytes of private memory for a hardware thread */
	uint32_t num_payloads;
	uint32_t num_args;
	struct xt_payload *payloads;
	uint32_t num_parameters;	/* 0: the file does not tell */
	struct xt_parameter *parameters;
	char refusal[96];	/* the reason why the kernel cannot be launched, or empty */
	/* Facts of the ELF file */
	uint32_t text_section;
	const uint8_t *text;	/* in the zebin's copy of the file */
	uint64_t text_size;
	uint64_t image_offset;	/* in the module's image */
};

struct xt_symbol {
	char name[64];		/* its first 63 characters */
	bool is_function;	/* that others may call by its name */
	uint32_t section;
	uint64_t value;
};

/* Types of relocation, numbered by the compiler's ELF files. */
enum xt_reloc_type {
	XT_RELOC_NONE = 0,
	XT_RELOC_ADDR = 1,		/* 64 bits of the symbol's address */
	XT_RELOC_ADDR_32 = 2,		/* low 32 bits of the address */
	XT_RELOC_ADDR_32_HIGH = 3,	/* high 32 bits of the address */
	XT_RELOC_PAYLOAD_OFFSET = 4,	/* the library refuses this type */
	XT_RELOC_IMM_32 = 5,		/* 32 bits that are no address */
	XT_RELOC_SEND = 6,		/* the library refuses this type */
	XT_RELOC_ADDR_16 = 7,		/* low 16 bits of the address */
};

struct xt_reloc {
	uint32_t section;	/* index of the section to patch */
	uint32_t symbol;	/* index in the zebin's symbols */
	uint32_t type;		/* enum xt_reloc_type */
	uint64_t offset;
};

/* A data segment: initialised bytes, then zeros */
struct xt_data {
	uint32_t section;	/* index of the initialised section, 0: none */
	uint32_t bss_section;
	const uint8_t *init;
	uint64_t init_size;
	uint64_t size;
};

/* Code that kernels of the module call */
struct xt_functions {
	uint32_t section;	/* 0: none */
	const uint8_t *text;
	uint64_t text_size;
	uint64_t image_offset;	/* in the module's image */
};

struct xt_zebin {
	uint8_t *file;		/* private copy of the file */
	size_t file_size;
	uint32_t num_kernels;
	struct xt_kernel_desc *kernels;
	uint32_t num_symbols;
	struct xt_symbol *symbols;
	uint32_t num_relocs;
	struct xt_reloc *relocs;
	struct xt_data data[3];	/* by XT_DATA_* */
	struct xt_functions functions;
	uint32_t implicit_version;
	bool needs_groups;	/* a kernel may use non-uniform groups */
};

#define XT_DATA_CONST	0
#define XT_DATA_GLOBAL	1
#define XT_DATA_STRING	2

/* The symbol whose value is the number of bytes in front of the cross-thread data */
#define XT_SYMBOL_CROSS_THREAD	"__INTEL_PATCH_CROSS_THREAD_OFFSET_OFF_R0"
/* Bytes of the implicit arguments with their padding */
#define XT_IMPLICIT_SIZE(version)	((version) ? 192u : 128u)
/*
 * Local ids of a thread, when they are data: three rows of lanes (x, y, z), whatever the
 * width of the thread.
 */
#define XT_LOCAL_ID_LANES	32
#define XT_LOCAL_ID_ROW		(3 * XT_LOCAL_ID_LANES * sizeof(uint16_t))
/* Limits: work-items and shared local memory of a work-group, bytes of cross-thread data */
#define XT_MAX_GROUP_ITEMS	1024
#define XT_MAX_SLM		(128u << 10)
#define XT_MAX_CROSS_SIZE	(16u << 10)

/*
 * Read a file; the tables hold a private copy of the file, and xt_zebin_free() frees them.
 * Returns 0; -EINVAL for a damaged file; -ENOEXEC for a file that is no kernel of this card;
 * -EOPNOTSUPP for a file that needs something the library cannot do; -ENOMEM; each error with
 * an error text.
 */
int xt_zebin_parse(const void *data, size_t size, struct xt_zebin *zebin);
void xt_zebin_free(struct xt_zebin *zebin);

#endif
