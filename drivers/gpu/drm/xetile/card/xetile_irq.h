/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_IRQ_H__
#define __XETILE_IRQ_H__

#include <linux/types.h>

struct xetile_device;
struct xetile_engine;

/* Vector bits of an engine (pvc facts: interrupt identity 15:0) */
#define XETILE_IRQ_USER		BIT(0)
#define XETILE_IRQ_CS_ERROR	BIT(3)
#define XETILE_IRQ_NOTIFY	BIT(4)
#define XETILE_IRQ_CTX_SWITCH	BIT(8)
#define XETILE_IRQ_SEMAPHORE	BIT(11)

/** struct xetile_irq_event - what an engine reports by an interrupt */
struct xetile_irq_event {
	/** @engine: the engine */
	struct xetile_engine *engine;
	/** @vector: mask of XETILE_IRQ_* */
	u16 vector;
};

/**
 * typedef xetile_irq_listener - handles the engines' events of one interrupt
 * @xt: the card
 * @events: the events, each of them acknowledged; one of each engine that has any
 * @num: how many
 *
 * Context: hard interrupt.
 */
typedef void xetile_irq_listener(struct xetile_device *xt, const struct xetile_irq_event *events,
				 unsigned int num);

int xetile_irq_init(struct xetile_device *xt);
void xetile_irq_forget(struct xetile_device *xt);
void xetile_irq_enable(struct xetile_device *xt);
void xetile_irq_disable(struct xetile_device *xt);
void xetile_irq_listen(struct xetile_device *xt, xetile_irq_listener *listener);
void xetile_irq_unlisten(struct xetile_device *xt);

#endif
