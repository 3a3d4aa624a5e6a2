/* SPDX-License-Identifier: MIT */
/* Memory of the process in a VM of struct place, by MAP_USER, and batches that write there */
#ifndef XETILE_USER_MEMORY_H
#define XETILE_USER_MEMORY_H

#include "xetile_place.h"

/* Where the tests map memory */
#define AT		DATA_ADDR

/* VM_BIND of MAP_USER. Returns 0 or -errno. */
int try_user(int fd, uint32_t vm, uint64_t addr, const void *ptr, uint64_t size, uint32_t flags);
/* The same; asserts that it succeeds. */
void map_user(struct place *s, uint64_t addr, const void *ptr, uint64_t size, uint32_t flags);
/* Returns new private memory, all zero. */
uint32_t *anon(uint64_t size);
/*
 * Returns a file in memory: its pages can be looked at whether they are mapped elsewhere or not.
 */
int make_file(uint64_t size);
/* Maps a file, at the address @at or anywhere. */
volatile uint32_t *map_file(int file, void *at, uint64_t offset, uint64_t size);
/*
 * EXEC of a batch that stores @value to @addr; the syncobj of its fence goes to @done. Returns 0 or
 * -errno.
 */
int try_store(struct place *s, uint64_t addr, uint32_t value, uint32_t *done);
/* Asserts that the GPU cannot have a page: no batch is submitted. */
void check_fault(struct place *s);

/* A batch on a queue of its own that waits for word GO of ctl, then stores to an address */
struct held {
	struct place *s;
	uint32_t queue, done;
};

/* Returns when the batch runs. It may take @timeout_ms of engine time. */
struct held hold_store(struct place *s, uint64_t addr, uint32_t value, uint32_t timeout_ms);
/* Asserts that the batch ends within a minute. Returns the status of its fence: 1 or -errno. */
int held_end(struct held *h);
/* Creates another compute queue on tile 0 in the VM. @timeout_ms: 0: the usual time */
uint32_t user_queue(struct place *s, uint32_t timeout_ms);
/*
 * EXEC on @queue of a batch that waits for the fence of the syncobj @in, then stores to AT; its
 * fence goes to the syncobj @done, which is returned.
 */
uint32_t store_after(struct place *s, uint32_t queue, uint32_t in, uint32_t done);
/* Skips the test if the kernel gives a driver no memory of processes. */
void require_user(const struct xetile_card *card);

#endif
