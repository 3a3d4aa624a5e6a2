/* SPDX-License-Identifier: MIT */
/* Numbers in the formats of registers, and their comparison. */
#ifndef EU_CONVERT_H
#define EU_CONVERT_H

#include <stdbool.h>
#include <stdint.h>

#include "eu/isa/eu_isa.h"

/* Wide enough that no integer operation of the EU overflows. */
typedef __int128 eu_wide;

double eu_half_to_double(uint16_t h);
uint16_t eu_double_to_half(double v);
float eu_bf_to_float(uint16_t b);
uint16_t eu_float_to_bf(float v);
uint32_t eu_to_short_float(long double v, enum eu_type type);
double eu_vf_to_double(uint8_t v);
bool eu_compare_float(enum eu_cond cond, double a, double b);
bool eu_compare_int(enum eu_cond cond, eu_wide a, eu_wide b);
double eu_fma_to_odd(double a, double b, double c);
double eu_float_to_int(double v, bool follow_mode);

#endif
