// SPDX-License-Identifier: MIT
/*
 * The text format of Prometheus: all values of a metric stand together, below its help and type.
 * Units are base units: bytes, seconds, hertz, joules.
 */
#include "metrics.h"

#include <inttypes.h>
#include <string.h>

#include "text.h"

/* What a function that prints values is called with */
struct family {
	FILE *out;
	const char *name;
	const struct metrics_card *card;
};

/* The clients of a card that are told, those that used the most first */
struct ranking {
	const struct sample_client *clients[METRICS_CLIENTS];
	unsigned int num;
};

/* A label: what a process chose may have any byte. */
static void print_first(FILE *out, const char *name, const char *value)
{
	char clean[64];
	const char *c;

	text_clean(clean, sizeof(clean), value);
	fprintf(out, "%s=\"", name);
	for (c = clean; *c; c++)
		fprintf(out, *c == '"' || *c == '\\' ? "\\%c" : "%c", *c);
	fputc('"', out);
}

static void print_label(FILE *out, const char *name, const char *value)
{
	fputc(',', out);
	print_first(out, name, value);
}

/*
 * Begin a line, up to the label that all have. What may change while a card or a client stays, such
 * as the number of a card, is in the metrics *_info only: a series with other labels is another one.
 */
static void begin(const struct family *f)
{
	fprintf(f->out, "%s{", f->name);
	print_first(f->out, "pci", f->card->card.pci);
}

static void begin_tile(const struct family *f, unsigned int tile)
{
	begin(f);
	fprintf(f->out, ",tile=\"%u\"", tile);
}

static void end(const struct family *f, uint64_t value)
{
	fprintf(f->out, "} %" PRIu64 "\n", value);
}

/*
 * Energy, in whole joules: finer steps tell others what a card computes, which is why only root
 * reads the sensors, but all may read the file that root writes.
 */
static void end_joules(const struct family *f, uint64_t microjoules)
{
	fprintf(f->out, "} %.0f\n", microjoules / 1e6);
}

static void end_real(const struct family *f, double value)
{
	fprintf(f->out, "} %.6f\n", value);
}

/* --- cards and tiles ---------------------------------------------------------------------- */

static void print_info(const struct family *f)
{
	if (!*f->card->name)
		return;
	begin(f);
	fprintf(f->out, ",card=\"%u\"", f->card->card.number);
	print_label(f->out, "name", f->card->name);
	print_label(f->out, "node", f->card->card.node);
	end(f, 1);
}

static void print_up(const struct family *f)
{
	begin(f);
	end(f, f->card->up);
}

static void print_mode(const struct family *f)
{
	unsigned int t;

	for (t = 0; t < f->card->card.tiles; t++) {
		begin_tile(f, t);
		end(f, f->card->sample.tiles[t].ccs_mode);
	}
}

static void print_memory(const struct family *f, const char *name)
{
	unsigned int t, i;

	for (t = 0; t < f->card->card.tiles; t++) {
		const struct metrics_folder *memory = &f->card->tiles[t].memory;

		for (i = 0; i < memory->num; i++) {
			if (strcmp(memory->files[i].name, name))
				continue;
			begin_tile(f, t);
			end(f, memory->files[i].value);
		}
	}
}

static void print_hbm_size(const struct family *f)
{
	print_memory(f, "total_bytes");
}

static void print_hbm_used(const struct family *f)
{
	print_memory(f, "used_bytes");
}

/* "act_freq", in MHz */
static void print_frequency(const struct family *f)
{
	unsigned int t, i;
	char kind[48];
	uint64_t hz;

	for (t = 0; t < f->card->card.tiles; t++) {
		const struct metrics_folder *freq = &f->card->tiles[t].freq;

		for (i = 0; i < freq->num; i++) {
			if (sscanf(freq->files[i].name, "%47[^_]", kind) != 1 ||
			    strcmp(freq->files[i].name + strlen(kind), "_freq") ||
			    __builtin_mul_overflow(freq->files[i].value, 1000000, &hz))
				continue;
			begin_tile(f, t);
			print_label(f->out, "kind", kind);
			end(f, hz);
		}
	}
}

/* "reason_pl1" */
static void print_throttle(const struct family *f)
{
	static const char begins[] = "reason_";
	unsigned int t, i;

	for (t = 0; t < f->card->card.tiles; t++) {
		const struct metrics_folder *throttle = &f->card->tiles[t].throttle;

		for (i = 0; i < throttle->num; i++) {
			if (strncmp(throttle->files[i].name, begins, sizeof(begins) - 1))
				continue;
			begin_tile(f, t);
			print_label(f->out, "reason", throttle->files[i].name + sizeof(begins) - 1);
			end(f, throttle->files[i].value);
		}
	}
}

/* "correctable_l3bank" */
static void print_errors(const struct family *f)
{
	unsigned int t, i;
	char severity[48];

	for (t = 0; t < f->card->card.tiles; t++) {
		const struct metrics_folder *errors = &f->card->tiles[t].errors;

		for (i = 0; i < errors->num; i++) {
			const char *name = errors->files[i].name;

			if (sscanf(name, "%47[^_]", severity) != 1 || !name[strlen(severity)])
				continue;
			begin_tile(f, t);
			print_label(f->out, "severity", severity);
			print_label(f->out, "kind", name + strlen(severity) + 1);
			end(f, errors->files[i].value);
		}
	}
}

static void print_energy(const struct family *f)
{
	if (!f->card->sample.energy)
		return;
	begin(f);
	end_joules(f, f->card->sample.energy);
}

static void print_tile_energy(const struct family *f)
{
	unsigned int t;

	for (t = 0; t < f->card->card.tiles; t++) {
		if (!f->card->sample.tiles[t].energy)
			continue;
		begin_tile(f, t);
		end_joules(f, f->card->sample.tiles[t].energy);
	}
}

/* --- clients ------------------------------------------------------------------------------- */

/* The next file of the card that processes have open, from entry *@i on, or NULL */
static const struct sample_client *next_client(const struct sample *sample, size_t *i)
{
	const struct sample_client *client;

	/* Of several processes that have a file open the first one stands for all. */
	while (*i && *i < sample->num_clients &&
	       sample->clients[*i].use.id == sample->clients[*i - 1].use.id)
		++*i;
	if (*i >= sample->num_clients)
		return NULL;
	client = &sample->clients[*i];
	++*i;
	return client;
}

static void print_clients(const struct family *f)
{
	uint64_t num = 0;
	size_t i = 0;

	while (next_client(&f->card->sample, &i))
		num++;
	begin(f);
	end(f, num);
}

static void print_complete(const struct family *f)
{
	begin(f);
	end(f, f->card->sample.complete);
}

static void begin_client(const struct family *f, const struct sample_client *client, int tile)
{
	if (tile < 0)
		begin(f);
	else
		begin_tile(f, tile);
	fprintf(f->out, ",client=\"%" PRIu64 "\"", client->use.id);
}

/* Whether a client used more than another one: engine time, then HBM */
static bool used_more(const struct sample_client *a, const struct sample_client *b)
{
	uint64_t time[2] = { 0 }, hbm[2] = { 0 };
	unsigned int t;

	for (t = 0; t < XETILE_MAX_TILES; t++) {
		time[0] = fdinfo_add(time[0], fdinfo_add(a->use.compute[t], a->use.copy[t]));
		time[1] = fdinfo_add(time[1], fdinfo_add(b->use.compute[t], b->use.copy[t]));
		hbm[0] = fdinfo_add(hbm[0], a->use.hbm[t]);
		hbm[1] = fdinfo_add(hbm[1], b->use.hbm[t]);
	}
	return time[0] != time[1] ? time[0] > time[1] : hbm[0] > hbm[1];
}

/* Of a process with very many idle files none may hide another one. */
static void rank_clients(const struct sample *sample, struct ranking *ranking)
{
	const struct sample_client *client;
	unsigned int at;
	size_t i = 0;

	ranking->num = 0;
	while ((client = next_client(sample, &i))) {
		at = ranking->num;
		if (at < METRICS_CLIENTS)
			ranking->num++;
		else if (used_more(client, ranking->clients[at - 1]))
			at--;
		else
			continue;
		for (; at && used_more(client, ranking->clients[at - 1]); at--)
			ranking->clients[at] = ranking->clients[at - 1];
		ranking->clients[at] = client;
	}
}

static void print_client_info(const struct family *f, const struct sample_client *client)
{
	begin_client(f, client, -1);
	fprintf(f->out, ",pid=\"%d\",uid=\"%u\"", client->pid, client->uid);
	print_label(f->out, "command", client->command);
	end(f, 1);
}

static void print_engine(const struct family *f, const struct sample_client *client)
{
	double hz = f->card->card.hz;
	unsigned int t;

	for (t = 0; hz && t < f->card->card.tiles; t++) {
		begin_client(f, client, t);
		print_label(f->out, "engine", "compute");
		end_real(f, client->use.compute[t] / hz);
		begin_client(f, client, t);
		print_label(f->out, "engine", "copy");
		end_real(f, client->use.copy[t] / hz);
	}
}

static void print_client_hbm(const struct family *f, const struct sample_client *client)
{
	unsigned int t;

	for (t = 0; t < f->card->card.tiles; t++) {
		begin_client(f, client, t);
		end(f, client->use.hbm[t]);
	}
}

static void print_client_system(const struct family *f, const struct sample_client *client)
{
	begin_client(f, client, -1);
	end(f, client->use.system);
}

static void print_client_moved(const struct family *f, const struct sample_client *client)
{
	static const char *const reasons[FDINFO_MOVES] = {
		[FDINFO_ACCESS] = "access", [FDINFO_EVICT] = "evict", [FDINFO_RETURN] = "return",
	};
	unsigned int i;

	for (i = 0; i < FDINFO_MOVES; i++) {
		begin_client(f, client, -1);
		print_label(f->out, "reason", reasons[i]);
		end(f, client->use.moved[i]);
	}
}

/* --- all ------------------------------------------------------------------------------------ */

static const struct {
	const char *name, *type, *help;
	void (*print)(const struct family *f);
	void (*print_client)(const struct family *f, const struct sample_client *client);
	bool always;		/* also of a card that does not answer */
} families[] = {
	{ "xetile_card_info", "gauge", "A card of the driver; always 1.", print_info,
	  .always = true },
	{ "xetile_card_up", "gauge", "1: the card could be read; 0: it is bound, and could not.",
	  print_up, .always = true },
	{ "xetile_ccs_mode", "gauge", "Compute engines that share a tile's slices.", print_mode },
	{ "xetile_hbm_size_bytes", "gauge", "HBM that buffers can have.", print_hbm_size },
	{ "xetile_hbm_used_bytes", "gauge", "HBM that all processes and the driver have.",
	  print_hbm_used },
	{ "xetile_frequency_hertz", "gauge",
	  "A tile's act(ual), cur (wanted), min, max frequency, and the hardware's rp0, rpe, rpn.",
	  print_frequency },
	{ "xetile_throttled", "gauge", "1: the reason limits the tile's frequency now.",
	  print_throttle },
	{ "xetile_errors_total", "counter", "Hardware errors since the card was bound.",
	  print_errors },
	{ "xetile_energy_joules_total", "counter", "Energy of the card; root only.", print_energy },
	{ "xetile_tile_energy_joules_total", "counter", "Energy of a tile; root only.",
	  print_tile_energy },
	{ "xetile_clients", "gauge", "Files of the card that processes have open.", print_clients },
	{ "xetile_clients_complete", "gauge", "1: no process was hidden from this look.",
	  print_complete },
	{ "xetile_client_info", "gauge", "A client, and a process that has it open; always 1.",
	  .print_client = print_client_info },
	{ "xetile_client_engine_seconds_total", "counter",
	  "Time of a client on engines; an engine counts by the slices that it has.",
	  .print_client = print_engine },
	{ "xetile_client_hbm_bytes", "gauge", "HBM of a client.",
	  .print_client = print_client_hbm },
	{ "xetile_client_system_bytes", "gauge", "Memory of a client in the machine's memory.",
	  .print_client = print_client_system },
	{ "xetile_client_moved_bytes_total", "counter",
	  "Bytes of a client that moved between HBM and the machine's memory.",
	  .print_client = print_client_moved },
};

static void print_family(FILE *out, size_t family, const struct metrics_card *card)
{
	struct ranking ranking;
	const struct family f = { out, families[family].name, card };
	unsigned int i;

	if (!card->up && !families[family].always)
		return;
	if (families[family].print) {
		families[family].print(&f);
		return;
	}
	rank_clients(&card->sample, &ranking);
	for (i = 0; i < ranking.num; i++)
		families[family].print_client(&f, ranking.clients[i]);
}

void metrics_text(FILE *out, const struct metrics_card *cards, unsigned int num)
{
	unsigned int c;
	size_t i;

	fprintf(out, "# HELP xetile_cards Cards of the driver.\n# TYPE xetile_cards gauge\n"
		"xetile_cards %u\n", num);
	for (i = 0; i < sizeof(families) / sizeof(families[0]); i++) {
		fprintf(out, "# HELP %s %s\n# TYPE %s %s\n", families[i].name, families[i].help,
			families[i].name, families[i].type);
		for (c = 0; c < num; c++)
			print_family(out, i, &cards[c]);
	}
}
