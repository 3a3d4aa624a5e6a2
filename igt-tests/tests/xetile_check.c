// SPDX-License-Identifier: MIT
/*
 * The audit of a card before a driver drives it (xetilectl check): what it says of a card that
 * behaves, and that a card which lies in one line of the audit's table gets a DIFF in exactly that
 * line. The audit writes nothing that it was not asked to write.
 *
 * suite: bringup
 */
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "xetile_job.h"
#include "xetile_lab.h"

IGT_TEST_DESCRIPTION("The audit of a card without a driver");

#define MAX_LINES	1500	/* a card with four tiles has some 850 */
#define FORCEWAKE_GT	0xa188
#define FORCEWAKE_RENDER 0xa278
#define MCR_SELECTOR	0xfdc
#define PCODE_MAILBOX	0x138124
#define PCODE_DATA0	0x138128
#define PCODE_DATA1	0x13812c

/* --- the audit ------------------------------------------------------------------------- */

struct line {
	char name[48], verdict[8];
	unsigned int offset;	/* ~0: no register */
};

struct audit {
	struct line lines[MAX_LINES];
	unsigned int num;
	int status;
	char text[400000];	/* what it printed */
};

static struct audit clean, now;

/* Runs the tool that was built beside the tests; returns its output and exit status in @a. */
static void run(struct audit *a, const char *options, const char *address)
{
	char dir[256], command[512];
	ssize_t len = readlink("/proc/self/exe", dir, sizeof(dir) - 1);
	size_t got;
	FILE *f;

	igt_assert_lt(0, len);
	dir[len] = 0;
	*strrchr(dir, '/') = 0;
	snprintf(command, sizeof(command), "%s/../xetilectl/xetilectl check %s %s 2>&1", dir,
		 options, address);
	f = popen(command, "r");
	igt_assert(f);
	got = fread(a->text, 1, sizeof(a->text) - 1, f);
	igt_assert_lt(got, sizeof(a->text) - 1);
	a->text[got] = 0;
	a->status = WEXITSTATUS(pclose(f));
	igt_assert_f(a->status != 127, "xetilectl is not built: %s\n", command);
}

/* Returns the string behind @key in an object of the JSON, or "". */
static void get(const char *object, const char *key, char *to, size_t size)
{
	const char *end = strchr(object, '}'), *at = strstr(object, key);

	*to = 0;
	if (!at || !end || at > end)
		return;
	at += strlen(key);
	snprintf(to, size, "%.*s", (int)strcspn(at, "\""), at);
}

static void audit(struct audit *a, const char *options, const char *address)
{
	char with[64], offset[16];
	const char *at;

	snprintf(with, sizeof(with), "--json %s", options);
	run(a, with, address);
	a->num = 0;
	for (at = a->text; (at = strstr(at, "{\"name\":\"")); at++) {
		struct line *l = &a->lines[a->num++];

		igt_assert_lt(a->num, MAX_LINES);
		get(at, "\"name\":\"", l->name, sizeof(l->name));
		get(at, "\"verdict\":\"", l->verdict, sizeof(l->verdict));
		get(at, "\"offset\":\"", offset, sizeof(offset));
		l->offset = offset[0] ? strtoul(offset, NULL, 0) : ~0u;
	}
	igt_assert_f(a->num, "no line: %s\n", a->text);
}

/* Asserts that exactly the lines of @names, separated by spaces, are DIFF. */
static void check_diffs(const struct audit *a, const char *names)
{
	unsigned int expected = 0, found = 0;
	char padded[256], name[64];

	snprintf(padded, sizeof(padded), " %s ", names);
	for (const char *at = names; *at; at++)
		expected += at == names || at[-1] == ' ';
	for (unsigned int i = 0; i < a->num; i++) {
		if (strcmp(a->lines[i].verdict, "DIFF"))
			continue;
		snprintf(name, sizeof(name), " %s ", a->lines[i].name);
		igt_assert_f(strstr(padded, name), "DIFF in %s, not only in '%s'\n",
			     a->lines[i].name, names);
		found++;
	}
	igt_assert_f(found == expected, "%u DIFF, not in all of '%s'\n", found, names);
	igt_assert_eq(a->status, expected ? 1 : 0);
}

/* --- lies --------------------------------------------------------------------------------- */

/* What the card says, and the one line that this makes wrong */
struct lie {
	const char *name;
	const char *faults[5];
};

#define SAYS(reg, value)	"register count=0 address=" reg " value=" value
#define BITS(reg, mask, value)	SAYS(reg, value) " mask=" mask
#define T0	" tile=0"
#define T1	" tile=1"

static const struct lie lies[] = {
	/* 4 GiB at 64 GiB, in both registers of the range, with the carve-outs: BAR2 ends before */
	{ "card.config.bar2", { SAYS("0x1083a4", "0x480") T1, SAYS("0x4904", "0x480") T1,
				SAYS("0x108104", "0x10") T1, SAYS("0x1080c4", "0x10") T1 } },
	{ "card.config.bar0", { BITS("0x101800", "0xff00", "0x300") T0 } },
	{ "card.alive.tiles", { BITS("0x101800", "0xff00", "0x400") T0 } },
	{ "tile1.alive.id", { BITS("0x101800", "0xff", "0") T1 } },
	{ "card.firmware.hbm-trained", { BITS("0x101010", "0x80", "0") } },
	{ "card.firmware.flr-pending", { BITS("0x101010", "0x80000000", "0x80000000") } },
	{ "card.firmware.mailbox-idle", { BITS("0x138124", "0x80000000", "0x80000000") } },
	{ "card.firmware.health", { BITS("0x13810c", "0x400", "0x400") } },
	{ "card.firmware.not-virtual", { SAYS("0x1901f8", "1") } },
	{ "tile0.errors.fatal", { SAYS("0x100174", "1") T0 } },
	{ "tile1.errors.nonfatal", { SAYS("0x100178", "0x10000") T1 } },
	{ "tile1.errors.correctable", { SAYS("0x10017c", "0x10000") T1 } },
	{ "tile0.errors.gt", { SAYS("0x100168", "1") T0 } },
	{ "tile1.errors.gt-fatal", { SAYS("0x10027c", "0x80") T1 } },
	{ "tile0.errors.gt-correctable", { SAYS("0x1002ac", "1") T0 } },
	{ "tile0.errors.soc", { SAYS("0x282200", "1") T0, SAYS("0x282294", "0x40") T0 } },
	{ "tile1.errors.soc-second", { SAYS("0x283280", "0x100000") T1 } },
	{ "card.errors.gsc", { SAYS("0x284118", "0x4000") } },
	{ "card.errors.gsc-correctable", { SAYS("0x284128", "2") } },
	{ "card.errors.pcie", { SAYS("0x100180", "4") } },
	/* Tile 1 at the place of tile 0, and its carve-outs, too */
	{ "tile1.memory.range", { SAYS("0x1083a4", "0x100") T1, SAYS("0x4904", "0x100") T1,
				  SAYS("0x108100", "0x3c000000") T1,
				  SAYS("0x1080c0", "0x3d000000") T1 } },
	{ "tile0.memory.ranges-agree", { SAYS("0x4900", "0x200") T0 } },
	{ "tile0.memory.end", { SAYS("0x108104", "1") T0 } },
	{ "tile0.memory.stolen", { SAYS("0x1080c4", "1") T0 } },
	{ "card.interrupts.root", { SAYS("0x190008", "1") } },
	{ "tile0.interrupts.tile", { SAYS("0x190010", "0x40000000") T0 } },
	{ "tile0.interrupts.bank0", { SAYS("0x190018", "0x10") T0 } },
	{ "tile1.interrupts.bank1", { SAYS("0x19001c", "1") T1 } },
	{ "tile0.interrupts.engines-off", { SAYS("0x190030", "1") T0 } },
	{ "tile1.interrupts.compute-off", { SAYS("0x190048", "1") T1 } },
	{ "tile0.interrupts.pcu", { SAYS("0x444e8", "1") T0 } },
	{ "tile0.interrupts.pcu-off", { SAYS("0x444ec", "1") T0 } },
	{ "tile0.interrupts.gu-misc", { SAYS("0x444f8", "0x8000000") T0 } },
	{ "tile1.interrupts.gu-misc-off", { SAYS("0x444fc", "0x8000000") T1 } },
	/* RP1 above RP0; a ratio of 3 below RPn; PROCHOT */
	{ "tile0.clocks.frequencies", { BITS("0x281014", "0xff00", "0xff00") T0 } },
	{ "tile1.clocks.frequency", { BITS("0x1381b4", "0xff800", "0x1800") T1 } },
	{ "tile1.clocks.limits", { SAYS("0x1381a8", "0x10001") T1 } },
	{ "tile0.guc.in-reset", { SAYS("0xc000", "0x800330ec") T0 } },
	{ "tile1.guc.size-unlocked", { SAYS("0xc050", "0x100001") T1 } },
	{ "tile0.guc.offset-invalid", { SAYS("0xc340", "0x80001") T0 } },
	{ "tile0.wells.sleep", { SAYS("0xa090", "0x40000") T0 } },
	{ "tile1.wells.gating", { SAYS("0xa210", "0x1") T1 } },
	{ "tile0.clocks.crystal", { BITS("0xd00", "0x38", "0x20") T0 } },
	{ "tile0.wells.gt", { BITS("0x130044", "1", "0") T0 } },
	{ "tile1.wells.render", { BITS("0xd84", "1", "0") T1 } },
	{ "tile0.wells.gt-others", { BITS("0x130044", "2", "2") T0 } },
	{ "tile0.wells.render-others", { BITS("0xd84", "2", "2") T0 } },
	{ "tile0.wells.gt-requests", { SAYS("0xa188", "2") T0 } },
	{ "tile1.wells.render-requests", { SAYS("0xa278", "2") T1 } },
	{ "tile1.fuses.dss", { SAYS("0x9144", "0") T1, SAYS("0x9148", "0") T1 } },
	{ "tile0.fuses.meml3", { BITS("0x9118", "0xf", "7") T0 } },
	{ "tile0.fuses.eu", { SAYS("0x9134", "0x7f") T0 } },
	{ "tile0.fuses.production", { SAYS("0x9120", "0") T0 } },
	{ "tile0.reset.pending", { SAYS("0x941c", "2") T0 } },
	{ "tile0.faults.pending", { SAYS("0xcec4", "1") T0 } },
	/* One of 64 instances differs from the others. */
	{ "tile0.mcr.lsc-chicken", { "register skip=40 address=0xe7c8 value=0x77" T0 } },
	{ "tile0.mcr.row-chicken4", { "register skip=1 address=0xe48c value=0x77" T0 } },
	{ "tile1.mcr.cache-mode", { "register skip=63 address=0xe420 value=0x77" T1 } },
	{ "tile0.mcr.row-chicken", { "register address=0xe4f0 value=0x77" T0 } },
	{ "tile0.ccs3.idle", { BITS("0x2609c", "0x200", "0") T0 } },
	{ "tile1.bcs8.reset-control", { SAYS("0x3ee0d0", "4") T1 } },
	{ "tile0.bcs0.submission", { SAYS("0x22234", "0x80") T0 } },
	{ "tile0.ccs0.errors", { SAYS("0x1a0b0", "1") T0 } },
	{ "tile0.ccs1.id", { SAYS("0x1c08c", "0x5") T0 } },
	{ "tile0.bcs1.timestamp", { SAYS("0x3e0358", "0x1234") T0 } },
};

/* The part of a line's name that names its row in the table: behind the tile and the engine */
static const char *row_of(const char *name)
{
	const char *row = strchr(name, '.') + 1;

	if (!strncmp(row, "ccs", 3) || !strncmp(row, "bcs", 3))
		row = strchr(row, '.') + 1;
	return row;
}

static bool has_lie(const char *name)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(lies); i++)
		if (!strcmp(row_of(lies[i].name), row_of(name)))
			return true;
	return false;
}

static bool was_seen(const struct line *line)
{
	for (const struct line *l = clean.lines; l < line; l++)
		if (!strcmp(row_of(l->name), row_of(line->name)))
			return true;
	return false;
}

static bool has_tile(const char *tile)
{
	for (unsigned int i = 0; i < clean.num; i++)
		if (!strncmp(clean.lines[i].name, tile, strlen(tile)))
			return true;
	return false;
}

/* Why the card cannot tell a lie, or NULL */
static const char *why_not(const struct lie *lie)
{
	if (strstr(lie->faults[0], T1) && !has_tile("tile1."))
		return "the card has no such tile";
	if (!strcmp(lie->name, "card.config.bar0") && has_tile("tile3."))
		return "BAR0 is large enough for four tiles, and no card has more";
	return NULL;
}

static void test_lies(const char *address)
{
	audit(&clean, "--wake", address);
	for (unsigned int i = 0; i < ARRAY_SIZE(lies); i++) {
		if (why_not(&lies[i])) {
			igt_info("no lie in %s: %s\n", lies[i].name, why_not(&lies[i]));
			continue;
		}
		for (unsigned int f = 0; f < ARRAY_SIZE(lies[i].faults) && lies[i].faults[f]; f++)
			lab_inject("%s", lies[i].faults[f]);
		audit(&now, "--wake", address);
		lab_heal();
		igt_debug("%s\n", lies[i].name);
		check_diffs(&now, lies[i].name);
	}
}

/* A value that is only recorded is wrong, too, when nothing answers. */
static void test_dead(const char *address)
{
	unsigned int rows = 0;

	audit(&clean, "--wake", address);
	for (unsigned int i = 0; i < clean.num; i++) {
		const struct line *l = &clean.lines[i];
		unsigned int tile = 0;

		if (strcmp(l->verdict, "UNKNOWN") || l->offset == ~0u || has_lie(l->name) ||
		    was_seen(l) || strstr(l->name, "pcode-complete"))
			continue;
		sscanf(l->name, "tile%u.", &tile);
		lab_inject("register count=0 address=%#x value=0xffffffff tile=%u", l->offset,
			   tile);
		/* A register of two dwords */
		if (strstr(l->name, "power-sku"))
			lab_inject("register count=0 address=%#x value=0xffffffff tile=%u",
				   l->offset + 4, tile);
		audit(&now, "--wake", address);
		lab_heal();
		check_diffs(&now, l->name);
		rows++;
	}
	igt_assert_lt(10, rows);
}

/*
 * The table has no row that can only pass: each of them has a lie above, is recorded, or is of
 * config space, whose lies are told on the host (tools/xetilectl/tests/run.sh).
 */
static void test_complete(const char *address)
{
	audit(&clean, "--wake --pcode", address);
	for (unsigned int i = 0; i < clean.num; i++)
		igt_assert_f(strcmp(clean.lines[i].verdict, "PASS") ||
			     has_lie(clean.lines[i].name) ||
			     strstr(clean.lines[i].name, ".config.") ||
			     strstr(clean.lines[i].name, ".pcode-complete"),
			     "nobody lies in %s\n", clean.lines[i].name);
}

static void test_pcode(const char *address)
{
	audit(&now, "--pcode", address);
	check_diffs(&now, "");
	lab_inject("register count=0 address=0x138128 value=0");
	audit(&now, "--pcode", address);
	lab_heal();
	check_diffs(&now, "card.firmware.pcode-complete");
}

/* --- what it writes --------------------------------------------------------------------- */

/* Asserts that only the @num registers of @allowed were written since the counters were reset. */
static void check_writes(const unsigned int *allowed, unsigned int num)
{
	char *answer = lab_ask("registers");
	unsigned int offset, n;
	const char *at;

	for (at = answer; (at = strstr(at, "\"offset\":")); at++) {
		offset = strtoul(at + strlen("\"offset\":"), NULL, 10);
		if (!lab_number(at, "writes"))
			continue;
		for (n = 0; n < num && allowed[n] != offset; n++)
			;
		igt_assert_f(n < num, "register %#x was written\n", offset);
	}
	free(answer);
}

static void test_writes(const char *address)
{
	static const unsigned int wake[] = { FORCEWAKE_GT, FORCEWAKE_RENDER, MCR_SELECTOR };
	static const unsigned int pcode[] = { PCODE_MAILBOX, PCODE_DATA0, PCODE_DATA1 };

	free(lab_ask("reset-counters"));
	audit(&now, "", address);
	check_writes(NULL, 0);
	check_diffs(&now, "");

	audit(&now, "--pcode", address);
	check_writes(pcode, ARRAY_SIZE(pcode));

	free(lab_ask("reset-counters"));
	audit(&clean, "--wake", address);
	check_writes(wake, ARRAY_SIZE(wake));
	/* It found no request of its own from the time before. */
	audit(&now, "--wake", address);
	check_diffs(&now, "");
	igt_assert_eq(now.num, clean.num);
}

/* --- cards that cannot be audited -------------------------------------------------------- */

static void expect_refusal(const char *options, const char *address, const char *why)
{
	run(&now, options, address);
	igt_assert_eq(now.status, 1);
	igt_assert_f(strstr(now.text, why), "not '%s': %s\n", why, now.text);
}

static void set_decoding(const char *address, bool on)
{
	char path[128];
	uint16_t command;
	int fd;

	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/config", address);
	fd = open(path, O_RDWR);
	igt_assert_lte(0, fd);
	igt_assert_eq(pread(fd, &command, 2, 4), 2);
	command = on ? command | 2 : command & ~2;
	igt_assert_eq(pwrite(fd, &command, 2, 4), 2);
	close(fd);
}

static void test_refused(const char *address)
{
	set_decoding(address, false);
	run(&now, "", address);
	set_decoding(address, true);
	igt_assert_eq(now.status, 1);
	igt_assert_f(strstr(now.text, "memory decoding is off"), "%s\n", now.text);

	lab_inject("register count=0 address=0x101800 value=0xffffffff");
	expect_refusal("--wake", address, "the card does not answer");
	lab_heal();
	expect_refusal("", "0000:ff:1f.7", "no such PCI device");
	/* The host bridge of the guest */
	expect_refusal("", "0000:00:00.0", "not a card that the driver knows");
}

static void test_bound(const char *address)
{
	expect_refusal("--wake", address, "bound to xetile");
	expect_refusal("--pcode", address, "bound to xetile");
	/* Most kernels do not lend registers that a driver has. */
	run(&now, "", address);
	igt_assert_f(strstr(now.text, "bound to xetile: the values are those") ||
		     strstr(now.text, "its driver has the registers"), "%s\n", now.text);
}

igt_main
{
	static char address[64];
	static bool unbound;

	igt_fixture {
		int fd = lab_open();

		close(fd);
		xetile_bound_card(address, sizeof(address));
	}

	igt_describe("A bound card is labelled, and nothing is written to it");
	igt_subtest("bound")
		test_bound(address);

	igt_fixture {
		igt_assert_eq(xetile_write_driver("unbind", address), 0);
		unbound = true;
	}

	igt_describe("Nothing is written that was not asked for, and all of it is put back");
	igt_subtest("writes")
		test_writes(address);

	igt_describe("Each line that can pass has a lie below");
	igt_subtest("complete")
		test_complete(address);

	igt_describe("A lie in a line is a DIFF in exactly that line");
	igt_subtest("lies")
		test_lies(address);

	igt_describe("A recorded register that does not answer is a DIFF");
	igt_subtest("dead")
		test_dead(address);

	igt_describe("A power controller that is not ready is a DIFF");
	igt_subtest("pcode")
		test_pcode(address);

	igt_describe("What cannot be audited is refused with a reason");
	igt_subtest("refused")
		test_refused(address);

	igt_fixture {
		lab_heal();
		if (unbound)
			igt_assert_eq(xetile_write_driver("bind", address), 0);
	}
}
