/* SPDX-License-Identifier: MIT */
/* Replicated registers: which instances an access of the host reaches. */
#ifndef VPVC_STEER_H
#define VPVC_STEER_H

#include "card.h"
#include "core/regs.h"

int steer_init(struct tile *t);
void steer_fini(struct tile *t);
/* All instances of all registers hold what their register's storage holds. */
void steer_reset(struct tile *t);
/* What the host reads from a register whose storage holds @val. Host thread only. */
uint32_t steer_read(struct tile *t, uint32_t off, uint32_t val);
/*
 * The host writes a register. True: the write reached one instance or none, and storage must not
 * change. Host thread only.
 */
bool steer_write(struct tile *t, uint32_t off, uint32_t val, enum reg_access access);
/* A write to storage that reaches all instances. Any thread. */
void steer_all(struct tile *t, uint32_t off, uint32_t val, enum reg_access access);
/* The subslice that the selector names. Host thread only. */
unsigned int steer_dss(struct tile *t);
/* The value of a register in subslice @dss, which is below 64; 0 if the subslice is fused off. */
uint32_t steer_peek(struct tile *t, uint32_t off, unsigned int dss);

#endif
