// SPDX-License-Identifier: MIT
/*
 * The grammar of selectors, and of the variables of the environment
 */
#include <errno.h>

#include "selector.h"
#include "test.h"
#include "util.h"
#include "xetile.h"

static bool sel_is(const char *text, unsigned int depth, uint32_t card, uint32_t tile,
		   uint32_t cslice)
{
	struct xt_selector sel;

	CHECK(!xt_selector_parse(text, &sel), "'%s'", text);
	CHECK(sel.depth == depth && sel.card == card && sel.tile == tile &&
	      sel.cslice == cslice, "'%s'", text);
	return true;
}

static bool check_selectors(void)
{
	static const char * const bad[] = {
		"", ".", "0.", ".0", "0..1", "0.1.", "0.1.2.3", "0.1.2.", " 0", "0 ", "+0", "-1",
		"00", "01", "0.01", "0x1", "a", "0.a", "0:2", "0,1", "1234567", "99999999999",
		"0.1.2,", "0\n",
	};
	struct xt_selector sel;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bad); i++)
		CHECK(xt_selector_parse(bad[i], &sel) == -EINVAL, "'%s'", bad[i]);
	CHECK_TEXT("card[.tile[.cslice]]");
	/* The caret is under the place that is wrong. */
	CHECK(xt_selector_parse("0.x", &sel) == -EINVAL);
	CHECK_TEXT("\n  0.x\n    ^");
	CHECK(xt_selector_parse("0:\0332", &sel) == -EINVAL);
	CHECK_TEXT("\n  0:?2\n   ^");
	CHECK_TEXT("device '0:?2' is no selector");
	return sel_is("0", 1, 0, 0, 0) && sel_is("3.1", 2, 3, 1, 0) &&
	       sel_is("0.1.0", 3, 0, 1, 0) && sel_is("10.20.30", 3, 10, 20, 30) &&
	       sel_is("999999", 1, 999999, 0, 0);
}

/* A second parser of selectors: check_exhaustive() compares both parsers. */
static bool ref_valid(const char *p)
{
	int depth = 0;

	for (;;) {
		int digits = 0;
		const char *first = p;

		while (*p >= '0' && *p <= '9') {
			p++;
			digits++;
		}
		if (!digits || digits > 6 || (digits > 1 && *first == '0'))
			return false;
		depth++;
		if (!*p)
			return true;
		if (*p != '.' || depth == 3)
			return false;
		p++;
	}
}

static bool check_exhaustive(void)
{
	static const char chars[] = "01.,:";
	struct xt_selector sel;
	char text[8];
	unsigned int n, len, i, total;

	for (len = 1, total = 5; len <= 7; len++, total *= 5) {
		for (n = 0; n < total; n++) {
			unsigned int rest = n;

			for (i = 0; i < len; i++, rest /= 5)
				text[i] = chars[rest % 5];
			text[len] = 0;
			CHECK(!xt_selector_parse(text, &sel) == ref_valid(text), "'%s'", text);
		}
	}
	return true;
}

static bool check_mask(void)
{
	static const char * const bad[] = { ",", "0,", ",0", "0,,1", "0;1", "0.1.2.3,0", "0 1", "0, x" };
	struct xt_mask mask;
	unsigned int i;

	CHECK(!xt_mask_parse(NULL, &mask) && mask.all);
	CHECK(!xt_mask_parse("", &mask) && mask.all);
	CHECK(!xt_mask_parse("default", &mask) && mask.all);
	CHECK(!xt_mask_parse(" 0 ,\t1.1 ", &mask) && mask.num == 2 && mask.entries[1].tile == 1);
	CHECK(!xt_mask_parse("0.1,2,3.0.1", &mask) && !mask.all && mask.num == 3);
	CHECK(mask.entries[0].depth == 2 && mask.entries[1].card == 2 &&
	      mask.entries[2].cslice == 1 && mask.entries[2].depth == 3);
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		CHECK(xt_mask_parse(bad[i], &mask) == -EINVAL, "'%s'", bad[i]);
		CHECK_TEXT("ZE_AFFINITY_MASK");
	}
	CHECK_TEXT("\n  0, x\n     ^");
	return true;
}

static bool check_ccs(void)
{
	static const char * const bad[] = {
		"0", "0:", ":2", "0:3", "0:0", "0:8", "0:2,", "0:2,0:4", "0 :2", "0: 2", "0.1:2", "0:02",
		"0:2;1:2", "a:2",
	};
	struct xt_ccs_wish wishes[4];
	unsigned int i;

	CHECK(!xt_ccs_wishes_parse(NULL, wishes, 4));
	CHECK(!xt_ccs_wishes_parse("", wishes, 4));
	CHECK(!xt_ccs_wishes_parse("default", wishes, 4));
	CHECK(xt_ccs_wishes_parse(" 0:4 , 2:1 ", wishes, 4) == 2);
	CHECK(wishes[0].card == 0 && wishes[0].mode == 4 && wishes[1].card == 2 &&
	      wishes[1].mode == 1);
	for (i = 0; i < ARRAY_SIZE(bad); i++)
		CHECK(xt_ccs_wishes_parse(bad[i], wishes, 4) == -EINVAL, "'%s'", bad[i]);
	CHECK(xt_ccs_wishes_parse("0:1,1:1,2:1,3:1,4:1", wishes, 4) == -EINVAL);
	return true;
}

static bool check_switches(void)
{
	enum xetile_hierarchy h;
	bool v;

	CHECK(!xt_hierarchy_parse(NULL, &h) && h == XETILE_COMPOSITE);
	CHECK(!xt_hierarchy_parse("COMPOSITE", &h) && h == XETILE_COMPOSITE);
	CHECK(!xt_hierarchy_parse("FLAT", &h) && h == XETILE_FLAT);
	CHECK(!xt_hierarchy_parse("COMBINED", &h) && h == XETILE_COMBINED);
	CHECK(!xt_hierarchy_parse(" flat ", &h) && h == XETILE_FLAT);
	CHECK(!xt_hierarchy_parse("Default", &h) && h == XETILE_COMPOSITE);
	CHECK(xt_hierarchy_parse("flat x", &h) == -EINVAL);
	CHECK(!xt_switch_parse("X", NULL, true, &v) && v);
	CHECK(!xt_switch_parse("X", "0", true, &v) && !v);
	CHECK(!xt_switch_parse("X", "1", false, &v) && v);
	CHECK(!xt_switch_parse("X", " 1 ", false, &v) && v);
	CHECK(xt_switch_parse("X", "2", true, &v) == -EINVAL);
	CHECK(xt_switch_parse("X", "on", true, &v) == -EINVAL);
	return true;
}

static bool check_storage(void)
{
	static const struct {
		const char *policy, *granularity;
		uint64_t granule;
	} rows[] = {
		{ NULL, NULL, 0 }, { "", "", 0 }, { "-1", "-1", 0 }, { "0", NULL, 0 },
		{ "0", "128", 0 }, { NULL, "64", 0 }, { "1", NULL, 65536 }, { "2", "-1", 65536 },
		{ "1", "64", 65536 }, { "2", "128", 131072 }, { "1", "999936", 999936ull << 10 },
		{ " 1 ", "128 ", 131072 },
	}, bad[] = {
		{ "3", NULL, 0 }, { "-2", NULL, 0 }, { "1x", NULL, 0 }, { "chunk", NULL, 0 },
		{ "1 2", NULL, 0 }, { "01", NULL, 0 }, { "1", "0", 0 }, { "1", "63", 0 },
		{ "1", "96", 0 }, { "1", "64k", 0 }, { "1", "-64", 0 }, { "0", "x", 0 },
		{ NULL, "1", 0 }, { "1", "1000000", 0 }, { "1", "99999999999999999999", 0 },
	};
	struct xt_storage storage;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		CHECK(!xt_storage_parse(rows[i].policy, rows[i].granularity, &storage), "row %u", i);
		CHECK(storage.granule == rows[i].granule, "row %u", i);
	}
	for (i = 0; i < ARRAY_SIZE(bad); i++)
		CHECK(xt_storage_parse(bad[i].policy, bad[i].granularity, &storage) == -EINVAL,
		      "row %u", i);
	CHECK_TEXT("MultiStorageGranularity");
	return true;
}

int main(void)
{
	test_run("C14: selectors", check_selectors());
	test_run("C14: every selector text of up to seven characters", check_exhaustive());
	test_run("S104: ZE_AFFINITY_MASK", check_mask());
	test_run("S95 C14: ZEX_NUMBER_OF_CCS", check_ccs());
	test_run("S51 C11: switches and hierarchy", check_switches());
	test_run("S56 S57 S58 S59 C12: MultiStoragePolicy, MultiStorageGranularity",
		 check_storage());
	return test_end();
}
