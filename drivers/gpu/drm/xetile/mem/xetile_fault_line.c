// SPDX-License-Identifier: GPL-2.0-only
#include "mem/xetile_fault_line.h"

#include <linux/lockdep.h>

#include "xetile_release.h"

/**
 * DOC: workers that wait for pages of processes
 *
 * A worker that faults a page in may wait for ever: for a file system in a process, or for one that
 * has taken over its page faults. Workers are common to all clients, and not without end. So the
 * works of a file are done one after the other, and only so many of one user at a time: who lets
 * pages wait holds up their own.
 *
 * A user takes turns among the files that have work.
 */

/* Workers that one user may have wait at a time; the queue has some hundreds */
#define USER_WORKERS	16u

/**
 * xetile_fault_user_init() - a user has no work
 * @user: all zero
 *
 * Context: any.
 */
void xetile_fault_user_init(struct xetile_fault_user *user)
{
	spin_lock_init(&user->lock);
	INIT_LIST_HEAD(&user->ready);
}

/**
 * xetile_fault_line_init() - a file has no work
 * @line: all zero
 * @user: whose file it is; outlives the line
 *
 * Context: any.
 */
void xetile_fault_line_init(struct xetile_fault_line *line, struct xetile_fault_user *user)
{
	line->user = user;
	INIT_LIST_HEAD(&line->link);
	INIT_LIST_HEAD(&line->waiting);
}

/* A line with a work, none of which has begun, takes its place among those of its user. */
static void line_ready(struct xetile_fault_line *line)
{
	lockdep_assert_held(&line->user->lock);
	if (!line->busy && !list_empty(&line->waiting) && list_empty(&line->link))
		list_add_tail(&line->link, &line->user->ready);
}

static void user_begin(struct xetile_fault_user *user)
{
	struct xetile_fault_line *line;
	struct xetile_fault_work *work;

	lockdep_assert_held(&user->lock);
	while (user->active < USER_WORKERS && !list_empty(&user->ready)) {
		line = list_first_entry(&user->ready, struct xetile_fault_line, link);
		list_del_init(&line->link);
		work = list_first_entry(&line->waiting, struct xetile_fault_work, link);
		list_del(&work->link);
		line->busy = true;
		user->active++;
		xetile_release_queue_fault(&work->work);
	}
}

/**
 * xetile_fault_line_add() - have a work done that may wait for a page for ever
 * @line: line of the file, which lives until the work has called xetile_fault_line_done()
 * @work: the work; not in a line
 *
 * Context: process.
 */
void xetile_fault_line_add(struct xetile_fault_line *line, struct xetile_fault_work *work)
{
	spin_lock(&line->user->lock);
	list_add_tail(&work->link, &line->waiting);
	line_ready(line);
	user_begin(line->user);
	spin_unlock(&line->user->lock);
}

/**
 * xetile_fault_line_done() - a work waits for no page any more
 * @line: its line
 *
 * Context: process; called by the work, once.
 */
void xetile_fault_line_done(struct xetile_fault_line *line)
{
	spin_lock(&line->user->lock);
	line->busy = false;
	line->user->active--;
	line_ready(line);
	user_begin(line->user);
	spin_unlock(&line->user->lock);
}
