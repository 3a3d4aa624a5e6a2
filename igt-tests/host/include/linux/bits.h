/* SPDX-License-Identifier: MIT */
#ifndef HOST_LINUX_BITS_H
#define HOST_LINUX_BITS_H

#define BIT(n)		(1ul << (n))
#define BIT_ULL(n)	(1ull << (n))
#define GENMASK(hi, lo)	((~0ul >> (63 - (hi))) & (~0ul << (lo)))

#endif
