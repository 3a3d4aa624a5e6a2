// SPDX-License-Identifier: MIT
#include "sg.h"
/* Where every item of a three-dimensional launch thinks it is */
KERNEL ids(__global uint *out)
{
	size_t x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
	size_t i = x + get_global_size(0) * (y + get_global_size(1) * z);

	out[i] = get_local_id(0) | get_local_id(1) << 5 | get_local_id(2) << 10 |
		 get_group_id(0) << 15 | get_group_id(1) << 20 | get_group_id(2) << 25;
}
