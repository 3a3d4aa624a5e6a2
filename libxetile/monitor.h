/* SPDX-License-Identifier: MIT */
/*
 * A monitor: the kernel's messages about devices, and the driver's cards that were there last.
 */
#ifndef _XT_MONITOR_H_
#define _XT_MONITOR_H_

#include "xetile.h"

/*
 * A monitor on a socket, which it takes over also when the call fails, and on a folder of PCI
 * devices. Only tests call this; xetile_monitor_open() gives the machine's.
 */
int xt_monitor_build(int fd, const char *devices, struct xetile_monitor **out);

#endif
