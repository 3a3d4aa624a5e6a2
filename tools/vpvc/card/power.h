/* SPDX-License-Identifier: MIT */
/* Power wells and firmware: hooks of card/regs_table.c. */
#ifndef VPVC_POWER_H
#define VPVC_POWER_H

#include "card.h"

/* Firmware starts, and needs card_options.ready ms until the card is ready. */
void power_start_firmware(struct card *c);

void power_write_forcewake(struct tile *t, uint32_t off, uint32_t val);
uint32_t power_read_pcode(struct tile *t, uint32_t off);
void power_write_pcode(struct tile *t, uint32_t off, uint32_t val);
uint32_t power_read_gu_cntl(struct tile *t, uint32_t off);

#endif
