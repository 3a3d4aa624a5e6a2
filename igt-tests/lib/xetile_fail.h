/* SPDX-License-Identifier: MIT */
/* Fault injection: the n-th failing place that the calling task reaches fails. */
#ifndef XETILE_FAIL_H
#define XETILE_FAIL_H

#include <stdbool.h>

/* Sets fault injection up; skips the test if the kernel has none. */
void faults_on(void);
/* Lets the n-th place from now on fail; 0: none */
void fail_nth(unsigned int n);
/* Turns failures off. Returns whether the n-th place was reached. */
bool failed(void);

#endif
