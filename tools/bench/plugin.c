// SPDX-License-Identifier: MIT
/*
 * A QEMU plugin that counts the instructions that a guest executes between two magic
 * instructions (magic.h), exactly, and tells whose they are.
 *
 * An instruction belongs to one of four parts:
 *
 *   caller	the task that executed the first magic instruction, until the task says that
 *		its call has returned; the task's exceptions (page faults) are included
 *   threads	other tasks, from one context switch to the next, when code of a module
 *		of interest ran between the two
 *   irq	interrupts, from entry to return, on the same condition
 *   other	the rest: the idle task, timer ticks, threads that serve others
 *
 * The plugin counts instructions that retire: an instruction that faults and starts again
 * counts once, and so does a repeated string instruction with any number of rounds.
 * Instructions of functions that only wait for time to pass are counted apart.
 *
 * The guest has one processor, so that all its events have one order.
 *
 * Options: out=FILE; symbols=FILE, /proc/kallsyms of the guest, read at MAGIC_SYMBOLS;
 * modules=NAME:NAME..., the modules of interest; unlock=NAME and interrupt=NAME, functions
 * of the first of these modules whose calls are counted one by one.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "magic.h"
#include "qemu_plugin_api.h"
#include "symbols.h"

#define NUM_BUCKETS	1024
#define MAX_DEPTH	16
#define MAX_INSN	15

/* ---- counts ---- */

struct site;

/* The instruction that was counted last, and its counters */
static struct {
	struct site *site;
	struct tally *tally;
	bool scheduler;
	uint8_t calls;		/* bits of the watched functions whose calls it belongs to */
} last;

static struct tally tallies[NUM_WHO];
/*
 * Instructions since the last context switch, and since the interrupt's entry. The end of the
 * switch or interrupt decides which part they belong to.
 */
static struct tally thread_now, irq_now;

static void tally_move(struct tally *from, struct tally *to)
{
	to->scheduler += from->scheduler;
	for (unsigned int i = 0; i < from->num_seen; i++)
		tally_add(to, from->seen[i], (int64_t)from->count[from->seen[i]]);
	tally_reset(from);
	last.site = NULL;
}

/* ---- tasks ---- */

/* A task with its nested exceptions and interrupts */
struct task {
	uint64_t key;			/* address of its saved stack pointer */
	struct task *next;
	unsigned int depth;
	bool in_irq[MAX_DEPTH];
	/* By depth: calls without a return, now and at the entry of the scheduler */
	struct level {
		int calls, scheduler;
		bool in_scheduler;
		/* A call of a watched function that is under way */
		struct {
			unsigned int sample;	/* the sample in which the call began, or 0 */
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
	/* Counts of the sample */
	unsigned int irqs, irqs_other, irqs_in_caller, activations, exceptions;
	qemu_plugin_u64 flag;		/* a copy of .active for the translated code */
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

enum kind { ORDINARY, REPEATED, RETURN, SWITCH, MAGIC };

struct site {
	uint64_t pc;
	unsigned int generation, symbol;
	uint8_t kind, magic, tag;
	int8_t call;			/* 1: calls, -1: returns */
};

/*
 * Whether an instruction belongs to the scheduler. The first instruction of a scheduling function
 * begins this part, after a call or a jump; the return from the function ends the part.
 */
static bool in_scheduler(const struct site *s)
{
	const struct symbol *symbol = &symbols.list[s->symbol];
	struct task *t = guest.current;
	bool in, *state;
	int *calls;

	/* A new task may have the memory of a task that has ended: drop the old one's state. */
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
 * A spinlock that the driver took and that keeps interrupts off: the time of its taking, and the
 * longest hold of such a lock in the sample, in instructions.
 */
static struct {
	unsigned int depth;		/* held locks: the driver's, and locks taken under it */
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
 * The calls of a watched function, each from its first instruction to its return. Instructions of
 * the scheduler do not count here either, and interrupts during a call do not: a call within an
 * interrupt is a call of its own. A recursive call does not count.
 */
static struct {
	/* Counts of the sample */
	unsigned int num;
	uint64_t largest;
	bool largest_in_irq;
} watched[NUM_WATCHED];

/* Called before an instruction is counted, because it may be the first of a call. */
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

	/* This is another round of the same instruction. */
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
	/* Between samples only the state of tasks is kept, which halves the cost. */
	if (!t)
		return;
	watch_lock(s, before);
	watch_call(s);
	if (last.scheduler)
		t->scheduler++;
	else
		tally_add(t, s->symbol, 1);
}

/* The last instruction did not retire: the plugin will see it again. */
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

/* The instruction returns from an interrupt, an exception or a system call. */
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
 * QEMU reports page faults as interrupts, too, so the target of the jump tells them apart. When
 * the target is the same instruction, no handler was entered, and no return will come.
 */
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
	/* A task in user space has no exceptions under way. */
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
	profile_keep(guest.tag, tallies, total);
}

static void on_magic(unsigned int vcpu, void *data)
{
	struct site *s = data;

	(void)vcpu;
	switch (s->magic) {
	case MAGIC_BEGIN:
		sample_begin(s->tag);
		break;
	case MAGIC_RETURN:
		guest.caller_on = false;
		break;
	case MAGIC_RESUME:
		guest.caller_on = true;
		break;
	case MAGIC_END:
		sample_end();
		break;
	case MAGIC_SYMBOLS:
		symbols_load();
		for (unsigned int w = 0; w < NUM_WHO; w++)
			tally_resize(&tallies[w]);
		tally_resize(&thread_now);
		tally_resize(&irq_now);
		last.site = NULL;
		/* From now on the plugin follows all tasks, between samples, too. */
		guest.active = true;
		qemu_plugin_u64_set(guest.flag, 0, 1);
		break;
	}
}

static void on_end_of_qemu(void *data)
{
	(void)data;
	profiles_print(out);
	fclose(out);
}

/* ---- translation ---- */

static enum kind kind_of(struct site *s, const uint8_t *b, size_t len)
{
	size_t i = 0;

	if (len == MAGIC_BYTES && b[0] == 0x0f && b[1] == 0x1f && b[2] == 0x80 &&
	    b[5] == MAGIC_SIGN_0 && b[6] == MAGIC_SIGN_1) {
		s->tag = b[3];
		s->magic = b[4];
		return MAGIC;
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
	/* These are never freed: after a new translation of the code the old one may still run. */
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
		case MAGIC:
			qemu_plugin_register_vcpu_insn_exec_cb(insn, on_magic,
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
		fprintf(stderr, "bench plugin: out=, symbols= and modules= are required\n");
		return 1;
	}
	if (strcmp(info->target_name, "x86_64") || info->system.smp_vcpus != 1) {
		fprintf(stderr, "bench plugin: the guest must have one x86-64 processor\n");
		return 1;
	}
	guest.flag.score = qemu_plugin_scoreboard_new(sizeof(uint64_t));
	/* The first task is unknown until the first context switch. */
	guest.current = task_get(0);
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation, NULL);
	qemu_plugin_register_vcpu_discon_cb(id, QEMU_PLUGIN_DISCON_ALL, on_discontinuity, NULL);
	qemu_plugin_register_atexit_cb(id, on_end_of_qemu, NULL);
	return 0;
}
