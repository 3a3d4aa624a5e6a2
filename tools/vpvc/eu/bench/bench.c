// SPDX-License-Identifier: MIT
/*
 * Measures the execution units: kernels against the same loops on a CPU.
 *
 *   eu-bench                   this host alone
 *   eu-bench --loops           the loops on this CPU, one line each: name, ns
 *   eu-bench --kernels         the same for the kernels on one core
 *   eu-bench --beside LOOPS KERNELS
 *                              ratios to the loops in the file LOOPS, printed on another CPU;
 *                              KERNELS has earlier times of the kernels on this one
 *
 * A kernel and its loop do the same work. Times are processor time of the whole process, the
 * best of many rounds, because other load only adds to them. For the same reason the best line
 * of a file counts if it has several, printed at different moments.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "eu/bench/loops.h"
#include "eu/tests/kernels.h"
#include "eu/tests/machine.h"

#define TRIAD_N		(128u * 1024)
#define MATMUL_N	128u
#define NBODY_ITEMS	1024u
#define NBODY_N		512u
#define REDUCE_GROUPS	256u
#define DIVERGE_ITEMS	4096u
#define ROUNDS		7		/* at least, and until they took this long together: */
#define ROUNDS_NS	300000000u
#define MAX_CORES	64u

/* One problem: a kernel with its arguments, and the loop that computes the same */
struct job {
	const char *name;
	const struct kernel *kernel;
	unsigned int groups[3], local[3];
	size_t words[3];		/* of the output and the inputs */
	uint64_t scalar;		/* last argument */
	bool is_float;
	void (*loop)(const struct job *job, void *const *buffers);
};

static void run_triad(const struct job *job, void *const *b)
{
	float s;

	memcpy(&s, &job->scalar, sizeof(s));
	loop_triad(b[0], b[1], b[2], s, TRIAD_N);
}

static void run_matmul(const struct job *job, void *const *b)
{
	loop_matmul(b[0], b[1], b[2], (unsigned int)job->scalar);
}

static void run_nbody(const struct job *job, void *const *b)
{
	loop_nbody(b[0], b[1], NBODY_ITEMS, (unsigned int)job->scalar);
}

static void run_reduce(const struct job *job, void *const *b)
{
	(void)job;
	loop_reduce(b[0], b[1], REDUCE_GROUPS);
}

static void run_diverge(const struct job *job, void *const *b)
{
	(void)job;
	loop_diverge(b[0], b[1], DIVERGE_ITEMS);
}

static const struct job jobs[] = {
	{ "triad", &triad_32, {TRIAD_N / 256, 1, 1}, {256, 1, 1},
	  {TRIAD_N, TRIAD_N, TRIAD_N}, 0x3fd9999a, true, run_triad },
	{ "matmul", &matmul_32, {MATMUL_N / 16, MATMUL_N / 16, 1}, {16, 16, 1},
	  {MATMUL_N * MATMUL_N, MATMUL_N * MATMUL_N, MATMUL_N * MATMUL_N}, MATMUL_N,
	  true, run_matmul },
	{ "nbody", &nbody_32, {NBODY_ITEMS / 64, 1, 1}, {64, 1, 1},
	  {4 * NBODY_ITEMS, 4 * NBODY_ITEMS, 0}, NBODY_N, true, run_nbody },
	{ "reduce", &reduce_32, {REDUCE_GROUPS, 1, 1}, {256, 1, 1},
	  {REDUCE_GROUPS, REDUCE_GROUPS * 1024, 0}, 0, false, run_reduce },
	{ "diverge", &diverge_32, {DIVERGE_ITEMS / 64, 1, 1}, {64, 1, 1},
	  {DIVERGE_ITEMS, DIVERGE_ITEMS, 0}, 0, false, run_diverge },
};

#define JOBS (sizeof(jobs) / sizeof(jobs[0]))

/* Processor time of all threads together */
static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000u + t.tv_nsec;
}

static void fill(const struct job *job, void *const *buffers)
{
	uint64_t seed = 5;

	for (int i = 1; i < 3; i++)
		for (size_t k = 0; k < job->words[i]; k++) {
			uint32_t r = (uint32_t)test_random(&seed) % 1000;
			float f = (float)r / 250 - 2;

			if (job->is_float)
				memcpy((uint32_t *)buffers[i] + k, &f, sizeof(f));
			else
				((uint32_t *)buffers[i])[k] = r;
		}
}

/* Best time of the loop on this CPU; the results stay in buffers[0]. */
static uint64_t time_loop(const struct job *job, void **buffers)
{
	uint64_t best = UINT64_MAX, sum = 0;

	for (int i = 0; i < 3; i++) {
		buffers[i] = calloc(job->words[i] ? : 1, 4);
		if (!buffers[i])
			exit(1);
	}
	fill(job, buffers);
	for (int round = 0; round < ROUNDS || sum < ROUNDS_NS; round++) {
		uint64_t start = now_ns(), ns;

		job->loop(job, buffers);
		ns = now_ns() - start;
		sum += ns;
		if (ns < best)
			best = ns;
	}
	return best;
}

static void free_buffers(void **buffers)
{
	for (int i = 0; i < 3; i++)
		free(buffers[i]);
}

/* One span for all memory, like a large leaf */
static int translate(void *ctx, uint64_t va, bool write, struct eu_span *span)
{
	struct machine *m = ctx;

	(void)write;
	if (va < MACHINE_BASE || va - MACHINE_BASE >= MACHINE_SIZE)
		return -EFAULT;
	span->host = m->memory;
	span->va = MACHINE_BASE;
	span->size = MACHINE_SIZE;
	span->writable = true;
	return 0;
}

/* Results may differ slightly: sums have another order, and -O2 does not fuse. */
static void check(const struct job *job, const void *got, const void *want)
{
	for (size_t i = 0; i < job->words[0]; i++) {
		uint32_t a = ((const uint32_t *)got)[i], b = ((const uint32_t *)want)[i];
		float x, y;

		memcpy(&x, &a, sizeof(x));
		memcpy(&y, &b, sizeof(y));
		if (job->is_float ? fabsf(x - y) <= 1e-3f * fabsf(y) + 1e-3f : a == b)
			continue;
		fprintf(stderr, "%s: word %zu is 0x%08x, not 0x%08x\n", job->name, i, a, b);
		exit(1);
	}
}

struct result {
	uint64_t ns, instructions, lanes;
};

/*
 * Best time of the kernel; the result is compared with @want unless that is NULL. @strict: as the
 * strict card calls the execution units
 */
static struct result time_kernel(const struct job *job, unsigned int cores, bool strict,
				 void *want)
{
	struct result r = { .ns = UINT64_MAX };
	uint64_t args[4] = {}, sum = 0;
	struct machine m;
	void *buffers[3];
	unsigned int n = 0;

	machine_init(&m);
	m.view.translate = translate;
	m.cache = eu_cache_create();
	m.host_threads = cores;
	m.code_generation = strict;
	for (int i = 0; i < 3; i++) {
		if (!job->words[i])
			continue;
		args[n] = machine_alloc(&m, job->words[i] * 4);
		buffers[i] = machine_at(&m, args[n++]);
	}
	args[n] = job->scalar;
	fill(job, buffers);
	for (int round = 0; round < ROUNDS || sum < ROUNDS_NS; round++) {
		uint64_t start = now_ns(), ns;

		if (machine_run(&m, job->kernel, job->groups, job->local, args)) {
			fprintf(stderr, "%s: %s\n", job->name, m.stop.text);
			exit(1);
		}
		ns = now_ns() - start;
		sum += ns;
		if (ns < r.ns)
			r.ns = ns;
	}
	r.instructions = m.counters.instructions;
	r.lanes = m.counters.lanes;
	if (want)
		check(job, buffers[0], want);
	eu_cache_free(m.cache);
	machine_fini(&m);
	return r;
}

/* The best time of loop or kernel @name in @file, which has lines "name ns"; 0: none */
static uint64_t best_in(const char *file, const char *name)
{
	unsigned long long ns, best = 0;
	char word[32];
	FILE *f = file ? fopen(file, "r") : NULL;

	while (f && fscanf(f, "%31s %llu", word, &ns) == 2)
		if (!strcmp(word, name) && (!best || ns < best))
			best = ns;
	if (f)
		fclose(f);
	return best;
}

static void print_row(const struct job *job, uint64_t loop, const char *loops, const char *kernels,
		      unsigned int cores)
{
	struct result one = time_kernel(job, 1, false, NULL);
	struct result strict = time_kernel(job, 1, true, NULL);
	struct result all = time_kernel(job, cores, false, NULL);
	uint64_t guest = best_in(loops, job->name), earlier = best_in(kernels, job->name);
	char text[32] = "-";
	double strict_ratio = (double)strict.ns / one.ns;

	if (earlier && earlier < one.ns)
		one.ns = earlier;
	if (guest)
		snprintf(text, sizeof(text), "%.2f", (double)one.ns / guest);
	printf("%-8s %10.1f %12.0f %10.2f %10.2f %12.2f %12s\n", job->name,
	       one.instructions * 1e3 / one.ns, one.lanes * 1e3 / one.ns,
	       (double)one.ns / all.ns, strict_ratio, (double)one.ns / loop, text);
}

static void print_head(unsigned int cores)
{
	printf("Per core: M instructions and M lanes a second of processor time. Work\n"
	       "kept: that of 1 core over the sum of %u. Strict: how much longer the\n"
	       "kernel takes as the strict card calls it. Kernel over loop: how much\n"
	       "longer it takes than the same loop on this CPU (gcc -O2), and on the\n"
	       "guest's.\n\n%-8s %10s %12s %10s %10s %12s %12s\n", cores, "kernel",
	       "M instr/s", "M lanes/s", "work kept", "strict", "/ host loop", "/ guest loop");
}

int main(int argc, char **argv)
{
	bool loops_only = argc == 2 && !strcmp(argv[1], "--loops");
	bool kernels_only = argc == 2 && !strcmp(argv[1], "--kernels");
	bool beside = argc == 4 && !strcmp(argv[1], "--beside");
	unsigned int cores = (unsigned int)sysconf(_SC_NPROCESSORS_ONLN);

	if (argc > 1 && !loops_only && !kernels_only && !beside) {
		fprintf(stderr, "usage: eu-bench [--loops | --kernels | --beside LOOPS KERNELS]\n");
		return 2;
	}
	if (cores > MAX_CORES)
		cores = MAX_CORES;
	if (!loops_only && !kernels_only)
		print_head(cores);
	for (size_t i = 0; i < JOBS; i++) {
		const struct job *job = &jobs[i];
		void *buffers[3];
		uint64_t ns = time_loop(job, buffers);

		if (!loops_only)
			time_kernel(job, 1, false, buffers[0]);	/* checks the result */
		if (kernels_only)
			ns = time_kernel(job, 1, false, NULL).ns;
		if (loops_only || kernels_only)
			printf("%s %llu\n", job->name, (unsigned long long)ns);
		else
			print_row(job, ns, beside ? argv[2] : NULL, beside ? argv[3] : NULL, cores);
		fflush(stdout);
		free_buffers(buffers);
	}
	return 0;
}
