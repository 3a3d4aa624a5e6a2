// SPDX-License-Identifier: MIT
/*
 * Buffers with a color: `run`, `plan` and `map` have them.
 */
#include "buffer.h"

#include <stdio.h>
#include <stdlib.h>

#include "ctl.h"
#include "text.h"

int buffer_tiles(unsigned int tiles, const char *device)
{
	if (tiles && device)
		return ctl_usage("--tiles is without a card, and --device '%s' names one", device);
	if (tiles > XETILE_MAX_TILES)
		return ctl_usage("--tiles '%u' is not in 1..%u", tiles, XETILE_MAX_TILES);
	return CTL_OK;
}

int buffer_read(const char *command, const char *size, const char *color, unsigned int tiles,
		struct xetile_mem_desc *mem)
{
	uint32_t i;

	if (!size)
		return ctl_usage("%s needs --size", command);
	if (xetile_size_parse(size, &mem->size))
		return ctl_usage("--size: %s", xetile_last_error());
	if (xetile_color_parse(color, mem))
		return ctl_usage("--color: %s", xetile_last_error());
	for (i = 0; i < mem->num_runs; i++)
		if (mem->runs[i].tile >= tiles)
			break;
	if (i < mem->num_runs || mem->tile >= tiles)
		return ctl_usage("--color '%s': there are %u tiles", color, tiles);
	return CTL_OK;
}

int buffer_failed(const char *what, struct xetile_device *device)
{
	int ret = ctl_failed(what);
	struct xetile_device_info info;
	char used[16], total[16];

	if (xetile_device_get_info(device, &info))
		return ret;
	text_bytes(used, sizeof(used), info.hbm_used);
	text_bytes(total, sizeof(total), info.hbm_total);
	fprintf(stderr, "  %s of %s of HBM are in use\n", used, total);
	return ret;
}

int buffer_runs(struct xetile_mem *mem, struct xetile_run **runs)
{
	struct xetile_run *more;
	int num = 0, room;

	*runs = NULL;
	/* The driver may move pages between two questions. */
	do {
		room = num + 1;
		more = realloc(*runs, room * sizeof(**runs));
		if (!more) {
			fputs("xetilectl: out of memory\n", stderr);
			free(*runs);
			*runs = NULL;
			return -1;
		}
		*runs = more;
		num = xetile_mem_color(mem, *runs, room);
	} while (num > room);
	if (num >= 0)
		return num;
	ctl_failed("color");
	free(*runs);
	*runs = NULL;
	return -1;
}
