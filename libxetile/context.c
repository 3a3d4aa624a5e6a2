// SPDX-License-Identifier: MIT
/*
 * Contexts: opening and closing a card, with one GPU address space on all its tiles.
 */
#include "context.h"

#include <drm/xetile_drm.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xf86drm.h>

#include "card.h"
#include "debug.h"
#include "device.h"
#include "error.h"
#include "event.h"
#include "ioctl.h"
#include "memory.h"
#include "mode.h"
#include "usm.h"
#include "va.h"

/* The lower pages stay unmapped, so that a null pointer faults. */
#define VA_START	(64ull << 10)
/*
 * Buffers without a CPU address of their own lie above: in the half of the lower addresses where
 * systems map nothing unless a program asks for it, so that a CPU address is seldom taken. (Heaps
 * of programs at fixed addresses are below, programs at random addresses and libraries above.)
 */
#define VA_LOW		(32ull << 40)

/*
 * A device of the driver's may be called xe, for Intel's runtimes, and then also has the driver's own
 * interface. That of xe itself does not answer the query.
 */
static bool is_ours(int fd, const char *name)
{
	struct drm_xetile_query query = { .item = DRM_XETILE_QUERY_DEVICE };

	if (strcmp(name, "xe"))
		return !strcmp(name, "xetile");
	return !xt_ioctl(fd, DRM_IOCTL_XETILE_QUERY, &query) && query.answer.count == 1;
}

/* The driver's name and major version stand for its interface; @minor says what that has. */
static int check_driver(int fd, const char *node, int *minor)
{
	char name[16] = "";
	struct drm_version version = {
		.name_len = sizeof(name) - 1,
		.name = name,
	};
	int err = xt_ioctl(fd, DRM_IOCTL_VERSION, &version);

	if (err)
		return xt_error(err, "%s is no DRM node: %s", node, strerror(-err));
	if (!is_ours(fd, name))
		return xt_error(-EPROTO, "%s belongs to driver '%s', not to xetile", node, name);
	if (version.version_major != DRM_XETILE_VERSION_MAJOR)
		return xt_error(-EPROTO, "%s: the driver's interface has version %d, not %d", node,
				version.version_major, DRM_XETILE_VERSION_MAJOR);
	*minor = version.version_minor;
	return 0;
}

/*
 * ZEX_NUMBER_OF_CCS asks for a mode: queues will have it, whatever others have. With a driver that
 * cannot do that all tiles of the card, or none, are put into it.
 */
static int apply_wish(const struct xt_card *card)
{
	bool own = card->props.caps & DRM_XETILE_CAP_CCS_MODE;
	uint32_t t;
	int err;

	if (!card->wished_mode)
		return 0;
	for (t = 0; t < card->props.num_tiles; t++)
		/* Tiles that the affinity mask hides have no queue of this process. */
		if ((!own || card->root->tile_mask & 1u << t) &&
		    !(card->tiles[t].ccs_modes & 1u << card->wished_mode))
			return xt_error(-EINVAL, "ZEX_NUMBER_OF_CCS: tile %u of card %u has no mode %u",
					t, card->number, card->wished_mode);
	if (own)
		return 0;
	err = xt_mode_set(card, (1u << card->props.num_tiles) - 1, card->wished_mode, 0);
	return err ? xt_error_add(err, "ZEX_NUMBER_OF_CCS") : 0;
}

/* A VM of the program's is left alone. */
static void destroy_vm(const struct xetile_context *context)
{
	struct drm_xetile_vm_destroy vm = { .vm_id = context->vm_id };

	if (!context->borrowed)
		xt_ioctl(context->fd, DRM_IOCTL_XETILE_VM_DESTROY, &vm);
}

static int make_vm(struct xetile_context *context, const struct xetile_vm_desc *desc)
{
	struct drm_xetile_vm_create vm = { 0 };
	int err;

	context->borrowed = desc && desc->vm_id;
	if (context->borrowed) {
		context->vm_id = desc->vm_id;
		return 0;
	}
	err = xt_ioctl(context->fd, DRM_IOCTL_XETILE_VM_CREATE, &vm);
	if (err)
		return xt_error(err, "cannot create an address space: %s", xt_driver_error(err));
	context->vm_id = vm.vm_id;
	xt_debug("address space %u on card %u", vm.vm_id, context->card->number);
	return 0;
}

static int make_addresses(struct xetile_context *context, const struct xetile_vm_desc *desc)
{
	uint64_t start = VA_START, end = context->card->props.va_size;
	bool all = !desc || (!desc->vm_id && !desc->start && !desc->size);
	int err;

	if (desc && desc->flags)
		return xt_error(-EINVAL, "flags 0x%x of an address space", desc->flags);
	if (!all) {
		start = desc->start;
		if (__builtin_add_overflow(start, desc->size, &end) || start < VA_START ||
		    end <= start || end > context->card->props.va_size ||
		    (start | end) % XETILE_COLOR_PAGE)
			return xt_error(-EINVAL, "0x%" PRIx64 " bytes at 0x%" PRIx64 " are no range of addresses of the card for the library",
					desc->size, desc->start);
	}
	err = xt_va_init(&context->va, start, end);
	if (err)
		return err;
	context->va_start = start;
	context->va_end = end;
	if (all && end > 2 * VA_LOW)
		context->va.low = VA_LOW;
	return 0;
}

/* Takes @fd over, also when it fails. */
static int create(struct xt_card *card, int fd, const struct xetile_vm_desc *desc,
		  struct xetile_context **out)
{
	struct xetile_context *context;
	int err;

	context = calloc(1, sizeof(*context));
	if (!context) {
		close(fd);
		return xt_error(-ENOMEM, "out of memory");
	}
	context->card = card;
	context->fd = fd;
	err = check_driver(context->fd, card->node, &context->minor);
	if (err)
		goto err_close;
	err = make_addresses(context, desc);
	if (err)
		goto err_close;
	err = make_vm(context, desc);
	if (err)
		goto err_va;
	pthread_mutex_init(&context->lock, NULL);
	pthread_mutex_init(&context->queues_lock, NULL);
	pthread_mutex_init(&context->times_lock, NULL);
	xt_usm_init(&context->usm);
	err = xt_mem_alloc_parts(context, (1u << card->props.num_tiles) - 1, XT_FENCE_BYTES,
				 &context->fence);
	if (err)
		goto err_vm;
	/* This comes last, because a call that fails must leave the mode unchanged. */
	err = apply_wish(card);
	if (err)
		goto err_fence;
	*out = context;
	return 0;

err_fence:
	xetile_mem_free(context->fence);
err_vm:
	xt_usm_fini(&context->usm);
	pthread_mutex_destroy(&context->times_lock);
	pthread_mutex_destroy(&context->queues_lock);
	pthread_mutex_destroy(&context->lock);
	destroy_vm(context);
err_va:
	xt_va_fini(&context->va);
err_close:
	close(context->fd);
	free(context);
	return err;
}

int xetile_context_create(struct xetile_device *device, struct xetile_context **out)
{
	int fd = xt_card_open(device->card);

	if (fd < 0)
		return fd;
	return create(device->card, fd, NULL, out);
}

int xetile_context_from_fd(struct xetile_device *device, int fd, const struct xetile_vm_desc *vm,
			   struct xetile_context **out)
{
	int own, err = xt_card_has_file(device->card, fd);

	if (err < 0)
		return err;
	if (!err && access(device->card->node, F_OK))
		return xt_error(-ENODEV, "%s is gone", device->card->node);
	if (!err)
		return xt_error(-EINVAL, "file %d is not one of card %u", fd, device->card->number);
	/* Another descriptor of the same open file, in which handles and numbers mean the same */
	own = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	if (own < 0)
		return xt_error(-errno, "cannot keep file %d: %m", fd);
	return create(device->card, own, vm, out);
}

int xetile_context_fd(const struct xetile_context *context)
{
	return context->fd;
}

uint32_t xetile_context_vm(const struct xetile_context *context)
{
	return context->vm_id;
}

void xetile_context_destroy(struct xetile_context *context)
{
	if (!context)
		return;
	xt_usm_fini(&context->usm);
	xt_event_drop_spare(context);
	xetile_mem_free(context->fence);
	destroy_vm(context);
	close(context->fd);
	xt_va_fini(&context->va);
	pthread_mutex_destroy(&context->times_lock);
	pthread_mutex_destroy(&context->queues_lock);
	pthread_mutex_destroy(&context->lock);
	free(context);
}

uint64_t xt_context_fence(const struct xetile_context *context, uint32_t tile)
{
	return context->fence->addr + tile * XT_FENCE_BYTES;
}
