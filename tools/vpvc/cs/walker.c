// SPDX-License-Identifier: MIT
/* The groups of a COMPUTE_WALKER as numbers, for compute_walker.c. */
#include "cs/walker.h"

#include "pvc_gfx_commands.h"

void walker_partition(struct walker_box *box, unsigned int type, uint32_t id, uint32_t size)
{
	uint64_t first = (uint64_t)id * size, last = first + size;
	unsigned int dim = type - PVC_COMPUTE_WALKER_PARTITION_X;

	if (type == PVC_COMPUTE_WALKER_PARTITION_OFF)
		return;
	if (first > box->start[dim])
		box->start[dim] = first < box->end[dim] ? first : box->end[dim];
	if (last < box->end[dim])
		box->end[dim] = last > box->start[dim] ? last : box->start[dim];
}

static uint64_t extent(const struct walker_box *box, unsigned int dim)
{
	return box->end[dim] > box->start[dim] ? box->end[dim] - box->start[dim] : 0;
}

uint64_t walker_groups(const struct walker_box *box)
{
	/* The product can reach 2^96: it saturates, because no walker ends 2^64 groups. */
	uint64_t n;

	if (__builtin_mul_overflow(extent(box, 0), extent(box, 1), &n))
		n = extent(box, 2) ? UINT64_MAX : 0;
	if (__builtin_mul_overflow(n, extent(box, 2), &n))
		n = UINT64_MAX;
	return n;
}

bool walker_next(const struct walker_box *all, unsigned int order, uint64_t done, uint64_t max,
		 struct walker_box *out)
{
	/* fastest to slowest */
	static const uint8_t orders[6][3] = {
		{ 0, 1, 2 }, { 0, 2, 1 }, { 1, 0, 2 }, { 2, 0, 1 }, { 1, 2, 0 }, { 2, 1, 0 },
	};
	const uint8_t *d;
	uint64_t n[3], at[3], row;

	if (order >= 6)
		return false;
	d = orders[order];
	for (unsigned int i = 0; i < 3; i++)
		n[i] = extent(all, d[i]);
	at[0] = done % n[0];
	at[1] = done / n[0] % n[1];
	at[2] = done / n[0] / n[1];
	for (unsigned int i = 0; i < 3; i++) {
		out->start[d[i]] = all->start[d[i]] + at[i];
		out->end[d[i]] = out->start[d[i]] + 1;
	}
	if (max < 1)
		max = 1;
	/* The box is the rest of a row, or whole rows, or whole planes. */
	if (at[0] || max < n[0]) {
		row = n[0] - at[0];
		out->end[d[0]] += (row < max ? row : max) - 1;
		return true;
	}
	out->end[d[0]] += n[0] - 1;
	row = max / n[0];
	if (at[1] || row < n[1]) {
		uint64_t left = n[1] - at[1];

		out->end[d[1]] += (left < row ? left : row) - 1;
		return true;
	}
	out->end[d[1]] += n[1] - 1;
	row /= n[1];
	if (row > n[2] - at[2])
		row = n[2] - at[2];
	out->end[d[2]] += row - 1;
	return true;
}

int walker_slm_bytes(unsigned int code)
{
	static const int kib[] = { 0, 1, 2, 4, 8, 16, 32, 64, 24, 48, 96, 128 };

	return code < sizeof(kib) / sizeof(kib[0]) ? kib[code] * 1024 : -1;
}
