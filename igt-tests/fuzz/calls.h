/* SPDX-License-Identifier: MIT */
/*
 * The parts of a call: the bytes of its record (bytes.c), and the world in which it is made
 * (world.c)
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

/* Returns one of the numbers that the uAPI header names. */
uint64_t known_number(unsigned int n);
uint8_t take(struct bytes *b);
uint32_t take32(struct bytes *b);
/* Mostly returns an id that a call returned, sometimes another one. */
uint32_t pick_id(struct bytes *b, volatile uint32_t *slots);
uint64_t pick_size(struct bytes *b);
uint64_t pick_addr(struct bytes *b);
/* Mostly returns one of the @n values of an enum, rarely another one. */
uint32_t pick_of(struct bytes *b, unsigned int n);
/* Returns 0, rarely another value: for flags that do not exist, and for pads. */
uint32_t pick_zero(struct bytes *b);
/* Returns a user pointer to @good, rarely a bad one. */
uint64_t pick_pointer(struct bytes *b, const void *good);
uint32_t pick_count(struct bytes *b, unsigned int have);
/* Sometimes overwrites a word of the struct, which may be a pad or an answer. */
void spoil(struct bytes *b, void *args, size_t size);

/* --- the world --------------------------------------------------------------- */

#define BATCHES		(1ull << 30)	/* address of the first BO when an input begins */
#define BATCHES_SIZE	0x10000

#define MI_BATCH_BUFFER_END		(0x0au << 23)

extern char card_path[64];
extern char *files[256];	/* the card's files in sysfs and debugfs */
extern unsigned int num_files;

/* Reads or writes a byte that may not be accessible. Returns whether the access succeeded. */
bool touch(volatile uint8_t *p, bool write);

/* A call of the xe driver (xe.c) */
int do_xe(struct world *w, struct bytes *b);

static inline int call(int fd, unsigned long request, void *args)
{
	return ioctl(fd, request, args) < 0 ? -errno : 0;
}

#endif
