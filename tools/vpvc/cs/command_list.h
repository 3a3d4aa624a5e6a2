/* SPDX-License-Identifier: MIT */
/*
 * The commands of the command streamers, one ROW() each:
 *
 *   code    the first dword without its operands
 *   name
 *   length  mask of the field with the dwords less two; 0: the command is one dword
 *   min, max  dwords
 *   flags, run  for the card alone: CMD_* of command.h, the function
 *
 * The card's tables (mi.c, blt.c, compute.c) are made of these lists, and so is the decoder of
 * "xetilectl crash", which includes nothing else of the card.
 */
#ifndef VPVC_COMMAND_LIST_H
#define VPVC_COMMAND_LIST_H

#include "pvc_blt_commands.h"
#include "pvc_gfx_commands.h"
#include "pvc_mi_commands.h"

/* Dwords of the longest one: STORE_DATA_IMM with all length bits set */
#define COMMAND_MAX_DWORDS	(PVC_MI_SDI_LEN + 2)

#define MI_COMMANDS(ROW) \
	/* The identification number of a NOOP has its bits up to 22. */ \
	ROW(PVC_MI_NOOP, "MI_NOOP", 0, 1, 1, CMD_ANY, mi_noop) \
	ROW(PVC_MI_SET_PREDICATE, "MI_SET_PREDICATE", \
	    0, 1, 1, CMD_ANY | CMD_CONTROL, mi_set_predicate) \
	ROW(PVC_MI_USER_INTERRUPT, "MI_USER_INTERRUPT", 0, 1, 1, CMD_ANY, mi_user_interrupt) \
	ROW(PVC_MI_ARB_CHECK, "MI_ARB_CHECK", 0, 1, 1, CMD_ANY, mi_arb_check) \
	ROW(PVC_MI_ARB_ON_OFF, "MI_ARB_ON_OFF", 0, 1, 1, CMD_ANY, mi_arb_on_off) \
	ROW(PVC_MI_MEM_FENCE, "MI_MEM_FENCE", 0, 1, 1, CMD_ANY, mi_mem_fence) \
	ROW(PVC_MI_BATCH_BUFFER_END, "MI_BATCH_BUFFER_END", \
	    0, 1, 1, CMD_ANY | CMD_CONTROL, mi_batch_end) \
	ROW(PVC_MI_PREDICATE, "MI_PREDICATE", 0, 1, 1, CMD_ANY, mi_predicate) \
	ROW(PVC_MI_TOPOLOGY_FILTER, "MI_TOPOLOGY_FILTER", 0, 1, 1, CMD_ANY, mi_nothing) \
	ROW(PVC_MI_MATH, "MI_MATH", PVC_MI_LEN, 2, 257, CMD_ANY, mi_math) \
	/* A signal has no effect, because waits in signal mode poll here as well. */ \
	ROW(PVC_MI_SEMAPHORE_SIGNAL, "MI_SEMAPHORE_SIGNAL", \
	    PVC_MI_LEN, 2, 257, CMD_ANY, mi_nothing) \
	ROW(PVC_MI_SEMAPHORE_WAIT, "MI_SEMAPHORE_WAIT", \
	    PVC_MI_LEN, 4, 5, CMD_ANY, mi_semaphore_wait) \
	ROW(PVC_MI_FORCE_WAKEUP, "MI_FORCE_WAKEUP", PVC_MI_LEN, 2, 257, CMD_ANY, mi_nothing) \
	ROW(PVC_MI_STORE_DATA_IMM, "MI_STORE_DATA_IMM", \
	    PVC_MI_SDI_LEN, 4, COMMAND_MAX_DWORDS, CMD_ANY, mi_store_data_imm) \
	ROW(PVC_MI_STORE_DATA_INDEX, "MI_STORE_DATA_IMM_INDEX", \
	    PVC_MI_LEN, 3, 4, CMD_ANY, mi_store_data_index) \
	ROW(PVC_MI_LOAD_REGISTER_IMM(1), "MI_LOAD_REGISTER_IMM", \
	    PVC_MI_LEN, 3, 257, CMD_ANY, mi_load_register_imm) \
	ROW(PVC_MI_UPDATE_GTT, "MI_UPDATE_GTT", \
	    PVC_MI_LEN, 4, 257, CMD_ANY | CMD_PRIVILEGED, mi_update_gtt) \
	ROW(PVC_MI_STORE_REGISTER_MEM, "MI_STORE_REGISTER_MEM", \
	    PVC_MI_LEN, 4, 4, CMD_ANY, mi_store_register_mem) \
	ROW(PVC_MI_FLUSH_DW, "MI_FLUSH_DW", PVC_MI_FLUSH_DW_LEN, 3, 5, CMD_ANY, mi_flush_dw) \
	ROW(PVC_MI_REPORT_PERF_COUNT, "MI_REPORT_PERF_COUNT", \
	    PVC_MI_REPORT_PERF_LEN, 4, 4, CMD_ANY, mi_report_perf_count) \
	ROW(PVC_MI_LOAD_REGISTER_MEM, "MI_LOAD_REGISTER_MEM", \
	    PVC_MI_LEN, 4, 4, CMD_ANY, mi_load_register_mem) \
	ROW(PVC_MI_LOAD_REGISTER_REG, "MI_LOAD_REGISTER_REG", \
	    PVC_MI_LEN, 3, 3, CMD_ANY, mi_load_register_reg) \
	ROW(PVC_MI_COPY_MEM_MEM, "MI_COPY_MEM_MEM", PVC_MI_LEN, 5, 5, CMD_ANY, mi_copy_mem_mem) \
	ROW(PVC_MI_ATOMIC, "MI_ATOMIC", PVC_MI_LEN, 3, 11, CMD_ANY, mi_atomic) \
	ROW(PVC_MI_BATCH_BUFFER_START, "MI_BATCH_BUFFER_START", \
	    PVC_MI_LEN, 3, 3, CMD_ANY | CMD_CONTROL, mi_batch_start) \
	ROW(PVC_MI_CONDITIONAL_BATCH_BUFFER_END, "MI_CONDITIONAL_BATCH_BUFFER_END", \
	    PVC_MI_LEN, 4, 4, CMD_ANY | CMD_CONTROL, mi_cond_batch_end)

#define BLT_COMMANDS(ROW) \
	ROW(PVC_MEM_COPY, "MEM_COPY", \
	    PVC_BLT_LEN, PVC_MEM_COPY_DWORDS, PVC_MEM_COPY_DWORDS, CMD_BCS, mem_copy) \
	ROW(PVC_MEM_SET, "MEM_SET", \
	    PVC_BLT_LEN, PVC_MEM_SET_DWORDS, PVC_MEM_SET_DWORDS, CMD_BCS, mem_set) \
	ROW(PVC_XY_FAST_COPY_BLT, "XY_FAST_COPY_BLT", \
	    PVC_BLT_LEN, PVC_XY_FAST_COPY_BLT_DWORDS, PVC_XY_FAST_COPY_BLT_DWORDS, \
	    CMD_BCS, xy_fast_copy) \
	ROW(PVC_XY_BLOCK_COPY_BLT, "XY_BLOCK_COPY_BLT", \
	    PVC_BLT_LEN, PVC_XY_BLOCK_COPY_BLT_SHORT_DWORDS, PVC_XY_BLOCK_COPY_BLT_DWORDS, \
	    CMD_BCS, xy_block_copy) \
	ROW(PVC_XY_FAST_COLOR_BLT, "XY_FAST_COLOR_BLT", \
	    PVC_BLT_LEN, PVC_XY_FAST_COLOR_BLT_DWORDS, PVC_XY_FAST_COLOR_BLT_DWORDS, \
	    CMD_BCS, xy_fast_color)

#define GFX_COMMANDS(ROW) \
	ROW(PVC_PIPE_CONTROL, "PIPE_CONTROL", \
	    PVC_GFX_LEN, PVC_PIPE_CONTROL_DWORDS, PVC_PIPE_CONTROL_DWORDS, \
	    CMD_CCS, pipe_control) \
	ROW(PVC_COMPUTE_WALKER, "COMPUTE_WALKER", \
	    PVC_GFX_LEN, PVC_COMPUTE_WALKER_DWORDS, PVC_COMPUTE_WALKER_DWORDS, \
	    CMD_CCS, compute_walker) \
	ROW(PVC_PIPELINE_SELECT, "PIPELINE_SELECT", 0, 1, 1, CMD_CCS, pipeline_select) \
	ROW(PVC_STATE_COMPUTE_MODE, "STATE_COMPUTE_MODE", \
	    PVC_GFX_LEN, PVC_STATE_COMPUTE_MODE_DWORDS, PVC_STATE_COMPUTE_MODE_DWORDS, \
	    CMD_CCS, state_compute_mode) \
	ROW(PVC_STATE_BASE_ADDRESS, "STATE_BASE_ADDRESS", \
	    PVC_GFX_LEN, PVC_STATE_BASE_ADDRESS_DWORDS, PVC_STATE_BASE_ADDRESS_DWORDS, \
	    CMD_CCS, state_base_address) \
	ROW(PVC_CFE_STATE, "CFE_STATE", \
	    PVC_GFX_LEN, PVC_CFE_STATE_DWORDS, PVC_CFE_STATE_DWORDS, CMD_CCS, cfe_state) \
	ROW(PVC_STATE_SIP, "STATE_SIP", \
	    PVC_GFX_LEN, PVC_STATE_SIP_DWORDS, PVC_STATE_SIP_DWORDS, CMD_CCS, state_sip) \
	ROW(PVC_STATE_PREFETCH, "STATE_PREFETCH", \
	    PVC_GFX_LEN, PVC_STATE_PREFETCH_DWORDS, PVC_STATE_PREFETCH_DWORDS, \
	    CMD_CCS, no_effect) \
	/* User-mode drivers send it to copy engines too. */ \
	ROW(PVC_STATE_SYSTEM_MEM_FENCE_ADDRESS, "STATE_SYSTEM_MEM_FENCE_ADDRESS", \
	    PVC_GFX_LEN, PVC_STATE_SYSTEM_MEM_FENCE_DWORDS, PVC_STATE_SYSTEM_MEM_FENCE_DWORDS, \
	    CMD_ANY, fence_address) \
	ROW(PVC_3DSTATE_BINDING_TABLE_POOL_ALLOC, "3DSTATE_BINDING_TABLE_POOL_ALLOC", \
	    PVC_GFX_LEN, PVC_3DSTATE_BINDING_TABLE_POOL_DWORDS, \
	    PVC_3DSTATE_BINDING_TABLE_POOL_DWORDS, CMD_CCS, binding_table_pool) \
	ROW(PVC_3DSTATE_BTD, "3DSTATE_BTD", \
	    PVC_GFX_LEN, PVC_3DSTATE_BTD_DWORDS, PVC_3DSTATE_BTD_DWORDS, CMD_CCS, no_effect)

#endif
