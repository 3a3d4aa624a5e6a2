/* SPDX-License-Identifier: MIT */
/* Commands of the copy engines; a row without a name ends the table. */
#ifndef VPVC_BLT_H
#define VPVC_BLT_H

#include "cs/command.h"

extern const struct cs_command blt_commands[];

#endif
