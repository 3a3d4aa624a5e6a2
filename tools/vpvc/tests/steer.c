// SPDX-License-Identifier: MIT
/* Replicated registers: which instances the host's accesses reach. */
#include "core/steer.h"

#include "card.h"
#include "card/life.h"
#include "core/regs.h"
#include "core/strict.h"
#include "pvc_gt_regs.h"
#include "tests/test.h"

/* DSS 0, 17 and all of slice 3 are fused off. */
#define FUSED	(1ull | 1ull << 17 | 0xffffull << 48)

static struct card *start(unsigned int lenient)
{
	return test_card_full(TEST_OPTIONS(1, .fused_dss = FUSED, .lenient = lenient), 0);
}

static void steer(struct tile *t, uint32_t multicast, unsigned int dss)
{
	mmio_write(t, PVC_MCR_SELECTOR, multicast |
		   dss / PVC_DSS_PER_MCR_GROUP << PVC_MCR_GROUP_SHIFT |
		   dss % PVC_DSS_PER_MCR_GROUP << PVC_MCR_INSTANCE_SHIFT);
}

static uint32_t read_dss(struct tile *t, uint32_t off, unsigned int dss)
{
	steer(t, PVC_MCR_MULTICAST, dss);
	return mmio_read(t, off);
}

TEST(steer_fused_off_subslices_read_zero)
{
	struct card *c = start(0);
	struct tile *t = &c->tiles[0];

	CHECK_EQ(mmio_read(t, PVC_COMPUTE_DSS_ENABLE), 0xfffdfffe);
	CHECK_EQ(mmio_read(t, PVC_COMPUTE_DSS_ENABLE_EXT), 0x0000ffff);
	CHECK_EQ(t->cslices, 0x7);
	/* at first the selector is at DSS 0, which is not there */
	CHECK_EQ(mmio_read(t, PVC_LSC_CHICKEN_BIT_0), 0);
	for (unsigned int dss = 0; dss < 64; dss++)
		CHECK_EQ(!read_dss(t, PVC_LSC_CHICKEN_BIT_0, dss), FUSED >> dss & 1);
	/* groups behind the last subslice, and others than instance 0 of another unit */
	mmio_write(t, PVC_MCR_SELECTOR, PVC_MCR_MULTICAST | 8u << PVC_MCR_GROUP_SHIFT);
	CHECK_EQ(mmio_read(t, PVC_LSC_CHICKEN_BIT_0), 0);
	steer(t, PVC_MCR_MULTICAST, 0);
	mmio_write(t, PVC_PAT_INDEX(3), 3);
	CHECK_EQ(mmio_read(t, PVC_PAT_INDEX(3)), 3);
	CHECK_EQ(read_dss(t, PVC_PAT_INDEX(3), 1), 0);
	CHECK_EQ(read_dss(t, PVC_PAT_INDEX(3), 0), 3);
	/* a read must keep the multicast bit */
	steer(t, 0, 5);
	CHECK_EQ(mmio_read(t, PVC_LSC_CHICKEN_BIT_0), 0);
	/* others are not steered */
	CHECK_EQ(mmio_read(t, PVC_EU_ENABLE), PVC_EU_ENABLE_MASK);
	test_card_free(c);
}

TEST(steer_writes_reach_one_or_all)
{
	struct card *c = start(0);
	struct tile *t = &c->tiles[0];

	steer(t, PVC_MCR_MULTICAST, 0);
	mmio_write(t, PVC_LSC_CHICKEN_BIT_0, 0x11);
	CHECK_EQ(read_dss(t, PVC_LSC_CHICKEN_BIT_0, 1), 0x11);
	CHECK_EQ(read_dss(t, PVC_LSC_CHICKEN_BIT_0, 47), 0x11);
	steer(t, 0, 7);
	mmio_write(t, PVC_LSC_CHICKEN_BIT_0, 0x22);
	steer(t, 0, 17);
	mmio_write(t, PVC_LSC_CHICKEN_BIT_0, 0x33);
	CHECK_EQ(read_dss(t, PVC_LSC_CHICKEN_BIT_0, 6), 0x11);
	CHECK_EQ(read_dss(t, PVC_LSC_CHICKEN_BIT_0, 7), 0x22);
	CHECK_EQ(read_dss(t, PVC_LSC_CHICKEN_BIT_0, 17), 0);
	CHECK_EQ(steer_peek(t, PVC_LSC_CHICKEN_BIT_0, 7), 0x22);
	CHECK_EQ(steer_peek(t, PVC_LSC_CHICKEN_BIT_0, 17), 0);
	/* masked bits */
	steer(t, 0, 7);
	mmio_write(t, PVC_ROW_CHICKEN4, 0x00030001);
	steer(t, PVC_MCR_MULTICAST, 0);
	mmio_write(t, PVC_ROW_CHICKEN4, 0x00060004);
	CHECK_EQ(read_dss(t, PVC_ROW_CHICKEN4, 6), 0x4);
	CHECK_EQ(read_dss(t, PVC_ROW_CHICKEN4, 7), 0x5);
	/* to all: they are the same again */
	mmio_write(t, PVC_LSC_CHICKEN_BIT_0, 0x44);
	CHECK_EQ(read_dss(t, PVC_LSC_CHICKEN_BIT_0, 7), 0x44);
	/* an instance that is not there */
	steer(t, 0, 9);
	mmio_write(t, PVC_PAT_INDEX(3), 7);
	CHECK_EQ(read_dss(t, PVC_PAT_INDEX(3), 0), 0);
	test_card_free(c);
}

TEST(steer_reset_makes_instances_equal)
{
	struct card *c = start(0);
	struct tile *t = &c->tiles[0];
	uint32_t first;

	first = read_dss(t, PVC_LSC_CHICKEN_BIT_0, 1);
	CHECK(first);
	steer(t, 0, 1);
	mmio_write(t, PVC_LSC_CHICKEN_BIT_0, 0x22);
	card_reset(c);
	CHECK_EQ(read_dss(t, PVC_LSC_CHICKEN_BIT_0, 1), first);
	test_card_free(c);
}

TEST(steer_lenient_card_has_one_copy)
{
	struct card *c = start(STRICT_STEERING);
	struct tile *t = &c->tiles[0];

	steer(t, 0, 0);
	mmio_write(t, PVC_LSC_CHICKEN_BIT_0, 0x55);
	CHECK_EQ(read_dss(t, PVC_LSC_CHICKEN_BIT_0, 63), 0x55);
	test_card_free(c);
}
