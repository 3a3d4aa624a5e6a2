// SPDX-License-Identifier: MIT
/*
 * References for the kernels over non-uniform groups, written from
 * Documentation/gpu/xetile/groups.rst: a group is a set of work-items of a sub-group, in
 * their order.
 */
#include <math.h>
#include <string.h>

#include "reference.h"

/* Work-items of a group by their number in the launch; @me is the caller's index. */
struct members {
	unsigned int num, me;
	unsigned int item[32];
};

/* The group of @i: work-items of its sub-group for which @same is true. */
static struct members members_of(const struct cts_run *r, unsigned int i,
				 bool (*same)(const void *ctx, unsigned int a, unsigned int b),
				 const void *ctx)
{
	unsigned int first = i - i % r->simd, k;
	struct members g = { 0 };

	for (k = first; k < first + r->simd; k++) {
		if (!same(ctx, i, k))
			continue;
		if (k == i)
			g.me = g.num;
		g.item[g.num++] = k;
	}
	return g;
}

/* @same for an array with a key of each work-item */
static bool same_int(const void *ctx, unsigned int a, unsigned int b)
{
	const int *v = ctx;

	return v[a] == v[b];
}

static struct members same_key(const struct cts_run *r, unsigned int i, const int *key)
{
	return members_of(r, i, same_int, key);
}

static struct members part_of(const struct cts_run *r, unsigned int i, unsigned int size)
{
	int key[CTS_GROUP_ITEMS];
	unsigned int k;

	for (k = 0; k < r->items; k++)
		key[k] = k % r->simd / size;
	return same_key(r, i, key);
}

/* --- g01: members ------------------------------------------------------------------ */

static void tell(const struct members *g, unsigned int id, unsigned int range, uint32_t *t)
{
	t[0] = t[4] = id;
	t[1] = t[5] = g->me;
	t[2] = t[6] = range;
	t[3] = t[7] = g->num;
	t[8] = g->me == 0;
	t[9] = 1 + 2 + 8;
}

static void g_ballot(const struct cts_run *r)
{
	const int *in = r->buffer[0];
	uint32_t (*o)[10] = r->buffer[1];
	int key[CTS_GROUP_ITEMS];
	unsigned int i;

	for (i = 0; i < r->items; i++)
		key[i] = in[i] & 1;
	for (i = 0; i < r->items; i++) {
		struct members g = same_key(r, i, key);

		tell(&g, key[i] ? 0 : 1, 2, o[i]);
		o[i][9] += 16;
	}
}

static void g_ballot_branch(const struct cts_run *r)
{
	const int *in = r->buffer[0];
	uint32_t (*o)[10] = r->buffer[1];
	int key[CTS_GROUP_ITEMS];
	unsigned int i;

	for (i = 0; i < r->items; i++)
		key[i] = in[i] % 3 == 0;
	for (i = 0; i < r->items; i++) {
		struct members g = same_key(r, i, key);

		tell(&g, key[i] ? 0 : 1, 2, o[i]);
		o[i][9] += key[i] ? 100 : 0;
	}
}

static void g_fixed(const struct cts_run *r)
{
	uint32_t (*o)[50] = r->buffer[1];
	unsigned int i, n;

	for (i = 0; i < r->items; i++) {
		for (n = 0; n < 5; n++) {
			struct members g = part_of(r, i, 1u << n);

			tell(&g, i % r->simd >> n, r->simd >> n, o[i] + n * 10);
		}
	}
}

static void g_tangle(const struct cts_run *r)
{
	const int *in = r->buffer[0];
	uint32_t (*o)[10] = r->buffer[1];
	int key[CTS_GROUP_ITEMS];
	unsigned int i;

	for (i = 0; i < r->items; i++)
		key[i] = in[i] & 1 ? 0 : in[i] & 2 ? 1 : 2;
	for (i = 0; i < r->items; i++) {
		struct members g = same_key(r, i, key);

		tell(&g, 0, 1, o[i]);
		o[i][9] += key[i] * 100;
	}
}

static void g_opportunistic(const struct cts_run *r)
{
	const int *in = r->buffer[0];
	uint32_t *o = r->buffer[1], *sum = r->buffer[2];
	unsigned int i;

	for (i = 0; i < r->items; i++) {
		o[i] = in[i] & 1 ? in[i] & 2 ? 7 : 5 : 1;
		*sum += !(in[i] & 1);
	}
}

/* --- g02: functions ------------------------------------------------------------------ */

/* The value of member @id, or the caller's if there is no such member. */
static int at(const struct members *g, const int *v, unsigned int id)
{
	return v[g->item[id < g->num ? id : g->me]];
}

static void work(const struct members *g, const int *v, int *t)
{
	bool any = false, all = true, none = true;
	unsigned int k;

	for (k = 0; k < g->num; k++) {
		any |= at(g, v, k) > 90;
		all &= at(g, v, k) > 10;
		none &= at(g, v, k) != 42;
	}
	t[0] = at(g, v, 0);
	t[1] = at(g, v, g->num - 1);
	t[2] = at(g, v, (g->me * 7 + 3) % g->num);
	t[3] = at(g, v, g->me + 1);
	t[4] = at(g, v, g->me >= 2 ? g->me - 2 : g->me);
	t[5] = at(g, v, g->me ^ 1);
	t[6] = any;
	t[7] = all;
	t[8] = none;
	t[9] = at(g, v, g->me ^ 5);
}

/* Groups are work-items of equal key; a value is @scale * in + @add, both by the key. */
static void work_by_key(const struct cts_run *r, const int *key, const int *scale,
			const int *add)
{
	const int *in = r->buffer[0];
	int (*o)[10] = r->buffer[2];
	unsigned int i;
	int v[CTS_GROUP_ITEMS];

	for (i = 0; i < r->items; i++)
		v[i] = scale[key[i]] * in[i] + add[key[i]];
	for (i = 0; i < r->items; i++) {
		struct members g = same_key(r, i, key);

		work(&g, v, o[i]);
	}
}

static void g_together(const struct cts_run *r)
{
	const int *p = r->buffer[1];
	int key[CTS_GROUP_ITEMS];
	unsigned int i;

	for (i = 0; i < r->items; i++)
		key[i] = p[i] > 50;
	work_by_key(r, key, (int[]){ 1, 1 }, (int[]){ 0, 0 });
}

static void g_branches(const struct cts_run *r)
{
	const int *p = r->buffer[1];
	int key[CTS_GROUP_ITEMS];
	unsigned int i;

	for (i = 0; i < r->items; i++)
		key[i] = p[i] > 50;
	work_by_key(r, key, (int[]){ 1, 1 }, (int[]){ 1, 0 });
}

static void g_parts(const struct cts_run *r)
{
	const int *in = r->buffer[0];
	int (*o)[10] = r->buffer[2];
	unsigned int i;

	for (i = 0; i < r->items; i++) {
		struct members g = part_of(r, i, 8);

		work(&g, in, o[i]);
	}
}

static void g_tangles(const struct cts_run *r)
{
	const int *p = r->buffer[1];
	int key[CTS_GROUP_ITEMS];
	unsigned int i;

	for (i = 0; i < r->items; i++)
		key[i] = p[i] & 1 ? p[i] & 2 ? 0 : 1 : 2;
	work_by_key(r, key, (int[]){ 1, -1, 2 }, (int[]){ 0, 0, 0 });
}

/* The sum over three rounds of the values that the next member of @g gives. */
static int next_rounds(const struct members *g, const int *in)
{
	int next = in[g->item[(g->me + 1) % g->num]], round, sum = 0;

	for (round = 0; round < 3; round++)
		sum += next + round + next * round;
	return sum;
}

static void g_barrier(const struct cts_run *r)
{
	const int *in = r->buffer[0];
	int *o = r->buffer[1], *t = r->buffer[2];
	int key[CTS_GROUP_ITEMS];
	unsigned int i;

	for (i = 0; i < r->items; i++)
		key[i] = in[i] & 1;
	for (i = 0; i < r->items; i++) {
		struct members g = same_key(r, i, key), f = part_of(r, i, 4);

		o[i] += next_rounds(&f, in);
		if (key[i])
			o[i] += next_rounds(&g, in);
		t[i] = in[i] * 2;
	}
}

/* --- g03: reductions and scans --------------------------------------------------------- */

#define LEAST(a, b)	((b) < (a) ? (b) : (a))
#define MOST(a, b)	((a) < (b) ? (b) : (a))
#define PLUS(a, b)	((a) + (b))
#define TIMES(a, b)	((a) * (b))
#define BOTH(a, b)	((a) && (b))
#define EITHER(a, b)	((a) || (b))
#define AND(a, b)	((a) & (b))
#define OR(a, b)	((a) | (b))
#define XOR(a, b)	((a) ^ (b))

/* Fold op over members [0, n) of g, beginning with start. */
#define FOLD(T, op, g, n, start)						\
({										\
	T all_ = (start);							\
	unsigned int k_;							\
										\
	for (k_ = 0; k_ < (n); k_++)						\
		all_ = (T)op(all_, in[(g).item[k_]]);				\
	all_;									\
})
/* A reduction begins with the first member. */
#define REDUCE(T, op, g)							\
({										\
	T all_ = in[(g).item[0]];						\
	unsigned int k_;							\
										\
	for (k_ = 1; k_ < (g).num; k_++)					\
		all_ = (T)op(all_, in[(g).item[k_]]);				\
	all_;									\
})

#define COMMON(T, lowest)							\
	const T *in = r->buffer[0];						\
	const int *p = r->buffer[1];						\
	T (*o)[16] = r->buffer[2];						\
	int key[CTS_GROUP_ITEMS];						\
	unsigned int i;								\
										\
	for (i = 0; i < r->items; i++)						\
		key[i] = p[i] & 1;						\
	for (i = 0; i < r->items; i++) {					\
		struct members g = same_key(r, i, key), f = part_of(r, i, 4);	\
		T *t = o[i];							\
										\
		t[0] = REDUCE(T, PLUS, g);					\
		t[1] = REDUCE(T, TIMES, g);					\
		t[2] = REDUCE(T, LEAST, g);					\
		t[3] = REDUCE(T, MOST, f);					\
		t[4] = REDUCE(T, BOTH, f);					\
		t[5] = REDUCE(T, EITHER, f);					\
		t[6] = FOLD(T, PLUS, g, g.me, 0);				\
		t[7] = FOLD(T, PLUS, g, g.me + 1, 0);				\
		t[8] = FOLD(T, MOST, g, g.me, lowest);				\
		t[9] = FOLD(T, TIMES, f, f.me, 3);				\
		t[10] = FOLD(T, LEAST, g, g.me + 1, 2);				\
		t[11] = (T)(5 + REDUCE(T, PLUS, g));				\
		MORE(T)								\
	}

#define INTEGER(name, T, lowest)						\
static void g_##name(const struct cts_run *r)				\
{										\
	COMMON(T, lowest)							\
}

#define MORE(T)									\
	t[12] = REDUCE(T, AND, g);						\
	t[13] = REDUCE(T, OR, g);						\
	t[14] = FOLD(T, XOR, g, g.me + 1, 0);					\
	t[15] = FOLD(T, AND, f, f.me, (T)-1);

INTEGER(char, int8_t, INT8_MIN)
INTEGER(uchar, uint8_t, 0)
INTEGER(short, int16_t, INT16_MIN)
INTEGER(ushort, uint16_t, 0)
INTEGER(int, int32_t, INT32_MIN)
INTEGER(uint, uint32_t, 0)
INTEGER(long, int64_t, INT64_MIN)
INTEGER(ulong, uint64_t, 0)

#undef MORE
#define MORE(T)		t[12] = t[13] = t[14] = t[15] = 0;
INTEGER(float, float, -INFINITY)
INTEGER(double, double, -INFINITY)
INTEGER(half, _Float16, (_Float16)-INFINITY)

/* --- g04: divergent code --------------------------------------------------------------- */

static int sum_of(const struct members *g, const int *v, int add)
{
	unsigned int k, sum = 0;

	for (k = 0; k < g->num; k++)
		sum += v[g->item[k]] + add;
	return sum;
}

static void g_loop(const struct cts_run *r)
{
	const int *in = r->buffer[0];
	int *o = r->buffer[1], key[CTS_GROUP_ITEMS], round;
	unsigned int i, k;

	for (i = 0; i < r->items; i++)
		o[i] = 0;
	for (round = 0; round < 15; round++) {
		for (k = 0; k < r->items; k++)
			key[k] = (in[k] & 15) > round;
		for (i = 0; i < r->items; i++) {
			struct members g = same_key(r, i, key);

			if (key[i])
				o[i] += sum_of(&g, in, round) * (round + 1) + (int)g.me;
		}
	}
}

/* All work-items in lock step: key 0 has left the loop, 1 is odd, 2 is even. */
static void g_collatz(const struct cts_run *r)
{
	const uint32_t *in = r->buffer[0];
	uint32_t *o = r->buffer[1], n[CTS_GROUP_ITEMS], s[CTS_GROUP_ITEMS] = { 0 };
	bool left[CTS_GROUP_ITEMS] = { false };
	int key[CTS_GROUP_ITEMS];
	unsigned int i, steps;

	memcpy(n, in, r->items * sizeof(*n));
	for (steps = 0; steps < 40; steps++) {
		uint32_t before[CTS_GROUP_ITEMS];

		memcpy(before, n, r->items * sizeof(*n));
		for (i = 0; i < r->items; i++)
			key[i] = left[i] || n[i] == 1 ? 0 : n[i] & 1 ? 1 : 2;
		for (i = 0; i < r->items; i++) {
			struct members g = same_key(r, i, key);

			if (key[i] == 1) {
				s[i] = s[i] * 3 + g.num;
				n[i] = 3 * n[i] + 1;
			} else if (key[i] == 2) {
				s[i] += before[g.item[0]] + g.me;
				n[i] >>= 1;
			}
			if (key[i] && steps + 1 == 17 && (s[i] & 1))
				left[i] = true;
		}
	}
	memcpy(o, s, r->items * sizeof(*s));
}

static void g_switch(const struct cts_run *r)
{
	const int *in = r->buffer[0];
	int *o = r->buffer[1], key[CTS_GROUP_ITEMS], inner[CTS_GROUP_ITEMS];
	unsigned int i;

	for (i = 0; i < r->items; i++) {
		key[i] = in[i] % 5;
		inner[i] = key[i] == 2 && in[i] > 50;
	}
	for (i = 0; i < r->items; i++) {
		struct members g = same_key(r, i, key);

		switch (key[i]) {
		case 0:
			o[i] = REDUCE(int, MOST, g);
			break;
		case 1:
			o[i] = FOLD(int, PLUS, g, g.me + 1, 0);
			break;
		case 2:
			o[i] = g.num;
			g = same_key(r, i, inner);
			if (inner[i])
				o[i] = o[i] * 100 + g.num;
			break;
		case 3:
			o[i] = in[g.item[0]];
			break;
		default:
			o[i] = -in[g.item[(g.me + 1) % g.num]];
		}
	}
}

static void g_nested(const struct cts_run *r)
{
	const int *in = r->buffer[0];
	int *o = r->buffer[1], a[CTS_GROUP_ITEMS], ab[CTS_GROUP_ITEMS], low[CTS_GROUP_ITEMS];
	unsigned int i, k;

	for (i = 0; i < r->items; i++) {
		a[i] = in[i] & 1;
		ab[i] = (in[i] & 3) == 3;
		low[i] = !a[i] && in[i] <= 60;
	}
	for (i = 0; i < r->items; i++) {
		struct members g = same_key(r, i, a), gab = same_key(r, i, ab);

		if (a[i]) {
			int any = 0;

			for (k = 0; k < g.num; k++)
				any |= in[g.item[k]] > 95;
			o[i] = sum_of(&g, in, 0) + (ab[i] ? 1000 * (int)gab.me : 0) + any;
		} else if (in[i] > 60) {
			o[i] = -1;
		} else {
			g = same_key(r, i, low);
			o[i] = REDUCE(int, LEAST, g);
		}
	}
}

/* --- g06: examples ------------------------------------------------------------------------ */

static void g_ex_branch(const struct cts_run *r)
{
	const float *in = r->buffer[0];
	float *o = r->buffer[1];
	int key[CTS_GROUP_ITEMS];
	unsigned int i;

	for (i = 0; i < r->items; i++)
		key[i] = i % r->simd % 2 == 0;
	for (i = 0; i < r->items; i++) {
		struct members g = same_key(r, i, key);

		if (key[i])
			o[i] = REDUCE(float, PLUS, g);
	}
}

static void g_ex_fixed(const struct cts_run *r)
{
	const float *in = r->buffer[0];
	float *o = r->buffer[1];
	unsigned int i;

	for (i = 0; i < r->items; i += 8) {
		struct members g = part_of(r, i, 8);

		o[i / 8] = REDUCE(float, PLUS, g);
	}
}

static void g_ex_opportunistic(const struct cts_run *r)
{
	const int *in = r->buffer[0];
	uint32_t *counter = r->buffer[1], *seen = r->buffer[2];
	unsigned int i;

	for (i = 0; i < r->items; i++)
		*counter += in[i] & 3;
	for (i = 0; i < *counter; i++)
		seen[i] = 1;
}

const struct cts_reference_entry cts_group_references[] = {
	{ "g_ballot", g_ballot },
	{ "g_ballot_branch", g_ballot_branch },
	{ "g_fixed", g_fixed },
	{ "g_tangle", g_tangle },
	{ "g_opportunistic", g_opportunistic },
	{ "g_together", g_together },
	{ "g_branches", g_branches },
	{ "g_parts", g_parts },
	{ "g_tangles", g_tangles },
	{ "g_barrier", g_barrier },
	{ "g_char", g_char },
	{ "g_uchar", g_uchar },
	{ "g_short", g_short },
	{ "g_ushort", g_ushort },
	{ "g_int", g_int },
	{ "g_uint", g_uint },
	{ "g_long", g_long },
	{ "g_ulong", g_ulong },
	{ "g_float", g_float },
	{ "g_double", g_double },
	{ "g_half", g_half },
	{ "g_loop", g_loop },
	{ "g_collatz", g_collatz },
	{ "g_switch", g_switch },
	{ "g_nested", g_nested },
	{ "g_ex_ballot", g_ex_branch },
	{ "g_ex_fixed", g_ex_fixed },
	{ "g_ex_tangle", g_ex_branch },
	{ "g_ex_opportunistic", g_ex_opportunistic },
	{ NULL, NULL },
};
