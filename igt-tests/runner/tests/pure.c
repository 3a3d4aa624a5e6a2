// SPDX-License-Identifier: MIT
/*
 * Parts that need no process: words, the kernel's log, cards, complaints, todo, expectations.
 */
#include "test.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "card.h"
#include "complaints.h"
#include "expect.h"
#include "klog.h"
#include "todo.h"
#include "words.h"

static void said(void *ctx, const char *line)
{
	text_addf(ctx, "<%s>", line);
}

static void begins(void *ctx, const char *subtest)
{
	text_addf(ctx, "begins %s;", subtest);
}

static void ends(void *ctx, const char *subtest, enum outcome outcome, const char *seconds)
{
	text_addf(ctx, "ends %s %s %s;", subtest, outcome_name(outcome), seconds);
}

static char *heard(const char *text, size_t split)
{
	static const struct words_ops ops = { said, begins, ends };
	struct text t = { 0 };
	struct words w = { .ops = &ops, .ctx = &t };

	text_add(&t, "", 0);
	words_feed(&w, text, split);
	words_feed(&w, text + split, strlen(text) - split);
	words_close(&w);
	return t.s;
}

static void words_any_pieces(void)
{
	static const char text[] =
		"IGT-Version: 2\nStarting subtest: a-b\nStarting dynamic subtest: x\n"
		"Dynamic subtest x: SUCCESS (0.1s)\nSubtest a-b: SUCCESS (0.300s)\r\n"
		"Subtest c: SKIP (0.000s)\n Subtest d: FAIL (1s)\nSubtest d: CRASH (1.5s)\nrest";
	static const char want[] =
		"<IGT-Version: 2\n><Starting subtest: a-b\n>begins a-b;"
		"<Starting dynamic subtest: x\n><Dynamic subtest x: SUCCESS (0.1s)\n>"
		"<Subtest a-b: SUCCESS (0.300s)\r\n>ends a-b pass 0.300;"
		"<Subtest c: SKIP (0.000s)\n>ends c skip 0.000;"
		"< Subtest d: FAIL (1s)\n><Subtest d: CRASH (1.5s)\n>ends d fail 1.5;<rest>";

	for (size_t split = 0; split <= strlen(text); split++) {
		char *s = heard(text, split);

		CHECK_TEXT(s, want);
		free(s);
	}
}

static void words_cut_off(void)
{
	char *s = heard("Subtest a: SUCC", 3);

	CHECK_TEXT(s, "<Subtest a: SUCC>");
	free(s);
	s = heard("Subtest a without an end\n", 0);
	CHECK_LACKS(s, "ends");
	free(s);
}

static void kernel_line(void *ctx, unsigned int level, const char *line)
{
	text_addf(ctx, "%u%s|", level, line);
}

static void kernel_records(void)
{
	struct text t = { 0 };

	klog_record("30,339,5140900,-;one\\x0atwo \\x5c\n SUBSYSTEM=pci\n DEVICE=+pci\n"
		    "4,340,12345678901,c;three; four\n7,341,0,-;\n", kernel_line, &t);
	CHECK_TEXT(text_get(&t), "6[    5.140900] one|6[    5.140900] two \\|"
		   "4[12345.678901] three; four|7[    0.000000] |");
	text_free(&t);
}

static void kernel_begins(void)
{
	CHECK_TEXT(klog_begins("[1] [IGT] xe_vm: starting subtest a-b", "xe_vm"), "a-b");
	CHECK(!klog_begins("[1] [IGT] xe_vmx: starting subtest a", "xe_vm"));
	CHECK(!klog_begins("[1] [IGT] xe_vm: starting dynamic subtest a", "xe_vm"));
	CHECK(!klog_begins("[1] [IGT] xe_vm: finished subtest a, SUCCESS", "xe_vm"));
	CHECK(!klog_begins("[1] xe_vm: starting subtest a", "xe_vm"));
}

static unsigned int num_reads;

/* The log was overwritten; then there is one record more. */
static ssize_t read_after_loss(int fd, void *buf, size_t len)
{
	static const char record[] = "4,1,0,-;next\n";
	unsigned int n = num_reads++;

	if (n == 1) {
		memcpy(buf, record, strlen(record));
		return strlen(record);
	}
	errno = n ? EAGAIN : EPIPE;
	return -1;
}

static void kernel_loses(void)
{
	char *path = format("%s/../../../tools/lab/lib/complaints", test_folder);
	struct complaints *c = complaints_read(path, NULL);
	struct text t = { 0 };

	num_reads = 0;
	test_read = read_after_loss;
	klog_read(0, kernel_line, &t);
	test_read = NULL;
	CHECK_TEXT(text_get(&t), "4" KLOG_LOST "|4[    0.000000] next|");
	CHECK(complaints_match(c, KLOG_LOST));
	CHECK(!complaints_match(c, "[    0.000000] runner: begins"));
	text_free(&t);
	free(path);
}

/* Two cards: the first has two tiles. */
static const char answers[] =
	"{\"msis\":1,\"tiles\":[{\"tile\":0,\"elsq_loads\":8,\"preemptions\":2,\"engines\":["
	"{\"name\":\"bcs0\",\"class\":\"bcs\",\"state\":\"idle\",\"elsq_loads\":3,\"commands\":11,"
	"\"preemptions\":0,\"opcodes\":{\"stepped_over\":0}},"
	"{\"name\":\"ccs0\",\"class\":\"ccs\",\"state\":\"active\",\"elsq_loads\":5,\"commands\":12,"
	"\"preemptions\":2,\"opcodes\":{\"mov\":1,\"stepped_over\":0}}]},"
	"{\"tile\":1,\"engines\":["
	"{\"name\":\"bcs0\",\"class\":\"bcs\",\"state\":\"stopped\",\"commands\":13}]}]}\n"
	"{\"tiles\":[{\"tile\":0,\"engines\":["
	"{\"name\":\"bcs8\",\"state\":\"active\",\"commands\":14,\"preemptions\":10}]}]}\n";

static void cards_say(void)
{
	struct text restless = { 0 }, preempted = { 0 }, moves = { 0 };
	struct cards c = { 0 };

	CHECK(!cards_any(&c, "active"));
	text_add(&c.answers, answers, strlen(answers));
	CHECK(cards_any(&c, "active") && cards_any(&c, "stopped") && !cards_any(&c, "act"));
	cards_restless(&c, &restless);
	CHECK_TEXT(restless.s, "card 0 tile 0 ccs0: active, commands run: 12\n"
		   "card 0 tile 1 bcs0: stopped, commands run: 13\n"
		   "card 1 tile 0 bcs8: active, commands run: 14\n");
	cards_preempted(&c, &preempted);
	CHECK_TEXT(preempted.s, "card 0 tile 0 ccs0: contexts preempted: 2\n"
		   "card 1 tile 0 bcs8: contexts preempted: 10\n");
	cards_moves(&c, &moves);
	CHECK_TEXT(moves.s, "8 3 5 2 0 2 10 ");
	text_free(&moves);
	text_free(&preempted);
	text_free(&restless);
	text_free(&c.answers);
}

/*
 * Returns the complaints in @log, to be freed. Warnings of known() are excused, those of sly() if
 * they hold a proof.
 */
static char *complaint(const char *log)
{
	char *patterns = own("complaints"), *known = own("known");
	struct complaints *c;
	struct text t = { 0 };

	file_put(patterns, "w", "# comment\nWARNING\nOops|cut here\nCall Trace:\n");
	file_put(known, "w", "# comment\nknown known why\nknown sly why: \"its proof\" is there\n");
	c = complaints_read(patterns, known);
	text_add(&t, "", 0);
	CHECK(complaints_find(c, log, &t) == (t.len != 0));
	free(known);
	free(patterns);
	return t.s;
}

#define BEGIN		"[1] ------------[ cut here ]------------\n"
#define NAME(function)	"[1] WARNING: CPU: 1 PID: 1 at x.c:1 " function "+0x1/0x2 [xe]\n"
#define END		"[1] Call Trace:\n[1] ---[ end trace 0000000000000000 ]---\n"

static void check_complaint(const char *log, const char *want)
{
	char *s = complaint(log);

	CHECK_TEXT(s, want);
	free(s);
}

static void complaints_excused(void)
{
	check_complaint("all is well\n", "");
	check_complaint(BEGIN NAME("known") END, "");
	check_complaint(BEGIN NAME("another") END, "\n" BEGIN NAME("another") END);
	/* the function's name must be whole */
	check_complaint(NAME("knownness") END, "\n" NAME("knownness") END);
	check_complaint(BEGIN NAME("known") END "Oops\n", "Oops\n");
	check_complaint(BEGIN NAME("known") BEGIN END NAME("known") END, "");
	CHECK_HOLDS(complaint(BEGIN NAME("known") BEGIN END END), "cut here");
	CHECK_HOLDS(complaint(BEGIN NAME("known") BEGIN END NAME("another") END), "another");
	CHECK_HOLDS(complaint(BEGIN NAME("known") "Oops\n" END), "Oops");
	/* cut off, with a name and without */
	check_complaint(BEGIN NAME("known"), "");
	CHECK_HOLDS(complaint(BEGIN), "cut here");
	/* a console, which says no notice */
	check_complaint(NAME("known") "\r\n" END, "");
	check_complaint("x\nOops: 1\r\ny\n", "Oops: 1\n");
}

static void complaints_proof(void)
{
	CHECK_HOLDS(complaint(BEGIN NAME("sly") END), "sly");
	check_complaint("before: its proof\n" BEGIN NAME("sly") END, "");
	CHECK_HOLDS(complaint("its proof\nanother line\n" BEGIN NAME("sly") END), "sly");
}

static void patterns(void)
{
	CHECK(selected("a", "a") && !selected("a", "ab") && selected("a*", "ab"));
	CHECK(selected("a,b", "b") && !selected("a,b", "c"));
	CHECK(selected("*,!probe", "x") && !selected("*,!probe", "probe"));
	CHECK(!selected("!probe", "x") && selected("!a*,ab", "ab"));
	CHECK(matches("xe_vm@overcommit-*", "xe_vm@overcommit-a/b"));
}

static void check_next(const char *list, const char *results, unsigned int size, const char *want)
{
	struct todo next;
	struct text t = { 0 };

	text_add(&t, "", 0);
	if (todo_next(list, results, size, 3, &next)) {
		char *names = names_joined(&next.names);

		text_addf(&t, "%s %g %s %s", next.test, next.limit, next.how, names);
		free(names);
	}
	CHECK_TEXT(t.s, want);
	todo_free(&next);
	text_free(&t);
}

static void what_runs_next(void)
{
	static const char list[] = "a@1 9 together\na@2 9 together\na@3 9 together\n"
		"a@4 7 together\na@5 7 apart\na@6 7 apart\nb@1 7 fails\nb@2 7 fails\n"
		"b@3 7 hangs\nb@4 7 hangs\nb@5 7 alone\nb@6 7 alone\n";

	check_next(list, "", 60, "a 9 together a@1,a@2,a@3");
	check_next(list, "", 2, "a 9 together a@1,a@2");
	check_next(list, "a@2 pass 1\n", 2, "a 9 together a@1,a@3");
	check_next(list, "a@1 x\na@2 x\na@3 x\n", 9, "a 7 together a@4");
	check_next(strstr(list, "a@5"), "", 9, "a 7 apart a@5");
	check_next("b@1 7 fails\nb@2 7 fails\n", "", 1, "b 7 fails b@1,b@2");
	check_next("b@3 7 hangs\nb@4 7 hangs\n", "", 9, "b 7 hangs b@3");
	check_next("b@5 7 alone\nb@6 7 alone\n", "", 9, "b 7 alone b@5");
	check_next("a@1 9 together\nb@1 9 together\n", "", 9, "a 9 together a@1");
	check_next("a@1 9 together\n", "a@1 pass 0\n", 9, "");
	/* a result of a@10 is none of a@1 */
	check_next("a@1 9 together\n", "a@10 pass 0\n", 9, "a 9 together a@1");
}

static void check_expected(const char *line, const char *subtest, const char *want)
{
	char *table[] = { (char *)line, NULL }, *how, *s;
	struct expected e;

	expect(table, subtest, "6.12", "2", &e);
	how = limited(&e, 600, false);
	s = format("%s|%s|%s|%s|%s", e.want, e.cause, e.quotes ? e.quotes : "-",
		   e.lacks ? e.lacks : "-", how);
	CHECK_TEXT(s, want);
	free(s);
	free(how);
	expected_free(&e);
}

static void what_is_expected(void)
{
	check_expected("a@* * * fail why", "b@1", "pass||-|-|600 together");
	check_expected("a@* 6.12 * fail why so", "a@1", "fail|why so|-|-|600 fails");
	check_expected("a@* 7.2 * fail why", "a@1", "pass||-|-|600 together");
	check_expected("a@* * 1 fail why", "a@1", "pass||-|-|600 together");
	check_expected("a@1 * 2 timeout it \"waits\"", "a@1",
		       "timeout|it \"waits\"|waits|-|60 hangs");
	check_expected("a@1 * * pass|fail|timeout \"a\" or \"b\"", "a@1",
		       "pass|fail|timeout|\"a\" or \"b\"|a\" or \"b|-|30 apart");
	check_expected("a@1 * * dead x", "a@1", "dead|x|-|-|600 alone");
	check_expected("a@1 * * pass|stuck x", "a@1", "pass|stuck|x|-|-|600 apart");
	check_expected("a@1 * * fail lacks DRM_XE_A1: \"x\" and \"y\"", "a@1",
		       "fail|lacks DRM_XE_A1: \"x\" and \"y\"|x\ny|DRM_XE_A1|600 fails");
	check_expected("a@1 * * fail lacks sense, lacks CONFIG_X", "a@1",
		       "fail|lacks sense, lacks CONFIG_X|-|CONFIG_X|600 fails");
}

static void what_fits(void)
{
	CHECK(fits("pass", "pass") && fits("skip", "pass") && !fits("fail", "pass"));
	CHECK(fits("stuck", "pass|stuck") && fits("skip", "pass|stuck"));
	CHECK(!fits("skip", "fail") && !fits("pass", "fail") && !fits("as", "pass"));
}

void tests_pure(void)
{
	run_test("words: a line that arrives in two pieces, wherever", words_any_pieces);
	run_test("words: a line that is cut off", words_cut_off);
	run_test("kernel's log: records", kernel_records);
	run_test("kernel's log: which subtest begins", kernel_begins);
	run_test("kernel's log: messages are lost", kernel_loses);
	run_test("cards: engines that work, stopped, were preempted", cards_say);
	run_test("complaints: warnings that are excused", complaints_excused);
	run_test("complaints: warnings that need a proof", complaints_proof);
	run_test("patterns", patterns);
	run_test("todo: the subtests that run next", what_runs_next);
	run_test("expectations: the line that fits", what_is_expected);
	run_test("expectations: outcomes", what_fits);
}
