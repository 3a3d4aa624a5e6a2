// SPDX-License-Identifier: GPL-2.0-only
#include "xe/xetile_xe_answers.h"

#include <linux/string.h>

#include <drm/xe_drm.h>

/**
 * DOC: masks of what works in each GT
 *
 * One record after the other, each with a mask of bytes. The part has no geometry, and its vector
 * engines are 16 lanes wide. The answers are made from facts alone.
 */

/* A mask that is not a multiple of 8 bytes would put the next record at an odd address. */
#define MASK_BYTES	8

static u8 *record_put(u8 *at, unsigned int gt, u16 type, u64 mask)
{
	struct drm_xe_query_topology_mask *record = (void *)at;
	unsigned int i;

	record->gt_id = gt;
	record->type = type;
	record->num_bytes = MASK_BYTES;
	for (i = 0; i < MASK_BYTES; i++)
		record->mask[i] = mask >> (8 * i);
	return &record->mask[MASK_BYTES];
}

/**
 * xetile_xe_topology() - which parts of each GT work
 * @facts: facts of the card
 * @answer: struct drm_xe_query_topology_mask, several; %XETILE_XE_ANSWER bytes of zeros
 *
 * Context: any.
 * Return: bytes of the answer.
 */
size_t xetile_xe_topology(const struct xetile_xe_facts *facts, void *answer)
{
	u8 *at = answer;
	unsigned int t;

	for (t = 0; t < facts->num_tiles; t++) {
		const struct xetile_xe_tile *tile = &facts->tiles[t];

		at = record_put(at, t, DRM_XE_TOPO_DSS_GEOMETRY, 0);
		at = record_put(at, t, DRM_XE_TOPO_DSS_COMPUTE, tile->dss_mask);
		at = record_put(at, t, DRM_XE_TOPO_L3_BANK, tile->l3_mask);
		at = record_put(at, t, DRM_XE_TOPO_SIMD16_EU_PER_DSS, tile->eu_mask);
	}
	return at - (u8 *)answer;
}
