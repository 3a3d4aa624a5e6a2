// SPDX-License-Identifier: MIT
/* References for the joint algorithms, where a whole group works on one array. */
#include "reference.h"

#define MOST(a, b)	((a) < (b) ? (b) : (a))
#define JOINT	37

static void g_joint(const struct cts_run *r)
{
	const int *in = r->buffer[0], *p = r->buffer[1];
	int *ex = r->buffer[2], *inc = r->buffer[3];
	int (*o)[10] = r->buffer[4];
	unsigned int i, k;

	for (i = 0; i < r->items; i++) {
		bool yes = p[i] & 1;
		size_t area = (i / r->simd * 2 + !yes) * JOINT;
		const int *v = in + area;
		unsigned int sum = 0, least = 1000, bits = 99;
		int most = 7, highest = INT32_MIN;
		bool large = false, positive = true;

		for (k = 0; k < JOINT; k++) {
			ex[area + k] = yes ? (int)sum : (int)least;
			sum += v[k];
			bits ^= v[k];
			if (v[k] < (int)least)
				least = v[k];
			most = MOST(most, v[k]);
			highest = MOST(highest, v[k]);
			large |= v[k] > 900;
			positive &= v[k] > 0;
			inc[area + k] = yes ? (int)bits : highest;
		}
		o[i][0] = sum;
		o[i][1] = most;
		o[i][2] = large;
		o[i][3] = positive;
		o[i][4] = !large;
		o[i][5] = 0;
		o[i][6] = o[i][7] = area + JOINT;
	}
}

static void g_joint_local(const struct cts_run *r)
{
	const int *in = r->buffer[0];
	int *o = r->buffer[1];
	unsigned int i, k;

	for (i = 0; i < r->items; i++) {
		const int *s = in + i / r->local * r->local;
		unsigned int sum = 0;
		bool positive = true;

		for (k = 0; k < 64; k++) {
			sum += k < 61 ? s[k] : 0;
			positive &= s[k] > 0;
		}
		o[i] = sum + positive;
	}
}

const struct cts_reference_entry cts_joint_references[] = {
	{ "g_joint", g_joint },
	{ "g_joint_local", g_joint_local },
	{ NULL, NULL },
};
