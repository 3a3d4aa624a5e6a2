/* SPDX-License-Identifier: MIT */
#ifndef _XETILE_USM_H_
#define _XETILE_USM_H_

/**
 * DOC: usm
 *
 * Unified shared memory: memory that the CPU and all tiles of a card have at the same address, so
 * that a pointer means the same to both, also within the memory. There are three kinds:
 *
 * - XETILE_USM_DEVICE: in HBM, by a color. The CPU has the addresses, too, but nothing is there: an
 *   access is a fault (SIGSEGV), and touches no other memory;
 * - XETILE_USM_HOST: in the machine's memory, where the GPU reads and writes it over the bus;
 * - XETILE_USM_SHARED: for the CPU and the GPU in turn. The memory moves to where it is used, by
 *   ranges of 2 MiB: to the machine's memory when the CPU touches one, and back to HBM, with its
 *   color, when work is launched. A touch waits until the context's work is done, so a kernel must
 *   not wait for what the program does after a touch. A small allocation moves with the others of
 *   its slab. The buffer can be neither recolored nor exported, and the system cannot pin its
 *   pages, as for direct I/O. With drivers before 1.6 the memory does not move: it is HOST memory,
 *   and its color does not count.
 *
 * A pointer is an argument of a kernel by xetile_kernel_set_address(). What takes a buffer (copies,
 * colors, exports) takes the one that xetile_usm_get_info() tells, at the pointer's offset.
 *
 * Small allocations, of up to 1 MiB, share buffers of the driver of 2 MiB (*slabs*), unless their
 * color is REPLICATE, the driver chooses the tile, or it cannot recolor memory. Each has whole
 * color pages of 64 KiB, and so a color of its own; in the machine's memory, multiples of 64 bytes.
 * Those on one tile share slabs by the tile, others with allocations whose pages lie in the
 * same way. They behave as objects of a pool do (xetile_pool.h), but an allocation waits for no
 * work, unless it gets pages that xetile_mem_recolor() had moved.
 *
 * An address is a context's: no other context of the process has memory there, and this context
 * has no other. munmap() or mmap() by others of these addresses breaks that for the CPU, as for any
 * memory of a library. After fork(), the child sees host and shared memory as the parent does, at
 * the same addresses, but must not pass the parent's context to the library. A buffer that was
 * imported has an address that is no pointer.
 */

#ifndef _XETILE_H_
#error "include <xetile.h>"
#endif

#if defined(__cplusplus)
extern "C" {
#endif

/**
 * enum xetile_usm_kind - kinds of unified shared memory
 */
enum xetile_usm_kind {
	/** @XETILE_USM_DEVICE: in HBM, for the GPU alone */
	XETILE_USM_DEVICE = 0,
	/** @XETILE_USM_HOST: in the machine's memory, for both at once */
	XETILE_USM_HOST = 1,
	/** @XETILE_USM_SHARED: for both in turn */
	XETILE_USM_SHARED = 2,
};

/**
 * struct xetile_usm_desc - description of an allocation; a zero field means the default
 */
struct xetile_usm_desc {
	/**
	 * @mem: size, and for DEVICE and SHARED color and flags, without XETILE_MEM_SYSTEM; SHARED
	 * cannot be REPLICATE
	 */
	struct xetile_mem_desc mem;
	/** @kind: kind of the memory */
	enum xetile_usm_kind kind;
	/** @align: alignment of the address in bytes, a power of two; at least 64 in any case */
	uint64_t align;
};

/**
 * xetile_usm_alloc() - allocate unified shared memory
 * @context: the context
 * @device: as for xetile_mem_alloc()
 * @desc: size, kind, alignment and color
 * @out: the address
 *
 * The memory reads zero, or has what an earlier allocation of the context left.
 *
 * Return: 0; -EINVAL; -ENOMEM, also when the CPU's address space has no room; -EEXIST when the
 * GPU has other memory at all addresses that the CPU has free; errors of xetile_mem_alloc() and
 * of mmap().
 */
int xetile_usm_alloc(struct xetile_context *context, struct xetile_device *device,
		     const struct xetile_usm_desc *desc, void **out);

/**
 * xetile_usm_free() - free unified shared memory
 * @context: the context
 * @ptr: the address of xetile_usm_alloc(); may be NULL; no work that uses the memory may be under
 *       way
 *
 * Return: 0; -EINVAL when no allocation begins there.
 */
int xetile_usm_free(struct xetile_context *context, void *ptr);

/**
 * struct xetile_usm_info - what the memory at an address is
 */
struct xetile_usm_info {
	/** @kind: kind of the allocation */
	enum xetile_usm_kind kind;
	/** @migrates: the memory moves to where it is used */
	bool migrates;
	/** @base: where the allocation begins */
	void *base;
	/** @size: its bytes: the wanted size rounded up */
	uint64_t size;
	/** @device: the device that it was allocated for */
	struct xetile_device *device;
	/**
	 * @mem: the buffer, which begins at @base and tells the color; for any call but
	 * xetile_mem_free(). xetile_mem_map() of DEVICE memory maps it at another address
	 */
	struct xetile_mem *mem;
};

/**
 * xetile_usm_get_info() - tell what the memory at an address is
 * @context: the context
 * @ptr: an address, which need not be the first one of its allocation
 * @info: the answer
 * @size: bytes of the struct
 *
 * Return: 0; -ENOENT when no allocation of this context has the address.
 */
int xetile_usm_get_info(struct xetile_context *context, const void *ptr,
			struct xetile_usm_info *info, size_t size);
#define xetile_usm_get_info(context, ptr, info)					\
	xetile_usm_get_info(context, ptr, info, sizeof(struct xetile_usm_info))

/**
 * enum xetile_usm_advice - where shared memory is best while the GPU uses it
 */
enum xetile_usm_advice {
	/** @XETILE_USM_ADVICE_COLOR: as its color says: the default */
	XETILE_USM_ADVICE_COLOR = 0,
	/** @XETILE_USM_ADVICE_TILE: in the HBM of one tile, whatever its color is */
	XETILE_USM_ADVICE_TILE = 1,
	/** @XETILE_USM_ADVICE_HOST: in the machine's memory, which the GPU uses over the bus */
	XETILE_USM_ADVICE_HOST = 2,
	/**
	 * @XETILE_USM_ADVICE_READ: as its color says, with copies on other tiles that have room,
	 * because the GPU only reads it. A kernel that writes it faults. The CPU may write it
	 */
	XETILE_USM_ADVICE_READ = 3,
};

/**
 * xetile_usm_advise() - say where a range of shared memory is best
 * @context: the context
 * @ptr: where the range begins; a multiple of 2 MiB behind the beginning of its allocation
 * @size: its bytes, a multiple of 2 MiB, or up to the end of the allocation
 * @advice: where
 * @tile: TILE: number of the tile; else 0
 *
 * Nothing moves at once: the next work that is launched waits for the work before it, and brings
 * the range there. It returns there when the CPU has touched it, until it is advised otherwise or
 * freed. The GPU sees the same bytes wherever they are; copies choose their engine by the color.
 * Advice is no promise: a tile, or the machine's memory, may be full. A driver older than version
 * 1.9 does not know READ: -EINVAL.
 *
 * Return: 0; -ENOENT when no allocation has the address; -EOPNOTSUPP for memory that does not
 * move, or that shares a slab with other allocations (up to 1 MiB), or when the driver cannot;
 * -EINVAL; -ENOMEM.
 */
int xetile_usm_advise(struct xetile_context *context, const void *ptr, uint64_t size,
		      enum xetile_usm_advice advice, uint32_t tile);

/**
 * define XETILE_MEM_READONLY - the GPU may not write; xetile_mem_from_user() only
 */
#define XETILE_MEM_READONLY	(1u << 3)

/**
 * xetile_mem_from_user() - make a buffer of memory that the program has
 * @context: the context
 * @ptr: its address, a multiple of 4 KiB
 * @size: bytes, a multiple of 4 KiB
 * @flags: XETILE_MEM_READONLY or 0
 * @out: the memory
 *
 * The buffer has the same address on the GPU. It lies in the machine's memory and has no color. No
 * page is pinned, and none is looked up before work is launched: the GPU uses whatever memory the
 * process has there then. While a page is missing, is memory of a device, or may not be written and
 * the buffer is not READONLY, launches and copies of the context return -EFAULT. Changing the
 * addresses (munmap(), fork() and others) waits for the work of the context that was launched.
 * After fork() the pages of the parent stay the GPU's. Free the buffer before the memory.
 *
 * xetile_mem_map() returns @ptr. xetile_mem_export() and xetile_mem_send() return -EOPNOTSUPP.
 *
 * Return: 0; -EINVAL for an address or size that is not of whole pages, for more than 256 GiB, or
 * for addresses that the card does not have; -EEXIST when the context has memory at a part of the
 * addresses; -EOPNOTSUPP when the driver cannot; -EDQUOT for too much or too many of them;
 * -ENOMEM.
 */
int xetile_mem_from_user(struct xetile_context *context, void *ptr, uint64_t size, uint32_t flags,
			 struct xetile_mem **out);

#if defined(__cplusplus)
}
#endif

#endif
