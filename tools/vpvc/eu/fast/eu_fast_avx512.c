// SPDX-License-Identifier: MIT
/* The fast handlers for hosts with AVX-512; eu_fast.c chooses them at run time. */
#define EU_VECTOR 64
#define EU_FAST_TABLE eu_fast_avx512
#include "eu/fast/eu_fast_body.h"
