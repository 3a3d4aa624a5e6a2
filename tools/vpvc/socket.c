// SPDX-License-Identifier: MIT
/* Listening UNIX sockets, for vfio-user (main.c) and for control.c. */
#define _GNU_SOURCE
#include "socket.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

/* Remove a socket file on which nobody listens: a process that died left it behind. */
static void remove_stale(const struct sockaddr_un *sa)
{
	struct stat st;
	int fd;

	if (lstat(sa->sun_path, &st) || !S_ISSOCK(st.st_mode))
		return;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return;
	if (connect(fd, (const struct sockaddr *)sa, sizeof(*sa)) && errno == ECONNREFUSED)
		unlink(sa->sun_path);
	close(fd);
}

int socket_listen(const char *path)
{
	struct sockaddr_un sa = { .sun_family = AF_UNIX };
	int fd, err;

	if (strlen(path) >= sizeof(sa.sun_path))
		return -ENAMETOOLONG;
	memcpy(sa.sun_path, path, strlen(path));
	remove_stale(&sa);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -errno;
	if (bind(fd, (struct sockaddr *)&sa, sizeof(sa)) || listen(fd, 8)) {
		err = -errno;
		close(fd);
		return err;
	}
	return fd;
}
