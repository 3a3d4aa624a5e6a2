// SPDX-License-Identifier: MIT
/*
 * A self-test as text: a line for each unit, and under one that did not pass, why.
 */
#include "selftest.h"

#include <inttypes.h>
#include <string.h>

#include "text.h"

#define WIDTH	80
#define INDENT	4

static const char *const verdicts[] = {
	[SELFTEST_PASS] = "PASS", [SELFTEST_FAIL] = "FAIL", [SELFTEST_NOT_RUN] = "NOT RUN",
};

enum selftest_verdict selftest_verdict(const struct selftest *test)
{
	enum selftest_verdict all = SELFTEST_PASS;
	unsigned int i;

	for (i = 0; i < test->num; i++) {
		if (test->units[i].verdict == SELFTEST_FAIL)
			return SELFTEST_FAIL;
		if (test->units[i].verdict == SELFTEST_NOT_RUN)
			all = SELFTEST_NOT_RUN;
	}
	return all;
}

static void name_unit(char *out, size_t size, const struct selftest_unit *unit)
{
	char mask[16];

	switch (unit->kind) {
	case SELFTEST_GANG:
		snprintf(out, size, "%s all tiles", unit->device);
		break;
	case SELFTEST_COMPUTE:
		text_mask(mask, sizeof(mask), unit->cslices);
		snprintf(out, size, *unit->engine ? "%s %s, slices %s" : "%s", unit->device,
			 unit->engine, mask);
		break;
	case SELFTEST_CLEAR:
		snprintf(out, size, "%s new memory", unit->device);
		break;
	case SELFTEST_HBM:
		snprintf(out, size, "%s HBM", unit->device);
		break;
	default:
		snprintf(out, size, "%s %s", unit->device, unit->engine);
	}
}

static void name_tests(char *out, size_t size, const struct selftest_unit *unit)
{
	char bytes[16], of[16];

	text_bytes(bytes, sizeof(bytes), unit->bytes);
	text_bytes(of, sizeof(of), unit->of);
	switch (unit->kind) {
	case SELFTEST_GANG:
	case SELFTEST_COMPUTE:
		snprintf(out, size, "%u kernel%s", unit->tests, unit->tests == 1 ? "" : "s");
		break;
	case SELFTEST_COPY:
		snprintf(out, size, "copy and fill, %s", bytes);
		break;
	case SELFTEST_CLEAR:
		snprintf(out, size, "zero, %s", bytes);
		break;
	default:
		snprintf(out, size, "%u pattern%s, %s of %s", unit->tests, unit->tests == 1 ? "" : "s",
			 bytes, of);
	}
}

/* Lines of words that fit the width. A longer word, and what no terminal may see, is cut. */
static void print_wrapped(FILE *out, const char *text)
{
	char clean[sizeof(((struct selftest_unit *)0)->reason)];
	const unsigned int room = WIDTH - INDENT;
	const char *at = clean;
	size_t length, cut;

	text_clean(clean, sizeof(clean), text);
	while (*at) {
		length = cut = strlen(at);
		if (length > room) {
			for (cut = room; cut && at[cut] != ' '; cut--)
				;
			cut = cut ? cut : room;
		}
		fprintf(out, "%*s%.*s\n", INDENT, "", (int)cut, at);
		at += cut;
		while (*at == ' ')
			at++;
	}
}

static void print_wrong(FILE *out, const struct selftest_wrong *wrong)
{
	int digits = 2 * wrong->bytes;

	fprintf(out, "%*s%" PRIu64 " word%s of %u bytes, the first at 0x%012" PRIx64 ":\n", INDENT, "",
		wrong->words, wrong->words == 1 ? "" : "s", wrong->bytes, wrong->address);
	fprintf(out, "%*sexpected 0x%0*" PRIx64 ", found 0x%0*" PRIx64 "\n", INDENT, "", digits,
		wrong->expected, digits, wrong->found);
}

void selftest_view(FILE *out, const struct selftest *test)
{
	unsigned int i, count[3] = { 0 };
	char name[64], tests[64];

	fprintf(out, "%-28s %-40s %s\n", "UNIT", "TEST", "RESULT");
	for (i = 0; i < test->num; i++) {
		const struct selftest_unit *unit = &test->units[i];

		name_unit(name, sizeof(name), unit);
		name_tests(tests, sizeof(tests), unit);
		fprintf(out, "%-28.28s %-40.40s %s\n", name, tests, verdicts[unit->verdict]);
		count[unit->verdict]++;
		if (unit->verdict != SELFTEST_PASS)
			print_wrapped(out, unit->reason);
		if (unit->wrong.words)
			print_wrong(out, &unit->wrong);
	}
	fprintf(out, "%u passed, %u failed, %u not run\n", count[SELFTEST_PASS],
		count[SELFTEST_FAIL], count[SELFTEST_NOT_RUN]);
}
