// SPDX-License-Identifier: MIT
/*
 * Config space as three arrays of bytes: values, writable bits, and bits that a written
 * 1 clears.  The layout is that of the real function; of the device's own registers only
 * GMCH_CTRL at 0x50 exists, because drivers read it.  The host thread calls all of this,
 * but for pci_send_msi(), which any thread calls.
 */
#include "bus/pci.h"

#include <errno.h>
#include <linux/pci_regs.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bus/dma.h"
#include "card.h"
#include "log.h"
#include "pvc_pci_regs.h"

#define CAP_PCIE	0x70
#define CAP_MSI		0xac
#define CAP_PM		0xd0
#define CAP_REBAR	0x100

#define PM_D3HOT	3	/* in PCI_PM_CTRL_STATE_MASK */

struct pci {
	uint8_t space[PCI_CONFIG_SIZE];
	uint8_t wmask[PCI_CONFIG_SIZE];	/* 1 = writable */
	uint8_t w1c[PCI_CONFIG_SIZE];	/* 1 = cleared by writing 1 */
	pthread_mutex_t lock;		/* msi_fd: engines' threads send messages */
	int msi_fd;
};

static void put(uint8_t *p, uint32_t off, uint32_t val, unsigned int bytes)
{
	for (unsigned int i = 0; i < bytes; i++)
		p[off + i] = (uint8_t)(val >> (8 * i));
}

static uint32_t get(const uint8_t *p, uint32_t off, unsigned int bytes)
{
	uint32_t val = 0;

	for (unsigned int i = 0; i < bytes; i++)
		val |= (uint32_t)p[off + i] << (8 * i);
	return val;
}

static void put_bar(struct pci *pci, unsigned int n, uint64_t size, uint32_t flags)
{
	uint32_t off = PCI_BASE_ADDRESS_0 + 4 * n;
	uint64_t mask = ~(size - 1);

	put(pci->space, off, flags, 4);
	put(pci->wmask, off, (uint32_t)mask & PCI_BASE_ADDRESS_MEM_MASK, 4);
	put(pci->wmask, off + 4, (uint32_t)(mask >> 32), 4);
}

static void put_pcie_cap(struct pci *pci)
{
	uint8_t *s = pci->space, *w = pci->wmask;

	put(s, CAP_PCIE + PCI_CAP_LIST_ID, PCI_CAP_ID_EXP, 1);
	put(s, CAP_PCIE + PCI_CAP_LIST_NEXT, CAP_MSI, 1);
	put(s, CAP_PCIE + PCI_EXP_FLAGS, 2 | PCI_EXP_TYPE_ENDPOINT << 4, 2);
	put(s, CAP_PCIE + PCI_EXP_DEVCAP, PCI_EXP_DEVCAP_FLR | PCI_EXP_DEVCAP_RBER |
	    PCI_EXP_DEVCAP_EXT_TAG | 1 /* 256 byte payload */, 4);
	put(s, CAP_PCIE + PCI_EXP_DEVCTL, PCI_EXP_DEVCTL_RELAX_EN | PCI_EXP_DEVCTL_EXT_TAG |
	    PCI_EXP_DEVCTL_NOSNOOP_EN | PCI_EXP_DEVCTL_READRQ_512B, 2);
	put(w, CAP_PCIE + PCI_EXP_DEVCTL, 0x7fff, 2);	/* b15 acts, and reads 0 */
	put(pci->w1c, CAP_PCIE + PCI_EXP_DEVSTA, PCI_EXP_DEVSTA_CED | PCI_EXP_DEVSTA_NFED |
	    PCI_EXP_DEVSTA_FED | PCI_EXP_DEVSTA_URD, 2);
	put(s, CAP_PCIE + PCI_EXP_LNKCAP, PCI_EXP_LNKCAP_SLS_32_0GB | 16 << 4, 4);
	put(w, CAP_PCIE + PCI_EXP_LNKCTL, PCI_EXP_LNKCTL_ASPMC | PCI_EXP_LNKCTL_RCB |
	    PCI_EXP_LNKCTL_CCC | PCI_EXP_LNKCTL_ES, 2);
	put(s, CAP_PCIE + PCI_EXP_LNKSTA, PCI_EXP_LNKCAP_SLS_32_0GB | 16 << 4, 2);
	put(s, CAP_PCIE + PCI_EXP_DEVCAP2, PCI_EXP_DEVCAP2_COMP_TMOUT_DIS, 4);
	put(w, CAP_PCIE + PCI_EXP_DEVCTL2, PCI_EXP_DEVCTL2_COMP_TMOUT_DIS |
	    PCI_EXP_DEVCTL2_COMP_TIMEOUT, 2);
	put(s, CAP_PCIE + PCI_EXP_LNKCAP2, 0x3e, 4);	/* 2.5 to 32 GT/s */
	put(s, CAP_PCIE + PCI_EXP_LNKCTL2, PCI_EXP_LNKCAP_SLS_32_0GB, 2);
	put(w, CAP_PCIE + PCI_EXP_LNKCTL2, PCI_EXP_LNKCTL2_TLS, 2);
}

static void put_msi_cap(struct pci *pci)
{
	uint8_t *s = pci->space, *w = pci->wmask;

	put(s, CAP_MSI + PCI_CAP_LIST_ID, PCI_CAP_ID_MSI, 1);
	put(s, CAP_MSI + PCI_CAP_LIST_NEXT, CAP_PM, 1);
	put(s, CAP_MSI + PCI_MSI_FLAGS, PCI_MSI_FLAGS_64BIT, 2);	/* one vector */
	put(w, CAP_MSI + PCI_MSI_FLAGS, PCI_MSI_FLAGS_ENABLE, 2);
	put(w, CAP_MSI + PCI_MSI_ADDRESS_LO, 0xfffffffc, 4);
	put(w, CAP_MSI + PCI_MSI_ADDRESS_HI, 0xffffffff, 4);
	put(w, CAP_MSI + PCI_MSI_DATA_64, 0xffff, 2);
}

/*
 * Sizes of BAR2 from that of --window to all HBM; 2^n MiB is bit n + 4 of the capability's
 * register and n in the field of its control register.
 */
static void put_rebar_cap(struct card *c)
{
	struct pci *pci = c->pci;
	uint64_t mib = c->bar2_size >> 20;
	uint32_t sizes = 0;

	for (; mib <= c->hbm_backing >> 20; mib <<= 1)
		sizes |= (uint32_t)(mib << 4);
	put(pci->space, CAP_REBAR, PCI_EXT_CAP_ID_REBAR | 1 << 16, 4);
	put(pci->space, CAP_REBAR + PCI_REBAR_CAP, sizes, 4);
	put(pci->space, CAP_REBAR + PCI_REBAR_CTRL, PVC_BAR_HBM | 1 << PCI_REBAR_CTRL_NBAR_SHIFT |
	    (uint32_t)__builtin_ctzll(c->bar2_size >> 20) << PCI_REBAR_CTRL_BAR_SHIFT, 4);
	put(pci->wmask, CAP_REBAR + PCI_REBAR_CTRL, PCI_REBAR_CTRL_BAR_SIZE, 4);
}

/* The host has written another size of BAR2, which then needs another address. */
static void resize_bar2(struct card *c)
{
	uint32_t ctrl = get(c->pci->space, CAP_REBAR + PCI_REBAR_CTRL, 4);
	uint64_t size = 1ull << (20 + ((ctrl & PCI_REBAR_CTRL_BAR_SIZE) >>
				       PCI_REBAR_CTRL_BAR_SHIFT));

	if (size == c->bar2_size || size > c->hbm_backing ||
	    !(get(c->pci->space, CAP_REBAR + PCI_REBAR_CAP, 4) & size >> 16))
		return;
	c->bar2_size = size;
	put_bar(c->pci, PVC_BAR_HBM, size,
		PCI_BASE_ADDRESS_MEM_TYPE_64 | PCI_BASE_ADDRESS_MEM_PREFETCH);
}

static void put_pm_cap(struct pci *pci)
{
	put(pci->space, CAP_PM + PCI_CAP_LIST_ID, PCI_CAP_ID_PM, 1);
	put(pci->space, CAP_PM + PCI_CAP_LIST_NEXT, 0, 1);
	put(pci->space, CAP_PM + PCI_PM_PMC, 3, 2);
	put(pci->wmask, CAP_PM + PCI_PM_CTRL, PCI_PM_CTRL_STATE_MASK, 2);
}

void pci_reset(struct card *c)
{
	struct pci *pci = c->pci;
	uint8_t *s = pci->space, *w = pci->wmask;

	memset(pci->space, 0, sizeof(pci->space));
	memset(pci->wmask, 0, sizeof(pci->wmask));
	memset(pci->w1c, 0, sizeof(pci->w1c));
	if (c->opt.resizable && c->opt.window)
		c->bar2_size = c->opt.window;
	put(s, PCI_VENDOR_ID, PVC_PCI_VENDOR, 2);
	put(s, PCI_DEVICE_ID, c->opt.device_id, 2);
	put(w, PCI_COMMAND, PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER | PCI_COMMAND_PARITY |
	    PCI_COMMAND_SERR | PCI_COMMAND_INTX_DISABLE, 2);
	put(s, PCI_STATUS, PCI_STATUS_CAP_LIST, 2);
	put(pci->w1c, PCI_STATUS, 0xf900, 2);
	put(s, PCI_REVISION_ID, (c->opt.quirk_early ? 5 : PVC_PCI_REV_COMPUTE_TILE_C0) |
	    5 << PVC_PCI_REV_BASE_DIE_SHIFT, 1);
	put(s, PCI_CLASS_DEVICE, 0x0380, 2);		/* display controller, other */
	put(w, PCI_CACHE_LINE_SIZE, 0xff, 1);
	put_bar(pci, PVC_BAR_MMIO, (uint64_t)c->num_tiles * PVC_MMIO_TILE_STRIDE,
		PCI_BASE_ADDRESS_MEM_TYPE_64);
	put_bar(pci, PVC_BAR_HBM, c->bar2_size,
		PCI_BASE_ADDRESS_MEM_TYPE_64 | PCI_BASE_ADDRESS_MEM_PREFETCH);
	put(s, PCI_SUBSYSTEM_VENDOR_ID, PVC_PCI_VENDOR, 2);
	put(s, PCI_SUBSYSTEM_ID, c->opt.device_id, 2);
	put(s, PCI_CAPABILITY_LIST, CAP_PCIE, 1);
	put(w, PCI_INTERRUPT_LINE, 0xff, 1);		/* pin 0: no INTx */
	/* 8 MiB of GGTT, or a lie: 4 */
	put(s, PVC_PCI_GMCH_CTRL,
	    (c->opt.quirk_small_ggtt ? 2 : 3) << PVC_GMCH_CTRL_GGMS_SHIFT, 2);
	put_pcie_cap(pci);
	put_msi_cap(pci);
	put_pm_cap(pci);
	if (c->opt.resizable)
		put_rebar_cap(c);
	dma_set_bus_master(c, false);
}

int pci_init(struct card *c)
{
	c->pci = calloc(1, sizeof(*c->pci));
	if (!c->pci)
		return -ENOMEM;
	pthread_mutex_init(&c->pci->lock, NULL);
	c->pci->msi_fd = -1;
	pci_reset(c);
	return 0;
}

void pci_fini(struct card *c)
{
	if (!c->pci)
		return;
	pci_set_msi(c, -1);
	pthread_mutex_destroy(&c->pci->lock);
	free(c->pci);
}

void pci_config_read(struct card *c, uint32_t off, void *buf, uint32_t len)
{
	memcpy(buf, c->pci->space + off, len);
}

static bool in_d3(const struct pci *pci)
{
	return (pci->space[CAP_PM + PCI_PM_CTRL] & PCI_PM_CTRL_STATE_MASK) == PM_D3HOT;
}

bool pci_answers(struct card *c)
{
	return !in_d3(c->pci);
}

uint64_t pci_bar2(struct card *c)
{
	const uint32_t off = PCI_BASE_ADDRESS_0 + 4 * PVC_BAR_HBM;

	return (get(c->pci->space, off, 4) & (uint32_t)PCI_BASE_ADDRESS_MEM_MASK) |
	       (uint64_t)get(c->pci->space, off + 4, 4) << 32;
}

void pci_config_write(struct card *c, uint32_t off, const void *buf, uint32_t len)
{
	const uint32_t flr_byte = CAP_PCIE + PCI_EXP_DEVCTL + 1;
	struct pci *pci = c->pci;
	bool was_d3 = in_d3(pci);
	const uint8_t *in = buf;

	for (uint32_t i = 0; i < len; i++) {
		uint8_t *b = &pci->space[off + i];
		uint8_t w = pci->wmask[off + i];

		*b = (uint8_t)((*b & ~w) | (in[i] & w));
		*b &= (uint8_t)~(in[i] & pci->w1c[off + i]);
	}
	if (c->opt.resizable)
		resize_bar2(c);
	dma_set_bus_master(c, !in_d3(pci) &&
			   get(pci->space, PCI_COMMAND, 2) & PCI_COMMAND_MASTER);
	/* Execution units must translate anew, because bus mastering may have changed. */
	atomic_fetch_add(&c->mem_generation, 1);
	if (flr_byte >= off && flr_byte - off < len &&
	    (in[flr_byte - off] & (PCI_EXP_DEVCTL_BCR_FLR >> 8))) {
		vlog("function level reset");
		/* Engines stop first: they must not see config space half reset. */
		if (c->ops->reset(c))
			pci_reset(c);
	}
	/* No_Soft_Reset is clear: the card loses its state on the way out of D3hot. */
	if (was_d3 && !in_d3(pci)) {
		vlog("out of D3");
		c->ops->power_cycle(c);
	}
}

void pci_set_msi(struct card *c, int fd)
{
	pthread_mutex_lock(&c->pci->lock);
	if (c->pci->msi_fd >= 0)
		close(c->pci->msi_fd);
	c->pci->msi_fd = fd;
	pthread_mutex_unlock(&c->pci->lock);
}

void pci_send_msi(struct card *c)
{
	const uint64_t one = 1;

	/* A message is a memory write of the function. */
	if (!dma_bus_master(c))
		return;
	pthread_mutex_lock(&c->pci->lock);
	if (c->pci->msi_fd >= 0) {
		counter_add(&c->msis, 1);
		if (write(c->pci->msi_fd, &one, sizeof(one)) < 0)
			vlog("interrupt message lost: %s", strerror(errno));
	}
	pthread_mutex_unlock(&c->pci->lock);
}
