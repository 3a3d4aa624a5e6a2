/* SPDX-License-Identifier: MIT */
/*
 * Jobs whose end can be checked: whether they ended, with which status, and on which engine.
 */
#ifndef XETILE_JOB_H
#define XETILE_JOB_H

#include <sys/types.h>

#include "xetile_igt.h"

#define JOB_BATCH_ADDR	0x10000000ull
#define JOB_DATA_ADDR	0x4000000000ull

/* The kinds of jobs: engine class and target of their queue */
enum job_kind {
	JOB_COMPUTE_TILE,
	JOB_COPY_TILE,
	JOB_COMPUTE_ROOT,
	JOB_KINDS
};

/* Returns the name of a kind, for the names of subtests. */
const char *job_kind_name(enum job_kind kind);

/* A queue, in a VM of its own, for jobs that each store a new number. */
struct job {
	int fd;
	bool own_fd;			/* job_fini() closes the file */
	enum job_kind kind;
	uint32_t limit_ms;
	uint32_t vm, queue, number, syncobj;
	struct xetile_buf batch, data;
	char engine[32];		/* of the first job, on the last tile: "tile0.ccs0" */
};

/*
 * Opens a DRM file of the card of @fd, creates a queue for jobs of at most @limit_ms
 * milliseconds of engine time (0: the default, which suffices for every job that ends), and runs
 * a first job. Then waits until no queue owns an engine.
 */
void job_init(struct job *j, int fd, enum job_kind kind, uint32_t limit_ms);
/*
 * As job_init(), but on the DRM file @fd, which stays open at the end. Does not read debugfs, and
 * therefore works in a process of an ordinary user.
 */
void job_init_at(struct job *j, int fd, enum job_kind kind, uint32_t limit_ms);
/*
 * As job_init(), but the queue asks for virtual slice @v of tile 0. Nobody shares its engine, but
 * other engines of the tile share the domain of the engine's reset.
 */
void job_init_on_cslice(struct job *j, int fd, unsigned int v, uint32_t limit_ms);
/* Destroys the queue, the buffers and the VM; closes the file if job_init() opened it. */
void job_fini(struct job *j);
/* Creates another queue of the kind; job_renew_queue() destroys the one before. */
void job_new_queue(struct job *j);
void job_renew_queue(struct job *j);
/*
 * Submits a job. Returns 0 or -errno. The job of job_start_held() waits for dword 64 of the data
 * buffer to become 1, which only the test can write.
 */
int job_start(struct job *j);
int job_start_held(struct job *j);
/* As job_start(), but the job loops, preemptibly, until the driver stops it. */
int job_start_endless(struct job *j);
/*
 * Asserts that the fence of the job that was started last signals within a minute, and with
 * status 1 that the job has stored its number. Returns the status: 1 or -errno.
 */
int job_end(struct job *j);
/*
 * Starts a job and waits for its end, and then until no queue owns an engine: a job that starts
 * earlier might run on another engine than the one on which the test wants a failure. Returns
 * the status of the fence: 1 or -errno.
 */
int job_run(struct job *j);
/*
 * Runs the batch that the caller has written @offset bytes into the batch buffer. Returns the
 * status of its fence: 1 or -errno.
 */
int job_run_at(struct job *j, uint32_t offset);
/* Returns whether the queue is banned. */
bool job_is_banned(const struct job *j);
/*
 * Asserts that the queue is banned, on an engine that it had, for the reason and with the fault
 * in @ban; or is not banned when the reason is DRM_XETILE_BAN_NONE.
 */
void job_check_ban(const struct job *j, const struct drm_xetile_queue_ban *ban);
/* Asserts that the queue is banned, refuses jobs with ECANCELED, and that a new one works. */
void job_check_banned(struct job *j);
/* Asserts that the queue is not banned, reports no reset, and runs a job. */
void job_check_unharmed(struct job *j);
/*
 * For a job that ended with @status: asserts what job_check_ban() does. Asserts that the next job
 * ends well, on a new queue unless @status is 1, and that the old queue then refuses jobs.
 */
void job_check_own(struct job *j, int status, const struct drm_xetile_queue_ban *ban);

/* Returns whether @function of the kernel is on the stack of process @pid. */
bool xetile_sleeps_in(pid_t pid, const char *function);
/* Returns whether process @pid sleeps until a fence signals. */
bool xetile_waits_for_fence(pid_t pid);

/*
 * A queue without room: the job at its head does not end by itself and may take an hour, and a
 * process waits until the queue has room for another job.
 */
struct crowd {
	struct job job;
	int fence;			/* sync file of the first job; outlives the card */
	pid_t waiter;
};

/* Fills the queue; returns when the process waits for room. */
void crowd_init(struct crowd *c, int fd, enum job_kind kind);
/*
 * Asserts that the waiting call and the first job have ended, each within a minute. Returns the
 * errno of the call; @status becomes the status of the first job's fence.
 */
int crowd_end(struct crowd *c, int *status);

/* A held job of another file. Jobs and binds of any file can wait for its fence. */
struct dam {
	struct job job;
};

/* Starts the job, which may run for ten minutes. */
void dam_init(struct dam *d, int fd);
/* Returns the handle that @fd has for the syncobj of the job's fence. */
uint32_t dam_fence(const struct dam *d, int fd);
/* Lets the job end; asserts that it ends without an error. */
void dam_open(struct dam *d);
void dam_fini(struct dam *d);

/* Asserts that a job of each kind ends well. */
void job_check_usable(int fd);

#endif
