// SPDX-License-Identifier: GPL-2.0-only
#include "xetile_bringup.h"

#include <linux/dma-mapping.h>
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/pci.h>
#include <linux/workqueue.h>

#include <drm/drm_drv.h>
#include <drm/drm_managed.h>
#include <drm/drm_print.h>

#include "regs/pvc_gtt.h"

#include "card/xetile_irq.h"
#include "exec/xetile_ccs.h"
#include "exec/xetile_migrate.h"
#include "exec/xetile_reset.h"
#include "exec/xetile_reset_tile.h"
#include "exec/xetile_sched.h"
#include "exec/xetile_wedge.h"
#include "look/xetile_debugfs.h"
#include "look/xetile_hwmon.h"
#include "look/xetile_pmu.h"
#include "look/xetile_sysfs.h"
#include "mem/xetile_account.h"
#include "mem/xetile_bo_cpu.h"
#include "mem/xetile_bo_move.h"
#include "mem/xetile_dma_buf.h"
#include "mem/xetile_ggtt.h"
#include "mem/xetile_hbm.h"
#include "mem/xetile_hbm_manager.h"
#include "mem/xetile_import.h"
#include "mem/xetile_kbo.h"
#include "mem/xetile_number.h"
#include "mem/xetile_pin.h"
#include "mem/xetile_pt_scratch.h"
#include "mem/xetile_pt_top.h"
#include "mem/xetile_room.h"
#include "mem/xetile_sysmem.h"
#include "mem/xetile_vm.h"
#include "xetile_device.h"
#include "xetile_hardware.h"
#include "xetile_info.h"
#include "xetile_pm.h"
#include "xetile_probe.h"
#include "xetile_release.h"

/**
 * DOC: order
 *
 * This file alone knows in which order the parts of a card come up, and that they go down in
 * the reverse order. A part that holds something of the binding (a mapping, an interrupt, HBM)
 * leaves a devm action behind. A part that holds memory which an open file may still look at
 * leaves a drmm action. Only execution is taken down by hand, because it must stop while
 * everything below it still works.
 *
 * An init that fails prints one line that says why.
 */

static void wq_release(struct drm_device *drm, void *wq)
{
	destroy_workqueue(wq);
}

static void calls_release(struct drm_device *drm, void *calls)
{
	cleanup_srcu_struct(calls);
}

static int init_software(struct xetile_device *xt)
{
	int err;

	err = xetile_release_count(xt);
	if (err)
		return err;

	xa_init_flags(&xt->asids, XA_FLAGS_ALLOC1);
	ida_init(&xt->lrc_ids);
	err = xetile_account_init(xt);
	if (err)
		return err;

	err = init_srcu_struct(&xt->calls);
	if (err)
		return err;
	err = drmm_add_action_or_reset(&xt->drm, calls_release, &xt->calls);
	if (err)
		return err;

	err = drmm_mutex_init(&xt->drm, &xt->pcode_lock);
	if (err)
		return err;
	init_rwsem(&xt->bar2.lock);
	init_waitqueue_head(&xt->bar2.opened);
	xetile_number_init(xt);

	xetile_gate_init(&xt->gate);
	/*
	 * A task that needs memory may wait for a fence. So the works that signal fences have a
	 * workqueue with a rescuer, which runs them one after the other when there is no memory for
	 * another thread. A work on that queue allocates nothing, and takes no lock whose holders
	 * allocate. There may be very many binds, so jobs and resets do not stand in line with
	 * them. No fence waits for works on the queues without a rescuer.
	 */
	xt->fence_wq = alloc_workqueue("xetile-fence",
				       WQ_UNBOUND | WQ_MEM_RECLAIM | WQ_HIGHPRI, 0);
	if (!xt->fence_wq)
		return -ENOMEM;
	err = drmm_add_action_or_reset(&xt->drm, wq_release, xt->fence_wq);
	if (err)
		return err;
	xt->bind_wq = alloc_workqueue("xetile-bind", WQ_UNBOUND | WQ_MEM_RECLAIM, 0);
	if (!xt->bind_wq)
		return -ENOMEM;
	err = drmm_add_action_or_reset(&xt->drm, wq_release, xt->bind_wq);
	if (err)
		return err;
	xt->wq = alloc_workqueue("xetile", WQ_UNBOUND, 0);
	if (!xt->wq)
		return -ENOMEM;
	err = drmm_add_action_or_reset(&xt->drm, wq_release, xt->wq);
	if (err)
		return err;
	xt->run_wq = alloc_workqueue("xetile-run", WQ_UNBOUND, 0);
	if (!xt->run_wq)
		return -ENOMEM;
	err = drmm_add_action_or_reset(&xt->drm, wq_release, xt->run_wq);
	if (err)
		return err;
	xt->release_wq = alloc_workqueue("xetile-free", WQ_UNBOUND, 0);
	if (!xt->release_wq)
		return -ENOMEM;
	err = drmm_add_action_or_reset(&xt->drm, wq_release, xt->release_wq);
	if (err)
		return err;

	/*
	 * Coherent memory is what the GGTT maps: contexts, rings, status pages. Its entries have
	 * room for fewer bits than those of other page tables.
	 */
	err = dma_set_mask(xt->drm.dev, DMA_BIT_MASK(xt->info->dma_bits)) ?:
	      dma_set_coherent_mask(xt->drm.dev, DMA_BIT_MASK(PVC_GGTT_ADDR_BITS));
	if (err) {
		drm_err(&xt->drm, "no DMA with %u address bits: %d\n", xt->info->dma_bits, err);
		return err;
	}
	dma_set_max_seg_size(xt->drm.dev, UINT_MAX);
	return 0;
}

static int init_memory(struct xetile_device *xt)
{
	struct xetile_tile *tile;
	int err;

	xetile_pins_init(xt);
	err = xetile_room_init(xt) ?: xetile_dma_buf_init(xt);
	if (err)
		return err;
	err = xetile_hbm_init(xt);
	if (err)
		return err;
	err = xetile_bo_move_init(xt);
	if (err)
		return err;
	err = xetile_sysmem_init(xt);
	if (err)
		return err;
	err = xetile_hbm_manager_init(xt);
	if (err)
		return err;
	xetile_for_each_tile(tile, xt) {
		err = xetile_ggtt_init(tile) ?: xetile_pt_top_init(tile) ?:
		      xetile_pt_scratch_init(tile);
		if (err)
			return err;
	}
	return 0;
}

static void free_status_page(void *kbo)
{
	xetile_kbo_destroy(kbo);
}

static int init_engine(struct xetile_engine *engine)
{
	struct xetile_device *xt = engine->tile->xt;
	struct xetile_kbo *hwsp;
	int err;

	hwsp = xetile_kbo_create(engine->tile, XETILE_HWSP_SIZE,
				 XETILE_KBO_SYSTEM | XETILE_KBO_GGTT, NULL);
	if (IS_ERR(hwsp)) {
		drm_err(&xt->drm, "%s: no status page: %pe\n", engine->name, hwsp);
		return PTR_ERR(hwsp);
	}
	err = devm_add_action_or_reset(xt->drm.dev, free_status_page, hwsp);
	if (err)
		return err;
	return xetile_engine_init(engine, xetile_kbo_map(hwsp), xetile_kbo_ggtt(hwsp));
}

static int init_engines(struct xetile_device *xt)
{
	struct xetile_tile *tile;
	unsigned int i;
	int err;

	xetile_for_each_tile(tile, xt) {
		for (i = 0; i < tile->num_engines; i++) {
			err = init_engine(&tile->engines[i]);
			if (err)
				return err;
		}
	}
	return xetile_ccs_init(xt);
}

/*
 * end_jobs() and its callers signal all fences. All their steps are annotated for lockdep, except
 * the waits for workers between them: the workers are annotated themselves, and lockdep takes it
 * for a circle when an annotated section waits for an annotated worker.
 */

/*
 * Ends all jobs. On return all fences have signalled, those of unfinished work with an error, and
 * no engine touches memory. Jobs that are pushed later end at once. The card may be gone already.
 * May be repeated.
 */
static void end_jobs(struct xetile_device *xt)
{
	xetile_wedge(xt->sched, -ENODEV);
	xetile_reset_stop(xt);
	xetile_wedge_drop(xt->sched);
	xetile_sched_stop(xt);
}

static int init_execution(struct xetile_device *xt)
{
	int err;

	err = xetile_sched_init(xt);
	if (err)
		return err;
	err = xetile_reset_init(xt->sched);
	if (err)
		return err;
	err = xetile_probe_reached(xt, XETILE_PROBE_CONTEXT);
	if (err)
		return err;
	err = xetile_sched_start(xt);
	if (err)
		return err;
	err = xetile_migrate_init(xt);
	if (err) {
		end_jobs(xt);
		xetile_sched_fini(xt);
	}
	return err;
}

/* After this no job runs, no interrupt comes, and work that waited for jobs is done. */
static void stop_execution(struct xetile_device *xt)
{
	end_jobs(xt);
	xetile_vms_end(xt);
	flush_workqueue(xt->bind_wq);
	flush_workqueue(xt->fence_wq);
	flush_workqueue(xt->wq);
	xetile_irq_disable(xt);
}

/* xetile_device_enter() reads the flag, which costs less; drm_dev_enter() reads DRM's own. */
static void say_unplugged(struct xetile_device *xt)
{
	WRITE_ONCE(xt->unplugged, true);
	xetile_number_wake(xt);
	drm_dev_unplug(&xt->drm);
	xetile_pins_lost(xt);
}

/*
 * Let nobody use the card any more. Execution ends first: calls wait only for jobs, and these
 * end now, whatever their limits are. So the calls that are left to wait for do not take long.
 */
static void unplug(struct xetile_device *xt)
{
	end_jobs(xt);
	/* The card may be asleep, or wait for recovery from an error: nobody will wake it up. */
	xetile_migrate_resume(xt);
	say_unplugged(xt);
	xetile_bo_open_window(xt);
	/* Calls may wait for binds that wait for fences of others. */
	xetile_vms_end(xt);
	synchronize_srcu(&xt->calls);
	/* A page fault under way may have mapped again what drm_dev_unplug() unmapped. */
	unmap_mapping_range(xt->drm.anon_inode->i_mapping, 0, 0, 1);
}

/* Frees execution's part of the card's memory, as long as that can be written. */
static void free_execution(struct xetile_device *xt)
{
	xetile_migrate_fini(xt);
	xetile_sched_fini(xt);
	flush_workqueue(xt->release_wq);
}

/**
 * xetile_device_init() - bring a card up, up to and including its registration
 * @xt: the card; &xetile_device.drm and &xetile_device.info are set
 *
 * Context: process.
 * Return: 0, or an error: then only devm actions stay.
 */
int xetile_device_init(struct xetile_device *xt)
{
	int err;

	err = init_software(xt);
	if (err)
		return err;
	err = xetile_hardware_init(xt);
	if (err)
		return err;
	err = init_memory(xt);
	if (err)
		return err;
	err = init_engines(xt);
	if (err)
		return err;
	err = xetile_probe_reached(xt, XETILE_PROBE_MEMORY);
	if (err)
		return err;

	/* The init of execution runs the first jobs itself. */
	xetile_irq_enable(xt);
	err = init_execution(xt);
	if (err)
		goto err_irq;
	err = xetile_probe_reached(xt, XETILE_PROBE_COPY);
	if (err)
		goto err_exec;
	err = xetile_pm_init(xt);
	if (err)
		goto err_exec;
	err = xetile_sysfs_init(xt);
	if (err)
		goto err_exec;
	xetile_hwmon_init(xt);
	xetile_debugfs_init(xt);
	xetile_pmu_attach(xt);
	err = drm_dev_register(&xt->drm, 0);
	if (err)
		goto err_sysfs;
	return 0;

err_sysfs:
	xetile_sysfs_fini(xt);
err_exec:
	stop_execution(xt);
	free_execution(xt);
	return err;
err_irq:
	xetile_irq_disable(xt);
	return err;
}

/**
 * xetile_device_remove() - take a card down
 * @xt: the card
 *
 * Files may stay open; their calls answer ENODEV from here on.
 *
 * Context: process.
 */
void xetile_device_remove(struct xetile_device *xt)
{
	unplug(xt);
	xetile_sysfs_fini(xt);
	stop_execution(xt);
	free_execution(xt);
	xetile_dma_buf_revoke_all(xt);
	/* Files that stay open keep buffers, but no page stays mapped for the card. */
	xetile_import_unmap_all(xt);
	xetile_sysmem_unmap_all(xt);
	xetile_vms_unmap_users(xt);
}

/**
 * xetile_device_shutdown() - leave the card quiet for the next kernel or driver
 * @xt: the card
 *
 * Does not wait for calls that run. They find that nothing executes any more.
 *
 * Context: process, at power off or kexec.
 */
void xetile_device_shutdown(struct xetile_device *xt)
{
	end_jobs(xt);
	xetile_migrate_resume(xt);
	say_unplugged(xt);
	xetile_bo_open_window(xt);
	stop_execution(xt);
}

/**
 * xetile_device_wedge() - give up a card until it is bound anew
 * @xt: the card; it may not answer
 * @error: error of calls from here on: -EIO, or -ENODEV if the card is gone
 *
 * No engine touches memory on return. Memory of the card is freed when it is unbound.
 *
 * Context: process, with the device's lock, or in a callback of runtime PM: not together with
 * removal.
 */
void xetile_device_wedge(struct xetile_device *xt, int error)
{
	xetile_wedge(xt->sched, xetile_wedged(xt->sched) ?: error);
	xetile_hwmon_stop(xt);
	xetile_reset_stop(xt);
	xetile_wedge_drop(xt->sched);
}

/**
 * xetile_device_tell() - tell userspace that a wedged card can be bound anew
 * @xt: the card
 *
 * Does nothing if the card is not wedged.
 *
 * Context: any.
 */
void xetile_device_tell(struct xetile_device *xt)
{
	if (xetile_wedged(xt->sched))
		queue_work(xt->wq, &xt->sched->wedged_work);
}

/**
 * xetile_device_close() - let no user see HBM while it does not answer
 * @xt: the card, wedged
 *
 * A process that touches a mapping waits for xetile_device_open().
 *
 * Context: process.
 */
void xetile_device_close(struct xetile_device *xt)
{
	xetile_bo_close_window(xt);
}

/**
 * xetile_device_open() - HBM answers again
 * @xt: the card, after xetile_device_close()
 *
 * Context: process.
 */
void xetile_device_open(struct xetile_device *xt)
{
	xetile_bo_open_window(xt);
}

/**
 * xetile_device_prepare() - the machine is about to sleep
 * @xt: the card, awake
 *
 * Waits for jobs that use memory of processes. Takes the memory that xetile_device_sleep() will
 * need, and holds back the workers that would change its size. Users' processes are frozen.
 *
 * Context: process, with the device's lock.
 * Return: 0, or -ENOMEM: there is not enough memory.
 */
int xetile_device_prepare(struct xetile_device *xt)
{
	int err;

	if (xetile_wedged(xt->sched))
		return 0;
	xetile_vms_rest_users(xt);
	err = xetile_pm_prepare(xt);
	if (err)
		return err;
	/* Endless jobs went on by themselves, as long as their workers were not held back. */
	xetile_vms_rest_users(xt);
	return 0;
}

/**
 * xetile_device_complete() - the sleep is over, or was given up
 * @xt: the card
 *
 * Context: process, with the device's lock.
 */
void xetile_device_complete(struct xetile_device *xt)
{
	xetile_pm_complete(xt);
}

/**
 * xetile_device_sleep() - be ready for a loss of power
 * @xt: the card, after xetile_device_prepare()
 *
 * All contexts leave their engines, and all HBM in use is copied to system memory. If a context
 * does not leave in time its job is lost. A card that is wedged, or gets wedged here, has
 * nothing to lose.
 *
 * Context: process, with the device's lock, and users' processes are frozen; or as
 * xetile_device_rest().
 * Return: 0, or the error for which the card cannot sleep: then all jobs go on.
 */
int xetile_device_sleep(struct xetile_device *xt)
{
	int err;

	if (xetile_wedged(xt->sched))
		return 0;
	xetile_bo_close_window(xt);
	err = xetile_pm_save_users(xt);
	if (err) {
		xetile_bo_open_window(xt);
		return err;
	}
	xetile_irq_disable(xt);
	/* Finish the work that the last interrupts queued. */
	flush_workqueue(xt->fence_wq);
	err = xetile_hardware_reset(xt);
	if (err) {
		drm_err(&xt->drm, "no reset before the sleep: %pe, the card is wedged\n",
			ERR_PTR(err));
		xetile_device_wedge(xt, -EIO);
		/* Not before the machine is awake again */
		xetile_release_recover(xt);
		return 0;
	}
	xetile_hwmon_sleep(xt);
	xetile_pm_save_own(xt);
	return 0;
}

/**
 * xetile_device_rest() - be ready for a loss of power while nobody uses the card
 * @xt: the card
 *
 * A card that is wedged may be about to be reset, and stays awake.
 *
 * Context: a callback of runtime PM, without the device's lock; who holds that lock and needs the
 * card keeps it awake (xetile_awake.h).
 * Return: 0: xetile_device_wake() and then xetile_device_complete() end the rest; or -EBUSY: the
 * card is awake as before.
 */
int xetile_device_rest(struct xetile_device *xt)
{
	if (xetile_wedged(xt->sched) || xetile_device_prepare(xt))
		return -EBUSY;
	if (!xetile_device_sleep(xt))
		return 0;
	xetile_device_complete(xt);
	return -EBUSY;
}

/* Write again all that xetile_hardware_init() and the later steps of the bring-up have written. */
static int wake_hardware(struct xetile_device *xt)
{
	struct xetile_tile *tile;
	int err;

	err = xetile_hardware_check(xt);
	if (err)
		return err;
	xetile_hwmon_wake(xt);
	xetile_irq_forget(xt);
	xetile_for_each_tile(tile, xt) {
		err = xetile_reset_tile(tile);
		if (err)
			return err;
		xetile_ggtt_restore(tile);
	}
	/* The engines rest now. Before, a runaway could reach memory that is another kernel's. */
	pci_set_master(to_pci_dev(xt->drm.dev));
	/* Contexts and page tables, before an engine may read them */
	xetile_pm_restore_own(xt);
	xetile_for_each_tile(tile, xt)
		xetile_reset_tile_restart(tile);
	xetile_irq_enable(xt);
	return 0;
}

/**
 * xetile_device_wake() - go on after xetile_device_sleep()
 * @xt: the card; it may have lost everything, or be gone
 *
 * If the card does not come back as it was, it is wedged.
 *
 * Context: process, with the device's lock; or as xetile_device_rest().
 */
void xetile_device_wake(struct xetile_device *xt)
{
	int err = 0;

	if (!xetile_wedged(xt->sched))
		err = wake_hardware(xt) ?: xetile_pm_restore_users(xt);
	if (err) {
		drm_err(&xt->drm, "the card does not wake up: %pe, it is wedged\n", ERR_PTR(err));
		xetile_device_wedge(xt, err == -ENODEV ? -ENODEV : -EIO);
		if (err == -ENODEV)
			xetile_device_tell(xt);
		else
			xetile_release_recover(xt);
	}
	xetile_pm_go_on(xt);
	/* For a card of which nothing was restored */
	xetile_migrate_resume(xt);
	xetile_bo_open_window(xt);
}
