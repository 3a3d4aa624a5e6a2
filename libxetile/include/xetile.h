/* SPDX-License-Identifier: MIT */
#ifndef _XETILE_H_
#define _XETILE_H_

/**
 * DOC: libxetile
 *
 * A thin C library over the xetile driver. The library has these objects:
 *
 * - a *platform*: the cards that this process may see, found once, in PCI order;
 * - a *device*: a card (root), one of its tiles, or one virtual compute slice
 *   (cslice) of a tile. Devices belong to the platform and end with the platform;
 * - a *context*: an open file of one card with one GPU address space. Memory,
 *   modules, queues and events belong to a context; destroy them first;
 * - *memory*: a buffer object mapped into the context's address space, with a
 *   color that says which tile holds which page;
 * - *modules* (compiled kernels), *queues* (places to submit to) and *events*
 *   (fences of submitted work).
 *
 * A function that can fail returns a negative errno value when it fails, and sets
 * the text that xetile_last_error() returns to the same thread. A function that
 * closes, frees or destroys an object accepts NULL. A call that fails changes
 * nothing.
 *
 * Thread safety: several threads may use the objects of one context at once, if no
 * two threads use the same object at once. Any number of threads may use the same
 * context, and wait for the same event. Functions of the planner and the parsers of
 * text have no state. Devices of a platform are read only.
 *
 * Structs that a call fills may grow at their end in later versions. So these calls take the
 * struct's size, which a macro of the same name adds: a C program leaves it out. A program that
 * was built with an older header gets what it knows; with a newer one it finds zeros in fields
 * that the library does not have.
 *
 * Sizes and addresses are in bytes. Arrays of three are in the order x, y, z, and x
 * is the fastest dimension.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#if defined(__cplusplus)
extern "C" {
#endif

#define XETILE_VERSION_MAJOR	0
#define XETILE_VERSION_MINOR	1
/**
 * define XETILE_SUB_DEVICES_BY_CSLICE - a tile can be split into its cslices
 */
#define XETILE_SUB_DEVICES_BY_CSLICE	1

#define XETILE_MAX_TILES	4
#define XETILE_MAX_CSLICES	4
/**
 * define XETILE_COLOR_PAGE - granule of coloring in bytes
 */
#define XETILE_COLOR_PAGE	65536u

struct xetile_platform;
struct xetile_device;
struct xetile_context;
struct xetile_mem;
struct xetile_module;
struct xetile_kernel;
struct xetile_queue;
struct xetile_event;

/**
 * xetile_last_error() - text of the calling thread's last failure
 *
 * Return: a text that is valid until the thread's next call into the library, or an
 * empty text when no call failed yet. Never NULL.
 */
const char *xetile_last_error(void);

/* --- platform and devices ------------------------------------------------ */

/**
 * enum xetile_device_kind - kinds of devices
 */
enum xetile_device_kind {
	/** @XETILE_DEVICE_ROOT: a whole card */
	XETILE_DEVICE_ROOT = 0,
	/** @XETILE_DEVICE_TILE: one tile */
	XETILE_DEVICE_TILE = 1,
	/** @XETILE_DEVICE_CSLICE: one virtual compute slice of a tile */
	XETILE_DEVICE_CSLICE = 2,
};

/**
 * enum xetile_hierarchy - the devices at the top, by ZE_FLAT_DEVICE_HIERARCHY
 */
enum xetile_hierarchy {
	/** @XETILE_COMPOSITE: cards are at the top, the default */
	XETILE_COMPOSITE = 0,
	/** @XETILE_FLAT: tiles are at the top and have no parent */
	XETILE_FLAT = 1,
	/** @XETILE_COMBINED: tiles are at the top, and the cards are their parents */
	XETILE_COMBINED = 2,
};

/**
 * enum xetile_partition - ways to part a device into sub-devices
 */
enum xetile_partition {
	/** @XETILE_PARTITION_NUMA: by affinity domain: a card's tiles, each with its HBM */
	XETILE_PARTITION_NUMA = 1,
	/** @XETILE_PARTITION_CSLICE: by compute slice: those of a tile, which share all else */
	XETILE_PARTITION_CSLICE = 2,
};

/**
 * struct xetile_device_info - description of a device
 */
struct xetile_device_info {
	/** @kind: kind of the device */
	enum xetile_device_kind kind;
	/** @card: number of the card, in PCI order over those that this process may open */
	uint32_t card;
	/** @tile: TILE and CSLICE: number of the tile; ROOT: 0 */
	uint32_t tile;
	/** @cslice: CSLICE: number of the virtual cslice; else 0 */
	uint32_t cslice;
	/** @flat: number of the (first) tile in FLAT hierarchy without an affinity mask */
	uint32_t flat;
	/** @pci: PCI address, "0000:3a:00.0" */
	char pci[16];
	/** @node: path of the DRM node */
	char node[64];
	/** @device_id: PCI device id */
	uint32_t device_id;
	/** @revision: PCI revision id */
	uint32_t revision;
	/** @tile_mask: tiles that work on this device runs on; bit n is tile n */
	uint32_t tile_mask;
	/** @num_tiles: number of bits in @tile_mask */
	uint32_t num_tiles;
	/** @card_tiles: tiles of the card, hidden or not */
	uint32_t card_tiles;
	/**
	 * @num_eus: vector engines that the affinity mask leaves; of a cslice: its share of the
	 *           tile's
	 */
	uint32_t num_eus;
	/** @eus_per_dss: vector engines of a dual subslice */
	uint32_t eus_per_dss;
	/** @threads_per_eu: hardware threads of a vector engine with 128 registers each */
	uint32_t threads_per_eu;
	/** @max_slm: the most bytes of shared local memory that a work-group can have */
	uint32_t max_slm;
	/**
	 * @num_cslices: compute slices of all tiles of @tile_mask that the affinity mask leaves;
	 *               of a cslice: 1
	 */
	uint32_t num_cslices;
	/** @ccs_mode: compute engines of the tile, or of a root's first tile, for the process */
	uint32_t ccs_mode;
	/** @ccs_modes: possible modes; bit n is mode n */
	uint32_t ccs_modes;
	/** @num_copy_engines: copy engines of the tile, or of a root's first tile */
	uint32_t num_copy_engines;
	/** @l3_banks: L3 banks of all tiles of @tile_mask */
	uint32_t l3_banks;
	/** @hbm_total: bytes of HBM of all tiles of @tile_mask */
	uint64_t hbm_total;
	/** @hbm_used: bytes of this HBM that all processes use */
	uint64_t hbm_used;
	/** @hbm_visible: bytes of this HBM that the CPU can map */
	uint64_t hbm_visible;
	/** @timestamp_hz: frequency of the GPU timestamp */
	uint64_t timestamp_hz;
	/** @max_timeout_ms: the longest batch timeout that a queue can ask for */
	uint64_t max_timeout_ms;
	/** @caps: mask of the driver's DRM_XETILE_CAP_* */
	uint64_t caps;
	/** @implicit_scaling: true when work on this device spreads over its tiles */
	bool implicit_scaling;
	/** @name: what the card is sold as, such as "Data Center GPU Max 1550" */
	char name[40];
	/** @numa_node: the machine's node that is nearest to the card; -1: not known */
	int numa_node;
	/** @partitions: mask of the &enum xetile_partition that the device can be parted by */
	uint32_t partitions;
	/** @partitioned_by: the &enum xetile_partition that made the device; 0: a card */
	uint32_t partitioned_by;
};

/**
 * struct xetile_engine_info - one engine as it is now
 */
struct xetile_engine_info {
	/** @tile: the engine's tile */
	uint32_t tile;
	/** @is_copy: the engine is a copy engine, else a compute engine */
	bool is_copy;
	/** @instance: physical instance */
	uint32_t instance;
	/** @cslice_mask: compute slices that the engine owns now */
	uint32_t cslice_mask;
	/** @num_eus: vector engines that the engine can use */
	uint32_t num_eus;
};

/**
 * xetile_platform_open() - find the cards that this process may use
 * @out: the platform
 *
 * The function reads the environment:
 *
 * - ZE_AFFINITY_MASK hides all devices that its list does not name. The list has
 *   card[.tile[.cslice]] between commas; in FLAT and COMBINED hierarchy it has numbers
 *   of tiles, and an entry with a dot is ignored. An entry that names no device is
 *   skipped. Cards that are hidden, or do not answer, keep their numbers and those of
 *   their tiles. A card that this process may not open, by the node's permissions or by a
 *   control group, has none: a batch system counts a job's cards from 0.
 * - ZE_FLAT_DEVICE_HIERARCHY is COMPOSITE (default), FLAT or COMBINED.
 * - XETILE_IMPLICIT_SCALING, or else EnableImplicitScaling, switches implicit scaling:
 *   0 or 1 (default).
 * - MultiStoragePolicy, a key of Intel's runtime, is the color of buffers that name none:
 *   0 is EVEN (default), 1 and 2 are CHUNK with chunks of MultiStorageGranularity KiB, a
 *   multiple of 64 (default 64). The granularity has no effect with policy 0. -1 is the
 *   default of both.
 * - XETILE_STATE_DIR, XDG_STATE_HOME and HOME say where a card's measured ratios are, see
 *   xetile_distance.h.
 * - ZEX_NUMBER_OF_CCS (card:mode[,...]) names the CCS mode that the process has the tiles of a
 *   card in: its devices have that many cslices, and its queues that mode, whatever other
 *   processes have, if the administrator's policy allows that. With a driver that cannot do that
 *   xetile_context_create() puts the card into the mode for all. Without the variable the cslices
 *   are those of the mode that a tile is in when the platform is opened.
 *
 * Return: 0, also when there is no card; -EINVAL when a variable does not follow its
 * grammar; -ENOMEM; when no card answers, the error of the last one; -ENODEV when
 * ZE_AFFINITY_MASK has numbers of tiles, but the number of a card's tiles is not known.
 */
int xetile_platform_open(struct xetile_platform **out);

/**
 * xetile_platform_close() - free a platform and its devices
 * @platform: may be NULL
 */
void xetile_platform_close(struct xetile_platform *platform);

/**
 * xetile_platform_hierarchy() - the hierarchy of a platform
 * @platform: the platform
 *
 * Return: the hierarchy.
 */
enum xetile_hierarchy xetile_platform_hierarchy(const struct xetile_platform *platform);

/**
 * xetile_platform_num_devices() - number of devices at the top
 * @platform: the platform
 *
 * Return: the number of cards in COMPOSITE hierarchy, else the number of tiles.
 */
unsigned int xetile_platform_num_devices(const struct xetile_platform *platform);

/**
 * xetile_platform_device() - one device at the top
 * @platform: the platform
 * @index: 0..xetile_platform_num_devices()-1
 *
 * Return: the device, or NULL when @index is too large.
 */
struct xetile_device *xetile_platform_device(struct xetile_platform *platform,
					     unsigned int index);

/**
 * xetile_platform_select() - find a device by its selector
 * @platform: the platform
 * @selector: "card", "card.tile" or "card.tile.cslice" in decimal numbers, the same
 *            in every hierarchy; the affinity mask does not change the numbers. Or a card's PCI
 *            address or node, such as "3a:00.0" or "renderD128". NULL: the device that the
 *            variable XETILE_DEVICE_SELECTOR names so, or else the first one.
 * @out: the device
 *
 * Return: 0; -EINVAL for a text that is no selector; -ENODEV when the device does
 * not exist or the mask hides the device.
 */
int xetile_platform_select(struct xetile_platform *platform, const char *selector,
			   struct xetile_device **out);

/**
 * xetile_device_num_sub_devices() - number of parts of a device
 * @device: the device
 *
 * A root splits into its tiles. A tile splits into cslices, as many as its CCS mode
 * says, or none in mode 1. A cslice does not split. The order never changes.
 *
 * Return: the number, 0 when the device does not split.
 */
unsigned int xetile_device_num_sub_devices(const struct xetile_device *device);

/**
 * xetile_device_sub_device() - one part of a device
 * @device: the device
 * @index: 0..xetile_device_num_sub_devices()-1
 *
 * Return: the sub-device, or NULL when @index is too large.
 */
struct xetile_device *xetile_device_sub_device(struct xetile_device *device,
					       unsigned int index);

/**
 * xetile_device_partition() - part a device
 * @device: the device
 * @by: the way
 * @subs: room for the sub-devices, may be NULL when @max is 0
 * @max: elements at @subs
 *
 * The sub-devices are always the same, in the same order: those of xetile_device_sub_device().
 *
 * Return: the number of sub-devices, which may exceed @max; -EOPNOTSUPP, not supported, when the
 * device cannot be parted so: see &xetile_device_info.partitions; -EINVAL.
 */
int xetile_device_partition(struct xetile_device *device, enum xetile_partition by,
			    struct xetile_device **subs, unsigned int max);

/**
 * xetile_device_parent() - the device whose part a device is
 * @device: the device
 *
 * Return: the parent; NULL for a root, and for a tile in FLAT hierarchy.
 */
struct xetile_device *xetile_device_parent(const struct xetile_device *device);

/**
 * xetile_device_selector() - the selector that names a device
 * @device: the device
 * @buf: room for the text
 * @size: bytes at @buf; 32 are always enough
 */
void xetile_device_selector(const struct xetile_device *device, char *buf, size_t size);

/**
 * xetile_device_get_info() - describe a device as it is now
 * @device: the device
 * @info: the description
 * @size: bytes of the struct
 *
 * Return: 0; -ENODEV when the card is gone; -EIO when the driver's answer makes no
 * sense; errors of opening the node.
 */
int xetile_device_get_info(struct xetile_device *device, struct xetile_device_info *info,
			   size_t size);
#define xetile_device_get_info(device, info)					\
	xetile_device_get_info(device, info, sizeof(struct xetile_device_info))

/**
 * xetile_device_get_engines() - engines of a device's tiles, as they are now
 * @device: the device
 * @engines: room for the answer, may be NULL when @max is 0
 * @max: elements at @engines
 * @size: bytes of an element
 *
 * A queue on @device may not reach all these engines: the list of a cslice has all
 * engines of its tile, and the list of a root has copy engines of tiles other than
 * its first.
 *
 * Return: the number of engines, which may exceed @max; or an error of
 * xetile_device_get_info().
 */
int xetile_device_get_engines(struct xetile_device *device,
			      struct xetile_engine_info *engines, unsigned int max,
			      size_t size);
#define xetile_device_get_engines(device, engines, max)				\
	xetile_device_get_engines(device, engines, max, sizeof(struct xetile_engine_info))

/**
 * xetile_device_distance() - distance of a memory from a tile
 * @device: any device of the card
 * @tile: tile whose engines access
 * @memory: tile whose HBM is accessed; -1 for system memory
 *
 * Return: the distance, where 10 is the tile's own HBM; -ENOENT when the driver knows no
 * such distance; or an error of xetile_device_get_info().
 */
int xetile_device_distance(struct xetile_device *device, unsigned int tile, int memory);

/**
 * xetile_device_get_ccs_mode() - the CCS mode of a tile: its compute engines now
 * @device: a tile; a root stands for its first tile, a cslice for its tile
 *
 * Return: 1, 2 or 4; or the error of reading the mode in sysfs.
 */
int xetile_device_get_ccs_mode(struct xetile_device *device);

/**
 * xetile_device_set_ccs_mode() - put tiles into a CCS mode
 * @device: a tile; a root stands for all its tiles, a cslice for its tile
 * @mode: compute engines per tile: 1, 2 or 4
 * @timeout_ms: for so many milliseconds the call sleeps, at most, for each tile, until the
 *              mode can change; 0: do not wait; -1: wait for ever
 *
 * The mode is that of queues that want none of their own. With the policies "epochs" and "lend" it
 * changes at once, and queues that exist keep theirs; with others it cannot change while there are
 * compute queues on the tile.
 *
 * Setting the present mode always succeeds. When one tile of a root cannot change, the
 * tiles that changed before are put back. The cslices of an open platform stay as they
 * are: open a new platform after a change. The sleep needs no CPU time. All who wait
 * for a tile are woken at once, in no order; a wait ends, too, when the card goes.
 *
 * Return: 0; -EINVAL for a mode that the tile does not have; -EBUSY while compute
 * queues exist on the tile that forbid it, and the text names their processes to root; -EACCES
 * without the permission to write the mode; -ETIMEDOUT; -EIO or -ENODEV when the card is wedged or
 * goes.
 */
int xetile_device_set_ccs_mode(struct xetile_device *device, unsigned int mode,
			       int timeout_ms);

/* --- context ------------------------------------------------------------- */

/**
 * xetile_context_create() - open a card
 * @device: any device of the card
 * @out: the context
 *
 * Return: 0; -EACCES, -ENOENT, -ENODEV from opening the node; -EPROTO when the node
 * belongs to another driver; -ENOMEM; when ZEX_NUMBER_OF_CCS names the card, -EINVAL for a mode
 * that a tile does not have, and errors of xetile_device_set_ccs_mode().
 */
int xetile_context_create(struct xetile_device *device, struct xetile_context **out);

/**
 * xetile_context_destroy() - close a card
 * @context: may be NULL; destroy all objects of the context before
 */
void xetile_context_destroy(struct xetile_context *context);

/* --- memory -------------------------------------------------------------- */

/**
 * enum xetile_color - which tile holds which page of a buffer
 */
enum xetile_color {
	/**
	 * @XETILE_COLOR_DEFAULT: EVEN over the device's tiles; xetile_mem_alloc(): unless
	 * MultiStoragePolicy asks for CHUNK
	 */
	XETILE_COLOR_DEFAULT = 0,
	/** @XETILE_COLOR_EVEN: contiguous shares; the first tiles have one page more */
	XETILE_COLOR_EVEN = 1,
	/** @XETILE_COLOR_TILE: all pages on tile &xetile_mem_desc.tile */
	XETILE_COLOR_TILE = 2,
	/** @XETILE_COLOR_CHUNK: chunks of &xetile_mem_desc.granule dealt round-robin */
	XETILE_COLOR_CHUNK = 3,
	/** @XETILE_COLOR_WEIGHTED: contiguous shares; .pages of each run is a tile's weight */
	XETILE_COLOR_WEIGHTED = 4,
	/** @XETILE_COLOR_MAP: the runs of &xetile_mem_desc.runs */
	XETILE_COLOR_MAP = 5,
	/** @XETILE_COLOR_FOLLOW: contiguous shares, in the proportions of a partitioned launch */
	XETILE_COLOR_FOLLOW = 6,
	/**
	 * @XETILE_COLOR_REPLICATE: a copy of all pages on each of the device's tiles. Work on a
	 * tile reads the tile's own copy, all at the same address, and may not write there: a
	 * kernel that does so faults. A copy or fill whose destination is such a buffer writes
	 * all its copies, on a queue of class COPY_SPLIT or COPY_NEAREST. The CPU sees the copies
	 * one behind the other, in the order of the tiles. Only a whole buffer can be recolored to
	 * and from this color, see xetile_mem_recolor()
	 */
	XETILE_COLOR_REPLICATE = 7,
};

/**
 * define XETILE_TILE_SYSTEM - tile number that stands for system memory
 */
#define XETILE_TILE_SYSTEM	0xffffu

/**
 * struct xetile_run - a run of color pages on one tile
 */
struct xetile_run {
	/** @tile: tile number, or XETILE_TILE_SYSTEM in answers */
	uint32_t tile;
	/** @pages: length in color pages */
	uint32_t pages;
};

/**
 * define XETILE_MEM_SYSTEM - the buffer lies in system memory and has no color
 */
#define XETILE_MEM_SYSTEM	(1u << 0)
/**
 * define XETILE_MEM_SPILL - the buffer may also lie in system memory
 *
 * A device that does not reach the card's HBM can import no other buffer of HBM.
 */
#define XETILE_MEM_SPILL	(1u << 1)
/**
 * define XETILE_MEM_STRICT - no page lies on another tile than the color says
 *
 * When a tile has no room, the call fails; with XETILE_MEM_SPILL the buffer lies in
 * system memory instead.
 */
#define XETILE_MEM_STRICT	(1u << 2)

/**
 * define XETILE_MEM_LEAST_OCCUPIED - on the tile with the most free HBM
 *
 * For the color TILE: of the device's tiles, and &xetile_mem_desc.tile does not count. For EVEN and
 * DEFAULT, which is EVEN then: a buffer of one page. The driver chooses once, and
 * xetile_mem_color() tells the tile. -EOPNOTSUPP for drivers before 1.6.
 */
#define XETILE_MEM_LEAST_OCCUPIED	(1u << 4)

/**
 * define XETILE_MEM_PRIVATE - the buffer is the context's alone
 *
 * Launches cost less with it, and it can be pinned and purged. It cannot be exported (-EPERM).
 */
#define XETILE_MEM_PRIVATE	(1u << 5)

/**
 * struct xetile_mem_desc - description of a new buffer; a zero field means the default
 */
struct xetile_mem_desc {
	/** @size: bytes */
	uint64_t size;
	/** @color: which tile holds which page */
	enum xetile_color color;
	/** @flags: mask of XETILE_MEM_* */
	uint32_t flags;
	/** @tile: TILE only: tile number on the card */
	uint32_t tile;
	/** @num_runs: elements at @runs */
	uint32_t num_runs;
	/** @granule: CHUNK only: bytes of a chunk, a multiple of 64 KiB; 0 is 64 KiB */
	uint64_t granule;
	/** @runs: MAP: together they cover the buffer exactly; WEIGHTED: one for each tile */
	const struct xetile_run *runs;
};

/**
 * xetile_mem_alloc() - allocate a buffer and map it for the GPU
 * @context: the context
 * @device: the buffer lies in this device's memory: on all tiles of a root with implicit
 *          scaling, on the tile of a tile or cslice; a color may name other tiles
 * @desc: size, color and flags
 * @out: the memory
 *
 * The buffer reads zero and has the same GPU address on all tiles.
 *
 * Return: 0; -EINVAL; -ENOSPC when HBM or the address space has no room;
 * -ENOMEM; -EOPNOTSUPP for a color that the driver does not have yet.
 */
int xetile_mem_alloc(struct xetile_context *context, struct xetile_device *device,
		     const struct xetile_mem_desc *desc, struct xetile_mem **out);

/**
 * xetile_color_parse() - read a color from a text
 * @text: even, follow, replicate, tile:N, tile:least (XETILE_MEM_LEAST_OCCUPIED), chunk:SIZE,
 *        weighted:WEIGHT,..., map:TILE*PAGES,... or map:FILE, where the file holds such a list
 * @desc: the call sets its color, tile, granule, runs and the one flag
 *
 * Return: 0; -EINVAL; -ENOMEM; the error of opening a file. A call that fails leaves
 * @desc unchanged.
 */
int xetile_color_parse(const char *text, struct xetile_mem_desc *desc);

/**
 * xetile_color_free() - free the runs that xetile_color_parse() made
 * @desc: the description; a buffer allocated with it stays
 */
void xetile_color_free(struct xetile_mem_desc *desc);

/**
 * xetile_color_runs() - the tiles that a color asks for; no card is needed
 * @desc: size and color of a buffer, at most 1 TiB
 * @tile_mask: tiles of the device that it is for, see &xetile_device_info.tile_mask; not 0. TILE
 *	and MAP may name other tiles, and whether the card has them is not known here.
 * @runs: room for the answer, may be NULL when @max is 0
 * @max: elements at @runs
 *
 * Where the pages of a buffer lie once it is there, xetile_mem_color() tells: a tile may have no
 * room. Copies (REPLICATE) are one behind the other, in the order of the tiles, as the CPU sees
 * them.
 *
 * Return: the number of runs, of which the first @max are written; -EINVAL for a size or a mask out
 * of range, a color that does not fit them, or XETILE_MEM_SYSTEM or XETILE_MEM_LEAST_OCCUPIED.
 */
int xetile_color_runs(const struct xetile_mem_desc *desc, uint32_t tile_mask,
		      struct xetile_run *runs, unsigned int max);

/**
 * xetile_size_parse() - read a number of bytes from a text
 * @text: decimal digits, then nothing or one of k, m, g for powers of 1024
 * @size: the number
 *
 * Return: 0, or -EINVAL.
 */
int xetile_size_parse(const char *text, uint64_t *size);

/**
 * xetile_mem_free() - free a buffer
 * @mem: may be NULL; no work that uses the buffer may be under way
 */
void xetile_mem_free(struct xetile_mem *mem);

/**
 * xetile_mem_map() - map a buffer for the CPU
 * @mem: the memory
 * @out: its first byte; valid until xetile_mem_free(), or a recolor to or from REPLICATE
 *
 * Return: 0, or an error of the driver or of mmap().
 */
int xetile_mem_map(struct xetile_mem *mem, void **out);

/**
 * xetile_mem_address() - GPU address of a buffer
 * @mem: the memory
 *
 * Return: the address, the same on every tile.
 */
uint64_t xetile_mem_address(const struct xetile_mem *mem);

/**
 * xetile_mem_size() - size of a buffer
 * @mem: the memory
 *
 * Return: the bytes that the driver gave: the wanted size rounded up.
 */
uint64_t xetile_mem_size(const struct xetile_mem *mem);

/**
 * xetile_mem_color() - the tiles that hold the pages of a buffer now
 * @mem: the memory
 * @runs: room for the answer, may be NULL when @max is 0
 * @max: elements at @runs
 *
 * Return: the number of runs, which may exceed @max; or an error of the driver.
 */
int xetile_mem_color(struct xetile_mem *mem, struct xetile_run *runs, unsigned int max);

/**
 * xetile_mem_misplaced() - how much of a buffer does not lie where its color says, now
 * @mem: the memory
 * @bytes: the answer, a multiple of the color page; 0 for memory that has no color
 *
 * Without XETILE_MEM_STRICT the pages for which a tile has no room lie on another one, or in
 * system memory if the buffer may lie there.
 *
 * Return: 0; -ENOMEM; or an error of the driver.
 */
int xetile_mem_misplaced(struct xetile_mem *mem, uint64_t *bytes);

/**
 * struct xetile_mem_range - a range of a buffer and its new color
 */
struct xetile_mem_range {
	/** @offset: where the range begins, in bytes; a multiple of 64 KiB */
	uint64_t offset;
	/**
	 * @desc: the color of the range alone, as of a buffer of its size; the size is a multiple
	 *        of 64 KiB, or 0: to the end of the buffer; no flags
	 */
	struct xetile_mem_desc desc;
};

/**
 * xetile_mem_recolor() - give ranges of a buffer another color
 * @mem: the memory; not one in system memory alone
 * @device: as for xetile_mem_alloc()
 * @ranges: the ranges, which do not overlap, in any order
 * @num: number of them, 1 to 4096
 *
 * Pages whose tile changes are moved; contents and addresses stay. A buffer may have any number of
 * ranges with colors of their own. The call waits until no work uses the buffer, and work that is
 * launched later waits until the pages have been moved. When a tile has no room, pages stay where
 * they are until there is some; with XETILE_MEM_STRICT the call fails.
 *
 * To the color REPLICATE, from it, and from copies on some tiles to copies on others, one range
 * recolors the whole buffer. It has another number of bytes then, which the driver does not change
 * in place: so the library allocates another buffer of the driver, with the flags of this one, has
 * copy engines of @device's tiles copy the bytes, and puts it at the GPU address of the old one,
 * which it frees. What differs from other recolors:
 *
 * - HBM needs room for both, until the call returns.
 * - The call waits until the work has ended that was submitted to any queue of the context before,
 *   and until the bytes are copied. Work that others submit meanwhile is not held back: it finds
 *   the old buffer or the new one, and what it writes may be lost. So during the call, no thread
 *   may launch work that uses the buffer, or write it by the CPU.
 * - The mapping for the CPU ends, as memory does that realloc() moves: xetile_mem_map() makes
 *   another one, of all copies or of none, which may have any address.
 * - If the program has made copies differ, each byte becomes that of any one of them.
 * - A pin has to end before, and contents must not be allowed to go (-EINVAL).
 * - An object of a pool, unified shared memory, and a buffer that has been exported or imported,
 *   which others would keep as it was, cannot be recolored so (-EOPNOTSUPP).
 *
 * Return: 0; -EINVAL; -ENOSPC when HBM, or the address space, has no room; -ENOMEM; -EOPNOTSUPP for
 * a color, or a recolor at all, that the driver does not have yet, and for what cannot get copies
 * or lose them; for a recolor to or from REPLICATE also errors of xetile_queue_create(), of
 * xetile_copy() and of xetile_event_wait(). A call that fails changes nothing.
 */
int xetile_mem_recolor(struct xetile_mem *mem, struct xetile_device *device,
		       const struct xetile_mem_range *ranges, unsigned int num);

/**
 * xetile_mem_pin() - have a buffer stay in HBM
 * @mem: the memory, with XETILE_MEM_PRIVATE
 * @event_fd: an eventfd that is signalled when the buffer must go after all; -1: none
 *
 * No other memory takes its HBM, and its pages stay on the tiles where they are. The pin ends with
 * xetile_mem_unpin(), with the buffer, when a recolor moves pages of it, when the CPU touches it
 * where the CPU does not reach its HBM, and when the card is reset or gone. Another pin replaces
 * the eventfd.
 *
 * Return: 0; -EINVAL for an object of a pool, for memory of the program or in system memory, for
 * one that may be purged, and for @event_fd that is no eventfd; -EOPNOTSUPP for a buffer that is
 * not private, or that moves to where it is used, and for drivers before 1.7; -EDQUOT when the user
 * may pin no more; -ENOSPC when HBM has no room; -ENODATA.
 */
int xetile_mem_pin(struct xetile_mem *mem, int event_fd);

/**
 * xetile_mem_unpin() - let a buffer be evicted again
 * @mem: the memory; to end a pin that is not there is no error
 *
 * Return: 0, or an error of xetile_mem_pin().
 */
int xetile_mem_unpin(struct xetile_mem *mem);

/**
 * xetile_mem_allow_purge() - say that the contents of a buffer are not needed
 * @mem: the memory, with XETILE_MEM_PRIVATE; no work that uses it may be under way
 *
 * For buffers that a program keeps to use them again. When HBM is full, the driver takes theirs
 * first, and copies nothing. Until xetile_mem_forbid_purge() the GPU has nothing at the buffer's
 * address, which stays the buffer's, and an access of the CPU may end in SIGBUS.
 *
 * Return: 0, also if it was said before; -EINVAL for an object of a pool, for memory of the program
 * or in system memory, and for a buffer that is pinned; -EOPNOTSUPP for one that is not private, or
 * that moves to where it is used, and for drivers before 1.8.
 */
int xetile_mem_allow_purge(struct xetile_mem *mem);

/**
 * xetile_mem_forbid_purge() - take a buffer into use again
 * @mem: the memory
 *
 * If the contents were dropped, the buffer gets HBM as a new one does, and reads zero.
 *
 * Return: 1: it has its contents; 0: they were dropped; or an error of xetile_mem_alloc(): then
 * make the call again, because the GPU may still have nothing there.
 */
int xetile_mem_forbid_purge(struct xetile_mem *mem);

/**
 * xetile_mem_export() - make a file of a buffer, by which others share it
 * @mem: the memory
 *
 * Other contexts, processes, cards and drivers import the file, which is a dma-buf. Work of others
 * does not wait for work of this context: use events, or sync files, for the order.
 *
 * Return: the file's descriptor, which the caller closes, or an error of the driver. The file keeps
 * the memory after xetile_mem_free().
 */
int xetile_mem_export(struct xetile_mem *mem);

/**
 * xetile_mem_import() - make a buffer of a file, and map it for the GPU
 * @context: the context
 * @fd: of xetile_mem_export() of any context of any process, or a dma-buf of another driver; it
 *      stays open, and need not stay open
 * @out: the memory
 *
 * xetile_mem_color() tells the runs of a buffer of the same card. A buffer of another device is
 * told as system memory, see xetile_mem_share().
 *
 * Return: 0; -EEXIST when the context has this buffer already; -EBADF or -EINVAL when @fd is no
 * dma-buf; -EOPNOTSUPP when the card cannot reach the memory (see XETILE_MEM_SPILL), and of
 * drivers before 1.2 for a buffer of another device; -ENODATA when the exporter is gone; -ENOSPC;
 * -ENOMEM; other errors of the exporter.
 */
int xetile_mem_import(struct xetile_context *context, int fd, struct xetile_mem **out);

/**
 * xetile_mem_send() - hand a buffer to another process
 * @mem: the memory
 * @socket: a connected socket of the family AF_UNIX
 *
 * Sends one message, for one xetile_mem_receive().
 *
 * Return: 0, or an error of the driver or of sendmsg().
 */
int xetile_mem_send(struct xetile_mem *mem, int socket);

/**
 * xetile_mem_receive() - take a buffer from another process
 * @context: the context
 * @socket: the other end of the socket of xetile_mem_send()
 * @out: the memory
 *
 * Waits for the message.
 *
 * Return: 0; -EPIPE when the other end was closed; -EPROTO for another message; errors of
 * recvmsg() and of xetile_mem_import().
 */
int xetile_mem_receive(struct xetile_context *context, int socket, struct xetile_mem **out);

/**
 * define XETILE_SHARE_IMPORTED - the memory is another device's
 */
#define XETILE_SHARE_IMPORTED	(1u << 0)
/**
 * define XETILE_SHARE_PEER - one device uses the other one's memory across the bus
 */
#define XETILE_SHARE_PEER	(1u << 1)
/**
 * define XETILE_SHARE_SYSTEM - both devices use system memory
 */
#define XETILE_SHARE_SYSTEM	(1u << 2)
/**
 * define XETILE_SHARE_PINNED - another device keeps the buffer from being moved
 */
#define XETILE_SHARE_PINNED	(1u << 3)

/**
 * xetile_mem_share() - how a buffer is shared with other devices now
 * @mem: the memory
 *
 * Return: mask of XETILE_SHARE_*, 0 for drivers before 1.2; or an error of the driver.
 */
int xetile_mem_share(struct xetile_mem *mem);

#if defined(__cplusplus)
}
#endif

#include "xetile_distance.h"
#include "xetile_pool.h"
#include "xetile_usm.h"
#include "xetile_launch.h"
#include "xetile_graph.h"
#include "xetile_copy.h"
#include "xetile_explain.h"
#include "xetile_monitor.h"
#include "xetile_native.h"

#endif
