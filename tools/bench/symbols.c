// SPDX-License-Identifier: MIT
/*
 * The guest's symbols; tallies, which count instructions by symbol; and for each tag the profile
 * of the sample with the fewest instructions.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "symbols.h"

#define NUM_TAGS	256

static const char * const who_names[NUM_WHO] = { "caller", "threads", "irq", "other" };

/* ---- the kernel's symbols ---- */

struct symbols symbols;

/* Instructions of these functions measure time and no work. */
static const char * const waiting[] = {
	"delay_tsc", "delay_loop", "delay_halt", "delay_halt_tpause", "delay_halt_mwaitx",
	"__delay", "__udelay", "__ndelay", "__const_udelay",
};

/*
 * The entries of the kernel's scheduler, of its clock and of its collecting of randomness. Their
 * number of instructions depends on the time that has passed, so they are counted apart, with
 * all functions that they call.
 */
static const char * const scheduling[] = {
	"__schedule", "try_to_wake_up", "wake_up_process", "wake_up_state",
	"default_wake_function", "irq_enter_rcu", "irq_exit_rcu", "tick_irq_enter",
	"tick_nohz_irq_exit", "handle_softirqs", "__do_softirq", "ktime_get",
	"exit_to_user_mode_loop", "__rseq_handle_notify_resume", "add_interrupt_randomness",
};

/* Functions that take and release spinlocks with interrupts off */
static const char * const taking[] = { "_raw_spin_lock_irqsave", "_raw_spin_lock_irq" };
static const char * const letting_go[] = {
	"_raw_spin_unlock_irqrestore", "_raw_spin_unlock_irq",
};

#define LENGTH(array) (sizeof(array) / sizeof(*(array)))

void fail(const char *what)
{
	fprintf(stderr, "bench plugin: %s\n", what);
	exit(1);
}

void *make(size_t num, size_t size)
{
	void *p = calloc(num, size);

	if (!p)
		fail("out of memory");
	return p;
}

static bool is_of_interest(const char *module)
{
	size_t len = strlen(module);

	for (const char *m = symbols.modules; m && *m; m += strcspn(m, ":"), m += *m == ':')
		if (strcspn(m, ":") == len && !strncmp(m, module, len))
			return true;
	return false;
}

static bool is_among(const char *name, const char * const *names, size_t num)
{
	for (size_t i = 0; i < num; i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

static enum locking locking_of(const char *name)
{
	return is_among(name, taking, LENGTH(taking)) ? TAKES_LOCK :
	       is_among(name, letting_go, LENGTH(letting_go)) ? LETS_LOCK_GO : NO_LOCK;
}

static bool is_driver(const char *module)
{
	size_t len = strcspn(symbols.modules, ":");

	return strlen(module) == len && !strncmp(symbols.modules, module, len);
}

/* The bit of a watched function, or 0 */
static uint8_t watched_of(const char *name, const char *module)
{
	for (unsigned int w = 0; w < NUM_WATCHED; w++)
		if (symbols.watched[w] && is_driver(module) && !strcmp(symbols.watched[w], name))
			return (uint8_t)(1 << w);
	return 0;
}

/* The order is by address, and alphabetical for several names of one address. */
static int by_address(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	return x->name && y->name ? strcmp(x->name, y->name) : 0;
}

static void symbols_add(struct symbol **list, unsigned int *num, unsigned int *room,
			uint64_t addr, const char *name, const char *module)
{
	if (*num == *room) {
		*room = *room ? 2 * *room : 1 << 16;
		*list = realloc(*list, *room * sizeof(**list));
		if (!*list)
			fail("out of memory");
	}
	(*list)[(*num)++] = (struct symbol) {
		.addr = addr, .name = strdup(name), .module = strdup(module),
		.of_interest = is_of_interest(module),
		.waits = is_among(name, waiting, LENGTH(waiting)),
		.scheduler = is_among(name, scheduling, LENGTH(scheduling)),
		.begins = !strcmp(name, "ret_from_fork_asm"),
		.driver = is_driver(module),
		.locking = locking_of(name),
		.watched = watched_of(name, module),
	};
}

/* Old lists are not freed, because profiles point to their symbols. */
void symbols_load(void)
{
	struct symbol *list = NULL;
	unsigned int num = 0, room = 0;
	char line[1024], name[512], module[512], type;
	FILE *f = fopen(symbols.file, "r");
	uint64_t addr;
	unsigned int met[NUM_WATCHED] = { 0 };

	if (!f)
		fail("cannot read the guest's symbols");
	symbols_add(&list, &num, &room, 0, "user", "");
	symbols_add(&list, &num, &room, 1, "unknown", "");
	while (fgets(line, sizeof(line), f)) {
		int n;

		module[0] = '\0';
		n = sscanf(line, "%" SCNx64 " %c %511s [%511[^]]]", &addr, &type, name, module);
		if (n < 3)
			continue;
		if (!strcmp(name, "init_task"))
			symbols.init_task = addr;
		if (strchr("tTwW", type) && addr)
			symbols_add(&list, &num, &room, addr, name, module);
	}
	fclose(f);
	if (num < 10000 || !symbols.init_task)
		fail("the file of the guest's symbols is too short");
	for (unsigned int i = 0; i < num; i++)
		for (unsigned int w = 0; w < NUM_WATCHED; w++)
			met[w] += list[i].watched >> w & 1;
	for (unsigned int w = 0; w < NUM_WATCHED; w++)
		if (symbols.watched[w] && met[w] != 1)
			fail("the driver has no function with a name to watch, or several");
	qsort(list, num, sizeof(*list), by_address);
	symbols.list = list;
	symbols.num = num;
	symbols.generation++;
}

unsigned int symbol_at(uint64_t pc)
{
	unsigned int low = SYMBOL_FIRST, high = symbols.num;

	if (!(pc >> 63))
		return SYMBOL_USER;
	if (high <= low || symbols.list[low].addr > pc)
		return SYMBOL_NONE;
	while (high - low > 1) {
		unsigned int mid = low + (high - low) / 2;

		if (symbols.list[mid].addr > pc)
			high = mid;
		else
			low = mid;
	}
	return low;
}

bool is_interrupt_entry(uint64_t to)
{
	unsigned int i = symbols.num ? symbol_at(to) : SYMBOL_NONE;

	return i >= SYMBOL_FIRST && (!strcmp(symbols.list[i].name, "irq_entries_start") ||
				     !strncmp(symbols.list[i].name, "asm_sysvec_", 11));
}

/* ---- counts ---- */

void tally_reset(struct tally *t)
{
	for (unsigned int i = 0; i < t->num_seen; i++) {
		t->count[t->seen[i]] = 0;
		t->met[t->seen[i]] = false;
	}
	t->num_seen = 0;
	t->kernel = t->user = t->waiting = t->scheduler = 0;
	t->interesting = false;
}

void tally_resize(struct tally *t)
{
	free(t->count);
	free(t->met);
	free(t->seen);
	memset(t, 0, sizeof(*t));
	t->met = make(symbols.num, sizeof(*t->met));
	t->count = make(symbols.num, sizeof(*t->count));
	t->seen = make(symbols.num, sizeof(*t->seen));
}

/* ---- profiles ---- */

struct profile {
	const struct symbol *symbol;
	enum who who;
	uint64_t count;
};

/* By tag: the functions of the sample with the fewest instructions */
static struct {
	uint64_t total;
	struct profile *list;
	unsigned int num;
} best[NUM_TAGS];

void profile_keep(unsigned int tag, const struct tally *tallies, uint64_t total)
{
	struct profile *p;
	unsigned int num = 0;

	if (best[tag].list && best[tag].total <= total)
		return;
	for (unsigned int w = 0; w < OTHER; w++)
		num += tallies[w].num_seen;
	free(best[tag].list);
	p = make(num + 1, sizeof(*p));
	best[tag].list = p;
	best[tag].total = total;
	for (unsigned int w = 0; w < OTHER; w++)
		for (unsigned int i = 0; i < tallies[w].num_seen; i++)
			*p++ = (struct profile) {
				.symbol = &symbols.list[tallies[w].seen[i]], .who = w,
				.count = tallies[w].count[tallies[w].seen[i]],
			};
	best[tag].num = num;
}

static int by_count(const void *a, const void *b)
{
	const struct profile *x = a, *y = b;

	if (x->count != y->count)
		return x->count < y->count ? 1 : -1;
	return x->symbol->addr < y->symbol->addr ? -1 : x->symbol->addr > y->symbol->addr;
}

void profiles_print(FILE *out)
{
	for (unsigned int tag = 0; tag < NUM_TAGS; tag++) {
		qsort(best[tag].list, best[tag].num, sizeof(*best[tag].list), by_count);
		for (unsigned int i = 0; i < best[tag].num; i++) {
			const struct profile *p = &best[tag].list[i];

			fprintf(out, "profile %u %s %" PRIu64 " %s %s\n", tag, who_names[p->who],
				p->count, p->symbol->name,
				*p->symbol->module ? p->symbol->module : "-");
		}
	}
}
