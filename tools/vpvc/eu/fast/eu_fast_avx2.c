// SPDX-License-Identifier: MIT
/* The fast handlers for hosts with AVX2 and FMA; eu_fast.c chooses them at run time. */
#define EU_VECTOR 32
#define EU_FAST_TABLE eu_fast_avx2
#include "eu/fast/eu_fast_body.h"
