// SPDX-License-Identifier: MIT
/*
 * Errors of the hardware: counted by kind, cleared where they were found, no storm of interrupts.
 *
 * suite: faults
 */
#include <errno.h>
#include <unistd.h>

#include "xetile_job.h"
#include "xetile_lab.h"

IGT_TEST_DESCRIPTION("Errors of the hardware are counted and cleared");

/* Statuses of a tile, which are all clear when an error was cleared at its source */
static const unsigned int statuses[] = {
	0x100174, 0x100178, 0x10017c,			/* units, by severity */
	0x100160, 0x100164, 0x100168,			/* GT, by severity */
	0x100260, 0x100268, 0x100278, 0x10027c,		/* vectors of the GT, fatal */
	0x1002a0, 0x1002a8,				/* correctable */
	0x282200, 0x282210, 0x282220, 0x282280, 0x282294,	/* first handler of errors */
	0x283200, 0x283210, 0x283220, 0x283280, 0x283294,	/* second */
	0x284118, 0x284128,				/* security controller */
};

static const char * const severities[] = { "correctable", "nonfatal", "fatal" };

#define C	1u
#define N	2u
#define F	4u

/* What the card can find, in which severities, and the kind that the driver calls it */
static const struct source {
	const char *name, *kind;
	unsigned int severities;
	bool root;				/* tile 0 alone has it */
} sources[] = {
	{ "subslice", "subslice", C | F },
	{ "l3bank", "l3bank", C | F },
	{ "tlb", "tlb", F },
	{ "l3-fabric", "l3_fabric", F },
	{ "gt", "gt", C | N | F },
	{ "soc", "soc", C | N | F },
	{ "soc-second", "soc", C | N | F },
	{ "mdfi", "mdfi", N | F },
	{ "hbm", "hbm", C | N | F },
	{ "hbm-second", "hbm", C | N | F },
	{ "gsc", "gsc", C | N, true },
	{ "device", "other", C | N | F },
};

static char address[64];

static unsigned int num_tiles(int fd)
{
	struct drm_xetile_query_tile tiles[DRM_XETILE_MAX_TILES];

	return xetile_query_tiles(fd, tiles);
}

static unsigned int errors(int fd, unsigned int tile, const char *severity, const char *kind)
{
	char name[64];

	snprintf(name, sizeof(name), "../errors/%s_%s", severity, kind);
	return xetile_sysfs_uint(fd, tile, name);
}

/* All errors of a tile */
static unsigned int all_errors(int fd, unsigned int tile)
{
	static const char * const kinds[] = {
		"subslice", "l3bank", "tlb", "l3_fabric", "gt", "hbm", "mdfi", "soc", "gsc",
		"other",
	};
	unsigned int sum = 0;

	for (unsigned int s = 0; s < ARRAY_SIZE(severities); s++)
		for (unsigned int k = 0; k < ARRAY_SIZE(kinds); k++)
			sum += errors(fd, tile, severities[s], kinds[k]);
	return sum;
}

/* Returns a register of the tile's statuses that is not clear, or 0. */
static unsigned int not_clear(unsigned int tile)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(statuses); i++)
		if (lab_peek(tile, statuses[i]))
			return statuses[i];
	return 0;
}

/* Waits until a tenth of a second passes without an interrupt; asserts that it comes. */
static void wait_quiet(void)
{
	unsigned int tries = 100;
	uint64_t before;

	do {
		before = lab_messages();
		usleep(100000);
	} while (lab_messages() != before && --tries);
	igt_assert_f(tries, "interrupts come all the time\n");
}

/* Waits until the number of errors is @want; asserts that it comes, and never more. */
static void wait_errors(int fd, unsigned int tile, const char *severity, const char *kind,
			unsigned int want)
{
	unsigned int tries = 1000;

	while (errors(fd, tile, severity, kind) < want && --tries)
		usleep(10000);
	igt_assert_eq_u32(errors(fd, tile, severity, kind), want);
}

/* An error of a kind is counted once, in the file of its severity and kind alone. */
static void test_kind(const struct source *source)
{
	int fd;

	lab_recover(address);
	fd = xetile_open();
	for (unsigned int tile = 0; tile < num_tiles(fd); tile++) {
		for (unsigned int s = 0; s < ARRAY_SIZE(severities); s++) {
			const char *severity = severities[s];
			unsigned int before = errors(fd, tile, severity, source->kind);
			unsigned int all = all_errors(fd, tile);

			if (!(source->severities & 1u << s) || (source->root && tile))
				continue;
			lab_inject("error source=%s severity=%s tile=%u", source->name, severity,
				   tile);
			wait_errors(fd, tile, severity, source->kind, before + 1);
			wait_quiet();
			igt_assert_eq_u32(all_errors(fd, tile), all + 1);
			igt_assert_eq_u32(not_clear(tile), 0);
		}
	}
	job_check_usable(fd);
	close(fd);
}

/*
 * Interrupts come again as soon as they are acknowledged. The driver counts a hundred of them in a
 * second; from then on it leaves them out for 10 ms after each one.
 */
static void check_rests(void)
{
	uint64_t from = xetile_now_ms(), before = lab_messages(), after, to;

	sleep(2);
	after = lab_messages();
	to = xetile_now_ms();
	igt_info("note: %llu interrupts in %llu ms\n", (unsigned long long)(after - before),
		 (unsigned long long)(to - from));
	/* Seconds that the driver counts may begin anywhere. */
	igt_assert(after - before <= (to - from) / 10 + ((to - from) / 1000 + 2) * 100);
}

/* A source that cannot be cleared: a line says so, jobs run, and interrupts end. */
static void test_stuck(const char *source, const char *severity, bool level)
{
	int fd, log;

	lab_recover(address);
	fd = xetile_open();
	log = lab_log_open();
	lab_inject("error source=%s severity=%s tile=0 stuck=%s", source, severity,
		   level ? "level" : "yes");
	lab_log_close(log, "cannot be cleared");
	job_check_usable(fd);
	if (level)
		check_rests();
	else
		wait_quiet();
	igt_assert_lte(all_errors(fd, 0), 1000);
	lab_heal();
	/* A card that is bound anew looks at all of its errors again. */
	close(fd);
	xetile_rebind(address);
	fd = xetile_open();
	igt_assert_eq_u32(all_errors(fd, 0), 0);
	lab_inject("error source=%s severity=%s tile=0", source, severity);
	xetile_assert_soon(all_errors(fd, 0));
	wait_quiet();
	igt_assert_eq_u32(not_clear(0), 0);
	close(fd);
}

/* What is pending when the card is bound is cleared, not counted, and no storm follows. */
static void test_pending(void)
{
	int fd, log;

	lab_recover(address);
	igt_assert_eq(xetile_write_driver("unbind", address), 0);
	/* Errors and events of firmware are pending again. */
	xetile_reset_function(address);
	/* The card's own: a link's error, events of the blocks GU_MISC and PCU. Here are more. */
	igt_assert_neq(lab_peek(0, 0x282280), 0);
	igt_assert_neq(lab_peek(0, 0x444f8), 0);
	for (unsigned int i = 0; i < ARRAY_SIZE(sources); i++)
		for (unsigned int s = 0; s < ARRAY_SIZE(severities); s++)
			if (sources[i].severities & 1u << s)
				lab_inject("error source=%s severity=%s tile=0", sources[i].name,
					   severities[s]);
	log = lab_log_open();
	igt_assert_eq(xetile_write_driver("bind", address), 0);
	fd = xetile_open();
	job_check_usable(fd);
	wait_quiet();
	for (unsigned int tile = 0; tile < num_tiles(fd); tile++) {
		igt_assert_eq_u32(all_errors(fd, tile), 0);
		igt_assert_eq_u32(not_clear(tile), 0);
	}
	lab_log_no_error(log);
	close(fd);
}

/* A card whose firmware says that its memory must not be used is refused, and a line says why. */
static void test_refused(unsigned int findings, const char *line)
{
	int fd, log;

	lab_recover(address);
	log = lab_log_open();
	igt_assert_eq(xetile_write_driver("unbind", address), 0);
	lab_inject("register address=0x13810c value=%#x count=0", findings);
	igt_assert_eq(xetile_write_driver("bind", address), -ENXIO);
	lab_log_close(log, line);
	lab_heal();
	igt_assert_eq(xetile_write_driver("bind", address), 0);
	fd = xetile_open();
	job_check_usable(fd);
	close(fd);
}

igt_main
{
	igt_fixture {
		close(lab_open());
		xetile_bound_card(address, sizeof(address));
	}
	for (unsigned int i = 0; i < ARRAY_SIZE(sources); i++) {
		igt_describe("An error must be counted once, in its file, and cleared");
		igt_subtest_f("kind-%s", sources[i].name)
			test_kind(&sources[i]);
	}
	igt_describe("What was pending before must be cleared, and must not be counted");
	igt_subtest("pending")
		test_pending();
	igt_describe("Errors of the error handlers that cannot be cleared must be masked");
	igt_subtest("stuck-soc")
		test_stuck("hbm", "correctable", false);
	igt_describe("Errors that have no mask and cannot be cleared must be left alone");
	igt_subtest("stuck-gt")
		test_stuck("gt", "fatal", false);
	igt_subtest("stuck-gsc")
		test_stuck("gsc", "nonfatal", false);
	igt_subtest("stuck-device")
		test_stuck("device", "nonfatal", false);
	igt_describe("Where neither a mask nor an acknowledgement helps, the card must rest between "
		     "interrupts");
	igt_subtest("level-gt")
		test_stuck("gt", "correctable", true);
	igt_subtest("level-gsc")
		test_stuck("gsc", "correctable", true);
	igt_describe("A card whose HBM must be replaced must be refused");
	igt_subtest("replace")
		test_refused(0x02004000, "HBM must be replaced");
	igt_subtest("unrepairable")
		test_refused(0x62040000, "cannot be repaired");
	igt_fixture
		lab_heal();
}
