/* SPDX-License-Identifier: MIT */
/* Listening UNIX sockets. */
#ifndef VPVC_SOCKET_H
#define VPVC_SOCKET_H

/* Listen at @path, replacing a stale socket file; returns a descriptor or -errno. */
int socket_listen(const char *path);

#endif
