// SPDX-License-Identifier: GPL-2.0-only
#include "look/xetile_sysfs_errors.h"

#include <linux/array_size.h>
#include <linux/build_bug.h>
#include <linux/kobject.h>

#include "regs/pvc_soc_regs.h"

#include "card/xetile_ras.h"
#include "look/xetile_sysfs_folder.h"

/**
 * DOC: counts of errors
 *
 * A tile's folder errors has a file for each severity and kind of hardware error, with the number
 * of errors since the card was bound. Documentation/ABI/testing/sysfs-driver-xetile describes them.
 */

/** struct error_attribute - a file for one severity and kind of errors */
struct error_attribute {
	struct kobj_attribute base;
	unsigned int severity;
	enum xetile_ras_kind kind;
};

static ssize_t error_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	const struct error_attribute *error = container_of(attr, struct error_attribute, base);

	return sysfs_emit(buf, "%u\n", xetile_ras_count(xetile_folder_tile(kobj), error->severity,
							error->kind));
}

#define ERROR(severity_, SEVERITY_, kind_, KIND_) { \
	.base = __ATTR(severity_##_##kind_, 0444, error_show, NULL), \
	.severity = PVC_ERR_##SEVERITY_, .kind = XETILE_RAS_##KIND_, \
}

static struct error_attribute errors[] = {
	ERROR(correctable, CORRECTABLE, subslice, SUBSLICE),
	ERROR(nonfatal, NONFATAL, subslice, SUBSLICE),
	ERROR(fatal, FATAL, subslice, SUBSLICE),
	ERROR(correctable, CORRECTABLE, l3bank, L3BANK),
	ERROR(nonfatal, NONFATAL, l3bank, L3BANK),
	ERROR(fatal, FATAL, l3bank, L3BANK),
	ERROR(correctable, CORRECTABLE, tlb, TLB),
	ERROR(nonfatal, NONFATAL, tlb, TLB),
	ERROR(fatal, FATAL, tlb, TLB),
	ERROR(correctable, CORRECTABLE, l3_fabric, L3_FABRIC),
	ERROR(nonfatal, NONFATAL, l3_fabric, L3_FABRIC),
	ERROR(fatal, FATAL, l3_fabric, L3_FABRIC),
	ERROR(correctable, CORRECTABLE, gt, GT),
	ERROR(nonfatal, NONFATAL, gt, GT),
	ERROR(fatal, FATAL, gt, GT),
	ERROR(correctable, CORRECTABLE, hbm, HBM),
	ERROR(nonfatal, NONFATAL, hbm, HBM),
	ERROR(fatal, FATAL, hbm, HBM),
	ERROR(correctable, CORRECTABLE, mdfi, MDFI),
	ERROR(nonfatal, NONFATAL, mdfi, MDFI),
	ERROR(fatal, FATAL, mdfi, MDFI),
	ERROR(correctable, CORRECTABLE, soc, SOC),
	ERROR(nonfatal, NONFATAL, soc, SOC),
	ERROR(fatal, FATAL, soc, SOC),
	ERROR(correctable, CORRECTABLE, gsc, GSC),
	ERROR(nonfatal, NONFATAL, gsc, GSC),
	ERROR(fatal, FATAL, gsc, GSC),
	ERROR(correctable, CORRECTABLE, other, OTHER),
	ERROR(nonfatal, NONFATAL, other, OTHER),
	ERROR(fatal, FATAL, other, OTHER),
};

static_assert(ARRAY_SIZE(errors) == XETILE_NUM_RAS_SEVERITIES * XETILE_NUM_RAS_KINDS);

static struct attribute *error_attrs[] = {
	&errors[0].base.attr,
	&errors[1].base.attr,
	&errors[2].base.attr,
	&errors[3].base.attr,
	&errors[4].base.attr,
	&errors[5].base.attr,
	&errors[6].base.attr,
	&errors[7].base.attr,
	&errors[8].base.attr,
	&errors[9].base.attr,
	&errors[10].base.attr,
	&errors[11].base.attr,
	&errors[12].base.attr,
	&errors[13].base.attr,
	&errors[14].base.attr,
	&errors[15].base.attr,
	&errors[16].base.attr,
	&errors[17].base.attr,
	&errors[18].base.attr,
	&errors[19].base.attr,
	&errors[20].base.attr,
	&errors[21].base.attr,
	&errors[22].base.attr,
	&errors[23].base.attr,
	&errors[24].base.attr,
	&errors[25].base.attr,
	&errors[26].base.attr,
	&errors[27].base.attr,
	&errors[28].base.attr,
	&errors[29].base.attr,
	NULL
};

static_assert(ARRAY_SIZE(error_attrs) == ARRAY_SIZE(errors) + 1);

static const struct attribute_group error_group = { .attrs = error_attrs };

const struct attribute_group *xetile_error_groups[] = { &error_group, NULL };
