// SPDX-License-Identifier: GPL-2.0-only
#include "card/xetile_times.h"

#include <linux/errno.h>
#include <linux/mutex.h>

/**
 * DOC: times of a class of engines
 *
 * How long a job may run, how long it may take to leave its engine, and how long its turn is,
 * each with the bounds that an administrator allows. The files of sysfs write them, the
 * scheduler reads them whenever it needs one. Writers have a mutex of their own; readers take
 * no lock, because each number stands for itself.
 */

/* Limits that an administrator cannot exceed */
static const struct {
	u32 min, max;
} hard[XETILE_TIMES] = {
	[XETILE_TIME_JOB] = { 1, 3600000 },
	[XETILE_TIME_PREEMPT] = { 1000, 10000000 },
	[XETILE_TIME_SLICE] = { 500, 10000000 },
};

const struct xetile_times xetile_times_default = {
	.of = {
		[XETILE_TIME_JOB] = { 10000, 1, 10000 },
		[XETILE_TIME_PREEMPT] = { 640000, 1000, 10000000 },
		[XETILE_TIME_SLICE] = { 5000, 500, 50000 },
	},
};

/* Keeps the values that a writer has checked from changing before it writes; writers are few. */
static DEFINE_MUTEX(writers);

/**
 * xetile_times_write() - set a time
 * @times: of a class
 * @time: which one
 * @part: which part of it
 * @value: value in the unit of the time
 *
 * The time has to lie between its bounds. The bounds are limited by each other, and by the hard
 * limits. A new bound may leave the time outside: then the bound counts.
 *
 * Context: process.
 * Return: 0, or -EINVAL; on failure nothing has changed.
 */
int xetile_times_write(struct xetile_times *times, enum xetile_time time,
		       enum xetile_time_part part, u32 value)
{
	u32 *of = times->of[time], least, most;

	guard(mutex)(&writers);
	least = part == XETILE_TIME_MIN ? hard[time].min : of[XETILE_TIME_MIN];
	most = part == XETILE_TIME_MAX ? hard[time].max : of[XETILE_TIME_MAX];
	if (value < least || value > most)
		return -EINVAL;
	WRITE_ONCE(of[part], value);
	return 0;
}

/**
 * xetile_times_job_possible() - whether a batch can have so much time at all
 * @ms: engine time in ms
 *
 * Context: any.
 *
 * Return: true if it can, for a caller who may exceed the administrator's bounds.
 */
bool xetile_times_job_possible(u32 ms)
{
	return ms >= hard[XETILE_TIME_JOB].min && ms <= hard[XETILE_TIME_JOB].max;
}

/**
 * xetile_times_job_longest() - the longest time that a batch can have at all
 *
 * Context: any.
 *
 * Return: engine time in ms.
 */
u32 xetile_times_job_longest(void)
{
	return hard[XETILE_TIME_JOB].max;
}
