// SPDX-License-Identifier: MIT
#include "conformance.h"
KERNEL void vm(__global const uchar *prog, __global int *out, int plen)
{
	int g = get_global_id(0), acc = g, x = 3, pc = 0, steps = 0;
	while (pc < plen && steps++ < 200) {
		uchar op = prog[(pc + (g & 3)) % plen];
		switch (op & 15) {
		case 0: acc += x; break;
		case 1: acc -= x; break;
		case 2: acc *= 3; break;
		case 3: acc ^= x << 2; break;
		case 4: x = acc & 31; break;
		case 5: if (acc & 1) pc += 2; break;
		case 6: acc = acc < 0 ? -acc : acc; break;
		case 7: acc >>= x & 7; break;
		case 8: x += op; break;
		case 9: if (x > 20) { pc = plen; } break;
		default: acc++; break;
		}
		pc++;
	}
	out[g] = acc;
}
KERNEL void switch_sparse(__global const int *in, __global int *out)
{
	size_t i = get_global_id(0); int r;
	switch (in[i]) { case -100: r = 1; break; case 7: r = in[i] * 5; break; case 1000: r = 3; break; case 65536: r = 9; break; default: r = ~in[i]; }
	out[i] = r;
}
