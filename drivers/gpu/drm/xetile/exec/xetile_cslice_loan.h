/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_CSLICE_LOAN_H__
#define __XETILE_CSLICE_LOAN_H__

struct xetile_client;
struct xetile_engine;
struct xetile_tile;

unsigned int xetile_cslice_borrow(const struct xetile_client *client,
				  struct xetile_tile *const *tiles, const unsigned int *modes,
				  unsigned int num);
void xetile_cslice_give_back(struct xetile_tile *const *tiles, unsigned int num);
unsigned int xetile_cslice_claimed(struct xetile_tile *const *tiles, unsigned int num);
struct xetile_engine *xetile_cslice_borrowed(struct xetile_tile *tile);

#endif
