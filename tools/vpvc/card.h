/* SPDX-License-Identifier: MIT */
/*
 * The virtual card: one PVC in a process.
 *
 * This header is the contract between the card's blocks (PCI, registers,
 * interrupts, memory, vfio-user) and its command streamers.  Nothing here
 * knows any driver.
 *
 * Threads and locks
 *   - One "host thread" (main) serves vfio-user and the control socket: it
 *     performs every register access of the guest, so its latency is the
 *     guest's register latency.  It must never wait for an engine thread,
 *     with one exception: engine_reset().
 *   - Each engine runs on threads of its own, made by engine_init().
 *   - Register storage is an array of atomics: reg_*() take no lock.
 *   - No lock of this side is held while engine_*() functions run, and no
 *     function of this side calls back into the engine it was called by,
 *     except mmio_*() on an engine's register range (see engine_mmio_write).
 *     An engine may therefore call any function below while it holds its own
 *     lock, as long as the register it writes is not an engine register.
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
#include "xt_engine_regs.h"
#include "xt_pci_regs.h"

#define TILE_CSLICES		XT_NUM_CCS
#define TILE_MAX_ENGINES	(XT_NUM_CCS + XT_NUM_BCS)
#define TILE_REG_SIZE		XT_MMIO_GGTT_OFFSET	/* trapped part of a tile's BAR0 */
#define GGTT_ENTRIES		(1u << 20)
#define CARD_TIMESTAMP_HZ	19200000u
/* What of a tile's HBM is no driver's at the least: GGTT, stolen memory, WOPCM */
#define HBM_RESERVED		(64ull << 20)
#define CARD_MAX_INJECTIONS	16		/* given as options */

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
	X(commands)		/* commands executed, NOOPs included */ \
	X(batches)		/* batch buffer starts */ \
	X(interrupts)		/* irq_raise() calls */ \
	X(resets) \
	X(faults)		/* translation faults */ \
	X(page_walks)		/* of PPGTT and GGTT, faulting ones included */ \
	X(tlb_hits)		/* translations that needed none (--tlb) */ \
	X(table_hits)		/* of the walks those that did not begin at the root (--tlb) */ \
	X(walkers)		/* COMPUTE_WALKERs executed */ \
	X(work_groups) \
	X(threads)		/* hardware threads dispatched */ \
	X(instructions)		/* EU instructions executed */ \
	X(read_arguments)	/* bytes of kernel arguments, wherever they lie */ \
	X(read_local)		/* bytes, HBM of the engine's own tile */ \
	X(read_remote)		/* bytes, HBM of another tile */ \
	X(read_system)		/* bytes, guest memory */ \
	X(write_local) \
	X(write_remote) \
	X(write_system) \
	X(stores)		/* writes of the streamer itself: of commands, images, events */ \
	X(stores_system)	/* of these to guest memory */

/* Last values, not sums. */
#define ENGINE_GAUGES(X) \
	X(last_context)		/* software context id last loaded */ \
	X(last_lrca)		/* GGTT address of the context last loaded */ \
	X(last_root)		/* device address of its page-table root */ \
	X(last_walker)		/* card-wide number of the last walker, 0 = none */ \
	X(last_cslices)		/* cslice mask the last walker ran on */

#define TILE_COUNTERS(X) \
	X(register_reads)	/* by the host */ \
	X(register_writes) \
	X(unknown_registers)	/* host accesses to registers without a model */ \
	X(sleeping_accesses)	/* host accesses with the power well asleep */ \
	X(irq_idents)		/* interrupt identities handed out */

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
	unsigned int class;		/* XT_CLASS_* */
	unsigned int instance;
	uint32_t base;			/* of its registers, in the tile */
	bool present;			/* not fused off; absent ones have no thread */
	atomic_uint injected;		/* INJECT_* that are armed here */
	char name[16];			/* "tile0.ccs1", for the log */
	struct engine_counters cnt;
	struct tlb *tlb;		/* translations it keeps, NULL = none */
	void *priv;			/* the command streamer's */
};

struct tile {
	struct card *card;
	unsigned int id;
	uint64_t dpa_base;		/* device physical address of its HBM */
	uint64_t dpa_size;		/* bytes, carve-outs included */
	unsigned int cslices;		/* mask of present cslices = CCS engines */
	uint64_t dss_mask;		/* live DSS; cslice n owns bits 16n..16n+15 */
	_Atomic uint32_t *regs;		/* TILE_REG_SIZE / 4 dwords */
	_Atomic uint64_t *ggtt;		/* GGTT_ENTRIES entries */
	struct engine engines[TILE_MAX_ENGINES];
	struct tile_counters cnt;
	atomic_uint injected;		/* INJECT_* that are armed here */
	pthread_mutex_t fault_lock;	/* latching of a translation fault */
	struct irq_tree *irq;
	struct reg_state *reg_state;
};

struct card_options {
	const char *socket;		/* vfio-user */
	const char *control;		/* control socket, may be NULL */
	const char *log;		/* file, NULL = stderr */
	unsigned int tiles;		/* 1, 2, 4 */
	uint64_t hbm;			/* bytes per tile, a multiple of 1 GiB */
	uint64_t window;		/* bytes of BAR2, 0: all HBM, rounded up */
	uint64_t usable;		/* bytes of these below GSMBASE, 0: all there can be */
	unsigned int cslices;		/* mask, the same on every tile */
	uint16_t device_id;
	uint64_t seed;			/* of the power-on noise, 0 = zeros */
	bool replug;			/* listen again when the guest has gone */
	const char *handlers;		/* what executes EU instructions, NULL = the best */
	bool tlb;			/* engines keep translations until told not to */
	bool quirk_all_ones;		/* BAR0 reads all ones from the start */
	bool quirk_no_cslices;		/* fuses say: no compute */
	bool quirk_hbm_overlap;		/* tile ranges overlap */
	const char *inject[CARD_MAX_INJECTIONS];	/* armed from the start */
	unsigned int num_inject;
};

struct card {
	struct card_options opt;
	unsigned int num_tiles;
	struct tile tiles[XT_MAX_TILES];
	int hbm_fd, mmio_fd;		/* memfds behind BAR2 and BAR0's GGTT parts */
	uint8_t *hbm;			/* mapping of all HBM: index = DPA */
	uint64_t hbm_size;		/* tiles * opt.hbm */
	uint64_t hbm_backing;		/* hbm_size rounded up to a power of two */
	uint64_t bar2_size;		/* of these what the host reaches */
	_Atomic bool all_ones;		/* BAR0 is dead: reads give all ones */
	_Atomic bool unplugged;		/* pulled out: nothing answers, until the guest lets go */
	counter_t walkers;		/* numbers for last_walker: ++ per walker */
	counter_t msis;			/* messages sent */
	counter_t injected;		/* times an injection took effect */
	/*
	 * Changes with every TLB invalidation (by register or command), reset and
	 * DMA_UNMAP: who caches translations drops them then.
	 */
	atomic_uint mem_generation;
	struct pci *pci;
	struct dma *dma;
	struct irq_root *irq;
	struct inject *inject;
};

/* ---- registers (regs.c) ------------------------------------------------ */

/* Storage as it is: no side effect, no mask, any thread, any @off < 8 MiB. */
static inline uint32_t reg_read(struct tile *t, uint32_t off)
{
	return atomic_load(&t->regs[(off & (TILE_REG_SIZE - 1)) >> 2]);
}

static inline void reg_write(struct tile *t, uint32_t off, uint32_t val)
{
	atomic_store(&t->regs[(off & (TILE_REG_SIZE - 1)) >> 2], val);
}

static inline void reg_set(struct tile *t, uint32_t off, uint32_t bits)
{
	atomic_fetch_or(&t->regs[(off & (TILE_REG_SIZE - 1)) >> 2], bits);
}

static inline void reg_clear(struct tile *t, uint32_t off, uint32_t bits)
{
	atomic_fetch_and(&t->regs[(off & (TILE_REG_SIZE - 1)) >> 2], ~bits);
}

/*
 * Apply the access rule of the register table to storage (plain, masked upper
 * half, read-only, write-1-to-clear) without hooks.  What an engine does with
 * a register it gives no meaning of its own.
 */
void reg_store(struct tile *t, uint32_t off, uint32_t val);

/* The host's access: rules and hooks.  Host thread only. */
uint32_t mmio_read(struct tile *t, uint32_t off);
void mmio_write(struct tile *t, uint32_t off, uint32_t val);

/*
 * The access of a command stream (LRI, LRM, LRR, SRM) on engine @e to any
 * register of its tile.  Resets and interrupt control are the host's alone:
 * such a write is dropped and logged.  A register in an engine's range ends in
 * engine_mmio_*() of that engine, on the calling thread: don't hold the lock
 * that function takes.  False: a register this card has no model of, untouched;
 * a command that goes on after it would compute something else than silicon.
 */
bool mmio_cs_read(struct engine *e, uint32_t off, uint32_t *val);
bool mmio_cs_write(struct engine *e, uint32_t off, uint32_t val);

/* Mask of cslices CCS @instance may use now, from RCU_MODE and CCS_MODE. */
unsigned int tile_ccs_cslices(struct tile *t, unsigned int instance);

/* Free running counter at CARD_TIMESTAMP_HZ. */
uint64_t card_timestamp(void);

/* ---- what the command streamers provide (execlist.c) ------------------- */

/*
 * Once per present engine, before the guest can reach the card / after it is
 * gone.  engine_init() returns 0 or -errno.
 */
int engine_init(struct engine *e);
void engine_fini(struct engine *e);

/*
 * Register access at base + @off, @off < XT_ENGINE_REGS_SIZE, a multiple of 4.
 * Called by the host thread or by mmio_cs_*() on some engine's thread, without
 * locks.  Must return at once: note the request, wake the engine's thread.
 * Give registers without a meaning to reg_store() / reg_read().
 * TIMESTAMP (0x358, 0x35c) and ENGINE_ID (0x8c) never arrive here.
 */
uint32_t engine_mmio_read(struct engine *e, uint32_t off);
void engine_mmio_write(struct engine *e, uint32_t off, uint32_t val);

/*
 * GDRST, FLR or device reset: host thread.  Drop whatever runs or is queued,
 * without a context save, an event or an interrupt; on return the engine is
 * idle and touches no memory.  Bounded: a few ms, so the engine's loops look
 * at a stop flag.  Right after it the caller puts the registers of the range to
 * their reset values (storage, without engine_mmio_write()).
 */
void engine_reset(struct engine *e);

/*
 * What the engine does, for the control socket: "absent", "idle", "active" (it has
 * a context) or "stopped" (by an error or a fault: until a reset).
 */
const char *engine_state(struct engine *e);

/* ---- memory (memory.c, dma.c) ------------------------------------------ */

enum place { PLACE_LOCAL, PLACE_REMOTE, PLACE_SYSTEM, PLACE_NULL };

/* A piece of host memory a GPU address leads to. */
struct span {
	uint8_t *host;		/* NULL: a NULL leaf (reads 0, writes dropped) */
	uint64_t len;		/* bytes from here to the end of what is contiguous */
	enum place place;	/* as seen from the translating tile */
	uint64_t phys;		/* DPA, or bus address for PLACE_SYSTEM */
	unsigned int level;	/* of the leaf, or where the walk failed */
	bool writable;		/* the leaf allows writes */
	bool atomics;		/* the leaf's AE bit */
};

enum xlat {
	XLAT_OK = 0,
	XLAT_NOT_PRESENT,
	XLAT_READONLY,
	XLAT_MISALIGNED,	/* leaf or table address not aligned to its size */
	XLAT_OUT_OF_RANGE,	/* beyond HBM, not guest memory, bus master off, VA > 57 bit */
	XLAT_POISONED,		/* uncorrectable error of the memory itself */
};

const char *xlat_name(enum xlat x);

/*
 * Guest memory (PLACE_SYSTEM, card_dma_map()) is looked up and used between
 * card_mem_lock() and card_mem_unlock(): the guest may take it away.  The lock
 * is shared, nests on one thread, and HBM doesn't need it.  Don't hold it for
 * more than some milliseconds (the host thread waits for it in DMA_UNMAP and so
 * all registers do), never while waiting for anything.
 *
 * A pointer kept beyond the unlock stays valid host memory until the process
 * ends: it may only be stale, as a translation is that a device holds after its
 * guest has unmapped the page.  Long work (a walker) may do that, and
 * translates anew when card->mem_generation changes.
 */
void card_mem_lock(struct card *c);
void card_mem_unlock(struct card *c);

/* HBM by device physical address; NULL if [dpa, dpa+len) is not all HBM. */
static inline void *card_dpa(struct card *c, uint64_t dpa, uint64_t len)
{
	if (dpa > c->hbm_size || len > c->hbm_size - dpa)
		return NULL;
	return c->hbm + dpa;
}

/*
 * Guest memory by bus address; under card_mem_lock().  NULL if bus mastering
 * is off, or the range is not wholly mapped, not contiguous in the host, or
 * not writable for @write.
 */
void *card_dma_map(struct card *c, uint64_t addr, uint64_t len, bool write);

/* As above, but returns how far it is contiguous in *@len. */
void *card_dma_span(struct card *c, uint64_t addr, bool write, uint64_t *len);

/*
 * An address space as seen by a tile: the GGTT when @ggtt, else the PPGTT at @pdp0,
 * the raw value of the register pair (low 12 bits ignored).
 */
struct aspace {
	struct tile *tile;
	uint64_t pdp0;
	bool ggtt;
	struct engine *walker;		/* whose page walks these are, may be NULL */
};

/*
 * Translate an address.  Walks the tables each time, but for what the walker's TLB
 * holds (--tlb); a caller that keeps a piece drops it when card->mem_generation
 * changes.  On failure only @s->level is set.  PLACE_SYSTEM: under card_mem_lock().
 */
enum xlat mem_translate(const struct aspace *as, uint64_t va, bool write, struct span *s);

/* The same by nobody's engine. */
enum xlat ggtt_translate(struct tile *t, uint64_t addr, bool write, struct span *s);
enum xlat ppgtt_translate(struct tile *t, uint64_t pdp0, uint64_t va, bool write,
			  struct span *s);

/*
 * A command invalidates what its engine keeps of the address space at @root
 * (@pdp0 without its low bits), or all it keeps.
 */
void tlb_invalidate(struct engine *e, uint64_t root);
void tlb_invalidate_engine(struct engine *e);

/*
 * Copy helpers over translations.  They lock by themselves, count bytes on @e
 * (which may be NULL) and on failure say what and where in *@f (may be NULL).
 */
struct mem_fault {
	enum xlat kind;
	uint64_t va;
	unsigned int level;
	bool write;
	bool ggtt;
};

bool mem_read(const struct aspace *as, uint64_t va, void *buf, uint64_t len,
	      struct engine *e, struct mem_fault *f);
bool mem_write(const struct aspace *as, uint64_t va, const void *buf, uint64_t len,
	       struct engine *e, struct mem_fault *f);

/* Add one to the stores of @e, which may be NULL. */
void count_store(struct engine *e, enum place place);

/* Add bytes to the counter of @place. */
void count_access(struct engine *e, enum place place, bool write, uint64_t bytes);

/*
 * Latch RING_FAULT and FAULT_TLB_DATA (unless a fault is latched already), or
 * report the memory error for XLAT_POISONED; set RESET_CTL b2 of the engine,
 * count and log.  Stopping the engine and raising XT_VEC_CS_ERROR is the caller's.
 */
void fault_report(struct engine *e, const struct mem_fault *f);

/* ---- interrupts (irq.c) ------------------------------------------------ */

/*
 * Any thread.  All memory writes the caller made before are visible to the
 * guest before the interrupt is.  Vector bits (XT_VEC_*) accumulate until acknowledged.
 */
void irq_raise(struct tile *t, unsigned int class, unsigned int instance,
	       uint32_t vector);

/* ---- injected faults (inject.c) ---------------------------------------- */

/* What can be armed on an engine */
#define INJECT_HANG	0x01u
#define INJECT_SLOW	0x02u
#define INJECT_IRQ	0x04u
#define INJECT_CSB_LOST	0x08u	/* and the next two: see csb_bit() */
#define INJECT_CSB_LATE	0x10u
#define INJECT_CSB_WRONG 0x20u
/* ... and on a tile */
#define INJECT_FAULT	0x40u
#define INJECT_POISON	0x80u
#define INJECT_WELL	0x100u
#define INJECT_PCODE	0x200u
#define INJECT_REGISTER	0x400u
#define INJECT_RESET	0x800u

static inline bool inject_armed(atomic_uint *armed, unsigned int what)
{
	return atomic_load_explicit(armed, memory_order_relaxed) & what;
}

/*
 * The hooks: engine threads ask them where a fault may strike.  Each is free
 * as long as nothing is armed, and counts its effect in card->injected.
 */

/* Does the engine stop here, before (or @after) the command it has fetched? */
bool inject_hang(struct engine *e, bool after);
/* Microseconds a command takes in addition. */
unsigned int inject_delay(struct engine *e);
/* Is this write of a status entry and its pointer into memory lost? */
bool inject_csb_lost(struct engine *e);
/* Does this status entry reach memory with the next one only, and its pointer never? */
bool inject_csb_late(struct engine *e);
/* Does this status entry name contexts that are not there? */
bool inject_csb_wrong(struct engine *e);

/* ---- log (log.c) ------------------------------------------------------- */

/*
 * One line, newline added, any thread.  What the model lacks begins with
 * "unimplemented:" and names itself; what the guest did wrong begins with
 * "guest error:".
 */
void vlog(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
