// SPDX-License-Identifier: MIT
/*
 * Power wells that an engine asks for by itself.  An engine that is stopped in its work asks
 * for the render well, and has it WAKE_US later; until then MSG_IDLE shows the request and
 * the status of the wells shows that the well is not up.  Only the compute engines together
 * and BCS0 have such a register.  Public drivers wait for these requests before a reset
 * (Wa_22011802037; prelim i915 gt/intel_engine_cs.c); no public source says how long they
 * take, or that each stop makes one.  cs/ calls this on the host thread, or on an engine's
 * thread for a write of its command stream.
 */
#include "core/wake.h"

#include "core/clock.h"
#include "core/strict.h"
#include "pvc_engine_regs.h"
#include "pvc_gt_regs.h"

#define WAKE_US		4000u

enum { WAITS_CCS, WAITS_BCS0 };

void wake_begin(struct engine *e)
{
	uint64_t due = card_timestamp() + card_ticks(WAKE_US);

	if (!card_punishes(e->tile->card, STRICT_PENDING_MI))
		return;
	if (e->class == PVC_CLASS_CCS)
		atomic_store(&e->tile->wake_due[WAITS_CCS], due);
	else if (!e->instance)
		atomic_store(&e->tile->wake_due[WAITS_BCS0], due);
}

static bool waits(struct tile *t, unsigned int which)
{
	return atomic_load(&t->wake_due[which]) > card_timestamp();
}

bool wake_pending(struct tile *t, uint32_t domains)
{
	return ((domains & (PVC_GDRST_FULL | PVC_GDRST_RENDER)) && waits(t, WAITS_CCS)) ||
	       ((domains & (PVC_GDRST_FULL | PVC_GDRST_BCS0)) && waits(t, WAITS_BCS0));
}

void wake_forget(struct tile *t, uint32_t domains)
{
	if (domains & (PVC_GDRST_FULL | PVC_GDRST_RENDER))
		atomic_store(&t->wake_due[WAITS_CCS], 0);
	if (domains & (PVC_GDRST_FULL | PVC_GDRST_BCS0))
		atomic_store(&t->wake_due[WAITS_BCS0], 0);
}

uint32_t wake_read_msg_idle(struct tile *t, uint32_t off)
{
	uint32_t val = PVC_MSG_IDLE_FW_MASK << 16;

	if (waits(t, off == PVC_MSG_IDLE_CS ? WAITS_CCS : WAITS_BCS0))
		val |= PVC_PWRGT_RENDER_UP << PVC_MSG_IDLE_FW_SHIFT;
	return val;
}

uint32_t wake_read_status(struct tile *t, uint32_t off)
{
	(void)off;
	return waits(t, WAITS_CCS) || waits(t, WAITS_BCS0) ? 0 : PVC_PWRGT_RENDER_UP;
}
