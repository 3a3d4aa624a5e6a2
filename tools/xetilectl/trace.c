// SPDX-License-Identifier: MIT
/*
 * Tracks of a card: for each tile its modes and resets, and its engines. A turn is the time in
 * which a queue has its engines, all of which have a slice for it then; the jobs that end meanwhile
 * are slices in it.
 */
#include "trace.h"

#include <errno.h>
#include <inttypes.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <xetile.h>

#include "ctl.h"
#include "trace_fields.h"

#define MAX_CARDS	64
#define MAX_ENGINES	8	/* of a queue */
#define TRACKS		100	/* of a tile; the last one of a card is behind them */

enum { TRACK_TILE, TRACK_COMPUTE = 10, TRACK_COPY = 30, TRACK_MEMORY = TRACKS * XETILE_MAX_TILES };

struct card {
	char name[32];
	int64_t mode[XETILE_MAX_TILES];		/* 0: not known */
	uint64_t mode_us[XETILE_MAX_TILES];	/* since when */
	bool named[TRACK_MEMORY + 1];		/* tracks that have been */
};

struct turn {
	unsigned int track;
	uint64_t us;
};

/* A queue's line of jobs */
struct line {
	uint64_t context;
	unsigned int card;
	char task[17], class[12], target[12];
	int64_t queue, process;
	bool is_known;			/* its submission was seen */
	bool preempted;
	struct turn turns[MAX_ENGINES];
	unsigned int num;		/* 0: it has no engine */
	uint64_t job_us;		/* when the present job began, at the latest */
};

struct trace {
	FILE *out;
	bool more;
	struct card cards[MAX_CARDS];
	unsigned int num_cards;
	void *lines;			/* tree by context */
	struct trace_counts counts;
};

/* --- writing ----------------------------------------------------------------------------- */

static void begin_event(struct trace *t, const char *phase, unsigned int card, unsigned int track,
			uint64_t us)
{
	fprintf(t->out, "%s\n{\"ph\":\"%s\",\"pid\":%u,\"tid\":%u,\"ts\":%" PRIu64, t->more ? "," : "",
		phase, card + 1, track, us);
	t->more = true;
}

static void print_text(struct trace *t, const char *key, const char *text)
{
	fprintf(t->out, ",\"%s\":", key);
	ctl_json_print(t->out, text);
}

static void name_track(struct trace *t, unsigned int card, unsigned int track, const char *name)
{
	if (t->cards[card].named[track])
		return;
	t->cards[card].named[track] = true;
	begin_event(t, "M", card, track, 0);
	print_text(t, "name", "thread_name");
	fprintf(t->out, ",\"args\":{\"name\":");
	ctl_json_print(t->out, name);
	fprintf(t->out, "}}");
	begin_event(t, "M", card, track, 0);
	fprintf(t->out, ",\"name\":\"thread_sort_index\",\"args\":{\"sort_index\":%u}}", track);
}

/* A mark on a track; "args" and the end of the event follow. */
static void begin_mark(struct trace *t, unsigned int card, unsigned int track, uint64_t us,
		       const char *category, const char *name)
{
	begin_event(t, "i", card, track, us);
	fprintf(t->out, ",\"s\":\"t\",\"cat\":\"%s\"", category);
	print_text(t, "name", name);
}

static void begin_slice(struct trace *t, unsigned int card, unsigned int track, uint64_t from,
			uint64_t to, const char *category, const char *name)
{
	begin_event(t, "X", card, track, from);
	fprintf(t->out, ",\"dur\":%" PRIu64 ",\"cat\":\"%s\"", to > from ? to - from : 0, category);
	print_text(t, "name", name);
}

/* --- cards, engines, queues --------------------------------------------------------------- */

/* Returns the card's number, or -1 if there are too many. */
static int find_card(struct trace *t, const struct trace_fields *fields)
{
	char name[32];
	unsigned int i;

	if (!trace_fields_text(fields, "card", name, sizeof(name)))
		return -1;
	for (i = 0; i < t->num_cards; i++) {
		if (!strcmp(t->cards[i].name, name))
			return i;
	}
	if (i == MAX_CARDS)
		return -1;
	t->num_cards++;
	strcpy(t->cards[i].name, name);
	begin_event(t, "M", i, 0, 0);
	fprintf(t->out, ",\"name\":\"process_name\",\"args\":{\"name\":");
	ctl_json_print(t->out, name);
	fprintf(t->out, "}}");
	return i;
}

static bool find_tile(struct trace *t, unsigned int card, const struct trace_fields *fields,
		      int64_t *tile)
{
	char name[16];

	if (!trace_fields_number(fields, "tile", tile) || *tile < 0 || *tile >= XETILE_MAX_TILES)
		return false;
	snprintf(name, sizeof(name), "tile %d", (int)*tile);
	name_track(t, card, TRACKS * *tile + TRACK_TILE, name);
	return true;
}

/* "tile0.ccs1" */
static bool find_engine(struct trace *t, unsigned int card, const char *name, unsigned int *track)
{
	unsigned int tile, instance;
	char class[4], rest;

	if (sscanf(name, "tile%u.%3[a-z]%u%c", &tile, class, &instance, &rest) != 3 ||
	    tile >= XETILE_MAX_TILES || instance >= TRACK_COPY - TRACK_COMPUTE ||
	    (strcmp(class, "ccs") && strcmp(class, "bcs")))
		return false;
	*track = TRACKS * tile + (*class == 'c' ? TRACK_COMPUTE : TRACK_COPY) + instance;
	name_track(t, card, *track, name);
	return true;
}

static int compare_lines(const void *a, const void *b)
{
	const struct line *x = a, *y = b;

	return x->context < y->context ? -1 : x->context > y->context;
}

/* Returns the line of a context, which is new if @make has it so; NULL: none. */
static struct line *find_line(struct trace *t, uint64_t context, bool make)
{
	struct line key = { .context = context }, *line, **found;

	found = tfind(&key, &t->lines, compare_lines);
	if (found || !make)
		return found ? *found : NULL;
	line = calloc(1, sizeof(*line));
	if (!line)
		return NULL;
	line->context = context;
	if (tsearch(line, &t->lines, compare_lines))
		return line;
	free(line);
	return NULL;
}

static void name_line(const struct line *line, char *name, size_t size)
{
	if (!line->is_known)
		snprintf(name, size, "queue of before");
	else if (!strcmp(line->target, "kernel"))
		snprintf(name, size, "the driver");
	else
		snprintf(name, size, "%s %" PRId64, line->task, line->process);
}

/* --- turns and jobs ----------------------------------------------------------------------- */

static void end_turns(struct trace *t, struct line *line, uint64_t us, const char *how)
{
	unsigned int i;
	char name[48];

	name_line(line, name, sizeof(name));
	for (i = 0; i < line->num; i++) {
		begin_slice(t, line->card, line->turns[i].track, line->turns[i].us, us, "turn", name);
		fprintf(t->out, ",\"args\":{\"context\":%" PRIu64 ",\"queue\":%" PRId64
			",\"process\":%" PRId64, line->context, line->queue, line->process);
		print_text(t, "class", line->class);
		print_text(t, "target", line->target);
		fprintf(t->out, ",\"engines\":%u", line->num);
		print_text(t, "end", how);
		fprintf(t->out, "}}");
		t->counts.turns++;
	}
	line->num = 0;
	line->preempted = false;
}

static void read_submit(struct trace *t, struct line *line, const struct trace_fields *fields)
{
	if (!line->is_known)
		memcpy(line->task, fields->task, sizeof(line->task));
	if (!trace_fields_text(fields, "class", line->class, sizeof(line->class)) ||
	    !trace_fields_text(fields, "target", line->target, sizeof(line->target)) ||
	    !trace_fields_number(fields, "queue", &line->queue) ||
	    !trace_fields_number(fields, "process", &line->process))
		t->counts.unknown++;
	else
		line->is_known = true;
}

static void read_start(struct trace *t, struct line *line, const struct trace_fields *fields)
{
	unsigned int i, track;
	char engine[24];

	if (!trace_fields_text(fields, "engine", engine, sizeof(engine)) ||
	    !find_engine(t, line->card, engine, &track) || line->num == MAX_ENGINES) {
		t->counts.unknown++;
		return;
	}
	for (i = 0; i < line->num; i++) {
		if (line->turns[i].track == track)
			return;
	}
	if (!line->num)
		line->job_us = fields->us;
	line->turns[line->num++] = (struct turn) { track, fields->us };
}

static void read_complete(struct trace *t, struct line *line, const struct trace_fields *fields)
{
	int64_t seqno = 0, error = 0;
	unsigned int i;
	char name[32], why[64];

	if (!trace_fields_number(fields, "seqno", &seqno) ||
	    !trace_fields_number(fields, "error", &error)) {
		t->counts.unknown++;
		return;
	}
	t->counts.jobs++;
	t->counts.failed += error != 0;
	if (!line->num)
		t->counts.early++;
	snprintf(name, sizeof(name), "job %" PRId64, seqno);
	snprintf(why, sizeof(why), "failed: %s",
		 error == -EIO ? "page fault, or error of the engine" :
		 error == -ETIME ? "did not end in time" : strerror((int)-error));
	for (i = 0; i < line->num; i++) {
		uint64_t from = line->turns[i].us > line->job_us ? line->turns[i].us : line->job_us;

		begin_slice(t, line->card, line->turns[i].track, from, fields->us, "job", name);
		fprintf(t->out, ",\"args\":{\"context\":%" PRIu64 ",\"seqno\":%" PRId64
			",\"error\":%" PRId64 "}}", line->context, seqno, error);
		if (!error)
			continue;
		begin_mark(t, line->card, line->turns[i].track, fields->us, "fault", why);
		fprintf(t->out, ",\"args\":{\"error\":%" PRId64 "}}", error);
	}
	line->job_us = fields->us;
}

static void read_preempt(struct trace *t, struct line *line, const struct trace_fields *fields)
{
	unsigned int i;

	line->preempted = true;
	for (i = 0; i < line->num; i++) {
		begin_mark(t, line->card, line->turns[i].track, fields->us, "preempt", "asked to leave");
		fprintf(t->out, "}");
	}
}

static void read_leave(struct trace *t, struct line *line, const struct trace_fields *fields)
{
	int64_t jobs = 0;

	if (!line->num)
		t->counts.early++;
	if (!trace_fields_number(fields, "jobs", &jobs))
		t->counts.unknown++;
	end_turns(t, line, fields->us, !jobs ? "done" : line->preempted ? "preempted" : "stopped");
}

static const struct {
	const char *name;
	void (*read)(struct trace *t, struct line *line, const struct trace_fields *fields);
} line_events[] = {
	{ "submit", read_submit },
	{ "start", read_start },
	{ "complete", read_complete },
	{ "preempt", read_preempt },
	{ "leave", read_leave },
};

/* --- what is about a card ------------------------------------------------------------------ */

static void end_mode(struct trace *t, unsigned int card, unsigned int tile, uint64_t us)
{
	struct card *c = &t->cards[card];
	char name[32];

	if (!c->mode[tile])
		return;
	snprintf(name, sizeof(name), "CCS mode %d", (int)c->mode[tile]);
	begin_slice(t, card, TRACKS * tile + TRACK_TILE, c->mode_us[tile], us, "epoch", name);
	fprintf(t->out, ",\"args\":{\"mode\":%" PRId64 "}}", c->mode[tile]);
}

static bool read_mode(struct trace *t, unsigned int card, const struct trace_fields *fields)
{
	struct card *c = &t->cards[card];
	int64_t tile, from, to;

	if (!find_tile(t, card, fields, &tile) || !trace_fields_number(fields, "from", &from) ||
	    !trace_fields_number(fields, "to", &to) || from < 0 || to < 0)
		return false;
	/* The first change tells the mode of before. */
	if (!c->mode[tile]) {
		c->mode[tile] = from;
		c->mode_us[tile] = t->counts.first_us;
	}
	end_mode(t, card, tile, fields->us);
	c->mode[tile] = to;
	c->mode_us[tile] = fields->us;
	return true;
}

static bool read_reset(struct trace *t, unsigned int card, const struct trace_fields *fields)
{
	char what[16], reason[24], name[64];
	int64_t tile;

	if (!trace_fields_text(fields, "what", what, sizeof(what)) ||
	    !trace_fields_text(fields, "reason", reason, sizeof(reason)))
		return false;
	/* A card that is wedged is no tile's. */
	if (!find_tile(t, card, fields, &tile))
		tile = 0;
	snprintf(name, sizeof(name), "reset of %s: %s", what, reason);
	begin_event(t, "i", card, TRACKS * tile + TRACK_TILE, fields->us);
	fprintf(t->out, ",\"s\":\"p\",\"cat\":\"reset\"");
	print_text(t, "name", name);
	fprintf(t->out, "}");
	return true;
}

/* Bytes that left a tile's HBM, or came back */
static bool read_move(struct trace *t, unsigned int card, const struct trace_fields *fields)
{
	int64_t tile, bytes;
	char reason[16];

	if (!find_tile(t, card, fields, &tile) || !trace_fields_number(fields, "bytes", &bytes) ||
	    !trace_fields_text(fields, "reason", reason, sizeof(reason)))
		return false;
	begin_mark(t, card, TRACKS * tile + TRACK_TILE, fields->us, "move", reason);
	fprintf(t->out, ",\"args\":{\"bytes\":%" PRId64 "}}", bytes);
	return true;
}

/* Binds and colors: all fields are told. */
static bool read_memory(struct trace *t, unsigned int card, const struct trace_fields *fields)
{
	char rest[160];

	snprintf(rest, sizeof(rest), "%.*s", (int)strcspn(fields->fields, "\n"), fields->fields);
	name_track(t, card, TRACK_MEMORY, "memory");
	begin_mark(t, card, TRACK_MEMORY, fields->us, "memory", fields->name);
	fprintf(t->out, ",\"args\":{\"fields\":");
	ctl_json_print(t->out, rest);
	fprintf(t->out, "}}");
	return true;
}

static const struct {
	const char *name;
	bool (*read)(struct trace *t, unsigned int card, const struct trace_fields *fields);
} card_events[] = {
	{ "mode", read_mode },
	{ "reset", read_reset },
	{ "move", read_move },
	{ "bind", read_memory },
	{ "recolor", read_memory },
};

/* --- all --------------------------------------------------------------------------------------- */

static struct trace *ending;
static const char *ending_how;

static void end_line(const void *node, VISIT visit, int depth)
{
	struct line *line = *(struct line *const *)node;

	if (visit == postorder || visit == leaf)
		end_turns(ending, line, ending->counts.last_us, ending_how);
}

static void end_lines(struct trace *t, const char *how)
{
	ending = t;
	ending_how = how;
	twalk(t->lines, end_line);
}

/* What ran may have ended meanwhile. */
static void note_lost(struct trace *t, uint64_t lost)
{
	unsigned int i;

	t->counts.lost += lost;
	end_lines(t, "events were lost");
	for (i = 0; i < t->num_cards; i++) {
		begin_event(t, "i", i, 0, t->counts.last_us);
		fprintf(t->out, ",\"s\":\"p\",\"cat\":\"lost\",\"name\":\"%" PRIu64
			" events were lost\"}", lost);
	}
}

static bool read_line_event(struct trace *t, unsigned int card, const struct trace_fields *fields,
			    bool *is_one)
{
	struct line *line;
	int64_t context;
	unsigned int i;

	for (i = 0; i < sizeof(line_events) / sizeof(line_events[0]); i++) {
		if (!strcmp(fields->name, line_events[i].name))
			break;
	}
	*is_one = i < sizeof(line_events) / sizeof(line_events[0]);
	if (!*is_one)
		return true;
	if (!trace_fields_number(fields, "context", &context)) {
		t->counts.unknown++;
		return true;
	}
	line = find_line(t, context, true);
	if (!line)
		return false;
	line->card = card;
	line_events[i].read(t, line, fields);
	return true;
}

static void read_card_event(struct trace *t, unsigned int card, const struct trace_fields *fields)
{
	unsigned int i;

	for (i = 0; i < sizeof(card_events) / sizeof(card_events[0]); i++) {
		if (!strcmp(fields->name, card_events[i].name) &&
		    card_events[i].read(t, card, fields))
			return;
	}
	t->counts.unknown++;
}

struct trace *trace_begin(FILE *out)
{
	struct trace *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->out = out;
	fputs("{\"displayTimeUnit\":\"ms\",\"traceEvents\":[", out);
	return t;
}

bool trace_line(struct trace *t, const char *line)
{
	struct trace_fields fields;
	uint64_t lost = trace_fields_lost(line);
	bool is_line;
	int card;

	if (lost)
		note_lost(t, lost);
	if (lost || *line == '#' || *line == '\n' || !*line)
		return true;
	card = trace_fields_read(line, &fields) ? find_card(t, &fields) : -1;
	if (card < 0) {
		t->counts.unknown++;
		return true;
	}
	t->counts.first_us = t->counts.events++ ? t->counts.first_us : fields.us;
	t->counts.last_us = fields.us > t->counts.last_us ? fields.us : t->counts.last_us;
	if (!read_line_event(t, card, &fields, &is_line))
		return false;
	if (!is_line)
		read_card_event(t, card, &fields);
	return true;
}

void trace_end(struct trace *t, struct trace_counts *counts)
{
	unsigned int card, tile;

	end_lines(t, "the trace ended");
	for (card = 0; card < t->num_cards; card++) {
		for (tile = 0; tile < XETILE_MAX_TILES; tile++)
			end_mode(t, card, tile, t->counts.last_us);
	}
	fprintf(t->out, "\n],\"otherData\":{\"events\":\"%" PRIu64 "\",\"lost\":\"%" PRIu64 "\"}}\n",
		t->counts.events, t->counts.lost);
	*counts = t->counts;
	tdestroy(t->lines, free);
	free(t);
}
