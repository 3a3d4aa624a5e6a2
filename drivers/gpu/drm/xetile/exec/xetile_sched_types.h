/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_SCHED_TYPES_H__
#define __XETILE_SCHED_TYPES_H__

#include <linux/atomic.h>
#include <linux/bits.h>
#include <linux/container_of.h>
#include <linux/hrtimer.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/ratelimit_types.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "card/xetile_engine.h"
#include "card/xetile_gate.h"
#include "card/xetile_tile.h"
#include "exec/xetile_dispatch_types.h"

/**
 * DOC: what the scheduler works on
 *
 * The state of a card and the part of a queue that the scheduler knows, for the files
 * xetile_sched*.c and those that they call. The execution lock protects both; see
 * xetile_sched_lock.c.
 */

struct drm_printer;
struct xetile_account;
struct xetile_coredump;
struct xetile_device;
struct xetile_job;
struct xetile_lrc;
struct xetile_sched_queue;
struct xetile_sched_usage;
struct xetile_score;
struct xetile_vm;

/** enum xetile_ban_reason - why a queue is banned */
enum xetile_ban_reason {
	/** @XETILE_BAN_NONE: the queue is not banned, or all queues are */
	XETILE_BAN_NONE,
	/** @XETILE_BAN_TIMEOUT: a job used up its time */
	XETILE_BAN_TIMEOUT,
	/** @XETILE_BAN_PREEMPT: a job did not leave in time when asked to */
	XETILE_BAN_PREEMPT,
	/** @XETILE_BAN_ERROR: its engine reported an error */
	XETILE_BAN_ERROR,
	/** @XETILE_BAN_FAULT: an error that is a page fault */
	XETILE_BAN_FAULT,
};

/** struct xetile_fault - an access of a queue to an address that is not mapped for it */
struct xetile_fault {
	/** @known: the engine's tile told the address; if not, the other members are 0 */
	bool known;
	/** @write: the access was a write */
	bool write;
	/** @addr: GPU address of the page */
	u64 addr;
};

/** struct xetile_ban - the reason for which a queue was banned */
struct xetile_ban {
	/** @reason: the kind of reason */
	enum xetile_ban_reason reason;
	/** @engine: engine on which the job failed; NULL: the queue was on none any more */
	const struct xetile_engine *engine;
	/** @fault: FAULT: the access */
	struct xetile_fault fault;
};

/** struct xetile_sched - execution state of a card */
struct xetile_sched {
	/** @xt: the card */
	struct xetile_device *xt;
	/**
	 * @lock: protects all of this struct, the engines' ports, the contexts, and
	 * the queues' lists. Taken in hard interrupts; nothing is allocated under
	 * it and no fence is signalled.
	 */
	spinlock_t lock;
	/** @dispatch: which gang runs on which engines */
	struct xetile_dispatch dispatch;
	/** @kernel: the turns of the kernel's own queues, which are of the highest priority */
	struct xetile_dispatch_client kernel;
	/** @kernel_accounts: its accounts, by tile */
	struct xetile_dispatch_account kernel_accounts[XETILE_MAX_TILES][XETILE_DISPATCH_GROUP];
	/** @singles: of each copy engine: queues with work that may use it alone */
	unsigned int singles[XETILE_DISPATCH_ENGINES];
	/** @queues: all queues but those of @banned; see xetile_sched_visit_queues() */
	struct list_head queues;
	/** @banned: queues that were banned because the card is wedged; likewise */
	struct list_head banned;
	/** @walk: number of the last walk through one of these lists */
	u64 walk;
	/** @hung: queues that the dispatcher reported to hang; for @reset_work */
	struct list_head hung;
	/** @held: queues that are suspended by the reset that goes on */
	struct list_head held;
	/**
	 * @done: queues with jobs whose fences the holder of @lock signals when it drops the lock
	 */
	struct list_head done;
	/** @signallers: number of tasks that signal fences of queues that were in @done */
	unsigned int signallers;
	/** @timer: the dispatcher's next look at time slices and limits */
	struct hrtimer timer;
	/** @timer_ns: time at which @timer will fire, or XETILE_DISPATCH_NEVER */
	u64 timer_ns;
	/** @heard_ns: when each engine last reported something, or was last told something */
	u64 heard_ns[XETILE_DISPATCH_ENGINES];
	/**
	 * @left: woken when a context that was asked to leave has left its engine: for a reset;
	 *	and when the last fence of all has signalled
	 */
	wait_queue_head_t left;
	/** @wedged: -EIO after a reset that failed, -ENODEV after the card is gone, or 0 */
	int wedged;
	/** @still: wedged, and no engine reads or writes anything any more */
	bool still;
	/** @stopped: the timer is not started any more */
	bool stopped;
	/** @gone: an engine answered all ones, and @reset_work is to find out why */
	bool gone;
	/** @reset_engines: engines that reported an error and wait for a reset */
	u64 reset_engines;
	/** @reset_work: resets @reset_engines and the engines of hung queues; see xetile_reset.c */
	struct work_struct reset_work;
	/** @log_limit: limits how often failed batches are reported in the log */
	struct ratelimit_state log_limit;
	/** @events: uevents of banned queues; see xetile_ban_event.c */
	struct {
		/** @events.queues: queues to tell of, each with a reference */
		struct list_head queues;
		/** @events.work: tells of them; on the card's own queue */
		struct work_struct work;
		/** @events.limit: limits how many are sent */
		struct ratelimit_state limit;
		/** @events.missed: bans since the last one that was sent; for @events.work alone */
		unsigned int missed;
	} events;
	/** @coredump: state that is saved of a batch that is stopped */
	struct xetile_coredump *coredump;
	/** @busy: how long each engine had contexts, or NULL; see xetile_sched_usage_watch() */
	atomic64_t *busy;
	/** @wedged_work: tells userspace of a card that is wedged; on the card's own queue */
	struct work_struct wedged_work;
};

/** struct xetile_sched_queue_ops - what a queue does for the scheduler */
struct xetile_sched_queue_ops {
	/**
	 * @bind: set the candidates of the gang's members: a job is about to go into the rings;
	 *	under the execution lock
	 */
	void (*bind)(struct xetile_sched_queue *sq);
	/** @unbind: no job is in the rings and no engine is owned; under the execution lock */
	void (*unbind)(struct xetile_sched_queue *sq);
	/**
	 * @claims: how many have a claim to what a queue with a loan has borrowed; 0: the loan
	 *	goes on; under the execution lock
	 */
	unsigned int (*claims)(struct xetile_sched_queue *sq);
	/**
	 * @tlb_seq: &xetile_vm_updates.tlb_seq of the address space, when a job goes into the rings
	 */
	u64 (*tlb_seq)(struct xetile_sched_queue *sq);
	/** @free: the last reference is gone; in process context, without the lock */
	void (*free)(struct xetile_sched_queue *sq);
	/**
	 * @rested: it was asked to rest, and is off its engines; told once; under the execution
	 *	lock. Allocates nothing, and waits for nothing
	 */
	void (*rested)(struct xetile_sched_queue *sq);
	/** @print: print which queue it is; in process context, without the lock */
	void (*print)(struct xetile_sched_queue *sq, struct drm_printer *p);
	/** @vm: its address space, which lives as long as the queue */
	struct xetile_vm *(*vm)(struct xetile_sched_queue *sq);
};

/**
 * struct xetile_sched_queue - jobs in a row, for contexts that start together
 *
 * The part of a queue that the scheduler works on. Protected by the lock of &struct
 * xetile_sched except fields that never change.
 */
struct xetile_sched_queue {
	/** @xt: the card; never changes */
	struct xetile_device *xt;
	/** @ops: operations of the queue; never changes */
	const struct xetile_sched_queue_ops *ops;
	/** @class: class of its engines; never changes */
	enum xetile_engine_class class;
	/** @usage: counts its engine time, or NULL; never changes */
	struct xetile_sched_usage *usage;
	/** @used: members whose engines' time counts as used now */
	u8 used;
	/** @used_ns: of each of these since when */
	u64 used_ns[XETILE_GANG_MEMBERS];
	/** @asked: ticks of each of these on its engine when the engine was asked last */
	u64 asked[XETILE_GANG_MEMBERS];
	/** @asked_ns: when that was; 0: not in this turn */
	u64 asked_ns[XETILE_GANG_MEMBERS];
	/** @account: counts its jobs, or NULL: the kernel's; never changes */
	struct xetile_account *account;
	/** @replay: its batches may run twice, and rely on no state; never changes */
	bool replay;
	/**
	 * @lr: its batches may run for ever, and go on in the midst of a batch when its address
	 *	space has changed; never changes
	 */
	bool lr;
	/** @pid: its process, for the log; 0: the kernel's; never changes */
	pid_t pid;
	/** @score: of its file, for batches that fail; NULL: the kernel's; never changes */
	struct xetile_score *score;
	/** @fence_context: timeline of its jobs' fences, its name in trace events; never changes */
	u64 fence_context;
	/** @started: its gang owns engines, and that was traced */
	bool started;
	/** @ref: its handle has one, each job has one */
	struct kref ref;
	/** @link: in &xetile_sched.queues, or &xetile_sched.banned */
	struct list_head link;
	/** @walk: number of the last walk that came to it */
	u64 walk;
	/** @hung_link: in &xetile_sched.hung */
	struct list_head hung_link;
	/** @held_link: in &xetile_sched.held */
	struct list_head held_link;
	/** @event_link: in the list of &xetile_sched.events */
	struct list_head event_link;
	/**
	 * @times: times of its engines, those of its first tile if it has several; never changes
	 */
	const struct xetile_times *times;
	/** @weight: share of engine time, and scales the time slice; never changes */
	unsigned int weight;
	/** @slice_us: engine time of a turn at weight 100 in us, 0: as @times says; constant */
	unsigned int slice_us;
	/** @timeout_ms: engine time of a job in ms, 0: as @times says; never changes */
	unsigned int timeout_ms;
	/** @gang: the contexts, for the dispatcher */
	struct xetile_gang gang;
	/** @lrcs: the contexts; never changes */
	struct xetile_lrc *lrcs[XETILE_MAX_TILES];
	/** @waiting: jobs pushed and not in the rings */
	struct list_head waiting;
	/** @running: jobs in the rings, in order */
	struct list_head running;
	/** @off: woken when it leaves its engines, or when one of its jobs is done */
	wait_queue_head_t off;
	/** @done: jobs that ended, in order, whose fences have not signalled */
	struct list_head done;
	/** @done_link: in &xetile_sched.done */
	struct list_head done_link;
	/**
	 * @signalling: a task that dropped the lock signals fences of the queue, and will signal
	 *	@done after them
	 */
	bool signalling;
	/** @submitters: jobs that are being made */
	atomic_t submitters;
	/** @num_waiting: elements of @waiting */
	unsigned int num_waiting;
	/** @num_running: elements of @running, at most XETILE_SCHED_DEPTH */
	unsigned int num_running;
	/** @seqno: number of the last job in the rings */
	u32 seqno;
	/** @bound: between @ops->bind and @ops->unbind */
	bool bound;
	/** @loan: while @bound: how many times its own slices it has; 1: it has borrowed none */
	u8 loan;
	/** @leaving: @ops->rested is to be called when it is off its engines */
	bool leaving;
	/** @hold: mask of XETILE_HOLD_*: why jobs do not go straight into the rings */
	u8 hold;
	/** @error: 0, or the error for which nothing runs any more; set once */
	int error;
	/** @head_error: error of the fence of the job that is to blame */
	int head_error;
	/** @ban: reason of the ban */
	struct xetile_ban ban;
	/** @resets: resets its jobs caused, and those that a batch of it was lost in */
	unsigned int resets;
	/** @work: moves jobs to the rings */
	struct work_struct work;
	/** @free_work: frees the queue */
	struct xetile_gated free_work;
};

/* Jobs of a queue in the rings at a time; the ring has room for a few more. */
#define XETILE_SCHED_DEPTH	60
/* Likewise of a queue with a loan: one that runs, and one that begins at its end */
#define XETILE_SCHED_LOAN_DEPTH	2
/* Queues that are looked at each time the execution lock is held */
#define XETILE_SCHED_BATCH	100
/* Jobs of a queue not yet in the rings, before a submitter has to wait */
#define XETILE_SCHED_BACKLOG	4096

/* The queue is suspended, and no job is written into its rings; see xetile_sched_sleep.c */
#define XETILE_HOLD_ASLEEP	BIT(0)
/* The queue's contexts are new ones, which its next batch has to tell; see xetile_sched_lost.c */
#define XETILE_HOLD_STATE_LOST	BIT(1)
/* As XETILE_HOLD_ASLEEP, because its memory may leave; see xetile_sched_rest.c */
#define XETILE_HOLD_RESTING	BIT(2)

/**
 * xetile_gang_to_sq() - queue of a gang
 * @gang: the gang
 *
 * Return: the queue whose contexts it is.
 */
static inline struct xetile_sched_queue *xetile_gang_to_sq(struct xetile_gang *gang)
{
	return container_of(gang, struct xetile_sched_queue, gang);
}

#endif
