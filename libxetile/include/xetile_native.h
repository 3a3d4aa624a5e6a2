/* SPDX-License-Identifier: MIT */
#ifndef _XETILE_NATIVE_H_
#define _XETILE_NATIVE_H_

/**
 * DOC: native
 *
 * Handles and numbers that the driver gives: a program that makes ioctls itself, as a runtime of
 * a language does, gets those of the library's objects, and makes objects of its own. The ioctls
 * are those of drm/xetile_drm.h, on the file of the context. Devices have no file, see
 * &xetile_device_info.node; modules and kernels are the library's alone.
 *
 * Who makes something ends it:
 *
 * - what a call of this header tells is the library's. The program may use it until the object is
 *   destroyed, and must neither close nor destroy it;
 * - what an object is made from stays the program's (it is *borrowed*): when the object is
 *   destroyed it is as before, and the program ends it, not before the object. Only a file need not
 *   stay open, because the library has another descriptor of it.
 *
 * The library waits, in xetile_queue_destroy() or xetile_mem_recolor(), for work that was submitted
 * through it, and knows of no other.
 *
 * The driver gives the same handle each time that a file imports a buffer. So one that the program
 * has in the file of a context is made memory by xetile_mem_from_handle(), and not imported by
 * xetile_mem_import(), which would close the handle in the end; and the other way round. Contexts
 * of one open file have the same handles: memory of one goes to another by
 * xetile_mem_from_handle(), and not by xetile_mem_export() or xetile_mem_send().
 */

#ifndef _XETILE_H_
#error "include <xetile.h>"
#endif

#if defined(__cplusplus)
extern "C" {
#endif

/**
 * xetile_device_from_fd() - find the card that an open file belongs to
 * @platform: the platform
 * @fd: a file of one of the card's DRM nodes
 * @out: the card
 *
 * Return: 0; -EBADF; -ENODEV when the file is none of a card of the platform, or the mask hides the
 * card.
 */
int xetile_device_from_fd(struct xetile_platform *platform, int fd, struct xetile_device **out);

/**
 * struct xetile_vm_desc - an address space, and the part of it that is the library's
 */
struct xetile_vm_desc {
	/** @vm_id: the program's VM; 0: the library makes one */
	uint32_t vm_id;
	/** @flags: 0 */
	uint32_t flags;
	/**
	 * @start: first GPU address at which the library maps memory, a multiple of 64 KiB and not
	 *         0. With a @vm_id of 0, 0 together with a @size of 0 means all addresses
	 */
	uint64_t start;
	/**
	 * @size: bytes of these addresses, a multiple of 64 KiB; the program maps nothing there, and
	 *        no other context of this VM has any of them
	 */
	uint64_t size;
};

/**
 * xetile_context_from_fd() - make a context of an open file, and of an address space
 * @device: any device of the card
 * @fd: a file of one of the card's DRM nodes; it stays the caller's, and need not stay open
 * @vm: the address space; NULL: one that the library makes, and all its addresses
 * @out: the context
 *
 * Unified shared memory, and memory of the program, needs addresses of the CPU that are the
 * library's on the GPU.
 *
 * Return: 0; -EBADF; -EINVAL for a file of something else, and for a range that the card does not
 * have; -ENODEV when the card is gone; -ENOENT for a VM that is not there; errors of
 * xetile_context_create().
 */
int xetile_context_from_fd(struct xetile_device *device, int fd, const struct xetile_vm_desc *vm,
			   struct xetile_context **out);

/**
 * xetile_context_fd() - the open file of a context
 * @context: the context
 *
 * Return: its descriptor.
 */
int xetile_context_fd(const struct xetile_context *context);

/**
 * xetile_context_vm() - the address space of a context
 * @context: the context
 *
 * Return: the id of its VM.
 */
uint32_t xetile_context_vm(const struct xetile_context *context);

/**
 * xetile_mem_from_handle() - make memory of a buffer that the program has
 * @context: the context, with the file in which the handle is
 * @handle: the GEM handle
 * @addr: the address at which the program has mapped the whole buffer in the context's VM, and
 *        unmaps it; not one of the library's. 0: the library maps it, and unmaps it
 * @out: the memory
 *
 * A buffer with copies (XETILE_COLOR_REPLICATE), which the library maps twice, has no @addr. To the
 * memory applies what is true of an imported one, and whether it may be purged is for the program
 * to say.
 *
 * Return: 0; -EINVAL; -ENOENT for a handle that is not there; -EEXIST when the context has memory
 * of it already; -EOPNOTSUPP for copies at an address; -ENOSPC; -ENOMEM.
 */
int xetile_mem_from_handle(struct xetile_context *context, uint32_t handle, uint64_t addr,
			   struct xetile_mem **out);

/**
 * xetile_mem_handle() - the buffer of the driver that memory is, or lies in
 * @mem: the memory
 * @offset: where it begins in the buffer, in bytes: not 0 for objects of a pool, and for small
 *          allocations of unified shared memory; may be NULL
 *
 * A recolor to or from XETILE_COLOR_REPLICATE gives it another handle.
 *
 * Return: the GEM handle; 0 for memory of the program (xetile_mem_from_user()).
 */
uint32_t xetile_mem_handle(const struct xetile_mem *mem, uint64_t *offset);

/**
 * xetile_pool_handle() - the buffer of the driver that a pool is
 * @pool: the pool
 *
 * Return: the GEM handle.
 */
uint32_t xetile_pool_handle(const struct xetile_pool *pool);

/**
 * xetile_queue_from_id() - make a queue of one that the program has
 * @context: the context, with the file and the VM of the queue
 * @device: the device that the queue is of
 * @engine_class: its class, COMPUTE or COPY; a COPY queue of a card is one of its first tile
 * @id: the queue's number
 * @out: the queue
 *
 * The driver does not tell a queue's class, VM, slice and flags, so these are not checked. On a
 * queue of several tiles the order between what the program submits and what the library does is
 * the program's, by events: the driver keeps it on each tile only. If the queue has
 * DRM_XETILE_QUEUE_REPLAY, a graph on it (xetile_graph_create()) may have one launch only.
 *
 * Return: 0; -EINVAL for a queue of other tiles than the device's; -ENOENT for a queue that is not
 * there; errors of xetile_queue_create().
 */
int xetile_queue_from_id(struct xetile_context *context, struct xetile_device *device,
			 enum xetile_queue_class engine_class, uint32_t id,
			 struct xetile_queue **out);

/**
 * xetile_queue_ids() - the queues of the driver that a queue is
 * @queue: the queue
 * @ids: room for their numbers, may be NULL when @max is 0
 * @max: elements at @ids
 *
 * Return: how many they are, which may exceed @max: one for each tile if the class is COPY_NEAREST
 * or COPY_SPLIT, in the order of the tiles; else one.
 */
int xetile_queue_ids(const struct xetile_queue *queue, uint32_t *ids, unsigned int max);

/**
 * xetile_event_from_syncobj() - make an event of a syncobj that the program has
 * @context: the context, with the file in which the syncobj is
 * @handle: the syncobj's handle
 * @out: the event
 *
 * The event is that of the fence which the syncobj has at each call. While it has none, calls that
 * look at the event or wait for it, launches too, fail with -EINVAL; they fail with -ENOENT when
 * there is no such syncobj.
 *
 * Return: 0; -EINVAL for the handle 0; -ENOMEM.
 */
int xetile_event_from_syncobj(struct xetile_context *context, uint32_t handle,
			      struct xetile_event **out);

/**
 * xetile_event_syncobjs() - the fences of an event
 * @event: the event
 * @handles: room for the handles of the syncobjs, may be NULL when @max is 0
 * @max: elements at @handles
 *
 * Return: how many they are, which may exceed @max: one, or up to XETILE_MAX_TILES if several
 * engines did a copy. The work has ended when all have signalled.
 */
int xetile_event_syncobjs(const struct xetile_event *event, uint32_t *handles, unsigned int max);

/**
 * define XETILE_PROCESS_SPILL - a buffer goes to another tile when that of the program has no room
 */
#define XETILE_PROCESS_SPILL	(1u << 0)
/**
 * define XETILE_PROCESS_CSLICE - &xetile_process_desc.cslice counts
 */
#define XETILE_PROCESS_CSLICE	(1u << 1)

/**
 * struct xetile_process_desc - what a program gets that knows nothing of colors and slices
 */
struct xetile_process_desc {
	/**
	 * @color: of its buffers: EVEN, FOLLOW or CHUNK, without flags; its size does not count.
	 *         NULL: each buffer lies on the tile that the program names
	 */
	const struct xetile_mem_desc *color;
	/** @min_size: buffers of fewer bytes stay as the program asks for; 0: all are colored */
	uint64_t min_size;
	/** @flags: mask of XETILE_PROCESS_*; SPILL needs a @color of NULL */
	uint32_t flags;
	/** @cslice: virtual slice of its queues for the first compute engine, from 0 */
	uint32_t cslice;
};

/**
 * xetile_process_set() - give the calling process colors and slices by the calls of xe
 * @device: any device of the card
 * @desc: what the process gets
 * @fd: file that keeps it: as long as it is open, also after exec(), which does not close it. The
 *      program closes it
 *
 * For what this process runs by exec(): a runtime of Intel's makes its calls as it always does, and
 * the driver heeds what was said here. Its children are other processes, which get nothing of it.
 * A later call for the same card, with a file of its own, replaces an earlier one.
 *
 * Return: 0; 1: it is done, but the card's device is not called xe, which runtimes look for;
 * -EINVAL; -EOPNOTSUPP when the driver does not have the calls of xe; -ENODEV; errors of opening the
 * node.
 */
int xetile_process_set(struct xetile_device *device, const struct xetile_process_desc *desc,
		       int *fd);

#if defined(__cplusplus)
}
#endif

#endif
