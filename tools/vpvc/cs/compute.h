/* SPDX-License-Identifier: MIT */
/* Commands of the compute engines; a row without a name ends the table. */
#ifndef VPVC_COMPUTE_H
#define VPVC_COMPUTE_H

#include "cs/command.h"

extern const struct cs_command compute_commands[];

#endif
