/* SPDX-License-Identifier: MIT */
/* Privileges that a process has at one time and not at another */
#ifndef XETILE_PRIVILEGE_H
#define XETILE_PRIVILEGE_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * Makes root's process one of @user, whose privileges are @capability at most, and none until
 * privilege_use().
 */
void privilege_keep(uid_t user, int capability);
/* Uses a privilege that the process may have, or does without it from here on. */
void privilege_use(int capability, bool use);
/* Makes root's process one of @user, for good and without privileges unless @user is root. */
void privilege_become(uid_t user);
/* Opens the render node of @fd's card as the calling user. */
int privilege_open_render(int fd);

#endif
