/* SPDX-License-Identifier: MIT */
/*
 * Inside of the execution units: thread state, prepared instructions and the
 * pieces that work on them.
 *
 * A worker (one host thread) takes whole work-groups, so that SLM and barriers
 * need no locks; only memory is shared between workers. Each worker decodes an
 * instruction when it first meets it and keeps it as a struct eu_op.
 */
#ifndef EU_CORE_H
#define EU_CORE_H

#include <string.h>

#include "eu.h"
#include "eu_isa.h"

#define likely(x)	__builtin_expect(!!(x), 1)
#define unlikely(x)	__builtin_expect(!!(x), 0)

/*
 * Registers of a thread, one array so that any direct operand is an offset:
 * 256 general registers, 16 accumulators, then one 64-byte slot for each of
 * the 16 kinds of architecture registers, then room that over-long vector
 * loads of the fast handlers may read.
 */
#define EU_GRF_BYTES	(256 * EU_REG_BYTES)
#define EU_ACC_OFF	EU_GRF_BYTES
#define EU_ARF_OFF	(EU_ACC_OFF + 16 * EU_REG_BYTES)
#define EU_ARF_SLOT(a)	(EU_ARF_OFF + (a) * EU_REG_BYTES)
#define EU_STATE_BYTES	(EU_ARF_SLOT(16) + 5 * EU_REG_BYTES)

#define EU_SLM_MAX	(128 * 1024)
#define EU_MAX_THREADS	64
#define EU_BARRIERS	32
/* Instructions a thread runs before others of its worker get a turn */
#define EU_QUANTUM	20000

#define EU_CR0_ROUND_SHIFT	4
#define EU_CR0_KEEP_DF		(1u << 6)
#define EU_CR0_KEEP_F		(1u << 7)
#define EU_CR0_KEEP_HF		(1u << 10)
#define EU_CR0_FTOI_ROUND	(1u << 12)

/* Wide enough that no integer operation of the EU overflows. */
typedef __int128 eu_wide;

struct eu_thread;
struct eu_op;
struct eu_group;
struct eu_worker;
struct eu_run_state;

/* Runs one instruction; the next one, or NULL with eu_thread.status set */
typedef struct eu_op *eu_exec(struct eu_thread *t, struct eu_op *op);

/*
 * Where an instruction goes, and how many instructions that counts. The run loop
 * fetches what is not there when the thread gets to it (eu_thread.edge).
 */
struct eu_edge {
	struct eu_op *op;
	uint32_t cost;
};

/* How a thread takes an edge */
enum eu_way {
	EU_WAY_NEXT,	/* to the instruction that follows */
	EU_WAY_BRANCH,	/* a branch: the thread may lose its turn */
	EU_WAY_LEAVE,	/* a branch of nobody, to where somebody may wait */
};

/* How the fast handlers read a source */
enum eu_src_mode {
	EU_SRC_CONTIGUOUS,	/* elements of the operation's width, side by side */
	EU_SRC_SCALAR,		/* one element for all lanes */
	EU_SRC_STRIDED,		/* any type and constant distance */
	EU_SRC_CONST		/* an immediate, widened once */
};

/* An address is @where, from the registers on if @relative is all ones, not 0. */
struct eu_fast_src {
	uintptr_t where, relative;
	uint16_t stride;	/* bytes */
	uint8_t mode;
	uint8_t type;
	bool neg, abs, complement;
};

/* A memory message with its descriptor taken apart */
struct eu_fast_message {
	uint8_t bytes;		/* of an element */
	uint8_t vector;		/* elements of a lane */
	uint8_t address_bytes;
	bool slm, arguments;
	uint16_t address, data;	/* offsets of the payloads */
	uint16_t stride;	/* between the elements of a lane */
};

/**
 * struct eu_op - an instruction prepared for execution
 * @exec: handler; [1] is used while the thread flushes denormals
 * @executed: times it ran
 * @lanes: mask of the execution size
 * @dst_off: byte offset of the destination's first element
 * @code: the bytes it was made of
 * @unmasked: all lanes execute always
 * @general: handler of the general path
 * @elem: byte offset of each element of a direct source
 */
struct eu_op {
	eu_exec *exec[2];
	struct eu_edge next;
	uint64_t executed;
	uint32_t lanes;
	uint16_t dst_off, dst_stride;
	uint8_t channel, n;
	bool nomask, unmasked;
	uint8_t pred;
	bool pred_inv;
	uint8_t flag_shift, flag;
	uint8_t dst_bytes;	/* size of a destination element, 0: null */
	bool acc_dst;		/* writes acc0 or acc1 */
	union {
		struct eu_fast_src fast[3];
		struct eu_fast_message message;
	};
	struct eu_edge jip, uip;
	eu_exec *general;
	eu_exec *inner;		/* what a wrapping handler calls */
	struct eu_insn in;
	uint16_t elem[3][EU_MAX_LANES];
	const char *why;
	uint64_t fault_va;
	uint8_t code[16];
};

enum eu_status {
	EU_T_NEW, EU_T_READY, EU_T_BARRIER, EU_T_ENDED, EU_T_STOPPED
};

/**
 * struct eu_thread - one hardware thread
 * @em: execution mask
 * @waiting: channels that wait at the address in @wait_ip
 * @broken: those of them that left a loop by break
 * @wide: exact products behind acc0, one per lane (mul for mach and macl)
 * @wide_valid: acc0 was last written by an integer multiplication
 * @notified: barriers that completed and were not waited for yet (n0)
 * @slow: index of eu_op.exec
 * @edge: NULL, or what the loop has to lead to @edge_ip before the thread goes on
 * @edge_ip: address the thread goes on at
 * @way: how it takes @edge
 * @jump: the edge of a jump to a computed address, which is another one each time
 * @slot: unique hardware thread number, as sr0.0 with its gaps squeezed out
 * @hardware_id: the same, as sr0.0 has it
 */
struct eu_thread {
	uint8_t regs[EU_STATE_BYTES] __attribute__((aligned(64)));
	int64_t wide[EU_MAX_LANES];
	bool wide_valid;
	uint32_t em;
	uint32_t waiting, broken;
	uint32_t wait_ip[EU_MAX_LANES];
	uint32_t notified;
	uint32_t wait_barriers;		/* all of these have to complete */
	bool waits_for_host;
	unsigned int slow;
	enum eu_status status;
	struct eu_op *op;
	struct eu_edge *edge, jump;
	uint32_t edge_ip;
	enum eu_way way;
	uint64_t instructions, limit;
	unsigned int slot;
	uint32_t hardware_id;
	struct eu_worker *worker;
	struct eu_group *group;
	struct eu_thread *next_free;
};

struct eu_barrier {
	unsigned int producers, consumers;
	uint64_t waiting;	/* threads to release */
};

struct eu_group {
	uint32_t id[3];
	unsigned int next_thread, live;
	struct eu_thread *threads[EU_MAX_THREADS];
	enum eu_status status[EU_MAX_THREADS];
	struct eu_barrier barriers[EU_BARRIERS];
	struct eu_group *next;
	uint8_t *slm;
};

struct eu_tlb_entry {
	uint64_t lo, hi;	/* [lo, hi) is translated; empty when equal */
	uint8_t *host;		/* of lo; NULL for a NULL page */
	enum eu_place place;
	bool writable;
};

#define EU_TLB_ENTRIES	256
#define EU_CODE_PAGE	4096
#define EU_CODE_BUCKETS	64

/* Prepared instructions of 4 KiB of code, one slot per 8 bytes */
struct eu_code_page {
	struct eu_code_page *next;
	uint32_t base;
	struct eu_op *ops[EU_CODE_PAGE / 8];
};

struct eu_chunk;

/* One host thread of a run, and everything it does not share */
struct eu_worker {
	struct eu_run_state *run;
	struct eu_counters counters;
	struct eu_tlb_entry tlb[EU_TLB_ENTRIES];
	unsigned int generation;
	struct eu_code_page *code[EU_CODE_BUCKETS];
	struct eu_chunk *chunks;
	size_t program_bytes;
	struct eu_thread *free_threads;
	struct eu_thread *all_threads[EU_MAX_THREADS * 64];
	unsigned int allocated, max_threads, index;
	struct eu_group *groups, *free_groups;
	unsigned int resident;
	uint8_t sources[EU_GRF_BYTES];	/* copy for a message, see eu_message_sources() */
	int rounding;			/* of this host thread now, FE_* */
	uint16_t local_ids[EU_MAX_THREADS][3][EU_MAX_LANES];
};

/* What the workers of a run share */
struct eu_run_state {
	const struct eu_walker *walker;
	const struct eu_memory *memory;
	const atomic_bool *cancel;
	uint64_t total_groups;
	unsigned int workers;
	atomic_uint_fast64_t next_group;
	atomic_bool stopped;
	bool unfinished;	/* set once the workers have ended */
	struct eu_stop stop;
};

/* eu_program.c */
struct eu_op *eu_fetch(struct eu_worker *w, uint32_t ip, uint32_t *cost);
void eu_worker_check_program(struct eu_worker *w);

/* eu_worker.c */
void *eu_worker_alloc(struct eu_worker *w, size_t size);
void eu_worker_free_program(struct eu_worker *w);
void eu_worker_count(struct eu_worker *w);

/* eu_state.c */
struct eu_op *eu_thread_stop(struct eu_thread *t, struct eu_op *op,
			     enum eu_reason reason, const char *what);
struct eu_op *eu_thread_fault(struct eu_thread *t, struct eu_op *op,
			      uint64_t va, bool write);
uint32_t eu_hardware_id(const struct eu_walker *walker, unsigned int slot);
void eu_thread_cr0_changed(struct eu_thread *t);

/* eu_thread.c */
void eu_thread_start(struct eu_thread *t, struct eu_group *g, unsigned int number);
void eu_thread_run(struct eu_thread *t);

/* eu_memory.c */
const struct eu_tlb_entry *eu_tlb_fill(struct eu_worker *w, uint64_t va, bool write);
bool eu_mem_read(struct eu_worker *w, uint64_t va, void *to, size_t size,
		 uint64_t *sum, uint64_t *fault);
bool eu_mem_write(struct eu_worker *w, uint64_t va, const void *from, size_t size,
		  uint64_t *fault);
bool eu_mem_fetch(struct eu_worker *w, uint64_t va, void *to, size_t size,
		  uint64_t *fault);

/* eu_region.c */
void eu_load_int(struct eu_thread *t, const struct eu_op *op, int i, eu_wide *v);
void eu_load_raw(struct eu_thread *t, const struct eu_op *op, int i, uint64_t *v);
double eu_acc_float(const struct eu_thread *t, enum eu_type type, int lane);
void eu_load_indexed(struct eu_thread *t, const struct eu_op *op, uint64_t *v);
void eu_load_float(struct eu_thread *t, const struct eu_op *op, int i, double *v);
void eu_store_int(struct eu_thread *t, const struct eu_op *op, uint32_t mask,
		  const eu_wide *v);
void eu_store_raw(struct eu_thread *t, const struct eu_op *op, uint32_t mask,
		  const uint64_t *v);
void eu_store_float(struct eu_thread *t, const struct eu_op *op, uint32_t mask,
		    const double *v);
void eu_write_flags(struct eu_thread *t, const struct eu_op *op, uint32_t mask,
		    uint32_t bits);
void eu_acc_written(struct eu_thread *t, const struct eu_op *op);
const char *eu_prepare_operands(struct eu_op *op);

/* eu_convert.c */
double eu_half_to_double(uint16_t h);
uint16_t eu_double_to_half(double v);
float eu_bf_to_float(uint16_t b);
uint16_t eu_float_to_bf(float v);
double eu_vf_to_double(uint8_t v);
bool eu_compare_float(enum eu_cond cond, double a, double b);
bool eu_compare_int(enum eu_cond cond, eu_wide a, eu_wide b);
double eu_fma_to_odd(double a, double b, double c);
double eu_float_to_int(double v, bool follow_mode);

/* eu_float.c */
eu_exec eu_exec_math;

/* eu_alu.c, eu_flow.c, eu_send.c, eu_lsc.c, eu_typed.c, eu_dpas.c: choose the handler */
eu_exec *eu_alu_select(struct eu_op *op);
eu_exec *eu_flow_select(struct eu_op *op);
struct eu_op *eu_flow_take(struct eu_thread *t, const struct eu_edge *edge);
eu_exec *eu_send_select(struct eu_op *op);
eu_exec *eu_lsc_select(const struct eu_op *op);
eu_exec eu_exec_lsc;
eu_exec eu_exec_dc1;
eu_exec eu_exec_typed;
eu_exec eu_exec_dpas;

/* eu_format.c */

enum eu_format_kind { EU_UNORM, EU_SNORM, EU_UINT, EU_SINT, EU_FLOAT };

/**
 * struct eu_texel - how an element of a surface is made of its components
 * @code: surface format
 * @kind: what all components are
 * @bits: of red, green, blue and alpha, from the lowest bit on; 0: there is none
 */
struct eu_texel {
	uint16_t code;
	uint8_t kind;
	uint8_t bits[4];
};

const struct eu_texel *eu_find_format(unsigned int code);
unsigned int eu_texel_bytes(const struct eu_texel *f);
void eu_unpack_texel(const struct eu_texel *f, const uint8_t *from, uint32_t rgba[4]);
void eu_pack_texel(const struct eu_texel *f, const uint32_t rgba[4], uint8_t *to);

/* eu_surface.c */

/**
 * struct eu_surface - what a surface state says
 * @scratch: @base is that of the thread's own slice
 * @base: virtual address
 * @size: bytes that may be reached from @base by offset; 0: tiled, or nothing at all
 * @image: rows, of @width elements each; otherwise @width elements in a buffer
 * @format: of elements, NULL in buffers of structures
 * @tiling: enum tiling
 * @width: elements of a row or buffer
 * @height: rows
 * @pitch: bytes from one row, or element of a buffer, to the next
 * @layers: array elements, or slices of a volume
 * @first_layer: what is called layer 0
 * @layer_rows: rows from a layer to the next
 */
struct eu_surface {
	bool scratch;
	bool image;
	uint64_t base, size;
	const struct eu_texel *format;
	uint8_t tiling;
	uint32_t width, height, pitch;
	uint32_t layers, first_layer, layer_rows;
};

uint64_t eu_surface_at(const struct eu_surface *s, uint64_t x, uint64_t y);

bool eu_read_surface(struct eu_thread *t, uint64_t state, struct eu_surface *s,
		     const char **why, uint64_t *fault);
bool eu_binding_table(struct eu_thread *t, unsigned int index, struct eu_surface *s,
		      const char **why, uint64_t *fault);
bool eu_scratch_surface(struct eu_thread *t, uint32_t offset, uint64_t *base,
			uint64_t *pitch, const char **why, uint64_t *fault);

/*
 * eu_fast.c: NULL when the general handler has to do it. The handlers exist for
 * each vector level of the host.
 */
enum eu_fast_class { EU_FAST_I32, EU_FAST_I64, EU_FAST_F32, EU_FAST_F64, EU_FAST_CLASSES };

/* Operations as the handlers see them: modifiers and order are folded in. */
enum eu_fast_op {
	EU_FAST_NONE, EU_FAST_MOV, EU_FAST_NOT, EU_FAST_ADD, EU_FAST_SUB, EU_FAST_MUL,
	EU_FAST_NMUL, EU_FAST_AND, EU_FAST_OR, EU_FAST_XOR, EU_FAST_SHL, EU_FAST_SHR,
	EU_FAST_ASR, EU_FAST_ROL, EU_FAST_ADD3, EU_FAST_MAD, EU_FAST_NMAD, EU_FAST_MSUB,
	EU_FAST_NMSUB, EU_FAST_BFN, EU_FAST_SEL, EU_FAST_MACH, EU_FAST_MUL_ACC,
	EU_FAST_EQ, EU_FAST_NE, EU_FAST_LT, EU_FAST_LE, EU_FAST_LT_U, EU_FAST_LE_U,
	EU_FAST_MINMAX, EU_FAST_MINMAX_U, EU_FAST_INV, EU_FAST_SQT, EU_FAST_RSQT,
	EU_FAST_OPS
};

/*
 * Handlers by the shape of their sources: V side by side, S one for all, at 16
 * and 32 lanes; ONE lane of the operation's width; ANY for everything else.
 */
enum eu_fast_shape {
	EU_SHAPE_ANY, EU_SHAPE_ONE, EU_SHAPE_VVV, EU_SHAPE_SVV, EU_SHAPE_VSV, EU_SHAPE_VVS,
	EU_SHAPES
};

enum eu_fast_message_op {
	EU_FAST_LOAD_BLOCK, EU_FAST_STORE_BLOCK, EU_FAST_LOAD, EU_FAST_STORE,
	EU_FAST_MESSAGES
};

struct eu_fast_table {
	/* the last index: 16 lanes, 32 lanes; ANY and ONE have the first only */
	eu_exec *exec[EU_FAST_CLASSES][EU_FAST_OPS][EU_SHAPES][2];
	eu_exec *message[EU_FAST_MESSAGES];
};

extern const struct eu_fast_table eu_fast_any, eu_fast_avx2, eu_fast_avx512;

/* The compiled sets, and whether this host can run them; the last is the best. */
struct eu_fast_level {
	const char *name;
	const struct eu_fast_table *table;
	bool (*supported)(void);
};

extern const struct eu_fast_level eu_fast_level[];
extern const unsigned int eu_fast_levels;
eu_exec *eu_fast_select(struct eu_worker *w, struct eu_op *op);
eu_exec *eu_fast_select_from(const struct eu_fast_table *table, struct eu_worker *w,
			     struct eu_op *op);

static inline uint32_t eu_get32(const struct eu_thread *t, unsigned int off)
{
	uint32_t v;

	memcpy(&v, t->regs + off, sizeof(v));
	return v;
}

static inline void eu_put32(struct eu_thread *t, unsigned int off, uint32_t v)
{
	memcpy(t->regs + off, &v, sizeof(v));
}

/* The message descriptor: immediate, or in a0.0 */
static inline uint32_t eu_descriptor(const struct eu_thread *t, const struct eu_op *op)
{
	return op->in.desc_reg ? eu_get32(t, EU_ARF_SLOT(EU_A0)) : op->in.desc;
}

static inline uint32_t eu_ext_descriptor(const struct eu_thread *t, const struct eu_op *op)
{
	if (!op->in.exdesc_reg)
		return op->in.exdesc;
	return eu_get32(t, EU_ARF_SLOT(EU_A0) + 4 * op->in.exdesc_a0);
}

/* Flags f0..f3 live in one slot, four bytes each. */
static inline uint32_t eu_flag(const struct eu_thread *t, unsigned int flag)
{
	return eu_get32(t, EU_ARF_SLOT(EU_FLAG) + 4 * flag);
}

static inline uint32_t eu_predicate(const struct eu_thread *t, const struct eu_op *op)
{
	uint32_t p = eu_flag(t, op->flag) >> op->flag_shift;

	if (op->pred_inv)
		p = ~p;
	p &= op->lanes;
	if (unlikely(op->pred == 2))
		return p ? op->lanes : 0;
	if (unlikely(op->pred == 3))
		return p == op->lanes ? op->lanes : 0;
	return p;
}

/* Lanes that execute, without the predicate */
static inline uint32_t eu_enabled(const struct eu_thread *t, const struct eu_op *op)
{
	return op->nomask ? op->lanes : t->em >> op->channel & op->lanes;
}

/* Lanes that execute */
static inline uint32_t eu_live(const struct eu_thread *t, const struct eu_op *op)
{
	uint32_t m;

	if (op->unmasked)
		return op->lanes;
	m = eu_enabled(t, op);

	return op->pred ? m & eu_predicate(t, op) : m;
}

/* Hand an edge that leads nowhere yet to the loop. */
static inline struct eu_op *eu_go(struct eu_thread *t, struct eu_edge *edge, uint32_t ip,
				  enum eu_way way)
{
	t->edge = edge;
	t->edge_ip = ip;
	t->way = way;
	return NULL;
}

static inline struct eu_op *eu_next(struct eu_thread *t, struct eu_op *op)
{
	struct eu_op *next = op->next.op;

	if (unlikely(!next))
		return eu_go(t, &op->next, op->in.ip + op->in.size, EU_WAY_NEXT);
	t->instructions += op->next.cost;
	return next;
}

/* Branches are where a thread can loop, so there it gives way to others. */
static inline struct eu_op *eu_take(struct eu_thread *t, const struct eu_edge *edge)
{
	t->instructions += edge->cost;
	if (unlikely(t->instructions >= t->limit)) {
		t->op = edge->op;
		return NULL;
	}
	return edge->op;
}

static inline struct eu_op *eu_branch(struct eu_thread *t, struct eu_op *op,
				      struct eu_edge *edge, int32_t distance)
{
	if (unlikely(!edge->op))
		return eu_go(t, edge, op->in.ip + distance, EU_WAY_BRANCH);
	return eu_take(t, edge);
}

static inline const struct eu_tlb_entry *
eu_tlb(struct eu_worker *w, uint64_t va, uint64_t size, bool write)
{
	const struct eu_tlb_entry *e = &w->tlb[va >> 12 & (EU_TLB_ENTRIES - 1)];

	if (likely(va >= e->lo && va + size <= e->hi && (!write || e->writable)))
		return e;
	return NULL;
}

#endif
