// SPDX-License-Identifier: MIT
/* How the bytes of a record select ids, sizes, addresses, counts, and words to overwrite */
#include <string.h>

#include <drm/xetile_drm.h>

#include "calls.h"

/* Every number that the uAPI header names; generated from the header */
static const uint64_t dictionary[] = {
#include "dictionary.h"
};

uint64_t known_number(unsigned int n)
{
	return dictionary[n % ARRAY_SIZE(dictionary)];
}

uint8_t take(struct bytes *b)
{
	if (!b->left)
		return 0;
	b->left--;
	return *b->p++;
}

uint32_t take32(struct bytes *b)
{
	uint32_t v = take(b);

	v |= take(b) << 8;
	v |= take(b) << 16;
	return v | (uint32_t)take(b) << 24;
}

uint32_t pick_id(struct bytes *b, volatile uint32_t *slots)
{
	uint8_t v = take(b);

	switch (v) {
	case 255: return 0x7fffffff;
	case 254: return 0;
	case 253: return 0xffffffff;
	case 240 ... 252: return v - 239;
	default: return slots[v % NUM_SLOTS];
	}
}

uint64_t pick_size(struct bytes *b)
{
	static const uint64_t sizes[] = {
		0x10000, 0x10000, 0x20000, 0x30000, 0x200000, 0x200000, 0x210000, 0x400000,
		0x1f0000, 0x1000, 1, 0, 0x10001, 0xffff, 0x1000000, 0x4000000,
		0x20000000, 0x40000000, 0x80000000, 1ull << 40, 1ull << 57, ~0ull,
		~0ull << 16, ~0ull << 12, 1ull << 63, 1ull << 32, (1ull << 32) - 0x10000,
	};
	uint8_t v = take(b);

	return v < 160 ? sizes[v % 8] : sizes[v % ARRAY_SIZE(sizes)];
}

uint64_t pick_addr(struct bytes *b)
{
	static const uint64_t addrs[] = {
		BATCHES, BATCHES + 0x10000, BATCHES + 0x200000, BATCHES + 0x1f0000,
		2 * BATCHES, 2 * BATCHES - 0x10000, 0, 0x10000, (1ull << 39) - 0x10000,
		(1ull << 48) - 0x10000, (1ull << 48) - 0x200000, (1ull << 57) - 0x10000,
		1ull << 48, 1ull << 57, ~0ull << 16, BATCHES + 0x1000, BATCHES + 1,
		~0ull << 12, 1ull << 63, 1ull << 47,
	};
	uint8_t v = take(b);

	return v < 128 ? addrs[v % 4] : addrs[v % ARRAY_SIZE(addrs)];
}

uint32_t pick_of(struct bytes *b, unsigned int n)
{
	uint8_t v = take(b);

	return v >= 250 ? v : v % n;
}

uint32_t pick_zero(struct bytes *b)
{
	uint8_t v = take(b);

	return v < 240 ? 0 : v == 255 ? 0xffffffff : 1u << (v & 7);
}

uint64_t pick_pointer(struct bytes *b, const void *good)
{
	switch (take(b)) {
	case 255: return 0x10;
	case 254: return 0;
	case 253: return ~0ull << 12;
	case 252: return (uintptr_t)good + 1;
	case 251: return (uintptr_t)dictionary & ~0xfffull; /* not writable */
	default: return (uintptr_t)good;
	}
}

uint32_t pick_count(struct bytes *b, unsigned int have)
{
	switch (take(b)) {
	case 255: return 0xffffffff;
	case 254: return DRM_XETILE_MAX_ARRAY + 1;
	case 253: return DRM_XETILE_MAX_ARRAY;
	case 252: return 0x10000000;
	case 251: return 0;
	default: return have;
	}
}

void spoil(struct bytes *b, void *args, size_t size)
{
	uint8_t v = take(b);
	uint32_t word;

	if (v < 224 || size < 4)
		return;
	word = v & 1 ? take32(b) : known_number(take(b));
	memcpy((uint8_t *)args + take(b) % (size / 4) * 4, &word, 4);
}
