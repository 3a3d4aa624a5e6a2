// SPDX-License-Identifier: MIT
// Non-uniform groups. tools/conformance/run splits this at the lines that name a file.
#include "conformance.h"
#include "xetile_groups.h"

// file: g01_members.cl
// Non-uniform groups: who is in them, and what they tell of themselves.
#define TELL(g, to) do { \
	__global uint *tell = (to); \
	tell[0] = xetile_get_group_id(g); tell[1] = xetile_get_local_id(g); \
	tell[2] = xetile_get_group_range(g); tell[3] = xetile_get_local_range(g); \
	tell[4] = xetile_get_group_linear_id(g); tell[5] = xetile_get_local_linear_id(g); \
	tell[6] = xetile_get_group_linear_range(g); tell[7] = xetile_get_local_linear_range(g); \
	tell[8] = xetile_leader(g); \
	tell[9] = xetile_is_group(g) + 2 * xetile_is_user_constructed_group(g) + \
	       4 * xetile_is_fixed_topology_group(g) + \
	       8 * (xetile_fence_scope(g) == memory_scope_sub_group); \
} while (0)
KERNEL void g_ballot(__global const int *in, __global uint *o)
{
	size_t i = get_global_id(0);
	xetile_sub_group sg = xetile_this_sub_group();
	xetile_ballot_group g = xetile_get_ballot_group(sg, in[i] & 1);
	TELL(g, o + i * 10);
	// The sub-group was there before: nobody made it.
	o[i * 10 + 9] += 16 * (xetile_is_group(sg) && xetile_is_fixed_topology_group(sg) &&
			       !xetile_is_user_constructed_group(sg));
}
KERNEL void g_ballot_branch(__global const int *in, __global uint *o)
{
	size_t i = get_global_id(0);
	bool taken = in[i] % 3 == 0;
	xetile_ballot_group g = xetile_get_ballot_group(xetile_this_sub_group(), taken);
	if (taken) { TELL(g, o + i * 10); o[i * 10 + 9] += 100; } else TELL(g, o + i * 10);
}
KERNEL void g_fixed(__global const int *in, __global uint *o)
{
	size_t i = get_global_id(0);
	xetile_sub_group sg = xetile_this_sub_group();
	__global uint *t = o + i * 50;
	TELL(xetile_get_fixed_size_group(1, sg), t);
	TELL(xetile_get_fixed_size_group(2, sg), t + 10);
	TELL(xetile_get_fixed_size_group(4, sg), t + 20);
	TELL(xetile_get_fixed_size_group(8, sg), t + 30);
	TELL(xetile_get_fixed_size_group(16, sg), t + 40);
}
KERNEL void g_tangle(__global const int *in, __global uint *o)
{
	size_t i = get_global_id(0);
	int v = in[i];
	if (v & 1) {
		xetile_tangle_group g = xetile_get_tangle_group(xetile_this_sub_group());
		TELL(g, o + i * 10);
	} else if (v & 2) {
		xetile_tangle_group g = xetile_get_tangle_group(xetile_this_sub_group());
		TELL(g, o + i * 10);
		o[i * 10 + 9] += 100;
	} else {
		xetile_tangle_group g = xetile_get_tangle_group(xetile_this_sub_group());
		TELL(g, o + i * 10);
		o[i * 10 + 9] += 200;
	}
}
// Who is there at once is not told, so only what holds whoever it is. The others never
// come by.
KERNEL void g_opportunistic(__global const int *in, __global uint *o, __global uint *sum)
{
	__local uint s[64];
	size_t i = get_global_id(0);
	uint l = get_local_id(0);
	switch (in[i] & 3) {
	case 0: case 2: {
		xetile_opportunistic_group g = xetile_get_opportunistic_group();
		uint n = xetile_get_local_linear_range(g), k = xetile_get_local_linear_id(g);
		uint next = xetile_select_from_group(g, l, (k + 1) % n);
		bool right = k < n && xetile_get_local_range(g) == n && xetile_get_local_id(g) == k &&
			     xetile_leader(g) == !k && !xetile_get_group_id(g) &&
			     !xetile_get_group_linear_id(g) && xetile_get_group_range(g) == 1 &&
			     xetile_get_group_linear_range(g) == 1 && xetile_is_group(g) &&
			     xetile_is_user_constructed_group(g) && !xetile_is_fixed_topology_group(g) &&
			     xetile_fence_scope(g) == memory_scope_sub_group;
		s[l] = i;
		xetile_group_barrier(g);
		right &= s[next] == i - l + next;
		right &= xetile_group_broadcast(g, k) == 0;
		right &= xetile_group_broadcast_from(g, k, n - 1) == n - 1;
		right &= xetile_shift_group_left(g, k, 1) == (k + 1 < n ? k + 1 : k);
		right &= xetile_shift_group_right(g, k, 1) == (k ? k - 1 : k);
		right &= xetile_permute_group_by_xor(g, k, 1) == ((k ^ 1) < n ? k ^ 1 : k);
		right &= xetile_any_of_group(g, !k) & xetile_all_of_group(g, k < n);
		right &= xetile_none_of_group(g, k >= n);
		right &= xetile_reduce_over_group(g, 1u, plus) == n;
		right &= xetile_exclusive_scan_over_group(g, 1u, plus) == k;
		right &= xetile_inclusive_scan_over_group(g, 1u, plus) == k + 1;
		o[i] = right;
		if (xetile_leader(g)) atomic_add(sum, n);
		break;
	}
	case 1: o[i] = 5; break;
	default: o[i] = 7;
	}
}

// file: g02_functions.cl
// Non-uniform groups: barrier, broadcast, votes and exchange, by all groups of a
// partition together and each in its own branch.
#define WORK(g, v, to) do { \
	__global int *t = (to); \
	uint n = xetile_get_local_linear_range(g), l = xetile_get_local_linear_id(g); \
	t[0] = xetile_group_broadcast(g, v); t[1] = xetile_group_broadcast_from(g, v, n - 1); \
	t[2] = xetile_select_from_group(g, v, (l * 7 + 3) % n); \
	t[3] = xetile_shift_group_left(g, v, 1); t[4] = xetile_shift_group_right(g, v, 2); \
	t[5] = xetile_permute_group_by_xor(g, v, 1); \
	t[6] = xetile_any_of_group(g, v > 90); t[7] = xetile_all_of_group(g, v > 10); \
	t[8] = xetile_none_of_group(g, v == 42); t[9] = xetile_permute_group_by_xor(g, v, 5); \
} while (0)
KERNEL void g_together(__global const int *in, __global const int *p, __global int *o)
{
	size_t i = get_global_id(0);
	xetile_ballot_group g = xetile_get_ballot_group(xetile_this_sub_group(), p[i] > 50);
	WORK(g, in[i], o + i * 10);
}
KERNEL void g_branches(__global const int *in, __global const int *p, __global int *o)
{
	size_t i = get_global_id(0);
	bool yes = p[i] > 50;
	xetile_ballot_group g = xetile_get_ballot_group(xetile_this_sub_group(), yes);
	if (yes) { WORK(g, in[i], o + i * 10); } else { WORK(g, in[i] + 1, o + i * 10); }
}
KERNEL void g_parts(__global const int *in, __global const int *p, __global int *o)
{
	size_t i = get_global_id(0);
	xetile_fixed_size_group g = xetile_get_fixed_size_group(8, xetile_this_sub_group());
	WORK(g, in[i], o + i * 10);
}
KERNEL void g_tangles(__global const int *in, __global const int *p, __global int *o)
{
	size_t i = get_global_id(0);
	if (p[i] & 1) {
		if (p[i] & 2) { xetile_tangle_group g = xetile_get_tangle_group(xetile_this_sub_group()); WORK(g, in[i], o + i * 10); }
		else { xetile_tangle_group g = xetile_get_tangle_group(xetile_this_sub_group()); WORK(g, -in[i], o + i * 10); }
	} else {
		xetile_tangle_group g = xetile_get_tangle_group(xetile_this_sub_group()); WORK(g, in[i] * 2, o + i * 10);
	}
}
// What members wrote before a barrier of the group, others read behind it: neighbours,
// and those that took a branch.
#define ROUNDS(g) do { \
	uint n = xetile_get_local_linear_range(g), k = xetile_get_local_linear_id(g); \
	uint next = xetile_select_from_group(g, l, (k + 1) % n); \
	for (int round = 0; round < 3; round++) { \
		s[l] = in[i] + round; t[i] = in[i] * round; \
		xetile_group_barrier(g); \
		o[i] += s[next] + t[i - l + next]; \
		xetile_group_barrier(g); \
	} \
} while (0)
KERNEL void g_barrier(__global const int *in, __global int *o, __global int *t)
{
	__local int s[64];
	size_t i = get_global_id(0);
	uint l = get_local_id(0);
	bool yes = in[i] & 1;
	xetile_sub_group sg = xetile_this_sub_group();
	xetile_ballot_group g = xetile_get_ballot_group(sg, yes);
	xetile_fixed_size_group f = xetile_get_fixed_size_group(4, sg);
	ROUNDS(f);
	if (yes) ROUNDS(g);
}

// file: g03_folds.cl
// Non-uniform groups: reductions and scans, every operator, every type.
#define ARITHMETIC(T) \
	size_t i = get_global_id(0); T v = in[i]; \
	xetile_sub_group sg = xetile_this_sub_group(); \
	xetile_ballot_group g = xetile_get_ballot_group(sg, p[i] & 1); \
	xetile_fixed_size_group f = xetile_get_fixed_size_group(4, sg); \
	__global T *t = o + i * 16; \
	t[0] = xetile_reduce_over_group(g, v, plus); t[1] = xetile_reduce_over_group(g, v, multiplies); \
	t[2] = xetile_reduce_over_group(g, v, minimum); t[3] = xetile_reduce_over_group(f, v, maximum); \
	t[4] = xetile_reduce_over_group(f, v, logical_and); t[5] = xetile_reduce_over_group(f, v, logical_or); \
	t[6] = xetile_exclusive_scan_over_group(g, v, plus); t[7] = xetile_inclusive_scan_over_group(g, v, plus); \
	t[8] = xetile_exclusive_scan_over_group(g, v, maximum); \
	t[9] = xetile_exclusive_scan_over_group_init(f, v, (T)3, multiplies); \
	t[10] = xetile_inclusive_scan_over_group_init(g, v, minimum, (T)2); \
	t[11] = xetile_reduce_over_group_init(g, v, (T)5, plus)
#define INTEGER(T) KERNEL void g_##T(__global const T *in, __global const int *p, __global T *o) { ARITHMETIC(T); \
	t[12] = xetile_reduce_over_group(g, v, bit_and); t[13] = xetile_reduce_over_group(g, v, bit_or); \
	t[14] = xetile_inclusive_scan_over_group(g, v, bit_xor); t[15] = xetile_exclusive_scan_over_group(f, v, bit_and); }
#define REAL(T) KERNEL void g_##T(__global const T *in, __global const int *p, __global T *o) { ARITHMETIC(T); \
	t[12] = t[13] = t[14] = t[15] = 0; }
INTEGER(char) INTEGER(uchar) INTEGER(short) INTEGER(ushort) INTEGER(int) INTEGER(uint) INTEGER(long) INTEGER(ulong)
REAL(float) REAL(double)
#ifdef cl_khr_fp16
REAL(half)
#endif

// file: g04_diverge.cl
// Non-uniform groups in divergent code: loops with different trip counts, nested
// branches, switch, early return.
// In round k are those whose trip count is larger.
KERNEL void g_loop(__global const int *in, __global int *o)
{
	size_t i = get_global_id(0);
	int n = in[i] & 15, s = 0;
	for (int k = 0; k < n; k++) {
		xetile_tangle_group g = xetile_get_tangle_group(xetile_this_sub_group());
		s += xetile_reduce_over_group(g, in[i] + k, plus) * (k + 1) + (int)xetile_get_local_id(g);
	}
	o[i] = s;
}
// Collatz: those that are odd in a step and those that are even are two tangles.
KERNEL void g_collatz(__global const uint *in, __global uint *o)
{
	size_t i = get_global_id(0);
	uint n = in[i], s = 0, steps = 0;
	while (n != 1 && steps < 40) {
		if (n & 1) {
			xetile_tangle_group g = xetile_get_tangle_group(xetile_this_sub_group());
			s = s * 3 + xetile_get_local_linear_range(g);
			n = 3 * n + 1;
		} else {
			xetile_tangle_group g = xetile_get_tangle_group(xetile_this_sub_group());
			s += xetile_group_broadcast(g, n) + xetile_get_local_linear_id(g);
			n >>= 1;
		}
		steps++;
		if (steps == 17 && (s & 1)) break;
	}
	o[i] = s;
}
KERNEL void g_switch(__global const int *in, __global int *o)
{
	__local int s[64];
	size_t i = get_global_id(0);
	uint l = get_local_id(0);
	xetile_sub_group sg = xetile_this_sub_group();
	int v = in[i], r = 0;
	switch (v % 5) {
	case 0: { xetile_tangle_group g = xetile_get_tangle_group(sg); r = xetile_reduce_over_group(g, v, maximum); break; }
	case 1: { xetile_tangle_group g = xetile_get_tangle_group(sg); r = xetile_inclusive_scan_over_group(g, v, plus); break; }
	case 2: { xetile_tangle_group g = xetile_get_tangle_group(sg); r = xetile_get_local_range(g); if (v > 50) { xetile_tangle_group h = xetile_get_tangle_group(sg); r = r * 100 + xetile_get_local_range(h); } break; }
	case 3: { xetile_tangle_group g = xetile_get_tangle_group(sg); r = xetile_group_broadcast(g, v); break; }
	default: {
		// What the next one wrote before the barrier.
		xetile_tangle_group g = xetile_get_tangle_group(sg);
		uint next = (xetile_get_local_linear_id(g) + 1) % xetile_get_local_linear_range(g);
		next = xetile_select_from_group(g, l, next);
		s[l] = v;
		xetile_group_barrier(g);
		r = -s[next];
	}
	}
	o[i] = r;
}
// Groups of a group's own kind in nested branches: made before, used where they fit.
KERNEL void g_nested(__global const int *in, __global int *o)
{
	size_t i = get_global_id(0);
	xetile_sub_group sg = xetile_this_sub_group();
	int v = in[i], r = 0;
	bool a = v & 1, b = v & 2;
	xetile_ballot_group ga = xetile_get_ballot_group(sg, a), gab = xetile_get_ballot_group(sg, a && b);
	if (a) {
		r = xetile_reduce_over_group(ga, v, plus);
		if (b) r += 1000 * xetile_exclusive_scan_over_group(gab, 1, plus);
		r += xetile_any_of_group(ga, v > 95);
	} else {
		if (v > 60) { o[i] = -1; return; }
		xetile_tangle_group t = xetile_get_tangle_group(sg);
		r = xetile_reduce_over_group(t, v, minimum);
	}
	o[i] = r;
}

// file: g05_joint.cl
// Non-uniform groups: joint algorithms over arrays that members share out.
#define N 37
#define LARGE(x) ((x) > 900)
bool positive(int x) { return x > 0; }
KERNEL void g_joint(__global const int *in, __global const int *p, __global int *ex, __global int *inc, __global int *o)
{
	size_t i = get_global_id(0);
	bool yes = p[i] & 1;
	xetile_ballot_group g = xetile_get_ballot_group(xetile_this_sub_group(), yes);
	size_t area = ((i / get_sub_group_size()) * 2 + xetile_get_group_id(g)) * N;
	__global const int *first = in + area, *last = first + N;
	__global int *t = o + i * 10;
	t[0] = xetile_joint_reduce(g, first, last, plus);
	t[1] = xetile_joint_reduce_init(g, first, last, 7, maximum);
	t[2] = xetile_joint_any_of(g, first, last, LARGE);
	t[3] = xetile_joint_all_of(g, first, last, positive);
	t[4] = xetile_joint_none_of(g, first, last, LARGE);
	t[5] = xetile_joint_reduce(g, first, first, bit_or);
	if (yes) {
		t[6] = xetile_joint_exclusive_scan(g, first, last, ex + area, plus) - ex;
		t[7] = xetile_joint_inclusive_scan_init(g, first, last, inc + area, bit_xor, 99) - inc;
	} else {
		t[6] = xetile_joint_exclusive_scan_init(g, first, last, ex + area, 1000, minimum) - ex;
		t[7] = xetile_joint_inclusive_scan(g, first, last, inc + area, maximum) - inc;
	}
}
// The same of an array in local memory.
KERNEL void g_joint_local(__global const int *in, __global int *o)
{
	__local int s[64];
	size_t i = get_global_id(0);
	uint l = get_local_id(0);
	s[l] = in[i];
	barrier(CLK_LOCAL_MEM_FENCE);
	xetile_fixed_size_group g = xetile_get_fixed_size_group(4, xetile_this_sub_group());
	o[i] = xetile_joint_reduce(g, s, s + 61, plus) + xetile_joint_all_of(g, s, s + 64, positive);
}

// file: g06_examples.cl
// The examples of Documentation/gpu/xetile/groups.rst.
// Those that take a branch, known before it.
KERNEL void g_ex_ballot(__global const float *x, __global float *o)
{
	size_t i = get_global_id(0);
	xetile_sub_group sg = xetile_this_sub_group();
	bool will_branch = get_sub_group_local_id() % 2 == 0;
	xetile_ballot_group inner = xetile_get_ballot_group(sg, will_branch);
	if (will_branch) {
		xetile_group_barrier(inner);
		o[i] = xetile_reduce_over_group(inner, x[i], plus);
	}
}
// Neighbours by eight.
KERNEL void g_ex_fixed(__global const float *buf, __global float *out)
{
	xetile_fixed_size_group part = xetile_get_fixed_size_group(8, xetile_this_sub_group());
	float result = xetile_reduce_over_group(part, buf[get_global_id(0)], plus);
	if (xetile_leader(part))
		out[get_global_id(0) / get_sub_group_size() * xetile_get_group_range(part) + xetile_get_group_id(part)] = result;
}
// Those that took a branch, known in it.
KERNEL void g_ex_tangle(__global const float *x, __global float *o)
{
	size_t i = get_global_id(0);
	xetile_sub_group sg = xetile_this_sub_group();
	if (get_sub_group_local_id() % 2 == 0) {
		xetile_tangle_group inner = xetile_get_tangle_group(sg);
		xetile_group_barrier(inner);
		o[i] = xetile_reduce_over_group(inner, x[i], plus);
	}
}
// One atomic for all that come by at once.
uint aggregate_inc(volatile __global uint *counter)
{
	xetile_opportunistic_group active = xetile_get_opportunistic_group();
	uint old = 0;
	if (xetile_leader(active))
		old = atomic_add(counter, xetile_get_local_linear_range(active));
	return xetile_group_broadcast(active, old) + xetile_get_local_linear_id(active);
}
KERNEL void g_ex_opportunistic(__global const int *in, __global uint *counter, __global uint *seen)
{
	size_t i = get_global_id(0);
	for (int k = 0; k < (in[i] & 3); k++)
		atomic_inc(&seen[aggregate_inc(counter)]);
}
