/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_IRQ_H__
#define __XETILE_IRQ_H__

#include <linux/types.h>

struct xetile_device;

/* Vector bits of an engine (pvc facts: interrupt identity 15:0) */
#define XETILE_IRQ_USER		BIT(0)
#define XETILE_IRQ_CS_ERROR	BIT(3)
#define XETILE_IRQ_NOTIFY	BIT(4)
#define XETILE_IRQ_CTX_SWITCH	BIT(8)

int xetile_irq_init(struct xetile_device *xt);
void xetile_irq_forget(struct xetile_device *xt);
void xetile_irq_enable(struct xetile_device *xt);
void xetile_irq_disable(struct xetile_device *xt);
void xetile_irq_synchronize(struct xetile_device *xt);

#endif
