/* SPDX-License-Identifier: MIT */
/*
 * A model of write-combining memory and several CPUs. The card sees the writes of a CPU only
 * after the next barrier of the same CPU. A real card may see the writes earlier, but a program
 * that is correct in this model is correct on a real card.
 */
#ifndef HOST_WC_H
#define HOST_WC_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

/* A test with cached memory defines this: the card sees writes to cached memory at once. */
#ifndef WC_IS_CACHED
#define WC_IS_CACHED(at)	false
#endif

#define WC_CPUS		2
#define WC_LINE		64u

struct wc_write {
	unsigned char *at;
	unsigned char size;
	unsigned char bytes[WC_LINE];
};

static struct wc_cpu {
	struct wc_write *writes;
	unsigned int num, room;
} wc_cpus[WC_CPUS];

/* The CPU that runs: it writes, and a barrier drains its buffers. */
static unsigned int wc_cpu;

static void wc_append(unsigned char *at, const void *from, size_t size)
{
	struct wc_cpu *cpu = &wc_cpus[wc_cpu];

	if (cpu->num == cpu->room) {
		cpu->room = cpu->room ? 2 * cpu->room : 1024;
		cpu->writes = realloc(cpu->writes, cpu->room * sizeof(*cpu->writes));
		if (!cpu->writes)
			abort();
	}
	cpu->writes[cpu->num].at = at;
	cpu->writes[cpu->num].size = size;
	memcpy(cpu->writes[cpu->num++].bytes, from, size);
}

void host_write_wc(void *at, const void *from, size_t size)
{
	if (WC_IS_CACHED(at)) {
		memcpy(at, from, size);
		return;
	}
	while (size) {
		size_t n = size < WC_LINE ? size : WC_LINE;

		wc_append(at, from, n);
		at = (char *)at + n;
		from = (const char *)from + n;
		size -= n;
	}
}

void host_wmb(void)
{
	struct wc_cpu *cpu = &wc_cpus[wc_cpu];

	for (unsigned int i = 0; i < cpu->num; i++)
		memcpy(cpu->writes[i].at, cpu->writes[i].bytes, cpu->writes[i].size);
	cpu->num = 0;
}

/* The next call runs on any CPU; the buffers of the last CPU are not drained. */
static void wc_any_cpu(void)
{
	wc_cpu = random() % WC_CPUS;
}

/* Returns the number of writes to these bytes that the card has not seen yet. */
static inline unsigned int wc_pending(const void *at, size_t size)
{
	const unsigned char *first = at;
	unsigned int n = 0;

	for (unsigned int c = 0; c < WC_CPUS; c++)
		for (unsigned int i = 0; i < wc_cpus[c].num; i++)
			n += wc_cpus[c].writes[i].at < first + size &&
			     wc_cpus[c].writes[i].at + wc_cpus[c].writes[i].size > first;
	return n;
}

#endif
