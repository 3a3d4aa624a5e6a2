// SPDX-License-Identifier: MIT
/*
 * Known answers, and what `selftest` prints of a made-up test.
 *
 *	selftest answers|text|json
 *
 * The kernels are computed here from their source, in any order of work-groups. Then single words are
 * changed, and each has to be found.
 */
#include <err.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "selftest_answer.h"

static unsigned int passed, failed;

static void check(bool ok, const char *what)
{
	if (ok) {
		passed++;
		return;
	}
	failed++;
	printf("FAIL %s\n", what);
}

/* --- kernels ------------------------------------------------------------------------------ */

static uint32_t *buffers[ANSWER_BUFFERS];
static const uint64_t addresses[ANSWER_BUFFERS] = { 0x10000, 0x7fff00000000, 0x200000 };

static void compute_group(enum answer_kernel kernel, uint32_t group)
{
	uint32_t first = group * ANSWER_LOCAL, i, sum = 0;
	float *a = (float *)buffers[0], *b = (float *)buffers[1], *c = (float *)buffers[2];

	for (i = first; i < first + ANSWER_LOCAL; i++) {
		switch (kernel) {
		case ANSWER_FILL:
			buffers[0][i] = ANSWER_FILL_BASE + i;
			break;
		case ANSWER_COPY:
			buffers[0][i] = buffers[1][i];
			break;
		case ANSWER_COUNT:
			buffers[0][0]++;
			break;
		case ANSWER_GROUP_SUM:
			sum += buffers[1][i];
			break;
		case ANSWER_TRIAD:
			a[i] = b[i] + ANSWER_TRIAD_SCALE * c[i];
			break;
		default:
			break;
		}
	}
	if (kernel == ANSWER_GROUP_SUM)
		buffers[0][group] = sum;
	if (kernel == ANSWER_WHOAMI) {
		buffers[1][buffers[0][0]++] = group;
		buffers[2][group]++;
	}
}

static void compute(enum answer_kernel kernel)
{
	uint32_t i;

	answer_prepare(kernel, buffers);
	/* 389 has no factor in common with the number of groups. */
	for (i = 0; i < ANSWER_GROUPS; i++)
		compute_group(kernel, i * 389 % ANSWER_GROUPS);
}

static struct selftest_wrong judge(enum answer_kernel kernel)
{
	struct selftest_wrong wrong = { 0 };

	answer_judge(kernel, (const uint32_t *const *)buffers, addresses, &wrong);
	return wrong;
}

/* The first words, the last ones, and some between */
static uint32_t next(uint32_t i)
{
	return i < 3 ? i + 1 : i < ANSWER_ITEMS - 1 - 1021 ? i + 1021 :
	       i < ANSWER_ITEMS - 1 ? ANSWER_ITEMS - 1 : ANSWER_ITEMS;
}

static void check_kernel(enum answer_kernel kernel)
{
	struct selftest_wrong wrong;
	unsigned int b, bit = 0;
	uint32_t i, right;
	char what[80];

	compute(kernel);
	snprintf(what, sizeof(what), "the answer of %s", answer_name(kernel));
	check(!judge(kernel).words, what);
	for (b = 0; b < answer_buffers(kernel); b++) {
		for (i = 0; i < ANSWER_ITEMS; i = next(i)) {
			right = buffers[b][i];
			buffers[b][i] ^= 1u << bit++ % 32;
			wrong = judge(kernel);
			snprintf(what, sizeof(what), "%s: word %u of buffer %u", answer_name(kernel), i, b);
			/* Which number of a list is wrong is not known if both are in it. */
			if (kernel == ANSWER_WHOAMI && b == 1 && i < ANSWER_GROUPS)
				check(wrong.words == 1 && wrong.address >= addresses[b] &&
				      wrong.address < addresses[b] + 4 * ANSWER_GROUPS, what);
			else
				check(wrong.words == 1 && wrong.address == addresses[b] + 4 * i &&
				      wrong.expected == right && wrong.found == buffers[b][i] &&
				      wrong.bytes == 4, what);
			buffers[b][i] = right;
		}
	}
	/* A kernel that did not run at all */
	answer_prepare(kernel, buffers);
	snprintf(what, sizeof(what), "%s did not run", answer_name(kernel));
	check(judge(kernel).words, what);
}

/* --- memory ------------------------------------------------------------------------------- */

#define WORDS	(1u << 17)

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static void check_pattern(void)
{
	static uint64_t words[2 * WORDS], sorted[2 * WORDS];
	struct selftest_wrong wrong = { 0 };
	const uint64_t at = 0xffff80000000;
	uint64_t ones = 0, zeros = 0;
	size_t i;

	/* Two places, both ways: no word is there twice. */
	answer_pattern(words, WORDS, at, false);
	answer_pattern(words + WORDS, WORDS, at + (1ull << 33), false);
	memcpy(sorted, words, sizeof(words));
	qsort(sorted, 2 * WORDS, sizeof(*sorted), compare);
	for (i = 1; i < 2 * WORDS && sorted[i] != sorted[i - 1]; i++)
		;
	check(i == 2 * WORDS, "no word of the pattern is there twice");
	for (i = 0; i < WORDS; i++) {
		ones |= words[i];
		zeros |= ~words[i];
	}
	check(!~ones && !~zeros, "each bit is one somewhere, and zero somewhere");
	answer_pattern_judge(words, WORDS, at, false, &wrong);
	check(!wrong.words, "the pattern is right");
	answer_pattern_judge(words, WORDS, at + 65536, false, &wrong);
	check(wrong.words == WORDS && wrong.address == at + 65536 && wrong.found == words[0],
	      "another address has other words");
	memset(&wrong, 0, sizeof(wrong));
	words[77] ^= 1ull << 63;
	words[78] = 0;
	answer_pattern_judge(words, WORDS, at, false, &wrong);
	check(wrong.words == 2 && wrong.address == at + 8 * 77 && wrong.found == words[77] &&
	      wrong.expected == (words[77] ^ 1ull << 63) && wrong.bytes == 8, "one bit is found");
	answer_pattern(words + WORDS, WORDS, at, true);
	for (i = 0; i < WORDS && (i == 77 || i == 78 || words[WORDS + i] == ~words[i]); i++)
		;
	check(i == WORDS, "the other bits");

	memset(words, 0xa5, 4096);
	memset(&wrong, 0, sizeof(wrong));
	answer_bytes_judge(words, 4096, at, 0xa5, &wrong);
	check(!wrong.words, "bytes are right");
	((uint8_t *)words)[4095] = 0xa4;
	answer_bytes_judge(words, 4096, at, 0xa5, &wrong);
	check(wrong.words == 1 && wrong.address == at + 4088 &&
	      wrong.expected == 0xa5a5a5a5a5a5a5a5, "one byte is found");
}

/* --- what is printed ------------------------------------------------------------------------ */

static struct selftest_unit units[] = {
	{ SELFTEST_GANG, SELFTEST_PASS, "0", .tests = 6 },
	{ SELFTEST_COMPUTE, SELFTEST_PASS, "0.0.0", "CCS0", 0x3, 6 },
	{ SELFTEST_COMPUTE, SELFTEST_FAIL, "0.0.1", "CCS1", 0xc, 5, .reason = "kernel triad: wrong result",
	  .wrong = { 17, 0x7fff00010004, 0x40400000, 0x40400001, 4 } },
	{ SELFTEST_COMPUTE, SELFTEST_NOT_RUN, "0.1.0",
	  .reason = "cannot create a queue: a reason of many words, so many that they do not fit into one line, and a name \033[2Jof a terminal" },
	{ SELFTEST_COPY, SELFTEST_PASS, "0.0", "BCS1", 0, 2, 2 << 20 },
	{ SELFTEST_COPY, SELFTEST_FAIL, "0.0", "BCS8", 0, 1, 1 << 20, .reason = "fill: wrong result",
	  .wrong = { 1, 0x10000, 0xa5a5a5a5a5a5a5a5, 0, 8 } },
	{ SELFTEST_CLEAR, SELFTEST_PASS, "0.0", .tests = 2, .bytes = 2 << 20 },
	{ SELFTEST_HBM, SELFTEST_FAIL, "0.0", "BCS1", 0, 2, 63ull << 30, 64ull << 30,
	  "the pattern: wrong result",
	  { UINT64_MAX, UINT64_MAX - 7, UINT64_MAX, UINT64_MAX - 1, 8 } },
};

int main(int argc, char **argv)
{
	const struct selftest test = { units, sizeof(units) / sizeof(units[0]) };
	struct selftest some = { units, 2 };
	unsigned int i;

	if (argc != 2)
		errx(2, "usage: selftest answers|text|json");
	if (!strcmp(argv[1], "text"))
		selftest_view(stdout, &test);
	else if (!strcmp(argv[1], "json"))
		selftest_json(&test);
	else {
		for (i = 0; i < ANSWER_BUFFERS; i++) {
			buffers[i] = malloc(ANSWER_ITEMS * sizeof(uint32_t));
			if (!buffers[i])
				errx(1, "out of memory");
		}
		for (i = 0; i < ANSWER_KERNELS; i++)
			check_kernel(i);
		check_pattern();
		check(selftest_verdict(&some) == SELFTEST_PASS, "all passed");
		some.num = 4;
		check(selftest_verdict(&some) == SELFTEST_FAIL, "one failed");
		some.units = &units[3];
		some.num = 2;
		check(selftest_verdict(&some) == SELFTEST_NOT_RUN, "one was not run");
		printf("%u passed, %u failed\n", passed, failed);
	}
	return failed != 0;
}
