/* SPDX-License-Identifier: MIT */
#ifndef HOST_LINUX_COMPILER_H
#define HOST_LINUX_COMPILER_H

#define READ_ONCE(x)		(*(const volatile __typeof__(x) *)&(x))
#define WRITE_ONCE(x, value)	(*(volatile __typeof__(x) *)&(x) = (value))

#endif
