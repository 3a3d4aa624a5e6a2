// SPDX-License-Identifier: MIT
/*
 * References for the kernels over sub-groups, where work-item i is item i % simd of a sub-group, and
 * for the joint algorithms, where a whole group works on one array.
 */
#include <math.h>
#include <string.h>

#include "reference.h"

static void sg_ids(const struct cts_run *r)
{
	uint32_t (*o)[8] = r->buffer[0];
	unsigned int i;

	for (i = 0; i < r->items; i++) {
		o[i][0] = o[i][1] = r->simd;
		o[i][2] = o[i][7] = (r->local + r->simd - 1) / r->simd;
		o[i][3] = i % r->local / r->simd;
		o[i][4] = i % r->simd;
		o[i][5] = i % r->local;
		o[i][6] = i / r->local;
	}
}

/* Bit l is set if item l of the sub-group of @i is above @least. */
static uint32_t ballot_above(const struct cts_run *r, const int32_t *in, unsigned int i,
			     int32_t least)
{
	const int32_t *v = in + i - i % r->simd;
	uint32_t bits = 0;
	unsigned int l;

	for (l = 0; l < r->simd; l++)
		bits |= (uint32_t)(v[l] > least) << l;
	return bits;
}

static void sg_ballot(const struct cts_run *r)
{
	const int32_t *in = r->buffer[0];
	uint32_t (*o)[4] = r->buffer[1], (*p)[4] = r->buffer[2];
	unsigned int i;

	for (i = 0; i < r->items; i++) {
		uint32_t b = ballot_above(r, in, i, 3), below = (1u << i % r->simd) - 1;

		o[i][0] = b;
		o[i][1] = __builtin_popcount(b);
		o[i][2] = __builtin_ctz(b);
		o[i][3] = 31 - __builtin_clz(b);
		p[i][0] = b >> i % r->simd & 1;
		p[i][1] = __builtin_popcount(b & below);
		p[i][2] = !(i % r->simd);
		p[i][3] = below;
	}
}

static void sg_votes(const struct cts_run *r)
{
	const int32_t *in = r->buffer[0];
	int32_t (*o)[4] = r->buffer[1];
	unsigned int i, l;

	for (i = 0; i < r->items; i++) {
		const int32_t *v = in + i - i % r->simd;
		int any5 = 0, all100 = 1, any8 = 0, all2 = 1, equal = 1;

		for (l = 0; l < r->simd; l++) {
			any5 |= v[l] == 5;
			all100 &= v[l] < 100;
			if (!(v[l] & 1))
				continue;
			any8 |= v[l] > 8;
			all2 &= v[l] > 2;
			equal &= v[l] == in[i];
		}
		o[i][0] = any5;
		o[i][1] = all100;
		o[i][2] = in[i] & 1 ? any8 + 2 * all2 + 4 * equal : 0;
		o[i][3] = v[3];
	}
}

static void sg_bcast_first(const struct cts_run *r)
{
	const int32_t *in = r->buffer[0];
	int32_t *o = r->buffer[1];
	unsigned int i;

	for (i = 0; i < r->items; i++) {
		const int32_t *v = in + i - i % r->simd;

		o[i] = in[i] > 2 ? v[__builtin_ctz(ballot_above(r, in, i, 2))] + v[7] : in[i];
	}
}

static void sg_red(const struct cts_run *r)
{
	const int32_t *in = r->buffer[0];
	int32_t (*o)[4] = r->buffer[1];
	const float *f = r->buffer[2];
	float (*p)[4] = r->buffer[3];
	unsigned int i, l;

	for (i = 0; i < r->items; i++) {
		const int32_t *v = in + i - i % r->simd;
		const float *x = f + i - i % r->simd;
		uint32_t sum = 0, scan = 0;
		int32_t min = INT32_MAX, max = INT32_MIN;
		double fsum = 0, fscan = 0;
		float fmost = -INFINITY, fbest = -INFINITY;

		for (l = 0; l < r->simd; l++) {
			sum += v[l];
			scan += l <= i % r->simd ? v[l] : 0;
			min = v[l] < min ? v[l] : min;
			max = v[l] > max ? v[l] : max;
			fsum += x[l];
			fscan += l < i % r->simd ? x[l] : 0;
			fmost = fmaxf(fmost, x[l]);
			fbest = l <= i % r->simd ? fmaxf(fbest, x[l]) : fbest;
		}
		o[i][0] = sum;
		o[i][1] = min;
		o[i][2] = max;
		o[i][3] = scan;
		p[i][0] = (float)fsum;
		p[i][1] = fmost;
		p[i][2] = (float)fscan;
		p[i][3] = fbest;
	}
}

static void sg_red64(const struct cts_run *r)
{
	const int64_t *in = r->buffer[0];
	int64_t (*o)[2] = r->buffer[1];
	const double *f = r->buffer[2];
	double (*p)[2] = r->buffer[3];
	unsigned int i, l;

	for (i = 0; i < r->items; i++) {
		const int64_t *v = in + i - i % r->simd;
		const double *x = f + i - i % r->simd;
		int64_t max = INT64_MIN;
		uint64_t sum = 0;
		double fsum = 0, min = INFINITY;

		for (l = 0; l < r->simd; l++) {
			sum += v[l];
			max = l < i % r->simd && v[l] > max ? v[l] : max;
			fsum += x[l];
			min = l <= i % r->simd ? fmin(min, x[l]) : min;
		}
		o[i][0] = sum;
		o[i][1] = max;
		p[i][0] = fsum;
		p[i][1] = min;
	}
}

/* Only work-items with an odd input take part. */
static void sg_nu(const struct cts_run *r)
{
	const uint32_t *in = r->buffer[0];
	uint32_t (*o)[4] = r->buffer[1];
	unsigned int i, l;

	for (i = 0; i < r->items; i++) {
		const uint32_t *v = in + i - i % r->simd;
		uint32_t sum = 0, product = 1, odd = 0, or = 0;

		memset(o[i], 0, sizeof(o[i]));
		if (!(in[i] & 1))
			continue;
		for (l = 0; l < r->simd; l++) {
			if (!(v[l] & 1))
				continue;
			sum += v[l];
			odd ^= v[l];
			product *= l <= i % r->simd ? v[l] : 1;
			or |= l < i % r->simd ? v[l] : 0;
		}
		o[i][0] = sum;
		o[i][1] = product;
		o[i][2] = odd;
		o[i][3] = or;
	}
}

static void sg_shuf(const struct cts_run *r)
{
	const uint32_t *in = r->buffer[0], *idx = r->buffer[1];
	uint32_t (*o)[4] = r->buffer[2];
	unsigned int i, n = r->simd;

	for (i = 0; i < r->items; i++) {
		unsigned int l = i % n;
		const uint32_t *v = in + i - l;

		o[i][0] = v[idx[i] & (n - 1)];
		o[i][1] = v[l ^ 5];
		o[i][2] = l >= 3 ? v[l - 3] : 0;
		o[i][3] = l + 2 < n ? v[l + 2] : 0;
	}
}

static void sg_shuf_ty(const struct cts_run *r)
{
	static const unsigned int size[4] = { 8, 8, 1, 2 };
	unsigned int i, t, l, n = r->simd;

	for (i = 0; i < r->items; i++) {
		for (t = 0; t < 4; t++) {
			uint8_t *to = (uint8_t *)r->buffer[4 + t] + i * size[t];

			l = i % n;
			l = t == 1 ? l ^ 1 : t == 3 ? l + 1 : (l * 7 + 3) % n;
			if (l < n)
				memcpy(to, (uint8_t *)r->buffer[t] + (i - i % n + l) * size[t],
				       size[t]);
		}
	}
}

static void sg_clus(const struct cts_run *r)
{
	const int32_t *in = r->buffer[0];
	uint32_t (*o)[4] = r->buffer[1];
	const float *f = r->buffer[2];
	float (*p)[2] = r->buffer[3];
	unsigned int i, l;

	for (i = 0; i < r->items; i++) {
		uint32_t sum = 0, product = 1;
		int32_t max = INT32_MIN;
		double fsum = 0;
		float min = INFINITY;

		for (l = 0; l < 16; l++) {
			sum += l < 4 ? in[i / 4 * 4 + l] : 0;
			product *= in[i / 16 * 16 + l];
			if (l < 8 && in[i / 8 * 8 + l] > max)
				max = in[i / 8 * 8 + l];
			fsum += l < 8 ? f[i / 8 * 8 + l] : 0;
			min = l < 4 ? fminf(min, f[i / 4 * 4 + l]) : min;
		}
		o[i][0] = sum;
		o[i][1] = max;
		o[i][2] = in[i / 2 * 2] & in[i / 2 * 2 + 1];
		o[i][3] = product;
		p[i][0] = (float)fsum;
		p[i][1] = min;
	}
}

const struct cts_reference_entry cts_subgroup_references[] = {
	{ "sg_ids", sg_ids },
	{ "sg_ballot", sg_ballot },
	{ "sg_votes", sg_votes },
	{ "sg_bcast_first", sg_bcast_first },
	{ "sg_red", sg_red },
	{ "sg_red64", sg_red64 },
	{ "sg_nu", sg_nu },
	{ "sg_shuf", sg_shuf },
	{ "sg_shuf_ty", sg_shuf_ty },
	{ "sg_clus", sg_clus },
	{ NULL, NULL },
};

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
