// SPDX-License-Identifier: MIT
/* Power wells, and firmware that takes its time. */
#include <unistd.h>

#include "bus/pci.h"
#include "card.h"
#include "card/life.h"
#include "core/clock.h"
#include "core/regs.h"
#include "pvc_gt_regs.h"
#include "pvc_soc_regs.h"
#include "tests/test.h"

static uint32_t ask(struct tile *t, uint32_t *data)
{
	mmio_write(t, PVC_PCODE_DATA0, PVC_PCODE_STATUS_GET);
	mmio_write(t, PVC_PCODE_MAILBOX, PVC_PCODE_READY | PVC_PCODE_CMD_STATUS);
	*data = mmio_read(t, PVC_PCODE_DATA0);
	return mmio_read(t, PVC_PCODE_MAILBOX) & (PVC_PCODE_READY | PVC_PCODE_ERROR_MASK);
}

/* Sets the clock of the card's firmware: @tenths of the time are over. */
static void firmware_at(struct card *c, unsigned int tenths)
{
	uint64_t now = card_timestamp(), hour = 3600ull * CARD_TIMESTAMP_HZ;

	atomic_store(&c->starts, now - tenths * hour);
	atomic_store(&c->ready, now + (10 - tenths) * hour);
}

static void check_ready(struct card *c)
{
	uint32_t data;

	CHECK_EQ(ask(&c->tiles[0], &data), PVC_PCODE_SUCCESS);
	CHECK_EQ(data, PVC_PCODE_STATUS_COMPLETE);
	CHECK_EQ(mmio_read(&c->tiles[0], PVC_GU_CNTL), PVC_GU_CNTL_LMEM_INIT);
}

TEST(power_firmware_takes_time)
{
	struct card *c = test_card_full(TEST_OPTIONS(1, .ready = 3600000), 0);
	struct tile *t = &c->tiles[0];
	uint32_t data;

	for (unsigned int reset = 0; reset < 3; reset++) {
		CHECK(mmio_read(t, PVC_PCODE_MAILBOX) & PVC_PCODE_READY);
		CHECK(ask(t, &data) & PVC_PCODE_READY);
		CHECK_EQ(mmio_read(t, PVC_GU_CNTL), 0);
		firmware_at(c, 5);
		CHECK_EQ(mmio_read(t, PVC_PCODE_MAILBOX) & PVC_PCODE_READY, 0);
		CHECK_EQ(ask(t, &data), PVC_PCODE_TIMEOUT);
		CHECK_EQ(mmio_read(t, PVC_GU_CNTL), 0);
		firmware_at(c, 8);
		CHECK_EQ(ask(t, &data), PVC_PCODE_SUCCESS);
		CHECK_EQ(data, 0);
		CHECK_EQ(mmio_read(t, PVC_GU_CNTL), 0);
		firmware_at(c, 10);
		check_ready(c);
		/* it starts anew with each reset of the card, not of engines */
		mmio_write(t, PVC_GDRST, PVC_GDRST_FULL);
		check_ready(c);
		if (reset == 0)
			card_reset(c);
		else if (reset == 1)
			mmio_write(t, PVC_GU_CNTL, PVC_GU_CNTL_DRIVERFLR);
	}
	test_card_free(c);
}

TEST(power_firmware_is_ready_in_the_end)
{
	struct card *c = test_card_full(TEST_OPTIONS(1, .ready = 20), 0);

	for (unsigned int n = 0; n < 50000 && !mmio_read(&c->tiles[0], PVC_GU_CNTL); n++)
		usleep(200);
	check_ready(c);
	test_card_free(c);
}

/* What an earlier driver may leave behind; a masked write of all bits clears the requests. */
TEST(power_wells_are_not_clean)
{
	struct card *c = test_card_full(TEST_OPTIONS(1, .seed = 5), 0);
	struct tile *t = &c->tiles[0];

	CHECK(mmio_read(t, PVC_FORCEWAKE_GT) & 2);
	CHECK(mmio_read(t, PVC_FORCEWAKE_ACK_RENDER) & 2);
	CHECK_EQ(mmio_read(t, PVC_FORCEWAKE_ACK_GT) & PVC_FORCEWAKE_KERNEL, 0);
	mmio_write(t, PVC_FORCEWAKE_GT, PVC_MASKED_CLEAR(PVC_FORCEWAKE_ALL));
	CHECK_EQ(mmio_read(t, PVC_FORCEWAKE_ACK_GT), 0);
	mmio_write(t, PVC_FORCEWAKE_GT, PVC_MASKED_SET(PVC_FORCEWAKE_KERNEL));
	CHECK(mmio_read(t, PVC_PG_ENABLE));
	CHECK(mmio_read(t, PVC_RC_CONTROL));
	mmio_write(t, PVC_PG_ENABLE, 0);
	CHECK_EQ(mmio_read(t, PVC_PG_ENABLE), 0);
	test_card_free(c);
}
