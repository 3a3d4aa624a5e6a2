/* SPDX-License-Identifier: MIT */
/* Buffers that move on access, and where their pages are. */
#ifndef XETILE_MANAGED_H
#define XETILE_MANAGED_H

#include "xetile_place.h"

#define RANGE		((uint64_t)DRM_XETILE_MIGRATE_RANGE)
#define WORDS		(RANGE / 4)
#define BOTH		(DRM_XETILE_PLACE_HBM | DRM_XETILE_PLACE_SYSTEM)
#define SYSTEM		DRM_XETILE_MEM_SYSTEM
#define ADDR		0x8000000000ull
/* A page that belongs to a range in system memory */
#define AWAY		'-'

/* A VM with a queue, and a buffer that moves on access, which both sides map */
struct managed {
	const struct xetile_card *card;
	struct place p;
	uint32_t bo;
	uint64_t size;
	uint32_t *map;
};

/* Creates a buffer that moves on access; @bo becomes its handle. 0 or -errno. */
int managed_try(int fd, uint32_t vm, uint64_t size, uint32_t color, uint32_t mask, uint32_t *bo);
void managed_init(struct managed *m, const struct xetile_card *card, uint64_t size,
		  uint32_t color, uint32_t mask);
/* On the last tile, which no default chooses */
void managed_init_last(struct managed *m, const struct xetile_card *card, uint64_t size);
void managed_fini(struct managed *m);
/* A letter a color page: the number of its tile, or AWAY. The caller frees it. */
char *managed_where(const struct managed *m);
/* Asserts that the ranges of the mask @away, and no others, are in system memory. */
void managed_check_away(const struct managed *m, uint64_t away, const char *home);
/* Word @i of the buffer as managed_fill() writes it */
uint32_t managed_word(uint64_t i, uint32_t round);
/* The CPU writes all of a range, or asserts that the words of @round are there. */
void managed_fill(const struct managed *m, uint64_t range, uint32_t round);
void managed_check_filled(const struct managed *m, uint64_t range, uint32_t round);
/* Runs a job that uses no word of the buffer. */
void managed_run(struct managed *m);
/* The GPU copies range @from to range @to. */
void managed_copy(struct managed *m, uint64_t from, uint64_t to);
/* The CPU reads the first word of a range. */
uint32_t managed_touch(const struct managed *m, uint64_t range);

#endif
