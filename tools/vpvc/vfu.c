// SPDX-License-Identifier: MIT
/*
 * The vfio-user server of one connection.  main.c calls vfu_serve() on the host thread
 * when bytes have arrived; receiving never waits, sending waits SEND_TIMEOUT_MS at most.
 *
 * A message that the protocol does not allow (size, type, file descriptors) ends the
 * connection, because nothing after it can be trusted.  A well-formed message that asks
 * for something the card lacks gets an error as its reply.
 */
#define _GNU_SOURCE
#include "vfu.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/vfio.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "bus/dma.h"
#include "bus/pci.h"
#include "bus/peer.h"
#include "card.h"
#include "card/life.h"
#include "log.h"
#include "vfu_proto.h"
#include "vfu_regions.h"

#define MAX_MESSAGE	(sizeof(struct vfu_header) + sizeof(struct vfu_region_access) + \
			 VFU_MAX_DATA)
#define SEND_TIMEOUT_MS	5000
#define MAX_BATCH	64

static const char capabilities[] =
	"{\"capabilities\":{\"max_msg_fds\":8,\"max_data_xfer_size\":1048576,"
	"\"pgsizes\":4096,\"write_multiple\":false}}";

struct vfu {
	struct card *card;
	int fd;
	bool negotiated;
	/* The message being received */
	struct vfu_header head;
	size_t got;			/* bytes so far, header included */
	int fds[VFU_MAX_FDS];
	unsigned int num_fds;
	uint8_t *body;			/* MAX_MESSAGE bytes */
	uint8_t *out;			/* MAX_MESSAGE bytes, the reply's body */
	int err_fd, req_fd;		/* held for the client, never signalled */
};

/* The result of executing a message. */
enum outcome {
	OUTCOME_REPLY,			/* success, reply has a body */
	OUTCOME_ERROR,			/* reply with an error number */
	OUTCOME_BROKEN,			/* the protocol does not allow the message */
};

struct reply {
	size_t size;			/* bytes in vfu.out */
	int error;			/* positive errno */
	int fd;				/* sent along and kept open here; -1 = none */
};

struct vfu *vfu_create(struct card *c, int fd)
{
	struct vfu *v = calloc(1, sizeof(*v));

	if (!v)
		return NULL;
	v->card = c;
	v->fd = fd;
	v->err_fd = -1;
	v->req_fd = -1;
	v->body = malloc(MAX_MESSAGE);
	v->out = malloc(MAX_MESSAGE);
	if (!v->body || !v->out || fcntl(fd, F_SETFL, O_NONBLOCK)) {
		free(v->body);
		free(v->out);
		free(v);
		return NULL;
	}
	return v;
}

int vfu_fd(const struct vfu *v)
{
	return v->fd;
}

static void drop_fds(struct vfu *v)
{
	while (v->num_fds)
		close(v->fds[--v->num_fds]);
}

/* Take the first descriptor of the message, which the caller then owns; -1 = none came. */
static int take_fd(struct vfu *v)
{
	int fd;

	if (!v->num_fds)
		return -1;
	fd = v->fds[0];
	memmove(v->fds, v->fds + 1, --v->num_fds * sizeof(*v->fds));
	return fd;
}

void vfu_destroy(struct vfu *v)
{
	if (!v)
		return;
	/* No engine may access the memory of a guest that is gone. */
	card_reset(v->card);
	dma_unmap_all(v->card);
	pci_set_msi(v->card, -1);
	drop_fds(v);
	if (v->err_fd >= 0)
		close(v->err_fd);
	if (v->req_fd >= 0)
		close(v->req_fd);
	close(v->fd);
	free(v->body);
	free(v->out);
	free(v);
}

static enum outcome fail(struct reply *r, int error)
{
	r->error = error;
	return OUTCOME_ERROR;
}

static enum outcome done(struct vfu *v, struct reply *r, const void *body, size_t size)
{
	if (size && body != v->out)
		memcpy(v->out, body, size);
	r->size = size;
	return OUTCOME_REPLY;
}

/* ---- the commands: @in and @len are the message's body ---- */

static enum outcome do_version(struct vfu *v, const uint8_t *in, size_t len, struct reply *r)
{
	struct vfu_version ver;

	if (len < sizeof(ver) || v->negotiated)
		return OUTCOME_BROKEN;
	memcpy(&ver, in, sizeof(ver));
	if (len > sizeof(ver) && in[len - 1] != '\0')
		return OUTCOME_BROKEN;
	if (ver.major != 0)
		return fail(r, EINVAL);
	v->negotiated = true;
	ver.minor = 0;
	memcpy(v->out, &ver, sizeof(ver));
	memcpy(v->out + sizeof(ver), capabilities, sizeof(capabilities));
	return done(v, r, v->out, sizeof(ver) + sizeof(capabilities));
}

static enum outcome do_dma_map(struct vfu *v, const uint8_t *in, size_t len, struct reply *r)
{
	struct vfu_dma_map m;
	int err, fd;

	if (len != sizeof(m) || v->num_fds > 1)
		return OUTCOME_BROKEN;
	memcpy(&m, in, sizeof(m));
	if (m.argsz < sizeof(m) || (m.flags & ~(VFU_DMA_READABLE | VFU_DMA_WRITABLE)))
		return fail(r, EINVAL);
	fd = v->num_fds ? take_fd(v) : peer_open(v->card, m.addr, m.size);
	err = dma_map(v->card, m.addr, m.size, m.offset, fd, m.flags & VFU_DMA_WRITABLE);
	if (err) {
		vlog("guest memory at 0x%llx, 0x%llx bytes, not mapped: %s",
		     (unsigned long long)m.addr, (unsigned long long)m.size, strerror(-err));
		return fail(r, -err);
	}
	return done(v, r, NULL, 0);
}

static enum outcome do_dma_unmap(struct vfu *v, const uint8_t *in, size_t len, struct reply *r)
{
	struct vfu_dma_unmap m;
	int err;

	/* Behind the struct a client may ask for a dirty bitmap; the flag check refuses that. */
	if (len < sizeof(m))
		return OUTCOME_BROKEN;
	memcpy(&m, in, sizeof(m));
	if (m.argsz < sizeof(m) || (m.flags & ~VFU_UNMAP_ALL))
		return fail(r, EINVAL);
	if (m.flags & VFU_UNMAP_ALL) {
		if (m.addr || m.size)
			return fail(r, EINVAL);
		dma_unmap_all(v->card);
	} else {
		err = dma_unmap(v->card, m.addr, m.size);
		if (err)
			return fail(r, -err);
	}
	return done(v, r, &m, sizeof(m));
}

static enum outcome do_get_info(struct vfu *v, const uint8_t *in, size_t len, struct reply *r)
{
	struct vfu_device_info m;

	if (len < sizeof(m))
		return OUTCOME_BROKEN;
	memcpy(&m, in, sizeof(m));
	if (m.argsz < sizeof(m))
		return fail(r, EINVAL);
	m = (struct vfu_device_info) {
		.argsz = sizeof(m),
		.flags = VFIO_DEVICE_FLAGS_PCI | VFIO_DEVICE_FLAGS_RESET,
		.num_regions = VFIO_PCI_NUM_REGIONS,
		.num_irqs = VFIO_PCI_NUM_IRQS,
	};
	return done(v, r, &m, sizeof(m));
}

static enum outcome do_get_region_info(struct vfu *v, const uint8_t *in, size_t len,
				       struct reply *r)
{
	struct card *c = v->card;
	struct vfu_region_info m;
	size_t size = sizeof(m);
	uint32_t room;

	if (len < sizeof(m))
		return OUTCOME_BROKEN;
	memcpy(&m, in, sizeof(m));
	room = m.argsz;
	if (room < sizeof(m) || m.index >= VFIO_PCI_NUM_REGIONS)
		return fail(r, EINVAL);
	m.flags = 0;
	m.cap_offset = 0;
	m.offset = 0;
	m.size = vfu_region_size(c, m.index);
	if (m.size)
		m.flags = VFIO_REGION_INFO_FLAG_READ | VFIO_REGION_INFO_FLAG_WRITE;
	/* A dead BAR0 offers no mapping of the GGTT either. */
	if (m.index == VFIO_PCI_BAR0_REGION_INDEX && !c->opt.quirk_all_ones) {
		m.flags |= VFIO_REGION_INFO_FLAG_MMAP | VFIO_REGION_INFO_FLAG_CAPS;
		/* Set in the short answer too: clients check the offset before they ask again. */
		m.cap_offset = sizeof(m);
		size += vfu_region_sparse(c, v->out + sizeof(m));
		r->fd = c->mmio_fd;
	} else if (m.index == VFIO_PCI_BAR2_REGION_INDEX) {
		m.flags |= VFIO_REGION_INFO_FLAG_MMAP;
		r->fd = c->hbm_fd;
	}
	m.argsz = (uint32_t)size;
	memcpy(v->out, &m, sizeof(m));
	return done(v, r, v->out, room < size ? sizeof(m) : size);
}

static uint32_t irq_count(uint32_t index)
{
	switch (index) {
	case VFIO_PCI_MSI_IRQ_INDEX:
	case VFIO_PCI_ERR_IRQ_INDEX:
	case VFIO_PCI_REQ_IRQ_INDEX:
		return 1;
	default:
		return 0;
	}
}

static enum outcome do_get_irq_info(struct vfu *v, const uint8_t *in, size_t len, struct reply *r)
{
	struct vfu_irq_info m;

	if (len < sizeof(m))
		return OUTCOME_BROKEN;
	memcpy(&m, in, sizeof(m));
	if (m.argsz < sizeof(m) || m.index >= VFIO_PCI_NUM_IRQS)
		return fail(r, EINVAL);
	m.argsz = sizeof(m);
	m.count = irq_count(m.index);
	m.flags = m.count ? VFIO_IRQ_INFO_EVENTFD | VFIO_IRQ_INFO_NORESIZE : 0;
	return done(v, r, &m, sizeof(m));
}

static void set_trigger(struct vfu *v, uint32_t index, int fd)
{
	int *keep = index == VFIO_PCI_ERR_IRQ_INDEX ? &v->err_fd : &v->req_fd;

	/* An engine that raises an interrupt must not block on a full eventfd counter. */
	if (fd >= 0)
		fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
	if (index == VFIO_PCI_MSI_IRQ_INDEX) {
		pci_set_msi(v->card, fd);
		return;
	}
	if (*keep >= 0)
		close(*keep);
	*keep = fd;
}

static enum outcome do_set_irqs(struct vfu *v, const uint8_t *in, size_t len, struct reply *r)
{
	struct vfu_irq_set m;
	uint32_t data, action;

	if (len < sizeof(m) || v->num_fds > 1)
		return OUTCOME_BROKEN;
	memcpy(&m, in, sizeof(m));
	data = m.flags & VFIO_IRQ_SET_DATA_TYPE_MASK;
	action = m.flags & VFIO_IRQ_SET_ACTION_TYPE_MASK;
	if (m.argsz < sizeof(m) || m.index >= VFIO_PCI_NUM_IRQS || (m.flags & ~(data | action)) ||
	    m.count > irq_count(m.index) || m.start > irq_count(m.index) - m.count)
		return fail(r, EINVAL);
	/* One vector without per-vector masking: only triggers can be set. */
	if (action != VFIO_IRQ_SET_ACTION_TRIGGER)
		return fail(r, EINVAL);

	switch (data) {
	case VFIO_IRQ_SET_DATA_EVENTFD:
		if (v->num_fds && !m.count)
			return fail(r, EINVAL);
		set_trigger(v, m.index, take_fd(v));
		break;
	case VFIO_IRQ_SET_DATA_NONE:
		if (!m.count)
			set_trigger(v, m.index, -1);
		else if (m.index == VFIO_PCI_MSI_IRQ_INDEX)
			pci_send_msi(v->card);
		break;
	case VFIO_IRQ_SET_DATA_BOOL:
		if (len != sizeof(m) + m.count)
			return OUTCOME_BROKEN;
		if (m.count && in[sizeof(m)] && m.index == VFIO_PCI_MSI_IRQ_INDEX)
			pci_send_msi(v->card);
		break;
	default:
		return fail(r, EINVAL);
	}
	return done(v, r, NULL, 0);
}

static enum outcome do_region_read(struct vfu *v, const uint8_t *in, size_t len, struct reply *r)
{
	struct vfu_region_access a;

	if (len != sizeof(a))
		return OUTCOME_BROKEN;
	memcpy(&a, in, sizeof(a));
	if (!vfu_region_fits(v->card, &a))
		return fail(r, EINVAL);
	if (vfu_region_gone(v->card, &a))
		return fail(r, ENODEV);
	memcpy(v->out, &a, sizeof(a));
	vfu_region_serve(v->card, &a, v->out + sizeof(a), false);
	return done(v, r, v->out, sizeof(a) + a.count);
}

static enum outcome do_region_write(struct vfu *v, const uint8_t *in, size_t len, struct reply *r)
{
	struct vfu_region_access a;

	if (len < sizeof(a))
		return OUTCOME_BROKEN;
	memcpy(&a, in, sizeof(a));
	if (a.count != len - sizeof(a))
		return OUTCOME_BROKEN;
	if (!vfu_region_fits(v->card, &a))
		return fail(r, EINVAL);
	if (vfu_region_gone(v->card, &a))
		return fail(r, ENODEV);
	vfu_region_serve(v->card, &a, v->body + sizeof(a), true);
	return done(v, r, &a, sizeof(a));
}

static enum outcome do_reset(struct vfu *v, const uint8_t *in, size_t len, struct reply *r)
{
	(void)in;
	if (len)
		return OUTCOME_BROKEN;
	vlog("device reset");
	card_reset(v->card);
	pci_reset(v->card);
	return done(v, r, NULL, 0);
}

static enum outcome execute(struct vfu *v, size_t len, struct reply *r)
{
	const uint8_t *in = v->body;

	if (!v->negotiated && v->head.command != VFU_VERSION)
		return OUTCOME_BROKEN;
	switch (v->head.command) {
	case VFU_VERSION:
		return do_version(v, in, len, r);
	case VFU_DMA_MAP:
		return do_dma_map(v, in, len, r);
	case VFU_DMA_UNMAP:
		return do_dma_unmap(v, in, len, r);
	case VFU_GET_INFO:
		return do_get_info(v, in, len, r);
	case VFU_GET_REGION_INFO:
		return do_get_region_info(v, in, len, r);
	case VFU_GET_IRQ_INFO:
		return do_get_irq_info(v, in, len, r);
	case VFU_SET_IRQS:
		return do_set_irqs(v, in, len, r);
	case VFU_REGION_READ:
		return do_region_read(v, in, len, r);
	case VFU_REGION_WRITE:
		return do_region_write(v, in, len, r);
	case VFU_DEVICE_RESET:
		return do_reset(v, in, len, r);
	default:
		/* Newer clients probe for commands that older servers lack. */
		vlog("unimplemented: vfio-user command %u", v->head.command);
		return fail(r, ENOSYS);
	}
}

/* ---- messages ---- */

static bool send_all(struct vfu *v, struct vfu_header *h, const void *body, size_t size, int fd)
{
	union {
		struct cmsghdr align;
		char buf[CMSG_SPACE(sizeof(int))];
	} control;
	struct iovec iov[2] = { { h, sizeof(*h) }, { (void *)body, size } };
	struct msghdr msg = { .msg_iov = iov, .msg_iovlen = size ? 2 : 1 };

	if (fd >= 0) {
		struct cmsghdr *cm;

		msg.msg_control = control.buf;
		msg.msg_controllen = sizeof(control.buf);
		cm = CMSG_FIRSTHDR(&msg);
		cm->cmsg_level = SOL_SOCKET;
		cm->cmsg_type = SCM_RIGHTS;
		cm->cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(cm), &fd, sizeof(int));
	}
	while (msg.msg_iovlen) {
		ssize_t n = sendmsg(v->fd, &msg, MSG_NOSIGNAL);

		if (n < 0 && errno == EAGAIN) {
			struct pollfd p = { .fd = v->fd, .events = POLLOUT };

			/* A client that reads no replies for this long loses the connection. */
			if (poll(&p, 1, SEND_TIMEOUT_MS) <= 0)
				return false;
			continue;
		}
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return false;
		/* The first byte has carried the descriptors. */
		msg.msg_control = NULL;
		msg.msg_controllen = 0;
		while (msg.msg_iovlen && (size_t)n >= msg.msg_iov->iov_len) {
			n -= (ssize_t)msg.msg_iov->iov_len;
			msg.msg_iov++;
			msg.msg_iovlen--;
		}
		if (msg.msg_iovlen) {
			msg.msg_iov->iov_base = (char *)msg.msg_iov->iov_base + n;
			msg.msg_iov->iov_len -= (size_t)n;
		}
	}
	return true;
}

static bool handle_message(struct vfu *v)
{
	struct reply r = { .fd = -1 };
	struct vfu_header h = v->head;
	enum outcome o = execute(v, h.size - sizeof(h), &r);

	if (o == OUTCOME_ERROR)
		drop_fds(v);
	if (o == OUTCOME_BROKEN || v->num_fds) {
		vlog("vfio-user: malformed message: command %u, size %u, %u descriptors: closing",
		     h.command, h.size, v->num_fds);
		return false;
	}
	if (o == OUTCOME_ERROR) {
		vlog("vfio-user: command %u: %s", h.command, strerror(r.error));
		r.size = 0;
	}
	if (h.flags & VFU_NO_REPLY)
		return true;
	h.size = (uint32_t)(sizeof(h) + r.size);
	h.flags = VFU_TYPE_REPLY | (o == OUTCOME_ERROR ? VFU_ERROR : 0);
	h.error = (uint32_t)r.error;
	return send_all(v, &h, v->out, r.size, o == OUTCOME_ERROR ? -1 : r.fd);
}

static bool take_descriptors(struct vfu *v, struct msghdr *msg)
{
	bool ok = !(msg->msg_flags & MSG_CTRUNC);

	for (struct cmsghdr *cm = CMSG_FIRSTHDR(msg); cm; cm = CMSG_NXTHDR(msg, cm)) {
		size_t n;

		if (cm->cmsg_level != SOL_SOCKET || cm->cmsg_type != SCM_RIGHTS)
			continue;
		n = (cm->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		for (size_t i = 0; i < n; i++) {
			int fd;

			memcpy(&fd, CMSG_DATA(cm) + i * sizeof(int), sizeof(int));
			if (v->num_fds < VFU_MAX_FDS) {
				v->fds[v->num_fds++] = fd;
			} else {
				close(fd);
				ok = false;
			}
		}
	}
	return ok;
}

/* Returns the bytes received, 0 when there are none now, <0 when the connection is over. */
static ssize_t receive(struct vfu *v, void *to, size_t len)
{
	union {
		struct cmsghdr align;
		char buf[CMSG_SPACE(VFU_MAX_FDS * sizeof(int))];
	} control;
	struct iovec iov = { to, len };
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = control.buf, .msg_controllen = sizeof(control.buf),
	};
	ssize_t n = recvmsg(v->fd, &msg, MSG_CMSG_CLOEXEC);

	if (n < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -1;
	if (n == 0)
		return -1;
	if (!take_descriptors(v, &msg)) {
		vlog("vfio-user: too many descriptors: closing");
		return -1;
	}
	return n;
}

static bool header_ok(const struct vfu_header *h)
{
	if (h->size >= sizeof(*h) && h->size <= MAX_MESSAGE &&
	    (h->flags & VFU_TYPE_MASK) == VFU_TYPE_COMMAND)
		return true;
	vlog("vfio-user: malformed header: command %u, size %u, flags 0x%x: closing", h->command,
	     h->size, h->flags);
	return false;
}

bool vfu_serve(struct vfu *v)
{
	/* The limit leaves time for the control socket when posted messages never end. */
	for (unsigned int served = 0; served < MAX_BATCH;) {
		size_t head = sizeof(v->head);
		ssize_t n;

		if (v->got < head)
			n = receive(v, (uint8_t *)&v->head + v->got, head - v->got);
		else
			n = receive(v, v->body + (v->got - head), v->head.size - v->got);
		if (n <= 0)
			return n == 0;
		v->got += (size_t)n;
		if (v->got == head && !header_ok(&v->head))
			return false;
		if (v->got < head || v->got < v->head.size)
			continue;
		v->got = 0;
		served++;
		if (!handle_message(v))
			return false;
	}
	return true;
}
