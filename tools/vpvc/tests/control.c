// SPDX-License-Identifier: MIT
/* The control socket and the command line; the counters. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "card.h"
#include "card/life.h"
#include "control.h"
#include "core/clock.h"
#include "core/regs.h"
#include "core/strict.h"
#include "core/xlat.h"
#include "mem/memory.h"
#include "options.h"
#include "pvc_engine_regs.h"
#include "pvc_gt_regs.h"
#include "pvc_soc_regs.h"
#include "socket.h"
#include "tests/cs_test.h"

/* Returns the text behind the JSON value at @p, or NULL if there is none. */
static const char *skip_json(const char *p)
{
	char close;

	if (*p == '"') {
		for (p++; *p && *p != '"'; p++)
			if (*p == '\\')
				p++;
		return *p ? p + 1 : NULL;
	}
	if (*p != '{' && *p != '[') {
		size_t n = strspn(p, "0123456789truefalsn");

		return n ? p + n : NULL;
	}
	close = *p == '{' ? '}' : ']';
	if (p[1] == close)
		return p + 2;
	do {
		p++;
		if (close == '}') {
			if (*p != '"')
				return NULL;
			p = skip_json(p);
			if (!p || *p++ != ':')
				return NULL;
		}
		p = skip_json(p);
		if (!p)
			return NULL;
	} while (*p == ',');
	return *p == close ? p + 1 : NULL;
}

static bool is_json_line(const char *s)
{
	const char *end = s ? skip_json(s) : NULL;

	return end && !strcmp(end, "\n");
}

/* True if the reply to @line is JSON and has @part. */
static bool says(struct card *c, const char *line, const char *part)
{
	char *out = control_command(c, line);
	bool ok = is_json_line(out) && strstr(out, part);

	if (!ok)
		fprintf(stderr, "  %s -> %s", line, out);
	free(out);
	return ok;
}

TEST(control_counters)
{
	struct card *c = test_card(2, 0);
	struct tile *t = &c->tiles[1];

	mmio_read(t, PVC_MTCFG);
	mmio_read(t, PVC_MTCFG);
	counter_add(&t->engines[0].cnt.work_groups, 40);
	counter_add(&t->engines[3].cnt.work_groups, 2);
	counter_set(&t->engines[3].cnt.last_context, 17);
	CHECK(says(c, "counters", "{\"tile\":1,\"register_reads\":2,"));
	CHECK(says(c, "counters", "\"work_groups\":42,"));
	CHECK(says(c, "counters", "\"name\":\"bcs8\""));
	CHECK(says(c, "counters", "\"state\":\"idle\""));
	CHECK(says(c, "counters", "\"last_context\":17,"));
	CHECK(says(c, "reset-counters", "\"ok\":true"));
	CHECK(says(c, "counters", "{\"tile\":1,\"register_reads\":0,"));
	CHECK_EQ(counter_get(&t->engines[0].cnt.work_groups), 0);
	CHECK_EQ(counter_get(&t->engines[3].cnt.last_context), 0);
	test_card_free(c);
}

TEST(control_registers)
{
	struct card *c = test_card(2, 0);
	struct tile *t = &c->tiles[1];

	CHECK(says(c, "registers", "{\"tiles\":[{\"tile\":0,\"registers\":[]},"));
	mmio_read(t, PVC_MTCFG);
	mmio_read(t, PVC_MTCFG);
	mmio_write(t, PVC_RING_TAIL(PVC_BCS_BASE(1)), 8);
	mmio_write(t, 0x123454, 8);
	CHECK(says(c, "registers", "{\"tile\":1,\"registers\":["
		   "{\"offset\":1054720,\"name\":\"PVC_MTCFG\",\"reads\":2,\"writes\":0},"
		   "{\"offset\":1193044,\"name\":\"\",\"reads\":0,\"writes\":1},"
		   "{\"offset\":4063280,\"name\":\"PVC_RING_TAIL(0)\",\"reads\":0,"
		   "\"writes\":1}]}"));
	CHECK(says(c, "reset-counters", "\"ok\":true"));
	CHECK(says(c, "registers", "{\"tile\":1,\"registers\":[]}"));
	test_card_free(c);
}

TEST(control_info_and_errors)
{
	struct card *c = test_card(2, 0);

	CHECK(says(c, "info", "\"device\":\"8086:0bd5\",\"tiles\":2,\"hbm_per_tile\":1073741824,"));
	CHECK(says(c, "info", "\"ccs\":[[0,0,0,0],[0,0,0,0]]"));
	reg_write(&c->tiles[1], PVC_RCU_MODE, 3);
	reg_write(&c->tiles[1], PVC_CCS_MODE, 0x688);
	CHECK(says(c, "info", "\"ccs\":[[0,0,0,0],[1,2,4,8]]"));
	CHECK(says(c, "", "\"error\""));
	CHECK(says(c, "counter", "\"error\""));
	CHECK(says(c, "inject", "\"error\""));
	CHECK(says(c, "inject all-ones maybe", "\"error\""));
	test_card_free(c);
}

TEST(control_translate)
{
	struct bench b;
	struct ctx x;
	char part[80];

	bench_init(&b, 1);
	ctx_init(&b, &x, bench_engine(&b, 0, PVC_CLASS_BCS, 1), 1);
	CHECK(says(b.c, "translate tile0.bcs1 0x1000", "\"error\":\"not present\""));
	CHECK(run_batch(&x));
	snprintf(part, sizeof(part), "{\"place\":\"hbm\",\"address\":%llu,\"bytes\":%llu}",
		 (unsigned long long)x.data + 64, DATA_BYTES - 64);
	CHECK(says(b.c, "translate tile0.bcs1 0x123400000040", part));
	CHECK(says(b.c, "translate tile0.bcs1 0x1000", "\"error\":\"not present\""));
	CHECK(says(b.c, "translate tile0.bcs9 0x1000", "\"error\":\"no such engine\""));
	CHECK(says(b.c, "translate tile0.bcs1 1000", "\"error\":\"translate takes"));
	CHECK(says(b.c, "translate tile0.bcs1 0x1000 more", "\"error\":\"translate takes"));
	/* With a size, the leaves up to the first address that is not mapped */
	CHECK(says(b.c, "translate tile0.bcs1 0x1000 0x1000",
		   "{\"leaves\":[{\"error\":\"not present\"}]}"));
	snprintf(part, sizeof(part), "{\"leaves\":[{\"place\":\"hbm\",\"address\":%llu,",
		 (unsigned long long)x.data + 64);
	CHECK(says(b.c, "translate tile0.bcs1 0x123400000040 0x1000", part));
	CHECK(says(b.c, "translate tile0.bcs1 0x123400000040 0x1000 1", "\"error\":\"translate"));
	CHECK(says(b.c, "translate ", "\"error\":\"translate takes"));
	bench_fini(&b);
}

/* A question is no access: it neither meets an injected fault nor counts as one. */
TEST(control_translate_leaves_faults_armed)
{
	struct bench b;
	struct span s;
	struct ctx x;
	char cmd[120];

	bench_init(&b, 1);
	ctx_init(&b, &x, bench_engine(&b, 0, PVC_CLASS_BCS, 1), 1);
	CHECK(run_batch(&x));
	CHECK(says(b.c, "inject fault address=0x123400000000 size=4096 count=1", "\"ok\":true"));
	CHECK(says(b.c, "translate tile0.bcs1 0x123400000040", "{\"place\":\"hbm\""));
	CHECK_EQ(counter_get(&b.c->injected), 0);
	CHECK_EQ(ppgtt_translate(x.e->tile, x.root, USER_VA, false, &s), XLAT_NOT_PRESENT);
	CHECK_EQ(counter_get(&b.c->injected), 1);
	snprintf(cmd, sizeof(cmd), "inject poison address=%#llx size=4096",
		 (unsigned long long)x.data);
	CHECK(says(b.c, cmd, "\"ok\":true"));
	CHECK(says(b.c, "translate tile0.bcs1 0x123400000040", "{\"place\":\"hbm\""));
	CHECK_EQ(counter_get(&b.c->injected), 1);
	CHECK_EQ(ppgtt_translate(x.e->tile, x.root, USER_VA, false, &s), XLAT_POISONED);
	bench_fini(&b);
}

TEST(control_injections)
{
	struct card *c = test_card(1, 0);
	struct tile *t = &c->tiles[0];

	CHECK(says(c, "inject all-ones on", "\"ok\":true"));
	CHECK_EQ(mmio_read(t, PVC_MTCFG), ~0u);
	CHECK(says(c, "info", "\"all_ones\":true"));
	CHECK(says(c, "inject all-ones off", "\"ok\":true"));
	CHECK_EQ(mmio_read(t, PVC_MTCFG), 0);
	CHECK(says(c, "inject fuse0", "\"ok\":true"));
	CHECK(says(c, "inject hang engine=tile0.ccs0 after=9", "\"ok\":true"));
	CHECK(says(c, "inject hang engine=\"x", "\"error\":\"hang takes"));
	CHECK(says(c, "inject", "\"error\":\"inject takes"));
	CHECK(says(c, "injected", "\"error\""));
	CHECK(says(c, "counters", "\"injected\":0,"));
	CHECK(says(c, "inject clear", "\"ok\":true"));
	CHECK_EQ(mmio_read(t, PVC_COMPUTE_DSS_ENABLE), 0);
	card_reset(c);
	CHECK_EQ(mmio_read(t, PVC_COMPUTE_DSS_ENABLE), ~0u);
	test_card_free(c);
}

static int connect_to(const char *path)
{
	struct sockaddr_un sa = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	strncpy(sa.sun_path, path, sizeof(sa.sun_path) - 1);
	if (connect(fd, (struct sockaddr *)&sa, sizeof(sa))) {
		close(fd);
		return -1;
	}
	return fd;
}

/* Serve until there is nothing to do for a moment. */
static void pump(struct control *ctl)
{
	struct pollfd fds[CONTROL_FDS];

	for (;;) {
		unsigned int n = control_poll(ctl, fds);

		if (poll(fds, n, 20) <= 0)
			return;
		control_serve(ctl, fds, n);
	}
}

static size_t read_all(int fd, char *buf, size_t size)
{
	size_t got = 0;
	ssize_t n;

	fcntl(fd, F_SETFL, O_NONBLOCK);
	while (got < size - 1 && (n = read(fd, buf + got, size - 1 - got)) > 0)
		got += (size_t)n;
	buf[got] = '\0';
	return got;
}

TEST(control_socket)
{
	static char buf[1 << 20];
	char dir[] = "/tmp/vpvc-test-XXXXXX", path[64], longline[600];
	struct card *c = test_card(4, 0);
	struct control *ctl;
	int a, b, many[12];

	REQUIRE(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/control", dir);
	REQUIRE(!control_create(&ctl, c, path));
	a = connect_to(path);
	b = connect_to(path);
	REQUIRE(a >= 0 && b >= 0);
	/* one client sends two commands at once, the other one command in two pieces */
	CHECK_EQ(write(a, "info\r\ncounters\n", 15), 15);
	CHECK_EQ(write(b, "in", 2), 2);
	pump(ctl);
	CHECK_EQ(read_all(b, buf, sizeof(buf)), 0);
	CHECK_EQ(write(b, "fo\n", 3), 3);
	pump(ctl);
	CHECK(read_all(b, buf, sizeof(buf)) > 0 && is_json_line(buf));
	CHECK(read_all(a, buf, sizeof(buf)) > 0 && strstr(buf, "\"tile\":3"));
	close(b);
	pump(ctl);
	/* a line without end costs its sender the connection, and no other client */
	b = connect_to(path);
	memset(longline, 'x', sizeof(longline));
	CHECK_EQ(write(b, longline, sizeof(longline)), sizeof(longline));
	pump(ctl);
	CHECK(write(b, "\n", 1) < 0 || read(b, buf, 1) <= 0);
	close(b);
	CHECK_EQ(write(a, "info\n", 5), 5);
	pump(ctl);
	CHECK(read_all(a, buf, sizeof(buf)) > 0 && is_json_line(buf));
	/* more clients than places: the late ones are served when others leave */
	for (unsigned int i = 0; i < 12; i++) {
		many[i] = connect_to(path);
		CHECK(many[i] >= 0);
		pump(ctl);
	}
	CHECK_EQ(write(many[11], "info\n", 5), 5);
	pump(ctl);
	CHECK_EQ(read_all(many[11], buf, sizeof(buf)), 0);
	for (unsigned int i = 0; i < 8; i++)
		close(many[i]);
	pump(ctl);
	CHECK(read_all(many[11], buf, sizeof(buf)) > 0 && is_json_line(buf));
	for (unsigned int i = 8; i < 12; i++)
		close(many[i]);
	close(a);
	control_destroy(ctl);
	CHECK(access(path, F_OK) && errno == ENOENT);
	rmdir(dir);
	test_card_free(c);
}

TEST(control_socket_path)
{
	char dir[] = "/tmp/vpvc-test-XXXXXX", path[200];
	int fd, second;

	REQUIRE(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/s", dir);
	fd = socket_listen(path);
	CHECK(fd >= 0);
	/* a socket in use is refused, a stale one is replaced */
	CHECK_EQ(socket_listen(path), -EADDRINUSE);
	close(fd);
	second = socket_listen(path);
	CHECK(second >= 0);
	close(second);
	unlink(path);
	/* a file that is no socket is not removed */
	close(open(path, O_CREAT | O_WRONLY, 0600));
	CHECK_EQ(socket_listen(path), -EADDRINUSE);
	unlink(path);
	rmdir(dir);
	memset(path, 'a', sizeof(path) - 1);
	path[sizeof(path) - 1] = '\0';
	CHECK_EQ(socket_listen(path), -ENAMETOOLONG);
}

static int parse(struct card_options *opt, const char *args)
{
	static char buf[512];
	char *argv[40] = { "vpvc" };
	int argc = 1;
	int saved = dup(2), null = open("/dev/null", O_WRONLY), err;

	snprintf(buf, sizeof(buf), "%s", args);
	for (char *p = strtok(buf, " "); p; p = strtok(NULL, " "))
		argv[argc++] = p;
	dup2(null, 2);
	err = options_parse(opt, argc, argv);
	dup2(saved, 2);
	close(saved);
	close(null);
	return err;
}

TEST(options_good)
{
	struct card_options o;

	CHECK_EQ(parse(&o, "--socket /s"), 0);
	CHECK_EQ(o.tiles, 1);
	CHECK_EQ(o.hbm, 1ull << 30);
	CHECK_EQ(o.cslices, 0xf);
	CHECK_EQ(o.device_id, 0x0bd5);
	CHECK_EQ(o.usable, 0);
	CHECK_EQ(parse(&o, "--socket /s --usable 240M"), 0);
	CHECK_EQ(o.usable, 240ull << 20);
	CHECK_EQ(parse(&o, "--socket /s --usable 1984 --hbm 2"), 0);
	CHECK_EQ(o.window, 0);
	CHECK_EQ(parse(&o, "--socket /s --window 256M"), 0);
	CHECK_EQ(o.window, 256ull << 20);
	CHECK_EQ(parse(&o, "--socket /s --window 4096 --hbm 3"), 0);
	CHECK_EQ(parse(&o, "--socket /s --control /c --tiles 2 --hbm 64G --cslices 0xb "
		       "--device-id 0bd9 --handlers any --quirk hbm-overlap --quirk no-cslices "
		       "--seed 7 --inject hang,after=3 --inject all-ones"), 0);
	CHECK_EQ(o.num_inject, 2);
	CHECK(!strcmp(o.inject[0], "hang,after=3"));
	CHECK(!strcmp(o.control, "/c"));
	CHECK_EQ(o.tiles, 2);
	CHECK_EQ(o.hbm, 64ull << 30);
	CHECK_EQ(o.cslices, 0xb);
	CHECK_EQ(o.device_id, 0x0bd9);
	CHECK(o.quirk_hbm_overlap && o.quirk_no_cslices && !o.quirk_all_ones);
	CHECK_EQ(o.seed, 7);
	CHECK(!strcmp(o.handlers, "any"));
}

/* What silicon punishes: all of it at first, and then what the options say, in their order. */
TEST(options_strict)
{
#define NAME_OF(bit, name, text)	name,
	static const char * const names[] = { STRICTNESS(NAME_OF) };
	struct card_options o;
	char line[96];

	CHECK_EQ(parse(&o, "--socket /s"), 0);
	CHECK_EQ(o.lenient, 0);
	CHECK_EQ(parse(&o, "--socket /s --lenient"), 0);
	CHECK_EQ(o.lenient, STRICT_ALL);
	CHECK_EQ(parse(&o, "--socket /s --lenient --strict"), 0);
	CHECK_EQ(o.lenient, 0);
	for (unsigned int i = 0; i < NUM_STRICT; i++) {
		snprintf(line, sizeof(line), "--socket /s --no-%s", names[i]);
		CHECK_EQ(parse(&o, line), 0);
		CHECK_EQ(o.lenient, 1u << i);
		snprintf(line, sizeof(line), "--socket /s --no-%s --%s", names[i], names[i]);
		CHECK_EQ(parse(&o, line), 0);
		CHECK_EQ(o.lenient, 0);
		snprintf(line, sizeof(line), "--socket /s --lenient --%s", names[i]);
		CHECK_EQ(parse(&o, line), 0);
		CHECK_EQ(o.lenient, STRICT_ALL & ~(1u << i));
	}
}

TEST(options_of_other_cards)
{
	struct card_options o;

	CHECK_EQ(parse(&o, "--socket /s"), 0);
	CHECK_EQ(o.carve, 16ull << 20);
	CHECK_EQ(o.ready, 50);
	CHECK_EQ(o.fused_dss, 0);
	CHECK(!o.resizable);
	CHECK_EQ(parse(&o, "--socket /s --carve 18M --ready 0 --fused-dss 8000000100020001 "
		       "--resizable"), 0);
	CHECK_EQ(o.carve, 18ull << 20);
	CHECK_EQ(o.ready, 0);
	CHECK_EQ(o.fused_dss, 0x8000000100020001);
	CHECK(o.resizable);
	CHECK_EQ(parse(&o, "--socket /s --carve 1022 --ready 1000000 --fused-dss 0"), 0);
	CHECK_EQ(o.carve, 1022ull << 20);
	CHECK_EQ(o.ready, 1000000);
	CHECK_EQ(parse(&o, "--socket /s --carve 512 --usable 512"), 0);
}

TEST(options_bad)
{
	static const char * const bad[] = {
		"", "--socket", "--tiles 2", "--socket /s --tiles 3", "--socket /s --tiles 0",
		"--socket /s --tiles 8", "--socket /s --tiles 2x", "--socket /s --tiles -1",
		"--socket /s --hbm 0", "--socket /s --hbm 512M", "--socket /s --hbm 128",
		"--socket /s --hbm 1.5G", "--socket /s --hbm -1", "--socket /s --tiles 4 --hbm 64",
		"--socket /s --usable 0", "--socket /s --usable 3", "--socket /s --usable 1010",
		"--socket /s --window 0", "--socket /s --window 3", "--socket /s --window 2048",
		"--socket /s --window 256K",
		"--socket /s --cslices 0", "--socket /s --cslices 10", "--socket /s --cslices g",
		"--socket /s --device-id 10000", "--socket /s --device-id xyz",
		"--socket /s --quirk nothing", "--socket /s --quirk hbm-overlap",
		"--socket /s --seed x", "--socket /s --bogus", "--socket /s stray",
		"--socket /s --seed 99999999999999999999999",
		"--socket /s --carve", "--socket /s --carve 0", "--socket /s --carve 14",
		"--socket /s --carve 17", "--socket /s --carve 1024", "--socket /s --carve 16G",
		"--socket /s --carve 512 --usable 514",
		"--socket /s --ready", "--socket /s --ready -1", "--socket /s --ready 1000001",
		"--socket /s --ready 1s", "--socket /s --fused-dss", "--socket /s --fused-dss g",
		"--socket /s --fused-dss ffffffffffffffff",
		"--socket /s --fused-dss 10000000000000000", "--socket /s --resizable=yes",
		"--socket /s --lenient=yes", "--socket /s --strict=no", "--socket /s --no-nothing",
		"--socket /s --no-ras=1",
	};
	struct card_options o;

	for (unsigned int i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (parse(&o, bad[i]) != -EINVAL)
			test_fail(__FILE__, __LINE__, "accepted: %s", bad[i]);
}

/* ---- counters: every engine and tile has all of them, and their values are exact ---- */

static unsigned int occurrences(const char *text, const char *part)
{
	unsigned int n = 0;

	for (; (text = strstr(text, part)); text += strlen(part))
		n++;
	return n;
}

TEST(counters_of_every_engine_and_tile)
{
	static const char * const of_tiles[] = { "register_reads", "register_writes" };
	static const char * const of_engines[] = {
		"elsq_loads", "interrupts", "context_switches", "page_walks", "commands",
		"work_groups", "instructions", "read_local", "read_remote", "write_local",
		"write_remote",
	};
	struct card *c = test_card(2, 0);
	char *text = control_command(c, "counters"), key[64];

	for (unsigned int i = 0; i < sizeof(of_tiles) / sizeof(of_tiles[0]); i++) {
		snprintf(key, sizeof(key), "\"%s\":", of_tiles[i]);
		CHECK_EQ(occurrences(text, key), 2);
	}
	/* of each engine, and their sum */
	for (unsigned int i = 0; i < sizeof(of_engines) / sizeof(of_engines[0]); i++) {
		snprintf(key, sizeof(key), "\"%s\":", of_engines[i]);
		CHECK_EQ(occurrences(text, key), 2 * (TILE_MAX_ENGINES + 1));
	}
	CHECK_EQ(occurrences(text, "\"opcodes\":{"), 2 * TILE_MAX_ENGINES);
	free(text);
	test_card_free(c);
}

/* One job on one engine changes only the counters of that engine and its tile. */
TEST(counters_of_a_job)
{
	struct bench b;
	struct ctx x;
	char *text;

	bench_init(&b, 2);
	ctx_init(&b, &x, bench_engine(&b, 1, PVC_CLASS_BCS, 3), 7);
	ppgtt_map(&b, 1, x.root, USER_VA + DATA_BYTES, 0x200000 | PVC_PTE_PRESENT | PVC_PTE_WRITE |
		  PVC_PTE_DM | PVC_PDE_2M, 1);	/* of tile 0 */
	free(control_command(b.c, "reset-counters"));
	BATCH(&x, PVC_MI_STORE_DATA_IMM, ADDR(VA(0)), 1);
	BATCH(&x, PVC_MEM_COPY, 4096 - 1, 0, 0, 0, ADDR(VA(0)), ADDR(USER_VA + DATA_BYTES), 0);
	CHECK(run_batch(&x));
	CHECK(WAIT_FOR(counter_get(&x.e->cnt.context_switches) == 2));
	/* ring: ARB, BATCH_START; batch: store, copy, end */
	CHECK_EQ(counter_get(&x.e->cnt.commands), 5);
	CHECK_EQ(counter_get(&x.e->cnt.batches), 1);
	CHECK_EQ(counter_get(&x.e->cnt.elsq_loads), 1);
	CHECK_EQ(counter_get(&x.e->cnt.contexts), 1);
	CHECK(counter_get(&x.e->cnt.interrupts) >= 1);
	CHECK(counter_get(&x.e->cnt.page_walks) >= 5);
	/* 4 KiB from here to the other tile */
	CHECK_EQ(counter_get(&x.e->cnt.read_local), 4096);
	CHECK_EQ(counter_get(&x.e->cnt.write_remote), 4096);
	CHECK_EQ(counter_get(&x.e->cnt.read_remote), 0);
	CHECK_EQ(counter_get(&x.e->cnt.write_local), 0);
	CHECK_EQ(counter_get(&x.e->cnt.write_system), 0);
	CHECK(counter_get(&x.e->cnt.copy_began) > 0);
	CHECK(counter_get(&x.e->cnt.copy_ended) >= counter_get(&x.e->cnt.copy_began));
	CHECK(counter_get(&x.e->cnt.copy_ended) <= card_timestamp());
	text = control_command(b.c, "counters");
	/* the engine's and its tile's sum */
	CHECK_EQ(occurrences(text, "\"commands\":5,"), 2);
	CHECK_EQ(occurrences(text, "\"commands\":0,"), 2 * (TILE_MAX_ENGINES + 1) - 2);
	CHECK_EQ(occurrences(text, "\"write_remote\":4096,"), 2);
	/* a load takes five writes, as in drivers, and some reads of the status */
	CHECK_EQ(counter_get(&x.t->cnt.register_writes), 5);
	CHECK(counter_get(&x.t->cnt.register_reads) >= 1);
	CHECK_EQ(counter_get(&b.c->tiles[0].cnt.register_reads), 0);
	CHECK_EQ(counter_get(&b.c->tiles[0].cnt.register_writes), 0);
	free(text);
	bench_fini(&b);
}
