/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_CSLICE_H__
#define __XETILE_CSLICE_H__

#include <linux/types.h>

struct drm_printer;
struct xetile_client;
struct xetile_engine;
struct xetile_tile;

/* A process's virtual slices, for its queues */
int xetile_cslice_attach(struct xetile_client *client, struct xetile_tile *tile,
			 unsigned int wanted, u32 slices);
void xetile_cslice_detach(struct xetile_client *client, struct xetile_tile *tile,
			  unsigned int mode, u32 slices);
unsigned int xetile_cslice_choose(struct xetile_client *client, struct xetile_tile *tile,
				  unsigned int mode, u32 slices);
struct xetile_engine *xetile_cslice_bind(struct xetile_client *client, struct xetile_tile *tile,
					 unsigned int mode, unsigned int cslice);
void xetile_cslice_unbind(struct xetile_client *client, struct xetile_tile *tile,
			  unsigned int mode, unsigned int cslice);

void xetile_cslice_print(struct xetile_tile *tile, struct drm_printer *p);

#endif
