// SPDX-License-Identifier: MIT
/* Errors of the hardware: how they are reported, and what clears them. */
#include "core/ras.h"

#include "card.h"
#include "card/inject_command.h"
#include "card/life.h"
#include "core/irq.h"
#include "core/regs.h"
#include "core/strict.h"
#include "pvc_irq_regs.h"
#include "pvc_soc_regs.h"
#include "tests/test.h"

static void inject(struct card *c, const char *text, bool works)
{
	char why[256];

	CHECK_EQ(!inject_command(c, text, why, sizeof(why)), works);
}

static uint32_t stat(unsigned int severity)
{
	return PVC_DEV_ERR_STAT_CORRECTABLE - 4 * severity;
}

/* Each register comes back as long as one below it is not clear. */
TEST(ras_soc_comes_back_until_its_source_is_clear)
{
	struct card *c = test_card(2, 0);
	struct tile *t = &c->tiles[1];
	const uint32_t bit = PVC_GFX_MSTR_ERR_NONFATAL;

	test_quiet(c);
	CHECK_EQ(mmio_read(t, PVC_GFX_MSTR_IRQ), 0);
	inject(c, "error source=soc-second severity=nonfatal tile=1", true);
	CHECK_EQ(mmio_read(&c->tiles[0], PVC_GFX_MSTR_IRQ), 0);
	CHECK_EQ(mmio_read(t, PVC_GFX_MSTR_IRQ), bit);
	CHECK_EQ(mmio_read(t, stat(PVC_ERR_NONFATAL)), PVC_DEV_ERR_SOC);
	CHECK_EQ(mmio_read(t, stat(PVC_ERR_FATAL)), 0);
	CHECK_EQ(mmio_read(t, PVC_IEH_GLOBAL(PVC_IEH_FIRST, 1)), PVC_IEH_GLOBAL_SECOND);
	CHECK_EQ(mmio_read(t, PVC_IEH_GLOBAL(PVC_IEH_SECOND, 1)), PVC_IEH_GLOBAL_LOCAL);
	/* from above: all of them come back */
	mmio_write(t, PVC_GFX_MSTR_IRQ, bit);
	CHECK_EQ(mmio_read(t, PVC_GFX_MSTR_IRQ), 0);
	mmio_write(t, stat(PVC_ERR_NONFATAL), ~0u);
	CHECK_EQ(mmio_read(t, stat(PVC_ERR_NONFATAL)), PVC_DEV_ERR_SOC);
	CHECK_EQ(mmio_read(t, PVC_GFX_MSTR_IRQ), bit);
	mmio_write(t, PVC_IEH_GLOBAL(PVC_IEH_FIRST, 1), ~0u);
	CHECK_EQ(mmio_read(t, PVC_IEH_GLOBAL(PVC_IEH_FIRST, 1)), PVC_IEH_GLOBAL_SECOND);
	mmio_write(t, PVC_IEH_GLOBAL(PVC_IEH_SECOND, 1), ~0u);
	CHECK_EQ(mmio_read(t, PVC_IEH_GLOBAL(PVC_IEH_SECOND, 1)), PVC_IEH_GLOBAL_LOCAL);
	/* from the source */
	test_quiet(c);
	CHECK_EQ(mmio_read(t, stat(PVC_ERR_NONFATAL)), 0);
	CHECK_EQ(mmio_read(t, PVC_GFX_MSTR_IRQ), 0);
	test_card_free(c);
}

/* A severity that the handlers do not report waits until they do. */
TEST(ras_events_hold_errors_back)
{
	struct card *c = test_card(1, 0);
	struct tile *t = &c->tiles[0];

	test_quiet(c);
	mmio_write(t, PVC_IEH_EVENTS(PVC_IEH_FIRST), PVC_IEH_EVENTS_ALL & ~(1u << PVC_ERR_FATAL));
	CHECK(ras_raise(t, PVC_ERR_FATAL, RAS_HBM));
	CHECK_EQ(mmio_read(t, stat(PVC_ERR_FATAL)), 0);
	mmio_write(t, PVC_IEH_EVENTS(PVC_IEH_FIRST), PVC_IEH_EVENTS_ALL);
	CHECK_EQ(mmio_read(t, stat(PVC_ERR_FATAL)), PVC_DEV_ERR_SOC);
	CHECK_EQ(mmio_read(t, PVC_GFX_MSTR_IRQ), PVC_GFX_MSTR_ERR_FATAL);
	test_card_free(c);
}

TEST(ras_gt_vectors_and_gsc)
{
	struct card *c = test_card(2, 0);
	struct tile *t = &c->tiles[0];

	test_quiet(c);
	inject(c, "error source=l3bank severity=fatal tile=0", true);
	CHECK_EQ(mmio_read(t, stat(PVC_ERR_FATAL)), PVC_DEV_ERR_GT);
	CHECK_EQ(mmio_read(t, PVC_ERR_VECTOR_GT_FATAL(PVC_ERR_VECTOR_L3BANK)), 1);
	mmio_write(t, stat(PVC_ERR_FATAL), ~0u);
	CHECK_EQ(mmio_read(t, stat(PVC_ERR_FATAL)), PVC_DEV_ERR_GT);
	mmio_write(t, PVC_ERR_VECTOR_GT_FATAL(PVC_ERR_VECTOR_L3BANK), 1);
	mmio_write(t, stat(PVC_ERR_FATAL), ~0u);
	CHECK_EQ(mmio_read(t, stat(PVC_ERR_FATAL)), 0);
	inject(c, "error source=gsc severity=correctable tile=0", true);
	CHECK_EQ(mmio_read(t, stat(PVC_ERR_CORRECTABLE)), PVC_DEV_ERR_GSC);
	/* impossible ones */
	inject(c, "error source=gsc severity=nonfatal tile=1", false);
	inject(c, "error source=tlb severity=correctable", false);
	inject(c, "error source=l3bank severity=nonfatal", false);
	inject(c, "error source=mdfi severity=correctable", false);
	inject(c, "error source=hbm", false);
	test_card_free(c);
}

TEST(ras_stuck_until_healed)
{
	struct card *c = test_card(1, 0);
	struct tile *t = &c->tiles[0];

	test_quiet(c);
	inject(c, "error source=hbm severity=correctable stuck=yes", true);
	test_quiet(c);
	CHECK_EQ(mmio_read(t, stat(PVC_ERR_CORRECTABLE)), PVC_DEV_ERR_SOC);
	card_reset(c);
	CHECK_EQ(mmio_read(t, stat(PVC_ERR_CORRECTABLE)), PVC_DEV_ERR_SOC);
	inject(c, "error off", true);
	test_quiet(c);
	CHECK_EQ(mmio_read(t, stat(PVC_ERR_CORRECTABLE)), 0);
	test_card_free(c);
}

/* Acknowledging does not help until the source is healed and the status is cleared. */
TEST(ras_level_until_healed)
{
	struct card *c = test_card(1, 0);
	struct tile *t = &c->tiles[0];

	test_quiet(c);
	inject(c, "error source=gsc severity=nonfatal stuck=level", true);
	mmio_write(t, stat(PVC_ERR_NONFATAL), ~0u);
	mmio_write(t, PVC_GFX_MSTR_IRQ, ~0u);
	CHECK_EQ(mmio_read(t, PVC_GFX_MSTR_IRQ) & PVC_GFX_MSTR_ERRORS, PVC_GFX_MSTR_ERR_NONFATAL);
	inject(c, "error off", true);
	mmio_write(t, PVC_GSC_ERR_UNCORRECTABLE, ~0u);
	mmio_write(t, stat(PVC_ERR_NONFATAL), ~0u);
	mmio_write(t, PVC_GFX_MSTR_IRQ, ~0u);
	CHECK_EQ(mmio_read(t, PVC_GFX_MSTR_IRQ) & PVC_GFX_MSTR_ERRORS, 0);
	test_card_free(c);
}

/* An event of GU_MISC or PCU shows as long as its own block has it. */
TEST(ras_blocks_show_until_they_are_acknowledged)
{
	struct card *c = test_card(1, 0);
	struct tile *t = &c->tiles[0];
	const uint32_t bits = PVC_GFX_MSTR_GU_MISC | PVC_GFX_MSTR_PCU;

	CHECK_EQ(mmio_read(t, PVC_GFX_MSTR_IRQ) & bits, bits);
	mmio_write(t, PVC_GFX_MSTR_IRQ, bits);
	CHECK_EQ(mmio_read(t, PVC_GFX_MSTR_IRQ) & bits, bits);
	mmio_write(t, PVC_IRQ_BLOCK_IIR(PVC_GU_MISC_IRQ_BASE), ~0u);
	mmio_write(t, PVC_IRQ_BLOCK_IER(PVC_PCU_IRQ_BASE), 0);
	mmio_write(t, PVC_GFX_MSTR_IRQ, bits);
	CHECK_EQ(mmio_read(t, PVC_GFX_MSTR_IRQ) & bits, 0);
	test_card_free(c);
}

TEST(ras_lenient_card_is_clean)
{
	struct card *c =
		test_card_full(TEST_OPTIONS(1, .lenient = STRICT_RAS | STRICT_IRQ_BLOCKS), 0);
	struct tile *t = &c->tiles[0];

	CHECK_EQ(mmio_read(t, PVC_GFX_MSTR_IRQ), 0);
	CHECK(ras_raise(t, PVC_ERR_NONFATAL, RAS_SOC));
	mmio_write(t, stat(PVC_ERR_NONFATAL), ~0u);
	CHECK_EQ(mmio_read(t, stat(PVC_ERR_NONFATAL)), 0);
	test_card_free(c);
}
