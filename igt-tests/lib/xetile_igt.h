/* SPDX-License-Identifier: MIT */
/*
 * Helpers of the xetile tests: the ioctls one to one, and small batches.
 *
 * Functions that begin with __ return 0 or -errno; the others assert.
 */
#ifndef XETILE_IGT_H
#define XETILE_IGT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include <drm/xetile_drm.h>

#include "igt.h"

#define SZ_4K	0x1000ull
#define SZ_64K	0x10000ull
#define SZ_2M	0x200000ull
#define SZ_1G	0x40000000ull

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

/* A pointer nothing is mapped at: what a faulting user pointer looks like. */
#define BAD_POINTER	0x10ull
/* A handle or id that never exists. */
#define BAD_ID		0x7fffffffu

static inline uint64_t to_user(const void *p)
{
	return (uintptr_t)p;
}

/* Asserts that @cond comes to hold, which it is given a minute for. */
#define xetile_assert_soon(cond) \
	do { \
		for (int ms_ = 0; !(cond); ms_++) { \
			igt_assert_f(ms_ < 60000, "not within a minute: %s\n", #cond); \
			usleep(1000); \
		} \
	} while (0)

/* --- the card ------------------------------------------------------------- */

struct xetile_card {
	int fd;
	struct drm_xetile_query_device device;
	struct drm_xetile_query_tile tiles[DRM_XETILE_MAX_TILES];
};

unsigned int xetile_card_number(void);
int xetile_open_path(char *path, size_t size);
int xetile_open(void);
void xetile_open_card(struct xetile_card *card);
int xetile_reopen(int fd);
int xetile_ioctl(int fd, unsigned long request, void *arg);
/* An array of @num elements, as a value */
#define XETILE_ARRAY(ptr, num) ((struct drm_xetile_array)DRM_XETILE_ARRAY(ptr, num))

int __xetile_query(int fd, uint32_t item, struct drm_xetile_array *answer);
/* The number of elements there are, which may be more than there was room for */
uint32_t xetile_query(int fd, uint32_t item, struct drm_xetile_array answer);
uint32_t xetile_query_tiles(int fd, struct drm_xetile_query_tile tiles[DRM_XETILE_MAX_TILES]);
/* Bytes of HBM in use, on all tiles */
uint64_t xetile_hbm_used(int fd);
/*
 * Until so many bytes are in use again, or a while is over: a buffer's last bytes go when
 * what was queued on it is done, its own clearing for one, and a worker has freed them.
 */
bool xetile_hbm_comes_back(int fd, uint64_t used);
/*
 * Until no client has any HBM: what one had that is gone, buffers and tables, workers give
 * back a moment later. Who compares numbers of bytes begins with this.
 */
void xetile_wait_hbm_free(int fd);
/* The same, for who has some itself: the buffers of all clients, and until they have no more */
uint64_t xetile_hbm_of_clients(int fd);
void xetile_wait_hbm_of_clients(int fd, uint64_t bytes);
int xetile_sysfs_path(int fd, unsigned int tile, const char *name, char *path, size_t size);
FILE *xetile_debugfs_open(int fd, const char *file);
/* The sum of what the lines of a debugfs file say that begin with @key */
uint64_t xetile_debugfs_sum(int fd, const char *file, const char *key);
/*
 * Until no queue holds an engine: each holds its own until the engine has switched, a
 * moment after its last fence.
 */
void xetile_wait_engines_free(int fd);
/* The copy engine the kernel keeps on tile 0 */
void xetile_kernel_engine(int fd, char *name, size_t size);
int xetile_sysfs_read(int fd, unsigned int tile, const char *name, char *buf, size_t size);
int xetile_sysfs_write(int fd, unsigned int tile, const char *name, const char *text);
unsigned int xetile_sysfs_uint(int fd, unsigned int tile, const char *name);
/* Of tile 0's compute engines: one of their times, and all of them as they are by default */
void xetile_write_time(int fd, const char *file, const char *value);
void xetile_usual_times(int fd);
/* Of tile 0. A queue that is gone is freed by work, once the engine has switched. */
void xetile_set_ccs_mode(int fd, const char *mode);
/* What fdinfo says of a key, in bytes; asserts that it has it */
uint64_t xetile_fdinfo_bytes(int fd, const char *key);
/* Of the clock that goes on */
uint64_t xetile_now_ms(void);
uint64_t xetile_now_ns(void);
/* Its bus address while it is bound; "bind" or "unbind" it: 0 or -errno. */
void xetile_bound_card(char *address, size_t size);
int xetile_write_driver(const char *file, const char *text);

/* --- buffers and address spaces ------------------------------------------- */

int __xetile_bo_create(int fd, struct drm_xetile_bo_create *args);
uint32_t xetile_bo(int fd, uint64_t size, uint32_t placement);
uint32_t xetile_bo_color(int fd, uint64_t size, uint32_t color, uint32_t tile_mask,
			 uint64_t granule);
void *__xetile_bo_map(int fd, uint32_t handle, uint64_t size);
void *xetile_bo_map(int fd, uint32_t handle, uint64_t size);
void xetile_bo_close(int fd, uint32_t handle);
/*
 * What small BOs get next is not clear: what was cleared before anybody asked for it is used
 * up, and back.
 */
void xetile_use_up_clear(int fd);
/* Nearly all of each tile is taken, then more than is left: what is idle goes. */
void xetile_evict_all(int fd);
/* What touches the page gets SIGBUS, not what somebody else left there. */
void xetile_check_sigbus(const volatile uint32_t *map);
uint32_t xetile_bo_runs(int fd, uint32_t handle, struct drm_xetile_color_run *runs, uint32_t max);

uint32_t xetile_vm(int fd);
int __xetile_vm_destroy(int fd, uint32_t vm);
void xetile_vm_destroy(int fd, uint32_t vm);
int __xetile_vm_bind(int fd, uint32_t vm, const struct drm_xetile_bind *binds, uint32_t n,
		     const struct drm_xetile_sync *syncs, uint32_t num_syncs);
void xetile_vm_map(int fd, uint32_t vm, uint32_t handle, uint64_t offset, uint64_t addr,
		   uint64_t range);
void xetile_vm_unmap(int fd, uint32_t vm, uint64_t addr, uint64_t range);

/* --- queues and batches --------------------------------------------------- */

#define COMPUTE		DRM_XETILE_ENGINE_COMPUTE
#define COPY		DRM_XETILE_ENGINE_COPY
#define ROOT		DRM_XETILE_TARGET_ROOT
#define TILE		DRM_XETILE_TARGET_TILE

/* One of the module, from now on; what it was before */
unsigned int xetile_set_parameter(const char *name, unsigned int n);
int __xetile_queue_create(int fd, struct drm_xetile_queue_create *args);
uint32_t xetile_queue(int fd, uint32_t vm, uint32_t engine_class, uint32_t target, uint32_t tile,
		      uint32_t cslice);
/* On tile 0 */
uint32_t xetile_copy_queue(int fd, uint32_t vm);
/* For binds */
uint32_t xetile_bind_queue(int fd, uint32_t vm);
int __xetile_queue_destroy(int fd, uint32_t queue);
void xetile_queue_destroy(int fd, uint32_t queue);
void xetile_queue_info(int fd, uint32_t queue, struct drm_xetile_queue_info *info);
int __xetile_exec(int fd, uint32_t queue, uint64_t batch, const struct drm_xetile_sync *syncs,
		  uint32_t num_syncs);

uint32_t xetile_syncobj(int fd);
void xetile_syncobj_destroy(int fd, uint32_t handle);
int __xetile_wait(int fd, uint32_t syncobj, int64_t timeout_ms);
/* Whether it has signalled, and until it has: without an error */
bool xetile_is_done(int fd, uint32_t syncobj);
void xetile_wait_done(int fd, uint32_t syncobj);
int xetile_fence_status(int fd, uint32_t syncobj);
/* The fence as a file of its own, which outlasts the card */
int xetile_fence_file(int fd, uint32_t syncobj);
/* Waits for it and closes it; that it signals at all is asserted. Its status */
int xetile_file_end(int file);
/*
 * When the only fence of a sync file signalled, and how; closes the file. A queue is off its
 * engine a moment before its fences signal.
 */
uint64_t xetile_signalled_ns(int file, int *status);

/* Runs a batch and waits for its fence; the fence must carry no error. */
void xetile_run(int fd, uint32_t queue, uint64_t batch);

/*
 * A buffer in system memory that is mapped both ways: for the batch, and for
 * the words the GPU writes.
 */
struct xetile_buf {
	int fd;
	uint32_t vm;
	uint32_t handle;
	uint64_t addr;
	uint64_t size;
	uint32_t *map;
};

void xetile_buf_init(struct xetile_buf *buf, int fd, uint32_t vm, uint64_t addr, uint64_t size,
		     uint32_t placement);
void xetile_buf_fini(struct xetile_buf *buf);

/* A batch under construction, in a buffer's mapping. */
struct xetile_batch {
	struct xetile_buf *buf;
	uint32_t start;		/* in dwords */
	uint32_t len;		/* in dwords */
};

void batch_begin(struct xetile_batch *b, struct xetile_buf *buf, uint32_t offset);
uint64_t batch_addr(const struct xetile_batch *b);
void batch_emit(struct xetile_batch *b, uint32_t dword);
void batch_end(struct xetile_batch *b);
/* Store a dword; with @per_tile at @addr + 8 * partition number */
void batch_store(struct xetile_batch *b, uint64_t addr, uint32_t value, bool per_tile);
/* Wait until the dword at @addr is @value: how a batch is held */
void batch_wait(struct xetile_batch *b, uint64_t addr, uint32_t value);
/* Add one to the dword at @addr, atomically */
void batch_atomic_inc(struct xetile_batch *b, uint64_t addr);
/* Store a register of the executing engine, by offset from its base */
void batch_store_reg(struct xetile_batch *b, uint32_t offset, uint64_t addr);
/* A jump, within the level the batch runs on */
void batch_jump(struct xetile_batch *b, uint64_t addr);
/* A point at which the engine may be taken away; a jump is none */
void batch_yield(struct xetile_batch *b);
/* A loop without an end, which lets others have the engine */
void batch_hang(struct xetile_batch *b);
/* One that does not */
void batch_spin(struct xetile_batch *b);
/* Arbitration off: nobody else gets the engine until the driver has it on again */
void batch_keep_engine(struct xetile_batch *b);
/* Copy up to 256 KiB on a copy engine */
void batch_mem_copy(struct xetile_batch *b, uint64_t dst, uint64_t src, uint32_t size);

#endif
