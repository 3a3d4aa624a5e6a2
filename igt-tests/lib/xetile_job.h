/* SPDX-License-Identifier: MIT */
/*
 * Jobs of which is known whether they ended, how, and where they ran.
 */
#ifndef XETILE_JOB_H
#define XETILE_JOB_H

#include <sys/types.h>

#include "xetile_igt.h"

#define JOB_BATCH_ADDR	0x10000000ull
#define JOB_DATA_ADDR	0x4000000000ull

#define COMPUTE		DRM_XETILE_ENGINE_COMPUTE
#define COPY		DRM_XETILE_ENGINE_COPY
#define ROOT		DRM_XETILE_TARGET_ROOT
#define TILE		DRM_XETILE_TARGET_TILE

/* Each way into the engines. */
enum job_kind {
	JOB_COMPUTE_TILE,
	JOB_COPY_TILE,
	JOB_COMPUTE_ROOT,
	JOB_KINDS
};

const char *job_kind_name(enum job_kind kind);

/* A file of its own with a queue, and a job that stores a new number. */
struct job {
	int fd;
	bool own_fd;
	enum job_kind kind;
	uint32_t limit_ms;
	uint32_t vm, queue, number, syncobj;
	struct xetile_buf batch, data;
	char engine[32];		/* as the card calls it; the last tile's */
};

/* @limit_ms: engine time of a job, 0: long enough for all that is innocent */
void job_init(struct job *j, int fd, enum job_kind kind, uint32_t limit_ms);
/*
 * On a file that is the caller's, and by an ordinary user: of a card's state nothing is
 * looked at.  The file stays open.
 */
void job_init_at(struct job *j, int fd, enum job_kind kind, uint32_t limit_ms);
void job_fini(struct job *j);
/* Another queue of that kind; the one there was is the caller's, or is destroyed. */
void job_new_queue(struct job *j);
void job_renew_queue(struct job *j);
/* 0 or -errno; held, it waits for a word nobody writes. */
int job_start(struct job *j);
int job_start_held(struct job *j);
/* It loops until it is stopped. */
int job_start_endless(struct job *j);
/* The fence's status: 1, or the error. That it signals at all is asserted. */
int job_end(struct job *j);
/*
 * Both, and until no queue has an engine: what starts before may go to another engine
 * than the one that is to fail.
 */
int job_run(struct job *j);
bool job_is_banned(const struct job *j);
/* It is banned for the reason in @ban, or for none, on an engine that it had. */
void job_check_ban(const struct job *j, const struct drm_xetile_queue_ban *ban);

/* Whether a process sleeps in a function of the kernel's */
bool xetile_sleeps_in(pid_t pid, const char *function);

/*
 * A queue that has no room: a job at its head that does not end by itself, and may take
 * an hour, and a process that waits until another can be queued.
 */
struct crowd {
	struct job job;
	int fence;			/* the job's, which outlives the card */
	pid_t waiter;
};

void crowd_init(struct crowd *c, int fd, enum job_kind kind);
/* The errno of the call that waited, and what became of the job: its fence's status */
int crowd_end(struct crowd *c, int *status);

/* Jobs of every kind end well. */
void job_check_usable(int fd);

#endif
