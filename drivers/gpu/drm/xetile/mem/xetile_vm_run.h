/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_VM_RUN_H__
#define __XETILE_VM_RUN_H__

#include <linux/atomic.h>
#include <linux/dma-fence.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/types.h>

#include "card/xetile_gate.h"
#include "mem/xetile_fault_line.h"

struct xetile_vm;
struct xetile_vm_runner;

/** struct xetile_vm_runner_ops - what a queue does for its address space */
struct xetile_vm_runner_ops {
	/**
	 * @rest: leave the engines, and let no job begin; xetile_vm_run_left() follows once,
	 *	perhaps before this returns. Allocates nothing, and waits for nothing
	 */
	void (*rest)(struct xetile_vm_runner *runner);
	/** @go_on: undo @rest; likewise */
	void (*go_on)(struct xetile_vm_runner *runner);
	/** @has_work: has it jobs that are not done? */
	bool (*has_work)(struct xetile_vm_runner *runner);
	/** @end: end all jobs for good */
	void (*end)(struct xetile_vm_runner *runner);
};

/** struct xetile_vm_runner - a queue of an address space for endless jobs */
struct xetile_vm_runner {
	/** @link: in &xetile_vm_run.runners */
	struct list_head link;
	/** @ops: operations of the queue; constant */
	const struct xetile_vm_runner_ops *ops;
};

/** enum xetile_vm_run_state - may jobs of an address space run */
enum xetile_vm_run_state {
	/** @XETILE_VM_RESTS: no queue is on an engine; memory may move */
	XETILE_VM_RESTS,
	/** @XETILE_VM_RUNS: all memory is in its place, and stays */
	XETILE_VM_RUNS,
	/** @XETILE_VM_LEAVES: the queues were asked to rest */
	XETILE_VM_LEAVES,
};

/** struct xetile_vm_run - when jobs of an address space for endless jobs run */
struct xetile_vm_run {
	/** @lock: protects all but what is told below; nothing is allocated under it */
	struct mutex lock;
	/** @runners: the queues */
	struct list_head runners;
	/** @state: see there; changes under @lock alone */
	enum xetile_vm_run_state state;
	/** @fence: signals when all queues rest; NULL while they do */
	struct dma_fence *fence;
	/** @staying: queues that have not left yet, and one while they are being asked; no lock */
	atomic_t staying;
	/**
	 * @starting: @start_work or @fault is queued, waits, or runs, and has a reference of the
	 *	address space
	 */
	bool starting;
	/** @wanted: somebody has had the run end, and @rest_work follows; no lock */
	bool wanted;
	/** @error: 0, or the error for which nothing runs any more; set once */
	int error;
	/** @put: drops a reference of the address space; constant */
	void (*put)(struct xetile_vm *vm);
	/** @context: timeline of the fences; constant */
	u64 context;
	/** @seqno: number of the last fence */
	u32 seqno;
	/** @rest_work: asks the queues to rest; no lock */
	struct delayed_work rest_work;
	/** @until: when others may have the run end, in jiffies; constant as long as it runs */
	unsigned long until;
	/** @over_work: all queues rest; no lock */
	struct work_struct over_work;
	/** @start_work: brings all memory to its place, and lets the queues go on; no lock */
	struct xetile_gated start_work;
	/** @fault: faults in pages of processes before @start_work; no lock */
	struct xetile_fault_work fault;
	/** @fault_err: how the last @fault ended; for @start_work alone */
	int fault_err;
	/** @other: fence of another device's that @start_work waits for, or NULL */
	struct dma_fence *other;
	/** @other_cb: tells of the end of @other */
	struct dma_fence_cb other_cb;
	/** @again_work: queues @start_work when its memory was short a moment ago; no lock */
	struct delayed_work again_work;
	/** @short_until: how long memory may be short, in jiffies; for @start_work alone */
	unsigned long short_until;
	/** @is_short: @start_work, or @fault before it, found no memory lately; for it alone */
	bool is_short;
};

void xetile_vm_run_init(struct xetile_vm *vm, void (*put)(struct xetile_vm *vm));
void xetile_vm_run_fini(struct xetile_vm *vm);
void xetile_vm_run_add(struct xetile_vm *vm, struct xetile_vm_runner *runner);
void xetile_vm_run_del(struct xetile_vm *vm, struct xetile_vm_runner *runner);
void xetile_vm_run_want(struct xetile_vm *vm);
void xetile_vm_run_left(struct xetile_vm *vm);
void xetile_vm_run_bounce(struct xetile_vm *vm);
void xetile_vm_run_hurry(struct xetile_vm *vm);
bool xetile_vm_is_banned(const struct xetile_vm *vm);

#endif
