/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_CSLICE_H__
#define __XETILE_CSLICE_H__

#include <linux/types.h>

struct xetile_client;
struct xetile_device;
struct xetile_engine;
struct xetile_tile;

int xetile_cslice_init(struct xetile_device *xt);

/* A process's virtual slices, for its queues */
int xetile_cslice_attach(struct xetile_client *client, struct xetile_tile *tile,
			 unsigned int cslice);
void xetile_cslice_detach(struct xetile_client *client, struct xetile_tile *tile,
			  unsigned int cslice);
struct xetile_engine *xetile_cslice_bind(struct xetile_client *client, struct xetile_tile *tile,
					 unsigned int cslice);
void xetile_cslice_unbind(struct xetile_client *client, struct xetile_tile *tile,
			  unsigned int cslice);

unsigned int xetile_ccs_mode(struct xetile_tile *tile);
u32 xetile_ccs_modes(struct xetile_tile *tile);
int xetile_ccs_set_mode(struct xetile_tile *tile, unsigned int mode);
ssize_t xetile_ccs_holders(struct xetile_tile *tile, char *buf, size_t size);
void xetile_cslice_program(struct xetile_tile *tile);

#endif
