// SPDX-License-Identifier: GPL-2.0-only
#include "exec/xetile_solo.h"

#include <linux/delay.h>
#include <linux/err.h>
#include <linux/ktime.h>
#include <linux/lockdep.h>

#include "card/xetile_engine.h"
#include "exec/xetile_execlist.h"
#include "exec/xetile_lrc.h"
#include "exec/xetile_reset_tile.h"
#include "exec/xetile_sched_lock.h"
#include "exec/xetile_sched_types.h"
#include "xetile_device.h"

/**
 * DOC: an engine without a scheduler
 *
 * Before the engines have their ports for users, the driver runs contexts of its own on one engine,
 * one after the other, and waits for each: to record the default images (xetile_lrc_record.c), and
 * to try a new card (xetile_probe_work.c). Interrupts of the engine are not looked at; the port is
 * polled. A port's own lock, the execution lock, is taken for each look.
 */

/* Longer than any engine takes for a few commands, also on a loaded machine */
#define SOLO_TIMEOUT_MS		3000

static void solo_left(struct xetile_lrc *lrc)
{
	bool *left = lrc->owner;

	lockdep_assert_held(&lrc->tile->xt->sched->lock);
	*left = true;
}

static void solo_gone(struct xetile_engine *engine)
{
	lockdep_assert_held(&engine->tile->xt->sched->lock);
	engine->execlist->why = "the card does not answer";
	engine->execlist->broken = true;
}

/* The port itself tells why, and is asked. */
static void solo_broken(struct xetile_engine *engine)
{
}

/* The time of these contexts is measured by who waits for them. */
static void solo_taken(struct xetile_lrc *lrc)
{
}

/* Nobody asks these engines to leave a context. */
static void solo_asked(struct xetile_engine *engine)
{
}

static const struct xetile_execlist_ops solo_ops = {
	.taken = solo_taken,
	.left = solo_left,
	.gone = solo_gone,
	.broken = solo_broken,
	.asked = solo_asked,
};

/**
 * xetile_solo_begin() - give an engine a port that nobody listens to
 * @engine: the engine, started; it has no port
 *
 * xetile_solo_end() takes it away.
 *
 * Context: process, at the start of the card.
 * Return: 0 or -errno; then the engine has no port.
 */
int xetile_solo_begin(struct xetile_engine *engine)
{
	struct xetile_execlist *port = xetile_execlist_create(engine, &solo_ops);

	if (IS_ERR(port))
		return PTR_ERR(port);
	engine->execlist = port;
	return 0;
}

/* Returns NULL when the engine has left the context, or a few words that say why it has not. */
static const char *wait_left(struct xetile_execlist *port, const bool *left)
{
	struct xetile_sched *sched = port->engine->tile->xt->sched;
	ktime_t end = ktime_add_ms(ktime_get(), SOLO_TIMEOUT_MS);

	for (;;) {
		bool late = ktime_after(ktime_get(), end);
		unsigned long flags = xetile_sched_lock(sched);
		const char *why = NULL;
		bool done;

		xetile_execlist_poll(port);
		done = *left;
		if (port->broken)
			why = port->why;
		xetile_sched_unlock(sched, flags);
		if (done || why)
			return why;
		if (late)
			return "its engine does not end it in time";
		usleep_range(20, 100);
	}
}

/**
 * xetile_solo_run() - run a context, and wait until the engine has left it
 * @engine: the engine, after xetile_solo_begin()
 * @lrc: a context of its tile and class, with commands in its ring
 *
 * After a failure the engine may still run the context: xetile_solo_end() comes next, and only then
 * may the context be freed.
 *
 * Context: process; takes the execution lock.
 * Return: NULL, or a few words that say why it has not.
 */
const char *xetile_solo_run(struct xetile_engine *engine, struct xetile_lrc *lrc)
{
	struct xetile_sched *sched = engine->tile->xt->sched;
	bool left = false;
	unsigned long flags;

	lrc->owner = &left;
	flags = xetile_sched_lock(sched);
	xetile_execlist_load(engine->execlist, lrc);
	xetile_sched_unlock(sched, flags);
	return wait_left(engine->execlist, &left);
}

/**
 * xetile_solo_end() - take an engine's port away, and have it forget its contexts
 * @engine: the engine, after xetile_solo_begin()
 *
 * All engines of the tile have been reset and started again on return, because the ports that come
 * next begin anew.
 *
 * Context: process.
 * Return: 0; -ETIMEDOUT or -ENODEV if the tile cannot be reset: then no engine is started.
 */
int xetile_solo_end(struct xetile_engine *engine)
{
	int err = xetile_reset_tile(engine->tile);

	if (!err)
		xetile_reset_tile_restart(engine->tile);
	xetile_execlist_destroy(engine->execlist);
	engine->execlist = NULL;
	return err;
}
