// SPDX-License-Identifier: MIT
/*
 * Register numbers in commands: how they become offsets, and which registers a user's
 * batch may access. Commands call this on the engine's thread.
 */
#include "cs/cs_regs.h"

#include "card.h"
#include "core/regs.h"
#include "cs/cs_state.h"
#include "pvc_gfx_commands.h"

struct reg_range {
	uint32_t first, last;	/* offsets from the engine's base */
};

/*
 * Registers of its own engine that a user's batch may write without a FORCE_TO_NONPRIV
 * slot: those that user-mode drivers program. Silicon's own list is not published.
 */
static const struct reg_range user_regs[] = {
	{ PVC_CS_WPARID_MASK, PVC_CS_WPARID_MASK },
	{ PVC_BLIT_CCTL(0), PVC_BLIT_CCTL(0) },
	{ PVC_CS_WPARID, PVC_CS_WPARID },
	{ PVC_CS_SEMAPHORE_POLL, PVC_CS_SEMAPHORE_POLL },
	{ PVC_CS_PARTITION_STRIDE, PVC_CS_PREDICATE_RESULT_2 },
	{ PVC_CS_PREDICATE_SRC0, PVC_CS_PREDICATE_RESULT_1 },
	{ PVC_CS_DISPATCH_DIM(0), PVC_CS_DISPATCH_DIM(2) },
	{ PVC_CS_CHICKEN1(0), PVC_CS_CHICKEN1(0) },
	{ PVC_CS_USER_GPR(0), PVC_CS_USER_GPR(15) + 4 },
};

uint32_t cs_resolve(struct cs *cs, uint32_t number, bool remap, bool add_cs)
{
	if (add_cs)
		return cs->e->base + number;
	if (remap && number >= PVC_CS_REMAP_BASE &&
	    number < PVC_CS_REMAP_BASE + PVC_ENGINE_REGS_SIZE)
		return number - PVC_CS_REMAP_BASE + cs->e->base;
	if (remap && number >= PVC_BCS0_BASE && number < PVC_BCS0_BASE + PVC_ENGINE_REGS_SIZE)
		return number - PVC_BCS0_BASE + cs->e->base;
	return number;
}

/* FORCE_TO_NONPRIV: 1 allowed, -1 denied, 0 not mentioned */
static int nonpriv_slot(struct cs *cs, uint32_t off, bool write)
{
	int verdict = 0;

	for (unsigned int i = 0; i < PVC_NONPRIV_SLOTS; i++) {
		uint32_t slot = cs_reg(cs, PVC_FORCE_TO_NONPRIV(0, i));
		uint32_t bytes = 4u << (2 * (slot & 3));
		uint32_t first = slot & PVC_NONPRIV_REG_MASK & ~(bytes - 1);

		if (!slot || off < first || off >= first + bytes)
			continue;
		if ((slot & PVC_NONPRIV_ACCESS_RD) && write)
			continue;
		if ((slot & PVC_NONPRIV_ACCESS_WR) && !write)
			continue;
		/* A slot that denies outweighs other slots with the register. */
		if (slot & PVC_NONPRIV_DENY)
			return -1;
		verdict = 1;
	}
	return verdict;
}

static bool user_may_write(struct cs *cs, uint32_t off)
{
	int slot = nonpriv_slot(cs, off, true);
	uint32_t rel;

	if (slot)
		return slot > 0;
	if (off >= cs->e->base && off < cs->e->base + PVC_ENGINE_REGS_SIZE)
		rel = off - cs->e->base;
	else if (off >= PVC_RCS_BASE && off < PVC_RCS_BASE + PVC_ENGINE_REGS_SIZE)
		rel = off - PVC_RCS_BASE;	/* of the absent engine: no effect */
	else
		return false;
	for (unsigned int i = 0; i < sizeof(user_regs) / sizeof(user_regs[0]); i++)
		if (rel >= user_regs[i].first && rel <= user_regs[i].last)
			return true;
	return false;
}

enum cs_result cs_reg_load(struct cs *cs, uint32_t off, uint32_t *val)
{
	off &= ~3u;
	if (off >= TILE_REG_SIZE ||
	    (!cs_privileged(cs) && nonpriv_slot(cs, off, false) < 0)) {
		cs_log(cs, "read of register %#x denied", off);
		return CS_SKIP;
	}
	if (!mmio_cs_read(cs->e, off, val))
		return cs_error(cs, "unimplemented: read of register %#x", off);
	return CS_OK;
}

enum cs_result cs_reg_store(struct cs *cs, uint32_t off, uint32_t val)
{
	off &= ~3u;
	if (off >= TILE_REG_SIZE || (!cs_privileged(cs) && !user_may_write(cs, off))) {
		cs_log(cs, "write of %#x to register %#x denied", val, off);
		return CS_SKIP;
	}
	if (!mmio_cs_write(cs->e, off, val))
		return cs_error(cs, "unimplemented: write of %#x to register %#x", val, off);
	return CS_OK;
}
