// SPDX-License-Identifier: MIT
/*
 * Memory that others have, too: several contexts, processes and devices, by files (dma-bufs); or
 * the program, which calls the driver itself, by a handle.
 */
#include "xetile.h"

#include <drm/xetile_drm.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "card.h"
#include "coloring.h"
#include "context.h"
#include "error.h"
#include "ioctl.h"
#include "memory.h"

/* The one byte of a message, because some systems pass no file without data */
#define MESSAGE	'm'

int xetile_mem_export(struct xetile_mem *mem)
{
	struct drm_prime_handle arg = { .handle = mem->handle, .flags = DRM_CLOEXEC | DRM_RDWR };
	int err;

	/* The file would have the other objects, too. */
	if (mem->pool)
		return xt_error(-EOPNOTSUPP, "an object of a pool cannot be exported");
	if (!mem->handle)
		return xt_error(-EOPNOTSUPP, "the program's own memory cannot be exported");
	err = xt_ioctl(mem->context->fd, DRM_IOCTL_PRIME_HANDLE_TO_FD, &arg);
	if (err)
		return xt_error(err, "cannot export memory: %s", xt_driver_error(err));
	mem->shared = true;
	return arg.fd;
}

/*
 * The driver gives the same handle to each import of a buffer. It can be closed only once, so two
 * buffers of a context must not have it.
 */
static int take_handle(struct xetile_mem *mem, int fd)
{
	struct xetile_context *context = mem->context;
	struct drm_prime_handle arg = { .fd = fd };
	int err;

	pthread_mutex_lock(&context->lock);
	err = xt_ioctl(context->fd, DRM_IOCTL_PRIME_FD_TO_HANDLE, &arg);
	if (!err && xt_mem_find(context, arg.handle))
		err = -EEXIST;
	if (!err) {
		mem->handle = arg.handle;
		xt_mem_link(mem);
	}
	pthread_mutex_unlock(&context->lock);
	if (err == -EEXIST)
		return xt_error(err, "the context has this memory already");
	return err ? xt_error(err, "cannot import memory: %s", xt_driver_error(err)) : 0;
}

static int read_info(struct xetile_mem *mem, struct drm_xetile_bo_info *info)
{
	int err;

	*info = (struct drm_xetile_bo_info){ .handle = mem->handle };
	err = xt_ioctl(mem->context->fd, DRM_IOCTL_XETILE_BO_INFO, info);
	return err ? xt_error(err, "cannot read what memory is: %s", xt_driver_error(err)) : 0;
}

/* The driver tells where the pages lie now, and the arguments of colors that have no runs. */
static int read_layout(struct xetile_mem *mem, const struct drm_xetile_bo_info *info)
{
	struct drm_xetile_bo_range range = {
		.granule = info->granule, .color = info->color, .tile_mask = info->tile_mask,
	};
	struct xetile_run *runs;
	int num, got, err;

	if (!(info->placement & DRM_XETILE_PLACE_HBM) || info->share & DRM_XETILE_SHARE_IMPORTED)
		return 0;
	if (info->color != DRM_XETILE_COLOR_MAP && info->color != DRM_XETILE_COLOR_WEIGHTED)
		return xt_color_paint(mem, &range);
	num = xetile_mem_color(mem, NULL, 0);
	if (num <= 0)
		return num;
	runs = calloc(num, sizeof(*runs));
	if (!runs)
		return xt_error(-ENOMEM, "out of memory");
	got = xetile_mem_color(mem, runs, num);
	err = got < 0 ? got : 0;
	/* When its owner recolors the buffer meanwhile, where it lies stays unknown. */
	if (got > 0 && got <= num) {
		range.color = DRM_XETILE_COLOR_MAP;
		range.runs = (struct drm_xetile_array)DRM_XETILE_ARRAY(runs, got);
		err = xt_color_paint(mem, &range);
	}
	free(runs);
	return err;
}

static int read_buffer(struct xetile_mem *mem)
{
	struct drm_xetile_bo_info info;
	int err = read_info(mem, &info);

	if (err)
		return err;
	mem->size = info.size;
	if (info.color == DRM_XETILE_COLOR_REPLICATE)
		mem->copies = info.tile_mask;
	return read_layout(mem, &info);
}

int xetile_mem_import(struct xetile_context *context, int fd, struct xetile_mem **out)
{
	struct xetile_mem *mem = calloc(1, sizeof(*mem));
	int err;

	if (!mem)
		return xt_error(-ENOMEM, "out of memory");
	mem->context = context;
	mem->shared = true;
	err = take_handle(mem, fd);
	if (err) {
		free(mem);
		return err;
	}
	err = read_buffer(mem);
	if (!err)
		err = xt_mem_place(mem);
	if (err) {
		xt_mem_abandon(mem);
		return err;
	}
	*out = mem;
	return 0;
}

static int borrow_handle(struct xetile_mem *mem, uint32_t handle)
{
	struct xetile_context *context = mem->context;
	bool found;

	pthread_mutex_lock(&context->lock);
	found = xt_mem_find(context, handle);
	if (!found) {
		mem->handle = handle;
		xt_mem_link(mem);
	}
	pthread_mutex_unlock(&context->lock);
	return found ? xt_error(-EEXIST, "the context has this memory already") : 0;
}

/* Take the program's word for where a buffer is mapped. */
static int take_address(struct xetile_mem *mem, uint64_t addr)
{
	const struct xetile_context *context = mem->context;
	uint64_t end;

	if (mem->copies)
		return xt_error(-EOPNOTSUPP, "copies of a buffer are mapped twice: give no address");
	if (addr % context->card->props.bind_align)
		return xt_error(-EINVAL, "the address 0x%" PRIx64 " is not a multiple of %" PRIu64,
				addr, (uint64_t)context->card->props.bind_align);
	if (__builtin_add_overflow(addr, mem->size, &end) ||
	    (addr < context->va_end && end > context->va_start))
		return xt_error(-EINVAL, "the addresses 0x%" PRIx64 " to 0x%" PRIx64 " are the library's",
				addr, end - 1);
	mem->addr = addr;
	mem->bound = true;
	return 0;
}

int xetile_mem_from_handle(struct xetile_context *context, uint32_t handle, uint64_t addr,
			   struct xetile_mem **out)
{
	struct xetile_mem *mem;
	int err;

	if (!handle)
		return xt_error(-EINVAL, "0 is no handle");
	mem = calloc(1, sizeof(*mem));
	if (!mem)
		return xt_error(-ENOMEM, "out of memory");
	mem->context = context;
	mem->borrowed = true;
	mem->shared = true;
	err = borrow_handle(mem, handle);
	if (err) {
		free(mem);
		return err;
	}
	err = read_buffer(mem);
	if (!err)
		err = addr ? take_address(mem, addr) : xt_mem_place(mem);
	if (err) {
		xt_mem_abandon(mem);
		return err;
	}
	*out = mem;
	return 0;
}

int xetile_mem_send(struct xetile_mem *mem, int socket)
{
	union {
		struct cmsghdr header;
		char room[CMSG_SPACE(sizeof(int))];
	} control = { .header.cmsg_level = SOL_SOCKET };
	char byte = MESSAGE;
	struct iovec data = { &byte, 1 };
	struct msghdr message = {
		.msg_iov = &data, .msg_iovlen = 1,
		.msg_control = &control, .msg_controllen = sizeof(control.room),
	};
	int fd = xetile_mem_export(mem), err = 0;

	if (fd < 0)
		return fd;
	control.header.cmsg_type = SCM_RIGHTS;
	control.header.cmsg_len = CMSG_LEN(sizeof(fd));
	memcpy(CMSG_DATA(&control.header), &fd, sizeof(fd));
	while (sendmsg(socket, &message, MSG_NOSIGNAL) < 0 && !err)
		err = errno == EINTR ? 0 : -errno;
	close(fd);
	return err ? xt_error(err, "cannot send memory: %s", strerror(-err)) : 0;
}

/* Returns the file that a message holds, or an error with a text. */
static int receive_file(int socket)
{
	union {
		struct cmsghdr header;
		char room[CMSG_SPACE(sizeof(int))];
	} control;
	char byte = 0;
	struct iovec data = { &byte, 1 };
	struct msghdr message = {
		.msg_iov = &data, .msg_iovlen = 1,
		/* Not the whole room, into which the kernel would put two files */
		.msg_control = &control, .msg_controllen = CMSG_LEN(sizeof(int)),
	};
	struct cmsghdr *header;
	ssize_t got;
	int fd;

	do {
		got = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
	} while (got < 0 && errno == EINTR);
	if (got < 0)
		return xt_error(-errno, "cannot receive memory: %m");
	if (!got)
		return xt_error(-EPIPE, "the other end of the socket is closed");
	/* The kernel closes the other files of a message that has more than one. */
	header = CMSG_FIRSTHDR(&message);
	if (!header || header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS ||
	    header->cmsg_len != CMSG_LEN(sizeof(fd)))
		return xt_error(-EPROTO, "the message holds no memory");
	memcpy(&fd, CMSG_DATA(header), sizeof(fd));
	if (byte == MESSAGE && !(message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)))
		return fd;
	close(fd);
	return xt_error(-EPROTO, "the message is not one of xetile_mem_send()");
}

int xetile_mem_receive(struct xetile_context *context, int socket, struct xetile_mem **out)
{
	int fd = receive_file(socket), err;

	if (fd < 0)
		return fd;
	err = xetile_mem_import(context, fd, out);
	close(fd);
	return err;
}

int xetile_mem_share(struct xetile_mem *mem)
{
	struct drm_xetile_bo_info info;
	int err;

	if (!mem->handle)
		return 0;
	err = read_info(mem, &info);
	return err ? err : (int)info.share;
}
