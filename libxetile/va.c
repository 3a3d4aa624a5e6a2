// SPDX-License-Identifier: MIT
/*
 * The address space of a context: a list of holes in the order of addresses. An allocation takes
 * the first hole that is large enough. A list is fast enough, because a context has few buffers:
 * queues use their slots again.
 */
#include "va.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "error.h"
#include "util.h"

struct xt_va_hole {
	struct xt_va_hole *next;
	uint64_t start, end;
};

static struct xt_va_hole *hole_new(uint64_t start, uint64_t end, struct xt_va_hole *next)
{
	struct xt_va_hole *hole = malloc(sizeof(*hole));

	if (hole)
		*hole = (struct xt_va_hole){ next, start, end };
	return hole;
}

int xt_va_init(struct xt_va *va, uint64_t start, uint64_t end)
{
	if (start >= end)
		return xt_error(-EINVAL, "the card's address space is empty");
	va->low = start;
	va->holes = hole_new(start, end, NULL);
	return va->holes ? 0 : xt_error(-ENOMEM, "out of memory");
}

void xt_va_fini(struct xt_va *va)
{
	struct xt_va_hole *hole, *next;

	for (hole = va->holes; hole; hole = next) {
		next = hole->next;
		free(hole);
	}
	va->holes = NULL;
}

/* Cut a range out of a hole that has it. */
static int cut(struct xt_va_hole **link, uint64_t start, uint64_t end)
{
	struct xt_va_hole *hole = *link, *rest;

	if (start > hole->start && end < hole->end) {
		rest = hole_new(end, hole->end, hole->next);
		if (!rest)
			return xt_error(-ENOMEM, "out of memory");
		hole->next = rest;
		hole->end = start;
	} else if (start > hole->start) {
		hole->end = start;
	} else if (end < hole->end) {
		hole->start = end;
	} else {
		*link = hole->next;
		free(hole);
	}
	return 0;
}

int xt_va_alloc(struct xt_va *va, uint64_t size, uint64_t align, uint64_t *addr)
{
	struct xt_va_hole *hole, **link;
	uint64_t start, end;
	int err;

	for (link = &va->holes; (hole = *link); link = &hole->next) {
		start = hole->start > va->low ? hole->start : va->low;
		start = xt_align(start, align);
		if (start < hole->start || __builtin_add_overflow(start, size, &end) ||
		    end > hole->end)
			continue;
		err = cut(link, start, end);
		if (!err)
			*addr = start;
		return err;
	}
	return xt_error(-ENOSPC, "the address space has no room for %" PRIu64 " bytes", size);
}

int xt_va_take(struct xt_va *va, uint64_t addr, uint64_t size)
{
	struct xt_va_hole *hole, **link;
	uint64_t end;

	if (__builtin_add_overflow(addr, size, &end))
		return xt_error(-EEXIST, "addresses beyond the last one");
	for (link = &va->holes; (hole = *link); link = &hole->next) {
		if (addr >= hole->start && end <= hole->end)
			return cut(link, addr, end);
	}
	return xt_error(-EEXIST, "the addresses 0x%" PRIx64 " to 0x%" PRIx64 " are not free", addr,
			end - 1);
}

int xt_va_free(struct xt_va *va, uint64_t addr, uint64_t size)
{
	struct xt_va_hole *next, *prev = NULL, *hole;
	uint64_t end = addr + size;

	for (next = va->holes; next && next->start < addr; next = next->next)
		prev = next;
	if (prev && prev->end == addr) {
		prev->end = end;
		if (next && next->start == end) {
			prev->end = next->end;
			prev->next = next->next;
			free(next);
		}
		return 0;
	}
	if (next && next->start == end) {
		next->start = addr;
		return 0;
	}
	hole = hole_new(addr, end, next);
	if (!hole)
		return xt_error(-ENOMEM, "out of memory");
	if (prev)
		prev->next = hole;
	else
		va->holes = hole;
	return 0;
}
