// SPDX-License-Identifier: MIT
#include "conformance.h"
KERNEL void priv_sort(__global const int *in, __global int *out)
{
	int a[24], g = get_global_id(0);
	for (int i = 0; i < 24; i++) a[i] = in[g * 24 + i];
	for (int i = 1; i < 24; i++) { int v = a[i], j = i - 1; while (j >= 0 && a[j] > v) { a[j + 1] = a[j]; j--; } a[j + 1] = v; }
	for (int i = 0; i < 24; i++) out[g * 24 + i] = a[i];
}
KERNEL void priv_dyn(__global const uchar *in, __global ushort *out, int n)
{
	uchar tab[64]; ushort h[16]; int g = get_global_id(0);
	for (int i = 0; i < 64; i++) tab[i] = i * 7 + g;
	for (int i = 0; i < 16; i++) h[i] = 0;
	for (int i = 0; i < n; i++) h[tab[in[(g + i) & 1023] & 63] & 15] += i;
	for (int i = 0; i < 16; i++) out[g * 16 + i] = h[i];
}
KERNEL void priv_big(__global const float *in, __global float *out, int n)
{
	float t[300]; int g = get_global_id(0);
	for (int i = 0; i < 300; i++) t[i] = in[i] * g;
	for (int i = 0; i < n; i++) t[(i * 7 + g) % 300] += t[(i * 13) % 300];
	float s = 0; for (int i = 0; i < 300; i++) s += t[i];
	out[g] = s;
}
