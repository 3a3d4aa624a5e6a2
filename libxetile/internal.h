/* SPDX-License-Identifier: MIT */
/*
 * What the objects of the library know of each other. Nothing here is exported.
 */
#ifndef _XETILE_INTERNAL_H_
#define _XETILE_INTERNAL_H_

#include <inttypes.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "xetile.h"
#include <drm/xetile_drm.h>

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

static inline uint64_t xt_align(uint64_t v, uint64_t to)
{
	return (v + to - 1) / to * to;
}

/* --- error.c: set the thread's error text, hand the error back ----------- */

int xt_error(int err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Put a text and ": " in front of the text that is there. */
int xt_error_add(int err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
const char *xt_driver_error(int err);
const char *xt_fence_error(int err);

/* --- ioctl.c: the one door to the kernel --------------------------------- */

struct xt_door {
	int (*ioctl)(int fd, unsigned long request, void *arg);
	int (*open)(const char *node);
};

/* Replaced by tests only. */
extern struct xt_door xt_door;

/* 0 or a negative errno; no error text. Restarted when a signal interrupts it. */
int xt_ioctl(int fd, unsigned long request, void *arg);

int xt_syncobj_create(int fd, uint32_t *handle);
void xt_syncobj_destroy(int fd, uint32_t handle);
/* 0, -ETIMEDOUT, or another error; @timeout_ms -1: for ever. */
int xt_syncobj_wait(int fd, uint32_t handle, int timeout_ms);
/* 0 when the fence is signaled and well, -EINPROGRESS, or the error it carries. */
int xt_syncobj_status(int fd, uint32_t handle);

/* --- selector.c: the grammar of selectors and environment (pure) --------- */

struct xt_selector {
	uint32_t card, tile, cslice;
	unsigned int depth;		/* 1 card, 2 card.tile, 3 card.tile.cslice */
};

#define XT_MAX_SELECTORS	64

struct xt_mask {
	bool all;			/* no mask: everything is seen */
	unsigned int num;
	struct xt_selector entries[XT_MAX_SELECTORS];
};

struct xt_ccs_wish {
	uint32_t card;
	uint32_t mode;
};

int xt_selector_parse(const char *text, struct xt_selector *sel);
/* @text NULL: everything. */
int xt_mask_parse(const char *text, struct xt_mask *mask);
/* Returns the number of wishes, at most @max, or -EINVAL. @text may be NULL. */
int xt_ccs_wishes_parse(const char *text, struct xt_ccs_wish *wishes, unsigned int max);
int xt_hierarchy_parse(const char *text, enum xetile_hierarchy *hierarchy);
/* 0 or 1; @text NULL gives @fallback. */
int xt_switch_parse(const char *name, const char *text, bool fallback, bool *value);

/* --- platform.c, device.c -------------------------------------------------- */

struct xt_card {
	struct xetile_platform *platform;
	uint32_t number;
	uint32_t flat;			/* number of its first tile in FLAT hierarchy */
	char pci[16];
	char node[64];
	char sysfs[96];			/* directory of the PCI device */
	bool implicit_scaling;
	uint32_t wished_mode;		/* by ZEX_NUMBER_OF_CCS, or 0 */
	struct drm_xetile_query_device props;
	struct drm_xetile_query_tile tiles[XETILE_MAX_TILES];
	struct xetile_device *root;
};

struct xetile_device {
	struct xt_card *card;
	struct xetile_device *parent;	/* as the application sees it */
	enum xetile_device_kind kind;
	uint32_t tile;
	uint32_t cslice;
	uint32_t tile_mask;		/* tiles that are seen */
	uint32_t first_cslice;		/* virtual cslice work goes to */
	bool one_cslice;		/* the mask leaves just that one */
	unsigned int num_subs;
	struct xetile_device *subs[XETILE_MAX_TILES > XETILE_MAX_CSLICES ?
				   XETILE_MAX_TILES : XETILE_MAX_CSLICES];
};

/* What tests feed instead of the machine's DRM nodes. */
struct xt_node {
	char pci[16];
	char node[64];
	char sysfs[96];
};

struct xt_env {
	const char *affinity;
	const char *hierarchy;
	const char *scaling;
	const char *scaling_compat;
	const char *ccs;
};

int xt_platform_build(const struct xt_node *nodes, unsigned int num,
		      const struct xt_env *env, struct xetile_platform **out);
/* Tiles work on @device is spread over: one, unless a root scales implicitly. */
uint32_t xt_device_work_mask(const struct xetile_device *device);
/* Ask a card for one item; the caller frees the answer. @fd -1: open the node. */
int xt_card_query(const struct xt_card *card, int fd, uint32_t item, size_t elem,
		  void **answer, uint32_t *num);
/* Read the tiles again: usage and CCS mode change. */
int xt_card_tiles(const struct xt_card *card,
		  struct drm_xetile_query_tile tiles[XETILE_MAX_TILES]);

/* --- va.c: the address space (pure) ---------------------------------------- */

struct xt_va_hole;

struct xt_va {
	struct xt_va_hole *holes;	/* by address, never touching */
};

int xt_va_init(struct xt_va *va, uint64_t start, uint64_t end);
void xt_va_fini(struct xt_va *va);
int xt_va_alloc(struct xt_va *va, uint64_t size, uint64_t align, uint64_t *addr);
int xt_va_free(struct xt_va *va, uint64_t addr, uint64_t size);

/* --- context.c ------------------------------------------------------------- */

struct xetile_context {
	struct xt_card *card;
	int fd;
	uint32_t vm_id;
	pthread_mutex_t lock;		/* of @va */
	struct xt_va va;
};

/* --- memory.c -------------------------------------------------------------- */

struct xetile_mem {
	struct xetile_context *context;
	uint64_t size;
	uint64_t addr;
	uint64_t span;			/* address space taken */
	uint32_t handle;
	void *map;
};

/* A buffer of one part of @part_size bytes on each tile of @mask, in tile order. */
int xt_mem_alloc_parts(struct xetile_context *context, uint32_t mask,
		       uint64_t part_size, struct xetile_mem **out);

/* --- zebin.c, zeinfo.c: compiled kernels ------------------------------------ */

enum xt_arg_type {
	XT_ARG_GLOBAL_OFFSET,
	XT_ARG_LOCAL_SIZE,
	XT_ARG_ENQUEUED_LOCAL_SIZE,
	XT_ARG_GROUP_COUNT,
	XT_ARG_GLOBAL_SIZE,
	XT_ARG_WORK_DIM,
	XT_ARG_VALUE,
	XT_ARG_POINTER,
	XT_ARG_SLM,
	XT_ARG_BUFFER_SIZE,
	XT_ARG_CONST_BASE,
	XT_ARG_GLOBAL_BASE,
	XT_ARG_PRIVATE_BASE,
	XT_ARG_PRINTF,
	XT_ARG_IMPLICIT,	/* pointer to the implicit arguments */
	XT_ARG_ZERO,		/* takes room, is zero for us */
	XT_ARG_NOTHING,		/* says something, takes no room */
	XT_ARG_REFUSED,		/* the library cannot do it */
};

/* One piece of the cross-thread data. */
struct xt_payload {
	enum xt_arg_type type;
	uint32_t offset;
	uint32_t size;
	int32_t arg;		/* -1: not of a user argument */
	uint32_t source;	/* offset in the argument's value */
	uint32_t declared;	/* bytes of the parameter in the source, 0: not told */
	uint32_t slm_align;
};

struct xt_kernel_desc {
	char *name;
	uint32_t simd;
	uint32_t grf_count;
	uint32_t slm_size;
	uint32_t barriers;
	uint32_t skip_offset;
	uint32_t required_local[3];
	uint32_t cross_size;	/* bytes, a multiple of 32 */
	bool has_local_ids;
	bool has_dpas;
	bool has_stack_calls;
	bool needs_implicit;	/* implicit arguments in front of the cross-thread data */
	bool has_printf;
	uint32_t scratch[2];	/* bytes a hardware thread has, by slot */
	uint32_t private_size;	/* bytes a hardware thread has, elsewhere */
	uint32_t num_payloads;
	uint32_t num_args;
	struct xt_payload *payloads;
	char refusal[96];	/* why it cannot be launched, or empty */
	/* of the ELF file */
	uint32_t text_section;
	const uint8_t *text;	/* in the zebin's copy of the file */
	uint64_t text_size;
	uint64_t image_offset;	/* in the module's image */
};

struct xt_symbol {
	char name[64];		/* cut when longer */
	uint32_t section;
	uint64_t value;
};

/* Types of relocation, numbered by the compiler's ELF files. */
enum xt_reloc_type {
	XT_RELOC_NONE = 0,
	XT_RELOC_ADDR = 1,		/* 64 bits of the symbol's address */
	XT_RELOC_ADDR_32 = 2,		/* its low 32 bits */
	XT_RELOC_ADDR_32_HIGH = 3,	/* its high 32 bits */
	XT_RELOC_PAYLOAD_OFFSET = 4,	/* of the per-thread data; the library refuses the type */
	XT_RELOC_IMM_32 = 5,		/* a value of 32 bits that is no address */
	XT_RELOC_SEND = 6,		/* the library refuses the type */
	XT_RELOC_ADDR_16 = 7,		/* low 16 bits of the symbol's address */
};

struct xt_reloc {
	uint32_t section;	/* that is patched */
	uint32_t symbol;	/* index in symbols */
	uint32_t type;
	uint64_t offset;
};

/* Parts of a data segment: initialised bytes, then zeros. */
struct xt_data {
	uint32_t section;	/* index of the initialised section, 0: none */
	uint32_t bss_section;
	const uint8_t *init;
	uint64_t init_size;
	uint64_t size;
};

/* Code that kernels of the module call. */
struct xt_functions {
	uint32_t section;	/* 0: none */
	const uint8_t *text;
	uint64_t text_size;
	uint64_t image_offset;	/* in the module's image */
};

struct xt_zebin {
	uint8_t *file;		/* our copy */
	size_t file_size;
	uint32_t num_kernels;
	struct xt_kernel_desc *kernels;
	uint32_t num_symbols;
	struct xt_symbol *symbols;
	uint32_t num_relocs;
	struct xt_reloc *relocs;
	struct xt_data data[3];	/* const, global, strings */
	struct xt_functions functions;
	uint32_t implicit_version;
	bool needs_groups;	/* a kernel may use non-uniform groups */
};

#define XT_DATA_CONST	0
#define XT_DATA_GLOBAL	1
#define XT_DATA_STRING	2

/* The symbol that stands for the bytes in front of the cross-thread data. */
#define XT_SYMBOL_CROSS_THREAD	"__INTEL_PATCH_CROSS_THREAD_OFFSET_OFF_R0"
/* Bytes of the implicit arguments, as they lie in front of the cross-thread data. */
#define XT_IMPLICIT_SIZE(version)	((version) ? 192u : 128u)

int xt_zebin_parse(const void *data, size_t size, struct xt_zebin *zebin);
void xt_zebin_free(struct xt_zebin *zebin);
/* Fills @zebin->kernels from the text of .ze_info. */
int xt_zeinfo_parse(const char *text, size_t size, struct xt_zebin *zebin);

/* --- module.c, kernel.c ------------------------------------------------------ */

struct xetile_module {
	struct xetile_context *context;
	struct xt_zebin zebin;
	struct xetile_mem *image;	/* machine code, one copy a tile */
	uint64_t image_size;		/* of one copy */
	struct xetile_mem *data[3];
};

/* What the user set an argument to. */
struct xt_arg {
	enum xetile_arg_kind kind;
	size_t size;			/* VALUE: bytes it takes */
	size_t size_max;		/* VALUE: bytes a value may have */
	size_t extent;			/* VALUE: bytes its slots take of it, zero beyond it */
	bool set;
	uint64_t address;		/* POINTER */
	uint64_t buffer_size;		/* POINTER: bytes behind the address, 0: unknown */
	uint32_t local_size;		/* LOCAL */
	uint32_t slm_align;
	uint8_t *value;			/* VALUE */
};

struct xetile_kernel {
	struct xetile_module *module;
	const struct xt_kernel_desc *desc;
	struct xt_arg *args;
	struct xetile_mem *printf;
};

/* --- batch.c, payload.c: commands and their data (pure) ---------------------- */

/* What a launch comes down to, the same for every tile. */
struct xt_dispatch {
	uint32_t groups[3];
	uint32_t local[3];
	uint32_t offset[3];
	uint32_t work_dim;
	uint32_t threads;		/* of a group */
	uint32_t slm_total;		/* bytes */
	bool hw_local_ids;
	uint32_t max_threads;		/* of a tile */
	uint32_t scratch_slots;		/* threads scratch must have room for */
	uint32_t private_slots;		/* the same of private memory */
	uint32_t implicit_size;		/* bytes of implicit arguments */
	uint32_t indirect_size;		/* bytes of these, cross-thread and per-thread data */
	bool partitioned;
	struct xetile_plan plan;
};

/* Where the parts of a batch lie for one tile. */
struct xt_batch_place {
	uint64_t base;			/* of general state; the batch starts here */
	uint32_t indirect;		/* offset of the indirect data */
	uint64_t image;			/* base of instructions */
	uint64_t scratch[2];		/* memory of the hardware threads, by slot */
	uint64_t private_base;
};

#define XT_BATCH_BYTES		4096	/* room for the commands and states of a launch */
#define XT_BATCH_STATES		3968	/* two surface states, for scratch */
#define XT_BATCH_PREFETCH	1024	/* the parser reads ahead that far */
#define XT_INDIRECT_MAX		0x1ffc0	/* bytes a walker can name */
/* Local ids of a thread, when they are data: three rows. */
#define XT_LOCAL_ID_LANES		32
#define XT_LOCAL_ID_ROW		(3 * XT_LOCAL_ID_LANES * sizeof(uint16_t))

int xt_dispatch_plan(const struct xetile_kernel *kernel,
		     const struct drm_xetile_query_device *props, uint32_t num_dss,
		     unsigned int tiles, const struct xetile_launch_desc *desc,
		     struct xt_dispatch *d);
/* Returns the number of dwords at @dw. */
unsigned int xt_batch_launch(uint32_t *dw, const struct xt_kernel_desc *k,
			     const struct xt_dispatch *d, const struct xt_batch_place *place);
/* The surface states at XT_BATCH_STATES of a part. */
void xt_batch_states(uint32_t *to, const struct xt_kernel_desc *k,
		     const struct xt_dispatch *d, const struct xt_batch_place *place);
void xt_indirect_write(uint8_t *to, const struct xetile_kernel *kernel,
		       const struct xt_dispatch *d, const struct xt_batch_place *place);
/* Bytes a hardware thread's slice of scratch takes when it needs @size. */
uint32_t xt_batch_scratch_pitch(uint32_t size);
/* Bytes the commands of a copy or fill of @size bytes take. */
uint64_t xt_batch_copy_bytes(uint64_t size);
unsigned int xt_batch_copy(uint32_t *dw, uint64_t dst, uint64_t src, uint64_t size);
unsigned int xt_batch_fill(uint32_t *dw, uint64_t dst, uint64_t size, uint8_t value);

/* --- queue.c ------------------------------------------------------------------- */

/* A place for one submission, used again when its fence is signaled. */
struct xt_slot {
	struct xt_slot *next;
	struct xetile_mem *mem;
	uint64_t part_size;
	uint32_t syncobj;
	bool busy;
};

/* Memory that is divided among the hardware threads of a tile. */
enum xt_thread_mem_kind {
	XT_THREAD_SCRATCH0,
	XT_THREAD_SCRATCH1,
	XT_THREAD_PRIVATE,
	XT_THREAD_MEM_KINDS
};

struct xt_thread_mem {
	struct xetile_mem *mem;		/* NULL: none yet */
	uint64_t part_size;
};

struct xetile_queue {
	struct xetile_context *context;
	struct xetile_device *device;
	enum xetile_queue_class engine_class;
	uint32_t id;
	uint32_t tile_mask;		/* tiles it runs on */
	unsigned int num_tiles;
	uint32_t num_dss;		/* of its smallest tile */
	struct xt_slot *slots;
	struct xt_thread_mem thread_mem[XT_THREAD_MEM_KINDS];
};

/* A slot with at least @part_size bytes for each tile, mapped and free. */
int xt_queue_slot(struct xetile_queue *queue, uint64_t part_size, struct xt_slot **out);
/* At least @part_size bytes for each tile; contents last for one launch. */
int xt_queue_thread_mem(struct xetile_queue *queue, enum xt_thread_mem_kind kind,
			uint64_t part_size, const struct xt_thread_mem **out);
int xt_queue_submit(struct xetile_queue *queue, struct xt_slot *slot,
		    unsigned int num_waits, struct xetile_event *const *waits,
		    struct xetile_event **out);

/* --- event.c ------------------------------------------------------------------- */

struct xetile_event {
	struct xetile_context *context;
	uint32_t syncobj;
};

int xt_event_create(struct xetile_context *context, struct xetile_event **out);

/* --- mode.c -------------------------------------------------------------------- */

int xt_mode_set(const struct xt_card *card, uint32_t tile_mask, uint32_t mode,
		int timeout_ms);
int xt_mode_get(const struct xt_card *card, uint32_t tile);

#endif
