// SPDX-License-Identifier: MIT
#include "sg.h"
/* Each group waits for the group after it: all of them must be resident. */
KERNEL relay(__global volatile uint *done)
{
	uint g = get_group_id(0);

	if (get_local_id(0) == 0) {
		if (g + 1 < get_num_groups(0))
			while (atomic_add(&done[g + 1], 0) == 0)
				;
		atomic_inc(&done[g]);
	}
}
