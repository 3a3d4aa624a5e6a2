// SPDX-License-Identifier: MIT
/* How an instruction's operands lie in the registers (caller: eu_fast_alu.c). */
#include "eu/fast/eu_fast_shape.h"

static unsigned int size_of(enum eu_type type)
{
	return eu_typeinfo[type].size;
}

/* How a source is read whose elements are @step bytes apart, for operations on @bytes */
enum eu_src_mode eu_fast_mode_of(enum eu_type type, unsigned int n, unsigned int step,
				 unsigned int bytes)
{
	if (step == 0)
		return n == 1 && size_of(type) == bytes ? EU_SRC_CONTIGUOUS : EU_SRC_SCALAR;
	if (step == bytes && size_of(type) == bytes)
		return EU_SRC_CONTIGUOUS;
	if (step == bytes && type == (bytes == 8 ? EU_UD : EU_UW))
		return EU_SRC_LOW;
	if (step == 2 && bytes == 4 && n >= 16 && (type == EU_UW || type == EU_W))
		return EU_SRC_WORDS;
	return EU_SRC_STRIDED;
}

/* A product through acc0 */
static bool is_product(enum eu_fast_op fop)
{
	return fop >= EU_FAST_MACH && fop <= EU_FAST_MUL_ACC_U;
}

static bool is_comparison(enum eu_fast_op fop)
{
	return fop >= EU_FAST_EQ && fop <= EU_FAST_LE_U;
}

/* A source with one value for all lanes, of any width */
static bool is_single(const struct eu_fast_src *s, unsigned int n)
{
	return s->mode == EU_SRC_SCALAR || n == 1;
}

/* Is the destination contiguous, or does a comparison write flags alone? */
static bool plain_dst(const struct eu_op *op, enum eu_fast_op fop, unsigned int bytes)
{
	if (!op->dst_bytes)
		return is_comparison(fop);
	return op->dst_bytes == bytes && op->dst_stride == bytes;
}

/* The shape that fits all sources and the destination, or ANY */
enum eu_fast_shape eu_fast_shape_of(const struct eu_op *op, enum eu_fast_op fop, bool ints,
				    unsigned int bytes)
{
	enum eu_fast_shape shape = EU_SHAPE_VVV;
	bool modified = false, single = true, wide = true, mixed = false;

	for (int i = 0; i < op->in.sources; i++) {
		const struct eu_fast_src *s = &op->fast[i];

		modified |= s->neg || s->abs || s->complement;
		single &= is_single(s, op->n) || (s->mode == EU_SRC_CONST &&
			  op->in.src[i].type != EU_V && op->in.src[i].type != EU_UV);
		wide &= s->mode == EU_SRC_CONST || size_of(s->type) == bytes;
	}
	/* A comparison of single values may set the flags of many lanes. */
	if (is_comparison(fop) && single && !op->dst_bytes && (ints || (wide && !modified)))
		return EU_SHAPE_ONE;
	if (op->n == 1 && !is_comparison(fop) && ints)
		return EU_SHAPE_ONE;
	if ((op->n != 16 && op->n != 32) || modified || !plain_dst(op, fop, bytes))
		return EU_SHAPE_ANY;
	for (int i = 0; i < op->in.sources; i++) {
		const struct eu_fast_src *s = &op->fast[i];

		if (s->mode == EU_SRC_STRIDED)
			return EU_SHAPE_ANY;
		mixed |= s->mode == EU_SRC_WORDS || (s->mode == EU_SRC_LOW && !is_product(fop));
		if (s->mode != EU_SRC_SCALAR)
			continue;
		if (size_of(s->type) != bytes)
			return EU_SHAPE_ANY;
		mixed |= shape != EU_SHAPE_VVV;
		shape = EU_SHAPE_SVV + i;
	}
	if (mixed)
		return EU_SHAPE_MMM;
	return shape;
}
