// SPDX-License-Identifier: GPL-2.0-only
#include "card/xetile_irq.h"

#include <linux/bitops.h>
#include <linux/device.h>
#include <linux/interrupt.h>
#include <linux/iopoll.h>
#include <linux/jiffies.h>
#include <linux/pci.h>
#include <linux/timer.h>

#include <drm/drm_managed.h>
#include <drm/drm_print.h>

#include "regs/pvc_engine_regs.h"
#include "regs/pvc_irq_regs.h"

#include "card/xetile_ras.h"
#include "xetile_device.h"

/**
 * DOC: interrupts
 *
 * There is one message for the whole card. A tree of registers tells which unit interrupts: the
 * root's summary of the tiles, each tile's summary of two banks of units, and one identity
 * register for each bank, which shows the events of a unit after the unit was selected. The
 * card sends a message only on the change to "something is pending while the root is enabled",
 * so the handler closes the root, empties the tree once, and opens the root again, which sends
 * a new message if new interrupts came meanwhile. When errors of the hardware come all the time,
 * the root stays closed for a while.
 *
 * What the engines of all tiles report is told together, because the members of a gang often end
 * at one time: whoever listens takes its lock once for them.
 */

#define ALL_ONES		U32_MAX
#define NUM_BANKS		2
#define IDENTITY_TIMEOUT_US	50
/*
 * The root stays closed this long when errors come all the time: they take a small part of a
 * processor, and interrupts of engines are this late.
 */
#define REST_MS			10

/* A register holds two classes or two instances: in its high half and its low half. */
#define VECTORS_LOW	((u32)(XETILE_IRQ_USER | XETILE_IRQ_CS_ERROR | XETILE_IRQ_NOTIFY | \
			       XETILE_IRQ_CTX_SWITCH | XETILE_IRQ_SEMAPHORE))
#define VECTORS_HIGH	(VECTORS_LOW << 16)
#define VECTORS_BOTH	(VECTORS_HIGH | VECTORS_LOW)

/** struct xetile_irq - interrupt state of a card */
struct xetile_irq {
	/** @xt: the card */
	struct xetile_device *xt;
	/** @number: Linux interrupt number */
	int number;
	/** @enabled: the handler may open the root again */
	bool enabled;
	/** @gone: the handler has reported that the card does not answer */
	bool gone;
	/** @rest: opens the root when the rest after too many errors ends */
	struct timer_list rest;
	/** @listener: told what the engines report; NULL: nobody */
	xetile_irq_listener *listener;
	/** @events: of this interrupt; the handler never runs twice at a time */
	struct xetile_irq_event events[XETILE_MAX_TILES * XETILE_MAX_ENGINES];
	/** @num_events: how many */
	unsigned int num_events;
};

static_assert(XETILE_IRQ_USER == PVC_VEC_USER);
static_assert(XETILE_IRQ_CS_ERROR == PVC_VEC_CS_ERROR);
static_assert(XETILE_IRQ_NOTIFY == PVC_VEC_NOTIFY);
static_assert(XETILE_IRQ_CTX_SWITCH == PVC_VEC_CONTEXT_SWITCH);
static_assert(XETILE_IRQ_SEMAPHORE == PVC_VEC_SEMAPHORE_WAIT);
static_assert((int)XETILE_ENGINE_COPY == PVC_CLASS_BCS);
static_assert((int)XETILE_ENGINE_COMPUTE == PVC_CLASS_CCS);

static const u32 enable_regs[] = {
	PVC_RENDER_COPY_INTR_ENABLE, PVC_VCS_VECS_INTR_ENABLE, PVC_GUC_SG_INTR_ENABLE,
	PVC_GPM_WGBOXPERF_INTR_ENABLE, PVC_CRYPTO_RSVD_INTR_ENABLE, PVC_GUNIT_GSC_INTR_ENABLE,
	PVC_CCS_RSVD_INTR_ENABLE,
};

static const u32 mask_regs[] = {
	PVC_RCS0_RSVD_INTR_MASK, PVC_BCS_RSVD_INTR_MASK, PVC_VCS0_VCS1_INTR_MASK,
	PVC_VCS2_VCS3_INTR_MASK, PVC_VECS0_VECS1_INTR_MASK, PVC_HECI2_RSVD_INTR_MASK,
	PVC_GUC_SG_INTR_MASK, PVC_GPM_WGBOXPERF_INTR_MASK, PVC_CRYPTO_RSVD_INTR_MASK,
	PVC_GUNIT_GSC_INTR_MASK, PVC_CCS0_CCS1_INTR_MASK, PVC_CCS2_CCS3_INTR_MASK,
	PVC_BCS1_BCS2_INTR_MASK, PVC_BCS3_BCS4_INTR_MASK, PVC_BCS5_BCS6_INTR_MASK,
	PVC_BCS7_BCS8_INTR_MASK,
};

/*
 * Blocks whose events nobody wants: the power controller's and those of a display. Firmware or an
 * earlier driver may have left them enabled, with events pending.
 */
static const struct {
	u32 bit;
	u32 base;
} blocks[] = {
	{ PVC_GFX_MSTR_GU_MISC, PVC_GU_MISC_IRQ_BASE },
	{ PVC_GFX_MSTR_PCU, PVC_PCU_IRQ_BASE },
};

#define BLOCKS	(PVC_GFX_MSTR_GU_MISC | PVC_GFX_MSTR_PCU)

/* Masks of engines in pairs; BCS0 has a mask of its own */
static const u32 engine_pair_masks[] = {
	PVC_CCS0_CCS1_INTR_MASK, PVC_CCS2_CCS3_INTR_MASK, PVC_BCS1_BCS2_INTR_MASK,
	PVC_BCS3_BCS4_INTR_MASK, PVC_BCS5_BCS6_INTR_MASK, PVC_BCS7_BCS8_INTR_MASK,
};

/* The events of one unit; 0 if the unit does not tell them */
static u32 take_identity(struct xetile_tile *tile, unsigned int bank, unsigned int bit)
{
	const struct xetile_mmio *mmio = &tile->mmio;
	u32 identity;

	xetile_mmio_write(mmio, PVC_IIR_SELECTOR(bank), BIT(bit));
	/* Each read goes to the card and back, and the value whose valid bit is set is complete. */
	if (read_poll_timeout_atomic(xetile_mmio_read, identity, identity & PVC_INTR_VALID, 1,
				     IDENTITY_TIMEOUT_US, false, mmio, PVC_INTR_IDENTITY(bank))) {
		drm_err_ratelimited(&tile->xt->drm,
				    "tile%u: interrupt of unit %u.%u without identity\n",
				    tile->id, bank, bit);
		return 0;
	}
	if (PCI_POSSIBLE_ERROR(identity))
		return 0;
	xetile_mmio_write(mmio, PVC_INTR_IDENTITY(bank), identity);
	return identity;
}

static void note_event(struct xetile_tile *tile, u32 identity)
{
	unsigned int class = (identity & PVC_INTR_CLASS_MASK) >> PVC_INTR_CLASS_SHIFT;
	unsigned int instance = (identity & PVC_INTR_INSTANCE_MASK) >> PVC_INTR_INSTANCE_SHIFT;
	struct xetile_engine *engine = xetile_engine_find(tile, class, instance);
	struct xetile_irq *irq = tile->xt->irq;
	struct xetile_irq_event *event = irq->events;

	if (!engine) {
		drm_dbg(&tile->xt->drm, "tile%u: interrupt nobody wants: %#x\n", tile->id,
			identity);
		return;
	}
	/* Each engine has one place, because units of a card that lies may tell one identity. */
	while (event < irq->events + irq->num_events && event->engine != engine)
		event++;
	if (event == irq->events + irq->num_events) {
		*event = (struct xetile_irq_event) { .engine = engine };
		irq->num_events++;
	}
	event->vector |= identity & PVC_INTR_VECTOR_MASK;
}

static void tell_events(struct xetile_irq *irq)
{
	/* The listener comes with interrupts on already: acquire the data it uses. */
	xetile_irq_listener *listener = smp_load_acquire(&irq->listener);

	if (listener && irq->num_events)
		listener(irq->xt, irq->events, irq->num_events);
}

/* Acknowledge before anybody acts on the events: events from here on count anew. */
static void handle_bank(struct xetile_tile *tile, unsigned int bank)
{
	const struct xetile_mmio *mmio = &tile->mmio;
	u32 pending = xetile_mmio_read(mmio, PVC_GT_INTR_DW(bank)), rest;

	for (rest = pending; rest; rest &= rest - 1) {
		u32 identity = take_identity(tile, bank, __ffs(rest));

		if (identity)
			note_event(tile, identity);
	}
	xetile_mmio_write(mmio, PVC_GT_INTR_DW(bank), pending);
}

/*
 * The tile's summary shows a block until the block's own events are acknowledged. Each block can
 * queue a second event behind the first (xe: xe_irq.c).
 */
static void silence_block(const struct xetile_mmio *mmio, u32 base)
{
	xetile_mmio_write(mmio, PVC_IRQ_BLOCK_IMR(base), ALL_ONES);
	xetile_mmio_write(mmio, PVC_IRQ_BLOCK_IER(base), 0);
	xetile_mmio_write(mmio, PVC_IRQ_BLOCK_IIR(base), ALL_ONES);
	xetile_mmio_read(mmio, PVC_IRQ_BLOCK_IIR(base));
	xetile_mmio_write(mmio, PVC_IRQ_BLOCK_IIR(base), ALL_ONES);
}

static void silence_blocks(struct xetile_tile *tile, u32 master)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(blocks); i++)
		if (master & blocks[i].bit)
			silence_block(&tile->mmio, blocks[i].base);
}

/* Return: false when the card is gone. *@rest: it should not interrupt again at once. */
static bool handle_tile(struct xetile_tile *tile, bool *rest)
{
	const struct xetile_mmio *mmio = &tile->mmio;
	u32 master = xetile_mmio_read(mmio, PVC_GFX_MSTR_IRQ);
	unsigned int bank;

	if (PCI_POSSIBLE_ERROR(master))
		return false;
	/* Before the summary, which would show them again at once */
	if (unlikely(master & BLOCKS))
		silence_blocks(tile, master);
	xetile_mmio_write(mmio, PVC_GFX_MSTR_IRQ, master);

	if (unlikely(master & PVC_GFX_MSTR_ERRORS) && xetile_ras_handle(tile, master))
		*rest = true;
	for (bank = 0; bank < NUM_BANKS; bank++)
		if (master & PVC_GFX_MSTR_GT_DW(bank))
			handle_bank(tile, bank);
	return true;
}

static void open_root(struct xetile_device *xt)
{
	if (READ_ONCE(xt->irq->enabled))
		xetile_mmio_write(&xt->mmio, PVC_MSTR_TILE_INTR, PVC_MSTR_IRQ_ENABLE);
}

static void rest_ends(struct timer_list *timer)
{
	struct xetile_irq *irq = container_of(timer, struct xetile_irq, rest);

	open_root(irq->xt);
}

static irqreturn_t handler(int number, void *arg)
{
	struct xetile_device *xt = arg;
	struct xetile_irq *irq = xt->irq;
	struct xetile_tile *tile;
	bool rest = false;
	u32 root;

	irq->num_events = 0;
	xetile_mmio_write(&xt->mmio, PVC_MSTR_TILE_INTR, 0);
	root = xetile_mmio_read(&xt->mmio, PVC_MSTR_TILE_INTR);
	if (PCI_POSSIBLE_ERROR(root))
		goto err_gone;

	if (root) {
		xetile_mmio_write(&xt->mmio, PVC_MSTR_TILE_INTR, root);
		xetile_for_each_tile(tile, xt)
			if ((root & PVC_MSTR_TILE(tile->id)) && !handle_tile(tile, &rest))
				goto err_gone;
		tell_events(irq);
	}

	if (rest && READ_ONCE(irq->enabled))
		mod_timer(&irq->rest, jiffies + msecs_to_jiffies(REST_MS));
	else
		open_root(xt);
	return root ? IRQ_HANDLED : IRQ_NONE;

err_gone:
	/* What the tiles before told is acknowledged, and is not told again. */
	tell_events(irq);
	/* Nothing answers: leave the root closed. The dispatcher's next poll finds out as well. */
	if (!irq->gone)
		drm_err(&xt->drm, "interrupt registers read all ones: the card is gone\n");
	irq->gone = true;
	return IRQ_NONE;
}

static void mask_all(struct xetile_device *xt)
{
	struct xetile_tile *tile;
	unsigned int i;

	xetile_mmio_write(&xt->mmio, PVC_MSTR_TILE_INTR, 0);
	xetile_for_each_tile(tile, xt) {
		for (i = 0; i < ARRAY_SIZE(enable_regs); i++)
			xetile_mmio_write(&tile->mmio, enable_regs[i], 0);
		for (i = 0; i < ARRAY_SIZE(mask_regs); i++)
			xetile_mmio_write(&tile->mmio, mask_regs[i], ALL_ONES);
		silence_blocks(tile, ALL_ONES);
	}
	/* A read comes back after all posted writes have arrived. */
	xetile_mmio_read(&xt->mmio, PVC_MSTR_TILE_INTR);
}

/*
 * Interrupts that were pending before this driver came are not the driver's. A unit keeps its
 * events until its identity was taken: an old error would come with the unit's next interrupt.
 */
static void forget_pending(struct xetile_device *xt)
{
	struct xetile_tile *tile;
	unsigned int bank, bit;

	xetile_for_each_tile(tile, xt) {
		for (bank = 0; bank < NUM_BANKS; bank++) {
			unsigned long pending = xetile_mmio_read(&tile->mmio, PVC_GT_INTR_DW(bank));

			for_each_set_bit(bit, &pending, BITS_PER_TYPE(u32))
				take_identity(tile, bank, bit);
			xetile_mmio_write(&tile->mmio, PVC_GT_INTR_DW(bank), ALL_ONES);
		}
		xetile_mmio_write(&tile->mmio, PVC_GFX_MSTR_IRQ, ALL_ONES);
	}
}

static void irq_release(void *pdev)
{
	pci_free_irq_vectors(pdev);
}

/**
 * xetile_irq_init() - mask all interrupts of the card, and request its message
 * @xt: the card; its tiles are known
 *
 * Nothing is delivered before xetile_irq_enable(). The handler is freed when the device is
 * unbound.
 *
 * Context: process.
 * Return: 0, or the error for which there is no message or no handler.
 */
int xetile_irq_init(struct xetile_device *xt)
{
	struct pci_dev *pdev = to_pci_dev(xt->drm.dev);
	struct xetile_irq *irq;
	int err;

	irq = drmm_kzalloc(&xt->drm, sizeof(*irq), GFP_KERNEL);
	if (!irq)
		return -ENOMEM;
	irq->xt = xt;
	timer_setup(&irq->rest, rest_ends, 0);
	xt->irq = irq;
	err = xetile_ras_init(xt);
	if (err)
		return err;

	xetile_irq_forget(xt);

	err = pci_alloc_irq_vectors(pdev, 1, 1, PCI_IRQ_MSI);
	if (err < 0) {
		drm_err(&xt->drm, "no interrupt message: %d\n", err);
		return err;
	}
	err = devm_add_action_or_reset(&pdev->dev, irq_release, pdev);
	if (err)
		return err;

	irq->number = pci_irq_vector(pdev, 0);
	err = devm_request_irq(&pdev->dev, irq->number, handler, 0, "xetile", xt);
	if (err)
		drm_err(&xt->drm, "no handler for interrupt %d: %d\n", irq->number, err);
	return err;
}

/**
 * xetile_irq_forget() - mask and clear all interrupts of a card that has just got power
 * @xt: the card
 *
 * Nothing is delivered before xetile_irq_enable().
 *
 * Context: process.
 */
void xetile_irq_forget(struct xetile_device *xt)
{
	mask_all(xt);
	xetile_ras_forget(xt);
	forget_pending(xt);
}

/**
 * xetile_irq_enable() - let engines interrupt
 * @xt: the card
 *
 * May be repeated, for example when a reset lost the values that it writes.
 *
 * Context: any.
 */
void xetile_irq_enable(struct xetile_device *xt)
{
	struct xetile_tile *tile;
	unsigned int i;

	xetile_for_each_tile(tile, xt) {
		const struct xetile_mmio *mmio = &tile->mmio;

		xetile_mmio_write(mmio, PVC_RENDER_COPY_INTR_ENABLE, VECTORS_LOW);
		xetile_mmio_write(mmio, PVC_CCS_RSVD_INTR_ENABLE, VECTORS_HIGH);
		xetile_mmio_write(mmio, PVC_BCS_RSVD_INTR_MASK, ~VECTORS_HIGH);
		for (i = 0; i < ARRAY_SIZE(engine_pair_masks); i++)
			xetile_mmio_write(mmio, engine_pair_masks[i], ~VECTORS_BOTH);
	}
	WRITE_ONCE(xt->irq->enabled, true);
	xetile_mmio_write(&xt->mmio, PVC_MSTR_TILE_INTR, PVC_MSTR_IRQ_ENABLE);
}

/**
 * xetile_irq_disable() - no interrupt is delivered or handled from here on
 * @xt: the card
 *
 * Context: process; not from the listener.
 */
void xetile_irq_disable(struct xetile_device *xt)
{
	WRITE_ONCE(xt->irq->enabled, false);
	/*
	 * A handler or a timer that saw enabled as true may still open the root: wait for them,
	 * then close the root.
	 */
	synchronize_irq(xt->irq->number);
	timer_delete_sync(&xt->irq->rest);
	mask_all(xt);
	synchronize_irq(xt->irq->number);
	/* A handler that came between may have started it again; nothing may outlive the card. */
	timer_delete_sync(&xt->irq->rest);
}

/**
 * xetile_irq_listen() - have a function told what the engines report
 * @xt: the card
 * @listener: the function; all that it uses is there
 *
 * Context: any.
 */
void xetile_irq_listen(struct xetile_device *xt, xetile_irq_listener *listener)
{
	/* Pairs with the handler's acquire. */
	smp_store_release(&xt->irq->listener, listener);
}

/**
 * xetile_irq_unlisten() - nobody listens to the engines any more
 * @xt: the card
 *
 * On return the function of xetile_irq_listen() has ended.
 *
 * Context: process.
 */
void xetile_irq_unlisten(struct xetile_device *xt)
{
	WRITE_ONCE(xt->irq->listener, NULL);
	synchronize_irq(xt->irq->number);
}
