// SPDX-License-Identifier: MIT
/*
 * The mutator for libFuzzer: libFuzzer's own mutations, or insertion of words of the target
 * (commands, addresses, entries) that bit flips would hardly find.
 */
#include <stdbool.h>
#include <stdlib.h>

#include "fuzz/fuzz.h"

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed);

/* Random numbers from the seed (splitmix64). */
static uint64_t next(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15ull;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
	return z ^ (z >> 31);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
	uint64_t rng = seed;
	bool insert;

	if (next(&rng) & 1)
		return LLVMFuzzerMutate(data, size, max_size);
	for (unsigned int n = 1 + next(&rng) % 4; n; n--) {
		uint32_t word = fuzz_word(next(&rng));
		size_t at = next(&rng) % (size / 4 + 1) * 4;

		insert = next(&rng) & 1;
		if (insert || at + 4 > size) {
			if (size + 4 > max_size)
				break;
			memmove(data + at + 4, data + at, size - at);
			size += 4;
		}
		memcpy(data + at, &word, 4);
	}
	return size;
}
