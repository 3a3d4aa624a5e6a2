// SPDX-License-Identifier: MIT
/* Access rules, hooks, and the registers that a driver's probe reads; the specification. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "card.h"
#include "card/regs_table.h"
#include "core/clock.h"
#include "core/regs.h"
#include "core/strict.h"
#include "core/tile.h"
#include "log.h"
#include "pvc_engine_regs.h"
#include "pvc_gt_regs.h"
#include "pvc_irq_regs.h"
#include "pvc_lrc_regs.h"
#include "pvc_soc_regs.h"
#include "spec.h"
#include "tests/test.h"

#define GIB	(1ull << 30)
#define MIB	(1ull << 20)

TEST(regs_unknown_is_storage)
{
	struct card *c = test_card(2, 0);
	struct tile *t = &c->tiles[1];

	CHECK_EQ(mmio_read(t, 0x123450), 0);
	mmio_write(t, 0x123450, 0xdeadbeef);
	CHECK_EQ(mmio_read(t, 0x123450), 0xdeadbeef);
	CHECK_EQ(mmio_read(&c->tiles[0], 0x123450), 0);
	CHECK_EQ(counter_get(&t->cnt.unknown_registers), 3);
	CHECK_EQ(counter_get(&t->cnt.register_reads), 2);
	CHECK_EQ(counter_get(&t->cnt.register_writes), 1);
	test_card_free(c);
}

TEST(regs_unused_doorbells)
{
	struct card *c = test_card(2, 0);
	struct tile *t = &c->tiles[1];

	CHECK_EQ(mmio_read(t, 0x3ffffc), 0);
	CHECK_EQ(mmio_read(t, 0x400000), 0xdeadbeef);
	mmio_write(t, 0x7ff000, 1);
	CHECK_EQ(mmio_read(t, 0x7ff000), 0xdeadbeef);
	mmio_write(t, 0x7ffffc, ~0u);
	CHECK_EQ(mmio_read(t, 0x7ffffc), 0xdeadbeef);
	/* the register beside them */
	CHECK_EQ(counter_get(&t->cnt.unknown_registers), 1);
	test_card_free(c);
}

TEST(regs_masked)
{
	struct card *c = test_card(1, 0);
	struct tile *t = &c->tiles[0];

	mmio_write(t, PVC_RCU_MODE, PVC_MASKED_SET(PVC_RCU_MODE_CCS_ENABLE));
	CHECK_EQ(mmio_read(t, PVC_RCU_MODE), PVC_RCU_MODE_CCS_ENABLE);
	/* without its mask bit nothing changes */
	mmio_write(t, PVC_RCU_MODE, PVC_RCU_MODE_FIXED_SLICE);
	CHECK_EQ(mmio_read(t, PVC_RCU_MODE), PVC_RCU_MODE_CCS_ENABLE);
	mmio_write(t, PVC_RCU_MODE, PVC_MASKED_SET(PVC_RCU_MODE_FIXED_SLICE));
	mmio_write(t, PVC_RCU_MODE, PVC_MASKED_CLEAR(PVC_RCU_MODE_CCS_ENABLE));
	CHECK_EQ(mmio_read(t, PVC_RCU_MODE), PVC_RCU_MODE_FIXED_SLICE);
	/* the same rule in every engine's range */
	reg_store(t, PVC_GFX_MODE(PVC_BCS_BASE(3)), PVC_MASKED_SET(PVC_GFX_MODE_DISABLE_LEGACY));
	reg_store(t, PVC_GFX_MODE(PVC_BCS_BASE(3)), 0xffff);
	CHECK_EQ(reg_read(t, PVC_GFX_MODE(PVC_BCS_BASE(3))), PVC_GFX_MODE_DISABLE_LEGACY);
	test_card_free(c);
}

TEST(regs_read_only_and_w1c)
{
	struct card *c = test_card(1, 0);
	struct tile *t = &c->tiles[0];

	mmio_write(t, PVC_EU_ENABLE, 0);
	CHECK_EQ(mmio_read(t, PVC_EU_ENABLE), 0xff);
	reg_write(t, PVC_GU_DEBUG, 0x80000001);
	mmio_write(t, PVC_GU_DEBUG, 0x80000000);
	CHECK_EQ(mmio_read(t, PVC_GU_DEBUG), 1);
	test_card_free(c);
}

TEST(regs_shape_two_tiles)
{
	struct card *c = test_card(2, 0);

	for (unsigned int i = 0; i < 2; i++) {
		struct tile *t = &c->tiles[i];

		CHECK_EQ(mmio_read(t, PVC_MTCFG), 0x100 | i);
		CHECK_EQ(mmio_read(t, PVC_TILE_ADDR_RANGE(0)), 0x100);
		CHECK_EQ(mmio_read(t, PVC_TILE_ADDR_RANGE(1)), 0x102);
		CHECK_EQ(mmio_read(t, PVC_SG_TILE_ADDR_RANGE(1)), 0x102);
		CHECK_EQ(mmio_read(t, PVC_GSMBASE) | (uint64_t)mmio_read(t, PVC_GSMBASE_UDW) << 32,
			 (i + 1) * GIB - (16 << 20));
		CHECK_EQ(mmio_read(t, PVC_DSMBASE), (i + 1) * GIB - (8 << 20));
		CHECK_EQ(mmio_read(t, PVC_STOLEN_RESERVED), 0x100);
		CHECK_EQ(mmio_read(t, PVC_COMPUTE_DSS_ENABLE), ~0u);
		CHECK_EQ(mmio_read(t, PVC_COMPUTE_DSS_ENABLE_EXT), ~0u);
		CHECK_EQ(mmio_read(t, PVC_MIRROR_FUSE3), 0xff);
		CHECK_EQ(mmio_read(t, PVC_RPM_CONFIG0), 0xe);
		CHECK_EQ(mmio_read(t, PVC_RING_ENGINE_ID(PVC_BCS_BASE(8))), 8 << 4 | 3);
		CHECK_EQ(mmio_read(t, PVC_RING_ENGINE_ID(PVC_CCS_BASE(2))), 2 << 4 | 5);
		CHECK_EQ(mmio_read(t, PVC_GU_CNTL), PVC_GU_CNTL_LMEM_INIT);
		/* firmware leaves a link's error and events of two blocks */
		CHECK_EQ(mmio_read(t, PVC_GFX_MSTR_IRQ), PVC_GFX_MSTR_ERR_NONFATAL |
			 PVC_GFX_MSTR_GU_MISC | PVC_GFX_MSTR_PCU);
	}
	test_card_free(c);
}

TEST(regs_usable_memory)
{
	struct card *c = test_card_full(TEST_OPTIONS(2, .usable = 240 << 20), 0);

	for (unsigned int i = 0; i < 2; i++) {
		struct tile *t = &c->tiles[i];

		CHECK_EQ(mmio_read(t, PVC_GSMBASE) | (uint64_t)mmio_read(t, PVC_GSMBASE_UDW) << 32,
			 i * GIB + (240 << 20));
		CHECK_EQ(mmio_read(t, PVC_TILE_ADDR_RANGE(1)), 0x102);
		CHECK_EQ(mmio_read(t, PVC_DSMBASE), (i + 1) * GIB - (8 << 20));
	}
	test_card_free(c);
}

TEST(regs_fused_cslices)
{
	const struct card_options opt = {
		.tiles = 1, .hbm = GIB, .cslices = 0x5, .device_id = 0x0bd5,
	};
	struct card *c = test_card_full(&opt, 0);
	struct tile *t = &c->tiles[0];

	CHECK_EQ(mmio_read(t, PVC_COMPUTE_DSS_ENABLE), 0xffff);
	CHECK_EQ(mmio_read(t, PVC_COMPUTE_DSS_ENABLE_EXT), 0xffff);
	CHECK(t->engines[0].present && !t->engines[1].present && t->engines[2].present);
	/* the registers of an absent engine are storage */
	mmio_write(t, PVC_RING_HWS_PGA(PVC_CCS_BASE(1)), 0x1000);
	CHECK_EQ(mmio_read(t, PVC_RING_HWS_PGA(PVC_CCS_BASE(1))), 0x1000);
	test_card_free(c);
}

TEST(regs_quirks)
{
	struct card_options opt = *TEST_OPTIONS(2, .quirk_all_ones = true);
	struct card *c = test_card_full(&opt, 0);

	CHECK_EQ(mmio_read(&c->tiles[0], PVC_MTCFG), ~0u);
	mmio_write(&c->tiles[0], 0x123450, 1);
	CHECK_EQ(reg_read(&c->tiles[0], 0x123450), 0);
	test_card_free(c);

	opt.quirk_all_ones = false;
	opt.quirk_no_cslices = true;
	opt.quirk_hbm_overlap = true;
	c = test_card_full(&opt, 0);
	CHECK_EQ(mmio_read(&c->tiles[0], PVC_COMPUTE_DSS_ENABLE), 0);
	CHECK(!c->tiles[0].engines[0].present);
	CHECK_EQ(mmio_read(&c->tiles[0], PVC_SG_TILE_ADDR_RANGE(1)), 0x100);
	test_card_free(c);
}

TEST(regs_forcewake)
{
	struct card *c = test_card(2, 0);
	struct tile *t = &c->tiles[1];

	CHECK_EQ(mmio_read(t, PVC_FORCEWAKE_ACK_GT), 0);
	mmio_read(t, PVC_COMPUTE_DSS_ENABLE);
	CHECK_EQ(counter_get(&t->cnt.sleeping_accesses), 1);
	mmio_write(t, PVC_FORCEWAKE_GT, PVC_MASKED_SET(PVC_FORCEWAKE_KERNEL));
	CHECK_EQ(mmio_read(t, PVC_FORCEWAKE_ACK_GT) & 1, 1);
	CHECK_EQ(mmio_read(t, PVC_FORCEWAKE_ACK_RENDER) & 1, 0);
	CHECK_EQ(mmio_read(&c->tiles[0], PVC_FORCEWAKE_ACK_GT), 0);
	mmio_read(t, PVC_COMPUTE_DSS_ENABLE);
	CHECK_EQ(counter_get(&t->cnt.sleeping_accesses), 1);
	/* render is another well; a request to wake a well needs no well */
	mmio_read(t, PVC_RING_HEAD(PVC_CCS_BASE(0)));
	CHECK_EQ(counter_get(&t->cnt.sleeping_accesses), 2);
	mmio_write(t, PVC_FORCEWAKE_RENDER, PVC_MASKED_SET(PVC_FORCEWAKE_KERNEL));
	CHECK_EQ(mmio_read(t, PVC_FORCEWAKE_ACK_RENDER) & 1, 1);
	mmio_write(t, PVC_FORCEWAKE_GT, PVC_MASKED_CLEAR(PVC_FORCEWAKE_KERNEL));
	CHECK_EQ(mmio_read(t, PVC_FORCEWAKE_ACK_GT) & 1, 0);
	CHECK_EQ(counter_get(&t->cnt.sleeping_accesses), 2);
	test_card_free(c);
}

static uint32_t pcode(struct tile *t, uint32_t command, uint32_t data0, uint32_t *out)
{
	mmio_write(t, PVC_PCODE_DATA0, data0);
	mmio_write(t, PVC_PCODE_DATA1, 0);
	mmio_write(t, PVC_PCODE_MAILBOX, PVC_PCODE_READY | command);
	*out = mmio_read(t, PVC_PCODE_DATA0);
	return mmio_read(t, PVC_PCODE_MAILBOX);
}

TEST(regs_pcode)
{
	struct card *c = test_card(1, 0);
	uint32_t data, status;

	status = pcode(&c->tiles[0], PVC_PCODE_CMD_STATUS, PVC_PCODE_STATUS_GET, &data);
	CHECK_EQ(status & (PVC_PCODE_READY | PVC_PCODE_ERROR_MASK), 0);
	CHECK_EQ(data & 1, 1);
	status = pcode(&c->tiles[0], PVC_PCODE_CMD_STATUS, 77, &data);
	CHECK_EQ(status & PVC_PCODE_ERROR_MASK, PVC_PCODE_ILLEGAL_DATA);
	status = pcode(&c->tiles[0], PVC_PCODE_CMD_POWER_SETUP |
		       PVC_PCODE_POWER_READ_I1 << PVC_PCODE_PARAM1_SHIFT, 5, &data);
	CHECK_EQ(status & (PVC_PCODE_READY | PVC_PCODE_ERROR_MASK), 0);
	CHECK_EQ(data, PVC_PCODE_I1_WATTS | 900 << 6);
	status = pcode(&c->tiles[0], PVC_PCODE_CMD_POWER_SETUP |
		       PVC_PCODE_POWER_WRITE_I1 << PVC_PCODE_PARAM1_SHIFT, 5, &data);
	CHECK_EQ(status & PVC_PCODE_ERROR_MASK, PVC_PCODE_ILLEGAL_SUBCOMMAND);
	status = pcode(&c->tiles[0], 0x42, 0, &data);
	CHECK_EQ(status & (PVC_PCODE_READY | PVC_PCODE_ERROR_MASK), PVC_PCODE_ILLEGAL_CMD);
	test_card_free(c);
}

TEST(regs_driver_flr)
{
	struct card *c = test_card(2, 0);

	mmio_write(&c->tiles[1], PVC_CCS_MODE, 0x688);
	mmio_write(&c->tiles[1], 0x123450, 5);
	c->hbm[12345] = 0x5a;
	mmio_write(&c->tiles[0], PVC_GU_CNTL, PVC_GU_CNTL_DRIVERFLR);
	CHECK_EQ(mmio_read(&c->tiles[0], PVC_GU_CNTL), PVC_GU_CNTL_LMEM_INIT);
	CHECK_EQ(mmio_read(&c->tiles[0], PVC_GU_DEBUG), PVC_GU_DEBUG_DRIVERFLR_STATUS);
	/* one register for all tiles */
	CHECK_EQ(mmio_read(&c->tiles[1], PVC_GU_DEBUG), PVC_GU_DEBUG_DRIVERFLR_STATUS);
	mmio_write(&c->tiles[0], PVC_GU_DEBUG, PVC_GU_DEBUG_DRIVERFLR_STATUS);
	CHECK_EQ(mmio_read(&c->tiles[0], PVC_GU_DEBUG), 0);
	CHECK_EQ(mmio_read(&c->tiles[1], PVC_CCS_MODE), 0);
	CHECK_EQ(mmio_read(&c->tiles[1], 0x123450), 0);
	CHECK_EQ(mmio_read(&c->tiles[1], PVC_MTCFG), 0x101);
	CHECK_EQ(c->hbm[12345], 0x5a);
	test_card_free(c);
}

TEST(regs_gdrst)
{
	struct card *c = test_card_full(TEST_OPTIONS(1, .lenient = STRICT_RESET_DROP), 0);
	struct tile *t = &c->tiles[0];
	struct engine *ccs1 = &t->engines[1], *bcs0 = &t->engines[4], *bcs3 = &t->engines[7];

	CHECK_EQ(bcs3->base, PVC_BCS_BASE(3));
	reg_write(t, PVC_RING_HWS_PGA(ccs1->base), 0x1000);
	reg_write(t, PVC_RING_HWS_PGA(bcs0->base), 0x2000);
	reg_write(t, PVC_RING_HWS_PGA(bcs3->base), 0x3000);
	mmio_write(t, PVC_CCS_MODE, 0x208);
	mmio_write(t, PVC_RCU_MODE, PVC_MASKED_SET(PVC_RCU_MODE_CCS_ENABLE));

	mmio_write(t, PVC_GDRST, PVC_GDRST_BCS(3));
	CHECK_EQ(mmio_read(t, PVC_GDRST), 0);
	CHECK_EQ(reg_read(t, PVC_RING_HWS_PGA(bcs3->base)), 0);
	CHECK_EQ(reg_read(t, PVC_RING_HWS_PGA(bcs0->base)), 0x2000);
	CHECK_EQ(reg_read(t, PVC_RING_ENGINE_ID(bcs3->base)), 3 << 4 | 3);
	CHECK_EQ(mmio_read(t, PVC_CCS_MODE), 0x208);

	/* a reset of render resets all compute engines and their configuration */
	mmio_write(t, PVC_GDRST, PVC_GDRST_RENDER);
	CHECK_EQ(reg_read(t, PVC_RING_HWS_PGA(ccs1->base)), 0);
	CHECK_EQ(mmio_read(t, PVC_CCS_MODE), 0);
	CHECK_EQ(mmio_read(t, PVC_RCU_MODE), 0);
	CHECK_EQ(reg_read(t, PVC_RING_HWS_PGA(bcs0->base)), 0x2000);
	mmio_write(t, PVC_GDRST, PVC_GDRST_FULL);
	CHECK_EQ(reg_read(t, PVC_RING_HWS_PGA(bcs0->base)), 0);
	/* nobody has set up the third copy engine since its reset */
	CHECK_EQ(counter_get(&bcs3->cnt.resets), 1);
	CHECK_EQ(counter_get(&bcs0->cnt.resets), 1);
	test_card_free(c);
}

TEST(regs_command_streams_may_not_reset)
{
	struct card *c = test_card(1, 0);
	struct tile *t = &c->tiles[0];

	test_quiet(c);
	reg_write(t, PVC_RING_HWS_PGA(t->engines[0].base), 0x1000);
	CHECK(mmio_cs_write(&t->engines[1], PVC_GDRST, PVC_GDRST_FULL));
	CHECK_EQ(reg_read(t, PVC_RING_HWS_PGA(t->engines[0].base)), 0x1000);
	CHECK(mmio_cs_write(&t->engines[1], PVC_MSTR_TILE_INTR, PVC_MSTR_IRQ_ENABLE));
	CHECK_EQ(mmio_read(t, PVC_MSTR_TILE_INTR), 0);
	test_card_free(c);
}

/* The host's unknown registers are storage; a command stream's are an error. */
TEST(regs_command_streams_know_the_table_only)
{
	const struct card_options opt = {
		.tiles = 1, .hbm = GIB, .cslices = 0x3, .device_id = 0x0bd5,
	};
	struct card *c = test_card_full(&opt, 0);
	struct engine *e = &c->tiles[0].engines[0];
	uint32_t v;

	CHECK(!mmio_cs_write(e, 0x123450, 9));
	CHECK_EQ(reg_read(e->tile, 0x123450), 0);
	CHECK(!mmio_cs_read(e, 0x123450, &v));
	CHECK(!mmio_cs_read(e, e->base + 0x7fc, &v));
	CHECK(mmio_cs_write(e, PVC_CS_GPR(e->base, 15) + 4, 9));
	CHECK(mmio_cs_read(e, PVC_CS_GPR(e->base, 15) + 4, &v));
	CHECK_EQ(v, 9);
	CHECK(mmio_cs_read(e, PVC_MTCFG, &v));
	/* CCS3 is fused off; the card has no render engine, but drivers program it */
	CHECK(!mmio_cs_write(e, PVC_CS_GPR(PVC_CCS3_BASE, 0), 9));
	CHECK(mmio_cs_write(e, PVC_CS_GPR(PVC_RCS_BASE, 0), 9));
	CHECK(mmio_cs_read(e, PVC_CS_GPR(PVC_RCS_BASE, 0), &v));
	CHECK_EQ(v, 0);
	test_card_free(c);
}

TEST(regs_tlb_invalidation)
{
	struct card *c = test_card(1, 0);
	unsigned int before = atomic_load(&c->mem_generation);

	mmio_write(&c->tiles[0], PVC_COMPCTX_TLB_INV, 0x00010001);
	CHECK_EQ(mmio_read(&c->tiles[0], PVC_COMPCTX_TLB_INV), 0);
	mmio_write(&c->tiles[0], PVC_BLT_TLB_INV, 1);
	mmio_write(&c->tiles[0], PVC_TLB_INV_DESC0, PVC_TLB_INV_DESC0_VALID);
	CHECK_EQ(mmio_read(&c->tiles[0], PVC_TLB_INV_DESC0), 0);
	CHECK_EQ(atomic_load(&c->mem_generation), before + 3);
	test_card_free(c);
}

TEST(regs_ccs_mode)
{
	struct card *c = test_card(1, 0);
	struct tile *t = &c->tiles[0];

	CHECK_EQ(tile_ccs_cslices(t, 0), 0);	/* engines disabled */
	mmio_write(t, PVC_RCU_MODE, PVC_MASKED_SET(PVC_RCU_MODE_CCS_ENABLE));
	CHECK_EQ(tile_ccs_cslices(t, 3), 0xf);	/* balanced by hardware */
	mmio_write(t, PVC_RCU_MODE, PVC_MASKED_SET(PVC_RCU_MODE_FIXED_SLICE));
	mmio_write(t, PVC_CCS_MODE, 0x0fff0208);
	CHECK_EQ(tile_ccs_cslices(t, 0), 0x5);
	CHECK_EQ(tile_ccs_cslices(t, 1), 0xa);
	CHECK_EQ(tile_ccs_cslices(t, 2), 0);
	mmio_write(t, PVC_CCS_MODE, 0x688);
	for (unsigned int n = 0; n < 4; n++)
		CHECK_EQ(tile_ccs_cslices(t, n), 1u << n);
	mmio_write(t, PVC_CCS_MODE, 0xe88);	/* slice 3 off */
	CHECK_EQ(tile_ccs_cslices(t, 3), 0);
	test_card_free(c);
}

TEST(regs_timestamp)
{
	struct card *c = test_card(1, 0);
	struct tile *t = &c->tiles[0];
	uint32_t a = mmio_read(t, PVC_RING_TIMESTAMP(PVC_CCS_BASE(0))), b;

	usleep(10000);
	b = mmio_read(t, PVC_RING_TIMESTAMP(PVC_BCS_BASE(8)));
	/* 10 ms of 19.2 MHz at least, and not 100 times that */
	CHECK(b - a >= 192000 && b - a < 19200000);
	CHECK_EQ(mmio_read(t, PVC_RING_TIMESTAMP_UDW(PVC_CCS_BASE(0))), card_timestamp() >> 32);
	test_card_free(c);
}

TEST(regs_noise_follows_the_seed)
{
	struct card_options opt = *TEST_OPTIONS(2, .seed = 5);
	struct card *a = test_card_full(&opt, 0), *b = test_card_full(&opt, 0), *other;

	opt.seed = 6;
	other = test_card_full(&opt, 0);
	CHECK(!memcmp(a->hbm, b->hbm, 4096));
	CHECK(memcmp(a->hbm, other->hbm, 4096));
	CHECK(memcmp(a->hbm, a->hbm + GIB, 4096));
	CHECK_EQ(a->tiles[1].ggtt[77], b->tiles[1].ggtt[77]);
	CHECK(a->tiles[1].ggtt[77] != 0);
	CHECK_EQ(mmio_read(&a->tiles[0], PVC_CCS_MODE), mmio_read(&b->tiles[0], PVC_CCS_MODE));
	/* noise leaves the carve-outs and registers with documented values alone */
	CHECK_EQ(a->hbm[GIB - 1], 0);
	CHECK_EQ(mmio_read(&a->tiles[0], PVC_MTCFG), 0x100);
	CHECK_EQ(mmio_read(&a->tiles[0], PVC_RCU_MODE), 0);
	test_card_free(a);
	test_card_free(b);
	test_card_free(other);
}

TEST(regs_noise_in_the_submit_queue)
{
	struct card *c = test_card(1, 0);
	struct tile *t = &c->tiles[0];
	struct engine *e = &t->engines[0];
	const uint32_t second = PVC_EXECLIST_SQ_CONTENTS(e->base, 1);

	CHECK(mmio_read(t, second) & PVC_CTX_VALID);
	mmio_write(t, second, 0);
	regs_reset_engine(e);
	CHECK(mmio_read(t, second) & PVC_CTX_VALID);
	CHECK_EQ(mmio_read(t, PVC_EXECLIST_SQ_CONTENTS(e->base, 0)), 0);
	CHECK_EQ(mmio_read(t, PVC_EXECLIST_SQ_CONTENTS(e->base, 2)), 0);
	c->opt.lenient |= STRICT_STALE_QUEUE;
	regs_reset_engine(e);
	CHECK_EQ(mmio_read(t, second), 0);
	test_card_free(c);
}

static bool all_zero(const uint8_t *p, uint64_t size)
{
	return !p[0] && !memcmp(p, p + 1, size - 1);
}

/* Noise lies where a driver may look: at both ends of the usable memory, not above. */
TEST(regs_noise_in_usable_memory)
{
	static const uint64_t usable[] = { 2, 8, 24, 240 };
	struct card_options opt = *TEST_OPTIONS(2, .seed = 5);

	for (unsigned int i = 0; i < 4; i++) {
		struct card *c;
		uint64_t end = GIB + usable[i] * MIB;

		opt.usable = usable[i] * MIB;
		c = test_card_full(&opt, 0);
		CHECK(!all_zero(c->hbm + GIB, 4096));
		CHECK(!all_zero(c->hbm + end - 4096, 4096));
		/* above, and below the carve-outs that are there without --usable */
		CHECK(all_zero(c->hbm + end, MIB));
		CHECK(all_zero(c->hbm + 2 * GIB - 80 * MIB, MIB));
		test_card_free(c);
	}
}

/* Lines of the log that say @what of register @off */
static unsigned int lines_of(FILE *log, const char *what, const char *off)
{
	unsigned int n = 0;
	char line[256];

	rewind(log);
	while (fgets(line, sizeof(line), log))
		n += strstr(line, what) && strstr(line, off);
	return n;
}

/* The log names a register once as unknown, and once as asleep. */
TEST(regs_log_names_each_mistake)
{
	const char *usual = getenv("VPVC_TEST_LOG");
	struct card *c = test_card(1, 0);
	struct tile *t = &c->tiles[0];
	char path[] = "/tmp/vpvc-log-XXXXXX";
	int fd = mkstemp(path);
	FILE *log;

	REQUIRE(fd >= 0);
	log = fdopen(fd, "r");
	REQUIRE(log && !vlog_open(path));
	mmio_write(t, PVC_FORCEWAKE_GT, 0x10001);
	mmio_read(t, 0x9f00);
	mmio_read(t, 0x9f00);
	CHECK_EQ(lines_of(log, "unimplemented", "0x009f00"), 1);
	CHECK_EQ(lines_of(log, "without forcewake", "0x009f00"), 0);
	mmio_write(t, PVC_FORCEWAKE_GT, 0x10000);
	mmio_read(t, 0x9f00);
	mmio_read(t, 0x9f00);
	CHECK_EQ(lines_of(log, "unimplemented", "0x009f00"), 1);
	CHECK_EQ(lines_of(log, "without forcewake", "0x009f00"), 1);
	vlog_open(usual ? usual : "/dev/null");
	fclose(log);
	unlink(path);
	test_card_free(c);
}

/* ---- Documentation/specs/vpvc.rst has a place for each table that the program prints ---- */

static char *read_document(void)
{
	FILE *f = fopen(SPEC_DOCUMENT, "r");
	char *text = calloc(1, 1 << 20);

	if (f) {
		text[fread(text, 1, (1 << 20) - 1, f)] = '\0';
		fclose(f);
	}
	return text;
}

/* Each table has one place in the document, and each place a table. */
TEST(spec_has_a_place_for_each_table)
{
	char *document = read_document(), *section, place[64];
	unsigned int places = 0, tables = 0;
	size_t size;

	for (; spec_sections[tables]; tables++) {
		FILE *f = open_memstream(&section, &size);

		REQUIRE(f);
		spec_print(f, spec_sections[tables]);
		fclose(f);
		CHECK(size > 100);
		free(section);
		snprintf(place, sizeof(place), "\n*Table* ``%s``.\n", spec_sections[tables]);
		if (!strstr(document, place))
			test_fail(__FILE__, __LINE__, "%s has no place for the table %s",
				  SPEC_DOCUMENT, spec_sections[tables]);
	}
	for (char *at = document; (at = strstr(at, "\n*Table* ``")) != NULL; at++)
		places++;
	CHECK_EQ(places, tables);
	free(document);
}

/* No two rows of a table overlap, because one would hide the other. */
TEST(spec_rows_are_apart)
{
	for (unsigned int i = 0; i < reg_table.engine.num; i++) {
		const struct reg_rule *a = &reg_table.engine.row[i];

		CHECK(a->off < PVC_ENGINE_REGS_SIZE && !(a->off & 3));
		for (unsigned int k = 0; k < i; k++) {
			const struct reg_rule *b = &reg_table.engine.row[k];
			uint32_t end_a = a->off + 4 * (a->count ? a->count : 1);
			uint32_t end_b = b->off + 4 * (b->count ? b->count : 1);

			if (a->off < end_b && b->off < end_a)
				test_fail(__FILE__, __LINE__, "%s overlaps %s", a->name, b->name);
		}
	}
	for (unsigned int i = 0; i < reg_table.tile.num; i++) {
		const struct reg_rule *a = &reg_table.tile.row[i];

		CHECK(a->off < TILE_REG_SIZE && !(a->off & 3));
		for (unsigned int k = 0; k < i; k++) {
			const struct reg_rule *b = &reg_table.tile.row[k];
			uint32_t end_a = a->off + 4 * (a->count ? a->count : 1);
			uint32_t end_b = b->off + 4 * (b->count ? b->count : 1);

			if (a->off < end_b && b->off < end_a)
				test_fail(__FILE__, __LINE__, "%s overlaps %s", a->name, b->name);
		}
	}
}
