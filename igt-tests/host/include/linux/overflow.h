/* SPDX-License-Identifier: MIT */
#ifndef HOST_LINUX_OVERFLOW_H
#define HOST_LINUX_OVERFLOW_H

#define struct_size(p, member, n) (sizeof(*(p)) + sizeof((p)->member[0]) * (n))

#endif
