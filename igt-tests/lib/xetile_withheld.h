/* SPDX-License-Identifier: MIT */
/*
 * Calls that read or write a page of their caller which nobody provides, as FUSE or
 * userfaultfd() make possible. Such a call waits for ever unless the test provides the page.
 */
#ifndef XETILE_WITHHELD_H
#define XETILE_WITHHELD_H

#include <sys/types.h>

#include "xetile_igt.h"

/* The call, and the part of its memory that is withheld */
enum withheld_kind {
	WITHHELD_STRUCT,	/* the argument itself */
	WITHHELD_ANSWER,	/* of QUERY */
	WITHHELD_COLOR,		/* of BO_CREATE: the runs */
	WITHHELD_RUNS,		/* of BO_INFO */
	WITHHELD_BINDS,		/* of VM_BIND */
	WITHHELD_SYNCS,		/* of EXEC */
	WITHHELD_SYNCOBJS,	/* of a call of the DRM core */
	WITHHELD_KINDS
};

/* A process that waits in such a call */
struct withheld {
	pid_t pid;
	int let_go;
};

/*
 * Starts a process that makes a call on a new DRM file of the card of @fd; returns when the
 * process waits in the call. The process ends with its parent. Skips the test when the kernel
 * has no userfaultfd.
 */
void withheld_start(struct withheld *w, int fd, enum withheld_kind kind);
/* Provides the memory. Returns what the call has returned: 0 or -errno. */
int withheld_end(struct withheld *w);

#endif
