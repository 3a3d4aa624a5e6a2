/* SPDX-License-Identifier: MIT */
/* The control socket. */
#ifndef VPVC_CONTROL_H
#define VPVC_CONTROL_H

#include "card.h"

struct control;
struct pollfd;

/* Listen at @path; 0 or -errno. */
int control_create(struct control **out, struct card *c, const char *path);
void control_destroy(struct control *ctl);
/* Add what to poll for to @fds (room for CONTROL_FDS), and serve it after. */
#define CONTROL_FDS 9
unsigned int control_poll(struct control *ctl, struct pollfd *fds);
void control_serve(struct control *ctl, const struct pollfd *fds, unsigned int n);
/* One command line in, one line of JSON (with newline) out; malloc()ed. */
char *control_command(struct card *c, const char *line);

#endif
