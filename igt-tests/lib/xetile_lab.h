/* SPDX-License-Identifier: MIT */
/*
 * Orders to the virtual card (tools/vpvc): faults on request, counters, hotplug. Tests that need
 * them are skipped on any other card.
 */
#ifndef XETILE_LAB_H
#define XETILE_LAB_H

#include "xetile_igt.h"

/* Skips the test unless the card takes orders. */
void lab_require_card(void);
/*
 * As lab_require_card(); asserts that root runs the test, takes all faults back, and returns a
 * DRM file of the card.
 */
int lab_open(void);
/*
 * Sends a line to the card; asserts that the card answers within ten seconds, and not with an
 * error. Returns the answer, which the caller frees.
 */
char *lab_ask(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Orders a fault: "inject" and the formatted text. */
void lab_inject(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Takes all faults back. */
void lab_heal(void);
/*
 * Takes all faults back, and binds the card at @address unless it is bound. Subtests that unbind
 * the card begin with this, because the one before them may have failed in its midst.
 */
void lab_recover(const char *address);
/* Returns the first number behind @key in an answer; asserts that @key is in it. */
uint64_t lab_number(const char *answer, const char *key);
/* Returns counter @name of @engine, a name as in struct job: "tile0.ccs0". */
uint64_t lab_counter(const char *engine, const char *name);
/* Returns how many engines are in @state: "idle", "active" or "stopped" (until a reset). */
unsigned int lab_engines(const char *state);
/* Returns how often ordered faults have happened since the counters were reset. */
uint64_t lab_injected(void);
/* Returns how many interrupt messages the card has sent since the counters were reset. */
uint64_t lab_messages(void);
/* Return what a register of a tile holds, or its instance in a subslice; nothing changes. */
uint32_t lab_peek(unsigned int tile, uint32_t offset);
uint32_t lab_peek_dss(unsigned int tile, uint32_t offset, unsigned int dss);
/*
 * lab_log_open() returns a file of the kernel's log from its present end on. It waits, for five
 * seconds at most, until the driver's limit of lines has room. lab_log_close() closes the file. It
 * asserts that within a minute a line of the driver holds @text; with NULL it asserts that the
 * driver has logged nothing.
 */
int lab_log_open(void);
void lab_log_close(int log, const char *text);
/* lab_log_close() with the text of a page fault on a write to @addr */
void lab_log_close_fault(int log, uint64_t addr);
/* Returns whether a line, of the driver or of others, since the last call holds @text. */
bool lab_log_says(int log, const char *text);
/* Closes the log; asserts that the driver has logged no error. */
void lab_log_no_error(int log);
/*
 * Closes the log. Returns the number of error lines of the driver; @us becomes the microseconds
 * between the first and the last of them.
 */
unsigned int lab_log_errors(int log, unsigned long long *us);
/* Returns a socket that receives the uevents that the kernel sends from now on. */
int lab_events_open(void);
/* Returns whether a uevent since the last call has @text as one of its strings. */
bool lab_event_says(int events, const char *text);
/* Has the port above the card report a fatal or a nonfatal error of the link. */
void lab_link_error(bool fatal);
/* Puts the card into its slot (@in), or pulls it out. */
void lab_plug(bool in);
/* Presses the slot's button: the card is removed five seconds later. */
void lab_plug_press(void);

#endif
