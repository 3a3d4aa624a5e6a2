/* SPDX-License-Identifier: MIT */
/*
 * Buffers beside a model of them, in which each page has a tile and a content. The model of a
 * buffer is in memory that all processes of a test share, so that each of them can use the buffer.
 */
#ifndef XETILE_TRUTH_H
#define XETILE_TRUTH_H

#include <pthread.h>

#include "xetile_recolor.h"

/* The most pages of a buffer, with all its copies */
#define TRUTH_PAGES		48u
/* The pages that one step writes at most */
#define TRUTH_WRITE		4u
/* Addresses between two buffers of a client */
#define TRUTH_ROOM		(64 * PAGE)

/* The model of a buffer. Whoever uses the buffer holds the lock until all is compared. */
struct truth {
	pthread_mutex_t lock;
	uint32_t refs;			/* clients that have a handle */
	uint32_t number;		/* for messages */
	uint32_t flags, placement, pages;
	uint32_t copies;		/* tiles with a copy of all pages; 0: there is one for all */
	bool sent;			/* to another client */
	uint32_t tile[TRUTH_PAGES];	/* copies follow each other, here and in .seed */
	uint32_t seed[TRUTH_PAGES];	/* of the page's words; 0: all are zero */
};

/* A client's handle of a buffer */
struct view {
	struct truth *t;
	uint32_t handle;
	uint32_t *map;
	uint64_t addr;			/* of TRUTH_ROOM bytes */
	bool bound;
	uint32_t turn;			/* the page of the buffer that is mapped at @addr */
	uint64_t used;			/* the client's clock when it was bound */
};

/* A client: a file, a VM and its queues, and memory that its copies go to and come from */
struct truth_client {
	const struct xetile_card *card;
	struct place place;
	uint32_t copy[DRM_XETILE_MAX_TILES];	/* a copy queue on each tile */
	uint32_t compute[DRM_XETILE_MAX_TILES];	/* a compute queue on each tile */
	struct xetile_buf stage;		/* TRUTH_PAGES pages of system memory */
	uint32_t *user;				/* TRUTH_WRITE pages of the process, or NULL */
	uint64_t salt;				/* chooses the words that are compared */
	uint32_t seeds;				/* the last seed of a page */
};

/* Where a buffer may lie now */
enum truth_where {
	/* Where its color says */
	TRUTH_EXACT,
	/* Where its color says, or all of it in system memory */
	TRUTH_EVICTED,
	/* The same; without STRICT any page may lie on another tile */
	TRUTH_SPILLED,
	/* In HBM if its placement is HBM alone; without STRICT any page on any tile */
	TRUTH_RESIDENT,
};

/* @first is the first seed of the client's pages: no other client's may be near. */
void truth_client_init(struct truth_client *c, const struct xetile_card *card, int fd,
		       uint32_t first);
void truth_client_fini(struct truth_client *c);
/*
 * Gives the VM and its queues up while a job runs, and goes on with new ones. @views: all @num
 * views of the client; none is bound then.
 */
void truth_client_renew(struct truth_client *c, struct view *views, unsigned int num);

/* Returns the pages of a buffer with all its copies. */
uint32_t truth_all_pages(const struct truth *t);

/* Creates a buffer with one color for all pages; @t gets its model, @v a handle. */
void truth_create(struct truth_client *c, struct view *v, struct truth *t,
		  const struct drm_xetile_bo_range *color, uint32_t flags, uint32_t placement);
/* Takes the buffer that another client has sent as @file, which is closed. */
void truth_take(struct truth_client *c, struct view *v, struct truth *t, int file);
/* Unmaps the buffer and gives the handle up. */
void truth_close(struct truth_client *c, struct view *v);
/*
 * Gives the handle up while a job runs; the buffer must be bound. The VM has the buffer until it
 * is unmapped: a copy engine of @tile reads it meanwhile.
 */
void truth_close_busy(struct truth_client *c, struct view *v, uint32_t tile);
/* Maps the buffer in the VM, so that page @turn comes first, and the others follow in a circle. */
void truth_bind(struct truth_client *c, struct view *v, uint32_t turn);
void truth_unbind(struct truth_client *c, struct view *v);

/* Recolors ranges, and the model. A buffer with copies is refused, and stays as it is. */
void truth_recolor(struct truth_client *c, struct view *v,
		   const struct drm_xetile_bo_range *ranges, uint32_t num);
/* New content for pages from @page on, of any copies, by the CPU */
void truth_write_cpu(struct truth_client *c, struct view *v, uint32_t page, uint32_t num);
/*
 * The same by a copy engine of @tile, in the tile's own copy: from system memory, or from memory
 * of the process
 */
void truth_write_gpu(struct truth_client *c, struct view *v, uint32_t page, uint32_t num,
		     uint32_t tile, bool user);
/* Copies pages of @from to pages of @to, both of the tile's own copies. */
void truth_copy(struct truth_client *c, struct view *to, uint32_t page, struct view *from,
		uint32_t source, uint32_t num, uint32_t tile);

/* Each of these asserts that the buffer is as the model says. */
void truth_check_place(struct truth_client *c, struct view *v, enum truth_where where);
void truth_check_cpu(struct truth_client *c, struct view *v);
/* By a copy of all pages, those that @tile uses, to system memory; the buffer must be bound. */
void truth_check_gpu(struct truth_client *c, struct view *v, uint32_t tile);
/* By a copy of a few pages to memory of the process */
void truth_check_user(struct truth_client *c, struct view *v, uint32_t page, uint32_t num,
		      uint32_t tile);
/*
 * Compares the tiles of the pages with what the card itself counts, while nobody else copies: how
 * much a copy engine of @tile reads from its own and from other HBM. The buffer must be bound, and
 * lie where its color says after a job.
 */
void truth_check_card(struct truth_client *c, struct view *v, uint32_t tile);
/*
 * Asks the card for the leaves by which @tile finds the buffer, which must be bound and in HBM,
 * while nobody else computes. Each must be the largest that the addresses and the places of the
 * pages in HBM allow. (Which places these are is the driver's choice: a recolor leaves pages that
 * lie on the right tile where they are, and other buffers may have left no 2 MiB in one piece.)
 * Returns the number of leaves of 2 MiB.
 */
unsigned int truth_check_leaves(struct truth_client *c, struct view *v, uint32_t tile);

#endif
