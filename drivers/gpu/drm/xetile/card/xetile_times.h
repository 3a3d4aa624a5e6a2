/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_TIMES_H__
#define __XETILE_TIMES_H__

#include <linux/compiler.h>
#include <linux/minmax.h>
#include <linux/types.h>

/** enum xetile_time - a time that the administrator sets for a class of engines */
enum xetile_time {
	/** @XETILE_TIME_JOB: engine time a batch may take, in ms */
	XETILE_TIME_JOB,
	/** @XETILE_TIME_PREEMPT: time a batch has to leave when it is asked to, in us */
	XETILE_TIME_PREEMPT,
	/** @XETILE_TIME_SLICE: engine time of a turn at weight 100, in us */
	XETILE_TIME_SLICE,
	/** @XETILE_TIMES: how many there are */
	XETILE_TIMES
};

/** enum xetile_time_part - the parts of a time */
enum xetile_time_part {
	/** @XETILE_TIME_SET: the time itself */
	XETILE_TIME_SET,
	/** @XETILE_TIME_MIN: the least it may be */
	XETILE_TIME_MIN,
	/** @XETILE_TIME_MAX: the most it may be */
	XETILE_TIME_MAX,
	/** @XETILE_TIME_PARTS: how many there are */
	XETILE_TIME_PARTS
};

/**
 * struct xetile_times - the times of a class of engines of a tile
 *
 * The times are read at any time, without a lock.
 */
struct xetile_times {
	/** @of: by enum xetile_time and enum xetile_time_part */
	u32 of[XETILE_TIMES][XETILE_TIME_PARTS];
};

/* The times when the module is loaded */
extern const struct xetile_times xetile_times_default;

int xetile_times_write(struct xetile_times *times, enum xetile_time time,
		       enum xetile_time_part part, u32 value);
bool xetile_times_job_possible(u32 ms);
u32 xetile_times_job_longest(void);

/**
 * xetile_times_read() - read a time
 * @times: of a class
 * @time: which one
 * @part: which part of it
 *
 * Return: its value in its unit.
 */
static inline u32 xetile_times_read(const struct xetile_times *times, enum xetile_time time,
				    enum xetile_time_part part)
{
	return READ_ONCE(times->of[time][part]);
}

/**
 * xetile_times_clamp() - put a value between the bounds of a time
 * @times: of a class
 * @time: which one
 * @value: value in the unit of the time
 *
 * Return: the value, or the bound that it exceeds.
 */
static inline u32 xetile_times_clamp(const struct xetile_times *times, enum xetile_time time,
				     u64 value)
{
	u64 least = xetile_times_read(times, time, XETILE_TIME_MIN);
	u64 most = xetile_times_read(times, time, XETILE_TIME_MAX);

	return min(max(value, least), most);
}

#endif
