/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_INFO_H__
#define __XETILE_INFO_H__

#include <linux/mod_devicetable.h>
#include <linux/types.h>

/** struct xetile_info - facts of a card that its PCI id alone tells */
struct xetile_info {
	/** @name: marketing name */
	const char *name;
	/** @dma_bits: width of the bus addresses it can produce */
	unsigned int dma_bits;
	/** @ip_release: minor number of its graphics IP; the major one is 12 */
	unsigned int ip_release;
	/** @threads_per_eu: hardware threads of a vector engine, with 128 registers each */
	unsigned int threads_per_eu;
	/** @max_slm: shared local memory of a work-group at most, bytes */
	u32 max_slm;
};

extern const struct pci_device_id xetile_pci_ids[];

#endif
