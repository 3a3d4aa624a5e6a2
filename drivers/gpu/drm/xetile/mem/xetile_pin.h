/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_PIN_H__
#define __XETILE_PIN_H__

struct eventfd_ctx;
struct xetile_account;
struct xetile_bo;
struct xetile_device;

void xetile_pins_init(struct xetile_device *xt);
void xetile_pins_lost(struct xetile_device *xt);
int xetile_pin(struct xetile_bo *bo, struct xetile_account *account, struct eventfd_ctx *event);
int xetile_unpin(struct xetile_bo *bo);

/* With the reservation held */
void xetile_pin_end(struct xetile_bo *bo);
void xetile_pin_break(struct xetile_bo *bo);

#endif
