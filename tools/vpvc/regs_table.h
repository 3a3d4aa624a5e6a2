/* SPDX-License-Identifier: MIT */
/* The registers as data. */
#ifndef VPVC_REGS_TABLE_H
#define VPVC_REGS_TABLE_H

#include "regs.h"

extern const struct reg_rule reg_rules[];
extern const unsigned int num_reg_rules;
/* Offsets are from an engine's base; hooks get the tile and the full offset. */
extern const struct reg_rule engine_reg_rules[];
extern const unsigned int num_engine_reg_rules;
/* Values a tile's own shape decides; regs_table.c. */
void regs_reset_shape(struct tile *t);

#endif
