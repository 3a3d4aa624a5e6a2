/* SPDX-License-Identifier: MIT */
/* Regions of the card by their vfio index. */
#ifndef VPVC_VFU_REGIONS_H
#define VPVC_VFU_REGIONS_H

#include "card.h"
#include "vfu_proto.h"

/* Bytes of a region; 0: the card has no region of that index. */
uint64_t vfu_region_size(struct card *c, uint32_t index);
/* Write to @out the capability that names the parts of BAR0 to map; returns its size. */
size_t vfu_region_sparse(struct card *c, uint8_t *out);
/* Is all of an access within its region? */
bool vfu_region_fits(struct card *c, const struct vfu_region_access *a);
/* Is it the configuration of a card that was pulled out? */
bool vfu_region_gone(struct card *c, const struct vfu_region_access *a);
/* Perform an access for which vfu_region_fits() is true. */
void vfu_region_serve(struct card *c, const struct vfu_region_access *a, uint8_t *buf,
		      bool write);

#endif
