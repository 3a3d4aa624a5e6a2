// SPDX-License-Identifier: MIT
/*
 * xetilectl top: the processes that use a card, again and again.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "collect.h"
#include "ctl.h"
#include "load_json.h"
#include "options.h"
#include "terminal.h"
#include "top_view.h"

struct top {
	struct sample_card card;
	struct top_view view;
	struct sample before, now;	/* @before is empty until there are two */
	struct load load;
	bool has_before, has_now;
	bool json, help;
	unsigned int count;		/* frames; 0: without end */
};

static void usage(FILE *out)
{
	fputs("usage: xetilectl top [CARD] [--interval SECONDS] [--once | -n COUNT] [--json]\n\n"
	      "Shows how busy a card (default: the first one) and its tiles, slices and copy engines\n"
	      "are, their memory, and the processes that use them, until q is pressed; h shows the\n"
	      "other keys. All shares are of the time between two looks. What is shown of processes\n"
	      "is that of \"xetilectl who\". The card is not woken up.\n"
	      "  --device, -d CARD      the same as CARD\n"
	      "  --interval, -i SECONDS  time between two looks, 0.1 to 3600 (default 1)\n"
	      "  --once                 one frame, as text, of the first interval\n"
	      "  --count, -n COUNT      so many frames\n"
	      "  --json                 a line of JSON for each frame\n", out);
}

/* --- frames --------------------------------------------------------------------------- */

/* Looks at the card. The frame compares it with the look before. Returns 0 or -errno. */
static int look(struct top *top)
{
	struct sample next;
	int err = collect(&top->card, &next);

	if (err)
		return err;
	load_free(&top->load);
	sample_free(&top->before);
	top->before = top->now;
	top->has_before = top->has_now;
	top->now = next;
	top->has_now = true;
	return load_make(&top->card, top->has_before ? &top->before : NULL, &top->now,
			 &top->load) ? 0 : -ENOMEM;
}

static void print(FILE *out, struct top *top)
{
	char clock[16] = "";
	time_t now = time(NULL);
	struct tm *tm = localtime(&now);

	if (tm)
		strftime(clock, sizeof(clock), "%H:%M:%S", tm);
	top->view.clock = clock;
	load_sort(&top->load, top->view.order);
	top_view(out, &top->view, &top->card, &top->now, &top->load);
}

/* --- one frame after another ----------------------------------------------------------- */

static void sleep_for(double seconds)
{
	struct timespec time = { .tv_sec = seconds };

	time.tv_nsec = (seconds - time.tv_sec) * 1e9;
	clock_nanosleep(CLOCK_MONOTONIC, 0, &time, NULL);
}

static void print_frame(struct top *top)
{
	if (!top->json) {
		print(stdout, top);
		return;
	}
	load_sort(&top->load, top->view.order);
	load_json(&top->card, &top->now, &top->load);
	putchar('\n');
}

static int print_frames(struct top *top)
{
	unsigned int height, i;
	int err = look(top);

	terminal_size(&top->view.style.width, &height);
	for (i = 0; !err && (!top->count || i < top->count); i++) {
		sleep_for(top->view.interval);
		err = look(top);
		if (err)
			break;
		if (i && !top->json)
			putchar('\n');
		print_frame(top);
		if (ctl_flush())
			return CTL_FAILED;
	}
	return err ? collect_failed(&top->card, err) : CTL_OK;
}

/* --- live ------------------------------------------------------------------------------ */

static void draw(struct top *top)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	unsigned int height;

	if (!out)
		return;
	terminal_size(&top->view.style.width, &height);
	top->view.height = height;
	if (top->help)
		top_view_help(out, &top->view.style);
	else
		print(out, top);
	if (!fclose(out))
		terminal_show(text, size, height);
	free(text);
}

static void move(struct top *top, long by)
{
	long first = (long)top->view.first + by, last = (long)top->load.num_rows - 1;

	if (first > last)
		first = last;
	top->view.first = first < 0 ? 0 : first;
}

static void change_interval(struct top *top, double factor)
{
	double interval = top->view.interval * factor;

	if (interval >= 0.1 && interval <= 3600)
		top->view.interval = interval;
}

static void sort_by(struct top *top, int order)
{
	top->view.order = (order + LOAD_ORDERS) % LOAD_ORDERS;
	top->view.first = 0;
}

enum key_result { KEY_DRAW, KEY_LOOK, KEY_END };

static enum key_result press(struct top *top, int key)
{
	int order = top->view.order;

	if (top->help) {
		top->help = false;
		return KEY_DRAW;
	}
	switch (key) {
	case 'q': case 'Q':
		return KEY_END;
	case ' ': case '\n':
		return KEY_LOOK;
	case 'h': case '?':
		top->help = true;
		break;
	case 'p': case 'P': case 'b':
		sort_by(top, LOAD_BY_BUSY);
		break;
	case 'm': case 'M':
		sort_by(top, LOAD_BY_MEMORY);
		break;
	case 'n': case 'N':
		sort_by(top, LOAD_BY_PID);
		break;
	case TERMINAL_LEFT:
		sort_by(top, order - 1);
		break;
	case TERMINAL_RIGHT:
		sort_by(top, order + 1);
		break;
	case '1': case 't':
		top->view.style.tiles = !top->view.style.tiles;
		break;
	case '+':
		change_interval(top, 2);
		break;
	case '-':
		change_interval(top, 0.5);
		break;
	case TERMINAL_UP:
		move(top, -1);
		break;
	case TERMINAL_DOWN:
		move(top, 1);
		break;
	case TERMINAL_PAGE_UP:
		move(top, -(long)top->view.height / 2);
		break;
	case TERMINAL_PAGE_DOWN:
		move(top, top->view.height / 2);
		break;
	case TERMINAL_HOME:
		top->view.first = 0;
		break;
	}
	return KEY_DRAW;
}

static double now_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec + now.tv_nsec / 1e9;
}

/* Returns when it is time for the next look, or it shall end: then false. */
static bool wait_for_look(struct top *top, double last)
{
	enum terminal_event event;
	double left;
	int key;

	for (;;) {
		left = last + top->view.interval - now_seconds();
		if (left <= 0)
			return true;
		event = terminal_wait(left * 1000 + 1, &key);
		if (event == TERMINAL_END)
			return false;
		if (event == TERMINAL_TIMEOUT)
			continue;
		if (event == TERMINAL_KEY) {
			switch (press(top, key)) {
			case KEY_END:
				return false;
			case KEY_LOOK:
				return true;
			case KEY_DRAW:
				break;
			}
		}
		draw(top);
	}
}

static int live(struct top *top)
{
	int err = look(top);
	double last;

	if (err)
		return collect_failed(&top->card, err);
	if (terminal_open()) {
		perror("xetilectl: terminal");
		return CTL_FAILED;
	}
	do {
		last = now_seconds();
		move(top, 0);
		draw(top);
		if (!wait_for_look(top, last))
			break;
		err = look(top);
	} while (!err);
	terminal_close();
	return err ? collect_failed(&top->card, err) : CTL_OK;
}

int ctl_top(int argc, char **argv)
{
	struct top top = { .view = { .interval = 1, .style = { .tiles = true } } };
	const char *device = NULL, *selector;
	bool once = false;
	const struct option_line lines[] = {
		{ "device", 'd', OPTION_DEVICE, &device },
		{ "interval", 'i', OPTION_SECONDS, &top.view.interval },
		{ "once", 0, OPTION_FLAG, &once },
		{ "count", 'n', OPTION_COUNT, &top.count },
		{ "json", 'j', OPTION_FLAG, &top.json },
		{ NULL },
	};
	const struct option_table table = { "top", lines, 1, usage, OPTION_DEVICE };
	struct xetile_platform *platform;
	struct xetile_device *root;
	int ret;

	if (!options_read(&table, argc, argv, &ret))
		return ret;
	if (once && top.count)
		return ctl_usage("--once is one frame, so there is no --count");
	if (once)
		top.count = 1;
	ret = options_device(argc, argv, device, &selector);
	if (!ret)
		ret = ctl_open_card(selector, &platform, &root);
	if (ret)
		return ret;
	ret = collect_card(root, &top.card);
	xetile_platform_close(platform);
	if (ret)
		return ret;
	top.view.style.color = terminal_has_color();
	top.view.style.cut = !top.count && !top.json && terminal_is_live();
	ret = top.view.style.cut ? live(&top) : print_frames(&top);
	load_free(&top.load);
	sample_free(&top.before);
	sample_free(&top.now);
	return ret;
}
