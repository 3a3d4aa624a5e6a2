/* SPDX-License-Identifier: MIT */
/* DOC: a test's process, in a session of its own, and the text on both its outputs. */
#ifndef RUNNER_PROCESS_H
#define RUNNER_PROCESS_H

#include <sys/types.h>

#include "text.h"

#define PROCESS_MAX	256	/* processes that the runner can have at once */

struct process {
	pid_t pid;
	int output;
};

/*
 * Forks a process that ends with the runner when a signal ends that: alone, or with its group
 * if @group, of which it is the leader, in a session of its own.
 *
 * Return: as fork().
 */
pid_t process_fork(bool group);
/* A process of process_fork() was reaped. */
void process_gone(pid_t pid);

/* Starts a process, in the root @root if that is not NULL. */
void process_start(struct process *p, const char *root, char *const argv[]);

/*
 * Reads the process's output until nobody is left who could write to it, and waits for the
 * process's end. @enough is called about every @look seconds, with whether some output came since
 * the last call; it returns whether the process is given up.
 *
 * Return: whether the process came to its end.
 */
bool process_read(struct process *p, double look, void (*piece)(void *ctx, const char *s, size_t n),
		  bool (*enough)(void *ctx, bool heard), void *ctx);

/* Waits for the process. Return: its status, or 128 and the signal's number. */
int process_wait(struct process *p);
/* Ends the process and its group. Return: whether it ended: the kernel may hold a process. */
bool process_end(struct process *p);
/* Adds a line for each thread of the process's session, and where in the kernel it waits. */
void process_where(const struct process *p, struct text *to);

#endif
