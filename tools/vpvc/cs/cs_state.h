/* SPDX-License-Identifier: MIT */
/*
 * The command streamer of one engine: its state, and what every command may ask of it.
 *
 *   execlist.c  ports, events, reset, the engine's thread
 *   context.c   context image to registers and back
 *   cs.c        fetch, decode, predication
 *   cs_regs.c   register numbers and who may write which
 *   cs_mem.c    memory as the streamer sees it
 *   mi*.c, blt.c, compute*.c  the commands
 *
 * All but the port is touched by the engine's thread alone. Registers live in the
 * tile's storage, so the host reads them where they are.
 */
#ifndef VPVC_CS_STATE_H
#define VPVC_CS_STATE_H

#include "core/regs.h"
#include "pvc_bits.h"
#include "pvc_engine_regs.h"
#include "pvc_irq_regs.h"

/* Most dwords one command has: STORE_DATA_IMM with all length bits set. */
#define CS_MAX_COMMAND		(0x3ff + 2)
/* Elements the submit queue holds. */
#define CS_PORTS		8
/* Loads that wait for the engine's thread. */
#define CS_LOADS		16
/*
 * How long a running context may go on to its end when another one was loaded.
 * Execlist drivers exist that lose a context preempted in mid-ring, so switch
 * where it is done anyway, if that is near.  In the engine's own time: a host with
 * something else to do must not make a short job look like a long one.
 */
#define PREEMPT_GRACE_NS	10000000ull
/* Ring, first level batch, second level batch. */
#define CS_LEVELS		3

/* Why the engine's thread has to look up from its work. */
#define ATTENTION_LOAD		0x1u	/* the host loaded the submit queue */
#define ATTENTION_STOP_RING	0x2u	/* MI_MODE says: stop between commands */
#define ATTENTION_RESET		0x4u
#define ATTENTION_QUIT		0x8u

struct cs_load {
	uint64_t desc[CS_PORTS];
	unsigned int num;
};

enum cs_result {
	CS_OK,
	CS_SKIP,	/* not allowed here: nothing was done, the next command runs */
	CS_AGAIN,	/* command not finished, arbitrate and run it again */
	CS_HALT,	/* fault or error: stand still until the reset */
	CS_STOP,	/* reset or end of the card: drop everything */
};

struct cs_compute {
	uint64_t gsba, ssba, dsba, iba, bindless;
	uint64_t sip, fence, binding_pool;
	uint32_t binding_pool_size;
	uint32_t scratch;		/* CFE_STATE DW1 [31:10] in place */
	uint32_t max_threads;
	uint32_t compute_mode;		/* STATE_COMPUTE_MODE [15:0] */
	uint32_t pipeline;
};

/* Registers beyond the image's lists that belong to a context. */
#define CS_SAVED_REGS		72

/*
 * State of a context that the image's register lists don't hold. Saved into a
 * part of the image that is the hardware's own (context.c).
 */
struct cs_state {
	uint32_t level;			/* 0 = ring */
	uint32_t ggtt;			/* bit per level: batch is in the GGTT */
	uint64_t addr[CS_LEVELS];	/* of the next command; [0] = ring offset */
	uint32_t noop;			/* MI_SET_PREDICATE in force */
	uint32_t arb_off;		/* MI_ARB_ON_OFF */
	uint64_t walker_groups;		/* done of the walker at the current address */
	uint64_t walker_ctx_start;	/* its time stamps */
	uint64_t walker_start;
	struct cs_compute compute;
	uint32_t regs[CS_SAVED_REGS];
};

struct eu_cache;

/* What the host thread may touch: the port where it loads contexts. */
struct cs_port {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t wake;		/* the engine's thread waits here */
	pthread_cond_t quiet;		/* engine_reset() waits here */
	atomic_uint attention;
	atomic_bool cancel;		/* walkers look at it */
	atomic_bool executing;		/* inverse of MODE_IDLE */
	_Atomic uint64_t time;		/* context time minus free running time */
	atomic_bool running;		/* that time */
	atomic_bool halted;		/* fault or error: until the reset */
	struct cs_load loads[CS_LOADS];	/* @lock: not yet taken, in order */
	unsigned int num_loads;
};

/* The queue, and the context in the engine. */
struct cs_context {
	uint64_t queue[CS_PORTS];
	unsigned int num_queue, current;
	uint64_t wanted_since;		/* engine's time a waiting load was seen, 0 = none */
	uint64_t desc;			/* of the context in the engine */
	uint32_t lrca;
	bool ppgtt;			/* descriptor: user batches have a PPGTT */
	uint64_t pdp0;
	uint32_t ring_start, ring_size, tail, wraps;
	uint32_t context_control;
	unsigned int slot_head, slot_tail, slot_control, slot_time,
		     slot_bbaddr, slot_bbaddr_udw;	/* image dwords, 0 = none */
	struct cs_state s;
	bool broken;			/* a lite restore could not read the image */
	struct {
		bool held;
		unsigned int index;
		uint64_t entry;
	} late;				/* status entry not in memory yet */
};

/* The batch or ring that is read, and the command that runs. */
struct cs_batch {
	unsigned int insn_level;	/* position of the command that runs */
	uint64_t insn_addr;
	bool arb_point;			/* last command was an arbitration point */
	bool again;			/* the last command was not finished */
	bool in_wa;			/* indirect or per-context batch: no switch */
	unsigned int jumps;		/* batch starts without other work */
	uint32_t held_irq;		/* user interrupts not delivered yet */
	uint64_t waited_ns;		/* asleep, or while others worked for the engine */
	unsigned int poll_us;		/* of the semaphore wait that runs, 0 = first look */
	unsigned int logged;
	struct eu_cache *eu_cache;	/* compute engines: code the units prepared */
	uint32_t cmd[CS_MAX_COMMAND];
};

struct cs {
	struct engine *e;
	struct tile *tile;
	struct card *card;
	struct cs_port port;
	/* Touched by the engine's thread alone */
	struct cs_context ctx;
	struct cs_batch batch;
};

/* The instruction error: EIR, IPEHR, interrupt. Always CS_HALT. */
enum cs_result cs_error(struct cs *cs, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* A line about what the guest did; bounded per engine and reset. */
void cs_log(struct cs *cs, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void cs_irq(struct cs *cs, uint32_t vector);
/* Deliver what MI_USER_INTERRUPT left. */
void cs_flush_irq(struct cs *cs);
static inline bool cs_stopping(struct cs *cs)
{
	return atomic_load(&cs->port.attention) & (ATTENTION_RESET | ATTENTION_QUIT);
}

/* Whether the code that runs now may touch the GGTT and all registers. */
static inline bool cs_privileged(struct cs *cs)
{
	return cs->ctx.s.level == 0 || (cs->ctx.s.ggtt & (1u << cs->ctx.s.level));
}

static inline uint32_t cs_reg(struct cs *cs, uint32_t off)
{
	return reg_read(cs->tile, cs->e->base + off);
}

static inline void cs_set_reg(struct cs *cs, uint32_t off, uint32_t val)
{
	reg_write(cs->tile, cs->e->base + off, val);
}

uint64_t cs_gpr(struct cs *cs, unsigned int n);
void cs_set_gpr(struct cs *cs, unsigned int n, uint64_t val);
/* Current time of the running context, ticks. */
uint64_t cs_context_time(struct cs *cs);
/* WPARID times the partition stride, the addend of "WPARID offset" commands. */
uint64_t cs_partition_offset(struct cs *cs);

/* Leave the current batch, or all of them. */
void cs_batch_end(struct cs *cs, bool all);
void cs_batch_start(struct cs *cs, uint64_t addr, bool ggtt, bool second_level);

/* A load of something else waits, and the running context has had its grace. */
bool cs_preempt_due(struct cs *cs);
/* Sleep until attention, at most @us microseconds. */
void cs_sleep(struct cs *cs, unsigned int us);
/* Sleep until the reset. */
enum cs_result cs_hang(struct cs *cs);
/* STOP_RING: sleep until it is cleared. */
void cs_park(struct cs *cs);
uint64_t cs_now_ns(void);

#endif
