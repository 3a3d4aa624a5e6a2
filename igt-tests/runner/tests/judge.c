// SPDX-License-Identifier: MIT
/* The judge and the plan, with planted results and logs. */
#include "test.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "verbs.h"

static void put(const char *name, const char *s)
{
	char *path = own(name);

	file_put(path, "w", s);
	free(path);
}

static void folder(const char *name)
{
	char *path = own(name);

	mkdir(path, 0777);
	free(path);
}

/* Returns the judge's words about these results. */
static char *judged(const char *results, const char *expectations, int *status)
{
	char *work = own(""), *complaints = own("complaints"), *link = own("lib/modules/6.12");
	struct text table = { 0 };
	char *said;

	folder("logs");
	folder("console");
	folder("lib");
	folder("lib/modules");
	folder("boot");
	if (symlink("6.12.9-amd64", link))
		access(link, F_OK);
	put("boot/config-6.12.9-amd64", "CONFIG_HAS=y\n# CONFIG_LACKS is not set\n");
	text_addf(&table, "%s%s\n", *expectations ? "expect " : "", expectations);
	text_addf(&table, "# comment\nskip has_it()\nskip a@5 rare\nknown known why\n");
	put("expectations", table.s);
	text_free(&table);
	put("complaints", "WARNING\n");
	put("results", results);
	put("wanted", "a@1 9 together\n");
	said = said_by(verb_judge, status, work, complaints, work, work, "6.12", "1", NULL);
	free(link);
	free(complaints);
	free(work);
	return said;
}

static void check_judged(const char *results, const char *expectations, const char *verdict,
			 bool good)
{
	int status;
	char *said = judged(results, expectations, &status);

	CHECK_HOLDS(said, verdict);
	CHECK_HOLDS(said, good ? "1 passed, 0 failed\n" : "0 passed, 1 failed\n");
	CHECK(status == !good);
	free(said);
}

static void expected(void)
{
	folder("logs");
	folder("console");
	put("logs/a@1", "error: 22 != 28\n");
	put("console/card0.3", "it waits\n");
	check_judged("a@1 pass 2 3\n", "", "pass   a@1   ", true);
	check_judged("a@1 fail 2 3\n", "", "FAILED (NOT pass): fail   a@1", false);
	check_judged("a@1 fail 2 3\n", "", "2 s  error: 22 != 28", false);
	check_judged("a@1 fail 2 3\n", "a@1 * * fail because", "2 s  because", true);
	check_judged("a@1 pass 2 3\n", "a@1 * * fail because", "FAILED (NOT fail)", false);
	check_judged("a@1 fail 2 3\n", "a@1 * * fail: \"22\"", "FAILED (NOT fail:)", false);
	check_judged("a@1 fail 2 3\n", "a@1 * * fail \"22\" or \"x\"", "", true);
	check_judged("a@1 fail 2 3\n", "a@1 * * fail \"22\" and \"waits\"", "", true);
	check_judged("a@1 fail 2 3\n", "a@1 * * fail \"22\" and \"x\"",
		     "FAILED (CAUSE NOT IN LOG)", false);
	/* in the log of another guest */
	check_judged("a@1 fail 2 4\n", "a@1 * * fail \"waits\"", "CAUSE NOT IN LOG", false);
	check_judged("a@1 stuck 2 3\n", "a@1 * * pass|stuck \"waits\"", "stuck  a@1", true);
	check_judged("a@1 pass 2 3\n", "a@1 * * pass|stuck \"x\"", "pass   a@1", true);
}

static void skips(void)
{
	folder("logs");
	put("logs/a@1", "Test requirement: has_it()\nLast errno: 2\n");
	check_judged("a@1 skip 0 1\n", "", "has_it() Last errno: 2", true);
	put("logs/a@1", "Test requirement: other()\n");
	check_judged("a@1 skip 0 1\n", "", "FAILED (NO GOOD REASON): skip", false);
	check_judged("a@1 skip 0 1\n", "a@1 * * fail x", "FAILED (NOT fail): skip", false);
	check_judged("a@1 skip 0 1\n", "a@1 * * pass|fail x", "NO GOOD REASON", false);
}

static void lacks(void)
{
	folder("logs");
	put("logs/a@1", "");
	check_judged("a@1 fail 2 3\n", "a@1 * * fail lacks CONFIG_LACKS", "", true);
	check_judged("a@1 fail 2 3\n", "a@1 * * fail lacks CONFIG_HAS",
		     "FAILED (THE KERNEL HAS IT)", false);
	check_judged("a@1 fail 2 3\n", "a@1 * * fail lacks DRM_XE_NO_HEADER",
		     "FAILED (THE KERNEL HAS IT)", false);
	folder("usr");
	folder("usr/src");
	folder("usr/src/linux-headers-6.12.9-common");
	folder("usr/src/linux-headers-6.12.9-common/include");
	folder("usr/src/linux-headers-6.12.9-common/include/uapi");
	folder("usr/src/linux-headers-6.12.9-common/include/uapi/drm");
	put("usr/src/linux-headers-6.12.9-common/include/uapi/drm/xe_drm.h",
	    "#define DRM_XE_A_LONG 1\n#define DRM_XE_HAS 2\n");
	check_judged("a@1 fail 2 3\n", "a@1 * * fail lacks DRM_XE_A", "", true);
	check_judged("a@1 fail 2 3\n", "a@1 * * fail lacks DRM_XE_HAS",
		     "FAILED (THE KERNEL HAS IT)", false);
}

static void complaints(void)
{
	int status;
	char *said;

	folder("logs");
	put("logs/a@1.dmesg", "WARNING: at known+0x1/0x2\nend trace\n");
	check_judged("a@1 pass 2 3\n", "", "known: 1 warnings in known: why\n", true);
	put("logs/a@1.dmesg", "WARNING: at other+0x1/0x2\nend trace\n");
	check_judged("a@1 kernel 2 3\n", "", "2 s  WARNING: at other", false);
	/* a subtest that did not run, and one that was not wanted */
	said = judged("b@1 pass 2 3\n", "", &status);
	CHECK_HOLDS(said, "pass   b@1");
	CHECK_HOLDS(said, "FAILED: 1 subtests did not run\n1 passed, 1 failed\n");
	free(said);
}

/* Checks the verb's words about a log with these lines, and its status. */
static void check_complaints(const char *log, const char *want, int want_status)
{
	char *complaints = own("complaints"), *known = own("known"), *path = own("log"), *said;
	int status;

	put("complaints", "WARNING\n");
	put("known", "skip other\nknown known why\n");
	put("log", log);
	said = said_by(verb_complaints, &status, complaints, known, path, NULL);
	CHECK_TEXT(said, want);
	CHECK(status == want_status);
	free(said);
	free(path);
	free(known);
	free(complaints);
}

static void complaints_of_logs(void)
{
	check_complaints("all is well\n", "", 1);
	check_complaints("WARNING: at other+0x1/0x2\nend trace\n",
			 "\nWARNING: at other+0x1/0x2\nend trace\n", 0);
	check_complaints("WARNING: at known+0x1/0x2\nend trace\n", "", 1);
}

static void check_plan(const char *setting, const char *which, const char *pattern,
		       const char *want)
{
	char *work = own(""), *list = own("list"), *said;

	put("tests", "# comment\nrun a\nrun b alone\nrun c usable=1G\nrun a@2* hbm=1G alone\n"
	    "quick a@1\nquick c@1\n");
	put("expectations", "expect b@1 * * timeout x\nexpect a@1 7.2 * fail x\n");
	put("list", "a@1\na@10\na@2\nab@1\nb@1\nc@1\n");
	said = said_by(verb_plan, NULL, work, list, "6.12", "1", setting, "600", which, pattern,
		       NULL);
	CHECK_TEXT(said, want);
	free(said);
	free(list);
	free(work);
}

static void plan(void)
{
	check_plan("", "all", NULL, "a@1 600 together\na@10 600 together\nab@1 600 together\n"
		   "b@1 60 alone\n");
	check_plan("hbm=1G", "all", NULL, "a@2 600 alone\n");
	check_plan("usable=1G", "all", NULL, "c@1 600 together\n");
	check_plan("", "quick", NULL, "a@1 600 together\n");
	check_plan("", "all", "a", "a@1 600 together\na@10 600 together\n");
	check_plan("", "quick", "a@1", "a@1 600 together\n");
}

static void check_unused(const char *expectations, const char *quick, const char *want)
{
	char *work = own(""), *list = own("list"), *said;
	int status;

	put("tests", quick);
	put("expectations", expectations);
	put("list", "a@1\na@10\nb@1\n");
	said = said_by(verb_unused, &status, work, list, "6.12 7.2", "1 2", NULL);
	CHECK_TEXT(said, want);
	CHECK(status == !!*want);
	free(said);
	free(list);
	free(work);
}

static void unused(void)
{
	check_unused("# c\nexpect a@1 * * fail x\nexpect b@* 7.2 2 fail x\n", "quick a@1\n", "");
	check_unused("expect a@2 * * fail x\n", "run a\n", "expect a@2 * * fail x\n");
	check_unused("expect a@* 6.13 * fail x\n", "run a\n", "expect a@* 6.13 * fail x\n");
	/* An earlier line has taken all, or all but one kernel. */
	check_unused("expect a@* * * fail x\nexpect a@1 7.2 1 fail y\n", "run a\n",
		     "expect a@1 7.2 1 fail y\n");
	check_unused("expect a@* 6.12 * fail x\nexpect a@1 * 1 fail y\n", "run a\n", "");
	check_unused("", "quick a@2\n", "quick a@2\n");
}

void tests_judge(void)
{
	run_test("judge: expected outcomes, and their proof", expected);
	run_test("judge: reasons to skip", skips);
	run_test("judge: things that the kernel lacks", lacks);
	run_test("judge: complaints, subtests that did not run", complaints);
	run_test("complaints: those in logs, without the known ones", complaints_of_logs);
	run_test("plan: the subtests that run, and how", plan);
	run_test("unused: lines that fit no subtest", unused);
}
