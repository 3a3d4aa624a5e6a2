// SPDX-License-Identifier: MIT
/*
 * Register access: finds the register's row in the table given to regs_init(), applies
 * its rule and calls its hook.  A register without a row is plain storage with reset value
 * 0, and the log names it once.  The host thread calls mmio_*(), an engine's thread
 * mmio_cs_*(); storage is atomic and has no lock.
 */
#define _GNU_SOURCE
#include "core/regs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "card.h"
#include "core/inject.h"
#include "core/noise.h"
#include "core/steer.h"
#include "log.h"
#include "pvc_engine_regs.h"
#include "pvc_gt_regs.h"

#define REG_DWORDS	(TILE_REG_SIZE / 4)

/*
 * Doorbells lie behind the registers, one page each.  Firmware hands them out, and the
 * card has none, so no doorbell is in use: all read as DOORBELL_UNUSED and ignore writes.
 * Drivers write to the last doorbell to order their writes.
 */
#define DOORBELLS		PVC_MMIO_REGS_SIZE
#define DOORBELL_UNUSED		0xdeadbeefu

static const struct reg_table *table;
/* Row of a register + 1, 0 = none. All tiles share the index, which is made once. */
static uint16_t rule_of[REG_DWORDS];
static uint16_t engine_rule_of[PVC_ENGINE_REGS_SIZE / 4];
/* Engine of a range of PVC_ENGINE_REGS_SIZE + 1 */
static uint8_t engine_of[TILE_REG_SIZE / PVC_ENGINE_REGS_SIZE];
static pthread_once_t index_once = PTHREAD_ONCE_INIT;

struct reg_state {
	/* One bit per register: the log has named it as unknown, as asleep. */
	_Atomic uint8_t unknown[REG_DWORDS / 8], asleep[REG_DWORDS / 8];
	/* Host accesses of each register. Pages of the arrays exist once they are touched. */
	uint64_t *reads, *writes;
	/* One flag per KiB of registers: some register there was accessed. */
	bool touched[TILE_REG_SIZE / 1024];
};

static void index_rows(uint16_t *index, const struct reg_rule *rules, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++) {
		unsigned int count = rules[i].count ? rules[i].count : 1;

		for (unsigned int k = 0; k < count; k++)
			index[rules[i].off / 4 + k] = (uint16_t)(i + 1);
	}
}

static void make_index(void)
{
	index_rows(rule_of, table->tile.row, table->tile.num);
	index_rows(engine_rule_of, table->engine.row, table->engine.num);
	for (unsigned int n = 0; n < PVC_NUM_CCS; n++)
		engine_of[PVC_CCS_BASE(n) / PVC_ENGINE_REGS_SIZE] = (uint8_t)(1 + n);
	for (unsigned int n = 0; n < PVC_NUM_BCS; n++)
		engine_of[PVC_BCS_BASE(n) / PVC_ENGINE_REGS_SIZE] = (uint8_t)(1 + PVC_NUM_CCS + n);
}

struct engine *regs_engine(struct tile *t, uint32_t off)
{
	uint8_t n = engine_of[off / PVC_ENGINE_REGS_SIZE];

	return n ? &t->engines[n - 1] : NULL;
}

static const struct reg_rule *find_rule(uint32_t off)
{
	uint16_t n;

	if (engine_of[off / PVC_ENGINE_REGS_SIZE]) {
		n = engine_rule_of[off % PVC_ENGINE_REGS_SIZE / 4];
		return n ? &table->engine.row[n - 1] : NULL;
	}
	n = rule_of[off / 4];
	return n ? &table->tile.row[n - 1] : NULL;
}

const char *reg_name(uint32_t off)
{
	const struct reg_rule *r;

	r = find_rule(off & (TILE_REG_SIZE - 4));
	return r ? r->name : NULL;
}

/* True on the first call for a register with these @bits. */
static bool first_time(_Atomic uint8_t *bits, uint32_t off)
{
	uint8_t bit = (uint8_t)(1u << (off / 4 % 8));

	return !(atomic_fetch_or(&bits[off / 32], bit) & bit);
}

/*
 * Ranges of the power wells, from Intel's out-of-tree i915 ("prelim", intel_uncore.c, PVC
 * table).  Ends are inclusive; registers outside all ranges are always on.
 */
static const struct well_range {
	uint32_t start, end;
	bool render;
} wells[] = {
	{ 0x000b00, 0x000bff, false }, { 0x001000, 0x001fff, false },
	{ 0x002000, 0x0026ff, true },  { 0x002700, 0x002fff, false },
	{ 0x003000, 0x003fff, true },  { 0x004000, 0x00813f, false },
	{ 0x008140, 0x00817f, true },  { 0x008200, 0x0094cf, false },
	{ 0x0094d0, 0x00955f, true },  { 0x009680, 0x0097ff, true },
	{ 0x009800, 0x00cfff, false }, { 0x00d400, 0x00dbff, false },
	{ 0x00dc00, 0x00dcff, true },  { 0x00dd00, 0x00de7f, false },
	{ 0x00de80, 0x00e8ff, true },  { 0x00e900, 0x011fff, false },
	{ 0x013000, 0x019fff, false }, { 0x01a000, 0x021fff, true },
	{ 0x022000, 0x023fff, false }, { 0x024180, 0x025fff, false },
	{ 0x026000, 0x02ffff, true },  { 0x030000, 0x03ffff, false },
	{ 0x3e0000, 0x3effff, false },
};

/* Registers that reach a sleeping well: wake requests, resets, submission. */
static bool is_shadowed(uint32_t off, bool write)
{
	uint32_t e = off % PVC_ENGINE_REGS_SIZE;

	switch (off) {
	case PVC_FORCEWAKE_GT:
	case PVC_FORCEWAKE_RENDER:
	case PVC_GDRST:
		return true;
	}
	return write && engine_of[off / PVC_ENGINE_REGS_SIZE] &&
	       (e == PVC_RING_TAIL(0) || e == PVC_EXECLIST_CONTROL(0) ||
		(e >= PVC_EXECLIST_SQ_CONTENTS(0, 0) && e < PVC_EXECLIST_CONTROL(0)));
}

static bool is_asleep(struct tile *t, uint32_t off, bool write)
{
	for (unsigned int i = 0; i < sizeof(wells) / sizeof(wells[0]); i++) {
		uint32_t ack;

		if (off < wells[i].start || off > wells[i].end)
			continue;
		ack = wells[i].render ? PVC_FORCEWAKE_ACK_RENDER : PVC_FORCEWAKE_ACK_GT;
		return !(reg_read(t, ack) & PVC_FORCEWAKE_KERNEL) && !is_shadowed(off, write);
	}
	return false;
}

/* Count a host access, and report one to a sleeping well, where silicon gives garbage. */
static void note_access(struct tile *t, uint32_t off, const struct reg_rule *r, bool write)
{
	counter_add(write ? &t->cnt.register_writes : &t->cnt.register_reads, 1);
	(write ? t->reg_state->writes : t->reg_state->reads)[off / 4]++;
	t->reg_state->touched[off / 1024] = true;
	if (!r && !engine_of[off / PVC_ENGINE_REGS_SIZE] && off < DOORBELLS) {
		counter_add(&t->cnt.unknown_registers, 1);
		if (first_time(t->reg_state->unknown, off))
			vlog("unimplemented: register 0x%06x on tile%u, kept as storage", off,
			     t->id);
	}
	if (is_asleep(t, off, write)) {
		counter_add(&t->cnt.sleeping_accesses, 1);
		if (first_time(t->reg_state->asleep, off))
			vlog("guest error: register 0x%06x %s on tile%u %s without forcewake",
			     off, r ? r->name : "", t->id, write ? "written" : "read");
	}
}

void regs_for_each_access(struct tile *t, reg_access_fn *fn, void *arg)
{
	struct reg_state *s = t->reg_state;

	for (unsigned int k = 0; k < TILE_REG_SIZE / 1024; k++) {
		for (uint32_t off = 1024 * k; s->touched[k] && off < 1024 * (k + 1); off += 4)
			if (s->reads[off / 4] || s->writes[off / 4])
				fn(arg, off, s->reads[off / 4], s->writes[off / 4]);
	}
}

void regs_reset_accesses(struct tile *t)
{
	struct reg_state *s = t->reg_state;

	for (unsigned int k = 0; k < TILE_REG_SIZE / 1024; k++) {
		if (!s->touched[k])
			continue;
		memset(&s->reads[256 * k], 0, 1024 / 4 * sizeof(*s->reads));
		memset(&s->writes[256 * k], 0, 1024 / 4 * sizeof(*s->writes));
		s->touched[k] = false;
	}
}

void reg_store(struct tile *t, uint32_t off, uint32_t val)
{
	const struct reg_rule *r;

	off &= TILE_REG_SIZE - 4;
	r = find_rule(off);
	switch (r ? r->access : REG_RW) {
	case REG_RW:
		reg_write(t, off, val);
		break;
	case REG_RO:
		break;
	case REG_W1C:
		reg_clear(t, off, val);
		break;
	case REG_MASKED: {
		_Atomic uint32_t *p = &t->regs[off >> 2];
		uint32_t mask = val >> 16, old = atomic_load(p);

		while (!atomic_compare_exchange_weak(p, &old, (old & ~mask) | (val & mask)))
			;
		break;
	}
	}
}

static uint32_t do_read(struct tile *t, uint32_t off, const struct reg_rule *r)
{
	return r && r->read ? r->read(t, off) : reg_read(t, off);
}

static void do_write(struct tile *t, uint32_t off, uint32_t val, const struct reg_rule *r)
{
	if (r && r->write)
		r->write(t, off, val);
	else
		reg_store(t, off, val);
}

uint32_t mmio_read(struct tile *t, uint32_t off)
{
	const struct reg_rule *r;
	struct tile *of = t;
	uint32_t val;

	off &= TILE_REG_SIZE - 4;
	r = find_rule(off);
	note_access(t, off, r, false);
	if (atomic_load(&t->card->all_ones))
		return ~0u;
	if (off >= DOORBELLS)
		return DOORBELL_UNUSED;
	if (r && (r->flags & REG_ROOT))
		of = &t->card->tiles[0];
	val = steer_read(of, off, do_read(of, off, r));
	if (inject_armed(&t->injected, INJECT_REGISTER))
		val = inject_register(t, off, val);
	return val;
}

void mmio_write(struct tile *t, uint32_t off, uint32_t val)
{
	const struct reg_rule *r;

	off &= TILE_REG_SIZE - 4;
	r = find_rule(off);
	note_access(t, off, r, true);
	if (atomic_load(&t->card->all_ones) || off >= DOORBELLS)
		return;
	if (r && (r->flags & REG_ROOT))
		t = &t->card->tiles[0];
	if (!steer_write(t, off, val, r ? r->access : REG_RW))
		do_write(t, off, val, r);
}

/*
 * User-mode drivers program the absent render engine: such a write has no effect and such
 * a read gives 0, while other registers without a row stop the engine.
 */
static bool is_absent(uint32_t off)
{
	return off >= PVC_RCS_BASE && off < PVC_RCS_BASE + PVC_ENGINE_REGS_SIZE;
}

static bool cs_knows(struct tile *t, uint32_t off, const struct reg_rule *r)
{
	struct engine *of = regs_engine(t, off);

	return r && (!of || of->present);
}

bool mmio_cs_read(struct engine *e, uint32_t off, uint32_t *val)
{
	const struct reg_rule *r;

	off &= TILE_REG_SIZE - 4;
	r = find_rule(off);
	*val = 0;
	if (is_absent(off))
		return true;
	if (!cs_knows(e->tile, off, r))
		return false;
	*val = do_read(e->tile, off, r);
	return true;
}

bool mmio_cs_write(struct engine *e, uint32_t off, uint32_t val)
{
	const struct reg_rule *r;

	off &= TILE_REG_SIZE - 4;
	r = find_rule(off);
	if (is_absent(off))
		return true;
	if (!cs_knows(e->tile, off, r))
		return false;
	if (r->flags & REG_HOST) {
		vlog("guest error: command stream of %s writes the host's register %s", e->name,
		     r->name);
		return true;
	}
	steer_all(e->tile, off, val, r->access);
	do_write(e->tile, off, val, r);
	return true;
}

static void reset_rows(struct tile *t, uint32_t base, const struct reg_rule *rules, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++) {
		unsigned int count = rules[i].count ? rules[i].count : 1;

		if (!rules[i].reset)
			continue;
		for (unsigned int k = 0; k < count; k++)
			reg_write(t, base + rules[i].off + 4 * k, rules[i].reset);
	}
}

/* Set the registers of an engine's range that are not 0 after a reset. */
static void reset_engine_rows(struct engine *e)
{
	reset_rows(e->tile, e->base, table->engine.row, table->engine.num);
	reg_write(e->tile, PVC_RING_ENGINE_ID(e->base),
		  e->instance << PVC_ENGINE_ID_INSTANCE_SHIFT | (uint32_t)e->class);
}

void regs_reset_engine(struct engine *e)
{
	for (uint32_t off = 0; off < PVC_ENGINE_REGS_SIZE; off += 4)
		reg_write(e->tile, e->base + off, 0);
	reset_engine_rows(e);
	noise_engine(e);
}

void regs_reset(struct tile *t)
{
	/* Storage becomes zeros again, without pages. */
	madvise((void *)t->regs, TILE_REG_SIZE, MADV_DONTNEED);
	steer_reset(t);
	reset_rows(t, 0, table->tile.row, table->tile.num);
	for (unsigned int n = 0; n < TILE_MAX_ENGINES; n++)
		reset_engine_rows(&t->engines[n]);
	table->reset_shape(t);
	noise_registers(t);
	for (unsigned int n = 0; n < TILE_MAX_ENGINES; n++)
		if (t->engines[n].present)
			noise_engine(&t->engines[n]);
}

/* An array of zeros whose pages exist once they are touched; NULL: no room. */
static void *map_sparse(size_t size)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

static void unmap_sparse(void *p, size_t size)
{
	if (p)
		munmap(p, size);
}

int regs_init(struct tile *t, const struct reg_table *all)
{
	table = all;
	pthread_once(&index_once, make_index);
	t->regs = map_sparse(TILE_REG_SIZE);
	t->reg_state = calloc(1, sizeof(*t->reg_state));
	if (!t->regs || !t->reg_state || steer_init(t))
		return -ENOMEM;
	t->reg_state->reads = map_sparse(REG_DWORDS * sizeof(uint64_t));
	t->reg_state->writes = map_sparse(REG_DWORDS * sizeof(uint64_t));
	if (!t->reg_state->reads || !t->reg_state->writes)
		return -ENOMEM;
	regs_reset(t);
	return 0;
}

void regs_fini(struct tile *t)
{
	unmap_sparse((void *)t->regs, TILE_REG_SIZE);
	if (t->reg_state) {
		unmap_sparse(t->reg_state->reads, REG_DWORDS * sizeof(uint64_t));
		unmap_sparse(t->reg_state->writes, REG_DWORDS * sizeof(uint64_t));
	}
	free(t->reg_state);
	steer_fini(t);
}
