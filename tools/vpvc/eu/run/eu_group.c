// SPDX-License-Identifier: MIT
/*
 * Work-groups: the walk over their ids, the threads of each, and the workers (host
 * threads) that run them. eu_run() is called on an engine's thread, which is the first
 * worker; workers share struct eu_run_state by atomics.
 *
 * A worker runs the threads of a group one after the other until each ends, waits for a
 * barrier or has used its quantum. While groups end within their quantum, a worker holds
 * one group. A group that does not end may wait for one that has not started, so the
 * worker then takes another group and runs all of them in turn.
 */
#include <errno.h>
#include <fenv.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "eu/eu.h"
#include "eu/msg/eu_memory.h"
#include "eu/run/eu_program.h"
#include "eu/run/eu_thread.h"
#include "eu/state/eu_barrier.h"
#include "eu/state/eu_worker.h"

/* Dimensions from the fastest to the slowest, by walk order */
static const uint8_t walk_orders[6][3] = {
	{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {2, 0, 1}, {1, 2, 0}, {2, 1, 0}
};

static void group_id(const struct eu_walker *walker, uint64_t n, uint32_t id[3])
{
	const uint8_t *order = walk_orders[walker->walk_order];

	for (int i = 0; i < 3; i++) {
		unsigned int d = order[i];
		uint64_t count = walker->end[d] - walker->start[d];

		id[d] = walker->start[d] + n % count;
		n /= count;
	}
}

/* Make the local ids, which are the same in every group; unused lanes stay 0. */
static void make_local_ids(struct eu_worker *w)
{
	const struct eu_walker *walker = w->run->walker;
	const uint8_t *order = walk_orders[walker->walk_order];
	unsigned int items = walker->threads_per_group * walker->simd;

	for (unsigned int i = 0; i < items; i++) {
		unsigned int rest = i;

		for (int k = 0; k < 3; k++) {
			unsigned int d = order[k];

			w->local_ids[i / walker->simd][d][i % walker->simd] =
				rest % walker->local_size[d];
			rest /= walker->local_size[d];
		}
	}
}

/* Threads of all workers have different numbers; the first threads have the lowest. */
static void number_thread(struct eu_worker *w, unsigned int i)
{
	struct eu_thread *t = w->all_threads[i];

	unsigned int n = w->index + i * w->run->workers;

	t->worker = w;
	/* Threads with the large GRF use four of an execution unit's eight numbers. */
	t->slot = w->run->walker->large_grf ? n / 4 * 8 + n % 4 : n;
	t->hardware_id = eu_hardware_id(w->run->walker, t->slot);
}

static struct eu_thread *get_thread(struct eu_worker *w)
{
	struct eu_thread *t = w->free_threads;

	if (t) {
		w->free_threads = t->next_free;
		return t;
	}
	if (w->allocated >= w->max_threads)
		return NULL;
	t = aligned_alloc(64, (sizeof(*t) + 63) & ~(size_t)63);
	if (!t)
		return NULL;
	memset(t, 0, sizeof(*t));
	w->all_threads[w->allocated] = t;
	number_thread(w, w->allocated++);
	return t;
}

static void put_thread(struct eu_worker *w, struct eu_thread *t)
{
	w->counters.instructions += t->instructions;
	t->next_free = w->free_threads;
	w->free_threads = t;
}

static bool stopping(struct eu_run_state *run)
{
	if (atomic_load_explicit(&run->stopped, memory_order_relaxed))
		return true;
	return run->cancel && atomic_load_explicit(run->cancel, memory_order_relaxed);
}

static void stop_run(struct eu_run_state *run, enum eu_reason reason, uint32_t ip,
		     const char *text)
{
	bool expected = false;

	if (!atomic_compare_exchange_strong(&run->stopped, &expected, true))
		return;
	run->stop.reason = reason;
	run->stop.ip = ip;
	snprintf(run->stop.text, sizeof(run->stop.text), "%s", text);
}

/* No thread of a group can go on: report where threads wait, and how many have ended. */
static void stop_deadlock(struct eu_worker *w, const struct eu_group *g)
{
	unsigned int threads = w->run->walker->threads_per_group, ended = 0, n = 0;
	char text[256], *at = text, *end = text + sizeof(text);
	uint32_t ip = 0;

	for (unsigned int i = 0; i < threads; i++)
		ended += g->status[i] == EU_T_ENDED;
	at += snprintf(at, end - at, "all threads of a work-group wait: "
		       "group (%u,%u,%u), %u ended, %u wait:", g->id[0], g->id[1], g->id[2],
		       ended, threads - ended);
	for (unsigned int i = 0; i < threads && at < end - 40; i++) {
		const struct eu_thread *t = g->threads[i];

		if (!t || g->status[i] == EU_T_ENDED)
			continue;
		if (!n++)
			ip = t->op->in.ip;
		at += snprintf(at, end - at, " thread %u at 0x%x for ", i, t->op->in.ip);
		if (t->waits_for_host)
			at += snprintf(at, end - at, "the host;");
		else
			at += snprintf(at, end - at, "0x%x;", t->wait_barriers);
	}
	if (n < threads - ended)
		snprintf(at, end - at, " ...");
	stop_run(w->run, EU_DEADLOCK, ip, text);
}

static struct eu_group *new_group(struct eu_worker *w)
{
	struct eu_group *g = w->free_groups;
	uint8_t *slm;

	if (g) {
		w->free_groups = g->next;
	} else {
		g = calloc(1, sizeof(*g));
		/* 64 bytes more, because the fast handlers read whole registers */
		if (g)
			g->slm = calloc(1, w->run->walker->slm_size + 64);
		if (!g || !g->slm) {
			free(g);
			return NULL;
		}
	}
	slm = g->slm;
	memset(g, 0, sizeof(*g));
	g->slm = slm;
	return g;
}

/* Take the next group of the walk; false when there is none, no room or no memory. */
static bool admit(struct eu_worker *w)
{
	struct eu_run_state *run = w->run;
	struct eu_group *g, **tail;
	uint64_t n;

	/* All resident groups must have room for all their threads. */
	if ((w->resident + 1) * run->walker->threads_per_group > w->max_threads)
		return false;
	n = atomic_fetch_add(&run->next_group, 1);
	if (n >= run->total_groups) {
		atomic_store(&run->next_group, run->total_groups);
		return false;
	}
	g = new_group(w);
	if (!g) {
		stop_run(run, EU_NO_MEMORY, 0, "no host memory for a work-group");
		return false;
	}
	group_id(run->walker, n, g->id);
	g->live = run->walker->threads_per_group;
	for (tail = &w->groups; *tail; tail = &(*tail)->next)
		;
	*tail = g;
	w->resident++;
	w->counters.groups++;
	return true;
}

/* What happened in a turn: threads ran, and one of them would go on at once. */
#define TURN_RAN	0x1
#define TURN_READY	0x2

static struct eu_thread *start_thread(struct eu_worker *w, struct eu_group *g, unsigned int i)
{
	struct eu_thread *t = get_thread(w);

	if (t) {
		g->threads[i] = t;
		eu_thread_start(t, g, i);
	} else {
		stop_run(w->run, EU_NO_MEMORY, 0, "no host memory for a thread");
	}
	return t;
}

/* Run a thread if it can; returns TURN_*. */
static unsigned int run_thread(struct eu_worker *w, struct eu_group *g, unsigned int i)
{
	struct eu_thread *t = g->threads[i];

	if (unlikely(!t)) {
		if (g->status[i] == EU_T_ENDED)
			return 0;
		t = start_thread(w, g, i);
		if (!t)
			return TURN_READY;
	} else if (likely(t->status == EU_T_BARRIER)) {
		if (t->waits_for_host || !eu_barriers_done(t, t->wait_barriers))
			return 0;
		eu_barrier_leave(t);
	}
	eu_thread_run(t);
	if (likely(t->status == EU_T_BARRIER))
		return TURN_RAN;
	if (t->status != EU_T_ENDED)
		return TURN_RAN | TURN_READY;
	g->status[i] = EU_T_ENDED;
	g->threads[i] = NULL;
	g->live--;
	put_thread(w, t);
	return TURN_RAN;
}

/*
 * One turn for each thread of a group; returns TURN_*. A thread that neither waits nor has ended
 * may have stopped the run, or has used its quantum, which is long: the end may have come.
 */
static unsigned int run_group(struct eu_worker *w, struct eu_group *g, unsigned int threads)
{
	unsigned int turn = 0;

	for (unsigned int i = 0; i < threads; i++) {
		unsigned int what = run_thread(w, g, i);

		turn |= what;
		if (unlikely(what & TURN_READY) && stopping(w->run))
			return turn | TURN_RAN;
	}
	return turn;
}

static void retire(struct eu_worker *w, struct eu_group **where)
{
	struct eu_group *g = *where;

	*where = g->next;
	g->next = w->free_groups;
	w->free_groups = g;
	w->resident--;
}

static void *work(void *arg)
{
	struct eu_worker *w = arg;
	struct eu_run_state *run = w->run;
	unsigned int threads = run->walker->threads_per_group;
	int rounding = fegetround();

	w->rounding = rounding;
	if (run->walker->generate_local_ids)
		make_local_ids(w);
	eu_worker_check_program(w);
	while (!stopping(run)) {
		struct eu_group **where = &w->groups, *g;
		bool exhausted = true;

		while ((g = *where) && !stopping(run)) {
			unsigned int turn = run_group(w, g, threads);

			if (!g->live) {
				retire(w, where);
				exhausted = false;
				continue;
			}
			if (!(turn & TURN_RAN))
				stop_deadlock(w, g);
			/*
			 * A group whose threads all wait for barriers runs again at once; any
			 * other group that did not end has used its quantum.
			 */
			if (!(turn & TURN_READY))
				exhausted = false;
			where = &g->next;
		}
		if (!w->groups || exhausted)
			if (!admit(w) && !w->groups)
				break;
	}
	fesetround(rounding);
	eu_worker_count(w);
	return NULL;
}

static void free_groups(struct eu_group *g)
{
	struct eu_group *next;

	for (; g; g = next) {
		next = g->next;
		free(g->slm);
		free(g);
	}
}

/* Count the instructions of threads that did not end. */
static void count_unfinished(struct eu_worker *w)
{
	for (struct eu_group *g = w->groups; g; g = g->next)
		for (int i = 0; i < EU_MAX_THREADS; i++)
			if (g->threads[i])
				w->counters.instructions += g->threads[i]->instructions;
}

static void free_worker(struct eu_worker *w)
{
	if (!w)
		return;
	for (unsigned int i = 0; i < w->allocated; i++)
		free(w->all_threads[i]);
	eu_worker_free_program(w);
	free(w);
}

/* Free the groups of the run; a later run may use the worker. */
static void end_worker(struct eu_worker *w)
{
	free_groups(w->groups);
	free_groups(w->free_groups);
	w->groups = w->free_groups = NULL;
	w->resident = 0;
}

static void add_counters(struct eu_counters *to, const struct eu_counters *from)
{
	to->groups += from->groups;
	to->threads += from->threads;
	to->instructions += from->instructions;
	to->lanes += from->lanes;
	to->arguments += from->arguments;
	for (int i = 0; i < EU_PLACES; i++) {
		to->read[i] += from->read[i];
		to->written[i] += from->written[i];
	}
	for (int i = 0; i < EU_NUM_OPCODES; i++)
		to->opcodes[i] += from->opcodes[i];
}

/* Eight units with eight threads each, or with four that have twice the registers */
static unsigned int threads_per_dss(const struct eu_walker *walker)
{
	return walker->large_grf ? 32 : 64;
}

static const char *check_walker(const struct eu_walker *walker)
{
	if (walker->simd != 16 && walker->simd != 32)
		return "SIMD width is neither 16 nor 32";
	if (!walker->threads_per_group ||
	    walker->threads_per_group > threads_per_dss(walker))
		return "impossible number of threads per group";
	if (walker->slm_size > EU_SLM_MAX)
		return "impossible size of shared local memory";
	if (walker->walk_order > 5)
		return "impossible walk order";
	if (walker->rounding > 3)
		return "impossible rounding mode";
	for (int d = 0; d < 3; d++)
		if (!walker->local_size[d])
			return "local size is zero";
	return NULL;
}

static unsigned int slots(const struct eu_walker *walker)
{
	uint64_t mask = walker->dss_mask ? : UINT64_MAX;

	return __builtin_popcountll(mask) * threads_per_dss(walker);
}

static uint64_t count_groups(const struct eu_walker *walker)
{
	unsigned __int128 total = 1;

	for (int d = 0; d < 3; d++)
		total *= walker->end[d] > walker->start[d] ?
			 walker->end[d] - walker->start[d] : 0;
	return total > UINT64_MAX / 2 ? UINT64_MAX / 2 : (uint64_t)total;
}

/* Clear the state of an earlier run, but for prepared code and the memory of threads. */
static void begin_worker(struct eu_worker *w, struct eu_run_state *run, unsigned int index)
{
	memset(&w->counters, 0, sizeof(w->counters));
	w->run = run;
	eu_tlb_begin(w);
	w->index = index;
	w->entry.op = NULL;
	w->max_threads = slots(run->walker) / run->workers;
	if (w->max_threads > sizeof(w->all_threads) / sizeof(w->all_threads[0]))
		w->max_threads = sizeof(w->all_threads) / sizeof(w->all_threads[0]);
	w->free_threads = NULL;
	for (unsigned int i = w->allocated; i-- > 0;) {
		struct eu_thread *t = w->all_threads[i];

		if (i >= w->max_threads) {
			free(t);
			w->allocated = i;
			continue;
		}
		memset(t, 0, sizeof(*t));
		number_thread(w, i);
		t->next_free = w->free_threads;
		w->free_threads = t;
	}
}

static struct eu_worker *new_worker(void)
{
	struct eu_worker *w = aligned_alloc(64, (sizeof(*w) + 63) & ~(size_t)63);

	if (w)
		memset(w, 0, sizeof(*w));
	return w;
}

struct eu_cache *eu_cache_create(void)
{
	return calloc(1, sizeof(struct eu_cache));
}

void eu_cache_free(struct eu_cache *cache)
{
	for (unsigned int i = 0; cache && i < EU_MAX_WORKERS; i++)
		free_worker(cache->workers[i]);
	free(cache);
}

static struct eu_worker *take_worker(struct eu_cache *cache, struct eu_run_state *run,
				     unsigned int index)
{
	struct eu_worker *w = cache->workers[index];

	if (!w)
		w = cache->workers[index] = new_worker();
	if (w)
		begin_worker(w, run, index);
	else
		stop_run(run, EU_NO_MEMORY, 0, "no host memory for the run");
	return w;
}

static void run_workers(struct eu_run_state *run, struct eu_cache *cache,
			struct eu_counters *counters)
{
	struct eu_worker *workers[EU_MAX_WORKERS] = {};
	pthread_t threads[EU_MAX_WORKERS];
	bool started[EU_MAX_WORKERS] = {};

	for (unsigned int i = 0; i < run->workers; i++)
		workers[i] = take_worker(cache, run, i);
	/* A worker that cannot be started is no error: the others do its work. */
	for (unsigned int i = 1; i < run->workers; i++)
		started[i] = workers[i] &&
			     !pthread_create(&threads[i], NULL, work, workers[i]);
	if (workers[0])
		work(workers[0]);
	for (unsigned int i = 0; i < run->workers; i++) {
		if (started[i])
			pthread_join(threads[i], NULL);
		if (!workers[i])
			continue;
		run->unfinished |= workers[i]->resident != 0;
		count_unfinished(workers[i]);
		add_counters(counters, &workers[i]->counters);
		end_worker(workers[i]);
	}
}

static int error_of(enum eu_reason reason)
{
	switch (reason) {
	case EU_DONE:		return 0;
	case EU_ILLEGAL:	return -EILSEQ;
	case EU_FAULT:		return -EFAULT;
	case EU_DEADLOCK:	return -EDEADLK;
	case EU_CANCELLED:	return -ECANCELED;
	case EU_BAD_WALKER:	return -EINVAL;
	case EU_NO_MEMORY:	return -ENOMEM;
	}
	return -EINVAL;
}

int eu_run(const struct eu_walker *walker, const struct eu_memory *memory,
	   struct eu_cache *cache, unsigned int host_threads, const atomic_bool *cancel,
	   struct eu_counters *counters, struct eu_stop *stop)
{
	struct eu_run_state run = {
		.walker = walker, .memory = memory, .cancel = cancel,
	};
	const char *why = check_walker(walker);
	struct eu_cache *own = NULL;
	unsigned int most;

	memset(stop, 0, sizeof(*stop));
	if (why) {
		stop->reason = EU_BAD_WALKER;
		snprintf(stop->text, sizeof(stop->text), "%s", why);
		return -EINVAL;
	}
	run.total_groups = count_groups(walker);
	most = slots(walker) / walker->threads_per_group;
	if (most > EU_MAX_WORKERS)
		most = EU_MAX_WORKERS;
	if (most > run.total_groups)
		most = run.total_groups ? : 1;
	run.workers = host_threads < 1 ? 1 : host_threads > most ? most : host_threads;
	if (!cache)
		cache = own = eu_cache_create();
	if (cache)
		run_workers(&run, cache, counters);
	else
		stop_run(&run, EU_NO_MEMORY, 0, "no host memory for the run");
	eu_cache_free(own);
	run.unfinished |= atomic_load(&run.next_group) < run.total_groups;
	if (run.unfinished)
		stop_run(&run, EU_CANCELLED, 0, "cancelled");
	*stop = run.stop;
	return error_of(stop->reason);
}

const char *eu_reason_text(enum eu_reason reason)
{
	static const char *const texts[] = {
		[EU_DONE] = "done",
		[EU_ILLEGAL] = "illegal instruction",
		[EU_FAULT] = "page fault",
		[EU_DEADLOCK] = "barrier deadlock",
		[EU_CANCELLED] = "cancelled",
		[EU_BAD_WALKER] = "bad walker",
		[EU_NO_MEMORY] = "out of host memory",
	};

	return reason <= EU_NO_MEMORY ? texts[reason] : "?";
}
