// SPDX-License-Identifier: MIT
/*
 * xetilectl run: says where a kernel ran and how it ended, and where the pages of its buffers lie.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "buffer.h"
#include "ctl.h"
#include "fault.h"
#include "run.h"
#include "text.h"

/* Columns of the bar that stands for a buffer */
#define BAR	24

/* --- buffers --------------------------------------------------------------------------- */

/* Where a buffer lies now */
struct place {
	struct xetile_run *runs;
	int num;
	uint64_t misplaced;
};

static int find_place(struct xetile_mem *mem, struct place *place)
{
	place->num = buffer_runs(mem, &place->runs);
	if (place->num < 0)
		return CTL_FAILED;
	if (!xetile_mem_misplaced(mem, &place->misplaced))
		return CTL_OK;
	free(place->runs);
	return ctl_failed("color");
}

static const char *color_of(const struct run *run, const struct ctl_arg *arg)
{
	return arg->color_text ? arg->color_text : run->color_text ? run->color_text : "default";
}

static void text_buffer(const struct run *run, unsigned int index, const struct place *place)
{
	const struct ctl_arg *arg = &run->args[index];
	const char *told = xetile_kernel_arg_name(run->kernel, index);
	char name[16] = "-", size[16], bar[BAR + 1], elsewhere[16];

	if (told)
		text_clean(name, sizeof(name), told);
	text_bytes(size, sizeof(size), arg->size);
	text_runs(bar, sizeof(bar), place->runs, place->num, BAR);
	printf("%3u  %-10.10s %8s  %-10.10s  %-*s  ", index, name, size, color_of(run, arg), BAR, bar);
	if (!place->misplaced) {
		puts("yes");
		return;
	}
	text_bytes(elsewhere, sizeof(elsewhere), place->misplaced);
	printf("NO: %s\n", elsewhere);
	fprintf(stderr, "xetilectl: note: %s of argument %u do not lie as asked, for want of room\n"
		"  --strict refuses that\n", elsewhere, index);
}

static void json_buffer(const struct run *run, unsigned int index, const struct place *place)
{
	uint64_t tiles[XETILE_MAX_TILES] = { 0 }, system = 0, bytes;
	const char *told = xetile_kernel_arg_name(run->kernel, index);
	unsigned int t, last = 0;
	int i;

	for (i = 0; i < place->num; i++) {
		t = place->runs[i].tile;
		bytes = (uint64_t)place->runs[i].pages * XETILE_COLOR_PAGE;
		if (t >= XETILE_MAX_TILES) {
			system += bytes;
			continue;
		}
		tiles[t] += bytes;
		last = t > last ? t : last;
	}
	printf("{\"arg\":%u,\"name\":", index);
	if (told)
		ctl_json_string(told);
	else
		printf("null");
	printf(",\"size\":%" PRIu64 ",\"color\":", run->args[index].size);
	ctl_json_string(color_of(run, &run->args[index]));
	printf(",\"tiles\":[");
	for (t = 0; t <= last; t++)
		printf("%s%" PRIu64, t ? "," : "", tiles[t]);
	printf("],\"system\":%" PRIu64 ",\"misplaced\":%" PRIu64 "}", system, place->misplaced);
}

static int report_buffers(struct run *run)
{
	struct place place;
	bool first = true;
	unsigned int i;

	for (i = 0; i < run->num_args; i++) {
		if (!run->args[i].mem)
			continue;
		if (find_place(run->args[i].mem, &place))
			return CTL_FAILED;
		if (first && !run->json)
			printf("ARG  NAME           SIZE  COLOR       %-*s  AS ASKED\n", BAR,
			       "TILES OF ITS PAGES");
		if (!first && run->json)
			putchar(',');
		first = false;
		if (run->json)
			json_buffer(run, i, &place);
		else
			text_buffer(run, i, &place);
		free(place.runs);
	}
	return CTL_OK;
}

/* --- the end ----------------------------------------------------------------------------- */

static void print_queue(const struct xetile_queue_info *info, bool json)
{
	unsigned int i;

	for (i = 0; i < info->num_members; i++)
		printf(json ? "%s{\"tile\":%u,\"instance\":%d,\"cslice_mask\":%u}" :
		       "%stile %u CCS%d (cslices 0x%x)", i ? json ? "," : ", " : "",
		       info->members[i].tile, info->members[i].instance,
		       info->members[i].cslice_mask);
}

static int report_dumps(struct run *run)
{
	bool first = true;
	int ret = CTL_OK;
	unsigned int i;

	for (i = 0; i < run->num_args; i++) {
		struct ctl_arg *arg = &run->args[i];

		if (!arg->mem)
			continue;
		if (ctl_arg_save(arg))
			ret = CTL_FAILED;
		if (!arg->dump)
			continue;
		if (run->json && !first)
			putchar(',');
		ctl_arg_print(arg, i, run->json);
		first = false;
	}
	return ret;
}

int run_report(struct run *run)
{
	struct xetile_queue_info info;
	char selector[32];
	int ret;

	xetile_device_selector(run->device, selector, sizeof(selector));
	if (xetile_queue_get_info(run->queue, &info))
		return ctl_failed("queue");
	if (run->json) {
		printf("{\"kernel\":");
		ctl_json_string(run->kernel_name);
		printf(",\"device\":");
		ctl_json_string(selector);
		printf(",\"seconds\":%.6f,\"members\":[", run->seconds);
	} else {
		printf("%s on %s: ", run->kernel_name, selector);
	}
	print_queue(&info, run->json);
	if (run->json)
		printf("],");
	else
		printf("; ended well\n");
	run_print_times(run);
	if (run->json)
		printf(",\"buffers\":[");
	ret = report_buffers(run);
	if (run->json)
		printf("],\"dumps\":[");
	if (report_dumps(run))
		ret = CTL_FAILED;
	if (run->json)
		printf("]}\n");
	return ret;
}

/* --- failures ------------------------------------------------------------------------------ */

static void print_nearest(const struct run *run, uint64_t page)
{
	struct fault_arg *args = calloc(run->num_args + 1, sizeof(*args));
	unsigned int i, num = 0;
	char text[256];

	for (i = 0; args && i < run->num_args; i++) {
		const struct ctl_arg *arg = &run->args[i];

		if (!arg->mem && arg->kind != CTL_ARG_NULL)
			continue;
		args[num++] = (struct fault_arg) {
			.index = i,
			.name = xetile_kernel_arg_name(run->kernel, i),
			.addr = arg->mem ? xetile_mem_address(arg->mem) : 0,
			.size = arg->size,
			.mapped = arg->mem ? xetile_mem_size(arg->mem) : 0,
		};
	}
	if (args)
		fault_text(text, sizeof(text), page, args, num);
	if (args && *text)
		fprintf(stderr, "  %s\n", text);
	free(args);
}

int run_report_failure(struct run *run)
{
	struct xetile_queue_info info;
	const struct xetile_queue_ban *ban = &info.ban;
	char where[64];

	/* A kernel of somebody else's may have done it, or the card is gone. */
	if (xetile_queue_get_info(run->queue, &info) || !info.banned ||
	    ban->reason < XETILE_BAN_TIMEOUT || ban->reason > XETILE_BAN_FAULT)
		return ctl_failed(run->kernel_name);
	snprintf(where, sizeof(where), "tile %u %s%u", ban->tile,
		 ban->engine_class == XETILE_COPY ? "BCS" : "CCS", ban->instance);
	fprintf(stderr, "xetilectl: %s: ", run->kernel_name);
	switch (ban->reason) {
	case XETILE_BAN_FAULT:
		if (!ban->fault_known) {
			fprintf(stderr, "page fault on %s: its address is not known, "
				"as when other engines of the tile fail with it\n", where);
			break;
		}
		fprintf(stderr, "page fault on %s: %s at 0x%" PRIx64 "\n", where,
			ban->fault_write ? "write" : "read", ban->fault_addr);
		print_nearest(run, ban->fault_addr);
		break;
	case XETILE_BAN_TIMEOUT:
		fprintf(stderr, "stopped on %s: it did not end within %.3g s\n", where,
			run->limit_ms / 1000.0);
		break;
	case XETILE_BAN_PREEMPT:
		fprintf(stderr, "stopped on %s: it did not leave the engine when others had a turn\n",
			where);
		break;
	default:
		fprintf(stderr, "stopped on %s: the engine reported an error\n", where);
	}
	return CTL_KERNEL;
}
