/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_IMPORT_H__
#define __XETILE_IMPORT_H__

#include <linux/types.h>

struct dma_buf;
struct vm_area_struct;
struct xetile_bo;
struct xetile_device;
struct xetile_room;

int xetile_import_begin(struct xetile_bo *bo, struct dma_buf *buf);
int xetile_import_attach(struct xetile_bo *bo);
int xetile_import_validate(struct xetile_bo *bo, struct xetile_room *room);
int xetile_import_mmap(struct xetile_bo *bo, struct vm_area_struct *vma);
void xetile_import_unmap(struct xetile_bo *bo);
void xetile_import_end(struct xetile_bo *bo, void (*free)(struct xetile_bo *bo));
void xetile_import_unmap_all(struct xetile_device *xt);

#endif
