// SPDX-License-Identifier: MIT
/* The fast handlers for any x86-64 host. */
#define EU_VECTOR 32
#define EU_FAST_TABLE eu_fast_any
#include "eu/fast/eu_fast_body.h"
