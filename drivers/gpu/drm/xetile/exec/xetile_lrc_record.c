// SPDX-License-Identifier: GPL-2.0-only
#include "exec/xetile_lrc_record.h"

#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/lockdep.h>
#include <linux/mm.h>

#include <drm/drm_managed.h>
#include <drm/drm_print.h>

#include "instructions/pvc_mi_commands.h"
#include "regs/pvc_engine_regs.h"
#include "regs/pvc_gt_regs.h"
#include "regs/pvc_lrc_regs.h"

#include "card/xetile_engine.h"
#include "card/xetile_tile.h"
#include "exec/xetile_lrc.h"
#include "exec/xetile_sched_lock.h"
#include "exec/xetile_sched_types.h"
#include "exec/xetile_solo.h"
#include "xetile_device.h"

/**
 * DOC: the default image
 *
 * The register state in a context's image is the hardware's own. No document tells what it holds,
 * so the driver cannot write what a new context is to begin with. An engine that is told to
 * restore the documented registers alone (restore inhibit) begins with what its last context left
 * in all others: addresses, general purpose registers, predication. That context may be another
 * process's, which must neither be read nor be obeyed.
 *
 * So, before there are users, the driver has an engine of each class make an image: it runs a
 * context that is not restored, on an engine that was just reset, then another context, and by the
 * time the engine reports that one it has saved the first (prelim i915: gt/intel_gt.c,
 * __engines_record_defaults()). Every context is made from that image, and is restored in full
 * from the first load on. One image for each class suffices, because engines of a class differ in
 * the registers' numbers alone, which a move to a sibling rewrites. Each tile has its own images,
 * because tiles are reset, and differ by fuses.
 *
 * The images are in system memory. The CPU copies them to HBM, through a mapping where it writes
 * fast and reads slowly, and they outlive the sleep of the machine without further work.
 */

/* Contexts that an engine runs one after the other; the first one is kept. */
#define RECORD_CONTEXTS		2

/*
 * The registers of a context that every context begins with, other than the reset leaves them.
 *
 * Nested batches: a batch that starts another one with the bit of the second level set again has
 * replaced the second level since the first hardware with batches, and userspace relies on that.
 * On this hardware the bit would open a third level instead (prelim i915: gt/intel_workarounds.c,
 * fakewa_disable_nestedbb_mode()).
 *
 * Caching of copies whose command does not say it: none, as for those of the driver (prelim i915:
 * gt/intel_workarounds.c, gen12_ctx_gt_mocs_init()). Entry 0 of the table is for errors.
 */
static void emit_registers(struct xetile_lrc *lrc)
{
	static const u32 commands[] = {
		PVC_MI_LOAD_REGISTER_IMM(1) | PVC_MI_LRI_ADD_CS,
		PVC_RING_MI_MODE(0), PVC_MASKED_CLEAR(PVC_MI_MODE_NESTED_BB),
		PVC_MI_NOOP,
	};
	static const u32 copy_commands[] = {
		PVC_MI_LOAD_REGISTER_IMM(1) | PVC_MI_LRI_ADD_CS,
		PVC_BLIT_CCTL(0), PVC_MOCS_UC << PVC_BLIT_CCTL_DST_MOCS_SHIFT |
				  PVC_MOCS_UC << PVC_BLIT_CCTL_SRC_MOCS_SHIFT,
		PVC_MI_NOOP,
	};

	lockdep_assert_held(&lrc->tile->xt->sched->lock);
	xetile_lrc_ring_write(lrc, commands, ARRAY_SIZE(commands));
	if (lrc->class == XETILE_ENGINE_COPY)
		xetile_lrc_ring_write(lrc, copy_commands, ARRAY_SIZE(copy_commands));
}

static const char *run(struct xetile_engine *engine, struct xetile_lrc *lrc)
{
	struct xetile_sched *sched = lrc->tile->xt->sched;
	unsigned long flags = xetile_sched_lock(sched);

	emit_registers(lrc);
	xetile_sched_unlock(sched, flags);
	return xetile_solo_run(engine, lrc);
}

/*
 * The engine has written where the context is: at the end of its ring, and it began elsewhere. The
 * register that fix_state() changes, although only engines write it, is in its place.
 */
static bool is_saved(const struct xetile_lrc *lrc, const u32 *state)
{
	return (state[PVC_LRC_RING_HEAD + 1] & PVC_RING_HEAD_MASK) == lrc->tail &&
	       (state[PVC_LRC_MI_MODE] & (PVC_ENGINE_REGS_SIZE - 1)) == PVC_RING_MI_MODE(0);
}

/* A ring that is stopped in the image would stay so, as the driver starts engines only. */
static void fix_state(u32 *state)
{
	state[PVC_LRC_MI_MODE + 1] &= ~PVC_MI_MODE_STOP_RING;
	state[PVC_LRC_MI_MODE + 1] |= PVC_MASKED_CLEAR(PVC_MI_MODE_STOP_RING);
}

static const char *record(struct xetile_engine *engine, struct xetile_lrc **lrcs, u32 *state)
{
	enum xetile_engine_class class = engine->class;
	unsigned int i;

	for (i = 0; i < RECORD_CONTEXTS; i++) {
		const char *why = run(engine, lrcs[i]);

		if (why)
			return why;
	}
	xetile_lrc_read_state(lrcs[0], state, xetile_lrc_state_size(class) / sizeof(u32));
	if (!is_saved(lrcs[0], state))
		return "its image is not as an engine saves it";
	fix_state(state);
	return NULL;
}

static int make_contexts(struct xetile_engine *engine, struct xetile_lrc **lrcs)
{
	unsigned int i;

	for (i = 0; i < RECORD_CONTEXTS; i++) {
		lrcs[i] = xetile_lrc_create(engine->tile, engine->class, NULL, 0, NULL);
		if (IS_ERR(lrcs[i])) {
			int err = PTR_ERR(lrcs[i]);

			lrcs[i] = NULL;
			return err;
		}
	}
	return 0;
}

static void state_release(struct drm_device *drm, void *state)
{
	kvfree(state);
}

/* Memory for the image, which lives as long as files may be open that have contexts */
static u32 *state_alloc(struct xetile_engine *engine)
{
	u32 *state = kvzalloc(xetile_lrc_state_size(engine->class), GFP_KERNEL);

	if (!state || drmm_add_action_or_reset(&engine->tile->xt->drm, state_release, state))
		return NULL;
	return state;
}

/* Returns the engine's default image, or an error pointer. */
static const void *record_engine(struct xetile_engine *engine)
{
	struct drm_device *drm = &engine->tile->xt->drm;
	struct xetile_lrc *lrcs[RECORD_CONTEXTS] = { NULL };
	u32 *state = state_alloc(engine);
	const char *why;
	unsigned int i;
	int err;

	if (!state)
		return ERR_PTR(-ENOMEM);
	err = xetile_solo_begin(engine);
	if (err)
		return ERR_PTR(err);
	err = make_contexts(engine, lrcs);
	why = err ? NULL : record(engine, lrcs, state);
	if (why) {
		drm_err(drm, "%s: no default context: %s\n", engine->name, why);
		err = -EIO;
	}
	err = xetile_solo_end(engine) ?: err;
	for (i = 0; i < RECORD_CONTEXTS; i++)
		xetile_lrc_destroy(lrcs[i]);
	return err ? ERR_PTR(err) : state;
}

/* The first engine of a class, or NULL */
static struct xetile_engine *first_engine(struct xetile_tile *tile, enum xetile_engine_class class)
{
	unsigned int i;

	for (i = 0; i < tile->num_engines; i++)
		if (tile->engines[i].class == class)
			return &tile->engines[i];
	return NULL;
}

static int record_class(struct xetile_tile *tile, enum xetile_engine_class class,
			const void **state)
{
	struct xetile_engine *engine = first_engine(tile, class);
	const void *recorded;

	if (!engine)
		return 0;
	recorded = record_engine(engine);
	if (IS_ERR(recorded))
		return PTR_ERR(recorded);
	*state = recorded;
	return 0;
}

/**
 * xetile_lrc_record() - have the engines make the default images of all contexts
 * @xt: the card; its engines were reset and started, and have no ports yet
 *
 * All engines have been reset and started again on return.
 *
 * Context: process; takes the execution lock.
 * Return: 0 or -errno; one line in the log tells why.
 */
int xetile_lrc_record(struct xetile_device *xt)
{
	struct xetile_tile *tile;
	int err;

	xetile_for_each_tile(tile, xt) {
		err = record_class(tile, XETILE_ENGINE_COMPUTE, &tile->defaults.compute);
		if (err)
			return err;
		err = record_class(tile, XETILE_ENGINE_COPY, &tile->defaults.copy);
		if (err)
			return err;
	}
	return 0;
}
