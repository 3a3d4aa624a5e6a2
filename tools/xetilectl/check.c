// SPDX-License-Identifier: MIT
/*
 * xetilectl check: audits cards that no driver drives, before one does.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "check.h"
#include "ctl.h"
#include "options.h"

#define SYSFS	"/sys/bus/pci/devices"

static void usage(FILE *out)
{
	fputs("usage: xetilectl check [--json] [--wake] [--pcode] [PCI-ADDRESS]\n\n"
	      "Reads config space and registers of a card that no driver drives, and compares them\n"
	      "with what the public sources say: PASS, DIFF (not as expected) or UNKNOWN (nobody\n"
	      "has published what to expect, or not read). Without an address every card is\n"
	      "audited. Needs root. Nothing is written, unless:\n"
	      "  --wake   wakes the power wells, for the registers behind them, and steers reads of\n"
	      "           replicated registers; both are put back at the end\n"
	      "  --pcode  asks the power controller for its status\n"
	      "  --json   prints one line of JSON, made to be sent\n"
	      "  --sysfs FOLDER  looks for cards there instead of " SYSFS "\n"
	      "Exit status: 0 without a DIFF, else 1.\n", out);
}

static const char *const verdicts[CHECK_NUM_VERDICTS] = {
	[CHECK_PASS] = "PASS", [CHECK_DIFF] = "DIFF", [CHECK_UNKNOWN] = "UNKNOWN",
};

struct report {
	bool json;
	bool more;		/* a line was printed before */
	unsigned int count[CHECK_NUM_VERDICTS];
};

static void print_finding(void *arg, const struct check_finding *f)
{
	struct report *r = arg;

	r->count[f->verdict]++;
	if (!r->json) {
		printf("%-7s  %-34s %-22s %s\n", verdicts[f->verdict], f->name, f->value, f->note);
		return;
	}
	printf("%s{\"name\":\"%s\",\"verdict\":\"%s\",\"value\":", r->more ? "," : "", f->name,
	       verdicts[f->verdict]);
	r->more = true;
	ctl_json_string(f->value);
	if (f->offset != CHECK_ALL_ONES)
		printf(",\"offset\":\"%#x\"", f->offset);
	if (f->note[0]) {
		printf(",\"note\":");
		ctl_json_string(f->note);
	}
	putchar('}');
}

static void print_head(const struct check_card *card, struct report *r, bool first)
{
	if (r->json) {
		printf("%s{\"address\":", first ? "" : ",");
		ctl_json_string(card->address);
		printf(",\"device\":\"8086:%04x\",\"revision\":\"%02x\",\"driver\":", card->device,
		       card->revision);
		if (card->driver[0])
			ctl_json_string(card->driver);
		else
			printf("null");
		printf(",\"wake\":%s,\"pcode\":%s,\"lines\":[",
		       card->writes & CHECK_WAKE ? "true" : "false",
		       card->writes & CHECK_PCODE ? "true" : "false");
		return;
	}
	printf("%s: 8086:%04x revision %02x, %u tile%s\n", card->address, card->device,
	       card->revision, card->tiles, card->tiles == 1 ? "" : "s");
	if (card->driver[0])
		printf("bound to %s: the values are those that %s has made\n", card->driver,
		       card->driver);
}

/* A card that cannot be audited, as JSON */
static void print_refused(const struct check_card *card, bool first)
{
	printf("%s{\"address\":", first ? "" : ",");
	ctl_json_string(card->address);
	printf(",\"error\":");
	ctl_json_string(card->error);
	putchar('}');
}

/* Returns the exit code of one card. */
static int check_one(struct check_card *card, bool json, bool first)
{
	struct report r = { .json = json };
	sigset_t all, before;

	if (check_card_open(card)) {
		if (json)
			print_refused(card, first);
		return CTL_FAILED;
	}
	print_head(card, &r, first);

	/* What was written is put back, also when the user has no patience. */
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	if (card->writes & CHECK_WAKE)
		check_card_wake(card);
	check_table_run(card, print_finding, &r);
	if (card->writes & CHECK_WAKE)
		check_card_sleep(card);
	sigprocmask(SIG_SETMASK, &before, NULL);
	check_card_close(card);

	if (json)
		printf("],\"pass\":%u,\"diff\":%u,\"unknown\":%u}", r.count[CHECK_PASS],
		       r.count[CHECK_DIFF], r.count[CHECK_UNKNOWN]);
	else
		printf("%u PASS, %u DIFF, %u UNKNOWN\n", r.count[CHECK_PASS], r.count[CHECK_DIFF],
		       r.count[CHECK_UNKNOWN]);
	return r.count[CHECK_DIFF] ? CTL_FAILED : CTL_OK;
}

int ctl_check(int argc, char **argv)
{
	struct check_card card = { .sysfs = SYSFS };
	const char *address = NULL, *sysfs = SYSFS;
	bool json = false, wake = false, pcode = false;
	const struct option_line lines[] = {
		{ "json", 'j', OPTION_FLAG, &json },
		{ "wake", 0, OPTION_FLAG, &wake },
		{ "pcode", 0, OPTION_FLAG, &pcode },
		{ "sysfs", 0, OPTION_FOLDER, &sysfs },
		{ NULL },
	};
	const struct option_table table = { "check", lines, 1, usage, OPTION_TEXT };
	unsigned int writes, cards = 0;
	struct utsname kernel;
	char next[32] = "";
	int ret = CTL_OK, one;

	if (!options_read(&table, argc, argv, &ret))
		return ret;
	writes = (wake ? CHECK_WAKE : 0) | (pcode ? CHECK_PCODE : 0);
	if (optind < argc)
		address = argv[optind];
	if (address && (strlen(address) >= sizeof(card.address) || strchr(address, '/')))
		return ctl_usage("'%s' is no PCI address", address);

	if (json) {
		printf("{\"xetilectl\":\"%d.%d\",\"kernel\":", XETILE_VERSION_MAJOR,
		       XETILE_VERSION_MINOR);
		ctl_json_string(uname(&kernel) ? "" : kernel.release);
		printf(",\"cards\":[");
	}
	while (address ? !cards : check_card_next(sysfs, next)) {
		memset(&card, 0, sizeof(card));
		card.sysfs = sysfs;
		card.writes = writes;
		snprintf(card.address, sizeof(card.address), "%s", address ? address : next);
		one = check_one(&card, json, !cards);
		if (one)
			ret = one;
		cards++;
	}
	if (json)
		printf("]}\n");
	if (!cards) {
		fprintf(stderr, "xetilectl: no card below %s\n", sysfs);
		return CTL_FAILED;
	}
	return ret;
}
