// SPDX-License-Identifier: GPL-2.0-only
#include "exec/xetile_cslice_map.h"

#include <linux/minmax.h>

#include "regs/pvc_gt_regs.h"

/**
 * DOC: which compute engine owns which compute slice
 *
 * A tile has up to four compute slices (cslices) and as many compute engines
 * (CCS); cslice n and CCSn are fused off together. In mode m the first m
 * engines present share out the slices present, one at a time and in turn, as
 * Intel's own drivers do. All slices of a mode's engines are alike: the mode
 * divides the number of slices.
 */

static unsigned int count(u32 mask)
{
	unsigned int i, n = 0;

	/* Count bit by bit: for a population count the compiler would call its library. */
	for (i = 0; i < XETILE_CSLICES; i++)
		n += mask >> i & 1;
	return n;
}

/* The n-th bit of @mask that is set, counted from 0 */
static unsigned int nth(u32 mask, unsigned int n)
{
	while (n--)
		mask &= mask - 1;
	return (unsigned int)__builtin_ctz(mask);
}

/**
 * xetile_cslice_modes() - modes a tile can be put in
 * @present: mask of cslices present
 *
 * Context: any.
 *
 * Return: mask with bit m for each possible mode m of 1, 2, 4.
 */
u32 xetile_cslice_modes(u32 present)
{
	unsigned int n = count(present), m;
	u32 modes = 0;

	for (m = 1; m <= XETILE_CSLICES; m *= 2)
		if (m <= n && n % m == 0)
			modes |= 1u << m;
	return modes;
}

/**
 * xetile_cslice_engines() - compute engines usable in a mode
 * @present: mask of cslices present
 * @mode: a mode of xetile_cslice_modes()
 *
 * Context: any.
 *
 * Return: mask of physical CCS instances.
 */
u32 xetile_cslice_engines(u32 present, unsigned int mode)
{
	u32 rest = present;

	while (mode--)
		rest &= rest - 1;
	return present & ~rest;
}

/**
 * xetile_cslice_owned() - slices of an engine
 * @present: mask of cslices present
 * @mode: a mode of xetile_cslice_modes()
 * @instance: physical CCS instance
 *
 * Context: any.
 *
 * Return: mask of cslices; 0 for an engine not usable in @mode.
 */
u32 xetile_cslice_owned(u32 present, unsigned int mode, unsigned int instance)
{
	/* Each @mode slices from the engine's own on, of those present, one is its. */
	unsigned int turn = 0;
	u32 owned = 0, rest;

	if (!(xetile_cslice_engines(present, mode) >> instance & 1))
		return 0;
	for (rest = present >> instance << instance; rest; rest &= rest - 1)
		if (turn++ % mode == 0)
			owned |= rest & -rest;
	return owned;
}

/**
 * xetile_cslice_register() - value of CCS_MODE for a mode
 * @present: mask of cslices present
 * @mode: a mode of xetile_cslice_modes()
 *
 * Context: any.
 *
 * Return: the register's fields; slices that are missing are switched off.
 */
u32 xetile_cslice_register(u32 present, unsigned int mode)
{
	u32 value = 0;
	unsigned int slice, i = 0;

	for (slice = 0; slice < XETILE_CSLICES; slice++) {
		u32 engine = PVC_CCS_MODE_CSLICE_OFF;

		if (present & (1u << slice))
			engine = nth(present, i++ % mode);
		value |= engine << PVC_CCS_MODE_CSLICE_SHIFT(slice);
	}
	return value;
}

/**
 * xetile_cslice_working() - how many virtual slices of a tile have work
 * @load: load of its engines, by mode and instance
 *
 * Context: any.
 *
 * Return: that number, of all processes and modes.
 */
unsigned int xetile_cslice_working(const struct xetile_cslice_load
				   load[XETILE_CSLICE_MODES][XETILE_CSLICES])
{
	unsigned int m, i, n = 0;

	for (m = 0; m < XETILE_CSLICE_MODES; m++)
		for (i = 0; i < XETILE_CSLICES; i++)
			n += load[m][i].busy;
	return n;
}

/**
 * xetile_cslice_claims() - how many have a claim to slices that a queue borrows
 * @tiles: the queue's tiles
 * @num: how many
 *
 * Context: any.
 *
 * Return: slices that have work, and one for the administrator who does not allow it, on the tile
 * where these are most; 0: the slices are idle, but for the queue.
 */
unsigned int xetile_cslice_claims(const struct xetile_cslice_lender *tiles, unsigned int num)
{
	unsigned int most = 0, t;

	for (t = 0; t < num; t++)
		most = max(most, tiles[t].working + !tiles[t].lends);
	return most;
}

/**
 * xetile_cslice_loan() - may a queue that has work borrow idle slices
 * @tiles: the queue's tiles
 * @num: how many
 *
 * It borrows those of all its tiles or none, so that the parts of a gang remain alike.
 *
 * Context: any.
 *
 * Return: how many times its own slices it has then, on the tile where that is most; 1: it has its
 * own.
 */
unsigned int xetile_cslice_loan(const struct xetile_cslice_lender *tiles, unsigned int num)
{
	unsigned int times = 1, t;

	if (xetile_cslice_claims(tiles, num))
		return 1;
	for (t = 0; t < num; t++)
		times = max(times, tiles[t].mode);
	return times;
}

/**
 * xetile_cslice_turn() - how long the turns of a queue with a loan are
 * @turn: how long they are without, and those of others; in any unit
 * @loan: what xetile_cslice_loan() said: 1 without a loan
 * @claims: what xetile_cslice_claims() says now
 *
 * Beside turns of others in another mode it has 1 part of the time in (parts + 1). With its own
 * slice it would have 1 part of the tile in as many as there are slices, or queues for them. There
 * are XETILE_CSLICE_PARTS at most: a turn that is over before anything runs would be none.
 *
 * Context: any.
 *
 * Return: the shorter turn, in the same unit.
 */
u64 xetile_cslice_turn(u64 turn, unsigned int loan, unsigned int claims)
{
	if (loan == 1)
		return turn;
	return turn / min(max(loan, claims), XETILE_CSLICE_PARTS);
}

/**
 * xetile_cslice_pick() - choose the engine for a virtual cslice
 * @load: load of each physical instance, XETILE_CSLICES elements
 * @candidates: mask of instances to choose from, not 0
 * @last: instance it was bound to before, or -1
 *
 * Picks the least busy instance; among equals the one with the fewest bindings, so that
 * processes whose batches do not overlap yet spread as well; then @last, so that an idle slice
 * does not wander.
 *
 * Context: any.
 *
 * Return: the instance.
 */
int xetile_cslice_pick(const struct xetile_cslice_load *load, u32 candidates, int last)
{
	int best = -1;
	u32 rest;

	for (rest = candidates; rest; rest &= rest - 1) {
		int i = __builtin_ctz(rest);

		if (best < 0 || load[i].busy < load[best].busy ||
		    (load[i].busy == load[best].busy &&
		     (load[i].bound < load[best].bound ||
		      (load[i].bound == load[best].bound && i == last))))
			best = i;
	}
	return best;
}
