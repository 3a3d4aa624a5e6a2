// SPDX-License-Identifier: MIT
/*
 * How much of a buffer does not lie where its color says: a tile may have had no room.
 */
#include "xetile.h"

#include <errno.h>
#include <stdlib.h>

#include "error.h"
#include "layout.h"
#include "memory.h"

/* Of a run of pages on one memory, the bytes that the color has on another one */
static uint64_t run_misplaced(const struct xetile_mem *mem, uint64_t begin,
			      const struct xetile_run *run)
{
	uint64_t shares[XT_MEMORIES] = { 0 }, size = (uint64_t)run->pages * XETILE_COLOR_PAGE;
	uint32_t memory = run->tile < XETILE_MAX_TILES ? run->tile : XT_MEMORY_SYSTEM;

	/* Copies are one behind the other, and never lie on another tile. */
	if (mem->copies)
		return memory == XT_MEMORY_SYSTEM ? size : 0;
	xt_layout_shares(&mem->layout, begin, size, shares);
	return size > shares[memory] ? size - shares[memory] : 0;
}

int xetile_mem_misplaced(struct xetile_mem *mem, uint64_t *bytes)
{
	struct xetile_run *runs = NULL, *more;
	int i, num = 0, room;
	uint64_t at = 0;

	*bytes = 0;
	if (!mem->layout.num && !mem->copies)
		return 0;
	/* The driver may move pages between two questions. */
	do {
		room = num + 1;
		more = realloc(runs, room * sizeof(*runs));
		if (!more) {
			free(runs);
			return xt_error(-ENOMEM, "out of memory");
		}
		runs = more;
		num = xetile_mem_color(mem, runs, room);
	} while (num > room);
	for (i = 0; i < num; i++) {
		*bytes += run_misplaced(mem, at, &runs[i]);
		at += (uint64_t)runs[i].pages * XETILE_COLOR_PAGE;
	}
	free(runs);
	return num < 0 ? num : 0;
}
