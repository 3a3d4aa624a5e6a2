// SPDX-License-Identifier: MIT
/*
 * The units of a self-test, and why one did not pass.
 */
#include "selftest.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>

#include "ctl.h"

struct selftest_unit *selftest_add(struct selftest *test, enum selftest_kind kind,
				   struct xetile_device *device)
{
	struct selftest_unit *units, *unit;

	units = realloc(test->units, (test->num + 1) * sizeof(*units));
	if (!units) {
		fputs("xetilectl: out of memory\n", stderr);
		return NULL;
	}
	test->units = units;
	unit = &units[test->num++];
	*unit = (struct selftest_unit) { .kind = kind };
	xetile_device_selector(device, unit->device, sizeof(unit->device));
	return unit;
}

static void set(struct selftest_unit *unit, enum selftest_verdict verdict, const char *fmt,
		va_list args)
{
	if (unit->verdict != SELFTEST_PASS)
		return;
	unit->verdict = verdict;
	vsnprintf(unit->reason, sizeof(unit->reason), fmt, args);
}

void selftest_fail(struct selftest_unit *unit, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	set(unit, SELFTEST_FAIL, fmt, args);
	va_end(args);
}

void selftest_not_run(struct selftest_unit *unit, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	set(unit, SELFTEST_NOT_RUN, fmt, args);
	va_end(args);
}

int selftest_queue(struct xetile_context *context, struct xetile_device *device,
		   enum xetile_queue_class class, uint32_t limit_ms, struct xetile_queue **out)
{
	struct xetile_queue_desc desc = { .engine_class = class, .timeout_ms = limit_ms };
	struct xetile_device_info info;
	int err = xetile_device_get_info(device, &info);

	if (err)
		return err;
	if (info.max_timeout_ms < limit_ms)
		desc.timeout_ms = info.max_timeout_ms;
	return xetile_queue_create(context, device, &desc, out);
}

void selftest_judge(struct selftest_unit *unit, const char *what,
		    const struct selftest_wrong *wrong)
{
	if (!wrong->words || unit->verdict != SELFTEST_PASS)
		return;
	unit->wrong = *wrong;
	selftest_fail(unit, "%s: wrong result", what);
}

void selftest_stopped(struct selftest_unit *unit, const char *what, struct xetile_queue *queue)
{
	static const char *const reasons[] = {
		[XETILE_BAN_TIMEOUT] = "it did not end in time",
		[XETILE_BAN_PREEMPT] = "it did not leave the engine",
		[XETILE_BAN_ERROR] = "the engine reported an error",
		[XETILE_BAN_FAULT] = "page fault",
		[XETILE_BAN_WEDGED] = "the card is wedged",
		[XETILE_BAN_GONE] = "the card is gone",
	};
	struct xetile_queue_info info;
	char error[160];

	/* The next call of the library has another error. */
	snprintf(error, sizeof(error), "%s", xetile_last_error());
	if (xetile_queue_get_info(queue, &info) || !info.banned || !info.ban.reason ||
	    info.ban.reason >= sizeof(reasons) / sizeof(reasons[0])) {
		selftest_fail(unit, "%s: %s", what, error);
		return;
	}
	/* Of a card that is lost no engine is known. */
	if (info.ban.reason == XETILE_BAN_WEDGED || info.ban.reason == XETILE_BAN_GONE)
		selftest_fail(unit, "%s: %s", what, reasons[info.ban.reason]);
	else if (info.ban.reason == XETILE_BAN_FAULT && info.ban.fault_known)
		selftest_fail(unit, "%s: %s on tile %u %s%u: %s at 0x%" PRIx64, what,
			      reasons[info.ban.reason], info.ban.tile,
			      info.ban.engine_class == XETILE_COPY ? "BCS" : "CCS", info.ban.instance,
			      info.ban.fault_write ? "write" : "read", info.ban.fault_addr);
	else
		selftest_fail(unit, "%s: stopped on tile %u %s%u: %s", what, info.ban.tile,
			      info.ban.engine_class == XETILE_COPY ? "BCS" : "CCS", info.ban.instance,
			      reasons[info.ban.reason]);
}

void selftest_progress(const struct selftest *test, const char *device, const char *what,
		       int percent)
{
	if (!test->progress)
		return;
	/* The line is that of the next message, too. */
	if (!device)
		fputs("\r\033[K", stderr);
	else if (percent < 0)
		fprintf(stderr, "\r\033[K%s: %s", device, what);
	else
		fprintf(stderr, "\r\033[K%s: %s, %d%%", device, what, percent);
}
