/* SPDX-License-Identifier: MIT */
/*
 * Fuzzing the card: a target is a program that interprets an input as the actions of a
 * hostile driver.  A target links with libFuzzer and mutate.c, which look for new inputs,
 * or with run.c, which runs given inputs.
 */
#ifndef VPVC_FUZZ_H
#define VPVC_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
/*
 * Make from a random number a word that is likely in inputs of the target: the mutator
 * would hardly guess such words.
 */
uint32_t fuzz_word(uint64_t random);

/* The rest of an input; behind its end take*() give zeros. */
struct input {
	const uint8_t *p;
	size_t left;
};

static inline void take(struct input *in, void *to, size_t n)
{
	size_t have = n < in->left ? n : in->left;

	memset(to, 0, n);
	if (have)
		memcpy(to, in->p, have);
	in->p += have;
	in->left -= have;
}

static inline uint8_t take8(struct input *in)
{
	uint8_t v;

	take(in, &v, sizeof(v));
	return v;
}

static inline uint16_t take16(struct input *in)
{
	uint16_t v;

	take(in, &v, sizeof(v));
	return v;
}

static inline uint32_t take32(struct input *in)
{
	uint32_t v;

	take(in, &v, sizeof(v));
	return v;
}

static inline uint64_t take64(struct input *in)
{
	uint64_t v;

	take(in, &v, sizeof(v));
	return v;
}

/* Abort if the card breaks a promise. */
#define PROMISE(cond) do { \
	if (!(cond)) { \
		fprintf(stderr, "%s:%d: broken: %s\n", __FILE__, __LINE__, #cond); \
		abort(); \
	} \
} while (0)

#endif
