/* SPDX-License-Identifier: MIT */
/* Start and run loop of a hardware thread. */
#ifndef EU_THREAD_H
#define EU_THREAD_H

#include "eu/state/eu_state.h"

void eu_thread_start(struct eu_thread *t, struct eu_group *g, unsigned int number);
void eu_thread_run(struct eu_thread *t);

#endif
