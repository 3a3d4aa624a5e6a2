/* SPDX-License-Identifier: MIT */
/* The power-on state with --seed. */
#ifndef VPVC_NOISE_H
#define VPVC_NOISE_H

#include "card.h"

void noise_memory(struct tile *t);
void noise_registers(struct tile *t);

#endif
