// SPDX-License-Identifier: MIT
/*
 * A QEMU plugin that counts the instructions of a guest between two marks,
 * exactly, and says who executed them.
 *
 * An instruction belongs to one of four:
 *
 *   caller	the task that executed the first mark, until it says that its call
 *		has returned; exceptions it causes (page faults) included
 *   threads	other tasks, from one context switch to the next, when any code of a
 *		module of interest ran between the two
 *   irq	interrupts, from entry to return, on the same condition
 *   other	the rest: the idle task, timer ticks, threads that serve others
 *
 * What counts is what is retired: an instruction that faults and is started again
 * is one, and so is a repeated string instruction, however often it repeats.
 * Instructions of functions that do nothing but wait for time to pass are kept
 * apart.
 *
 * One processor only, so that everything in the guest happens in one order.
 *
 * Options: out=FILE, symbols=FILE (/proc/kallsyms of the guest, read when it says
 * so), modules=NAME:NAME... (of interest), unlock=NAME and interrupt=NAME (functions of
 * the first of these modules, whose calls are counted one by one).
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mark.h"
#include "qemu_plugin_api.h"

#define NUM_TAGS	256
#define NUM_BUCKETS	1024
#define MAX_DEPTH	16
#define MAX_INSN	15

enum who { CALLER, THREADS, IRQ, OTHER, NUM_WHO };
enum watched { UNLOCK, INTERRUPT, NUM_WATCHED };

static const char * const who_names[NUM_WHO] = { "caller", "threads", "irq", "other" };

/* ---- the kernel's symbols ---- */

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

static struct {
	struct symbol *list;
	unsigned int num;
	unsigned int generation;	/* of the list; sites remember their symbol */
	const char *file;
	char *modules;
	char *watched[NUM_WATCHED];	/* names of functions, or NULL */
	uint64_t init_task;
} symbols;

/* Their instructions are time, not work. */
static const char * const waiting[] = {
	"delay_tsc", "delay_loop", "delay_halt", "delay_halt_tpause", "delay_halt_mwaitx",
	"__delay", "__udelay", "__ndelay", "__const_udelay",
};

/*
 * Where the kernel's scheduler, its clock and its collecting of randomness begin: how
 * many instructions these take depends on how much time has passed since, so they are
 * counted apart, with all that they call.
 */
static const char * const scheduling[] = {
	"__schedule", "try_to_wake_up", "wake_up_process", "wake_up_state",
	"default_wake_function", "irq_enter_rcu", "irq_exit_rcu", "tick_irq_enter",
	"tick_nohz_irq_exit", "handle_softirqs", "__do_softirq", "ktime_get",
	"exit_to_user_mode_loop", "__rseq_handle_notify_resume", "add_interrupt_randomness",
};

/* Spinlocks with interrupts off */
static const char * const taking[] = { "_raw_spin_lock_irqsave", "_raw_spin_lock_irq" };
static const char * const letting_go[] = {
	"_raw_spin_unlock_irqrestore", "_raw_spin_unlock_irq",
};

#define LENGTH(array) (sizeof(array) / sizeof(*(array)))

static void fail(const char *what)
{
	fprintf(stderr, "bench plugin: %s\n", what);
	exit(1);
}

static void *make(size_t num, size_t size)
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

/* Which of the functions that are watched it is, as a bit */
static uint8_t watched_of(const char *name, const char *module)
{
	for (unsigned int w = 0; w < NUM_WATCHED; w++)
		if (symbols.watched[w] && is_driver(module) && !strcmp(symbols.watched[w], name))
			return (uint8_t)(1 << w);
	return 0;
}

/* By address; of several names for one place the first in the alphabet. */
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

/* Old lists stay: profiles name what they saw by then. */
static void symbols_load(void)
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
		fail("the guest's symbols are not there");
	for (unsigned int i = 0; i < num; i++)
		for (unsigned int w = 0; w < NUM_WATCHED; w++)
			met[w] += list[i].watched >> w & 1;
	for (unsigned int w = 0; w < NUM_WATCHED; w++)
		if (symbols.watched[w] && met[w] != 1)
			fail("the driver has no function, or several, of a name to watch");
	qsort(list, num, sizeof(*list), by_address);
	symbols.list = list;
	symbols.num = num;
	symbols.generation++;
}

static unsigned int symbol_at(uint64_t pc)
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

/* ---- counts ---- */

struct site;

struct tally {
	uint64_t kernel, user, waiting, scheduler;
	bool interesting;
	/* By symbol; those met are listed */
	uint64_t *count;
	bool *met;
	unsigned int *seen, num_seen;
};

/* What was counted last, and where */
static struct {
	struct site *site;
	struct tally *tally;
	bool scheduler;
	uint8_t calls;		/* of watched functions that it was in, as bits */
} last;

static struct tally tallies[NUM_WHO];
/*
 * Since the last context switch, and since the interrupt's entry: whose these are
 * turns out at their end.
 */
static struct tally thread_now, irq_now;

static void tally_reset(struct tally *t)
{
	for (unsigned int i = 0; i < t->num_seen; i++) {
		t->count[t->seen[i]] = 0;
		t->met[t->seen[i]] = false;
	}
	t->num_seen = 0;
	t->kernel = t->user = t->waiting = t->scheduler = 0;
	t->interesting = false;
}

static void tally_resize(struct tally *t)
{
	free(t->count);
	free(t->met);
	free(t->seen);
	memset(t, 0, sizeof(*t));
	t->met = make(symbols.num, sizeof(*t->met));
	t->count = make(symbols.num, sizeof(*t->count));
	t->seen = make(symbols.num, sizeof(*t->seen));
}

static void tally_add(struct tally *t, unsigned int symbol, int64_t n)
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

static void tally_move(struct tally *from, struct tally *to)
{
	to->scheduler += from->scheduler;
	for (unsigned int i = 0; i < from->num_seen; i++)
		tally_add(to, from->seen[i], (int64_t)from->count[from->seen[i]]);
	tally_reset(from);
	last.site = NULL;
}

/* ---- who executes ---- */

/* What a task is in the middle of: exceptions and interrupts, each in the other */
struct task {
	uint64_t key;			/* address of its saved stack pointer */
	struct task *next;
	unsigned int depth;
	bool in_irq[MAX_DEPTH];
	/* At each depth: calls without a return, and how many when the scheduler began */
	struct level {
		int calls, scheduler;
		bool in_scheduler;
		/* A call of a watched function that is under way */
		struct {
			unsigned int sample;	/* in which it began, or 0 */
			int calls;
			uint64_t now;
		} watched[NUM_WATCHED];
	} level[MAX_DEPTH + 1];
};

static struct {
	struct task *tasks[NUM_BUCKETS];
	struct task *current, *caller;
	uint64_t sp_offset;		/* of the saved stack pointer in a task */
	bool active, caller_on;
	bool in_sample;
	unsigned int tag, sample;
	/* Of the sample */
	unsigned int irqs, irqs_other, irqs_in_caller, activations, exceptions;
	qemu_plugin_u64 flag;		/* what .active is, for the translated code */
} guest;

static struct task *task_get(uint64_t key)
{
	struct task **bucket = &guest.tasks[key / 64 % NUM_BUCKETS], *t;

	for (t = *bucket; t; t = t->next)
		if (t->key == key)
			return t;
	t = make(1, sizeof(*t));
	t->key = key;
	t->next = *bucket;
	*bucket = t;
	return t;
}

static bool in_irq(const struct task *t)
{
	return t->depth && t->in_irq[t->depth - 1];
}

static struct tally *tally_now(void)
{
	const struct task *t = guest.current;

	if (in_irq(t))
		return &irq_now;
	if (t == guest.caller)
		return &tallies[guest.caller_on ? CALLER : OTHER];
	if (t->key == symbols.init_task + guest.sp_offset)
		return &tallies[OTHER];
	return &thread_now;
}

static void irq_commit(void)
{
	bool ours = irq_now.interesting;

	if (!irq_now.kernel && !irq_now.waiting && !irq_now.scheduler)
		return;
	if (ours) {
		guest.irqs++;
	} else {
		guest.irqs_other++;
		if (guest.caller_on && guest.current == guest.caller)
			guest.irqs_in_caller++;
	}
	tally_move(&irq_now, &tallies[ours ? IRQ : OTHER]);
}

static void thread_commit(void)
{
	if (!thread_now.kernel && !thread_now.user && !thread_now.scheduler)
		return;
	guest.activations += thread_now.interesting;
	tally_move(&thread_now, &tallies[thread_now.interesting ? THREADS : OTHER]);
}

static void task_switch(uint64_t key)
{
	if (guest.active) {
		irq_commit();
		thread_commit();
	}
	guest.current = task_get(key);
}

/* ---- instructions ---- */

enum kind { ORDINARY, REPEATED, RETURN, SWITCH, MARK };

struct site {
	uint64_t pc;
	unsigned int generation, symbol;
	uint8_t kind, mark, tag;
	int8_t call;			/* 1: calls, -1: returns */
};

/*
 * Whether it is the scheduler's.  A function of it begins it, whether it is called
 * or jumped to in place of a call; the return from there ends it.
 */
static bool in_scheduler(const struct site *s)
{
	const struct symbol *symbol = &symbols.list[s->symbol];
	struct task *t = guest.current;
	bool in, *state;
	int *calls;

	/* What is known of its place in memory is of one that ended there. */
	if (symbol->begins && symbol->addr == s->pc) {
		t->depth = 0;
		t->level[0].in_scheduler = false;
	}
	state = &t->level[t->depth].in_scheduler;
	calls = &t->level[t->depth].calls;
	if (!*state && symbol->scheduler && symbol->addr == s->pc) {
		*state = true;
		t->level[t->depth].scheduler = *calls;
	}
	in = *state;
	*calls += s->call;
	if (*calls < t->level[t->depth].scheduler)
		*state = false;
	return in;
}

/*
 * A spinlock that the driver took and that keeps interrupts off: since when it is held,
 * and for how many instructions one was held at most in the sample.
 */
static struct {
	unsigned int depth;		/* it, and others that were taken under it */
	uint64_t now, since, longest;
} hold;

static void watch_lock(const struct site *s, const struct site *before)
{
	const struct symbol *symbol = &symbols.list[s->symbol];

	hold.now++;
	if (symbol->locking == NO_LOCK || symbol->addr != s->pc)
		return;
	if (symbol->locking == TAKES_LOCK) {
		if (hold.depth)
			hold.depth++;
		else if (before && symbols.list[before->symbol].driver) {
			hold.depth = 1;
			hold.since = hold.now;
		}
	} else if (hold.depth && !--hold.depth && hold.now - hold.since > hold.longest) {
		hold.longest = hold.now - hold.since;
	}
}

/*
 * What calls of a watched function took, each from its first instruction to its return.
 * What the scheduler takes is apart here as well, and so are interrupts that come meanwhile:
 * a call in one of these is one of its own. A call that comes from within is none.
 */
static struct {
	/* Of the sample */
	unsigned int num;
	uint64_t largest;
	bool largest_in_irq;
} watched[NUM_WATCHED];

/* Before the instruction is counted: it may be the first of a call. */
static void watch_entry(const struct site *s)
{
	const struct symbol *symbol = &symbols.list[s->symbol];
	struct level *level = &guest.current->level[guest.current->depth];

	if (!symbol->watched || symbol->addr != s->pc)
		return;
	for (unsigned int w = 0; w < NUM_WATCHED; w++) {
		if (!(symbol->watched >> w & 1) || level->watched[w].sample == guest.sample)
			continue;
		level->watched[w].sample = guest.sample;
		level->watched[w].calls = level->calls;
		level->watched[w].now = 0;
	}
}

static void watch_call(const struct site *s)
{
	const struct task *t = guest.current;
	struct level *level = &guest.current->level[guest.current->depth];

	for (unsigned int w = 0; w < NUM_WATCHED; w++) {
		if (level->watched[w].sample != guest.sample)
			continue;
		if (!last.scheduler && !symbols.list[s->symbol].waits) {
			level->watched[w].now++;
			last.calls |= (uint8_t)(1 << w);
		}
		if (level->calls >= level->watched[w].calls)
			continue;
		level->watched[w].sample = 0;
		watched[w].num++;
		if (level->watched[w].now > watched[w].largest) {
			watched[w].largest = level->watched[w].now;
			watched[w].largest_in_irq = in_irq(t);
		}
	}
}

static void count(struct site *s)
{
	struct tally *t = guest.in_sample ? tally_now() : NULL;
	const struct site *before = last.site;

	/* The next round of the same instruction, not the next one */
	if (s->kind == REPEATED && last.site == s)
		return;
	if (s->generation != symbols.generation) {
		s->symbol = symbol_at(s->pc);
		s->generation = symbols.generation;
	}
	if (t)
		watch_entry(s);
	last.scheduler = in_scheduler(s);
	last.site = s;
	last.tally = t;
	last.calls = 0;
	/* Between samples only who is in the middle of what, which is cheaper by half */
	if (!t)
		return;
	watch_lock(s, before);
	watch_call(s);
	if (last.scheduler)
		t->scheduler++;
	else
		tally_add(t, s->symbol, 1);
}

/* It did not retire, or not yet: it will be met again. */
static void uncount(void)
{
	struct level *level = &guest.current->level[guest.current->depth];

	level->calls -= last.site->call;
	if (last.tally && last.scheduler)
		last.tally->scheduler--;
	else if (last.tally)
		tally_add(last.tally, last.site->symbol, -1);
	for (unsigned int w = 0; w < NUM_WATCHED; w++)
		level->watched[w].now -= last.calls >> w & 1;
	last.site = NULL;
}

static void on_ordinary(unsigned int vcpu, void *data)
{
	(void)vcpu;
	count(data);
}

/* Back from an interrupt or an exception; a system call may return so too. */
static void on_return(unsigned int vcpu, void *data)
{
	struct task *t = guest.current;

	(void)vcpu;
	if (guest.active)
		count(data);
	if (!t->depth)
		return;
	t->depth--;
	if (guest.active && !in_irq(t))
		irq_commit();
}

static void on_switch(unsigned int vcpu, uint32_t info, uint64_t vaddr, void *data)
{
	(void)vcpu;
	(void)info;
	(void)data;
	task_switch(vaddr);
}

/*
 * QEMU calls page faults interrupts, too, so that the place it goes to decides.
 * Where it goes nowhere nothing was entered that there will be a return from.
 */
static bool is_interrupt_entry(uint64_t to)
{
	unsigned int i = symbols.num ? symbol_at(to) : SYMBOL_NONE;

	return i >= SYMBOL_FIRST && (!strcmp(symbols.list[i].name, "irq_entries_start") ||
				     !strncmp(symbols.list[i].name, "asm_sysvec_", 11));
}

static void on_discontinuity(unsigned int vcpu, enum qemu_plugin_discon_type type,
			     uint64_t from, uint64_t to, void *data)
{
	struct task *t = guest.current;
	bool irq;

	(void)vcpu;
	(void)type;
	(void)data;
	if (to == from)
		return;
	irq = is_interrupt_entry(to);
	if (guest.active && last.site && last.site->pc == from &&
	    (!irq || last.site->kind == REPEATED))
		uncount();
	if (guest.active && !irq && t == guest.caller)
		guest.exceptions++;
	/* Nothing is under way below a program. */
	if (!(from >> 63)) {
		t->depth = 0;
		t->level[0].in_scheduler = false;
	}
	if (t->depth == MAX_DEPTH)
		fail("exceptions that never return");
	t->in_irq[t->depth] = irq || in_irq(t);
	t->depth++;
	t->level[t->depth].in_scheduler = false;
	memset(t->level[t->depth].watched, 0, sizeof(t->level[t->depth].watched));
}

/* ---- samples ---- */

struct profile {
	const struct symbol *symbol;
	enum who who;
	uint64_t count;
};

/* Of each tag the sample with the least instructions, function by function */
static struct {
	uint64_t total;
	struct profile *list;
	unsigned int num;
} best[NUM_TAGS];

static FILE *out;

static void sample_begin(unsigned int tag)
{
	if (!symbols.num)
		fail("a sample without symbols");
	for (unsigned int w = 0; w < NUM_WHO; w++)
		tally_reset(&tallies[w]);
	tally_reset(&thread_now);
	tally_reset(&irq_now);
	guest.caller = guest.current;
	guest.caller->depth = 0;
	guest.caller->level[0].in_scheduler = false;
	guest.caller_on = true;
	guest.in_sample = true;
	guest.tag = tag;
	guest.sample++;
	guest.irqs = guest.irqs_other = guest.irqs_in_caller = 0;
	guest.activations = guest.exceptions = 0;
	hold.longest = 0;
	hold.depth = 0;
	memset(watched, 0, sizeof(watched));
	last.site = NULL;
}

static void keep_best(uint64_t total)
{
	struct profile *p;
	unsigned int num = 0;

	if (best[guest.tag].list && best[guest.tag].total <= total)
		return;
	for (unsigned int w = 0; w < OTHER; w++)
		num += tallies[w].num_seen;
	free(best[guest.tag].list);
	p = make(num + 1, sizeof(*p));
	best[guest.tag].list = p;
	best[guest.tag].total = total;
	for (unsigned int w = 0; w < OTHER; w++)
		for (unsigned int i = 0; i < tallies[w].num_seen; i++)
			*p++ = (struct profile) {
				.symbol = &symbols.list[tallies[w].seen[i]], .who = w,
				.count = tallies[w].count[tallies[w].seen[i]],
			};
	best[guest.tag].num = num;
}

static void sample_end(void)
{
	uint64_t total = 0, waiting = 0, scheduler = 0;

	thread_commit();
	irq_commit();
	guest.in_sample = false;
	fprintf(out, "sample %u", guest.tag);
	for (unsigned int w = 0; w < OTHER; w++) {
		fprintf(out, " %" PRIu64 " %" PRIu64, tallies[w].kernel, tallies[w].user);
		total += tallies[w].kernel + tallies[w].user;
		waiting += tallies[w].waiting;
		scheduler += tallies[w].scheduler;
	}
	fprintf(out, " %" PRIu64 " %" PRIu64 " %u %u %u %u %u %" PRIu64, waiting, scheduler,
		guest.irqs, guest.activations, guest.exceptions, guest.irqs_in_caller,
		guest.irqs_other, hold.longest);
	for (unsigned int w = 0; w < NUM_WATCHED; w++)
		fprintf(out, " %u %" PRIu64 " %u", watched[w].num, watched[w].largest,
			watched[w].largest_in_irq);
	fputc('\n', out);
	keep_best(total);
}

static void on_mark(unsigned int vcpu, void *data)
{
	struct site *s = data;

	(void)vcpu;
	switch (s->mark) {
	case MARK_BEGIN:
		sample_begin(s->tag);
		break;
	case MARK_RETURN:
		guest.caller_on = false;
		break;
	case MARK_RESUME:
		guest.caller_on = true;
		break;
	case MARK_END:
		sample_end();
		break;
	case MARK_SYMBOLS:
		symbols_load();
		for (unsigned int w = 0; w < NUM_WHO; w++)
			tally_resize(&tallies[w]);
		tally_resize(&thread_now);
		tally_resize(&irq_now);
		last.site = NULL;
		/* From here on all the time: who is in the middle of what stays known. */
		guest.active = true;
		qemu_plugin_u64_set(guest.flag, 0, 1);
		break;
	}
}

static int by_count(const void *a, const void *b)
{
	const struct profile *x = a, *y = b;

	if (x->count != y->count)
		return x->count < y->count ? 1 : -1;
	return x->symbol->addr < y->symbol->addr ? -1 : x->symbol->addr > y->symbol->addr;
}

static void on_end_of_qemu(void *data)
{
	(void)data;
	for (unsigned int tag = 0; tag < NUM_TAGS; tag++) {
		qsort(best[tag].list, best[tag].num, sizeof(*best[tag].list), by_count);
		for (unsigned int i = 0; i < best[tag].num; i++) {
			const struct profile *p = &best[tag].list[i];

			fprintf(out, "profile %u %s %" PRIu64 " %s %s\n", tag, who_names[p->who],
				p->count, p->symbol->name,
				*p->symbol->module ? p->symbol->module : "-");
		}
	}
	fclose(out);
}

/* ---- translation ---- */

static enum kind kind_of(struct site *s, const uint8_t *b, size_t len)
{
	size_t i = 0;

	if (len == MARK_BYTES && b[0] == 0x0f && b[1] == 0x1f && b[2] == 0x80 &&
	    b[5] == MARK_SIGN_0 && b[6] == MARK_SIGN_1) {
		s->tag = b[3];
		s->mark = b[4];
		return MARK;
	}
	if (s->pc >> 63) {
		/* iretq */
		if (len == 2 && b[0] == 0x48 && b[1] == 0xcf)
			return RETURN;
		/* mov disp32(%rsi), %rsp: __switch_to_asm takes the next task's stack. */
		if (len == 7 && b[0] == 0x48 && b[1] == 0x8b && b[2] == 0xa6) {
			guest.sp_offset = (uint64_t)(b[3] | b[4] << 8 | b[5] << 16) +
					  ((uint64_t)b[6] << 24);
			return SWITCH;
		}
	}
	while (i < len && (b[i] == 0x66 || b[i] == 0x67))
		i++;
	if (i < len && (b[i] == 0xf2 || b[i] == 0xf3)) {
		i++;
		if (i < len && (b[i] & 0xf0) == 0x40)
			i++;
		if (i + 1 == len && ((b[i] >= 0xa4 && b[i] <= 0xa7) ||
				     (b[i] >= 0xaa && b[i] <= 0xaf)))
			return REPEATED;
	}
	return ORDINARY;
}

static int8_t call_of(const uint8_t *b, size_t len)
{
	size_t i = 0;

	while (i < len && (b[i] == 0x2e || b[i] == 0x3e || b[i] == 0xf3 || (b[i] & 0xf0) == 0x40))
		i++;
	if (i == len)
		return 0;
	if (b[i] == 0xc3 || b[i] == 0xc2)
		return -1;
	return b[i] == 0xe8 || (b[i] == 0xff && i + 1 < len && (b[i + 1] >> 3 & 7) == 2);
}

static void on_translation(struct qemu_plugin_tb *tb, void *data)
{
	size_t num = qemu_plugin_tb_n_insns(tb);
	/* Code may be translated again; what it was translated to before may still run. */
	struct site *s = make(num, sizeof(*s));

	(void)data;
	for (size_t i = 0; i < num; i++, s++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		uint8_t bytes[MAX_INSN];
		size_t len = qemu_plugin_insn_data(insn, bytes, sizeof(bytes));

		s->pc = qemu_plugin_insn_vaddr(insn);
		s->call = s->pc >> 63 ? call_of(bytes, len) : 0;
		s->kind = kind_of(s, bytes, len);
		switch (s->kind) {
		case MARK:
			qemu_plugin_register_vcpu_insn_exec_cb(insn, on_mark,
							       QEMU_PLUGIN_CB_NO_REGS, s);
			break;
		case RETURN:
			qemu_plugin_register_vcpu_insn_exec_cb(insn, on_return,
							       QEMU_PLUGIN_CB_NO_REGS, s);
			break;
		case SWITCH:
			qemu_plugin_register_vcpu_mem_cb(insn, on_switch, QEMU_PLUGIN_CB_NO_REGS,
							 QEMU_PLUGIN_MEM_R, s);
			/* fall through */
		default:
			qemu_plugin_register_vcpu_insn_exec_cond_cb(insn, on_ordinary,
								    QEMU_PLUGIN_CB_NO_REGS,
								    QEMU_PLUGIN_COND_NE,
								    guest.flag, 0, s);
		}
	}
}

QEMU_PLUGIN_EXPORT int qemu_plugin_version = QEMU_PLUGIN_VERSION;

QEMU_PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info,
					   int argc, char **argv)
{
	for (int i = 0; i < argc; i++) {
		if (!strncmp(argv[i], "out=", 4))
			out = fopen(argv[i] + 4, "w");
		else if (!strncmp(argv[i], "symbols=", 8))
			symbols.file = strdup(argv[i] + 8);
		else if (!strncmp(argv[i], "modules=", 8))
			symbols.modules = strdup(argv[i] + 8);
		else if (!strncmp(argv[i], "unlock=", 7))
			symbols.watched[UNLOCK] = strdup(argv[i] + 7);
		else if (!strncmp(argv[i], "interrupt=", 10))
			symbols.watched[INTERRUPT] = strdup(argv[i] + 10);
	}
	if (!out || !symbols.file || !symbols.modules) {
		fprintf(stderr, "bench plugin: out=, symbols= and modules= are wanted\n");
		return 1;
	}
	if (strcmp(info->target_name, "x86_64") || info->system.smp_vcpus != 1) {
		fprintf(stderr, "bench plugin: counts one x86-64 processor, no more\n");
		return 1;
	}
	guest.flag.score = qemu_plugin_scoreboard_new(sizeof(uint64_t));
	/* What runs before the first switch is nobody yet known. */
	guest.current = task_get(0);
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation, NULL);
	qemu_plugin_register_vcpu_discon_cb(id, QEMU_PLUGIN_DISCON_ALL, on_discontinuity, NULL);
	qemu_plugin_register_atexit_cb(id, on_end_of_qemu, NULL);
	return 0;
}
