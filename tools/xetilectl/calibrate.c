// SPDX-License-Identifier: MIT
/*
 * xetilectl calibrate: measures how much slower the memories of a card are than the nearest one,
 * for each tile's copy engine and for the CPU, and keeps the ratios for the library.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ctl.h"
#include "options.h"

#define MAX_MEMORIES	(XETILE_MAX_TILES + 1)
#define MAX_PAIRS	(MAX_MEMORIES * MAX_MEMORIES)
/* A copy of so many bytes takes the time that each copy takes, whatever its size. */
#define SMALL		4096
/* Reading HBM is slow for the CPU. */
#define CPU_SHARE	16

struct pair {
	int tile, memory;
	double read, write;		/* seconds for a byte */
};

struct calibration {
	struct xetile_platform *platform;
	struct xetile_device *card;
	struct xetile_device_info info;
	struct xetile_context *context;
	uint64_t size;
	unsigned int rounds;
	bool json, store;
	/* By tile, the last is the machine's memory: what is measured, and a tile's other end */
	struct xetile_mem *banks[MAX_MEMORIES], *own[XETILE_MAX_TILES];
	struct xetile_queue *queues[XETILE_MAX_TILES];
	unsigned int num;
	struct pair pairs[MAX_PAIRS];
};

static void usage(FILE *out)
{
	fputs("usage: xetilectl calibrate [--device CARD] [--size SIZE] [--rounds N] [--dry-run]\n"
	      "                           [--json]\n\n"
	      "Measures how long each tile's copy engine and the CPU take to read and write each\n"
	      "memory of the card (default: the first one), compared with the nearest one, and stores the\n"
	      "ratios in a file for the library. The card should be idle.\n\n"
	      "  --size SIZE   bytes of a copy (default 64m)\n"
	      "  --rounds N    copies, of which the fastest counts (default 5)\n"
	      "  --dry-run     store nothing\n"
	      "  --device, -d CARD\n"
	      "  --json, -j    print one line of JSON\n", out);
}

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec + ts.tv_nsec * 1e-9;
}

/* --- buffers ----------------------------------------------------------------------- */

/* Allocate @size bytes on one tile and nowhere else; @tile XETILE_SYSTEM: not in HBM. */
static int alloc(struct calibration *c, int tile, struct xetile_mem **out)
{
	struct xetile_mem_desc desc = { .size = c->size, .flags = XETILE_MEM_SYSTEM };

	if (tile != XETILE_SYSTEM) {
		desc.color = XETILE_COLOR_TILE;
		desc.tile = tile;
		desc.flags = XETILE_MEM_STRICT;
	}
	return xetile_mem_alloc(c->context, c->card, &desc, out) ?
		ctl_failed("cannot allocate") : CTL_OK;
}

static int open_all(struct calibration *c, const char *selector)
{
	const struct xetile_queue_desc copy = { .engine_class = XETILE_COPY };
	unsigned int t;
	int ret = ctl_open_card(selector, &c->platform, &c->card);

	if (ret)
		return ret;
	if (xetile_device_get_info(c->card, &c->info))
		return ctl_failed("card");
	if (xetile_device_num_sub_devices(c->card) != c->info.card_tiles)
		return ctl_usage("the affinity mask hides a tile of card %u", c->info.card);
	if (xetile_context_create(c->card, &c->context))
		return ctl_failed("cannot open the card");
	for (t = 0; t < c->info.card_tiles && !ret; t++) {
		if (xetile_queue_create(c->context, xetile_device_sub_device(c->card, t), &copy,
					&c->queues[t]))
			return ctl_failed("cannot create a queue");
		ret = alloc(c, t, &c->banks[t]);
		if (!ret)
			ret = alloc(c, t, &c->own[t]);
	}
	return ret ? ret : alloc(c, XETILE_SYSTEM, &c->banks[c->info.card_tiles]);
}

static void close_all(struct calibration *c)
{
	unsigned int t;

	for (t = 0; t < XETILE_MAX_TILES; t++) {
		xetile_queue_destroy(c->queues[t]);
		xetile_mem_free(c->own[t]);
	}
	for (t = 0; t < MAX_MEMORIES; t++)
		xetile_mem_free(c->banks[t]);
	xetile_context_destroy(c->context);
	xetile_platform_close(c->platform);
}

/* --- measuring --------------------------------------------------------------------- */

/* The shortest time of several copies */
static int time_copy(struct calibration *c, unsigned int tile, struct xetile_mem *dst,
		     struct xetile_mem *src, uint64_t size, double *best)
{
	struct xetile_event *event;
	unsigned int i;
	double start;
	int err;

	for (i = 0; i < c->rounds; i++) {
		start = now();
		if (xetile_copy(c->queues[tile], dst, 0, src, 0, size, 0, NULL, &event))
			return ctl_failed("cannot copy");
		err = xetile_event_wait(event, -1);
		start = now() - start;
		xetile_event_destroy(event);
		if (err)
			return ctl_failed("the copy");
		if (!i || start < *best)
			*best = start;
	}
	return CTL_OK;
}

/* Seconds that a byte takes: what a copy of few bytes takes is not the memory's. */
static int time_byte(struct calibration *c, unsigned int tile, struct xetile_mem *dst,
		     struct xetile_mem *src, double *out)
{
	double whole = 0, small = 0;
	int ret = time_copy(c, tile, dst, src, c->size, &whole);

	if (!ret)
		ret = time_copy(c, tile, dst, src, SMALL, &small);
	if (!ret && whole <= small) {
		fprintf(stderr, "xetilectl: %" PRIu64 " bytes take no longer than %u do: a larger --size measures better\n",
			c->size, SMALL);
		small = 0;
	}
	*out = (whole - small) / (c->size - SMALL);
	return ret;
}

static int measure_engine(struct calibration *c, unsigned int tile)
{
	unsigned int m;
	int ret = CTL_OK;

	for (m = 0; m <= c->info.card_tiles && !ret; m++) {
		struct pair *pair = &c->pairs[c->num++];

		pair->tile = tile;
		pair->memory = m < c->info.card_tiles ? (int)m : XETILE_SYSTEM;
		ret = time_byte(c, tile, c->own[tile], c->banks[m], &pair->read);
		if (!ret)
			ret = time_byte(c, tile, c->banks[m], c->own[tile], &pair->write);
	}
	return ret;
}

/* The CPU reaches HBM through a window, and a buffer outside it moves to the machine's memory. */
static bool is_in_hbm(struct xetile_mem *mem)
{
	struct xetile_run run;

	return xetile_mem_color(mem, &run, 1) == 1 && run.tile != XETILE_TILE_SYSTEM;
}

static int measure_cpu(struct calibration *c)
{
	const uint64_t size = c->size / CPU_SHARE;
	char *buffer = malloc(size);
	unsigned int m, i;
	double start;
	void *map;

	if (!buffer) {
		fputs("xetilectl: out of memory\n", stderr);
		return CTL_FAILED;
	}
	memset(buffer, 1, size);
	for (m = 0; m <= c->info.card_tiles; m++) {
		struct pair pair = {
			.tile = XETILE_CPU,
			.memory = m < c->info.card_tiles ? (int)m : XETILE_SYSTEM,
		};

		if (xetile_mem_map(c->banks[m], &map)) {
			free(buffer);
			return ctl_failed("cannot map");
		}
		/* The first round also makes the pages. */
		for (i = 0; i <= c->rounds; i++) {
			start = now();
			memcpy(map, buffer, size);
			start = now() - start;
			if (i && (i == 1 || start < pair.write))
				pair.write = start;
			start = now();
			memcpy(buffer, map, size);
			/* The compiler must not drop a copy that nobody looks at. */
			__asm__ volatile("" : : "r"(buffer) : "memory");
			start = now() - start;
			if (i && (i == 1 || start < pair.read))
				pair.read = start;
		}
		if (pair.memory == XETILE_SYSTEM || is_in_hbm(c->banks[m]))
			c->pairs[c->num++] = pair;
	}
	free(buffer);
	return CTL_OK;
}

/* --- results ------------------------------------------------------------------------- */

static const struct pair *find_nearest(const struct calibration *c, int tile)
{
	unsigned int i;

	/* A tile's own HBM has the tile's number, and the machine's memory that of the CPU. */
	for (i = 0; i < c->num; i++) {
		if (c->pairs[i].tile == tile && c->pairs[i].memory == tile)
			return &c->pairs[i];
	}
	return NULL;
}

static uint32_t to_ratio(double value, double unit)
{
	double ratio = value / unit * XETILE_RATIO_ONE + 0.5;

	return ratio < 1 ? 1 : ratio > 1e9 ? 1000000000 : (uint32_t)ratio;
}

static void compute_ratios(const struct calibration *c, struct xetile_ratio *ratios)
{
	unsigned int i;

	for (i = 0; i < c->num; i++) {
		const struct pair *pair = &c->pairs[i], *unit = find_nearest(c, pair->tile);

		ratios[i] = (struct xetile_ratio) {
			.tile = pair->tile, .memory = pair->memory,
			.read = unit ? to_ratio(pair->read, unit->read) : 0,
			.write = unit ? to_ratio(pair->write, unit->write) : 0,
		};
	}
}

static void print_text(const struct calibration *c, const struct xetile_ratio *ratios,
		       const char *path)
{
	unsigned int i;

	printf("card %u (%s): times of this card, at hand and now, compared with the nearest memory\n",
	       c->info.card, c->info.pci);
	for (i = 0; i < c->num; i++) {
		if (ratios[i].tile == XETILE_CPU)
			printf("  the CPU         ");
		else
			printf("  tile %d's engine ", ratios[i].tile);
		if (ratios[i].memory == XETILE_SYSTEM)
			printf("system memory: ");
		else
			printf("HBM of tile %d: ", ratios[i].memory);
		printf("read x%.3f, write x%.3f\n", (double)ratios[i].read / XETILE_RATIO_ONE,
		       (double)ratios[i].write / XETILE_RATIO_ONE);
	}
	if (path)
		printf("stored in %s\n", path);
	else
		printf("nothing is stored\n");
}

static void print_json(const struct calibration *c, const struct xetile_ratio *ratios,
		       const char *path)
{
	unsigned int i;

	printf("{\"card\":%u,\"pci\":\"%s\",\"file\":", c->info.card, c->info.pci);
	if (path)
		ctl_json_string(path);
	else
		printf("null");
	printf(",\"ratios\":[");
	for (i = 0; i < c->num; i++) {
		printf("%s{\"tile\":", i ? "," : "");
		printf(ratios[i].tile == XETILE_CPU ? "\"cpu\"" : "%d", ratios[i].tile);
		printf(",\"memory\":");
		printf(ratios[i].memory == XETILE_SYSTEM ? "\"system\"" : "%d", ratios[i].memory);
		printf(",\"read\":%.3f,\"write\":%.3f}", (double)ratios[i].read / XETILE_RATIO_ONE,
		       (double)ratios[i].write / XETILE_RATIO_ONE);
	}
	printf("]}\n");
}

static int measure(struct calibration *c)
{
	struct xetile_ratio ratios[MAX_PAIRS];
	char path[512];
	unsigned int t;
	int ret = CTL_OK;

	for (t = 0; t < c->info.card_tiles && !ret; t++)
		ret = measure_engine(c, t);
	/* The CPU comes last, because what it touches may move. */
	if (!ret)
		ret = measure_cpu(c);
	if (ret)
		return ret;
	compute_ratios(c, ratios);
	if (c->store && xetile_device_store_ratios(c->card, ratios, c->num, path, sizeof(path)))
		return ctl_failed("cannot store");
	if (c->json)
		print_json(c, ratios, c->store ? path : NULL);
	else
		print_text(c, ratios, c->store ? path : NULL);
	return CTL_OK;
}

static int read_size(const struct option_line *line, const char *text)
{
	uint64_t value;

	if (xetile_size_parse(text, &value) || value < 1 << 20 || value > 1ull << 32)
		return ctl_usage("--size '%s' is not in 1m..4g", text);
	*(uint64_t *)line->value = value;
	return CTL_OK;
}

static int read_rounds(const struct option_line *line, const char *text)
{
	uint64_t value;

	if (xetile_size_parse(text, &value) || !value || value > 1000)
		return ctl_usage("--rounds '%s' is not in 1..1000", text);
	*(unsigned int *)line->value = value;
	return CTL_OK;
}

int ctl_calibrate(int argc, char **argv)
{
	struct calibration calibration = { .size = 64 << 20, .rounds = 5 };
	const char *selector = NULL;
	bool dry = false;
	const struct option_line lines[] = {
		{ "device", 'd', OPTION_DEVICE, &selector },
		{ "size", 0, OPTION_READ, &calibration.size, read_size },
		{ "rounds", 0, OPTION_READ, &calibration.rounds, read_rounds },
		{ "dry-run", 'n', OPTION_FLAG, &dry },
		{ "json", 'j', OPTION_FLAG, &calibration.json },
		{ NULL },
	};
	const struct option_table table = { "calibrate", lines, 0, usage };
	int ret;

	if (!options_read(&table, argc, argv, &ret))
		return ret;
	calibration.store = !dry;
	ret = open_all(&calibration, selector);
	if (!ret)
		ret = measure(&calibration);
	close_all(&calibration);
	return ret;
}
