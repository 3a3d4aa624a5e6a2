/* SPDX-License-Identifier: MIT */
/*
 * Calls that wait for memory of their caller's which nobody provides, as FUSE or
 * userfaultfd() can have it: for ever, unless they are let go.
 */
#ifndef XETILE_WITHHELD_H
#define XETILE_WITHHELD_H

#include <sys/types.h>

#include "xetile_igt.h"

/* Which of a call's memory it is */
enum withheld_kind {
	WITHHELD_STRUCT,	/* the argument itself */
	WITHHELD_ANSWER,	/* of QUERY */
	WITHHELD_COLOR,		/* of BO_CREATE: the runs */
	WITHHELD_RUNS,		/* of BO_INFO */
	WITHHELD_BINDS,		/* of VM_BIND */
	WITHHELD_SYNCS,		/* of EXEC */
	WITHHELD_SYNCOBJS,	/* of a call of the DRM core's */
	WITHHELD_KINDS
};

/* A process within such a call */
struct withheld {
	pid_t pid;
	int let_go;
};

/* On a new file of its own; returns when it waits. It ends with its parent. */
void withheld_start(struct withheld *w, int fd, enum withheld_kind kind);
/* The memory is provided; what the call returns: 0 or -errno */
int withheld_end(struct withheld *w);

#endif
