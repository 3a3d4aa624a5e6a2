// SPDX-License-Identifier: MIT
/*
 * The grammar of device selectors and of the environment. The grammar is strict: numbers are
 * decimal without sign or leading zero, and nothing follows the end. A selector is
 * card[.tile[.cslice]]. As for Intel's runtime, blanks around the entries of a list and around a
 * word do not count, nor does the case of a word, and "default" is as if the variable was not set.
 */
#include "selector.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

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

static const char *skip_blanks(const char *p)
{
	return p + strspn(p, " \t");
}

bool xt_is_unset(const char *text)
{
	if (!text)
		return true;
	text = skip_blanks(text);
	if (!strncasecmp(text, "default", 7))
		text += 7;
	return !*skip_blanks(text);
}

/* Returns the text behind the selector, or NULL: *@bad is the place that is wrong. */
static const char *take_selector(const char *p, struct xt_selector *sel, const char **bad)
{
	uint32_t *levels[] = { &sel->card, &sel->tile, &sel->cslice };

	memset(sel, 0, sizeof(*sel));
	for (;;) {
		*bad = p;
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
	const char *bad, *end = take_selector(text, sel, &bad);

	if (!end || *end)
		return xt_error_at("device", text, end ? end : bad, "selector card[.tile[.cslice]]");
	return 0;
}

int xt_mask_parse(const char *text, struct xt_mask *mask)
{
	const char *p = text, *bad;

	memset(mask, 0, sizeof(*mask));
	if (xt_is_unset(text)) {
		mask->all = true;
		return 0;
	}
	for (;;) {
		if (mask->num == XT_MAX_SELECTORS)
			return xt_error(-EINVAL, "ZE_AFFINITY_MASK has more than %d entries",
					XT_MAX_SELECTORS);
		p = take_selector(skip_blanks(p), &mask->entries[mask->num++], &bad);
		if (p)
			bad = p = skip_blanks(p);
		if (p && !*p)
			return 0;
		if (!p || *p != ',')
			return xt_error_at("ZE_AFFINITY_MASK", text, bad,
					   "list of card[.tile[.cslice]]");
		p++;
	}
}

/* Read "card:mode". Returns the text behind it and its blanks, or NULL: *@bad is the wrong place. */
static const char *take_wish(const char *p, struct xt_ccs_wish *wish, const char **bad)
{
	*bad = skip_blanks(p);
	p = take_number(*bad, &wish->card);
	if (!p)
		return NULL;
	*bad = p;
	if (*p != ':')
		return NULL;
	*bad = p + 1;
	p = take_number(p + 1, &wish->mode);
	return p ? skip_blanks(p) : NULL;
}

int xt_ccs_wishes_parse(const char *text, struct xt_ccs_wish *wishes, unsigned int max)
{
	const char *p = text, *bad;
	unsigned int i, num = 0;

	if (xt_is_unset(text))
		return 0;
	for (;;) {
		struct xt_ccs_wish wish = { 0 };

		p = take_wish(p, &wish, &bad);
		if (!p || (*p && *p != ',') || num == max)
			return xt_error_at("ZEX_NUMBER_OF_CCS", text, p ? p : bad, "list of card:mode");
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

/* Whether a text is a word, whatever its case, with blanks around it */
static bool is_word(const char *text, const char *word)
{
	size_t length = strlen(word);

	text = skip_blanks(text);
	return !strncasecmp(text, word, length) && !*skip_blanks(text + length);
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
	if (xt_is_unset(text))
		return 0;
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		if (is_word(text, names[i])) {
			*hierarchy = i;
			return 0;
		}
	}
	return xt_error_at("ZE_FLAT_DEVICE_HIERARCHY", text, skip_blanks(text),
			   "COMPOSITE, FLAT or COMBINED");
}

int xt_switch_parse(const char *name, const char *text, bool fallback, bool *value)
{
	*value = fallback;
	if (xt_is_unset(text))
		return 0;
	if (!is_word(text, "0") && !is_word(text, "1"))
		return xt_error_at(name, text, skip_blanks(text), "0 or 1");
	*value = is_word(text, "1");
	return 0;
}

/* For numbers Intel's runtime takes -1 as "not set", too. */
static bool has_no_number(const char *text)
{
	return xt_is_unset(text) || is_word(text, "-1");
}

/* A number with blanks around it. Returns NULL, or the place that is wrong. */
static const char *read_number(const char *text, uint32_t *value)
{
	const char *begin = skip_blanks(text), *end = take_number(begin, value);

	if (!end)
		return begin;
	end = skip_blanks(end);
	return *end ? end : NULL;
}

int xt_storage_parse(const char *policy, const char *granularity, struct xt_storage *storage)
{
	uint32_t value = 0, kib = XETILE_COLOR_PAGE >> 10;
	const char *bad = NULL;

	if (!has_no_number(policy))
		bad = read_number(policy, &value);
	if (bad || value > 2)
		return xt_error_at("MultiStoragePolicy", policy, bad ? bad : policy, "0, 1 or 2");
	if (!has_no_number(granularity))
		bad = read_number(granularity, &kib);
	if (bad || !kib || kib % (XETILE_COLOR_PAGE >> 10))
		return xt_error_at("MultiStorageGranularity", granularity, bad ? bad : granularity,
				   "multiple of 64 (KiB)");
	/*
	 * The policies 1 and 2 place the same chunks; they differ in how many buffer objects
	 * and mappings Intel's runtime makes of a buffer, and here a buffer has one of each.
	 */
	storage->granule = value ? (uint64_t)kib << 10 : 0;
	return 0;
}
