// SPDX-License-Identifier: MIT
#include "xetile_files.h"

#include <string.h>
#include <sys/socket.h>

#include "xetile_igt.h"

/* A control message is aligned as its head is. */
union control {
	char buf[CMSG_SPACE(sizeof(int))];
	struct cmsghdr align;
};

void files_send(int socket, int number, int file)
{
	union control control = { 0 };
	struct iovec iov = { &number, sizeof(number) };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };

	if (file >= 0) {
		msg.msg_control = control.buf;
		msg.msg_controllen = sizeof(control.buf);
		*CMSG_FIRSTHDR(&msg) = (struct cmsghdr) {
			.cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS,
			.cmsg_len = CMSG_LEN(sizeof(int)),
		};
		memcpy(CMSG_DATA(CMSG_FIRSTHDR(&msg)), &file, sizeof(file));
	}
	igt_assert_eq(sendmsg(socket, &msg, 0), sizeof(number));
}

int files_receive(int socket, int *number)
{
	union control control = { 0 };
	struct iovec iov = { number, sizeof(*number) };
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1, .msg_control = control.buf,
		.msg_controllen = sizeof(control.buf),
	};
	int file = -1;

	igt_assert_eq(recvmsg(socket, &msg, MSG_CMSG_CLOEXEC), sizeof(*number));
	if (CMSG_FIRSTHDR(&msg))
		memcpy(&file, CMSG_DATA(CMSG_FIRSTHDR(&msg)), sizeof(file));
	return file;
}
