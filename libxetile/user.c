// SPDX-License-Identifier: MIT
/*
 * Buffers of memory that the program has: the GPU uses the process's own pages, at the addresses
 * at which the CPU has them.
 */
#include "xetile.h"

#include <drm/xetile_drm.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "card.h"
#include "context.h"
#include "error.h"
#include "memory.h"

static int check_memory(const struct xetile_context *context, uint64_t addr, uint64_t size)
{
	const struct drm_xetile_query_device *props = &context->card->props;
	uint64_t page = props->bind_align_system ? props->bind_align_system : props->bind_align;
	uint64_t end;

	if (!(props->caps & DRM_XETILE_CAP_USER))
		return xt_error(-EOPNOTSUPP, "the driver cannot map memory of the program");
	if (!addr || !size || addr % page || size % page)
		return xt_error(-EINVAL, "0x%" PRIx64 " bytes at 0x%" PRIx64
				" are not whole pages of %" PRIu64, size, addr, page);
	if (__builtin_add_overflow(addr, size, &end) || end > props->va_size)
		return xt_error(-EINVAL, "the card's addresses end before 0x%" PRIx64, addr + size);
	return 0;
}

int xetile_mem_from_user(struct xetile_context *context, void *ptr, uint64_t size, uint32_t flags,
			 struct xetile_mem **out)
{
	uint64_t addr = (uintptr_t)ptr;
	struct xetile_mem *mem;
	int err;

	if (flags & ~XETILE_MEM_READONLY)
		return xt_error(-EINVAL, "unknown flags 0x%x", flags & ~XETILE_MEM_READONLY);
	err = check_memory(context, addr, size);
	if (err)
		return err;
	mem = calloc(1, sizeof(*mem));
	if (!mem)
		return xt_error(-ENOMEM, "out of memory");
	mem->context = context;
	mem->size = size;
	mem->addr = addr;
	mem->map = ptr;
	mem->readonly = flags & XETILE_MEM_READONLY;
	err = xt_mem_place(mem);
	if (err) {
		xt_mem_abandon(mem);
		return err;
	}
	*out = mem;
	return 0;
}
