// SPDX-License-Identifier: GPL-2.0-only
#include "exec/xetile_dispatch_epoch.h"

#include <linux/list.h>
#include <linux/minmax.h>

#include "exec/xetile_dispatch_types.h"

/**
 * DOC: engines that take turns in modes
 *
 * The compute engines of a tile are a *domain*: its mode says which of them there are, and can
 * change only while no gang owns any of them. A gang may want each of its domains in a certain
 * mode. The time that a domain is in one mode is an *epoch*::
 *
 *	gangs of the mode take turns, until the epoch's time is over and another mode is wanted
 *	-> none of them starts any more, and those that run leave at the end of their slices
 *	-> no engine has a context: the gang that wants the other mode begins an epoch of it
 *
 * An epoch ends at once when no gang of its mode, and of the same priority, runs or waits, and
 * when a gang of a higher priority than all that run wants another mode. It never ends for a
 * lower priority. It lasts four slices of each gang that starts in it, from its beginning. As long
 * as all gangs want the mode that there is, nothing of this happens.
 *
 * Of the gangs that want other modes the one with the oldest turn decides which comes next. It
 * decides for all of its domains, also for those that are in its mode already, so that two gangs
 * that want several domains never wait for each other. All of them come into its modes together;
 * and it decides nothing as long as a gang of a higher priority has an engine that it needs. A gang
 * that wants a mode that is not there, or not to come, reserves no engine.
 *
 * So a gang waits for one epoch of each line that stood before it when it came, at worst, all of
 * other modes. Turns are those of lines: a client with gangs of several modes has as many.
 */

static struct xetile_dispatch_domain *domain_of(struct xetile_dispatch *dispatch,
						const struct xetile_gang_member *member)
{
	return member->mode ? &dispatch->domains[member->domain] : NULL;
}

/* Whether all domains of a gang are in its modes */
static bool is_there(const struct xetile_dispatch *dispatch, const struct xetile_gang *gang)
{
	unsigned int m;

	for (m = 0; m < gang->num_members; m++) {
		const struct xetile_gang_member *member = &gang->members[m];

		if (member->mode && dispatch->domains[member->domain].mode != member->mode)
			return false;
	}
	return true;
}

/* Whether a gang of @rank that wants the domain in its present mode waits */
static bool is_wanted(struct xetile_dispatch *dispatch,
		      const struct xetile_dispatch_domain *domain, unsigned int rank)
{
	struct xetile_gang *gang;
	unsigned int m;

	list_for_each_entry(gang, &dispatch->ready[rank], set) {
		dispatch->looks++;
		for (m = 0; m < gang->num_members; m++)
			if (domain_of(dispatch, &gang->members[m]) == domain &&
			    gang->members[m].mode == domain->mode)
				return true;
	}
	return false;
}

/* When a gang of @rank may end the domain's epoch */
static u64 epoch_over(struct xetile_dispatch *dispatch,
		      const struct xetile_dispatch_domain *domain, unsigned int rank)
{
	u64 rest, over = 0;
	unsigned int r;

	/* They start when an engine is free, and the mode must not go until then. */
	for (r = rank + 1; r < XETILE_DISPATCH_PRIORITIES; r++)
		if (is_wanted(dispatch, domain, r))
			return XETILE_DISPATCH_NEVER;
	for (rest = domain->engines & dispatch->owned; rest; rest &= rest - 1) {
		const struct xetile_gang *owner = dispatch->owners[__builtin_ctzll(rest)];

		if (owner->rank > rank)
			return XETILE_DISPATCH_NEVER;
		if (owner->rank == rank)
			over = domain->until_ns;
	}
	return over || !is_wanted(dispatch, domain, rank) ? over : domain->until_ns;
}

/* Engines that no higher rank may own if a member is to start */
static u64 engines_needed(struct xetile_dispatch *dispatch, const struct xetile_gang_member *member)
{
	const struct xetile_dispatch_domain *domain = domain_of(dispatch, member);

	if (!domain)
		return 0;
	return domain->mode == member->mode ? member->candidates : domain->engines;
}

/* Whether a gang of a higher rank owns an engine without which a gang cannot start */
static bool is_outranked(struct xetile_dispatch *dispatch, const struct xetile_gang *gang)
{
	unsigned int m;

	for (m = 0; m < gang->num_members; m++) {
		u64 rest = engines_needed(dispatch, &gang->members[m]) & dispatch->owned;

		for (; rest; rest &= rest - 1)
			if (dispatch->owners[__builtin_ctzll(rest)]->rank > gang->rank)
				return true;
	}
	return false;
}

/* When gangs of a rank may end the domain's epoch; once for all: nothing starts as they decide. */
static u64 ask_over(struct xetile_dispatch *dispatch, struct xetile_dispatch_domain *domain,
		    unsigned int rank)
{
	if (!domain->asked)
		domain->over_ns = epoch_over(dispatch, domain, rank);
	domain->asked = true;
	return domain->over_ns;
}

/*
 * When all domains of a gang can come into its modes, as far as time goes: 0 for now,
 * XETILE_DISPATCH_NEVER if another gang has decided otherwise, or a higher rank wants one of them.
 */
static u64 all_over(struct xetile_dispatch *dispatch, const struct xetile_gang *gang, u64 now)
{
	u64 latest = 0;
	unsigned int m;

	for (m = 0; m < gang->num_members; m++) {
		const struct xetile_gang_member *member = &gang->members[m];
		struct xetile_dispatch_domain *domain = domain_of(dispatch, member);
		u64 over;

		if (!domain || member->mode == (domain->next ?: domain->mode))
			continue;
		if (domain->next || domain->kept)
			return XETILE_DISPATCH_NEVER;
		over = ask_over(dispatch, domain, gang->rank);
		if (over > now)
			latest = max(latest, over);
	}
	return latest;
}

/*
 * A gang, some of whose domains are in other modes, decides. As long as it cannot have all of them
 * those that it could have stay as they are: gangs that use them go on, and no third mode comes.
 * Returns when it can decide more.
 */
static u64 gang_decides(struct xetile_dispatch *dispatch, const struct xetile_gang *gang, u64 now)
{
	unsigned int m;
	u64 over;

	if (is_outranked(dispatch, gang))
		return XETILE_DISPATCH_NEVER;
	over = all_over(dispatch, gang, now);
	for (m = 0; m < gang->num_members; m++) {
		const struct xetile_gang_member *member = &gang->members[m];
		struct xetile_dispatch_domain *domain = domain_of(dispatch, member);

		if (!domain || domain->kept || domain->next)
			continue;
		if (member->mode == domain->mode) {
			domain->kept = true;
		} else if (ask_over(dispatch, domain, gang->rank) <= now) {
			domain->kept = over;
			domain->next = over ? 0 : member->mode;
			domain->rank = gang->rank;
		}
	}
	return over ?: XETILE_DISPATCH_NEVER;
}

/**
 * xetile_dispatch_epoch_waits() - a gang waits
 * @dispatch: dispatcher
 * @gang: the gang
 *
 * If all gangs that wait want the modes that there are, nobody looks at modes.
 *
 * Context: the execution lock is held.
 */
void xetile_dispatch_epoch_waits(struct xetile_dispatch *dispatch, const struct xetile_gang *gang)
{
	if (!is_there(dispatch, gang))
		dispatch->mixed = true;
}

/**
 * xetile_dispatch_epoch_look() - nothing is decided yet
 * @dispatch: dispatcher
 *
 * Begins a look at all gangs that wait, from the highest rank to the lowest.
 *
 * Context: the execution lock is held.
 */
void xetile_dispatch_epoch_look(struct xetile_dispatch *dispatch)
{
	unsigned int d;

	for (d = 0; d < XETILE_DISPATCH_DOMAINS; d++) {
		dispatch->domains[d].kept = false;
		dispatch->domains[d].next = 0;
	}
}

/**
 * xetile_dispatch_epoch_decide() - find the domains whose modes are to change
 * @dispatch: dispatcher
 * @rank: for gangs of this rank; those above have decided
 * @now: time in ns
 *
 * Context: the execution lock is held.
 * Return: time at which more can be decided, or XETILE_DISPATCH_NEVER.
 */
u64 xetile_dispatch_epoch_decide(struct xetile_dispatch *dispatch, unsigned int rank, u64 now)
{
	u64 next = XETILE_DISPATCH_NEVER;
	struct xetile_gang *gang;
	unsigned int d;

	for (d = 0; d < XETILE_DISPATCH_DOMAINS; d++)
		dispatch->domains[d].asked = false;
	list_for_each_entry(gang, &dispatch->ready[rank], set) {
		dispatch->looks++;
		if (is_there(dispatch, gang))
			continue;
		dispatch->mixed = true;
		next = min(next, gang_decides(dispatch, gang, now));
	}
	return next;
}

/**
 * xetile_dispatch_epoch_fits() - may a gang start, as far as modes are concerned
 * @dispatch: dispatcher
 * @gang: a gang that waits
 *
 * Context: the execution lock is held.
 * Return: true if each of its domains is in its mode and stays so, or is to come into it.
 */
bool xetile_dispatch_epoch_fits(const struct xetile_dispatch *dispatch,
				const struct xetile_gang *gang)
{
	unsigned int m;

	/* Nobody wants another mode. */
	if (!dispatch->mixed)
		return true;
	for (m = 0; m < gang->num_members; m++) {
		const struct xetile_gang_member *member = &gang->members[m];
		const struct xetile_dispatch_domain *domain = &dispatch->domains[member->domain];

		if (member->mode && member->mode != (domain->next ?: domain->mode))
			return false;
	}
	return true;
}

/**
 * xetile_dispatch_epoch_choice() - engines that a member could have
 * @dispatch: dispatcher
 * @member: member of a gang that fits
 * @free: engines that are free
 *
 * Context: the execution lock is held.
 * Return: its candidates of these; none as long as engines of a domain that is to change its mode
 * are in use, or have a context.
 */
u64 xetile_dispatch_epoch_choice(struct xetile_dispatch *dispatch,
				 const struct xetile_gang_member *member, u64 free)
{
	const struct xetile_dispatch_domain *domain = &dispatch->domains[member->domain];

	if (member->mode && domain->next &&
	    ((domain->engines & ~free) || !dispatch->ops->quiet(dispatch, member->domain)))
		return 0;
	return member->candidates & free;
}

/**
 * xetile_dispatch_epoch_begin() - a gang starts: its domains come into its modes
 * @dispatch: dispatcher
 * @gang: the gang, whose engines are free
 * @length: how long epochs last at least, for this gang, in ns
 * @now: time in ns
 *
 * Context: the execution lock is held.
 */
void xetile_dispatch_epoch_begin(struct xetile_dispatch *dispatch, const struct xetile_gang *gang,
				 u64 length, u64 now)
{
	unsigned int m;

	for (m = 0; m < gang->num_members; m++) {
		const struct xetile_gang_member *member = &gang->members[m];
		struct xetile_dispatch_domain *domain = domain_of(dispatch, member);

		if (!domain)
			continue;
		if (!domain->next) {
			domain->until_ns = max(domain->until_ns, domain->began_ns + length);
			continue;
		}
		domain->next = 0;
		domain->mode = member->mode;
		domain->began_ns = now;
		domain->until_ns = now + length;
		/* Gangs that wait may want the mode that was. */
		dispatch->mixed = true;
		dispatch->ops->mode(dispatch, member->domain, member->mode);
	}
}
