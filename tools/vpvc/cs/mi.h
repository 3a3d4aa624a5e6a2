/* SPDX-License-Identifier: MIT */
/* MI commands; a row without a name ends the table. */
#ifndef VPVC_MI_H
#define VPVC_MI_H

#include "cs/command.h"

extern const struct cs_command mi_commands[];

#endif
