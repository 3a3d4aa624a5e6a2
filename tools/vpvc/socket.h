/* SPDX-License-Identifier: MIT */
/* Listening UNIX sockets. */
#ifndef VPVC_SOCKET_H
#define VPVC_SOCKET_H

/* A listening UNIX stream socket at @path; a stale one is replaced. fd or -errno. */
int socket_listen(const char *path);

#endif
