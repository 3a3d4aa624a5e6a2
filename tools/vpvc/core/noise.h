/* SPDX-License-Identifier: MIT */
/* What --seed makes of the power-on state. */
#ifndef VPVC_NOISE_H
#define VPVC_NOISE_H

#include "card.h"

void noise_memory(struct tile *t);
void noise_registers(struct tile *t);

#endif
