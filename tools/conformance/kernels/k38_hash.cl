// SPDX-License-Identifier: MIT
#include "conformance.h"
__constant uint K[16] = { 0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174 };
#define ROR(x, n) rotate((x), (uint)(32 - (n)))
KERNEL void sha_rounds(__global const uint *in, __global uint *out)
{
	size_t g = get_global_id(0); uint w[16], s[8];
	for (int i = 0; i < 16; i++) w[i] = in[g * 16 + i];
	for (int i = 0; i < 8; i++) s[i] = K[i] ^ (uint)g;
	for (int r = 0; r < 4; r++) for (int i = 0; i < 16; i++) {
		uint t1 = s[7] + (ROR(s[4], 6) ^ ROR(s[4], 11) ^ ROR(s[4], 25)) + ((s[4] & s[5]) ^ (~s[4] & s[6])) + K[i] + w[i];
		uint t2 = (ROR(s[0], 2) ^ ROR(s[0], 13) ^ ROR(s[0], 22)) + ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
		s[7] = s[6]; s[6] = s[5]; s[5] = s[4]; s[4] = s[3] + t1; s[3] = s[2]; s[2] = s[1]; s[1] = s[0]; s[0] = t1 + t2;
		uint a = w[(i + 1) & 15], b = w[(i + 14) & 15];
		w[i] += (ROR(a, 7) ^ ROR(a, 18) ^ (a >> 3)) + w[(i + 9) & 15] + (ROR(b, 17) ^ ROR(b, 19) ^ (b >> 10));
	}
	for (int i = 0; i < 8; i++) out[g * 8 + i] = s[i];
}
KERNEL void fnv(__global const uchar *s, __global const uint *off, __global uint *o)
{
	size_t g = get_global_id(0); uint h = 2166136261u;
	for (uint i = off[g]; i < off[g + 1]; i++) { h ^= s[i]; h *= 16777619u; }
	o[g] = h;
}
