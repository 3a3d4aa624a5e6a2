// SPDX-License-Identifier: MIT
/*
 * Which commands there are is in the virtual card's list, and their fields are in the headers of
 * hardware facts.
 */
#include "crash_decode.h"

#include <stdbool.h>
#include <stdio.h>

#include "cs/command_list.h"

struct command {
	uint32_t mask, value;		/* of the first dword */
	const char *name;
	uint32_t length;		/* 0: one dword, else (field) + 2 */
	unsigned int least, most;	/* dwords */
};

#define MI_ROW(code, name, length, least, most, flags, run) \
	{ PVC_MI_OPCODE_MASK, (code) & PVC_MI_OPCODE_MASK, name, length, least, most },
#define BLT_ROW(code, name, length, least, most, flags, run) \
	{ PVC_BLT_OPCODE_MASK, (code) & PVC_BLT_OPCODE_MASK, name, length, least, most },
#define GFX_ROW(code, name, length, least, most, flags, run) \
	{ PVC_GFX_OPCODE_MASK, (code) & PVC_GFX_OPCODE_MASK, name, length, least, most },

static const struct command commands[] = {
	MI_COMMANDS(MI_ROW)
	BLT_COMMANDS(BLT_ROW)
	GFX_COMMANDS(GFX_ROW)
};

#define NUM(array)	(sizeof(array) / sizeof((array)[0]))

static unsigned int dwords(const struct command *c, uint32_t header)
{
	return c->length ? PVC_FIELD_GET(c->length, header) + 2 : 1;
}

static const struct command *find(uint32_t header)
{
	for (size_t i = 0; i < NUM(commands); i++) {
		const struct command *c = &commands[i];

		if ((header & c->mask) == c->value)
			return dwords(c, header) >= c->least && dwords(c, header) <= c->most ?
			       c : NULL;
	}
	return NULL;
}

const char *crash_command_name(uint32_t header)
{
	const struct command *c = find(header);

	return c ? c->name : NULL;
}

unsigned int crash_command_dwords(uint32_t header)
{
	const struct command *c = find(header);

	return c ? dwords(c, header) : 1;
}

/* ---- fields ---- */

/* The names of a field's values; NULL: a value that is not worth a word */
struct words {
	unsigned int num;
	const char *word[6];
};

static const struct words compares = { 6, { "GT", "GE", "LT", "LE", "EQ", "NE" } };
static const struct words post_syncs = { 4, { NULL, "immediate", "depth count", "timestamp" } };
static const struct words simds = { 3, { NULL, "16", "32" } };

#define ADDRESS		0xffffffffffffffffull

/*
 * A field of a command: its name, and the bits @mask of dword @dw; ADDRESS: an address that begins
 * there. With @words the value is one of them. A field of one bit is a flag. A value of 0 is left
 * out, unless the field is the whole dword.
 */
struct field {
	uint32_t code;
	const char *name;
	unsigned int dw;
	uint64_t mask;
	const struct words *words;
	unsigned int add;		/* to the value in the command */
};

#define WHOLE	0xffffffffull

static const struct field fields[] = {
	{ PVC_MI_NOOP, "id", 0, PVC_MI_NOOP_ID },
	{ PVC_MI_SET_PREDICATE, "enable", 0, PVC_MI_SET_PREDICATE_ENABLE },
	{ PVC_MI_SET_PREDICATE, "by partition", 0, PVC_MI_SET_PREDICATE_WPARID },
	{ PVC_MI_ARB_ON_OFF, "on", 0, PVC_MI_ARB_ENABLE },
	{ PVC_MI_SEMAPHORE_WAIT, "address", 2, ADDRESS },
	{ PVC_MI_SEMAPHORE_WAIT, "compare", 0, PVC_MI_SEMAPHORE_COMPARE, &compares },
	{ PVC_MI_SEMAPHORE_WAIT, "data", 1, WHOLE },
	{ PVC_MI_SEMAPHORE_WAIT, "poll", 0, PVC_MI_SEMAPHORE_POLL },
	{ PVC_MI_SEMAPHORE_WAIT, "of a register", 0, PVC_MI_SEMAPHORE_REGISTER_POLL },
	{ PVC_MI_SEMAPHORE_WAIT, "global", 0, PVC_MI_SEMAPHORE_GGTT },
	{ PVC_MI_STORE_DATA_IMM, "address", 1, ADDRESS },
	{ PVC_MI_STORE_DATA_IMM, "data", 3, WHOLE },
	{ PVC_MI_STORE_DATA_IMM, "qword", 0, PVC_MI_SDI_QWORD },
	{ PVC_MI_STORE_DATA_IMM, "by partition", 0, PVC_MI_SDI_WPARID_OFFSET },
	{ PVC_MI_STORE_DATA_IMM, "global", 0, PVC_MI_SDI_GGTT },
	{ PVC_MI_LOAD_REGISTER_IMM(1), "of the engine", 0, PVC_MI_LRI_ADD_CS },
	{ PVC_MI_STORE_REGISTER_MEM, "register", 1, WHOLE },
	{ PVC_MI_STORE_REGISTER_MEM, "address", 2, ADDRESS },
	{ PVC_MI_STORE_REGISTER_MEM, "of the engine", 0, PVC_MI_SRM_ADD_CS },
	{ PVC_MI_STORE_REGISTER_MEM, "global", 0, PVC_MI_SRM_GGTT },
	{ PVC_MI_LOAD_REGISTER_MEM, "register", 1, WHOLE },
	{ PVC_MI_LOAD_REGISTER_MEM, "address", 2, ADDRESS },
	{ PVC_MI_LOAD_REGISTER_MEM, "of the engine", 0, PVC_MI_LRM_ADD_CS },
	{ PVC_MI_LOAD_REGISTER_MEM, "global", 0, PVC_MI_LRM_GGTT },
	{ PVC_MI_LOAD_REGISTER_REG, "from register", 1, WHOLE },
	{ PVC_MI_LOAD_REGISTER_REG, "to register", 2, WHOLE },
	{ PVC_MI_COPY_MEM_MEM, "to", 1, ADDRESS },
	{ PVC_MI_COPY_MEM_MEM, "from", 3, ADDRESS },
	{ PVC_MI_ATOMIC, "operation", 0, PVC_MI_ATOMIC_OPCODE },
	{ PVC_MI_ATOMIC, "address", 1, ADDRESS },
	{ PVC_MI_ATOMIC, "global", 0, PVC_MI_ATOMIC_GGTT },
	{ PVC_MI_BATCH_BUFFER_START, "address", 1, ADDRESS },
	{ PVC_MI_BATCH_BUFFER_START, "second level", 0, PVC_MI_BATCH_BUFFER_START_2ND_LEVEL },
	{ PVC_MI_BATCH_BUFFER_START, "predicated", 0, PVC_MI_BATCH_BUFFER_START_PREDICATE },
	{ PVC_MI_CONDITIONAL_BATCH_BUFFER_END, "address", 2, ADDRESS },
	{ PVC_MI_CONDITIONAL_BATCH_BUFFER_END, "compare", 0, PVC_MI_COND_BBE_COMPARE, &compares },
	{ PVC_MI_CONDITIONAL_BATCH_BUFFER_END, "data", 1, WHOLE },
	{ PVC_MI_FLUSH_DW, "post-sync", 0, PVC_MI_FLUSH_DW_POST_SYNC, &post_syncs },
	{ PVC_MI_FLUSH_DW, "address", 1, ADDRESS },
	{ PVC_MI_FLUSH_DW, "data", 3, WHOLE },
	{ PVC_MI_FLUSH_DW, "invalidate TLB", 0, PVC_MI_FLUSH_DW_TLB_INVALIDATE },
	{ PVC_MI_FLUSH_DW, "interrupt", 0, PVC_MI_FLUSH_DW_NOTIFY },

	{ PVC_MEM_COPY, "width", 1, PVC_MEM_DIM, .add = 1 },
	{ PVC_MEM_COPY, "rows", 2, PVC_MEM_DIM, .add = 1 },
	{ PVC_MEM_COPY, "from", 5, ADDRESS },
	{ PVC_MEM_COPY, "to", 7, ADDRESS },
	{ PVC_MEM_COPY, "of pages", 0, PVC_MEM_COPY_UNIT_PAGE },
	{ PVC_MEM_SET, "width", 1, PVC_MEM_DIM, .add = 1 },
	{ PVC_MEM_SET, "rows", 2, PVC_MEM_DIM, .add = 1 },
	{ PVC_MEM_SET, "to", 4, ADDRESS },
	{ PVC_MEM_SET, "value", 6, PVC_MEM_SET6_VALUE },
	{ PVC_XY_FAST_COPY_BLT, "to", 4, ADDRESS },
	{ PVC_XY_FAST_COPY_BLT, "from", 8, ADDRESS },
	{ PVC_XY_BLOCK_COPY_BLT, "to", 4, ADDRESS },
	{ PVC_XY_BLOCK_COPY_BLT, "from", 9, ADDRESS },
	{ PVC_XY_FAST_COLOR_BLT, "to", 4, ADDRESS },

	{ PVC_PIPE_CONTROL, "post-sync", 1, PVC_PIPE_CONTROL1_POST_SYNC, &post_syncs },
	{ PVC_PIPE_CONTROL, "address", 2, ADDRESS },
	{ PVC_PIPE_CONTROL, "data", 4, WHOLE },
	{ PVC_PIPE_CONTROL, "stall", 1, PVC_PIPE_CONTROL1_CS_STALL },
	{ PVC_PIPE_CONTROL, "flush DC", 1, PVC_PIPE_CONTROL1_DC_FLUSH },
	{ PVC_PIPE_CONTROL, "invalidate TLB", 1, PVC_PIPE_CONTROL1_TLB_INVALIDATE },
	{ PVC_PIPE_CONTROL, "interrupt", 1, PVC_PIPE_CONTROL1_NOTIFY },
	{ PVC_PIPELINE_SELECT, "pipeline", 0, PVC_PIPELINE_SELECT_PIPELINE },
	{ PVC_STATE_COMPUTE_MODE, "mode", 1, WHOLE },
	{ PVC_STATE_BASE_ADDRESS, "general", PVC_SBA_GENERAL_DW, ADDRESS },
	{ PVC_STATE_BASE_ADDRESS, "surface", PVC_SBA_SURFACE_DW, ADDRESS },
	{ PVC_STATE_BASE_ADDRESS, "dynamic", PVC_SBA_DYNAMIC_DW, ADDRESS },
	{ PVC_STATE_BASE_ADDRESS, "instructions", PVC_SBA_INSTRUCTION_DW, ADDRESS },
	{ PVC_STATE_SIP, "address", 1, ADDRESS },
	{ PVC_STATE_SYSTEM_MEM_FENCE_ADDRESS, "address", 1, ADDRESS },
	{ PVC_CFE_STATE, "threads", 3, PVC_CFE3_MAX_THREADS },
	{ PVC_CFE_STATE, "scratch", 1, PVC_CFE1_SCRATCH },
	{ PVC_COMPUTE_WALKER, "SIMD", 4, PVC_COMPUTE_WALKER4_SIMD, &simds },
	{ PVC_COMPUTE_WALKER, "local x", 6, PVC_COMPUTE_WALKER6_LOCAL_X, .add = 1 },
	{ PVC_COMPUTE_WALKER, "y", 6, PVC_COMPUTE_WALKER6_LOCAL_Y, .add = 1 },
	{ PVC_COMPUTE_WALKER, "z", 6, PVC_COMPUTE_WALKER6_LOCAL_Z, .add = 1 },
	{ PVC_COMPUTE_WALKER, "groups x", PVC_COMPUTE_WALKER_GROUPS_DW(0), WHOLE },
	{ PVC_COMPUTE_WALKER, "y", PVC_COMPUTE_WALKER_GROUPS_DW(1), WHOLE },
	{ PVC_COMPUTE_WALKER, "z", PVC_COMPUTE_WALKER_GROUPS_DW(2), WHOLE },
	{ PVC_COMPUTE_WALKER, "kernel at", PVC_COMPUTE_WALKER_IDD_DW, PVC_IDD0_KERNEL_START },
	{ PVC_COMPUTE_WALKER, "threads", PVC_COMPUTE_WALKER_IDD_DW + 5, PVC_IDD5_THREADS },
	{ PVC_COMPUTE_WALKER, "partitioned", 0, PVC_COMPUTE_WALKER0_PARTITION },
};

/* An address that begins within its dword is no shifted value. */
static uint32_t value_of(const struct field *f, uint32_t dword)
{
	if (f->mask == PVC_IDD0_KERNEL_START || f->mask == PVC_CFE1_SCRATCH)
		return dword & f->mask;
	return PVC_FIELD_GET((uint32_t)f->mask, dword) + f->add;
}

static void print_field(const struct field *f, const uint32_t *dw, unsigned int n,
			const char **between)
{
	bool flag = f->mask && !(f->mask & (f->mask - 1));
	/* The low bits of an address are flags. */
	uint32_t low = f->code == PVC_STATE_BASE_ADDRESS ? 0xfff : 3;
	uint32_t value;

	if (f->dw + (f->mask == ADDRESS) >= n)
		return;
	value = f->mask == ADDRESS ? 0 : value_of(f, dw[f->dw]);
	if (f->mask == ADDRESS)
		printf("%s%s %#llx", *between, f->name,
		       (unsigned long long)dw[f->dw + 1] << 32 | (dw[f->dw] & ~low));
	else if (f->words && value < f->words->num && f->words->word[value])
		printf("%s%s %s", *between, f->name, f->words->word[value]);
	else if (!value && f->mask != WHOLE)
		return;
	else if (flag && !f->words)
		printf("%s%s", *between, f->name);
	else
		printf("%s%s %#x", *between, f->name, value);
	*between = ", ";
}

/* Pairs of a register and what it gets */
static void print_pairs(const uint32_t *dw, unsigned int n, const char **between)
{
	for (unsigned int i = 1; i + 1 < n; i += 2) {
		printf("%s%#x = %#x", *between, dw[i], dw[i + 1]);
		*between = ", ";
	}
}

void crash_print_fields(const uint32_t *dw, unsigned int n)
{
	const struct command *c = n ? find(dw[0]) : NULL;
	const char *between = " ";

	if (!c)
		return;
	if (c->value == (PVC_MI_LOAD_REGISTER_IMM(1) & PVC_MI_OPCODE_MASK))
		print_pairs(dw, n, &between);
	for (size_t i = 0; i < NUM(fields); i++)
		if ((fields[i].code & c->mask) == c->value)
			print_field(&fields[i], dw, n, &between);
}
