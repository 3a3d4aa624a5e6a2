/* SPDX-License-Identifier: MIT */
/* Nobody kills a host test, and nobody waits for its processor. */
#ifndef HOST_LINUX_SCHED_SIGNAL_H
#define HOST_LINUX_SCHED_SIGNAL_H

#define fatal_signal_pending(task)	0
#define cond_resched()			do { } while (0)

#endif
