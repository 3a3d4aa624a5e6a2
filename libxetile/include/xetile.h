/* SPDX-License-Identifier: MIT */
#ifndef _XETILE_H_
#define _XETILE_H_

/**
 * DOC: libxetile
 *
 * A thin C library over the xetile driver. It knows five kinds of objects:
 *
 * - a *platform*: the cards this process may see, found once, in PCI order;
 * - a *device*: a card (root), one of its tiles, or one virtual compute slice
 *   (cslice) of a tile. Devices belong to the platform and live as long;
 * - a *context*: an open file of one card with one GPU address space. Memory,
 *   modules, queues and events belong to a context and must be given up before
 *   it;
 * - *memory*: a buffer object mapped into the context's address space, with a
 *   color that says which tile holds which page;
 * - *modules* (compiled kernels), *queues* (places to submit to) and *events*
 *   (fences of submitted work).
 *
 * Functions that can fail return 0 or a negative errno value and leave a text
 * for xetile_last_error(). Functions that give something up accept NULL. A call
 * that fails changes nothing. Objects of one context may be used from several
 * threads as long as no two threads use the same object at once, except for
 * the context itself and for events, which any thread may wait on.
 *
 * Sizes and addresses are in bytes, arrays of three are in the order x, y, z
 * with x the fastest dimension.
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
/** define XETILE_SUB_DEVICES_BY_CSLICE - tiles can be partitioned by cslice */
#define XETILE_SUB_DEVICES_BY_CSLICE	1

#define XETILE_MAX_TILES	4
#define XETILE_MAX_CSLICES	4
/** define XETILE_COLOR_PAGE - granule of coloring in bytes */
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
 * Return: a text that is valid until the thread's next call into the library;
 * empty when nothing failed yet. Never NULL.
 */
const char *xetile_last_error(void);

/* --- platform and devices ------------------------------------------------ */

/** enum xetile_device_kind - what a device stands for */
enum xetile_device_kind {
	/** @XETILE_DEVICE_ROOT: a whole card */
	XETILE_DEVICE_ROOT = 0,
	/** @XETILE_DEVICE_TILE: one tile */
	XETILE_DEVICE_TILE = 1,
	/** @XETILE_DEVICE_CSLICE: one virtual compute slice of a tile */
	XETILE_DEVICE_CSLICE = 2,
};

/** enum xetile_hierarchy - which devices are at the top, ZE_FLAT_DEVICE_HIERARCHY */
enum xetile_hierarchy {
	/** @XETILE_COMPOSITE: cards are at the top, the default */
	XETILE_COMPOSITE = 0,
	/** @XETILE_FLAT: tiles are at the top and have no parent */
	XETILE_FLAT = 1,
	/** @XETILE_COMBINED: tiles are at the top, their parents are the cards */
	XETILE_COMBINED = 2,
};

/** struct xetile_device_info - description of a device */
struct xetile_device_info {
	/** @kind: what the device stands for */
	enum xetile_device_kind kind;
	/** @card: number of the card, in PCI order over all cards of the machine */
	uint32_t card;
	/** @tile: TILE and CSLICE: number of the tile; else 0 */
	uint32_t tile;
	/** @cslice: CSLICE: number of the virtual cslice; else 0 */
	uint32_t cslice;
	/** @flat: number of the tile in FLAT hierarchy when nothing is hidden; of a root's first */
	uint32_t flat;
	/** @pci: PCI address, "0000:3a:00.0" */
	char pci[16];
	/** @node: path of the DRM node */
	char node[64];
	/** @device_id: PCI device id */
	uint32_t device_id;
	/** @revision: PCI revision id */
	uint32_t revision;
	/** @tile_mask: tiles of the card this device reaches, bit n is tile n */
	uint32_t tile_mask;
	/** @num_tiles: number of bits in @tile_mask */
	uint32_t num_tiles;
	/** @card_tiles: tiles the card has, seen or not */
	uint32_t card_tiles;
	/** @num_eus: vector engines: for a cslice its share of the tile */
	uint32_t num_eus;
	/** @eus_per_dss: vector engines of a dual subslice */
	uint32_t eus_per_dss;
	/** @threads_per_eu: hardware threads of a vector engine with 128 registers each */
	uint32_t threads_per_eu;
	/** @max_slm: shared local memory of a work-group at most, bytes */
	uint32_t max_slm;
	/** @num_cslices: compute slices, over all its tiles; 1 for a cslice */
	uint32_t num_cslices;
	/** @ccs_mode: compute engines per tile now; for a root that of its first tile */
	uint32_t ccs_mode;
	/** @ccs_modes: possible modes, bit n is mode n */
	uint32_t ccs_modes;
	/** @num_copy_engines: copy engines; a root reaches those of its first tile */
	uint32_t num_copy_engines;
	/** @l3_banks: L3 banks, over all its tiles */
	uint32_t l3_banks;
	/** @hbm_total: HBM, over all its tiles; a cslice tells its tile's */
	uint64_t hbm_total;
	/** @hbm_used: part of it in use by all processes */
	uint64_t hbm_used;
	/** @hbm_visible: part of it that the CPU can map */
	uint64_t hbm_visible;
	/** @timestamp_hz: frequency of the GPU timestamp */
	uint64_t timestamp_hz;
	/** @max_timeout_ms: longest batch timeout a queue can ask for */
	uint64_t max_timeout_ms;
	/** @caps: mask of DRM_XETILE_CAP_* as the driver tells them */
	uint64_t caps;
	/** @implicit_scaling: true when work on this device spreads over its tiles */
	bool implicit_scaling;
};

/** struct xetile_engine_info - one engine as it is now */
struct xetile_engine_info {
	/** @tile: tile it belongs to */
	uint32_t tile;
	/** @is_copy: a copy engine, else a compute engine */
	bool is_copy;
	/** @instance: physical instance */
	uint32_t instance;
	/** @cslice_mask: compute slices it owns now */
	uint32_t cslice_mask;
	/** @num_eus: vector engines it can use */
	uint32_t num_eus;
};

/**
 * xetile_platform_open() - find the cards this process may use
 * @out: the platform
 *
 * Reads the environment: ZE_AFFINITY_MASK (a comma list of
 * card[.tile[.cslice]]; in FLAT hierarchy of tile numbers, dotted entries are
 * ignored there) limits what is seen; ZE_FLAT_DEVICE_HIERARCHY is COMPOSITE
 * (default), FLAT or COMBINED; XETILE_IMPLICIT_SCALING or else
 * EnableImplicitScaling, 0 or 1 (default), switches implicit scaling;
 * ZEX_NUMBER_OF_CCS (card:mode[,...]) is what xetile_context_create() puts the
 * card into. Numbers of things that do not exist are skipped in the mask, text
 * that does not follow the grammar is an error.
 *
 * Return: 0, also when there is no card; -EINVAL for an environment that cannot
 * be understood; -ENOMEM.
 */
int xetile_platform_open(struct xetile_platform **out);

/** xetile_platform_close() - give a platform and its devices up
 * @platform: may be NULL
 */
void xetile_platform_close(struct xetile_platform *platform);

/** xetile_platform_hierarchy() - the hierarchy the top devices follow
 * @platform: the platform
 *
 * Return: the hierarchy.
 */
enum xetile_hierarchy xetile_platform_hierarchy(const struct xetile_platform *platform);

/** xetile_platform_num_devices() - number of devices at the top
 * @platform: the platform
 *
 * Return: cards in COMPOSITE hierarchy, else tiles.
 */
unsigned int xetile_platform_num_devices(const struct xetile_platform *platform);

/** xetile_platform_device() - one device at the top
 * @platform: the platform
 * @index: 0..xetile_platform_num_devices()-1
 *
 * Return: the device, or NULL when there is no such.
 */
struct xetile_device *xetile_platform_device(struct xetile_platform *platform,
					     unsigned int index);

/**
 * xetile_platform_select() - find a device by its selector
 * @platform: the platform
 * @selector: "card", "card.tile" or "card.tile.cslice", decimal, nothing else,
 *            in every hierarchy; numbers are those of the machine, whatever the
 *            affinity mask hides
 * @out: the device
 *
 * Return: 0; -EINVAL for text that is no selector; -ENODEV when there is no such
 * device, or the mask hides it.
 */
int xetile_platform_select(struct xetile_platform *platform, const char *selector,
			   struct xetile_device **out);

/** xetile_device_num_sub_devices() - number of parts a device can be split in
 * @device: the device
 *
 * A root splits into its tiles, a tile into as many cslices as its CCS mode
 * says (none in mode 1), a cslice into nothing. The order never changes.
 *
 * Return: 0 or the number.
 */
unsigned int xetile_device_num_sub_devices(const struct xetile_device *device);

/** xetile_device_sub_device() - one part of a device
 * @device: the device
 * @index: 0..xetile_device_num_sub_devices()-1
 *
 * Return: the sub-device, or NULL when there is no such.
 */
struct xetile_device *xetile_device_sub_device(struct xetile_device *device,
					       unsigned int index);

/** xetile_device_parent() - the device this is a part of
 * @device: the device
 *
 * Return: the parent; NULL for a root, and for a tile in FLAT hierarchy.
 */
struct xetile_device *xetile_device_parent(const struct xetile_device *device);

/** xetile_device_selector() - the selector that names a device
 * @device: the device
 * @buf: room for the text
 * @size: bytes at @buf; 32 are always enough
 */
void xetile_device_selector(const struct xetile_device *device, char *buf, size_t size);

/** xetile_device_get_info() - describe a device as it is now
 * @device: the device
 * @info: the description
 *
 * Return: 0; -ENODEV when the card is gone; -EIO for an answer that makes no
 * sense.
 */
int xetile_device_get_info(struct xetile_device *device, struct xetile_device_info *info);

/** xetile_device_get_engines() - engines of the tiles a device reaches, as they are now
 * @device: the device
 * @engines: room for the answer, may be NULL when @max is 0
 * @max: elements at @engines
 *
 * Not each of them can be reached by a queue of @device: a cslice is told all its
 * tile's, a root also copy engines of other tiles than its first.
 *
 * Return: the number of engines there are, which may exceed @max, or an error
 * as of xetile_device_get_info().
 */
int xetile_device_get_engines(struct xetile_device *device,
			      struct xetile_engine_info *engines, unsigned int max);

/** xetile_device_distance() - how far a memory is from a tile
 * @device: any device of the card
 * @tile: tile whose engines access
 * @memory: tile whose HBM is accessed; -1 for system memory
 *
 * Return: the distance, 10 is the tile's own HBM; or -ENOENT, or an error as of
 * xetile_device_get_info().
 */
int xetile_device_distance(struct xetile_device *device, unsigned int tile, int memory);

/** xetile_device_get_ccs_mode() - compute engines of a tile now
 * @device: a tile, or a root: its first tile
 *
 * Return: 1, 2 or 4, or an error.
 */
int xetile_device_get_ccs_mode(struct xetile_device *device);

/**
 * xetile_device_set_ccs_mode() - put tiles into a CCS mode
 * @device: a tile, or a root: all its tiles
 * @mode: compute engines per tile: 1, 2 or 4
 * @timeout_ms: 0: do not wait; else wait that many milliseconds at most for
 *              others to give the card up; -1: wait for ever. The wait sleeps.
 *
 * Setting the present mode always succeeds. When a tile of a root refuses, those
 * already changed are put back. The cslice sub-devices of an open platform do not
 * follow: open a new one.
 *
 * Return: 0; -EINVAL for a mode the tile cannot be in; -EBUSY while compute
 * queues exist on the tile, the text says whose; -EACCES; -ETIMEDOUT.
 */
int xetile_device_set_ccs_mode(struct xetile_device *device, unsigned int mode,
			       int timeout_ms);

/* --- context ------------------------------------------------------------- */

/**
 * xetile_context_create() - open a card
 * @device: any device of the card
 * @out: the context
 *
 * Return: 0; -EACCES, -ENOENT, -ENODEV from opening the node; -EPROTO when the
 * driver's interface is not the one this library knows; -ENOMEM; when
 * ZEX_NUMBER_OF_CCS names the card, errors of xetile_device_set_ccs_mode().
 */
int xetile_context_create(struct xetile_device *device, struct xetile_context **out);

/** xetile_context_destroy() - close a card
 * @context: may be NULL; everything made from it must have been given up
 */
void xetile_context_destroy(struct xetile_context *context);

/* --- memory -------------------------------------------------------------- */

/** enum xetile_color - which tile holds which page of a buffer */
enum xetile_color {
	/** @XETILE_COLOR_DEFAULT: EVEN over the device's tiles */
	XETILE_COLOR_DEFAULT = 0,
	/** @XETILE_COLOR_EVEN: contiguous shares, the first tiles one page more */
	XETILE_COLOR_EVEN = 1,
	/** @XETILE_COLOR_TILE: all on tile &xetile_mem_desc.tile */
	XETILE_COLOR_TILE = 2,
	/** @XETILE_COLOR_CHUNK: chunks of &xetile_mem_desc.granule dealt round-robin */
	XETILE_COLOR_CHUNK = 3,
	/** @XETILE_COLOR_WEIGHTED: contiguous shares, the weights are in the runs' pages */
	XETILE_COLOR_WEIGHTED = 4,
	/** @XETILE_COLOR_MAP: the runs of &xetile_mem_desc.runs */
	XETILE_COLOR_MAP = 5,
	/** @XETILE_COLOR_FOLLOW: contiguous shares as the hardware splits work */
	XETILE_COLOR_FOLLOW = 6,
	/** @XETILE_COLOR_REPLICATE: a copy on each tile at the same address */
	XETILE_COLOR_REPLICATE = 7,
};

/** define XETILE_TILE_SYSTEM - tile number that stands for system memory */
#define XETILE_TILE_SYSTEM	0xffffu

/** struct xetile_run - a run of color pages on one tile */
struct xetile_run {
	/** @tile: tile number, or XETILE_TILE_SYSTEM in answers */
	uint32_t tile;
	/** @pages: length in color pages */
	uint32_t pages;
};

/** define XETILE_MEM_SYSTEM - the buffer lies in system memory, it has no color */
#define XETILE_MEM_SYSTEM	(1u << 0)
/** define XETILE_MEM_SPILL - the buffer may also lie in system memory */
#define XETILE_MEM_SPILL	(1u << 1)
/**
 * define XETILE_MEM_STRICT - no page lies on another tile than the color says
 *
 * When a tile has no room the call fails; with XETILE_MEM_SPILL the buffer is in system
 * memory instead.
 */
#define XETILE_MEM_STRICT	(1u << 2)

/** struct xetile_mem_desc - what buffer is wanted; zero what you do not care for */
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
	/** @runs: MAP: covers the buffer exactly; WEIGHTED: one for each tile */
	const struct xetile_run *runs;
};

/**
 * xetile_mem_alloc() - allocate a buffer and map it for the GPU
 * @context: the context
 * @device: whose memory: a root spreads over its tiles, a tile or cslice is on
 *          that tile unless the color names others
 * @desc: what is wanted
 * @out: the memory
 *
 * The buffer reads zero. It has the same GPU address on all tiles.
 *
 * Return: 0; -EINVAL; -ENOSPC when HBM or the address space has no room;
 * -ENOMEM; -EOPNOTSUPP for a color the driver cannot do yet.
 */
int xetile_mem_alloc(struct xetile_context *context, struct xetile_device *device,
		     const struct xetile_mem_desc *desc, struct xetile_mem **out);

/**
 * xetile_color_parse() - understand a color given as text
 * @text: even, follow, replicate, tile:N, chunk:SIZE, weighted:WEIGHT,...,
 *        map:TILE*PAGES,... or map:FILE, where the file holds such a list
 * @desc: its color, tile, granule and runs are set, the rest stays
 *
 * Return: 0; -EINVAL; why a file cannot be read. @desc then is as it was.
 */
int xetile_color_parse(const char *text, struct xetile_mem_desc *desc);

/** xetile_color_free() - give up the runs xetile_color_parse() made
 * @desc: the description; the memory allocated with it stays
 */
void xetile_color_free(struct xetile_mem_desc *desc);

/** xetile_size_parse() - understand a number of bytes given as text
 * @text: decimal digits, then nothing or one of k, m, g for powers of 1024
 * @size: the number
 *
 * Return: 0, or -EINVAL.
 */
int xetile_size_parse(const char *text, uint64_t *size);

/** xetile_mem_free() - give a buffer up
 * @mem: may be NULL; no work that uses it may be under way
 */
void xetile_mem_free(struct xetile_mem *mem);

/** xetile_mem_map() - map a buffer for the CPU
 * @mem: the memory
 * @out: its first byte; valid until xetile_mem_free()
 *
 * Return: 0, or what the driver or mmap() says.
 */
int xetile_mem_map(struct xetile_mem *mem, void **out);

/** xetile_mem_address() - GPU address of a buffer
 * @mem: the memory
 *
 * Return: the address, the same on every tile.
 */
uint64_t xetile_mem_address(const struct xetile_mem *mem);

/** xetile_mem_size() - size of a buffer as given
 * @mem: the memory
 *
 * Return: bytes: what was asked for, rounded up to what the driver gave.
 */
uint64_t xetile_mem_size(const struct xetile_mem *mem);

/** xetile_mem_color() - where the pages of a buffer lie now
 * @mem: the memory
 * @runs: room for the answer, may be NULL when @max is 0
 * @max: elements at @runs
 *
 * Return: the number of runs there are, which may exceed @max; or an error.
 */
int xetile_mem_color(struct xetile_mem *mem, struct xetile_run *runs, unsigned int max);

/* --- the planner (pure: no device, no allocation) ------------------------- */

/** enum xetile_plan_rule - how the partitioned dimension is chosen */
enum xetile_plan_rule {
	/**
	 * @XETILE_PLAN_DEFAULT: z if it has more than one group and at most 5 %
	 * are left over; else y by the same test; else x if it divides; else the
	 * largest dimension, ties to x, then y. What Intel's user-mode driver does.
	 */
	XETILE_PLAN_DEFAULT = 0,
	/**
	 * @XETILE_PLAN_PUBLISHED: from the slowest dimension of more than one
	 * group to x: take the next one while more than 5 % are left over and the
	 * next one leaves less. What the published text says.
	 */
	XETILE_PLAN_PUBLISHED = 1,
};

/** struct xetile_plan - a static partition */
struct xetile_plan {
	/** @dim: partitioned dimension: 0 x, 1 y, 2 z */
	uint32_t dim;
	/** @parts: number of tiles */
	uint32_t parts;
	/** @groups: groups along @dim */
	uint32_t groups;
	/** @share: groups along @dim of each part but the last: ceil(groups / parts) */
	uint32_t share;
};

/** xetile_plan_partition() - choose the partition of a launch
 * @groups: number of work-groups in x, y, z, none 0
 * @tiles: number of tiles, 1..XETILE_MAX_TILES
 * @rule: how to choose
 * @plan: the partition
 *
 * Return: 0, or -EINVAL.
 */
int xetile_plan_partition(const uint32_t groups[3], unsigned int tiles,
			  enum xetile_plan_rule rule, struct xetile_plan *plan);

/** xetile_plan_part() - the groups of one tile
 * @plan: the partition
 * @part: 0..@plan->parts-1
 * @first: its first group along the dimension
 * @count: how many; 0 for a tile that gets none
 */
void xetile_plan_part(const struct xetile_plan *plan, unsigned int part,
		      uint32_t *first, uint32_t *count);

/** xetile_plan_color() - runs a color policy gives, without asking a driver
 * @color: EVEN, TILE, CHUNK or FOLLOW
 * @size: bytes of the buffer, not 0
 * @tile_mask: tiles to color over, not 0; TILE: just one
 * @granule: CHUNK: bytes of a chunk, or 0; else 0
 * @runs: room for the answer, may be NULL when @max is 0
 * @max: elements at @runs
 *
 * Return: the number of runs, which may exceed @max; or -EINVAL.
 */
int xetile_plan_color(enum xetile_color color, uint64_t size, uint32_t tile_mask,
		      uint64_t granule, struct xetile_run *runs, unsigned int max);

/** xetile_plan_sycl() - groups of a SYCL nd-range
 * @dims: dimensions, 1..3
 * @global: global range, its first element the slowest
 * @local: local range, same order; each divides its global
 * @groups: work-groups in x, y, z
 * @local_xyz: local size in x, y, z
 *
 * Return: 0, or -EINVAL.
 */
int xetile_plan_sycl(unsigned int dims, const uint64_t *global, const uint64_t *local,
		     uint32_t groups[3], uint32_t local_xyz[3]);

/** xetile_plan_openmp() - groups of an OpenMP loop nest
 * @collapse: number of loops collapsed, at least 1
 * @trips: trip counts, the outermost loop first
 * @local: work-items of a group, all of the innermost loop
 * @groups: work-groups in x, y, z
 *
 * Up to three loops keep a dimension each, the outermost the slowest. More are
 * made one loop: the whole nest is one-dimensional then.
 *
 * Return: 0; -EINVAL; -ERANGE when a dimension exceeds 32 bits of groups.
 */
int xetile_plan_openmp(unsigned int collapse, const uint64_t *trips, uint32_t local,
		       uint32_t groups[3]);

/* --- modules and kernels -------------------------------------------------- */

/**
 * xetile_module_load() - load compiled kernels ("zebin") for a context
 * @context: the context
 * @data: the file's bytes; not used after the call
 * @size: number of bytes
 * @out: the module
 *
 * Return: 0; -EINVAL for a file that is damaged, the text names the field;
 * -ENOEXEC for one that is no kernel for this card; -EOPNOTSUPP for one that
 * needs what the library cannot do; errors of xetile_mem_alloc().
 */
int xetile_module_load(struct xetile_context *context, const void *data, size_t size,
		       struct xetile_module **out);

/** xetile_module_load_file() - load compiled kernels from a file
 * @context: the context
 * @path: the file
 * @out: the module
 *
 * Return: as xetile_module_load(), or why the file cannot be read.
 */
int xetile_module_load_file(struct xetile_context *context, const char *path,
			    struct xetile_module **out);

/** xetile_module_unload() - give a module up
 * @module: may be NULL; its kernels must have been given up and be idle
 */
void xetile_module_unload(struct xetile_module *module);

/** xetile_module_num_kernels() - number of kernels
 * @module: the module
 *
 * Return: the number.
 */
unsigned int xetile_module_num_kernels(const struct xetile_module *module);

/** xetile_module_kernel_name() - name of a kernel
 * @module: the module
 * @index: 0..xetile_module_num_kernels()-1
 *
 * Return: the name, or NULL.
 */
const char *xetile_module_kernel_name(const struct xetile_module *module,
				      unsigned int index);

/** xetile_kernel_create() - a kernel with room for its arguments
 * @module: the module
 * @name: the kernel's name
 * @out: the kernel
 *
 * Return: 0; -ENOENT; -EOPNOTSUPP when the kernel needs what the library cannot
 * do, the text says what; -ENOMEM.
 */
int xetile_kernel_create(struct xetile_module *module, const char *name,
			 struct xetile_kernel **out);

/** xetile_kernel_destroy() - give a kernel up
 * @kernel: may be NULL
 */
void xetile_kernel_destroy(struct xetile_kernel *kernel);

/** enum xetile_arg_kind - what an argument takes */
enum xetile_arg_kind {
	/** @XETILE_ARG_UNUSED: the compiler dropped it; setting it has no effect */
	XETILE_ARG_UNUSED = 0,
	/** @XETILE_ARG_VALUE: bytes, by value */
	XETILE_ARG_VALUE = 1,
	/** @XETILE_ARG_POINTER: memory, or a GPU address */
	XETILE_ARG_POINTER = 2,
	/** @XETILE_ARG_LOCAL: bytes of shared local memory */
	XETILE_ARG_LOCAL = 3,
};

/** struct xetile_kernel_info - what a kernel is and needs */
struct xetile_kernel_info {
	/** @name: its name */
	const char *name;
	/** @num_args: number of arguments: highest index used + 1 */
	uint32_t num_args;
	/** @simd: work-items of a thread: 16 or 32 */
	uint32_t simd;
	/** @grf_count: registers of a thread: 128 or 256 */
	uint32_t grf_count;
	/** @slm_size: shared local memory it declares itself, bytes */
	uint32_t slm_size;
	/** @barriers: named barriers of a group */
	uint32_t barriers;
	/** @required_local: work-group size it demands, or zeros */
	uint32_t required_local[3];
	/** @text_size: bytes of machine code */
	uint64_t text_size;
	/** @prints: it calls printf, see xetile_kernel_set_printf() */
	bool prints;
};

/** xetile_kernel_get_info() - describe a kernel
 * @kernel: the kernel
 * @info: the description
 */
void xetile_kernel_get_info(const struct xetile_kernel *kernel,
			    struct xetile_kernel_info *info);

/** xetile_kernel_arg() - what an argument takes
 * @kernel: the kernel
 * @index: number of the argument
 * @size: VALUE: its size in bytes; else 8; may be NULL
 *
 * Return: one of enum xetile_arg_kind, or -EINVAL when there is no such argument.
 */
int xetile_kernel_arg(const struct xetile_kernel *kernel, unsigned int index,
		      size_t *size);

/** xetile_kernel_set_value() - set an argument passed by value
 * @kernel: the kernel
 * @index: number of the argument
 * @value: its bytes
 * @size: number of bytes, as the kernel's parameter has
 *
 * Return: 0, or -EINVAL.
 */
int xetile_kernel_set_value(struct xetile_kernel *kernel, unsigned int index,
			    const void *value, size_t size);

/** xetile_kernel_set_mem() - set a pointer argument
 * @kernel: the kernel
 * @index: number of the argument
 * @mem: memory of the same context, or NULL for a null pointer
 * @offset: offset in @mem, bytes
 *
 * Return: 0, or -EINVAL.
 */
int xetile_kernel_set_mem(struct xetile_kernel *kernel, unsigned int index,
			  struct xetile_mem *mem, uint64_t offset);

/** xetile_kernel_set_address() - set a pointer argument to a GPU address
 * @kernel: the kernel
 * @index: number of the argument
 * @address: the address; nothing checks that something is mapped there
 *
 * Return: 0, or -EINVAL.
 */
int xetile_kernel_set_address(struct xetile_kernel *kernel, unsigned int index,
			      uint64_t address);

/** xetile_kernel_set_local() - give a pointer argument shared local memory
 * @kernel: the kernel
 * @index: number of the argument
 * @size: bytes for each work-group, not 0
 *
 * Return: 0, or -EINVAL.
 */
int xetile_kernel_set_local(struct xetile_kernel *kernel, unsigned int index,
			    uint32_t size);

/** XETILE_PRINTF_SIZE - bytes of memory a kernel that prints wants. */
#define XETILE_PRINTF_SIZE	(4u << 20)

/**
 * xetile_kernel_set_printf() - memory for what a kernel prints.
 * @kernel: the kernel
 * @mem: at least XETILE_PRINTF_SIZE bytes, for this kernel alone; it must outlive
 *	the kernel's launches
 *
 * A kernel that calls printf cannot be launched without; for others it is unused.
 *
 * Return: 0 or a negative errno.
 */
int xetile_kernel_set_printf(struct xetile_kernel *kernel, struct xetile_mem *mem);

/**
 * xetile_kernel_print() - write out what launches of a kernel printed.
 * @kernel: the kernel; its launches must have ended
 * @out: where to
 *
 * Every call of printf is written as a whole, in the order in which work-items came
 * by, and forgotten. What found no room is lost. Vectors are not supported.
 *
 * Return: 0 or a negative errno.
 */
int xetile_kernel_print(struct xetile_kernel *kernel, FILE *out);

/* --- queues --------------------------------------------------------------- */

/** enum xetile_queue_class - class of engines a queue submits to */
enum xetile_queue_class {
	/** @XETILE_COMPUTE: runs kernels */
	XETILE_COMPUTE = 0,
	/** @XETILE_COPY: copies and fills; a root's queue uses its first tile's engine */
	XETILE_COPY = 1,
};

/** struct xetile_queue_desc - what queue is wanted; zero is a good default */
struct xetile_queue_desc {
	/** @engine_class: class of engines */
	enum xetile_queue_class engine_class;
	/** @priority: 0 normal, -1 low, 1 high */
	int priority;
	/** @weight: scales the queue's time slice, 1..1000; 0 is 100 */
	uint32_t weight;
	/** @timeout_ms: milliseconds a batch may run; 0 is the driver's default */
	uint32_t timeout_ms;
};

/** struct xetile_queue_member - the part of a queue on one tile */
struct xetile_queue_member {
	/** @tile: tile number */
	uint32_t tile;
	/** @instance: physical engine it is bound to, or was last; -1 before the first submit */
	int instance;
	/** @cslice_mask: physical compute slices of that engine */
	uint32_t cslice_mask;
};

/** enum xetile_ban_reason - why a queue is banned */
enum xetile_ban_reason {
	/** @XETILE_BAN_NONE: it is not */
	XETILE_BAN_NONE = 0,
	/** @XETILE_BAN_TIMEOUT: a batch did not end in time */
	XETILE_BAN_TIMEOUT,
	/** @XETILE_BAN_PREEMPT: a batch did not leave its engine in time when asked to */
	XETILE_BAN_PREEMPT,
	/** @XETILE_BAN_ERROR: its engine reported an error */
	XETILE_BAN_ERROR,
	/** @XETILE_BAN_FAULT: a batch used an address that is not mapped for it */
	XETILE_BAN_FAULT,
	/** @XETILE_BAN_WEDGED: the card is wedged */
	XETILE_BAN_WEDGED,
	/** @XETILE_BAN_GONE: the card is gone */
	XETILE_BAN_GONE,
};

/** struct xetile_queue_ban - why a queue is banned, and where that came to light */
struct xetile_queue_ban {
	/** @reason: why */
	enum xetile_ban_reason reason;
	/** @tile: tile of the engine */
	uint32_t tile;
	/** @engine_class: class of the engine */
	enum xetile_queue_class engine_class;
	/** @instance: physical instance of the engine */
	uint32_t instance;
	/** @fault_addr: FAULT: GPU address, to a page of 4 KiB */
	uint64_t fault_addr;
	/** @fault_write: FAULT: it was to be written */
	bool fault_write;
};

/** struct xetile_queue_info - what became of a queue */
struct xetile_queue_info {
	/** @banned: it takes no more work */
	bool banned;
	/** @ban: why */
	struct xetile_queue_ban ban;
	/** @resets: engine resets that its batches caused, or were lost in */
	uint32_t resets;
	/** @cslices_used: compute slices of the card its members reach together */
	uint32_t cslices_used;
	/** @cslices_total: compute slices of the card */
	uint32_t cslices_total;
	/** @num_members: elements of @members that count */
	uint32_t num_members;
	/** @members: one for each tile */
	struct xetile_queue_member members[XETILE_MAX_TILES];
};

/**
 * xetile_queue_create() - make a place to submit to
 * @context: the context
 * @device: a device of the context's card: a root with implicit scaling runs on
 *          all its tiles as one act
 * @desc: what is wanted, or NULL
 * @out: the queue
 *
 * Return: 0; -EINVAL; -EACCES for a priority that is not allowed; -EOPNOTSUPP
 * when the affinity mask leaves some but not all tiles of a card of more than
 * two; -EDQUOT when the context may have no more, -ENOBUFS when the card has no more;
 * -ECANCELED when the process' batches hang again and again; -ENOSPC, -ENOMEM.
 */
int xetile_queue_create(struct xetile_context *context, struct xetile_device *device,
			const struct xetile_queue_desc *desc, struct xetile_queue **out);

/** xetile_queue_destroy() - give a queue up
 * @queue: may be NULL. Waits for work under way: the driver bounds how long
 */
void xetile_queue_destroy(struct xetile_queue *queue);

/** xetile_queue_get_info() - what became of a queue
 * @queue: the queue
 * @info: the answer
 *
 * Return: 0, or an error of the driver.
 */
int xetile_queue_get_info(struct xetile_queue *queue, struct xetile_queue_info *info);

/* --- work ----------------------------------------------------------------- */

/** struct xetile_launch_desc - how a kernel is launched */
struct xetile_launch_desc {
	/** @groups: number of work-groups in x, y, z; 0 counts as 1 but for x */
	uint32_t groups[3];
	/** @local: size of a work-group in x, y, z; 0 counts as 1 but for x */
	uint32_t local[3];
	/** @offset: global offset in x, y, z */
	uint32_t offset[3];
	/** @rule: how a launch on several tiles is partitioned */
	enum xetile_plan_rule rule;
};

/**
 * xetile_launch() - run a kernel
 * @queue: a compute queue
 * @kernel: a kernel all whose arguments are set; it may be changed or launched
 *          again right after the call
 * @desc: how
 * @num_waits: elements at @waits
 * @waits: events the launch starts after, or NULL
 * @out: event of its end, or NULL
 *
 * Return: 0; -EINVAL, the text says which argument or size is wrong; -ECANCELED when
 * the queue is banned; -ENODATA when what a buffer held is lost; -EIO when the card
 * is wedged, -ENODEV when it is gone; -ENOSPC, -ENOMEM.
 */
int xetile_launch(struct xetile_queue *queue, struct xetile_kernel *kernel,
		  const struct xetile_launch_desc *desc, unsigned int num_waits,
		  struct xetile_event *const *waits, struct xetile_event **out);

/**
 * xetile_copy() - copy between buffers with a copy engine
 * @queue: a copy queue
 * @dst: destination
 * @dst_offset: offset there, bytes
 * @src: source
 * @src_offset: offset there, bytes; the ranges must not overlap
 * @size: bytes, not 0
 * @num_waits: elements at @waits
 * @waits: events the copy starts after, or NULL
 * @out: event of its end, or NULL
 *
 * Return: as xetile_launch().
 */
int xetile_copy(struct xetile_queue *queue, struct xetile_mem *dst, uint64_t dst_offset,
		struct xetile_mem *src, uint64_t src_offset, uint64_t size,
		unsigned int num_waits, struct xetile_event *const *waits,
		struct xetile_event **out);

/**
 * xetile_fill() - set bytes of a buffer with a copy engine
 * @queue: a copy queue
 * @dst: the buffer
 * @offset: offset there, bytes
 * @size: bytes, not 0
 * @value: the byte
 * @num_waits: elements at @waits
 * @waits: events the fill starts after, or NULL
 * @out: event of its end, or NULL
 *
 * Return: as xetile_launch().
 */
int xetile_fill(struct xetile_queue *queue, struct xetile_mem *dst, uint64_t offset,
		uint64_t size, uint8_t value, unsigned int num_waits,
		struct xetile_event *const *waits, struct xetile_event **out);

/** xetile_event_wait() - sleep until work is done
 * @event: the event
 * @timeout_ms: milliseconds to wait at most; -1: for ever
 *
 * Return: 0 when it ended well; -ETIMEDOUT when it has not ended; the error its
 * fence carries, such as -ETIME when the driver stopped it.
 */
int xetile_event_wait(struct xetile_event *event, int timeout_ms);

/** xetile_event_status() - ask whether work is done, without waiting
 * @event: the event
 *
 * Return: 0 when it ended well, -EINPROGRESS when it has not ended, else as
 * xetile_event_wait().
 */
int xetile_event_status(struct xetile_event *event);

/** xetile_event_destroy() - give an event up; the work goes on
 * @event: may be NULL
 */
void xetile_event_destroy(struct xetile_event *event);

#if defined(__cplusplus)
}
#endif

#endif
