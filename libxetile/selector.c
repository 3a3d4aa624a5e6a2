// SPDX-License-Identifier: MIT
/*
 * The grammar of device selectors and of the environment. The grammar is strict: numbers are
 * decimal without sign, blank or leading zero, and nothing follows the end. A selector is
 * card[.tile[.cslice]].
 */
#include "selector.h"

#include <errno.h>
#include <string.h>

#include "error.h"
#include "util.h"

/* Read a number at the start of the text. Returns the text behind the number, or NULL: none. */
static const char *take_number(const char *text, uint32_t *value)
{
	uint32_t v = 0;
	const char *p;

	for (p = text; *p >= '0' && *p <= '9'; p++) {
		if (p - text == 6)
			return NULL;
		v = v * 10 + (*p - '0');
	}
	if (p == text || (*text == '0' && p - text > 1))
		return NULL;
	*value = v;
	return p;
}

static const char *take_selector(const char *p, struct xt_selector *sel)
{
	uint32_t *levels[] = { &sel->card, &sel->tile, &sel->cslice };

	memset(sel, 0, sizeof(*sel));
	for (;;) {
		p = take_number(p, levels[sel->depth]);
		if (!p)
			return NULL;
		sel->depth++;
		if (*p != '.' || sel->depth == ARRAY_SIZE(levels))
			return p;
		p++;
	}
}

int xt_selector_parse(const char *text, struct xt_selector *sel)
{
	const char *end = take_selector(text, sel);

	if (!end || *end)
		return xt_error(-EINVAL, "'%.64s' is no selector card[.tile[.cslice]]", text);
	return 0;
}

int xt_mask_parse(const char *text, struct xt_mask *mask)
{
	const char *p = text;

	memset(mask, 0, sizeof(*mask));
	if (!text || !*text) {
		mask->all = true;
		return 0;
	}
	for (;;) {
		if (mask->num == XT_MAX_SELECTORS)
			return xt_error(-EINVAL, "ZE_AFFINITY_MASK has more than %d entries",
					XT_MAX_SELECTORS);
		p = take_selector(p, &mask->entries[mask->num++]);
		if (p && !*p)
			return 0;
		if (!p || *p != ',')
			return xt_error(-EINVAL, "ZE_AFFINITY_MASK '%.64s' is no list of card[.tile[.cslice]]",
					text);
		p++;
	}
}

int xt_ccs_wishes_parse(const char *text, struct xt_ccs_wish *wishes, unsigned int max)
{
	const char *p = text;
	unsigned int i, num = 0;

	if (!text || !*text)
		return 0;
	for (;;) {
		struct xt_ccs_wish wish = { 0 };

		p = take_number(p, &wish.card);
		if (p && *p == ':')
			p = take_number(p + 1, &wish.mode);
		else
			p = NULL;
		if (!p || (*p && *p != ',') || num == max)
			return xt_error(-EINVAL, "ZEX_NUMBER_OF_CCS '%.64s' is no list of card:mode",
					text);
		if (wish.mode != 1 && wish.mode != 2 && wish.mode != 4)
			return xt_error(-EINVAL, "ZEX_NUMBER_OF_CCS: mode %u of card %u is not 1, 2 or 4",
					wish.mode, wish.card);
		for (i = 0; i < num; i++) {
			if (wishes[i].card == wish.card)
				return xt_error(-EINVAL, "ZEX_NUMBER_OF_CCS names card %u twice",
						wish.card);
		}
		wishes[num++] = wish;
		if (!*p++)
			return num;
	}
}

int xt_hierarchy_parse(const char *text, enum xetile_hierarchy *hierarchy)
{
	static const char * const names[] = {
		[XETILE_COMPOSITE] = "COMPOSITE",
		[XETILE_FLAT] = "FLAT",
		[XETILE_COMBINED] = "COMBINED",
	};
	unsigned int i;

	*hierarchy = XETILE_COMPOSITE;
	if (!text || !*text)
		return 0;
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		if (!strcmp(text, names[i])) {
			*hierarchy = i;
			return 0;
		}
	}
	return xt_error(-EINVAL, "ZE_FLAT_DEVICE_HIERARCHY '%.64s' is not COMPOSITE, FLAT or COMBINED",
			text);
}

int xt_switch_parse(const char *name, const char *text, bool fallback, bool *value)
{
	*value = fallback;
	if (!text || !*text)
		return 0;
	if (strcmp(text, "0") && strcmp(text, "1"))
		return xt_error(-EINVAL, "%s '%.64s' is not 0 or 1", name, text);
	*value = *text == '1';
	return 0;
}

/* Intel's runtime takes -1 as "not set". */
static bool is_unset(const char *text)
{
	return !text || !*text || !strcmp(text, "-1");
}

int xt_storage_parse(const char *policy, const char *granularity, struct xt_storage *storage)
{
	uint32_t value = 0, kib = XETILE_COLOR_PAGE >> 10;
	const char *end = "";

	if (!is_unset(policy))
		end = take_number(policy, &value);
	if (!end || *end || value > 2)
		return xt_error(-EINVAL, "MultiStoragePolicy '%.64s' is not 0, 1 or 2", policy);
	if (!is_unset(granularity))
		end = take_number(granularity, &kib);
	if (!end || *end || !kib || kib % (XETILE_COLOR_PAGE >> 10))
		return xt_error(-EINVAL, "MultiStorageGranularity '%.64s' is no multiple of 64 (KiB)",
				granularity);
	/*
	 * The policies 1 and 2 place the same chunks; they differ in how many buffer objects
	 * and mappings Intel's runtime makes of a buffer, and here a buffer has one of each.
	 */
	storage->granule = value ? (uint64_t)kib << 10 : 0;
	return 0;
}
