/* SPDX-License-Identifier: MIT */
/*
 * Batches: the commands of launches, copies and fills. launch.c and copy.c write them into a slot
 * of a queue. The functions are pure: each writes to the memory that its caller names, and none
 * can fail.
 */
#ifndef _XETILE_BATCH_H_
#define _XETILE_BATCH_H_

#include <stdbool.h>
#include <stdint.h>

#include "xetile.h"

struct xt_dispatch;
struct xt_kernel_desc;
struct xt_split;

#define XT_BATCH_BYTES		4096	/* room for the commands and states of a launch */
#define XT_BATCH_STATES		3968	/* offset of two surface states, for scratch */
#define XT_BATCH_TIMES		3952	/* offset of the stamps of times.h */
#define XT_BATCH_PREFETCH	1024	/* the parser reads ahead that far */
#define XT_BATCH_WALKERS	16	/* that it has room for */
#define XT_BATCH_CALL		512	/* room for a call, in front of its times */
#define XT_BATCH_MAX_PITCH	0x40000	/* of rows for which one command is enough */

/* Addresses of the parts of a batch for one tile */
struct xt_batch_place {
	uint64_t base;			/* of general state; the batch starts here */
	uint32_t indirect;		/* offset of the indirect data */
	uint64_t image;			/* base of instructions */
	uint64_t scratch[2];		/* memory of the hardware threads, by slot */
	uint64_t private_base;
	uint64_t fence;			/* for the fence behind the work, a page */
	uint64_t times;			/* of struct xt_stamps; 0: none is stored */
	const struct xt_split *split;	/* NULL: that of the dispatch */
	uint32_t tile;			/* of the split */
};

/* Rows of bytes: addresses of the first ones; no pitch is less than the width */
struct xt_batch_rect {
	uint64_t dst, dst_pitch;
	uint64_t src, src_pitch;
	uint64_t width, rows;
};

/* What a batch of copies ends with */
struct xt_batch_end {
	uint64_t fence;			/* as above */
	bool nowhere;			/* the driver maps DRM_XETILE_VA_NOWHERE: since 1.1 */
};

/* How the tiles of a graph wait for each other: each has a page in which the others store words. */
struct xt_batch_meeting {
	uint64_t pages[XETILE_MAX_TILES];	/* addresses */
	unsigned int num, self;		/* tiles, and which of them this one is */
};

/* A call of the commands of a graph */
struct xt_batch_call {
	uint64_t commands;		/* address */
	uint64_t times;			/* of struct xt_stamps; 0: none is stored */
	uint64_t fence;			/* as above */
	uint32_t number;		/* of the call; the one before had another */
	const struct xt_batch_meeting *meeting;	/* NULL: nobody waits */
};

/* Each function that writes commands returns the number of dwords at @dw. */
/* Bytes that the commands of so many walkers take beyond XT_BATCH_BYTES */
uint32_t xt_batch_more(unsigned int walkers);
/* A launch, without an end */
unsigned int xt_batch_launch(uint32_t *dw, const struct xt_kernel_desc *k,
			     const struct xt_dispatch *d, const struct xt_batch_place *place);
/* Write the end of a batch behind @num dwords. Returns the number of all of them. */
unsigned int xt_batch_end(uint32_t *dw, unsigned int num);
/*
 * Go on at @next in place of an end. With a @meeting, when all tiles are there; each meeting
 * between two calls has a higher @number than the one before, from 1.
 */
unsigned int xt_batch_next(uint32_t *dw, uint64_t next, const struct xt_batch_meeting *meeting,
			   uint32_t number);
/* Call commands that are in other memory and come back at their end. This one is a whole batch. */
unsigned int xt_batch_call(uint32_t *dw, const struct xt_batch_call *call);
/* Write the surface states that a part has at XT_BATCH_STATES and what the dispatch has more. */
void xt_batch_states(uint32_t *to, const struct xt_kernel_desc *k,
		     const struct xt_dispatch *d, const struct xt_batch_place *place);
/* Bytes that a hardware thread's slice of scratch takes when the thread needs @size. */
uint32_t xt_batch_scratch_pitch(uint32_t size);
/* Bytes that the commands of a copy or fill of @size bytes take. */
uint64_t xt_batch_copy_bytes(uint64_t size);
unsigned int xt_batch_copy(uint32_t *dw, uint64_t dst, uint64_t src, uint64_t size,
			   const struct xt_batch_end *end);
/* The same of rows. */
uint64_t xt_batch_rect_bytes(const struct xt_batch_rect *rect);
unsigned int xt_batch_rect(uint32_t *dw, const struct xt_batch_rect *rect,
			   const struct xt_batch_end *end);
unsigned int xt_batch_fill(uint32_t *dw, uint64_t dst, uint64_t size, uint8_t value,
			   const struct xt_batch_end *end);

#endif
