// SPDX-License-Identifier: MIT
/* Sends bytes with descriptors, as a vfio-user client does (test.h). */
#include <string.h>
#include <sys/socket.h>

#include "tests/test.h"

bool test_send(int sock, const void *data, size_t len, const int *fds, size_t n, int flags)
{
	union {
		struct cmsghdr align;
		char buf[CMSG_SPACE(16 * sizeof(int))];
	} control;
	struct iovec iov = { (void *)data, len };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };

	if (n) {
		struct cmsghdr *cm;

		memset(&control, 0, sizeof(control));
		msg.msg_control = control.buf;
		msg.msg_controllen = CMSG_SPACE(n * sizeof(int));
		cm = CMSG_FIRSTHDR(&msg);
		cm->cmsg_level = SOL_SOCKET;
		cm->cmsg_type = SCM_RIGHTS;
		cm->cmsg_len = CMSG_LEN(n * sizeof(int));
		memcpy(CMSG_DATA(cm), fds, n * sizeof(int));
	}
	return sendmsg(sock, &msg, MSG_NOSIGNAL | flags) == (ssize_t)len;
}
