/* SPDX-License-Identifier: MIT */
/* The table of the fast handlers; eu_fast_body.h includes this. */

#define ROW_ANY(name)	{ [EU_SHAPE_ANY] = { name##_any } }
#define ROW_ONE(name)	{ [EU_SHAPE_ANY] = { name##_any }, [EU_SHAPE_ONE] = { name##_one } }

#define ROW_ACC(name, sign) \
	{ [EU_SHAPE_ANY] = { name##_any }, [EU_SHAPE_ONE] = { name##_one }, \
	  [EU_SHAPE_VVV] = { name##_##sign##_VV16 } }

#define SHAPES1(name) \
	[EU_SHAPE_ANY] = { name##_any }, [EU_SHAPE_VVV] = { name##_V16, name##_V32 }, \
	[EU_SHAPE_SVV] = { name##_S16, name##_S32 }, \
	[EU_SHAPE_MMM] = { name##_M16, name##_M32 }
#define SHAPES2(name) \
	[EU_SHAPE_ANY] = { name##_any }, [EU_SHAPE_VVV] = { name##_VV16, name##_VV32 }, \
	[EU_SHAPE_SVV] = { name##_SV16, name##_SV32 }, \
	[EU_SHAPE_VSV] = { name##_VS16, name##_VS32 }, \
	[EU_SHAPE_MMM] = { name##_MM16, name##_MM32 }
#define SHAPES3(name) \
	[EU_SHAPE_ANY] = { name##_any }, [EU_SHAPE_VVV] = { name##_VVV16, name##_VVV32 }, \
	[EU_SHAPE_SVV] = { name##_SVV16, name##_SVV32 }, \
	[EU_SHAPE_VSV] = { name##_VSV16, name##_VSV32 }, \
	[EU_SHAPE_VVS] = { name##_VVS16, name##_VVS32 }, \
	[EU_SHAPE_MMM] = { name##_MMM16, name##_MMM32 }

#define ROW1(name)	{ SHAPES1(name) }
#define ROW2(name)	{ SHAPES2(name) }
#define ROW3(name)	{ SHAPES3(name) }
#define ROW1_ONE(name)	{ SHAPES1(name), [EU_SHAPE_ONE] = { name##_one } }
#define ROW2_ONE(name)	{ SHAPES2(name), [EU_SHAPE_ONE] = { name##_one } }
#define ROW3_ONE(name)	{ SHAPES3(name), [EU_SHAPE_ONE] = { name##_one } }

#define PAIR_GOTO(cmp)	{ cmp, eu_fast_goto, cmp##_goto, false }
#define PAIRS_GOTO(name) \
	PAIR_GOTO(name##_VV16), PAIR_GOTO(name##_VV32), \
	PAIR_GOTO(name##_MM16), PAIR_GOTO(name##_MM32)

static const struct eu_fast_pair fast_pairs[] = {
	{ mul_acc_s_VV16, mach_s_VV16, product_s_VV16, true },
	{ mul_acc_u_VV16, mach_u_VV16, product_u_VV16, true },
	{ copy_i32_one, fill_i32_one, copy_fill, true },
	{ spread_i32_V16, spread_i32_V16, spread_twice, false },
	{ shl_i64_MM16, shl_i64_MM16, shl_twice, false },
	{ add_i64_VS16, add_i64_VS16, add_twice, false },
	{ eu_fast_signal, eu_fast_wait, eu_fast_signal_wait, false },
	PAIRS_GOTO(eq_i32), PAIRS_GOTO(ne_i32), PAIRS_GOTO(eq_neg_i32), PAIRS_GOTO(ne_neg_i32),
	PAIRS_GOTO(lt_i32), PAIRS_GOTO(le_i32), PAIRS_GOTO(lt_u32), PAIRS_GOTO(le_u32),
};

#define FAST_OPS { \
	[EU_FAST_I32] = { \
		[EU_FAST_COPY] = { [EU_SHAPE_ANY] = { copy_i32_one } }, \
		[EU_FAST_SPREAD] = { [EU_SHAPE_ANY] = { spread_i32_V16 } }, \
		[EU_FAST_FILL] = { [EU_SHAPE_ANY] = { fill_i32_one } }, \
		[EU_FAST_MOV] = ROW1_ONE(mov_i32), [EU_FAST_NOT] = ROW1_ONE(not_i32), \
		[EU_FAST_ADD] = ROW2_ONE(add_i32), [EU_FAST_SUB] = ROW2_ONE(sub_i32), \
		[EU_FAST_MUL] = ROW2_ONE(mul_i32), [EU_FAST_AND] = ROW2_ONE(and_i32), \
		[EU_FAST_OR] = ROW2_ONE(or_i32), [EU_FAST_XOR] = ROW2_ONE(xor_i32), \
		[EU_FAST_SHL] = ROW2_ONE(shl_i32), [EU_FAST_SHR] = ROW2_ONE(shr_i32), \
		[EU_FAST_ASR] = ROW2_ONE(asr_i32), [EU_FAST_ROL] = ROW2_ONE(rol_i32), \
		[EU_FAST_ADD3] = ROW3_ONE(add3_i32), [EU_FAST_MAD] = ROW3_ONE(mad_i32), \
		[EU_FAST_BFN] = ROW3(bfn_i32), [EU_FAST_SEL] = ROW2(sel_i32), \
		[EU_FAST_MACH] = ROW_ONE(mach), [EU_FAST_MUL_ACC] = ROW_ONE(mul_acc), \
		[EU_FAST_MACH_S] = ROW_ACC(mach, s), [EU_FAST_MUL_ACC_S] = ROW_ACC(mul_acc, s), \
		[EU_FAST_MACH_U] = ROW_ACC(mach, u), [EU_FAST_MUL_ACC_U] = ROW_ACC(mul_acc, u), \
		[EU_FAST_EQ] = ROW2_ONE(eq_i32), [EU_FAST_NE] = ROW2_ONE(ne_i32), \
		[EU_FAST_EQ_NEG] = ROW2_ONE(eq_neg_i32), \
		[EU_FAST_NE_NEG] = ROW2_ONE(ne_neg_i32), \
		[EU_FAST_LT] = ROW2_ONE(lt_i32), [EU_FAST_LE] = ROW2_ONE(le_i32), \
		[EU_FAST_LT_U] = ROW2_ONE(lt_u32), [EU_FAST_LE_U] = ROW2_ONE(le_u32), \
		[EU_FAST_MINMAX] = ROW_ANY(minmax_i32), \
		[EU_FAST_MINMAX_U] = ROW_ANY(minmax_u32), \
	}, \
	[EU_FAST_I64] = { \
		[EU_FAST_MOV] = ROW1_ONE(mov_i64), [EU_FAST_ADD] = ROW2_ONE(add_i64), \
		[EU_FAST_SUB] = ROW2_ONE(sub_i64), [EU_FAST_SHL] = ROW2_ONE(shl_i64), \
		[EU_FAST_SHR] = ROW2_ONE(shr_i64), [EU_FAST_ASR] = ROW2_ONE(asr_i64), \
		[EU_FAST_SEL] = ROW2(sel_i64), \
		[EU_FAST_EQ] = ROW2_ONE(eq_i64), [EU_FAST_NE] = ROW2_ONE(ne_i64), \
		[EU_FAST_LT] = ROW2_ONE(lt_i64), [EU_FAST_LE] = ROW2_ONE(le_i64), \
		[EU_FAST_LT_U] = ROW2_ONE(lt_u64), [EU_FAST_LE_U] = ROW2_ONE(le_u64), \
		[EU_FAST_MINMAX] = ROW_ANY(minmax_i64), \
		[EU_FAST_MINMAX_U] = ROW_ANY(minmax_u64), \
	}, \
	[EU_FAST_F32] = { \
		[EU_FAST_MOV] = ROW1(mov_f32), [EU_FAST_ADD] = ROW2(add_f32), \
		[EU_FAST_SUB] = ROW2(sub_f32), [EU_FAST_MUL] = ROW2(mul_f32), \
		[EU_FAST_NMUL] = ROW2(nmul_f32), [EU_FAST_MAD] = ROW3(mad_f32), \
		[EU_FAST_NMAD] = ROW3(nmad_f32), [EU_FAST_MSUB] = ROW3(msub_f32), \
		[EU_FAST_NMSUB] = ROW3(nmsub_f32), [EU_FAST_SEL] = ROW_ANY(sel_f32), \
		[EU_FAST_EQ] = ROW2_ONE(eq_f32), [EU_FAST_NE] = ROW2_ONE(ne_f32), \
		[EU_FAST_LT] = ROW2_ONE(lt_f32), [EU_FAST_LE] = ROW2_ONE(le_f32), \
		[EU_FAST_MINMAX] = ROW_ANY(minmax_f32), [EU_FAST_INV] = ROW1(inv_f32), \
		[EU_FAST_SQT] = ROW1(sqt_f32), [EU_FAST_RSQT] = ROW1(rsqt_f32), \
	}, \
	[EU_FAST_F64] = { \
		[EU_FAST_MOV] = ROW1(mov_f64), [EU_FAST_ADD] = ROW2(add_f64), \
		[EU_FAST_SUB] = ROW2(sub_f64), [EU_FAST_MUL] = ROW2(mul_f64), \
		[EU_FAST_NMUL] = ROW2(nmul_f64), [EU_FAST_MAD] = ROW3(mad_f64), \
		[EU_FAST_NMAD] = ROW3(nmad_f64), [EU_FAST_MSUB] = ROW3(msub_f64), \
		[EU_FAST_NMSUB] = ROW3(nmsub_f64), \
		[EU_FAST_EQ] = ROW2_ONE(eq_f64), [EU_FAST_NE] = ROW2_ONE(ne_f64), \
		[EU_FAST_LT] = ROW2_ONE(lt_f64), [EU_FAST_LE] = ROW2_ONE(le_f64), \
		[EU_FAST_MINMAX] = ROW_ANY(minmax_f64), \
	}, \
}
