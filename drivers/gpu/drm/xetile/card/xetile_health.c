// SPDX-License-Identifier: GPL-2.0-only
#include "card/xetile_health.h"

#include <linux/array_size.h>
#include <linux/pci.h>

#include <drm/drm_print.h>

#include "regs/pvc_soc_regs.h"

#include "card/xetile_mmio.h"
#include "xetile_device.h"

/**
 * DOC: what firmware found
 *
 * Firmware trains and tests the HBM before a driver comes, and leaves its findings in a word of
 * tile 0 (prelim i915: pvc_ras.c). A card whose memory cannot be trusted is not used.
 */

static const struct {
	u32 bit;
	const char *what;
} fatal[] = {
	{ PVC_BOOT_HBM_REPLACE, "HBM must be replaced" },
	{ PVC_BOOT_HBM_TRAINING_FAILED, "HBM could not be trained" },
	{ PVC_BOOT_HBM_WIPE_FAILED, "HBM could not be cleared" },
	{ PVC_BOOT_HBM_IO_FAILED, "the controller of HBM failed" },
	{ PVC_BOOT_PUNIT_FAILED, "the power controller failed" },
	{ PVC_BOOT_GT_FAILED, "the GT failed" },
	{ PVC_BOOT_MDFI_NO_MARGIN, "a link between dies has no margin" },
};

/* The diagnosis has found faults, and could not repair them. */
static bool unrepairable(u32 health)
{
	const u32 tried = PVC_BOOT_HBM_DIAGNOSED | PVC_BOOT_HBM_REPAIR_ATTEMPTED;

	return (health & tried) == tried && !(health & PVC_BOOT_HBM_DIAGNOSIS_INCOMPLETE) &&
	       (health & (PVC_BOOT_HBM_INVALID | PVC_BOOT_HBM_SPARE_EXHAUSTED));
}

/**
 * xetile_health_check() - whether the card may be used, by what its firmware found
 * @xt: the card; its firmware has ended its start
 *
 * Context: process.
 * Return: 0, -ENXIO if the card must not be used, -ENODEV when it is gone; one line in the log
 * tells it.
 */
int xetile_health_check(struct xetile_device *xt)
{
	u32 health = xetile_mmio_read(&xt->mmio, PVC_BOOT_HEALTH);
	const char *what = NULL;
	unsigned int i;

	if (PCI_POSSIBLE_ERROR(health)) {
		drm_err(&xt->drm, "firmware's findings read all ones: the card does not answer\n");
		return -ENODEV;
	}
	for (i = 0; i < ARRAY_SIZE(fatal) && !what; i++)
		if (health & fatal[i].bit)
			what = fatal[i].what;
	if (!what && unrepairable(health))
		what = "HBM has faults that cannot be repaired, and must be replaced";
	if (what) {
		drm_err(&xt->drm, "firmware says: %s (%#x)\n", what, health);
		return -ENXIO;
	}
	if (health & PVC_BOOT_MDFI_LOW_MARGIN)
		drm_warn(&xt->drm, "firmware says: a link between dies has little margin (%#x)\n",
			 health);
	/* No source says whether the bit survives each kind of reset: do not refuse the card. */
	if (!(health & PVC_BOOT_STAGE2_DONE))
		drm_warn(&xt->drm, "firmware does not say that it ended its start (%#x)\n", health);
	return 0;
}
