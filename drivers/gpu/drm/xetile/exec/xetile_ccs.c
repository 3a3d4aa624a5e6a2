// SPDX-License-Identifier: GPL-2.0-only
#include "exec/xetile_ccs.h"

#include <linux/bitops.h>
#include <linux/ctype.h>
#include <linux/device.h>
#include <linux/hashtable.h>
#include <linux/kstrtox.h>
#include <linux/lockdep.h>
#include <linux/moduleparam.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/sysfs.h>

#include <drm/drm_managed.h>
#include <drm/drm_print.h>

#include "regs/pvc_gt_regs.h"

#include "card/xetile_engine.h"
#include "exec/xetile_client.h"
#include "exec/xetile_cslice_map.h"
#include "exec/xetile_cslice_types.h"
#include "exec/xetile_sched_types.h"
#include "exec/xetile_wedge.h"
#include "xetile_device.h"
#include "xetile_trace.h"

/**
 * DOC: CCS modes
 *
 * The mode of a tile says how many compute engines (CCS) share out its slices.
 *
 * A queue has a mode of each of its tiles for its life: the one that it asked for, or the tile's
 * own. If the queues of a tile have several, its engines take turns in them
 * (xetile_dispatch_epoch.c). The tile's own mode changes while there are queues only where the
 * policy lets queues of several modes be.
 *
 * Queues, resets and the files of sysfs call these functions. &xetile_cslices.lock, which is taken
 * here, protects modes.
 */

/* The modes of a tile with all its slices */
#define ALL_MODES	xetile_cslice_modes(BIT(XETILE_CSLICES) - 1)

static unsigned int first_mode = 1;

/* A word that no tile could obey is refused here, where somebody reads the answer. */
static int first_mode_set(const char *text, const struct kernel_param *param)
{
	unsigned int mode;

	if (!isdigit(*text) || kstrtouint(text, 10, &mode) || mode > XETILE_CSLICES ||
	    !(ALL_MODES & BIT(mode)))
		return -EINVAL;
	WRITE_ONCE(first_mode, mode);
	return 0;
}

static const struct kernel_param_ops first_mode_ops = {
	.set = first_mode_set,
	.get = param_get_uint,
};
module_param_cb(ccs_mode, &first_mode_ops, &first_mode, 0644);
MODULE_PARM_DESC(ccs_mode,
		 "Compute engines of each tile that a card begins with: 1 (default), 2 or 4; a tile whose fuses do not allow that begins with 1");

const char * const xetile_ccs_policy_names[XETILE_CCS_NUM_POLICIES] = {
	[XETILE_CCS_EPOCHS] = "epochs",
	[XETILE_CCS_LEND] = "lend",
	[XETILE_CCS_FIXED] = "fixed",
	[XETILE_CCS_DEFAULT] = "default",
};

static enum xetile_ccs_policy first_policy = XETILE_CCS_EPOCHS;

static int first_policy_set(const char *text, const struct kernel_param *param)
{
	int policy = sysfs_match_string(xetile_ccs_policy_names, text);

	if (policy < 0)
		return policy;
	WRITE_ONCE(first_policy, policy);
	return 0;
}

static int first_policy_get(char *buf, const struct kernel_param *param)
{
	return sysfs_emit(buf, "%s\n", xetile_ccs_policy_names[READ_ONCE(first_policy)]);
}

static const struct kernel_param_ops first_policy_ops = {
	.set = first_policy_set,
	.get = first_policy_get,
};
module_param_cb(ccs_mode_policy, &first_policy_ops, NULL, 0644);
MODULE_PARM_DESC(ccs_mode_policy,
		 "What a queue gets that wants a CCS mode of its own, on a card that comes: epochs (default), lend, fixed or default");

static void program_locked(struct xetile_tile *tile)
{
	struct xetile_cslices *cs = tile->xt->cslices;

	lockdep_assert_held(&cs->lock);
	if (!tile->fuse.cslice_mask)
		return;
	/* Slices stay with their engine (Wa_16017028706). */
	xetile_mmio_write_masked(&tile->mmio, PVC_RCU_MODE,
				 PVC_RCU_MODE_CCS_ENABLE | PVC_RCU_MODE_FIXED_SLICE,
				 PVC_RCU_MODE_CCS_ENABLE | PVC_RCU_MODE_FIXED_SLICE);
	xetile_mmio_write(&tile->mmio, PVC_CCS_MODE,
			  xetile_cslice_register(tile->fuse.cslice_mask, cs->present[tile->id]));
}

/* The mode that a tile is in from now on */
static void set_present(struct xetile_tile *tile, unsigned int mode)
{
	struct xetile_engine *engine;

	WRITE_ONCE(tile->xt->cslices->present[tile->id], mode);
	for (engine = tile->engines; engine < tile->engines + tile->num_engines; engine++)
		if (engine->class == XETILE_ENGINE_COMPUTE)
			engine->mode_cslices = xetile_cslice_owned(tile->fuse.cslice_mask,
								   mode, engine->instance);
}

/**
 * xetile_ccs_program() - write the mode that a tile is in to its registers
 * @tile: the tile; no compute engine of it runs
 *
 * Context: any; takes &xetile_cslices.lock.
 */
void xetile_ccs_program(struct xetile_tile *tile)
{
	unsigned long flags;

	spin_lock_irqsave(&tile->xt->cslices->lock, flags);
	program_locked(tile);
	spin_unlock_irqrestore(&tile->xt->cslices->lock, flags);
}

/*
 * Mode 1 is what everybody gets who asks for nothing. A lesser mode than the one that was asked
 * for is no better: who wants four engines has no use for two.
 */
static unsigned int begin_mode(struct xetile_tile *tile)
{
	unsigned int mode = READ_ONCE(first_mode);

	if (mode == 1 || xetile_ccs_modes(tile) & BIT(mode))
		return mode;
	drm_warn(&tile->xt->drm, "tile%u: its fuses do not allow ccs_mode=%u, it begins in mode 1\n",
		 tile->id, mode);
	return 1;
}

static void cslice_release(struct drm_device *drm, void *arg)
{
	struct xetile_cslices *cs = arg;
	unsigned int t;

	for (t = 0; t < XETILE_MAX_TILES; t++)
		put_pid(cs->borrower[t]);
}

/**
 * xetile_ccs_init() - put all tiles in the mode that the module's parameters say
 * @xt: the card
 *
 * Context: process; may sleep.
 *
 * Return: 0 or -ENOMEM.
 */
int xetile_ccs_init(struct xetile_device *xt)
{
	struct xetile_cslices *cs = drmm_kzalloc(&xt->drm, sizeof(*cs), GFP_KERNEL);
	struct xetile_tile *tile;

	if (!cs || drmm_add_action(&xt->drm, cslice_release, cs))
		return -ENOMEM;
	spin_lock_init(&cs->lock);
	hash_init(cs->clients);
	xt->cslices = cs;
	xetile_for_each_tile(tile, xt) {
		cs->policy[tile->id] = READ_ONCE(first_policy);
		cs->mode[tile->id] = begin_mode(tile);
		set_present(tile, cs->mode[tile->id]);
		xetile_ccs_program(tile);
	}
	return 0;
}

/**
 * xetile_ccs_change() - put a tile in another mode
 * @tile: the tile; no gang owns any of its compute engines
 * @mode: a mode of it
 *
 * Needs no reset: no compute engine runs, or has a context.
 *
 * Context: any, under the execution lock; takes &xetile_cslices.lock.
 */
void xetile_ccs_change(struct xetile_tile *tile, unsigned int mode)
{
	struct xetile_cslices *cs = tile->xt->cslices;
	unsigned long flags;

	lockdep_assert_held(&tile->xt->sched->lock);
	spin_lock_irqsave(&cs->lock, flags);
	if (cs->present[tile->id] != mode)
		trace_xetile_mode(dev_name(tile->xt->drm.dev), tile->id, cs->present[tile->id],
				  mode);
	set_present(tile, mode);
	program_locked(tile);
	spin_unlock_irqrestore(&cs->lock, flags);
}

/* Whether queues of several modes may be on a tile */
static bool modes_mix(struct xetile_tile *tile)
{
	const struct xetile_cslices *cs = tile->xt->cslices;

	lockdep_assert_held(&cs->lock);
	return cs->policy[tile->id] == XETILE_CCS_EPOCHS || cs->policy[tile->id] == XETILE_CCS_LEND;
}

/**
 * xetile_ccs_grant_locked() - the mode that a queue gets
 * @tile: the tile
 * @wanted: the mode that the queue wants, or 0
 *
 * Context: &xetile_cslices.lock is held.
 * Return: the mode; -EINVAL: the tile has no such mode; -EBUSY: the policy forbids another mode
 * than the tile's.
 */
int xetile_ccs_grant_locked(struct xetile_tile *tile, unsigned int wanted)
{
	struct xetile_cslices *cs = tile->xt->cslices;
	unsigned int mode = cs->mode[tile->id];

	lockdep_assert_held(&cs->lock);
	if (wanted > XETILE_MAX_CSLICES || (wanted && !(xetile_ccs_modes(tile) & BIT(wanted))))
		return -EINVAL;
	if (!wanted || cs->policy[tile->id] == XETILE_CCS_DEFAULT)
		return mode;
	return cs->policy[tile->id] == XETILE_CCS_FIXED && wanted != mode ? -EBUSY : wanted;
}

/**
 * xetile_ccs_mode() - mode of a tile for queues that want none
 * @tile: the tile
 *
 * Context: any.
 *
 * Return: number of compute engines that share out its slices.
 */
unsigned int xetile_ccs_mode(struct xetile_tile *tile)
{
	return READ_ONCE(tile->xt->cslices->mode[tile->id]);
}

/**
 * xetile_ccs_present() - mode that a tile is in now
 * @tile: the tile
 *
 * Context: any.
 *
 * Return: the mode of the queues that run, or ran last.
 */
unsigned int xetile_ccs_present(struct xetile_tile *tile)
{
	return READ_ONCE(tile->xt->cslices->present[tile->id]);
}

/**
 * xetile_ccs_policy() - who may have which mode of a tile
 * @tile: the tile
 *
 * Context: any.
 *
 * Return: the policy.
 */
enum xetile_ccs_policy xetile_ccs_policy(struct xetile_tile *tile)
{
	return READ_ONCE(tile->xt->cslices->policy[tile->id]);
}

/**
 * xetile_ccs_set_policy() - say who may have which mode of a tile
 * @tile: the tile
 * @policy: for queues that come; those that exist keep their mode
 *
 * Context: process; takes &xetile_cslices.lock.
 */
void xetile_ccs_set_policy(struct xetile_tile *tile, enum xetile_ccs_policy policy)
{
	struct xetile_cslices *cs = tile->xt->cslices;

	spin_lock_irq(&cs->lock);
	WRITE_ONCE(cs->policy[tile->id], policy);
	spin_unlock_irq(&cs->lock);
}

/**
 * xetile_ccs_modes() - modes a tile can be put in
 * @tile: the tile
 *
 * Context: any.
 *
 * Return: mask with bit m for mode m.
 */
u32 xetile_ccs_modes(struct xetile_tile *tile)
{
	return xetile_cslice_modes(tile->fuse.cslice_mask);
}

/**
 * xetile_ccs_set_mode() - change the mode of a tile for queues that want none
 * @tile: the tile
 * @mode: the mode; the one that it has always succeeds
 *
 * Queues that exist keep their mode. The tile comes into the new one when a queue that has it has
 * work, or by xetile_sched_idle_mode().
 *
 * Context: process; takes &xetile_cslices.lock.
 * Return: 1; 0: the tile had this mode already; -EINVAL: not a mode of this tile; -EIO or -ENODEV:
 * the card is wedged or gone; -EBUSY: there are compute queues on the tile, see
 * xetile_ccs_holders(), and the policy lets no queues of other modes be.
 */
int xetile_ccs_set_mode(struct xetile_tile *tile, unsigned int mode)
{
	struct xetile_cslices *cs = tile->xt->cslices;
	int err;

	if (mode > XETILE_MAX_CSLICES || !(xetile_ccs_modes(tile) & BIT(mode)))
		return -EINVAL;
	err = xetile_wedged(tile->xt->sched);
	if (err)
		return err;

	spin_lock_irq(&cs->lock);
	if (mode == cs->mode[tile->id]) {
		err = 0;
	} else if (cs->holders[tile->id] && !modes_mix(tile)) {
		err = -EBUSY;
	} else {
		WRITE_ONCE(cs->mode[tile->id], mode);
		err = 1;
	}
	spin_unlock_irq(&cs->lock);
	return err;
}

/* The name ends the line, and may have any character but the end of the line. */
static void print_comm(char *comm)
{
	for (; *comm; comm++)
		if (!isprint(*comm))
			*comm = '?';
}

/**
 * xetile_ccs_holders() - list the processes that keep a tile in its mode
 * @tile: the tile
 * @buf: takes a line "pid queues name" for each process with compute queues there
 * @size: bytes at @buf
 *
 * Processes have the numbers of the reader's pid namespace; processes outside of it are left
 * out. There may be very many processes, so no lock is taken: a process that comes or goes
 * meanwhile may be listed or not.
 *
 * Context: process, that of the reader.
 * Return: bytes written, without the final 0; a list that is too long ends early.
 */
ssize_t xetile_ccs_holders(struct xetile_tile *tile, char *buf, size_t size)
{
	struct pid_namespace *ns = task_active_pid_ns(current);
	struct xetile_cslices *cs = tile->xt->cslices;
	struct xetile_client *client;
	ssize_t len = 0;
	int bucket;

	rcu_read_lock();
	hash_for_each_rcu(cs->clients, bucket, client, node) {
		struct task_struct *task;
		char comm[TASK_COMM_LEN] = "exited";
		pid_t number = pid_nr_ns(client->pid, ns);
		/* A queue has no more than one member on a tile. */
		unsigned int queues = READ_ONCE(client->members[tile->id]);

		if (!queues || !number)
			continue;
		/* No line more would fit, and the walk keeps RCU waiting. */
		if (len + 1 >= size)
			break;
		task = pid_task(client->pid, PIDTYPE_TGID);
		if (task)
			strscpy(comm, task->comm);
		print_comm(comm);
		len += scnprintf(buf + len, size - len, "%d %u %s\n", number, queues, comm);
	}
	rcu_read_unlock();
	return len;
}
