// SPDX-License-Identifier: MIT
/*
 * Jacobi's iteration on a grid that is divided over the processes of an MPI job. Each process works
 * on the first device that it sees; "xetilectl bind --by cslice" gives each one a cslice:
 *
 *   mpirun -n 8 xetilectl bind --by cslice -- halo
 *
 * A process has some rows of the grid, and a row more at each end, its halo: copies of its
 * neighbours' rows, which all get anew after each step. How a row gets there depends on where the
 * neighbour is:
 *
 *   same card    in a buffer in the card's HBM, which both processes have
 *   same node    in such a buffer, too; where one card does not reach the other one's HBM, the
 *                driver puts it into the machine's memory
 *   other node   in a buffer in the machine's memory, and from there in ordinary memory, which MPI
 *                takes to another node. MPI gets no pointer to a mapped buffer: a network card
 *                that reads memory itself cannot, because the kernel pins no pages of a mapping
 *                of a driver.
 *
 * MPI also tells a process when its neighbours have given their rows. Of two processes of a node it
 * carries no data for that.
 *
 * The right end of each row is joined to the left end of the next one, like the threads of a screw,
 * so that each element has four neighbours. Each process compares its elements with those of a
 * serial iteration on the CPU, bit by bit. For that it needs no data of other processes, and of the
 * grid only those rows that can have reached its own in so many steps.
 *
 * Exit status: 0 when every element is right, 1 when an element is wrong or a call failed, 2 when
 * the arguments are wrong.
 */
#include <errno.h>
#include <getopt.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <xetile.h>

#define LOCAL		256		/* work-items of a group */
#define MOST_ELEMENTS	(1 << 24)	/* of a process */
#define MOST_STEPS	(1 << 20)

/* Up is the neighbour with the rows in front of these. */
enum side { UP, DOWN, NUM_SIDES };

enum way { WALL, SAME_CARD, SAME_NODE, OTHER_NODE };

static const char *const way_names[] = {
	[WALL] = "wall",
	[SAME_CARD] = "same card",
	[SAME_NODE] = "same node",
	[OTHER_NODE] = "other node",
};

/* Where a process is; its neighbours know that, and at last the first process */
struct place {
	int node;			/* the rank of the node's first process */
	char host[MPI_MAX_PROCESSOR_NAME];
	char pci[16];			/* of the card */
	char device[32];
};

/* Where its last kernel ran, and how its rows went */
struct report {
	struct place place;
	struct xetile_queue_info queue;
	enum way ways[NUM_SIDES];
};

struct neighbour {
	enum way way;
	int rank;
	/* Two rows each, in turns: nobody takes the older one any more when a step has ended. */
	struct xetile_mem *out, *in;
	float *out_cpu, *in_cpu;	/* OTHER_NODE: the same memory */
	float *out_mpi, *in_mpi;	/* OTHER_NODE: a row for MPI */
};

struct rank {
	int number, ranks;
	MPI_Comm node;			/* the processes of this node */
	struct place place;
	const char *file;
	uint64_t rows, columns, steps;
	struct xetile_platform *platform;
	struct xetile_device *device;
	struct xetile_context *context;
	struct xetile_module *module;
	struct xetile_kernel *kernel;
	struct xetile_queue *compute, *copies;
	struct xetile_mem *host;	/* the process' rows and its halo, in the machine's memory */
	float *cpu;			/* the same memory */
	struct xetile_mem *grids[2];	/* before and after a step; in HBM, as the zeroes */
	struct xetile_mem *zeroes;
	struct neighbour sides[NUM_SIDES];
};

static void usage(FILE *out)
{
	fputs("usage: halo [options], as each process of an MPI job\n"
	      "  --rows N          of each process (default 16)\n"
	      "  --columns N       (default 1k); the product is a multiple of 256\n"
	      "  --steps N         (default 8)\n"
	      "  --kernel FILE     compiled kernels (default kernels/kernels.bin)\n", out);
}

/* The other processes would wait for this one. */
static void die(const struct rank *r, const char *what, const char *why)
{
	fprintf(stderr, "halo: rank %d: %s: %s\n", r->number, what, why);
	fflush(stderr);
	MPI_Abort(MPI_COMM_WORLD, 1);
	exit(1);
}

/* Every call of the library is one that the job cannot do without. */
static void need(const struct rank *r, int err, const char *what)
{
	if (err)
		die(r, what, xetile_last_error());
}

static void need_system(const struct rank *r, bool done, const char *what)
{
	if (!done)
		die(r, what, strerror(errno));
}

/* Elements of a process without its halo */
static uint64_t own(const struct rank *r)
{
	return r->rows * r->columns;
}

/* Neighbours differ; the elements are counted from the row in front of the first process' rows. */
static float value(uint64_t i)
{
	return (float)(i * 7919 % 10007) * 0.5f;
}

/* --- this process and its neighbours --------------------------------------------------------- */

static void find_device(struct rank *r)
{
	struct xetile_device_info info;

	need(r, xetile_platform_open(&r->platform), "cannot look for cards");
	need(r, xetile_platform_select(r->platform, NULL, &r->device), "cannot find a device");
	/* The part of the card that is visible, if it is one only */
	while (xetile_device_num_sub_devices(r->device) == 1)
		r->device = xetile_device_sub_device(r->device, 0);
	need(r, xetile_device_get_info(r->device, &info), "device");
	xetile_device_selector(r->device, r->place.device, sizeof(r->place.device));
	memcpy(r->place.pci, info.pci, sizeof(r->place.pci));
}

static void find_place(struct rank *r)
{
	int length;

	r->place.node = r->number;
	MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &r->node);
	MPI_Bcast(&r->place.node, 1, MPI_INT, 0, r->node);
	MPI_Get_processor_name(r->place.host, &length);
	find_device(r);
}

static enum way find_way(const struct rank *r, const struct place *there)
{
	if (r->place.node != there->node)
		return OTHER_NODE;
	return strcmp(r->place.pci, there->pci) ? SAME_NODE : SAME_CARD;
}

/* Tell both neighbours where this process is, and learn where they are. */
static void find_neighbours(struct rank *r)
{
	const int size = sizeof(struct place);
	struct place there;
	enum side s;

	r->sides[UP].rank = r->number ? r->number - 1 : MPI_PROC_NULL;
	r->sides[DOWN].rank = r->number + 1 < r->ranks ? r->number + 1 : MPI_PROC_NULL;
	for (s = UP; s < NUM_SIDES; s++) {
		struct neighbour *from = &r->sides[s], *to = &r->sides[NUM_SIDES - 1 - s];

		MPI_Sendrecv(&r->place, size, MPI_BYTE, to->rank, 0, &there, size, MPI_BYTE,
			     from->rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		from->way = from->rank == MPI_PROC_NULL ? WALL : find_way(r, &there);
	}
}

/* --- memory ------------------------------------------------------------------------------ */

static struct xetile_mem *alloc(struct rank *r, uint64_t elements, uint32_t flags)
{
	const struct xetile_mem_desc desc = { .size = elements * sizeof(float), .flags = flags };
	struct xetile_mem *mem;

	need(r, xetile_mem_alloc(r->context, r->device, &desc, &mem), "cannot allocate memory");
	return mem;
}

static float *map(struct rank *r, struct xetile_mem *mem)
{
	void *cpu;

	need(r, xetile_mem_map(mem, &cpu), "cannot map memory");
	return cpu;
}

/* Only work with the grids need not be known to others: their rows go in buffers of their own. */
static void alloc_grid(struct rank *r)
{
	uint64_t all = own(r) + 2 * r->columns, first = r->number * own(r), i;

	r->host = alloc(r, all, XETILE_MEM_SYSTEM);
	r->grids[0] = alloc(r, all, XETILE_MEM_PRIVATE);
	r->grids[1] = alloc(r, all, XETILE_MEM_PRIVATE);
	r->zeroes = alloc(r, own(r), XETILE_MEM_PRIVATE);
	r->cpu = map(r, r->host);
	for (i = 0; i < all; i++)
		r->cpu[i] = value(first + i);
}

static void alloc_rows(struct rank *r, struct neighbour *n)
{
	static const uint32_t flags[] = {
		[SAME_NODE] = XETILE_MEM_SPILL,
		[OTHER_NODE] = XETILE_MEM_SYSTEM,
	};

	if (n->way == WALL)
		return;
	n->out = alloc(r, 2 * r->columns, flags[n->way]);
	if (n->way == OTHER_NODE) {
		n->in = alloc(r, 2 * r->columns, flags[n->way]);
		n->out_cpu = map(r, n->out);
		n->in_cpu = map(r, n->in);
		n->out_mpi = calloc(r->columns, sizeof(float));
		n->in_mpi = calloc(r->columns, sizeof(float));
		need_system(r, n->out_mpi && n->in_mpi, "rows for MPI");
	}
}

/* --- sharing memory ---------------------------------------------------------------------- */

static void name_socket(struct sockaddr_un *address, const char *folder, int rank)
{
	*address = (struct sockaddr_un) { .sun_family = AF_UNIX };
	snprintf(address->sun_path, sizeof(address->sun_path), "%s/%d", folder, rank);
}

static int open_socket(struct rank *r)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	need_system(r, fd >= 0, "socket");
	return fd;
}

static int listen_up(struct rank *r, const char *folder)
{
	struct sockaddr_un address;
	int fd = open_socket(r);

	name_socket(&address, folder, r->number);
	need_system(r, !bind(fd, (struct sockaddr *)&address, sizeof(address)) && !listen(fd, 1),
		    address.sun_path);
	return fd;
}

static int connect_down(struct rank *r, const char *folder)
{
	struct sockaddr_un address;
	int fd = open_socket(r);

	name_socket(&address, folder, r->number + 1);
	need_system(r, !connect(fd, (struct sockaddr *)&address, sizeof(address)),
		    address.sun_path);
	return fd;
}

static int accept_up(struct rank *r, const char *folder, int listening)
{
	struct sockaddr_un address;
	int fd = accept4(listening, NULL, NULL, SOCK_CLOEXEC);

	need_system(r, fd >= 0, "accept");
	name_socket(&address, folder, r->number);
	unlink(address.sun_path);
	close(listening);
	return fd;
}

static bool is_shared(const struct neighbour *n)
{
	return n->way == SAME_CARD || n->way == SAME_NODE;
}

/* Give each neighbour of the node the buffer for its rows. Sockets are in a folder of the user. */
static void share(struct rank *r)
{
	char folder[] = "/tmp/halo.XXXXXX";
	int local, listening = -1, sockets[NUM_SIDES] = { -1, -1 };
	enum side s;

	MPI_Comm_rank(r->node, &local);
	if (!local)
		need_system(r, mkdtemp(folder), folder);
	MPI_Bcast(folder, sizeof(folder), MPI_CHAR, 0, r->node);
	if (is_shared(&r->sides[UP]))
		listening = listen_up(r, folder);
	MPI_Barrier(r->node);
	if (is_shared(&r->sides[DOWN]))
		sockets[DOWN] = connect_down(r, folder);
	if (is_shared(&r->sides[UP]))
		sockets[UP] = accept_up(r, folder, listening);
	for (s = UP; s < NUM_SIDES; s++) {
		if (is_shared(&r->sides[s]))
			need(r, xetile_mem_send(r->sides[s].out, sockets[s]), "cannot share memory");
	}
	for (s = UP; s < NUM_SIDES; s++) {
		if (!is_shared(&r->sides[s]))
			continue;
		need(r, xetile_mem_receive(r->context, sockets[s], &r->sides[s].in),
		     "cannot take a neighbour's memory");
		close(sockets[s]);
	}
	MPI_Barrier(r->node);
	if (!local)
		rmdir(folder);
}

/* --- the iteration ----------------------------------------------------------------------- */

static void copy(struct rank *r, struct xetile_mem *to, uint64_t to_element,
		 struct xetile_mem *from, uint64_t from_element, uint64_t elements)
{
	struct xetile_event *done;

	need(r, xetile_copy(r->copies, to, to_element * sizeof(float),
			    from, from_element * sizeof(float), elements * sizeof(float),
			    0, NULL, &done), "cannot copy");
	need(r, xetile_event_wait(done, -1), "a copy");
	xetile_event_destroy(done);
}

/* to[i] = from[i] + neighbour[i] / 4 over the process' elements; in both grids a halo is before. */
static struct xetile_event *add_quarter(struct rank *r, struct xetile_mem *to,
					struct xetile_mem *from, uint64_t from_first,
					struct xetile_mem *grid, uint64_t neighbour)
{
	const struct xetile_launch_desc desc = {
		.groups = { own(r) / LOCAL, 1, 1 }, .local = { LOCAL, 1, 1 },
	};
	const float quarter = 0.25f;
	struct xetile_event *done;

	need(r, xetile_kernel_set_mem(r->kernel, 0, to, r->columns * sizeof(float)) ?:
		xetile_kernel_set_mem(r->kernel, 1, from, from_first * sizeof(float)) ?:
		xetile_kernel_set_mem(r->kernel, 2, grid, neighbour * sizeof(float)) ?:
		xetile_kernel_set_value(r->kernel, 3, &quarter, sizeof(quarter)) ?:
		xetile_launch(r->compute, r->kernel, &desc, 0, NULL, &done), "cannot launch");
	return done;
}

/* The work of a queue is done in order, so the end of the last launch is that of all. */
static void compute(struct rank *r, struct xetile_mem *before, struct xetile_mem *after)
{
	const uint64_t c = r->columns;
	const uint64_t neighbours[] = { c - c, c + c, c - 1, c + 1 };
	struct xetile_event *done = NULL;
	unsigned int i;

	for (i = 0; i < 4; i++) {
		xetile_event_destroy(done);
		done = add_quarter(r, after, i ? after : r->zeroes, i ? c : 0, before,
				   neighbours[i]);
	}
	need(r, xetile_event_wait(done, -1), "a step");
	xetile_event_destroy(done);
}

/* Have MPI take the rows to other nodes, and tell neighbours of this node that theirs are there. */
static void signal_sides(struct rank *r, uint64_t slot)
{
	const size_t bytes = r->columns * sizeof(float);
	MPI_Request requests[2 * NUM_SIDES];
	enum side s;

	for (s = UP; s < NUM_SIDES; s++) {
		const struct neighbour *n = &r->sides[s];
		int count = n->way == OTHER_NODE ? r->columns : 0;

		if (count)
			memcpy(n->out_mpi, n->out_cpu + slot, bytes);
		MPI_Irecv(n->in_mpi, count, MPI_FLOAT, n->rank, 0, MPI_COMM_WORLD,
			  &requests[2 * s]);
		MPI_Isend(n->out_mpi, count, MPI_FLOAT, n->rank, 0, MPI_COMM_WORLD,
			  &requests[2 * s + 1]);
	}
	MPI_Waitall(2 * NUM_SIDES, requests, MPI_STATUSES_IGNORE);
	for (s = UP; s < NUM_SIDES; s++) {
		if (r->sides[s].way == OTHER_NODE)
			memcpy(r->sides[s].in_cpu + slot, r->sides[s].in_mpi, bytes);
	}
}

static void exchange(struct rank *r, struct xetile_mem *grid, uint64_t step)
{
	const uint64_t c = r->columns, slot = step % 2 * c;
	const uint64_t edges[] = { [UP] = c, [DOWN] = own(r) };
	const uint64_t halos[] = { [UP] = 0, [DOWN] = own(r) + c };
	enum side s;

	for (s = UP; s < NUM_SIDES; s++) {
		if (r->sides[s].way != WALL)
			copy(r, r->sides[s].out, slot, grid, edges[s], c);
	}
	signal_sides(r, slot);
	for (s = UP; s < NUM_SIDES; s++) {
		if (r->sides[s].way != WALL)
			copy(r, grid, halos[s], r->sides[s].in, slot, c);
	}
}

static void iterate(struct rank *r)
{
	uint64_t all = own(r) + 2 * r->columns, step;

	/* The rows at the walls never change, in neither grid. */
	copy(r, r->grids[0], 0, r->host, 0, all);
	copy(r, r->grids[1], 0, r->host, 0, all);
	for (step = 0; step < r->steps; step++) {
		struct xetile_mem *after = r->grids[(step + 1) % 2];

		compute(r, r->grids[step % 2], after);
		exchange(r, after, step);
	}
	copy(r, r->host, 0, r->grids[r->steps % 2], 0, all);
}

/* --- the result -------------------------------------------------------------------------- */

/*
 * Do all steps on the CPU, in the kernel's order, on the process' rows and as many on each side as
 * there are steps, or as there are up to the wall. The last row of a side never changes, so what a
 * step makes of its neighbour is wrong, and each step takes that one row further. Returns the
 * elements, of which the process' own begin at @own_first; the caller frees them.
 */
static float *iterate_serially(const struct rank *r, uint64_t *own_first)
{
	const uint64_t c = r->columns, own_row = 1 + r->number * r->rows, walls = 2;
	const uint64_t first = own_row > r->steps ? own_row - r->steps : 0;
	uint64_t end = own_row + r->rows + r->steps, all = r->ranks * r->rows + walls;
	float *before, *after;
	uint64_t i, step;

	end = end < all ? end : all;
	all = (end - first) * c;
	before = calloc(all, sizeof(float));
	after = calloc(all, sizeof(float));
	need_system(r, before && after, "the serial iteration");
	for (i = 0; i < all; i++)
		before[i] = after[i] = value(first * c + i);
	for (step = 0; step < r->steps; step++) {
		float *swap = before;

		for (i = c; i < all - c; i++) {
			after[i] = before[i - c] * 0.25f;
			after[i] += before[i + c] * 0.25f;
			after[i] += before[i - 1] * 0.25f;
			after[i] += before[i + 1] * 0.25f;
		}
		before = after;
		after = swap;
	}
	free(after);
	*own_first = (own_row - first) * c;
	return before;
}

/* Returns how many of the process' elements are wrong. */
static uint64_t compare(const struct rank *r)
{
	const float *elements = r->cpu + r->columns, *want;
	uint64_t own_first, i, wrong = 0, first = 0;
	float *serial = iterate_serially(r, &own_first);

	want = serial + own_first;
	for (i = 0; i < own(r); i++) {
		if (memcmp(&elements[i], &want[i], sizeof(float)) && !wrong++)
			first = i;
	}
	if (wrong)
		fprintf(stderr, "halo: row %llu, column %llu, of rank %d is %a, not %a\n",
			(unsigned long long)(first / r->columns),
			(unsigned long long)(first % r->columns), r->number, elements[first],
			want[first]);
	free(serial);
	return wrong;
}

static void print(const struct rank *r, const struct report *reports, uint64_t wrong)
{
	const uint64_t all = r->ranks * own(r);
	int i;

	for (i = 0; i < r->ranks; i++) {
		const struct place *place = &reports[i].place;
		const struct xetile_queue_info *queue = &reports[i].queue;

		printf("halo: rank %d on %s: device %s of %s, ", i, place->host, place->device,
		       place->pci);
		printf("last on engine %d of tile %u, %u of %u cslices, up: %s, down: %s\n",
		       queue->members[0].instance, queue->members[0].tile, queue->cslices_used,
		       queue->cslices_total, way_names[reports[i].ways[UP]],
		       way_names[reports[i].ways[DOWN]]);
	}
	printf("halo: %d ranks, %llu steps: %llu of %llu elements are right\n", r->ranks,
	       (unsigned long long)r->steps, (unsigned long long)(all - wrong),
	       (unsigned long long)all);
	fflush(stdout);
}

/* Returns whether all elements are right. The first process prints what all of them tell. */
static bool check(struct rank *r)
{
	struct report report, *reports = NULL;
	uint64_t wrong = compare(r);
	enum side s;

	memset(&report, 0, sizeof(report));
	report.place = r->place;
	need(r, xetile_queue_get_info(r->compute, &report.queue), "queue");
	for (s = UP; s < NUM_SIDES; s++)
		report.ways[s] = r->sides[s].way;
	if (!r->number) {
		reports = calloc(r->ranks, sizeof(*reports));
		need_system(r, reports, "the result");
	}
	MPI_Gather(&report, sizeof(report), MPI_BYTE, reports, sizeof(report), MPI_BYTE, 0,
		   MPI_COMM_WORLD);
	MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
	if (!r->number)
		print(r, reports, wrong);
	free(reports);
	return !wrong;
}

/* --- one process ------------------------------------------------------------------------- */

static void prepare(struct rank *r)
{
	const struct xetile_queue_desc copies = { .engine_class = XETILE_COPY };
	enum side s;

	find_place(r);
	find_neighbours(r);
	need(r, xetile_context_create(r->device, &r->context), "cannot open the card");
	need(r, xetile_module_load_file(r->context, r->file, &r->module) ?:
		xetile_kernel_create(r->module, "triad", &r->kernel), r->file);
	need(r, xetile_queue_create(r->context, r->device, NULL, &r->compute) ?:
		xetile_queue_create(r->context, r->device, &copies, &r->copies),
	     "cannot create a queue");
	alloc_grid(r);
	for (s = UP; s < NUM_SIDES; s++)
		alloc_rows(r, &r->sides[s]);
	share(r);
}

static void finish(struct rank *r)
{
	enum side s;

	for (s = UP; s < NUM_SIDES; s++) {
		free(r->sides[s].in_mpi);
		free(r->sides[s].out_mpi);
		xetile_mem_free(r->sides[s].in);
		xetile_mem_free(r->sides[s].out);
	}
	xetile_mem_free(r->zeroes);
	xetile_mem_free(r->grids[1]);
	xetile_mem_free(r->grids[0]);
	xetile_mem_free(r->host);
	xetile_queue_destroy(r->copies);
	xetile_queue_destroy(r->compute);
	xetile_kernel_destroy(r->kernel);
	xetile_module_unload(r->module);
	xetile_context_destroy(r->context);
	xetile_platform_close(r->platform);
	MPI_Comm_free(&r->node);
}

static int run(struct rank *r)
{
	bool right;

	prepare(r);
	iterate(r);
	right = check(r);
	finish(r);
	return !right;
}

/* Returns whether the text is a number from 1 to @most; says so if not, once for the job. */
static bool read_number(const struct rank *r, const char *name, const char *text, uint64_t most,
			uint64_t *number)
{
	if (!xetile_size_parse(text, number) && *number && *number <= most)
		return true;
	if (!r->number)
		fprintf(stderr, "halo: --%s %s is not in 1..%llu\n", name, text,
			(unsigned long long)most);
	return false;
}

/* Returns -1, or the exit status. */
static int read_options(struct rank *r, int argc, char **argv)
{
	static const struct option longs[] = {
		{ "rows", required_argument, NULL, 'r' },
		{ "columns", required_argument, NULL, 'c' },
		{ "steps", required_argument, NULL, 's' },
		{ "kernel", required_argument, NULL, 'k' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	bool good = true;
	int c;

	opterr = !r->number;
	while (good && (c = getopt_long(argc, argv, "", longs, NULL)) != -1) {
		switch (c) {
		case 'r':
			good = read_number(r, "rows", optarg, MOST_ELEMENTS, &r->rows);
			break;
		case 'c':
			good = read_number(r, "columns", optarg, MOST_ELEMENTS, &r->columns);
			break;
		case 's':
			good = read_number(r, "steps", optarg, MOST_STEPS, &r->steps);
			break;
		case 'k':
			r->file = optarg;
			break;
		case 'h':
			if (!r->number)
				usage(stdout);
			return 0;
		default:
			good = false;
		}
	}
	if (good && (own(r) % LOCAL || own(r) > MOST_ELEMENTS)) {
		if (!r->number)
			fprintf(stderr, "halo: %llu elements are no multiple of %d, or more than %d\n",
				(unsigned long long)own(r), LOCAL, MOST_ELEMENTS);
		good = false;
	}
	if (good && optind == argc)
		return -1;
	if (!r->number)
		usage(stderr);
	return 2;
}

int main(int argc, char **argv)
{
	struct rank r = { .rows = 16, .columns = 1024, .steps = 8, .file = "kernels/kernels.bin" };
	int ret;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &r.number);
	MPI_Comm_size(MPI_COMM_WORLD, &r.ranks);
	ret = read_options(&r, argc, argv);
	if (ret < 0)
		ret = run(&r);
	MPI_Finalize();
	return ret;
}
