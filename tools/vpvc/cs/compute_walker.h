/* SPDX-License-Identifier: MIT */
/* COMPUTE_WALKER, a row of the table in compute.c. */
#ifndef VPVC_COMPUTE_WALKER_H
#define VPVC_COMPUTE_WALKER_H

#include "cs/cs_state.h"

enum cs_result compute_walker(struct cs *cs, const uint32_t *dw, unsigned int len);

#endif
