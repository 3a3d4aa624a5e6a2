// SPDX-License-Identifier: MIT
/*
 * Translations an engine keeps (--tlb): what a driver changes in its page tables is
 * not seen before it has invalidated them.  Without the option nothing is kept.
 *
 * An entry belongs to a page-table root and holds what the walk has found, never a
 * pointer: the memory behind it is looked up anew.  Missing entries are not kept.
 */
#include <errno.h>
#include <stdlib.h>

#include "blocks.h"

/* Of each size of a page; root and address choose the place. */
#define TLB_ENTRIES	256

static const unsigned int shifts[] = { 12, 16, 21, 30 };

#define NUM_SIZES	(sizeof(shifts) / sizeof(shifts[0]))

struct tlb_entry {
	bool valid;
	uint64_t root, page;
	struct leaf leaf;
};

struct tlb {
	pthread_mutex_t lock;		/* execution units and the host thread */
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

void tlb_fini(struct engine *e)
{
	if (!e->tlb)
		return;
	pthread_mutex_destroy(&e->tlb->lock);
	free(e->tlb);
	e->tlb = NULL;
}

/* Few shall be lost by chance: that would hide what a driver forgot. */
static struct tlb_entry *place(struct tlb *tlb, unsigned int size, uint64_t root, uint64_t va)
{
	uint64_t mixed = ((va >> shifts[size]) ^ root >> 12) * 0x9e3779b97f4a7c15ull;

	return &tlb->entry[size][mixed >> 56];
}

_Static_assert(TLB_ENTRIES == 1 << (64 - 56), "a place is the hash's upper byte");

bool tlb_find(struct engine *e, uint64_t root, uint64_t va, struct leaf *leaf)
{
	bool found = false;

	if (!e || !e->tlb)
		return false;
	pthread_mutex_lock(&e->tlb->lock);
	for (unsigned int i = 0; i < NUM_SIZES && !found; i++) {
		const struct tlb_entry *t = place(e->tlb, i, root, va);

		if (!t->valid || t->root != root || t->page != va >> shifts[i])
			continue;
		*leaf = t->leaf;
		found = true;
	}
	pthread_mutex_unlock(&e->tlb->lock);
	if (found)
		counter_add(&e->cnt.tlb_hits, 1);
	return found;
}

void tlb_keep(struct engine *e, uint64_t root, uint64_t va, const struct leaf *leaf)
{
	if (!e || !e->tlb)
		return;
	pthread_mutex_lock(&e->tlb->lock);
	for (unsigned int i = 0; i < NUM_SIZES; i++) {
		if (leaf->size != 1ull << shifts[i])
			continue;
		*place(e->tlb, i, root, va) = (struct tlb_entry) {
			.valid = true, .root = root, .page = va >> shifts[i], .leaf = *leaf,
		};
	}
	pthread_mutex_unlock(&e->tlb->lock);
}

/* @root: of these entries alone, 0 for all */
static void drop(struct engine *e, uint64_t root)
{
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
