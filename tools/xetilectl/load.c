// SPDX-License-Identifier: MIT
/*
 * Files are compared by their ids, and then added up by process.
 */
#include "load.h"

#include <stdlib.h>
#include <string.h>

/* The two samples of a file, and the ticks between them */
struct pair {
	const struct sample_client *now, *before;
	uint64_t passed;
};

/* What a file that is new had before */
static const struct sample_client nothing;

static uint64_t grown(uint64_t before, uint64_t now)
{
	return now > before ? now - before : 0;
}

static double share(const struct pair *pair, uint64_t before, uint64_t now)
{
	return pair->passed ? (double)grown(before, now) / pair->passed : 0;
}

/* Two looks are never quite as long for all files: no sum is more than all the time. */
static void add_share(double *sum, double part)
{
	*sum = *sum + part < 1 ? *sum + part : 1;
}

/* Whether a file was open at the last of a sample's files, or earlier: ids only grow. */
static bool is_older(const struct sample *sample, uint64_t id)
{
	return sample->num_clients && sample->clients[sample->num_clients - 1].use.id >= id;
}

/*
 * A file that was opened between the samples has used nothing before. Of one that was there and not
 * seen, because it was on its way to another process, nobody knows what it used since then.
 */
static struct pair make_pair(const struct sample_card *card, const struct sample *before,
			     const struct sample *now, const struct sample_client *client)
{
	struct pair pair = { .now = client, .before = &nothing };
	const struct sample_client *old = before ? sample_find(before, client->use.id) : NULL;

	if (old) {
		pair.before = old;
		pair.passed = grown(old->use.now, client->use.now);
	} else if (before && is_older(before, client->use.id)) {
		pair.before = client;
	} else if (before) {
		pair.passed = (double)grown(before->ns, now->ns) * card->hz / 1e9;
	}
	return pair;
}

static void add_tile(const struct sample_card *card, struct load_row *row, struct load_tile *total,
		     const struct pair *pair, unsigned int t)
{
	const struct fdinfo *now = &pair->now->use, *before = &pair->before->use;
	double part = share(pair, before->compute[t], now->compute[t]);
	unsigned int s, copies = card->copies[t] ? card->copies[t] : 1;

	add_share(&row->tiles[t].compute, part);
	add_share(&total->compute, part);
	part = grown(before->copy[t], now->copy[t]) / copies;
	part = pair->passed ? part / pair->passed : 0;
	add_share(&row->tiles[t].copy, part);
	add_share(&total->copy, part);
	for (s = 0; s < XETILE_MAX_CSLICES; s++) {
		part = share(pair, before->slice[t][s], now->slice[t][s]);
		add_share(&row->tiles[t].slice[s], part);
		add_share(&total->slice[s], part);
		if (now->slice[t][s] > before->slice[t][s])
			row->used[t] |= 1u << s;
	}
	row->hbm[t] = fdinfo_add(row->hbm[t], now->hbm[t]);
	row->compute_ticks[t] = fdinfo_add(row->compute_ticks[t], now->compute[t]);
	row->copy_ticks[t] = fdinfo_add(row->copy_ticks[t], now->copy[t]);
}

static void add_client(const struct sample_card *card, struct load *load, struct load_row *row,
		       const struct pair *pair)
{
	const struct fdinfo *now = &pair->now->use, *before = &pair->before->use;
	unsigned int t, m;
	uint64_t bytes;

	for (t = 0; t < card->tiles; t++)
		add_tile(card, row, &load->tiles[t], pair, t);
	for (m = 0; m < FDINFO_MOVES; m++) {
		bytes = grown(before->moved[m], now->moved[m]);
		row->moved[m] = fdinfo_add(row->moved[m], bytes);
		load->moved[m] = fdinfo_add(load->moved[m], bytes);
	}
	row->clients++;
	row->system = fdinfo_add(row->system, now->system);
	row->compute_ns = fdinfo_add(row->compute_ns, now->compute_ns);
	row->copy_ns = fdinfo_add(row->copy_ns, now->copy_ns);
}

/* --- rows ----------------------------------------------------------------------------- */

static int by_pid(const struct load_row *a, const struct load_row *b)
{
	return (a->pid > b->pid) - (a->pid < b->pid);
}

static int compare_pid(const void *a, const void *b)
{
	return by_pid(a, b);
}

static int compare_busy(const void *a, const void *b)
{
	const struct load_row *x = a, *y = b;
	double busy_x = x->compute + x->copy, busy_y = y->compute + y->copy;

	return busy_x != busy_y ? (busy_x < busy_y ? 1 : -1) : by_pid(x, y);
}

static int compare_memory(const void *a, const void *b)
{
	const struct load_row *x = a, *y = b;
	uint64_t hbm_x = load_hbm(x), hbm_y = load_hbm(y);

	return hbm_x != hbm_y ? (hbm_x < hbm_y ? 1 : -1) : by_pid(x, y);
}

void load_sort(struct load *load, enum load_order order)
{
	static int (*const compare[LOAD_ORDERS])(const void *, const void *) = {
		[LOAD_BY_BUSY] = compare_busy,
		[LOAD_BY_MEMORY] = compare_memory,
		[LOAD_BY_PID] = compare_pid,
	};

	if (load->num_rows)
		qsort(load->rows, load->num_rows, sizeof(*load->rows), compare[order]);
}

uint64_t load_hbm(const struct load_row *row)
{
	uint64_t sum = 0;
	unsigned int t;

	for (t = 0; t < XETILE_MAX_TILES; t++)
		sum = fdinfo_add(sum, row->hbm[t]);
	return sum;
}

/* The row of a process, while the rows are sorted by process */
static struct load_row *find_row(const struct load *load, int pid)
{
	struct load_row key = { .pid = pid };

	return load->num_rows ? bsearch(&key, load->rows, load->num_rows, sizeof(key), compare_pid) :
				NULL;
}

/* A row for each process that is the first to have a file, of which other entries follow */
static void make_rows(const struct sample *now, struct load *load)
{
	const struct sample_client *client;
	size_t i, n = 0;

	for (i = 0; i < now->num_clients; i++) {
		client = &now->clients[i];
		if (i && client->use.id == client[-1].use.id)
			continue;
		load->rows[load->num_rows++] = (struct load_row) {
			.pid = client->pid, .uid = client->uid, .user = client->user,
			.command = client->command,
		};
	}
	load_sort(load, LOAD_BY_PID);
	for (i = 0; i < load->num_rows; i++) {
		if (!n || load->rows[n - 1].pid != load->rows[i].pid)
			load->rows[n++] = load->rows[i];
	}
	load->num_rows = n;
}

static void fill_rows(const struct sample_card *card, const struct sample *before,
		      const struct sample *now, struct load *load)
{
	const struct sample_client *client, *first = NULL;
	struct load_row *row = NULL;
	struct pair pair;
	size_t i;

	for (i = 0; i < now->num_clients; i++) {
		client = &now->clients[i];
		if (first && client->use.id == first->use.id) {
			row->others++;
			continue;
		}
		first = client;
		row = find_row(load, client->pid);
		pair = make_pair(card, before, now, client);
		add_client(card, load, row, &pair);
	}
}

/* --- slices and queues, which are told by process ----------------------------------------- */

/*
 * The row that has what a process made: its own, or that of the first process which has a file that
 * it has. NULL: the process was not seen.
 */
static struct load_row *find_owner(const struct sample *now, const struct load *load, int pid)
{
	struct load_row *row = find_row(load, pid);
	size_t i;

	for (i = 0; !row && i < now->num_clients; i++) {
		if (now->clients[i].pid == pid)
			row = find_row(load, sample_find(now, now->clients[i].use.id)->pid);
	}
	return row;
}

static int compare_slices(const void *a, const void *b)
{
	const struct slices_binding *x = a, *y = b;

	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	if (x->tile != y->tile)
		return x->tile < y->tile ? -1 : 1;
	return x->mode != y->mode ? (int)x->mode - (int)y->mode : (int)x->slice - (int)y->slice;
}

static void give_slices(const struct sample *now, struct load *load)
{
	struct load_row *row;
	size_t i, n = 0;

	for (i = 0; i < now->num_slices; i++) {
		row = find_owner(now, load, now->slices[i].pid);
		if (!row)
			continue;
		load->slices[n] = now->slices[i];
		load->slices[n++].pid = row->pid;
	}
	if (n)
		qsort(load->slices, n, sizeof(*load->slices), compare_slices);
	for (i = 0; i < n; i++) {
		row = find_row(load, load->slices[i].pid);
		if (!row->num_slices++)
			row->slices = &load->slices[i];
	}
}

static void give_queues(const struct sample *now, struct load *load)
{
	struct load_row *row;
	size_t i;

	for (i = 0; i < now->num_queues; i++) {
		row = find_owner(now, load, now->queues[i].pid);
		if (row)
			row->queues[now->queues[i].tile] += now->queues[i].queues;
	}
}

/* --- all of it -------------------------------------------------------------------------- */

static double watts(const struct load *load, uint64_t before, uint64_t now)
{
	return before && now && load->seconds > 0 ? grown(before, now) / load->seconds / 1e6 :
						    LOAD_UNKNOWN;
}

/* Without a time that passed there is no share of it. Nor is there a share of an unknown number. */
static void set_unknown(const struct sample_card *card, const struct load *load, unsigned int t,
			struct load_tile *tile)
{
	unsigned int s;

	if (!card->copies[t])
		tile->copy = LOAD_UNKNOWN;
	if (load->seconds > 0)
		return;
	tile->compute = tile->copy = LOAD_UNKNOWN;
	for (s = 0; s < XETILE_MAX_CSLICES; s++)
		tile->slice[s] = LOAD_UNKNOWN;
}

double load_copy(const struct sample_card *card, const struct load_tile *tiles)
{
	unsigned int t, known = 0;
	double sum = 0;

	for (t = 0; t < card->tiles; t++) {
		if (tiles[t].copy < 0)
			continue;
		sum += tiles[t].copy;
		known++;
	}
	return known ? sum / known : LOAD_UNKNOWN;
}

/* The sums of a row over its tiles */
static void finish_row(const struct sample_card *card, const struct load *load,
		       struct load_row *row)
{
	unsigned int t;

	for (t = 0; t < card->tiles; t++) {
		row->compute += row->tiles[t].compute / card->tiles;
		set_unknown(card, load, t, &row->tiles[t]);
	}
	row->copy = load_copy(card, row->tiles);
	if (load->seconds <= 0)
		row->compute = LOAD_UNKNOWN;
}

bool load_make(const struct sample_card *card, const struct sample *before,
	       const struct sample *now, struct load *out)
{
	unsigned int t;
	size_t i;

	memset(out, 0, sizeof(*out));
	out->rows = calloc(now->num_clients + 1, sizeof(*out->rows));
	out->slices = calloc(now->num_slices + 1, sizeof(*out->slices));
	if (!out->rows || !out->slices) {
		load_free(out);
		return false;
	}
	if (before)
		out->seconds = grown(before->ns, now->ns) / 1e9;
	make_rows(now, out);
	fill_rows(card, before, now, out);
	give_slices(now, out);
	give_queues(now, out);
	for (i = 0; i < out->num_rows; i++)
		finish_row(card, out, &out->rows[i]);
	out->watts = watts(out, before ? before->energy : 0, now->energy);
	for (t = 0; t < card->tiles; t++) {
		out->tile_watts[t] = watts(out, before ? before->tiles[t].energy : 0,
					   now->tiles[t].energy);
		set_unknown(card, out, t, &out->tiles[t]);
	}
	return true;
}

void load_free(struct load *load)
{
	free(load->rows);
	free(load->slices);
	memset(load, 0, sizeof(*load));
}
