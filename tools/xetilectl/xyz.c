// SPDX-License-Identifier: MIT
/*
 * Numbers of three dimensions.
 */
#include "xyz.h"

#include <string.h>

#include "ctl.h"

int xyz_parse(const char *name, const char *text, uint64_t most, uint64_t v[3])
{
	char copy[64], *p = copy, *comma;
	uint64_t value;
	int i;

	if (strlen(text) >= sizeof(copy))
		return ctl_usage("%s '%s' is too long", name, text);
	strcpy(copy, text);
	for (i = 0; i < 3 && p; i++, p = comma) {
		comma = strchr(p, ',');
		if (comma)
			*comma++ = 0;
		if (xetile_size_parse(p, &value) || value > most)
			return ctl_usage("%s '%s' is not X[,Y[,Z]]", name, text);
		v[i] = value;
	}
	return p ? ctl_usage("%s '%s' has more than three numbers", name, text) : CTL_OK;
}

int xyz_parse_u32(const char *name, const char *text, uint32_t v[3])
{
	uint64_t wide[3] = { v[0], v[1], v[2] };
	int i, ret = xyz_parse(name, text, UINT32_MAX, wide);

	for (i = 0; i < 3; i++)
		v[i] = wide[i];
	return ret;
}
