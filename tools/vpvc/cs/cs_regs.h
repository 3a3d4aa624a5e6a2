/* SPDX-License-Identifier: MIT */
/* Register accesses of commands. */
#ifndef VPVC_CS_REGS_H
#define VPVC_CS_REGS_H

#include "cs/cs_state.h"

/* The offset in the tile of register @number of a command with these modes. */
uint32_t cs_resolve(struct cs *cs, uint32_t number, bool remap, bool add_cs);
/*
 * Read or write a register for a command.  A forbidden access is logged and gives CS_SKIP;
 * an access to a register without a model is an error that stops the engine.
 */
enum cs_result cs_reg_load(struct cs *cs, uint32_t off, uint32_t *val);
enum cs_result cs_reg_store(struct cs *cs, uint32_t off, uint32_t val);

#endif
