// SPDX-License-Identifier: GPL-2.0-only
#include "exec/xetile_dispatch_line.h"

#include <linux/list.h>

#include "exec/xetile_dispatch.h"

/**
 * DOC: lines of waiting gangs
 *
 * Turns go round by client first, so that a client with more gangs gets no more turns. The
 * waiting gangs of a client that have the same priority and want the same engines are a *line*:
 * its first gang is the next to start, and with each start the line goes behind all others. All
 * lines of one priority that want the same engines are a *set*. If the first gang of a set
 * cannot start, no other gang of the set can; so only the first gangs of the sets are ever
 * looked at. The number of sets depends on the card's engines, not on the number of clients and
 * gangs that wait. No gang is searched for: the rings of a line and of a set go through the
 * gangs themselves, and the first gang of a ring stands for the ring.
 *
 * Only the dispatcher calls these functions; its owner serializes all calls.
 */

/* Whether two gangs want the same engines, in the same mode, at the same rank */
static bool same_wants(const struct xetile_gang *a, const struct xetile_gang *b)
{
	unsigned int m;

	if (a->rank != b->rank || a->num_members != b->num_members)
		return false;
	for (m = 0; m < a->num_members; m++)
		if (a->members[m].candidates != b->members[m].candidates ||
		    a->members[m].mode != b->members[m].mode)
			return false;
	return true;
}

/* The first gang of the line that @gang belongs into, or NULL */
static struct xetile_gang *line_find(struct xetile_dispatch *dispatch,
				     const struct xetile_gang *gang)
{
	struct xetile_gang *first;

	list_for_each_entry(first, &gang->client->lines, mine) {
		dispatch->looks++;
		if (same_wants(first, gang))
			return first;
	}
	return NULL;
}

/* The first gang of the set that @gang belongs into, or NULL */
static struct xetile_gang *set_find(struct xetile_dispatch *dispatch,
				    const struct xetile_gang *gang)
{
	struct xetile_gang *first;

	list_for_each_entry(first, &dispatch->ready[gang->rank], set) {
		dispatch->looks++;
		if (same_wants(first, gang))
			return first;
	}
	return NULL;
}

/* @gang, the first of its line, stands for its set from now on. */
static void set_insert(struct xetile_dispatch *dispatch, struct xetile_gang *gang)
{
	struct list_head *ready = &dispatch->ready[gang->rank];
	struct list_head *before;

	gang->place = XETILE_GANG_FIRST_OF_SET;
	for (before = ready->prev; before != ready; before = before->prev) {
		dispatch->looks++;
		if (list_entry(before, struct xetile_gang, set)->turn_no < gang->turn_no)
			break;
	}
	list_add(&gang->set, before);
}

/* The line whose first gang is @gang has its next turn when all others had theirs. */
static void line_append(struct xetile_dispatch *dispatch, struct xetile_gang *gang)
{
	struct xetile_gang *set = set_find(dispatch, gang);

	gang->turn_no = ++dispatch->last_turn;
	gang->place = XETILE_GANG_FIRST_OF_LINE;
	list_add_tail(&gang->mine, &gang->client->lines);
	if (set)
		list_add_tail(&gang->turn, &set->turn);
	else
		set_insert(dispatch, gang);
}

/* The line whose first gang is @gang leaves its set. */
static void line_remove(struct xetile_dispatch *dispatch, struct xetile_gang *gang)
{
	list_del(&gang->mine);
	if (gang->place == XETILE_GANG_FIRST_OF_SET) {
		list_del(&gang->set);
		if (!list_empty(&gang->turn)) {
			struct xetile_gang *next =
				list_first_entry(&gang->turn, struct xetile_gang, turn);

			next->raised_ns = gang->raised_ns;
			set_insert(dispatch, next);
		}
	}
	list_del_init(&gang->turn);
	gang->place = XETILE_GANG_IN_LINE;
}

/* @next takes @gang's place as the first of its line, and the line keeps its turn. */
static void line_inherit(struct xetile_gang *gang, struct xetile_gang *next)
{
	next->place = gang->place;
	next->turn_no = gang->turn_no;
	list_add(&next->mine, &gang->mine);
	list_del(&gang->mine);
	list_add(&next->turn, &gang->turn);
	list_del_init(&gang->turn);
	if (gang->place == XETILE_GANG_FIRST_OF_SET) {
		list_add(&next->set, &gang->set);
		list_del(&gang->set);
	}
	gang->place = XETILE_GANG_IN_LINE;
}

/**
 * xetile_dispatch_line_push() - a gang waits for its engines
 * @dispatch: dispatcher
 * @gang: the gang; it is idle, and comes to the end of its line
 *
 * Context: the execution lock is held.
 */
void xetile_dispatch_line_push(struct xetile_dispatch *dispatch, struct xetile_gang *gang)
{
	struct xetile_gang *first = line_find(dispatch, gang);

	gang->state = XETILE_GANG_READY;
	gang->place = XETILE_GANG_IN_LINE;
	gang->raised_ns = 0;
	if (first)
		list_add_tail(&gang->line, &first->line);
	else
		line_append(dispatch, gang);
	dispatch->changed = true;
}

/**
 * xetile_dispatch_line_remove() - a gang waits no more
 * @dispatch: dispatcher
 * @gang: a gang that waits; it is idle on return
 * @turn_taken: the gang starts, so its line has had its turn
 *
 * Context: the execution lock is held.
 */
void xetile_dispatch_line_remove(struct xetile_dispatch *dispatch, struct xetile_gang *gang,
				 bool turn_taken)
{
	struct xetile_gang *next = NULL;

	if (!list_empty(&gang->line))
		next = list_first_entry(&gang->line, struct xetile_gang, line);
	list_del_init(&gang->line);
	gang->state = XETILE_GANG_IDLE;
	dispatch->changed = true;
	if (gang->place == XETILE_GANG_IN_LINE)
		return;

	if (next)
		next->raised_ns = gang->raised_ns;
	if (next && !turn_taken) {
		line_inherit(gang, next);
		return;
	}
	line_remove(dispatch, gang);
	if (next)
		line_append(dispatch, next);
}
