/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_FAULT_LINE_H__
#define __XETILE_FAULT_LINE_H__

#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/workqueue.h>

/** struct xetile_fault_user - files of a user that have pages brought */
struct xetile_fault_user {
	/** @lock: protects all of the user's lines */
	spinlock_t lock;
	/** @ready: lines with a work that may begin as soon as the user has a worker less */
	struct list_head ready;
	/** @active: works of the user that have begun */
	unsigned int active;
};

/** struct xetile_fault_line - works of a file, one of which is done at a time */
struct xetile_fault_line {
	/** @user: whose file it is; constant */
	struct xetile_fault_user *user;
	/** @link: in &xetile_fault_user.ready, or empty */
	struct list_head link;
	/** @waiting: works that have not begun */
	struct list_head waiting;
	/** @busy: one has begun */
	bool busy;
};

/** struct xetile_fault_work - a work that may wait for a page for ever */
struct xetile_fault_work {
	/** @work: initialised by the caller; calls xetile_fault_line_done() */
	struct work_struct work;
	/** @link: in &xetile_fault_line.waiting */
	struct list_head link;
};

void xetile_fault_user_init(struct xetile_fault_user *user);
void xetile_fault_line_init(struct xetile_fault_line *line, struct xetile_fault_user *user);
void xetile_fault_line_add(struct xetile_fault_line *line, struct xetile_fault_work *work);
void xetile_fault_line_done(struct xetile_fault_line *line);

#endif
