// SPDX-License-Identifier: MIT
/*
 * The program of the guest: it runs each operation of the table many times, between magic
 * instructions (magic.h) that the plugin in QEMU sees, and writes the card's own counts.
 *
 * usage: bench xe|xetile TILES PCI_FOLDER OUT [MOST]
 *
 * With MOST the program runs the operations of the table of growth whose count is MOST or less.
 *
 * The nth line "sample" of this program and the nth such line of the plugin belong to the same
 * sample.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "bench.h"
#include "calls.h"
#include "card.h"
#include "insns.h"
#include "magic.h"

#define WARM_UP		3
#define QUIET_MS	20

static FILE *out;

void fail(const char *fmt, ...)
{
	int err = errno;
	va_list args;

	fputs("bench: ", stderr);
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fprintf(stderr, " (%s)\n", strerror(err));
	exit(1);
}

void do_ioctl(int fd, unsigned long request, void *arg, const char *what)
{
	while (ioctl(fd, request, arg))
		if (errno != EINTR && errno != EAGAIN)
			fail("%s", what);
}

static void magic(enum magic kind, unsigned int tag)
{
	((void (*)(void))(uintptr_t)magic_insns[kind][tag])();
}

void magic_return(void)
{
	magic(MAGIC_RETURN, 0);
}

void magic_resume(void)
{
	magic(MAGIC_RESUME, 0);
}

static void wait_ms(unsigned int ms)
{
	struct timespec ts = { ms / 1000, (long)(ms % 1000) * 1000000 };

	while (clock_nanosleep(CLOCK_MONOTONIC, 0, &ts, &ts) == EINTR)
		;
}

/* Write the addresses of functions for the plugin, with those of the loaded modules. */
static void write_symbols(const char *folder)
{
	static char buf[1 << 16];
	FILE *in = fopen("/proc/kallsyms", "r"), *copy;
	char path[256];
	size_t n;

	snprintf(path, sizeof(path), "%s/kallsyms", folder);
	copy = fopen(path, "w");
	if (!in || !copy)
		fail("cannot copy the kernel's symbols");
	while ((n = fread(buf, 1, sizeof(buf), in)))
		if (fwrite(buf, 1, n, copy) != n)
			fail("cannot write %s", path);
	fclose(in);
	if (fclose(copy))
		fail("cannot write %s", path);
	magic(MAGIC_SYMBOLS, 0);
}

/*
 * Wait until all work of the operation is done: no engine works, and for @ms nobody wrote to the
 * card and the card sent no interrupt. (The plugin counts the questions to the card as other
 * work, because the caller has left its part.)
 */
static void settle(unsigned int ms, bool busy, struct card_counters *c)
{
	struct card_counters before;

	do {
		before = *c;
		wait_ms(ms);
		card_counters(c);
	} while ((c->active && !busy) || c->messages != before.messages || c->writes != before.writes);
}

static void sample(const struct operation *op, struct state *s, unsigned int tag, bool counted)
{
	struct card_counters before, after;

	if (op->before)
		op->before(s);
	card_counters(&before);
	wait_ms(QUIET_MS);
	if (counted)
		magic(MAGIC_BEGIN, tag);
	op->run(s);
	magic(MAGIC_RETURN, tag);
	after = before;
	if (op->settle_ms)
		settle(op->settle_ms, op->busy, &after);
	if (counted)
		magic(MAGIC_END, tag);
	if (op->after)
		op->after(s);
	if (counted)
		fprintf(out, "sample %u %llu %llu %llu %llu\n", tag,
			(unsigned long long)(after.reads - before.reads),
			(unsigned long long)(after.writes - before.writes),
			(unsigned long long)(after.messages - before.messages),
			(unsigned long long)(after.loads - before.loads));
}

static void measure(const struct operation *op, struct state *s, unsigned int tag)
{
	if (op->count)
		fprintf(out, "operation %u %s @%u\n", tag, op->name, op->count);
	else
		fprintf(out, "operation %u %s\n", tag, op->name);
	/* So that the file shows the progress of a long operation */
	fflush(out);
	s->size = op->size;
	s->count = op->count;
	if (op->setup)
		op->setup(s);
	for (unsigned int i = 0; !op->cold && i < (op->samples < WARM_UP ? 1 : WARM_UP); i++)
		sample(op, s, tag, false);
	for (unsigned int i = 0; i < op->samples; i++)
		sample(op, s, tag, true);
	if (op->teardown)
		op->teardown(s);
	wait_ms(op->settle_ms);
}

static bool applies(const struct operation *op, const struct state *s)
{
	return op->large == s->large && s->tiles >= op->min_tiles &&
	       (!op->max_tiles || s->tiles <= op->max_tiles) && (!op->can || op->can(s->ops)) &&
	       op->count <= s->most;
}

int main(int argc, char **argv)
{
	const struct operation *table;
	struct state s = { 0 };
	unsigned int tag = 0;
	char path[256];

	if (argc != 5 && argc != 6) {
		fprintf(stderr, "usage: bench xe|xetile TILES PCI_FOLDER OUT [MOST]\n");
		return 2;
	}
	table = argc == 6 ? growth : operations;
	s.most = argc == 6 ? (unsigned int)atoi(argv[5]) : 0;
	s.ops = strcmp(argv[1], "xe") ? &xetile_ops : &xe_ops;
	s.tiles = (unsigned int)atoi(argv[2]);
	s.pci = argv[3];
	snprintf(path, sizeof(path), "%s/samples", argv[4]);
	out = fopen(path, "w");
	if (!out)
		fail("cannot write %s", path);
	card_open();
	write_symbols(argv[4]);
	open_node(&s);
	s.ops->init(s.fd, s.tiles);
	s.large = s.ops->hbm_free(s.fd) > LARGE_HBM;
	close_node(&s);
	for (const struct operation *op = self_tests; op->name; op++)
		measure(op, &s, tag++);
	if (table == operations && !s.large)
		measure_memory(&s, out);
	for (const struct operation *op = table; op->name; op++, tag++)
		if (applies(op, &s))
			measure(op, &s, tag);
	if (fclose(out))
		fail("cannot write %s", path);
	return 0;
}
