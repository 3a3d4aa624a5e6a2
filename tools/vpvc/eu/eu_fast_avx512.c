/* SPDX-License-Identifier: MIT */
/* The fast handlers for hosts with AVX-512, chosen when the card runs. */
#pragma GCC target("avx2,fma,f16c,avx512f,avx512dq,avx512bw,avx512vl,prefer-vector-width=512")
#define EU_VECTOR 64
#define EU_FAST_TABLE eu_fast_avx512
#include "eu_fast_body.h"
