// SPDX-License-Identifier: GPL-2.0-only
#include "card/xetile_settings.h"

#include <linux/array_size.h>
#include <linux/bitops.h>
#include <linux/limits.h>
#include <linux/pci.h>
#include <linux/types.h>

#include <drm/drm_print.h>

#include "regs/pvc_engine_regs.h"
#include "regs/pvc_gt_regs.h"

#include "card/xetile_mmio.h"
#include "card/xetile_tile.h"
#include "xetile_device.h"

/**
 * DOC: settings
 *
 * The settings that a tile needs before its engines run. A reset of its compute engines loses
 * them, and xetile_reset_tile.c writes them anew. Most of these registers are replicated, and
 * firmware may lock some: whether a setting has arrived everywhere is known only when it is read
 * back. No lock is needed: the values are constant.
 */

/* How a setting is written, and where it is read */
enum setting_kind {
	SETTING_MASKED = BIT(0),	/* upper half enables; else read, change, write */
	SETTING_MCR = BIT(1),		/* replicated: read one, write all */
	SETTING_DSS = BIT(2),		/* ... and there is one in each subslice */
	SETTING_ABSENT = BIT(3),	/* of an engine that this part lacks: may keep nothing */
};

/** struct setting - bits of a register that must have a value */
struct setting {
	/** @name: the register's */
	const char *name;
	/** @reg: its offset */
	u32 reg;
	/** @mask: the bits */
	u32 mask;
	/** @val: their value */
	u32 val;
	/** @kind: of enum setting_kind */
	u32 kind;
};

#define SETTING(reg, mask, val, kind)	{ #reg, reg, mask, val, kind }

/*
 * Settings that the hardware's errata and its documented set-up ask for, on every stepping that
 * was sold. Names of errata are those of the public drivers (prelim i915: gt/intel_workarounds.c,
 * which has all of them; xe: xe_wa.c, which lacks Wa_16023902795, and Wa_18018781329 of the copy
 * engines).
 */
static const struct setting settings[] = {
	/* Switch the compute engines on; the driver assigns cslices (Wa_16017028706) */
	SETTING(PVC_RCU_MODE, PVC_RCU_MODE_CCS_ENABLE | PVC_RCU_MODE_FIXED_SLICE,
		PVC_RCU_MODE_CCS_ENABLE | PVC_RCU_MODE_FIXED_SLICE, SETTING_MASKED),
	/* Wa_14015795083 */
	SETTING(PVC_MISCCPCTL, PVC_MISCCPCTL_DOP_CLOCK_GATE_RENDER, 0, 0),
	/* Wa_16016694945 */
	SETTING(PVC_LNCFMISCCFGREG0, PVC_LNCF_OVRLSCCC, PVC_LNCF_OVRLSCCC,
		SETTING_MASKED | SETTING_MCR),
	/* Wa_18018781329 */
	SETTING(PVC_RENDER_MOD_CTRL, PVC_MOD_CTRL_FORCE_MISS_FTLB, PVC_MOD_CTRL_FORCE_MISS_FTLB,
		SETTING_MCR),
	SETTING(PVC_COMP_MOD_CTRL, PVC_MOD_CTRL_FORCE_MISS_FTLB, PVC_MOD_CTRL_FORCE_MISS_FTLB,
		SETTING_MCR),
	SETTING(PVC_VDBX_MOD_CTRL, PVC_MOD_CTRL_FORCE_MISS_FTLB, PVC_MOD_CTRL_FORCE_MISS_FTLB,
		SETTING_MCR | SETTING_ABSENT),
	SETTING(PVC_VEBX_MOD_CTRL, PVC_MOD_CTRL_FORCE_MISS_FTLB, PVC_MOD_CTRL_FORCE_MISS_FTLB,
		SETTING_MCR | SETTING_ABSENT),
	SETTING(PVC_BLT_MOD_CTRL, PVC_MOD_CTRL_FORCE_MISS_FTLB, PVC_MOD_CTRL_FORCE_MISS_FTLB,
		SETTING_MCR),
	/* Wa_16023902795: have an invalidation complete without firmware's help */
	SETTING(PVC_GAMSTLB_CTRL, PVC_GAMSTLB_PROMOTE_ALL, PVC_GAMSTLB_PROMOTE_ALL, SETTING_MCR),
	/* Wa_22014226127 */
	SETTING(PVC_LSC_CHICKEN_BIT_0, PVC_LSC_DISABLE_D8_D16_COALESCE,
		PVC_LSC_DISABLE_D8_D16_COALESCE, SETTING_MCR | SETTING_DSS),
	/* Wa_14015227452 */
	SETTING(PVC_ROW_CHICKEN4, PVC_ROW_CHICKEN4_DIS_BBL_SYSPIPE,
		PVC_ROW_CHICKEN4_DIS_BBL_SYSPIPE, SETTING_MASKED | SETTING_MCR | SETTING_DSS),
	/* Wa_18020744125: the absent render engine must not write a status page */
	SETTING(PVC_RING_HWSTAM(PVC_RCS_BASE), U32_MAX, U32_MAX, SETTING_ABSENT),
};

/* Memory types by PAT index, as all drivers of this hardware use them */
static const u32 pat[PVC_PAT_ENTRIES] = {
	PVC_PAT_UC,
	PVC_PAT_WC,
	PVC_PAT_WT,
	PVC_PAT_WB,
	1 << PVC_PAT_CLOS_SHIFT | PVC_PAT_WT,
	1 << PVC_PAT_CLOS_SHIFT | PVC_PAT_WB,
	2 << PVC_PAT_CLOS_SHIFT | PVC_PAT_WT,
	2 << PVC_PAT_CLOS_SHIFT | PVC_PAT_WB,
};

/* L3 control by MOCS index: 0 is for errors, 1 is uncached, 2 and 3 are write-back. */
static const u16 mocs_l3[] = {
	PVC_LNCFCMOCS_L3_WB,
	PVC_LNCFCMOCS_L3_UC,
	PVC_LNCFCMOCS_L3_WB,
	PVC_LNCFCMOCS_L3_WB,
};

static struct setting pat_setting(unsigned int index)
{
	return (struct setting) { "PVC_PAT_INDEX", PVC_PAT_INDEX(index), U32_MAX, pat[index],
				  SETTING_MCR };
}

/* Two entries of the table of caching */
static struct setting mocs_setting(unsigned int index)
{
	return (struct setting) { "PVC_LNCFCMOCS", PVC_LNCFCMOCS(index / 2), U32_MAX,
				  (u32)mocs_l3[index + 1] << 16 | mocs_l3[index], 0 };
}

/*
 * A register of the subslices, in one of them. What is fused off reads zero: to change some bits of
 * such a value would clear all others everywhere (prelim i915: gt/intel_workarounds.c,
 * pvc_init_mcr(); xe: xe_gt_mcr.c).
 */
static u32 read_dss(struct xetile_tile *tile, u32 reg, unsigned int dss)
{
	return xetile_mcr_read(tile, reg, dss / PVC_DSS_PER_MCR_GROUP,
			       dss % PVC_DSS_PER_MCR_GROUP);
}

static u32 read_any(struct xetile_tile *tile, const struct setting *s)
{
	if (s->kind & SETTING_DSS)
		return read_dss(tile, s->reg, __ffs64(tile->fuse.dss_mask));
	if (s->kind & SETTING_MCR)
		return xetile_mcr_read(tile, s->reg, 0, 0);
	return xetile_mmio_read(&tile->mmio, s->reg);
}

static void write_setting(struct xetile_tile *tile, const struct setting *s)
{
	u32 val;

	if (s->kind & SETTING_MASKED)
		val = s->mask << 16 | s->val;
	else if (s->mask == U32_MAX)
		val = s->val;
	else
		val = (read_any(tile, s) & ~s->mask) | s->val;

	if (s->kind & SETTING_MCR)
		xetile_mcr_write(tile, s->reg, val);
	else
		xetile_mmio_write(&tile->mmio, s->reg, val);
}

typedef bool setting_fn(struct xetile_tile *tile, const struct setting *s, void *arg);

/* Call @fn for each setting, until it returns false. */
static void each_setting(struct xetile_tile *tile, setting_fn *fn, void *arg)
{
	struct setting s;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(pat); i++) {
		s = pat_setting(i);
		if (!fn(tile, &s, arg))
			return;
	}
	for (i = 0; i < ARRAY_SIZE(mocs_l3); i += 2) {
		s = mocs_setting(i);
		if (!fn(tile, &s, arg))
			return;
	}
	for (i = 0; i < ARRAY_SIZE(settings); i++)
		if (!fn(tile, &settings[i], arg))
			return;
}

static bool write_one(struct xetile_tile *tile, const struct setting *s, void *arg)
{
	write_setting(tile, s);
	return true;
}

/**
 * xetile_settings_write() - write the settings of a tile that a reset loses
 * @tile: the tile
 *
 * Memory types, cache control, errata, mode of the compute engines. The owners of the cslices
 * and the engines' own registers are not among them. The function writes the same values each
 * time, so it may be called while engines run.
 *
 * Context: any.
 */
void xetile_settings_write(struct xetile_tile *tile)
{
	each_setting(tile, write_one, NULL);
}

/** struct answers - what the instances of a register say */
struct answers {
	/** @num: how many were asked */
	unsigned int num;
	/** @wrong: how many of them do not have the setting's value */
	unsigned int wrong;
	/** @val: of the first one that is wrong; else of the last one */
	u32 val;
};

static void add_answer(struct answers *a, const struct setting *s, u32 val)
{
	a->num++;
	if (!a->wrong)
		a->val = val;
	a->wrong += (val & s->mask) != s->val;
}

static struct answers read_setting(struct xetile_tile *tile, const struct setting *s)
{
	struct answers a = { 0 };
	u64 left;

	if (s->kind & SETTING_DSS)
		for (left = tile->fuse.dss_mask; left; left &= left - 1)
			add_answer(&a, s, read_dss(tile, s->reg, __ffs64(left)));
	else
		add_answer(&a, s, read_any(tile, s));
	return a;
}

static bool verify_setting(struct xetile_tile *tile, const struct setting *s, void *arg)
{
	struct drm_device *drm = &tile->xt->drm;
	struct answers a = read_setting(tile, s);
	unsigned int *wrong = arg;
	bool lost;

	if (!a.wrong) {
		drm_info(drm, "tile%u: %s (%#x) %#010x, as written\n", tile->id, s->name, s->reg,
			 a.val);
		return true;
	}
	if (s->kind & SETTING_ABSENT) {
		drm_info(drm, "tile%u: %s (%#x) %#010x, keeps nothing, nor has to\n", tile->id,
			 s->name, s->reg, a.val);
		return true;
	}
	/* Either something changed it afterwards, or it cannot be changed. */
	write_setting(tile, s);
	lost = !read_setting(tile, s).wrong;
	drm_err(drm, "tile%u: %s (%#x) %#010x in %u of %u instances, not %#x in mask %#x: %s\n",
		tile->id, s->name, s->reg, a.val, a.wrong, a.num, s->val, s->mask,
		lost ? "lost" : "locked");
	++*wrong;
	return true;
}

/**
 * xetile_settings_verify() - read the settings of a tile back
 * @tile: the tile, after xetile_settings_write()
 *
 * A line in the log for each of them tells whether it is as it was written, in all instances of the
 * register; if not, whether it was lost and can be written again, or is locked.
 *
 * Context: any, but some milliseconds long.
 * Return: how many of them were not as written.
 */
unsigned int xetile_settings_verify(struct xetile_tile *tile)
{
	unsigned int wrong = 0;

	each_setting(tile, verify_setting, &wrong);
	return wrong;
}

static bool check_setting(struct xetile_tile *tile, const struct setting *s, void *arg)
{
	struct answers a;

	if (s->kind & SETTING_ABSENT)
		return true;
	a = read_setting(tile, s);
	if (!a.wrong)
		return true;
	drm_warn(&tile->xt->drm,
		 "tile%u: %s (%#x) reads %#010x in %u of %u instances, not %#x in mask %#x\n",
		 tile->id, s->name, s->reg, a.val, a.wrong, a.num, s->val, s->mask);
	/* A card that does not answer has been told by this line. */
	return !PCI_POSSIBLE_ERROR(a.val);
}

/**
 * xetile_settings_check() - read the settings of a tile back, and say which are wrong
 * @tile: the tile, after xetile_settings_write()
 *
 * A line in the log for each setting that some instance of its register does not have. A tile works
 * without it, slower or with an erratum, so this is no reason to refuse the card.
 *
 * Context: any, but some milliseconds long.
 */
void xetile_settings_check(struct xetile_tile *tile)
{
	each_setting(tile, check_setting, NULL);
}

static bool print_setting(struct xetile_tile *tile, const struct setting *s, void *arg)
{
	struct answers a = read_setting(tile, s);

	drm_printf(arg, "  %-28s %#07x %#010x", s->name, s->reg, a.val);
	if (a.wrong)
		drm_printf(arg, " wrong in %u of %u, not %#x in mask %#x", a.wrong, a.num, s->val,
			   s->mask);
	drm_printf(arg, "\n");
	return true;
}

/**
 * xetile_settings_print() - print the settings of a tile as its registers have them
 * @tile: the tile
 * @p: where to print
 *
 * Context: any, within drm_dev_enter(); some milliseconds long.
 */
void xetile_settings_print(struct xetile_tile *tile, struct drm_printer *p)
{
	each_setting(tile, print_setting, p);
}
