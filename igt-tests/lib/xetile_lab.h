/* SPDX-License-Identifier: MIT */
/*
 * What only a card can be asked that is a program (tools/vpvc): to fail. On any
 * other card what needs it is skipped.
 */
#ifndef XETILE_LAB_H
#define XETILE_LAB_H

#include "xetile_igt.h"

/* Skips unless the card takes orders. */
void lab_require_card(void);
/* The same by root, and the card without a fault, opened */
int lab_open(void);
/* Says a line to it; asserts that it was understood. The answer is the caller's. */
char *lab_ask(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void lab_inject(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Every fault taken back. */
void lab_heal(void);
/* A number of an answer, by the key before it. */
uint64_t lab_number(const char *answer, const char *key);
/* A counter of an engine, which is called as a job has it: "tile0.ccs0" */
uint64_t lab_counter(const char *engine, const char *name);
/* How many engines of the card are "idle", "active", or "stopped" until they are reset. */
unsigned int lab_engines(const char *state);
/* How often faults have struck since the counters were reset. */
uint64_t lab_injected(void);
/*
 * What the kernel says from here on; closes it: a line of the driver must hold @text, or
 * there must be none.
 */
int lab_log_open(void);
void lab_log_close(int log, const char *text);
/* The same for a page fault on a write to @addr */
void lab_log_close_fault(int log, uint64_t addr);
/* Whether anybody's line since the last time holds @text */
bool lab_log_says(int log, const char *text);
/* Closes it: the driver told of no error. */
void lab_log_no_error(int log);
/* Closes it; lines of errors since, and how long it took from the first to the last */
unsigned int lab_log_errors(int log, unsigned long long *us);
/* What the kernel tells the machine's services of its devices, from here on */
int lab_events_open(void);
/* Whether an event since the last time has @text, as one of its strings */
bool lab_event_says(int events, const char *text);
/* The port above the card reports an error of the link. */
void lab_link_error(bool fatal);
/* Pull the card out of its slot, put it back. */
void lab_plug(bool in);
/* Press the slot's button, on which the card goes five seconds later. */
void lab_plug_press(void);

#endif
