/* SPDX-License-Identifier: MIT */
/* The card as a whole: make, reset, power cycle, destroy. */
#ifndef VPVC_LIFE_H
#define VPVC_LIFE_H

#include "card.h"

/*
 * Make a card with its engines running.  @opt is copied (strings are not).  Returns 0 or
 * -errno.
 */
int card_create(struct card **out, const struct card_options *opt);
void card_destroy(struct card *c);

/* FLR, device reset, driver FLR: registers, engines, interrupts; HBM stays. */
void card_reset(struct card *c);

/* Lose power and get it back: HBM and config space are lost, too. */
void card_power_cycle(struct card *c);

#endif
