/* SPDX-License-Identifier: MIT */
/* A warning of the kernel is a failure of a host test. */
#ifndef HOST_LINUX_BUG_H
#define HOST_LINUX_BUG_H

#include <stdio.h>
#include <stdlib.h>

#define WARN_ON(cond) ({							\
	int cond__ = !!(cond);							\
	if (cond__) {								\
		fprintf(stderr, "%s:%d: WARN_ON(%s)\n", __FILE__, __LINE__, #cond); \
		abort();							\
	}									\
	cond__;									\
})

#define WARN_ON_ONCE(cond)	WARN_ON(cond)

#endif
