/* SPDX-License-Identifier: MIT */
/* Registers that reset engines, a tile or the card: the hooks of their rows. */
#ifndef VPVC_RESETS_H
#define VPVC_RESETS_H

#include "card.h"

uint32_t resets_read_gdrst(struct tile *t, uint32_t off);
void resets_write_gdrst(struct tile *t, uint32_t off, uint32_t val);
void resets_write_gu_cntl(struct tile *t, uint32_t off, uint32_t val);
/* Registers of the GuC's memory; their bit 0 locks them until the function is reset */
void resets_write_wopcm(struct tile *t, uint32_t off, uint32_t val);
/* Firmware of a driver runs on a tile, or (!@runs) there was none since the last reset. */
void resets_guc_ran(struct tile *t, bool runs);
/* The function was reset: nothing is left of earlier requests. */
void resets_forget(struct card *c);

#endif
