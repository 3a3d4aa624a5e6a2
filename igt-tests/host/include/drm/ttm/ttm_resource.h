/* SPDX-License-Identifier: MIT */
#ifndef HOST_TTM_RESOURCE_H
#define HOST_TTM_RESOURCE_H

struct ttm_resource {
	int unused;
};

#endif
