// SPDX-License-Identifier: MIT
/*
 * The argument next to a page fault. The driver tells the page, not the byte.
 */
#include "fault.h"

#include <inttypes.h>
#include <stdio.h>

#include "text.h"

#define PAGE	4096u
/* The library maps nothing so low, so that a null pointer with a small offset faults. */
#define LOW	65536u

void fault_arg_name(char *out, size_t size, unsigned int index, const char *name)
{
	char clean[40] = "";

	if (name)
		text_clean(clean, sizeof(clean), name);
	snprintf(out, size, name ? "argument %u '%s'" : "argument %u", index, clean);
}

static uint64_t distance(const struct fault_arg *arg, uint64_t page)
{
	if (page >= arg->addr + arg->mapped)
		return page - (arg->addr + arg->mapped);
	return page + PAGE <= arg->addr ? arg->addr - page : 0;
}

static const struct fault_arg *find_nearest(uint64_t page, const struct fault_arg *args,
					    unsigned int num)
{
	const struct fault_arg *best = NULL;
	unsigned int i;

	for (i = 0; i < num; i++) {
		if (args[i].addr && (!best || distance(&args[i], page) < distance(best, page)))
			best = &args[i];
	}
	return best;
}

void fault_text(char *out, size_t size, uint64_t page, const struct fault_arg *args,
		unsigned int num)
{
	const struct fault_arg *best = find_nearest(page, args, num);
	char name[64], bytes[16], away[16];
	unsigned int i;

	*out = 0;
	for (i = 0; i < num && page < LOW; i++) {
		if (args[i].addr)
			continue;
		fault_arg_name(name, sizeof(name), args[i].index, args[i].name);
		snprintf(out, size, "%s is a null pointer", name);
		return;
	}
	if (!best || page < LOW)
		return;
	fault_arg_name(name, sizeof(name), best->index, best->name);
	text_bytes(bytes, sizeof(bytes), best->size);
	if (page >= best->addr + best->mapped) {
		text_bytes(away, sizeof(away), page - (best->addr + best->size));
		snprintf(out, size, "nearest: %s, %s at 0x%" PRIx64 ": %s behind its end", name,
			 bytes, best->addr, away);
	} else if (page + PAGE <= best->addr) {
		text_bytes(away, sizeof(away), best->addr - page);
		snprintf(out, size, "nearest: %s, %s at 0x%" PRIx64 ": %s before its begin", name,
			 bytes, best->addr, away);
	} else {
		snprintf(out, size, "%s, %s at 0x%" PRIx64 ", is mapped there, but not for this access",
			 name, bytes, best->addr);
	}
}
