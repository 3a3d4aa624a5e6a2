/* SPDX-License-Identifier: MIT */
/*
 * The command streamer of one engine: its state, and its services for commands.
 *
 *   execlist.c  ports, events, reset, the engine's thread
 *   context.c   context image to registers and back
 *   cs.c        fetch, decode, predication
 *   cs_regs.c   register numbers and the registers a user may write
 *   cs_mem.c    memory accesses
 *   mi*.c, blt*.c, compute*.c  the commands
 *
 * Only the engine's thread uses the state, but for the port. Registers are in the tile's
 * storage, so the host reads their present values.
 */
#ifndef VPVC_CS_STATE_H
#define VPVC_CS_STATE_H

#include "core/regs.h"
#include "cs/blt_late.h"
#include "pvc_bits.h"
#include "pvc_engine_regs.h"
#include "pvc_irq_regs.h"

/* Dwords of the longest command: STORE_DATA_IMM with all length bits set. */
#define CS_MAX_COMMAND		(0x3ff + 2)
/* Elements the submit queue holds. */
#define CS_PORTS		8
/* Loads that wait for the engine's thread. */
#define CS_LOADS		16
/*
 * How long a running context may go on to its end after another context was loaded.
 * Some execlist drivers lose a context that is preempted in mid-ring, so the engine
 * prefers to switch at the end, if that is near.  The time is the engine's own, because a
 * busy host must not make a short job look long.
 */
#define PREEMPT_GRACE_NS	10000000ull
/* Levels: ring, and three of batches. */
#define CS_LEVELS		4

/* Requests to the engine's thread, which checks them between commands. */
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
	uint32_t sip_given;		/* a command gave sip, which is noise until then */
	uint32_t binding_pool_size;
	uint32_t scratch;		/* CFE_STATE DW1 [31:10] in place */
	uint32_t max_threads;
	uint32_t compute_mode;		/* STATE_COMPUTE_MODE [15:0] */
	uint32_t pipeline;
	uint32_t walking;		/* a walker began, and nothing has waited for its end */
};

/* Room for the registers of a context that are not in the image's lists. */
#define CS_SAVED_REGS		72

/*
 * State of a context that is not in the image's register lists. context.c saves it in a
 * part of the image that belongs to the hardware.
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

/* The part the host thread may use: the port where it loads contexts. */
struct cs_port {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t wake;		/* the engine's thread waits here */
	pthread_cond_t quiet;		/* engine_reset() waits here */
	atomic_uint attention;
	atomic_bool cancel;		/* ends a walker */
	atomic_bool executing;		/* inverse of MODE_IDLE */
	_Atomic uint64_t time;		/* context time minus free running time */
	atomic_bool running;		/* context time advances */
	atomic_bool halted;		/* stopped by a fault or error until the reset */
	struct cs_load loads[CS_LOADS];	/* loads that wait, in order; under @lock */
	unsigned int num_loads;
};

/* The queue, and the context in the engine. */
struct cs_context {
	uint64_t queue[CS_PORTS];
	unsigned int num_queue, current;
	uint64_t wanted_since;		/* engine's time when a waiting load was seen, 0 = none */
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

/* The current batch or ring, and the current command. */
struct cs_batch {
	unsigned int insn_level;	/* position of the command that runs */
	uint64_t insn_addr;
	bool arb_point;			/* last command was an arbitration point */
	bool again;			/* the last command was not finished */
	bool in_wa;			/* indirect or per-context batch: no switch */
	bool in_per_ctx;		/* the latter of the two */
	unsigned int jumps;		/* batch starts without other work */
	uint32_t held_irq;		/* user interrupts not delivered yet */
	uint64_t waited_ns;		/* time asleep, or while other threads ran a walker */
	uint64_t owed_ns;		/* by which it was too fast for its frequency */
	uint64_t slowed_ns;		/* parts of the running command that took longer already */
	unsigned int poll_us;		/* next sleep of a semaphore wait, 0 = first look */
	unsigned int logged;
	struct eu_cache *eu_cache;	/* compute engines: code that is prepared for the EUs */
	unsigned int code_generation;	/* grows when instructions are invalidated */
	uint32_t cmd[CS_MAX_COMMAND];
};

struct cs {
	struct engine *e;
	struct tile *tile;
	struct card *card;
	struct cs_port port;
	/* Used by the engine's thread alone */
	struct cs_context ctx;
	struct cs_batch batch;
	struct blt_late late;
};

/* Report an instruction error by log, EIR and interrupt; returns CS_HALT. */
enum cs_result cs_error(struct cs *cs, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Log a mistake of the guest; the number of lines per engine and reset is limited. */
void cs_log(struct cs *cs, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void cs_irq(struct cs *cs, uint32_t vector);
/* Deliver the interrupt that MI_USER_INTERRUPT has left pending. */
void cs_flush_irq(struct cs *cs);
static inline bool cs_stopping(struct cs *cs)
{
	return atomic_load(&cs->port.attention) & (ATTENTION_RESET | ATTENTION_QUIT);
}

/* May the current command access the GGTT and all registers? */
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
/* WPARID times the partition stride: commands with a "WPARID offset" add it. */
uint64_t cs_partition_offset(struct cs *cs);

/* Leave the current batch, or all of them. */
void cs_batch_end(struct cs *cs, bool all);
/* @nested: bit 22 of the command */
void cs_batch_start(struct cs *cs, uint64_t addr, bool ggtt, bool nested);

/* Does a load wait, and has the running context had PREEMPT_GRACE_NS since? */
bool cs_preempt_due(struct cs *cs);
/* Does a load only bring the running context a new tail? */
bool cs_is_lite_restore(const struct cs *cs, const struct cs_load *load);
/* Does a load wait that takes the engine from the running context, whatever the grace? */
bool cs_switch_waits(struct cs *cs);
/* Sleep at most @us microseconds; any attention but a load ends the sleep. */
void cs_sleep(struct cs *cs, unsigned int us);
/* The same with the port's lock, and not as a part of a command */
void cs_sleep_locked(struct cs *cs, unsigned int us);
/* A command took @ns so far and takes longer at a low frequency: sleep for the rest of it. */
void cs_slow_down(struct cs *cs, uint64_t ns);
/*
 * Part of a command ran since @start and takes longer at a low frequency. For commands that may be
 * interrupted between their parts.
 */
void cs_slow_part(struct cs *cs, uint64_t start);
/* Sleep until the reset or the end of the card; returns CS_STOP. */
enum cs_result cs_hang(struct cs *cs);
/* STOP_RING: sleep until it is cleared. */
void cs_park(struct cs *cs);
uint64_t cs_now_ns(void);

#endif
