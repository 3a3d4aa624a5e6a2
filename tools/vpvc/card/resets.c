// SPDX-License-Identifier: MIT
/*
 * Resets that the host asks for by registers: of engines and tiles by GDRST, of the card by
 * GU_CNTL.  All of it runs on the host thread, but for reads of GDRST by a command stream.
 *
 * A request to GDRST takes effect when it is written.  On the strict card now and then one has
 * no effect at all although its bits read 0, and one takes SLOW_US before they do: public
 * drivers write each request twice, because engines were seen to change after the first
 * one was over (prelim i915 gt/intel_reset.c), and wait up to 5 ms (xe: xe_gt.c).
 */
#include "card/resets.h"

#include "card.h"
#include "core/clock.h"
#include "core/freq.h"
#include "core/inject.h"
#include "core/regs.h"
#include "core/strict.h"
#include "core/wake.h"
#include "log.h"
#include "pvc_gt_regs.h"
#include "pvc_soc_regs.h"

/* Which requests: every nth. A request that repeats a dropped one does not count. */
#define DROP_EVERY	3u
#define SLOW_EVERY	5u
#define SLOW_US		3000u

static uint32_t reset_bit(const struct engine *e)
{
	if (e->class == PVC_CLASS_CCS)
		return PVC_GDRST_RENDER;
	return e->instance ? PVC_GDRST_BCS(e->instance) : PVC_GDRST_BCS0;
}

static bool in_domain(const struct engine *e, uint32_t domains)
{
	return domains & (PVC_GDRST_FULL | reset_bit(e));
}

/* Is this request one of those that have no effect? */
static bool is_dropped(struct tile *t, uint32_t domains)
{
	struct card *c = t->card;

	if (!card_punishes(c, STRICT_RESET_DROP))
		return false;
	/* A request for others repeats nothing. */
	if (t->resets.dropped == domains) {
		t->resets.dropped = 0;
		return false;
	}
	if ((++t->resets.requests + c->opt.seed) % DROP_EVERY)
		return false;
	t->resets.dropped = domains;
	return true;
}

static void take_time(struct tile *t, uint32_t domains)
{
	if (!card_punishes(t->card, STRICT_RESET_DROP) || t->resets.requests % SLOW_EVERY)
		return;
	t->resets.slow = domains;
	t->resets.slow_until = card_timestamp() + card_ticks(SLOW_US);
}

uint32_t resets_read_gdrst(struct tile *t, uint32_t off)
{
	uint32_t val = reg_read(t, off);

	if (t->resets.slow_until > card_timestamp())
		val |= t->resets.slow;
	return val;
}

void resets_write_gdrst(struct tile *t, uint32_t off, uint32_t val)
{
	uint32_t dead = inject_reset(t, val), pending = reg_read(t, off);
	struct card *c = t->card;

	/* An engine that waits for its well keeps the reset from ending, and all later ones. */
	if (wake_pending(t, val)) {
		vlog("guest error: tile%u: reset %#x of an engine that waits for a power well",
		     t->id, val);
		c->resets_hang = true;
	}
	if (c->resets_hang || c->resets_hang_injected)
		dead = val;
	val &= ~dead;
	if (!val || is_dropped(t, val)) {
		reg_write(t, off, dead | pending);
		return;
	}
	c->ops->reset_engines(t, in_domain, val);
	wake_forget(t, val);
	if (val & (PVC_GDRST_FULL | PVC_GDRST_RENDER)) {
		/* A reset of the render domain clears both: the driver programs them anew. */
		reg_write(t, PVC_RCU_MODE, 0);
		reg_write(t, PVC_CCS_MODE, 0);
		atomic_store(&t->slices_torn, false);
	}
	if (val & PVC_GDRST_FULL)
		freq_reset(t);
	if (val & (PVC_GDRST_FULL | PVC_GDRST_GUC))
		reg_write(t, PVC_GUC_STATUS, PVC_GUC_STATUS_IN_RESET);
	atomic_fetch_add(&c->mem_generation, 1);
	reg_write(t, off, dead | (val & PVC_GDRST_FULL ? 0 : pending & ~val));
	take_time(t, val);
}

void resets_write_wopcm(struct tile *t, uint32_t off, uint32_t val)
{
	if (!(reg_read(t, off) & PVC_GUC_WOPCM_SIZE_LOCKED))
		reg_write(t, off, val);
}

void resets_guc_ran(struct tile *t, bool runs)
{
	/* What a driver has written stays. */
	if (!runs && !t->resets.guc_ran)
		return;
	t->resets.guc_ran = runs;
	/* A status that firmware shows when it is ready, and 1 MiB at 512 KiB */
	reg_write(t, PVC_GUC_STATUS, runs ? 0x800330ec : PVC_GUC_STATUS_IN_RESET);
	reg_write(t, PVC_GUC_WOPCM_SIZE, runs ? 0x00100000 | PVC_GUC_WOPCM_SIZE_LOCKED : 0);
	reg_write(t, PVC_GUC_WOPCM_OFFSET, runs ? 0x00080000 | PVC_GUC_WOPCM_OFFSET_VALID : 0);
}

void resets_write_gu_cntl(struct tile *t, uint32_t off, uint32_t val)
{
	(void)off;
	if (!(val & PVC_GU_CNTL_DRIVERFLR))
		return;
	if (reg_read(t, PVC_GU_CNTL_PROTECTED) & PVC_GU_CNTL_DRIVERINT_FLR_DIS)
		return;
	if (!t->card->ops->reset(t->card))
		return;
	reg_set(t, PVC_GU_DEBUG, PVC_GU_DEBUG_DRIVERFLR_STATUS);
}

void resets_forget(struct card *c)
{
	c->resets_hang = false;
	c->resets_hang_injected = false;
	for (unsigned int i = 0; i < c->num_tiles; i++) {
		struct tile *t = &c->tiles[i];

		t->resets.dropped = 0;
		t->resets.slow_until = 0;
		t->resets.guc_ran = false;
		wake_forget(t, PVC_GDRST_FULL);
	}
}
