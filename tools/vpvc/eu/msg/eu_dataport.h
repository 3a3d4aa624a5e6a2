/* SPDX-License-Identifier: MIT */
/* Messages to the older data port. */
#ifndef EU_DATAPORT_H
#define EU_DATAPORT_H

#include "eu/state/eu_state.h"

eu_exec eu_exec_dc1;

#endif
