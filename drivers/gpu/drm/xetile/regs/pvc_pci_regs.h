/* SPDX-License-Identifier: MIT */
/*
 * PCI level of Ponte Vecchio: ids, BARs, config space.
 *
 * The headers of this folder hold hardware facts only: literal masks, no type
 * and no helper of any program, so that kernel and userspace may include them.
 * "Source" names where a fact can be read again: xe and i915 are the drivers of
 * Linux, prelim the i915 of the intel-gpu-i915-backports project.
 */
#ifndef PVC_PCI_REGS_H
#define PVC_PCI_REGS_H

#define PVC_PCI_VENDOR			0x8086

/* Source: xe include/drm/intel/xe_pciids.h (6.12), pciids.h (7.2); prelim i915_pci.c */
#define PVC_PCI_DEVICE_ENGINEERING	0x0bd0
#define PVC_PCI_DEVICE_MAX_1550VG	0x0bd4
#define PVC_PCI_DEVICE_MAX_1550		0x0bd5
#define PVC_PCI_DEVICE_MAX_1550_B	0x0bd6
#define PVC_PCI_DEVICE_MAX_1350		0x0bd7
#define PVC_PCI_DEVICE_MAX_1350_B	0x0bd8
#define PVC_PCI_DEVICE_MAX_1100		0x0bd9
#define PVC_PCI_DEVICE_MAX_1100_B	0x0bda
#define PVC_PCI_DEVICE_MAX_1100_C	0x0bdb
#define PVC_PCI_DEVICE_MAX_1450		0x0b69
#define PVC_PCI_DEVICE_MAX_1100C	0x0b6e
#define PVC_PCI_DEVICE_UNNAMED_0	0x0be0	/* no public name */
#define PVC_PCI_DEVICE_UNNAMED_1	0x0be1
#define PVC_PCI_DEVICE_UNNAMED_2	0x0be5

/* Revision id. Source: xe xe_step.c, prelim intel_step.c */
#define PVC_PCI_REV_COMPUTE_TILE_MASK	0x07	/* 5 B0, 6 B1, 7 C0 */
#define PVC_PCI_REV_COMPUTE_TILE_C0	0x07
#define PVC_PCI_REV_BASE_DIE_MASK	0x38	/* 0 A0, 3 B0, 4 B1, 5 B3 */
#define PVC_PCI_REV_BASE_DIE_B0		0x18
#define PVC_PCI_REV_BASE_DIE_SHIFT	3

/* Word. Source: xe 6.12 xe_ggtt.c probe_gsm_size() */
#define PVC_PCI_GMCH_CTRL		0x50
#define   PVC_GMCH_CTRL_GGMS_MASK	0x00c0	/* GGTT size is 1 MiB << this, 0 = none */
#define   PVC_GMCH_CTRL_GGMS_SHIFT	6

/* BAR0: registers, 16 MiB per tile. Source: xe xe_mmio.c, prelim i915_pci.c */
#define PVC_BAR_MMIO			0
#define   PVC_MMIO_TILE_STRIDE		0x1000000
#define   PVC_MMIO_REGS_SIZE		0x400000	/* above: reserved up to the GGTT */
/* Doorbells, of which firmware gives away; the last one never. Source: prelim i915_gem_mman.c */
#define   PVC_DOORBELL_SIZE		0x1000
#define   PVC_MMIO_LAST_DOORBELL	0x7ff000
#define   PVC_MMIO_GGTT_OFFSET		0x800000
#define   PVC_MMIO_GGTT_SIZE		0x800000

/* BAR2: HBM of all tiles, offset = device physical address. Source: xe xe_vram.c */
#define PVC_BAR_HBM			2

#define PVC_MAX_TILES			4	/* two on silicon */

/* Bus addresses the device can produce. Source: xe xe_pci.c graphics_xehpc */
#define PVC_DMA_BITS			52
#define PVC_VA_BITS			57

#endif
