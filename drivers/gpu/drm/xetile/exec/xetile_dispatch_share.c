// SPDX-License-Identifier: GPL-2.0-only
#include "exec/xetile_dispatch_share.h"

#include <linux/minmax.h>

#include "exec/xetile_dispatch_types.h"

/**
 * DOC: shares of engine time
 *
 * Clients that want the same engines have shares of them as their weights say, and so have the
 * gangs of a client among themselves. A turn ends when its slice is over, or earlier, when the gang
 * has no more work. So a share cannot come from how long turns are. It comes from how often they
 * are: who has used least goes first.
 *
 * What a gang *uses* is the time for which it owns its engines, whether its contexts run or not,
 * because others cannot have them meanwhile. A gang of several engines uses all of them for that
 * time, and it counts once. It is divided by the gang's weight, for the gang and for its client: a
 * client that has used 100 ns at weight 100, and one that has used 300 ns at weight 300, are
 * equally far. As the gangs of a client share its time by their weights as well, the client has the
 * weight that they have on average. So it has no larger share because it has more of them, and the
 * weight of one counts no longer than that wants something.
 *
 * Gangs that want the same engines, in the same mode, want the same *place*. A client has an
 * account for each place, so its use of one engine does not matter on another. The *clock* of a
 * place tells how far those are that wait there: all have used the clock's time or more. It does
 * not go back. As long as nobody waits, it goes with whoever has the engines: what a client has
 * used while nobody else wanted it is not held against it later.
 *
 * A client, or gang, that is behind the clock when it comes is new, or comes back. It gets nothing
 * for the time in which it wanted nothing: it is set to the clock. And if others wait, it pays for
 * its first turn in advance, and waits as if it had taken that. Else those that come for one turn
 * each would all be as far as the clock, which would never go on, and who has had a turn would wait
 * as long as more of them come. So each that comes moves the clock on by a turn when it starts, and
 * who waits, ahead of the clock by the use of its own last turn at most, is the first of all after
 * a bounded number of them.
 *
 * Each rank has accounts and clocks of its own. A gang whose turn was raised waits with what its
 * client has used at the higher rank, and what it uses is charged at its own. It pays for that turn
 * when it is raised, because nobody else of its set is raised soon after: a client that does not
 * take the turn, or gives it up and comes with another gang, stands behind the others.
 */

/* Use of engines is counted in ns at this weight. */
#define WEIGHT		100
/* Nobody owes more than that, however late it has left its engines: ten seconds at weight 100 */
#define DEBT_MAX	10000000000ull

/* How far a turn of some length takes a gang */
static u64 gang_use(const struct xetile_gang *gang, u64 ns)
{
	return ns * WEIGHT / gang->weight;
}

/* Of the gang's client; NULL: it has no gangs of that priority there */
static struct xetile_dispatch_account *account_at(const struct xetile_gang *gang,
						  unsigned int rank)
{
	struct xetile_dispatch_account *group =
		gang->client->accounts[rank][gang->used_place / XETILE_DISPATCH_GROUP];

	return group ? &group[gang->used_place % XETILE_DISPATCH_GROUP] : NULL;
}

static void go_on(u64 *at, u64 to)
{
	if (xetile_dispatch_share_less(*at, to))
		*at = to;
}

static void use_join(struct xetile_dispatch_use *use, u64 clock, u64 turn, bool is_new)
{
	s64 ahead = (s64)(use->used - clock);

	if (is_new || ahead < 0) {
		use->used = clock + turn;
		use->paid = turn;
	} else if (ahead > (s64)DEBT_MAX) {
		use->used = clock + DEBT_MAX;
	}
}

static void use_more(struct xetile_dispatch_use *use, u64 more)
{
	u64 paid = min(use->paid, more);

	use->paid -= paid;
	use->used += more - paid;
}

/* Others of the client, which wait, owe no more than the one that joins again. */
static void use_bound(struct xetile_dispatch_use *use, u64 clock)
{
	if (xetile_dispatch_share_less(clock + DEBT_MAX, use->used))
		use->used = clock + DEBT_MAX;
}

/**
 * xetile_dispatch_share_join() - a gang wants engines
 * @dispatch: dispatcher
 * @gang: an idle gang, whose rank is its priority
 * @set: the first of the gangs that wait for the same, or NULL
 * @line: the first of those of its client, or NULL
 *
 * Context: the execution lock is held.
 */
void xetile_dispatch_share_join(const struct xetile_dispatch *dispatch, struct xetile_gang *gang,
				const struct xetile_gang *set, const struct xetile_gang *line)
{
	u64 turn = gang_use(gang, gang->slice_ns);
	/* Time at one place says nothing about another. */
	bool moved = gang->used_place != gang->place;
	struct xetile_dispatch_account *account;

	gang->used_place = gang->place;
	account = account_at(gang, gang->priority);
	use_join(&account->use, dispatch->clocks[gang->priority][gang->used_place],
		 set ? turn : 0, false);
	use_join(&gang->use, account->clock, line ? turn : 0, moved);
}

/**
 * xetile_dispatch_share_line_at() - the place of a line in its set
 * @dispatch: dispatcher
 * @gang: a gang of the line
 *
 * Context: the execution lock is held.
 * Return: how far its client is; lines that are less far come before.
 */
u64 xetile_dispatch_share_line_at(const struct xetile_dispatch *dispatch,
				  const struct xetile_gang *gang)
{
	const struct xetile_dispatch_account *account = account_at(gang, gang->rank);
	u64 at = dispatch->clocks[gang->rank][gang->used_place];

	if (account)
		go_on(&at, account->use.used);
	return at;
}

/**
 * xetile_dispatch_share_at() - the place of a gang in its line
 * @gang: a gang that is to wait
 *
 * Context: the execution lock is held.
 * Return: how far it is; gangs that are less far come before.
 */
u64 xetile_dispatch_share_at(const struct xetile_gang *gang)
{
	const struct xetile_dispatch_account *account = account_at(gang, gang->rank);

	if (gang->rank == gang->priority)
		return gang->use.used;
	return account ? account->clock : 0;
}

/**
 * xetile_dispatch_share_raise() - a gang pays for a turn in advance
 * @gang: a gang that waits, whose rank is its priority
 * @turn_ns: length of the turn in ns
 *
 * Context: the execution lock is held.
 */
void xetile_dispatch_share_raise(struct xetile_gang *gang, u64 turn_ns)
{
	struct xetile_dispatch_account *account = account_at(gang, gang->priority);
	u64 turn = gang_use(gang, turn_ns);

	account->use.used += turn;
	account->use.paid += turn;
	gang->use.used += turn;
	gang->use.paid += turn;
}

/**
 * xetile_dispatch_share_yield() - a gang lets another one go first
 * @gang: a gang that owns engines, and is to leave them
 * @rest_ns: what is left of its turn
 * @waiting: a gang that waits for the same
 * @line_at: the place of its line
 *
 * The gang has its whole turn, as far as it counts, and is behind the other one in any case. Else
 * it would be the next to start as long as it has used less, which it does in this way.
 *
 * Context: the execution lock is held.
 */
void xetile_dispatch_share_yield(struct xetile_gang *gang, u64 rest_ns,
				 const struct xetile_gang *waiting, u64 line_at)
{
	struct xetile_dispatch_account *account = account_at(gang, gang->priority);
	u64 rest = gang_use(gang, rest_ns);

	use_more(&account->use, rest);
	use_more(&gang->use, rest);
	if (gang->client == waiting->client)
		go_on(&gang->use.used, waiting->at + 1);
	else
		go_on(&account->use.used, line_at + 1);
}

/**
 * xetile_dispatch_share_start() - a gang that was the first of its set gets its engines
 * @dispatch: dispatcher
 * @gang: the gang
 * @now: time in ns
 *
 * Context: the execution lock is held.
 */
void xetile_dispatch_share_start(struct xetile_dispatch *dispatch, struct xetile_gang *gang,
				 u64 now)
{
	struct xetile_dispatch_account *account = account_at(gang, gang->priority);
	u64 *clock = &dispatch->clocks[gang->priority][gang->used_place];

	gang->charged_ns = now;
	if (gang->rank == gang->priority) {
		go_on(clock, gang->line_at);
		go_on(&account->clock, gang->at);
	}
	go_on(&account->use.used, *clock);
	go_on(&gang->use.used, account->clock);
}

/**
 * xetile_dispatch_share_charge() - count the time for which a gang has owned its engines
 * @dispatch: dispatcher
 * @gang: a gang that owns them
 * @now: time in ns
 *
 * Context: the execution lock is held.
 */
void xetile_dispatch_share_charge(const struct xetile_dispatch *dispatch,
				  struct xetile_gang *gang, u64 now)
{
	struct xetile_dispatch_account *account = account_at(gang, gang->priority);
	u64 more;

	/* The gang may have been started since the caller looked at the clock. */
	if (now <= gang->charged_ns)
		return;
	more = gang_use(gang, now - gang->charged_ns);
	gang->charged_ns = now;
	use_more(&account->use, more);
	use_more(&gang->use, more);
	use_bound(&account->use, dispatch->clocks[gang->priority][gang->used_place]);
	use_bound(&gang->use, account->clock);
}

/**
 * xetile_dispatch_share_pass() - time passes: the clocks go on
 * @dispatch: dispatcher
 * @gang: a gang that was charged, whose rank is its priority
 * @set: the first of the gangs that wait for the same, or NULL
 * @line: the first of those of its client, or NULL
 *
 * Context: the execution lock is held.
 */
void xetile_dispatch_share_pass(struct xetile_dispatch *dispatch, const struct xetile_gang *gang,
				const struct xetile_gang *set, const struct xetile_gang *line)
{
	struct xetile_dispatch_account *account = account_at(gang, gang->priority);
	u64 client_at = account->use.used, gang_at = gang->use.used;

	if (set && xetile_dispatch_share_less(set->line_at, client_at))
		client_at = set->line_at;
	if (line && xetile_dispatch_share_less(line->at, gang_at))
		gang_at = line->at;
	go_on(&dispatch->clocks[gang->priority][gang->used_place], client_at);
	go_on(&account->clock, gang_at);
}

/**
 * xetile_dispatch_share_reaches() - when a gang will be as far as one that waits
 * @gang: a gang that owns engines
 * @waiting: a gang that waits for the same, the first of its line
 *
 * Two gangs of a client are compared; of others, their clients.
 *
 * Context: the execution lock is held.
 * Return: the time in ns, which may be past.
 */
u64 xetile_dispatch_share_reaches(const struct xetile_gang *gang,
				  const struct xetile_gang *waiting)
{
	const struct xetile_dispatch_use *use = &account_at(gang, gang->priority)->use;
	u64 at = waiting->line_at;

	if (gang->client == waiting->client) {
		use = &gang->use;
		at = waiting->at;
	}
	if (!xetile_dispatch_share_less(use->used, at))
		return gang->charged_ns;
	return gang->charged_ns + min(at - use->used + use->paid, DEBT_MAX) * gang->weight / WEIGHT;
}
