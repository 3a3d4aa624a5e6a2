// SPDX-License-Identifier: MIT
/* Config space: values, writable bits, function level reset. */
#include <linux/pci_regs.h>

#include "bus/dma.h"
#include "bus/pci.h"
#include "card.h"
#include "core/regs.h"
#include "mem/memory.h"
#include "tests/test.h"

static uint32_t rd(struct card *c, uint32_t off, uint32_t bytes)
{
	uint32_t v = 0;

	pci_config_read(c, off, &v, bytes);
	return v;
}

static void wr(struct card *c, uint32_t off, uint32_t v, uint32_t bytes)
{
	pci_config_write(c, off, &v, bytes);
}

static uint32_t find_cap(struct card *c, uint8_t id)
{
	uint32_t at = rd(c, PCI_CAPABILITY_LIST, 1);

	for (unsigned int n = 0; at && n < 48; n++) {
		if (rd(c, at, 1) == id)
			return at;
		at = rd(c, at + 1, 1);
	}
	return 0;
}

TEST(pci_identity)
{
	struct card *c = test_card(1, 0);

	CHECK_EQ(rd(c, 0, 4), 0x0bd58086);
	CHECK_EQ(rd(c, PCI_CLASS_REVISION, 4), 0x0380002f);
	CHECK_EQ(rd(c, PCI_HEADER_TYPE, 1), 0);
	CHECK_EQ(rd(c, PCI_INTERRUPT_PIN, 1), 0);
	CHECK_EQ(rd(c, 0x50, 2), 0x00c0);
	CHECK_EQ(rd(c, 0x100, 4), 0);
	CHECK(find_cap(c, PCI_CAP_ID_EXP));
	CHECK(find_cap(c, PCI_CAP_ID_MSI));
	CHECK(find_cap(c, PCI_CAP_ID_PM));
	CHECK(!find_cap(c, PCI_CAP_ID_MSIX));
	/* one message, 64-bit address */
	CHECK_EQ(rd(c, find_cap(c, PCI_CAP_ID_MSI) + PCI_MSI_FLAGS, 2), PCI_MSI_FLAGS_64BIT);
	wr(c, 0, 0xffffffff, 4);
	wr(c, PCI_CLASS_REVISION, 0xffffffff, 4);
	wr(c, 0x50, 0xffff, 2);
	CHECK_EQ(rd(c, 0, 4), 0x0bd58086);
	CHECK_EQ(rd(c, 0x50, 2), 0x00c0);
	test_card_free(c);
}

TEST(pci_bars)
{
	struct card *c = test_card(2, 0);

	for (uint32_t off = PCI_BASE_ADDRESS_0; off <= PCI_BASE_ADDRESS_5; off += 4)
		wr(c, off, 0xffffffff, 4);
	CHECK_EQ(rd(c, PCI_BASE_ADDRESS_0, 4), 0xfe000004);	/* 32 MiB, 64-bit */
	CHECK_EQ(rd(c, PCI_BASE_ADDRESS_1, 4), 0xffffffff);
	CHECK_EQ(rd(c, PCI_BASE_ADDRESS_2, 4), 0x8000000c);	/* 2 GiB, prefetchable */
	CHECK_EQ(rd(c, PCI_BASE_ADDRESS_3, 4), 0xffffffff);
	CHECK_EQ(rd(c, PCI_BASE_ADDRESS_4, 4), 0);
	CHECK_EQ(rd(c, PCI_ROM_ADDRESS, 4), 0);
	test_card_free(c);
}

TEST(pci_bar2_is_a_power_of_two)
{
	const struct card_options opt = {
		.tiles = 2, .hbm = 3ull << 30, .cslices = 0xf, .device_id = 0x0bd9,
	};
	struct card *c = test_card_full(&opt, 0);

	wr(c, PCI_BASE_ADDRESS_2, 0xffffffff, 4);
	wr(c, PCI_BASE_ADDRESS_3, 0xffffffff, 4);
	CHECK_EQ(rd(c, PCI_BASE_ADDRESS_2, 4), 0xc);
	CHECK_EQ(rd(c, PCI_BASE_ADDRESS_3, 4), 0xfffffffe);	/* 8 GiB */
	CHECK_EQ(rd(c, 2, 2), 0x0bd9);
	/* HBM ends before the BAR does */
	CHECK(card_dpa(c, (6ull << 30) - 8, 8));
	CHECK(!card_dpa(c, (6ull << 30) - 4, 8));
	CHECK(!card_dpa(c, ~0ull, 8));
	test_card_free(c);
}

TEST(pci_window)
{
	struct card *c = test_card_full(TEST_OPTIONS(1, .window = 64 << 20), 0);

	wr(c, PCI_BASE_ADDRESS_2, 0xffffffff, 4);
	CHECK_EQ(rd(c, PCI_BASE_ADDRESS_2, 4), 0xfc00000c);
	/* the card itself reaches all HBM */
	CHECK(card_dpa(c, (1ull << 30) - 8, 8));
	test_card_free(c);
}

static void check_bar2(struct card *c, uint64_t size)
{
	wr(c, PCI_BASE_ADDRESS_2, 0xffffffff, 4);
	wr(c, PCI_BASE_ADDRESS_3, 0xffffffff, 4);
	CHECK_EQ(rd(c, PCI_BASE_ADDRESS_2, 4), ((uint32_t)-size & ~0xfu) | 0xc);
	CHECK_EQ(rd(c, PCI_BASE_ADDRESS_3, 4), -size >> 32);
}

TEST(pci_resizable_window)
{
	const uint32_t cap = 0x100, ctrl = cap + PCI_REBAR_CTRL;
	struct card *c = test_card_full(TEST_OPTIONS(1, .window = 256 << 20, .resizable = true), 0);

	CHECK_EQ(rd(c, cap, 4), PCI_EXT_CAP_ID_REBAR | 1 << 16);
	/* 256 MiB, 512 MiB, 1 GiB */
	CHECK_EQ(rd(c, cap + PCI_REBAR_CAP, 4), 7 << 12);
	CHECK_EQ(rd(c, ctrl, 4), 8 << PCI_REBAR_CTRL_BAR_SHIFT |
		 1 << PCI_REBAR_CTRL_NBAR_SHIFT | 2);
	check_bar2(c, 256 << 20);
	wr(c, ctrl, 10 << PCI_REBAR_CTRL_BAR_SHIFT, 4);
	CHECK_EQ(c->bar2_size, 1 << 30);
	CHECK_EQ(rd(c, PCI_BASE_ADDRESS_2, 4), 0xc);
	check_bar2(c, 1 << 30);
	/* sizes that are not offered change nothing */
	wr(c, ctrl, 11 << PCI_REBAR_CTRL_BAR_SHIFT, 4);
	wr(c, ctrl, 7 << PCI_REBAR_CTRL_BAR_SHIFT, 4);
	CHECK_EQ(c->bar2_size, 1 << 30);
	pci_reset(c);
	CHECK_EQ(rd(c, cap + PCI_REBAR_CAP, 4), 7 << 12);
	check_bar2(c, 256 << 20);
	test_card_free(c);
}

TEST(pci_early_stepping)
{
	struct card *c = test_card_full(TEST_OPTIONS(1, .quirk_early = true), 0);

	CHECK_EQ(rd(c, PCI_REVISION_ID, 1), 0x2d);
	test_card_free(c);
}

TEST(pci_small_ggtt)
{
	struct card *c = test_card_full(TEST_OPTIONS(1, .quirk_small_ggtt = true), 0);

	CHECK_EQ(rd(c, PVC_PCI_GMCH_CTRL, 2), 2 << PVC_GMCH_CTRL_GGMS_SHIFT);
	test_card_free(c);
}

TEST(pci_command)
{
	struct card *c = test_card(1, 0);

	wr(c, PCI_COMMAND, 0xffff, 2);
	CHECK_EQ(rd(c, PCI_COMMAND, 2), PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER |
		 PCI_COMMAND_PARITY | PCI_COMMAND_SERR | PCI_COMMAND_INTX_DISABLE);
	CHECK(dma_bus_master(c));
	wr(c, PCI_COMMAND, PCI_COMMAND_MEMORY, 1);
	CHECK(!dma_bus_master(c));
	test_card_free(c);
}

TEST(pci_flr)
{
	struct card *c = test_card(1, 0);
	uint32_t exp = find_cap(c, PCI_CAP_ID_EXP);

	CHECK(rd(c, exp + PCI_EXP_DEVCAP, 4) & PCI_EXP_DEVCAP_FLR);
	mmio_write(&c->tiles[0], 0x123450, 1);
	wr(c, PCI_BASE_ADDRESS_0, 0xe0000000, 4);
	/* without the bit nothing happens */
	wr(c, exp + PCI_EXP_DEVCTL, 0x2810, 2);
	CHECK_EQ(reg_read(&c->tiles[0], 0x123450), 1);
	CHECK_EQ(rd(c, exp + PCI_EXP_DEVCTL, 2), 0x2810);
	wr(c, exp + PCI_EXP_DEVCTL, 0x2810 | PCI_EXP_DEVCTL_BCR_FLR, 2);
	CHECK_EQ(reg_read(&c->tiles[0], 0x123450), 0);
	CHECK_EQ(rd(c, PCI_BASE_ADDRESS_0, 4), 4);
	CHECK_EQ(rd(c, PCI_COMMAND, 2), 0);
	CHECK(!dma_bus_master(c));
	CHECK_EQ(rd(c, exp + PCI_EXP_DEVCTL, 2) & PCI_EXP_DEVCTL_BCR_FLR, 0);
	test_card_free(c);
}

TEST(pci_power_state)
{
	struct card *c = test_card(1, 0);
	uint32_t pm = find_cap(c, PCI_CAP_ID_PM);

	wr(c, PCI_COMMAND, PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER, 2);
	mmio_write(&c->tiles[0], 0x123450, 1);
	c->tiles[0].ggtt[5] = 7;
	c->hbm[0x100000] = 8;
	wr(c, pm + PCI_PM_CTRL, 3, 2);
	CHECK_EQ(rd(c, pm + PCI_PM_CTRL, 2), 3);
	CHECK(!pci_answers(c));
	CHECK(!dma_bus_master(c));
	/* in D3hot bus mastering stays off, and memory keeps its content */
	wr(c, PCI_COMMAND, PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER, 2);
	CHECK(!dma_bus_master(c));
	CHECK_EQ(c->hbm[0x100000], 8);
	/* out of D3hot all state is lost */
	wr(c, pm + PCI_PM_CTRL, 0, 2);
	CHECK_EQ(rd(c, pm + PCI_PM_CTRL, 2), 0);
	CHECK(pci_answers(c));
	CHECK_EQ(rd(c, PCI_COMMAND, 2), 0);
	CHECK_EQ(reg_read(&c->tiles[0], 0x123450), 0);
	CHECK_EQ(c->tiles[0].ggtt[5], 0);
	CHECK_EQ(c->hbm[0x100000], 0);
	test_card_free(c);
}
