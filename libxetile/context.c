// SPDX-License-Identifier: MIT
/*
 * A context: an open file of a card and one GPU address space on all its tiles.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xf86drm.h>

#include "internal.h"

/* Addresses start here: the lowest pages stay unmapped, to catch null pointers. */
#define VA_START	(4ull << 30)

/* The interface is what this library was written to: its name and major version. */
static int check_driver(int fd, const char *node)
{
	char name[16] = "";
	struct drm_version version = {
		.name_len = sizeof(name) - 1,
		.name = name,
	};
	int err = xetile_ioctl(fd, DRM_IOCTL_VERSION, &version);

	if (err)
		return xt_error(err, "%s is no DRM node: %s", node, strerror(-err));
	if (strcmp(name, "xetile"))
		return xt_error(-EPROTO, "%s belongs to driver '%s', not to xetile", node, name);
	return 0;
}

/* Put the card in the mode ZEX_NUMBER_OF_CCS asks for. */
static int apply_wish(const struct xt_card *card)
{
	uint32_t t;
	int mode, err;

	for (t = 0; card->wished_mode && t < card->props.num_tiles; t++) {
		mode = xt_mode_get(card, t);
		if (mode == (int)card->wished_mode)
			continue;
		err = mode < 0 ? mode : xt_mode_set(card, 1u << t, card->wished_mode, 0);
		if (err)
			return xt_error_add(err, "ZEX_NUMBER_OF_CCS");
	}
	return 0;
}

int xetile_context_create(struct xetile_device *device, struct xetile_context **out)
{
	struct drm_xetile_vm_create vm = { 0 };
	struct xt_card *card = device->card;
	struct xetile_context *context;
	int err;

	err = apply_wish(card);
	if (err)
		return err;
	context = calloc(1, sizeof(*context));
	if (!context)
		return xt_error(-ENOMEM, "out of memory");
	context->card = card;
	context->fd = xt_door.open(card->node);
	if (context->fd < 0) {
		err = xt_error(context->fd, "cannot open %s: %s", card->node,
			       strerror(-context->fd));
		goto fail_free;
	}
	err = check_driver(context->fd, card->node);
	if (err)
		goto fail_close;
	err = xt_va_init(&context->va, VA_START, card->props.va_size);
	if (err)
		goto fail_close;
	err = xetile_ioctl(context->fd, DRM_IOCTL_XETILE_VM_CREATE, &vm);
	if (err) {
		xt_error(err, "cannot create an address space: %s", xt_driver_error(err));
		goto fail_va;
	}
	context->vm_id = vm.vm_id;
	pthread_mutex_init(&context->lock, NULL);
	*out = context;
	return 0;

fail_va:
	xt_va_fini(&context->va);
fail_close:
	close(context->fd);
fail_free:
	free(context);
	return err;
}

void xetile_context_destroy(struct xetile_context *context)
{
	struct drm_xetile_vm_destroy vm = { 0 };

	if (!context)
		return;
	vm.vm_id = context->vm_id;
	xetile_ioctl(context->fd, DRM_IOCTL_XETILE_VM_DESTROY, &vm);
	close(context->fd);
	xt_va_fini(&context->va);
	pthread_mutex_destroy(&context->lock);
	free(context);
}
