// SPDX-License-Identifier: MIT
/*
 * Processes that are killed at work, and a card that goes under them, at random moments; queues
 * that are inherited, by fork and by exec, and queues of two threads. After each round the card
 * works, and nothing is left of the round. There are few rounds, or XETILE_LIFETIMES=n.
 * Statements: S75, S108, W12.
 *
 * suite: hotplug
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <xf86drm.h>

#include "xetile_job.h"
#include "xetile_lab.h"

IGT_TEST_DESCRIPTION("Queues of processes that end in all ways");

#define PAIRS		3u		/* of processes that share a file and a queue */
#define WORKERS		(2 * PAIRS)
#define ROUNDS		5u
#define LAUNCHES	200u		/* of each thread */
#define DEPTH		8u

static uint32_t random_state = 1;

static unsigned int draw(unsigned int n)
{
	random_state = random_state * 1664525 + 1013904223;
	return (uint64_t)random_state * n >> 32;
}

/* --- nothing is left ------------------------------------------------------------ */

static unsigned int references(void)
{
	char text[32];

	igt_assert_eq(xetile_read_file("/sys/module/xetile/refcnt", text, sizeof(text)), 0);
	return strtoul(text, NULL, 10);
}

static bool has_slices(int fd)
{
	FILE *f = xetile_debugfs_open(fd, "slices");
	char line[128];
	bool any = false;

	while (fgets(line, sizeof(line), f))
		any |= strncmp(line, "tile", 4) != 0;
	fclose(f);
	return any;
}

/* The card works; no engine, no memory and no slice is in use, and @used references are held. */
static void check_card(unsigned int used)
{
	int fd = xetile_open();

	job_check_usable(fd);
	xetile_wait_engines_free(fd);
	xetile_wait_hbm_free(fd);
	xetile_assert_soon(!has_slices(fd));
	close(fd);
	xetile_assert_soon(references() <= used);
}

/* --- processes at work ---------------------------------------------------------- */

static void on_sigbus(int sig)
{
	(void)sig;
	_exit(0);
}

/* Works until it is killed or the card is gone. @me has words and a batch of its own. */
static void work(struct ctx *c, uint32_t queue, unsigned int me, int ready)
{
	volatile uint32_t *word = &c->gate.map[16 * me];
	struct drm_xetile_sync sync = {
		.handle = xetile_syncobj(c->fd), .flags = DRM_XETILE_SYNC_SIGNAL,
	};
	int err = 0, fence;

	/* Memory of a card that is gone may be none, or be empty. */
	signal(SIGBUS, on_sigbus);
	for (uint32_t n = 1; !err; n++) {
		uint32_t seen = n;
		struct drm_xetile_bo_create args = {
			.size = SZ_2M, .placement = DRM_XETILE_PLACE_HBM,
		};
		struct xetile_batch b;

		batch_begin(&b, &c->batch, 4096 * me);
		batch_store(&b, c->gate.addr + 64 * me, n, false);
		batch_end(&b);
		err = __xetile_exec(c->fd, queue, batch_addr(&b), &sync, 1);
		if (!err)
			err = __xetile_bo_create(c->fd, &args);
		if (!err)
			err = __xetile_wait(c->fd, sync.handle, 60000);
		/* Every fence signals, whatever became of its batch. */
		igt_assert_neq(err, -ETIME);
		if (!err && drmSyncobjExportSyncFile(c->fd, sync.handle, &fence))
			err = -errno;
		if (!err && xetile_file_end(fence) == 1)
			seen = *word;
		/* If the memory went before the word was read, this call finds no card either. */
		if (!err && drmCloseBufferHandle(c->fd, args.handle))
			err = -errno;
		if (!err)
			igt_assert_eq_u32(seen, n);
		if (n == 2)
			igt_assert_eq(write(ready, "", 1), 1);
	}
	igt_assert_f(err == -ENODEV || err == -EIO, "%s\n", strerror(-err));
}

/* Two processes inherit a file, and work on its queue. */
static void start_pair(pid_t *pids, unsigned int pair, int ready)
{
	static const uint32_t kinds[PAIRS][2] = { { COMPUTE, ROOT }, { COMPUTE, TILE }, { COPY, TILE } };
	uint32_t queue;
	struct ctx c;

	ctx_init(&c, xetile_open());
	queue = xetile_queue(c.fd, c.vm, kinds[pair][0], kinds[pair][1], 0, 0);
	for (unsigned int i = 0; i < 2; i++) {
		pids[i] = fork();
		igt_assert_lte(0, pids[i]);
		if (!pids[i]) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			work(&c, queue, i, ready);
			_exit(0);
		}
	}
	munmap(c.batch.map, c.batch.size);
	munmap(c.gate.map, c.gate.size);
	close(c.fd);
}

static void start_workers(pid_t *pids)
{
	int ready[2];
	char byte;

	igt_assert_eq(pipe(ready), 0);
	for (unsigned int pair = 0; pair < PAIRS; pair++)
		start_pair(pids + 2 * pair, pair, ready[1]);
	close(ready[1]);
	for (unsigned int i = 0; i < WORKERS; i++)
		igt_assert_eq(read(ready[0], &byte, 1), 1);
	close(ready[0]);
}

/* --- ends at random ------------------------------------------------------------- */

enum end { KILLED, UNBOUND, PULLED, SNATCHED, ENDS };

/* One after the other, with moments between in which the others go on */
static void kill_workers(const pid_t *pids)
{
	for (unsigned int i = 0; i < WORKERS; i++) {
		igt_assert_eq(kill(pids[i], SIGKILL), 0);
		if (draw(2))
			usleep(draw(3000));
	}
}

static void put_back(void)
{
	char path[64];

	lab_plug(true);
	xetile_assert_soon(!xetile_open_path(path, sizeof(path)));
}

static void end_workers(const pid_t *pids, enum end how, const char *address)
{
	if (how == KILLED)
		kill_workers(pids);
	else if (how == UNBOUND)
		igt_assert_eq(xetile_write_driver("unbind", address), 0);
	else if (how == SNATCHED)
		lab_inject("unplug");
	if (how == PULLED || how == SNATCHED)
		lab_plug(false);
	for (unsigned int i = 0; i < WORKERS; i++) {
		int status;

		igt_assert_eq(waitpid(pids[i], &status, 0), pids[i]);
		igt_assert(how == KILLED ? WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL :
					   WIFEXITED(status) && !WEXITSTATUS(status));
	}
	if (how == UNBOUND)
		igt_assert_eq(xetile_write_driver("bind", address), 0);
	else if (how != KILLED)
		put_back();
}

static void test_ends(unsigned int rounds)
{
	unsigned int used = references(), count[ENDS] = { 0 };
	char address[64];

	xetile_bound_card(address, sizeof(address));
	for (unsigned int n = 0; n < rounds; n++) {
		/* Each kind once, and from then on at random, most often the quick one */
		enum end how = n < ENDS ? n : draw(4) ? KILLED : draw(ENDS);
		pid_t pids[WORKERS];

		start_workers(pids);
		usleep(draw(20000));
		end_workers(pids, how, address);
		check_card(used);
		count[how]++;
	}
	igt_info("note: %u times killed, %u unbound, %u pulled out, %u snatched away\n",
		 count[KILLED], count[UNBOUND], count[PULLED], count[SNATCHED]);
}

/* --- queues that are inherited -------------------------------------------------- */

/* A held batch in a file that others inherit: dword 0 of the gate lets it go. */
static void bequeath(struct ctx *c, uint32_t *queue, struct drm_xetile_sync *sync)
{
	struct drm_xetile_queue_create args = {
		.engine_class = COMPUTE, .target = ROOT, .timeout_ms = 300000,
	};
	struct xetile_batch b;

	ctx_init(c, xetile_open());
	/* Until somebody lets it go, or it is ended: on a slow machine that may take a while. */
	args.vm_id = c->vm;
	igt_assert_eq(__xetile_queue_create(c->fd, &args), 0);
	*queue = args.queue_id;
	*sync = (struct drm_xetile_sync) {
		.handle = xetile_syncobj(c->fd), .flags = DRM_XETILE_SYNC_SIGNAL,
	};
	batch_begin(&b, &c->batch, 0);
	batch_wait(&b, c->gate.addr, 1);
	batch_store(&b, c->gate.addr + 64, 1, false);
	batch_end(&b);
	igt_assert_eq(__xetile_exec(c->fd, *queue, batch_addr(&b), sync, 1), 0);
}

/* The heir lets the batch go, and goes on with the queue. */
static void inherit(struct ctx *c, uint32_t queue, struct drm_xetile_sync *sync)
{
	struct xetile_batch b;

	igt_assert_eq(xetile_fence_status(c->fd, sync->handle), 0);
	*(volatile uint32_t *)c->gate.map = 1;
	xetile_wait_done(c->fd, sync->handle);
	igt_assert_eq_u32(((volatile uint32_t *)c->gate.map)[16], 1);
	batch_begin(&b, &c->batch, 4096);
	batch_store(&b, c->gate.addr + 128, 2, false);
	batch_end(&b);
	xetile_run(c->fd, queue, batch_addr(&b));
	igt_assert_eq_u32(((volatile uint32_t *)c->gate.map)[32], 2);
}

/* The process that made the queue is killed while its batch runs: the queue is its child's. */
static void test_fork(void)
{
	unsigned int used = references();
	int go[2], done[2], status;
	char byte;
	pid_t pid;

	igt_assert_eq(pipe(go), 0);
	igt_assert_eq(pipe(done), 0);
	pid = fork();
	igt_assert_lte(0, pid);
	if (!pid) {
		struct drm_xetile_sync sync;
		uint32_t queue;
		struct ctx c;

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		bequeath(&c, &queue, &sync);
		if (!fork()) {
			close(go[1]);
			igt_assert_eq(read(go[0], &byte, 1), 1);
			inherit(&c, queue, &sync);
			igt_assert_eq(write(done[1], "", 1), 1);
			_exit(0);
		}
		igt_assert_eq(write(done[1], "", 1), 1);
		pause();
	}
	close(done[1]);
	igt_assert_eq(read(done[0], &byte, 1), 1);
	igt_assert_eq(kill(pid, SIGKILL), 0);
	igt_assert_eq(waitpid(pid, &status, 0), pid);
	igt_assert_eq(write(go[1], "", 1), 1);
	igt_assert_eq(read(done[0], &byte, 1), 1);
	/* The child has ended, too. */
	igt_assert_eq(read(done[0], &byte, 1), 0);
	close(go[0]);
	close(go[1]);
	close(done[0]);
	check_card(used);
}

/* A process gives a queue up whose batch would run for long, and ends: so does the batch. */
static void test_given_up(void)
{
	unsigned int used = references();
	int status;
	pid_t pid = fork();

	igt_assert_lte(0, pid);
	if (!pid) {
		struct drm_xetile_sync sync;
		uint32_t queue;
		struct ctx c;

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		bequeath(&c, &queue, &sync);
		xetile_queue_destroy(c.fd, queue);
		/* Meanwhile it goes on. */
		igt_assert_eq(__xetile_wait(c.fd, sync.handle, 50), -ETIME);
		_exit(0);
	}
	igt_assert_eq(waitpid(pid, &status, 0), pid);
	igt_assert(WIFEXITED(status) && !WEXITSTATUS(status));
	check_card(used);
}

#define HEIR	"XETILE_HEIR"

/* Another program, which knows the file and the ids only */
static void be_heir(const char *legacy)
{
	struct drm_xetile_sync sync = { .flags = DRM_XETILE_SYNC_SIGNAL };
	struct ctx c = { 0 };
	uint32_t queue;

	igt_assert_eq(sscanf(legacy, "%d %u %u %u %u", &c.fd, &queue, &sync.handle, &c.batch.handle,
			     &c.gate.handle), 5);
	c.batch.size = SZ_64K;
	c.batch.addr = BATCH_ADDR;
	c.batch.map = xetile_bo_map(c.fd, c.batch.handle, c.batch.size);
	c.gate.size = SZ_64K;
	c.gate.addr = GATE_ADDR;
	c.gate.map = xetile_bo_map(c.fd, c.gate.handle, c.gate.size);
	inherit(&c, queue, &sync);
	_exit(0);
}

/* The process becomes another program while its batch runs. */
static void test_exec(void)
{
	unsigned int used = references();
	int status;
	pid_t pid = fork();

	igt_assert_lte(0, pid);
	if (!pid) {
		struct drm_xetile_sync sync;
		uint32_t queue;
		char legacy[80];
		struct ctx c;

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		bequeath(&c, &queue, &sync);
		snprintf(legacy, sizeof(legacy), "%d %u %u %u %u", c.fd, queue, sync.handle,
			 c.batch.handle, c.gate.handle);
		igt_assert_eq(setenv(HEIR, legacy, 1), 0);
		igt_assert_eq(fcntl(c.fd, F_SETFD, 0), 0);
		execl("/proc/self/exe", "xetile_lifetime", NULL);
		_exit(1);
	}
	igt_assert_eq(waitpid(pid, &status, 0), pid);
	igt_assert(WIFEXITED(status) && !WEXITSTATUS(status));
	check_card(used);
}

/* --- two threads on one queue --------------------------------------------------- */

struct thread {
	struct ctx *c;
	uint32_t queue, word;		/* dword of the gate that it counts in */
	uint32_t syncobjs[DEPTH];
	int error;
};

/* No checks that leave the function: another thread would go on in the test. */
static void *launch_many(void *arg)
{
	struct thread *t = arg;
	uint64_t count = t->c->gate.addr + 4 * t->word;

	for (uint32_t i = 0; i < LAUNCHES + DEPTH && !t->error; i++) {
		struct drm_xetile_sync sync = {
			.handle = t->syncobjs[i % DEPTH], .flags = DRM_XETILE_SYNC_SIGNAL,
		};
		struct xetile_batch b;

		if (i >= DEPTH)
			t->error = __xetile_wait(t->c->fd, sync.handle, 60000);
		if (i >= LAUNCHES || t->error)
			continue;
		/* All before have run, each once: else it waits for ever. */
		batch_begin(&b, &t->c->batch, 256 * (t->word * DEPTH + i % DEPTH));
		batch_wait(&b, count, i);
		batch_atomic_inc(&b, count);
		batch_end(&b);
		t->error = __xetile_exec(t->c->fd, t->queue, batch_addr(&b), &sync, 1);
	}
	return NULL;
}

static void test_threads(void)
{
	struct thread threads[2];
	unsigned int used = references();
	pthread_t ids[2];
	uint32_t queue;
	struct ctx c;

	ctx_init(&c, xetile_open());
	queue = xetile_queue(c.fd, c.vm, COMPUTE, TILE, 0, 0);
	for (unsigned int i = 0; i < 2; i++) {
		threads[i] = (struct thread) { .c = &c, .queue = queue, .word = i };
		for (unsigned int s = 0; s < DEPTH; s++)
			threads[i].syncobjs[s] = xetile_syncobj(c.fd);
		igt_assert_eq(pthread_create(&ids[i], NULL, launch_many, &threads[i]), 0);
	}
	for (unsigned int i = 0; i < 2; i++)
		igt_assert_eq(pthread_join(ids[i], NULL), 0);
	for (unsigned int i = 0; i < 2; i++) {
		igt_assert_eq(threads[i].error, 0);
		for (unsigned int s = 0; s < DEPTH; s++)
			igt_assert_eq(xetile_fence_status(c.fd, threads[i].syncobjs[s]), 1);
		igt_assert_eq_u32(c.gate.map[i], LAUNCHES);
	}
	ctx_fini(&c);
	close(c.fd);
	check_card(used);
}

/* A check that fails ends only a process that igt_fork() has made, and its children. */
static void apart(void (*test)(void))
{
	igt_fork(child, 1)
		test();
	igt_waitchildren();
}

static void test_all_ends(void)
{
	const char *rounds = getenv("XETILE_LIFETIMES");

	test_ends(rounds ? strtoul(rounds, NULL, 10) : ROUNDS);
}

igt_main
{
	static char address[64];

	if (getenv(HEIR))
		be_heir(getenv(HEIR));
	igt_fixture {
		igt_assert(!geteuid());
		lab_require_card();
		lab_heal();
		xetile_bound_card(address, sizeof(address));
	}
	igt_describe("A queue must outlive the process that made it, as its file does");
	igt_subtest("fork")
		apart(test_fork);
	igt_describe("A batch of a queue that was given up must end with its file");
	igt_subtest("given-up")
		apart(test_given_up);
	igt_describe("Another program must be able to use a queue that it was given");
	igt_subtest("exec")
		apart(test_exec);
	igt_describe("Of two threads on a queue each batch must run once, and in order");
	igt_subtest("threads")
		apart(test_threads);
	igt_describe("Processes are killed, or the card goes, under load: nothing is stuck or left");
	igt_subtest("ends")
		apart(test_all_ends);
	igt_fixture
		lab_recover(address);
}
