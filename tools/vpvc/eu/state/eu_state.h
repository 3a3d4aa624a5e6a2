/* SPDX-License-Identifier: MIT */
/*
 * Internal state of the execution units: threads and workers, prepared instructions, and
 * the way of a thread from one instruction to the next.
 *
 * A worker (one host thread) runs whole work-groups, so that SLM and barriers need no
 * locks; workers share only memory and struct eu_run_state. Each worker decodes an
 * instruction when it first reaches it and keeps it as a struct eu_op.
 */
#ifndef EU_STATE_H
#define EU_STATE_H

#include <string.h>

#include "eu/eu.h"
#include "eu/isa/eu_isa.h"

#define likely(x)	__builtin_expect(!!(x), 1)
#define unlikely(x)	__builtin_expect(!!(x), 0)

/*
 * The registers of a thread are one array, so that any direct operand is an offset: 256
 * general registers, 16 accumulators, one 64-byte slot for each of the 16 kinds of
 * architecture registers, and room for vector loads of the fast handlers that read beyond
 * an operand.
 */
#define EU_GRF_BYTES	(256 * EU_REG_BYTES)
#define EU_ACC_OFF	EU_GRF_BYTES
#define EU_ARF_OFF	(EU_ACC_OFF + 16 * EU_REG_BYTES)
#define EU_ARF_SLOT(a)	(EU_ARF_OFF + (a) * EU_REG_BYTES)
#define EU_STATE_BYTES	(EU_ARF_SLOT(16) + 5 * EU_REG_BYTES)

#define EU_SLM_MAX	(128 * 1024)
#define EU_MAX_THREADS	64
#define EU_BARRIERS	32
/* Instructions a thread runs before the worker's other threads get a turn */
#define EU_QUANTUM	20000

#define EU_CR0_ROUND_SHIFT	4
#define EU_CR0_KEEP_DF		(1u << 6)
#define EU_CR0_KEEP_F		(1u << 7)
#define EU_CR0_KEEP_HF		(1u << 10)
#define EU_CR0_FTOI_ROUND	(1u << 12)

struct eu_thread;
struct eu_op;
struct eu_group;
struct eu_worker;
struct eu_run_state;

/*
 * Runs one instruction; returns the next one, or NULL to leave the run loop, with
 * eu_thread.status or eu_thread.edge set, or at the end of the quantum.
 */
typedef struct eu_op *eu_exec(struct eu_thread *t, struct eu_op *op);

/*
 * The target of an instruction or branch, and the number of instructions that the way to
 * it counts. @op is NULL until a thread first takes the edge: the run loop then fetches
 * the target (eu_thread.edge). @to_join: the target is a join
 */
struct eu_edge {
	struct eu_op *op;
	uint32_t cost;
	bool to_join;
};

/* How a thread takes an edge */
enum eu_way {
	EU_WAY_NEXT,	/* to the instruction that follows */
	EU_WAY_BRANCH,	/* a branch: the thread may lose its turn */
	EU_WAY_LEAVE,	/* a branch without live channels, to an address where some may wait */
};

/* How the fast handlers read a source */
enum eu_src_mode {
	EU_SRC_CONTIGUOUS,	/* elements of the operation's width, side by side */
	EU_SRC_SCALAR,		/* one element for all lanes */
	EU_SRC_STRIDED,		/* any type and constant distance */
	EU_SRC_WORDS,		/* contiguous words, for operations on dwords */
	EU_SRC_LOW,		/* unsigned, the low halves of contiguous elements */
	EU_SRC_CONST		/* an immediate, widened once */
};

/* The address is @where, plus that of the registers if @relative is all ones, not 0. */
struct eu_fast_src {
	uintptr_t where, relative;
	uint64_t keep;		/* bits of an element that belong to the source */
	uint16_t stride;	/* bytes */
	uint8_t mode;
	uint8_t type;
	bool neg, abs, complement;
};

/* A memory message with its descriptor decoded */
struct eu_fast_message {
	uint8_t bytes;		/* of an element */
	uint8_t vector;		/* elements of a lane */
	uint8_t address_bytes;
	bool slm, arguments;
	uint16_t address, data;	/* offsets of the payloads */
	uint16_t stride;	/* between the elements of a lane */
};

/* Bytes or words of one dword that all get the low bits of @source */
struct eu_fast_fill {
	struct eu_fast_src source;
	uint32_t lowest;	/* the lowest bit of each element in its place */
	uint32_t changed;	/* all bits of each element in its place */
};

/* A signal to a barrier has its payload at an offset; a wait is for a mask of barriers. */
struct eu_fast_barrier {
	uint32_t ids;
	uint16_t payload;
};

/* The targets of a branch, and of a goto its form, and whether its targets are one address */
struct eu_jump {
	struct eu_edge jip, uip;
	bool backward, one_target;
};

/* A channel that no mask has, in eu_op.needs: a predicate may stop lanes of any mask. */
#define EU_NEVER	(1ull << 63)

/**
 * struct eu_op - an instruction prepared for execution
 * @exec: handlers; [1] is used while the thread flushes denormals
 * @executed: number of executions
 * @lanes: mask of the execution size
 * @dst_off: byte offset of the destination's first element
 * @code: machine code
 * @needs: all lanes execute if these channels are live; the mask of no thread has %EU_NEVER
 * @general: handler of the general path
 * @elem: byte offset of each element of a direct source
 */
struct eu_op {
	eu_exec *exec[2];
	struct eu_edge next;
	uint64_t executed;
	uint32_t lanes;
	uint16_t dst_off, dst_stride;
	uint64_t needs;
	uint8_t channel, n;
	uint8_t pred;
	bool pred_inv;
	uint8_t flag_shift, flag;
	uint8_t dst_bytes;	/* size of a destination element, 0: null */
	bool acc_dst;		/* writes acc0 or acc1 */
	union {
		struct eu_fast_src fast[3];
		struct eu_fast_message message;
		struct eu_fast_barrier barrier;
		struct eu_fast_fill fill;
		struct eu_jump jump;
	};
	eu_exec *general;
	eu_exec *inner;		/* the handler inside a wrapping handler */
	struct eu_insn in;
	uint16_t elem[3][EU_MAX_LANES];
	const char *why;
	uint64_t fault_va;
	uint8_t code[16];
};

enum eu_status {
	EU_T_NEW, EU_T_READY, EU_T_BARRIER, EU_T_ENDED, EU_T_STOPPED
};

/* The channels that wait at an address; each waits at one address, and @channels is not 0. */
struct eu_wait {
	uint32_t ip, channels;
};

/**
 * struct eu_thread - one hardware thread
 * @em: execution mask
 * @waits: places where channels wait; no channel of @em waits
 * @num_waits: places in @waits
 * @broken: waiting channels that left a loop by break
 * @wide: exact products in acc0, one per lane (from mul, for mach and macl)
 * @wide_valid: acc0 was last written by an integer multiplication
 * @notified: barriers that completed and that no wait has consumed yet (n0)
 * @slow: index of eu_op.exec
 * @rounding: mode that cr0 asks for, FE_*
 * @edge: NULL, or an edge whose target, at @edge_ip, the run loop must fetch
 * @edge_ip: address the thread goes on at
 * @way: how the thread takes @edge
 * @jump: edge for jumps to computed addresses, fetched anew each time
 * @slot: unique number of the hardware thread, without the gaps of sr0.0
 * @hardware_id: the number in the form of sr0.0
 */
struct eu_thread {
	uint8_t regs[EU_STATE_BYTES] __attribute__((aligned(64)));
	int64_t wide[EU_MAX_LANES];
	bool wide_valid;
	uint32_t em;
	unsigned int num_waits;
	uint32_t broken;
	uint32_t notified;
	uint32_t wait_barriers;		/* the thread waits for all of these */
	bool waits_for_host;
	unsigned int slow;
	int rounding;
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
	unsigned int number;		/* of the thread in its group */
	struct eu_thread *next_free;
	/* Last, so that what each turn of a thread needs takes few lines of the host's cache. */
	struct eu_wait waits[EU_MAX_LANES];
};

struct eu_barrier {
	uint64_t arrived;	/* producers in the low half, consumers in the high one */
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
	uint64_t lo, size;	/* of the translated piece; 0 bytes: the entry is empty */
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

/* The last translation that failed; @held: a fast handler met it, and leaves it to the others. */
struct eu_failure {
	uint64_t va;
	unsigned int cause;
	bool write, held;
};

/* One host thread of a run, and the data it does not share */
struct eu_worker {
	struct eu_run_state *run;
	struct eu_counters counters;
	struct eu_tlb_entry tlb[EU_TLB_ENTRIES];
	const atomic_uint *now;		/* eu_memory.generation, or one that never changes */
	unsigned int generation;	/* of the entries */
	struct eu_failure failure;
	struct eu_code_page *code[EU_CODE_BUCKETS];
	struct eu_edge entry;		/* to where the threads of the run start */
	struct eu_chunk *chunks;
	size_t program_bytes;
	unsigned int program_generation;	/* eu_walker.code_generation of the last run */
	uint64_t program_iba;
	struct eu_thread *free_threads;
	struct eu_thread *all_threads[EU_MAX_THREADS * 64];
	unsigned int allocated, max_threads, index;
	struct eu_group *groups, *free_groups;
	unsigned int resident;
	uint8_t sources[EU_GRF_BYTES];	/* copy for a message, see eu_message_sources() */
	int rounding;			/* present mode of this host thread, FE_* */
	uint16_t local_ids[EU_MAX_THREADS][3][EU_MAX_LANES];
};

/* Data that the workers of a run share */
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

struct eu_op *eu_thread_stop(struct eu_thread *t, struct eu_op *op,
			     enum eu_reason reason, const char *what);
struct eu_op *eu_thread_fault(struct eu_thread *t, struct eu_op *op,
			      uint64_t va, bool write);
uint32_t eu_hardware_id(const struct eu_walker *walker, unsigned int slot);
void eu_thread_cr0_changed(struct eu_thread *t);

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

/* The message descriptor, an immediate or in a0.0 */
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

/*
 * Parts of each handler.  They may not be functions of their own: GCC leaves the upper halves
 * of vector registers in use when it ends a handler by a jump to one, and the plain SSE code
 * that follows, such as the start of a thread, is then many times slower.
 */
#define EU_PART	static inline __attribute__((always_inline))

/* Flags f0..f3 are in one slot, four bytes each. */
static inline uint32_t eu_flag(const struct eu_thread *t, unsigned int flag)
{
	return eu_get32(t, EU_ARF_SLOT(EU_FLAG) + 4 * flag);
}

EU_PART uint32_t eu_predicate(const struct eu_thread *t, const struct eu_op *op)
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

/* Channels that are not live, or %EU_NEVER, if not all lanes execute; else 0 */
EU_PART uint64_t eu_missing(const struct eu_thread *t, const struct eu_op *op)
{
	return op->needs & ~(uint64_t)t->em;
}

EU_PART uint32_t eu_lanes_without(const struct eu_op *op, uint64_t missing)
{
	return op->lanes & ~(uint32_t)(missing >> op->channel);
}

/* Lanes that execute, without the predicate */
EU_PART uint32_t eu_enabled(const struct eu_thread *t, const struct eu_op *op)
{
	return eu_lanes_without(op, eu_missing(t, op));
}

/* Do all lanes always execute? */
static inline bool eu_unmasked(const struct eu_op *op)
{
	return !op->needs;
}

/* Lanes that execute: one test tells the most frequent case, that all of them do. */
EU_PART uint32_t eu_live(const struct eu_thread *t, const struct eu_op *op)
{
	uint64_t missing = eu_missing(t, op);
	uint32_t lanes;

	if (likely(!missing))
		return op->lanes;
	lanes = eu_lanes_without(op, missing);
	return op->pred ? lanes & eu_predicate(t, op) : lanes;
}

/* Leave an edge without a target to the run loop. */
EU_PART struct eu_op *eu_go(struct eu_thread *t, struct eu_edge *edge, uint32_t ip,
			    enum eu_way way)
{
	t->edge = edge;
	t->edge_ip = ip;
	t->way = way;
	return NULL;
}

EU_PART struct eu_op *eu_next(struct eu_thread *t, struct eu_op *op)
{
	struct eu_op *next = op->next.op;

	if (unlikely(!next))
		return eu_go(t, &op->next, op->in.ip + op->in.size, EU_WAY_NEXT);
	t->instructions += op->next.cost;
	return next;
}

/* A handler for two instructions begins with the second one, which follows @op. */
EU_PART struct eu_op *eu_second(struct eu_thread *t, struct eu_op *op)
{
	struct eu_op *second = op->next.op;

	second->executed++;
	t->instructions += op->next.cost;
	return second;
}

/* A thread gives way to others at branches, because only there it can loop. */
EU_PART struct eu_op *eu_take(struct eu_thread *t, const struct eu_edge *edge)
{
	t->instructions += edge->cost;
	if (unlikely(t->instructions >= t->limit)) {
		t->op = edge->op;
		return NULL;
	}
	return edge->op;
}

EU_PART struct eu_op *eu_branch(struct eu_thread *t, struct eu_op *op,
				struct eu_edge *edge, int32_t distance)
{
	if (unlikely(!edge->op))
		return eu_go(t, edge, op->in.ip + distance, EU_WAY_BRANCH);
	return eu_take(t, edge);
}

#endif
