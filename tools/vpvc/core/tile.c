// SPDX-License-Identifier: MIT
/* The slices of a compute engine, from the registers of its tile.  Any thread. */
#include "core/tile.h"

#include "card.h"
#include "core/regs.h"
#include "pvc_gt_regs.h"

unsigned int tile_ccs_cslices(struct tile *t, unsigned int instance)
{
	uint32_t rcu = reg_read(t, PVC_RCU_MODE);
	uint32_t mode = reg_read(t, PVC_CCS_MODE);
	unsigned int mask = 0;

	if (!(rcu & PVC_RCU_MODE_CCS_ENABLE))
		return 0;
	/* Slices that are not fixed go where work is: any engine can have all of them. */
	if (!(rcu & PVC_RCU_MODE_FIXED_SLICE))
		return t->cslices;
	for (unsigned int n = 0; n < TILE_CSLICES; n++)
		if (((mode >> PVC_CCS_MODE_CSLICE_SHIFT(n)) & PVC_CCS_MODE_CSLICE_MASK) == instance)
			mask |= 1u << n;
	return mask & t->cslices;
}
