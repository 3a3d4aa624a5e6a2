/* SPDX-License-Identifier: MIT */
/* The fast handlers of one vector level. */
#ifndef EU_FAST_TABLE_H
#define EU_FAST_TABLE_H

#include "eu/state/eu_state.h"

enum eu_fast_class { EU_FAST_I32, EU_FAST_I64, EU_FAST_F32, EU_FAST_F64, EU_FAST_CLASSES };

/* Operations of the handlers; some include a source modifier or exchange the sources. */
enum eu_fast_op {
	EU_FAST_NONE, EU_FAST_MOV, EU_FAST_COPY, EU_FAST_SPREAD, EU_FAST_FILL,
	EU_FAST_NOT, EU_FAST_ADD, EU_FAST_SUB, EU_FAST_MUL,
	EU_FAST_NMUL, EU_FAST_AND, EU_FAST_OR, EU_FAST_XOR, EU_FAST_SHL, EU_FAST_SHR,
	EU_FAST_ASR, EU_FAST_ROL, EU_FAST_ADD3, EU_FAST_MAD, EU_FAST_NMAD, EU_FAST_MSUB,
	EU_FAST_NMSUB, EU_FAST_BFN, EU_FAST_SEL,
	EU_FAST_MACH, EU_FAST_MACH_S, EU_FAST_MACH_U,
	EU_FAST_MUL_ACC, EU_FAST_MUL_ACC_S, EU_FAST_MUL_ACC_U,
	EU_FAST_EQ, EU_FAST_NE, EU_FAST_EQ_NEG, EU_FAST_NE_NEG,
	EU_FAST_LT, EU_FAST_LE, EU_FAST_LT_U, EU_FAST_LE_U,
	EU_FAST_MINMAX, EU_FAST_MINMAX_U, EU_FAST_INV, EU_FAST_SQT, EU_FAST_RSQT,
	EU_FAST_OPS
};

/*
 * Handlers by the shape of their sources: V contiguous, S one element for all lanes, M either
 * of them or words, with 16 or 32 lanes and a contiguous destination; ONE for a single lane,
 * or one comparison for all; ANY for other shapes.
 */
enum eu_fast_shape {
	EU_SHAPE_ANY, EU_SHAPE_ONE, EU_SHAPE_VVV, EU_SHAPE_SVV, EU_SHAPE_VSV, EU_SHAPE_VVS,
	EU_SHAPE_MMM,
	EU_SHAPES
};

/* Messages of dwords, with addresses of 64 bits (global) or in SLM (local), have their own. */
enum eu_fast_message_op {
	EU_FAST_LOAD_BLOCK, EU_FAST_STORE_BLOCK,
	EU_FAST_LOAD, EU_FAST_LOAD_GLOBAL, EU_FAST_LOAD_LOCAL,
	EU_FAST_STORE, EU_FAST_STORE_GLOBAL, EU_FAST_STORE_LOCAL,
	EU_FAST_MESSAGES
};

/*
 * A handler for two instructions, the second of which follows the first: @both runs in place
 * of the first one.  @all_lanes: only if all lanes execute the first one.
 */
struct eu_fast_pair {
	eu_exec *first, *second, *both;
	bool all_lanes;
};

struct eu_fast_table {
	/* last index: 0 for 16 lanes, 1 for 32 lanes; ANY, ONE and blocks use index 0 only */
	eu_exec *exec[EU_FAST_CLASSES][EU_FAST_OPS][EU_SHAPES][2];
	eu_exec *message[EU_FAST_MESSAGES][2];
	const struct eu_fast_pair *pairs;
	unsigned int num_pairs;
};

extern const struct eu_fast_table eu_fast_any, eu_fast_avx2, eu_fast_avx512;

#endif
