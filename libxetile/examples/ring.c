// SPDX-License-Identifier: MIT
/*
 * Sums a vector over several processes (allreduce) by a ring: each process works on a virtual
 * cslice of its own, and reads the blocks of its left neighbour in a buffer that the neighbour
 * shares. No byte goes through the machine's memory. See usage() for the arguments.
 *
 * The vector has a block for each process. In the first half of the steps, each process adds a
 * block of its neighbour to its own one, so that at the end each process has one block of all sums.
 * In the second half, the sums go round. After each step a process tells its right neighbour (a
 * byte in a socket), and waits for the left one. That is enough: the right neighbour is as many
 * steps behind at most as there are other processes, and no block is written earlier after it was
 * read.
 *
 * Exit status: 0 when every process has all sums, 1 when a sum is wrong or a call failed, 2 when
 * the arguments are wrong.
 */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xetile.h>

#define LOCAL	256
#define MOST	16		/* processes */
#define BLOCK	16384		/* elements of a block, at least: a color page */

struct rank {
	unsigned int number, ranks;
	const char *selector, *file;
	uint64_t elements, block;	/* in a block */
	int left, right;		/* sockets */
	struct xetile_platform *platform;
	struct xetile_device *device;
	struct xetile_context *context;
	struct xetile_module *module;
	struct xetile_kernel *kernel;
	struct xetile_queue *compute, *copies;
	struct xetile_mem *own, *others;	/* the vector; that of the left neighbour */
	float *values;
};

static void usage(FILE *out)
{
	fprintf(out,
		"usage: ring [options] CSLICE CSLICE...\n"
		"  CSLICE            card.tile.cslice or card.tile, for one process each; all of\n"
		"                    one card\n"
		"  --elements N      of the vector, a multiple of %d for each process\n"
		"                    (default 64k for each)\n"
		"  --kernel FILE     compiled kernels (default kernels/kernels.bin)\n", BLOCK);
}

/* --- one process ------------------------------------------------------------------------- */

static int failed(const struct rank *r, const char *what)
{
	fprintf(stderr, "ring: process %u: %s: %s\n", r->number, what, xetile_last_error());
	return 1;
}

/* The values of a process, and their sums, are exact in float. */
static float value(unsigned int rank, uint64_t i)
{
	return (float)(i % 10007 + rank * 3);
}

static int prepare(struct rank *r)
{
	const struct xetile_queue_desc copies = { .engine_class = XETILE_COPY };
	const struct xetile_mem_desc vector = { .size = r->elements * sizeof(float) };
	const float one = 1.0f;
	uint64_t i;
	void *map;

	if (xetile_platform_open(&r->platform))
		return failed(r, "cannot look for cards");
	if (xetile_platform_select(r->platform, r->selector, &r->device))
		return failed(r, r->selector);
	if (xetile_context_create(r->device, &r->context))
		return failed(r, "cannot open the card");
	if (xetile_module_load_file(r->context, r->file, &r->module) ||
	    xetile_kernel_create(r->module, "triad", &r->kernel) ||
	    xetile_kernel_set_value(r->kernel, 3, &one, sizeof(one)))
		return failed(r, r->file);
	if (xetile_queue_create(r->context, r->device, NULL, &r->compute) ||
	    xetile_queue_create(r->context, r->device, &copies, &r->copies))
		return failed(r, "cannot create a queue");
	/* The vector lies on the tile of the cslice. */
	if (xetile_mem_alloc(r->context, r->device, &vector, &r->own) ||
	    xetile_mem_map(r->own, &map))
		return failed(r, "cannot allocate");
	r->values = map;
	for (i = 0; i < r->elements; i++)
		r->values[i] = value(r->number, i);
	if (xetile_mem_send(r->own, r->right))
		return failed(r, "cannot share memory");
	if (xetile_mem_receive(r->context, r->left, &r->others))
		return failed(r, "cannot take the neighbour's memory");
	return 0;
}

/* Work of another process is not waited for by work of this one, but by the process. */
static int finish_step(struct rank *r, struct xetile_event *event)
{
	char byte = 's';

	if (xetile_event_wait(event, -1))
		return failed(r, "a step");
	xetile_event_destroy(event);
	if (send(r->right, &byte, 1, MSG_NOSIGNAL) != 1 || read(r->left, &byte, 1) != 1) {
		fprintf(stderr, "ring: process %u: a neighbour is gone\n", r->number);
		return 1;
	}
	return 0;
}

/* Add a block of the left neighbour to the own one. */
static int add_block(struct rank *r, unsigned int block)
{
	const struct xetile_launch_desc launch = {
		.groups = { r->block / LOCAL, 1, 1 }, .local = { LOCAL, 1, 1 },
	};
	uint64_t offset = block * r->block * sizeof(float);
	struct xetile_event *event;

	if (xetile_kernel_set_mem(r->kernel, 0, r->own, offset) ||
	    xetile_kernel_set_mem(r->kernel, 1, r->own, offset) ||
	    xetile_kernel_set_mem(r->kernel, 2, r->others, offset) ||
	    xetile_launch(r->compute, r->kernel, &launch, 0, NULL, &event))
		return failed(r, "cannot launch");
	return finish_step(r, event);
}

static int copy_block(struct rank *r, unsigned int block)
{
	uint64_t bytes = r->block * sizeof(float);
	struct xetile_event *event;

	if (xetile_copy(r->copies, r->own, block * bytes, r->others, block * bytes, bytes, 0, NULL,
			&event))
		return failed(r, "cannot copy");
	return finish_step(r, event);
}

static int sum(struct rank *r)
{
	unsigned int step;

	for (step = 0; step + 1 < r->ranks; step++) {
		if (add_block(r, (r->number + 2 * r->ranks - step - 1) % r->ranks))
			return 1;
	}
	for (step = 0; step + 1 < r->ranks; step++) {
		if (copy_block(r, (r->number + r->ranks - step) % r->ranks))
			return 1;
	}
	return 0;
}

static int check(const struct rank *r)
{
	struct xetile_queue_info queue;
	uint64_t i, wrong = 0, first = 0;
	unsigned int k;
	float want;

	for (i = 0; i < r->elements; i++) {
		for (k = 0, want = 0; k < r->ranks; k++)
			want += value(k, i);
		if (r->values[i] != want && !wrong++)
			first = i;
	}
	if (wrong)
		fprintf(stderr, "ring: process %u: element %llu is %g\n", r->number,
			(unsigned long long)first, r->values[first]);
	if (xetile_queue_get_info(r->compute, &queue))
		return failed(r, "the queue");
	printf("ring: process %u on %s (engine %d of tile %u, %u of %u cslices): "
	       "%llu of %llu sums are right\n", r->number, r->selector,
	       queue.members[0].instance, queue.members[0].tile, queue.cslices_used,
	       queue.cslices_total, (unsigned long long)(r->elements - wrong),
	       (unsigned long long)r->elements);
	fflush(stdout);
	return wrong != 0;
}

static int run(struct rank *r)
{
	int ret = prepare(r);

	if (!ret)
		ret = sum(r);
	if (!ret)
		ret = check(r);
	xetile_mem_free(r->others);
	xetile_mem_free(r->own);
	xetile_queue_destroy(r->copies);
	xetile_queue_destroy(r->compute);
	xetile_kernel_destroy(r->kernel);
	xetile_module_unload(r->module);
	xetile_context_destroy(r->context);
	xetile_platform_close(r->platform);
	return ret;
}

/* --- all processes ------------------------------------------------------------------------ */

/* Start a process for each selector. It has its own sockets alone, so that it sees their end. */
static int start(const struct rank *all, char *const *selectors)
{
	int pairs[MOST][2], status, ret = 0;
	unsigned int i, k;
	pid_t child;

	for (i = 0; i < all->ranks; i++) {
		if (socketpair(AF_UNIX, SOCK_STREAM, 0, pairs[i])) {
			perror("ring: socketpair");
			return 1;
		}
	}
	for (i = 0; i < all->ranks; i++) {
		struct rank rank = *all;

		child = fork();
		if (child < 0) {
			perror("ring: fork");
			ret = 1;
		}
		if (child)
			continue;
		rank.number = i;
		rank.selector = selectors[i];
		rank.right = pairs[i][0];
		rank.left = pairs[(i + all->ranks - 1) % all->ranks][1];
		for (k = 0; k < all->ranks; k++) {
			if (pairs[k][0] != rank.right)
				close(pairs[k][0]);
			if (pairs[k][1] != rank.left)
				close(pairs[k][1]);
		}
		exit(run(&rank));
	}
	for (i = 0; i < all->ranks; i++) {
		close(pairs[i][0]);
		close(pairs[i][1]);
	}
	while (wait(&status) > 0)
		ret |= !WIFEXITED(status) || WEXITSTATUS(status);
	return ret;
}

int main(int argc, char **argv)
{
	static const struct option longs[] = {
		{ "elements", required_argument, NULL, 'n' },
		{ "kernel", required_argument, NULL, 'k' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	struct rank all = { .file = "kernels/kernels.bin" };
	int c;

	while ((c = getopt_long(argc, argv, "", longs, NULL)) != -1) {
		switch (c) {
		case 'n':
			if (xetile_size_parse(optarg, &all.elements) || !all.elements) {
				fprintf(stderr, "ring: --elements %s is no number\n", optarg);
				return 2;
			}
			break;
		case 'k':
			all.file = optarg;
			break;
		case 'h':
			usage(stdout);
			return 0;
		default:
			usage(stderr);
			return 2;
		}
	}
	all.ranks = argc - optind;
	if (all.ranks < 2 || all.ranks > MOST) {
		fprintf(stderr, "ring: a ring has 2 to %d processes\n", MOST);
		usage(stderr);
		return 2;
	}
	if (!all.elements)
		all.elements = 65536ull * all.ranks;
	all.block = all.elements / all.ranks;
	if (all.elements % all.ranks || all.block % BLOCK || all.elements > UINT32_MAX) {
		fprintf(stderr, "ring: %llu elements are no multiple of %d for each of %u processes\n",
			(unsigned long long)all.elements, BLOCK, all.ranks);
		return 2;
	}
	return start(&all, argv + optind);
}
