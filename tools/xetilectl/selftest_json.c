// SPDX-License-Identifier: MIT
/*
 * A self-test as JSON. Words are texts, because JSON's numbers do not hold 64 bits.
 */
#include "selftest.h"

#include <inttypes.h>

#include "ctl.h"

static const char *const verdicts[] = {
	[SELFTEST_PASS] = "pass", [SELFTEST_FAIL] = "fail", [SELFTEST_NOT_RUN] = "not run",
};

static const char *const kinds[SELFTEST_KINDS] = {
	[SELFTEST_GANG] = "gang", [SELFTEST_COMPUTE] = "compute", [SELFTEST_COPY] = "copy",
	[SELFTEST_CLEAR] = "clear", [SELFTEST_HBM] = "hbm",
};

static void print_text(const char *key, const char *text)
{
	printf(",\"%s\":", key);
	if (*text)
		ctl_json_string(text);
	else
		printf("null");
}

static void print_unit(const struct selftest_unit *unit)
{
	const struct selftest_wrong *wrong = &unit->wrong;
	int digits = 2 * wrong->bytes;
	unsigned int i;
	bool more = false;

	printf("{\"kind\":\"%s\",\"verdict\":\"%s\"", kinds[unit->kind], verdicts[unit->verdict]);
	print_text("device", unit->device);
	print_text("engine", unit->engine);
	printf(",\"cslices\":[");
	for (i = 0; i < 32; i++) {
		if (!(unit->cslices & 1u << i))
			continue;
		printf("%s%u", more ? "," : "", i);
		more = true;
	}
	printf("],\"tests\":%u,\"bytes\":%" PRIu64, unit->tests, unit->bytes);
	print_text("reason", unit->reason);
	if (wrong->words)
		printf(",\"wrong\":{\"words\":%" PRIu64 ",\"word_bytes\":%u,\"address\":\"0x%" PRIx64
		       "\",\"expected\":\"0x%0*" PRIx64 "\",\"found\":\"0x%0*" PRIx64 "\"}}",
		       wrong->words, wrong->bytes, wrong->address, digits, wrong->expected, digits,
		       wrong->found);
	else
		printf(",\"wrong\":null}");
}

void selftest_json(const struct selftest *test)
{
	unsigned int i;

	printf("{\"verdict\":\"%s\",\"units\":[", verdicts[selftest_verdict(test)]);
	for (i = 0; i < test->num; i++) {
		if (i)
			putchar(',');
		print_unit(&test->units[i]);
	}
	puts("]}");
}
