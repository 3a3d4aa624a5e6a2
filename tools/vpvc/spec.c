// SPDX-License-Identifier: MIT
/*
 * Prints the card's tables in the form of Documentation/specs/vpvc.rst: "make spec" writes
 * that text with them, and tests/regs.c finds a place there for each of them.
 */
#include "spec.h"

#include <stdlib.h>
#include <string.h>

#include "card.h"
#include "card/inject_command.h"
#include "card/regs_table.h"
#include "core/regs.h"
#include "cs/blt.h"
#include "cs/command.h"
#include "cs/compute.h"
#include "cs/mi.h"

#define NAME_WIDTH	36

const char * const spec_sections[] = {
	"registers", "engine-registers", "commands", "faults", "counters", NULL,
};

/* ---- registers ---- */

static int by_offset(const void *a, const void *b)
{
	const struct reg_rule *x = *(const struct reg_rule * const *)a;
	const struct reg_rule *y = *(const struct reg_rule * const *)b;

	return x->off < y->off ? -1 : x->off > y->off;
}

static void put_reset(FILE *f, const struct reg_rule *r)
{
	if (r->flags & REG_SHAPE)
		fprintf(f, "%-10s", "shape");
	else if (r->read && !r->reset)
		fprintf(f, "%-10s", "computed");
	else
		fprintf(f, "0x%08x", r->reset);
}

static void put_register(FILE *f, const struct reg_rule *r)
{
	static const char * const access[] = {
		[REG_RW] = "RW", [REG_RO] = "RO", [REG_W1C] = "W1C", [REG_MASKED] = "masked",
	};
	const char *name = strncmp(r->name, "PVC_", 4) ? r->name : r->name + 4;
	char count[12] = "1", notes[24] = "";

	if (r->count)
		snprintf(count, sizeof(count), "%u", r->count);
	if (r->flags & REG_ROOT)
		strcat(notes, " root");
	if (r->flags & REG_HOST)
		strcat(notes, " host");
	if (r->write)
		strcat(notes, " acts");
	fprintf(f, "0x%06x  %5s  %-*s  %-6s  ", r->off, count, NAME_WIDTH, name, access[r->access]);
	put_reset(f, r);
	fprintf(f, "  %s\n", notes[0] ? notes + 1 : "\\-");
}

static void put_registers(FILE *f, const struct reg_rule *rules, unsigned int n)
{
	static const char line[] =
		"========  =====  ====================================  ======  ==========  "
		"==============\n";
	const struct reg_rule **sorted = calloc(n, sizeof(*sorted));

	if (!sorted)
		return;
	for (unsigned int i = 0; i < n; i++)
		sorted[i] = &rules[i];
	qsort(sorted, n, sizeof(*sorted), by_offset);
	fprintf(f, "%s%-8s  %5s  %-*s  %-6s  %-10s  %s\n%s", line, "offset", "count", NAME_WIDTH,
		"name", "access", "reset", "notes", line);
	for (unsigned int i = 0; i < n; i++)
		put_register(f, sorted[i]);
	fputs(line, f);
	free(sorted);
}

/* ---- commands ---- */

static void put_command(FILE *f, const struct cs_command *c)
{
	char len[24];

	if (c->min == c->max)
		snprintf(len, sizeof(len), "%u", c->min);
	else
		snprintf(len, sizeof(len), "%u-%u", c->min, c->max);
	fprintf(f, "0x%08x  0x%08x  %-36s  %-6s  %-7s  %s\n", c->value, c->mask, c->name, len,
		(c->flags & CMD_ANY) == CMD_ANY ? "CCS BCS" : c->flags & CMD_CCS ? "CCS" : "BCS",
		c->flags & CMD_PRIVILEGED ? "yes" : "no");
}

static void put_commands(FILE *f)
{
	static const char line[] =
		"==========  ==========  ====================================  ======  =======  "
		"==========\n";
	static const struct cs_command * const tables[] = {
		mi_commands, blt_commands, compute_commands,
	};

	fprintf(f, "%s%-10s  %-10s  %-36s  %-6s  %-7s  %s\n%s", line, "value", "mask", "name",
		"dwords", "engines", "privileged", line);
	for (unsigned int i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		for (const struct cs_command *c = tables[i]; c->name; c++)
			put_command(f, c);
	fputs(line, f);
}

/* ---- faults, counters ---- */

static void put_faults(FILE *f)
{
	fputs(".. list-table::\n   :widths: 40 60\n\n", f);
	inject_help(f, true);
}

static void put_counters(FILE *f)
{
#define NAME(name) fprintf(f, "%s``%s``", sep, #name); sep = ", ";
	const char *sep = "Per tile: ";

	TILE_COUNTERS(NAME)
	sep = ".\n\nPer engine, with their sums per tile: ";
	ENGINE_COUNTERS(NAME)
	sep = ".\n\nPer engine, last values: ";
	ENGINE_GAUGES(NAME)
	fputs(".\n\nPer engine as ``opcodes``: EU instructions by mnemonic. ``stepped_over``\n"
	      "counts those without effect here (``nop``, most of ``sync``, moves to null).\n", f);
#undef NAME
}

void spec_print(FILE *f, const char *section)
{
	fprintf(f, ".. begin %s\n\n", section);
	if (!strcmp(section, "registers"))
		put_registers(f, reg_table.tile.row, reg_table.tile.num);
	else if (!strcmp(section, "engine-registers"))
		put_registers(f, reg_table.engine.row, reg_table.engine.num);
	else if (!strcmp(section, "commands"))
		put_commands(f);
	else if (!strcmp(section, "faults"))
		put_faults(f);
	else if (!strcmp(section, "counters"))
		put_counters(f);
	fprintf(f, "\n.. end %s\n", section);
}
