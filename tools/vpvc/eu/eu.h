/* SPDX-License-Identifier: MIT */
/*
 * The execution units of the virtual card: everything behind COMPUTE_WALKER.
 *
 * This is the only header of eu/ that the rest of the card includes. The command streamer
 * decodes the walker and its state into a struct eu_walker, gives a function that
 * translates virtual addresses, and calls eu_run(), which returns when all threads have
 * ended or were stopped.
 *
 * Only the choice of handlers is global, so any number of engines may call eu_run() at
 * once.
 */
#ifndef EU_H
#define EU_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The place of memory, relative to the tile that accesses it. */
enum eu_place {
	EU_LOCAL,	/* HBM of the accessing tile */
	EU_REMOTE,	/* HBM of another tile */
	EU_SYSTEM,	/* guest memory */
	EU_PLACES
};

/**
 * struct eu_span - one translated, contiguous piece of the address space
 * @host: host address of @va, NULL for a NULL page (reads 0, drops writes)
 * @va: first virtual address of the piece
 * @size: bytes from @va on that @host covers, not 0
 * @place: where the memory lies
 * @writable: whether stores and atomics are allowed
 * @cause: without a translation, the caller's own code of the reason, for &eu_stop.cause
 *
 * The piece should be as large as the leaf page. Spans are cached until eu_run() returns
 * or &eu_memory.generation changes. @host must stay valid host memory until eu_run()
 * returns.
 */
struct eu_span {
	void *host;
	uint64_t va;
	uint64_t size;
	enum eu_place place;
	bool writable;
	unsigned int cause;
};

/**
 * struct eu_memory - the address space of a context
 * @ctx: handed back to @translate
 * @translate: fill the span that holds @va; 0, or -EFAULT when @va is not mapped
 *	or @write is not allowed. Called from several host threads at once.
 * @generation: may be NULL; a change of the value (TLB invalidation) drops
 *	every cached span before the next access. Code is read once per run.
 */
struct eu_memory {
	void *ctx;
	int (*translate)(void *ctx, uint64_t va, bool write, struct eu_span *span);
	const atomic_uint *generation;
};

/* Values of the opcode field, used or not */
#define EU_NUM_OPCODES	128

/* Bits of eu_walker.emit_local_ids */
#define EU_EMIT_X	0x1
#define EU_EMIT_Y	0x2
#define EU_EMIT_Z	0x4

/**
 * struct eu_walker - a decoded COMPUTE_WALKER with the state it depends on
 *
 * All groups with start[i] <= id < end[i] run; the streamer has already applied
 * the partition fields and WPARID to @start and @end, and handles post-sync.
 *
 * @simd: 16 or 32
 * @large_grf: 256 registers per thread (STATE_COMPUTE_MODE), else 128
 * @threads_per_group: 1..1024 / @simd at most 64
 * @last_thread_mask: execution mask of the last thread of a group
 * @local_size: local X, Y, Z sizes (walker maxima + 1)
 * @generate_local_ids: the dispatcher writes local ids into r1..
 * @emit_local_ids: the ids to emit (EU_EMIT_*), one register each
 * @walk_order: 0..5, walker DW4 [24:22]
 * @has_inline: 32 bytes of inline data follow the ids in the payload
 * @inline_data: those bytes
 * @indirect_start: byte offset from @gsba, multiple of 64, copied to r0.0
 * @indirect_length: bytes
 * @start: first group id per dimension X, Y, Z
 * @end: group id after the last one, per dimension
 * @kernel: kernel start pointer, byte offset from @iba
 * @gsba: general state base, virtual address
 * @iba: instruction base, virtual address
 * @ssba: surface state base, virtual address
 * @bindless: bindless surface state base, virtual address
 * @binding_table: byte offset of the binding table from @ssba
 * @scratch: CFE_STATE DW1 [31:10] in place, copied to r0.5 [31:10]
 * @slm_size: bytes of shared local memory per group
 * @barriers: named barriers per group as the interface descriptor says
 * @alt_float: alternate floating-point mode (interface descriptor DW2 [16])
 * @keep_denorms: interface descriptor DW2 [19]
 * @rounding: initial cr0.0 [5:4]: 0 nearest even, 1 up, 2 down, 3 to zero
 * @tile: number of the tile, sr0.1 [11:8]
 * @engine: CCS instance, sr0.1 [21:16]
 * @dss_mask: sub-slices the engine owns, bit = slice * 8 + sub-slice; sr0.0
 *	numbers threads over them. 0 means all 64.
 * @code_generation: if not 0, a cache's prepared code of the same number and @iba is used even
 *	when its machine code has changed since
 */
struct eu_walker {
	unsigned int simd;
	bool large_grf;
	unsigned int threads_per_group;
	uint32_t last_thread_mask;
	unsigned int local_size[3];
	bool generate_local_ids;
	unsigned int emit_local_ids;
	unsigned int walk_order;
	bool has_inline;
	uint8_t inline_data[32];
	uint32_t indirect_start;
	uint32_t indirect_length;
	uint32_t start[3];
	uint32_t end[3];
	uint32_t kernel;
	uint64_t gsba;
	uint64_t iba;
	uint64_t ssba;
	uint64_t bindless;
	uint32_t binding_table;
	uint32_t scratch;
	uint32_t slm_size;
	unsigned int barriers;
	bool alt_float;
	bool keep_denorms;
	unsigned int rounding;
	unsigned int tile;
	unsigned int engine;
	uint64_t dss_mask;
	unsigned int code_generation;
};

/**
 * struct eu_counters - counters of one eu_run()
 * @groups: work-groups started
 * @threads: hardware threads started
 * @instructions: EU instructions executed, including those without effect
 * @read: bytes read from memory by live lanes, by place
 * @arguments: bytes read relative to the general state base (surface 255), where kernels
 *	find their arguments; not part of @read
 * @written: bytes written to memory by live lanes, by place
 * @lanes: sum of the execution sizes of the executed instructions
 * @opcodes: executions by opcode, without the instructions that have no effect here
 *
 * An atomic counts as a read and a write of its size. SLM and instruction
 * fetches are not memory traffic.
 */
struct eu_counters {
	uint64_t groups;
	uint64_t threads;
	uint64_t instructions;
	uint64_t lanes;
	uint64_t read[EU_PLACES];
	uint64_t arguments;
	uint64_t written[EU_PLACES];
	uint64_t opcodes[EU_NUM_OPCODES];
};

enum eu_reason {
	EU_DONE,
	EU_ILLEGAL,	/* an instruction or message the EU does not have */
	EU_FAULT,	/* a page fault of data or of code */
	EU_DEADLOCK,	/* all threads of a group wait for a barrier */
	EU_CANCELLED,
	EU_BAD_WALKER,	/* the walker itself is impossible */
	EU_NO_MEMORY,	/* the host has no memory for the run */
};

/**
 * struct eu_stop - why eu_run() returned
 * @reason: EU_DONE when every thread has ended
 * @ip: instruction, byte offset from the instruction base
 * @va: address that faulted (EU_FAULT)
 * @write: the access was a store or an atomic (EU_FAULT)
 * @cause: &eu_span.cause of the translation that failed, 0 if there was none (EU_FAULT)
 * @text: the instruction, disassembled, and the error
 */
struct eu_stop {
	enum eu_reason reason;
	uint32_t ip;
	uint64_t va;
	bool write;
	unsigned int cause;
	char text[256];
};

/*
 * Data for later runs: prepared code, which is used while its machine code is unchanged (but see
 * eu_walker.code_generation), and the host memory of threads. Nothing a kernel can read is kept.
 * One run at a time may use a cache.
 */
struct eu_cache;
struct eu_cache *eu_cache_create(void);
void eu_cache_free(struct eu_cache *cache);

/**
 * eu_run() - run all work-groups of a walker
 * @walker: the walker to run
 * @memory: the address space of the context
 * @cache: may be NULL
 * @host_threads: host threads to use, at least 1; the caller is one of them
 * @cancel: may be NULL; when it becomes true the run ends within milliseconds
 * @counters: the run adds to them, also when it is stopped early
 * @stop: filled always
 *
 * Return: 0 when every thread has ended, else -EFAULT (fault), -EILSEQ (illegal
 * instruction), -EDEADLK, -ECANCELED, -EINVAL (bad walker), -ENOMEM.
 */
int eu_run(const struct eu_walker *walker, const struct eu_memory *memory,
	   struct eu_cache *cache, unsigned int host_threads, const atomic_bool *cancel,
	   struct eu_counters *counters, struct eu_stop *stop);

/**
 * eu_disassemble() - text of one instruction
 * @code: machine code, native or compacted
 * @size: bytes readable at @code
 * @ip: address of the instruction, for branch targets
 * @text: receives the text, always terminated
 * @text_size: bytes at @text
 *
 * Return: bytes the instruction takes (8 or 16), 0 if @size is too small.
 */
size_t eu_disassemble(const void *code, size_t size, uint32_t ip,
		      char *text, size_t text_size);

/**
 * eu_use_handlers() - choose the handlers that execute instructions
 * @name: "general", the path for every instruction, or a set of fast handlers for common
 *	forms: "any", "avx2", "avx512". By default the best set that the host can run
 *	is used. All give the same results, bit for bit.
 *
 * Must not be called during an eu_run().
 *
 * Return: 0, -EINVAL for another name, -ENOTSUP for a set that the host cannot run.
 */
int eu_use_handlers(const char *name);

/* Mnemonic of an opcode below EU_NUM_OPCODES, NULL if there is none */
const char *eu_opcode_name(unsigned int opcode);

/* Short text of a reason, for logs */
const char *eu_reason_text(enum eu_reason reason);

#endif
