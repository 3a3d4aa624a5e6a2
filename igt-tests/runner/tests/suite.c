// SPDX-License-Identifier: MIT
/* The suites of this driver's tests, with a planted program. */
#include "test.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "verbs.h"

/* Returns the text that the suite prints about a program with these subtests. */
static char *suite(const char *subtests, const char *test, const char *option, const char *value,
		   int *status)
{
	char *kmsg = own("kmsg"), *complaints = own("complaints"), *calls = own("calls"), *said;

	file_put(kmsg, "w", "");
	file_put(calls, "w", "");
	file_put(complaints, "w", "WARNING\nBUG[:!]\n");
	setenv("PLANTED", subtests, 1);
	setenv("PLANTED_KMSG", kmsg, 1);
	setenv("PLANTED_CALLS", calls, 1);
	said = said_by(verb_suite, status, "--kmsg", kmsg, "--complaints", complaints,
		       "--look", "0.2", option ? option : "--limit", value ? value : "0",
		       test_folder, test, NULL);
	unsetenv("PLANTED_STATUS");
	unsetenv("PLANTED_FIXTURE");
	free(calls);
	free(complaints);
	free(kmsg);
	return said;
}

static void check_suite(const char *subtests, const char *want)
{
	int status;
	char *said = suite(subtests, "planted", NULL, NULL, &status);

	CHECK_TEXT(said, want);
	CHECK(status == !strstr(want, " 0 failed"));
	free(said);
}

static void all_kinds(void)
{
	check_suite("pass long skip bare-skip note",
		    "ok   planted@pass\nok   planted@long (12.500 s)\n"
		    "skip planted@skip: It is not there.\nskip planted@bare-skip: has_it()\n"
		    "     12 rounds\nok   planted@note\n"
		    "3 passed, 0 failed, 2 skipped\n");
}

static void one_fails(void)
{
	int status;
	char *said = suite("pass fail pass-too", "planted", NULL, NULL, &status);

	CHECK(status == 1);
	CHECK_HOLDS(said, "ok   planted@pass\nFAIL planted@fail\n");
	CHECK_HOLDS(said, "Failed assertion: a == b\n");
	CHECK_HOLDS(said, "ok   planted@pass-too\n2 passed, 1 failed, 0 skipped\n");
	free(said);
}

static void two_pieces(void)
{
	check_suite("pass pieces pass-too", "ok   planted@pass\nok   planted@pieces\n"
		    "ok   planted@pass-too\n3 passed, 0 failed, 0 skipped\n");
}

static void check_goes_on(const char *subtests, const char *bad, unsigned int passed)
{
	int status;
	char *said = suite(subtests, "planted", "--limit", "4", &status);
	char *fail = format("FAIL planted@%s", bad);
	char *sum = format("ok   planted@pass-last\n%u passed, 1 failed, 0 skipped\n", passed);

	CHECK(status == 1);
	CHECK_HOLDS(said, fail);
	CHECK_HOLDS(said, sum);
	free(sum);
	free(fail);
	free(said);
}

static void crashes(void)
{
	char *calls = own("calls"), *called;

	check_goes_on("pass crash pass-2 pass-last", "crash: status 139\n", 3);
	called = file_read(calls);
	CHECK_TEXT(called, "\n--run-subtest pass-2,pass-last\n");
	free(called);
	free(calls);
	check_goes_on("said-crash pass-last", "said-crash\n", 1);
	check_goes_on("pass leaves pass-last", "leaves: status 0\n", 2);
}

static void hangs(void)
{
	check_goes_on("pass hang pass-last", "hang: no end\n", 2);
	check_goes_on("chatty pass-last", "chatty: no end\n", 1);
	check_goes_on("deaf pass-last", "deaf: no end\n", 1);
	check_goes_on("mute pass-last", "mute: no end\n", 1);
}

static void two_crashes(void)
{
	int status;
	char *said = suite("crash-1 pass crash-2 skip-2 pass-2", "planted", NULL, NULL, &status);

	CHECK_HOLDS(said, "FAIL planted@crash-1");
	CHECK_HOLDS(said, "FAIL planted@crash-2");
	CHECK_HOLDS(said, "\n2 passed, 2 failed, 1 skipped\n");
	free(said);
}

static void kernel_complains(void)
{
	int status;
	char *said = suite("pass warns pass-2 late-warning pass-3 debug-warning", "planted", NULL,
			   NULL, &status);

	CHECK(status == 1);
	CHECK_HOLDS(said, "ok   planted@pass\nFAIL planted@warns: the kernel complained\n");
	CHECK_HOLDS(said, "WARNING: CPU: 1");
	CHECK_HOLDS(said, "ok   planted@pass-2\nFAIL planted@late-warning: the kernel complained\n");
	CHECK_HOLDS(said, "ok   planted@pass-3\nok   planted@debug-warning\n"
		    "4 passed, 2 failed, 0 skipped\n");
	free(said);
	said = suite("pass dying-warning", "planted", NULL, NULL, &status);
	CHECK_HOLDS(said, "FAIL planted@dying-warning: the kernel complained\n");
	CHECK_HOLDS(said, "BUG: in its death");
	free(said);
}

static void kernel_is_filtered(void)
{
	int status;
	char *said = suite("warns late-warning", "planted", "--filter", "grep BUG", &status);

	CHECK_HOLDS(said, "ok   planted@warns\nFAIL planted@late-warning: the kernel complained\n");
	CHECK_HOLDS(said, "1 passed, 1 failed, 0 skipped\n");
	free(said);
	/* Without a filter that works all messages count. */
	said = suite("warns", "planted", "--filter", "/no/such", &status);
	CHECK_HOLDS(said, "FAIL planted@warns: the kernel complained\n");
	CHECK_HOLDS(said, "WARNING: CPU: 1");
	CHECK_HOLDS(said, "/no/such failed\n");
	free(said);
}

static void no_log(void)
{
	int status;
	char *said = suite("pass", "planted", "--kmsg", "/no/such", &status);

	CHECK(status == 2);
	CHECK_HOLDS(said, "runner: /no/such: No such file or directory\n");
	free(said);
}

static void end_is_glued(void)
{
	int status;
	char *said = suite("pass glued pass-2", "planted", NULL, NULL, &status);

	CHECK(status == 1);
	CHECK_HOLDS(said, "ok   planted@pass\nFAIL planted@glued\n");
	CHECK_HOLDS(said, "\nglued: said no end\n");
	CHECK_HOLDS(said, "ok   planted@pass-2\n2 passed, 1 failed, 0 skipped\n");
	free(said);
}

static void before_subtests(void)
{
	int status;
	char *said;

	setenv("PLANTED_FIXTURE", "echo broken; exit 98", 1);
	said = suite("pass pass-2", "planted", NULL, NULL, &status);
	CHECK_TEXT(said, "FAIL planted: no subtest ran, status 98\nbroken\n"
		   "0 passed, 1 failed, 0 skipped\n");
	free(said);
	setenv("PLANTED_FIXTURE", "kill -SEGV $PPID; sleep 1", 1);
	said = suite("pass pass-2", "planted", NULL, NULL, &status);
	CHECK_HOLDS(said, "FAIL planted: no subtest ran, status 139\n");
	CHECK_HOLDS(said, "\n0 passed, 1 failed, 0 skipped\n");
	free(said);
	said = suite("pass", "no-such-test", NULL, NULL, &status);
	CHECK_HOLDS(said, "FAIL no-such-test: no subtest ran, status 127\n");
	free(said);
}

static void skipped_by_fixture(void)
{
	setenv("PLANTED_FIXTURE", "echo 'Test requirement: card'; echo 'No card.'", 1);
	check_suite("unreached-1 unreached-2", "skip planted@unreached-1: No card.\n"
		    "skip planted@unreached-2: No card.\n0 passed, 0 failed, 2 skipped\n");
}

static void bad_status(void)
{
	int status;
	char *said;

	setenv("PLANTED_STATUS", "3", 1);
	said = suite("pass", "planted", NULL, NULL, &status);
	CHECK_HOLDS(said, "ok   planted@pass\nFAIL planted: status 3\n");
	CHECK_HOLDS(said, "\n1 passed, 1 failed, 0 skipped\n");
	free(said);
	setenv("PLANTED_STATUS", "77", 1);
	check_suite("pass", "ok   planted@pass\n1 passed, 0 failed, 0 skipped\n");
}

static void selection(void)
{
	int status;
	char *calls = own("calls"), *called, *said;

	said = suite("pass crash pass-2 fail", "planted@pass,crash,pass-2", NULL, NULL, &status);
	called = file_read(calls);
	CHECK_TEXT(called, "--run-subtest pass,crash,pass-2\n--run-subtest pass-2\n");
	CHECK_HOLDS(said, "2 passed, 1 failed, 0 skipped\n");
	free(said);
	free(called);
	free(calls);
}

static void all_is_over(void)
{
	int status;
	char *said = suite("pass hang pass-2", "planted", "--end", "4", &status);

	CHECK_HOLDS(said, "ok   planted@pass\nFAIL planted@hang: no end\n");
	CHECK_HOLDS(said, "FAIL planted: 1 subtests did not run: pass-2\n");
	CHECK_HOLDS(said, "\n1 passed, 2 failed, 0 skipped\n");
	free(said);
}

static void after_all(void)
{
	int status;
	char *said = suite("pass", "planted", "--after", "/bin/false", &status);

	CHECK(status == 1);
	CHECK_TEXT(said, "ok   planted@pass\nFAIL /bin/false: ended with status 1\n"
		   "1 passed, 1 failed, 0 skipped\n");
	free(said);
	said = suite("pass", "planted", "--after", "/bin/true", &status);
	CHECK(status == 0);
	free(said);
}

/* A program that does not end by itself. */
static void after_hangs(void)
{
	char *said;
	int status;

	setenv("PLANTED", "pass", 1);
	said = said_by(verb_suite, &status, "--look", "0.2", "--patience", "1",
		       "--after", "/bin/sleep", "--after", "20", test_folder, "planted", NULL);
	CHECK(status == 1);
	CHECK_HOLDS(said, "ok   planted@pass\n"
		    "FAIL /bin/sleep: did not end within 1 s; where it waits:\n/proc/");
	CHECK_HOLDS(said, " (sleep) ");
	CHECK_HOLDS(said, "\n1 passed, 1 failed, 0 skipped\n");
	free(said);
}

static void between_crashes(void)
{
	char *said = suite("pass crash pass-2", "planted", "--between", "/bin/false", NULL);

	CHECK_HOLDS(said, "FAIL planted: after it /bin/false ended with status 1\n"
		    "     planted goes on with 1 subtests\nok   planted@pass-2\n"
		    "2 passed, 2 failed, 0 skipped\n");
	free(said);
}

/* kill() does nothing, as if the process waited in the kernel. */
static void kernel_holds(void)
{
	char *said;

	setenv("PLANTED", "pass hang pass-2", 1);
	test_kill_fails = true;
	said = said_by(verb_suite, NULL, "--look", "0.2", "--limit", "1", "--between", "/bin/false",
		       test_folder, "planted", "planted@pass", NULL);
	CHECK_HOLDS(said, "FAIL planted@hang: no end\n");
	CHECK_HOLDS(said, "and the kernel does not let it go\n"
		    "FAIL planted: 1 subtests did not run: pass-2\n"
		    "FAIL planted@pass: did not run\n1 passed, 3 failed, 0 skipped\n");
	free(said);
	said = said_by(verb_suite, NULL, "--look", "0.2", "--patience", "1",
		       "--between", "/bin/sleep", "--between", "20", test_folder, "planted@pass",
		       "planted@pass", NULL);
	test_kill_fails = false;
	CHECK_HOLDS(said, "FAIL planted@pass: after it /bin/sleep did not end within 1 s;");
	CHECK_HOLDS(said, "and the kernel does not let it go\n"
		    "FAIL planted@pass: did not run\n1 passed, 2 failed, 0 skipped\n");
	free(said);
}

/* All processes of a test that hangs are shown, and none of them is left. */
static void children_end(void)
{
	char *calls = own("calls"), *said;
	const char *line;
	int pid = 0;

	setenv("PLANTED", "deaf-child", 1);
	said = said_by(verb_suite, NULL, "--look", "0.2", "--limit", "1", test_folder, "planted",
		       NULL);
	CHECK_HOLDS(said, "FAIL planted@deaf-child: no end\n");
	line = strstr(said, "where it waits:\n");
	CHECK(line && sscanf(line, "where it waits:\n/proc/%d/task/", &pid) == 1);
	/* The program itself, and its child. */
	CHECK_HOLDS(said, " (planted) S\n");
	CHECK_HOLDS(said, " (sleep) S\n");
	/* The program was started first, so that its number is the group's. */
	CHECK(pid && group_ends(pid));
	free(said);
	free(calls);
}

/* A signal that ends the runner also ends the processes that it started. */
static void check_ends(int (*verb)(int argc, char **argv), const char *test, int signal)
{
	char *path = own("group");
	int group, status;
	pid_t pid;

	unlink(path);
	setenv("PLANTED_GROUP", path, 1);
	setenv("PLANTED", strchr(test, '@') + 1, 1);
	pid = start_verb(verb, test_folder, test, NULL);
	group = awaited_number(path);
	CHECK(group > 1 && !kill(pid, signal));
	CHECK(waitpid(pid, &status, 0) == pid);
	CHECK(WIFSIGNALED(status) && WTERMSIG(status) == signal);
	CHECK(group > 1 && group_ends(group));
	free(path);
}

static void is_ended(void)
{
	check_ends(verb_suite, "planted@own-group", SIGTERM);
	check_ends(verb_suite, "planted@own-group", SIGINT);
	check_ends(verb_suite, "planted@own-group-deaf", SIGTERM);
	check_ends(verb_suite, "planted@own-group-child", SIGTERM);
	check_ends(verb_together, "planted@own-group", SIGTERM);
	check_ends(verb_together, "planted@own-group-deaf", SIGINT);
}

static void between_tests(void)
{
	char *said = suite("pass", "planted", "--between", "/bin/false", NULL);

	/* One test: nothing runs between. */
	CHECK_TEXT(said, "ok   planted@pass\n1 passed, 0 failed, 0 skipped\n");
	free(said);
	said = said_by(verb_suite, NULL, "--between", "/bin/false", test_folder, "planted",
		       "planted", NULL);
	CHECK_TEXT(said, "ok   planted@pass\n"
		   "FAIL planted: after it /bin/false ended with status 1\nok   planted@pass\n"
		   "2 passed, 1 failed, 0 skipped\n");
	free(said);
	/* When the time is over nothing more runs. */
	setenv("PLANTED", "hang", 1);
	said = said_by(verb_suite, NULL, "--end", "1", "--between", "/bin/false", test_folder,
		       "planted", "planted", NULL);
	CHECK_HOLDS(said, "FAIL planted@hang: no end\n");
	CHECK_HOLDS(said, "FAIL planted: did not run\n0 passed, 2 failed, 0 skipped\n");
	free(said);
}

static void at_once(void)
{
	int status;
	char *said;

	setenv("PLANTED", "pass skip fail hang", 1);
	setenv("PLANTED_STATUS", "0", 1);
	said = said_by(verb_together, &status, "--limit", "4", test_folder, "planted@pass",
		       "planted@fail", "planted@hang", NULL);
	CHECK(status == 1);
	CHECK_HOLDS(said, "FAIL planted@fail: status 98");
	CHECK_HOLDS(said, "FAIL planted@hang: no end");
	CHECK_HOLDS(said, "\n1 passed, 2 failed, 0 skipped\n");
	free(said);
	setenv("PLANTED_STATUS", "77", 1);
	said = said_by(verb_together, &status, test_folder, "planted@skip", NULL);
	CHECK_TEXT(said, "0 passed, 0 failed, 1 skipped\n");
	free(said);
	unsetenv("PLANTED_STATUS");
}

/* The last lines of a subtest that failed are shown. */
static void at_once_log(void)
{
	char *said;

	setenv("PLANTED", "wordy", 1);
	said = said_by(verb_together, NULL, test_folder, "planted@wordy", NULL);
	CHECK_HOLDS(said, "FAIL planted@wordy: status 98 after ");
	CHECK_HOLDS(said, " s\nline 12\nline 13\n");
	CHECK_HOLDS(said, "line 40\nSubtest wordy: FAIL (0.100s)\n0 passed, 1 failed");
	free(said);
	setenv("PLANTED", "fail", 1);
	said = said_by(verb_together, NULL, test_folder, "planted@fail", NULL);
	CHECK_HOLDS(said, " s\nIGT-Version: planted\nStarting subtest: fail\n");
	free(said);
}

static void lists(void)
{
	int status;
	char *said;

	setenv("PLANTED", "pass skip", 1);
	said = said_by(verb_list, &status, test_folder, "planted", NULL);
	CHECK(!status);
	CHECK_TEXT(said, "planted@pass\nplanted@skip\n");
	free(said);
	said = said_by(verb_list, &status, test_folder, "planted", "no-such-test", NULL);
	CHECK(status == 1);
	free(said);
	/* The program dies behind some names. */
	setenv("PLANTED_LIST_STATUS", "3", 1);
	said = said_by(verb_list, &status, test_folder, "planted", NULL);
	unsetenv("PLANTED_LIST_STATUS");
	CHECK(status == 1);
	free(said);
}

void tests_suite(void)
{
	run_test("suite: passes, skips and notes", all_kinds);
	run_test("suite: a failure", one_fails);
	run_test("suite: a line that arrives in two pieces around a look", two_pieces);
	run_test("suite: goes on behind a crash", crashes);
	run_test("suite: goes on behind a subtest that does not end", hangs);
	run_test("suite: goes on twice", two_crashes);
	run_test("suite: the kernel complains", kernel_complains);
	run_test("suite: the kernel's messages are filtered", kernel_is_filtered);
	run_test("suite: the kernel has no log", no_log);
	run_test("suite: a subtest that says no end", end_is_glued);
	run_test("suite: no subtest ran", before_subtests);
	run_test("suite: skipped by a fixture", skipped_by_fixture);
	run_test("suite: a status that no subtest explains", bad_status);
	run_test("suite: a selection", selection);
	run_test("suite: the time is over", all_is_over);
	run_test("suite: the program at the end", after_all);
	run_test("suite: a program at the end that does not end", after_hangs);
	run_test("suite: the program between two tests", between_tests);
	run_test("suite: the program between a crash and the rest", between_crashes);
	run_test("suite: the kernel holds a test", kernel_holds);
	run_test("suite: the children of a test that hangs", children_end);
	run_test("suite, together: a signal ends them", is_ended);
	run_test("together: passes, skips, failures, hangs", at_once);
	run_test("together: the last lines of a failure", at_once_log);
	run_test("list", lists);
}
