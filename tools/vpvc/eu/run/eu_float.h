/* SPDX-License-Identifier: MIT */
/* The math function unit. */
#ifndef EU_FLOAT_H
#define EU_FLOAT_H

#include "eu/state/eu_state.h"

eu_exec eu_exec_math;

#endif
