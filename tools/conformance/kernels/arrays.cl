// SPDX-License-Identifier: MIT
// Arrays: sums, stencils, vectors, structs and constants in memory. tools/conformance/run splits this at the lines that name a file.
#include "conformance.h"

// file: k01_vecadd.cl
KERNEL void vadd_f(__global float *o, __global const float *a, __global const float *b)
{ size_t i = get_global_id(0); o[i] = a[i] + b[i]; }
KERNEL void vadd_i(__global int *o, __global const int *a, __global const int *b, int n)
{ int i = (int)get_global_id(0); if (i < n) o[i] = a[i] + b[i]; }
KERNEL void vadd_f4(__global float4 *o, __global const float4 *a, __global const float4 *b)
{ size_t i = get_global_id(0); o[i] = a[i] + b[i]; }
KERNEL void fill_iota(__global uint *o, uint base, uint step)
{ size_t i = get_global_id(0); o[i] = base + step * (uint)i; }

// file: k02_triad_saxpy.cl
KERNEL void triad(__global float *a, __global const float *b, __global const float *c, float s)
{ size_t i = get_global_id(0); a[i] = b[i] + s * c[i]; }
KERNEL void saxpy_stride(__global float *y, __global const float *x, float a, uint n)
{ for (uint i = get_global_id(0); i < n; i += get_global_size(0)) y[i] = fma(a, x[i], y[i]); }
KERNEL void daxpy(__global double *y, __global const double *x, double a, ulong n)
{ for (ulong i = get_global_id(0); i < n; i += get_global_size(0)) y[i] = a * x[i] + y[i]; }

// file: k05_stencil2d.cl
KERNEL void stencil5(__global const float *in, __global float *out, int w, int h, float c0, float c1)
{
	int x = get_global_id(0), y = get_global_id(1);
	if (x <= 0 || y <= 0 || x >= w - 1 || y >= h - 1) return;
	int i = y * w + x;
	out[i] = c0 * in[i] + c1 * (in[i - 1] + in[i + 1] + in[i - w] + in[i + w]);
}
KERNEL void life(__global const uchar *in, __global uchar *out, int w, int h)
{
	int x = get_global_id(0), y = get_global_id(1), n = 0;
	for (int dy = -1; dy <= 1; dy++)
		for (int dx = -1; dx <= 1; dx++)
			if (dx | dy) n += in[((y + dy + h) % h) * w + (x + dx + w) % w];
	out[y * w + x] = (n == 3) || (n == 2 && in[y * w + x]);
}

// file: k06_stencil3d.cl
KERNEL void stencil7(__global const float *in, __global float *out, int nx, int ny, int nz)
{
	int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
	size_t p = (size_t)nx * ny, i = z * p + (size_t)y * nx + x;
	float c = in[i];
	float l = x ? in[i - 1] : c, r = x < nx - 1 ? in[i + 1] : c;
	float u = y ? in[i - nx] : c, d = y < ny - 1 ? in[i + nx] : c;
	float f = z ? in[i - p] : c, b = z < nz - 1 ? in[i + p] : c;
	out[i] = (l + r + u + d + f + b - 6.0f * c) * 0.125f + c;
}

// file: k38_hash.cl
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

// file: k40_vecmem.cl
struct S { char a; short b; int c; float d; long e; };
KERNEL void vmem(__global const uchar *in, __global uchar *out, __global const short *s, __global short *t)
{
	size_t g = get_global_id(0);
	uchar16 v = vload16(g, in + 1); vstore16(v + (uchar)1, g, out + 3);
	short3 w = vload3(g, s); vstore3(w * (short)2, g, t);
}
KERNEL void structs(__global const struct S *in, __global struct S *out, struct S k)
{ size_t g = get_global_id(0); struct S x = in[g]; x.a += k.a; x.b -= k.b; x.c *= k.c; x.d += k.d; x.e ^= k.e; out[g] = x; }
KERNEL void aos16(__global const double2 *in, __global double2 *out) { size_t g = get_global_id(0); out[g] = in[g].yx * 2.0; }
KERNEL void f16copy(__global const float16 *in, __global float16 *out) { size_t g = get_global_id(0); out[g] = in[g] + 1.0f; }
KERNEL void unaligned(__global const uchar *in, __global uint *out)
{ size_t g = get_global_id(0); struct __attribute__((packed)) U { uchar p; uint v; } ; out[g] = ((__global const struct U *)in)[g].v; }

// file: k41_constbuf.cl
__constant float coef[9] = { 1, 2, 1, 2, 4, 2, 1, 2, 1 };
__constant uchar lut[256] = { [1] = 3, [7] = 9, [128] = 55, [255] = 1 };
__global int gcounter = 7;
KERNEL void conv3(__global const float *in, __global float *out, int w, __constant float *scale, int2 off)
{
	int x = get_global_id(0) + off.x, y = get_global_id(1) + off.y; float s = 0;
	for (int j = 0; j < 3; j++) for (int i = 0; i < 3; i++) s += coef[j * 3 + i] * in[(y + j) * w + x + i];
	out[(y + 1) * w + x + 1] = s * scale[(x & 1)];
}
KERNEL void lookup(__global const uchar *in, __global uchar *out)
{ size_t g = get_global_id(0); out[g] = lut[in[g]] + (uchar)atomic_add(&gcounter, 0); }

// file: k47_mandel.cl
KERNEL void mandel(__global uint *o, int w, int h, int maxit, float x0, float y0, float dx)
{
	int x = get_global_id(0), y = get_global_id(1), n = 0; float cr = x0 + dx * x, ci = y0 + dx * y, a = 0, b = 0;
	while (n < maxit && a * a + b * b < 4.0f) { float t = a * a - b * b + cr; b = 2 * a * b + ci; a = t; n++; }
	o[y * w + x] = n;
}
