/* SPDX-License-Identifier: MIT */
/*
 * A model of write-combining memory and several CPUs. The card sees the writes of a CPU at the
 * latest after the next barrier of the same CPU. It may see some of them earlier, in any order, but
 * those to the same bytes in their own: a test that sets wc_look looks at such moments.
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

/* A test's function that looks at the memory while writes are on their way, or NULL */
static void (*wc_look)(void);

/* So many writes pass, on average, before the card sees some of them early. */
#define WC_LOOK_EVERY	16

static void wc_arrive(const struct wc_write *write)
{
	memcpy(write->at, write->bytes, write->size);
}

static bool wc_overlap(const struct wc_write *a, const struct wc_write *b)
{
	return a->at < b->at + b->size && b->at < a->at + a->size;
}

/* Whether a write of this CPU has to wait for an earlier one that has not arrived */
static bool wc_waits(const struct wc_cpu *cpu, unsigned int i)
{
	for (unsigned int n = 0; n < i; n++)
		if (wc_overlap(&cpu->writes[n], &cpu->writes[i]))
			return true;
	return false;
}

/* Some of the last writes arrive, late ones before early ones. */
static void wc_arrive_early(struct wc_cpu *cpu)
{
	unsigned int first = cpu->num > 32 ? cpu->num - 32 : 0;

	for (unsigned int i = cpu->num; i-- > first; ) {
		if (random() % 2 || wc_waits(cpu, i))
			continue;
		wc_arrive(&cpu->writes[i]);
		memmove(&cpu->writes[i], &cpu->writes[i + 1],
			(cpu->num - i - 1) * sizeof(*cpu->writes));
		cpu->num--;
	}
}

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
	if (wc_look && !(random() % WC_LOOK_EVERY)) {
		wc_arrive_early(cpu);
		wc_look();
	}
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
		wc_arrive(&cpu->writes[i]);
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
