// SPDX-License-Identifier: MIT
/*
 * Replicated registers (MCR). The host chooses an instance with MCR_SELECTOR: a read gives the
 * value of that instance, a write reaches all instances while the selector's multicast bit is set,
 * else the chosen one alone. Ranges and numbers are those of xe (xe_gt_mcr.c): in the first table
 * there is an instance in each subslice (DSS), eight of them in a group; in the second one xe reads
 * instance 0 of group 0 in all cases, and the card has no other.
 *
 * What is not there reads zero and ignores writes: the instances of a DSS that is fused off, and
 * other instances of the second table. Drivers must keep the multicast bit set while they read
 * (Wa_22013088509, no source says why); here such a read without the bit gives zero, too.
 *
 * The selector does not steer command streams (i915: gt/selftest_workarounds.c): their writes
 * reach all instances, and their reads give the value of none in particular.
 *
 * An instance is kept as its difference to the register's storage, which has the value that was
 * written to all of them last.
 */
#define _GNU_SOURCE
#include "core/steer.h"

#include <errno.h>
#include <sys/mman.h>

#include "card.h"
#include "core/strict.h"
#include "pvc_gt_regs.h"

#define MAX_DSS		64u

/* First and last register */
static const struct range {
	uint32_t start, end;
} dss_ranges[] = {
	{ 0x8140, 0x817f }, { 0x94d0, 0x955f }, { 0x9680, 0x96ff }, { 0xdc00, 0xdcff },
	{ 0xde80, 0xe7ff },
}, first_ranges[] = {
	{ 0x4000, 0x4aff }, { 0x8800, 0x887f }, { 0x8a80, 0x8aff }, { 0xb000, 0xb3ff },
	{ 0xc800, 0xcfff }, { 0xd800, 0xd8ff }, { 0xdd00, 0xddff }, { 0xe900, 0xe9ff },
	{ 0xec00, 0xeeff }, { 0xf000, 0xffff }, { 0x24180, 0x241ff },
};

#define NUM(ranges)	(sizeof(ranges) / sizeof((ranges)[0]))
#define DSS_FIRST	0x8140u
#define DSS_DWORDS	((0xe800u - DSS_FIRST) / 4)
#define DIFF_BYTES	(MAX_DSS * DSS_DWORDS * sizeof(uint32_t))

static bool in(const struct range *ranges, unsigned int n, uint32_t off)
{
	for (unsigned int i = 0; i < n; i++)
		if (off >= ranges[i].start && off <= ranges[i].end)
			return true;
	return false;
}

static _Atomic uint32_t *diff(struct tile *t, uint32_t off, unsigned int dss)
{
	return &t->steer[dss * DSS_DWORDS + (off - DSS_FIRST) / 4];
}

static bool alive(struct tile *t, unsigned int dss)
{
	return dss < MAX_DSS && t->dss_mask >> dss & 1;
}

static unsigned int group_of(uint32_t selector)
{
	return (selector & PVC_MCR_GROUP_MASK) >> PVC_MCR_GROUP_SHIFT;
}

static unsigned int instance_of(uint32_t selector)
{
	return (selector & PVC_MCR_INSTANCE_MASK) >> PVC_MCR_INSTANCE_SHIFT;
}

static unsigned int dss_of(uint32_t selector)
{
	return group_of(selector) * PVC_DSS_PER_MCR_GROUP + instance_of(selector);
}

unsigned int steer_dss(struct tile *t)
{
	return dss_of(reg_read(t, PVC_MCR_SELECTOR));
}

int steer_init(struct tile *t)
{
	void *p = mmap(NULL, DIFF_BYTES, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (p == MAP_FAILED)
		return -ENOMEM;
	t->steer = p;
	return 0;
}

void steer_fini(struct tile *t)
{
	if (t->steer)
		munmap((void *)t->steer, DIFF_BYTES);
	t->steer = NULL;
}

void steer_reset(struct tile *t)
{
	madvise((void *)t->steer, DIFF_BYTES, MADV_DONTNEED);
}

uint32_t steer_read(struct tile *t, uint32_t off, uint32_t val)
{
	uint32_t selector = reg_read(t, PVC_MCR_SELECTOR);

	if (!card_punishes(t->card, STRICT_STEERING))
		return val;
	if (in(dss_ranges, NUM(dss_ranges), off)) {
		if (!(selector & PVC_MCR_MULTICAST) || !alive(t, dss_of(selector)))
			return 0;
		return val ^ atomic_load(diff(t, off, dss_of(selector)));
	}
	if (in(first_ranges, NUM(first_ranges), off) &&
	    (!(selector & PVC_MCR_MULTICAST) || group_of(selector) || instance_of(selector)))
		return 0;
	return val;
}

/* The bits of a register that a write gives a value, which does not depend on the one before */
static uint32_t written_bits(uint32_t val, enum reg_access access)
{
	switch (access) {
	case REG_RW:
		return ~0u;
	case REG_W1C:
		return val;
	case REG_MASKED:
		return val >> 16;
	default:
		return 0;
	}
}

void steer_all(struct tile *t, uint32_t off, uint32_t val, enum reg_access access)
{
	uint32_t bits = written_bits(val, access);

	if (!in(dss_ranges, NUM(dss_ranges), off))
		return;
	for (unsigned int dss = 0; dss < MAX_DSS; dss++)
		if (alive(t, dss) && atomic_load(diff(t, off, dss)))
			atomic_fetch_and(diff(t, off, dss), ~bits);
}

static void write_one(struct tile *t, uint32_t off, uint32_t val, enum reg_access access,
		      unsigned int dss)
{
	uint32_t bits = written_bits(val, access), base = reg_read(t, off);
	uint32_t old = base ^ atomic_load(diff(t, off, dss));

	val = access == REG_W1C ? 0 : val;
	atomic_store(diff(t, off, dss), base ^ ((old & ~bits) | (val & bits)));
}

bool steer_write(struct tile *t, uint32_t off, uint32_t val, enum reg_access access)
{
	uint32_t selector = reg_read(t, PVC_MCR_SELECTOR);

	if (!card_punishes(t->card, STRICT_STEERING))
		return false;
	if (selector & PVC_MCR_MULTICAST) {
		steer_all(t, off, val, access);
		return false;
	}
	if (in(dss_ranges, NUM(dss_ranges), off)) {
		if (alive(t, dss_of(selector)))
			write_one(t, off, val, access, dss_of(selector));
		return true;
	}
	return in(first_ranges, NUM(first_ranges), off) &&
	       (group_of(selector) || instance_of(selector));
}

uint32_t steer_peek(struct tile *t, uint32_t off, unsigned int dss)
{
	if (!in(dss_ranges, NUM(dss_ranges), off))
		return reg_read(t, off);
	return alive(t, dss) ? reg_read(t, off) ^ atomic_load(diff(t, off, dss)) : 0;
}
