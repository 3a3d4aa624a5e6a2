/* SPDX-License-Identifier: MIT */
#ifndef HOST_LINUX_MINMAX_H
#define HOST_LINUX_MINMAX_H

#define min(a, b) ({							\
	__auto_type a__ = (a);						\
	__auto_type b__ = (b);						\
	a__ < b__ ? a__ : b__;						\
})
#define max(a, b) ({							\
	__auto_type a__ = (a);						\
	__auto_type b__ = (b);						\
	a__ > b__ ? a__ : b__;						\
})
#define min_t(type, a, b)	min((type)(a), (type)(b))
#define round_down(x, y)	((x) & ~((__typeof__(x))(y) - 1))
#define IS_ALIGNED(x, a)	(((x) & ((__typeof__(x))(a) - 1)) == 0)

#endif
