/* SPDX-License-Identifier: MIT */
/*
 * The virtual card: one PVC in a process.
 *
 * Every file of the card includes this header: it has the card, its tiles, their engines
 * and their counters.  Nothing here depends on any driver.
 *
 * Folders; the files of one call those of the folders below, never those above:
 *   main, control, options, spec, vfu   the process and its sockets
 *   card/    the whole card: make and reset, table of registers, requests for faults
 *   cs/      the command streamers, each with its thread
 *   eu/      the execution units; they include nothing of the card
 *   mem/     translation, translation caches, surfaces
 *   core/    registers, interrupts, injected faults, clock, noise
 *   bus/     config space, guest memory, HBM of another card
 *   log
 *
 * Threads and locks
 *   - One "host thread" (main) serves vfio-user and the control socket: it
 *     performs every register access of the guest, so its latency is the
 *     guest's register latency.  It must never wait for an engine thread,
 *     with one exception: engine_reset().
 *   - Each engine runs on threads of its own, made by engine_init().
 *   - Register storage is an array of atomics: reg_*() take no lock.
 *   - No lock of the rest is held while engine_*() functions run, and no
 *     function of the rest calls back into the engine that called it, except
 *     mmio_*() on an engine's register range (see the hooks in execlist.h).
 *     An engine may therefore call any function of memory, registers, interrupts
 *     and injected faults while it holds its own lock, as long as the register it
 *     writes is not an engine register.
 *   - Guest memory: see card_mem_lock().
 */
#ifndef VPVC_CARD_H
#define VPVC_CARD_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "eu/eu.h"
#include "pvc_engine_regs.h"
#include "pvc_pci_regs.h"

#define TILE_CSLICES		PVC_NUM_CCS
#define TILE_MAX_ENGINES	(PVC_NUM_CCS + PVC_NUM_BCS)
#define TILE_REG_SIZE		PVC_MMIO_GGTT_OFFSET	/* trapped part of a tile's BAR0 */
#define GGTT_ENTRIES		(1u << 20)
/*
 * The least part of a tile's HBM that no driver may use: GGTT, stolen memory, WOPCM.  Logs of
 * sold cards show these 16 MiB.
 */
#define HBM_CARVE		(16ull << 20)
#define CARD_MAX_INJECTIONS	16		/* --inject options */

struct card;
struct tile;
struct engine;

/*
 * Counters.  Names appear in the control socket's JSON as they are here;
 * the JSON of a tile also holds the sums of its engines' counters.
 */
#define ENGINE_COUNTERS(X) \
	X(elsq_loads)		/* EXECLIST_CONTROL loads */ \
	X(contexts)		/* contexts loaded from their image */ \
	X(context_switches)	/* context switch events */ \
	X(lite_restores) \
	X(preemptions) \
	X(commands)		/* commands, NOOPs and each look of a wait included */ \
	X(batches)		/* batch buffer starts */ \
	X(interrupts)		/* irq_raise() calls */ \
	X(resets)		/* of an engine that had a status page */ \
	X(hangs)		/* stops until a reset: by a command, a fault or an error */ \
	X(faults)		/* translation faults */ \
	X(page_walks)		/* of PPGTT and GGTT, faulting ones included */ \
	X(invalidations)	/* commands that drop translations */ \
	X(tlb_hits)		/* translations without a walk (--tlb) */ \
	X(table_hits)		/* walks that did not begin at the root (--tlb) */ \
	X(walkers)		/* COMPUTE_WALKERs executed */ \
	X(work_groups) \
	X(threads)		/* hardware threads dispatched */ \
	X(instructions)		/* EU instructions executed */ \
	X(read_arguments)	/* bytes of kernel arguments in any memory */ \
	X(read_local)		/* bytes, HBM of the engine's own tile */ \
	X(read_remote)		/* bytes, HBM of another tile */ \
	X(read_system)		/* bytes, guest memory */ \
	X(write_local) \
	X(write_remote) \
	X(write_system) \
	X(slowed_us)		/* longer than at the highest frequency */ \
	X(stores)		/* writes of the streamer: commands, images, events */ \
	X(stores_system)	/* those of the streamer's writes that go to guest memory */

/* Last values, not sums. */
#define ENGINE_GAUGES(X) \
	X(last_context)		/* software context id last loaded */ \
	X(last_lrca)		/* GGTT address of the context last loaded */ \
	X(last_root)		/* device address of its page-table root */ \
	X(last_walker)		/* card-wide number of the last walker, 0 = none */ \
	X(last_cslices)		/* cslice mask the last walker ran on */ \
	X(copy_began)		/* time stamp at the first MEM_COPY, 0 = none */ \
	X(copy_ended)		/* time stamp behind the last one */

#define TILE_COUNTERS(X) \
	X(register_reads)	/* by the host */ \
	X(register_writes) \
	X(unknown_registers)	/* host accesses to registers without a model */ \
	X(sleeping_accesses)	/* host accesses with the power well asleep */ \
	X(irq_idents)		/* interrupt identities handed out */ \
	X(ggtt_invalidations)	/* by the host, of the engines' translations of the GGTT */

typedef _Atomic uint64_t counter_t;

#define COUNTER_FIELD(name)	counter_t name;
struct engine_counters {
	ENGINE_COUNTERS(COUNTER_FIELD)
	ENGINE_GAUGES(COUNTER_FIELD)
	counter_t opcodes[EU_NUM_OPCODES];	/* EU instructions with an effect */
};

struct tile_counters {
	TILE_COUNTERS(COUNTER_FIELD)
};

static inline void counter_add(counter_t *c, uint64_t n)
{
	atomic_fetch_add_explicit(c, n, memory_order_relaxed);
}

static inline void counter_set(counter_t *c, uint64_t v)
{
	atomic_store_explicit(c, v, memory_order_relaxed);
}

static inline uint64_t counter_get(counter_t *c)
{
	return atomic_load_explicit(c, memory_order_relaxed);
}

struct engine {
	struct tile *tile;
	unsigned int class;		/* PVC_CLASS_* */
	unsigned int instance;
	uint32_t base;			/* of its registers, in the tile */
	bool present;			/* not fused off; absent ones have no thread */
	atomic_uint injected;		/* INJECT_* that are armed here */
	char name[16];			/* "tile0.ccs1", for the log */
	struct engine_counters cnt;
	struct tlb *tlb;		/* translations the engine keeps, NULL = none */
	struct ggtt_tlb *ggtt_tlb;	/* those of the GGTT, NULL = none */
	void *priv;			/* the command streamer's */
};

struct tile {
	struct card *card;
	unsigned int id;
	uint64_t dpa_base;		/* device physical address of its HBM */
	uint64_t dpa_size;		/* bytes, carve-outs included */
	unsigned int cslices;		/* mask of present cslices = CCS engines */
	atomic_uint busy_cslices;	/* mask of those whose execution units have threads */
	atomic_bool slices_torn;	/* they changed engines under a context, until a reset */
	uint64_t dss_mask;		/* live DSS; cslice n owns bits 16n..16n+15 */
	_Atomic uint32_t *regs;		/* TILE_REG_SIZE / 4 dwords */
	_Atomic uint32_t *steer;	/* instances of replicated registers (core/steer.c) */
	_Atomic uint64_t *ggtt;		/* GGTT_ENTRIES entries */
	struct engine engines[TILE_MAX_ENGINES];
	struct tile_counters cnt;
	atomic_uint injected;		/* INJECT_* that are armed here */
	pthread_mutex_t fault_lock;	/* latching of a translation fault; errors */
	struct {			/* core/freq.c; ratios are in units of 50/3 MHz */
		uint32_t asked, before;	/* request of the driver, and the one before it */
		uint64_t asked_at;	/* timestamp */
		uint32_t limits;	/* PVC_LIMIT_* */
		unsigned int ratio;	/* at which the tile runs */
		_Atomic unsigned int slow;	/* the same if engines have to be slower, else 0 */
		uint64_t energy, energy_at, energy_from;
	} freq;
	struct {			/* core/ras.c */
		unsigned int local[2];	/* severities behind the local status of each handler */
		bool stuck;		/* this source cannot be cleared: */
		bool level;		/* the summary of interrupts follows DEV_ERR_STAT */
		uint32_t stuck_off, stuck_bits;
		unsigned int stuck_severity, stuck_source;
	} ras;
	/* When the render well is up that the CCS, or BCS0, wait for; see core/wake.c */
	_Atomic uint64_t wake_due[2];
	/* Requests to GDRST; host thread, see card/resets.c */
	struct {
		unsigned int requests;
		uint32_t dropped;	/* domains of the last one, if it had no effect */
		/* Engines' threads read these, too. */
		_Atomic uint32_t slow;		/* domains that read as pending ... */
		_Atomic uint64_t slow_until;	/* ... until then */
		bool guc_ran;		/* its registers were told to say so */
	} resets;
	struct irq_tree *irq;
	struct reg_state *reg_state;
};

struct card_options {
	const char *socket;		/* vfio-user */
	const char *control;		/* control socket, may be NULL */
	const char *log;		/* file, NULL = stderr */
	const char *publish;		/* name of this card's HBM for others, may be NULL */
	const char *peer;		/* name of another card's HBM, may be NULL */
	unsigned int tiles;		/* 1, 2, 4 */
	uint64_t hbm;			/* bytes per tile, a multiple of 1 GiB */
	uint64_t window;		/* bytes of BAR2, 0: all HBM, rounded up */
	uint64_t carve;			/* unusable bytes at a tile's top, 0: HBM_CARVE */
	uint64_t usable;		/* bytes of a tile below GSMBASE, 0: the maximum */
	unsigned int ready;		/* ms that firmware needs after a reset of the card */
	bool resizable;			/* BAR2 can be given all HBM */
	unsigned int cslices;		/* mask, the same on every tile */
	uint64_t fused_dss;		/* mask of subslices that are fused off, on every tile */
	uint16_t device_id;
	uint64_t seed;			/* of the power-on noise, 0 = zeros */
	bool replug;			/* listen again when the guest has gone */
	const char *handlers;		/* code that executes EU instructions, NULL = the fastest */
	bool tlb;			/* engines keep translations until they are invalidated */
	unsigned int lenient;		/* STRICT_* that the card does not punish (core/strict.h) */
	bool quirk_all_ones;		/* BAR0 reads all ones from the start */
	bool quirk_no_cslices;		/* fuses say: no compute */
	bool quirk_hbm_overlap;		/* tile ranges overlap */
	bool quirk_early;		/* revision of a stepping that was never sold */
	bool quirk_small_ggtt;		/* configuration space tells half of the GGTT's size */
	const char *inject[CARD_MAX_INJECTIONS];	/* armed from the start */
	unsigned int num_inject;
};

/*
 * Config space (bus/) and registers (core/) reset the whole card by these functions,
 * because card/ is above them.  card_create() sets them.
 */
struct card_ops {
	/* The driver asks for a reset of the function: has it had an effect? */
	bool (*reset)(struct card *c);
	void (*power_cycle)(struct card *c);	/* card_power_cycle() */
	/* Reset the engines for which @select is true (NULL: all of the tile). */
	void (*reset_engines)(struct tile *t,
			      bool (*select)(const struct engine *e, uint32_t arg), uint32_t arg);
};

struct card {
	const struct card_ops *ops;
	struct card_options opt;
	unsigned int num_tiles;
	struct tile tiles[PVC_MAX_TILES];
	int hbm_fd, mmio_fd;		/* memfds behind BAR2 and BAR0's GGTT parts */
	uint8_t *hbm;			/* mapping of all HBM: index = DPA */
	uint64_t hbm_size;		/* tiles * opt.hbm */
	uint64_t hbm_backing;		/* hbm_size rounded up to a power of two */
	uint64_t bar2_size;		/* bytes of the backing that the host reaches */
	/* Timestamps: firmware works between them, and the card is ready afterwards. */
	_Atomic uint64_t starts, ready;
	_Atomic bool all_ones;		/* BAR0 is dead: reads give all ones */
	_Atomic bool unplugged;		/* pulled out: nothing answers until the guest lets go */
	_Atomic bool resets_hang;	/* GDRST does nothing until the function is reset, */
	_Atomic bool resets_hang_injected;	/* or for an injection, which can be taken back */
	_Atomic bool flr_dead;		/* a reset of the function does nothing */
	counter_t walkers;		/* walkers so far: numbers for last_walker */
	counter_t msis;			/* messages sent */
	counter_t injected;		/* times an injection took effect */
	atomic_bool ggtt_cut;		/* the log has named an entry with too wide an address */
	/*
	 * Changes with every TLB invalidation (by register or command), reset, write of
	 * config space and DMA_UNMAP: holders of cached translations then drop them.
	 */
	atomic_uint mem_generation;
	struct pci *pci;
	struct dma *dma;
	struct irq_root *irq;
	struct inject *inject;
};

/* Bytes at the top of each tile's HBM that no driver may use */
static inline uint64_t card_carve(const struct card *c)
{
	return c->opt.carve ? c->opt.carve : HBM_CARVE;
}

#endif
