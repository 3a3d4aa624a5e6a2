// SPDX-License-Identifier: MIT
/*
 * W18: what xetile_plan_explain() forecasts is what the virtual card counts, byte for byte and tile
 * by tile, for a kernel of each pattern under several colors; and under the color that the forecast
 * says is better. The kernels are in data/locality.cl.
 *
 * usage: card_explain VPVCCTL
 *   VPVCCTL: tools/lab/vpvcctl, which asks card 0 for its counters
 *
 * Exit status: 0 when all tests passed, 1 when a test failed, 77 when there is no virtual card.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xetile.h>

#include "test.h"

#define MS	60000
#define WORD	4u

unsigned int test_passed, test_failed;

static struct xetile_platform *platform;
static struct xetile_device *root;
static struct xetile_device_info info;
static struct xetile_context *context;
static struct xetile_queue *queue;
static struct xetile_module *module;
static const char *vpvcctl;

/* Bytes of the compute engines of each tile */
struct bytes {
	uint64_t read_local, read_remote, write_local, write_remote;
};

/* A kernel, its launch, and what it does with its buffer "in"; "out" and "index" are streams. */
struct job {
	const char *kernel;
	struct xetile_launch_desc launch;
	struct xetile_access in;
	uint64_t size;			/* of "in" */
	unsigned int num_values;
	uint32_t values[2];		/* arguments behind the buffers */
};

/* Ask the card, and return the stream of the answer. */
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

static bool read_counters(struct bytes count[XETILE_MAX_TILES])
{
	FILE *in = ask("counters | jq -r '.tiles[] | [.engines[] | select(.class == \"ccs\")] |"
		       " [map(.read_local), map(.read_remote), map(.write_local),"
		       " map(.write_remote)] | map(add) | @tsv'");
	unsigned int t;
	bool ok = true;

	memset(count, 0, XETILE_MAX_TILES * sizeof(*count));
	for (t = 0; t < info.num_tiles; t++)
		ok = fscanf(in, "%lu %lu %lu %lu", &count[t].read_local, &count[t].read_remote,
			    &count[t].write_local, &count[t].write_remote) == 4 && ok;
	return !pclose(in) && ok;
}

/* --- the forecast ------------------------------------------------------------------ */

static uint64_t num_items(const struct job *job)
{
	uint64_t items = 1;
	unsigned int i;

	for (i = 0; i < 3; i++)
		items *= job->launch.groups[i] * job->launch.local[i];
	return items;
}

/* Add the forecast of an access to a buffer of a color. */
static bool forecast(const struct job *job, const struct xetile_mem_desc *mem,
		     const struct xetile_access *access, struct xetile_forecast *f,
		     struct bytes want[XETILE_MAX_TILES])
{
	const struct xetile_explain_desc desc = {
		.launch = &job->launch, .tile_mask = info.tile_mask, .mem = mem,
		.num_accesses = 1, .accesses = access,
	};
	unsigned int t;

	CHECK(!xetile_plan_explain(&desc, f), "%s", xetile_last_error());
	for (t = 0; t < XETILE_MAX_TILES; t++) {
		*(access->write ? &want[t].write_local : &want[t].read_local) += f->local[t];
		*(access->write ? &want[t].write_remote : &want[t].read_remote) += f->remote[t];
	}
	return true;
}

/* --- the launch -------------------------------------------------------------------- */

static bool run(const struct job *job, struct xetile_kernel *kernel, struct xetile_mem *mem[3],
		struct bytes count[XETILE_MAX_TILES])
{
	unsigned int i, num = job->in.index ? 3 : 2;
	struct xetile_event *event;

	for (i = 0; i < num; i++)
		CHECK(!xetile_kernel_set_mem(kernel, i, mem[i], 0), "%s", xetile_last_error());
	for (i = 0; i < job->num_values; i++)
		CHECK(!xetile_kernel_set_value(kernel, num + i, &job->values[i], WORD), "%s",
		      xetile_last_error());
	CHECK(reset_counters());
	CHECK(!xetile_launch(queue, kernel, &job->launch, 0, NULL, &event), "%s",
	      xetile_last_error());
	CHECK(!xetile_event_wait(event, MS), "%s", xetile_last_error());
	xetile_event_destroy(event);
	CHECK(read_counters(count));
	return true;
}

static bool fill_index(const struct job *job, struct xetile_mem *mem)
{
	uint64_t i;
	void *map;

	CHECK(!xetile_mem_map(mem, &map), "%s", xetile_last_error());
	for (i = 0; i < job->in.num_index; i++)
		((uint32_t *)map)[i] = job->in.index[i];
	return true;
}

/* Returns whether the card counts what is forecast. @f is the forecast of "in". */
static bool agrees(const struct job *job, const struct xetile_mem_desc *color,
		   struct xetile_forecast *f)
{
	struct xetile_mem_desc desc[3] = {
		{ .size = num_items(job) * WORD }, *color, { .size = num_items(job) * WORD },
	};
	const struct xetile_access index = { .bytes = WORD };
	struct xetile_access out = { .bytes = WORD, .write = true };
	struct bytes want[XETILE_MAX_TILES] = { 0 }, count[XETILE_MAX_TILES];
	unsigned int i, t, num = job->in.index ? 3 : 2;
	struct xetile_mem *mem[3] = { NULL };
	struct xetile_kernel *kernel;
	struct xetile_forecast other;

	desc[1].size = job->size;
	/* Work-items that do not read do not write. */
	if (job->in.edge == XETILE_EDGE_INSIDE) {
		out.edge = job->in.edge;
		memcpy(out.halo, job->in.halo, sizeof(out.halo));
	}
	CHECK(forecast(job, &desc[1], &job->in, f, want));
	CHECK(forecast(job, &desc[0], &out, &other, want));
	xetile_color_free(&other.better);
	if (num == 3) {
		CHECK(forecast(job, &desc[2], &index, &other, want));
		xetile_color_free(&other.better);
	}
	CHECK(!xetile_kernel_create(module, job->kernel, &kernel), "%s", xetile_last_error());
	for (i = 0; i < num; i++)
		CHECK(!xetile_mem_alloc(context, root, &desc[i], &mem[i]), "%s",
		      xetile_last_error());
	if (num == 3)
		CHECK(fill_index(job, mem[2]));
	CHECK(run(job, kernel, mem, count));
	for (t = 0; t < XETILE_MAX_TILES; t++)
		CHECK(!memcmp(&count[t], &want[t], sizeof(count[t])),
		      "tile %u: read %lu local %lu remote, not %lu %lu; written %lu %lu, not %lu %lu",
		      t, count[t].read_local, count[t].read_remote, want[t].read_local,
		      want[t].read_remote, count[t].write_local, count[t].write_remote,
		      want[t].write_local, want[t].write_remote);
	for (i = 0; i < num; i++)
		xetile_mem_free(mem[i]);
	xetile_kernel_destroy(kernel);
	return true;
}

/* Under each color, and under the one that is better than the last */
static bool check_job(const struct job *job, const char *const colors[])
{
	struct xetile_forecast f = { 0 }, better;
	struct xetile_mem_desc desc;
	unsigned int i;

	for (i = 0; colors[i]; i++) {
		desc = (struct xetile_mem_desc) { 0 };
		xetile_color_free(&f.better);
		CHECK(!xetile_color_parse(colors[i], &desc), "%s", xetile_last_error());
		CHECK(agrees(job, &desc, &f), "color %s", colors[i]);
		CHECK(info.num_tiles > 1 || !f.total_remote);
		xetile_color_free(&desc);
	}
	if (f.has_better) {
		CHECK(agrees(job, &f.better, &better), "color %d", f.better.color);
		CHECK(better.total_remote == f.better_remote);
		CHECK(!better.has_better || f.better.color != XETILE_COLOR_REPLICATE);
		xetile_color_free(&better.better);
	}
	printf("     %s: %lu of %lu bytes remote with %s, %lu with color %d\n", job->kernel,
	       f.total_remote, f.total, colors[i - 1], f.has_better ? f.better_remote : 0,
	       f.has_better ? (int)f.better.color : -1);
	xetile_color_free(&f.better);
	return true;
}

/* --- the patterns ------------------------------------------------------------------ */

static const char *const common[] = { "even", "tile:0", "chunk:64k", NULL };

static bool check_stream(void)
{
	struct job job = {
		.kernel = "stream", .launch = { .groups = { 300 }, .local = { 256, 1, 1 } },
		.in = { .bytes = WORD },
	};

	job.launch.groups[1] = job.launch.groups[2] = 1;
	job.size = num_items(&job) * WORD;
	CHECK(check_job(&job, common));
	/* In three dimensions, of which y is cut */
	job.launch = (struct xetile_launch_desc) { .groups = { 3, 20, 3 }, .local = { 24, 5, 3 } };
	job.size = num_items(&job) * WORD;
	return check_job(&job, common);
}

static bool check_stencil(const char *kernel, enum xetile_edge edge)
{
	struct job job = {
		.kernel = kernel, .launch = { .groups = { 15, 17, 1 }, .local = { 32, 8, 1 } },
		.in = { .pattern = XETILE_PATTERN_STENCIL, .edge = edge, .bytes = WORD,
			.halo = { 3, 3 } },
		.num_values = 1, .values = { 3 },
	};

	job.size = num_items(&job) * WORD;
	return check_job(&job, common);
}

static bool check_rows(void)
{
	static const char *const colors[] = { "even", "follow", "map:1*3,0*2", NULL };
	static const char *const narrow[] = { "even", "map:0*3,0*2", NULL };
	struct job job = {
		.kernel = "rows", .launch = { .groups = { 9, 1, 1 }, .local = { 32, 1, 1 } },
		.in = { .pattern = XETILE_PATTERN_ROWS, .bytes = 200 * WORD,
			.pitch = { 256 * WORD } },
		.size = 5 * XETILE_COLOR_PAGE, .num_values = 2, .values = { 200, 256 },
	};

	return check_job(&job, info.num_tiles > 1 ? colors : narrow);
}

/* x is cut, so that each tile has a part of each row, and chunks fit. */
static bool check_block(void)
{
	static const char *const colors[] = { "chunk:64k", "even", NULL };
	struct job job = {
		.kernel = "block", .launch = { .groups = { 128, 1, 1 }, .local = { 256, 3, 1 } },
		.in = { .pattern = XETILE_PATTERN_ROWS, .bytes = WORD,
			.pitch = { WORD, 32768 * WORD } },
		.size = 3 * 32768 * WORD, .num_values = 1, .values = { 32768 },
	};

	return check_job(&job, colors);
}

static bool check_gather(void)
{
	static uint64_t index[3000];
	struct job job = {
		.kernel = "gather", .launch = { .groups = { 125, 1, 1 }, .local = { 24, 1, 1 } },
		.in = { .pattern = XETILE_PATTERN_GATHER, .bytes = WORD, .index = index,
			.num_index = 3000 },
		.size = 7 * XETILE_COLOR_PAGE,
	};
	uint64_t i;

	for (i = 0; i < 3000; i++)
		index[i] = i * i * 2654435761u % (job.size / WORD);
	return check_job(&job, common);
}

static bool prepare(void)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/tests/data/locality.bin", getenv("XETILE_TEST_TOP"));
	if (xetile_platform_open(&platform) || xetile_platform_select(platform, "0", &root) ||
	    xetile_context_create(root, &context) || xetile_device_get_info(root, &info) ||
	    xetile_queue_create(context, root, NULL, &queue) ||
	    xetile_module_load_file(context, path, &module)) {
		printf("skip: no card: %s\n", xetile_last_error());
		return false;
	}
	return true;
}

int main(int argc, char **argv)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	vpvcctl = argc > 1 ? argv[1] : "";
	if (access(vpvcctl, X_OK) || !reset_counters()) {
		printf("skip: no virtual card, which counts bytes\n");
		return 77;
	}
	if (!prepare())
		return 77;
	test_run("W18: a stream has the bytes of its forecast", check_stream());
	test_run("W18: ... a stencil that leaves out what is not there",
		 check_stencil("stencil_skip", XETILE_EDGE_SKIP));
	test_run("W18: ... one that stays at the edge",
		 check_stencil("stencil_clamp", XETILE_EDGE_CLAMP));
	test_run("W18: ... one of the inside",
		 check_stencil("stencil_inside", XETILE_EDGE_INSIDE));
	test_run("W18: ... rows", check_rows());
	test_run("W18: ... a block of rows", check_block());
	test_run("W18: ... a gather", check_gather());
	xetile_module_unload(module);
	xetile_queue_destroy(queue);
	xetile_context_destroy(context);
	xetile_platform_close(platform);
	printf("forecasts: %u passed, %u failed\n", test_passed, test_failed);
	return test_failed != 0;
}
