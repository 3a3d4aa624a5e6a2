/* SPDX-License-Identifier: MIT */
/*
 * What a call is made of: the bytes of its record (bytes.c), and the world that it is made in
 * (world.c).
 */
#ifndef CALLS_H
#define CALLS_H

#include <errno.h>
#include <sys/ioctl.h>

#include "fuzz.h"

/* --- the bytes of a record ------------------------------------------------- */

struct bytes {
	const uint8_t *p;
	unsigned int left;
};

/* One of the numbers that the uAPI header names */
uint64_t known_number(unsigned int n);
uint8_t take(struct bytes *b);
uint32_t take32(struct bytes *b);
/* Mostly a name that was given, now and then one that was not. */
uint32_t pick_id(struct bytes *b, volatile uint32_t *slots);
uint64_t pick_size(struct bytes *b);
uint64_t pick_addr(struct bytes *b);
/* One of the few values an enum has, rarely another. */
uint32_t pick_of(struct bytes *b, unsigned int n);
/* 0, rarely something else: flags that do not exist, pads. */
uint32_t pick_zero(struct bytes *b);
/* A user pointer to @good, rarely a bad one. */
uint64_t pick_pointer(struct bytes *b, const void *good);
uint32_t pick_count(struct bytes *b, unsigned int have);
/* Overwrites a word anywhere in the struct, pads and answers too, now and then. */
void spoil(struct bytes *b, void *args, size_t size);

/* --- the world --------------------------------------------------------------- */

#define BATCHES		(1ull << 30)	/* where the first BO is mapped at first */
#define BATCHES_SIZE	0x10000

#define MI_BATCH_BUFFER_END		(0x0au << 23)

extern char card_path[64];
extern char *files[256];	/* sysfs and debugfs files of the card */
extern unsigned int num_files;

/* Whether what may not be there could be read, or written */
bool touch(volatile uint8_t *p, bool write);

static inline int call(int fd, unsigned long request, void *args)
{
	return ioctl(fd, request, args) < 0 ? -errno : 0;
}

#endif
