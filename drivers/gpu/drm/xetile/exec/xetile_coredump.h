/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_COREDUMP_H__
#define __XETILE_COREDUMP_H__

#include <linux/types.h>

struct seq_file;
struct xetile_coredump;
struct xetile_device;
struct xetile_sched_queue;

struct xetile_coredump *xetile_coredump_create(struct xetile_device *xt);
void xetile_coredump_begin_locked(struct xetile_coredump *dump, struct xetile_sched_queue *sq,
				  bool error);
void xetile_coredump_capture(struct xetile_coredump *dump);
void xetile_coredump_publish(struct xetile_coredump *dump);
void xetile_coredump_show_last(struct xetile_device *xt, struct seq_file *m);

#endif
