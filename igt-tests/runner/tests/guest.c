// SPDX-License-Identifier: MIT
/* Another driver's tests in a guest without a card, with a planted program. */
#include "test.h"

#include <stdlib.h>
#include <string.h>

#include "verbs.h"

/*
 * Runs a list, each of its lines "planted@SUBTEST LIMIT HOW", and leaves the results in the
 * folder out. @option: one more option, with its @value, or NULL.
 */
static void run_list(const char *subtests, const char *lines, const char *option,
		     const char *value)
{
	char *kmsg = own("kmsg"), *complaints = own("complaints"), *known = own("known");
	char *list = own("list"), *out = own("out"), *calls = own("calls"), *card = own("card0");
	char *stat = own("stat"), *cards = own("card*"), *said;
	int status;

	file_put(list, "w", lines);
	file_put(kmsg, "w", "");
	file_put(calls, "w", "");
	file_put(known, "w", "");
	file_put(stat, "w", "cpu 0 0 0 0\n");
	file_put(complaints, "w", "WARNING|BUG[:!]\n");
	setenv("PLANTED", subtests, 1);
	setenv("PLANTED_KMSG", kmsg, 1);
	setenv("PLANTED_CALLS", calls, 1);
	setenv("PLANTED_CARD", card, 1);
	setenv("PLANTED_STAT", stat, 1);
	said = said_by(verb_todo, &status, "--programs", test_folder, "--out", out,
		       "--complaints", complaints, "--known", known, "--kmsg", kmsg,
		       "--look", "0.2", "--cards", cards, "--stat", stat,
		       option ? option : "--lifetime", option ? value : "1800", list, NULL);
	CHECK(!status);
	CHECK_TEXT(said, "");
	free(said);
	free(cards);
	free(stat);
	free(card);
	free(calls);
	free(out);
	free(list);
	free(known);
	free(complaints);
	free(kmsg);
}

/* All subtests with the same limit. @how: of all of them. */
static void run(const char *subtests, double limit, const char *how)
{
	char *all = copy(subtests), *rest = all, *one;
	struct text t = { 0 };

	while ((one = strsep(&rest, " ")))
		text_addf(&t, "planted@%s %g %s\n", one, limit, how);
	run_list(subtests, t.s, NULL, NULL);
	text_free(&t);
	free(all);
}

static void check_file(const char *name, const char *want)
{
	char *path = own(name), *s = file_read(path);

	CHECK_TEXT(s ? s : "(none)", want);
	free(s);
	free(path);
}

/* Checks the results without their seconds, which a clock tells. */
static void check_outcomes(const char *want)
{
	char *path = own("out/results"), *s = file_read(path), *rest = s, *one;
	struct text t = { 0 };

	text_add(&t, "", 0);
	while (s && (one = strsep(&rest, "\n")) && *one)
		text_addf(&t, "%.*s\n", (int)(strrchr(one, ' ') - one), one);
	CHECK_TEXT(t.s, want);
	text_free(&t);
	free(s);
	free(path);
}

static void check_log(const char *name, const char *part, bool holds)
{
	char *path = own(name), *s = file_read(path);

	check_part(name, 0, s ? s : "(none)", part, holds);
	free(s);
	free(path);
}

static void in_one_process(void)
{
	run("pass skip long", 600, "together");
	check_file("out/results", "planted@pass pass 0.100\nplanted@skip skip 0.100\n"
		   "planted@long pass 12.500\n");
	check_file("calls", "--run-subtest pass,skip,long\n");
	check_file("out/logs/planted@pass", "IGT-Version: planted\nStarting subtest: pass\n"
		   "Subtest pass: SUCCESS (0.100s)\n");
	check_file("out/logs/planted@long", "IGT-Version: planted\nStarting subtest: long\n"
		   "Subtest long: SUCCESS (12.500s)\n");
	check_file("out/logs/planted@skip.dmesg",
		   "[    1.000000] [IGT] planted: starting subtest skip\n");
	check_file("out/running", "");
	check_file("out/batch", "");
}

static void two_pieces(void)
{
	run("pass pieces pass-2", 600, "together");
	check_file("out/results", "planted@pass pass 0.100\nplanted@pieces pass 0.100\n"
		   "planted@pass-2 pass 0.100\n");
}

static void apart(void)
{
	run("pass pass-2", 600, "apart");
	check_file("calls", "--run-subtest pass\n--run-subtest pass-2\n");
	check_file("out/results", "planted@pass pass 0.100\nplanted@pass-2 pass 0.100\n");
}

static void alone(void)
{
	run("pass pass-2", 600, "alone");
	check_file("out/results", "planted@pass pass 0.100\n");
}

/* The second one would run behind another. */
static void alone_later(void)
{
	run_list("pass pass-2 pass-3", "planted@pass 600 together\nplanted@pass-2 600 alone\n"
		 "planted@pass-3 600 together\n", NULL, NULL);
	check_file("out/results", "planted@pass pass 0.100\n");
}

static void engine_works_on(void)
{
	run("engine-active pass", 600, "apart");
	check_file("out/results", "planted@engine-active pass 0.100\n");
	check_file("out/restless", "after planted@engine-active: card 0 tile 0 bcs0: active, "
		   "commands run: 7\n");
}

static void engine_rests_soon(void)
{
	run("rests-soon pass", 600, "apart");
	check_file("out/results", "planted@rests-soon pass 0.100\nplanted@pass pass 0.100\n");
	check_file("out/restless", "(none)");
}

static void engine_stops(void)
{
	run("waits-for-stopped pass", 600, "together");
	check_outcomes("planted@waits-for-stopped stuck\n");
	check_log("out/logs/planted@waits-for-stopped",
		  "card 0 tile 0 bcs0: stopped, commands run: 7\n", true);
}

/* How long the subtest ran, or -1. */
static int given_up_after(const char *log)
{
	char *path = own(log), *s = file_read(path), *at = s ? strstr(s, "given up after ") : NULL;
	int seconds = -1;

	if (at)
		sscanf(at, "given up after %d s", &seconds);
	free(s);
	free(path);
	return seconds;
}

/* Nothing moves and the processors are idle: long before its limit. */
static void nobody_works(void)
{
	run("idle-hang pass", 20, "together");
	check_outcomes("planted@idle-hang timeout\n");
	CHECK(given_up_after("out/logs/planted@idle-hang") >= 2);
	CHECK(given_up_after("out/logs/planted@idle-hang") < 20);
}

/* Nothing moves, but a processor works: only at its limit. */
static void somebody_works(void)
{
	run("waits-for-active pass", 4, "together");
	check_outcomes("planted@waits-for-active timeout\n");
	CHECK(given_up_after("out/logs/planted@waits-for-active") >= 4);
}

static void traces(void)
{
	char *trace = own("trace"), *called = own("traced"), *out = own("out"), *want;

	want = format("echo \"$@\" >> %s #", called);
	file_put(trace, "w", want);
	free(want);
	want = format("sh %s", trace);
	run_list("pass chatty pass-2", "planted@pass 600 apart\nplanted@chatty 1 apart\n"
		 "planted@pass-2 1 apart\n", "--trace", want);
	free(want);
	want = format("%s/logs/planted@pass.trace\n%s/logs/planted@chatty.trace always\n", out,
		      out);
	check_file("traced", want);
	free(want);
	free(out);
	free(called);
	free(trace);
}

static void second_failure(void)
{
	run("pass fail fail-2 pass-2", 600, "together");
	check_file("out/results", "planted@pass pass 0.100\nplanted@fail fail 0.100\n"
		   "planted@pass-2 pass 0.100\nplanted@fail-2 fail 0.100\n");
	check_file("calls", "--run-subtest pass,fail,fail-2,pass-2\n--run-subtest fail-2\n");
}

static void expected_failures(void)
{
	run("fail fail-2", 600, "fails");
	check_file("out/results", "planted@fail fail 0.100\nplanted@fail-2 fail 0.100\n");
	check_file("calls", "--run-subtest fail,fail-2\n");
}

static void crash(void)
{
	run("pass crash pass-2", 600, "together");
	check_outcomes("planted@pass pass\nplanted@crash fail\n"
		   "planted@pass-2 pass\n");
	check_log("out/logs/planted@crash", "exit status 139", true);
	check_log("out/logs/planted@crash", "Starting subtest: crash", true);
	check_log("out/logs/planted@crash.dmesg", "starting subtest crash", true);
	check_log("out/logs/planted@crash.dmesg", "starting subtest pass", false);
}

static void leaves(void)
{
	run("leaves pass", 600, "together");
	check_outcomes("planted@leaves fail\nplanted@pass pass\n");
}

/* The first subtest of a process is to blame, and ends the guest. */
static void hang_first(void)
{
	run("chatty pass", 4, "together");
	check_outcomes("planted@chatty timeout\n");
	check_log("out/logs/planted@chatty", "given up after ", true);
	check_log("out/logs/planted@chatty", "and what the test waits for:", true);
}

static void hang_later(void)
{
	run("pass chatty pass-2", 4, "together");
	check_file("out/results", "planted@pass pass 0.100\n");
	check_log("out/logs/planted@chatty", "given up", true);
}

static void expected_hang(void)
{
	run("hang pass", 600, "hangs");
	check_outcomes("planted@hang timeout\n");
	check_log("out/logs/planted@hang", "no engine took or left a context", true);
}

static void thread_gives_up(void)
{
	run("gives-up pass", 600, "together");
	check_outcomes("planted@gives-up fail\nplanted@pass pass\n");
}

static void kernel_complains(void)
{
	run("pass warns pass-2", 600, "together");
	check_file("out/results", "planted@pass pass 0.100\nplanted@warns kernel 0.100\n");
	check_log("out/logs/planted@warns.dmesg", "WARNING: CPU", true);
	check_log("out/logs/planted@pass-2.dmesg", "WARNING: CPU", false);
}

static void kernel_complains_late(void)
{
	run("late-warning pass-2", 600, "together");
	check_file("out/results", "planted@late-warning kernel 0.100\n");
}

static void no_subtests(void)
{
	run("planted", 600, "together");
	check_file("calls", "\n");
	check_outcomes("planted@planted pass\n");
	setenv("PLANTED_FIXTURE", "exit 77", 1);
	run("pass pass-2", 600, "together");
	unsetenv("PLANTED_FIXTURE");
	check_outcomes("planted@planted pass\nplanted@pass skip\n"
		   "planted@pass-2 skip\n");
}

static void fixture_skips(void)
{
	setenv("PLANTED_FIXTURE", "echo 'Test requirement: card'", 1);
	run("unreached-1 unreached-2", 600, "together");
	unsetenv("PLANTED_FIXTURE");
	check_file("out/results", "planted@unreached-1 skip 0.100\n"
		   "planted@unreached-2 skip 0.100\n");
	check_log("out/logs/planted@unreached-2", "Test requirement: card", true);
}

static void done_already(void)
{
	char *results = own("out/results");

	file_put(results, "w", "planted@pass pass 3\n");
	run("pass pass-2", 600, "together");
	check_file("out/results", "planted@pass pass 3\nplanted@pass-2 pass 0.100\n");
	free(results);
}

void tests_guest(void)
{
	run_test("todo: one process", in_one_process);
	run_test("todo: a line that arrives in two pieces around a look", two_pieces);
	run_test("todo: apart", apart);
	run_test("todo: alone", alone);
	run_test("todo: alone, behind another", alone_later);
	run_test("todo: an engine that works on ends the guest", engine_works_on);
	run_test("todo: an engine that rests soon does not", engine_rests_soon);
	run_test("todo: an engine that has stopped", engine_stops);
	run_test("todo: nobody works", nobody_works);
	run_test("todo: a processor works", somebody_works);
	run_test("todo: traces", traces);
	run_test("todo: the second failure of a process runs again", second_failure);
	run_test("todo: failures that are expected", expected_failures);
	run_test("todo: goes on behind a crash", crash);
	run_test("todo: an end without a word", leaves);
	run_test("todo: a hang ends the guest", hang_first);
	run_test("todo: a hang behind others runs again", hang_later);
	run_test("todo: a hang that is expected", expected_hang);
	run_test("todo: a thread that waits for one that failed", thread_gives_up);
	run_test("todo: the kernel complains", kernel_complains);
	run_test("todo: the kernel complains after the end", kernel_complains_late);
	run_test("todo: a test without subtests, and one that is skipped", no_subtests);
	run_test("todo: skipped by a fixture", fixture_skips);
	run_test("todo: a subtest that has a result already", done_already);
}
