// SPDX-License-Identifier: MIT
/*
 * The size of BAR2, by a card that offers several and buses that have room for some. No guest can
 * show this: QEMU tells its guest of the present size alone (Documentation/gpu/xetile/silicon.rst).
 */
#include "check.h"

#include "regs/pvc_pci_regs.h"
#include "card/xetile_rebar.h"

#define MIB(n)		((u64)(n) << 20)
#define COMMAND		0x0406	/* memory, bus master, no INTx */

/* A card and the buses above it */
struct pci_dev {
	u64 sizes;		/* bit n: 2^n MiB; 0: BAR2 cannot be resized */
	u64 size;		/* of BAR2 now */
	u64 room;		/* the largest BAR2 that the bridges hold */
	u16 command;
	unsigned int tries, writes;
	u64 last;		/* the size of the last try */
};

u64 pci_rebar_get_possible_sizes(struct pci_dev *pdev, int bar)
{
	CHECK(bar == PVC_BAR_HBM, "BAR%d", bar);
	return pdev->sizes;
}

resource_size_t pci_resource_len(struct pci_dev *pdev, int bar)
{
	CHECK(bar == PVC_BAR_HBM, "BAR%d", bar);
	return pdev->size;
}

int pci_resize_resource(struct pci_dev *pdev, int bar, int size, int exclude_bars)
{
	CHECK(bar == PVC_BAR_HBM && !exclude_bars, "BAR%d", bar);
	CHECK(pdev->sizes & BIT_ULL(size), "a size that the card does not offer: %d", size);
	CHECK(!(pdev->command & PCI_COMMAND_MEMORY), "the card decodes its addresses");
	CHECK(!pdev->tries || MIB(1) << size < pdev->last, "not the largest first");
	pdev->tries++;
	pdev->last = MIB(1) << size;
	if (pdev->last > pdev->room)
		return -ENOSPC;
	pdev->size = pdev->last;
	return 0;
}

void pci_read_config_word(struct pci_dev *pdev, int where, u16 *value)
{
	CHECK(where == PCI_COMMAND, "register %#x", where);
	*value = pdev->command;
}

void pci_write_config_word(struct pci_dev *pdev, int where, u16 value)
{
	CHECK(where == PCI_COMMAND, "register %#x", where);
	pdev->command = value;
	pdev->writes++;
}

/* Sizes are in MiB; @want: of BAR2 in the end, after @tries */
static void check_grow(u64 sizes, u64 now, u64 room, u64 want, unsigned int tries)
{
	struct pci_dev pdev = {
		.sizes = sizes, .size = MIB(now), .room = MIB(room), .command = COMMAND,
	};
	struct xetile_device xt = { .drm.dev = &pdev };

	xetile_rebar_grow(&xt);
	CHECK(pdev.size == MIB(want), "%llu MiB", (unsigned long long)pdev.size >> 20);
	CHECK(pdev.tries == tries, "%u tries", pdev.tries);
	CHECK(pdev.command == COMMAND, "command %#x", pdev.command);
	CHECK(!pdev.writes == !tries, "%u writes", pdev.writes);
}

int main(void)
{
	/* The sizes are sums of the sizes that the card offers: 256 MiB is bit 8, that is, 256. */
	RUN("S23: BAR2 gets the largest size", check_grow(0x1f00, 256, 4096, 4096, 1));
	RUN("S23: BAR2 gets what the bridges hold", check_grow(0x1f00, 256, 1024, 1024, 3));
	RUN("sizes that are not offered are not tried", check_grow(0x1300, 256, 2048, 512, 2));
	RUN("a card that has the largest is left alone", check_grow(0x1f00, 4096, 65536, 4096, 0));
	RUN("a card that has smaller ones is left alone", check_grow(0x0300, 1024, 65536, 1024, 0));
	RUN("without room BAR2 stays", check_grow(0x0f00, 256, 256, 256, 3));
	RUN("BAR2 of one size is left alone", check_grow(0, 256, 65536, 256, 0));
	RUN("a card without BAR2 is left alone", check_grow(0x1f00, 0, 65536, 0, 0));
	return check_end();
}
