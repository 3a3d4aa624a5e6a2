// SPDX-License-Identifier: GPL-2.0-only
#include "exec/xetile_dispatch_line.h"

#include <linux/list.h>
#include <linux/minmax.h>
#include <linux/rbtree.h>

#include "exec/xetile_dispatch_share.h"
#include "exec/xetile_dispatch_types.h"

/**
 * DOC: lines of waiting gangs
 *
 * Shares are those of clients first, so that a client with more gangs gets no more. The waiting
 * gangs of a client that have the same priority and want the same engines are a *line*, in the
 * order of what they have used; its first gang is the next to start. All lines of one priority that
 * want the same engines are a *set*, in the order of what their clients have used
 * (xetile_dispatch_share.c).
 *
 * If the first gang of a set cannot start, no other gang of the set can; so only the first gangs of
 * the sets are ever looked at. The number of sets depends on the card's engines, not on the number
 * of clients and gangs that wait.
 *
 * What clients have used cannot be compared if they want different engines. So sets have *turns*:
 * a set gets one for each line when that comes, or comes again because its gang starts, behind all
 * turns there are. The set whose next turn is the oldest comes first. Which of its lines has the
 * turn, they decide among themselves. So a gang waits for one turn of each line that stood before
 * it in other sets.
 *
 * No gang is searched for: the trees and rings of a line and of a set go through the gangs
 * themselves, and the first gang stands for its line, or its set. A gang finds its neighbours by a
 * number of comparisons that is the logarithm of their number.
 *
 * Only the dispatcher calls these functions; its owner serializes all calls.
 */

/**
 * xetile_dispatch_line_is_same() - whether two gangs want the same
 * @a: a gang
 * @b: another one
 *
 * Context: the execution lock is held.
 * Return: true if they want the same engines, in the same mode, at the same rank.
 */
bool xetile_dispatch_line_is_same(const struct xetile_gang *a, const struct xetile_gang *b)
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
		if (xetile_dispatch_line_is_same(first, gang))
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
		if (xetile_dispatch_line_is_same(first, gang))
			return first;
	}
	return NULL;
}

static struct xetile_gang *first_of_line(const struct rb_root_cached *line)
{
	return rb_entry_safe(rb_first_cached(line), struct xetile_gang, in_line);
}

static struct xetile_gang *first_of_set(const struct rb_root_cached *lines)
{
	return rb_entry_safe(rb_first_cached(lines), struct xetile_gang, in_set);
}

static bool gang_less(struct rb_node *a, const struct rb_node *b)
{
	return xetile_dispatch_share_less(rb_entry(a, struct xetile_gang, in_line)->at,
					  rb_entry(b, struct xetile_gang, in_line)->at);
}

static bool line_less(struct rb_node *a, const struct rb_node *b)
{
	return xetile_dispatch_share_less(rb_entry(a, struct xetile_gang, in_set)->line_at,
					  rb_entry(b, struct xetile_gang, in_set)->line_at);
}

/**
 * xetile_dispatch_line_is_alone() - whether a single client waits for some engines
 * @set: the first gang of a set
 *
 * Context: the execution lock is held.
 * Return: true if the set has one line.
 */
bool xetile_dispatch_line_is_alone(const struct xetile_gang *set)
{
	return list_empty(&set->turn);
}

/* Put a set among the others, by its next turn. @gang stands for it. */
static void set_insert(struct xetile_dispatch *dispatch, struct xetile_gang *gang)
{
	struct list_head *ready = &dispatch->ready[gang->rank];
	struct list_head *before;

	gang->stands = XETILE_GANG_FIRST_OF_SET;
	for (before = ready->prev; before != ready; before = before->prev) {
		dispatch->looks++;
		if (list_entry(before, struct xetile_gang, set)->turn_no < gang->turn_no)
			break;
	}
	list_add(&gang->set, before);
}

/* Turns are the set's, whichever line they are noted at. */
static void turns_swap(struct xetile_gang *a, struct xetile_gang *b)
{
	if (a == b)
		return;
	swap(a->turn_no, b->turn_no);
	list_swap(&a->turn, &b->turn);
}

/* If another line than that of @set is the first of the set now, it stands for the set. */
static void set_sort(struct xetile_gang *set)
{
	struct xetile_gang *first = first_of_set(&set->lines);

	if (first == set)
		return;
	turns_swap(set, first);
	first->lines = set->lines;
	first->kept_ns = set->kept_ns;
	list_replace(&set->set, &first->set);
	first->stands = XETILE_GANG_FIRST_OF_SET;
	set->stands = XETILE_GANG_FIRST_OF_LINE;
}

/* A line, whose first gang is @gang, comes into its set. */
static void line_enter(struct xetile_dispatch *dispatch, struct xetile_gang *gang)
{
	struct xetile_gang *set = set_find(dispatch, gang);

	gang->line_at = xetile_dispatch_share_line_at(dispatch, gang);
	gang->turn_no = ++dispatch->last_turn;
	gang->stands = XETILE_GANG_FIRST_OF_LINE;
	list_add_tail(&gang->mine, &gang->client->lines);
	if (set) {
		rb_add_cached(&gang->in_set, &set->lines, line_less);
		list_add_tail(&gang->turn, &set->turn);
		set_sort(set);
	} else {
		gang->lines = RB_ROOT_CACHED;
		rb_add_cached(&gang->in_set, &gang->lines, line_less);
		INIT_LIST_HEAD(&gang->turn);
		set_insert(dispatch, gang);
	}
}

/* @set, which stood for its set, has left the tree of lines: another line stands for the set. */
static void set_inherit(struct xetile_dispatch *dispatch, struct xetile_gang *set)
{
	struct xetile_gang *next = first_of_set(&set->lines);
	struct xetile_gang *oldest = list_next_entry(set, turn);

	list_del(&set->set);
	list_del(&set->turn);
	if (!next)
		return;
	turns_swap(oldest, next);
	next->lines = set->lines;
	next->kept_ns = set->kept_ns;
	set_insert(dispatch, next);
}

/*
 * The line whose first gang is @gang leaves its set, with the next turn of the set if it has taken
 * that, else with the last one.
 */
static void line_leave(struct xetile_dispatch *dispatch, struct xetile_gang *gang, bool turn_taken)
{
	struct xetile_gang *set = gang;

	if (gang->stands != XETILE_GANG_FIRST_OF_SET)
		set = set_find(dispatch, gang);
	if (!turn_taken)
		turns_swap(gang, list_prev_entry(set, turn));
	list_del(&gang->mine);
	rb_erase_cached(&gang->in_set, &set->lines);
	if (gang == set)
		set_inherit(dispatch, gang);
	else
		list_del(&gang->turn);
	gang->stands = XETILE_GANG_IN_LINE;
}

/* @next takes @gang's place as the first of its line, and the line keeps its place in its set. */
static void line_inherit(struct xetile_dispatch *dispatch, struct xetile_gang *gang,
			 struct xetile_gang *next)
{
	struct xetile_gang *set = gang;

	if (gang->stands != XETILE_GANG_FIRST_OF_SET)
		set = set_find(dispatch, gang);
	next->stands = gang->stands;
	next->line_at = gang->line_at;
	next->turn_no = gang->turn_no;
	next->line = gang->line;
	list_replace(&gang->mine, &next->mine);
	list_replace(&gang->turn, &next->turn);
	rb_replace_node_cached(&gang->in_set, &next->in_set, &set->lines);
	if (gang == set) {
		next->lines = gang->lines;
		next->kept_ns = gang->kept_ns;
		list_replace(&gang->set, &next->set);
	}
	gang->stands = XETILE_GANG_IN_LINE;
}

/* The client of a line has used more engine time. */
static void line_again(struct xetile_dispatch *dispatch, struct xetile_gang *line)
{
	struct xetile_gang *set = line;

	if (line->stands != XETILE_GANG_FIRST_OF_SET)
		set = set_find(dispatch, line);
	rb_erase_cached(&line->in_set, &set->lines);
	line->line_at = xetile_dispatch_share_line_at(dispatch, line);
	rb_add_cached(&line->in_set, &set->lines, line_less);
	set_sort(set);
}

/**
 * xetile_dispatch_line_charge() - count what a gang has used, and put its client where it belongs
 * @dispatch: dispatcher
 * @gang: a gang that owns engines, or has just left them, and whose rank is its priority
 * @now: time in ns
 *
 * Context: the execution lock is held.
 */
void xetile_dispatch_line_charge(struct xetile_dispatch *dispatch, struct xetile_gang *gang,
				 u64 now)
{
	struct xetile_gang *line = line_find(dispatch, gang), *set;

	xetile_dispatch_share_charge(dispatch, gang, now);
	if (line)
		line_again(dispatch, line);
	set = set_find(dispatch, gang);
	xetile_dispatch_share_pass(dispatch, gang, set, line);
	/* It has got somewhere in this turn: higher priorities do not keep the set off. */
	if (set && gang->waits_ns > gang->dispatched_ns)
		set->kept_ns = max(set->kept_ns, gang->waits_ns);
}

/* The clocks of a place go with those that own engines there. */
static void charge_owners(struct xetile_dispatch *dispatch, const struct xetile_gang *gang,
			  u64 now)
{
	u64 rest;

	for (rest = gang->members[0].candidates & dispatch->owned; rest; rest &= rest - 1) {
		unsigned int engine = __builtin_ctzll(rest);
		struct xetile_gang *owner = dispatch->owners[engine];

		dispatch->looks++;
		if (owner->members[0].engine == engine && owner->rank == owner->priority &&
		    xetile_dispatch_line_is_same(owner, gang))
			xetile_dispatch_line_charge(dispatch, owner, now);
	}
}

/**
 * xetile_dispatch_line_yield() - a gang lets another one go first
 * @dispatch: dispatcher
 * @gang: a gang that owns engines, and is to leave them
 * @rest_ns: what is left of its turn
 * @waiting: a gang that waits for one of these
 *
 * Context: the execution lock is held.
 */
void xetile_dispatch_line_yield(struct xetile_dispatch *dispatch, struct xetile_gang *gang,
				u64 rest_ns, const struct xetile_gang *waiting)
{
	/* Other sets have older turns, and lower ranks come later anyway. */
	if (gang->rank == gang->priority && xetile_dispatch_line_is_same(gang, waiting))
		xetile_dispatch_share_yield(gang, rest_ns, waiting,
					    line_find(dispatch, waiting)->line_at);
}

/**
 * xetile_dispatch_line_push() - a gang waits for its engines
 * @dispatch: dispatcher
 * @gang: the gang, which is idle
 * @now: time in ns
 *
 * Context: the execution lock is held.
 */
void xetile_dispatch_line_push(struct xetile_dispatch *dispatch, struct xetile_gang *gang,
			       u64 now)
{
	struct xetile_gang *first;

	charge_owners(dispatch, gang, now);
	first = line_find(dispatch, gang);
	if (gang->rank == gang->priority)
		xetile_dispatch_share_join(dispatch, gang, set_find(dispatch, gang), first);
	gang->state = XETILE_GANG_READY;
	gang->stands = XETILE_GANG_IN_LINE;
	gang->kept_ns = gang->waits_ns;
	gang->at = xetile_dispatch_share_at(gang);
	dispatch->changed = true;
	if (!first) {
		gang->line = RB_ROOT_CACHED;
		rb_add_cached(&gang->in_line, &gang->line, gang_less);
		line_enter(dispatch, gang);
		return;
	}
	rb_add_cached(&gang->in_line, &first->line, gang_less);
	if (first_of_line(&first->line) == gang)
		line_inherit(dispatch, first, gang);
}

/**
 * xetile_dispatch_line_remove() - a gang waits no more
 * @dispatch: dispatcher
 * @gang: a gang that waits; it is idle on return
 * @turn_taken: the gang, the first of its set, starts, so the set has had its turn
 *
 * Context: the execution lock is held.
 */
void xetile_dispatch_line_remove(struct xetile_dispatch *dispatch, struct xetile_gang *gang,
				 bool turn_taken)
{
	struct xetile_gang *next;

	gang->state = XETILE_GANG_IDLE;
	dispatch->changed = true;
	if (gang->stands == XETILE_GANG_IN_LINE) {
		rb_erase_cached(&gang->in_line, &line_find(dispatch, gang)->line);
		return;
	}
	rb_erase_cached(&gang->in_line, &gang->line);
	next = first_of_line(&gang->line);
	if (next && !turn_taken) {
		line_inherit(dispatch, gang, next);
		return;
	}
	line_leave(dispatch, gang, turn_taken);
	if (next) {
		next->line = gang->line;
		next->kept_ns = gang->kept_ns;
		line_enter(dispatch, next);
	}
}
