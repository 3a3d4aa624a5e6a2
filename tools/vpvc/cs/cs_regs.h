/* SPDX-License-Identifier: MIT */
/* Registers as commands name them. */
#ifndef VPVC_CS_REGS_H
#define VPVC_CS_REGS_H

#include "cs/cs_state.h"

uint32_t cs_resolve(struct cs *cs, uint32_t number, bool remap, bool add_cs);
/*
 * Reads and writes by a command.  A forbidden one is logged and CS_SKIP; one of a
 * register without a model is an error, never an answer somebody made up.
 */
enum cs_result cs_reg_load(struct cs *cs, uint32_t off, uint32_t *val);
enum cs_result cs_reg_store(struct cs *cs, uint32_t off, uint32_t val);

#endif
