/* SPDX-License-Identifier: MIT */
/*
 * What a self-test finds, unit by unit: the files that test engines and memory make the list, and
 * those that show it print to a stream.
 */
#ifndef _XETILECTL_SELFTEST_H_
#define _XETILECTL_SELFTEST_H_

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <xetile.h>

enum selftest_kind {
	SELFTEST_GANG,		/* compute engines of all tiles, as one */
	SELFTEST_COMPUTE,	/* a compute engine */
	SELFTEST_COPY,		/* a copy engine */
	SELFTEST_CLEAR,		/* what the driver writes with its own engine: new memory is zero */
	SELFTEST_HBM,		/* a tile's memory */
	SELFTEST_KINDS
};

enum selftest_verdict {
	SELFTEST_PASS,
	SELFTEST_FAIL,
	SELFTEST_NOT_RUN,	/* nothing is known: there was no room, or others have the engine */
};

/* Words that are not as they should be, and the first one */
struct selftest_wrong {
	uint64_t words;			/* 0: none */
	uint64_t address;		/* of the GPU */
	uint64_t expected, found;
	unsigned int bytes;		/* of a word */
};

struct selftest_unit {
	enum selftest_kind kind;
	enum selftest_verdict verdict;
	char device[32];		/* its selector */
	char engine[16];		/* "CCS0"; empty: several, or not known */
	uint32_t cslices;		/* compute slices of the engine */
	unsigned int tests;		/* kernels, or operations */
	uint64_t bytes;			/* that were tested */
	uint64_t of;			/* HBM: that were free */
	char reason[240];		/* why it did not pass: the first that went wrong */
	struct selftest_wrong wrong;
};

struct selftest {
	struct selftest_unit *units;
	unsigned int num;
	/* What the user wants */
	uint64_t memory;		/* bytes of each tile; UINT64_MAX: all that is free */
	bool progress;			/* tell on standard error what is being done */
};

/* Add a unit, which has passed until something fails it. Returns NULL after a message. */
struct selftest_unit *selftest_add(struct selftest *test, enum selftest_kind kind,
				   struct xetile_device *device);
/* A unit fails, or is not run. Only the first reason stays. */
void selftest_fail(struct selftest_unit *unit, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void selftest_not_run(struct selftest_unit *unit, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/*
 * Make a queue whose work may take @limit_ms, or as long as the driver allows this process. Returns
 * 0 or the library's error.
 */
int selftest_queue(struct xetile_context *context, struct xetile_device *device,
		   enum xetile_queue_class class, uint32_t limit_ms, struct xetile_queue **out);
/* It fails if there are wrong words of @what. */
void selftest_judge(struct selftest_unit *unit, const char *what,
		    const struct selftest_wrong *wrong);
/* It fails because the work @what on a queue did: says why the driver stopped it. */
void selftest_stopped(struct selftest_unit *unit, const char *what, struct xetile_queue *queue);
/* Tell the user what is being done, if it is wanted; @percent below 0: not known */
void selftest_progress(const struct selftest *test, const char *device, const char *what,
		       int percent);

/*
 * The tests: of kernels on the compute engines of several devices at once, and of a tile's copy
 * engines and memory. A return of CTL_FAILED means that the program cannot go on, and follows a
 * message; what the card does wrong is in the units.
 */
int selftest_kernels(struct selftest *test, struct xetile_context *context,
		     enum selftest_kind kind, struct xetile_device *const *devices,
		     unsigned int num);
int selftest_copies(struct selftest *test, struct xetile_context *context,
		    struct xetile_device *tile);
int selftest_memory(struct selftest *test, struct xetile_context *context,
		    struct xetile_device *tile);

/* What all units together are: a failure counts more than what was not run. Pure, as the next. */
enum selftest_verdict selftest_verdict(const struct selftest *test);
/* Text of 80 columns at most */
void selftest_view(FILE *out, const struct selftest *test);
/* One line of JSON, on standard output */
void selftest_json(const struct selftest *test);

#endif
