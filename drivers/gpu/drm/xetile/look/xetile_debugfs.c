// SPDX-License-Identifier: GPL-2.0-only
#include "look/xetile_debugfs.h"

#include <linux/bitops.h>
#include <linux/debugfs.h>
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/seq_file.h>

#include <drm/drm_debugfs.h>
#include <drm/drm_print.h>

#include "regs/pvc_gt_regs.h"
#include "regs/pvc_irq_regs.h"
#include "regs/pvc_soc_regs.h"

#include "card/xetile_awake.h"
#include "card/xetile_engine.h"
#include "card/xetile_mmio.h"
#include "card/xetile_settings.h"
#include "exec/xetile_ccs.h"
#include "exec/xetile_coredump.h"
#include "exec/xetile_cslice.h"
#include "exec/xetile_migrate.h"
#include "exec/xetile_sched.h"
#include "mem/xetile_ggtt.h"
#include "mem/xetile_hbm.h"
#include "mem/xetile_sysmem.h"
#include "mem/xetile_vm_print.h"
#include "xetile_device.h"

/**
 * DOC: files for looking into a card
 *
 * Texts for developers, in the card's folder of debugfs; they are no interface. A file that
 * reads registers wakes the card up (xetile_awake_enter()), and an administrator who opens
 * forcewake_all keeps it awake. Nothing else of the card is changed, and its state is printed by
 * the files that own it, under their own locks.
 */

/* Registers whose reads change nothing: replicated ones, and others */
static const struct xetile_named_reg mcr_regs[] = {
	XETILE_NAMED_REG(PVC_RING_FAULT),
	XETILE_NAMED_REG(PVC_FAULT_TLB_DATA0),
	XETILE_NAMED_REG(PVC_FAULT_TLB_DATA1),
};

static const struct xetile_named_reg tile_regs[] = {
	XETILE_NAMED_REG(PVC_MTCFG),
	XETILE_NAMED_REG(PVC_GU_CNTL),
	XETILE_NAMED_REG(PVC_RPM_CONFIG0),
	XETILE_NAMED_REG(PVC_FORCEWAKE_GT),
	XETILE_NAMED_REG(PVC_FORCEWAKE_RENDER),
	XETILE_NAMED_REG(PVC_RC_CONTROL),
	XETILE_NAMED_REG(PVC_RC_STATE),
	XETILE_NAMED_REG(PVC_PG_ENABLE),
	XETILE_NAMED_REG(PVC_MIRROR_FUSE3),
	XETILE_NAMED_REG(PVC_EU_ENABLE),
	XETILE_NAMED_REG(PVC_COMPUTE_DSS_ENABLE),
	XETILE_NAMED_REG(PVC_COMPUTE_DSS_ENABLE_EXT),
	XETILE_NAMED_REG(PVC_RCU_MODE),
	XETILE_NAMED_REG(PVC_CCS_MODE),
	XETILE_NAMED_REG(PVC_RCU_DEBUG_1),
	XETILE_NAMED_REG(PVC_GDRST),
	XETILE_NAMED_REG(PVC_GFX_MSTR_IRQ),
	XETILE_NAMED_REG(PVC_GT_INTR_DW(0)),
	XETILE_NAMED_REG(PVC_RENDER_COPY_INTR_ENABLE),
	XETILE_NAMED_REG(PVC_CCS_RSVD_INTR_ENABLE),
	XETILE_NAMED_REG(PVC_DEV_ERR_STAT_FATAL),
	XETILE_NAMED_REG(PVC_DEV_ERR_STAT_NONFATAL),
	XETILE_NAMED_REG(PVC_DEV_ERR_STAT_CORRECTABLE),
};

static struct xetile_device *device_of(struct seq_file *m)
{
	struct drm_debugfs_entry *entry = m->private;

	return to_xetile_device(entry->dev);
}

/* Print each tile's name and, below it, the text that @print has for the tile. */
static int show_tiles(struct seq_file *m,
		      void (*print)(struct xetile_tile *tile, struct drm_printer *p))
{
	struct xetile_device *xt = device_of(m);
	struct drm_printer p = drm_seq_file_printer(m);
	struct xetile_tile *tile;

	xetile_for_each_tile(tile, xt) {
		drm_printf(&p, "tile%u\n", tile->id);
		print(tile, &p);
	}
	return 0;
}

static void print_fuses(struct xetile_tile *tile, struct drm_printer *p)
{
	drm_printf(p, "  dss_mask %#llx\n", tile->fuse.dss_mask);
	drm_printf(p, "  cslice_mask %#x\n", tile->fuse.cslice_mask);
	drm_printf(p, "  bcs_mask %#x\n", tile->fuse.bcs_mask);
	drm_printf(p, "  eus_per_dss %u\n", tile->fuse.eus_per_dss);
	drm_printf(p, "  l3_banks %u\n", tile->fuse.l3_banks);
	drm_printf(p, "  ccs_mode %u\n", xetile_ccs_mode(tile));
	drm_printf(p, "  present_ccs_mode %u\n", xetile_ccs_present(tile));
}

static int tiles_show(struct seq_file *m, void *data)
{
	return show_tiles(m, print_fuses);
}

static int hbm_show(struct seq_file *m, void *data)
{
	return show_tiles(m, xetile_hbm_print);
}

static int sysmem_show(struct seq_file *m, void *data)
{
	struct xetile_device *xt = device_of(m);
	struct drm_printer p = drm_seq_file_printer(m);

	drm_printf(&p, "pages %llu\n", xetile_sysmem_pages(xt));
	drm_printf(&p, "swapped %llu\n", xetile_sysmem_swapped(xt));
	return 0;
}

static int vms_show(struct seq_file *m, void *data)
{
	struct drm_printer p = drm_seq_file_printer(m);

	return xetile_vms_print(device_of(m), &p);
}

static int copies_show(struct seq_file *m, void *data)
{
	return show_tiles(m, xetile_migrate_print);
}

static int ggtt_show(struct seq_file *m, void *data)
{
	return show_tiles(m, xetile_ggtt_print);
}

static void print_name(struct drm_printer *p, const struct xetile_engine *engine)
{
	drm_printf(p, "%s%s\n", engine->name, engine->kernel_only ? " (kernel's own)" : "");
}

static void print_engine(struct drm_printer *p, struct xetile_engine *engine)
{
	struct xetile_engine_regs regs;

	print_name(p, engine);
	if (engine->class == XETILE_ENGINE_COMPUTE)
		drm_printf(p, "  cslices %#x\n", xetile_engine_cslices(engine));
	xetile_engine_read_regs(engine, &regs);
	xetile_engine_print_regs(&regs, p);
}

static int engines_show(struct seq_file *m, void *data)
{
	struct xetile_device *xt = device_of(m);
	struct drm_printer p = drm_seq_file_printer(m);
	struct xetile_tile *tile;
	unsigned int i;
	int err, idx;

	err = xetile_awake_enter(xt, &idx);
	if (err)
		return err;
	xetile_for_each_tile(tile, xt)
		for (i = 0; i < tile->num_engines; i++)
			print_engine(&p, &tile->engines[i]);
	xetile_awake_exit(xt, idx);
	return 0;
}

/* Without a read of the hardware: "engines" has more than a thousand of them. */
static void print_owners(struct xetile_tile *tile, struct drm_printer *p)
{
	unsigned int i;

	for (i = 0; i < tile->num_engines; i++) {
		print_name(p, &tile->engines[i]);
		drm_printf(p, "  owned %u\n", xetile_sched_engine_is_owned(&tile->engines[i]));
	}
}

static int owners_show(struct seq_file *m, void *data)
{
	return show_tiles(m, print_owners);
}

static int slices_show(struct seq_file *m, void *data)
{
	return show_tiles(m, xetile_cslice_print);
}

static int registers_show(struct seq_file *m, void *data)
{
	struct xetile_device *xt = device_of(m);
	struct drm_printer p = drm_seq_file_printer(m);
	struct xetile_tile *tile;
	unsigned int i;
	int err, idx;

	err = xetile_awake_enter(xt, &idx);
	if (err)
		return err;
	xetile_for_each_tile(tile, xt) {
		drm_printf(&p, "tile%u\n", tile->id);
		for (i = 0; i < ARRAY_SIZE(tile_regs); i++)
			drm_printf(&p, "  %-28s %#010x\n", tile_regs[i].name,
				   xetile_mmio_read(&tile->mmio, tile_regs[i].offset));
		for (i = 0; i < ARRAY_SIZE(mcr_regs); i++)
			drm_printf(&p, "  %-28s %#010x\n", mcr_regs[i].name,
				   xetile_mcr_read(tile, mcr_regs[i].offset, 0, 0));
	}
	xetile_awake_exit(xt, idx);
	return 0;
}

static int settings_show(struct seq_file *m, void *data)
{
	struct xetile_device *xt = device_of(m);
	int err, idx;

	err = xetile_awake_enter(xt, &idx);
	if (err)
		return err;
	err = show_tiles(m, xetile_settings_print);
	xetile_awake_exit(xt, idx);
	return err;
}

/* The text of the device coredump, which stays when that was dropped or deleted */
static int last_failure_show(struct seq_file *m, void *data)
{
	xetile_coredump_show_last(m->private, m);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(last_failure);

static int awake_open(struct inode *inode, struct file *file)
{
	struct xetile_device *xt = inode->i_private;
	int err = xetile_awake_get(xt);

	if (err)
		return err;
	/* The file may be closed when the card is gone. */
	drm_dev_get(&xt->drm);
	file->private_data = xt;
	return 0;
}

static int awake_release(struct inode *inode, struct file *file)
{
	struct xetile_device *xt = file->private_data;

	xetile_awake_put(xt);
	drm_dev_put(&xt->drm);
	return 0;
}

/* No text: the card is awake, with all its power wells, while the file is open. */
static const struct file_operations awake_fops = {
	.owner = THIS_MODULE,
	.open = awake_open,
	.release = awake_release,
};

static const struct drm_debugfs_info files[] = {
	{ .name = "tiles", .show = tiles_show },
	{ .name = "hbm", .show = hbm_show },
	{ .name = "sysmem", .show = sysmem_show },
	{ .name = "vms", .show = vms_show },
	{ .name = "copies", .show = copies_show },
	{ .name = "ggtt", .show = ggtt_show },
	{ .name = "engines", .show = engines_show },
	{ .name = "owners", .show = owners_show },
	{ .name = "slices", .show = slices_show },
	{ .name = "registers", .show = registers_show },
	{ .name = "settings", .show = settings_show },
};

/**
 * xetile_debugfs_init() - make the debugfs files of a card
 * @xt: the card, not yet registered
 *
 * Context: process.
 */
void xetile_debugfs_init(struct xetile_device *xt)
{
	drm_debugfs_add_files(&xt->drm, files, ARRAY_SIZE(files));
	/* It names processes and their buffers: for root only, as the device coredump */
	debugfs_create_file("last_failure", 0400, xt->drm.debugfs_root, xt, &last_failure_fops);
	/* Tests of xe look for this name. */
	debugfs_create_file("forcewake_all", 0400, xt->drm.debugfs_root, xt, &awake_fops);
}
