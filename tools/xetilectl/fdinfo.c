// SPDX-License-Identifier: MIT
/*
 * The keys of the kernel's drm-usage-stats and the driver's own. Lines that are not known, or that
 * make no sense, are left out: another version of the driver may have others.
 */
#include "fdinfo.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint64_t fdinfo_add(uint64_t a, uint64_t b)
{
	uint64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

/* "12 KiB"; the largest number stands for all that are larger. Returns false for no number. */
static bool read_number(const char *text, uint64_t *out)
{
	static const char units[] = "KMGT";
	const char *unit;
	char *end;

	if (!isdigit((unsigned char)*text))
		return false;
	*out = strtoull(text, &end, 10);
	end += strspn(end, " ");
	unit = *end ? strchr(units, *end) : NULL;
	if (unit && !strncmp(end + 1, "iB", 2) &&
	    __builtin_mul_overflow(*out, 1ull << 10 * (unit - units + 1), out))
		*out = UINT64_MAX;
	return true;
}

/* "tile0-compute", "tile0-cslice1": where the number goes, NULL for nowhere */
static uint64_t *find_tile(const char *key, struct fdinfo *out)
{
	unsigned int t, s;
	int end = 0;

	if (sscanf(key, "tile%1u-cslice%1u%n", &t, &s, &end) == 2 && end && !key[end]) {
		if (t >= XETILE_MAX_TILES || s >= XETILE_MAX_CSLICES)
			return NULL;
		return &out->slice[t][s];
	}
	if (sscanf(key, "tile%1u-%n", &t, &end) != 1 || !end || t >= XETILE_MAX_TILES)
		return NULL;
	if (!strcmp(key + end, "compute"))
		return &out->compute[t];
	return strcmp(key + end, "copy") ? NULL : &out->copy[t];
}

static uint64_t *find_memory(const char *key, struct fdinfo *out)
{
	unsigned int t;
	int end = 0;

	/* A device that is called xe has no bytes in its region system, which stands before gtt. */
	if (!strcmp(key, "system") || !strcmp(key, "gtt"))
		return &out->system;
	if (sscanf(key, "hbm%1u%n", &t, &end) != 1 && sscanf(key, "vram%1u%n", &t, &end) != 1)
		return NULL;
	return end && !key[end] && t < XETILE_MAX_TILES ? &out->hbm[t] : NULL;
}

static uint64_t *find(const char *key, struct fdinfo *out)
{
	static const char memory[] = "drm-resident-", cycles[] = "xetile-cycles-";
	const struct {
		const char *key;
		uint64_t *to;
	} keys[] = {
		{ "drm-client-id", &out->id },
		{ "drm-engine-compute", &out->compute_ns },
		{ "drm-engine-copy", &out->copy_ns },
		{ "drm-engine-ccs", &out->compute_ns },
		{ "drm-engine-bcs", &out->copy_ns },
		{ "xetile-total-cycles", &out->now },
		{ "xetile-moved-access", &out->moved[FDINFO_ACCESS] },
		{ "xetile-moved-evict", &out->moved[FDINFO_EVICT] },
		{ "xetile-moved-return", &out->moved[FDINFO_RETURN] },
	};
	size_t i;

	if (!strncmp(key, memory, sizeof(memory) - 1))
		return find_memory(key + sizeof(memory) - 1, out);
	if (!strncmp(key, cycles, sizeof(cycles) - 1))
		return find_tile(key + sizeof(cycles) - 1, out);
	for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		if (!strcmp(key, keys[i].key))
			return keys[i].to;
	}
	return NULL;
}

bool fdinfo_parse(const char *text, struct fdinfo *out)
{
	bool ours = false, called_xe = false, has_id = false;
	uint64_t number, *to;
	char line[256], *value;
	size_t length;

	memset(out, 0, sizeof(*out));
	for (; *text; text += length + (text[length] == '\n')) {
		length = strcspn(text, "\n");
		if (length >= sizeof(line))
			continue;
		memcpy(line, text, length);
		line[length] = 0;
		value = strchr(line, ':');
		if (!value)
			continue;
		*value++ = 0;
		value += strspn(value, " \t");
		if (!strcmp(line, "drm-driver"))
			ours = !strcmp(value, "xetile");
		else if (!strcmp(line, "drm-pdev"))
			snprintf(out->pci, sizeof(out->pci), "%.15s", value);
		else if (read_number(value, &number) && (to = find(line, out)))
			*to = number;
		has_id |= !strcmp(line, "drm-client-id");
		called_xe |= !strcmp(line, "drm-driver") && !strcmp(value, "xe");
		/* The card's device may be called xe, but upstream's xe has no such key. */
		ours |= called_xe && !strcmp(line, "xetile-total-cycles");
	}
	return ours && has_id && out->pci[0];
}
