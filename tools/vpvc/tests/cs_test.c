// SPDX-License-Identifier: MIT
/* Helpers of the command streamers' tests that do not fit into cs_test.h. */
#include "tests/cs_test.h"

#include "card.h"
#include "core/regs.h"

static unsigned int irq_bit(struct engine *e)
{
	if (e->class == PVC_CLASS_CCS)
		return 4 + e->instance;
	return e->instance == 8 ? 23 : 15 - e->instance;
}

uint32_t take_irq(struct engine *e)
{
	uint32_t bit = 1u << irq_bit(e), id;
	struct tile *t = e->tile;

	if (!(mmio_read(t, 0x190018) & bit))
		return 0;
	mmio_write(t, 0x190070, bit);
	id = mmio_read(t, 0x190060);
	mmio_write(t, 0x190060, id);
	mmio_write(t, 0x190018, bit);
	return id & 0xffff;
}

void reset_engine(struct bench *b, struct engine *e)
{
	struct tile *t = e->tile;
	uint32_t page = mmio_read(t, PVC_RING_HWS_PGA(e->base));
	uint32_t domain = e->class == PVC_CLASS_CCS ? PVC_GDRST_RENDER :
			  e->instance ? PVC_GDRST_BCS(e->instance) : PVC_GDRST_BCS0;

	(void)b;
	mmio_write(t, PVC_RING_RESET_CTL(e->base), 0x00010001);
	CHECK(mmio_read(t, PVC_RING_RESET_CTL(e->base)) & PVC_RESET_CTL_READY);
	/* twice, because the strict card may ignore the first one */
	for (int i = 0; i < 2; i++) {
		mmio_write(t, PVC_GDRST, domain);
		CHECK(WAIT_FOR(!(mmio_read(t, PVC_GDRST) & domain)));
	}
	mmio_write(t, PVC_RING_RESET_CTL(e->base), 0x00010000);
	mmio_write(t, PVC_RING_HWS_PGA(e->base), page);
	mmio_write(t, PVC_CONTEXT_STATUS_PTR(e->base), PVC_CSB_PTR_RESET);
	mmio_write(t, PVC_RING_EMR(e->base), ~PVC_ERROR_INSTRUCTION);
	program_blitter(e);
	if (e->class == PVC_CLASS_CCS)
		program_compute(t);
}
