// SPDX-License-Identifier: MIT
#include "conformance.h"
KERNEL void hello(__global const int *in, int n)
{
	int g = get_global_id(0);
	if (g < n) printf("wi %d has %d (%f) %s\n", g, in[g], (float)in[g] * 0.5f, "str");
}
