/* SPDX-License-Identifier: MIT */
#define SZ_1K			0x400ull
#define SZ_4K	0x1000ull
#define SZ_16K	0x4000ull
#define SZ_64K	0x10000ull
#define SZ_2M	0x200000ull
#define SZ_1G	0x40000000ull
