/* SPDX-License-Identifier: MIT */
/* DOC: a test's process, in a session of its own, and what it says on both its outputs. */
#ifndef RUNNER_PROCESS_H
#define RUNNER_PROCESS_H

#include <sys/types.h>

#include "text.h"

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

/* Starts it, in the root @root if that is not NULL. */
void process_start(struct process *p, const char *root, char *const argv[]);

/*
 * Reads what it says until all who could say more are gone, and waits for its end.  Whenever
 * nothing came for @look seconds, and at least once in each such time, @enough is asked whether
 * to give it up, with whether something came since it was asked last.
 *
 * Return: whether it came to its end.
 */
bool process_read(struct process *p, double look, void (*piece)(void *ctx, const char *s, size_t n),
		  bool (*enough)(void *ctx, bool heard), void *ctx);

/* Waits for it. Return: its status, or 128 and the signal's number. */
int process_wait(struct process *p);
/* Ends it and its session; one that the kernel holds is left behind. Return: whether it went. */
bool process_end(struct process *p);
/* Where in the kernel its session's threads wait. */
void process_where(const struct process *p, struct text *to);

#endif
