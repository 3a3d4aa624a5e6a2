/* SPDX-License-Identifier: MIT */
/*
 * The second half of <xetile.h>, which includes this file: plans of launches, modules and their
 * kernels, queues, and the work that queues take.
 */
#ifndef _XETILE_LAUNCH_H_
#define _XETILE_LAUNCH_H_

#ifndef _XETILE_H_
#error "include <xetile.h>"
#endif

#if defined(__cplusplus)
extern "C" {
#endif

/* --- the planner (pure: no device, no allocation) ------------------------- */

/**
 * enum xetile_plan_rule - rules that choose the partitioned dimension
 */
enum xetile_plan_rule {
	/**
	 * @XETILE_PLAN_DEFAULT: z if it has more than one group and at most 5 %
	 * are left over; else y by the same test; else x if the tiles divide its groups;
	 * else the largest dimension, x before y before z of equal ones. This is the
	 * rule of Intel's user-mode driver.
	 */
	XETILE_PLAN_DEFAULT = 0,
	/**
	 * @XETILE_PLAN_PUBLISHED: from the slowest dimension of more than one
	 * group to x: take the next dimension while more than 5 % are left over and
	 * fewer are left over in the next dimension. This is the rule of the published
	 * text.
	 */
	XETILE_PLAN_PUBLISHED = 1,
};

/**
 * struct xetile_plan - a static partition of a launch
 */
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

/**
 * xetile_plan_partition() - choose the partition of a launch
 * @groups: number of work-groups in x, y, z, none 0
 * @tiles: number of tiles, 1..XETILE_MAX_TILES
 * @rule: the rule that chooses the dimension
 * @plan: the partition
 *
 * Return: 0, or -EINVAL.
 */
int xetile_plan_partition(const uint32_t groups[3], unsigned int tiles,
			  enum xetile_plan_rule rule, struct xetile_plan *plan);

/**
 * xetile_plan_part() - the groups of one tile
 * @plan: the partition
 * @part: 0..@plan->parts-1
 * @first: the tile's first group along the dimension
 * @count: the number of the tile's groups, which may be 0
 */
void xetile_plan_part(const struct xetile_plan *plan, unsigned int part,
		      uint32_t *first, uint32_t *count);

/**
 * xetile_plan_color() - the runs of a color, without asking a driver
 * @color: EVEN, TILE, CHUNK, FOLLOW or REPLICATE
 * @size: bytes of the buffer, not 0
 * @tile_mask: tiles that share the pages, not 0; TILE: one tile
 * @granule: CHUNK: bytes of a chunk, or 0; else 0
 * @runs: room for the answer, may be NULL when @max is 0
 * @max: elements at @runs
 *
 * Return: the number of runs, which may exceed @max; or -EINVAL.
 */
int xetile_plan_color(enum xetile_color color, uint64_t size, uint32_t tile_mask,
		      uint64_t granule, struct xetile_run *runs, unsigned int max);

/**
 * xetile_plan_sycl() - groups of a SYCL nd-range
 * @dims: dimensions, 1..3
 * @global: global range, its first element the slowest
 * @local: local range in the same order; each element divides the global one
 * @groups: work-groups in x, y, z
 * @local_xyz: local size in x, y, z
 *
 * Return: 0, or -EINVAL.
 */
int xetile_plan_sycl(unsigned int dims, const uint64_t *global, const uint64_t *local,
		     uint32_t groups[3], uint32_t local_xyz[3]);

/**
 * xetile_plan_openmp() - groups of an OpenMP loop nest
 * @collapse: number of loops collapsed, at least 1
 * @trips: trip counts, the outermost loop first
 * @local: work-items of a group, all from the innermost loop
 * @groups: work-groups in x, y, z
 *
 * Each of up to three loops has a dimension; the outermost loop has the slowest. Four
 * loops or more become one loop, and the launch has one dimension.
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
 * Of an archive, in which compilers put kernels for several cards, this card's are taken.
 *
 * Return: 0; -EINVAL for a damaged file, and the text names the field; -ENOEXEC for a
 * file that is no kernel of this card; -EOPNOTSUPP for a file that needs something the
 * library cannot do; errors of xetile_mem_alloc().
 */
int xetile_module_load(struct xetile_context *context, const void *data, size_t size,
		       struct xetile_module **out);

/**
 * xetile_module_load_file() - load compiled kernels from a file
 * @context: the context
 * @path: the file
 * @out: the module
 *
 * Return: 0; errors of xetile_module_load(); -EINVAL for a file that is not regular or
 * too large; errors of opening and reading the file.
 */
int xetile_module_load_file(struct xetile_context *context, const char *path,
			    struct xetile_module **out);

/**
 * xetile_module_unload() - free a module
 * @module: may be NULL; destroy its kernels before, and wait for their launches
 */
void xetile_module_unload(struct xetile_module *module);

/**
 * xetile_module_num_kernels() - number of kernels
 * @module: the module
 *
 * Return: the number.
 */
unsigned int xetile_module_num_kernels(const struct xetile_module *module);

/**
 * xetile_module_kernel_name() - name of a kernel
 * @module: the module
 * @index: 0..xetile_module_num_kernels()-1
 *
 * Return: the name, or NULL when @index is too large.
 */
const char *xetile_module_kernel_name(const struct xetile_module *module,
				      unsigned int index);

/**
 * xetile_module_function_address() - the pointer to a function of a module
 * @module: the module
 * @name: name of the function in the file, of 63 characters at most
 * @address: the pointer, of 8 bytes: an argument of a kernel, or a word of memory that it reads
 *
 * Kernels of this module call the function by it, on each tile; those of other modules may not. It
 * is a distance from where the module's code begins, which each tile has a copy of, and no address
 * of memory. Compilers keep functions that others may call apart from kernels.
 *
 * Return: 0; -ENOENT when the module has no such function; -ENAMETOOLONG.
 */
int xetile_module_function_address(const struct xetile_module *module, const char *name,
				   uint64_t *address);

/**
 * xetile_kernel_create() - make a kernel with room for its arguments
 * @module: the module
 * @name: the kernel's name
 * @out: the kernel
 *
 * Return: 0; -ENOENT when the module has no kernel of the name; -EOPNOTSUPP when the
 * kernel needs something that the library cannot do, which the text names; -ENOMEM.
 */
int xetile_kernel_create(struct xetile_module *module, const char *name,
			 struct xetile_kernel **out);

/**
 * xetile_kernel_destroy() - free a kernel
 * @kernel: may be NULL
 */
void xetile_kernel_destroy(struct xetile_kernel *kernel);

/**
 * enum xetile_arg_kind - kinds of arguments
 */
enum xetile_arg_kind {
	/** @XETILE_ARG_UNUSED: the compiler dropped the argument; setting it has no effect */
	XETILE_ARG_UNUSED = 0,
	/** @XETILE_ARG_VALUE: the argument takes bytes, by value */
	XETILE_ARG_VALUE = 1,
	/** @XETILE_ARG_POINTER: the argument takes memory, or a GPU address */
	XETILE_ARG_POINTER = 2,
	/** @XETILE_ARG_LOCAL: the argument takes bytes of shared local memory */
	XETILE_ARG_LOCAL = 3,
};

/**
 * struct xetile_kernel_info - description of a kernel
 */
struct xetile_kernel_info {
	/** @name: name of the kernel, valid as long as its module */
	const char *name;
	/** @num_args: number of arguments: the highest used index + 1 */
	uint32_t num_args;
	/** @simd: work-items of a thread: 16 or 32 */
	uint32_t simd;
	/** @grf_count: registers of a thread: 128 or 256 */
	uint32_t grf_count;
	/** @slm_size: bytes of shared local memory that the kernel declares itself */
	uint32_t slm_size;
	/** @barriers: named barriers of a group */
	uint32_t barriers;
	/** @required_local: the work-group size that the kernel demands, or zeros */
	uint32_t required_local[3];
	/** @text_size: bytes of machine code */
	uint64_t text_size;
	/** @prints: the kernel calls printf, see xetile_kernel_set_printf() */
	bool prints;
	/**
	 * @num_parameters: parameters of the kernel's source, of which the last ones may be no
	 *                  arguments because nothing uses them; 0: the file does not tell
	 */
	uint32_t num_parameters;
};

/**
 * xetile_kernel_get_info() - describe a kernel
 * @kernel: the kernel
 * @info: the description
 * @size: bytes of the struct
 */
void xetile_kernel_get_info(const struct xetile_kernel *kernel, struct xetile_kernel_info *info,
			    size_t size);
#define xetile_kernel_get_info(kernel, info)					\
	xetile_kernel_get_info(kernel, info, sizeof(struct xetile_kernel_info))

/**
 * xetile_kernel_arg() - kind and size of an argument
 * @kernel: the kernel
 * @index: number of the argument
 * @size: VALUE: size in bytes; else 8; may be NULL
 *
 * Return: one of enum xetile_arg_kind, or -EINVAL when there is no such argument.
 */
int xetile_kernel_arg(const struct xetile_kernel *kernel, unsigned int index,
		      size_t *size);

/**
 * xetile_kernel_arg_name() - name of a parameter in the kernel's source
 * @kernel: the kernel
 * @index: number of the parameter
 *
 * Compilers tell names and types with the option -cl-kernel-arg-info. The texts are those of the
 * file, which may hold any bytes.
 *
 * Return: the name, valid as long as the module; NULL when the file does not tell it.
 */
const char *xetile_kernel_arg_name(const struct xetile_kernel *kernel, unsigned int index);

/**
 * xetile_kernel_arg_type() - type of a parameter in the kernel's source
 * @kernel: the kernel
 * @index: number of the parameter
 *
 * Return: as xetile_kernel_arg_name(), such as "float*".
 */
const char *xetile_kernel_arg_type(const struct xetile_kernel *kernel, unsigned int index);

/**
 * xetile_kernel_set_value() - set an argument passed by value
 * @kernel: the kernel
 * @index: number of the argument
 * @value: the bytes, which the call copies
 * @size: number of bytes of the kernel's parameter
 *
 * Return: 0, or -EINVAL when the argument or its size is another.
 */
int xetile_kernel_set_value(struct xetile_kernel *kernel, unsigned int index,
			    const void *value, size_t size);

/**
 * xetile_kernel_set_mem() - set a pointer argument
 * @kernel: the kernel
 * @index: number of the argument
 * @mem: memory of the same context, or NULL for a null pointer
 * @offset: offset in @mem, bytes
 *
 * Return: 0, or -EINVAL.
 */
int xetile_kernel_set_mem(struct xetile_kernel *kernel, unsigned int index,
			  struct xetile_mem *mem, uint64_t offset);

/**
 * xetile_kernel_set_address() - set a pointer argument to a GPU address
 * @kernel: the kernel
 * @index: number of the argument
 * @address: the address; no check tells whether something is mapped there
 *
 * Return: 0, or -EINVAL.
 */
int xetile_kernel_set_address(struct xetile_kernel *kernel, unsigned int index,
			      uint64_t address);

/**
 * xetile_kernel_set_local() - give a pointer argument shared local memory
 * @kernel: the kernel
 * @index: number of the argument
 * @size: bytes for each work-group, not 0
 *
 * Return: 0, or -EINVAL.
 */
int xetile_kernel_set_local(struct xetile_kernel *kernel, unsigned int index,
			    uint32_t size);

/**
 * define XETILE_PRINTF_SIZE - bytes of memory for a kernel that prints
 */
#define XETILE_PRINTF_SIZE	(4u << 20)

/**
 * xetile_kernel_set_printf() - give a kernel memory for its output
 * @kernel: the kernel
 * @mem: XETILE_PRINTF_SIZE bytes or more, for this kernel alone; free the memory after
 *	the kernel's last launch has ended
 *
 * A kernel that calls printf cannot be launched before this call. Other kernels do not
 * use the memory.
 *
 * Return: 0; -EINVAL for memory that is too small or of another context; errors of
 * xetile_mem_map().
 */
int xetile_kernel_set_printf(struct xetile_kernel *kernel, struct xetile_mem *mem);

/**
 * xetile_kernel_print() - write the output of a kernel's launches to a file
 * @kernel: the kernel; its launches must have ended
 * @out: the file
 *
 * The call writes the text of each printf as a whole, in the order in which the
 * work-items called printf, flushes @out and empties the memory. Text for which the memory
 * had no room is lost, and so is text behind an error, or behind 256 MiB. A conversion of
 * whole numbers prints the bits of a real number, which OpenCL C leaves undefined.
 *
 * Return: 0; -EINVAL when no memory is set; -EOPNOTSUPP for a vector, a conversion of real
 * numbers with another argument, or a width or precision above 4095; -EFBIG when the text is
 * longer than 256 MiB; -EIO for a record that makes no sense; -ENOMEM; the error of writing to
 * @out, such as -ENOSPC.
 */
int xetile_kernel_print(struct xetile_kernel *kernel, FILE *out);

/* --- queues --------------------------------------------------------------- */

/**
 * enum xetile_queue_class - class of engines a queue submits to
 */
enum xetile_queue_class {
	/** @XETILE_COMPUTE: runs kernels */
	XETILE_COMPUTE = 0,
	/** @XETILE_COPY: copies and fills; a root's queue uses its first tile's engine */
	XETILE_COPY = 1,
	/** @XETILE_COPY_NEAREST: copies and fills, each by the nearest engine, see xetile_copy.h */
	XETILE_COPY_NEAREST = 2,
	/** @XETILE_COPY_SPLIT: copies and fills, each by all tiles' engines, see xetile_copy.h */
	XETILE_COPY_SPLIT = 3,
};

/**
 * define XETILE_QUEUE_BORROW - run on all slices of its tiles while nobody else has work there
 *
 * For compute queues of normal priority. It has an effect if the administrator allows it
 * (ccs_mode_policy "lend"), and the queue is one of a CCS mode above 1. Kernels run by turns with
 * those of the process's other queues then, not at the same time; so kernels of several slices that
 * wait for each other must not have it.
 */
#define XETILE_QUEUE_BORROW	(1u << 0)

/**
 * define XETILE_QUEUE_REPLAY - run a submission again that another process's failure has stopped
 *
 * When a kernel of another queue fails, the reset that stops it may take the engine from work of
 * this queue. With the flag that work is run again from its begin, twice at most, on all tiles of
 * the queue; without it, and the third time, it fails with -EAGAIN. For work that does the same
 * when it was done before, in part or as a whole: that neither counts, nor prints, nor
 * overwrites what it reads.
 * &xetile_queue_info.resets counts the loss.
 */
#define XETILE_QUEUE_REPLAY	(1u << 1)

/**
 * define XETILE_QUEUE_TIMES - note when each launch begins and ends on each tile
 *
 * For compute queues. The commands of a launch with an event store the clock of their tile then,
 * see xetile_event_get_times(). Launches of other queues store nothing.
 */
#define XETILE_QUEUE_TIMES	(1u << 2)

/**
 * struct xetile_queue_desc - description of a new queue; a zero field means the default
 */
struct xetile_queue_desc {
	/** @engine_class: class of engines */
	enum xetile_queue_class engine_class;
	/** @priority: 0 normal, -1 low, 1 high */
	int priority;
	/** @weight: share of engine time beside other queues, 1..1000; 0 is 100 */
	uint32_t weight;
	/** @timeout_ms: milliseconds a batch may run; 0 is the driver's default */
	uint32_t timeout_ms;
	/** @flags: mask of XETILE_QUEUE_* */
	uint32_t flags;
};

/**
 * struct xetile_queue_member - the part of a queue on one tile
 */
struct xetile_queue_member {
	/** @tile: tile number */
	uint32_t tile;
	/** @instance: the last physical engine; -1 before the first submission */
	int instance;
	/** @cslice_mask: physical compute slices of that engine */
	uint32_t cslice_mask;
};

/**
 * enum xetile_ban_reason - reasons for the ban of a queue
 */
enum xetile_ban_reason {
	/** @XETILE_BAN_NONE: the queue is not banned */
	XETILE_BAN_NONE = 0,
	/** @XETILE_BAN_TIMEOUT: a batch did not end in time */
	XETILE_BAN_TIMEOUT,
	/** @XETILE_BAN_PREEMPT: a batch did not leave its engine in time when the driver asked */
	XETILE_BAN_PREEMPT,
	/** @XETILE_BAN_ERROR: the engine reported an error */
	XETILE_BAN_ERROR,
	/** @XETILE_BAN_FAULT: a batch used an address that is not mapped for this access */
	XETILE_BAN_FAULT,
	/** @XETILE_BAN_WEDGED: the card is wedged */
	XETILE_BAN_WEDGED,
	/** @XETILE_BAN_GONE: the card is gone */
	XETILE_BAN_GONE,
};

/**
 * struct xetile_queue_ban - the reason for a ban, and the engine that the driver saw it on
 */
struct xetile_queue_ban {
	/** @reason: the reason */
	enum xetile_ban_reason reason;
	/** @tile: tile of the engine */
	uint32_t tile;
	/** @engine_class: class of the engine */
	enum xetile_queue_class engine_class;
	/** @instance: physical instance of the engine */
	uint32_t instance;
	/** @fault_addr: FAULT: GPU address of the page of 4 KiB, if it is known */
	uint64_t fault_addr;
	/** @fault_write: FAULT: the access was a write */
	bool fault_write;
	/**
	 * @fault_known: FAULT: @fault_addr and @fault_write are known. They are not, and 0, if
	 * accesses of several engines of the tile failed together, because a tile keeps one fault.
	 */
	bool fault_known;
};

/**
 * struct xetile_queue_info - the state of a queue
 */
struct xetile_queue_info {
	/** @banned: the queue takes no more work */
	bool banned;
	/** @ban: the reason */
	struct xetile_queue_ban ban;
	/** @resets: engine resets that a batch of the queue caused, or that ended one */
	uint32_t resets;
	/** @cslices_used: compute slices of the card that all members together reach */
	uint32_t cslices_used;
	/** @cslices_total: compute slices of the card */
	uint32_t cslices_total;
	/** @num_members: number of valid elements of @members */
	uint32_t num_members;
	/** @members: one for each tile of the queue */
	struct xetile_queue_member members[XETILE_MAX_TILES];
};

/**
 * xetile_queue_create() - make a queue
 * @context: the context
 * @device: a device of the context's card; a batch on a root with implicit scaling runs
 *          on all tiles at once, with one fence
 * @desc: the description, or NULL for the defaults
 * @out: the queue
 *
 * Return: 0; -EINVAL; -EACCES for a priority that is not allowed; -EBUSY when a tile's
 * ccs_mode_policy forbids the mode that the process has it in; -EOPNOTSUPP when the affinity mask
 * leaves two or more but not all tiles of a card, or hides a cslice that a queue on the whole card
 * uses, or when the driver does not know a flag; -EDQUOT when a limit of the context or of its
 * user is reached; -ENOBUFS when the card has no numbers left; -ECANCELED when the process' batches
 * hang again and again; -ENOSPC, -ENOMEM.
 */
int xetile_queue_create(struct xetile_context *context, struct xetile_device *device,
			const struct xetile_queue_desc *desc, struct xetile_queue **out);

/**
 * xetile_queue_destroy() - free a queue
 * @queue: may be NULL
 *
 * The call waits for the queue's work; the driver limits the time. If the wait fails, as
 * when the card is gone, the queue's memory stays allocated until the context is destroyed.
 */
void xetile_queue_destroy(struct xetile_queue *queue);

/**
 * xetile_queue_get_info() - the state of a queue now
 * @queue: the queue
 * @info: the answer
 * @size: bytes of the struct
 *
 * Return: 0, or an error of the driver.
 */
int xetile_queue_get_info(struct xetile_queue *queue, struct xetile_queue_info *info, size_t size);
#define xetile_queue_get_info(queue, info)					\
	xetile_queue_get_info(queue, info, sizeof(struct xetile_queue_info))

/* --- work ----------------------------------------------------------------- */

/**
 * struct xetile_follow - a split of a launch that follows the color of a buffer
 *
 * The bytes of group g along the dimension are those from @offset + g * @bytes. The tile that has
 * the byte in their middle runs the group, and all with the same number along @dim. Groups of
 * bytes that lie on no tile go with those in front of them. A buffer that lies in system memory,
 * or has a copy on each tile, is no reason for a split: the launch has the static one then.
 */
struct xetile_follow {
	/** @mem: the buffer; its color counts when the call is made; NULL: static split */
	struct xetile_mem *mem;
	/** @offset: where the bytes of group 0 begin; less than the size of @mem */
	uint64_t offset;
	/** @bytes: bytes of a group, such as the pitch of a row times the rows that a group has */
	uint64_t bytes;
	/** @dim: dimension of the groups: 0 x, 1 y, 2 z */
	uint32_t dim;
};

/**
 * define XETILE_FOLLOW_RANGES - ranges of groups in which tiles take turns, at most
 */
#define XETILE_FOLLOW_RANGES	1024u

/**
 * struct xetile_launch_desc - description of a launch
 */
struct xetile_launch_desc {
	/** @groups: number of work-groups in x, y, z; in y and z 0 counts as 1 */
	uint32_t groups[3];
	/** @local: size of a work-group in x, y, z; in y and z 0 counts as 1 */
	uint32_t local[3];
	/** @offset: global offset in x, y, z */
	uint32_t offset[3];
	/** @rule: the rule that partitions a launch on several tiles */
	enum xetile_plan_rule rule;
	/**
	 * @follow: what decides instead of the rule, unless it is all zeros. It takes time
	 *          for each run of the color, and commands for each range of groups
	 */
	struct xetile_follow follow;
};

/**
 * xetile_launch() - run a kernel
 * @queue: a compute queue
 * @kernel: a kernel with all arguments set; the caller may change or launch the kernel
 *          again right after the call
 * @desc: the description
 * @num_waits: elements at @waits
 * @waits: the launch starts after these events; NULL: none
 * @out: event of the launch's end, or NULL
 *
 * On each tile the launch begins when the one before of the queue has ended on all tiles.
 *
 * Return: 0; -EINVAL, and the text names the wrong argument or size; -E2BIG when a split that
 * follows a color has more than XETILE_FOLLOW_RANGES ranges; -ECANCELED when the queue is banned;
 * -ENODATA when the contents of a buffer are lost; -EIO when the card is wedged; -ENODEV when the
 * card is gone; -ENOSPC, -ENOMEM.
 */
int xetile_launch(struct xetile_queue *queue, struct xetile_kernel *kernel,
		  const struct xetile_launch_desc *desc, unsigned int num_waits,
		  struct xetile_event *const *waits, struct xetile_event **out);

/**
 * xetile_event_wait() - sleep until work is done
 * @event: the event
 * @timeout_ms: milliseconds to wait at most; -1: for ever
 *
 * Return: 0 when the work ended well; -ETIMEDOUT when the work has not ended in time; the
 * error that the fence carries, such as -ETIME when the driver stopped the work.
 */
int xetile_event_wait(struct xetile_event *event, int timeout_ms);

/**
 * xetile_event_status() - ask whether work is done, without waiting
 * @event: the event
 *
 * Return: 0 when the work ended well; -EINPROGRESS when the work has not ended; the error
 * that the fence carries.
 */
int xetile_event_status(struct xetile_event *event);

/**
 * struct xetile_tile_times - when a launch ran on a tile, by the clock of that tile
 */
struct xetile_tile_times {
	/** @tile: tile number */
	uint32_t tile;
	/**
	 * @start: the work in front of the launch had ended, nanoseconds. The clock has 36 bits: it
	 *         begins again after 2^36 ticks, an hour at 19.2 MHz
	 */
	uint64_t start;
	/** @end: all work-groups had ended and what they wrote was flushed; not before @start */
	uint64_t end;
};

/**
 * struct xetile_times - when a launch ran
 */
struct xetile_times {
	/**
	 * @duration: nanoseconds on the tile that took longest. While other queues had their
	 *            turns on the engine the clock went on
	 */
	uint64_t duration;
	/** @num_tiles: number of valid elements of @tiles */
	uint32_t num_tiles;
	/** @tiles: one for each tile of the queue, one without work-groups included */
	struct xetile_tile_times tiles[XETILE_MAX_TILES];
};

/**
 * xetile_event_get_times() - when the launch of an event ran
 * @event: of a launch on a queue with XETILE_QUEUE_TIMES; the times stay until the event is
 *         destroyed, also when the queue is
 * @times: the answer
 * @size: bytes of the struct
 *
 * No document says whether the clocks of a card's tiles begin together: compare times of one tile.
 *
 * Return: 0; -EINPROGRESS when the work has not ended; the error that the fence carries; -ENODATA
 * for other events, or when the end of the work could not be waited for; -EIO when the driver tells
 * no frequency of the clock.
 */
int xetile_event_get_times(struct xetile_event *event, struct xetile_times *times, size_t size);
#define xetile_event_get_times(event, times)					\
	xetile_event_get_times(event, times, sizeof(struct xetile_times))

/**
 * xetile_event_destroy() - free an event; the work goes on
 * @event: may be NULL
 */
void xetile_event_destroy(struct xetile_event *event);

#if defined(__cplusplus)
}
#endif

#endif
