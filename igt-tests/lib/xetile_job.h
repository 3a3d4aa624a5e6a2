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
/* On slice @v of tile 0 alone; nobody shares its engine, but the domain of its reset. */
void job_init_on_cslice(struct job *j, int fd, unsigned int v, uint32_t limit_ms);
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
/* Submits a batch of the caller's making, in the job's buffer; its fence's status. */
int job_run_at(struct job *j, uint32_t offset);
bool job_is_banned(const struct job *j);
/* It is banned for the reason in @ban, or for none, on an engine that it had. */
void job_check_ban(const struct job *j, const struct drm_xetile_queue_ban *ban);
/* A banned queue refuses; a new one of the same file works. */
void job_check_banned(struct job *j);
/* Its queue was never reset, and works. */
void job_check_unharmed(struct job *j);
/* It is banned for @ban, and may begin anew; or it is not, and its own next job is right. */
void job_check_own(struct job *j, int status, const struct drm_xetile_queue_ban *ban);

/* Whether a process sleeps in a function of the kernel's */
bool xetile_sleeps_in(pid_t pid, const char *function);
/* Whether it sleeps until a job is done */
bool xetile_waits_for_fence(pid_t pid);

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

/* A job of another file, which is held; what waits for it can be anybody's. */
struct dam {
	struct job job;
};

void dam_init(struct dam *d, int fd);
/* The fence in a syncobj of another file */
uint32_t dam_fence(const struct dam *d, int fd);
void dam_open(struct dam *d);
void dam_fini(struct dam *d);

/* Jobs of every kind end well. */
void job_check_usable(int fd);

#endif
