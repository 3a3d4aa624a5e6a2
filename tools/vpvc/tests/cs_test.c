// SPDX-License-Identifier: MIT
#include "card.h"
#include "core/regs.h"
#include "tests/cs_test.h"

static unsigned int irq_bit(struct engine *e)
{
	if (e->class == XT_CLASS_CCS)
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
	uint32_t page = mmio_read(t, XT_RING_HWS_PGA(e->base));
	uint32_t domain = e->class == XT_CLASS_CCS ? XT_GDRST_RENDER :
			  e->instance ? XT_GDRST_BCS(e->instance) : XT_GDRST_BCS0;

	(void)b;
	mmio_write(t, XT_RING_RESET_CTL(e->base), 0x00010001);
	CHECK(mmio_read(t, XT_RING_RESET_CTL(e->base)) & XT_RESET_CTL_READY);
	mmio_write(t, XT_GDRST, domain);
	CHECK_EQ(mmio_read(t, XT_GDRST) & domain, 0);
	mmio_write(t, XT_RING_RESET_CTL(e->base), 0x00010000);
	mmio_write(t, XT_RING_HWS_PGA(e->base), page);
	mmio_write(t, XT_CONTEXT_STATUS_PTR(e->base), XT_CSB_PTR_RESET);
	mmio_write(t, XT_RING_EMR(e->base), ~XT_ERROR_INSTRUCTION);
}
