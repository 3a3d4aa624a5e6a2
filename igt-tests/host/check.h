/* SPDX-License-Identifier: MIT */
/* How a host unit test counts and tells. */
#ifndef HOST_CHECK_H
#define HOST_CHECK_H

#include <stdio.h>
#include <stdlib.h>

static unsigned int failed, passed;

#define CHECK(cond, ...) do {							\
	if (cond) {								\
		passed++;							\
	} else {								\
		failed++;							\
		fprintf(stderr, "%s:%d: %s: ", __FILE__, __LINE__, #cond);	\
		fprintf(stderr, __VA_ARGS__);					\
		fprintf(stderr, "\n");						\
	}									\
} while (0)

static inline int check_end(void)
{
	printf("%u passed, %u failed\n", passed, failed);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

#endif
