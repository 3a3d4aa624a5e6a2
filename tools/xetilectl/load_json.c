// SPDX-License-Identifier: MIT
/*
 * Shares are from 0 to 1, memory is in bytes, times are in seconds. What is not known is null.
 */
#include "load_json.h"

#include <inttypes.h>
#include <stdio.h>

#include "ctl.h"

static void print_share(const char *key, double share)
{
	if (share < 0)
		printf(",\"%s\":null", key);
	else
		printf(",\"%s\":%.4f", key, share);
}

static void print_watts(double watts)
{
	if (watts < 0)
		printf(",\"watts\":null");
	else
		printf(",\"watts\":%.1f", watts);
}

static void print_moved(const uint64_t *moved)
{
	printf(",\"moved\":{\"access\":%" PRIu64 ",\"evict\":%" PRIu64 ",\"return\":%" PRIu64 "}",
	       moved[FDINFO_ACCESS], moved[FDINFO_EVICT], moved[FDINFO_RETURN]);
}

/* The busy shares of a tile: all of it, or a process' part */
static void print_busy(const struct sample_card *card, unsigned int t, const struct load_tile *tile)
{
	const char *comma = "";
	unsigned int s;

	print_share("busy", tile->compute);
	print_share("copy_busy", tile->copy);
	printf(",\"cslices\":[");
	for (s = 0; s < XETILE_MAX_CSLICES; s++) {
		if (!(card->present[t] & 1u << s))
			continue;
		printf("%s{\"cslice\":%u", comma, s);
		print_share("busy", tile->slice[s]);
		putchar('}');
		comma = ",";
	}
	putchar(']');
}

static void print_tiles(const struct sample_card *card, const struct sample *sample,
			const struct load *load)
{
	unsigned int t;

	printf(",\"tiles\":[");
	for (t = 0; t < card->tiles; t++) {
		const struct sample_tile *tile = &sample->tiles[t];

		printf("%s{\"tile\":%u,\"ccs_mode\":%u,\"hbm_total\":%" PRIu64 ",\"hbm_used\":%" PRIu64,
		       t ? "," : "", t, tile->ccs_mode, tile->hbm_total, tile->hbm_used);
		if (tile->mhz)
			printf(",\"mhz\":%u", tile->mhz);
		else
			printf(",\"mhz\":null");
		print_watts(load->tile_watts[t]);
		print_busy(card, t, &load->tiles[t]);
		putchar('}');
	}
	putchar(']');
}

static void print_slices(const struct sample_card *card, const struct load_row *row)
{
	const char *comma;
	uint32_t mask;
	unsigned int s;
	size_t i;

	putchar('[');
	for (i = 0; i < row->num_slices; i++) {
		const struct slices_binding *b = &row->slices[i];

		printf("%s{\"tile\":%u,\"ccs_mode\":%u,\"virtual\":%u,\"engine\":%u,\"queues\":%u,"
		       "\"busy_queues\":%u,\"physical\":[", i ? "," : "", b->tile, b->mode,
		       b->slice, b->engine, b->queues, b->busy);
		mask = slices_of(card->present[b->tile], b->mode, b->engine);
		comma = "";
		for (s = 0; s < XETILE_MAX_CSLICES; s++) {
			if (!(mask & 1u << s))
				continue;
			printf("%s%u", comma, s);
			comma = ",";
		}
		printf("]}");
	}
	putchar(']');
}

static void print_row_tile(const struct sample_card *card, const struct sample *sample,
			   const struct load_row *row, unsigned int t)
{
	double hz = card->hz ? card->hz : 1;

	printf("{\"tile\":%u,\"hbm\":%" PRIu64 ",\"compute_seconds\":%.6f,\"copy_seconds\":%.6f", t,
	       row->hbm[t], row->compute_ticks[t] / hz, row->copy_ticks[t] / hz);
	if (sample->knows_queues)
		printf(",\"compute_queues\":%u", row->queues[t]);
	else
		printf(",\"compute_queues\":null");
	print_busy(card, t, &row->tiles[t]);
	putchar('}');
}

static void print_row(const struct sample_card *card, const struct sample *sample,
		      const struct load_row *row)
{
	unsigned int t;

	printf("{\"pid\":%d,\"uid\":%u,\"user\":", row->pid, row->uid);
	ctl_json_string(row->user);
	printf(",\"command\":");
	ctl_json_string(row->command);
	printf(",\"clients\":%u,\"shared_with\":%u,\"system\":%" PRIu64, row->clients, row->others,
	       row->system);
	print_share("busy", row->compute);
	print_share("copy_busy", row->copy);
	print_moved(row->moved);
	printf(",\"tiles\":[");
	for (t = 0; t < card->tiles; t++) {
		if (t)
			putchar(',');
		print_row_tile(card, sample, row, t);
	}
	printf("],\"slices\":");
	if (sample->knows_slices)
		print_slices(card, row);
	else
		printf("null");
	putchar('}');
}

void load_json(const struct sample_card *card, const struct sample *sample,
	       const struct load *load)
{
	size_t i;

	printf("{\"card\":%u,\"pci\":", card->number);
	ctl_json_string(card->pci);
	if (load->seconds > 0)
		printf(",\"seconds\":%.6f", load->seconds);
	else
		printf(",\"seconds\":null");
	printf(",\"complete\":%s", sample->complete ? "true" : "false");
	print_watts(load->watts);
	print_moved(load->moved);
	print_tiles(card, sample, load);
	printf(",\"processes\":[");
	for (i = 0; i < load->num_rows; i++) {
		if (i)
			putchar(',');
		print_row(card, sample, &load->rows[i]);
	}
	printf("]}");
}
