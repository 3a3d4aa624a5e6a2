/* SPDX-License-Identifier: MIT */
/*
 * A VM with a queue on tile 0 whose batch can be held, and buffers that lie on a tile: what
 * tests of memory under work begin with.
 */
#ifndef XETILE_PLACE_H
#define XETILE_PLACE_H

#include "xetile_igt.h"

#define PAGE		SZ_64K
#define BATCH_ADDR	0x10000000ull
/* Nothing is mapped from here on: it is the test's. */
#define DATA_ADDR	0x4000000000ull
#define MAX_RUNS	4096u
#define GO		1024u		/* dword of the control buffer that lets a batch go on */

/* A VM with a queue on tile 0, and a buffer for batches and words */
struct place {
	int fd;
	uint32_t vm, queue;
	struct xetile_buf ctl;
	uint32_t held;		/* syncobj of the batch that is held */
};

void place_init(struct place *p, int fd);
void place_fini(struct place *p);
/* Start a batch that runs until place_let_go(): all that is mapped is busy */
void place_hold(struct place *p);
void place_let_go(struct place *p);
/* A batch that stores a dword, and its end */
void place_store(struct place *p, uint64_t addr, uint32_t value);

/* Skips where what is evicted of a tile has nowhere to go. */
void require_room_elsewhere(const struct xetile_card *card);
/* Pages of @bo on @tile, or in system memory */
uint64_t pages_on(int fd, uint32_t bo, uint32_t tile);
/* Writes to each page of @bo what check_paint() asserts is there, but for the first dword. */
void paint(int fd, uint32_t bo, uint64_t size, uint32_t seed);
void check_paint(int fd, uint32_t bo, uint64_t size, uint32_t seed);
/* 0 and a new BO, or -errno */
int try_tile(int fd, uint64_t size, uint32_t tile, uint32_t flags, uint32_t placement,
	     uint32_t *bo);
/* A new BO that is on @tile or nowhere */
uint32_t strict_on(int fd, uint64_t size, uint32_t tile);
/* Bytes of whole pages */
uint64_t part_of_tile(const struct xetile_card *card, unsigned int percent);
/* Bytes of tile 0 */
uint64_t hbm_free(int fd);
/* Of the kernel's own copies */
uint64_t xetile_copy_passes(int fd);

#endif
