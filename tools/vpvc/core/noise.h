/* SPDX-License-Identifier: MIT */
/* Values of memory and registers that nobody has set. */
#ifndef VPVC_NOISE_H
#define VPVC_NOISE_H

#include "card.h"

void noise_memory(struct tile *t);
void noise_registers(struct tile *t);
/* Registers of contexts, after power on and each reset of the engine. */
void noise_engine(const struct engine *e);
/* Noise number @what of an engine, with or without --seed. */
void noise_words(const struct engine *e, unsigned int what, uint32_t *words, unsigned int n);

#endif
