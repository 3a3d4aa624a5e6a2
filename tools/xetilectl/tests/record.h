/* SPDX-License-Identifier: MIT */
/*
 * Samples that were recorded, as a text:
 *
 *	sample NS COMPLETE ENERGY	begins it
 *	tile T TOTAL USED MODE MHZ ENERGY
 *	client PID UID USER COMMAND	bytes as \ooo, as printf has them; its fdinfo follows, up to "."
 *	slices				what debugfs tells, up to "."
 *	queues T			what ccs_mode_holders tells, up to "."
 *
 * Lines that begin with # and empty ones are left out.
 */
#ifndef _XETILECTL_TESTS_RECORD_H_
#define _XETILECTL_TESTS_RECORD_H_

#include "sample.h"

/* Read a record; ends the program when it is none. */
void record_read(const char *path, struct sample *sample);

#endif
