// SPDX-License-Identifier: MIT
/* The interrupt tree, step by step as a driver walks it. */
#include <sys/eventfd.h>
#include <unistd.h>

#include "bus/pci.h"
#include "card.h"
#include "card/life.h"
#include "core/irq.h"
#include "core/regs.h"
#include "pvc_irq_regs.h"
#include "tests/test.h"

static uint64_t take_events(int fd)
{
	uint64_t n;

	return read(fd, &n, sizeof(n)) == sizeof(n) ? n : 0;
}

struct fixture {
	struct card *c;
	struct tile *root;
	int fd;
};

static struct fixture start(unsigned int tiles)
{
	struct fixture f = { .c = test_card(tiles, 0) };

	f.root = &f.c->tiles[0];
	f.fd = eventfd(0, EFD_NONBLOCK);
	pci_set_msi(f.c, f.fd);
	test_irq_enable(f.c);
	return f;
}

/* Select, read, acknowledge: the identity. */
static uint32_t identity(struct tile *t, unsigned int bit)
{
	uint32_t id;

	mmio_write(t, PVC_IIR_SELECTOR(0), 1u << bit);
	id = mmio_read(t, PVC_INTR_IDENTITY(0));
	mmio_write(t, PVC_INTR_IDENTITY(0), id);
	return id;
}

TEST(irq_full_sequence)
{
	struct fixture f = start(2);
	struct tile *t = &f.c->tiles[1];
	uint32_t v;

	irq_raise(t, PVC_CLASS_CCS, 2, PVC_VEC_USER | PVC_VEC_CONTEXT_SWITCH);
	CHECK_EQ(take_events(f.fd), 1);
	mmio_write(f.root, PVC_MSTR_TILE_INTR, 0);
	v = mmio_read(f.root, PVC_MSTR_TILE_INTR);
	CHECK_EQ(v, PVC_MSTR_TILE(1));
	mmio_write(f.root, PVC_MSTR_TILE_INTR, v);
	CHECK_EQ(mmio_read(&f.c->tiles[0], PVC_GFX_MSTR_IRQ), 0);
	v = mmio_read(t, PVC_GFX_MSTR_IRQ);
	CHECK_EQ(v, PVC_GFX_MSTR_GT_DW(0));
	mmio_write(t, PVC_GFX_MSTR_IRQ, v);
	v = mmio_read(t, PVC_GT_INTR_DW(0));
	CHECK_EQ(v, PVC_GT_INTR0_CCS(2));
	CHECK_EQ(identity(t, 6), PVC_INTR_VALID | 5 << 16 | 2 << 20 | 0x101);
	mmio_write(t, PVC_GT_INTR_DW(0), v);
	CHECK_EQ(mmio_read(t, PVC_GT_INTR_DW(0)), 0);
	CHECK_EQ(mmio_read(t, PVC_GFX_MSTR_IRQ), 0);
	mmio_write(f.root, PVC_MSTR_TILE_INTR, PVC_MSTR_IRQ_ENABLE);
	CHECK_EQ(take_events(f.fd), 0);
	/* nothing is pending */
	CHECK_EQ(identity(t, 6), 0);
	test_card_free(f.c);
}

TEST(irq_edge_while_disabled)
{
	struct fixture f = start(1);

	mmio_write(f.root, PVC_MSTR_TILE_INTR, 0);
	irq_raise(f.root, PVC_CLASS_BCS, 8, PVC_VEC_USER);
	CHECK_EQ(take_events(f.fd), 0);
	mmio_write(f.root, PVC_MSTR_TILE_INTR, PVC_MSTR_IRQ_ENABLE);
	CHECK_EQ(take_events(f.fd), 1);
	/* a level that stays gives no second message */
	irq_raise(f.root, PVC_CLASS_BCS, 8, PVC_VEC_USER);
	irq_raise(f.root, PVC_CLASS_BCS, 0, PVC_VEC_USER);
	CHECK_EQ(take_events(f.fd), 0);
	CHECK_EQ(mmio_read(f.root, PVC_GT_INTR_DW(0)), PVC_GT_INTR0_BCS(8) | PVC_GT_INTR0_BCS(0));
	test_card_free(f.c);
}

TEST(irq_new_vector_during_handling)
{
	struct fixture f = start(1);
	struct tile *t = f.root;

	irq_raise(t, PVC_CLASS_BCS, 1, PVC_VEC_USER);
	take_events(f.fd);
	mmio_write(t, PVC_MSTR_TILE_INTR, 0);
	mmio_write(t, PVC_GFX_MSTR_IRQ, mmio_read(t, PVC_GFX_MSTR_IRQ));
	CHECK_EQ(identity(t, 14) & PVC_INTR_VECTOR_MASK, PVC_VEC_USER);
	/* after the identity, before the bit is cleared */
	irq_raise(t, PVC_CLASS_BCS, 1, PVC_VEC_CONTEXT_SWITCH);
	mmio_write(t, PVC_GT_INTR_DW(0), PVC_GT_INTR0_BCS(1));
	CHECK_EQ(mmio_read(t, PVC_GT_INTR_DW(0)), PVC_GT_INTR0_BCS(1));
	CHECK_EQ(mmio_read(t, PVC_GFX_MSTR_IRQ), PVC_GFX_MSTR_GT_DW(0));
	mmio_write(t, PVC_MSTR_TILE_INTR, PVC_MSTR_IRQ_ENABLE);
	CHECK_EQ(take_events(f.fd), 1);
	CHECK_EQ(identity(t, 14) & PVC_INTR_VECTOR_MASK, PVC_VEC_CONTEXT_SWITCH);
	test_card_free(f.c);
}

TEST(irq_vector_between_show_and_ack)
{
	struct fixture f = start(1);
	struct tile *t = f.root;
	uint32_t id;

	irq_raise(t, PVC_CLASS_CCS, 0, PVC_VEC_USER);
	mmio_write(t, PVC_IIR_SELECTOR(0), PVC_GT_INTR0_CCS(0));
	id = mmio_read(t, PVC_INTR_IDENTITY(0));
	irq_raise(t, PVC_CLASS_CCS, 0, PVC_VEC_NOTIFY);
	CHECK_EQ(mmio_read(t, PVC_INTR_IDENTITY(0)), id);
	mmio_write(t, PVC_INTR_IDENTITY(0), id);
	CHECK_EQ(mmio_read(t, PVC_INTR_IDENTITY(0)), 0);
	/* shown by the next selection only */
	CHECK_EQ(identity(t, 4) & PVC_INTR_VECTOR_MASK, PVC_VEC_NOTIFY);
	test_card_free(f.c);
}

TEST(irq_unacknowledged_comes_back)
{
	struct fixture f = start(1);
	struct tile *t = f.root;

	irq_raise(t, PVC_CLASS_CCS, 1, PVC_VEC_USER);
	take_events(f.fd);
	mmio_write(t, PVC_MSTR_TILE_INTR, 0);
	mmio_write(t, PVC_GFX_MSTR_IRQ, ~0u);
	/* clears the bit without looking at the identity */
	mmio_write(t, PVC_GT_INTR_DW(0), ~0u);
	mmio_write(t, PVC_MSTR_TILE_INTR, PVC_MSTR_IRQ_ENABLE);
	CHECK_EQ(take_events(f.fd), 1);
	test_card_free(f.c);
}

TEST(irq_enables_and_masks)
{
	struct fixture f = start(1);
	struct tile *t = f.root;

	mmio_write(t, PVC_CCS_RSVD_INTR_ENABLE, 0x0909u << 16);
	irq_raise(t, PVC_CLASS_CCS, 0, PVC_VEC_NOTIFY);
	CHECK_EQ(mmio_read(t, PVC_GT_INTR_DW(0)), 0);
	irq_raise(t, PVC_CLASS_CCS, 0, PVC_VEC_NOTIFY | PVC_VEC_USER);
	CHECK_EQ(identity(t, 4) & PVC_INTR_VECTOR_MASK, PVC_VEC_USER);
	mmio_write(t, PVC_GT_INTR_DW(0), ~0u);

	/* a pair's register masks the bits that both halves mask */
	mmio_write(t, PVC_BCS3_BCS4_INTR_MASK, ~0x09090909u);
	irq_raise(t, PVC_CLASS_BCS, 4, PVC_VEC_NOTIFY);
	CHECK_EQ(mmio_read(t, PVC_GT_INTR_DW(0)), 0);
	irq_raise(t, PVC_CLASS_BCS, 4, PVC_VEC_CONTEXT_SWITCH);
	CHECK_EQ(mmio_read(t, PVC_GT_INTR_DW(0)), PVC_GT_INTR0_BCS(4));
	mmio_write(t, PVC_BCS_RSVD_INTR_MASK, ~(0x0909u << 16));
	irq_raise(t, PVC_CLASS_BCS, 0, PVC_VEC_NOTIFY);
	CHECK_EQ(mmio_read(t, PVC_GT_INTR_DW(0)), PVC_GT_INTR0_BCS(4));
	test_card_free(f.c);
}

TEST(irq_reset_is_silent)
{
	struct fixture f = start(2);

	irq_raise(&f.c->tiles[1], PVC_CLASS_BCS, 2, PVC_VEC_USER);
	take_events(f.fd);
	card_reset(f.c);
	CHECK_EQ(take_events(f.fd), 0);
	test_quiet(f.c);
	CHECK_EQ(mmio_read(f.root, PVC_MSTR_TILE_INTR), 0);
	CHECK_EQ(mmio_read(&f.c->tiles[1], PVC_GFX_MSTR_IRQ), 0);
	CHECK_EQ(mmio_read(&f.c->tiles[1], PVC_CCS_RSVD_INTR_ENABLE), 0);
	CHECK_EQ(mmio_read(&f.c->tiles[1], PVC_CCS0_CCS1_INTR_MASK), ~0u);
	irq_raise(&f.c->tiles[1], PVC_CLASS_BCS, 2, PVC_VEC_USER);
	CHECK_EQ(take_events(f.fd), 0);
	/* and comes up again */
	test_irq_enable(f.c);
	irq_raise(&f.c->tiles[1], PVC_CLASS_BCS, 2, PVC_VEC_USER);
	CHECK_EQ(take_events(f.fd), 1);
	test_card_free(f.c);
}

TEST(irq_needs_bus_master)
{
	struct fixture f = start(1);
	const uint16_t off = 0x2;
	uint64_t before = counter_get(&f.c->msis);

	pci_config_write(f.c, 4, &off, sizeof(off));
	irq_raise(f.root, PVC_CLASS_CCS, 0, PVC_VEC_USER);
	CHECK_EQ(take_events(f.fd), 0);
	CHECK_EQ(counter_get(&f.c->msis), before);
	test_card_free(f.c);
}

TEST(irq_bad_selector)
{
	struct fixture f = start(1);

	irq_raise(f.root, PVC_CLASS_CCS, 0, PVC_VEC_USER);
	mmio_write(f.root, PVC_IIR_SELECTOR(0), 0x30);
	CHECK_EQ(mmio_read(f.root, PVC_INTR_IDENTITY(0)), 0);
	mmio_write(f.root, PVC_INTR_IDENTITY(0), ~0u);
	mmio_write(f.root, PVC_IIR_SELECTOR(0), 0);
	mmio_write(f.root, PVC_INTR_IDENTITY(0), ~0u);
	CHECK_EQ(identity(f.root, 4) & PVC_INTR_VECTOR_MASK, PVC_VEC_USER);
	test_card_free(f.c);
}
