/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_DMA_BUF_H__
#define __XETILE_DMA_BUF_H__

#include <linux/types.h>

struct dma_buf;
struct dma_buf_attachment;
struct drm_gem_object;
struct xetile_bo;
struct xetile_device;

int xetile_dma_buf_init(struct xetile_device *xt);
struct dma_buf *xetile_dma_buf_export(struct drm_gem_object *gem, int flags);
struct xetile_bo *xetile_dma_buf_source(const struct dma_buf *buf);
int xetile_dma_buf_ready(struct dma_buf_attachment *attach, bool wait);
void xetile_dma_buf_moves(struct xetile_bo *bo);
void xetile_dma_buf_revoke_all(struct xetile_device *xt);

#endif
