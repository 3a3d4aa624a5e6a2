// SPDX-License-Identifier: MIT
/*
 * Blocks: a range of CPU addresses is reserved, and a buffer is mapped for the GPU at the same
 * addresses. While the range is reserved, the process gets no other memory there.
 */
#include "block.h"

#include <errno.h>
#include <inttypes.h>
#include <sys/mman.h>

#include "error.h"
#include "memory.h"
#include "util.h"

/* Ranges that are tried when the GPU has something else at the CPU's free addresses */
#define TRIES	8

/* The CPU faults on each access to a reserved range, which takes no memory. */
static int reserve(uint64_t size, uint64_t align, uint64_t *addr)
{
	uint64_t start, end;
	uint8_t *room;

	if (size > SIZE_MAX - align)
		return xt_error(-ENOMEM, "the CPU has no %" PRIu64 " free addresses", size);
	room = mmap(NULL, size + align, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
		    0);
	if (room == MAP_FAILED)
		return xt_error(-errno, "the CPU has no %" PRIu64 " free addresses: %m", size);
	start = xt_align((uintptr_t)room, align);
	end = start + size;
	if (start > (uintptr_t)room)
		munmap(room, start - (uintptr_t)room);
	munmap((void *)(uintptr_t)end, (uintptr_t)room + align - start);
	*addr = start;
	return 0;
}

/* Let the CPU have the buffer of a reserved range of @size bytes. */
static int finish(struct xetile_mem *mem, const struct xt_block_desc *desc, uint64_t size)
{
	void *start = (void *)(uintptr_t)mem->addr;
	uint64_t offset;
	int err = 0;

	mem->block = true;
	if (mem->span > size)
		err = xt_error(-EIO, "the driver gave %" PRIu64 " bytes, more than were asked for",
			       mem->size);
	else if (desc->cpu)
		err = xt_mem_map_offset(mem, &offset);
	if (err) {
		xetile_mem_free(mem);
		munmap(start, size);
		return err;
	}
	if (!desc->cpu)
		return 0;
	err = xt_mem_map_at(mem, start, offset);
	/* The system may have given the range to another thread before it failed: it is left. */
	if (err)
		xetile_mem_free(mem);
	return err;
}

/* A refused range stays reserved until another one is found, so that it is not found again. */
static int create(struct xetile_context *context, struct xetile_device *device,
		  const struct xt_block_desc *desc, unsigned int tries, struct xetile_mem **out)
{
	uint64_t size = xt_align(desc->mem.size, XETILE_COLOR_PAGE);
	uint64_t align = xt_mem_align(size);
	struct xt_mem_at at = { .migrates = desc->migrates };
	struct xetile_mem *mem;
	int err;

	if (align < desc->align)
		align = desc->align;
	err = reserve(size, align, &at.addr);
	if (err)
		return err;
	err = xt_mem_alloc_at(context, device, &desc->mem, &at, &mem);
	if (!err) {
		err = finish(mem, desc, size);
		if (!err)
			*out = mem;
		return err;
	}
	if (err == -EEXIST && tries)
		err = create(context, device, desc, tries - 1, out);
	munmap((void *)(uintptr_t)at.addr, size);
	return err;
}

int xt_block_create(struct xetile_context *context, struct xetile_device *device,
		    const struct xt_block_desc *desc, struct xetile_mem **out)
{
	if (!desc->mem.size || desc->mem.size > UINT64_MAX / 4)
		return xt_error(desc->mem.size ? -ENOMEM : -EINVAL,
				"an allocation of %" PRIu64 " bytes", desc->mem.size);
	return create(context, device, desc, TRIES, out);
}

void xt_block_destroy(struct xetile_mem *block)
{
	void *start = (void *)(uintptr_t)block->addr;
	uint64_t size = block->span;
	bool mapped = block->map == start;

	/* A mapping there ends with the buffer. From then on the addresses may be others'. */
	xetile_mem_free(block);
	if (!mapped)
		munmap(start, size);
}
