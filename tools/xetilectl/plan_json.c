// SPDX-License-Identifier: MIT
/*
 * A plan as JSON. Bytes are whole numbers, shares are from 0 to 1.
 */
#include "plan.h"

#include <inttypes.h>
#include <stdlib.h>

#include "ctl.h"

static void print_xyz(const char *key, const uint32_t v[3])
{
	printf(",\"%s\":[%u,%u,%u]", key, v[0], v[1], v[2]);
}

static void print_bytes(const char *key, const uint64_t v[XETILE_MAX_TILES], unsigned int tiles)
{
	unsigned int t;

	printf("\"%s\":[", key);
	for (t = 0; t < tiles; t++)
		printf("%s%" PRIu64, t ? "," : "", v[t]);
	putchar(']');
}

static int print_better(const struct plan *plan)
{
	const struct xetile_forecast *f = &plan->forecast;
	size_t size = plan_color(NULL, 0, &f->better) + 1;
	char *color = malloc(size);

	if (!color) {
		fputs("xetilectl: out of memory\n", stderr);
		return CTL_FAILED;
	}
	plan_color(color, size, &f->better);
	printf("{\"color\":");
	ctl_json_string(color);
	printf(",\"remote\":%" PRIu64 ",\"share\":%.6f}", f->better_remote,
	       plan_share(plan, f->better_remote));
	free(color);
	return CTL_OK;
}

static void print_pieces(const struct plan *plan)
{
	unsigned int i;

	printf(",\"pieces\":[");
	for (i = 0; i < PLAN_PIECES; i++) {
		printf("%s{", i ? "," : "");
		print_bytes("held", plan->pieces[i].held, plan->tiles);
		putchar(',');
		print_bytes("accessed", plan->pieces[i].accessed, plan->tiles);
		putchar('}');
	}
	putchar(']');
}

int plan_json(const struct plan *plan)
{
	const struct xetile_forecast *f = &plan->forecast;
	int ret = CTL_OK;
	unsigned int t;

	printf("{\"size\":%" PRIu64 ",\"color\":", plan->mem.size);
	ctl_json_string(plan->color);
	print_xyz("groups", plan->launch.groups);
	print_xyz("local", plan->launch.local);
	printf(",\"partition\":{\"dimension\":\"%c\",\"groups\":%u,\"share\":%u,\"parts\":%u}",
	       'x' + (int)f->plan.dim, f->plan.groups, f->plan.share, f->plan.parts);
	printf(",\"total\":%" PRIu64 ",\"remote\":%" PRIu64 ",\"share\":%.6f,\"warning\":%s",
	       f->total, f->total_remote, plan_share(plan, f->total_remote),
	       plan_is_over(plan) ? "true" : "false");
	printf(",\"tiles\":[");
	for (t = 0; t < plan->tiles; t++)
		printf("%s{\"tile\":%u,\"local\":%" PRIu64 ",\"remote\":%" PRIu64 "}",
		       t ? "," : "", t, f->local[t], f->remote[t]);
	printf("],\"better\":");
	if (f->has_better)
		ret = print_better(plan);
	else
		printf("null");
	print_pieces(plan);
	puts("}");
	return ret;
}
