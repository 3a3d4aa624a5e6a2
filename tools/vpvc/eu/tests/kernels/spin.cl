// SPDX-License-Identifier: MIT
#include "sg.h"
/* Ends only when the flag is set. */
KERNEL spin(__global volatile uint *flag)
{
	while (flag[0] == 0)
		;
}
