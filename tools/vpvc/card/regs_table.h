/* SPDX-License-Identifier: MIT */
/* The table of registers. */
#ifndef VPVC_REGS_TABLE_H
#define VPVC_REGS_TABLE_H

#include "core/regs.h"

extern const struct reg_table reg_table;

#endif
