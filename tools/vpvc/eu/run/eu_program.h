/* SPDX-License-Identifier: MIT */
/* Prepared code of a worker */
#ifndef EU_PROGRAM_H
#define EU_PROGRAM_H

#include "eu/state/eu_state.h"

struct eu_op *eu_fetch(struct eu_worker *w, uint32_t ip, uint32_t *cost);
void eu_worker_check_program(struct eu_worker *w);

#endif
