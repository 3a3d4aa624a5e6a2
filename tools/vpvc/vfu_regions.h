/* SPDX-License-Identifier: MIT */
/* Regions of the card as vfio-user counts them. */
#ifndef VPVC_VFU_REGIONS_H
#define VPVC_VFU_REGIONS_H

#include "card.h"
#include "vfu_proto.h"

/* Bytes of a region; 0: there is none of that number. */
uint64_t vfu_region_size(struct card *c, uint32_t index);
/* The capability that says what of BAR0 may be mapped, to @out; its size. */
size_t vfu_region_sparse(struct card *c, uint8_t *out);
/* Is all of an access within its region? */
bool vfu_region_fits(struct card *c, const struct vfu_region_access *a);
/* Is it the configuration of a card that was pulled out? */
bool vfu_region_gone(struct card *c, const struct vfu_region_access *a);
/* An access that fits. */
void vfu_region_serve(struct card *c, const struct vfu_region_access *a, uint8_t *buf,
		      bool write);

#endif
