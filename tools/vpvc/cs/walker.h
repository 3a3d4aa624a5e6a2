/* SPDX-License-Identifier: MIT */
/*
 * Arithmetic of COMPUTE_WALKER: the groups of a partition, and how they are cut into
 * boxes that follow the walk order.
 */
#ifndef VPVC_WALKER_H
#define VPVC_WALKER_H

#include <stdbool.h>
#include <stdint.h>

struct walker_box {
	uint32_t start[3], end[3];	/* end: group id after the last */
};

/*
 * Cut @box to the groups of partition @id, that is those with
 * id * size <= group < (id + 1) * size along @type (PVC_COMPUTE_WALKER_PARTITION_*).
 */
void walker_partition(struct walker_box *box, unsigned int type, uint32_t id, uint32_t size);

/* Groups in a box. */
uint64_t walker_groups(const struct walker_box *box);

/*
 * Set @out to the next box of @all: it begins with group number @done in walk order @order
 * (0..5), has no earlier group, and has at most @max groups but at least one. @done must
 * be below walker_groups(). False: no such order.
 */
bool walker_next(const struct walker_box *all, unsigned int order, uint64_t done, uint64_t max,
		 struct walker_box *out);

/* Bytes of an SLM size code, or -1. */
int walker_slm_bytes(unsigned int code);

#endif
