/* SPDX-License-Identifier: MIT */
/* Registers that reset engines, a tile or the card: the hooks of their rows. */
#ifndef VPVC_RESETS_H
#define VPVC_RESETS_H

#include "card.h"

uint32_t resets_read_gdrst(struct tile *t, uint32_t off);
void resets_write_gdrst(struct tile *t, uint32_t off, uint32_t val);
void resets_write_gu_cntl(struct tile *t, uint32_t off, uint32_t val);
/* The function was reset: nothing is left of earlier requests. */
void resets_forget(struct card *c);

#endif
