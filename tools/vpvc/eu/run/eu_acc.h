/* SPDX-License-Identifier: MIT */
/* Exact products in acc0. */
#ifndef EU_ACC_H
#define EU_ACC_H

#include "eu/state/eu_state.h"

/* mul of integers to acc0 */
eu_exec eu_exec_mul_acc;

#endif
