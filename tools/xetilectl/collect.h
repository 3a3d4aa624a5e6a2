/* SPDX-License-Identifier: MIT */
/*
 * Where samples come from: /proc, sysfs and debugfs. Nothing of it opens or wakes a card.
 */
#ifndef _XETILECTL_COLLECT_H_
#define _XETILECTL_COLLECT_H_

#include <stdbool.h>
#include <xetile.h>

#include "sample.h"

/* What a device's card is. Returns CTL_OK, or CTL_FAILED after a message. */
int collect_card(struct xetile_device *device, struct sample_card *card);

/*
 * Look at the card once; sample_free() ends what @sample has. Returns 0; -ENODEV when the card is
 * gone; -ENOMEM; or why its files cannot be read. After an error there is nothing to free.
 */
int collect(const struct sample_card *card, struct sample *sample);
/* Say why collect() failed. Returns CTL_FAILED. */
int collect_failed(const struct sample_card *card, int error);

#endif
