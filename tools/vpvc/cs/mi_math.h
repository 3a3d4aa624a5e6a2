/* SPDX-License-Identifier: MIT */
/* MI_MATH, a row of the table in mi.c. */
#ifndef VPVC_MI_MATH_H
#define VPVC_MI_MATH_H

#include "cs/cs_state.h"

enum cs_result mi_math(struct cs *cs, const uint32_t *dw, unsigned int len);

#endif
