/* SPDX-License-Identifier: MIT */
/* The slices of a compute engine, from the registers of its tile. */
#ifndef VPVC_TILE_H
#define VPVC_TILE_H

#include "card.h"

/* Mask of cslices CCS @instance may use now, from RCU_MODE and CCS_MODE. */
unsigned int tile_ccs_cslices(struct tile *t, unsigned int instance);

#endif
