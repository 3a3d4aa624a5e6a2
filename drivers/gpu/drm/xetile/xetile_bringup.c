// SPDX-License-Identifier: GPL-2.0-only

#include "xetile_bringup.h"

#include <linux/dma-mapping.h>
#include <linux/pci.h>
#include <linux/workqueue.h>

#include <drm/drm_drv.h>
#include <drm/drm_managed.h>
#include <drm/drm_print.h>
#include <drm/ttm/ttm_device.h>

#include "regs/xt_gt_regs.h"
#include "regs/xt_pci_regs.h"
#include "regs/xt_soc_regs.h"
#include "card/xetile_irq.h"
#include "exec/xetile_cslice.h"
#include "exec/xetile_migrate.h"
#include "exec/xetile_reset.h"
#include "exec/xetile_sched.h"
#include "exec/xetile_wedge.h"
#include "look/xetile_debugfs.h"
#include "look/xetile_sysfs.h"
#include "mem/xetile_account.h"
#include "mem/xetile_bo.h"
#include "mem/xetile_ggtt.h"
#include "mem/xetile_hbm.h"
#include "mem/xetile_kbo.h"
#include "mem/xetile_sysmem.h"
#include "mem/xetile_vm.h"
#include "xetile_device.h"
#include "xetile_exec.h"
#include "xetile_info.h"
#include "xetile_pm.h"
#include "xetile_release.h"

/**
 * DOC: order
 *
 * This file alone knows in which order the parts of a card come up, and that
 * they go down in the reverse order. A part that holds something of the binding
 * (a mapping, an interrupt, HBM) leaves a devm action behind, one that holds
 * memory an open file may still look at a drmm action; only execution is taken
 * down by hand, because it must stop while everything below still works.
 *
 * Each answer of the hardware is doubted. A failed init has printed one line that
 * says why.
 */

#define LMEM_INIT_TIMEOUT_US	3000000

static int check_lmem(struct xetile_device *xt)
{
	int err;

	err = xetile_mmio_wait(&xt->mmio, XT_GU_CNTL, XT_GU_CNTL_LMEM_INIT, XT_GU_CNTL_LMEM_INIT,
			       LMEM_INIT_TIMEOUT_US);
	if (err)
		drm_err(&xt->drm, "HBM is not initialised by the card's firmware\n");
	return err;
}

/* Does the card have a global page table, and one of the size we write? */
static int check_ggtt_size(struct xetile_device *xt)
{
	struct pci_dev *pdev = to_pci_dev(xt->drm.dev);
	unsigned int size_mib;
	u16 ctrl;
	int err;

	err = pci_read_config_word(pdev, XT_PCI_GMCH_CTRL, &ctrl);
	if (err || PCI_POSSIBLE_ERROR(ctrl)) {
		drm_err(&xt->drm, "configuration space does not answer\n");
		return -ENODEV;
	}
	size_mib = (ctrl & XT_GMCH_CTRL_GGMS_MASK) >> XT_GMCH_CTRL_GGMS_SHIFT;
	size_mib = size_mib ? 1 << size_mib : 0;
	if (size_mib << 20 != XT_MMIO_GGTT_SIZE) {
		drm_err(&xt->drm, "global page table has %u MiB, not %u\n", size_mib,
			XT_MMIO_GGTT_SIZE >> 20);
		return -ENXIO;
	}
	return 0;
}

static unsigned int read_tile_count(struct xetile_device *xt)
{
	u32 mtcfg = xetile_mmio_read(&xt->mmio, XT_MTCFG);

	return ((mtcfg & XT_MTCFG_TILE_COUNT_MASK) >> XT_MTCFG_TILE_COUNT_SHIFT) + 1;
}

static int count_tiles(struct xetile_device *xt)
{
	struct pci_dev *pdev = to_pci_dev(xt->drm.dev);
	unsigned int count = read_tile_count(xt);

	if (count > XETILE_MAX_TILES) {
		drm_err(&xt->drm, "card says it has %u tiles, at most %u make sense\n", count,
			XETILE_MAX_TILES);
		return -ENXIO;
	}
	if (pci_resource_len(pdev, XT_BAR_MMIO) < (resource_size_t)count * XT_MMIO_TILE_STRIDE) {
		drm_err(&xt->drm, "BAR0 is too small for %u tiles\n", count);
		return -ENXIO;
	}
	xt->num_tiles = count;
	return 0;
}

/*
 * Who had the card before may have left it at work: a kernel that crashed, a driver that
 * lost sight of it. What its contexts reach is others' memory by now.
 */
static int init_tiles(struct xetile_device *xt)
{
	struct xetile_tile *tile;
	unsigned int id;
	int err;

	for (id = 0; id < xt->num_tiles; id++) {
		tile = &xt->tiles[id];
		err = xetile_tile_init(xt, id);
		if (err)
			return err;
		xetile_engines_find(tile);
		err = xetile_reset_tile(tile);
		if (err)
			return err;
		xetile_tile_program(tile);
	}
	pci_set_master(to_pci_dev(xt->drm.dev));
	return 0;
}

/*
 * Offsets in BAR2 are device physical addresses. A BAR that ends before a tile's
 * HBM does leaves the rest to the GPU; one that shows nothing of a tile is of no
 * use, because page tables are written by the CPU.
 */
static int map_hbm(struct xetile_device *xt)
{
	struct pci_dev *pdev = to_pci_dev(xt->drm.dev);
	struct xetile_tile *tile;
	int err;

	xt->bar2.start = pci_resource_start(pdev, XT_BAR_HBM);
	xt->bar2.size = pci_resource_len(pdev, XT_BAR_HBM);
	if (!xt->bar2.size) {
		drm_err(&xt->drm, "no BAR2: HBM cannot be reached\n");
		return -ENXIO;
	}

	xetile_for_each_tile(tile, xt) {
		if (tile->range.base >= xt->bar2.size) {
			drm_err(&xt->drm, "HBM of tile%u at %#llx lies beyond BAR2 of %pa bytes\n",
				tile->id, tile->range.base, &xt->bar2.size);
			return -ENXIO;
		}
		tile->range.visible = min_t(u64, tile->range.usable,
					    xt->bar2.size - tile->range.base);
		if (tile->range.visible < tile->range.usable)
			drm_info(&xt->drm, "tile%u: the CPU reaches %llu of %llu MiB of HBM\n",
				 tile->id, tile->range.visible >> 20, tile->range.usable >> 20);
	}

	err = pcim_request_region(pdev, XT_BAR_HBM, "xetile");
	if (err) {
		drm_err(&xt->drm, "BAR2 is in use: %d\n", err);
		return err;
	}
	xt->bar2.map = devm_ioremap_wc(&pdev->dev, xt->bar2.start, xt->bar2.size);
	if (!xt->bar2.map) {
		drm_err(&xt->drm, "cannot map %pa bytes of BAR2\n", &xt->bar2.size);
		return -ENOMEM;
	}
	return 0;
}

static int read_clock(struct xetile_device *xt)
{
	u32 config = xetile_mmio_read(&xt->mmio, XT_RPM_CONFIG0);
	unsigned int shift = (config & XT_RPM_CTC_SHIFT_MASK) >> XT_RPM_CTC_SHIFT_SHIFT;
	u32 crystal_hz;

	switch (config & XT_RPM_CRYSTAL_MASK) {
	case XT_RPM_CRYSTAL_24_MHZ:
		crystal_hz = 24000000;
		break;
	case XT_RPM_CRYSTAL_19_2_MHZ:
		crystal_hz = 19200000;
		break;
	case XT_RPM_CRYSTAL_38_4_MHZ:
		crystal_hz = 38400000;
		break;
	case XT_RPM_CRYSTAL_25_MHZ:
		crystal_hz = 25000000;
		break;
	default:
		drm_err(&xt->drm, "unknown crystal in the clock configuration %#x\n", config);
		return -ENXIO;
	}
	xt->timestamp_hz = crystal_hz >> (3 - shift);
	return 0;
}

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

	init_rwsem(&xt->bar2.lock);
	init_waitqueue_head(&xt->bar2.opened);

	xetile_gate_init(&xt->gate);
	/*
	 * Who needs memory may wait for a fence. Works that signal fences have a queue with a
	 * rescuer, which runs them when there is no memory for another thread; one after the
	 * other. So a work of that queue allocates nothing, and takes no lock whose holders
	 * do. All others are on queues without one, and signal nothing.
	 */
	xt->fence_wq = alloc_workqueue("xetile-fence",
				       WQ_UNBOUND | WQ_MEM_RECLAIM | WQ_HIGHPRI, 0);
	if (!xt->fence_wq)
		return -ENOMEM;
	err = drmm_add_action_or_reset(&xt->drm, wq_release, xt->fence_wq);
	if (err)
		return err;
	xt->wq = alloc_workqueue("xetile", WQ_UNBOUND, 0);
	if (!xt->wq)
		return -ENOMEM;
	err = drmm_add_action_or_reset(&xt->drm, wq_release, xt->wq);
	if (err)
		return err;
	xt->release_wq = alloc_workqueue("xetile-free", WQ_UNBOUND, 0);
	if (!xt->release_wq)
		return -ENOMEM;
	err = drmm_add_action_or_reset(&xt->drm, wq_release, xt->release_wq);
	if (err)
		return err;

	err = dma_set_mask_and_coherent(xt->drm.dev, DMA_BIT_MASK(xt->info->dma_bits));
	if (err) {
		drm_err(&xt->drm, "no DMA with %u address bits: %d\n", xt->info->dma_bits, err);
		return err;
	}
	dma_set_max_seg_size(xt->drm.dev, UINT_MAX);
	return 0;
}

static int init_hardware(struct xetile_device *xt)
{
	int err;

	err = xetile_mmio_init(xt);
	if (err)
		return err;
	err = xetile_pcode_wait_ready(xt);
	if (err)
		return err;
	err = check_lmem(xt);
	if (err)
		return err;
	err = check_ggtt_size(xt);
	if (err)
		return err;
	err = count_tiles(xt);
	if (err)
		return err;
	err = init_tiles(xt);
	if (err)
		return err;
	err = map_hbm(xt);
	if (err)
		return err;
	err = read_clock(xt);
	if (err)
		return err;
	return xetile_irq_init(xt);
}

static int init_memory(struct xetile_device *xt)
{
	struct xetile_tile *tile;
	int err;

	err = xetile_hbm_init(xt);
	if (err)
		return err;
	xetile_for_each_tile(tile, xt) {
		err = xetile_ggtt_init(tile);
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
	return xetile_cslice_init(xt);
}

/* No job runs after this, no interrupt comes, what waited for jobs is through. */
static void stop_execution(struct xetile_device *xt)
{
	xetile_exec_stop(xt);
	xetile_vms_end(xt);
	flush_workqueue(xt->fence_wq);
	flush_workqueue(xt->wq);
	xetile_irq_disable(xt);
}

/*
 * Let nobody use the card any more. Execution goes first: whoever waits within a call
 * waits for jobs, and these end now, whatever their limits are. Only then are there
 * calls to wait for that do not take long.
 */
static void unplug(struct xetile_device *xt)
{
	xetile_exec_stop(xt);
	/* It may be asleep, or waited for after an error: nobody will wake it. */
	xetile_migrate_resume(xt);
	drm_dev_unplug(&xt->drm);
	xetile_bo_open_window(xt);
	/* Calls may wait for binds that wait for fences of others. */
	xetile_vms_end(xt);
	synchronize_srcu(&xt->calls);
	/* A page fault that was under way has mapped again what drm_dev_unplug() unmapped. */
	unmap_mapping_range(xt->drm.anon_inode->i_mapping, 0, 0, 1);
}

/* Frees what execution has of the card's memory, while that can be written yet. */
static void free_execution(struct xetile_device *xt)
{
	xetile_exec_fini(xt);
	flush_workqueue(xt->release_wq);
}

/**
 * xetile_device_init - bring a card up, up to and including its registration
 * @xt: the card; &xetile_device.drm and &xetile_device.info are set
 *
 * Context: process.
 * Return: 0, or why not; then nothing stays but devm actions.
 */
int xetile_device_init(struct xetile_device *xt)
{
	int err;

	err = init_software(xt);
	if (err)
		return err;
	err = init_hardware(xt);
	if (err)
		return err;
	err = init_memory(xt);
	if (err)
		return err;
	err = init_engines(xt);
	if (err)
		return err;

	/* Execution's init runs its first jobs itself. */
	xetile_irq_enable(xt);
	err = xetile_exec_init(xt);
	if (err)
		goto disable_irq;
	err = xetile_pm_init(xt);
	if (err)
		goto stop_exec;
	err = xetile_sysfs_init(xt);
	if (err)
		goto stop_exec;
	xetile_debugfs_init(xt);
	err = drm_dev_register(&xt->drm, 0);
	if (err)
		goto remove_sysfs;
	return 0;

remove_sysfs:
	xetile_sysfs_fini(xt);
stop_exec:
	stop_execution(xt);
	free_execution(xt);
	return err;
disable_irq:
	xetile_irq_disable(xt);
	return err;
}

/**
 * xetile_device_remove - take a card down
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
	/* Files that stay open keep buffers, but nothing that is mapped for the card. */
	xetile_sysmem_unmap_all(xt);
}

/**
 * xetile_device_shutdown - leave the card quiet for whoever comes next
 * @xt: the card
 *
 * Calls that run are not waited for. They find that nothing executes any more.
 *
 * Context: process, at power off or kexec.
 */
void xetile_device_shutdown(struct xetile_device *xt)
{
	xetile_exec_stop(xt);
	xetile_migrate_resume(xt);
	drm_dev_unplug(&xt->drm);
	xetile_bo_open_window(xt);
	stop_execution(xt);
}

/**
 * xetile_device_answers - whether the card is reachable
 * @xt: the card
 *
 * Context: any.
 * Return: false if its registers read all ones.
 */
bool xetile_device_answers(struct xetile_device *xt)
{
	return xetile_mmio_read(&xt->mmio, XT_MTCFG) != U32_MAX;
}

/**
 * xetile_device_wedge - give up a card until it is bound anew
 * @xt: the card; it may answer nothing
 * @error: what calls say from here on: -EIO, or -ENODEV if it is gone
 *
 * No engine touches memory on return. What the card had is freed when it is unbound.
 *
 * Context: process, with the device's lock: not together with removal.
 */
void xetile_device_wedge(struct xetile_device *xt, int error)
{
	xetile_exec_wedge(xt, error);
}

/**
 * xetile_device_tell - whoever binds a card anew may do so now
 * @xt: the card
 *
 * Does nothing if there is no need to. Context: any.
 */
void xetile_device_tell(struct xetile_device *xt)
{
	xetile_exec_tell(xt);
}

/**
 * xetile_device_close - let no user see HBM, while it does not answer
 * @xt: the card, wedged
 *
 * Whoever touches a mapping waits for xetile_device_open().
 *
 * Context: process.
 */
void xetile_device_close(struct xetile_device *xt)
{
	xetile_bo_close_window(xt);
}

/**
 * xetile_device_open - HBM answers again
 * @xt: the card, after xetile_device_close()
 *
 * Context: process.
 */
void xetile_device_open(struct xetile_device *xt)
{
	xetile_bo_open_window(xt);
}

/**
 * xetile_device_prepare - the machine is about to sleep
 * @xt: the card
 *
 * Takes the memory that xetile_device_sleep() will need, and holds the workers back that would
 * change how much that is. Users' processes are frozen.
 *
 * Context: process, with the device's lock.
 * Return: 0, or -ENOMEM: there is not enough.
 */
int xetile_device_prepare(struct xetile_device *xt)
{
	return xetile_wedged(xt->gangs) ? 0 : xetile_pm_prepare(xt);
}

/**
 * xetile_device_complete - the sleep is over, or was given up
 * @xt: the card
 *
 * Context: process, with the device's lock.
 */
void xetile_device_complete(struct xetile_device *xt)
{
	xetile_pm_complete(xt);
}

/* A tile that does not end its reset might still work when the power goes, or after it. */
static int reset_tiles(struct xetile_device *xt)
{
	struct xetile_tile *tile;
	int err;

	xetile_for_each_tile(tile, xt) {
		err = xetile_reset_tile(tile);
		if (err)
			return err;
	}
	return 0;
}

/**
 * xetile_device_sleep - be ready for a loss of power
 * @xt: the card, after xetile_device_prepare()
 *
 * All contexts leave their engines, and all HBM in use is copied to system memory. If a
 * context does not leave in time its job is lost. A card that is wedged, or gets it here,
 * has nothing to lose.
 *
 * Context: process, with the device's lock; users' processes are frozen.
 * Return: 0, or why it cannot sleep: then all goes on.
 */
int xetile_device_sleep(struct xetile_device *xt)
{
	int err;

	if (xetile_wedged(xt->gangs))
		return 0;
	xetile_bo_close_window(xt);
	err = xetile_pm_save_users(xt);
	if (err) {
		xetile_bo_open_window(xt);
		return err;
	}
	xetile_irq_disable(xt);
	/* What the last interrupts have asked for */
	flush_workqueue(xt->fence_wq);
	err = reset_tiles(xt);
	if (err) {
		drm_err(&xt->drm, "no reset before the sleep: %pe, the card is wedged\n",
			ERR_PTR(err));
		xetile_device_wedge(xt, -EIO);
		xetile_device_tell(xt);
		return 0;
	}
	xetile_pm_save_own(xt);
	return 0;
}

/* Is it the card that it was, and does it work? */
static int check_again(struct xetile_device *xt)
{
	struct xetile_tile *tile;
	int err;

	err = xetile_pcode_wait_ready(xt) ?: check_lmem(xt) ?: check_ggtt_size(xt);
	if (err)
		return err;
	if (read_tile_count(xt) != xt->num_tiles) {
		drm_err(&xt->drm, "not the card it was: it has %u tiles\n", read_tile_count(xt));
		return -ENXIO;
	}
	xetile_for_each_tile(tile, xt) {
		err = xetile_tile_wake(tile);
		if (err)
			return err;
	}
	return 0;
}

/* Everything that init_hardware() and what follows it have written */
static int wake_hardware(struct xetile_device *xt)
{
	struct xetile_tile *tile;
	int err;

	err = check_again(xt);
	if (err)
		return err;
	xetile_irq_forget(xt);
	xetile_for_each_tile(tile, xt) {
		err = xetile_reset_tile(tile);
		if (err)
			return err;
		xetile_ggtt_restore(tile);
	}
	/* Contexts and page tables, before an engine may read them */
	xetile_pm_restore_own(xt);
	xetile_for_each_tile(tile, xt)
		xetile_reset_restart(tile);
	xetile_irq_enable(xt);
	return 0;
}

/**
 * xetile_device_wake - go on after xetile_device_sleep()
 * @xt: the card; it may have lost everything, or be gone
 *
 * If it does not come back as it was it is wedged.
 *
 * Context: process, with the device's lock.
 */
void xetile_device_wake(struct xetile_device *xt)
{
	int err = 0;

	if (!xetile_wedged(xt->gangs))
		err = wake_hardware(xt) ?: xetile_pm_restore_users(xt);
	if (err) {
		drm_err(&xt->drm, "the card does not wake up: %pe, it is wedged\n", ERR_PTR(err));
		xetile_device_wedge(xt, err == -ENODEV ? -ENODEV : -EIO);
		xetile_device_tell(xt);
	}
	xetile_pm_go_on(xt);
	/* If nothing was restored */
	xetile_migrate_resume(xt);
	xetile_bo_open_window(xt);
}
