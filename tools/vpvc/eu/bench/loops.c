// SPDX-License-Identifier: MIT
/* The loops of the benchmark, for a CPU; bench.c and tests call them. */
#include "eu/bench/loops.h"

#include <math.h>

#define GROUP 1024	/* values a work-group of the reduction adds */

void loop_triad(float *a, const float *b, const float *c, float s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		a[i] = b[i] + s * c[i];
}

void loop_matmul(float *c, const float *a, const float *b, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		for (unsigned int j = 0; j < n; j++) {
			float sum = 0;

			for (unsigned int k = 0; k < n; k++)
				sum += a[i * n + k] * b[k * n + j];
			c[i * n + j] = sum;
		}
}

void loop_nbody(float *out, const float *body, unsigned int items, unsigned int n)
{
	for (unsigned int i = 0; i < items; i++) {
		const float *me = body + 4 * i;
		float x = 0, y = 0, z = 0;

		for (unsigned int j = 0; j < n; j++) {
			const float *other = body + 4 * j;
			float dx = other[0] - me[0], dy = other[1] - me[1];
			float dz = other[2] - me[2];
			float r = 1 / sqrtf(dx * dx + dy * dy + dz * dz + 0.25f);
			float s = other[3] * r * r * r;

			x += dx * s;
			y += dy * s;
			z += dz * s;
		}
		out[4 * i] = x;
		out[4 * i + 1] = y;
		out[4 * i + 2] = z;
		out[4 * i + 3] = 0;
	}
}

void loop_reduce(uint32_t *out, const uint32_t *in, unsigned int groups)
{
	for (unsigned int g = 0; g < groups; g++) {
		uint32_t sum = 0;

		for (unsigned int i = 0; i < GROUP; i++)
			sum += in[g * GROUP + i];
		out[g] = sum;
	}
}

void loop_diverge(uint32_t *out, const uint32_t *in, unsigned int items)
{
	for (unsigned int i = 0; i < items; i++) {
		uint32_t n = in[i], steps = 0, sum = 0;

		if (!n) {
			out[i] = 12345;
			continue;
		}
		while (n != 1) {
			n = n & 1 ? 3 * n + 1 : n / 2;
			if (++steps > 90)
				break;
			if (n % 5 == 0)
				continue;
			for (uint32_t k = 0; k < n % 7; k++) {
				if (k == 4)
					break;
				sum += k * steps;
			}
		}
		out[i] = sum * 100 + steps;
	}
}
