/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_CSLICE_H__
#define __XETILE_CSLICE_H__

#include <linux/types.h>

struct drm_printer;
struct xetile_client;
struct xetile_device;
struct xetile_engine;
struct xetile_tile;

/** enum xetile_ccs_policy - which mode a queue may have that wants one of its own */
enum xetile_ccs_policy {
	/** @XETILE_CCS_EPOCHS: any mode of the tile; its engines take turns in the modes */
	XETILE_CCS_EPOCHS,
	/** @XETILE_CCS_LEND: likewise; and idle slices are lent, see xetile_cslice_loan.c */
	XETILE_CCS_LEND,
	/** @XETILE_CCS_FIXED: the mode of those that want none */
	XETILE_CCS_FIXED,
	/** @XETILE_CCS_DEFAULT: whatever it wants, it has the mode of those that want none */
	XETILE_CCS_DEFAULT,
	XETILE_CCS_NUM_POLICIES
};

/* What the administrator calls them */
extern const char * const xetile_ccs_policy_names[XETILE_CCS_NUM_POLICIES];

int xetile_cslice_init(struct xetile_device *xt);

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
void xetile_cslice_change(struct xetile_tile *tile, unsigned int mode);

unsigned int xetile_ccs_mode(struct xetile_tile *tile);
u32 xetile_ccs_modes(struct xetile_tile *tile);
unsigned int xetile_ccs_present(struct xetile_tile *tile);
int xetile_ccs_set_mode(struct xetile_tile *tile, unsigned int mode);
enum xetile_ccs_policy xetile_ccs_policy(struct xetile_tile *tile);
void xetile_ccs_set_policy(struct xetile_tile *tile, enum xetile_ccs_policy policy);
ssize_t xetile_ccs_holders(struct xetile_tile *tile, char *buf, size_t size);
void xetile_cslice_print(struct xetile_tile *tile, struct drm_printer *p);
void xetile_cslice_program(struct xetile_tile *tile);

#endif
