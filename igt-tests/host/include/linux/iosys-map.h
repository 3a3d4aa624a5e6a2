/* SPDX-License-Identifier: MIT */
/* A type that headers mention; nothing tested here uses it. */
#ifndef HOST_LINUX_IOSYS_MAP_H
#define HOST_LINUX_IOSYS_MAP_H

struct iosys_map {
	void *vaddr;
};

#endif
