// SPDX-License-Identifier: MIT
/*
 * The interrupt tree.  Engines raise interrupts on their threads, the host thread reads
 * and acknowledges them by registers; irq_root.lock covers both.
 *
 * A unit's vector bits gather in irq_unit.pending until the guest writes their identity
 * back.  Two levels above are latched: the unit's bit in GT_INTR_DW and the bank's bit in
 * GFX_MSTR_IRQ.  Writing 1 clears either; a bit of GT_INTR_DW is set again at once if its
 * unit still has a pending bit.  The root shows a tile while its GFX_MSTR_IRQ is not zero.
 * The bit of a block without units (GU_MISC, PCU) is set again as long as the block has an event
 * that is enabled.
 * The message is an edge: it is sent when "enabled and some tile pending" becomes true,
 * so also when the driver enables interrupts while something is pending.
 */
#include "core/irq.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bus/pci.h"
#include "card.h"
#include "core/regs.h"
#include "core/strict.h"
#include "log.h"
#include "pvc_engine_regs.h"
#include "pvc_irq_regs.h"

#define BANKS	2

struct irq_unit {
	uint32_t pending;		/* vector bits */
	uint32_t again;			/* bits that are pending once more after the next ack */
	uint32_t ident;			/* class and instance in their fields */
};

struct irq_tree {
	struct irq_unit unit[BANKS][32];
	uint32_t dw[BANKS];		/* GT_INTR_DW */
	uint32_t selected[BANKS];	/* bit of IIR_SELECTOR */
	uint32_t identity[BANKS];	/* INTR_IDENTITY */
	uint32_t mstr;			/* GFX_MSTR_IRQ */
	uint32_t held;			/* bits of it that cannot be acknowledged */
};

struct irq_root {
	irq_filter_fn *filter;
	pthread_mutex_t lock;		/* the trees, enabled, level */
	bool enabled;
	bool level;			/* of the message, for its edge */
	struct irq_tree tree[PVC_MAX_TILES];
};

int irq_init(struct card *c, irq_filter_fn *filter)
{
	c->irq = calloc(1, sizeof(*c->irq));
	if (!c->irq)
		return -ENOMEM;
	c->irq->filter = filter;
	pthread_mutex_init(&c->irq->lock, NULL);
	for (unsigned int i = 0; i < c->num_tiles; i++)
		c->tiles[i].irq = &c->irq->tree[i];
	return 0;
}

void irq_fini(struct card *c)
{
	if (!c->irq)
		return;
	pthread_mutex_destroy(&c->irq->lock);
	free(c->irq);
}

void irq_reset(struct card *c)
{
	struct irq_root *r = c->irq;

	pthread_mutex_lock(&r->lock);
	r->enabled = false;
	r->level = false;
	memset(r->tree, 0, sizeof(r->tree));
	pthread_mutex_unlock(&r->lock);
}

static uint32_t tiles_pending(struct card *c)
{
	uint32_t mask = 0;

	for (unsigned int i = 0; i < c->num_tiles; i++)
		if (c->irq->tree[i].mstr)
			mask |= PVC_MSTR_TILE(i);
	return mask;
}

/* Send the message on the rising edge; lock held. */
static void update_message(struct card *c)
{
	struct irq_root *r = c->irq;
	bool level = r->enabled && tiles_pending(c);

	if (level && !r->level)
		pci_send_msi(c);
	r->level = level;
}

static void set_unit(struct irq_tree *tree, unsigned int bank, unsigned int bit)
{
	tree->dw[bank] |= 1u << bit;
	tree->mstr |= PVC_GFX_MSTR_GT_DW(bank);
}

/* The vector bits this class may raise: half of an enable register. */
static uint32_t enabled_vectors(struct tile *t, unsigned int class)
{
	switch (class) {
	case PVC_CLASS_CCS:
		return reg_read(t, PVC_CCS_RSVD_INTR_ENABLE) >> 16;
	case PVC_CLASS_BCS:
		return reg_read(t, PVC_RENDER_COPY_INTR_ENABLE) & 0xffff;
	default:
		return 0;
	}
}

/*
 * Vector bits that the instance's mask register holds back.  Two instances share a
 * register, and no source says which half belongs to which: a bit counts as masked when
 * both halves mask it.
 */
static uint32_t masked_vectors(struct tile *t, unsigned int class, unsigned int instance)
{
	uint32_t v;

	if (class == PVC_CLASS_BCS && instance == 0)
		return reg_read(t, PVC_BCS_RSVD_INTR_MASK) >> 16;
	if (class == PVC_CLASS_BCS)
		v = reg_read(t, PVC_BCS1_BCS2_INTR_MASK + 4 * ((instance - 1) / 2));
	else
		v = reg_read(t, PVC_CCS0_CCS1_INTR_MASK + 4 * (instance / 2));
	return v & (v >> 16);
}

static struct engine *find_engine(struct tile *t, unsigned int class, unsigned int instance)
{
	for (unsigned int n = 0; n < TILE_MAX_ENGINES; n++)
		if (t->engines[n].class == class && t->engines[n].instance == instance)
			return &t->engines[n];
	return NULL;
}

void irq_raise(struct tile *t, unsigned int class, unsigned int instance, uint32_t vector)
{
	struct engine *e = find_engine(t, class, instance);
	uint32_t again;

	if (!e) {
		vlog("unimplemented: interrupt of class %d instance %u", class, instance);
		return;
	}
	vector &= enabled_vectors(t, class) & ~masked_vectors(t, class, instance);
	if (vector)
		vector = t->card->irq->filter(e, vector, &again);
	if (vector)
		irq_deliver(t, class, instance, vector, again);
}

void irq_deliver(struct tile *t, unsigned int class, unsigned int instance,
		 uint32_t vector, uint32_t again)
{
	struct irq_root *r = t->card->irq;
	struct irq_tree *tree = t->irq;
	unsigned int bit;

	bit = (unsigned int)__builtin_ctz(class == PVC_CLASS_CCS ? PVC_GT_INTR0_CCS(instance) :
					  PVC_GT_INTR0_BCS(instance));

	/* The lock orders the caller's stores before the guest's reads. */
	pthread_mutex_lock(&r->lock);
	tree->unit[0][bit].pending |= vector;
	tree->unit[0][bit].again |= again;
	tree->unit[0][bit].ident = (uint32_t)class << PVC_INTR_CLASS_SHIFT |
				   instance << PVC_INTR_INSTANCE_SHIFT;
	set_unit(tree, 0, bit);
	update_message(t->card);
	pthread_mutex_unlock(&r->lock);
}

void irq_raise_error(struct tile *t, uint32_t bits)
{
	struct irq_root *r = t->card->irq;

	pthread_mutex_lock(&r->lock);
	t->irq->mstr |= bits;
	update_message(t->card);
	pthread_mutex_unlock(&r->lock);
}

void irq_hold_errors(struct tile *t, uint32_t bits)
{
	struct irq_root *r = t->card->irq;

	pthread_mutex_lock(&r->lock);
	t->irq->held = bits;
	t->irq->mstr |= bits;
	update_message(t->card);
	pthread_mutex_unlock(&r->lock);
}

/* The events of a block reach the tile's summary while they are enabled and not acknowledged. */
static const struct {
	uint32_t base, bit, event;
} blocks[] = {
	{ PVC_GU_MISC_IRQ_BASE, PVC_GFX_MSTR_GU_MISC, PVC_GU_MISC_GSE },
	{ PVC_PCU_IRQ_BASE, PVC_GFX_MSTR_PCU, 1 },
};

#define NUM_BLOCKS	(sizeof(blocks) / sizeof(blocks[0]))

/* Lock held. */
static void show_blocks(struct tile *t)
{
	for (unsigned int i = 0; i < NUM_BLOCKS; i++)
		if (reg_read(t, PVC_IRQ_BLOCK_IIR(blocks[i].base)) &
		    reg_read(t, PVC_IRQ_BLOCK_IER(blocks[i].base)))
			t->irq->mstr |= blocks[i].bit;
}

static bool is_block_status(uint32_t off)
{
	for (unsigned int i = 0; i < NUM_BLOCKS; i++)
		if (off == PVC_IRQ_BLOCK_IIR(blocks[i].base))
			return true;
	return false;
}

void irq_block_write(struct tile *t, uint32_t off, uint32_t val)
{
	struct irq_root *r = t->card->irq;

	pthread_mutex_lock(&r->lock);
	if (is_block_status(off))
		reg_clear(t, off, val);
	else
		reg_write(t, off, val);
	show_blocks(t);
	update_message(t->card);
	pthread_mutex_unlock(&r->lock);
}

void irq_block_reset(struct tile *t)
{
	struct irq_root *r = t->card->irq;

	if (!card_punishes(t->card, STRICT_IRQ_BLOCKS))
		return;
	pthread_mutex_lock(&r->lock);
	for (unsigned int i = 0; i < NUM_BLOCKS; i++) {
		reg_write(t, PVC_IRQ_BLOCK_IER(blocks[i].base), blocks[i].event);
		reg_write(t, PVC_IRQ_BLOCK_IIR(blocks[i].base), blocks[i].event);
	}
	show_blocks(t);
	pthread_mutex_unlock(&r->lock);
}

static void write_root(struct card *c, uint32_t val)
{
	/* The tile bits follow the tiles' state, so acknowledging them changes nothing. */
	c->irq->enabled = val & PVC_MSTR_IRQ_ENABLE;
}

static void write_dw(struct irq_tree *tree, unsigned int bank, uint32_t val)
{
	tree->dw[bank] &= ~val;
	for (unsigned int bit = 0; bit < 32; bit++)
		if ((val & (1u << bit)) && tree->unit[bank][bit].pending)
			set_unit(tree, bank, bit);
}

static void write_selector(struct tile *t, unsigned int bank, uint32_t val)
{
	struct irq_tree *tree = t->irq;
	struct irq_unit *u;

	tree->selected[bank] = val;
	tree->identity[bank] = 0;
	if (!val)
		return;
	if (val & (val - 1)) {
		vlog("guest error: 0x%08x selects several interrupt units", val);
		return;
	}
	u = &tree->unit[bank][__builtin_ctz(val)];
	if (!u->pending)
		return;
	tree->identity[bank] = PVC_INTR_VALID | u->ident | u->pending;
	counter_add(&t->cnt.irq_idents, 1);
}

static void write_identity(struct irq_tree *tree, unsigned int bank, uint32_t val)
{
	uint32_t shown = tree->identity[bank] & PVC_INTR_VECTOR_MASK;
	struct irq_unit *u;

	if (!(val & tree->identity[bank] & PVC_INTR_VALID))
		return;
	u = &tree->unit[bank][__builtin_ctz(tree->selected[bank])];
	/* Only the bits that were shown: bits raised since then stay pending. */
	u->pending = (u->pending & ~shown) | (u->again & shown);
	u->again &= ~shown;
	tree->identity[bank] = 0;
}

uint32_t irq_mmio_read(struct tile *t, uint32_t off)
{
	struct irq_root *r = t->card->irq;
	unsigned int bank = off / 4 % BANKS;
	uint32_t val = 0;

	pthread_mutex_lock(&r->lock);
	switch (off) {
	case PVC_MSTR_TILE_INTR:
		val = tiles_pending(t->card) | (r->enabled ? PVC_MSTR_IRQ_ENABLE : 0);
		break;
	case PVC_GFX_MSTR_IRQ:
		val = t->irq->mstr;
		break;
	case PVC_GT_INTR_DW(0):
	case PVC_GT_INTR_DW(1):
		val = t->irq->dw[bank];
		break;
	case PVC_INTR_IDENTITY(0):
	case PVC_INTR_IDENTITY(1):
		val = t->irq->identity[bank];
		break;
	case PVC_IIR_SELECTOR(0):
	case PVC_IIR_SELECTOR(1):
		val = t->irq->selected[bank];
		break;
	}
	pthread_mutex_unlock(&r->lock);
	return val;
}

void irq_mmio_write(struct tile *t, uint32_t off, uint32_t val)
{
	struct irq_root *r = t->card->irq;
	unsigned int bank = off / 4 % BANKS;

	pthread_mutex_lock(&r->lock);
	switch (off) {
	case PVC_MSTR_TILE_INTR:
		write_root(t->card, val);
		break;
	case PVC_GFX_MSTR_IRQ:
		t->irq->mstr = (t->irq->mstr & ~val) | t->irq->held;
		show_blocks(t);
		break;
	case PVC_GT_INTR_DW(0):
	case PVC_GT_INTR_DW(1):
		write_dw(t->irq, bank, val);
		break;
	case PVC_INTR_IDENTITY(0):
	case PVC_INTR_IDENTITY(1):
		write_identity(t->irq, bank, val);
		break;
	case PVC_IIR_SELECTOR(0):
	case PVC_IIR_SELECTOR(1):
		write_selector(t, bank, val);
		break;
	}
	update_message(t->card);
	pthread_mutex_unlock(&r->lock);
}
