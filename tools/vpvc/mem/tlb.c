// SPDX-License-Identifier: MIT
/*
 * Translations an engine keeps: the engine does not see a change of the page tables (--tlb)
 * or of the GGTT (--ggtt-tlb) before the driver has invalidated the old translation.
 *
 * Those of the GGTT: public drivers invalidate them when an entry changes (i915 by the register
 * GFX_FLSH_CNTL, xe by its firmware), or begin each request with an invalidation (prelim i915).
 * No source says how many an engine keeps. The worse reading is that it keeps each for ever:
 * until GFX_FLSH_CNTL is written with its bit EN, the engine executes an invalidation, or is reset.
 *
 * A TLB keeps leaves and the addresses of the tables on the way to them.  A walk begins
 * at the lowest table that is kept, so a table that the driver has replaced is still read
 * at its old address, whatever that memory holds by then.
 *
 * An entry belongs to a page-table root and holds device addresses, never a host pointer:
 * memory.c resolves the address each time.  Absent page-table entries are not kept.
 */
#define _GNU_SOURCE
#include "mem/tlb.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "card.h"
#include "pvc_gtt.h"

/* Entries for each size of page or table; a hash of root and address chooses one. */
#define TLB_ENTRIES	256

/* log2 of the bytes an entry covers: page sizes, then tables of level 0 to 3. */
static const unsigned int shifts[] = {
	12, 16, 21, 30,
	PVC_PT_SHIFT(1), PVC_PT_SHIFT(2), PVC_PT_SHIFT(3), PVC_PT_SHIFT(4),
};

#define NUM_PAGE_SIZES	4
#define NUM_SIZES	(sizeof(shifts) / sizeof(shifts[0]))

struct tlb_entry {
	bool valid;
	uint64_t root, page;
	union {
		struct leaf leaf;	/* in the rows of page sizes */
		struct table table;
	};
};

/*
 * An entry of the GGTT, whose upper 16 bits are the generation in which it was kept. An
 * invalidation begins the next generation.
 */
#define GENERATION_SHIFT	48
#define GENERATIONS		0xffffu
/* While entries are forgotten: no entry has this number, nor one that is kept meanwhile. */
#define NO_GENERATION		(GENERATIONS + 1)

_Static_assert(!(PVC_GGTT_ADDR_MASK >> GENERATION_SHIFT), "an entry leaves room");

struct ggtt_tlb {
	atomic_uint generation;			/* 1..GENERATIONS, or NO_GENERATION */
	_Atomic uint64_t *entry;		/* GGTT_ENTRIES; pages exist once touched */
};

struct tlb {
	pthread_mutex_t lock;		/* engine, execution units and host thread use the TLB */
	struct tlb_entry entry[NUM_SIZES][TLB_ENTRIES];
};

int tlb_init(struct engine *e)
{
	e->tlb = calloc(1, sizeof(*e->tlb));
	if (!e->tlb)
		return -ENOMEM;
	pthread_mutex_init(&e->tlb->lock, NULL);
	return 0;
}

int tlb_init_ggtt(struct engine *e)
{
	struct ggtt_tlb *tlb = calloc(1, sizeof(*tlb));

	if (!tlb)
		return -ENOMEM;
	tlb->entry = mmap(NULL, GGTT_ENTRIES * sizeof(*tlb->entry), PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (tlb->entry == MAP_FAILED) {
		free(tlb);
		return -ENOMEM;
	}
	tlb->generation = 1;
	e->ggtt_tlb = tlb;
	return 0;
}

uint64_t tlb_find_ggtt(struct engine *e, uint32_t index, unsigned int *ticket)
{
	uint64_t entry;

	if (!e || !e->ggtt_tlb)
		return 0;
	*ticket = atomic_load(&e->ggtt_tlb->generation);
	entry = atomic_load(&e->ggtt_tlb->entry[index]);
	return entry >> GENERATION_SHIFT == *ticket ? entry & ((1ull << GENERATION_SHIFT) - 1) : 0;
}

void tlb_keep_ggtt(struct engine *e, uint32_t index, uint64_t pte, unsigned int ticket)
{
	pte &= PVC_GGTT_ADDR_MASK | PVC_GGTT_DM | PVC_GGTT_PRESENT;
	if (e && e->ggtt_tlb)
		atomic_store(&e->ggtt_tlb->entry[index],
			     pte | (uint64_t)ticket << GENERATION_SHIFT);
}

static void drop_ggtt(struct engine *e)
{
	struct ggtt_tlb *tlb = e->ggtt_tlb;
	unsigned int now, next;

	if (!tlb)
		return;
	now = atomic_load(&tlb->generation);
	do {
		/* Another thread forgets all entries, and nobody finds one until it has done so. */
		if (now == NO_GENERATION)
			return;
		next = now + 1;
	} while (!atomic_compare_exchange_weak(&tlb->generation, &now, next));
	if (next != NO_GENERATION)
		return;
	/*
	 * The numbers of generations begin anew, when the old entries are gone: engines would find
	 * those of the first generations again.
	 */
	madvise((void *)tlb->entry, GGTT_ENTRIES * sizeof(*tlb->entry), MADV_DONTNEED);
	atomic_store(&tlb->generation, 1);
}

void tlb_invalidate_ggtt(struct tile *t)
{
	for (unsigned int n = 0; n < TILE_MAX_ENGINES; n++)
		drop_ggtt(&t->engines[n]);
	counter_add(&t->cnt.ggtt_invalidations, 1);
	atomic_fetch_add(&t->card->mem_generation, 1);
}

static void fini_ggtt(struct engine *e)
{
	if (!e->ggtt_tlb)
		return;
	munmap((void *)e->ggtt_tlb->entry, GGTT_ENTRIES * sizeof(*e->ggtt_tlb->entry));
	free(e->ggtt_tlb);
	e->ggtt_tlb = NULL;
}

void tlb_fini(struct engine *e)
{
	fini_ggtt(e);
	if (!e->tlb)
		return;
	pthread_mutex_destroy(&e->tlb->lock);
	free(e->tlb);
	e->tlb = NULL;
}

/* A good hash loses few entries: a lost entry hides an invalidation that was forgotten. */
static struct tlb_entry *place(struct tlb *tlb, unsigned int size, uint64_t root, uint64_t va)
{
	uint64_t mixed = ((va >> shifts[size]) ^ root >> 12) * 0x9e3779b97f4a7c15ull;

	return &tlb->entry[size][mixed >> 56];
}

_Static_assert(TLB_ENTRIES == 1 << (64 - 56), "a place is the hash's upper byte");

/* The valid entry for @va, or NULL; lock held. */
static struct tlb_entry *lookup(struct tlb *tlb, unsigned int size, uint64_t root, uint64_t va)
{
	struct tlb_entry *t = place(tlb, size, root, va);

	return t->valid && t->root == root && t->page == va >> shifts[size] ? t : NULL;
}

/* The entry for @va, made valid, for the caller to fill in; lock held. */
static struct tlb_entry *keep(struct tlb *tlb, unsigned int size, uint64_t root, uint64_t va)
{
	struct tlb_entry *t = place(tlb, size, root, va);

	t->valid = true;
	t->root = root;
	t->page = va >> shifts[size];
	return t;
}

bool tlb_find(struct engine *e, uint64_t root, uint64_t va, struct leaf *leaf)
{
	const struct tlb_entry *t = NULL;

	if (!e || !e->tlb)
		return false;
	pthread_mutex_lock(&e->tlb->lock);
	for (unsigned int i = 0; i < NUM_PAGE_SIZES && !t; i++)
		t = lookup(e->tlb, i, root, va);
	if (t)
		*leaf = t->leaf;
	pthread_mutex_unlock(&e->tlb->lock);
	if (t)
		counter_add(&e->cnt.tlb_hits, 1);
	return t;
}

void tlb_keep(struct engine *e, uint64_t root, uint64_t va, const struct leaf *leaf)
{
	if (!e || !e->tlb)
		return;
	pthread_mutex_lock(&e->tlb->lock);
	for (unsigned int i = 0; i < NUM_PAGE_SIZES; i++)
		if (leaf->size == 1ull << shifts[i])
			keep(e->tlb, i, root, va)->leaf = *leaf;
	pthread_mutex_unlock(&e->tlb->lock);
}

bool tlb_find_table(struct engine *e, uint64_t root, uint64_t va, struct table *table)
{
	const struct tlb_entry *t = NULL;

	if (!e || !e->tlb)
		return false;
	pthread_mutex_lock(&e->tlb->lock);
	for (unsigned int i = NUM_PAGE_SIZES; i < NUM_SIZES && !t; i++)
		t = lookup(e->tlb, i, root, va);
	if (t)
		*table = t->table;
	pthread_mutex_unlock(&e->tlb->lock);
	if (t)
		counter_add(&e->cnt.table_hits, 1);
	return t;
}

void tlb_keep_table(struct engine *e, uint64_t root, uint64_t va, const struct table *table)
{
	if (!e || !e->tlb)
		return;
	pthread_mutex_lock(&e->tlb->lock);
	keep(e->tlb, NUM_PAGE_SIZES + table->level, root, va)->table = *table;
	pthread_mutex_unlock(&e->tlb->lock);
}

/* Drop the entries of @root, 0 for all. */
static void drop(struct engine *e, uint64_t root)
{
	drop_ggtt(e);
	if (!e->tlb)
		return;
	pthread_mutex_lock(&e->tlb->lock);
	for (unsigned int i = 0; i < NUM_SIZES; i++)
		for (unsigned int n = 0; n < TLB_ENTRIES; n++)
			if (!root || e->tlb->entry[i][n].root == root)
				e->tlb->entry[i][n].valid = false;
	pthread_mutex_unlock(&e->tlb->lock);
}

void tlb_invalidate(struct engine *e, uint64_t root)
{
	drop(e, root);
	atomic_fetch_add(&e->tile->card->mem_generation, 1);
}

void tlb_invalidate_engine(struct engine *e)
{
	tlb_invalidate(e, 0);
}

void tlb_invalidate_tile(struct tile *t)
{
	for (unsigned int n = 0; n < TILE_MAX_ENGINES; n++)
		drop(&t->engines[n], 0);
	atomic_fetch_add(&t->card->mem_generation, 1);
}
