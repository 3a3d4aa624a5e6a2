/* SPDX-License-Identifier: MIT */
/*
 * Non-uniform groups: subsets of a sub-group that kernels make and pass to group
 * functions. The header is OpenCL C for devices with DRM_XETILE_CAP_NON_UNIFORM_GROUPS.
 * Documentation/gpu/xetile/groups.rst describes each function.
 *
 * A group is the mask of its members' places in the sub-group. The functions exchange
 * values by shuffles and votes, and read only the values of members, so that each group
 * of a partition may call them in its own control flow, or all groups together. Sums
 * are made in the order of local ids.
 *
 * Names that end with an underscore are no part of the interface.
 */
#ifndef XETILE_GROUPS_H
#define XETILE_GROUPS_H

#pragma OPENCL EXTENSION cl_khr_fp64 : enable

/* Always 1: the interface has no versions. */
#define XETILE_NON_UNIFORM_GROUPS	1

/* Always inline: without optimisation the compilers drop static functions that code calls. */
#define XETILE_INLINE_		static inline __attribute__((overloadable, always_inline))

/*
 * A module with this kernel needs the capability: the library loads the module only on a
 * device that has the capability, and does not list this kernel.
 */
__kernel void xetile_needs_non_uniform_groups(void)
{
}

/* --- groups --------------------------------------------------------------------- */

/* The sub-group itself, from which the other groups are made */
typedef struct {
	uint unused_;
} xetile_sub_group;

typedef struct {
	uint members_;
	uint id_;
} xetile_ballot_group;

typedef struct {
	uint members_;
	uint id_;
	uint range_;
} xetile_fixed_size_group;

typedef struct {
	uint members_;
} xetile_tangle_group;

typedef struct {
	uint members_;
} xetile_opportunistic_group;

#define XETILE_IS_GROUP_(type, fixed)						\
XETILE_INLINE_ bool xetile_is_group(type g)					\
{										\
	return true;								\
}										\
XETILE_INLINE_ bool xetile_is_fixed_topology_group(type g)			\
{										\
	return fixed;								\
}										\
XETILE_INLINE_ bool xetile_is_user_constructed_group(type g)			\
{										\
	return !(fixed);							\
}										\
XETILE_INLINE_ memory_scope xetile_fence_scope(type g)				\
{										\
	return memory_scope_sub_group;						\
}

XETILE_IS_GROUP_(xetile_sub_group, true)
XETILE_IS_GROUP_(xetile_ballot_group, false)
XETILE_IS_GROUP_(xetile_fixed_size_group, false)
XETILE_IS_GROUP_(xetile_tangle_group, false)
XETILE_IS_GROUP_(xetile_opportunistic_group, false)

/*
 * The work-items that execute this call together with the calling one. The vote needs a
 * condition that no compiler can evaluate: in functions that a compiler does not know to
 * be called from divergent code, the compiler replaces the vote of a constant by the mask
 * of all work-items that were dispatched.
 */
XETILE_INLINE_ uint xetile_here_(void)
{
	return sub_group_ballot(get_sub_group_local_id() < get_max_sub_group_size()).x;
}

/* The places in front of the calling work-item's place */
XETILE_INLINE_ uint xetile_below_(void)
{
	return (1u << get_sub_group_local_id()) - 1;
}

XETILE_INLINE_ xetile_sub_group xetile_this_sub_group(void)
{
	xetile_sub_group sg = { 0 };

	return sg;
}

/* All work-items of @parent whose @predicate equals the calling one's */
XETILE_INLINE_ xetile_ballot_group xetile_get_ballot_group(xetile_sub_group parent, bool predicate)
{
	uint yes = sub_group_ballot(predicate).x, all = xetile_here_();
	xetile_ballot_group g = { predicate ? yes : all & ~yes, predicate ? 0 : 1 };

	return g;
}

XETILE_INLINE_ xetile_fixed_size_group xetile_get_fixed_size_group_(uint size)
{
	uint place = get_sub_group_local_id();
	xetile_fixed_size_group g = {
		(~0u >> (32 - size)) << (place & ~(size - 1)), place / size,
		get_sub_group_size() / size,
	};

	return g;
}

/*
 * The @size neighbours to which the calling work-item belongs. @size is a constant, a power
 * of two, and divides the size of the sub-group @parent.
 */
#define xetile_get_fixed_size_group(size, parent)				\
	((void)sizeof(char[(size) > 0 && (size) <= 32 && !((size) & ((size) - 1)) ? 1 : -1]), \
	 (void)xetile_is_fixed_topology_group(parent), xetile_get_fixed_size_group_(size))

/* The work-items of @parent that run the same statements as the calling one */
XETILE_INLINE_ xetile_tangle_group xetile_get_tangle_group(xetile_sub_group parent)
{
	xetile_tangle_group g = { xetile_here_() };

	return g;
}

/* The work-items of the sub-group that call this function at the same time */
XETILE_INLINE_ xetile_opportunistic_group xetile_get_opportunistic_group(void)
{
	xetile_opportunistic_group g = { xetile_here_() };

	return g;
}

/* --- members -------------------------------------------------------------------- */

#define XETILE_MEMBERS_(type, group, groups)					\
XETILE_INLINE_ uint xetile_members_(type g)					\
{										\
	return g.members_;							\
}										\
XETILE_INLINE_ size_t xetile_get_group_id(type g)				\
{										\
	return group;								\
}										\
XETILE_INLINE_ size_t xetile_get_local_id(type g)				\
{										\
	return popcount(g.members_ & xetile_below_());				\
}										\
XETILE_INLINE_ size_t xetile_get_group_range(type g)				\
{										\
	return groups;								\
}										\
XETILE_INLINE_ size_t xetile_get_local_range(type g)				\
{										\
	return popcount(g.members_);						\
}										\
XETILE_INLINE_ uint xetile_get_group_linear_id(type g)				\
{										\
	return group;								\
}										\
XETILE_INLINE_ uint xetile_get_local_linear_id(type g)				\
{										\
	return popcount(g.members_ & xetile_below_());				\
}										\
XETILE_INLINE_ uint xetile_get_group_linear_range(type g)			\
{										\
	return groups;								\
}										\
XETILE_INLINE_ uint xetile_get_local_linear_range(type g)			\
{										\
	return popcount(g.members_);						\
}										\
XETILE_INLINE_ bool xetile_leader(type g)					\
{										\
	return !(g.members_ & xetile_below_());					\
}

XETILE_MEMBERS_(xetile_ballot_group, g.id_, 2)
XETILE_MEMBERS_(xetile_fixed_size_group, g.id_, g.range_)
XETILE_MEMBERS_(xetile_tangle_group, 0, 1)
XETILE_MEMBERS_(xetile_opportunistic_group, 0, 1)

/* --- operators: XETILE_EACH_OPERATOR_(M) is M(name) for each operator ------------- */

#define XETILE_EACH_INTEGER_(M)							\
	M(char, CHAR_MIN, CHAR_MAX)						\
	M(uchar, 0, UCHAR_MAX)							\
	M(short, SHRT_MIN, SHRT_MAX)						\
	M(ushort, 0, USHRT_MAX)							\
	M(int, INT_MIN, INT_MAX)						\
	M(uint, 0, UINT_MAX)							\
	M(long, LONG_MIN, LONG_MAX)						\
	M(ulong, 0, ULONG_MAX)

#ifdef cl_khr_fp16
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#define XETILE_HALF_(M)		M(half, -INFINITY, INFINITY)
#else
#define XETILE_HALF_(M)
#endif
#ifdef cl_khr_fp64
#define XETILE_DOUBLE_(M)	M(double, -INFINITY, INFINITY)
#else
#define XETILE_DOUBLE_(M)
#endif

#define XETILE_EACH_FLOAT_(M)							\
	M(float, -INFINITY, INFINITY)						\
	XETILE_HALF_(M)								\
	XETILE_DOUBLE_(M)

/* The result of an operator on two values, and the value that changes no other value */
#define XETILE_OPERATOR_(name, type, expression, neutral)			\
XETILE_INLINE_ type xetile_##name##_(type a, type b)				\
{										\
	return (type)(expression);						\
}										\
XETILE_INLINE_ type xetile_neutral_##name##_(type a)				\
{										\
	return (type)(neutral);							\
}

#define XETILE_ARITHMETIC_(type, least, most)					\
	XETILE_OPERATOR_(plus, type, a + b, 0)					\
	XETILE_OPERATOR_(multiplies, type, a * b, 1)				\
	XETILE_OPERATOR_(minimum, type, b < a ? b : a, most)			\
	XETILE_OPERATOR_(maximum, type, a < b ? b : a, least)			\
	XETILE_OPERATOR_(logical_and, type, a && b, 1)				\
	XETILE_OPERATOR_(logical_or, type, a || b, 0)				\
	XETILE_EXCHANGE_(type)

#define XETILE_BITS_(type, least, most)						\
	XETILE_OPERATOR_(bit_and, type, a & b, ~(type)0)			\
	XETILE_OPERATOR_(bit_or, type, a | b, 0)				\
	XETILE_OPERATOR_(bit_xor, type, a ^ b, 0)

/* The place of member @id, or of the calling work-item when there is no such member */
XETILE_INLINE_ uint xetile_place_(uint members, uint id)
{
	uint place = 0, left = id, width, n;

	for (width = 16; width; width >>= 1) {
		n = popcount(members >> place & ((1u << width) - 1));
		if (left >= n) {
			left -= n;
			place += width;
		}
	}
	return id < popcount(members) ? place : get_sub_group_local_id();
}

#define XETILE_EXCHANGE_(type)							\
XETILE_INLINE_ type xetile_from_(uint members, type x, uint id)			\
{										\
	return sub_group_shuffle(x, xetile_place_(members, id));		\
}

XETILE_EACH_INTEGER_(XETILE_ARITHMETIC_)
XETILE_EACH_FLOAT_(XETILE_ARITHMETIC_)
XETILE_EACH_INTEGER_(XETILE_BITS_)

/*
 * Every member visits all members in order and takes the values that it needs: no member
 * leaves the loop while another member still reads its value.
 */
#define XETILE_FOLD_(name, type)						\
XETILE_INLINE_ type xetile_reduce_##name##_(uint members, type x)		\
{										\
	uint left = members & (members - 1);					\
	type all = sub_group_shuffle(x, ctz(members));				\
										\
	for (; left; left &= left - 1)						\
		all = xetile_##name##_(all, sub_group_shuffle(x, ctz(left)));	\
	return all;								\
}										\
XETILE_INLINE_ type xetile_scan_##name##_(uint members, type x, type first, uint upto) \
{										\
	uint left = members;							\
	type all = first, next;							\
										\
	for (; left; left &= left - 1) {					\
		next = xetile_##name##_(all, sub_group_shuffle(x, ctz(left)));	\
		all = left & -left & upto ? next : all;				\
	}									\
	return all;								\
}

#define XETILE_FOLD_ARITHMETIC_(type, least, most)				\
	XETILE_FOLD_(plus, type)						\
	XETILE_FOLD_(multiplies, type)						\
	XETILE_FOLD_(minimum, type)						\
	XETILE_FOLD_(maximum, type)						\
	XETILE_FOLD_(logical_and, type)						\
	XETILE_FOLD_(logical_or, type)

#define XETILE_FOLD_BITS_(type, least, most)					\
	XETILE_FOLD_(bit_and, type)						\
	XETILE_FOLD_(bit_or, type)						\
	XETILE_FOLD_(bit_xor, type)

XETILE_EACH_INTEGER_(XETILE_FOLD_ARITHMETIC_)
XETILE_EACH_FLOAT_(XETILE_FOLD_ARITHMETIC_)
XETILE_EACH_INTEGER_(XETILE_FOLD_BITS_)

/* --- group functions -------------------------------------------------------------- */

/*
 * Members are lanes of one thread and run in step, so that only their writes need an order.
 */
#define xetile_group_barrier(g)							\
	((void)xetile_members_(g),						\
	 atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE,	\
				memory_order_acq_rel, memory_scope_sub_group))

/* The value of the leader, or of the member with a local id */
#define xetile_group_broadcast(g, x)	xetile_from_(xetile_members_(g), x, 0)
#define xetile_group_broadcast_from(g, x, id)	xetile_from_(xetile_members_(g), x, id)

/* --- votes ------------------------------------------------------------------------ */

XETILE_INLINE_ bool xetile_any_(uint members, bool x)
{
	return sub_group_ballot(x).x & members;
}

#define xetile_any_of_group(g, x)	xetile_any_(xetile_members_(g), x)
#define xetile_none_of_group(g, x)	(!xetile_any_(xetile_members_(g), x))
#define xetile_all_of_group(g, x)	(!xetile_any_(xetile_members_(g), !(x)))

/*
 * The same over first[0] up to last[-1], which the members share; @predicate is the name
 * of a function or macro of one element.
 */
#define XETILE_JOINT_(g, first, last, test)					\
({										\
	uint xetile_members = xetile_members_(g);				\
	size_t xetile_n = (last) - (first);					\
	size_t xetile_i = popcount(xetile_members & xetile_below_());		\
	bool xetile_found = false;						\
										\
	for (; xetile_i < xetile_n; xetile_i += popcount(xetile_members))	\
		xetile_found |= test((first)[xetile_i]);			\
	xetile_any_(xetile_members, xetile_found);				\
})

#define xetile_joint_any_of(g, first, last, predicate)				\
	XETILE_JOINT_(g, first, last, (bool)predicate)
#define xetile_joint_none_of(g, first, last, predicate)				\
	(!XETILE_JOINT_(g, first, last, (bool)predicate))
#define xetile_joint_all_of(g, first, last, predicate)				\
	(!XETILE_JOINT_(g, first, last, !predicate))

/* --- exchange: a place without a member gives the caller's own value ---------------- */

#define xetile_shift_group_left(g, x, delta)					\
	xetile_from_(xetile_members_(g), x, xetile_get_local_linear_id(g) + (delta))
#define xetile_shift_group_right(g, x, delta)					\
	xetile_from_(xetile_members_(g), x, xetile_get_local_linear_id(g) - (delta))
#define xetile_permute_group_by_xor(g, x, mask)					\
	xetile_from_(xetile_members_(g), x, xetile_get_local_linear_id(g) ^ (mask))
#define xetile_select_from_group(g, x, id)	xetile_from_(xetile_members_(g), x, id)

/*
 * --- reductions and scans. @op is one of plus, multiplies, bit_and, bit_or, bit_xor,
 * logical_and, logical_or, minimum, maximum; forms with _init start with a value.
 */

#define xetile_reduce_over_group(g, x, op)	xetile_reduce_##op##_(xetile_members_(g), x)
#define xetile_reduce_over_group_init(g, x, init, op)				\
	xetile_##op##_(init, xetile_reduce_##op##_(xetile_members_(g), x))

#define xetile_exclusive_scan_over_group(g, x, op)				\
	xetile_scan_##op##_(xetile_members_(g), x, xetile_neutral_##op##_(x), xetile_below_())
#define xetile_exclusive_scan_over_group_init(g, x, init, op)			\
	xetile_scan_##op##_(xetile_members_(g), x, init, xetile_below_())
#define xetile_inclusive_scan_over_group(g, x, op)				\
	xetile_scan_##op##_(xetile_members_(g), x, xetile_neutral_##op##_(x),	\
			    xetile_below_() << 1 | 1)
#define xetile_inclusive_scan_over_group_init(g, x, op, init)			\
	xetile_scan_##op##_(xetile_members_(g), x, init, xetile_below_() << 1 | 1)

#define XETILE_TYPE_(first, op)	__typeof__(xetile_neutral_##op##_(*(first)))

/* The members share the elements from first to last. */
#define xetile_joint_reduce_init(g, first, last, init, op)			\
({										\
	uint xetile_members = xetile_members_(g);				\
	size_t xetile_n = (last) - (first);					\
	size_t xetile_i = popcount(xetile_members & xetile_below_());		\
	XETILE_TYPE_(first, op) xetile_all =					\
		xetile_neutral_##op##_((XETILE_TYPE_(first, op))0);		\
										\
	for (; xetile_i < xetile_n; xetile_i += popcount(xetile_members))	\
		xetile_all = xetile_##op##_(xetile_all, (first)[xetile_i]);	\
	xetile_##op##_((XETILE_TYPE_(first, op))(init),				\
		       xetile_reduce_##op##_(xetile_members, xetile_all));	\
})
#define xetile_joint_reduce(g, first, last, op)					\
	xetile_joint_reduce_init(g, first, last,				\
		xetile_neutral_##op##_((XETILE_TYPE_(first, op))0), op)

/* In rounds of one element for each member; each round starts with the last one's result. */
#define XETILE_JOINT_SCAN_(g, first, last, result, init, op, upto)		\
({										\
	uint xetile_members = xetile_members_(g);				\
	size_t xetile_n = (last) - (first), xetile_at = 0, xetile_i;		\
	XETILE_TYPE_(first, op) xetile_all = (init), xetile_x, xetile_y;	\
										\
	for (; xetile_at < xetile_n; xetile_at += popcount(xetile_members)) {	\
		xetile_i = xetile_at + popcount(xetile_members & xetile_below_());	\
		xetile_x = xetile_neutral_##op##_((XETILE_TYPE_(first, op))0);	\
		if (xetile_i < xetile_n)					\
			xetile_x = (first)[xetile_i];				\
		xetile_y = xetile_scan_##op##_(xetile_members, xetile_x, xetile_all, upto); \
		xetile_all = xetile_scan_##op##_(xetile_members, xetile_x, xetile_all, ~0u); \
		if (xetile_i < xetile_n)					\
			(result)[xetile_i] = xetile_y;				\
	}									\
	(result) + xetile_n;							\
})

#define xetile_joint_exclusive_scan_init(g, first, last, result, init, op)	\
	XETILE_JOINT_SCAN_(g, first, last, result, init, op, xetile_below_())
#define xetile_joint_exclusive_scan(g, first, last, result, op)			\
	XETILE_JOINT_SCAN_(g, first, last, result,				\
		xetile_neutral_##op##_((XETILE_TYPE_(first, op))0), op, xetile_below_())
#define xetile_joint_inclusive_scan_init(g, first, last, result, op, init)	\
	XETILE_JOINT_SCAN_(g, first, last, result, init, op, xetile_below_() << 1 | 1)
#define xetile_joint_inclusive_scan(g, first, last, result, op)			\
	XETILE_JOINT_SCAN_(g, first, last, result,				\
		xetile_neutral_##op##_((XETILE_TYPE_(first, op))0), op,		\
		xetile_below_() << 1 | 1)

#endif
