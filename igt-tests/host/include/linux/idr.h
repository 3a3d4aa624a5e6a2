/* SPDX-License-Identifier: MIT */
/* Numbers are not used up in a host test. */
#ifndef HOST_LINUX_IDR_H
#define HOST_LINUX_IDR_H

#define ida_alloc_range(ida, min, max, gfp)	((void)(max), (int)((min) + (ida)->next++))
#define ida_free(ida, id)			((void)(ida), (void)(id))

#endif
