/* SPDX-License-Identifier: MIT */
/* Messages to typed surfaces. */
#ifndef EU_TYPED_H
#define EU_TYPED_H

#include "eu/state/eu_state.h"

eu_exec eu_exec_typed;

#endif
