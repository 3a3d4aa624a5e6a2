// SPDX-License-Identifier: MIT
/*
 * What the parsers of texts, and the comparison of samples, make of what nobody expects.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fault.h"
#include "load.h"
#include "text.h"

static unsigned int passed, failed;

static void check(bool ok, const char *what, int line)
{
	if (ok) {
		passed++;
		return;
	}
	failed++;
	printf("FAIL parse.c:%d: %s\n", line, what);
}

#define CHECK(what)	check(what, #what, __LINE__)

#define HEAD	"pos:\t0\ndrm-driver:\txetile\ndrm-client-id:\t7\ndrm-pdev:\t0000:3a:00.0\n"

/* --- fdinfo ---------------------------------------------------------------------------- */

static void test_fdinfo_other(void)
{
	struct fdinfo use;

	CHECK(!fdinfo_parse("", &use));
	CHECK(!fdinfo_parse("\n\n:\n", &use));
	CHECK(!fdinfo_parse("drm-driver:\txe\ndrm-client-id:\t7\ndrm-pdev:\t0000:3a:00.0\n", &use));
	CHECK(!fdinfo_parse("drm-driver:\txetile2\ndrm-client-id:\t7\ndrm-pdev:\t0000:3a:00.0\n", &use));
	CHECK(!fdinfo_parse("drm-driver:\txetile\ndrm-pdev:\t0000:3a:00.0\n", &use));
	CHECK(!fdinfo_parse("drm-driver:\txetile\ndrm-client-id:\t7\n", &use));
	CHECK(fdinfo_parse(HEAD, &use));
	CHECK(use.id == 7 && !strcmp(use.pci, "0000:3a:00.0"));
	/* The last line may have no end, and the address may be too long. */
	CHECK(fdinfo_parse(HEAD "drm-resident-hbm1:\t3 MiB", &use));
	CHECK(use.hbm[1] == 3 << 20);
	CHECK(fdinfo_parse(HEAD "drm-pdev:\t0000:3a:00.0xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", &use));
	CHECK(strlen(use.pci) == sizeof(use.pci) - 1);
}

/* A card's device that is called xe, and upstream's driver of that name */
static void test_fdinfo_xe(void)
{
#define XE "drm-driver:\txe\ndrm-client-id:\t7\ndrm-pdev:\t0000:3a:00.0\n"
	static const char words[] = "drm-resident-system:\t0\ndrm-resident-gtt:\t6 KiB\n"
		"drm-resident-vram1:\t5 KiB\ndrm-engine-ccs:\t9 ns\ndrm-engine-bcs:\t8 ns\n";
	char text[512];
	struct fdinfo use;

	snprintf(text, sizeof(text), XE "%s", words);
	CHECK(!fdinfo_parse(text, &use));
	snprintf(text, sizeof(text), XE "%sxetile-total-cycles:\t4\n", words);
	CHECK(fdinfo_parse(text, &use));
	CHECK(use.system == 6 << 10 && use.hbm[1] == 5 << 10 && use.now == 4);
	CHECK(use.compute_ns == 9 && use.copy_ns == 8);
	snprintf(text, sizeof(text), XE "xetile-total-cycles:\t4\ndrm-resident-vram4:\t5\n");
	CHECK(fdinfo_parse(text, &use) && !use.hbm[3]);
	CHECK(!fdinfo_parse("drm-driver:\txe2\ndrm-client-id:\t7\ndrm-pdev:\t0000:3a:00.0\n"
			    "xetile-total-cycles:\t4\n", &use));
#undef XE
}

static void test_fdinfo_units(void)
{
	struct fdinfo use;

	CHECK(fdinfo_parse(HEAD "drm-resident-hbm0:\t5\ndrm-resident-hbm1: 5 KiB\n"
			   "drm-resident-hbm2:\t5 MiB\ndrm-resident-hbm3:\t5 GiB\n"
			   "drm-resident-system:\t6 KiB\nxetile-moved-evict:\t2 KiB\n"
			   "drm-engine-compute:\t9 ns\n", &use));
	CHECK(use.hbm[0] == 5 && use.hbm[1] == 5 << 10 && use.hbm[2] == 5 << 20);
	CHECK(use.hbm[3] == 5ull << 30);
	CHECK(use.system == 6 << 10 && use.moved[FDINFO_EVICT] == 2 << 10 && use.compute_ns == 9);
}

static void test_fdinfo_numbers(void)
{
	struct fdinfo use;

	/* Larger than any number is the largest one, and what is no number is none. */
	CHECK(fdinfo_parse(HEAD "drm-resident-hbm0:\t99999999999999999999999999\n"
			   "drm-resident-hbm1:\t18446744073709551615 KiB\n"
			   "xetile-total-cycles:\t-5\ndrm-engine-compute:\t\n"
			   "xetile-cycles-tile0-compute:\tx5\n", &use));
	CHECK(use.hbm[0] == UINT64_MAX && use.hbm[1] == UINT64_MAX);
	CHECK(!use.now && !use.compute_ns && !use.compute[0]);
	CHECK(fdinfo_add(UINT64_MAX, 1) == UINT64_MAX && fdinfo_add(1, 2) == 3);
}

static void test_fdinfo_keys(void)
{
	static const char *const names[] = {
		"drm-resident-hbm4", "drm-resident-hbm9", "drm-resident-hbm0x", "drm-resident-hbm",
		"drm-resident-hbm00", "xetile-cycles-tile4-compute", "xetile-cycles-tile0-cslice4",
		"xetile-cycles-tile0-cslice00", "xetile-cycles-tile00-copy", "xetile-cycles-tile0-cslice1x",
		"xetile-cycles-tile-copy", "xetile-cycles-tile0-copyx", "drm-total-hbm0", "",
	};
	struct fdinfo use, empty;
	char text[512];
	size_t i;

	fdinfo_parse(HEAD, &empty);
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(text, sizeof(text), HEAD "%s:\t5\n", names[i]);
		CHECK(fdinfo_parse(text, &use) && !memcmp(&use, &empty, sizeof(use)));
	}
	CHECK(fdinfo_parse(HEAD "xetile-cycles-tile3-cslice3:\t5\nxetile-cycles-tile3-copy:\t6\n"
			   "xetile-cycles-tile3-compute:\t7\n", &use));
	CHECK(use.slice[3][3] == 5 && use.copy[3] == 6 && use.compute[3] == 7);
	/* A line that is longer than any is left out, and no other one. */
	memset(text, 'x', 400);
	snprintf(text + 400, sizeof(text) - 400, "\n" HEAD);
	CHECK(fdinfo_parse(text, &use) && use.id == 7);
}

/* --- slices ---------------------------------------------------------------------------- */

static void test_slices(void)
{
	static const char text[] =
		"tile0\n  process 12 mode 4 slice 3 engine ccs2 queues 5 busy 1\n"
		"  process 12 mode 5 slice 0 engine ccs0 queues 1 busy 1\n"
		"  process 12 mode 2 slice 2 engine ccs0 queues 1 busy 1\n"
		"  process 12 mode 2 slice 0 engine ccs4 queues 1 busy 1\n"
		"  process -1 mode 2 slice 0 engine ccs0 queues 1 busy 1\n"
		"  process 99999999999 mode 2 slice 0 engine ccs0 queues 1 busy 1\n"
		"tile4\n  process 12 mode 1 slice 0 engine ccs0 queues 1 busy 1\n"
		"nonsense\ntile1\n  process 9 mode 1 slice 0 engine ccs1 queues 1 busy 0";
	struct slices_binding b;
	unsigned int tile = XETILE_MAX_TILES;
	const char *at = slices_next(text, &tile, &b);

	CHECK(at && b.tile == 0 && b.pid == 12 && b.mode == 4 && b.slice == 3 && b.engine == 2);
	CHECK(b.queues == 5 && b.busy == 1);
	at = at ? slices_next(at, &tile, &b) : NULL;
	CHECK(at && b.tile == 1 && b.pid == 9 && b.engine == 1);
	CHECK(at && !slices_next(at, &tile, &b));
	/* A line before the first tile is of no tile. */
	tile = XETILE_MAX_TILES;
	CHECK(!slices_next("  process 9 mode 1 slice 0 engine ccs1 queues 1 busy 0\n", &tile, &b));
}

/* By the driver's rule: the slices that are there are dealt to the engines in turn. */
static void test_slices_of(void)
{
	CHECK(slices_of(0xf, 1, 0) == 0xf && slices_of(0xf, 1, 1) == 0);
	CHECK(slices_of(0xf, 2, 0) == 0x5 && slices_of(0xf, 2, 1) == 0xa);
	CHECK(slices_of(0xf, 4, 2) == 0x4);
	CHECK(slices_of(0xa, 1, 1) == 0xa && slices_of(0xa, 2, 1) == 0x2);
	CHECK(slices_of(0xa, 2, 3) == 0x8 && slices_of(0xa, 2, 0) == 0);
	CHECK(slices_of(0, 4, 0) == 0 && slices_of(0xf, 0, 0) == 0);
	/* A mode that the tile does not have */
	CHECK(slices_of(0x2, 4, 1) == 0x2);
}

/* --- samples --------------------------------------------------------------------------- */

static const struct sample_card card = {
	.pci = "0000:3a:00.0", .tiles = 1, .present = { 0xf }, .copies = { 2 }, .hz = 1000,
};

static void add(struct sample *sample, uint64_t id, int pid, uint64_t now, uint64_t compute)
{
	struct sample_client client = {
		.use = { .id = id, .now = now, .compute = { compute }, .slice = { { compute } } },
		.pid = pid,
	};

	CHECK(sample_add_client(sample, &client));
}

static void test_backwards(void)
{
	struct sample before = { .ns = 0 }, now = { .ns = 1000000000 };
	struct load load;

	add(&before, 1, 10, 1000, 500);
	add(&before, 2, 20, 1000, 500);
	add(&before, 3, 30, 1000, 500);
	add(&before, 4, 40, 1000, 500);
	add(&now, 1, 10, 2000, 400);		/* less time */
	add(&now, 2, 20, 900, 1500);		/* the clock went backwards */
	add(&now, 3, 30, 2000, UINT64_MAX);	/* more than there was */
	add(&now, 5, 50, 2000, 250);		/* new; 4 is gone */
	sample_sort(&before);
	sample_sort(&now);
	CHECK(load_make(&card, &before, &now, &load));
	load_sort(&load, LOAD_BY_PID);
	CHECK(load.num_rows == 4 && load.seconds == 1);
	CHECK(load.rows[0].pid == 10 && load.rows[0].compute == 0);
	CHECK(load.rows[1].pid == 20 && load.rows[1].compute == 0);
	CHECK(load.rows[2].pid == 30 && load.rows[2].compute == 1);
	CHECK(load.rows[3].pid == 50 && load.rows[3].compute == 0.25);
	CHECK(load.tiles[0].compute == 1 && load.tiles[0].slice[0] == 1);
	load_free(&load);
	/* Two looks at the same time, or in the wrong order */
	CHECK(load_make(&card, &now, &before, &load));
	CHECK(load.seconds == 0 && load.rows[0].compute == LOAD_UNKNOWN);
	load_free(&load);
	sample_free(&before);
	sample_free(&now);
}

/* A file that a process gave to others is the first one's, with all that they made of it. */
static void test_shared(void)
{
	struct sample before = { .ns = 0 }, now = { .ns = 1000000000, .knows_slices = true };
	struct load load;

	add(&before, 9, 10, 1000, 0);
	add(&now, 9, 12, 2000, 500);
	add(&now, 9, 10, 2000, 500);
	add(&now, 9, 10, 2000, 500);		/* open twice */
	add(&now, 8, 11, 2000, 0);
	CHECK(sample_add_slices(&now, "tile0\n  process 12 mode 4 slice 0 engine ccs1 queues 1 busy 1\n"
				      "  process 77 mode 4 slice 0 engine ccs2 queues 1 busy 1\n"));
	CHECK(sample_add_queues(&now, 0, "12 3 a b\nx\n\n77 5 c\n"));
	sample_sort(&before);
	sample_sort(&now);
	CHECK(now.num_clients == 3);
	CHECK(load_make(&card, &before, &now, &load));
	load_sort(&load, LOAD_BY_PID);
	CHECK(load.num_rows == 2);
	CHECK(load.rows[0].pid == 10 && load.rows[0].clients == 1 && load.rows[0].others == 1);
	CHECK(load.rows[0].compute == 0.5 && load.tiles[0].compute == 0.5);
	CHECK(load.rows[0].num_slices == 1 && load.rows[0].slices[0].engine == 1);
	CHECK(load.rows[0].queues[0] == 3);
	CHECK(load.rows[1].pid == 11 && load.rows[1].num_slices == 0);
	load_free(&load);
	sample_free(&before);
	sample_free(&now);
}

/*
 * A file that an earlier look did not see, because it was on its way to another process, is not
 * new: what it did in all its life is not what it did since then.
 */
static void test_unseen(void)
{
	struct sample before = { .ns = 0 }, now = { .ns = 1000000000 };
	struct load load;

	add(&before, 2, 20, 1000, 0);
	add(&now, 1, 10, 2000, 900);		/* older than the last one that was seen */
	add(&now, 2, 20, 2000, 250);
	add(&now, 3, 30, 2000, 500);		/* new */
	sample_sort(&before);
	sample_sort(&now);
	CHECK(load_make(&card, &before, &now, &load));
	load_sort(&load, LOAD_BY_PID);
	CHECK(load.rows[0].pid == 10 && load.rows[0].compute == 0 && !load.rows[0].used[0]);
	CHECK(load.rows[0].compute_ticks[0] == 900);
	CHECK(load.rows[1].compute == 0.25 && load.rows[2].compute == 0.5);
	CHECK(load.tiles[0].compute == 0.75);
	load_free(&load);
	sample_free(&before);
	sample_free(&now);
}

/* A mask may hide a tile's engines: nobody knows of how many copy engines the time is. */
static void test_hidden_tile(void)
{
	struct sample_card two = card;
	struct sample before = { .ns = 0 }, now = { .ns = 1000000000 };
	struct sample_client client = { .use = { .id = 1, .now = 1000 }, .pid = 10 };
	struct load load;

	two.tiles = 2;
	CHECK(sample_add_client(&before, &client));
	client.use.now = 2000;
	client.use.copy[0] = 1000;
	client.use.copy[1] = 8000;
	CHECK(sample_add_client(&now, &client));
	CHECK(load_make(&two, &before, &now, &load));
	CHECK(load.rows[0].tiles[0].copy == 0.5 && load.rows[0].tiles[1].copy == LOAD_UNKNOWN);
	CHECK(load.rows[0].copy == 0.5);
	CHECK(load.tiles[1].copy == LOAD_UNKNOWN && load_copy(&two, load.tiles) == 0.5);
	load_free(&load);
	two.copies[0] = 0;
	CHECK(load_make(&two, &before, &now, &load));
	CHECK(load.rows[0].copy == LOAD_UNKNOWN && load.rows[0].compute == 0);
	load_free(&load);
	sample_free(&before);
	sample_free(&now);
}

/* What hostile processes have open: a file again and again, and more files than any sample has. */
static void test_full(void)
{
	struct sample sample = { .complete = true };
	struct sample_client client = { .pid = 1 };
	bool ok = true;
	unsigned int i;

	add(&sample, 7, 10, 0, 0);
	add(&sample, 7, 10, 0, 0);
	CHECK(sample.num_clients == 1);
	add(&sample, 7, 11, 0, 0);
	add(&sample, 8, 11, 0, 0);
	CHECK(sample.num_clients == 3 && sample.complete);
	for (i = 3; i < SAMPLE_CLIENTS; i++) {
		client.use.id = i;
		ok &= sample_add_client(&sample, &client);
	}
	CHECK(ok && sample.num_clients == SAMPLE_CLIENTS && sample.complete);
	add(&sample, 9, 11, 0, 0);
	CHECK(sample.num_clients == SAMPLE_CLIENTS && !sample.complete);
	sample_free(&sample);
}

/* Very many clients: each is found again, and the order is that of busy. */
static void test_many(void)
{
	enum { MANY = 10000 };
	struct sample before = { .ns = 0 }, now = { .ns = 1000000000 };
	struct load load;
	bool ok = true;
	int i;

	for (i = MANY; i > 0; i--) {
		struct sample_client client = { .use = { .id = i, .now = 1000 }, .pid = i / 2 + 1 };

		ok &= sample_add_client(&before, &client);
		client.use.now = 2000;
		client.use.compute[0] = i % 100;
		ok &= sample_add_client(&now, &client);
	}
	CHECK(ok);
	sample_sort(&before);
	sample_sort(&now);
	CHECK(load_make(&card, &before, &now, &load));
	load_sort(&load, LOAD_BY_BUSY);
	CHECK(load.num_rows == MANY / 2 + 1);
	for (i = 1; i < (int)load.num_rows; i++)
		ok &= load.rows[i - 1].compute >= load.rows[i].compute;
	CHECK(ok);
	CHECK(load.rows[0].clients == 2 && load.tiles[0].compute == 1);
	load_free(&load);
	sample_free(&before);
	sample_free(&now);
}

/* --- texts ----------------------------------------------------------------------------- */

static bool bytes_are(uint64_t bytes, const char *want)
{
	char text[12];

	text_bytes(text, sizeof(text), bytes);
	if (strcmp(text, want))
		printf("%" PRIu64 " bytes: '%s', not '%s'\n", bytes, text, want);
	return !strcmp(text, want) && strlen(text) <= 8;
}

static bool seconds_are(double seconds, const char *want)
{
	char text[24];

	text_seconds(text, sizeof(text), seconds);
	if (strcmp(text, want))
		printf("%f s: '%s', not '%s'\n", seconds, text, want);
	return !strcmp(text, want);
}

static bool ns_are(uint64_t ns, const char *want)
{
	char text[16];

	text_ns(text, sizeof(text), ns);
	if (strcmp(text, want))
		printf("%" PRIu64 " ns: '%s', not '%s'\n", ns, text, want);
	return !strcmp(text, want);
}

static bool share_is(double share, const char *want)
{
	char text[8];

	text_share(text, sizeof(text), share);
	if (strcmp(text, want))
		printf("%f: '%s', not '%s'\n", share, text, want);
	return !strcmp(text, want) && strlen(text) <= 5;
}

static bool mask_is(uint32_t mask, const char *want)
{
	char text[80];

	text_mask(text, sizeof(text), mask);
	return !strcmp(text, want);
}

static void test_texts(void)
{
	char text[8];

	CHECK(bytes_are(0, "0") && bytes_are(1, "1 B") && bytes_are(1024, "1.0 KiB"));
	CHECK(bytes_are(10188, "9.9 KiB") && bytes_are(10189, "10 KiB"));
	CHECK(bytes_are(999 << 10, "999 KiB") && bytes_are(1000 << 10, "1.0 MiB"));
	CHECK(bytes_are(512ull << 20, "512 MiB") && bytes_are(64ull << 30, "64 GiB"));
	CHECK(bytes_are(UINT64_MAX, "16 EiB"));
	CHECK(share_is(LOAD_UNKNOWN, "-") && share_is(0, "0%") && share_is(1, "100%"));
	CHECK(bytes_are(1023, "1023 B"));
	CHECK(share_is(0.9999, "100%") && share_is(0.5, "50.0%") && share_is(0.0004, "0.0%"));
	CHECK(seconds_are(0, "0.000") && seconds_are(9.9999, "10.0") && seconds_are(59.96, "0:59"));
	CHECK(seconds_are(61, "1:01") && seconds_are(3600, "1:00:00") && seconds_are(1e9, "277777:46:40"));
	CHECK(ns_are(0, "0.000 us") && ns_are(52, "0.052 us") && ns_are(9999, "9.999 us"));
	CHECK(ns_are(12345, "12.35 us") && ns_are(999949, "999.9 us"));
	CHECK(ns_are(999950, "1.000 ms"));
	CHECK(ns_are(2000000000, "2.000 s") && ns_are(3600ull * 1000000000, "3600.0 s"));
	CHECK(mask_is(0, "-") && mask_is(0xf, "0-3") && mask_is(0xa, "1,3") && mask_is(0xd, "0,2-3"));
	CHECK(mask_is(0x80000000, "31") && mask_is(0xffffffff, "0-31"));
	text_clean(text, sizeof(text), "a\033[31m\n\xff\x7f");
	CHECK(!strcmp(text, "a?[31m?"));
	text_clean(text, sizeof(text), "\xff\x9b\x7f");
	CHECK(!strcmp(text, "???"));
}

static bool runs_are(const struct xetile_run *runs, unsigned int num, unsigned int width,
		     const char *want)
{
	char text[16];

	text_runs(text, sizeof(text), runs, num, width);
	return !strcmp(text, want);
}

/* Where the pages of a buffer lie, as a bar */
static void test_runs(void)
{
	static const struct xetile_run even[] = { { 0, 100 }, { 1, 100 } },
		spilled[] = { { 0, 300 }, { 3, 75 }, { XETILE_TILE_SYSTEM, 25 } },
		one[] = { { 1, 1 } };

	CHECK(runs_are(even, 2, 10, "0000011111") && runs_are(even, 2, 3, "011"));
	CHECK(runs_are(even, 2, 1000, "000000000000000"));
	CHECK(runs_are(spilled, 3, 8, "0000003s") && runs_are(spilled, 3, 15, "00000000000333s"));
	CHECK(runs_are(one, 1, 10, "1") && runs_are(one, 0, 10, ""));
}

static bool fault_is(uint64_t page, const struct fault_arg *args, unsigned int num, const char *want)
{
	char text[200];

	fault_text(text, sizeof(text), page, args, num);
	return !strcmp(text, want);
}

/* The argument that a page fault has to do with */
static void test_fault(void)
{
	static const struct fault_arg args[] = {
		{ 0, "out", 0x100000, 4096, 65536 },
		{ 2, NULL, 0x200000, 1 << 20, 1 << 20 },
		{ 3, "in\033", 0, 0, 0 },
	};

	CHECK(fault_is(0x110000, args, 3,
		       "nearest: argument 0 'out', 4.0 KiB at 0x100000: 60 KiB behind its end"));
	CHECK(fault_is(0x1ff000, args, 3,
		       "nearest: argument 2, 1.0 MiB at 0x200000: 4.0 KiB before its begin"));
	CHECK(fault_is(0x10f000, args, 3,
		       "argument 0 'out', 4.0 KiB at 0x100000, is mapped there, but not for this access"));
	CHECK(fault_is(0x3000, args, 3, "argument 3 'in?' is a null pointer"));
	CHECK(fault_is(0x3000, args, 2, "") && fault_is(0x3000, args, 0, ""));
	CHECK(fault_is(0x123000, args + 2, 1, ""));
	CHECK(fault_is(UINT64_MAX - 4095, args, 2,
		       "nearest: argument 2, 1.0 MiB at 0x200000: 16 EiB behind its end"));
}

int main(void)
{
	test_fdinfo_other();
	test_fdinfo_xe();
	test_fdinfo_units();
	test_fdinfo_numbers();
	test_fdinfo_keys();
	test_slices();
	test_slices_of();
	test_backwards();
	test_shared();
	test_unseen();
	test_hidden_tile();
	test_full();
	test_many();
	test_texts();
	test_runs();
	test_fault();
	printf("%u passed, %u failed\n", passed, failed);
	return failed != 0;
}
