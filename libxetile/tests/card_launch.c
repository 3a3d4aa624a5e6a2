// SPDX-License-Identifier: MIT
/*
 * Launches on a card, through the library's public header: their times, graphs, and splits that
 * follow a buffer's color. XETILE_TEST_TOP is the folder of libxetile.
 *
 * usage: card_launch VPVCCTL
 *   VPVCCTL: tools/lab/vpvcctl, which asks card 0 for its counters
 *
 * Exit status: 0 when all tests passed, 1 when a test failed, 77 when there is no virtual card.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xetile.h>

#include "test.h"

#define MS	60000
#define LOCAL	32u
#define STEPS	12u

unsigned int test_passed, test_failed;

static struct xetile_platform *platform;
static struct xetile_device *root;
static struct xetile_device_info info;
static struct xetile_context *context;
static struct xetile_module *module;
static const char *vpvcctl;

static struct xetile_mem *alloc(const char *color, uint64_t size, void *map)
{
	struct xetile_mem_desc desc = { 0 };
	struct xetile_mem *mem = NULL;

	if (xetile_color_parse(color, &desc))
		return NULL;
	desc.size = size;
	if (!xetile_mem_alloc(context, root, &desc, &mem) && xetile_mem_map(mem, map)) {
		xetile_mem_free(mem);
		mem = NULL;
	}
	xetile_color_free(&desc);
	return mem;
}

static int make_queue(struct xetile_device *device, uint32_t flags, struct xetile_queue **queue)
{
	const struct xetile_queue_desc desc = { .flags = flags };

	return xetile_queue_create(context, device, &desc, queue);
}

/* --- times ---------------------------------------------------------------------------------- */

/* Launches of a queue run one after the other, and the times say so on each tile. */
static bool check_times(struct xetile_device *device, uint32_t tile_mask)
{
	const struct xetile_launch_desc launch = { .groups = { 64 }, .local = { LOCAL } };
	struct xetile_times times[3], again;
	struct xetile_event *events[3];
	struct xetile_kernel *kernel;
	struct xetile_queue *queue;
	const uint32_t pattern = 1;
	struct xetile_mem *mem;
	unsigned int i, t;
	void *map;

	mem = alloc("even", 64 * LOCAL * 4, &map);
	CHECK(mem, "%s", xetile_last_error());
	CHECK(!make_queue(device, XETILE_QUEUE_TIMES, &queue), "%s", xetile_last_error());
	CHECK(!xetile_kernel_create(module, "fill", &kernel));
	CHECK(!xetile_kernel_set_mem(kernel, 0, mem, 0));
	CHECK(!xetile_kernel_set_value(kernel, 1, &pattern, 4));
	for (i = 0; i < 3; i++)
		CHECK(!xetile_launch(queue, kernel, &launch, 0, NULL, &events[i]), "%s",
		      xetile_last_error());
	for (i = 0; i < 3; i++) {
		CHECK(!xetile_event_wait(events[i], MS), "%s", xetile_last_error());
		CHECK(!xetile_event_get_times(events[i], &times[i]), "%s", xetile_last_error());
		CHECK(times[i].num_tiles == (unsigned int)__builtin_popcount(tile_mask));
		CHECK(times[i].duration);
		for (t = 0; t < times[i].num_tiles; t++) {
			const struct xetile_tile_times *now = &times[i].tiles[t];

			CHECK(tile_mask & 1u << now->tile);
			CHECK(now->end > now->start, "%u", i);
			CHECK(!i || now->start >= times[i - 1].tiles[t].end, "%u", i);
		}
	}
	xetile_queue_destroy(queue);
	CHECK(!xetile_event_get_times(events[0], &again));
	CHECK(!memcmp(&again, &times[0], sizeof(again)));
	for (i = 0; i < 3; i++)
		xetile_event_destroy(events[i]);
	xetile_kernel_destroy(kernel);
	xetile_mem_free(mem);
	return true;
}

/* --- graphs --------------------------------------------------------------------------------- */

/*
 * Step k adds c to what step k - 1 has made a quarter of the launch further on: on several tiles
 * that is often another tile's. The last step has the sums, if each step found all of the one
 * before.
 */
static bool check_graph(struct xetile_device *device, bool wait)
{
	const uint32_t num = 4096, shift = num / 4;
	struct xetile_mem *mem[STEPS + 1], *c;
	float *word[STEPS + 1], *add, one = 1;
	struct xetile_graph *graph;
	struct xetile_times times;
	struct xetile_event *event;
	struct xetile_kernel *kernel;
	struct xetile_queue *queue;
	unsigned int k, i, round;

	CHECK(!make_queue(device, XETILE_QUEUE_TIMES, &queue), "%s", xetile_last_error());
	CHECK(!xetile_graph_create(queue, &graph));
	CHECK(!xetile_kernel_create(module, "triad", &kernel));
	c = alloc("even", (num + STEPS * shift) * 4, &add);
	CHECK(c, "%s", xetile_last_error());
	for (i = 0; i < num + STEPS * shift; i++)
		add[i] = 2;
	for (k = 0; k <= STEPS; k++) {
		mem[k] = alloc("chunk:64k", (num + STEPS * shift) * 4, &word[k]);
		CHECK(mem[k], "%s", xetile_last_error());
	}
	for (k = 1; k <= STEPS; k++) {
		struct xetile_launch_desc launch = { .local = { LOCAL } };

		launch.groups[0] = (num + (STEPS - k) * shift) / LOCAL;
		CHECK(!xetile_kernel_set_mem(kernel, 0, mem[k], 0));
		CHECK(!xetile_kernel_set_mem(kernel, 1, mem[k - 1], 4 * shift));
		CHECK(!xetile_kernel_set_mem(kernel, 2, c, 0));
		CHECK(!xetile_kernel_set_value(kernel, 3, &one, 4));
		CHECK(!xetile_graph_add_launch(graph, kernel, &launch), "%s", xetile_last_error());
	}
	xetile_kernel_destroy(kernel);
	for (round = 1; round <= 6; round++) {
		for (i = 0; i < num + STEPS * shift; i++)
			word[0][i] = round * i;
		if (!wait)
			CHECK(!xetile_graph_submit(graph, 0, NULL, NULL));
		CHECK(!xetile_graph_submit(graph, 0, NULL, &event), "%s", xetile_last_error());
		CHECK(!xetile_event_wait(event, MS), "%s", xetile_last_error());
		CHECK(!xetile_event_get_times(event, &times) && times.duration);
		xetile_event_destroy(event);
		for (i = 0; i < num; i++)
			CHECK(word[STEPS][i] == round * (i + STEPS * shift) + 2.0f * STEPS,
			      "round %u, word %u: %f", round, i, word[STEPS][i]);
	}
	xetile_graph_destroy(graph);
	xetile_queue_destroy(queue);
	for (k = 0; k <= STEPS; k++)
		xetile_mem_free(mem[k]);
	xetile_mem_free(c);
	return true;
}

/* --- splits --------------------------------------------------------------------------------- */

static FILE *ask(const char *command)
{
	char line[512];

	snprintf(line, sizeof(line), "%s 0 %s", vpvcctl, command);
	return popen(line, "r");
}

static bool reset_counters(void)
{
	return !pclose(ask("reset-counters > /dev/null"));
}

/* Bytes that the compute engines of all tiles have accessed on their own tile, and on others */
static bool read_counters(uint64_t *local, uint64_t *remote)
{
	FILE *in = ask("counters | jq -r '[.tiles[].engines[] | select(.class == \"ccs\")] |"
		       " [(map(.read_local + .write_local) | add), (map(.read_remote +"
		       " .write_remote) | add)] | @tsv'");
	int num = in ? fscanf(in, "%" SCNu64 " %" SCNu64, local, remote) : 0;

	return in && !pclose(in) && num == 2;
}

/*
 * A launch that follows the color of what it copies: each word is there, and no byte comes from
 * another tile. The static split is the control.
 */
static bool check_local(const char *color, bool follow, bool local)
{
	const uint32_t pages = 13, words = pages * XETILE_COLOR_PAGE / 4;
	struct xetile_launch_desc launch = { .groups = { words / LOCAL }, .local = { LOCAL } };
	uint64_t at_home, elsewhere;
	struct xetile_mem *mem[2];
	struct xetile_event *event;
	struct xetile_kernel *kernel;
	struct xetile_queue *queue;
	uint32_t *word[2], i;

	CHECK(!make_queue(root, 0, &queue), "%s", xetile_last_error());
	CHECK(!xetile_kernel_create(module, "copy", &kernel));
	for (i = 0; i < 2; i++) {
		mem[i] = alloc(color, words * 4, &word[i]);
		CHECK(mem[i], "%s", xetile_last_error());
		CHECK(!xetile_kernel_set_mem(kernel, i, mem[i], 0));
	}
	for (i = 0; i < words; i++)
		word[1][i] = i + 1;
	if (follow)
		launch.follow = (struct xetile_follow) { .mem = mem[0], .bytes = 4 * LOCAL };
	CHECK(reset_counters());
	CHECK(!xetile_launch(queue, kernel, &launch, 0, NULL, &event), "%s", xetile_last_error());
	CHECK(!xetile_event_wait(event, MS), "%s", xetile_last_error());
	CHECK(read_counters(&at_home, &elsewhere));
	CHECK(at_home + elsewhere >= 8ull * words);
	CHECK(!elsewhere == local, "%s: %" PRIu64 " bytes of other tiles", color, elsewhere);
	for (i = 0; i < words; i++)
		CHECK(word[0][i] == i + 1, "word %u", i);
	xetile_event_destroy(event);
	xetile_kernel_destroy(kernel);
	xetile_queue_destroy(queue);
	xetile_mem_free(mem[0]);
	xetile_mem_free(mem[1]);
	return true;
}

/* Each group runs once, in each dimension, in a graph between launches that follow nothing. */
static bool check_once(const char *color, uint32_t dim, uint32_t num)
{
	struct xetile_launch_desc launch = { .groups = { 3, 2, 3 }, .local = { LOCAL } };
	struct xetile_launch_desc first;
	struct xetile_mem *mem[3], *other;
	struct xetile_graph *graph;
	struct xetile_event *event;
	struct xetile_kernel *kernel;
	struct xetile_queue *queue;
	uint32_t *word[3], i, total;
	void *map;

	CHECK(!make_queue(root, 0, &queue), "%s", xetile_last_error());
	CHECK(!xetile_graph_create(queue, &graph));
	CHECK(!xetile_kernel_create(module, "whoami", &kernel));
	launch.groups[dim] = num;
	first = launch;
	total = launch.groups[0] * launch.groups[1] * launch.groups[2];
	other = alloc(color, 13 * XETILE_COLOR_PAGE, &map);
	CHECK(other, "%s", xetile_last_error());
	launch.follow = (struct xetile_follow) {
		.mem = other, .bytes = 13 * XETILE_COLOR_PAGE / num, .dim = dim,
	};
	for (i = 0; i < 3; i++) {
		mem[i] = alloc("even", 4 * (3 * total + 1), &word[i]);
		CHECK(mem[i], "%s", xetile_last_error());
		CHECK(!xetile_kernel_set_mem(kernel, i, mem[i], 0));
	}
	CHECK(!xetile_graph_add_launch(graph, kernel, &first), "%s", xetile_last_error());
	CHECK(!xetile_graph_add_launch(graph, kernel, &launch), "%s", xetile_last_error());
	CHECK(!xetile_graph_add_launch(graph, kernel, &first), "%s", xetile_last_error());
	CHECK(!xetile_graph_submit(graph, 0, NULL, &event), "%s", xetile_last_error());
	CHECK(!xetile_event_wait(event, MS), "%s", xetile_last_error());
	CHECK(word[0][0] == 3 * total, "%u tickets, not %u", word[0][0], 3 * total);
	for (i = 0; i < total; i++)
		CHECK(word[2][i] == 3, "%s: group %u ran %u times", color, i, word[2][i]);
	xetile_event_destroy(event);
	xetile_graph_destroy(graph);
	xetile_kernel_destroy(kernel);
	xetile_queue_destroy(queue);
	for (i = 0; i < 3; i++)
		xetile_mem_free(mem[i]);
	xetile_mem_free(other);
	return true;
}

/*
 * A launch begins when the one before has ended on all tiles: also when only the last tile has a
 * group of the one before, which waits for the CPU, and only the first tile has groups of this one.
 * @graph: the second one is a graph of its own
 */
static bool check_order(bool graph)
{
	struct xetile_launch_desc launch = { .groups = { 1 }, .local = { LOCAL } };
	struct xetile_mem *flag, *started, *out;
	struct xetile_kernel *spin, *fill;
	struct xetile_graph *second;
	struct xetile_event *event;
	struct xetile_queue *queue;
	volatile uint32_t *flags, *starts, *words;
	const uint32_t pattern = 1;
	bool early;

	CHECK(!make_queue(root, 0, &queue), "%s", xetile_last_error());
	CHECK(!xetile_graph_create(queue, &second));
	CHECK(!xetile_kernel_create(module, "spin", &spin));
	CHECK(!xetile_kernel_create(module, "fill", &fill));
	flag = alloc("tile:1", XETILE_COLOR_PAGE, &flags);
	started = alloc("tile:1", XETILE_COLOR_PAGE, &starts);
	out = alloc("tile:0", XETILE_COLOR_PAGE, &words);
	CHECK(flag && started && out, "%s", xetile_last_error());
	*flags = *starts = *words = 0;
	CHECK(!xetile_kernel_set_mem(spin, 0, flag, 0));
	CHECK(!xetile_kernel_set_mem(spin, 1, started, 0));
	CHECK(!xetile_kernel_set_mem(fill, 0, out, 0));
	CHECK(!xetile_kernel_set_value(fill, 1, &pattern, 4));
	launch.follow = (struct xetile_follow) { .mem = started, .bytes = 4 * LOCAL };
	CHECK(!xetile_launch(queue, spin, &launch, 0, NULL, NULL), "%s", xetile_last_error());
	launch.follow.mem = out;
	if (graph) {
		CHECK(!xetile_graph_add_launch(second, fill, &launch));
		CHECK(!xetile_graph_submit(second, 0, NULL, &event), "%s", xetile_last_error());
	} else {
		CHECK(!xetile_launch(queue, fill, &launch, 0, NULL, &event));
	}
	while (!*starts && xetile_event_status(event) == -EINPROGRESS)
		usleep(1000);
	/* Nothing tells that the first tile will not begin: it has this much time to do so. */
	usleep(100000);
	early = *words;
	*flags = 1;
	CHECK(!xetile_event_wait(event, MS), "%s", xetile_last_error());
	CHECK(!early, "the first tile went on while the last one had not ended");
	CHECK(*words);
	xetile_event_destroy(event);
	xetile_graph_destroy(second);
	xetile_kernel_destroy(spin);
	xetile_kernel_destroy(fill);
	xetile_queue_destroy(queue);
	xetile_mem_free(flag);
	xetile_mem_free(started);
	xetile_mem_free(out);
	return true;
}

static bool check_follow(void)
{
	static const char * const colors[] = {
		"even", "chunk:64k", "chunk:128k", "follow", "tile:1", "weighted:3,1",
		"map:1*2,0*1,1*7,0*3",
	};
	/* Those that name two tiles are for cards of two. */
	unsigned int num = info.num_tiles == 2 ? 7 : 4, i, dim;

	for (i = 0; i < num; i++) {
		if (!check_local(colors[i], true, true))
			return false;
		for (dim = 0; dim < 3; dim++) {
			if (!check_once(colors[i], dim, 13 + 100 * i))
				return false;
		}
	}
	return check_local("chunk:64k", false, false);
}

/* --- pointers to functions ------------------------------------------------------------------ */

static uint32_t operation(unsigned int which, uint32_t a, uint32_t b)
{
	uint32_t own[40], sum = 0, i;

	if (which < 2)
		return which ? a * b : a + b;
	for (i = 0; i < 40; i++)
		own[(i * 7 + a) % 40] = i * b;
	for (i = 0; i < 40; i++)
		sum += own[i] * (i + 1);
	return sum;
}

static bool results_are(struct xetile_queue *queue, struct xetile_kernel *kernel, uint32_t *out,
			unsigned int which, bool each)
{
	const struct xetile_launch_desc launch = { .groups = { 16 }, .local = { LOCAL } };
	struct xetile_event *event;
	uint32_t i, want;

	memset(out, 0xff, 16 * LOCAL * 4);
	CHECK(!xetile_launch(queue, kernel, &launch, 0, NULL, &event), "%s", xetile_last_error());
	CHECK(!xetile_event_wait(event, MS), "%s", xetile_last_error());
	xetile_event_destroy(event);
	for (i = 0; i < 16 * LOCAL; i++) {
		want = operation(each ? i % 3 : which, i, 3);
		CHECK(out[i] == want, "item %u, function %u: %u, not %u", i, each ? i % 3 : which,
		      out[i], want);
	}
	return true;
}

/* Pointers come from the program, from the kernel's code and from memory. */
static bool check_pointers(void)
{
	static const char * const names[] = { "op_add", "op_multiply", "op_sum" };
	struct xetile_kernel *apply, *choose, *each;
	struct xetile_mem *mem[2];
	struct xetile_module *own;
	struct xetile_queue *queue;
	uint64_t *pointers;
	uint32_t *out, i;
	char path[512];

	snprintf(path, sizeof(path), "%s/tests/data/pointers_22_43.bin", getenv("XETILE_TEST_TOP"));
	CHECK(!xetile_module_load_file(context, path, &own), "%s", xetile_last_error());
	CHECK(!make_queue(root, 0, &queue), "%s", xetile_last_error());
	mem[0] = alloc("even", 16 * LOCAL * 4, &out);
	mem[1] = alloc("even", 3 * 8, &pointers);
	CHECK(mem[0] && mem[1], "%s", xetile_last_error());
	CHECK(!xetile_kernel_create(own, "apply", &apply), "%s", xetile_last_error());
	CHECK(!xetile_kernel_create(own, "choose", &choose), "%s", xetile_last_error());
	CHECK(!xetile_kernel_create(own, "each", &each), "%s", xetile_last_error());
	CHECK(!xetile_kernel_set_mem(apply, 0, mem[0], 0));
	CHECK(!xetile_kernel_set_mem(choose, 0, mem[0], 0));
	CHECK(!xetile_kernel_set_mem(each, 0, mem[0], 0));
	CHECK(!xetile_kernel_set_mem(each, 1, mem[1], 0));
	CHECK(!xetile_kernel_set_value(each, 2, &(uint32_t){ 3 }, 4));
	for (i = 0; i < 3; i++) {
		uint64_t pointer;

		CHECK(!xetile_module_function_address(own, names[i], &pointer), "%s",
		      xetile_last_error());
		pointers[i] = pointer;
		CHECK(!xetile_kernel_set_value(apply, 1, &pointer, 8), "%s", xetile_last_error());
		CHECK(!xetile_kernel_set_value(choose, 1, &i, 4), "%s", xetile_last_error());
		if (!results_are(queue, choose, out, i, false) ||
		    !results_are(queue, apply, out, i, false))
			return false;
	}
	if (!results_are(queue, each, out, 0, true))
		return false;
	xetile_kernel_destroy(apply);
	xetile_kernel_destroy(choose);
	xetile_kernel_destroy(each);
	xetile_queue_destroy(queue);
	xetile_mem_free(mem[0]);
	xetile_mem_free(mem[1]);
	xetile_module_unload(own);
	return true;
}

int main(int argc, char **argv)
{
	struct xetile_device *last;
	char path[512];

	setvbuf(stdout, NULL, _IOLBF, 0);
	snprintf(path, sizeof(path), "%s/kernels/kernels.bin",
		 getenv("XETILE_TEST_TOP") ? getenv("XETILE_TEST_TOP") : ".");
	if (xetile_platform_open(&platform) || xetile_platform_select(platform, "0", &root) ||
	    xetile_context_create(root, &context) || xetile_device_get_info(root, &info) ||
	    xetile_module_load_file(context, path, &module)) {
		printf("skip: no card: %s\n", xetile_last_error());
		xetile_platform_close(platform);
		return 77;
	}
	vpvcctl = argc > 1 ? argv[1] : "";
	if (access(vpvcctl, X_OK) || !reset_counters()) {
		printf("skip: no virtual card answers '%s'\n", vpvcctl);
		return 77;
	}
	last = xetile_device_sub_device(root, info.num_tiles - 1);
	test_run("F13: times of launches on all tiles", check_times(root, info.tile_mask));
	if (last)
		test_run("F13: times of launches on the last tile",
			 check_times(last, 1u << (info.num_tiles - 1)));
	test_run("a graph on all tiles, one submission at a time", check_graph(root, true));
	test_run("a graph on all tiles, two submissions at a time", check_graph(root, false));
	if (last)
		test_run("a graph on the last tile", check_graph(last, false));
	test_run("kernels call functions by pointers", check_pointers());
	if (info.num_tiles > 1) {
		test_run("a launch begins when all tiles have ended the one before",
			 check_order(false));
		test_run("... and so does a graph", check_order(true));
	}
	if (info.num_tiles > 1)
		test_run("a launch follows the color of its data: no byte of another tile",
			 check_follow());
	xetile_module_unload(module);
	xetile_context_destroy(context);
	xetile_platform_close(platform);
	printf("launches on a card: %u passed, %u failed\n", test_passed, test_failed);
	return test_failed != 0;
}
