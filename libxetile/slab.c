// SPDX-License-Identifier: MIT
/*
 * Slabs: each is a pool whose pages have the color of its objects from the start, so that no page
 * moves, and no work is waited for, when an object is taken. Objects on one tile share slabs,
 * whatever their sizes. Those on several tiles share them with objects of the same runs.
 */
#include "slab.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "coloring.h"
#include "error.h"
#include "memory.h"
#include "pool.h"
#include "util.h"

#define SLAB_BYTES	(2u << 20)
#define SLAB_PAGES	(SLAB_BYTES / XETILE_COLOR_PAGE)
#define MOST_BYTES	(SLAB_BYTES / 2)	/* of an object */
#define MOST_PAGES	(SLAB_PAGES / 2)
/* Objects without a color do not share lines of the CPU's caches. */
#define LINE		64u

/* What the objects of a slab have in common */
struct kind {
	uint32_t flags;
	bool cpu, migrates;
	unsigned int num_runs;			/* 0: no color */
	struct xetile_run runs[MOST_PAGES];	/* of an object; if it is one, the length is 0 */
};

struct xt_slab {
	struct xt_slab *next, **link;	/* in the list of those with room; else NULL */
	struct kind kind;
	struct xetile_pool pool;
	uint64_t unit;			/* bytes of an object, or of the smallest one */
	uint64_t used;
};

void xt_slabs_init(struct xt_slabs *slabs)
{
	pthread_mutex_init(&slabs->lock, NULL);
}

static void link_slab(struct xt_slab **link, struct xt_slab *slab)
{
	slab->link = link;
	slab->next = *link;
	if (slab->next)
		slab->next->link = &slab->next;
	*link = slab;
}

static void unlink_slab(struct xt_slab *slab)
{
	*slab->link = slab->next;
	if (slab->next)
		slab->next->link = slab->link;
	slab->link = NULL;
}

static void destroy(struct xt_slab *slab)
{
	struct xetile_mem *block = slab->pool.mem;

	xt_pool_fini(&slab->pool);
	xt_block_destroy(block);
	free(slab);
}

void xt_slabs_fini(struct xt_slabs *slabs)
{
	if (slabs->empty)
		destroy(slabs->empty);
	pthread_mutex_destroy(&slabs->lock);
}

/* --- kinds -------------------------------------------------------------------------------- */

/* Returns 1, 0 when slabs are not for such objects, or an errno with an error text. */
static int find_kind(const struct xetile_context *context, const struct xetile_device *device,
		     const struct xt_block_desc *desc, struct kind *kind)
{
	uint64_t pages = xt_align(desc->mem.size, XETILE_COLOR_PAGE) / XETILE_COLOR_PAGE;
	int num;

	*kind = (struct kind) { .flags = desc->mem.flags, .cpu = desc->cpu, .migrates = desc->migrates };
	if (!desc->mem.size || desc->mem.size > MOST_BYTES || desc->align > SLAB_BYTES)
		return 0;
	if (desc->mem.flags & XETILE_MEM_SYSTEM)
		return desc->mem.color == XETILE_COLOR_DEFAULT;
	if (desc->mem.color == XETILE_COLOR_REPLICATE ||
	    desc->mem.flags & XETILE_MEM_LEAST_OCCUPIED ||
	    (!desc->migrates && !xt_can_recolor(context)))
		return 0;
	num = xt_color_runs(context, device, &desc->mem, pages, kind->runs, MOST_PAGES);
	if (num <= 0)
		return num;
	if (num == 1)
		kind->runs[0].pages = 0;
	kind->num_runs = num;
	return 1;
}

static bool same_kind(const struct kind *a, const struct kind *b)
{
	return a->flags == b->flags && a->cpu == b->cpu && a->migrates == b->migrates &&
	       a->num_runs == b->num_runs &&
	       !memcmp(a->runs, b->runs, a->num_runs * sizeof(a->runs[0]));
}

/* The runs of as many objects as there is room for. What is left lies beside the last object. */
static unsigned int slab_runs(const struct kind *kind, struct xetile_run runs[SLAB_PAGES])
{
	uint32_t pages = 0, object = 0;
	unsigned int i, num = 0;

	for (i = 0; i < kind->num_runs; i++)
		object += kind->runs[i].pages;
	while (object && pages + object <= SLAB_PAGES) {
		memcpy(&runs[num], kind->runs, kind->num_runs * sizeof(*runs));
		num += kind->num_runs;
		pages += object;
	}
	if (!object)
		runs[num++] = kind->runs[0];
	runs[num - 1].pages += SLAB_PAGES - pages;
	return num;
}

static uint64_t kind_unit(const struct kind *kind)
{
	uint32_t pages = 0;
	unsigned int i;

	if (!kind->num_runs)
		return LINE;
	for (i = 0; i < kind->num_runs; i++)
		pages += kind->runs[i].pages;
	return (uint64_t)(pages ? pages : 1) * XETILE_COLOR_PAGE;
}

/* --- objects ------------------------------------------------------------------------------ */

static int create(struct xetile_context *context, struct xetile_device *device,
		  const struct kind *kind, struct xt_slab **out)
{
	struct xt_block_desc desc = {
		.mem = { .size = SLAB_BYTES, .flags = kind->flags },
		.cpu = kind->cpu, .migrates = kind->migrates,
	};
	struct xt_slab *slab = calloc(1, sizeof(*slab));
	struct xetile_run runs[SLAB_PAGES];
	struct xetile_mem *block;
	int err;

	if (!slab)
		return xt_error(-ENOMEM, "out of memory");
	slab->kind = *kind;
	slab->unit = kind_unit(kind);
	if (kind->num_runs) {
		desc.mem.color = XETILE_COLOR_MAP;
		desc.mem.num_runs = slab_runs(kind, runs);
		desc.mem.runs = runs;
	}
	err = xt_block_create(context, device, &desc, &block);
	if (err)
		goto err_free;
	err = xt_pool_init(&slab->pool, block);
	if (err)
		goto err_block;
	*out = slab;
	return 0;

err_block:
	xt_block_destroy(block);
err_free:
	free(slab);
	return err;
}

static int take(struct xt_slabs *slabs, struct xt_slab *slab, const struct xt_block_desc *desc,
		struct xetile_mem **out)
{
	uint64_t least = slab->kind.num_runs ? XETILE_COLOR_PAGE : LINE;
	uint64_t size = xt_align(desc->mem.size, least);
	int err;

	err = xt_pool_take(&slab->pool, size, desc->align > least ? desc->align : least, out);
	if (err)
		return err;
	slab->used += size;
	if (slabs->empty == slab)
		slabs->empty = NULL;
	if (SLAB_BYTES - slab->used < slab->unit)
		unlink_slab(slab);
	return 0;
}

static int take_any(struct xt_slabs *slabs, struct xetile_context *context,
		    struct xetile_device *device, const struct xt_block_desc *desc,
		    const struct kind *kind, struct xt_slab **out, struct xetile_mem **object)
{
	struct xt_slab *slab, **link;
	int err = -ENOSPC;

	/* Older slabs come first, so that small objects fill what large ones leave. */
	for (link = &slabs->first; (slab = *link); link = &slab->next) {
		if (!same_kind(&slab->kind, kind))
			continue;
		err = take(slabs, slab, desc, object);
		if (err != -ENOSPC)
			break;
	}
	if (!slab) {
		err = create(context, device, kind, &slab);
		if (err)
			return err;
		link_slab(link, slab);
		err = take(slabs, slab, desc, object);
		if (err) {
			unlink_slab(slab);
			destroy(slab);
		}
	}
	if (!err)
		*out = slab;
	return err;
}

/* The pages lie so already, unless the object's predecessor had been recolored. */
static int set_color(struct xetile_mem *object, struct xetile_device *device,
		     const struct kind *kind, const struct xetile_mem_desc *desc)
{
	struct xetile_mem_range range = { .desc = *desc };

	if (kind->migrates)
		return xt_color_note(object, device, desc);
	range.desc.size = object->size;
	range.desc.flags = 0;
	return xt_recolor(object, device, &range, 1);
}

int xt_slab_alloc(struct xt_slabs *slabs, struct xetile_context *context,
		  struct xetile_device *device, const struct xt_block_desc *desc,
		  struct xt_slab **slab, struct xetile_mem **out)
{
	struct kind kind;
	int err;

	*slab = NULL;
	err = find_kind(context, device, desc, &kind);
	if (err <= 0)
		return err;
	pthread_mutex_lock(&slabs->lock);
	err = take_any(slabs, context, device, desc, &kind, slab, out);
	pthread_mutex_unlock(&slabs->lock);
	if (err || !kind.num_runs)
		return err;
	err = set_color(*out, device, &kind, &desc->mem);
	if (err)
		xt_slab_free(slabs, *slab, *out);
	return err;
}

void xt_slab_free(struct xt_slabs *slabs, struct xt_slab *slab, struct xetile_mem *object)
{
	struct xt_slab *surplus = NULL;

	pthread_mutex_lock(&slabs->lock);
	slab->used -= object->size;
	xetile_mem_free(object);
	if (!slab->link)
		link_slab(&slabs->first, slab);
	if (!slab->used) {
		surplus = slabs->empty;
		slabs->empty = slab;
	}
	if (surplus)
		unlink_slab(surplus);
	pthread_mutex_unlock(&slabs->lock);
	if (surplus)
		destroy(surplus);
}
