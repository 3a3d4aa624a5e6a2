/* SPDX-License-Identifier: MIT */
/* HBM of another card, at the bus addresses of that card's BAR2. */
#ifndef VPVC_PEER_H
#define VPVC_PEER_H

#include "card.h"

/* Other cards find this card's HBM by the name --publish.  Returns 0 or an error of symlink(). */
int peer_publish(struct card *c);
void peer_retract(struct card *c);
/*
 * The client maps [addr, addr + size) and sends no file.  Returns a descriptor of the HBM of
 * --peer if that is what lies there, which the caller closes; else -1.
 */
int peer_open(struct card *c, uint64_t addr, uint64_t size);

#endif
