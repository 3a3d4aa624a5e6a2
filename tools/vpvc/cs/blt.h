/* SPDX-License-Identifier: MIT */
/* Commands of the copy engines; the table ends with a row without a name. */
#ifndef VPVC_BLT_H
#define VPVC_BLT_H

#include "cs/command.h"

extern const struct cs_command blt_commands[];

#endif
