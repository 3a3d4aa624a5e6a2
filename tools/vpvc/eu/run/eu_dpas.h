/* SPDX-License-Identifier: MIT */
/* The systolic array. */
#ifndef EU_DPAS_H
#define EU_DPAS_H

#include "eu/state/eu_state.h"

eu_exec eu_exec_dpas;

#endif
