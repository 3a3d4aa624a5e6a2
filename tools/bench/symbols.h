/* SPDX-License-Identifier: MIT */
/* The guest's symbols, and counters of instructions by symbol. plugin.c uses them. */
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
	bool waits;		/* one of waiting[] */
	bool scheduler;		/* one of scheduling[] */
	bool begins;		/* a new task begins at this function */
	bool driver;		/* a function of the first module of interest */
	enum locking { NO_LOCK, TAKES_LOCK, LETS_LOCK_GO } locking;
	uint8_t watched;	/* bits of enum watched */
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

/* Print a message and end the program. */
void fail(const char *what);
/* Allocate @num objects of @size bytes, all 0. The program ends when memory is short. */
void *make(size_t num, size_t size);

/* Read .file into .list. */
void symbols_load(void);
/* Returns the index in .list of the function at @pc. */
unsigned int symbol_at(uint64_t pc);
/* Whether @to is an entry of interrupts */
bool is_interrupt_entry(uint64_t to);

struct tally {
	uint64_t kernel, user, waiting, scheduler;
	bool interesting;
	/* By symbol; .seen lists the symbols that were met */
	uint64_t *count;
	bool *met;
	unsigned int *seen, num_seen;
};

void tally_reset(struct tally *t);
/* Make room for the symbols in .list, with none met. */
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

/* Keep the profile of a sample if the sample has the fewest instructions of its tag. */
void profile_keep(unsigned int tag, const struct tally *tallies, uint64_t total);
void profiles_print(FILE *out);

#endif
