/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_CSLICE_H__
#define __XETILE_CSLICE_H__

#include <linux/types.h>

struct pid;
struct seq_buf;
struct xetile_client;
struct xetile_device;
struct xetile_engine;
struct xetile_tile;

int xetile_cslice_init(struct xetile_device *xt);

/* A process (tgid), shared by all its open files */
struct xetile_client *xetile_client_get(struct xetile_device *xt, struct pid *tgid);
void xetile_client_put(struct xetile_client *client);

unsigned int xetile_ccs_mode(struct xetile_tile *tile);
u32 xetile_ccs_modes(struct xetile_tile *tile);
int xetile_ccs_set_mode(struct xetile_tile *tile, unsigned int mode);
ssize_t xetile_ccs_holders(struct xetile_tile *tile, char *buf, size_t size);

#endif
