/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_CCS_H__
#define __XETILE_CCS_H__

#include <linux/types.h>

struct xetile_device;
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

int xetile_ccs_init(struct xetile_device *xt);

unsigned int xetile_ccs_mode(struct xetile_tile *tile);
u32 xetile_ccs_modes(struct xetile_tile *tile);
unsigned int xetile_ccs_present(struct xetile_tile *tile);
int xetile_ccs_set_mode(struct xetile_tile *tile, unsigned int mode);
enum xetile_ccs_policy xetile_ccs_policy(struct xetile_tile *tile);
void xetile_ccs_set_policy(struct xetile_tile *tile, enum xetile_ccs_policy policy);
ssize_t xetile_ccs_holders(struct xetile_tile *tile, char *buf, size_t size);
int xetile_ccs_grant_locked(struct xetile_tile *tile, unsigned int wanted);
void xetile_ccs_change(struct xetile_tile *tile, unsigned int mode);
void xetile_ccs_program(struct xetile_tile *tile);

#endif
