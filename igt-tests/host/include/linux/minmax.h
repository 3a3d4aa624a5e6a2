/* SPDX-License-Identifier: MIT */
#ifndef HOST_LINUX_MINMAX_H
#define HOST_LINUX_MINMAX_H

#define min(a, b)		((a) < (b) ? (a) : (b))
#define round_down(x, y)	((x) & ~((__typeof__(x))(y) - 1))
#define IS_ALIGNED(x, a)	(((x) & ((__typeof__(x))(a) - 1)) == 0)

#endif
