/* SPDX-License-Identifier: MIT */
/* The page tables include the allocator's header, but use nothing of TTM. */
#define TTM_PL_TT	1
#define TTM_PL_PRIV	3
