// SPDX-License-Identifier: MIT
/*
 * Which engine owns which compute slice (S66, S67, S69), and which engine a
 * virtual slice is bound to (S71, S75, S76): all inputs there are.
 */
#include "check.h"
#include "exec/xetile_cslice_map.h"

static unsigned int bits(u32 mask)
{
	unsigned int n = 0;

	for (; mask; mask >>= 1)
		n += mask & 1;
	return n;
}

/* Owner of a slice as CCS_MODE tells it, written without the driver's macros */
static unsigned int field(u32 value, unsigned int slice)
{
	return value >> (3 * slice) & 7;
}

static void test_mode(u32 present, unsigned int mode)
{
	u32 engines = xetile_cslice_engines(present, mode);
	u32 value = xetile_cslice_register(present, mode);
	u32 all = 0;
	unsigned int i;

	CHECK(bits(engines) == mode, "present %#x mode %u: %#x", present, mode, engines);
	CHECK(!(engines & ~present), "present %#x mode %u: %#x", present, mode, engines);
	CHECK(!(value >> 12), "present %#x mode %u: %#x", present, mode, value);

	for (i = 0; i < 4; i++) {
		u32 owned = xetile_cslice_owned(present, mode, i);
		u32 told = 0;
		unsigned int s;

		for (s = 0; s < 4; s++)
			if (field(value, s) == i)
				told |= 1u << s;
		CHECK(owned == told, "present %#x mode %u ccs%u: %#x, register %#x", present,
		      mode, i, owned, told);
		CHECK(!(owned & all), "present %#x mode %u ccs%u: shares slices", present, mode, i);
		CHECK(bits(owned) == (engines & 1u << i ? bits(present) / mode : 0),
		      "present %#x mode %u ccs%u: %#x", present, mode, i, owned);
		all |= owned;
		CHECK(present & 1u << i || field(value, i) == 7,
		      "present %#x mode %u: missing slice %u is on", present, mode, i);
	}
	CHECK(all == present, "present %#x mode %u: slices %#x are used", present, mode, all);
}

static void test_modes(void)
{
	/* By number of slices: 1, 2, 4 where they divide it */
	static const u32 expected[] = { 0, 0x02, 0x06, 0x02, 0x16 };
	unsigned int mode;
	u32 present;

	for (present = 0; present < 16; present++) {
		u32 modes = xetile_cslice_modes(present);

		CHECK(modes == expected[bits(present)], "present %#x: modes %#x", present, modes);
		for (mode = 1; mode <= 4; mode++)
			if (modes & 1u << mode)
				test_mode(present, mode);
	}

	/* As Intel's drivers write them */
	CHECK(xetile_cslice_register(0xf, 1) == 0x000, "mode 1");
	CHECK(xetile_cslice_register(0xf, 2) == 0x208, "mode 2");
	CHECK(xetile_cslice_register(0xf, 4) == 0x688, "mode 4");
}

/* What xetile_cslice_pick() promises, as a comparison of two engines */
static int better(const struct xetile_cslice_load *load, int a, int b, int last)
{
	if (load[a].busy != load[b].busy)
		return load[a].busy < load[b].busy;
	if (load[a].bound != load[b].bound)
		return load[a].bound < load[b].bound;
	return a == last && b != last;
}

static void test_pick_one(const struct xetile_cslice_load *load, u32 candidates, int last)
{
	int got = xetile_cslice_pick(load, candidates, last), i;

	if (got < 0 || got > 3 || !(candidates & 1u << got)) {
		CHECK(0, "candidates %#x: picked %d", candidates, got);
		return;
	}
	for (i = 0; i < 4; i++)
		if (candidates & 1u << i)
			CHECK(!better(load, i, got, last), "candidates %#x: %d is better than %d",
			      candidates, i, got);
}

static void test_pick(void)
{
	unsigned int code;

	/* busy 0..2 and bound busy..busy + 2 on each of four engines */
	for (code = 0; code < 9 * 9 * 9 * 9; code++) {
		struct xetile_cslice_load load[4];
		unsigned int i, rest = code;
		u32 candidates;
		int last;

		for (i = 0; i < 4; i++, rest /= 9) {
			load[i].busy = rest % 3;
			load[i].bound = load[i].busy + rest % 9 / 3;
		}
		for (candidates = 1; candidates < 16; candidates++)
			for (last = -1; last < 4; last++)
				test_pick_one(load, candidates, last);
	}
}

/* Alike processes that come one by one spread by at most one binding. */
static void test_spread(void)
{
	struct xetile_cslice_load load[4] = { 0 };
	unsigned int n, i;

	for (n = 1; n <= 64; n++) {
		unsigned int min = ~0u, max = 0;
		int got = xetile_cslice_pick(load, 0xf, -1);

		load[got].busy++;
		load[got].bound++;
		for (i = 0; i < 4; i++) {
			min = load[i].busy < min ? load[i].busy : min;
			max = load[i].busy > max ? load[i].busy : max;
		}
		CHECK(max - min <= 1, "%u processes: %u..%u", n, min, max);
	}
}

int main(void)
{
	RUN("S66 S67 S69: modes share out all slices", test_modes());
	RUN("S71 S75: the least loaded engine, kept if possible", test_pick());
	RUN("S76: alike processes are at most one apart", test_spread());
	return check_end();
}
