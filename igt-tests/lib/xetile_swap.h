/* SPDX-License-Identifier: MIT */
/*
 * Swap space for a while: without any, the driver's shrinker gives no memory back.
 */
#ifndef XETILE_SWAP_H
#define XETILE_SWAP_H

/* Swaps to a disk in memory. Skips the test when the kernel has no zram. */
void swap_begin(void);
/* Ends that; all that was swapped out comes back. */
void swap_end(void);

#endif
