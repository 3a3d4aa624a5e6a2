/* SPDX-License-Identifier: MIT */
/* Calls that operations are made of. Each ends the program with a message when it fails. */
#ifndef BENCH_CALLS_H
#define BENCH_CALLS_H

#include "bench.h"

#define KIB		1024ull
#define MIB		(1024 * KIB)
#define GIB		(1024 * MIB)
#define PAGE		4096ull
#define BATCH_ADDR	(1 * GIB)

void open_node(struct state *s);
void close_node(struct state *s);
void gem_close(int fd, uint32_t handle);
uint32_t syncobj_create(int fd);
void syncobj_destroy(int fd, uint32_t handle);
void syncobj_wait(int fd, const uint32_t *handles, unsigned int num);
int prime_export(int fd, uint32_t handle);
uint32_t prime_import(int fd, int buffer);
void *map_bo(struct state *s, uint32_t bo, uint64_t size);

/* Open the node, and make a VM with an empty batch at BATCH_ADDR. */
void setup_batch(struct state *s);

/* Write the card's address to the driver's file "bind" or "unbind". */
void tell_driver(const struct state *s, const char *file);

/* Make the card slow, or as fast as before: for .before and .after of an operation */
void slow_card(struct state *s);
void normal_card(struct state *s);

#endif
