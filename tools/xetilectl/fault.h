/* SPDX-License-Identifier: MIT */
/*
 * What a page fault of a kernel has to do with its arguments. Pure.
 */
#ifndef _XETILECTL_FAULT_H_
#define _XETILECTL_FAULT_H_

#include <stddef.h>
#include <stdint.h>

/* An argument that is a pointer */
struct fault_arg {
	unsigned int index;
	const char *name;		/* NULL: not known */
	uint64_t addr;			/* 0: a null pointer */
	uint64_t size, mapped;		/* bytes that were asked for, and bytes that are mapped */
};

/*
 * Say which argument is nearest to the @page of 4 KiB that was not mapped for the access. The text
 * is empty if there is none.
 */
void fault_text(char *out, size_t size, uint64_t page, const struct fault_arg *args,
		unsigned int num);
/* "argument 1 'in'", or without a name "argument 1" */
void fault_arg_name(char *out, size_t size, unsigned int index, const char *name);

#endif
