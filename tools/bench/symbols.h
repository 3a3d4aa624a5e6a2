/* SPDX-License-Identifier: MIT */
/* The guest's symbols, and what is counted by them. */
#ifndef BENCH_SYMBOLS_H
#define BENCH_SYMBOLS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum who { CALLER, THREADS, IRQ, OTHER, NUM_WHO };
enum watched { UNLOCK, INTERRUPT, NUM_WATCHED };

struct symbol {
	uint64_t addr;
	char *name, *module;
	bool of_interest;
	bool waits;		/* see waiting[] */
	bool scheduler;		/* see scheduling[] */
	bool begins;		/* a task begins there */
	bool driver;		/* of the first of the modules of interest */
	enum locking { NO_LOCK, TAKES_LOCK, LETS_LOCK_GO } locking;
	uint8_t watched;		/* bit of enum watched */
};

enum { SYMBOL_USER, SYMBOL_NONE, SYMBOL_FIRST };

extern struct symbols {
	struct symbol *list;
	unsigned int num;
	unsigned int generation;	/* of the list; sites remember their symbol */
	const char *file;
	char *modules;
	char *watched[NUM_WATCHED];	/* names of functions, or NULL */
	uint64_t init_task;
} symbols;

/* Ends the program. */
void fail(const char *what);
/* @num of @size bytes each, all 0 */
void *make(size_t num, size_t size);

/* Read .file. */
void symbols_load(void);
/* The place in .list of what is at @pc */
unsigned int symbol_at(uint64_t pc);
/* Whether interrupts are entered at @to */
bool is_interrupt_entry(uint64_t to);

struct tally {
	uint64_t kernel, user, waiting, scheduler;
	bool interesting;
	/* By symbol; those met are listed */
	uint64_t *count;
	bool *met;
	unsigned int *seen, num_seen;
};

void tally_reset(struct tally *t);
/* As many symbols as there are now, none met */
void tally_resize(struct tally *t);

static inline void tally_add(struct tally *t, unsigned int symbol, int64_t n)
{
	const struct symbol *s = &symbols.list[symbol];

	if (s->waits)
		t->waiting += n;
	else if (symbol == SYMBOL_USER)
		t->user += n;
	else
		t->kernel += n;
	t->interesting |= s->of_interest;
	if (!t->met[symbol])
		t->seen[t->num_seen++] = symbol;
	t->met[symbol] = true;
	t->count[symbol] += n;
}

/* Of each tag the sample with the least instructions is kept, function by function. */
void profile_keep(unsigned int tag, const struct tally *tallies, uint64_t total);
void profiles_print(FILE *out);

#endif
