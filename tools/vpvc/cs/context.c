// SPDX-License-Identifier: MIT
/*
 * Context images (layout: the driver's pvc_lrc_regs.h). execlist.c loads and saves them on
 * the engine's thread.
 *
 * The register state page holds lists of registers, which a driver may end with a
 * BATCH_BUFFER_END. Behind the lists a save puts state of silicon's own layout; this card keeps
 * struct cs_state there.
 */
#include "cs/context.h"

#include <string.h>

#include "card.h"
#include "core/clock.h"
#include "core/regs.h"
#include "core/strict.h"
#include "cs/cs_mem.h"
#include "cs/cs_state.h"
#include "pvc_gfx_commands.h"
#include "pvc_lrc_regs.h"
#include "pvc_mi_commands.h"

/* Dwords of the lists that the driver writes, too; others follow, which a save alone writes. */
#define LIST_DWORDS		PVC_LRC_MI_MODE
#define IMAGE_DWORDS		(PVC_LRC_GPR0 + 2)
/* Offset of the private state in the state page, bytes. */
#define PRIVATE_OFFSET		0x800
#define PRIVATE_MAGIC		0x43565056u	/* "VPVC" */

struct private_state {
	uint32_t magic;
	uint32_t size;
	uint32_t ring_start;
	uint32_t ring_head;
	struct cs_state s;
};

_Static_assert(PRIVATE_OFFSET + sizeof(struct private_state) <= 0x1000,
	       "private state ends within the state page");

#define PAIR(reg)	(reg), (reg) + 4

/* Registers of a context that are in no list of the image. */
static const uint16_t saved_regs[] = {
	PVC_RING_NOPID(0), PVC_CS_WPARID_MASK, PVC_BCS_SWCTRL(0), PVC_BLIT_CCTL(0), PVC_CS_WPARID,
	PVC_CS_SEMAPHORE_POLL, PVC_CS_PARTITION_STRIDE, PVC_CS_RING_PREDICATE_RESULT,
	PVC_CS_PREDICATE_RESULT_2,
	PAIR(PVC_CS_PREDICATE_SRC0), PAIR(PVC_CS_PREDICATE_SRC1), PAIR(PVC_CS_PREDICATE_DATA),
	PVC_CS_PREDICATE_RESULT, PVC_CS_PREDICATE_RESULT_1,
	PVC_CS_DISPATCH_DIM(0), PVC_CS_DISPATCH_DIM(1), PVC_CS_DISPATCH_DIM(2), PVC_CS_CHICKEN1(0),
	PAIR(PVC_CS_USER_GPR(0)), PAIR(PVC_CS_USER_GPR(1)), PAIR(PVC_CS_USER_GPR(2)),
	PAIR(PVC_CS_USER_GPR(3)), PAIR(PVC_CS_USER_GPR(4)), PAIR(PVC_CS_USER_GPR(5)),
	PAIR(PVC_CS_USER_GPR(6)), PAIR(PVC_CS_USER_GPR(7)), PAIR(PVC_CS_USER_GPR(8)),
	PAIR(PVC_CS_USER_GPR(9)), PAIR(PVC_CS_USER_GPR(10)), PAIR(PVC_CS_USER_GPR(11)),
	PAIR(PVC_CS_USER_GPR(12)), PAIR(PVC_CS_USER_GPR(13)), PAIR(PVC_CS_USER_GPR(14)),
	PAIR(PVC_CS_USER_GPR(15)),
};

#define NUM_SAVED	(sizeof(saved_regs) / sizeof(saved_regs[0]))
_Static_assert(NUM_SAVED <= CS_SAVED_REGS, "room for all saved registers");

static uint64_t state_page(struct cs *cs)
{
	return cs->ctx.lrca + (uint64_t)PVC_LRC_STATE_OFFSET;
}

/* Load one register of the lists; @slot is the dword with its value. */
static void load_reg(struct cs *cs, uint32_t off, uint32_t val, unsigned int slot)
{
	switch (off) {
	case PVC_CONTEXT_CONTROL(0):
		cs->ctx.slot_control = slot;
		cs->ctx.context_control = val;
		cs_set_reg(cs, off, val & 0xffff);
		return;
	case PVC_RING_HEAD(0):
		cs->ctx.slot_head = slot;
		cs->ctx.s.addr[0] = val & PVC_RING_HEAD_MASK;
		cs->ctx.wraps = val >> 21;
		break;
	case PVC_RING_TAIL(0):
		cs->ctx.slot_tail = slot;
		cs->ctx.tail = val & PVC_RING_TAIL_MASK;
		break;
	case PVC_RING_START(0):
		cs->ctx.ring_start = val & ~0xfffu;
		break;
	case PVC_RING_CTL(0):
		cs->ctx.ring_size = val & PVC_RING_CTL_VALID ?
				(val & PVC_RING_CTL_SIZE_MASK) + 0x1000 : 0;
		break;
	case PVC_CTX_TIMESTAMP(0):
		cs->ctx.slot_time = slot;
		atomic_store(&cs->port.time, val - card_timestamp());
		return;
	case PVC_RING_PDP(0, 0):
		cs->ctx.pdp0 = (cs->ctx.pdp0 & ~0xffffffffull) | val;
		break;
	case PVC_RING_PDP_UDW(0, 0):
		cs->ctx.pdp0 = (cs->ctx.pdp0 & 0xffffffffull) | (uint64_t)val << 32;
		break;
	case PVC_RING_BBADDR(0):
		cs->ctx.slot_bbaddr = slot;
		break;
	case PVC_RING_BBADDR_UDW(0):
		cs->ctx.slot_bbaddr_udw = slot;
		break;
	}
	cs_set_reg(cs, off, val);
}

/*
 * Load the lists. False: a dword begins no register list. *@ended: the image is over before the
 * state that only a save writes.
 */
static bool load_lists(struct cs *cs, const uint32_t *image, bool *ended)
{
	unsigned int i = 0;

	*ended = false;
	while (i < LIST_DWORDS) {
		uint32_t dw = image[i++];
		unsigned int pairs;

		switch (dw & PVC_MI_OPCODE_MASK) {
		case PVC_MI_NOOP:
			break;
		case PVC_MI_BATCH_BUFFER_END:
			*ended = true;
			return true;
		case PVC_MI_LOAD_REGISTER_IMM(1) & PVC_MI_OPCODE_MASK:
			pairs = (PVC_FIELD_GET(PVC_MI_LEN, dw) + 1) / 2;
			for (; pairs && i + 1 < LIST_DWORDS; pairs--, i += 2) {
				/* Engine bases are multiples of 8 KiB. */
				uint32_t off = image[i] & 0x1ffc;

				if (off >= PVC_ENGINE_REGS_SIZE) {
					cs_log(cs, "context %#x: dword %#x names register %#x",
					       cs->ctx.lrca, i, image[i]);
					return false;
				}
				load_reg(cs, off, image[i + 1], i + 1);
			}
			break;
		default:
			cs_log(cs, "context %#x: dword %#x is %#x, no register list",
			       cs->ctx.lrca, i - 1, dw);
			return false;
		}
	}
	return true;
}

/* What the engine had before belongs to the context that it had; the position is the image's. */
static void keep_state(struct cs *cs, const struct cs_state *before)
{
	uint64_t head = cs->ctx.s.addr[0];

	cs->ctx.s = *before;
	memset(cs->ctx.s.addr, 0, sizeof(cs->ctx.s.addr));
	cs->ctx.s.level = 0;
	cs->ctx.s.ggtt = 0;
	cs->ctx.s.walker_groups = 0;
	/* That context has left, and its walkers with it. */
	cs->ctx.s.compute.walking = 0;
	cs->ctx.s.addr[0] = head;
}

static void default_state(struct cs *cs)
{
	uint64_t head = cs->ctx.s.addr[0];

	memset(&cs->ctx.s, 0, sizeof(cs->ctx.s));
	cs->ctx.s.addr[0] = head;
	for (unsigned int i = 0; i < NUM_SAVED; i++)
		cs_set_reg(cs, saved_regs[i], 0);
}

/*
 * A context whose restore is inhibited.  The documents say what is not restored, but not what is
 * there instead: the worse reading is that nothing has touched it since the context before, which
 * is why drivers record an image right after a reset (i915: gt/intel_gt.c).
 */
static void inhibited_state(struct cs *cs, const struct cs_state *before)
{
	if (card_punishes(cs->card, STRICT_STALE_STATE))
		keep_state(cs, before);
	else
		default_state(cs);
}

/* The mode is one of the registers that a save adds.  A saved STOP_RING stops the ring again. */
static void load_mode(struct cs *cs, const uint32_t *image)
{
	if ((image[PVC_LRC_MI_MODE] & 0x1ffc) == PVC_RING_MI_MODE(0))
		mmio_cs_write(cs->e, PVC_RING_MI_MODE(cs->e->base), image[PVC_LRC_MI_MODE + 1]);
}

/*
 * Load the state behind the lists. A driver that has moved HEAD or cleared BBADDR wants
 * the context to continue in the ring, not in the batch in which it was preempted.
 */
static enum cs_result load_private(struct cs *cs, const uint32_t *image,
				   const struct cs_state *before)
{
	struct private_state p;
	uint32_t head = cs->ctx.s.addr[0];
	enum cs_result r;

	r = cs_read(cs, true, state_page(cs) + PRIVATE_OFFSET, &p, sizeof(p));
	if (r != CS_OK)
		return r;
	if (p.magic != PRIVATE_MAGIC || p.size != sizeof(p) || p.s.level >= CS_LEVELS) {
		cs_log(cs, "context %#x: restore asked for, but never saved", cs->ctx.lrca);
		inhibited_state(cs, before);
		return CS_OK;
	}
	load_mode(cs, image);
	cs->ctx.s = p.s;
	cs->ctx.s.addr[0] = head;
	if (p.ring_head != head || p.ring_start != cs->ctx.ring_start ||
	    !cs->ctx.slot_bbaddr || !(image[cs->ctx.slot_bbaddr] & PVC_BBADDR_VALID)) {
		if (cs->ctx.s.level || p.ring_head != head)
			cs->ctx.s.walker_groups = 0;
		cs->ctx.s.level = 0;
	}
	for (unsigned int i = 0; i < NUM_SAVED; i++)
		cs_set_reg(cs, saved_regs[i], p.s.regs[i]);
	return CS_OK;
}

static bool ring_is_sane(struct cs *cs)
{
	if (!cs->ctx.slot_head || !cs->ctx.slot_tail || !cs->ctx.slot_control || !cs->ctx.ring_size)
		return false;
	return cs->ctx.tail < cs->ctx.ring_size && cs->ctx.s.addr[0] < cs->ctx.ring_size;
}

/*
 * xe submits contexts without page tables, but no public driver one whose descriptor says that it
 * has them and whose root is 0. An engine might fetch entries from there when it restores it.
 */
static bool lacks_root(struct cs *cs)
{
	return card_punishes(cs->card, STRICT_PPGTT_ROOT) && cs->ctx.ppgtt && !cs->ctx.pdp0;
}

/*
 * Run the batches that belong to each restore of a context: to none that is inhibited (i915:
 * gt/intel_lrc.c, lrc_setup_indirect_ctx()).
 */
static enum cs_result run_restore_batches(struct cs *cs, context_run_fn *run)
{
	uint32_t indirect = cs_reg(cs, PVC_RING_INDIRECT_CTX(0));
	uint32_t per_ctx = cs_reg(cs, PVC_RING_BB_PER_CTX_PTR(0));
	uint32_t lines = indirect & PVC_INDIRECT_CTX_SIZE_MASK;
	enum cs_result r = CS_OK;

	if ((cs->ctx.context_control & PVC_CTX_CTRL_RESTORE_INHIBIT) &&
	    card_punishes(cs->card, STRICT_STALE_STATE))
		return CS_OK;
	if (lines)
		r = run(cs, indirect & PVC_INDIRECT_CTX_ADDR_MASK, 64 * lines);
	if (r == CS_OK && (per_ctx & PVC_BB_PER_CTX_VALID))
		r = run(cs, per_ctx & PVC_BB_PER_CTX_ADDR_MASK, 0);
	return r;
}

enum cs_result context_load(struct cs *cs, uint64_t desc, context_run_fn *run)
{
	struct cs_state before = cs->ctx.s;
	uint32_t image[IMAGE_DWORDS];
	enum cs_result r;
	bool ended;

	cs->ctx.desc = desc;
	cs->ctx.lrca = desc & PVC_CTX_LRCA_MASK;
	cs->ctx.ppgtt = desc & PVC_CTX_PPGTT_ENABLE;
	cs->ctx.pdp0 = 0;
	cs->ctx.ring_size = 0;
	cs->ctx.slot_head = 0;
	cs->ctx.slot_tail = 0;
	cs->ctx.slot_control = 0;
	cs->ctx.slot_time = 0;
	cs->ctx.slot_bbaddr = 0;
	cs->ctx.slot_bbaddr_udw = 0;
	cs->batch.jumps = 0;
	cs->ctx.broken = false;
	cs->batch.arb_point = true;
	/* Drivers invalidate instructions for each job, but not when a context is restored. */
	cs->batch.code_generation++;
	/* An image may lack these: the last context's values must not stay. */
	cs_set_reg(cs, PVC_RING_INDIRECT_CTX(0), 0);
	cs_set_reg(cs, PVC_RING_BB_PER_CTX_PTR(0), 0);
	memset(&cs->ctx.s, 0, sizeof(cs->ctx.s));
	counter_add(&cs->e->cnt.contexts, 1);
	counter_set(&cs->e->cnt.last_context,
		    (desc & PVC_CTX_SW_ID_MASK) >> PVC_CTX_SW_ID_SHIFT);
	counter_set(&cs->e->cnt.last_lrca, cs->ctx.lrca);
	cs->batch.cmd[0] = 0;
	cs->batch.insn_level = 0;

	r = cs_read(cs, true, state_page(cs), image, sizeof(image));
	if (r != CS_OK)
		return r;
	if (!load_lists(cs, image, &ended) || !ring_is_sane(cs))
		return cs_error(cs, "context image at %#x: head %#llx tail %#x size %#x",
				cs->ctx.lrca, (unsigned long long)cs->ctx.s.addr[0], cs->ctx.tail,
				cs->ctx.ring_size);
	if (lacks_root(cs))
		return cs_error(cs, "context %#x has page tables without a root", cs->ctx.lrca);
	/* A restore executes the image, and so no more of it than it comes to. */
	if ((cs->ctx.context_control & PVC_CTX_CTRL_RESTORE_INHIBIT) ||
	    (ended && card_punishes(cs->card, STRICT_STALE_STATE)))
		inhibited_state(cs, &before);
	else
		r = load_private(cs, image, &before);
	if (r != CS_OK)
		return r;
	atomic_store(&cs->port.running, true);
	return run_restore_batches(cs, run);
}

enum cs_result context_update_tail(struct cs *cs)
{
	uint32_t tail;
	enum cs_result r;

	r = cs_read(cs, true, state_page(cs) + 4 * cs->ctx.slot_tail, &tail, 4);
	if (r != CS_OK)
		return r;
	tail &= PVC_RING_TAIL_MASK;
	if (tail >= cs->ctx.ring_size)
		return cs_error(cs, "lite restore: tail %#x beyond the ring", tail);
	cs->ctx.tail = tail;
	cs_set_reg(cs, PVC_RING_TAIL(0), tail);
	return CS_OK;
}

static enum cs_result save_slot(struct cs *cs, unsigned int slot, uint32_t val)
{
	if (!slot)
		return CS_OK;
	return cs_write(cs, true, state_page(cs) + 4 * slot, &val, 4);
}

/* A list of one register that only saves write */
static enum cs_result save_list(struct cs *cs, unsigned int slot, uint32_t reg, uint32_t val)
{
	const uint32_t list[] = {
		PVC_MI_LOAD_REGISTER_IMM(1) | PVC_MI_LRI_FORCE_POSTED | PVC_MI_LRI_ADD_CS,
		cs->e->base + reg, val,
	};

	return cs_write(cs, true, state_page(cs) + 4 * (slot - 1), list, sizeof(list));
}

static enum cs_result save_registers(struct cs *cs)
{
	uint32_t mode = cs_reg(cs, PVC_RING_MI_MODE(0)) & ~PVC_MI_MODE_IDLE & 0xffff;
	enum cs_result r;

	/* The image goes on where drivers end those that they write. */
	r = save_slot(cs, PVC_LRC_END, PVC_MI_NOOP);
	if (r == CS_OK)
		r = save_list(cs, PVC_LRC_MI_MODE, PVC_RING_MI_MODE(0), 0xffff0000u | mode);
	/* Drivers load this slot again after they have used the register in a restore's batch. */
	if (r == CS_OK)
		r = save_list(cs, PVC_LRC_GPR0, PVC_CS_USER_GPR(0), cs_reg(cs, PVC_CS_USER_GPR(0)));
	return r;
}

static enum cs_result save_private(struct cs *cs, uint32_t head)
{
	struct private_state p;

	memset(&p, 0, sizeof(p));
	p.magic = PRIVATE_MAGIC;
	p.size = sizeof(p);
	p.ring_start = cs->ctx.ring_start;
	p.ring_head = head;
	p.s = cs->ctx.s;
	for (unsigned int i = 0; i < NUM_SAVED; i++)
		p.s.regs[i] = cs_reg(cs, saved_regs[i]);
	return cs_write(cs, true, state_page(cs) + PRIVATE_OFFSET, &p, sizeof(p));
}

/*
 * The save does not write the tail slot, because the driver may have put a newer tail
 * there than the engine has read.
 */
enum cs_result context_save(struct cs *cs)
{
	uint32_t head = cs->ctx.s.addr[0] & PVC_RING_HEAD_MASK;
	uint64_t batch = cs->ctx.s.level ? cs->ctx.s.addr[cs->ctx.s.level] | PVC_BBADDR_VALID : 0;
	enum cs_result r;

	r = save_slot(cs, cs->ctx.slot_head, cs->ctx.wraps << 21 | head);
	if (r == CS_OK)
		r = save_slot(cs, cs->ctx.slot_time, PVC_LOWER_32(cs_context_time(cs)));
	if (r != CS_OK || (cs->ctx.context_control & PVC_CTX_CTRL_SAVE_INHIBIT))
		return r;
	r = save_private(cs, head);
	if (r == CS_OK)
		r = save_registers(cs);
	if (r == CS_OK)
		r = save_slot(cs, cs->ctx.slot_bbaddr, PVC_LOWER_32(batch));
	if (r == CS_OK)
		r = save_slot(cs, cs->ctx.slot_bbaddr_udw, PVC_UPPER_32(batch));
	/* A saved context can be restored in full: the next load must do so. */
	if (r == CS_OK)
		r = save_slot(cs, cs->ctx.slot_control,
			      cs->ctx.context_control & ~PVC_CTX_CTRL_RESTORE_INHIBIT);
	return r;
}
