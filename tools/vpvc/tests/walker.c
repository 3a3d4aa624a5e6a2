// SPDX-License-Identifier: MIT
/* The groups of COMPUTE_WALKER, exhaustively. */
#include "cs/walker.h"
#include "tests/cs_test.h"

/* The rule of partitions, applied to each group. */
static bool runs(uint32_t g, uint32_t id, uint32_t size, uint32_t groups)
{
	return g >= (uint64_t)id * size && g < (uint64_t)(id + 1) * size && g < groups;
}

TEST(walker_partitions_cover_each_group_once)
{
	unsigned int bad = 0;

	for (unsigned int tiles = 1; tiles <= 4; tiles *= 2) {
		for (unsigned int type = 1; type <= 3; type++) {
			for (uint32_t groups = 1; groups <= 130; groups++) {
				uint32_t size = (groups + tiles - 1) / tiles;
				uint64_t sum = 0;

				for (unsigned int id = 0; id < tiles; id++) {
					struct walker_box box = { { 0, 0, 0 }, { 3, 5, 7 } };

					box.end[type - 1] = groups;
					walker_partition(&box, type, id, size);
					for (uint32_t g = 0; g < groups; g++)
						bad += runs(g, id, size, groups) !=
						       (g >= box.start[type - 1] &&
							g < box.end[type - 1]);
					sum += walker_groups(&box);
				}
				bad += sum != 105ull / (type == 1 ? 3 : type == 2 ? 5 : 7) * groups;
			}
		}
	}
	CHECK_EQ(bad, 0);
}

TEST(walker_partition_corners)
{
	struct walker_box box = { { 0, 0, 0 }, { 10, 10, 10 } };

	walker_partition(&box, PVC_COMPUTE_WALKER_PARTITION_OFF, 3, 1);
	CHECK_EQ(walker_groups(&box), 1000);
	/* all in partition 0 */
	walker_partition(&box, PVC_COMPUTE_WALKER_PARTITION_Z, 1, 10);
	CHECK_EQ(walker_groups(&box), 0);
	/* no 32-bit wrap: 0xffffffff * 0xffffffff */
	box = (struct walker_box) { { 0, 0, 0 }, { 10, 10, 10 } };
	walker_partition(&box, PVC_COMPUTE_WALKER_PARTITION_X, 0xffffffff, 0xffffffff);
	CHECK_EQ(walker_groups(&box), 0);
	box = (struct walker_box) { { 0, 0, 0 }, { ~0u, ~0u, ~0u } };
	CHECK_EQ(walker_groups(&box), UINT64_MAX);
	CHECK_EQ(walker_slm_bytes(PVC_SLM_24K), 24 * 1024);
	CHECK_EQ(walker_slm_bytes(PVC_SLM_128K), 128 * 1024);
	CHECK_EQ(walker_slm_bytes(12), -1);
}

/* Number of a group in walk order @d; @less is subtracted from each coordinate. */
static uint64_t linear(const struct walker_box *all, const uint8_t *d, const uint32_t *at,
		       uint32_t less)
{
	uint64_t n = 0;

	for (unsigned int i = 3; i-- > 0;)
		n = n * (all->end[d[i]] - all->start[d[i]]) + at[d[i]] - less - all->start[d[i]];
	return n;
}

/* Consecutive boxes visit each group once, in walk order between boxes. */
TEST(walker_boxes_follow_the_order)
{
	static const uint8_t orders[6][3] = {
		{ 0, 1, 2 }, { 0, 2, 1 }, { 1, 0, 2 }, { 2, 0, 1 }, { 1, 2, 0 }, { 2, 1, 0 },
	};
	unsigned int bad = 0;

	for (unsigned int order = 0; order < 6; order++) {
		for (unsigned int shape = 0; shape < 5 * 6 * 7; shape++) {
			uint32_t n[3] = { 1 + shape % 5, 1 + shape / 5 % 6, 1 + shape / 30 };
			struct walker_box all = { { 2, 3, 4 }, { 2 + n[0], 3 + n[1], 4 + n[2] } };
			const uint8_t *d = orders[order];

			for (uint64_t max = 1; max < 40; max += 3) {
				uint64_t done = 0;

				while (done < walker_groups(&all)) {
					struct walker_box part;
					uint64_t first, last, size;

					bad += !walker_next(&all, order, done, max, &part);
					size = walker_groups(&part);
					/* linear numbers of its first and last group */
					first = linear(&all, d, part.start, 0);
					last = linear(&all, d, part.end, 1);
					bad += first != done || last != done + size - 1 ||
					       size > max || !size;
					if (bad)
						break;
					done += size;
				}
				bad += done != walker_groups(&all);
			}
		}
	}
	CHECK_EQ(bad, 0);
}
