// SPDX-License-Identifier: MIT
/*
 * A fuzzer of the driver's calls, files and mappings, in the guest.
 *
 * Several processes with several threads each run inputs, and an input is a row of calls
 * on the card. The fuzzer makes a new input by small changes of a kept input. It keeps an
 * input that reached places of the driver that no earlier input reached. The kernel reports
 * the places (KCOV) when the module was built for KCOV; otherwise the changes are blind.
 *
 * With --blind, one process and one thread, the same seed makes the same calls. When
 * something breaks, the fuzzer saves the last inputs of every thread.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <regex.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <linux/kcov.h>

#include "fuzz.h"
#include "seeds.h"

#define MAX_PROCESSES	8
#define MAX_THREADS	4
#define MAX_KEPT	4096
#define TEXT_SIZE	(1u << 20)	/* of the module, at most */
#define EDGES		(1u << 18)
#define TRACE		(64u << 10)	/* places that a thread's trace can hold */
#define HISTORY		8		/* inputs of each thread that a find shows */
/*
 * A process that has finished no input for so many seconds is stuck. The driver stops a batch of
 * the fuzzer far sooner.
 */
#define STUCK		120

/* The memory that all processes share */
struct shared {
	pthread_mutex_t lock;
	uint64_t inputs, calls;
	uint32_t places;
	uint32_t num_kept, num_seeds;
	bool stop;
	uint64_t done[MAX_PROCESSES];
	struct {
		uint32_t at;
		struct input last[HISTORY];
	} hands[MAX_PROCESSES][MAX_THREADS];
	struct input kept[MAX_KEPT];
	uint8_t place[TEXT_SIZE];
	uint8_t edge[EDGES];
};

struct thread {
	pthread_t id;
	pthread_barrier_t *begin, *end;
	struct world *world;
	unsigned int process, number;
	uint64_t random;
	struct input now;
	int kcov;
	uint64_t *trace;
	bool *stop;
};

static struct shared *shared;
static struct {
	unsigned int seconds, processes, threads, repeat;
	uint64_t seed, inputs;
	const char *out;
	bool blind, replay;
} options = { .seconds = 60, .processes = 2, .threads = 2, .repeat = 1, .seed = 1 };
static uint64_t text_base;

/* --- random inputs ------------------------------------------------------------------ */

static uint64_t chance(struct thread *t)
{
	/* xorshift64* */
	t->random ^= t->random >> 12;
	t->random ^= t->random << 25;
	t->random ^= t->random >> 27;
	return t->random * 0x2545f4914f6cdd1dull >> 16;
}

static void random_record(struct thread *t, uint8_t *record)
{
	for (unsigned int i = 0; i < RECORD; i++)
		record[i] = chance(t);
	/* Small values have a meaning most often. */
	if (chance(t) & 1)
		for (unsigned int i = 1; i < RECORD; i++)
			record[i] &= 0x1f;
}

static void insert_record(struct thread *t, struct input *in, unsigned int at,
			  const uint8_t *record)
{
	if (in->size == INPUT_SIZE)
		return;
	memmove(in->bytes + (at + 1) * RECORD, in->bytes + at * RECORD, in->size - at * RECORD);
	memcpy(in->bytes + at * RECORD, record, RECORD);
	in->size += RECORD;
}

static void change(struct thread *t, struct input *in, const struct input *mate)
{
	unsigned int n = in->size / RECORD, at = n ? chance(t) % n : 0;
	uint8_t record[RECORD], *p = in->bytes + at * RECORD;

	switch (chance(t) % 8) {
	case 0:
		random_record(t, record);
		insert_record(t, in, n ? chance(t) % (n + 1) : 0, record);
		break;
	case 1: /* double a record */
		if (n)
			insert_record(t, in, at, memcpy(record, p, RECORD));
		break;
	case 2:
		if (n > 1) {
			memmove(p, p + RECORD, in->size - (at + 1) * RECORD);
			in->size -= RECORD;
		}
		break;
	case 3: /* append a record of another input */
		if (mate->size)
			insert_record(t, in, n, mate->bytes +
				      chance(t) % (mate->size / RECORD) * RECORD);
		break;
	case 4: /* take the rest from another input */
		if (mate->size > in->size)
			break;
		memcpy(in->bytes + at * RECORD, mate->bytes + (mate->size > at * RECORD ?
		       at * RECORD : 0), mate->size > at * RECORD ? mate->size - at * RECORD : 0);
		break;
	case 5:
		if (n)
			p[chance(t) % RECORD] ^= 1u << (chance(t) & 7);
		break;
	case 6:
		if (n)
			p[1 + chance(t) % (RECORD - 1)] = 240 + chance(t) % 16;
		break;
	default:
		if (n)
			p[chance(t) % RECORD] = chance(t);
	}
}

static void next_input(struct thread *t)
{
	static __thread struct input mate;
	uint32_t kept = __atomic_load_n(&shared->num_kept, __ATOMIC_ACQUIRE);

	if (!kept || chance(t) % 8 == 0) {
		t->now.size = (1 + chance(t) % 12) * RECORD;
		for (unsigned int at = 0; at < t->now.size; at += RECORD)
			random_record(t, t->now.bytes + at);
		return;
	}
	t->now = shared->kept[chance(t) % kept];
	mate = shared->kept[chance(t) % kept];
	for (unsigned int n = 1 + chance(t) % 6; n; n--)
		change(t, &t->now, &mate);
}

/* --- the places that an input reached --------------------------------------------------------- */

static void kcov_open(struct thread *t)
{
	t->trace = NULL;
	t->kcov = options.blind ? -1 : open("/sys/kernel/debug/kcov", O_RDWR | O_CLOEXEC);
	if (t->kcov < 0)
		return;
	if (ioctl(t->kcov, KCOV_INIT_TRACE, TRACE) ||
	    (t->trace = mmap(NULL, TRACE * 8, PROT_READ | PROT_WRITE, MAP_SHARED, t->kcov, 0)) ==
	    MAP_FAILED || ioctl(t->kcov, KCOV_ENABLE, KCOV_TRACE_PC)) {
		perror("kcov");
		exit(2);
	}
}

/*
 * Returns whether the trace has a place, or a step from one place to another, that no earlier
 * trace had.
 */
static bool judge_trace(struct thread *t)
{
	uint64_t n = __atomic_load_n(&t->trace[0], __ATOMIC_RELAXED), before = 0;
	bool news = false;

	for (uint64_t i = 1; i <= n && i < TRACE; i++) {
		uint64_t at = t->trace[i] - text_base;

		if (at >= TEXT_SIZE)
			continue;
		if (!shared->place[at]) {
			shared->place[at] = 1;
			__atomic_add_fetch(&shared->places, 1, __ATOMIC_RELAXED);
			news = true;
		}
		before = (before * 31 + at) % EDGES;
		if (!shared->edge[before]) {
			shared->edge[before] = 1;
			news = true;
		}
		before = at;
	}
	return news;
}

static void write_input(const char *folder, const char *name, const struct input *in)
{
	char path[256];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (fd < 0 || write(fd, in->bytes, in->size) != (ssize_t)in->size)
		perror(path);
	close(fd);
}

static void keep(const struct input *in)
{
	char name[32];
	uint32_t n;

	pthread_mutex_lock(&shared->lock);
	n = shared->num_kept;
	if (n < MAX_KEPT) {
		shared->kept[n] = *in;
		__atomic_store_n(&shared->num_kept, n + 1, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&shared->lock);
	if (n >= MAX_KEPT || !options.out)
		return;
	snprintf(name, sizeof(name), "kept-%04u", n);
	write_input(options.out, name, in);
}

/* --- running inputs ------------------------------------------------------------------ */

/* Runs the thread's input. Returns whether the input reached a new place. */
static bool run_one(struct thread *t)
{
	typeof(&shared->hands[0][0]) hand = &shared->hands[t->process][t->number];
	bool news;

	hand->last[hand->at] = t->now;
	hand->at = (hand->at + 1) % HISTORY;
	if (t->trace)
		__atomic_store_n(&t->trace[0], 0, __ATOMIC_RELAXED);
	__atomic_add_fetch(&shared->calls, calls_run(t->world, &t->now, options.replay),
			   __ATOMIC_RELAXED);
	news = t->trace && judge_trace(t);
	__atomic_add_fetch(&shared->inputs, 1, __ATOMIC_RELAXED);
	__atomic_add_fetch(&shared->done[t->process], 1, __ATOMIC_RELAXED);
	return news;
}

static void *thread_main(void *data)
{
	struct thread *t = data;

	kcov_open(t);
	for (;;) {
		pthread_barrier_wait(t->begin);
		if (*t->stop)
			break;
		if (run_one(t))
			keep(&t->now);
		pthread_barrier_wait(t->end);
	}
	return NULL;
}

/*
 * The fuzzer writes an input to a file before it runs the input, because nothing can be written
 * after the kernel has died.
 */
static void tell_hands(struct thread *threads, const int *hands)
{
	for (unsigned int i = 0; i < options.threads; i++)
		if (hands[i] >= 0 && (pwrite(hands[i], threads[i].now.bytes, threads[i].now.size, 0) < 0 ||
		    ftruncate(hands[i], threads[i].now.size)))
			perror("hand");
}

static void process_main(unsigned int process)
{
	struct thread threads[MAX_THREADS] = { 0 };
	pthread_barrier_t begin, end;
	int hands[MAX_THREADS];
	struct world world = { 0 };
	char path[256];
	bool stop = false;

	pthread_barrier_init(&begin, NULL, options.threads + 1);
	pthread_barrier_init(&end, NULL, options.threads + 1);
	for (unsigned int i = 0; i < options.threads; i++) {
		threads[i] = (struct thread) {
			.begin = &begin, .end = &end, .world = &world, .process = process,
			.number = i, .stop = &stop,
			.random = options.seed * 0x9e3779b97f4a7c15ull + process * 7919 + i * 104729 + 1,
		};
		snprintf(path, sizeof(path), "%s/hand-%u.%u", options.out ?: "", process, i);
		hands[i] = options.out ? open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644) : -1;
		if (pthread_create(&threads[i].id, NULL, thread_main, &threads[i])) {
			perror("pthread_create");
			exit(2);
		}
	}
	while (!stop) {
		stop = __atomic_load_n(&shared->stop, __ATOMIC_RELAXED) ||
		       (options.inputs && shared->inputs >= options.inputs);
		if (!stop) {
			world_begin(&world);
			for (unsigned int i = 0; i < options.threads; i++)
				next_input(&threads[i]);
			tell_hands(threads, hands);
		}
		pthread_barrier_wait(&begin);
		if (stop)
			break;
		pthread_barrier_wait(&end);
		world_end(&world);
	}
	for (unsigned int i = 0; i < options.threads; i++)
		pthread_join(threads[i].id, NULL);
	exit(0);
}

/* --- watching ----------------------------------------------------------------------- */

static int log_fd = -1;
static regex_t complaint;

static void log_open(void)
{
	log_fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (log_fd < 0 || regcomp(&complaint, "BUG[:!]|WARNING:|KASAN|UBSAN|Oops|cut here|refcount_t|"
				  "possible (recursive|circular|irq)|DMA-API:|suspicious RCU|blocked for more",
				  REG_EXTENDED | REG_NOSUB)) {
		perror("kernel log");
		exit(2);
	}
	lseek(log_fd, 0, SEEK_END);
}

static bool log_complains(void)
{
	char line[8192];
	ssize_t n;

	while ((n = read(log_fd, line, sizeof(line) - 1)) > 0 || (n < 0 && errno == EPIPE)) {
		if (n <= 0)
			continue;
		line[n] = 0;
		/*
		 * Most reports of KCSAN are about the kernel's own code. The lab sorts these
		 * reports at the end.
		 */
		if (strstr(line, "BUG: KCSAN:"))
			continue;
		if (!regexec(&complaint, line, 0, NULL, 0)) {
			printf("fuzz: the kernel says: %s", strchr(line, ';') ?: line);
			return true;
		}
	}
	return false;
}

static void save_hands(void)
{
	char name[64];

	for (unsigned int p = 0; p < options.processes; p++) {
		for (unsigned int t = 0; t < options.threads; t++) {
			typeof(&shared->hands[0][0]) hand = &shared->hands[p][t];

			for (unsigned int i = 0; i < HISTORY; i++) {
				snprintf(name, sizeof(name), "found-%u.%u-%u", p, t, i);
				if (options.out)
					write_input(options.out, name,
						    &hand->last[(hand->at + i) % HISTORY]);
			}
		}
	}
	printf("fuzz: the last inputs of each thread, the oldest first: found-PROCESS.THREAD-N\n");
}

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec + ts.tv_nsec * 1e-9;
}

/*
 * Waits until the time is over or an error occurs. Returns the text of the error, or NULL.
 */
static const char *watch(pid_t *pids)
{
	uint64_t done[MAX_PROCESSES] = { 0 };
	double moved[MAX_PROCESSES], start = now(), said = start;
	unsigned int running = options.processes;
	int status;

	for (unsigned int p = 0; p < options.processes; p++)
		moved[p] = start;
	while (running) {
		usleep(100000);
		if (log_complains())
			return "the kernel complains";
		for (unsigned int p = 0; p < options.processes; p++) {
			if (!pids[p])
				continue;
			if (waitpid(pids[p], &status, WNOHANG) == pids[p]) {
				pids[p] = 0;
				running--;
				if (status)
					return "a process ended by itself";
				continue;
			}
			if (shared->done[p] != done[p]) {
				done[p] = shared->done[p];
				moved[p] = now();
			} else if (now() - moved[p] > STUCK) {
				return "a process is stuck";
			}
		}
		if (now() - start > options.seconds)
			__atomic_store_n(&shared->stop, true, __ATOMIC_RELAXED);
		if (now() - said > 10) {
			said = now();
			printf("fuzz: %.0f s, %llu inputs, %llu calls, %u kept, %u places\n",
			       said - start, (unsigned long long)shared->inputs,
			       (unsigned long long)shared->calls, shared->num_kept, shared->places);
			fflush(stdout);
		}
	}
	return log_complains() ? "the kernel complains" : NULL;
}

/* --- inputs from files ------------------------------------------------------------------ */

static void load_input(const char *path, const uint8_t *bytes, size_t size)
{
	struct input *in = &shared->kept[shared->num_kept];

	if (shared->num_kept == MAX_KEPT || size > INPUT_SIZE) {
		fprintf(stderr, "%s: %s\n", path, size > INPUT_SIZE ? "an input that is too long" :
							     "too many inputs");
		exit(2);
	}
	in->size = size / RECORD * RECORD;
	memcpy(in->bytes, bytes, in->size);
	shared->num_kept++;
}

/* A file NAME.seeds has many inputs; any other file is one input. */
static void load_file(const char *path)
{
	const uint8_t *bytes;
	struct seeds seeds;
	uint8_t *one;
	size_t size;

	if (seeds_named(path)) {
		if (!seeds_open(&seeds, path))
			exit(2);
		while (seeds_next(&seeds, &bytes, &size))
			load_input(path, bytes, size);
		seeds_close(&seeds);
		return;
	}
	one = seeds_read(path, &size);
	if (!one)
		exit(2);
	load_input(path, one, size);
	free(one);
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

/* Loads a file, or all files of a folder. */
static void load(const char *path)
{
	struct dirent **names;
	int n = scandir(path, &names, NULL, by_name);
	char file[512];

	if (n < 0) {
		load_file(path);
		return;
	}
	for (int i = 0; i < n; i++) {
		if (names[i]->d_name[0] == '.')
			continue;
		snprintf(file, sizeof(file), "%s/%s", path, names[i]->d_name);
		load_file(file);
	}
}

/*
 * Runs the inputs from files in their order, before the fuzzer changes any input. With --replay
 * nothing else runs: each call is printed, and --out gets the inputs that reach new places.
 */
static void run_seeds(unsigned int process)
{
	unsigned int turns = options.replay ? options.repeat : 1;
	struct world world = { 0 };
	struct thread t = { .world = &world };
	char name[32];

	kcov_open(&t);
	for (uint32_t i = 0; i < shared->num_seeds * turns; i++) {
		uint32_t n = i % shared->num_seeds;

		t.now = shared->kept[n];
		if (options.replay)
			printf("input %u: %u calls\n", n, t.now.size / RECORD);
		world_begin(&world);
		if (run_one(&t) && options.replay && options.out) {
			snprintf(name, sizeof(name), "%04u", n);
			write_input(options.out, name, &t.now);
		}
		world_end(&world);
	}
	exit(0);
}

static void find_text(void)
{
	FILE *f = fopen("/sys/module/xetile/sections/.text", "r");

	if (!f || fscanf(f, "%llx", (unsigned long long *)&text_base) != 1) {
		fprintf(stderr, "fuzz: cannot read the address of the module\n");
		exit(2);
	}
	fclose(f);
}

static void usage(void)
{
	fprintf(stderr,
		"usage: xetile_fuzz [option...] CARD [SEEDS...]\n"
		"  --seconds N    how long (60)      --seed N       seed of the choices (1)\n"
		"  --processes N  (2)                --threads N    of each process (2)\n"
		"  --out FOLDER   save inputs in this folder\n"
		"  --inputs N     end after N inputs --blind        do not use KCOV\n"
		"  --replay       run only the named files, and print each call; --out\n"
		"                 gets the inputs that reach new places\n"
		"  --repeat N     replay so many times (1)\n");
	exit(2);
}

static void parse(int argc, char **argv)
{
	static const struct option longs[] = {
		{ "seconds", 1, NULL, 's' }, { "seed", 1, NULL, 'S' }, { "processes", 1, NULL, 'p' },
		{ "threads", 1, NULL, 't' }, { "out", 1, NULL, 'o' }, { "inputs", 1, NULL, 'n' },
		{ "blind", 0, NULL, 'b' }, { "replay", 0, NULL, 'r' }, { "repeat", 1, NULL, 'R' },
		{ 0 },
	};
	int c;

	while ((c = getopt_long(argc, argv, "", longs, NULL)) != -1) {
		switch (c) {
		case 's': options.seconds = atoi(optarg); break;
		case 'S': options.seed = strtoull(optarg, NULL, 0); break;
		case 'p': options.processes = atoi(optarg); break;
		case 't': options.threads = atoi(optarg); break;
		case 'o': options.out = optarg; break;
		case 'n': options.inputs = strtoull(optarg, NULL, 0); break;
		case 'b': options.blind = true; break;
		case 'r': options.replay = true; break;
		case 'R': options.repeat = atoi(optarg); break;
		default: usage();
		}
	}
	if (optind == argc || !options.processes || options.processes > MAX_PROCESSES ||
	    !options.threads || options.threads > MAX_THREADS)
		usage();
	if (options.replay)
		options.processes = options.threads = 1;
}

/* Runs @body in child processes, so that the parent can report how they ended. */
static const char *run(void (*body)(unsigned int process), unsigned int processes)
{
	pid_t pids[MAX_PROCESSES] = { 0 };
	const char *wrong;

	options.processes = processes;
	for (unsigned int p = 0; p < processes; p++) {
		fflush(stdout);
		pids[p] = fork();
		if (!pids[p])
			body(p);
	}
	wrong = watch(pids);
	if (wrong)
		save_hands();
	for (unsigned int p = 0; wrong && p < processes; p++)
		if (pids[p])
			kill(pids[p], SIGKILL);
	return wrong;
}

/* A worker of the driver may free the processes' memory a moment after they end. */
static bool comes_back_to(uint64_t before)
{
	for (unsigned int i = 0; i < 300; i++) {
		if (calls_hbm_used() == before)
			return true;
		usleep(100000);
	}
	return false;
}

/*
 * Inputs change the card's settings, and the next test would fail with changed settings. The
 * function tries again because a queue that is freed late keeps the mode until then.
 */
static const char *restore_settings(void)
{
	const char *differs;

	for (unsigned int i = 0; i < 300; i++) {
		differs = calls_restore_settings();
		if (!differs)
			return NULL;
		usleep(100000);
	}
	return differs;
}

int main(int argc, char **argv)
{
	pthread_mutexattr_t attr;
	unsigned int processes;
	const char *wrong = NULL, *differs;
	uint64_t used;
	double start;

	parse(argc, argv);
	setvbuf(stdout, NULL, _IOLBF, 0);
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED) {
		perror("mmap");
		return 2;
	}
	pthread_mutexattr_init(&attr);
	pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
	pthread_mutex_init(&shared->lock, &attr);
	find_text();
	calls_init(argv[optind]);
	for (int i = optind + 1; i < argc; i++)
		load(argv[i]);
	shared->num_seeds = shared->num_kept;
	log_open();
	used = calls_hbm_used();
	start = now();
	processes = options.processes;
	if (shared->num_seeds) {
		wrong = run(run_seeds, 1);
		printf("fuzz: seeds: %u inputs: %u places\n", shared->num_seeds, shared->places);
	}
	if (!wrong && !options.replay && options.seconds)
		wrong = run(process_main, processes);
	if (!wrong && !comes_back_to(used)) {
		printf("fuzz: %lld bytes of HBM stay in use\n", (long long)(calls_hbm_used() - used));
		wrong = "memory is lost";
	}
	differs = restore_settings();
	if (differs) {
		printf("fuzz: the former value of %s cannot be restored\n", differs);
		wrong = wrong ?: "a setting is lost";
	}
	printf("fuzz: %llu inputs, %llu calls in %.0f s, %u processes of %u threads, seed %llu: %u kept, %u places of the driver\n",
	       (unsigned long long)shared->inputs, (unsigned long long)shared->calls, now() - start,
	       processes, options.threads, (unsigned long long)options.seed,
	       shared->num_kept - shared->num_seeds, shared->places);
	if (wrong)
		printf("FAIL fuzz: %s\n", wrong);
	printf("%d passed, %d failed\n", !wrong, !!wrong);
	return !!wrong;
}
