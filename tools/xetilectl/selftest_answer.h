/* SPDX-License-Identifier: MIT */
/*
 * Known answers: what kernels and memory are given, and what must be there afterwards. Pure.
 */
#ifndef _XETILECTL_SELFTEST_ANSWER_H_
#define _XETILECTL_SELFTEST_ANSWER_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "selftest.h"

/* Work-items of a launch, and of a work-group */
#define ANSWER_LOCAL	64u
#define ANSWER_GROUPS	1024u
#define ANSWER_ITEMS	(ANSWER_LOCAL * ANSWER_GROUPS)

/* The kernels of libxetile/kernels/kernels.cl that end by themselves */
enum answer_kernel {
	ANSWER_FILL, ANSWER_COPY, ANSWER_COUNT, ANSWER_GROUP_SUM, ANSWER_TRIAD, ANSWER_WHOAMI,
	ANSWER_KERNELS
};

#define ANSWER_BUFFERS	3	/* of a kernel; each has ANSWER_ITEMS words of 4 bytes */
#define ANSWER_FILL_BASE	0x5eed0000u
#define ANSWER_TRIAD_SCALE	3.0f

/* "fill" */
const char *answer_name(enum answer_kernel kernel);
/* How many buffers the kernel takes, in the order of its arguments */
unsigned int answer_buffers(enum answer_kernel kernel);
/* Write what the buffers must hold before a launch. */
void answer_prepare(enum answer_kernel kernel, uint32_t *const buffers[ANSWER_BUFFERS]);
/*
 * Compare the buffers with what a launch must have made of them. @addresses are those of the GPU.
 */
void answer_judge(enum answer_kernel kernel, const uint32_t *const buffers[ANSWER_BUFFERS],
		  const uint64_t addresses[ANSWER_BUFFERS], struct selftest_wrong *wrong);

/*
 * The pattern of memory: each word of 8 bytes differs by its address from all others. @inverse: its
 * bits are the others.
 */
void answer_pattern(uint64_t *words, size_t num, uint64_t address, bool inverse);
/* Count the words that are not the pattern's into @wrong, which keeps the first one. */
void answer_pattern_judge(const uint64_t *words, size_t num, uint64_t address, bool inverse,
			  struct selftest_wrong *wrong);
/* The same of bytes that are all @value; @size is a multiple of 8. */
void answer_bytes_judge(const uint64_t *words, size_t size, uint64_t address, uint8_t value,
			struct selftest_wrong *wrong);

#endif
