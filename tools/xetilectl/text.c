// SPDX-License-Identifier: MIT
/*
 * Values as short texts.
 */
#include "text.h"

#include <stdio.h>
#include <string.h>

void text_clean(char *out, size_t size, const char *text)
{
	size_t i;

	for (i = 0; i + 1 < size && text[i]; i++)
		out[i] = text[i] >= 0x20 && text[i] < 0x7f ? text[i] : '?';
	out[i] = 0;
}

void text_bytes(char *out, size_t size, uint64_t bytes)
{
	static const char units[] = "KMGTPE";
	double value = bytes / 1024.0;
	const char *unit = units;

	if (bytes < 1024) {
		snprintf(out, size, bytes ? "%u B" : "%u", (unsigned int)bytes);
		return;
	}
	for (; value >= 1000 && unit[1]; unit++)
		value /= 1024;
	snprintf(out, size, "%.*f %ciB", value < 9.95 ? 1 : 0, value, *unit);
}

void text_share(char *out, size_t size, double share)
{
	double percent = share * 100;

	if (share < 0)
		snprintf(out, size, "-");
	else
		snprintf(out, size, "%.*f%%", percent < 99.95 && percent > 0 ? 1 : 0, percent);
}

void text_seconds(char *out, size_t size, double seconds)
{
	unsigned long long whole = seconds < 1e15 ? seconds : 1e15;

	if (seconds < 9.9995)
		snprintf(out, size, "%.3f", seconds);
	else if (seconds < 59.95)
		snprintf(out, size, "%.1f", seconds);
	else if (whole < 3600)
		snprintf(out, size, "%llu:%02llu", whole / 60, whole % 60);
	else
		snprintf(out, size, "%llu:%02llu:%02llu", whole / 3600, whole / 60 % 60, whole % 60);
}

void text_ns(char *out, size_t size, uint64_t ns)
{
	static const char * const units[] = { "us", "ms", "s" };
	double value = ns / 1e3;
	unsigned int i;

	for (i = 0; i < 2 && value >= 999.95; i++)
		value /= 1000;
	snprintf(out, size, "%.*f %s", value < 9.9995 ? 3 : value < 99.995 ? 2 : 1, value,
		 units[i]);
}

/* The tile of a page, as a letter */
static char tile_of(const struct xetile_run *runs, unsigned int num, uint64_t page)
{
	unsigned int i;

	for (i = 0; i + 1 < num && page >= runs[i].pages; i++)
		page -= runs[i].pages;
	return runs[i].tile < XETILE_MAX_TILES ? (char)('0' + runs[i].tile) : 's';
}

void text_runs(char *out, size_t size, const struct xetile_run *runs, unsigned int num,
	       unsigned int width)
{
	uint64_t pages = 0;
	unsigned int i;

	for (i = 0; i < num; i++)
		pages += runs[i].pages;
	if (width > pages)
		width = pages;
	for (i = 0; i < width && i + 1 < size; i++)
		out[i] = tile_of(runs, num, (2 * i + 1) * pages / (2 * width));
	out[i] = 0;
}

void text_mask(char *out, size_t size, uint32_t mask)
{
	unsigned int i, last;
	size_t n = 0;

	snprintf(out, size, "-");
	for (i = 0; i < 32 && n < size; i = last + 1) {
		last = i;
		if (!(mask & 1u << i))
			continue;
		while (last < 31 && mask & 1u << (last + 1))
			last++;
		n += snprintf(out + n, size - n, last > i ? "%s%u-%u" : "%s%u", n ? "," : "", i, last);
	}
}
