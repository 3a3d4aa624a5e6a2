// SPDX-License-Identifier: MIT
/* A fuzz target for vfio-user messages, whole or truncated, with descriptors. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "card.h"
#include "fuzz/fuzz.h"
#include "tests/test.h"
#include "vfu.h"
#include "vfu_proto.h"

#define MAX_BODY	512u

/* Offsets and sizes of regions and structures, valid and invalid. */
uint32_t fuzz_word(uint64_t random)
{
	static const uint32_t words[] = {
		0x10, 0x14, 0x18, 0x20, 0x28, 0x800000, 0x1000000, 0xfffffc, 0x190008, 0x41c,
		0x100000, 0x200000, 0xfff000, 0x3ffffc, 7, 2, 5, 0x25, 0x24, 0x21,
	};

	return words[random % (sizeof(words) / sizeof(words[0]))];
}

/* A descriptor of some kind, or none. */
static int some_fd(unsigned int kind)
{
	int fd;

	switch (kind % 4) {
	case 0:
		return eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	case 1:
		return open("/dev/null", O_RDWR | O_CLOEXEC);
	case 2:
		fd = memfd_create("small", MFD_CLOEXEC);
		return ftruncate(fd, 5000) ? -1 : fd;
	default:
		fd = memfd_create("ram", MFD_CLOEXEC);
		return ftruncate(fd, 1 << 20) ? -1 : fd;
	}
}

/* Bytes that do not fit into the socket are dropped: the card has stopped reading. */
static void send_bytes(int sock, const void *data, size_t len, const int *fds, unsigned int n)
{
	(void)test_send(sock, data, len, fds, n, MSG_DONTWAIT);
}

/* Send a message; the input has a control byte, a length, a command and a body. */
static void send_record(int sock, struct input *in)
{
	struct {
		struct vfu_header h;
		uint8_t body[MAX_BODY];
	} m = { 0 };
	unsigned int how = take8(in), num = 0, n;
	size_t len = take16(in) % (MAX_BODY + 1);
	int fds[12];

	m.h.id = 1;
	m.h.command = take8(in) % 16;
	m.h.flags = how & 1 ? VFU_NO_REPLY : 0;
	m.h.size = (uint32_t)(sizeof(m.h) + len);
	if (how & 2)			/* a header of the input */
		take(in, &m.h, sizeof(m.h));
	take(in, m.body, len);
	n = how >> 2 & 15;
	while (num < n && num < 12) {
		int fd = some_fd(how >> 6 | num);

		if (fd < 0)
			break;
		fds[num++] = fd;
	}
	send_bytes(sock, &m, sizeof(m.h) + len, fds, num);
	while (num)
		close(fds[--num]);
}

static void drain(int sock)
{
	union {
		struct cmsghdr align;
		char buf[CMSG_SPACE(16 * sizeof(int))];
	} control;
	static uint8_t buf[1 << 16];
	ssize_t n;

	do {
		struct iovec iov = { buf, sizeof(buf) };
		struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1,
				      .msg_control = control.buf,
				      .msg_controllen = sizeof(control.buf) };

		n = recvmsg(sock, &msg, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
		for (struct cmsghdr *cm = n > 0 ? CMSG_FIRSTHDR(&msg) : NULL; cm;
		     cm = CMSG_NXTHDR(&msg, cm)) {
			size_t k = (cm->cmsg_len - CMSG_LEN(0)) / sizeof(int);
			int fd;

			for (size_t i = 0; i < k; i++) {
				memcpy(&fd, CMSG_DATA(cm) + i * sizeof(int), sizeof(int));
				close(fd);
			}
		}
	} while (n > 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char version[] = "\0\0\0\0{}";
	struct vfu_header h = { 1, VFU_VERSION, sizeof(h) + sizeof(version), 0, 0 };
	struct input in = { data, size };
	uint8_t hello[sizeof(h) + sizeof(version)];
	struct card *c = test_card(1 + take8(&in) % 2, 0);
	struct vfu *v;
	bool alive = true;
	int s[2];

	PROMISE(!socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, s));
	v = vfu_create(c, s[0]);
	PROMISE(v);
	memcpy(hello, &h, sizeof(h));
	memcpy(hello + sizeof(h), version, sizeof(version));
	if (!(take8(&in) & 0x80))
		send_bytes(s[1], hello, sizeof(hello), NULL, 0);
	for (unsigned int n = 0; in.left && n < 64 && alive; n++) {
		send_record(s[1], &in);
		alive = vfu_serve(v);
		drain(s[1]);
	}
	vfu_destroy(v);
	close(s[1]);
	test_card_free(c);
	return 0;
}
