/* SPDX-License-Identifier: MIT */
/* The control socket; the host thread calls all of this. */
#ifndef VPVC_CONTROL_H
#define VPVC_CONTROL_H

#include "card.h"

struct control;
struct pollfd;

/* Listen at @path; 0 or -errno. */
int control_create(struct control **out, struct card *c, const char *path);
void control_destroy(struct control *ctl);
/* Put the descriptors to poll into @fds (room for CONTROL_FDS); serve them after poll(). */
#define CONTROL_FDS 9
unsigned int control_poll(struct control *ctl, struct pollfd *fds);
void control_serve(struct control *ctl, const struct pollfd *fds, unsigned int n);
/* Execute a command line; returns a line of JSON with its newline, malloc()ed, or NULL. */
char *control_command(struct card *c, const char *line);

#endif
