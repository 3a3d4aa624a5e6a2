/* SPDX-License-Identifier: MIT */
/* The card as a whole: made, reset, without power, gone. */
#ifndef VPVC_LIFE_H
#define VPVC_LIFE_H

#include "card.h"

/*
 * Make a card with its engines running.  @opt is copied (strings are not).
 * 0 or -errno, with one line in the log.
 */
int card_create(struct card **out, const struct card_options *opt);
void card_destroy(struct card *c);

/* FLR, device reset, driver FLR: registers, engines, interrupts; HBM stays. */
void card_reset(struct card *c);

/* As if it had been without power: HBM and config space, too. */
void card_power_cycle(struct card *c);

#endif
