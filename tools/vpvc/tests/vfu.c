// SPDX-License-Identifier: MIT
/*
 * The vfio-user server with a small client: QEMU's start sequence, region accesses, and
 * messages that no correct client sends.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/pci_regs.h>
#include <linux/vfio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bus/dma.h"
#include "card.h"
#include "core/irq.h"
#include "core/regs.h"
#include "pvc_gt_regs.h"
#include "pvc_irq_regs.h"
#include "pvc_soc_regs.h"
#include "tests/test.h"
#include "vfu.h"
#include "vfu_proto.h"

struct client {
	struct card *c;
	struct vfu *v;
	int fd;
	uint16_t id;
	struct vfu_header h;		/* of the last reply */
	uint8_t body[65536];
	int got_fd;			/* that came with it */
};

static struct client *start(unsigned int tiles)
{
	struct client *k = calloc(1, sizeof(*k));
	int s[2];

	k->c = test_card(tiles, 0);
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, s))
		abort();
	k->v = vfu_create(k->c, s[0]);
	k->fd = s[1];
	k->got_fd = -1;
	return k;
}

static void finish(struct client *k)
{
	vfu_destroy(k->v);
	close(k->fd);
	if (k->got_fd >= 0)
		close(k->got_fd);
	test_card_free(k->c);
	free(k);
}

static void send_raw(struct client *k, const void *data, size_t len, const int *fds, size_t n)
{
	if (!test_send(k->fd, data, len, fds, n, 0))
		perror("sendmsg");
}

static void send_command(struct client *k, uint16_t command, uint32_t flags, const void *body,
			 size_t len, const int *fds, size_t n)
{
	struct vfu_header h = { ++k->id, command, (uint32_t)(sizeof(h) + len), flags, 0 };
	uint8_t *buf = malloc(sizeof(h) + len);

	memcpy(buf, &h, sizeof(h));
	if (len)
		memcpy(buf + sizeof(h), body, len);
	send_raw(k, buf, sizeof(h) + len, fds, n);
	free(buf);
}

/* Receive a reply; returns the length of its body, or -1. */
static ssize_t receive_reply(struct client *k)
{
	union {
		struct cmsghdr align;
		char buf[CMSG_SPACE(16 * sizeof(int))];
	} control;
	struct iovec iov[2] = { { &k->h, sizeof(k->h) }, { k->body, sizeof(k->body) } };
	struct msghdr msg = {
		.msg_iov = iov, .msg_iovlen = 2,
		.msg_control = control.buf, .msg_controllen = sizeof(control.buf),
	};
	struct cmsghdr *cm;
	ssize_t n = recvmsg(k->fd, &msg, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);

	if (n < (ssize_t)sizeof(k->h))
		return -1;
	if (k->got_fd >= 0)
		close(k->got_fd);
	k->got_fd = -1;
	cm = CMSG_FIRSTHDR(&msg);
	if (cm && cm->cmsg_type == SCM_RIGHTS)
		memcpy(&k->got_fd, CMSG_DATA(cm), sizeof(int));
	CHECK_EQ(k->h.size, n);
	CHECK_EQ(k->h.id, k->id);
	CHECK_EQ(k->h.flags & VFU_TYPE_MASK, VFU_TYPE_REPLY);
	return n - (ssize_t)sizeof(k->h);
}

/*
 * Send, serve, receive.  Returns the length of the body, -errno for an error reply, -1000
 * if the connection is over.
 */
static ssize_t ask(struct client *k, uint16_t command, const void *body, size_t len, int fd)
{
	ssize_t n;

	send_command(k, command, 0, body, len, &fd, fd >= 0);
	if (!vfu_serve(k->v))
		return -1000;
	n = receive_reply(k);
	if (n < 0)
		return -1000;
	CHECK_EQ(k->h.command, command);
	if (k->h.flags & VFU_ERROR) {
		CHECK(k->h.error != 0);
		return -(ssize_t)k->h.error;
	}
	return n;
}

static const char version[] =
	"\0\0\0\0{\"capabilities\":{\"pgsizes\":4096,\"max_msg_fds\":16}}";

static struct client *start_negotiated(unsigned int tiles)
{
	struct client *k = start(tiles);

	CHECK(ask(k, VFU_VERSION, version, sizeof(version), -1) > 4);
	return k;
}

static ssize_t region_write(struct client *k, uint32_t region, uint64_t off, const void *data,
			    uint32_t n)
{
	uint8_t buf[sizeof(struct vfu_region_access) + 4096];
	struct vfu_region_access a = { off, region, n };

	memcpy(buf, &a, sizeof(a));
	memcpy(buf + sizeof(a), data, n);
	return ask(k, VFU_REGION_WRITE, buf, sizeof(a) + n, -1);
}

static ssize_t region_read(struct client *k, uint32_t region, uint64_t off, void *data, uint32_t n)
{
	struct vfu_region_access a = { off, region, n };
	ssize_t got = ask(k, VFU_REGION_READ, &a, sizeof(a), -1);

	if (got < 0)
		return got;
	CHECK_EQ(got, sizeof(a) + n);
	memcpy(data, k->body + sizeof(a), n);
	return n;
}

static uint32_t read32(struct client *k, uint32_t region, uint64_t off)
{
	uint32_t v = 0;

	CHECK_EQ(region_read(k, region, off, &v, 4), 4);
	return v;
}

TEST(vfu_handshake)
{
	struct client *k = start(1);

	CHECK(ask(k, VFU_VERSION, version, sizeof(version), -1) > 4);
	CHECK_EQ(k->body[0] | k->body[1] | k->body[2] | k->body[3], 0);
	CHECK(strstr((char *)k->body + 4, "max_data_xfer_size"));
	CHECK_EQ(k->body[k->h.size - sizeof(k->h) - 1], 0);
	/* once only */
	CHECK_EQ(ask(k, VFU_VERSION, version, sizeof(version), -1), -1000);
	finish(k);

	k = start(1);
	CHECK_EQ(ask(k, VFU_VERSION, "\1\0\0\0{}", 7, -1), -EINVAL);
	finish(k);

	/* anything before it */
	k = start(1);
	CHECK_EQ(ask(k, VFU_DEVICE_RESET, NULL, 0, -1), -1000);
	finish(k);
}

TEST(vfu_device_and_irq_info)
{
	struct client *k = start_negotiated(1);
	struct vfu_device_info d = { sizeof(d), 0, 0, 0 };
	struct vfu_irq_info i = { sizeof(i), 0, 0, 0 };

	CHECK_EQ(ask(k, VFU_GET_INFO, &d, sizeof(d), -1), sizeof(d));
	memcpy(&d, k->body, sizeof(d));
	CHECK_EQ(d.flags, VFIO_DEVICE_FLAGS_PCI | VFIO_DEVICE_FLAGS_RESET);
	CHECK_EQ(d.num_regions, 9);
	CHECK_EQ(d.num_irqs, 5);
	for (i.index = 0; i.index < 5; i.index++) {
		static const uint32_t want[] = { 0, 1, 0, 1, 1 };
		struct vfu_irq_info r;

		CHECK_EQ(ask(k, VFU_GET_IRQ_INFO, &i, sizeof(i), -1), sizeof(i));
		memcpy(&r, k->body, sizeof(r));
		CHECK_EQ(r.count, want[i.index]);
	}
	i.index = 5;
	CHECK_EQ(ask(k, VFU_GET_IRQ_INFO, &i, sizeof(i), -1), -EINVAL);
	i = (struct vfu_irq_info) { 4, 0, 0, 0 };
	CHECK_EQ(ask(k, VFU_GET_IRQ_INFO, &i, sizeof(i), -1), -EINVAL);
	/* commands that the server does not offer */
	CHECK_EQ(ask(k, VFU_GET_REGION_IO_FDS, NULL, 0, -1), -ENOSYS);
	CHECK_EQ(ask(k, 99, NULL, 0, -1), -ENOSYS);
	finish(k);
}

TEST(vfu_region_info)
{
	struct client *k = start_negotiated(2);
	struct vfu_region_info r = { .argsz = sizeof(r) }, got;
	struct vfu_sparse_cap cap;
	struct vfu_sparse_area area[2];
	const size_t full = sizeof(r) + sizeof(cap) + sizeof(area);
	struct stat st;
	uint64_t *p;

	/* BAR0: short answer first, then with the areas */
	CHECK_EQ(ask(k, VFU_GET_REGION_INFO, &r, sizeof(r), -1), sizeof(r));
	memcpy(&got, k->body, sizeof(got));
	CHECK_EQ(got.argsz, full);
	CHECK_EQ(got.size, 32 << 20);
	CHECK_EQ(got.cap_offset, 32);
	CHECK_EQ(got.flags, VFIO_REGION_INFO_FLAG_READ | VFIO_REGION_INFO_FLAG_WRITE |
		 VFIO_REGION_INFO_FLAG_MMAP | VFIO_REGION_INFO_FLAG_CAPS);
	r.argsz = got.argsz;
	CHECK_EQ(ask(k, VFU_GET_REGION_INFO, &r, sizeof(r), -1), full);
	memcpy(&cap, k->body + 32, sizeof(cap));
	memcpy(area, k->body + 32 + sizeof(cap), sizeof(area));
	CHECK_EQ(cap.id, VFIO_REGION_INFO_CAP_SPARSE_MMAP);
	CHECK_EQ(cap.next, 0);
	CHECK_EQ(cap.num_areas, 2);
	CHECK_EQ(area[0].offset, 8 << 20);
	CHECK_EQ(area[1].offset, 24 << 20);
	CHECK_EQ(area[1].size, 8 << 20);
	/* the client's mapping is the memory that the card's walks read */
	REQUIRE(k->got_fd >= 0);
	p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, k->got_fd, 24 << 20);
	REQUIRE(p != MAP_FAILED);
	p[3] = 0x1234;
	CHECK_EQ(k->c->tiles[1].ggtt[3], 0x1234);
	munmap(p, 4096);

	r = (struct vfu_region_info) { .argsz = sizeof(r), .index = 2 };
	CHECK_EQ(ask(k, VFU_GET_REGION_INFO, &r, sizeof(r), -1), sizeof(r));
	memcpy(&got, k->body, sizeof(got));
	CHECK_EQ(got.size, 2ull << 30);
	CHECK(k->got_fd >= 0 && !fstat(k->got_fd, &st));
	CHECK_EQ(st.st_size, 2ull << 30);

	r.index = 7;
	CHECK_EQ(ask(k, VFU_GET_REGION_INFO, &r, sizeof(r), -1), sizeof(r));
	memcpy(&got, k->body, sizeof(got));
	CHECK_EQ(got.size, 4096);
	CHECK(k->got_fd < 0);
	r.index = 1;
	CHECK_EQ(ask(k, VFU_GET_REGION_INFO, &r, sizeof(r), -1), sizeof(r));
	memcpy(&got, k->body, sizeof(got));
	CHECK_EQ(got.size | got.flags, 0);
	r.index = 9;
	CHECK_EQ(ask(k, VFU_GET_REGION_INFO, &r, sizeof(r), -1), -EINVAL);
	finish(k);
}

TEST(vfu_register_access)
{
	struct client *k = start_negotiated(2);
	const uint64_t tile1 = 0x1000000;
	uint64_t q = 0x1122334455667788;
	uint8_t b = 0;

	CHECK_EQ(read32(k, 0, PVC_MTCFG), 0x100);
	CHECK_EQ(read32(k, 0, tile1 + PVC_MTCFG), 0x101);
	/* a qword is two registers */
	CHECK_EQ(region_write(k, 0, 0x123450, &q, 8), 16);
	CHECK_EQ(read32(k, 0, 0x123454), 0x11223344);
	q = 0;
	CHECK_EQ(region_read(k, 0, 0x123450, &q, 8), 8);
	CHECK_EQ(q, 0x1122334455667788);
	/* pieces of a register */
	CHECK_EQ(region_read(k, 0, 0x123452, &b, 1), 1);
	CHECK_EQ(b, 0x66);
	b = 0xaa;
	CHECK_EQ(region_write(k, 0, 0x123451, &b, 1), 16);
	CHECK_EQ(read32(k, 0, 0x123450), 0x5566aa88);
	/* GGTT by message, and across the border of doorbells, which ignore writes, and GGTT */
	q = 0xabcdef;
	CHECK_EQ(region_write(k, 0, tile1 + 0x800010, &q, 8), 16);
	CHECK_EQ(k->c->tiles[1].ggtt[2], 0xabcdef);
	q <<= 32;
	CHECK_EQ(region_write(k, 0, 0x7ffffc, &q, 8), 16);
	CHECK_EQ((uint32_t)k->c->tiles[0].ggtt[0], 0xabcdef);
	q >>= 32;
	/* HBM by message */
	CHECK_EQ(region_write(k, 2, (1ull << 30) + 8, &q, 8), 16);
	CHECK_EQ(*(uint64_t *)(k->c->hbm + (1ull << 30) + 8), 0xabcdef);
	/* ends of the regions */
	CHECK_EQ(region_write(k, 0, 0x2000000 - 8, &q, 8), 16);
	CHECK_EQ(region_write(k, 0, 0x2000000 - 4, &q, 8), -EINVAL);
	CHECK_EQ(region_write(k, 0, ~0ull - 3, &q, 8), -EINVAL);
	CHECK_EQ(region_read(k, 2, 2ull << 30, &q, 1), -EINVAL);
	CHECK_EQ(region_read(k, 1, 0, &q, 4), -EINVAL);
	CHECK_EQ(region_read(k, 77, 0, &q, 4), -EINVAL);
	finish(k);
}

TEST(vfu_posted_write)
{
	struct client *k = start_negotiated(1);
	struct { struct vfu_region_access a; uint32_t v; } __attribute__((packed)) w = {
		{ 0x123450, 0, 4 }, 42,
	};

	send_command(k, VFU_REGION_WRITE, VFU_NO_REPLY, &w, sizeof(w), NULL, 0);
	CHECK(vfu_serve(k->v));
	CHECK_EQ(receive_reply(k), -1);
	CHECK_EQ(reg_read(&k->c->tiles[0], 0x123450), 42);
	finish(k);
}

TEST(vfu_message_in_pieces)
{
	struct client *k = start(1);
	struct vfu_header h = { 1, VFU_VERSION, sizeof(h) + sizeof(version), 0, 0 };
	uint8_t buf[sizeof(h) + sizeof(version)];

	memcpy(buf, &h, sizeof(h));
	memcpy(buf + sizeof(h), version, sizeof(version));
	for (size_t i = 0; i < sizeof(buf); i++) {
		CHECK_EQ(receive_reply(k), -1);
		send_raw(k, buf + i, 1, NULL, 0);
		CHECK(vfu_serve(k->v));
	}
	k->id = 1;
	CHECK(receive_reply(k) > 4);
	finish(k);
}

TEST(vfu_dma)
{
	struct client *k = start_negotiated(1);
	struct vfu_dma_map m = { sizeof(m), 3, 0, 0x100000, 0x10000 };
	struct vfu_dma_unmap u = { sizeof(u), 0, 0x100000, 0x10000 };
	int fd = memfd_create("ram", MFD_CLOEXEC);

	CHECK_EQ(ftruncate(fd, 0x10000), 0);
	CHECK_EQ(ask(k, VFU_DMA_MAP, &m, sizeof(m), fd), 0);
	CHECK_EQ(ask(k, VFU_DMA_MAP, &m, sizeof(m), fd), -EEXIST);
	m.addr = 0x200000;
	m.flags = 8;
	CHECK_EQ(ask(k, VFU_DMA_MAP, &m, sizeof(m), fd), -EINVAL);
	m.flags = 1;
	m.offset = 0x1000;
	CHECK_EQ(ask(k, VFU_DMA_MAP, &m, sizeof(m), fd), -EINVAL);
	m.offset = 0;
	CHECK_EQ(ask(k, VFU_DMA_MAP, &m, sizeof(m), -1), 0);
	CHECK_EQ(ask(k, VFU_DMA_UNMAP, &u, sizeof(u), -1), sizeof(u));
	/* an unmap of an empty range is no error */
	CHECK_EQ(ask(k, VFU_DMA_UNMAP, &u, sizeof(u), -1), sizeof(u));
	u.addr = 0x201000;
	CHECK_EQ(ask(k, VFU_DMA_UNMAP, &u, sizeof(u), -1), -EINVAL);
	u.flags = VFU_UNMAP_ALL;
	CHECK_EQ(ask(k, VFU_DMA_UNMAP, &u, sizeof(u), -1), -EINVAL);
	u.addr = u.size = 0;
	CHECK_EQ(ask(k, VFU_DMA_UNMAP, &u, sizeof(u), -1), sizeof(u));
	CHECK_EQ(ask(k, VFU_DMA_MAP, &m, sizeof(m), -1), 0);
	close(fd);
	finish(k);
}

/* Another card's BAR2 comes without a file, and so does the card's own. */
TEST(vfu_peer)
{
	struct client *k = start_negotiated(1);
	struct vfu_dma_map m = { sizeof(m), 3, 0, 0x4000000000, 1ull << 20 };
	int fd = memfd_create("hbm", MFD_CLOEXEC);
	uint64_t bar2 = 0x5000000000;
	char name[64];
	uint8_t *p;

	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	k->c->opt.peer = name;
	CHECK_EQ(ftruncate(fd, (off_t)m.size), 0);
	CHECK_EQ(pwrite(fd, "peer", 4, 0x3000), 4);
	CHECK_EQ(region_write(k, VFIO_PCI_CONFIG_REGION_INDEX, PCI_BASE_ADDRESS_2, &bar2, 8), 16);
	dma_set_bus_master(k->c, true);
	CHECK_EQ(ask(k, VFU_DMA_MAP, &m, sizeof(m), -1), 0);
	m.addr = bar2;
	CHECK_EQ(ask(k, VFU_DMA_MAP, &m, sizeof(m), -1), 0);
	m.addr = 0x6000000000;
	m.size /= 2;
	CHECK_EQ(ask(k, VFU_DMA_MAP, &m, sizeof(m), -1), 0);

	card_mem_lock(k->c);
	p = card_dma_map(k->c, 0x4000003000, 4, true);
	CHECK(p && !memcmp(p, "peer", 4));
	CHECK(!card_dma_map(k->c, bar2, 4, false));
	CHECK(!card_dma_map(k->c, m.addr, 4, false));
	card_mem_unlock(k->c);
	close(fd);
	finish(k);
}

TEST(vfu_interrupt)
{
	struct client *k = start_negotiated(1);
	struct vfu_irq_set s = { sizeof(s), 0x24, 1, 0, 1 };
	int fd = eventfd(0, EFD_NONBLOCK);
	const uint16_t command = 6;
	uint64_t n;

	CHECK_EQ(region_write(k, 7, 4, &command, 2), 16);
	CHECK_EQ(ask(k, VFU_SET_IRQS, &s, sizeof(s), fd), 0);
	test_irq_enable(k->c);
	irq_raise(&k->c->tiles[0], PVC_CLASS_BCS, 8, PVC_VEC_USER);
	CHECK_EQ(read(fd, &n, 8), 8);
	CHECK_EQ(n, 1);
	/* error interrupt: taken, never used */
	s.index = 3;
	CHECK_EQ(ask(k, VFU_SET_IRQS, &s, sizeof(s), fd), 0);
	/* off */
	s = (struct vfu_irq_set) { sizeof(s), 0x21, 1, 0, 0 };
	CHECK_EQ(ask(k, VFU_SET_IRQS, &s, sizeof(s), -1), 0);
	mmio_write(&k->c->tiles[0], PVC_MSTR_TILE_INTR, 0);
	mmio_write(&k->c->tiles[0], PVC_MSTR_TILE_INTR, PVC_MSTR_IRQ_ENABLE);
	CHECK_EQ(read(fd, &n, 8), -1);
	/* refusals */
	s = (struct vfu_irq_set) { sizeof(s), 0x24, 1, 1, 1 };
	CHECK_EQ(ask(k, VFU_SET_IRQS, &s, sizeof(s), fd), -EINVAL);
	s = (struct vfu_irq_set) { sizeof(s), 0x24, 2, 0, 1 };
	CHECK_EQ(ask(k, VFU_SET_IRQS, &s, sizeof(s), fd), -EINVAL);
	s = (struct vfu_irq_set) { sizeof(s), 0x24, 1, ~0u, 1 };
	CHECK_EQ(ask(k, VFU_SET_IRQS, &s, sizeof(s), fd), -EINVAL);
	s = (struct vfu_irq_set) { sizeof(s), 0x09, 1, 0, 1 };
	CHECK_EQ(ask(k, VFU_SET_IRQS, &s, sizeof(s), -1), -EINVAL);
	close(fd);
	finish(k);
}

TEST(vfu_reset)
{
	struct client *k = start_negotiated(1);
	const uint32_t v = 7;

	CHECK_EQ(region_write(k, 0, 0x123450, &v, 4), 16);
	CHECK_EQ(region_write(k, 7, 4, &v, 2), 16);
	CHECK_EQ(ask(k, VFU_DEVICE_RESET, NULL, 0, -1), 0);
	CHECK_EQ(read32(k, 0, 0x123450), 0);
	CHECK_EQ(read32(k, 7, 4) & 0xffff, 0);
	finish(k);
}

TEST(vfu_connection_end)
{
	struct client *k = start_negotiated(1);

	shutdown(k->fd, SHUT_RDWR);
	CHECK(!vfu_serve(k->v));
	finish(k);
}

/* Each of these ends the connection, and nothing else. */
TEST(vfu_malformed)
{
	static const struct {
		uint16_t command;
		uint32_t size, flags;
		size_t body;
		unsigned int fds;
	} bad[] = {
		{ VFU_GET_INFO, 15, 0, 0, 0 },			/* shorter than its header */
		{ VFU_GET_INFO, 0, 0, 0, 0 },
		{ VFU_GET_INFO, 0xffffffff, 0, 0, 0 },
		{ VFU_REGION_WRITE, 33 + (1 << 20), 0, 0, 0 },	/* larger than allowed */
		{ VFU_GET_INFO, 32, 1, 16, 0 },			/* a reply */
		{ VFU_GET_INFO, 32, 7, 16, 0 },
		{ VFU_GET_INFO, 24, 0, 8, 0 },			/* cut short */
		{ VFU_GET_REGION_INFO, 40, 0, 24, 0 },
		{ VFU_GET_IRQ_INFO, 20, 0, 4, 0 },
		{ VFU_SET_IRQS, 32, 0, 16, 0 },
		{ VFU_DMA_MAP, 40, 0, 24, 0 },
		{ VFU_DMA_MAP, 56, 0, 40, 0 },
		{ VFU_DMA_UNMAP, 32, 0, 16, 0 },
		{ VFU_REGION_READ, 24, 0, 8, 0 },
		{ VFU_REGION_READ, 36, 0, 20, 0 },
		{ VFU_REGION_WRITE, 24, 0, 8, 0 },
		{ VFU_REGION_WRITE, 48, 0, 32, 0 },		/* count says 0 */
		{ VFU_DEVICE_RESET, 20, 0, 4, 0 },
		{ VFU_DEVICE_RESET, 16, 0, 0, 1 },		/* uninvited descriptors */
		{ VFU_REGION_READ, 32, 0, 16, 3 },
		{ VFU_DMA_MAP, 48, 0, 32, 2 },
		{ VFU_SET_IRQS, 36, 0, 20, 2 },
		{ VFU_GET_INFO, 32, 0, 16, 9 },			/* more than announced */
		{ VFU_GET_INFO, 32, 0, 16, 16 },
	};

	for (unsigned int i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct client *k = start_negotiated(1);
		uint8_t buf[128] = { 0 };
		struct vfu_header h = { 9, bad[i].command, bad[i].size, bad[i].flags, 0 };
		int fds[16], spare = open("/dev/null", O_RDONLY | O_CLOEXEC), after;

		for (unsigned int n = 0; n < 16; n++)
			fds[n] = spare;
		memcpy(buf, &h, sizeof(h));
		send_raw(k, buf, sizeof(h) + bad[i].body, fds, bad[i].fds);
		if (vfu_serve(k->v))
			test_fail(__FILE__, __LINE__, "malformed message %u accepted", i);
		close(spare);
		finish(k);
		/* no descriptor stayed open */
		after = open("/dev/null", O_RDONLY | O_CLOEXEC);
		if (after > spare)
			test_fail(__FILE__, __LINE__, "message %u leaks descriptors", i);
		close(after);
	}
}

/* Random bytes end the connection at most, and the card still works. */
TEST(vfu_noise)
{
	unsigned int seed = 1;

	for (unsigned int round = 0; round < 20; round++) {
		struct client *k = start_negotiated(1);

		for (unsigned int m = 0; m < 200; m++) {
			uint8_t body[64];
			uint16_t command = (uint16_t)(rand_r(&seed) % 20);
			size_t len = (size_t)rand_r(&seed) % sizeof(body);

			for (size_t i = 0; i < len; i++)
				body[i] = (uint8_t)(rand_r(&seed) % 3 ? 0 : rand_r(&seed));
			send_command(k, command, 0, body, len, NULL, 0);
			if (!vfu_serve(k->v))
				break;
			while (receive_reply(k) >= 0)
				;
		}
		CHECK_EQ(reg_read(&k->c->tiles[0], PVC_MTCFG), 0);
		finish(k);
	}
}
