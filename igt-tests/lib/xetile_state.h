/* SPDX-License-Identifier: MIT */
/* Registers of the command streamer that belong to a context: batches write and store them. */
#ifndef XETILE_STATE_H
#define XETILE_STATE_H

#include "xetile_job.h"

/* Dwords of them */
#define STATE_DWORDS	38
/* Dwords between those of two tiles, and bytes between the batches that store them */
#define STATE_SPACE	64
#define STATE_BATCH	0x800u

/* Loads one register at @offset from the engine's base. */
void batch_load_reg(struct xetile_batch *b, uint32_t offset, uint32_t value);
/* Loads all of them; no two with the same value, and none of another @mark's. @mark < 0xffff */
void batch_mark_state(struct xetile_batch *b, uint32_t mark);
/* Stores all of them from @addr on. */
void batch_store_state(struct xetile_batch *b, uint64_t addr);

/* Returns how many of them have what batch_mark_state() has loaded. */
unsigned int state_marked(const volatile uint32_t *state, uint32_t mark);
/* Asserts that all of them are the same in both. */
void state_check_same(const volatile uint32_t *a, const volatile uint32_t *b);

/*
 * Submits, in buffer @batch of @j at @offset, a batch that marks the registers, says so in dword
 * @word of the data, and waits for dword 64 to become 1. Returns the syncobj of its fence.
 */
uint32_t state_start_marker(struct job *j, uint32_t offset, uint32_t mark, unsigned int word);
/*
 * Submits a batch that stores the registers from dword @word of the data on; as above. Those of
 * tile n of a queue of all tiles begin n * STATE_SPACE dwords later, and the tile's batch begins
 * n * STATE_BATCH bytes later.
 */
uint32_t state_start_reader(struct job *j, uint32_t offset, unsigned int word);
/* Submits one batch for each of @num tiles. Returns the syncobj of their fence. */
uint32_t state_start_each(struct job *j, const struct xetile_batch *batches, unsigned int num);
/* Waits for a fence, and returns its status: 1 or -errno. */
int state_end(struct job *j, uint32_t syncobj);

#endif
