// SPDX-License-Identifier: MIT
/*
 * Virtual slices of up to 64 processes that come, work and end at random, against a model of the
 * binding; and what the card counts of two processes that both ask for slice 0.
 * Statements: S71-S76, S92-S94, L4, C10.
 *
 * suite: once soak-alone
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "xetile_lab.h"
#include "xetile_walker.h"

IGT_TEST_DESCRIPTION("The bindings of many processes, step by step");

#define ISA_ADDR	0x30000000ull
#define COUNTS_ADDR	0x50000000ull
#define NEVER		0xffffu
#define NUMBERS		DRM_XETILE_MAX_CSLICES
#define PROCESSES	64u
#define TWINS		2u		/* queues of a process on one number */
#define STEPS		100u
#define CSLICE		DRM_XETILE_TARGET_CSLICE

static struct xetile_card card = { .fd = -1 };

static void set_mode(unsigned int mode)
{
	char text[16];

	snprintf(text, sizeof(text), "%u", mode);
	for (uint32_t t = 0; t < card.device.num_tiles; t++) {
		igt_require_f(card.tiles[t].ccs_modes & (1u << mode), "no mode %u\n", mode);
		igt_assert_eq(xetile_sysfs_write(card.fd, t, "ccs_mode", text), 0);
	}
}

static void restore(int sig)
{
	(void)sig;
	if (card.fd >= 0)
		xetile_usual_ccs_modes(&card);
}

/*
 * A queue on a virtual slice, in a file of its own, whose close ends its work. Its batch runs until
 * its gate opens, or waits for its turn.
 */
struct held {
	struct ctx c;
	uint32_t queue;
	struct drm_xetile_sync sync;
	bool works;
};

static void held_start(struct held *h, uint32_t tile, uint32_t v, int32_t priority)
{
	struct drm_xetile_queue_create args = {
		.engine_class = COMPUTE, .target = CSLICE, .tile = tile, .cslice = v,
		.priority = priority, .timeout_ms = card.device.max_timeout_ms,
	};
	struct xetile_batch b;

	ctx_init(&h->c, xetile_reopen(card.fd));
	args.vm_id = h->c.vm;
	igt_assert_eq(__xetile_queue_create(h->c.fd, &args), 0);
	h->queue = args.queue_id;
	h->sync = (struct drm_xetile_sync) {
		.handle = xetile_syncobj(h->c.fd), .flags = DRM_XETILE_SYNC_SIGNAL,
	};
	batch_begin(&b, &h->c.batch, 0);
	batch_store(&b, h->c.gate.addr + 64, 1, false);
	batch_wait(&b, h->c.gate.addr, 1);
	batch_end(&b);
	igt_assert_eq(__xetile_exec(h->c.fd, h->queue, batch_addr(&b), &h->sync, 1), 0);
	h->works = true;
}

static void held_stop(struct held *h)
{
	munmap(h->c.batch.map, h->c.batch.size);
	munmap(h->c.gate.map, h->c.gate.size);
	close(h->c.fd);
	h->works = false;
}

static void held_open(struct held *h)
{
	*(volatile uint32_t *)h->c.gate.map = 1;
}

static bool held_runs(const struct held *h)
{
	return ((volatile uint32_t *)h->c.gate.map)[16];
}

/* It ends well. */
static void held_end(struct held *h)
{
	igt_assert_eq(__xetile_wait(h->c.fd, h->sync.handle, 300000), 0);
	igt_assert_eq(xetile_fence_status(h->c.fd, h->sync.handle), 1);
	igt_assert(held_runs(h));
}

static uint32_t instance(int fd, uint32_t queue)
{
	struct drm_xetile_queue_info info;

	xetile_queue_info(fd, queue, &info);
	return info.members[0].instance;
}

/* --- a process ------------------------------------------------------------------ */

enum order { START, STOP, OPEN, FINISH, LEAVE };

struct message {
	enum order order;
	uint32_t v;			/* of START and STOP */
	uint32_t instances[NUMBERS];	/* answer: of the numbers that work, else NEVER */
};

struct worker {
	struct held held[NUMBERS][TWINS];
};

static void worker_start(struct worker *w, uint32_t tile, uint32_t v)
{
	unsigned int twin = 0;

	while (w->held[v][twin].works)
		twin++;
	held_start(&w->held[v][twin], tile, v, DRM_XETILE_PRIORITY_NORMAL);
	xetile_assert_soon(instance(w->held[v][twin].c.fd, w->held[v][twin].queue) != NEVER);
}

static void worker_stop(struct worker *w, uint32_t v)
{
	unsigned int twin = TWINS - 1;

	while (!w->held[v][twin].works)
		twin--;
	held_stop(&w->held[v][twin]);
}

static void worker_each(struct worker *w, void (*what)(struct held *h))
{
	for (uint32_t v = 0; v < NUMBERS; v++)
		for (unsigned int twin = 0; twin < TWINS; twin++)
			if (w->held[v][twin].works)
				what(&w->held[v][twin]);
}

/* What QUEUE_INFO tells; twins are on the same engine. */
static void worker_tell(const struct worker *w, struct message *m)
{
	for (uint32_t v = 0; v < NUMBERS; v++) {
		m->instances[v] = NEVER;
		for (unsigned int twin = 0; twin < TWINS; twin++) {
			uint32_t i;

			if (!w->held[v][twin].works)
				continue;
			i = instance(w->held[v][twin].c.fd, w->held[v][twin].queue);
			igt_assert(m->instances[v] == NEVER || m->instances[v] == i);
			m->instances[v] = i;
		}
	}
}

/* Obeys until it is told to leave, which it does as it is, or is killed. */
static void worker(int orders, uint32_t tile)
{
	struct worker w = { 0 };
	struct message m;

	for (;;) {
		igt_assert_eq(read(orders, &m, sizeof(m)), sizeof(m));
		if (m.order == START)
			worker_start(&w, tile, m.v);
		else if (m.order == STOP)
			worker_stop(&w, m.v);
		else if (m.order == OPEN)
			worker_each(&w, held_open);
		else if (m.order == FINISH)
			worker_each(&w, held_end);
		else
			return;
		worker_tell(&w, &m);
		igt_assert_eq(write(orders, &m, sizeof(m)), sizeof(m));
	}
}

/* --- the model ------------------------------------------------------------------ */

struct model {
	uint32_t tile, mode, random;
	struct {
		pid_t pid;		/* 0: it is not there */
		int orders;
		unsigned int jobs[NUMBERS];
		uint32_t instances[NUMBERS];
	} processes[PROCESSES];
	/* Numbers that have work, on each engine */
	unsigned int loads[DRM_XETILE_MAX_CSLICES];
	uint32_t engines;		/* mask of those that the mode has */
};

static unsigned int draw(struct model *m, unsigned int n)
{
	m->random = m->random * 1664525 + 1013904223;
	return (uint64_t)m->random * n >> 32;
}

static void arrive(struct model *m, unsigned int p)
{
	int ends[2];

	igt_assert_eq(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends), 0);
	m->processes[p].pid = fork();
	igt_assert_lte(0, m->processes[p].pid);
	if (!m->processes[p].pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		worker(ends[1], m->tile);
		_exit(0);
	}
	close(ends[1]);
	m->processes[p].orders = ends[0];
}

/* The engines on which the process may be bound to another number: those with the least load */
static uint32_t least_loaded(const struct model *m, unsigned int p)
{
	uint32_t free = m->engines, least = 0;
	unsigned int load = ~0u;

	for (uint32_t v = 0; v < NUMBERS; v++)
		if (m->processes[p].jobs[v])
			free &= ~(1u << m->processes[p].instances[v]);
	for (uint32_t i = 0; i < DRM_XETILE_MAX_CSLICES; i++) {
		if (!(free & 1u << i) || m->loads[i] > load)
			continue;
		least = m->loads[i] < load ? 1u << i : least | 1u << i;
		load = m->loads[i];
	}
	return least;
}

static void order(struct model *m, unsigned int p, enum order what, uint32_t v)
{
	struct message msg = { .order = what, .v = v };
	int orders = m->processes[p].orders;

	igt_assert_eq(write(orders, &msg, sizeof(msg)), sizeof(msg));
	if (what == LEAVE)
		return;
	igt_assert_eq(read(orders, &msg, sizeof(msg)), sizeof(msg));
	if (what == START && !m->processes[p].jobs[v]) {
		uint32_t i = msg.instances[v], least = least_loaded(m, p);

		igt_assert_f(least & 1u << i, "process %u: number %u is on engine %u, least: %#x\n",
			     p, v, i, least);
		m->processes[p].instances[v] = i;
		m->loads[i]++;
	}
	m->processes[p].jobs[v] += what == START;
	m->processes[p].jobs[v] -= what == STOP;
	if (what == STOP && !m->processes[p].jobs[v])
		m->loads[m->processes[p].instances[v]]--;
	/* Whatever has work stays where it is. */
	for (v = 0; v < NUMBERS; v++)
		igt_assert_eq_u32(msg.instances[v],
				  m->processes[p].jobs[v] ? m->processes[p].instances[v] : NEVER);
}

/* The process ends, with all its work. */
static void depart(struct model *m, unsigned int p, bool kill_it)
{
	int status;

	if (kill_it)
		igt_assert_eq(kill(m->processes[p].pid, SIGKILL), 0);
	else
		order(m, p, LEAVE, 0);
	igt_assert_eq(waitpid(m->processes[p].pid, &status, 0), m->processes[p].pid);
	igt_assert(kill_it ? WIFSIGNALED(status) : WIFEXITED(status) && !WEXITSTATUS(status));
	close(m->processes[p].orders);
	for (uint32_t v = 0; v < NUMBERS; v++)
		if (m->processes[p].jobs[v])
			m->loads[m->processes[p].instances[v]]--;
	memset(&m->processes[p], 0, sizeof(m->processes[p]));
}

/* Does debugfs show what the model knows, and no more of these processes? */
static bool is_shown(const struct model *m)
{
	FILE *f = xetile_debugfs_open(card.fd, "slices");
	unsigned int mode, v, i, queues, busy, shown = 0, tile = ~0u, known = 0;
	char line[128];
	bool same = true;
	int pid;

	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "tile%u", &tile) == 1 || tile != m->tile)
			continue;
		igt_assert_eq(sscanf(line, " process %d mode %u slice %u engine ccs%u queues %u busy %u",
				     &pid, &mode, &v, &i, &queues, &busy), 6);
		igt_assert_lt(v, NUMBERS);
		for (unsigned int p = 0; p < PROCESSES; p++) {
			if (m->processes[p].pid != pid)
				continue;
			shown++;
			same &= mode == m->mode && m->processes[p].instances[v] == i &&
				m->processes[p].jobs[v] == queues && busy == queues;
			pid = 0;
			break;
		}
		/* What is left of processes that have ended has no work. */
		same &= !pid || pid == getpid() || !busy;
	}
	fclose(f);
	for (unsigned int p = 0; p < PROCESSES; p++)
		for (v = 0; v < NUMBERS; v++)
			known += !!m->processes[p].jobs[v];
	return same && shown == known;
}

/* A destroyed queue is freed by a worker, a moment later. */
static void assert_shown(const struct model *m)
{
	char line[128];
	FILE *f;

	for (unsigned int looks = 0; looks < 2000; looks++) {
		if (is_shown(m))
			return;
		usleep(1000);
	}
	f = xetile_debugfs_open(card.fd, "slices");
	while (fgets(line, sizeof(line), f))
		igt_info("%s", line);
	for (unsigned int p = 0; p < PROCESSES; p++)
		for (uint32_t v = 0; v < NUMBERS; v++)
			if (m->processes[p].jobs[v])
				igt_info("model: process %d slice %u engine ccs%u queues %u\n",
					 m->processes[p].pid, v, m->processes[p].instances[v],
					 m->processes[p].jobs[v]);
	fclose(f);
	igt_assert_f(false, "debugfs shows other bindings than the model\n");
}

static unsigned int spread(const struct model *m)
{
	unsigned int least = ~0u, most = 0;

	for (uint32_t i = 0; i < DRM_XETILE_MAX_CSLICES; i++) {
		if (!(m->engines & 1u << i))
			continue;
		least = m->loads[i] < least ? m->loads[i] : least;
		most = m->loads[i] > most ? m->loads[i] : most;
	}
	return most - least;
}

static void step(struct model *m)
{
	unsigned int p = draw(m, PROCESSES), what = draw(m, 8);
	uint32_t v = draw(m, m->mode);

	if (!m->processes[p].pid) {
		arrive(m, p);
		order(m, p, START, v);
	} else if (what < 2) {
		depart(m, p, what);
		assert_shown(m);
	} else if (m->processes[p].jobs[v] < TWINS && what < 6) {
		order(m, p, START, v);
	} else if (m->processes[p].jobs[v]) {
		order(m, p, STOP, v);
		assert_shown(m);
	}
}

/*
 * Batches of this process keep all engines, and those of the others are at no time on an engine:
 * so no engine has to change between 64 contexts, and all of them can be looked at.
 */
static void test_random(uint32_t tile, unsigned int mode, unsigned int steps)
{
	struct model *m = calloc(1, sizeof(*m));
	struct held keepers[NUMBERS];

	igt_assert(m);
	m->tile = tile;
	m->mode = mode;
	m->random = 8 * mode + tile;
	for (uint32_t v = 0; v < mode; v++) {
		uint32_t i;

		held_start(&keepers[v], tile, v, DRM_XETILE_PRIORITY_HIGH);
		xetile_assert_soon(held_runs(&keepers[v]));
		i = instance(keepers[v].c.fd, keepers[v].queue);
		igt_assert_eq(m->engines & 1u << i, 0);
		m->engines |= 1u << i;
		m->loads[i] = 1;
	}
	/* All alike: the spread is never more than one. */
	for (unsigned int p = 0; p < PROCESSES; p++) {
		arrive(m, p);
		order(m, p, START, p % mode);
		igt_assert_lte(spread(m), 1);
	}
	assert_shown(m);
	for (unsigned int n = 0; n < steps; n++)
		step(m);
	for (unsigned int p = 0; p < PROCESSES; p++)
		if (m->processes[p].pid)
			order(m, p, OPEN, 0);
	for (uint32_t v = 0; v < mode; v++)
		held_open(&keepers[v]);
	for (unsigned int p = 0; p < PROCESSES; p++) {
		if (!m->processes[p].pid)
			continue;
		order(m, p, FINISH, 0);
		depart(m, p, false);
	}
	for (uint32_t v = 0; v < mode; v++) {
		held_end(&keepers[v]);
		held_stop(&keepers[v]);
	}
	free(m);
}

/* --- what the card counts ------------------------------------------------------- */

/* A process whose queues, all on slice 0, each run a walker and then stay on their engine */
struct counted {
	volatile uint32_t stays;	/* queues that do so */
	volatile uint32_t instance, end;
};

static void count_and_stay(struct counted *s, uint32_t tile, unsigned int queues)
{
	struct xetile_buf isa, counts, batch[TWINS];
	uint32_t q[TWINS], hold[TWINS];
	struct xetile_batch b;
	struct ctx c;

	ctx_init(&c, xetile_reopen(card.fd));
	xetile_buf_init(&isa, c.fd, c.vm, ISA_ADDR, SZ_64K, DRM_XETILE_PLACE_SYSTEM);
	xetile_buf_init(&counts, c.fd, c.vm, COUNTS_ADDR, SZ_64K, DRM_XETILE_PLACE_SYSTEM);
	for (unsigned int i = 0; i < queues; i++) {
		struct drm_xetile_sync sync = { .flags = DRM_XETILE_SYNC_SIGNAL };

		hold[i] = sync.handle = xetile_syncobj(c.fd);
		q[i] = xetile_queue(c.fd, c.vm, COMPUTE, CSLICE, tile, 0);
		xetile_buf_init(&batch[i], c.fd, c.vm, DATA_ADDR + i * SZ_64K, SZ_64K,
				DRM_XETILE_PLACE_SYSTEM);
		igt_assert_eq(__xetile_exec(c.fd, q[i], count_batch(&batch[i], &isa, COUNTS_ADDR, 8,
								     1, 1, COUNT_AS_DRIVER),
					    NULL, 0), 0);
		batch_begin(&b, &c.batch, 4096 * i);
		batch_store(&b, c.gate.addr + 64 + 4 * i, 1, false);
		batch_wait(&b, c.gate.addr, 1);
		batch_end(&b);
		igt_assert_eq(__xetile_exec(c.fd, q[i], batch_addr(&b), &sync, 1), 0);
	}
	for (unsigned int i = 0; i < queues; i++)
		xetile_assert_soon(((volatile uint32_t *)c.gate.map)[16 + i]);
	s->instance = instance(c.fd, q[0]);
	s->stays = queues;
	xetile_assert_soon(s->end);
	for (unsigned int i = 0; i < queues; i++) {
		igt_assert_eq_u32(instance(c.fd, q[i]), s->instance);
		igt_assert_eq(xetile_fence_status(c.fd, hold[i]), 0);
	}
	c.gate.map[0] = 1;
	for (unsigned int i = 0; i < queues; i++)
		xetile_wait_done(c.fd, hold[i]);
}

static uint64_t counter(uint32_t tile, uint32_t instance, const char *name)
{
	char engine[32];

	snprintf(engine, sizeof(engine), "tile%u.ccs%u", tile, instance);
	return lab_counter(engine, name);
}

/*
 * Two processes on slice 0 work at the same time on two engines, with slices that they do not
 * share; the twins of one process are on one engine, in turns.
 */
static void test_counted(uint32_t tile)
{
	struct counted *s = mmap(NULL, 2 * sizeof(*s), PROT_READ | PROT_WRITE,
				 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	uint64_t before[DRM_XETILE_MAX_CSLICES];
	uint32_t slices = 0;

	igt_assert(s != MAP_FAILED);
	for (uint32_t i = 0; i < DRM_XETILE_MAX_CSLICES; i++)
		before[i] = counter(tile, i, "walkers");
	igt_fork(child, 2)
		count_and_stay(&s[child], tile, child ? 1 : TWINS);
	xetile_assert_soon(s[0].stays && s[1].stays);
	/* Between two turns of the twins their engine has no context. */
	xetile_assert_soon(lab_engines("active") == 2);
	igt_assert_neq(s[0].instance, s[1].instance);
	for (uint32_t i = 0; i < DRM_XETILE_MAX_CSLICES; i++) {
		uint64_t walkers = 0;

		for (unsigned int p = 0; p < 2; p++)
			if (s[p].instance == i)
				walkers = s[p].stays;
		igt_assert_eq_u64(counter(tile, i, "walkers") - before[i], walkers);
		if (!walkers)
			continue;
		igt_assert_eq_u64(slices & counter(tile, i, "last_cslices"), 0);
		slices |= counter(tile, i, "last_cslices");
	}
	igt_assert_eq_u32(slices, card.tiles[tile].cslice_mask);
	s[0].end = 1;
	s[1].end = 1;
	igt_waitchildren();
	munmap(s, 2 * sizeof(*s));
}

igt_main
{
	igt_fixture {
		card.fd = lab_open();
		close(card.fd);
		xetile_open_card(&card);
		igt_install_exit_handler(restore);
	}
	for (unsigned int mode = 2; mode <= NUMBERS; mode *= 2) {
		igt_describe("Up to 64 processes come and go: each number is on a least loaded "
			     "engine of its own, and stays while it has work (S72-S76, S93, S94)");
		igt_subtest_f("random-%u", mode) {
			set_mode(mode);
			/* Only there a check that fails ends a process, and not this one. */
			igt_fork(child, 1)
				test_random(mode == 2 ? card.device.num_tiles - 1 : 0, mode, STEPS);
			igt_waitchildren();
			set_mode(1);
		}
		igt_fixture
			restore(0);
	}
	igt_describe("Two processes on slice 0 work on two engines at the same time, twins of one "
		     "on one engine, as the card counts (S73-S75, C10)");
	igt_subtest("counted") {
		set_mode(2);
		for (uint32_t t = 0; t < card.device.num_tiles; t++)
			test_counted(t);
		set_mode(1);
	}
	igt_fixture {
		restore(0);
		close(card.fd);
		card.fd = -1;
	}
}
