/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_EXECLIST_H__
#define __XETILE_EXECLIST_H__

#include <linux/types.h>

struct xetile_engine;
struct xetile_lrc;

/** struct xetile_execlist_ops - reports of a port, made with the same lock held */
struct xetile_execlist_ops {
	/** @taken: the engine has taken @lrc, which it did not have */
	void (*taken)(struct xetile_lrc *lrc);
	/** @left: the engine is done with @lrc: it ran dry, or was switched away from */
	void (*left)(struct xetile_lrc *lrc);
	/** @gone: the engine answers all ones */
	void (*gone)(struct xetile_engine *engine);
	/** @broken: the engine's reports make no sense, or it reports an error */
	void (*broken)(struct xetile_engine *engine);
	/** @asked: the engine has been asked to leave its context, see xetile_execlist_unload() */
	void (*asked)(struct xetile_engine *engine);
};

/**
 * struct xetile_execlist - the submission port of an engine
 *
 * All of it is protected by the lock of &struct xetile_sched, which every call
 * needs, and which the owner of the engine's interrupt takes as well.
 */
struct xetile_execlist {
	/** @engine: the engine */
	struct xetile_engine *engine;
	/** @ops: operations of the owner, for reports */
	const struct xetile_execlist_ops *ops;
	/** @idle: context without work, loaded to make the engine leave another */
	struct xetile_lrc *idle;
	/** @active: context that the engine has acknowledged, or NULL */
	struct xetile_lrc *active;
	/** @pending: context that is loaded, but not yet acknowledged, or NULL */
	struct xetile_lrc *pending;
	/** @next: context to be loaded once @pending is acknowledged, or NULL */
	struct xetile_lrc *next;
	/** @csb_head: index of the last event seen */
	unsigned int csb_head;
	/** @csb_late: places in the status page whose event did not come in time once */
	u16 csb_late;
	/** @broken: the engine waits for its reset: nothing is loaded, no report is read */
	bool broken;
	/** @why: the reason for @broken, or NULL; stays until the reset */
	const char *why;
	/** @event: the report that is the reason */
	u64 event;
};

struct xetile_execlist *xetile_execlist_create(struct xetile_engine *engine,
					       const struct xetile_execlist_ops *ops);
void xetile_execlist_destroy(struct xetile_execlist *port);
void xetile_execlist_load(struct xetile_execlist *port, struct xetile_lrc *lrc);
void xetile_execlist_unload(struct xetile_execlist *port);
bool xetile_execlist_has(const struct xetile_execlist *port, const struct xetile_lrc *lrc);
bool xetile_execlist_read_time(const struct xetile_execlist *port, u32 *count);
bool xetile_execlist_is_quiet(const struct xetile_execlist *port);
void xetile_execlist_events(struct xetile_execlist *port, u16 vector);
void xetile_execlist_poll(struct xetile_execlist *port);
void xetile_execlist_disable(struct xetile_execlist *port);
const char *xetile_execlist_why(const struct xetile_execlist *port, u64 *event);
void xetile_execlist_reset(struct xetile_execlist *port);

#endif
