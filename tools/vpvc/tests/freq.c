// SPDX-License-Identifier: MIT
/* Frequency: requests, limits, and what they do to engines; energy. */
#include <unistd.h>

#include "card.h"
#include "card/inject_command.h"
#include "card/life.h"
#include "core/clock.h"
#include "core/freq.h"
#include "core/regs.h"
#include "core/strict.h"
#include "pvc_gt_regs.h"
#include "pvc_soc_regs.h"
#include "tests/cs_test.h"
#include "tests/test.h"

static void ask(struct tile *t, unsigned int ratio, unsigned int us)
{
	mmio_write(t, PVC_RP_CONTROL, PVC_RP_CONTROL_SOFTWARE);
	mmio_write(t, PVC_RPNSWREQ, ratio << PVC_RPNSWREQ_RATIO_SHIFT);
	usleep(us);
	mmio_write(t, PVC_RP_CONTROL, 0);
}

static unsigned int ratio(struct tile *t)
{
	uint32_t stat = mmio_read(t, PVC_RPSTAT1);
	unsigned int r = (stat & PVC_RPSTAT1_RATIO_MASK) >> PVC_RPSTAT1_RATIO_SHIFT;

	CHECK_EQ((stat & PVC_RPSTAT1_CHIPLET_MASK) >> PVC_RPSTAT1_CHIPLET_SHIFT, r);
	return r;
}

TEST(freq_follows_the_request)
{
	struct card *c = test_card(2, 0);
	struct tile *t = &c->tiles[1];

	CHECK_EQ(mmio_read(t, PVC_RP_STATE_CAP), 0x061220);
	CHECK_EQ(ratio(t), FREQ_RPN);
	ask(t, 60, 60);
	CHECK_EQ(ratio(t), 60);
	CHECK_EQ(ratio(&c->tiles[0]), FREQ_RPN);
	/* no more than the hardware can, and no less */
	ask(t, 0x1ff, 60);
	CHECK_EQ(ratio(t), FREQ_RP0);
	ask(t, 0, 60);
	CHECK_EQ(ratio(t), FREQ_RPN);
	ask(t, FREQ_RP0, 60);
	/* outside of software mode nobody listens, and a request needs its time */
	mmio_write(t, PVC_RPNSWREQ, 60u << PVC_RPNSWREQ_RATIO_SHIFT);
	CHECK_EQ(ratio(t), FREQ_RP0);
	mmio_write(t, PVC_RP_CONTROL, PVC_RP_CONTROL_SOFTWARE);
	mmio_write(t, PVC_RPNSWREQ, 60u << PVC_RPNSWREQ_RATIO_SHIFT);
	CHECK_EQ(ratio(t), 60);
	t->freq.asked_at = card_timestamp() + CARD_TIMESTAMP_HZ;
	mmio_write(t, PVC_RP_CONTROL, 0);
	CHECK_EQ(ratio(t), FREQ_RP0);
	test_card_free(c);
}

/* A reset of some engines keeps the request, one of the tile or of the card loses it. */
TEST(freq_is_lost_with_the_tile)
{
	struct card *c = test_card(1, 0);
	struct tile *t = &c->tiles[0];

	ask(t, FREQ_RP0, 60);
	mmio_write(t, PVC_GDRST, PVC_GDRST_RENDER | PVC_GDRST_BCS0);
	CHECK_EQ(ratio(t), FREQ_RP0);
	mmio_write(t, PVC_GDRST, PVC_GDRST_FULL);
	CHECK_EQ(ratio(t), FREQ_RPN);
	CHECK_EQ(mmio_read(t, PVC_RPNSWREQ), 0);
	ask(t, FREQ_RP0, 60);
	card_reset(c);
	CHECK_EQ(ratio(t), FREQ_RPN);
	test_card_free(c);
}

TEST(freq_is_limited)
{
	struct card *c = test_card(2, 0);
	struct tile *t = &c->tiles[1];
	char why[128];

	ask(t, FREQ_RP0, 60);
	CHECK_EQ(inject_command(c, "throttle reason=thermal tile=1", why, sizeof(why)), 0);
	CHECK_EQ(ratio(t), FREQ_RPN);
	CHECK_EQ(mmio_read(t, PVC_LIMIT_REASONS), PVC_LIMIT_THERMAL << 16 | PVC_LIMIT_THERMAL);
	CHECK_EQ(mmio_read(&c->tiles[0], PVC_LIMIT_REASONS), 0);
	CHECK_EQ(inject_command(c, "throttle off", why, sizeof(why)), 0);
	CHECK_EQ(ratio(t), FREQ_RP0);
	CHECK_EQ(mmio_read(t, PVC_LIMIT_REASONS), PVC_LIMIT_THERMAL << 16);
	test_card_free(c);
}

/* Engines of a slow tile take longer, unless the card forgives it. */
TEST(freq_slows_engines)
{
	struct card *c = test_card(1, 0);
	struct tile *t = &c->tiles[0];

	CHECK(freq_is_low(t));
	/* 300 MHz instead of 1600 */
	CHECK_EQ(freq_delay(t, 3000), 13000);
	ask(t, FREQ_RP0 / 2, 60);
	CHECK_EQ(freq_delay(t, 3000), 3000);
	ask(t, FREQ_RP0, 60);
	CHECK(!freq_is_low(t));
	CHECK_EQ(freq_delay(t, 3000), 0);
	test_card_free(c);

	c = test_card_full(TEST_OPTIONS(1, .lenient = STRICT_CLOCK), 0);
	CHECK(!freq_is_low(&c->tiles[0]));
	test_card_free(c);
}

/* An engine that had work for a while at the lowest frequency has slept. */
TEST(freq_slows_a_batch)
{
	struct bench b;
	struct ctx x;

	for (unsigned int high = 0; high < 2; high++) {
		bench_init(&b, 1);
		REQUIRE(b.c);
		if (high)
			ask(&b.c->tiles[0], FREQ_RP0, 60);
		ctx_init(&b, &x, bench_engine(&b, 0, PVC_CLASS_BCS, 0), 1);
		for (unsigned int i = 0; i < 20000; i++)
			batch_dw(&x, PVC_MI_NOOP);
		CHECK(run_batch(&x));
		CHECK_EQ(!!counter_get(&x.e->cnt.slowed_us), !high);
		bench_fini(&b);
	}
}

TEST(energy_grows)
{
	struct card *c = test_card(2, 0);
	struct tile *t = &c->tiles[1];
	uint32_t unit = mmio_read(t, PVC_PACKAGE_POWER_SKU_UNIT);
	uint32_t tile, card;

	CHECK_EQ(unit & PVC_SKU_UNIT_POWER_MASK, FREQ_POWER_UNIT);
	CHECK_EQ((unit & PVC_SKU_UNIT_ENERGY_MASK) >> PVC_SKU_UNIT_ENERGY_SHIFT, FREQ_ENERGY_UNIT);
	tile = mmio_read(t, PVC_PACKAGE_ENERGY_STATUS);
	card = mmio_read(t, PVC_PLATFORM_ENERGY_STATUS);
	usleep(10000);
	CHECK(mmio_read(t, PVC_PACKAGE_ENERGY_STATUS) > tile);
	CHECK(mmio_read(t, PVC_PLATFORM_ENERGY_STATUS) > card);
	/* the counter has 32 bits */
	t->freq.energy = (1ull << 32) * CARD_TIMESTAMP_HZ / (1u << FREQ_ENERGY_UNIT) * FREQ_RP0;
	CHECK(mmio_read(t, PVC_PACKAGE_ENERGY_STATUS) < 1u << FREQ_ENERGY_UNIT << 10);
	test_card_free(c);
}
