/* SPDX-License-Identifier: MIT */
/* The fast handlers for hosts with AVX2 and FMA, chosen when the card runs. */
#define EU_VECTOR 32
#define EU_FAST_TABLE eu_fast_avx2
#include "eu/fast/eu_fast_body.h"
