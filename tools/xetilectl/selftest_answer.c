// SPDX-License-Identifier: MIT
/*
 * Known answers. What a kernel must not write is compared, too: it holds a value of its own.
 */
#include "selftest_answer.h"

#include <string.h>

/* What a kernel has not written */
#define UNTOUCHED	0xdeadbeefu

static const struct {
	const char *name;
	unsigned int buffers;
} kernels[ANSWER_KERNELS] = {
	[ANSWER_FILL] = { "fill", 1 },
	[ANSWER_COPY] = { "copy", 2 },
	[ANSWER_COUNT] = { "count", 1 },
	[ANSWER_GROUP_SUM] = { "group_sum", 2 },
	[ANSWER_TRIAD] = { "triad", 3 },
	[ANSWER_WHOAMI] = { "whoami", 3 },
};

const char *answer_name(enum answer_kernel kernel)
{
	return kernels[kernel].name;
}

unsigned int answer_buffers(enum answer_kernel kernel)
{
	return kernels[kernel].buffers;
}

static uint32_t bits_of(float value)
{
	uint32_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

/* Small whole numbers: sums and products are exact, whatever the order. */
static float triad_b(uint32_t i)
{
	return i % 1021;
}

static float triad_c(uint32_t i)
{
	return i % 509;
}

/* A word that differs from those next to it in about half of its bits */
static uint32_t scattered(uint32_t i)
{
	return (i + 1) * 0x9e3779b1u;
}

/* What a buffer holds before the launch */
static uint32_t before(enum answer_kernel kernel, unsigned int buffer, uint32_t i)
{
	switch (kernel) {
	case ANSWER_COPY:
	case ANSWER_GROUP_SUM:
		return buffer ? scattered(i) : UNTOUCHED;
	case ANSWER_COUNT:
		return i ? UNTOUCHED : 0;
	case ANSWER_TRIAD:
		return buffer ? bits_of(buffer == 1 ? triad_b(i) : triad_c(i)) : UNTOUCHED;
	case ANSWER_WHOAMI:
		if (buffer == 2)
			return i < ANSWER_GROUPS ? 0 : UNTOUCHED;
		return buffer || i ? UNTOUCHED : 0;
	default:
		return UNTOUCHED;
	}
}

static uint32_t group_sum(uint32_t group)
{
	uint32_t sum = 0, i;

	for (i = 0; i < ANSWER_LOCAL; i++)
		sum += scattered(group * ANSWER_LOCAL + i);
	return sum;
}

/* What a buffer must hold after the launch. The order of work-groups is nobody's to know. */
static uint32_t after(enum answer_kernel kernel, unsigned int buffer, uint32_t i)
{
	switch (kernel) {
	case ANSWER_FILL:
		return ANSWER_FILL_BASE + i;
	case ANSWER_COPY:
		return scattered(i);
	case ANSWER_COUNT:
		return i ? UNTOUCHED : ANSWER_ITEMS;
	case ANSWER_GROUP_SUM:
		if (!buffer && i < ANSWER_GROUPS)
			return group_sum(i);
		break;
	case ANSWER_TRIAD:
		if (!buffer)
			return bits_of(triad_b(i) + ANSWER_TRIAD_SCALE * triad_c(i));
		break;
	case ANSWER_WHOAMI:
		if (!buffer && !i)
			return ANSWER_GROUPS;
		if (buffer == 2 && i < ANSWER_GROUPS)
			return 1;
		break;
	default:
		break;
	}
	return before(kernel, buffer, i);
}

void answer_prepare(enum answer_kernel kernel, uint32_t *const buffers[ANSWER_BUFFERS])
{
	unsigned int b;
	uint32_t i;

	for (b = 0; b < answer_buffers(kernel); b++) {
		for (i = 0; i < ANSWER_ITEMS; i++)
			buffers[b][i] = before(kernel, b, i);
	}
}

static void count_wrong(struct selftest_wrong *wrong, unsigned int bytes, uint64_t address,
			uint64_t expected, uint64_t found)
{
	if (wrong->words++)
		return;
	wrong->bytes = bytes;
	wrong->address = address;
	wrong->expected = expected;
	wrong->found = found;
}

/* Each group is in the list once: one that is there again, or is none, stands for a missing one. */
static void judge_order(const uint32_t *order, uint64_t address, struct selftest_wrong *wrong)
{
	bool seen[ANSWER_GROUPS] = { false };
	uint32_t odd[ANSWER_GROUPS], num_odd = 0, i, missing = 0;

	for (i = 0; i < ANSWER_GROUPS; i++) {
		if (order[i] < ANSWER_GROUPS && !seen[order[i]])
			seen[order[i]] = true;
		else
			odd[num_odd++] = i;
	}
	for (i = 0; i < num_odd; i++) {
		while (seen[missing])
			missing++;
		count_wrong(wrong, sizeof(*order), address + odd[i] * sizeof(*order), missing++,
			    order[odd[i]]);
	}
}

void answer_judge(enum answer_kernel kernel, const uint32_t *const buffers[ANSWER_BUFFERS],
		  const uint64_t addresses[ANSWER_BUFFERS], struct selftest_wrong *wrong)
{
	unsigned int b;
	uint32_t i, first, want;

	for (b = 0; b < answer_buffers(kernel); b++) {
		first = 0;
		if (kernel == ANSWER_WHOAMI && b == 1) {
			judge_order(buffers[b], addresses[b], wrong);
			first = ANSWER_GROUPS;
		}
		for (i = first; i < ANSWER_ITEMS; i++) {
			want = after(kernel, b, i);
			if (buffers[b][i] != want)
				count_wrong(wrong, sizeof(want), addresses[b] + i * sizeof(want), want,
					    buffers[b][i]);
		}
	}
}

/* --- memory ------------------------------------------------------------------------------- */

/* Each step has an inverse, so that no two addresses have the same word. */
static uint64_t pattern_at(uint64_t address, bool inverse)
{
	uint64_t word = address / 8 * 0x9e3779b97f4a7c15ull;

	word ^= word >> 29;
	return inverse ? ~word : word;
}

void answer_pattern(uint64_t *words, size_t num, uint64_t address, bool inverse)
{
	size_t i;

	for (i = 0; i < num; i++)
		words[i] = pattern_at(address + 8 * i, inverse);
}

void answer_pattern_judge(const uint64_t *words, size_t num, uint64_t address, bool inverse,
			  struct selftest_wrong *wrong)
{
	size_t i;

	for (i = 0; i < num; i++) {
		uint64_t want = pattern_at(address + 8 * i, inverse);

		if (words[i] != want)
			count_wrong(wrong, sizeof(want), address + 8 * i, want, words[i]);
	}
}

void answer_bytes_judge(const uint64_t *words, size_t size, uint64_t address, uint8_t value,
			struct selftest_wrong *wrong)
{
	uint64_t want = value * 0x0101010101010101ull;
	size_t i;

	for (i = 0; i < size / 8; i++) {
		if (words[i] != want)
			count_wrong(wrong, sizeof(want), address + 8 * i, want, words[i]);
	}
}
