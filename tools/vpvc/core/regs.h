/* SPDX-License-Identifier: MIT */
/* Registers: storage, rules, accesses.  card/regs_table.c has the rules. */
#ifndef VPVC_REGS_H
#define VPVC_REGS_H

#include "card.h"

enum reg_access {
	REG_RW,			/* plain storage */
	REG_RO,
	REG_W1C,		/* a 1 clears the bit */
	REG_MASKED,		/* bits 31:16 enable the write of bits 15:0 */
};

#define REG_ROOT	0x1	/* the card has one: accesses by any tile go to tile 0 */
#define REG_HOST	0x2	/* command streams may not write it */
#define REG_SHAPE	0x4	/* reset value follows from options, see reg_table.reset_shape */

struct reg_rule {
	uint32_t off;
	const char *name;
	enum reg_access access;
	uint32_t reset;
	unsigned int flags;
	unsigned int count;	/* of consecutive dwords, 0 = 1 */
	/* Hooks replace the access to storage. */
	uint32_t (*read)(struct tile *t, uint32_t off);
	void (*write)(struct tile *t, uint32_t off, uint32_t val);
};

/* All registers as data: those of a tile, those from an engine's base. */
struct reg_table {
	struct {
		const struct reg_rule *row;
		unsigned int num;
	} tile, engine;
	/* Writes the values that a tile's own shape decides, and what firmware has left behind. */
	void (*reset_shape)(struct tile *t);
};

/* @table must be the same for all tiles of all cards.  Returns 0 or -errno. */
int regs_init(struct tile *t, const struct reg_table *table);
void regs_fini(struct tile *t);
/* All registers, or those of one engine, to their reset values. */
void regs_reset(struct tile *t);
void regs_reset_engine(struct engine *e);
/* Host accesses since the start or the last reset of the counters, in order of offset. */
typedef void reg_access_fn(void *arg, uint32_t off, uint64_t reads, uint64_t writes);
void regs_for_each_access(struct tile *t, reg_access_fn *fn, void *arg);
void regs_reset_accesses(struct tile *t);
/* The engine in whose range @off is, NULL: none. */
struct engine *regs_engine(struct tile *t, uint32_t off);
/* Name of a register for the log, NULL if it has none. */
const char *reg_name(uint32_t off);

/* Storage without rules and hooks; any thread, any @off < TILE_REG_SIZE. */
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
 * Write storage by the register's access rule (plain, masked upper half, read-only,
 * write-1-to-clear), without its hook.
 */
void reg_store(struct tile *t, uint32_t off, uint32_t val);

/* The host's access: rules and hooks.  Host thread only. */
uint32_t mmio_read(struct tile *t, uint32_t off);
void mmio_write(struct tile *t, uint32_t off, uint32_t val);

/*
 * The access of a command stream (LRI, LRM, LRR, SRM) on engine @e to any register of its
 * tile.  A write to a register with REG_HOST, such as resets and interrupt control, is
 * dropped and logged.  A register in an engine's range may call a hook of that engine
 * (execlist.h) on this thread: do not hold that engine's lock.  False: the card has no
 * model of the register, and nothing was done; the caller must stop, because the commands
 * behind would compute other values than on silicon.
 */
bool mmio_cs_read(struct engine *e, uint32_t off, uint32_t *val);
bool mmio_cs_write(struct engine *e, uint32_t off, uint32_t val);

#endif
