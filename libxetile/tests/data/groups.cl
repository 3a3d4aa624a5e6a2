// SPDX-License-Identifier: MIT
#include "xetile_groups.h"

__kernel void lead(__global uint *out)
{
	xetile_opportunistic_group g = xetile_get_opportunistic_group();

	out[get_global_id(0)] = xetile_leader(g);
}
