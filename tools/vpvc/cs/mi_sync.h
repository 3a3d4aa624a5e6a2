/* SPDX-License-Identifier: MIT */
/* Atomics, waits and conditions: rows of the table in mi.c. */
#ifndef VPVC_MI_SYNC_H
#define VPVC_MI_SYNC_H

#include "cs/cs_state.h"

enum cs_result mi_atomic(struct cs *cs, const uint32_t *dw, unsigned int len);
enum cs_result mi_semaphore_wait(struct cs *cs, const uint32_t *dw, unsigned int len);
enum cs_result mi_cond_batch_end(struct cs *cs, const uint32_t *dw, unsigned int len);

#endif
