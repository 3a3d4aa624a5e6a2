// SPDX-License-Identifier: MIT
// Branches, calls, private memory and printf. tools/conformance/run splits this at the lines that name a file.
#include "conformance.h"

// file: k20_switch.cl
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

// file: k21_diverge.cl
KERNEL void collatz(__global const uint *in, __global uint *out)
{
	uint n = in[get_global_id(0)], c = 0;
	while (n != 1) { n = (n & 1) ? 3 * n + 1 : n >> 1; if (++c > 1000) break; }
	out[get_global_id(0)] = c;
}
KERNEL void nested(__global const int *a, __global int *out, int n)
{
	int g = get_global_id(0), s = 0;
	for (int i = 0; i < n; i++) {
		if ((a[i] ^ g) & 1) continue;
		for (int j = i; j < n; j++) {
			if (a[j] > g) { s += 10; if (s > 500) goto done; break; }
			if (a[j] == -1) { s += j; continue; }
			int k = j;
			do { s += k & 3; k -= 2; if (k == g) break; } while (k > 0);
		}
		if (s > 300) break;
	}
done:
	out[g] = s;
}
KERNEL void gcd(__global const uint *a, __global const uint *b, __global uint *o)
{
	size_t i = get_global_id(0); uint x = a[i], y = b[i];
	while (y) { uint t = x % y; x = y; y = t; }
	o[i] = x;
}
KERNEL void early_ret(__global const float *in, __global float *out, float lim)
{
	size_t i = get_global_id(0); float v = in[i];
	if (v < 0) { out[i] = -1; return; }
	for (int k = 0; k < 8; k++) { v = v * 1.5f + 0.25f; if (v > lim) { out[i] = v; return; } }
	if (v > 2) { if (v > 4) out[i] = 4; else out[i] = 2; } else out[i] = v;
}

// file: k22_calls.cl
__attribute__((noinline)) int helper(int a, int b) { int s = 0; for (int i = 0; i < (b & 7); i++) s += a * i - b; return s; }
__attribute__((noinline)) float poly(float x, float a, float b, float c) { return (a * x + b) * x + c; }
__attribute__((noinline)) int outer(int a) { return a > 4 ? helper(a, 3) + helper(a, a) : helper(-a, 2); }
KERNEL void calls(__global const int *in, __global int *out, __global float *f)
{
	size_t i = get_global_id(0); int v = in[i];
	int r = outer(v);
	if (v & 1) r += helper(v, r);
	out[i] = r; f[i] = poly((float)v, 0.5f, 2.0f, -1.0f) + poly(f[i], 1.0f, 0.0f, (float)r);
}

// file: k23_stackcall.cl
// Recursion is outside the OpenCL C rules, but IGC accepts it and lowers it with its stack-call ABI (call/ret + frame in scratch).
__attribute__((noinline)) int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
__attribute__((noinline)) int ack(int m, int n, __global int *cnt) { ++*cnt; return !m ? n + 1 : !n ? ack(m - 1, 1, cnt) : ack(m - 1, ack(m, n - 1, cnt), cnt); }
KERNEL void use_fib(__global const int *in, __global int *out) { size_t i = get_global_id(0); out[i] = fib(in[i] & 7); }
KERNEL void use_ack(__global const int *in, __global int *out, __global int *cnt) { size_t i = get_global_id(0); out[i] = ack(in[i] & 1, in[i] & 3, cnt + i); }

// file: k24_private.cl
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

// file: k25_spill.cl
#define R16(M) M(0) M(1) M(2) M(3) M(4) M(5) M(6) M(7) M(8) M(9) M(10) M(11) M(12) M(13) M(14) M(15)
KERNEL void pressure(__global const float8 *in, __global float8 *out, int n)
{
	int g = get_global_id(0), s = get_global_size(0);
#define D(i) float8 v##i = in[g + s * i];
	R16(D)
	for (int k = 0; k < n; k++) {
		float8 t = v0;
		v0 = v0 * v15 + v7; v1 = v1 * v14 + v6; v2 = v2 * v13 + v5; v3 = v3 * v12 + v4;
		v4 = v4 * v11 + v3; v5 = v5 * v10 + v2; v6 = v6 * v9 + v1; v7 = v7 * v8 + t;
		v8 = v8 + v0.s10325476; v9 = v9 + v1; v10 = v10 - v2; v11 = v11 + v3; v12 = v12 - v4; v13 = v13 + v5; v14 = v14 - v6; v15 = v15 * 0.5f;
	}
#define S(i) out[g + s * i] = v##i;
	R16(S)
}

// file: k26_printf.cl
KERNEL void hello(__global const int *in, int n)
{
	int g = get_global_id(0);
	if (g < n) printf("wi %d has %d (%f) %s\n", g, in[g], (float)in[g] * 0.5f, "str");
}

// file: k35_generic.cl
int sum3(const int *p) { return p[0] + p[1] + p[2]; }
__attribute__((noinline)) int sum3n(const int *p) { return p[0] - p[1] + p[2]; }
KERNEL void generic_ptr(__global const int *in, __global int *out, int sel)
{
	__local int t[64]; int pr[4]; uint l = get_local_id(0), g = get_global_id(0);
	t[l & 63] = in[g] * 2; for (int i = 0; i < 4; i++) pr[i] = in[g + i] + sel;
	barrier(CLK_LOCAL_MEM_FENCE);
	const int *p = (g + sel) % 3 == 0 ? (const int *)in + g : (g + sel) % 3 == 1 ? (const int *)t + (l & 31) : (const int *)pr;
	out[g] = sum3(p) + sum3n(p) + (to_local(p) != 0) * 1000;
}
