/* SPDX-License-Identifier: MIT */
/*
 * The rules of injected faults: inject_command.c sets them, inject.c applies them.
 */
#ifndef VPVC_INJECT_RULES_H
#define VPVC_INJECT_RULES_H

#include "core/inject.h"
#include "core/xlat.h"

#define MAX_RANGES	16
#define MAX_LIES	16
#define MAX_LATE	64

/* Let @skip events pass, then hit the next @count, or all if @endless. */
struct strike {
	uint64_t skip, count;
	bool endless;
};

struct irq_rule {
	bool armed;
	uint32_t vectors;
	struct strike strike;
	uint64_t us;			/* of IRQ_LATE */
};

enum { IRQ_LOST, IRQ_LATE, IRQ_TWICE, NUM_IRQ_RULES };
enum { CSB_LOST, CSB_LATE, CSB_WRONG, NUM_CSB_RULES };

struct engine_rules {
	struct strike hang;
	bool hang_after;
	_Atomic unsigned int slow_us;
	struct irq_rule irq[NUM_IRQ_RULES];
	struct strike csb[NUM_CSB_RULES];
	struct strike load;
	unsigned int load_us;		/* until it is taken */
	struct strike copy;
	uint64_t copy_bytes;		/* at least */
};

struct range {
	bool armed;
	uint64_t first, last;
	unsigned int tiles;		/* mask */
	/* Of address faults only */
	bool of_engines, of_context;	/* the fault is restricted to these */
	uint64_t engines, context;
	bool ggtt;
	bool writes_only;
	enum xlat kind;
	struct strike strike;
};

struct tile_rules {
	unsigned int wells;		/* INJECT_WELL_* that stay silent */
	unsigned int lossy_wells;	/* INJECT_WELL_* that lose acks */
	struct strike lost;
	struct strike pcode;
	uint32_t pcode_command, pcode_code;
	bool pcode_any, pcode_busy;
	struct strike reset;
	uint32_t reset_domains;		/* bits of GDRST */
};

/* A register from which the host reads a false value. */
struct lie {
	bool armed;
	uint32_t off, value, mask;
	unsigned int tiles;		/* mask */
	struct strike strike;
};

struct late {
	uint64_t due;			/* timestamp */
	struct tile *t;
	unsigned int class;
	unsigned int instance;
	uint32_t vector;
};

struct inject {
	pthread_mutex_t lock;		/* all but @tile and slow_us */
	struct engine_rules engine[PVC_MAX_TILES][TILE_MAX_ENGINES];
	struct tile_rules tile[PVC_MAX_TILES];
	struct range fault[MAX_RANGES], poison[MAX_RANGES];
	struct lie lies[MAX_LIES];
	/* Late interrupts; the first one that is armed starts the thread */
	struct late late[MAX_LATE];
	unsigned int num_late;
	pthread_t thread;
	pthread_cond_t wake;
	bool running, quit;
};

static inline struct engine_rules *rules_of(struct engine *e)
{
	return &e->tile->card->inject->engine[e->tile->id][e - e->tile->engines];
}

/* An engine's bit in masks over the card */
static inline uint64_t engine_bit(const struct engine *e)
{
	return 1ull << (e->tile->id * TILE_MAX_ENGINES + (unsigned int)(e - e->tile->engines));
}

/* The bit of engine.injected for a rule CSB_* */
static inline unsigned int csb_bit(unsigned int which)
{
	return INJECT_CSB_LOST << which;
}

/* Start the thread that delivers late interrupts, once; lock held.  False: no thread. */
bool inject_start_late(struct inject *in);

#endif
