/* SPDX-License-Identifier: MIT */
/* MI commands; the table ends with a row without a name. */
#ifndef VPVC_MI_H
#define VPVC_MI_H

#include "cs/command.h"

extern const struct cs_command mi_commands[];

#endif
