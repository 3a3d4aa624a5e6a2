// SPDX-License-Identifier: MIT
/*
 * Requests for faults, from the control socket ("inject NAME ARGUMENTS") or --inject, on
 * the host thread. The table at the end has each fault's name, arguments and meaning and
 * the function that arms it; core/inject.c makes armed faults happen.
 */
#include "card/inject_command.h"

#include <errno.h>
#include <string.h>

#include "card.h"
#include "card/inject_args.h"
#include "card/resets.h"
#include "core/freq.h"
#include "core/inject.h"
#include "core/inject_rules.h"
#include "core/ras.h"
#include "core/regs.h"
#include "core/xlat.h"
#include "log.h"
#include "mem/memory.h"
#include "pvc_gt_regs.h"
#include "pvc_soc_regs.h"

#define MAX_POISON	(16u << 20)	/* bytes of a range */
#define MAX_TEXT	256

static struct strike strike_of(const struct inject_args *a)
{
	uint64_t count = a->given & K(COUNT) ? a->value[KEY_COUNT] : 1;

	return (struct strike) {
		.skip = a->value[KEY_SKIP], .count = count, .endless = !count,
	};
}

/* ---- functions that arm and disarm; called with the lock held ---- */

#define FOR_ENGINES(c, a, e, r) \
	for (unsigned int i_ = 0; i_ < (c)->num_tiles; i_++) \
		for (struct engine *e = (c)->tiles[i_].engines; \
		     e < (c)->tiles[i_].engines + TILE_MAX_ENGINES; e++) \
			for (struct engine_rules *r = (a)->engines & engine_bit(e) ? \
			     rules_of(e) : NULL; r; r = NULL)

#define FOR_TILES(c, a, t, r) \
	for (struct tile *t = (c)->tiles; t < (c)->tiles + (c)->num_tiles; t++) \
		for (struct tile_rules *r = (a)->tiles & 1u << t->id ? \
		     &(c)->inject->tile[t->id] : NULL; r; r = NULL)

static const char *arm_all_ones(struct card *c, const struct inject_args *a, bool on)
{
	(void)a;
	atomic_store(&c->all_ones, on);
	return NULL;
}

/* The fuses show no slice until the next reset. */
static const char *arm_fuse0(struct card *c, const struct inject_args *a, bool on)
{
	(void)a;
	if (!on)
		return "fuse0 ends with a reset";
	for (unsigned int i = 0; i < c->num_tiles; i++) {
		reg_write(&c->tiles[i], PVC_COMPUTE_DSS_ENABLE, 0);
		reg_write(&c->tiles[i], PVC_COMPUTE_DSS_ENABLE_EXT, 0);
	}
	return NULL;
}

static const char *arm_hang(struct card *c, const struct inject_args *a, bool on)
{
	bool after = a->given & K(AFTER);

	if (on && (!(a->given & (K(BEFORE) | K(AFTER))) ||
		   (after && (a->given & K(BEFORE)))))
		return "hang needs one of before= and after=";
	FOR_ENGINES(c, a, e, r) {
		atomic_fetch_and(&e->injected, ~INJECT_HANG);
		if (!on)
			continue;
		r->hang = (struct strike) {
			.skip = a->value[after ? KEY_AFTER : KEY_BEFORE] - 1, .count = 1,
		};
		r->hang_after = after;
		atomic_fetch_or(&e->injected, INJECT_HANG);
	}
	return NULL;
}

static const char *arm_slow(struct card *c, const struct inject_args *a, bool on)
{
	FOR_ENGINES(c, a, e, r) {
		atomic_store(&r->slow_us, (unsigned int)a->value[KEY_US]);
		if (on)
			atomic_fetch_or(&e->injected, INJECT_SLOW);
		else
			atomic_fetch_and(&e->injected, ~INJECT_SLOW);
	}
	return NULL;
}

static const char *arm_irq(struct card *c, const struct inject_args *a, bool on, unsigned int which)
{
	FOR_ENGINES(c, a, e, r) {
		bool armed = false;

		r->irq[which] = (struct irq_rule) {
			.armed = on, .strike = strike_of(a), .us = a->value[KEY_US],
			.vectors = a->given & K(VECTOR) ? (uint32_t)a->value[KEY_VECTOR] : 0xffff,
		};
		for (unsigned int i = 0; i < NUM_IRQ_RULES; i++)
			armed |= r->irq[i].armed;
		if (armed)
			atomic_fetch_or(&e->injected, INJECT_IRQ);
		else
			atomic_fetch_and(&e->injected, ~INJECT_IRQ);
	}
	return NULL;
}

static const char *arm_irq_lost(struct card *c, const struct inject_args *a, bool on)
{
	return arm_irq(c, a, on, IRQ_LOST);
}

static const char *arm_irq_late(struct card *c, const struct inject_args *a, bool on)
{
	if (on && !inject_start_late(c->inject))
		return "irq-late: no thread";
	return arm_irq(c, a, on, IRQ_LATE);
}

static const char *arm_irq_twice(struct card *c, const struct inject_args *a, bool on)
{
	return arm_irq(c, a, on, IRQ_TWICE);
}

static const char *arm_load_late(struct card *c, const struct inject_args *a, bool on)
{
	FOR_ENGINES(c, a, e, r) {
		r->load = strike_of(a);
		r->load_us = (unsigned int)a->value[KEY_US];
		if (on)
			atomic_fetch_or(&e->injected, INJECT_LOAD_LATE);
		else
			atomic_fetch_and(&e->injected, ~INJECT_LOAD_LATE);
	}
	return NULL;
}

static const char *arm_csb(struct card *c, const struct inject_args *a, bool on, unsigned int which)
{
	FOR_ENGINES(c, a, e, r) {
		r->csb[which] = strike_of(a);
		if (on)
			atomic_fetch_or(&e->injected, csb_bit(which));
		else
			atomic_fetch_and(&e->injected, ~csb_bit(which));
	}
	return NULL;
}

static const char *arm_csb_lost(struct card *c, const struct inject_args *a, bool on)
{
	return arm_csb(c, a, on, CSB_LOST);
}

static const char *arm_csb_late(struct card *c, const struct inject_args *a, bool on)
{
	return arm_csb(c, a, on, CSB_LATE);
}

static const char *arm_csb_wrong(struct card *c, const struct inject_args *a, bool on)
{
	return arm_csb(c, a, on, CSB_WRONG);
}

static const char *arm_copy_lost(struct card *c, const struct inject_args *a, bool on)
{
	FOR_ENGINES(c, a, e, r) {
		r->copy = strike_of(a);
		/* Not the dummy blits that errata ask for */
		r->copy_bytes = a->given & K(SIZE) ? a->value[KEY_SIZE] : 4096;
		if (on)
			atomic_fetch_or(&e->injected, INJECT_COPY_LOST);
		else
			atomic_fetch_and(&e->injected, ~INJECT_COPY_LOST);
	}
	return NULL;
}

static const char *arm_forcewake(struct card *c, const struct inject_args *a, bool on)
{
	unsigned int wells = a->given & K(WELL) ? 1u << a->value[KEY_WELL] : ~0u;

	FOR_TILES(c, a, t, r) {
		r->wells = on ? r->wells | wells : r->wells & ~wells;
		if (r->wells)
			atomic_fetch_or(&t->injected, INJECT_WELL);
		else
			atomic_fetch_and(&t->injected, ~INJECT_WELL);
	}
	return NULL;
}

static const char *arm_forcewake_lost(struct card *c, const struct inject_args *a, bool on)
{
	FOR_TILES(c, a, t, r) {
		r->lost = strike_of(a);
		r->lossy_wells = a->given & K(WELL) ? 1u << a->value[KEY_WELL] : ~0u;
		if (on)
			atomic_fetch_or(&t->injected, INJECT_WELL_LOST);
		else
			atomic_fetch_and(&t->injected, ~INJECT_WELL_LOST);
	}
	return NULL;
}

static const char *arm_pcode_rule(struct card *c, const struct inject_args *a, bool on, bool busy)
{
	FOR_TILES(c, a, t, r) {
		r->pcode = strike_of(a);
		r->pcode_any = !(a->given & K(COMMAND));
		r->pcode_command = (uint32_t)a->value[KEY_COMMAND];
		r->pcode_code = a->given & K(CODE) ? (uint32_t)a->value[KEY_CODE] :
						     PVC_PCODE_TIMEOUT;
		r->pcode_busy = busy;
		if (on) {
			atomic_fetch_or(&t->injected, INJECT_PCODE);
			continue;
		}
		atomic_fetch_and(&t->injected, ~INJECT_PCODE);
		/* A mailbox that was left busy becomes free. */
		reg_clear(t, PVC_PCODE_MAILBOX, PVC_PCODE_READY);
	}
	return NULL;
}

static const char *arm_pcode_error(struct card *c, const struct inject_args *a, bool on)
{
	return arm_pcode_rule(c, a, on, false);
}

static const char *arm_pcode_busy(struct card *c, const struct inject_args *a, bool on)
{
	return arm_pcode_rule(c, a, on, true);
}

static const char *arm_throttle(struct card *c, const struct inject_args *a, bool on)
{
	static const uint32_t reasons[] = {
		PVC_LIMIT_PROCHOT, PVC_LIMIT_THERMAL, PVC_LIMIT_RATL, PVC_LIMIT_VR_THERMALERT,
		PVC_LIMIT_VR_TDC, PVC_LIMIT_POWER_4, PVC_LIMIT_POWER_1, PVC_LIMIT_POWER_2,
	};

	for (unsigned int i = 0; i < c->num_tiles; i++)
		if (a->tiles & 1u << i)
			freq_limit(&c->tiles[i], on ? reasons[a->value[KEY_REASON]] : 0);
	return NULL;
}

static const char *arm_reset(struct card *c, const struct inject_args *a, bool on)
{
	FOR_TILES(c, a, t, r) {
		r->reset = strike_of(a);
		r->reset_domains = a->given & K(DOMAIN) ? (uint32_t)a->value[KEY_DOMAIN] : ~0u;
		if (on) {
			atomic_fetch_or(&t->injected, INJECT_RESET);
			continue;
		}
		atomic_fetch_and(&t->injected, ~INJECT_RESET);
		/* A reset that was left pending ends, but one that hangs by itself does not. */
		if (!atomic_load(&c->resets_hang))
			reg_write(t, PVC_GDRST, 0);
	}
	return NULL;
}

static const char *arm_reset_hang(struct card *c, const struct inject_args *a, bool on)
{
	(void)a;
	atomic_store(&c->resets_hang_injected, on);
	for (unsigned int i = 0; i < c->num_tiles && !on && !atomic_load(&c->resets_hang); i++)
		reg_write(&c->tiles[i], PVC_GDRST, 0);
	return NULL;
}

static const char *arm_flr_dead(struct card *c, const struct inject_args *a, bool on)
{
	(void)a;
	atomic_store(&c->flr_dead, on);
	return NULL;
}

static const char *arm_guc_ran(struct card *c, const struct inject_args *a, bool on)
{
	for (unsigned int i = 0; i < c->num_tiles; i++)
		if (a->tiles & 1u << i)
			resets_guc_ran(&c->tiles[i], on);
	return NULL;
}

/* Add a range (@add) or remove all (NULL), then set or clear @bit on the tiles. */
static const char *set_ranges(struct card *c, struct range *ranges, const struct range *add,
			      unsigned int bit)
{
	unsigned int tiles = 0, i = 0;

	if (add) {
		while (i < MAX_RANGES && ranges[i].armed)
			i++;
		if (i == MAX_RANGES)
			return "no room for another range";
		ranges[i] = *add;
	} else {
		for (; i < MAX_RANGES; i++)
			ranges[i].armed = false;
	}
	for (i = 0; i < MAX_RANGES; i++)
		tiles |= ranges[i].armed ? ranges[i].tiles : 0;
	for (i = 0; i < c->num_tiles; i++) {
		if (tiles & 1u << i)
			atomic_fetch_or(&c->tiles[i].injected, bit);
		else
			atomic_fetch_and(&c->tiles[i].injected, ~bit);
	}
	/* Execution units must translate anew, so that they meet the range. */
	atomic_fetch_add(&c->mem_generation, 1);
	return NULL;
}

static bool range_of(const struct inject_args *a, struct range *r)
{
	*r = (struct range) { .armed = true, .first = a->value[KEY_ADDRESS], .tiles = a->tiles };
	return !__builtin_add_overflow(r->first, a->value[KEY_SIZE] - 1, &r->last);
}

static const char *arm_poison(struct card *c, const struct inject_args *a, bool on)
{
	struct range r;

	if (!on)
		return set_ranges(c, c->inject->poison, NULL, INJECT_POISON);
	if (!(a->given & K(ADDRESS)) || !(a->given & K(SIZE)) || !range_of(a, &r))
		return "poison needs address= and size=";
	if (r.last >= c->hbm_size)
		return "poison: part of the range is not HBM";
	if (r.last - r.first >= MAX_POISON)
		return "poison: 16 MiB at most";
	/* The content is lost: the host reads all ones, because its mapping needs no card. */
	memset(card_dpa(c, r.first, r.last - r.first + 1), 0xff, r.last - r.first + 1);
	return set_ranges(c, c->inject->poison, &r, INJECT_POISON);
}

static const char *arm_fault(struct card *c, const struct inject_args *a, bool on)
{
	static const enum xlat kinds[] = {
		XLAT_NOT_PRESENT, XLAT_READONLY, XLAT_MISALIGNED, XLAT_OUT_OF_RANGE,
	};
	struct range r;

	if (!on)
		return set_ranges(c, c->inject->fault, NULL, INJECT_FAULT);
	if (!(a->given & K(ADDRESS)) || !(a->given & K(SIZE)) || !range_of(a, &r))
		return "fault needs address= and size=";
	r.ggtt = a->value[KEY_SPACE];
	r.writes_only = a->value[KEY_ACCESS];
	r.kind = kinds[a->value[KEY_KIND]];
	r.of_engines = a->given & K(ENGINE);
	r.engines = a->engines;
	r.of_context = a->given & K(CONTEXT);
	r.context = a->value[KEY_CONTEXT];
	r.strike = strike_of(a);
	return set_ranges(c, c->inject->fault, &r, INJECT_FAULT);
}

static const char *arm_register(struct card *c, const struct inject_args *a, bool on)
{
	struct lie *l = c->inject->lies, *end = l + MAX_LIES;

	if (!on) {
		memset(l, 0, sizeof(c->inject->lies));
		for (unsigned int i = 0; i < c->num_tiles; i++)
			atomic_fetch_and(&c->tiles[i].injected, ~INJECT_REGISTER);
		return NULL;
	}
	if (a->value[KEY_ADDRESS] >= TILE_REG_SIZE || a->value[KEY_ADDRESS] % 4)
		return "register: no register has that address";
	while (l < end && l->armed)
		l++;
	if (l == end)
		return "no room for another register";
	*l = (struct lie) {
		.armed = true, .off = (uint32_t)a->value[KEY_ADDRESS],
		.value = (uint32_t)a->value[KEY_VALUE], .tiles = a->tiles,
		.mask = a->given & K(MASK) ? (uint32_t)a->value[KEY_MASK] : ~0u,
		.strike = strike_of(a),
	};
	for (unsigned int i = 0; i < c->num_tiles; i++)
		if (a->tiles & 1u << i)
			atomic_fetch_or(&c->tiles[i].injected, INJECT_REGISTER);
	return NULL;
}

static const char *arm_error(struct card *c, const struct inject_args *a, bool on)
{
	unsigned int severity = (unsigned int)a->value[KEY_SEVERITY];
	enum ras_source source = (enum ras_source)a->value[KEY_SOURCE];
	unsigned int stuck = (unsigned int)a->value[KEY_STUCK];

	FOR_TILES(c, a, t, r) {
		(void)r;
		if (!on)
			ras_heal(t);
		else if (stuck ? !ras_raise_stuck(t, severity, source, stuck == 2) :
				 !ras_raise(t, severity, source))
			return "error: that source has no error of that severity";
	}
	return NULL;
}

static const char *arm_unplug(struct card *c, const struct inject_args *a, bool on)
{
	(void)a;
	if (!on)
		return "unplug cannot be undone: the guest must let the card go and connect again";
	atomic_store(&c->unplugged, true);
	return NULL;
}

#define IRQ_KEYS	(K(ENGINE) | K(VECTOR) | K(SKIP) | K(COUNT))
#define IRQ_SYNTAX	"[engine=E] [vector=BITS] [skip=N] [count=N]"

/* The table: all that can be injected. */
static const struct injection {
	const char *name, *arguments, *help;
	unsigned int keys;		/* allowed */
	unsigned int needed;
	/* Arm, or disarm if !@on; returns NULL or the error. */
	const char *(*arm)(struct card *c, const struct inject_args *a, bool on);
} injections[] = {
	{ "all-ones", "", "The card fell off the bus: reads of BAR0 registers give all ones, "
	  "writes are lost.", 0, 0, arm_all_ones },
	{ "fuse0", "", "Until the next reset the fuses show no compute slice.", 0, 0, arm_fuse0 },
	{ "hang", "[engine=E] before=N|after=N", "The engine stops before its Nth command from "
	  "now, or after it, and stays stopped until it is reset.",
	  K(ENGINE) | K(BEFORE) | K(AFTER), 0, arm_hang },
	{ "slow", "[engine=E] us=T", "Every command takes T microseconds more.",
	  K(ENGINE) | K(US), K(US), arm_slow },
	{ "irq-lost", IRQ_SYNTAX, "The interrupt never arrives.", IRQ_KEYS, 0, arm_irq_lost },
	{ "irq-late", IRQ_SYNTAX " us=T", "The interrupt arrives T microseconds late.",
	  IRQ_KEYS | K(US), K(US), arm_irq_late },
	{ "irq-twice", IRQ_SYNTAX, "The vector is pending again after it was acknowledged.",
	  IRQ_KEYS, 0, arm_irq_twice },
	{ "load-late", "[engine=E] us=T [skip=N] [count=N]", "An engine that runs nothing takes "
	  "the contexts that are loaded T microseconds late, or never, if it is reset before.",
	  K(ENGINE) | K(US) | K(SKIP) | K(COUNT), K(US), arm_load_late },
	{ "csb-lost", "[engine=E] [skip=N] [count=N]", "A context status entry and its pointer "
	  "do not reach the status page; registers and interrupt do.",
	  K(ENGINE) | K(SKIP) | K(COUNT), 0, arm_csb_lost },
	{ "csb-late", "[engine=E] [skip=N] [count=N]", "A context status entry does not reach the "
	  "status page before the next entry, and its pointer never does; registers and interrupt "
	  "do.",
	  K(ENGINE) | K(SKIP) | K(COUNT), 0, arm_csb_late },
	{ "csb-wrong", "[engine=E] [skip=N] [count=N]", "A context status entry names two wrong "
	  "contexts.",
	  K(ENGINE) | K(SKIP) | K(COUNT), 0, arm_csb_wrong },
	{ "copy-lost", "[engine=E] [size=BYTES] [skip=N] [count=N]", "A part of a copy or fill is "
	  "not written: bytes in one page of memory, BYTES (4096 unless given) or more of them, "
	  "and at most 1 MiB.",
	  K(ENGINE) | K(SIZE) | K(SKIP) | K(COUNT), 0, arm_copy_lost },
	{ "forcewake-dead", "[tile=N] [well=gt|render|media]", "Requests to wake the power well "
	  "(all, unless given) are not acknowledged: the acknowledge register does not change.",
	  K(TILE) | K(WELL), 0, arm_forcewake },
	{ "forcewake-lost", "[tile=N] [well=gt|render|media] [skip=N] [count=N]", "A change of the "
	  "requests to a power well (all, unless given) is not acknowledged before the next change "
	  "of any of them.",
	  K(TILE) | K(WELL) | K(SKIP) | K(COUNT), 0, arm_forcewake_lost },
	{ "pcode-error", "[tile=N] [command=C] [code=E] [skip=N] [count=N]", "The mailbox answers "
	  "with error E (2, timeout, unless given).",
	  K(TILE) | K(COMMAND) | K(CODE) | K(SKIP) | K(COUNT), 0, arm_pcode_error },
	{ "pcode-busy", "[tile=N] [command=C] [skip=N] [count=N]", "The mailbox stays busy until "
	  "the fault is disarmed.",
	  K(TILE) | K(COMMAND) | K(SKIP) | K(COUNT), 0, arm_pcode_busy },
	{ "reset-dead", "[tile=N] [domain=BITS] [skip=N] [count=N]", "A write to GDRST does not "
	  "reset the domains BITS (all, unless given): their bits stay set and their engines run "
	  "on, until another write to GDRST or a reset of the function takes effect.",
	  K(TILE) | K(DOMAIN) | K(SKIP) | K(COUNT), 0, arm_reset },
	{ "throttle", "[reason=prochot|thermal|ratl|vr-thermalert|vr-tdc|pl4|pl1|pl2] [tile=N]",
	  "The tile runs at its lowest frequency, whatever was asked for, and names the reason "
	  "(prochot, unless given).",
	  K(REASON) | K(TILE), 0, arm_throttle },
	{ "reset-hang", "", "No reset by GDRST ends any more, on no tile, until the function is "
	  "reset.", 0, 0, arm_reset_hang },
	{ "guc-ran", "[tile=N]", "Firmware of another driver runs: the registers of the GuC say "
	  "so, and loads of the engines are ignored until GDRST resets the GuC (bit 3) or the "
	  "tile. The registers of its memory stay locked until the function is reset.",
	  K(TILE), 0, arm_guc_ran },
	{ "flr-dead", "", "A reset of the function, by config space or by GU_CNTL, has no effect.",
	  0, 0, arm_flr_dead },
	{ "poison", "address=DPA size=BYTES", "Uncorrectable error: the content of that HBM "
	  "(16 MiB at most) is lost and the host reads all ones; an engine's access to it stops "
	  "the engine and raises the non-fatal error interrupt. off heals all ranges.",
	  K(ADDRESS) | K(SIZE), 0, arm_poison },
	{ "fault", "address=VA size=BYTES [space=ppgtt|ggtt] [tile=N] [engine=E] [context=ID] "
	  "[access=any|write] [kind=not-present|read-only|misaligned|out-of-range] [skip=N] "
	  "[count=N]",
	  "An access to these addresses is a page fault. tile=, engine= and context= (software "
	  "id) restrict the fault to the accesses of a tile, of engines, and of a context. off "
	  "removes all ranges.",
	  K(ADDRESS) | K(SIZE) | K(SPACE) | K(TILE) | K(ENGINE) | K(CONTEXT) | K(ACCESS) |
	  K(KIND) | K(SKIP) | K(COUNT), 0, arm_fault },
	{ "register", "address=OFFSET value=V [mask=M] [tile=N] [skip=N] [count=N]",
	  "The host reads V, in the bits of M (all, unless given), from the register at that "
	  "offset of a tile's window; the register itself does not change. off removes all of "
	  "these.",
	  K(ADDRESS) | K(VALUE) | K(MASK) | K(TILE) | K(SKIP) | K(COUNT), K(ADDRESS) | K(VALUE),
	  arm_register },
	{ "error", "source=gt|subslice|l3bank|tlb|l3-fabric|soc|soc-second|mdfi|hbm|hbm-second|"
	  "gsc|device severity=correctable|nonfatal|fatal [tile=N] [stuck=yes|level]",
	  "The hardware finds an error and reports it. With stuck=yes its source cannot be cleared "
	  "until off, which heals the tile; with stuck=level the tile's interrupt cannot be "
	  "acknowledged either as long as DEV_ERR_STAT is not clear.",
	  K(SOURCE) | K(SEVERITY) | K(TILE) | K(STUCK), K(SOURCE) | K(SEVERITY), arm_error },
	{ "unplug", "", "Surprise removal: memory and registers are lost, and nothing answers any "
	  "more, config space included. After the guest has let the card go, the process listens "
	  "again with a card that has just got power.", 0, 0, arm_unplug },
};

#define NUM_INJECTIONS	(sizeof(injections) / sizeof(injections[0]))

/* ---- entry points ---- */

void inject_help(FILE *f, bool rst)
{
	for (unsigned int i = 0; i < NUM_INJECTIONS; i++) {
		const struct injection *j = &injections[i];

		if (rst)
			fprintf(f, "   * - ``%s%s%s``\n     - %s\n", j->name,
				*j->arguments ? " " : "",
				j->arguments, j->help);
		else
			fprintf(f, "  %s%s%s\n      %s\n", j->name, *j->arguments ? " " : "",
				j->arguments, j->help);
	}
}

static const struct injection *find_injection(const char *name)
{
	for (unsigned int i = 0; i < NUM_INJECTIONS; i++)
		if (!strcmp(injections[i].name, name))
			return &injections[i];
	return NULL;
}

static void usage(const struct injection *j, char *why, size_t size)
{
	snprintf(why, size, "%s takes: [on|off] %s", j->name, j->arguments);
}

static void clear_all(struct card *c)
{
	const struct inject_args all = { .engines = ~0ull, .tiles = ~0u };

	for (unsigned int i = 0; i < NUM_INJECTIONS; i++)
		injections[i].arm(c, &all, false);
	c->inject->num_late = 0;
}

int inject_command(struct card *c, const char *text, char *why, size_t size)
{
	struct inject_args a = { .engines = ~0ull, .tiles = ~0u };
	const char *wrong = NULL, *sep = " ,";
	const struct injection *j;
	char buf[MAX_TEXT], *save, *word;
	bool on = true;

	if (strlen(text) >= sizeof(buf)) {
		snprintf(why, size, "the command is too long");
		return -EINVAL;
	}
	strcpy(buf, text);
	word = strtok_r(buf, sep, &save);
	if (word && !strcmp(word, "clear") && !strtok_r(NULL, sep, &save)) {
		pthread_mutex_lock(&c->inject->lock);
		clear_all(c);
		pthread_mutex_unlock(&c->inject->lock);
		vlog("injections: all disarmed");
		return 0;
	}
	j = word ? find_injection(word) : NULL;
	if (!j) {
		size_t n = (size_t)snprintf(why, size, "inject takes: clear");

		for (unsigned int i = 0; i < NUM_INJECTIONS && n < size; i++)
			n += (size_t)snprintf(why + n, size - n, ", %s", injections[i].name);
		return -EINVAL;
	}
	while ((word = strtok_r(NULL, sep, &save))) {
		if (!strcmp(word, "on") || !strcmp(word, "off")) {
			on = word[1] == 'n';
		} else if (!inject_args_parse(c, word, j->keys, &a)) {
			usage(j, why, size);
			return -EINVAL;
		}
	}
	if (on && (a.given & j->needed) != j->needed) {
		usage(j, why, size);
		return -EINVAL;
	}
	pthread_mutex_lock(&c->inject->lock);
	wrong = j->arm(c, &a, on);
	pthread_mutex_unlock(&c->inject->lock);
	if (wrong) {
		snprintf(why, size, "%s", wrong);
		return -EINVAL;
	}
	vlog("inject %s", text);
	return 0;
}
