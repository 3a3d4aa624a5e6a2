// SPDX-License-Identifier: MIT
/*
 * Rings and batches of a dump are lines of dwords below a heading. Their commands have different
 * lengths, and a piece need not begin with one: so the decoder looks for a begin from where it comes
 * to the command at which the engine stood.
 */
#include "crash_text.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "crash_decode.h"

#define FIRST_LINE	"**** xetile device coredump ****\n"
#define CONTEXTS	4
#define LINE_DWORDS	8
#define PIECE_DWORDS	4096	/* more than the driver writes below one heading */
#define RING_MASK	0x1ffffcu	/* of RING_HEAD */
#define NOWHERE		UINT64_MAX

/* What the dump says of a context, which comes before its pieces */
struct context {
	char engine[32];
	uint64_t begin;		/* of its batch */
	uint64_t at;		/* ACTHD: address of the command that the engine ran */
	uint32_t header;	/* IPEHR: first dword of it */
	uint32_t head;		/* of the ring, bytes */
	bool left;		/* the engine has another context by now */
	bool stood;		/* an engine had it, so that these are valid */
};

/* Lines of dwords in a row */
struct piece {
	uint64_t at[PIECE_DWORDS];	/* address of each dword, or offset in the ring */
	uint32_t dw[PIECE_DWORDS];
	size_t num;
};

struct dump {
	struct context contexts[CONTEXTS];
	struct piece piece;
	uint64_t mark;		/* of the piece: where the context is */
	uint64_t begin;		/* of the piece: where a command begins for sure */
	bool whole;
};

/* ---- lines ---- */

struct line {
	const char *text;
	size_t len;		/* without the newline */
};

/* Takes the next line off a text. */
static bool next_line(const char **text, size_t *size, struct line *line)
{
	const char *end;

	if (!*size)
		return false;
	end = memchr(*text, '\n', *size);
	line->text = *text;
	line->len = end ? (size_t)(end - *text) : *size;
	*text += line->len + (end != NULL);
	*size -= line->len + (end != NULL);
	return true;
}

/* The line as a string; longer ones than any of the driver's are cut. */
static void copy_line(const struct line *line, char *buf, size_t size)
{
	size_t n = line->len < size ? line->len : size - 1;

	memcpy(buf, line->text, n);
	buf[n] = 0;
}

/* A file may hold anything: what a terminal could obey is not printed. */
static void print_line(const struct line *line)
{
	for (size_t i = 0; i < line->len; i++)
		putchar(isprint((unsigned char)line->text[i]) ? line->text[i] : '?');
	putchar('\n');
}

/* ---- what the dump says of its contexts ---- */

/* The context that a heading like "ring of context 0" names, or NULL */
static struct context *named(struct dump *d, const char *text)
{
	const char *at = strstr(text, "context ");
	unsigned int n;

	if (!at || sscanf(at, "context %u", &n) != 1 || n >= CONTEXTS)
		return NULL;
	return &d->contexts[n];
}

static void note_register(struct context *c, const char *name, unsigned long long value)
{
	if (!strcmp(name, "RING_ACTHD"))
		c->at |= (uint32_t)value;
	else if (!strcmp(name, "RING_ACTHD_UDW"))
		c->at |= value << 32 & ((1ull << 57) - 1);
	else if (!strcmp(name, "RING_IPEHR"))
		c->header = value;
	else if (!strcmp(name, "RING_HEAD"))
		c->head = value & RING_MASK;
}

static void collect(struct dump *d, const char *text, size_t size)
{
	struct context *c = NULL;
	unsigned long long value;
	char buf[256], name[32];
	struct line line;

	while (next_line(&text, &size, &line)) {
		copy_line(&line, buf, sizeof(buf));
		if (!strncmp(buf, "context ", 8)) {
			c = named(d, buf);
			if (c)
				*c = (struct context) { .engine = "no engine" };
			if (c)
				sscanf(buf, "context %*u: on %31[a-z0-9. ]", c->engine);
		} else if (!strncmp(buf, "registers of ", 13) && c) {
			c->stood = !c->left;
		} else if (c && !strcmp(buf, "  has left it")) {
			c->left = true;
		} else if (!strncmp(buf, "mappings of ", 12)) {
			d->whole = true;
		} else if (c && sscanf(buf, " batch %llx", &value) == 1) {
			c->begin = value;
		} else if (c && sscanf(buf, " %31s %llx", name, &value) == 2) {
			note_register(c, name, value);
		}
	}
}

/* ---- a piece ---- */

static size_t find_at(const struct piece *p, uint64_t at)
{
	size_t i;

	for (i = 0; i < p->num && p->at[i] != at; i++)
		;
	return i;
}

/*
 * The dword from which on the piece is decoded: one from which the decoder comes to the mark over
 * commands that all are known. It is looked for from the mark back, so that no dword is decoded
 * twice.
 */
static size_t first_command(const struct dump *d)
{
	const struct piece *p = &d->piece;
	size_t begin = find_at(p, d->begin), mark = find_at(p, d->mark), first = mark, next;
	bool leads[PIECE_DWORDS] = { false };

	if (mark == p->num)
		return begin < p->num ? begin : 0;
	leads[mark] = true;
	for (size_t i = mark; i-- > 0; ) {
		next = i + crash_command_dwords(p->dw[i]);
		leads[i] = next <= mark && leads[next] && crash_command_name(p->dw[i]);
		if (leads[i])
			first = i;
	}
	return begin < mark && leads[begin] ? begin : first;
}

/* Dwords that are no commands: those before @end */
static size_t print_raw(const struct piece *p, size_t i, size_t end)
{
	while (i < end) {
		size_t n = end - i < LINE_DWORDS ? end - i : LINE_DWORDS;

		printf("    0x%012llx:", (unsigned long long)p->at[i]);
		for (; n; n--)
			printf(" %08x", p->dw[i++]);
		putchar('\n');
	}
	return i;
}

/* One command, or several MI_NOOP in a row. Returns the dword behind them. */
static size_t print_command(const struct piece *p, size_t i, size_t mark)
{
	size_t len = crash_command_dwords(p->dw[i]), same = 1, left = p->num - i;

	/* The decoder comes to the mark, or begins there: see first_command(). */
	printf("%s 0x%012llx: %08x %s", i == mark ? "  >" : "   ",
	       (unsigned long long)p->at[i], p->dw[i], crash_command_name(p->dw[i]));
	crash_print_fields(p->dw + i, len < left ? len : left);
	while (!p->dw[i] && same < left && !p->dw[i + same] && i + same != mark)
		same++;
	if (same > 1)
		printf(", %zu times", same);
	if (len > left)
		printf(" (cut off)");
	putchar('\n');
	return i + (same > 1 ? same : len < left ? len : left);
}

static void print_piece(struct dump *d)
{
	const struct piece *p = &d->piece;
	size_t mark = find_at(p, d->mark), end;
	size_t i = print_raw(p, 0, first_command(d));

	while (i < p->num) {
		for (end = i; end < p->num && !crash_command_name(p->dw[end]); end++)
			;
		i = end > i ? print_raw(p, i, end) : print_command(p, i, mark);
	}
	d->piece.num = 0;
}

/* Takes the dwords of a line "  ADDRESS: DWORD ...". Returns whether it was one. */
static bool take_dwords(struct piece *p, const char *text)
{
	size_t num = p->num;
	uint64_t at;
	char *end;

	if (*text != ' ')
		return false;
	at = strtoull(text, &end, 16);
	if (end == text || *end++ != ':')
		return false;
	for (; *end == ' ' && isxdigit((unsigned char)end[1]) && num < PIECE_DWORDS; num++) {
		p->at[num] = at + 4 * (num - p->num);
		p->dw[num] = strtoul(end + 1, &end, 16);
	}
	if (*end || num == p->num)
		return false;
	p->num = num;
	return true;
}

/* A heading: what are the lines below it? Returns whether they are commands. */
static bool begin_piece(struct dump *d, const char *text)
{
	bool ring = !strncmp(text, "ring of context ", 16);
	const struct context *c = NULL;
	unsigned long long at;

	if (ring || !strncmp(text, "batch of context ", 17))
		c = named(d, text);
	if (!c)
		return false;
	d->mark = c->stood && ring ? c->head : NOWHERE;
	if (sscanf(text, "%*[^,], around %llx", &at) == 1)
		d->mark = at;
	d->begin = ring ? NOWHERE : c->begin;
	return true;
}

static void print_summary(const struct dump *d)
{
	for (unsigned int i = 0; i < CONTEXTS; i++) {
		const struct context *c = &d->contexts[i];
		const char *name = crash_command_name(c->header);

		if (c->stood)
			printf("%s stood at %#llx, and ran %s (%08x)\n", c->engine,
			       (unsigned long long)c->at, name ? name : "no known command",
			       c->header);
	}
}

bool crash_text_is_dump(const char *text, size_t size)
{
	return size >= strlen(FIRST_LINE) && !memcmp(text, FIRST_LINE, strlen(FIRST_LINE));
}

bool crash_text_print(const char *text, size_t size)
{
	static struct dump d;
	bool commands = false;
	struct line line;
	char buf[256];

	d = (struct dump) { 0 };
	collect(&d, text, size);
	print_summary(&d);
	while (next_line(&text, &size, &line)) {
		copy_line(&line, buf, sizeof(buf));
		if (commands && take_dwords(&d.piece, buf))
			continue;
		print_piece(&d);
		print_line(&line);
		/* A line that is no line of dwords ends a piece, and may be the next heading. */
		commands = begin_piece(&d, buf);
	}
	print_piece(&d);
	return d.whole;
}
