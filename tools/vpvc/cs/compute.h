/* SPDX-License-Identifier: MIT */
/* State and control of the compute engines; the table ends with a row without a name. */
#ifndef VPVC_COMPUTE_H
#define VPVC_COMPUTE_H

#include "cs/command.h"

extern const struct cs_command compute_commands[];

#endif
