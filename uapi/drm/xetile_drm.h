/* SPDX-License-Identifier: MIT */
#ifndef _XETILE_DRM_H_
#define _XETILE_DRM_H_

/**
 * DOC: the xetile userspace interface
 *
 * xetile drives Intel Data Center GPU Max (Ponte Vecchio) cards. A card has
 * one or more *tiles*; a tile has a bank of HBM, up to four compute slices
 * (cslices) that up to four compute engines (CCS) share out among them, and
 * copy engines (BCS).
 *
 * Objects, all of them local to the opened file:
 *
 * - a *buffer object* (BO) is a GEM handle. Its *color* says which tile holds
 *   which of its pages. The color page is 64 KiB.
 * - a *VM* is a GPU address space, the same on every tile.
 * - a *queue* is a place to submit to: on all tiles at once (ROOT), on one tile,
 *   or on one virtual compute slice of a tile.
 *
 * Rules, the same for every call:
 *
 * - 64-bit fields are naturally aligned, user pointers travel as __u64, no
 *   struct differs between 32-bit and 64-bit programs.
 * - Every field named pad must be zero, every unknown flag or enum value is
 *   refused: EINVAL. The content of a field marked out does not matter.
 * - A call that fails changes nothing and writes nothing back.
 * - Sizes and addresses are in bytes unless a field says otherwise.
 *
 * How it grows. New fields are only ever appended, new flags and enum values only
 * added, both with a bump of &DRM_XETILE_VERSION_MINOR.
 *
 * - The struct of a call: the DRM core takes a shorter one of an old program as
 *   if it ended in zeros, which always means what it meant before, and ignores
 *   the tail of a longer one. So a program must look at the version (or at a
 *   capability of &DRM_XETILE_QUERY_DEVICE) before it relies on an appended field.
 * - Elements of arrays: see &struct drm_xetile_array.
 * - The DRM core answers a number without a call with EINVAL. Numbers below 0x40
 *   are those of the xe driver's interface (&DRM_XETILE_CAP_XE). A program may use
 *   both on one file: handles, and ids of VMs, queues and syncobjs, are the same.
 *
 * What each version added:
 *
 * ====  ====================================================================
 * 1.0   all that is not named below
 * 1.1   &DRM_XETILE_VA_NOWHERE, which is mapped in each VM. The addresses of
 *       the user end below it (va_size of &struct drm_xetile_query_device).
 *       The error EAGAIN of a fence also tells that a queue's state was lost,
 *       and ENODEV that the card was reset as a whole
 * 1.2   &DRM_XETILE_CAP_SHARE: buffers of other devices can be imported, other
 *       devices can use exported ones, and @share of &struct drm_xetile_bo_info
 *       tells how; @bind_align_system of &struct drm_xetile_query_device
 * 1.3   &DRM_IOCTL_XETILE_BO_RECOLOR (&DRM_XETILE_CAP_RECOLOR). BO_INFO tells the
 *       color of the last recolor
 * 1.4   &DRM_XETILE_BIND_MAP_USER maps memory of processes (&DRM_XETILE_CAP_USER)
 * 1.5   &DRM_XETILE_COLOR_REPLICATE works (&DRM_XETILE_CAP_REPLICATE)
 * 1.6   &DRM_XETILE_BO_LEAST_OCCUPIED. &DRM_XETILE_BO_MIGRATE (&DRM_XETILE_CAP_MIGRATE).
 *       @hop of &struct drm_xetile_query_distance. @moved_access and others of
 *       &struct drm_xetile_query_tile
 * 1.7   &DRM_IOCTL_XETILE_BO_ADVISE (&DRM_XETILE_CAP_ADVISE). &DRM_IOCTL_XETILE_BO_PIN
 *       (&DRM_XETILE_CAP_PIN), and @pinned of &struct drm_xetile_bo_info
 * 1.8   &DRM_IOCTL_XETILE_BO_PURGE (&DRM_XETILE_CAP_PURGE)
 * 1.9   &DRM_XETILE_ADVICE_READ_MOSTLY
 * 1.10  @ccs_mode of &struct drm_xetile_queue_create (&DRM_XETILE_CAP_CCS_MODE)
 * 1.11  &DRM_XETILE_QUEUE_BORROW (&DRM_XETILE_CAP_BORROW)
 * 1.12  &DRM_XETILE_QUEUE_REPLAY (&DRM_XETILE_CAP_REPLAY)
 * 1.13  the calls of the xe driver below 0x40, and &DRM_IOCTL_XETILE_PROCESS
 *       (&DRM_XETILE_CAP_XE)
 * 1.14  &DRM_XETILE_ACCESS_UNKNOWN; until then a page fault whose address is not
 *       known was &DRM_XETILE_BAN_ERROR, or had another's address
 * ====  ====================================================================
 *
 * Meaning of errno, the same for every call:
 *
 * ============  ============================================================
 * EINVAL        an argument that is wrong by itself or together with the others
 * EOPNOTSUPP    named in this header, but the card or this driver cannot do it
 * E2BIG         an array's element has a field set that the kernel does not know
 * ENOENT        a handle or id that does not exist
 * EFAULT        a user pointer that cannot be read or written; EXEC: nor the memory of a
 *               process that the VM maps, see &struct drm_xetile_vm_bind
 * EACCES        the caller lacks the privilege, as for a HIGH priority
 * EPERM         forbidden to all: a private BO is used outside of its VM
 * ENOMEM        no system memory
 * ENOSPC        no room in HBM
 * ENOBUFS       the card's numbers or its own address space are used up: too
 *               many VMs or queues of all processes together
 * EDQUOT        a limit of this file, or of its user, is reached: queues, VMs, batches
 *               and binds, fences of binds, memory of processes and imports, HBM for page
 *               tables and contexts, HBM of BOs, and of BOs that are pinned
 * ECANCELED     EXEC: the queue is banned; QUEUE_CREATE: batches of the file, or of
 *               its user, fail again and again
 * ENODATA       the content of a BO is lost; only this BO cannot be used any more. Or it was
 *               purged, see &struct drm_xetile_bo_purge
 * EIO           the card is wedged: a reset failed, it runs nothing any more. It may be
 *               reset as a whole in a moment
 * ENODEV        the card is gone, or was reset as a whole: it does not come back for this
 *               file, but a new file may find it
 * EINTR         a signal came while the call waited: call again
 * ============  ============================================================
 *
 * No call answers EAGAIN, and only QUEUE_CREATE answers EBUSY.
 *
 * Meaning of a fence's error (a sync file that is made from a syncobj tells the error):
 *
 * ============  ============================================================
 * ETIME         the batch did not end in time, or did not leave its engine in
 *               time when asked to; the queue is banned
 * EIO           the batch faulted or held a command the engine does not know, and
 *               the queue is banned; or the card is wedged
 * ECANCELED     not run: the queue was banned, or closed, before its turn; or the card
 *               is gone
 * EAGAIN        the batch had begun and is lost, or the state is that earlier
 *               batches of its queue had set up, because its engine was reset for
 *               another batch's fault; the queue is not banned, and its next
 *               batch finds the state of a new queue. With
 *               &DRM_XETILE_QUEUE_REPLAY only after the batch has run again
 * ENODATA       not run: the content of a BO is lost
 * ============  ============================================================
 */

#include "drm.h"

#if defined(__cplusplus)
extern "C" {
#endif

/* From DRM_COMMAND_BASE, up to 0x5f: numbers below 0x40 are those of xe_drm.h */
#define DRM_XETILE_QUERY		0x40
#define DRM_XETILE_BO_CREATE		0x41
#define DRM_XETILE_BO_INFO		0x42
#define DRM_XETILE_BO_MMAP		0x43
#define DRM_XETILE_VM_CREATE		0x44
#define DRM_XETILE_VM_DESTROY		0x45
#define DRM_XETILE_VM_BIND		0x46
#define DRM_XETILE_QUEUE_CREATE		0x47
#define DRM_XETILE_QUEUE_DESTROY	0x48
#define DRM_XETILE_QUEUE_INFO		0x49
#define DRM_XETILE_EXEC			0x4a
#define DRM_XETILE_BO_RECOLOR		0x4b
#define DRM_XETILE_BO_ADVISE		0x4c
#define DRM_XETILE_BO_PIN		0x4d
#define DRM_XETILE_BO_PURGE		0x4e
#define DRM_XETILE_PROCESS		0x4f

#define DRM_IOCTL_XETILE_QUERY \
	DRM_IOWR(DRM_COMMAND_BASE + DRM_XETILE_QUERY, struct drm_xetile_query)
#define DRM_IOCTL_XETILE_BO_CREATE \
	DRM_IOWR(DRM_COMMAND_BASE + DRM_XETILE_BO_CREATE, struct drm_xetile_bo_create)
#define DRM_IOCTL_XETILE_BO_INFO \
	DRM_IOWR(DRM_COMMAND_BASE + DRM_XETILE_BO_INFO, struct drm_xetile_bo_info)
#define DRM_IOCTL_XETILE_BO_MMAP \
	DRM_IOWR(DRM_COMMAND_BASE + DRM_XETILE_BO_MMAP, struct drm_xetile_bo_mmap)
#define DRM_IOCTL_XETILE_VM_CREATE \
	DRM_IOWR(DRM_COMMAND_BASE + DRM_XETILE_VM_CREATE, struct drm_xetile_vm_create)
#define DRM_IOCTL_XETILE_VM_DESTROY \
	DRM_IOW(DRM_COMMAND_BASE + DRM_XETILE_VM_DESTROY, struct drm_xetile_vm_destroy)
#define DRM_IOCTL_XETILE_VM_BIND \
	DRM_IOW(DRM_COMMAND_BASE + DRM_XETILE_VM_BIND, struct drm_xetile_vm_bind)
#define DRM_IOCTL_XETILE_QUEUE_CREATE \
	DRM_IOWR(DRM_COMMAND_BASE + DRM_XETILE_QUEUE_CREATE, struct drm_xetile_queue_create)
#define DRM_IOCTL_XETILE_QUEUE_DESTROY \
	DRM_IOW(DRM_COMMAND_BASE + DRM_XETILE_QUEUE_DESTROY, struct drm_xetile_queue_destroy)
#define DRM_IOCTL_XETILE_QUEUE_INFO \
	DRM_IOWR(DRM_COMMAND_BASE + DRM_XETILE_QUEUE_INFO, struct drm_xetile_queue_info)
#define DRM_IOCTL_XETILE_EXEC \
	DRM_IOW(DRM_COMMAND_BASE + DRM_XETILE_EXEC, struct drm_xetile_exec)
#define DRM_IOCTL_XETILE_BO_RECOLOR \
	DRM_IOW(DRM_COMMAND_BASE + DRM_XETILE_BO_RECOLOR, struct drm_xetile_bo_recolor)
#define DRM_IOCTL_XETILE_BO_ADVISE \
	DRM_IOW(DRM_COMMAND_BASE + DRM_XETILE_BO_ADVISE, struct drm_xetile_bo_advise)
#define DRM_IOCTL_XETILE_BO_PIN \
	DRM_IOW(DRM_COMMAND_BASE + DRM_XETILE_BO_PIN, struct drm_xetile_bo_pin)
#define DRM_IOCTL_XETILE_BO_PURGE \
	DRM_IOWR(DRM_COMMAND_BASE + DRM_XETILE_BO_PURGE, struct drm_xetile_bo_purge)
#define DRM_IOCTL_XETILE_PROCESS \
	DRM_IOW(DRM_COMMAND_BASE + DRM_XETILE_PROCESS, struct drm_xetile_process)

/**
 * define DRM_XETILE_VERSION_MAJOR - the driver's major version; another one is another uAPI
 */
#define DRM_XETILE_VERSION_MAJOR	1
/**
 * define DRM_XETILE_VERSION_MINOR - its minor version, which counts the additions to the uAPI
 */
#define DRM_XETILE_VERSION_MINOR	14
/**
 * define DRM_XETILE_MAX_TILES - the most tiles a card can have
 */
#define DRM_XETILE_MAX_TILES		4
/**
 * define DRM_XETILE_MAX_CSLICES - the most compute slices a tile can have
 */
#define DRM_XETILE_MAX_CSLICES		4
/**
 * define DRM_XETILE_COLOR_PAGE - the granule of coloring, in bytes
 */
#define DRM_XETILE_COLOR_PAGE		(64 * 1024)
/**
 * define DRM_XETILE_VA_NOWHERE - 64 KiB of every VM that the driver maps to no memory
 *
 * The GPU reads zero there, and its writes are dropped. Batches may use the address: the errata
 * of copy engines want a blit before each flush, which has to write somewhere. Since version 1.1:
 * an older driver maps nothing there, and a batch that uses the address faults.
 */
#define DRM_XETILE_VA_NOWHERE		((1ull << 57) - (64 * 1024))
/**
 * define DRM_XETILE_MAX_ARRAY - the most elements any array of a call may have
 */
#define DRM_XETILE_MAX_ARRAY		4096
/**
 * define DRM_XETILE_MAX_STRIDE - the most bytes an element of an array may have
 */
#define DRM_XETILE_MAX_STRIDE		4096

/**
 * struct drm_xetile_array - an array in the memory of the caller
 *
 * @stride is the size of an element as the caller's header has it, so that the elements can
 * grow. For arrays that the kernel reads: an element shorter than the kernel's is taken as if it
 * ended in zeros; a longer one must hold zeros behind the fields that the kernel knows, else
 * E2BIG. For arrays that the kernel writes: it writes the fields of an element that both sides
 * know, and zeros behind them up to @stride.
 *
 * EINVAL for a stride below the element's size in version 1.0 of this header, or
 * above &DRM_XETILE_MAX_STRIDE, and for a @count above &DRM_XETILE_MAX_ARRAY in
 * arrays that are read. With a @count of 0 neither @data nor @stride matter.
 */
struct drm_xetile_array {
	/** @data: user pointer to the first element */
	__u64 data;
	/** @count: elements at @data */
	__u32 count;
	/** @stride: bytes from one element to the next */
	__u32 stride;
};

/**
 * define DRM_XETILE_ARRAY - initializer of a struct drm_xetile_array
 * @ptr: the first element
 * @num: number of elements
 */
#define DRM_XETILE_ARRAY(ptr, num) \
	{ (__u64)(unsigned long)(ptr), (__u32)(num), sizeof(*(ptr)) }

/* --- QUERY ------------------------------------------------------------- */

/**
 * enum drm_xetile_query_item - the questions that &DRM_IOCTL_XETILE_QUERY answers
 */
enum drm_xetile_query_item {
	/** @DRM_XETILE_QUERY_DEVICE: one struct drm_xetile_query_device */
	DRM_XETILE_QUERY_DEVICE = 0,
	/**
	 * @DRM_XETILE_QUERY_TILES: an array of struct drm_xetile_query_tile,
	 * one for each tile, in tile order
	 */
	DRM_XETILE_QUERY_TILES = 1,
	/**
	 * @DRM_XETILE_QUERY_ENGINES: an array of struct drm_xetile_query_engine,
	 * one for each engine usable in the tiles' own CCS modes, with which it changes
	 */
	DRM_XETILE_QUERY_ENGINES = 2,
	/**
	 * @DRM_XETILE_QUERY_DISTANCES: an array of struct
	 * drm_xetile_query_distance, one for each pair of a tile's engines and
	 * a memory
	 */
	DRM_XETILE_QUERY_DISTANCES = 3,
};

/**
 * struct drm_xetile_query - ask for a description of the card
 *
 * The kernel writes at most as many elements as @answer has room for, each as far as both sides
 * know it, see &struct drm_xetile_array. It sets the count of @answer to the number of elements
 * that exist, which may be larger: with a count of 0 the call only tells this number and
 * @elem_size.
 */
struct drm_xetile_query {
	/** @item: what to ask for, one of enum drm_xetile_query_item */
	__u32 item;
	/** @elem_size: out: bytes of an element as the kernel knows it */
	__u32 elem_size;
	/**
	 * @answer: where to write the answer; in: room at its data in elements; out:
	 * number of elements there are
	 */
	struct drm_xetile_array answer;
};

/**
 * define DRM_XETILE_CAP_GANG - ROOT queues start a batch on all tiles as one act
 */
#define DRM_XETILE_CAP_GANG		(1ull << 0)
/**
 * define DRM_XETILE_CAP_CSLICE - CSLICE queues exist, because some tile has two cslices or more
 */
#define DRM_XETILE_CAP_CSLICE		(1ull << 1)
/**
 * define DRM_XETILE_CAP_NON_UNIFORM_GROUPS - groups smaller than a subgroup
 *
 * Kernels may use ballot, fixed-size, tangle and opportunistic groups.
 */
#define DRM_XETILE_CAP_NON_UNIFORM_GROUPS (1ull << 2)
/**
 * define DRM_XETILE_CAP_SHARE - buffers are shared with other devices, by PRIME
 *
 * PRIME_HANDLE_TO_FD makes a dma-buf of a BO that is not private, and any device may import it.
 * PRIME_FD_TO_HANDLE makes a BO of any device's dma-buf, whose binds have the alignment
 * @bind_align_system of &struct drm_xetile_query_device; or gives the handle of the BO itself if
 * it is one of this card.
 *
 * A device uses the memory of the other one across the bus (*peer-to-peer*), if the buses of both
 * allow that and the importer can follow a move. Otherwise the exported BO goes to system memory
 * when the other device needs it, and stays there as long as that one has it mapped; later it
 * returns with its color. A BO whose placement is HBM alone cannot be used by such a device
 * (EOPNOTSUPP). An importer that cannot follow moves pins the BO: then it is neither evicted nor
 * swapped out. A user may have a quarter of the system memory that all BOs can have pinned
 * (EDQUOT, unless the caller has CAP_SYS_RESOURCE).
 *
 * The memory of an import counts for nobody else than its exporter; but imports count with the
 * ranges of &DRM_XETILE_CAP_USER, so that a user does not have any number of them (EDQUOT).
 *
 * VM_BIND and EXEC answer ENODATA when the exporter does not give its memory, because it is gone or
 * has lost the content. When the exporter is unbound it waits for jobs that use its memory across
 * the bus, for ten seconds at most; jobs that run longer, or while it is pulled out or reset, read
 * garbage. What lies in system memory stays.
 *
 * A bind of an import on a queue of class BIND is waited for by jobs. mmap() of an import maps what
 * its exporter maps, or fails.
 *
 * All synchronisation is explicit, as within a card: jobs wait neither for fences that others put
 * into a dma-buf, nor do others find the fences of jobs there (DMA_BUF_IOCTL_EXPORT_SYNC_FILE,
 * DMA_BUF_IOCTL_IMPORT_SYNC_FILE). Fences go from one driver to another as sync files, which a
 * syncobj takes and gives.
 */
#define DRM_XETILE_CAP_SHARE		(1ull << 3)
/**
 * define DRM_XETILE_CAP_RECOLOR - the call &DRM_IOCTL_XETILE_BO_RECOLOR exists
 */
#define DRM_XETILE_CAP_RECOLOR		(1ull << 4)

/**
 * define DRM_XETILE_CAP_USER - &DRM_XETILE_BIND_MAP_USER works; since version 1.4
 */
#define DRM_XETILE_CAP_USER		(1ull << 5)

/**
 * define DRM_XETILE_CAP_REPLICATE - &DRM_XETILE_COLOR_REPLICATE works; since version 1.5
 */
#define DRM_XETILE_CAP_REPLICATE	(1ull << 6)

/**
 * define DRM_XETILE_CAP_MIGRATE - &DRM_XETILE_BO_MIGRATE works; since version 1.6
 */
#define DRM_XETILE_CAP_MIGRATE		(1ull << 7)

/**
 * define DRM_XETILE_CAP_ADVISE - the call &DRM_IOCTL_XETILE_BO_ADVISE exists; since version 1.7
 */
#define DRM_XETILE_CAP_ADVISE		(1ull << 8)

/**
 * define DRM_XETILE_CAP_PIN - the call &DRM_IOCTL_XETILE_BO_PIN exists; since version 1.7
 */
#define DRM_XETILE_CAP_PIN		(1ull << 9)

/**
 * define DRM_XETILE_CAP_PURGE - the call &DRM_IOCTL_XETILE_BO_PURGE exists; since version 1.8
 */
#define DRM_XETILE_CAP_PURGE		(1ull << 10)

/**
 * define DRM_XETILE_CAP_CCS_MODE - queues can have modes of their own; since version 1.10
 */
#define DRM_XETILE_CAP_CCS_MODE		(1ull << 11)

/**
 * define DRM_XETILE_CAP_BORROW - &DRM_XETILE_QUEUE_BORROW works; since version 1.11
 */
#define DRM_XETILE_CAP_BORROW		(1ull << 12)

/**
 * define DRM_XETILE_CAP_REPLAY - &DRM_XETILE_QUEUE_REPLAY works; since version 1.12
 */
#define DRM_XETILE_CAP_REPLAY		(1ull << 13)

/**
 * define DRM_XETILE_CAP_XE - the calls of the xe driver (xe_drm.h) work; since version 1.13
 *
 * Runtimes that use those calls look for a device that is called xe. The administrator says by the
 * module's parameter uapi which devices are; each answers the calls of both interfaces.
 */
#define DRM_XETILE_CAP_XE		(1ull << 14)

/**
 * struct drm_xetile_query_device - the card as a whole
 */
struct drm_xetile_query_device {
	/** @caps: mask of DRM_XETILE_CAP_* */
	__u64 caps;
	/**
	 * @va_size: size of the user's part of a VM's address space in bytes: addresses of binds
	 * and batches are below it; the addresses above are the driver's,
	 * see &DRM_XETILE_VA_NOWHERE
	 */
	__u64 va_size;
	/** @timestamp_hz: frequency of the GPU timestamp in Hz */
	__u64 timestamp_hz;
	/**
	 * @max_timeout_ms: longest batch timeout a queue of the caller can ask for,
	 * in milliseconds; more with CAP_SYS_NICE than without
	 */
	__u64 max_timeout_ms;
	/** @device_id: PCI device id */
	__u32 device_id;
	/** @revision: PCI revision id */
	__u32 revision;
	/** @num_tiles: number of tiles */
	__u32 num_tiles;
	/** @color_page: granule of coloring in bytes: 64 KiB */
	__u32 color_page;
	/**
	 * @bind_align: alignment of addresses, offsets and ranges of a bind of a BO whose placement
	 * allows HBM, in bytes: 64 KiB. Binds with this alignment are always right
	 */
	__u32 bind_align;
	/** @eus_per_dss: vector engines of a dual subslice (Xe core) */
	__u32 eus_per_dss;
	/** @threads_per_eu: hardware threads of a vector engine, with 128 registers each */
	__u32 threads_per_eu;
	/** @max_slm: shared local memory of a work-group at most, in bytes */
	__u32 max_slm;
	/**
	 * @bind_align_system: alignment of all other binds, in bytes: 4 KiB. Since version 1.2: 0,
	 * or absent, means that they need @bind_align
	 */
	__u32 bind_align_system;
	/** @pad: zero */
	__u32 pad;
};

/**
 * struct drm_xetile_query_tile - one tile
 */
struct drm_xetile_query_tile {
	/**
	 * @hbm_total: HBM that buffers can use, in bytes: the bank without the parts that the
	 *	card's firmware and the page tables have
	 */
	__u64 hbm_total;
	/** @hbm_used: part of @hbm_total in use now by all processes, in bytes */
	__u64 hbm_used;
	/**
	 * @hbm_visible: HBM that the CPU can reach, in bytes, at most @hbm_total. A buffer
	 *	beyond it can be mapped too: when the CPU touches the buffer, the access waits
	 *	for the jobs that use it, and the buffer moves to system memory; the next such
	 *	job brings it back
	 */
	__u64 hbm_visible;
	/** @dss_mask: the dual subslices present, bit n is number n */
	__u64 dss_mask;
	/** @tile: number of the tile */
	__u32 tile;
	/** @num_dss: number of dual subslices present */
	__u32 num_dss;
	/** @cslice_mask: the compute slices present, bit n is number n */
	__u32 cslice_mask;
	/** @num_cslices: number of compute slices present */
	__u32 num_cslices;
	/**
	 * @ccs_mode: the tile's own mode: number of compute engines that share out the cslices for
	 * queues that want no other, see &struct drm_xetile_queue_create
	 */
	__u32 ccs_mode;
	/** @ccs_modes: the modes the tile can be put in, bit n is mode n */
	__u32 ccs_modes;
	/** @num_copy_engines: number of copy engines */
	__u32 num_copy_engines;
	/** @l3_banks: number of this tile's own L3 banks */
	__u32 l3_banks;
	/**
	 * @moved_access: bytes that left the tile's HBM for system memory because the CPU touched
	 *	them, see &DRM_XETILE_BO_MIGRATE; of all clients, since the driver was bound. This
	 *	and what follows since version 1.6. The same three of the BOs that a file has made,
	 *	on all tiles, are in its fdinfo as xetile-moved-access, -evict and -return, in KiB
	 */
	__u64 moved_access;
	/**
	 * @moved_evict: bytes that left it for any other reason, mostly because others wanted the
	 *	HBM
	 */
	__u64 moved_evict;
	/** @moved_return: bytes that came to it from system memory, but for fresh ones */
	__u64 moved_return;
};

/**
 * enum drm_xetile_engine_class - classes of engines
 */
enum drm_xetile_engine_class {
	/** @DRM_XETILE_ENGINE_COMPUTE: runs compute walkers (CCS) */
	DRM_XETILE_ENGINE_COMPUTE = 0,
	/** @DRM_XETILE_ENGINE_COPY: runs copies and fills (BCS) */
	DRM_XETILE_ENGINE_COPY = 1,
	/**
	 * @DRM_XETILE_ENGINE_BIND: no engine: the class of queues for VM_BIND. Their target is
	 *	ROOT; priority, weight and timeout are 0. EXEC refuses them (EINVAL), and
	 *	QUEUE_INFO tells nothing but zeros of them
	 */
	DRM_XETILE_ENGINE_BIND = 2,
};

/**
 * struct drm_xetile_query_engine - one engine usable in its tile's own CCS mode
 */
struct drm_xetile_query_engine {
	/** @tile: the tile it belongs to */
	__u16 tile;
	/** @engine_class: one of enum drm_xetile_engine_class */
	__u16 engine_class;
	/** @instance: physical instance number */
	__u16 instance;
	/** @cslice_mask: the compute slices it owns in that mode; 0 for copy */
	__u16 cslice_mask;
	/** @num_eus: vector engines it can use; 0 for copy */
	__u32 num_eus;
	/** @pad: zero */
	__u32 pad;
};

/**
 * define DRM_XETILE_MEM_SYSTEM - stands for system memory in place of a tile number
 */
#define DRM_XETILE_MEM_SYSTEM		0xffff

/**
 * enum drm_xetile_hop - what an access of a tile's engine crosses
 */
enum drm_xetile_hop {
	/** @DRM_XETILE_HOP_NONE: nothing: the memory is the tile's own HBM */
	DRM_XETILE_HOP_NONE = 0,
	/** @DRM_XETILE_HOP_TILE: the bridge to another tile of the card, whose HBM it is */
	DRM_XETILE_HOP_TILE = 1,
	/** @DRM_XETILE_HOP_BUS: the bus between the card and the machine, whose memory it is */
	DRM_XETILE_HOP_BUS = 2,
};

/**
 * struct drm_xetile_query_distance - how far a memory is from a tile's engines
 *
 * Distances order memories, as those of NUMA nodes do; they are not measured.
 * 10 is the tile's own HBM.
 */
struct drm_xetile_query_distance {
	/** @tile: the tile whose engines access */
	__u16 tile;
	/** @memory: tile whose HBM is accessed, or &DRM_XETILE_MEM_SYSTEM */
	__u16 memory;
	/** @distance: relative distance */
	__u32 distance;
	/**
	 * @hop: &enum drm_xetile_hop; since 1.6. A program that finds a system memory with hop 0
	 * asked an older driver
	 */
	__u32 hop;
	/** @pad: zero */
	__u32 pad;
};

/* --- buffer objects ------------------------------------------------------ */

/**
 * enum drm_xetile_color - which tile holds which page of a BO
 */
enum drm_xetile_color {
	/**
	 * @DRM_XETILE_COLOR_EVEN: n pages over T tiles in contiguous shares of
	 * n/T, the first n%T tiles one page more
	 */
	DRM_XETILE_COLOR_EVEN = 0,
	/**
	 * @DRM_XETILE_COLOR_TILE: all on one tile; the tile mask must name just one, but see
	 * &DRM_XETILE_BO_LEAST_OCCUPIED
	 */
	DRM_XETILE_COLOR_TILE = 1,
	/** @DRM_XETILE_COLOR_CHUNK: chunks of a granule dealt round-robin over the tiles */
	DRM_XETILE_COLOR_CHUNK = 2,
	/**
	 * @DRM_XETILE_COLOR_WEIGHTED: contiguous shares by weight; the map gives
	 * one element for each tile, its @pages is the tile's weight
	 */
	DRM_XETILE_COLOR_WEIGHTED = 3,
	/** @DRM_XETILE_COLOR_MAP: the runs of the user's own map, which cover the BO exactly */
	DRM_XETILE_COLOR_MAP = 4,
	/**
	 * @DRM_XETILE_COLOR_FOLLOW: contiguous shares of ceil(n/T) pages, as the
	 * hardware splits work
	 */
	DRM_XETILE_COLOR_FOLLOW = 5,
	/**
	 * @DRM_XETILE_COLOR_REPLICATE: a copy on each tile at the same GPU address, see
	 * &struct drm_xetile_bo_create
	 */
	DRM_XETILE_COLOR_REPLICATE = 6,
};

/**
 * struct drm_xetile_color_run - a run of pages that lie on the same tile
 */
struct drm_xetile_color_run {
	/** @tile: tile number, or &DRM_XETILE_MEM_SYSTEM (in answers only) */
	__u32 tile;
	/** @pages: length of the run in color pages, never 0; the weight with WEIGHTED */
	__u32 pages;
};

/**
 * define DRM_XETILE_PLACE_HBM - the BO may lie in HBM
 */
#define DRM_XETILE_PLACE_HBM		(1u << 0)
/**
 * define DRM_XETILE_PLACE_SYSTEM - the BO may lie in system memory
 */
#define DRM_XETILE_PLACE_SYSTEM		(1u << 1)

/**
 * define DRM_XETILE_BO_STRICT - the color must hold exactly
 *
 * Pages never spill to a sibling tile. When a tile has no room even after idle BOs were
 * evicted, the BO goes to system memory if its placement allows that; else the call fails with
 * ENOSPC. Later the BO may be evicted, as any other.
 */
#define DRM_XETILE_BO_STRICT		(1u << 0)
/**
 * define DRM_XETILE_BO_LEAST_OCCUPIED - the tile of the mask with the most free HBM
 *
 * For the color TILE, whose mask may name several tiles then, and for EVEN: a BO of one color page
 * goes to that tile, and a larger one is colored as without the flag. Other colors, and BOs that
 * never lie in HBM: EINVAL. When several tiles have as much, or none has any, the first one of them
 * is taken. The tile is chosen once, by BO_CREATE, as if the caller had named it alone: BO_INFO
 * tells it as the tile mask, and the BO returns there after an eviction. Since version 1.6.
 */
#define DRM_XETILE_BO_LEAST_OCCUPIED	(1u << 1)
/**
 * define DRM_XETILE_BO_MIGRATE - the BO moves to where it is used
 *
 * For memory that the CPU and the GPU use in turns, each at the speed of its own. The BO consists
 * of ranges of &DRM_XETILE_MIGRATE_RANGE, each of which lies in HBM or in system memory; all begin
 * in HBM. When the CPU touches one through mmap(), that range moves to system memory, and no other.
 * The next EXEC of the VM, or a bind of the range, brings it back to HBM, with its color. Addresses
 * and contents stay. BO_INFO tells the runs of both memories. In all else a range is as a BO of its
 * own: it may be evicted alone, and then batches use it in system memory until there is room.
 *
 * A touch of a range in HBM waits until the batches of the VM are done that were submitted, and
 * keeps new ones from starting meanwhile, for ten seconds at most; then it goes on waiting without
 * that, and does so again ten seconds later. A signal ends the wait. So a batch must not wait for
 * what its process does after a touch. What has moved then stays in system memory until the touch
 * is over, or a tenth of a second has passed, and EXEC waits for that: both sides go forward,
 * however fast they take the range from each other. A range that lies in system memory is touched
 * without any wait, also while batches use it there. A touch ends in SIGBUS when BOs have all
 * the system memory that they may have, when the control group of the process that made the BO may
 * not have more, and when the content is lost.
 *
 * The placement must be HBM and SYSTEM, and the BO private to a VM: EINVAL. REPLICATE, and a
 * recolor, are EOPNOTSUPP. With STRICT a range that finds its tile full is used in system memory.
 * ENOSPC for a size that HBM, or system memory, can never hold. mmap() must be shared. The kernel
 * cannot pin the pages, as for direct I/O. Leaves of the page tables have 2 MiB at most. The binds
 * of a call may map &DRM_XETILE_MAX_RANGES ranges at most (EINVAL). Since version 1.6.
 */
#define DRM_XETILE_BO_MIGRATE		(1u << 2)
/**
 * define DRM_XETILE_MIGRATE_RANGE - bytes that move at once on access; the last may be fewer
 */
#define DRM_XETILE_MIGRATE_RANGE	(2 * 1024 * 1024)
/**
 * define DRM_XETILE_MAX_RANGES - the most such ranges that the binds of a call may map
 */
#define DRM_XETILE_MAX_RANGES		262144

/**
 * struct drm_xetile_bo_create - make a buffer object
 *
 * Fresh pages read zero. @size is rounded up to whole color pages. Errors
 * besides the general ones: EINVAL for a size of 0, one that overflows when
 * rounded, a tile mask that is empty or names a missing tile, a color whose
 * arguments do not fit; ENOSPC for a size no placement can ever hold.
 *
 * The BOs that a file has made take at most as much of a tile's HBM as the module's parameter
 * file_hbm allows (in MiB; 0, the default, is no limit). Beyond that a BO lies in system memory if
 * its placement allows that, and nothing is evicted for it; else the call that wants it in HBM
 * answers EDQUOT (BO_CREATE, BO_RECOLOR, BO_PIN, and VM_BIND and EXEC for a BO that was evicted),
 * unless the caller has CAP_SYS_RESOURCE. A BO that is shared counts for the file that has made it,
 * and for no other, as long as anybody has it. One that was closed counts until the batches that
 * use it are done.
 *
 * A BO with the color REPLICATE has a copy on each tile of the mask, one behind the other in the
 * order of the tiles. Its size is that of one copy, here, in BO_INFO and in VM_BIND. A bind maps
 * the tile's own copy into the page tables of each tile; a tile without a copy gets the first one.
 * What a job writes is in the copies of its tiles alone, so such a BO is mostly mapped READONLY.
 * mmap() takes all copies, one behind the other, as a dma-buf has them. It is evicted and brought
 * back as one BO, each copy with what it had. It takes memory for all copies.
 *
 * Such a BO cannot be recolored, nor can another BO become one (EOPNOTSUPP), because the bytes of a
 * BO, of its mmap() and of its dma-buf are those of its creation. A program that wants copies of
 * another BO creates them, has a batch on each tile copy the bytes, and then binds the copies at
 * the other BO's address by one call.
 *
 * A BO that is *private* to a VM costs the VM's jobs less. It can be mapped in that VM only
 * (VM_BIND of another VM: EPERM), it has one handle for its life, and it cannot be exported
 * (EPERM). It may outlive the VM, but then it cannot be mapped for the GPU any more.
 */
struct drm_xetile_bo_create {
	/** @size: in: bytes wanted; out: bytes given */
	__u64 size;
	/**
	 * @granule: CHUNK only: chunk size in bytes, a multiple of the color
	 * page; 0 is the default of one color page. Must be 0 with other colors
	 */
	__u64 granule;
	/**
	 * @runs: struct drm_xetile_color_run, the map of MAP, the weights of WEIGHTED;
	 * with other colors data and count are 0
	 */
	struct drm_xetile_array runs;
	/** @placement: mask of DRM_XETILE_PLACE_*, not 0. Color applies to HBM only */
	__u32 placement;
	/** @flags: mask of DRM_XETILE_BO_* */
	__u32 flags;
	/** @color: one of enum drm_xetile_color; EVEN (0) for BOs that never lie in HBM */
	__u32 color;
	/** @tile_mask: tiles to color over, bit n is tile n; 0 is all tiles */
	__u32 tile_mask;
	/** @vm_id: id of the VM the BO is private to; 0: the BO is not private */
	__u32 vm_id;
	/** @handle: out: GEM handle */
	__u32 handle;
};

/**
 * define DRM_XETILE_SHARE_IMPORTED - the BO has the memory of a buffer of another device
 */
#define DRM_XETILE_SHARE_IMPORTED	(1ull << 0)
/**
 * define DRM_XETILE_SHARE_PEER - across the bus
 *
 * An import: this card uses the memory of the exporter's device. An exported BO: another device
 * uses this card's HBM.
 */
#define DRM_XETILE_SHARE_PEER		(1ull << 1)
/**
 * define DRM_XETILE_SHARE_SYSTEM - by way of system memory
 *
 * An import: it lies there. An exported BO: another device uses it there, and the BO stays there
 * meanwhile.
 */
#define DRM_XETILE_SHARE_SYSTEM		(1ull << 2)
/**
 * define DRM_XETILE_SHARE_PINNED - another device keeps the BO from being moved
 */
#define DRM_XETILE_SHARE_PINNED		(1ull << 3)

/**
 * struct drm_xetile_bo_info - what a BO is, and where its pages lie now
 *
 * The kernel writes at most as many runs as @runs has room for. It sets the count of @runs to
 * the number of runs that exist, which may be larger: with a count of 0 the call only tells
 * this number. An import has one run in system memory, wherever its exporter has it. A BO that was
 * purged has none.
 */
struct drm_xetile_bo_info {
	/** @size: out: size in bytes */
	__u64 size;
	/** @granule: out: chunk size in bytes for CHUNK, else 0 */
	__u64 granule;
	/**
	 * @runs: struct drm_xetile_color_run; in: room at its data in elements; out:
	 * number of runs
	 */
	struct drm_xetile_array runs;
	/** @handle: GEM handle */
	__u32 handle;
	/** @placement: out: mask of DRM_XETILE_PLACE_* given at creation */
	__u32 placement;
	/** @flags: out: mask of DRM_XETILE_BO_* given at creation */
	__u32 flags;
	/**
	 * @color: out: color given at creation, or to all of the BO by a recolor later; MAP when
	 * ranges of it were recolored since. The runs tell where the pages lie
	 */
	__u32 color;
	/** @tile_mask: out: tiles it is colored over */
	__u32 tile_mask;
	/**
	 * @vm_id: out: the VM given at creation; 0 for a BO that is not private, or whose
	 * VM was given up
	 */
	__u32 vm_id;
	/**
	 * @share: out: mask of DRM_XETILE_SHARE_*. An import is neither PEER nor SYSTEM before
	 * it is mapped in a VM, and after its exporter has moved it until the next job
	 */
	__u64 share;
	/**
	 * @pinned: out: 1: it stays in HBM, see &struct drm_xetile_bo_pin; else 0. Since version
	 *	1.7
	 */
	__u32 pinned;
	/** @pad: zero */
	__u32 pad;
};

/**
 * define DRM_XETILE_MAX_RECOLOR_RUNS - the most elements in all the runs of a recolor together
 */
#define DRM_XETILE_MAX_RECOLOR_RUNS	65536

/**
 * struct drm_xetile_bo_range - a range of a BO, and its new color
 */
struct drm_xetile_bo_range {
	/** @offset: where the range begins in the BO, in bytes; a multiple of the color page */
	__u64 offset;
	/** @size: bytes, a multiple of the color page, not 0; within the BO */
	__u64 size;
	/** @granule: as of &struct drm_xetile_bo_create */
	__u64 granule;
	/** @runs: as of &struct drm_xetile_bo_create; a map covers the range exactly */
	struct drm_xetile_array runs;
	/** @color: one of enum drm_xetile_color, for the pages of the range alone */
	__u32 color;
	/** @tile_mask: tiles to color over, bit n is tile n; 0 is all tiles */
	__u32 tile_mask;
};

/**
 * struct drm_xetile_bo_recolor - give a BO, or ranges of it, another color
 *
 * All ranges are recolored or, when the call fails, none. Pages keep their contents, and their
 * addresses for the GPU and for the CPU. A BO has any number of ranges with colors of their own:
 * the map that they make together has no limit of &DRM_XETILE_MAX_ARRAY runs.
 *
 * The call waits, interruptibly, for the fences to wait for, and then until no batch uses the BO,
 * and no bind that waits keeps it where it is. While batches follow each other without a pause,
 * it keeps new ones of the VMs that map the BO from starting, for ten seconds at most. It does not
 * wait for the copy: batches that are submitted from then on do, and the fences that it signals
 * say that the pages are in their new places. Only pages whose tile changes are copied. If there
 * are none, the call waits for no batch.
 *
 * All batches that use the BO are waited for, also those that use other pages of it, and those of
 * all VMs that map it. Work on other BOs goes on, and so do recolors of them.
 *
 * When a tile is full, the same happens as for &struct drm_xetile_bo_create; but pages that find no
 * room, of a BO that is not STRICT, stay where they are until there is room. A BO that lies in
 * system memory lies as its new color says when it comes back. All pages get their new places
 * before one leaves its old place. So when two pages of a STRICT BO exchange places on tiles that
 * are full, the BO goes to system memory if its placement allows that, and comes back with its new
 * color; else the answer is ENOSPC.
 *
 * When the copy fails, the BO's content is lost, see &struct drm_xetile_exec, and the fences that
 * the call signals carry an error.
 *
 * Errors besides the general ones: EINVAL for no range, ranges that overlap or are not within the
 * BO, a BO that may not lie in HBM, a color whose arguments do not fit the range; ENOSPC for a BO
 * that HBM can never hold, with STRICT and without PLACE_SYSTEM also for a color that a tile is
 * too small for.
 */
struct drm_xetile_bo_recolor {
	/** @ranges: struct drm_xetile_bo_range, at least one; in any order */
	struct drm_xetile_array ranges;
	/** @syncs: struct drm_xetile_sync */
	struct drm_xetile_array syncs;
	/** @handle: GEM handle */
	__u32 handle;
	/** @flags: zero */
	__u32 flags;
};

/**
 * enum drm_xetile_advice - where a range of a BO that moves on access is to lie for batches
 */
enum drm_xetile_advice {
	/** @DRM_XETILE_ADVICE_DEFAULT: as the color says, which takes earlier advice back */
	DRM_XETILE_ADVICE_DEFAULT = 0,
	/** @DRM_XETILE_ADVICE_TILE: in the HBM of a tile, instead of those that the color names */
	DRM_XETILE_ADVICE_TILE = 1,
	/**
	 * @DRM_XETILE_ADVICE_SYSTEM: in system memory, which batches use across the bus. It suits
	 *	a range that the CPU touches often, and batches seldom
	 */
	DRM_XETILE_ADVICE_SYSTEM = 2,
	/**
	 * @DRM_XETILE_ADVICE_READ_MOSTLY: as the color says, and copies on the other tiles that map
	 *	the range, because batches only read it. A batch that writes it faults. Since
	 *	version 1.9
	 */
	DRM_XETILE_ADVICE_READ_MOSTLY = 3,
};

/**
 * struct drm_xetile_bo_advice - advice about a range of a BO
 */
struct drm_xetile_bo_advice {
	/** @offset: where it begins, in bytes; a multiple of &DRM_XETILE_MIGRATE_RANGE */
	__u64 offset;
	/**
	 * @size: bytes, not 0, within the BO; a multiple of &DRM_XETILE_MIGRATE_RANGE, or up to
	 * the end of the BO
	 */
	__u64 size;
	/** @advice: one of enum drm_xetile_advice */
	__u32 advice;
	/** @tile: TILE: number of the tile; else 0 */
	__u32 tile;
};

/**
 * struct drm_xetile_bo_advise - say where ranges of a BO that moves on access are best
 *
 * The call takes all advice or, when it fails, none. Of ranges that overlap the last one counts.
 * It moves nothing and waits for nothing: the next EXEC of the VM brings each of these ranges where
 * it is to lie, and waits for that until the batches of the VM are done that were submitted before,
 * if the range is elsewhere. From then on the range returns there, whatever has moved it: the
 * advice is kept until the BO is closed. Addresses and contents stay.
 *
 * Advice is no promise. When a tile is full, a range that comes from another tile stays there until
 * there is room, and nothing is evicted for it unless the BO is STRICT; a range that comes from
 * system memory finds its place as any BO does. A range that is to lie in system memory stays in
 * HBM if BOs have all the system memory that they may have, or the control group of the process
 * that made the BO may not have more. BO_INFO tells where the ranges are.
 *
 * With READ_MOSTLY each tile that maps a range, and on which not all of it lies, gets a copy when
 * it has room, and batches on the tile read that at the same address. All mappings of the range
 * become read-only, as with &DRM_XETILE_BIND_READONLY: an EXEC waits until the batches are done
 * that may write it, and a batch that writes it later is a page fault, and bans its queue. The CPU
 * may write it: its touch of HBM moves the range to system memory, where it ends the copies, and
 * the next EXEC brings the range back and makes them anew. Nothing is evicted for a copy, and a
 * copy is the first to go when others want HBM: then its tile reads the range where it lies.
 * BO_INFO does not tell of copies. They count as memory of the file, as purgeable memory while no
 * batch runs (drm-purgeable-hbm0 of fdinfo and so on), and towards the limits of HBM; a copy beyond
 * a limit is not made. Other advice ends the copies, and the next EXEC makes the range writable.
 *
 * Errors besides the general ones: EOPNOTSUPP for a BO without &DRM_XETILE_BO_MIGRATE; EINVAL for
 * no range, a range that is not within the BO or not of whole pieces, a tile that is missing, a
 * tile without TILE, and for all ranges together of more than &DRM_XETILE_MAX_RANGES pieces.
 */
struct drm_xetile_bo_advise {
	/** @ranges: struct drm_xetile_bo_advice, at least one */
	struct drm_xetile_array ranges;
	/** @handle: GEM handle */
	__u32 handle;
	/** @flags: zero */
	__u32 flags;
};

/**
 * define DRM_XETILE_PIN_END - end the pin of a BO; without the flag the BO is pinned
 */
#define DRM_XETILE_PIN_END		(1u << 0)

/**
 * struct drm_xetile_bo_pin - have a BO stay in HBM
 *
 * A BO that is pinned is not evicted, whoever wants its HBM, and keeps its pages on the tiles where
 * they are. The call brings it to HBM before, as &struct drm_xetile_bo_create says for a tile that
 * is full; then it waits, interruptibly, until no batch uses the BO. A BO that lies in HBM, with
 * the color or not, is pinned without any wait. The pin ends with PIN_END, when the BO is closed,
 * and when the BO must go after all:
 *
 * - a recolor moves pages of it;
 * - the CPU touches it where the CPU does not reach its HBM (@hbm_visible of
 *   &struct drm_xetile_query_tile), and it moves to system memory;
 * - the card is gone, or is reset as a whole.
 *
 * Then the kernel signals the eventfd of the pin, so that a program finds out by poll(), and
 * BO_INFO tells which BO it was. It may be pinned again. While the machine sleeps the content of
 * HBM is kept elsewhere, and is back in its place before a batch runs: pins stay.
 *
 * Pinned BOs of a user, in all files together, take at most as much of a tile's HBM as the
 * module's parameter user_bo_pins allows (in MiB; 0, the default, stands for a quarter of the HBM
 * that BOs can have there): EDQUOT, unless the caller has CAP_SYS_RESOURCE. Those of all users
 * take at most half of it: ENOSPC for anybody. A pin that was made stays when a limit becomes
 * less. The user is as for &struct drm_xetile_queue_create.
 *
 * Errors besides the general ones: EOPNOTSUPP for a BO that is not private to a VM, or that moves
 * on access; EINVAL for a BO that may not lie in HBM or that may be purged, and for @event_fd that
 * is no eventfd; ENOSPC when HBM has no room. To pin a BO that is pinned replaces its eventfd, and
 * to end a pin that is not there is no error. A call that fails pins nothing, but may have brought
 * the BO to HBM.
 */
struct drm_xetile_bo_pin {
	/** @handle: GEM handle */
	__u32 handle;
	/** @flags: DRM_XETILE_PIN_END or 0 */
	__u32 flags;
	/** @event_fd: eventfd to signal when the BO must go; -1: none, also with PIN_END */
	__s32 event_fd;
	/** @pad: zero */
	__u32 pad;
};

/**
 * define DRM_XETILE_PURGE_ALLOW - the BO may be purged; without the flag the BO is needed again
 */
#define DRM_XETILE_PURGE_ALLOW		(1u << 0)

/**
 * struct drm_xetile_bo_purge - say whether the content of a BO may be dropped
 *
 * For BOs that a program keeps to use them again, without need for what is in them. When a tile
 * is full, BOs that may be purged and that no batch uses go before all others, and nothing of them
 * is copied: the BO has no memory any more. Until then it keeps its content, and may be used.
 *
 * A BO that was purged is as one whose content is lost: EXEC and VM_BIND answer ENODATA as long as
 * they would map it, so that it should be unmapped before; BO_RECOLOR answers ENODATA; and the
 * CPU gets SIGBUS where it is mapped. The call without ALLOW takes it back into use. If the BO was
 * purged, it gets memory then, as a new BO does, and reads zero, to batches and to the CPU; it
 * keeps its handle, color and addresses. If it was not, nothing has changed. Of several calls that
 * begin while the BO is purged, all tell that it was.
 *
 * A BO that the CPU has brought to system memory, or that lay there before, is not purged as long
 * as it lies there. The bytes that may be purged are in the fdinfo of the file, as drm-purgeable-
 * and the name of the tile's HBM. Since version 1.8.
 *
 * Errors besides the general ones: EOPNOTSUPP for a BO that is not private to a VM, so that others
 * may need its content, or that moves on access; EINVAL for a BO that may not lie in HBM, and with
 * ALLOW for one that is pinned; without ALLOW also those of &struct drm_xetile_bo_create for memory
 * that is not there: then the BO may still be purged. To say the same again is no error.
 */
struct drm_xetile_bo_purge {
	/** @handle: GEM handle */
	__u32 handle;
	/** @flags: DRM_XETILE_PURGE_ALLOW or 0 */
	__u32 flags;
	/**
	 * @retained: out: 1: the BO was not purged when the call began; 0: it was. A call that a
	 * signal has ended, and that is made again, begins anew.
	 */
	__u32 retained;
	/** @pad: zero */
	__u32 pad;
};

/**
 * struct drm_xetile_bo_mmap - make a BO mappable through mmap() of the DRM file
 */
struct drm_xetile_bo_mmap {
	/** @handle: GEM handle */
	__u32 handle;
	/** @flags: zero */
	__u32 flags;
	/** @offset: out: offset to hand to mmap() */
	__u64 offset;
};

/* --- address spaces ------------------------------------------------------ */

/**
 * struct drm_xetile_vm_create - make a GPU address space
 *
 * A file has 1024 VMs at most: EDQUOT. All files of a user have together at most as many VMs that
 * live as the module's parameter user_vms allows (262144 by default, a quarter of those that a card
 * can tell apart): EDQUOT, unless the caller has CAP_SYS_RESOURCE.
 *
 * Page tables and contexts take HBM that nothing moves away when others want room. Those of a user,
 * in all files together, take at most as much of a tile as the module's parameter user_pinned
 * allows (in MiB; 0, the default, stands for an eighth of the HBM that BOs can have there, or of
 * the HBM that the CPU reaches if that is less). Beyond that VM_CREATE, VM_BIND (also an unmapping
 * that would split a large leaf), QUEUE_CREATE, and an EXEC that has to map evicted BOs anew answer
 * EDQUOT, unless the caller has CAP_SYS_RESOURCE. The user is as for &struct
 * drm_xetile_queue_create.
 */
struct drm_xetile_vm_create {
	/** @flags: zero */
	__u32 flags;
	/** @vm_id: out: id of the VM, never 0 */
	__u32 vm_id;
};

/**
 * struct drm_xetile_vm_destroy - give a VM up
 *
 * Queues of the VM keep it alive until they are destroyed.
 */
struct drm_xetile_vm_destroy {
	/** @vm_id: id of the VM */
	__u32 vm_id;
	/** @pad: zero */
	__u32 pad;
};

/**
 * define DRM_XETILE_SYNC_SIGNAL - signal the syncobj when done; else the call waits for it first
 */
#define DRM_XETILE_SYNC_SIGNAL		(1u << 0)
/**
 * define DRM_XETILE_SYNC_TIMELINE - the syncobj is a timeline, @point counts
 */
#define DRM_XETILE_SYNC_TIMELINE	(1u << 1)

/**
 * struct drm_xetile_sync - a fence to wait for, or to signal
 */
struct drm_xetile_sync {
	/** @handle: syncobj handle */
	__u32 handle;
	/** @flags: mask of DRM_XETILE_SYNC_* */
	__u32 flags;
	/** @point: timeline point; 0 without TIMELINE; not 0 with TIMELINE and SIGNAL */
	__u64 point;
};

/**
 * enum drm_xetile_bind_op - what a bind does
 */
enum drm_xetile_bind_op {
	/** @DRM_XETILE_BIND_MAP: map a range of a BO, in place of older mappings */
	DRM_XETILE_BIND_MAP = 0,
	/** @DRM_XETILE_BIND_UNMAP: unmap a range of addresses; holes in it are no error */
	DRM_XETILE_BIND_UNMAP = 1,
	/**
	 * @DRM_XETILE_BIND_MAP_USER: map memory of the calling process, in place of older mappings,
	 *	see &struct drm_xetile_vm_bind; EOPNOTSUPP without &DRM_XETILE_CAP_USER
	 */
	DRM_XETILE_BIND_MAP_USER = 2,
	/**
	 * @DRM_XETILE_BIND_MAP_NULL: map no memory, without faults: the GPU reads zero there,
	 *	and its writes are dropped
	 */
	DRM_XETILE_BIND_MAP_NULL = 3,
};

/**
 * define DRM_XETILE_BIND_READONLY - the GPU may not write through the mapping
 */
#define DRM_XETILE_BIND_READONLY	(1u << 0)

/**
 * struct drm_xetile_bind - one bind of a &struct drm_xetile_vm_bind
 */
struct drm_xetile_bind {
	/** @addr: GPU address, a multiple of the bind alignment, see &struct drm_xetile_vm_bind */
	__u64 addr;
	/** @range: bytes, a multiple of the bind alignment, not 0; within the address space */
	__u64 range;
	/**
	 * @offset: MAP: offset in the BO, a multiple of the bind alignment; MAP_USER: address in
	 * the calling process, as well; else 0
	 */
	__u64 offset;
	/** @op: one of enum drm_xetile_bind_op */
	__u32 op;
	/** @flags: MAP, MAP_USER: mask of DRM_XETILE_BIND_*; else 0 */
	__u32 flags;
	/** @handle: MAP: GEM handle; else 0 */
	__u32 handle;
	/** @tile_mask: tiles whose page tables change, bit n is tile n; 0 is all tiles */
	__u32 tile_mask;
};

/**
 * struct drm_xetile_vm_bind - change what an address space maps
 *
 * Either all binds of a call take effect, in their order, or, when the call fails, none. They take
 * effect after the fences that the call waits for, and after earlier calls on the same bind queue.
 * Calls on different bind queues of a VM do not wait for each other, unless they are *near*: then
 * the later one takes effect after the earlier one. The range of a call goes from its lowest to its
 * highest address, rounded out to 2 MiB, or to 1 GiB where the call changes a part of a mapping
 * that one leaf of 1 GiB makes. Calls whose ranges do not overlap are not near, as long as they
 * find room for page tables of their own.
 *
 * Jobs that are submitted to the VM after the call wait for binds on the VM's own bind queue, and
 * see them. They wait for a bind on another bind queue if a fence that the bind signals is among
 * the fences they wait for, or if a bind on the VM's own bind queue waits for it because both are
 * near. They may also wait when a buffer that is mapped in the bind's range, or will be, was
 * evicted, or when more than 32768 mappings are replaced. Jobs that do not wait see, at any address
 * of the range, the old mapping or the new one until the bind has taken effect. The bind keeps the
 * buffers of both where they are until then, as a batch keeps the buffers that it uses.
 *
 * When the fence that a bind signals has signalled, the page tables are changed, and batches that
 * are submitted from then on see the change. The fence does not say that memory is free: buffers
 * that the bind displaced are released a moment later, and freed when the last batch is done that
 * could see them.
 *
 * While batches of the VM run, a call waits, interruptibly, until the BOs that it maps are cleared,
 * or have been moved, because these batches do not wait for that. The call answers ENODATA if
 * clearing or moving failed. While no batches run, the call does not wait: batches that are
 * submitted later do, and tell ENODATA themselves.
 *
 * The bind alignment is @bind_align of &struct drm_xetile_query_device where a BO is mapped whose
 * placement allows HBM, and else @bind_align_system. A BO in whose placement HBM is keeps its
 * mapping in whole pieces of @bind_align: a bind that would cut such a piece answers EINVAL,
 * whether it unmaps the other part or maps something else there.
 *
 * MAP_USER maps addresses of the calling process, whatever is there and will be there: nothing is
 * pinned. The pages are looked up when a batch is submitted: EXEC then answers EFAULT when there is
 * no page, when the process may not write it (without READONLY), when it is memory of a device, or
 * when the process has ended, and no batch runs until this range is unmapped or has pages again.
 * When pages leave the process (munmap, fork, mprotect, MADV_DONTNEED, swap ...), the kernel waits
 * for all batches of the VM that were submitted; the next EXEC looks the pages up again. So a call
 * like munmap may take as long as these batches. A queue whose batches are not over by then is
 * banned, as if one took too long: after a minute, or a batch's timeout if that is longer, when the
 * process itself makes the call; after a batch's timeout when the kernel takes the pages, or before
 * the machine sleeps; after a second when the process ends. The GPU does not touch a page that has
 * left. The private pages of a child after fork are not the GPU's. On a bind queue, later batches
 * wait for a bind that maps, or displaces, memory of a process.
 *
 * A range has at most 256 GiB, and a VM at most 16384 of them (EDQUOT); a range that is unmapped
 * counts until the batches are over that may use it. Addresses that are not those of a process:
 * EINVAL. All ranges and imports of a user have at most 16 times the memory of the machine
 * (EDQUOT), unless the user has CAP_SYS_RESOURCE.
 *
 * A range stays that of the process that bound it. When another process has the VM too (a child
 * after fork, or one that the file was passed to), its batches use the memory of the process that
 * bound the range, as long as that one lives and has not called execve; then EXEC answers EFAULT.
 *
 * Without binds (a count of 0) the call is a fence on its bind queue.
 *
 * While 16384 batches and binds of the file are not done, the call answers EDQUOT, see &struct
 * drm_xetile_exec. Each call counts as one bind.
 *
 * At most 4096 calls of one VM can wait. They can wait for at most 65536 fences together, the calls
 * of a file for at most 131072, and the calls of all files of a user for at most as many as the
 * module's parameter user_fences allows (1048576 by default, more with CAP_SYS_RESOURCE). Fences of
 * one timeline count as one. Beyond these limits the call answers EDQUOT, and so does an EXEC that
 * has to map a BO anew behind calls that wait. The user is as for &struct drm_xetile_queue_create.
 *
 * When the VM's id and the last of its queues of classes other than BIND are gone, nothing can
 * see the effect of calls that still wait. These calls never take effect: their fences carry
 * ECANCELED, or ENODEV when the card is gone.
 *
 * EINVAL for a queue of another class or of another VM.
 */
struct drm_xetile_vm_bind {
	/** @binds: struct drm_xetile_bind */
	struct drm_xetile_array binds;
	/** @syncs: struct drm_xetile_sync */
	struct drm_xetile_array syncs;
	/** @vm_id: id of the VM */
	__u32 vm_id;
	/** @queue_id: a queue of class BIND of that VM; 0 is the VM's own bind queue */
	__u32 queue_id;
	/** @flags: zero */
	__u32 flags;
	/** @pad: zero */
	__u32 pad;
};

/* --- queues -------------------------------------------------------------- */

/**
 * enum drm_xetile_target - what a queue submits to
 */
enum drm_xetile_target {
	/** @DRM_XETILE_TARGET_ROOT: every tile at once, as one act with one fence */
	DRM_XETILE_TARGET_ROOT = 0,
	/** @DRM_XETILE_TARGET_TILE: one tile */
	DRM_XETILE_TARGET_TILE = 1,
	/** @DRM_XETILE_TARGET_CSLICE: one virtual compute slice of a tile */
	DRM_XETILE_TARGET_CSLICE = 2,
};

/**
 * enum drm_xetile_priority - order of queues that want the same engine
 *
 * A queue with a greater number goes first. Numbers without a name here are refused with
 * EINVAL; they are left for more names in between.
 */
enum drm_xetile_priority {
	/**
	 * @DRM_XETILE_PRIORITY_LOW: after all others, except for a turn now and then: one of the
	 *	queues of this priority that need an engine has it for 5 milliseconds when
	 *	higher priorities have kept them waiting for 80, and the next one 80 later
	 */
	DRM_XETILE_PRIORITY_LOW = -512,
	/** @DRM_XETILE_PRIORITY_NORMAL: the default */
	DRM_XETILE_PRIORITY_NORMAL = 0,
	/**
	 * @DRM_XETILE_PRIORITY_HIGH: before all others; needs CAP_SYS_NICE, else EACCES. It has an
	 *	engine for 80 of 85 milliseconds, if queues of NORMAL priority want it all the
	 *	time: they have a turn now and then, as those of LOW priority; and for 75 if
	 *	both want it
	 */
	DRM_XETILE_PRIORITY_HIGH = 512,
};

/**
 * define DRM_XETILE_QUEUE_BORROW - a queue may borrow idle compute slices
 *
 * For queues of class compute and of NORMAL priority, else EINVAL. The flag has an effect while
 * the tile's sysfs file ccs_mode_policy is "lend", and then on queues that have a tile in mode 2
 * or 4; otherwise none. Since version 1.11, see &DRM_XETILE_CAP_BORROW.
 *
 * A queue without work on its engines that gets some *borrows* all slices of its tiles, if no
 * other compute queue of any process has work on one of them, nor another process had in the last
 * second: its batches run in mode 1. A queue of several tiles borrows on all of them or none.
 * QUEUE_INFO tells the engine and the slices of the last batches.
 *
 * When another queue gets work on one of the tiles, the tile's engines take turns in the two
 * modes, as described at &struct drm_xetile_queue_create. The turns of the queue with the loan are
 * at most those of weight 100, divided by its own mode of the tile, or, if that is more, by the
 * number of slices on which others have work, up to 16. So beside others of weight 100 or more it
 * has no more of the tile than with its own slice, and they have 4 of 5 parts of the time if that
 * mode is 4, 2 of 3 if it is 2. They begin when the batch that runs has left its engine, or at
 * worst when the epoch is over in which it runs. A batch that has begun, and one behind it, run to
 * their end in this way; later ones have the queue's own slice, until one finds the tiles idle
 * again. Queues of LOW priority wait for their turns beside it as beside others of NORMAL priority
 * on their engine.
 *
 * A batch with a loan is asked to leave when others come, as at the end of any turn, and is
 * stopped if its threads do not leave in time (&DRM_XETILE_BAN_PREEMPT).
 *
 * While a queue has a loan its batches run by turns with those of the process's other queues, and
 * not at the same time: kernels of several virtual slices that wait for each other must not have
 * the flag. A batch must work with any number of slices.
 */
#define DRM_XETILE_QUEUE_BORROW		(1u << 1)

/**
 * define DRM_XETILE_QUEUE_REPLAY - batches of a queue can run again
 *
 * For queues of the classes compute and copy. Since version 1.12, see &DRM_XETILE_CAP_REPLAY.
 *
 * When a batch of another queue fails, the reset that stops it may take the engine from a batch of
 * this queue, which did nothing wrong. With the flag that batch is run again, from its begin, where
 * without it its fence would say EAGAIN. Nor does a batch say EAGAIN because the state is lost that
 * earlier batches have set up. @resets of &struct drm_xetile_queue_info counts the loss.
 *
 * The caller vouches that each batch of the queue sets up all the state that it needs, and does the
 * same when it, or a batch behind it, was done before, in part or as a whole: that it does not
 * count, nor overwrite what it reads, and that a value it waits for is still there. On a ROOT queue
 * all tiles run the batch again or none does, and with it the batches behind it that a tile has
 * begun.
 *
 * A batch is run again two times at most: when it is lost once more, its fence says EAGAIN after
 * all. Its time (@timeout_ms of &struct drm_xetile_queue_create) begins anew each time. A batch
 * that fails by itself is not run again, unless it faults just while its engine waits for another
 * batch's reset.
 */
#define DRM_XETILE_QUEUE_REPLAY		(1u << 2)

/**
 * struct drm_xetile_queue_create - make a place to submit to
 *
 * Virtual cslices are numbered 0..mode-1 within the process. Two queues of one process on the same
 * number share a physical engine; queues on different numbers never do. The driver chooses the
 * physical engine of a number by load when work is submitted; the engine may change while the slice
 * is idle.
 *
 * A ROOT or TILE queue of class compute uses virtual cslice 0 of its tiles. A
 * ROOT queue of class copy uses a copy engine of tile 0 only.
 *
 * A queue of class compute has a *mode* of each of its tiles for its life: as many engines share
 * out the tile's compute slices while its batches run. That is @ccs_mode if the caller wants one,
 * and else the tile's own mode at the time of the call (@ccs_mode of
 * &struct drm_xetile_query_tile). Queues of several modes may be on a tile at once: then its
 * engines take turns in the modes. When a mode's time is over, which is four time slices of the
 * queues that run in it, and queues of another mode have work, the tile's engines are emptied at
 * their slices' ends, and come into the mode of the queue that has waited longest; a queue of
 * higher priority has its mode at once. So a queue waits for such a time of each that waited before
 * it at worst. Queues that all have one mode never wait for that. Virtual cslices of several modes
 * are counted apart.
 *
 * The administrator says with the tile's sysfs file ccs_mode_policy what may be wanted: with
 * "epochs", the default, any mode of the tile (@ccs_modes); with "lend" as well, and idle slices
 * can be borrowed (&DRM_XETILE_QUEUE_BORROW); with "fixed" the tile's own mode alone, others are
 * EBUSY; with "default" each queue has the tile's own mode, whatever it wants, and a slice that
 * this mode does not have is EINVAL. EINVAL for a mode that a tile of the queue does not have.
 *
 * The process is the one that makes this call, not the one that opened the card: a child that
 * inherits the file, or a process that the file is sent to, has virtual cslices of its own for the
 * queues it makes, whichever process submits to them.
 *
 * A file has 1024 queues at most: EDQUOT. A queue that was destroyed counts until its last batch is
 * done. A queue has a context on each of its tiles. All queues of a user, in all files together,
 * have at most as many contexts as the module's parameter user_contexts allows (8192 by default),
 * so that other users get some of the card's contexts: EDQUOT, unless the caller has
 * CAP_SYS_RESOURCE. The user is the one who opened the file, by the user id outside of all user
 * namespaces: a user with several such ids, because a range of them was given to the user's own
 * namespace, has so many contexts with each id.
 *
 * When 32 batches of a file, or 64 of all files of a user, were stopped in the last 60 seconds
 * (ETIME or EIO, see &struct drm_xetile_exec), the call answers ECANCELED for queues of classes
 * other than BIND. Batches of files that were closed count, too. With CAP_SYS_RESOURCE batches of
 * the user's other files do not count. Queues that exist go on.
 */
struct drm_xetile_queue_create {
	/** @vm_id: the VM batches run in */
	__u32 vm_id;
	/** @engine_class: one of enum drm_xetile_engine_class */
	__u32 engine_class;
	/** @target: one of enum drm_xetile_target */
	__u32 target;
	/** @tile: TILE and CSLICE: tile number; else 0 */
	__u32 tile;
	/** @cslice: CSLICE: virtual cslice number, class compute only; else 0 */
	__u32 cslice;
	/** @priority: one of enum drm_xetile_priority */
	__s32 priority;
	/**
	 * @weight: 1..1000; 0 is the default of 100. The share of engine time. Queues of equal
	 *	priority that need the same engines share these first by process, and those of
	 *	a process among themselves, as their weights say: with 300 beside 100 three
	 *	quarters, whatever the lengths of batches. A process has the weight that its
	 *	queues with work for the engine have on average, and no larger share for more
	 *	of them. What counts is the time for which the engines are given to a queue;
	 *	a queue of several tiles has all of them for that time. Over a second shares
	 *	hold within 5 %, and apart from one turn. A process that has nothing to run
	 *	saves no time up, and owes none for engines that nobody else wanted. One whose
	 *	queue left an engine late owes that: no queue of it has a turn until the others
	 *	have had as much by their weights, or what ten seconds are at weight 100. It owes
	 *	nothing any more when it has destroyed its last queue, so shares hold among
	 *	processes that keep their queues.
	 *	Queues whose engines differ, but not wholly, as one of all tiles and one of a
	 *	tile, have a turn for each process, which is as long as its weight says, within
	 *	the bounds that the administrator sets for time slices
	 */
	__u32 weight;
	/**
	 * @flags: mask of &DRM_XETILE_QUEUE_BORROW and &DRM_XETILE_QUEUE_REPLAY; class BIND: zero
	 */
	__u32 flags;
	/**
	 * @timeout_ms: milliseconds of engine time a batch may take before it is stopped and
	 *	the queue is banned; 0 is the time that the administrator sets, which is ten
	 *	seconds when the module is loaded. A time outside of the bounds that the
	 *	administrator sets needs CAP_SYS_NICE, else EACCES. A batch is asked to leave
	 *	its engine when another queue's turn has come. If it does not leave in the time
	 *	that the administrator sets for that, which is 640 milliseconds when the module
	 *	is loaded, it is stopped like one that took too long.
	 */
	__u32 timeout_ms;
	/** @queue_id: out: id of the queue, never 0 */
	__u32 queue_id;
	/**
	 * @ccs_mode: class compute: 1, 2 or 4 engines of each of its tiles, or 0: the tile's own
	 *	mode; other classes: 0. Since version 1.10, see &DRM_XETILE_CAP_CCS_MODE
	 */
	__u32 ccs_mode;
	/** @pad: zero */
	__u32 pad;
};

/**
 * struct drm_xetile_queue_destroy - give a queue up
 *
 * Batches, and binds, already submitted run to their end; batches not longer than the file is
 * open.
 */
struct drm_xetile_queue_destroy {
	/** @queue_id: id of the queue */
	__u32 queue_id;
	/** @pad: zero */
	__u32 pad;
};

/**
 * struct drm_xetile_queue_member - the part of a queue on one tile
 */
struct drm_xetile_queue_member {
	/** @tile: tile number */
	__u16 tile;
	/**
	 * @instance: physical engine instance it is bound to, or was last; 0xffff
	 * before the first submit
	 */
	__u16 instance;
	/** @cslice_mask: physical compute slices of that engine; 0 for copy */
	__u32 cslice_mask;
	/** @reserved: zero; room for later additions */
	__u64 reserved;
};

/**
 * define DRM_XETILE_QUEUE_BANNED - the queue runs nothing any more, see @ban
 */
#define DRM_XETILE_QUEUE_BANNED		(1u << 0)

/**
 * enum drm_xetile_ban_reason - why a queue is banned
 */
enum drm_xetile_ban_reason {
	/** @DRM_XETILE_BAN_NONE: the queue is not banned */
	DRM_XETILE_BAN_NONE = 0,
	/** @DRM_XETILE_BAN_TIMEOUT: a batch did not end within the queue's timeout */
	DRM_XETILE_BAN_TIMEOUT = 1,
	/** @DRM_XETILE_BAN_PREEMPT: a batch did not leave its engine in time when asked to */
	DRM_XETILE_BAN_PREEMPT = 2,
	/**
	 * @DRM_XETILE_BAN_ERROR: an engine reported an error, such as a command it does not know
	 */
	DRM_XETILE_BAN_ERROR = 3,
	/** @DRM_XETILE_BAN_FAULT: a batch used an address that is not mapped for it */
	DRM_XETILE_BAN_FAULT = 4,
	/** @DRM_XETILE_BAN_WEDGED: the card is wedged */
	DRM_XETILE_BAN_WEDGED = 5,
	/** @DRM_XETILE_BAN_GONE: the card is gone */
	DRM_XETILE_BAN_GONE = 6,
};

/**
 * enum drm_xetile_access - how memory was used
 */
enum drm_xetile_access {
	/** @DRM_XETILE_ACCESS_READ: read */
	DRM_XETILE_ACCESS_READ = 0,
	/** @DRM_XETILE_ACCESS_WRITE: written, or changed by an atomic operation */
	DRM_XETILE_ACCESS_WRITE = 1,
	/**
	 * @DRM_XETILE_ACCESS_UNKNOWN: neither this nor the address is known, because a tile keeps
	 * one fault at a time, and accesses of several of its engines failed together; since
	 * version 1.14
	 */
	DRM_XETILE_ACCESS_UNKNOWN = 2,
};

/**
 * struct drm_xetile_queue_ban - why a queue is banned, and on which engine
 */
struct drm_xetile_queue_ban {
	/** @fault_addr: FAULT: GPU address of the 4 KiB page, if it is known; else 0 */
	__u64 fault_addr;
	/** @reason: one of enum drm_xetile_ban_reason */
	__u32 reason;
	/** @fault_access: FAULT: one of enum drm_xetile_access; else 0 */
	__u32 fault_access;
	/**
	 * @tile: tile of the engine; like @engine_class and @instance 0 for WEDGED and
	 * GONE, and when the queue was on no engine any more
	 */
	__u16 tile;
	/** @engine_class: class of the engine, one of enum drm_xetile_engine_class */
	__u16 engine_class;
	/** @instance: physical instance number of the engine */
	__u16 instance;
	/** @pad: zero */
	__u16 pad;
};

/**
 * struct drm_xetile_queue_info - the state of a queue
 */
struct drm_xetile_queue_info {
	/** @queue_id: id of the queue */
	__u32 queue_id;
	/** @flags: out: &DRM_XETILE_QUEUE_BANNED or 0 */
	__u32 flags;
	/** @resets: out: engine resets that batches of this queue caused, or were lost in */
	__u32 resets;
	/** @num_members: out: number of elements of @members that are valid */
	__u32 num_members;
	/**
	 * @cslices_used: out: compute slices of the card the queue's members
	 * reach together, those of its last batches, see &DRM_XETILE_QUEUE_BORROW
	 */
	__u32 cslices_used;
	/** @cslices_total: out: compute slices of the card; the fraction's denominator */
	__u32 cslices_total;
	/** @ban: out: why it is banned */
	struct drm_xetile_queue_ban ban;
	/** @members: out: one element for each tile */
	struct drm_xetile_queue_member members[DRM_XETILE_MAX_TILES];
};

/**
 * struct drm_xetile_exec - run a batch
 *
 * On a ROOT compute queue of a card with T tiles the batch is started on one context for each
 * tile, on all of them or none; each context has its partition number 0..T-1 in register WPARID
 * and 8 in the partition stride register before the batch begins. The fences of @syncs signal
 * once, when every tile is done. A tile that is done with a batch goes on at the queue's next one,
 * whatever the other tiles do: a batch that needs what they did waits for the fence.
 *
 * All that the queue's VM maps is resident while the batch runs. A batch must end with
 * MI_BATCH_BUFFER_END. A batch that does not end in time is stopped, and its fences carry the
 * error ETIME; a batch that faults, or holds a command the engine does not know, is stopped at
 * once, with EIO. The queue is banned: fences of the batches behind it carry ECANCELED, EXEC on
 * it answers ECANCELED.
 *
 * Without a batch the call is a fence: the syncobjs signal when the fences waited for have
 * signalled and all batches that were submitted to the queue before are done.
 *
 * While 4096 batches of the queue have not begun the call waits until one has; a signal ends
 * the wait. While 16384 batches and binds of the file are not done, on all its queues and VMs
 * together, the call does not wait but answers EDQUOT, because they may wait for fences that
 * the caller itself has to signal.
 *
 * When the card cannot clear or move a BO (bad memory, a failing copy engine) the content of
 * the BO is lost, for good. A batch that was submitted before the loss is known is not run, and
 * its fences carry ENODATA; the queue is not banned. From then on EXEC and VM_BIND answer
 * ENODATA as long as they would map the BO, and the CPU gets SIGBUS where it is mapped.
 */
struct drm_xetile_exec {
	/**
	 * @batch: GPU address of the batch (with @num_batches 1), or user pointer to one __u64
	 *	address for each tile. Addresses are multiples of 8
	 */
	__u64 batch;
	/** @syncs: struct drm_xetile_sync */
	struct drm_xetile_array syncs;
	/** @queue_id: id of the queue */
	__u32 queue_id;
	/**
	 * @num_batches: 1, or the number of tiles of a ROOT compute queue; 0: no batch,
	 * @batch is 0
	 */
	__u32 num_batches;
	/** @flags: zero */
	__u32 flags;
	/** @pad: zero */
	__u32 pad;
};

/* --- programs that use the calls of xe ------------------------------------ */

/**
 * define DRM_XETILE_PROCESS_COLOR - @color, @granule, @tile_mask and @min_size count
 */
#define DRM_XETILE_PROCESS_COLOR	(1u << 0)
/**
 * define DRM_XETILE_PROCESS_CSLICE - @cslice counts
 */
#define DRM_XETILE_PROCESS_CSLICE	(1u << 1)

/**
 * struct drm_xetile_process - colors and slices of a process that knows of none
 *
 * The calls of xe put a buffer into the memory of the tile that the caller names, and have neither
 * colors nor virtual slices. This call says for the calling process and this card what they do
 * from now on: which color the buffers get that may lie in HBM alone, and on which virtual slice
 * the queues are that are made for the first compute engine. It does so as long as the file is open
 * in which it was made, and past that as long as the process has a queue. So a program that is not
 * changed gets colors from the one that starts it: a process makes the call, keeps the file open
 * and calls exec(). Children of the process are other processes.
 *
 * A later call replaces all of what an earlier one has said; one without flags takes it back. The
 * calls of this interface do not heed it.
 *
 * Errors besides the general ones: EINVAL for an unknown flag, a field that is not zero without its
 * flag, a slice that no tile can have, a color that is none of EVEN, TILE, CHUNK and FOLLOW, or
 * whose arguments do not fit; and for a file in which another process has made the call.
 * EOPNOTSUPP without &DRM_XETILE_CAP_XE. Since version 1.13.
 */
struct drm_xetile_process {
	/** @min_size: buffers of fewer bytes stay as the program asks for */
	__u64 min_size;
	/** @granule: CHUNK: bytes of a chunk, as in &struct drm_xetile_bo_create */
	__u64 granule;
	/** @flags: mask of DRM_XETILE_PROCESS_* */
	__u32 flags;
	/**
	 * @color: of &enum drm_xetile_color. TILE: on the tile that the program asks for, but when
	 * that has no room, on another one
	 */
	__u32 color;
	/** @tile_mask: tiles that the color uses; 0: all. TILE: 0 */
	__u32 tile_mask;
	/** @cslice: number of the virtual slice, from 0 */
	__u32 cslice;
};

#if defined(__cplusplus)
}
#endif

#endif /* _XETILE_DRM_H_ */
