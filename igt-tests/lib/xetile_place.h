/* SPDX-License-Identifier: MIT */
/*
 * A VM with a queue on tile 0 whose batch can be held, and buffers on a chosen tile: the common
 * ground of the tests of memory in use.
 */
#ifndef XETILE_PLACE_H
#define XETILE_PLACE_H

#include "xetile_igt.h"

#define PAGE		SZ_64K
#define MAX_RUNS	4096u
#define GO		1024u		/* dword of ctl that releases the held batch */

/* A VM with a compute queue on tile 0, and a buffer for batches and words */
struct place {
	int fd;
	uint32_t vm, queue;
	struct xetile_buf ctl;
	uint32_t held;		/* syncobj of the held batch */
};

void place_init(struct place *p, int fd);
void place_fini(struct place *p);
/* Starts a batch that runs until place_let_go(): every buffer mapped in the VM is busy. */
void place_hold(struct place *p);
/* Releases the batch; asserts that it ends within 20 seconds, without an error. */
void place_let_go(struct place *p);
/* Runs a batch that stores a dword; asserts that it ends without an error. */
void place_store(struct place *p, uint64_t addr, uint32_t value);

/* Skips the test unless system memory has room for all that a tile may evict. */
void require_room_elsewhere(const struct xetile_card *card);
/* Returns the color pages of @bo on @tile, which may be the number for system memory. */
uint64_t pages_on(int fd, uint32_t bo, uint32_t tile);
/*
 * paint() writes words that depend on @seed to each page of @bo. check_paint() asserts that the
 * words are there, except the buffer's first dword.
 */
void paint(int fd, uint32_t bo, uint64_t size, uint32_t seed);
void check_paint(int fd, uint32_t bo, uint64_t size, uint32_t seed);
/* Creates a BO of @size bytes that prefers @tile; @bo becomes its handle. 0 or -errno. */
int try_tile(int fd, uint64_t size, uint32_t tile, uint32_t flags, uint32_t placement,
	     uint32_t *bo);
/* Creates a BO of @size bytes in the HBM of @tile and nowhere else. Returns its handle. */
uint32_t strict_on(int fd, uint64_t size, uint32_t tile);
/* Returns @percent of the HBM of tile 0, rounded down to whole color pages, in bytes. */
uint64_t part_of_tile(const struct xetile_card *card, unsigned int percent);
/* Returns the bytes of HBM of tile 0 that are free. */
uint64_t hbm_free(int fd);
/*
 * Takes all of tile 0 that is free and @more bytes that others have. Page tables leave free pieces
 * that are smaller than a color page. A buffer has no use for them, so others must have some color
 * pages more than @more. Returns the handle of the buffer.
 */
uint32_t take_free_and_more(int fd, uint64_t more);
/* Returns how many passes the driver's own copies have made so far. */
uint64_t xetile_copy_passes(int fd);

#endif
