// SPDX-License-Identifier: MIT
/*
 * The same job in the four models of programming several tiles and cards, which
 * Documentation/gpu/xetile/models.rst compares:
 *
 *   a  each tile has a context of its own: nothing is shared
 *   b  one context, a queue for each tile: the tiles share memory
 *   c  one context, one queue on the whole card: the library divides the work
 *   d  a context for each card: the cards share the buffers that one exports for the other
 *
 * The job has two steps over N elements, and the second needs the first one's results from the
 * elements of the neighbour, as programs on grids do:
 *
 *   b[i] = p[i] + s * q[i],   out[i] = b[i] + s * b[i + HALO]
 *
 * Inputs and results are in host memory, which the CPU maps. Copy engines bring them to HBM and
 * back. Every element of the result is compared with the CPU's.
 *
 * Exit status: 0 when every element is right, 1 when an element is wrong or a call failed, 2
 * when the arguments are wrong, 77 when model d finds one card only.
 */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xetile.h>

#define LOCAL		256
#define SCALE		3.0f
#define HALO		(XETILE_COLOR_PAGE / sizeof(float))
#define MAX_PARTS	8
#define SKIPPED		77

enum array {
	P,
	Q,
	B,		/* and HALO elements behind it */
	OUT,
	GIVE,		/* in host memory only: B's first HALO elements, for the neighbour */
	NUM_ARRAYS,
};

/* A context with its arrays; the parts of models b and c share one. */
struct space {
	uint64_t elements;
	struct xetile_context *context;
	struct xetile_module *module;
	struct xetile_kernel *kernel;
	struct xetile_mem *host;		/* all arrays, one behind the other */
	float *cpu;				/* the same memory */
	struct xetile_mem *mem[NUM_ARRAYS];	/* where the kernels find the arrays */
	bool pool;				/* mem[0] has all arrays */
};

/* A share of the work, on one tile or card */
struct part {
	struct xetile_device *device;
	struct space *space;
	uint64_t first, num;			/* its elements of the space's arrays */
	struct xetile_queue *compute, *copy;
	/* Model d: a buffer for B's first HALO elements, and the neighbour's one */
	struct xetile_mem *given, *taken;
	struct xetile_event *loaded[3];		/* the inputs are in HBM */
	unsigned int num_loaded;
	struct xetile_event *made;		/* the first step has ended */
	struct xetile_event *stored;		/* the results are in host memory */
};

struct job {
	const char *name;
	char model;		/* its first letter */
	bool in_host, pool;
	enum xetile_queue_class copies;
	uint64_t elements;
	const char *kernel;
	struct xetile_platform *platform;
	unsigned int num_parts, num_spaces;
	struct part parts[MAX_PARTS];
	struct space spaces[MAX_PARTS];
};

static void usage(FILE *out)
{
	fprintf(out,
		"usage: models [options] MODEL\n"
		"  MODEL             a, b, c or d; also b-host: the arrays stay in host memory;\n"
		"                    c-pool: all arrays are parts of one allocation; b-nearest and\n"
		"                    c-split: copies take the nearest engine, or all of them\n"
		"  --elements N      elements, a multiple of %u for each part (default 1m)\n"
		"  --kernel FILE     compiled kernel (default kernels/kernels.bin)\n"
		"  --hold            run once, print \"ready\", wait for a line on standard input,\n"
		"                    and run again\n", (unsigned int)HALO);
}

static int failed(const char *what)
{
	fprintf(stderr, "models: %s: %s\n", what, xetile_last_error());
	return 1;
}

/* --- values: exact in float, and neighbours differ --------------------------------- */

static float value_p(uint64_t i)
{
	return i % 1021;
}

static float value_q(uint64_t i)
{
	return (i % 509) * 0.25f;
}

/* Behind the last element, b is an input. */
static float value_b(uint64_t i, uint64_t elements)
{
	return i < elements ? value_p(i) + SCALE * value_q(i) : i % 97;
}

/* --- memory -------------------------------------------------------------------------- */

/* Bytes in front of an element of an array, where all arrays are in one buffer */
static uint64_t offset(const struct space *s, enum array a, uint64_t element)
{
	const uint64_t n = s->elements;
	const uint64_t starts[] = { 0, n, 2 * n, 3 * n + HALO, 4 * n + HALO };

	return (starts[a] + element) * sizeof(float);
}

/* The same for the memory in which the kernels find the array */
static uint64_t place(const struct space *s, enum array a, uint64_t element)
{
	return s->pool ? offset(s, a, element) : element * sizeof(float);
}

static int alloc_host(struct space *s, struct xetile_device *device)
{
	const struct xetile_mem_desc desc = {
		.size = offset(s, GIVE, HALO), .flags = XETILE_MEM_SYSTEM,
	};
	void *map;

	if (xetile_mem_alloc(s->context, device, &desc, &s->host) ||
	    xetile_mem_map(s->host, &map))
		return failed("cannot allocate host memory");
	s->cpu = map;
	return 0;
}

/*
 * In model b the color of an array is that of the work: each part's elements are on its tile,
 * and the elements behind the last part are on the last tile. In the other models the default
 * color is right, or all that a program asks for that leaves the division to the library.
 */
static int alloc_array(const struct job *job, struct space *s, struct xetile_device *device,
		       enum array a)
{
	struct xetile_mem_desc desc = {
		.size = (s->elements + (a == B ? HALO : 0)) * sizeof(float),
	};
	struct xetile_run runs[MAX_PARTS];
	struct xetile_device_info info;
	unsigned int i;

	if (job->model == 'b') {
		for (i = 0; i < job->num_parts; i++) {
			if (xetile_device_get_info(job->parts[i].device, &info))
				return failed("tile");
			runs[i].tile = info.tile;
			runs[i].pages = job->parts[i].num / HALO;
		}
		runs[i - 1].pages += a == B;
		desc.color = XETILE_COLOR_MAP;
		desc.runs = runs;
		desc.num_runs = i;
	}
	return xetile_mem_alloc(s->context, device, &desc, &s->mem[a]) ?
		failed("cannot allocate HBM") : 0;
}

static int alloc_arrays(const struct job *job, struct space *s, struct xetile_device *device)
{
	const struct xetile_mem_desc desc = { .size = offset(s, GIVE, 0) };
	enum array a;

	s->pool = job->pool || job->in_host;
	if (job->pool && xetile_mem_alloc(s->context, device, &desc, &s->mem[0]))
		return failed("cannot allocate HBM");
	for (a = P; a < GIVE; a++) {
		if (job->in_host)
			s->mem[a] = s->host;
		else if (job->pool)
			s->mem[a] = s->mem[0];
		else if (alloc_array(job, s, device, a))
			return 1;
	}
	return 0;
}

/* --- preparing ------------------------------------------------------------------------ */

/* @device: all parts of the space are on it or on its tiles. */
static int open_space(const struct job *job, struct space *s, struct xetile_device *device)
{
	if (xetile_context_create(device, &s->context))
		return failed("cannot open the card");
	if (xetile_module_load_file(s->context, job->kernel, &s->module) ||
	    xetile_kernel_create(s->module, "triad", &s->kernel))
		return failed(job->kernel);
	return alloc_host(s, device) || alloc_arrays(job, s, device);
}

static int open_queues(const struct job *job, struct part *part, struct xetile_device *root)
{
	const struct xetile_queue_desc copy = { .engine_class = job->copies };
	/* The library chooses among the engines of the whole card. */
	struct xetile_device *engines = job->copies == XETILE_COPY ? part->device : root;

	if (xetile_queue_create(part->space->context, part->device, NULL, &part->compute) ||
	    xetile_queue_create(part->space->context, engines, &copy, &part->copy))
		return failed("cannot create a queue");
	return 0;
}

/*
 * Model d: a buffer of a card, which the card before it imports. It may lie in system memory,
 * because not all buses let a card read another one's HBM.
 */
static int share_buffer(struct part *part, struct part *next)
{
	const struct xetile_mem_desc desc = {
		.size = HALO * sizeof(float), .flags = XETILE_MEM_SPILL,
	};
	int fd, err;

	if (xetile_mem_alloc(next->space->context, next->device, &desc, &next->given))
		return failed("cannot allocate a buffer for another card");
	fd = xetile_mem_export(next->given);
	if (fd < 0)
		return failed("cannot export a buffer");
	err = xetile_mem_import(part->space->context, fd, &part->taken);
	close(fd);
	return err ? failed("cannot import a buffer") : 0;
}

/* Choose the devices of the parts. */
static int find_parts(struct job *job, struct xetile_device *root)
{
	char selector[16];

	if (job->model == 'd') {
		for (; job->num_parts < MAX_PARTS; job->num_parts++) {
			snprintf(selector, sizeof(selector), "%u", job->num_parts);
			if (xetile_platform_select(job->platform, selector,
						   &job->parts[job->num_parts].device))
				break;
		}
	} else if (job->model == 'c') {
		job->parts[job->num_parts++].device = root;
	} else {
		for (; job->num_parts < xetile_device_num_sub_devices(root); job->num_parts++)
			job->parts[job->num_parts].device =
				xetile_device_sub_device(root, job->num_parts);
	}
	if (job->elements % (job->num_parts * HALO)) {
		fprintf(stderr, "models: %llu elements are no multiple of %u for each of %u parts\n",
			(unsigned long long)job->elements, (unsigned int)HALO, job->num_parts);
		return 2;
	}
	return 0;
}

static void fill_inputs(const struct job *job)
{
	unsigned int t;
	uint64_t i;

	for (t = 0; t < job->num_parts; t++) {
		const struct part *part = &job->parts[t];
		float *cpu = part->space->cpu;
		/* The element's number in the whole job */
		const uint64_t start = t * part->num;

		for (i = 0; i < part->num; i++) {
			cpu[offset(part->space, P, part->first + i) / 4] = value_p(start + i);
			cpu[offset(part->space, Q, part->first + i) / 4] = value_q(start + i);
			cpu[offset(part->space, OUT, part->first + i) / 4] = -1.0f;
		}
		for (i = 0; t == job->num_parts - 1 && i < HALO; i++)
			cpu[offset(part->space, B, part->first + part->num + i) / 4] =
				value_b(job->elements + i, job->elements);
	}
}

static int prepare(struct job *job)
{
	bool shared = job->model == 'b' || job->model == 'c';
	struct xetile_device *root;
	unsigned int t;
	int ret;

	if (xetile_platform_open(&job->platform) ||
	    xetile_platform_select(job->platform, "0", &root))
		return failed("cannot find a card");
	ret = find_parts(job, root);
	if (ret)
		return ret;
	if (job->model == 'd' && job->num_parts < 2) {
		printf("models d: skipped, because there is one card only\n");
		return SKIPPED;
	}
	for (t = 0; t < job->num_parts; t++) {
		struct part *part = &job->parts[t];

		part->num = job->elements / job->num_parts;
		part->first = shared ? t * part->num : 0;
		part->space = &job->spaces[shared ? 0 : t];
	}
	job->num_spaces = shared ? 1 : job->num_parts;
	for (t = 0; t < job->num_spaces; t++) {
		job->spaces[t].elements = shared ? job->elements : job->parts[t].num;
		if (open_space(job, &job->spaces[t], shared ? root : job->parts[t].device))
			return 1;
	}
	for (t = 0; t < job->num_parts; t++) {
		if (open_queues(job, &job->parts[t], root))
			return 1;
	}
	for (t = 0; job->model == 'd' && t + 1 < job->num_parts; t++) {
		if (share_buffer(&job->parts[t], &job->parts[t + 1]))
			return 1;
	}
	return 0;
}

/* --- the job ----------------------------------------------------------------------------- */

/* Copy from @from, at a number of bytes, to elements of an array in HBM. */
static int load_from(struct part *part, enum array a, uint64_t first, uint64_t num,
		     struct xetile_mem *from, uint64_t at)
{
	struct space *s = part->space;

	if (xetile_copy(part->copy, s->mem[a], place(s, a, first), from, at, num * sizeof(float),
			0, NULL, &part->loaded[part->num_loaded]))
		return failed("cannot load");
	part->num_loaded++;
	return 0;
}

static int load(struct part *part, enum array a, uint64_t first, uint64_t num)
{
	return load_from(part, a, first, num, part->space->host, offset(part->space, a, first));
}

static int load_inputs(struct job *job)
{
	unsigned int t;

	for (t = 0; t < job->num_parts; t++) {
		struct part *part = &job->parts[t];

		if (load(part, P, part->first, part->num) || load(part, Q, part->first, part->num))
			return 1;
		if (t == job->num_parts - 1 && load(part, B, part->first + part->num, HALO))
			return 1;
	}
	return 0;
}

/* dst[i] = b[i] + s * c[i] over the part's elements, where c begins @shift elements later */
static int launch(struct part *part, enum array dst, enum array b, enum array c, uint64_t shift,
		  unsigned int num_waits, struct xetile_event *const *waits,
		  struct xetile_event **out)
{
	const struct xetile_launch_desc desc = {
		.groups = { part->num / LOCAL, 1, 1 }, .local = { LOCAL, 1, 1 },
	};
	const uint64_t at = part->first;
	struct space *s = part->space;
	const float scale = SCALE;

	if (xetile_kernel_set_mem(s->kernel, 0, s->mem[dst], place(s, dst, at)) ||
	    xetile_kernel_set_mem(s->kernel, 1, s->mem[b], place(s, b, at)) ||
	    xetile_kernel_set_mem(s->kernel, 2, s->mem[c], place(s, c, at + shift)) ||
	    xetile_kernel_set_value(s->kernel, 3, &scale, sizeof(scale)) ||
	    xetile_launch(part->compute, s->kernel, &desc, num_waits, waits, out))
		return failed("cannot launch");
	return 0;
}

/* Have the neighbour's first elements in @to, which is a buffer of the neighbour's context. */
static int give(struct part *next, struct xetile_mem *to, uint64_t at)
{
	struct space *from = next->space;
	struct xetile_event *given;
	int err;

	if (xetile_copy(next->copy, to, at, from->mem[B], place(from, B, 0), HALO * sizeof(float),
			1, &next->made, &given))
		return failed("cannot fetch the neighbour's elements");
	err = xetile_event_wait(given, -1);
	xetile_event_destroy(given);
	return err ? failed("the neighbour's elements") : 0;
}

/*
 * In model a the parts share nothing, so the CPU carries the neighbour's elements from one
 * context's host memory to the other's. In model d the card's copy engine takes them from the
 * buffer where the neighbour's engine put them.
 */
static int exchange(struct part *part, struct part *next)
{
	struct space *from = next->space, *to = part->space;

	if (part->taken)
		return give(next, next->given, 0) ||
		       load_from(part, B, part->num, HALO, part->taken, 0);
	if (give(next, from->host, offset(from, GIVE, 0)))
		return 1;
	memcpy(to->cpu + offset(to, B, part->num) / sizeof(float),
	       from->cpu + offset(from, GIVE, 0) / sizeof(float), HALO * sizeof(float));
	return load(part, B, part->num, HALO);
}

static int second_step(struct job *job, unsigned int t)
{
	struct part *part = &job->parts[t], *next = part + 1;
	struct xetile_event *waits[3] = { part->made }, *computed;
	struct space *s = part->space;
	unsigned int num = 1;
	int ret;

	/* In model b the neighbour's first elements are there when its first step has ended. */
	if (t + 1 < job->num_parts && next->space == s)
		waits[num++] = next->made;
	if (part->num_loaded)
		waits[num++] = part->loaded[part->num_loaded - 1];
	ret = launch(part, OUT, B, B, HALO, num, waits, &computed);
	if (ret)
		return ret;
	if (job->in_host) {
		part->stored = computed;
		return 0;
	}
	if (xetile_copy(part->copy, s->host, offset(s, OUT, part->first), s->mem[OUT],
			place(s, OUT, part->first), part->num * sizeof(float), 1, &computed,
			&part->stored))
		ret = failed("cannot store");
	xetile_event_destroy(computed);
	return ret;
}

static int submit(struct job *job)
{
	unsigned int t;

	if (!job->in_host && load_inputs(job))
		return 1;
	for (t = 0; t < job->num_parts; t++) {
		struct part *part = &job->parts[t];

		if (launch(part, B, P, Q, 0, part->num_loaded, part->loaded, &part->made))
			return 1;
	}
	for (t = 0; job->num_spaces > 1 && t + 1 < job->num_parts; t++) {
		if (exchange(&job->parts[t], &job->parts[t + 1]))
			return 1;
	}
	for (t = 0; t < job->num_parts; t++) {
		if (second_step(job, t))
			return 1;
	}
	return 0;
}

static void forget_events(struct part *part)
{
	while (part->num_loaded)
		xetile_event_destroy(part->loaded[--part->num_loaded]);
	xetile_event_destroy(part->made);
	xetile_event_destroy(part->stored);
	part->made = NULL;
	part->stored = NULL;
}

/* Whether cards reach each other's HBM is known when both have used the buffer. */
static void print_share(const struct part *part)
{
	printf("models d: the cards share a buffer %s\n",
	       xetile_mem_share(part->taken) & XETILE_SHARE_PEER ? "in the HBM of one" :
	       "in the machine's memory");
}

static int check(const struct job *job)
{
	const uint64_t n = job->elements;
	uint64_t i, wrong = 0;

	for (i = 0; i < n; i++) {
		const struct part *part = &job->parts[i / (n / job->num_parts)];
		const struct space *s = part->space;
		/* Below 2^24 quarters and exact, so a fused multiply-add agrees. */
		float want = value_b(i, n) + SCALE * value_b(i + HALO, n);
		float got = s->cpu[offset(s, OUT, part->first + i % part->num) / sizeof(float)];

		if (got != want && !wrong++)
			fprintf(stderr, "models: element %llu is %g, not %g\n",
				(unsigned long long)i, got, want);
	}
	printf("models %s: %u part%s, %u context%s: %llu of %llu elements equal the CPU's\n",
	       job->name, job->num_parts,
	       job->num_parts == 1 ? "" : "s", job->num_spaces, job->num_spaces == 1 ? "" : "s",
	       (unsigned long long)(n - wrong), (unsigned long long)n);
	if (job->parts[0].taken)
		print_share(&job->parts[0]);
	return wrong != 0;
}

static int run(struct job *job)
{
	unsigned int t;
	int ret;

	fill_inputs(job);
	ret = submit(job);
	for (t = 0; t < job->num_parts; t++) {
		if (!ret && xetile_event_wait(job->parts[t].stored, -1))
			ret = failed("the job");
		forget_events(&job->parts[t]);
	}
	return ret ? ret : check(job);
}

static void finish(struct job *job)
{
	unsigned int t;
	enum array a;

	for (t = 0; t < job->num_parts; t++) {
		xetile_queue_destroy(job->parts[t].compute);
		xetile_queue_destroy(job->parts[t].copy);
		xetile_mem_free(job->parts[t].taken);
		xetile_mem_free(job->parts[t].given);
	}
	for (t = 0; t < job->num_spaces; t++) {
		struct space *s = &job->spaces[t];

		/* The arrays of a pool, and those in host memory, are one buffer. */
		for (a = P; a < GIVE && !job->in_host; a++)
			xetile_mem_free(s->pool && a ? NULL : s->mem[a]);
		xetile_mem_free(s->host);
		xetile_kernel_destroy(s->kernel);
		xetile_module_unload(s->module);
		xetile_context_destroy(s->context);
	}
	xetile_platform_close(job->platform);
}

static bool parse_model(struct job *job, const char *text)
{
	static const char *const variants[] = { "b-host", "c-pool", "b-nearest", "c-split" };
	unsigned int i;

	job->name = text;
	job->model = text[0];
	job->in_host = !strcmp(text, "b-host");
	job->pool = !strcmp(text, "c-pool");
	job->copies = !strcmp(text, "b-nearest") ? XETILE_COPY_NEAREST :
		      !strcmp(text, "c-split") ? XETILE_COPY_SPLIT : XETILE_COPY;
	for (i = 0; i < sizeof(variants) / sizeof(variants[0]); i++) {
		if (!strcmp(text, variants[i]))
			return true;
	}
	return text[0] >= 'a' && text[0] <= 'd' && !text[1];
}

static void wait_for_line(void)
{
	int c;

	printf("ready\n");
	fflush(stdout);
	do {
		c = getchar();
	} while (c != '\n' && c != EOF);
}

int main(int argc, char **argv)
{
	static const struct option longs[] = {
		{ "elements", required_argument, NULL, 'n' },
		{ "kernel", required_argument, NULL, 'k' },
		{ "hold", no_argument, NULL, 'w' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	struct job job = { .elements = 1 << 20, .kernel = "kernels/kernels.bin" };
	bool hold = false;
	int c, ret;

	while ((c = getopt_long(argc, argv, "", longs, NULL)) != -1) {
		switch (c) {
		case 'n':
			if (xetile_size_parse(optarg, &job.elements) || !job.elements ||
			    job.elements > UINT32_MAX) {
				fprintf(stderr, "models: --elements %s is no number below 2^32\n",
					optarg);
				return 2;
			}
			break;
		case 'k':
			job.kernel = optarg;
			break;
		case 'w':
			hold = true;
			break;
		case 'h':
			usage(stdout);
			return 0;
		default:
			usage(stderr);
			return 2;
		}
	}
	if (optind != argc - 1 || !parse_model(&job, argv[optind])) {
		usage(stderr);
		return 2;
	}
	ret = prepare(&job);
	if (!ret)
		ret = run(&job);
	if (!ret && hold) {
		wait_for_line();
		ret = run(&job);
	}
	finish(&job);
	return ret;
}
