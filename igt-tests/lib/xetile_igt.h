/* SPDX-License-Identifier: MIT */
/*
 * Helpers that all xetile tests share: one function for each ioctl, and small batches.
 *
 * A function whose name begins with __ returns 0 or a negative errno. Every other function
 * asserts that the calls it makes succeed. In all of them @fd is a DRM file of the card, sizes
 * and addresses are in bytes, and @tile counts from 0.
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

/* Where the helpers map their buffers */
#define BATCH_ADDR	0x10000000ull
#define GATE_ADDR	0x20000000ull
/* From this address on the helpers map nothing: the addresses are free for the test. */
#define DATA_ADDR	0x4000000000ull

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

/* An address where no process has a mapping: a user pointer that faults */
#define BAD_POINTER	0x10ull
/* A handle or id that never exists */
#define BAD_ID		0x7fffffffu

static inline uint64_t to_user(const void *p)
{
	return (uintptr_t)p;
}

/*
 * Asserts that @cond becomes true within a minute: 60,000 looks, because a busy host delays the
 * test as it delays the driver, but not more than five minutes for those that take long.
 */
#define xetile_assert_soon(cond) \
	do { \
		const uint64_t end_ = xetile_now_ns() + 300000000000ull; \
		for (int ms_ = 0; !(cond); ms_++) { \
			igt_assert_f(ms_ < 60000 && xetile_now_ns() < end_, \
				     "not within a minute: %s\n", #cond); \
			usleep(1000); \
		} \
	} while (0)

/* --- the card ------------------------------------------------------------- */

struct xetile_card {
	int fd;
	struct drm_xetile_query_device device;
	struct drm_xetile_query_tile tiles[DRM_XETILE_MAX_TILES];
};

/* Returns the number of the card under test: XETILE_CARD, counted from 0; without it 0. */
unsigned int xetile_card_number(void);
/*
 * Writes the path of the primary node of the card under test to @path, which has room for
 * @size bytes. Returns 0, or -ENODEV without such a card.
 */
int xetile_open_path(char *path, size_t size);
/* Returns a new DRM file of the card under test. Skips the test without such a card. */
int xetile_open(void);
/* As xetile_open(), for card @number, counted from 0, which is the card under test from now on. */
int xetile_open_number(unsigned int number);
/* Opens the card under test and queries its device and its tiles. */
void xetile_open_card(struct xetile_card *card);
/* Returns a new, independent DRM file of the same node as @fd. */
int xetile_reopen(int fd);
/* Makes an ioctl, again after EINTR and EAGAIN. Returns 0 or -errno. */
int xetile_ioctl(int fd, unsigned long request, void *arg);
/* The struct drm_xetile_array of the @num elements at @ptr, as a value */
#define XETILE_ARRAY(ptr, num) ((struct drm_xetile_array)DRM_XETILE_ARRAY(ptr, num))

/* QUERY of @item; the call updates @answer. */
int __xetile_query(int fd, uint32_t item, struct drm_xetile_array *answer);
/*
 * QUERY of @item into @answer. Returns the number of elements that exist, which may exceed
 * the number that @answer has room for.
 */
uint32_t xetile_query(int fd, uint32_t item, struct drm_xetile_array answer);
/* Fills @tiles. Returns the number of tiles. */
uint32_t xetile_query_tiles(int fd, struct drm_xetile_query_tile tiles[DRM_XETILE_MAX_TILES]);
/* Returns the bytes of HBM in use, summed over all tiles. */
uint64_t xetile_hbm_used(int fd);
/*
 * Waits up to two seconds until exactly @used bytes of HBM are in use; returns whether that
 * happened. A buffer's last bytes are freed by a worker after the jobs that were queued on the
 * buffer, for example its own clearing.
 */
bool xetile_hbm_comes_back(int fd, uint64_t used);
/*
 * Waits until no client has any HBM; asserts that this takes at most five minutes. Workers
 * free the buffers and tables of a closed file a moment after the close. A test that compares
 * numbers of bytes calls this first.
 */
void xetile_wait_hbm_free(int fd);
/* Returns the bytes of HBM in buffers and tables of all clients. */
uint64_t xetile_hbm_of_clients(int fd);
/* As xetile_wait_hbm_free(), but until the clients have at most @bytes. */
void xetile_wait_hbm_of_clients(int fd, uint64_t bytes);
/*
 * Writes to @path, which has room for @size bytes, where sysfs has the file @name of @tile's
 * gt0. Returns 0 or -errno.
 */
int xetile_sysfs_path(int fd, unsigned int tile, const char *name, char *path, size_t size);
/* Opens the card's debugfs file for reading. */
FILE *xetile_debugfs_open(int fd, const char *file);
/* Returns the sum of the numbers behind @key in all lines of a debugfs file that begin so. */
uint64_t xetile_debugfs_sum(int fd, const char *file, const char *key);
/*
 * Waits until no queue owns an engine; asserts that this takes at most five seconds or so. A
 * queue owns its engine until the engine has switched, a moment after the queue's last fence.
 */
void xetile_wait_engines_free(int fd);
/* As xetile_wait_engines_free(), until queues own at most @most of the card's engines. */
void xetile_wait_engines_owned(int fd, unsigned int most);
/* Writes the name of the copy engine that the driver keeps for itself on tile 0 to @name. */
void xetile_kernel_engine(int fd, char *name, size_t size);
/* Reads a file under @tile's gt0 into @buf, as a string. Returns 0 or -errno. */
int xetile_sysfs_read(int fd, unsigned int tile, const char *name, char *buf, size_t size);
/* Writes @text to a file under @tile's gt0. Returns 0 or -errno. */
int xetile_sysfs_write(int fd, unsigned int tile, const char *name, const char *text);
/* Returns a file under @tile's gt0 of which xetile_is_notified() tells what happens from now on. */
int xetile_sysfs_polled(int fd, unsigned int tile, const char *name);
/* Returns whether the driver notifies the file, which nobody reads meanwhile, in time. */
bool xetile_is_notified(int file, int timeout_ms);
/* Returns the decimal number in a file under @tile's gt0. */
unsigned int xetile_sysfs_uint(int fd, unsigned int tile, const char *name);
/* Writes @value to one of the time files of tile 0's compute engines. */
void xetile_write_time(int fd, const char *file, const char *value);
/* Sets all time files of tile 0's compute engines to their defaults. */
void xetile_usual_times(int fd);
/*
 * Sets the number of compute engines of tile 0. Retries EBUSY for 20 seconds, because a worker
 * frees a destroyed queue only after its engine has switched. Skips the test when the tile has
 * no such mode. The program gives the tile mode 1 again when it exits, whatever its subtests did.
 */
void xetile_set_ccs_mode(int fd, const char *mode);
/*
 * Gives every tile mode 1 again, for a subtest that failed or skipped before it did so itself.
 * Destroys this process's queues on all its open files, if they hold a mode. Asserts nothing.
 */
void xetile_usual_ccs_modes(const struct xetile_card *card);
/* Returns the bytes that fdinfo of @fd reports for @key; asserts that fdinfo has @key. */
uint64_t xetile_fdinfo_bytes(int fd, const char *key);
/* Return CLOCK_MONOTONIC in milliseconds and in nanoseconds. */
uint64_t xetile_now_ms(void);
uint64_t xetile_now_ns(void);
/* Writes the PCI address of the card under test, which must be bound, to @address. */
void xetile_bound_card(char *address, size_t size);
/* Reads the beginning of a file into @buf, as a string. Returns 0 or -errno. */
int xetile_read_file(const char *path, char *buf, size_t size);
/* Writes a string to a file that exists. Returns 0 or -errno. */
int xetile_write_file(const char *path, const char *text);
/* Writes @text to the driver's "bind" or "unbind" file. Returns 0 or -errno. */
int xetile_write_driver(const char *file, const char *text);
/* Unbinds and binds the card at a PCI address; asserts that both succeed. */
void xetile_rebind(const char *address);
/* Has the kernel reset the function of the card at a PCI address; asserts that it does so. */
void xetile_reset_function(const char *address);

/* --- buffers and address spaces ------------------------------------------- */

/* BO_CREATE */
int __xetile_bo_create(int fd, struct drm_xetile_bo_create *args);
/* Creates a BO of @size bytes in DRM_XETILE_PLACE_... @placement. Returns its handle. */
uint32_t xetile_bo(int fd, uint64_t size, uint32_t placement);
/*
 * Creates a BO in HBM with DRM_XETILE_BO_STRICT and a color: @granule is in bytes, 0 selects
 * the default. Returns its handle.
 */
uint32_t xetile_bo_color(int fd, uint64_t size, uint32_t color, uint32_t tile_mask,
			 uint64_t granule);
/* Maps the first @size bytes of a BO for the CPU. May return MAP_FAILED, with errno. */
void *__xetile_bo_map(int fd, uint32_t handle, uint64_t size);
/* As __xetile_bo_map(), but asserts that mmap() succeeds. */
void *xetile_bo_map(int fd, uint32_t handle, uint64_t size);
/* Closes a BO's handle. */
void xetile_bo_close(int fd, uint32_t handle);
/*
 * Uses up all HBM that the driver has cleared in advance, and frees it: the next small BO gets
 * memory that is not clear yet.
 */
void xetile_use_up_clear(int fd);
/* Fills nearly all of each tile and then asks for more, which evicts every idle buffer. */
void xetile_evict_all(int fd);
/* Asserts that a process that reads the page at @map is killed by SIGBUS. */
void xetile_check_sigbus(const volatile uint32_t *map);
/*
 * Reads at most @max runs of a BO's color into @runs. Returns the number of runs that the BO
 * has, which may exceed @max.
 */
uint32_t xetile_bo_runs(int fd, uint32_t handle, struct drm_xetile_color_run *runs, uint32_t max);

/* Creates a VM. Returns its id. */
uint32_t xetile_vm(int fd);
/* VM_DESTROY */
int __xetile_vm_destroy(int fd, uint32_t vm);
void xetile_vm_destroy(int fd, uint32_t vm);
/* VM_BIND of @n binds with @num_syncs syncs, without a bind queue */
int __xetile_vm_bind(int fd, uint32_t vm, const struct drm_xetile_bind *binds, uint32_t n,
		     const struct drm_xetile_sync *syncs, uint32_t num_syncs);
/* Maps @range bytes of a BO from @offset on at the GPU address @addr. */
void xetile_vm_map(int fd, uint32_t vm, uint32_t handle, uint64_t offset, uint64_t addr,
		   uint64_t range);
/* Unmaps @range bytes at the GPU address @addr. */
void xetile_vm_unmap(int fd, uint32_t vm, uint64_t addr, uint64_t range);

/* --- queues and batches --------------------------------------------------- */

#define COMPUTE		DRM_XETILE_ENGINE_COMPUTE
#define COPY		DRM_XETILE_ENGINE_COPY
#define ROOT		DRM_XETILE_TARGET_ROOT
#define TILE		DRM_XETILE_TARGET_TILE

/* Sets the module's parameter @name to @n. Returns its previous value. */
unsigned int xetile_set_parameter(const char *name, unsigned int n);
/* QUEUE_CREATE */
int __xetile_queue_create(int fd, struct drm_xetile_queue_create *args);
/* Creates a queue of an engine class with a DRM_XETILE_TARGET_... Returns its id. */
uint32_t xetile_queue(int fd, uint32_t vm, uint32_t engine_class, uint32_t target, uint32_t tile,
		      uint32_t cslice);
/* Creates a copy queue on tile 0. Returns its id. */
uint32_t xetile_copy_queue(int fd, uint32_t vm);
/* Creates a queue of class BIND. Returns its id. */
uint32_t xetile_bind_queue(int fd, uint32_t vm);
/* QUEUE_DESTROY */
int __xetile_queue_destroy(int fd, uint32_t queue);
void xetile_queue_destroy(int fd, uint32_t queue);
/* Fills @info by QUEUE_INFO. */
void xetile_queue_info(int fd, uint32_t queue, struct drm_xetile_queue_info *info);
/* EXEC of the one batch at the GPU address @batch, with @num_syncs syncs */
int __xetile_exec(int fd, uint32_t queue, uint64_t batch, const struct drm_xetile_sync *syncs,
		  uint32_t num_syncs);

/* Creates a syncobj without a fence. Returns its handle. */
uint32_t xetile_syncobj(int fd);
void xetile_syncobj_destroy(int fd, uint32_t handle);
/* Waits @timeout_ms milliseconds for a syncobj's fence: 0, or -ETIME when that is over. */
int __xetile_wait(int fd, uint32_t syncobj, int64_t timeout_ms);
/* Returns whether a syncobj's fence has signalled. */
bool xetile_is_done(int fd, uint32_t syncobj);
/* Asserts that a syncobj's fence signals within 20 seconds, without an error. */
void xetile_wait_done(int fd, uint32_t syncobj);
/*
 * Returns the status of a syncobj's fence: 1 when it has signalled, 0 when it has not yet, or
 * the -errno that it carries.
 */
int xetile_fence_status(int fd, uint32_t syncobj);
/* Returns a syncobj's fence as a sync file, which stays valid after the card is gone. */
int xetile_fence_file(int fd, uint32_t syncobj);
/*
 * Asserts that a sync file signals within a minute; closes the file. Returns the status of its
 * fence: 1, or the -errno that it carries.
 */
int xetile_file_end(int file);
/*
 * As xetile_file_end() for a sync file of a single fence, whose status goes to @status. Returns
 * the CLOCK_MONOTONIC nanoseconds at which the fence signalled. A queue leaves its engine a
 * moment before its fences signal.
 */
uint64_t xetile_signalled_ns(int file, int *status);

/* Runs the batch at @batch; asserts that its fence signals in 20 seconds, without an error. */
void xetile_run(int fd, uint32_t queue, uint64_t batch);

/*
 * A BO that is mapped both for the GPU, at @addr of @vm, and for the CPU, at @map. It holds
 * batches, and words that the GPU writes.
 */
struct xetile_buf {
	int fd;
	uint32_t vm;
	uint32_t handle;
	uint64_t addr;
	uint64_t size;
	uint32_t *map;
};

/* Creates a BO in DRM_XETILE_PLACE_... @placement and maps it. */
void xetile_buf_init(struct xetile_buf *buf, int fd, uint32_t vm, uint64_t addr, uint64_t size,
		     uint32_t placement);
void xetile_buf_fini(struct xetile_buf *buf);

/* A VM with a buffer for batches, and another one for words, of 64 KiB each */
struct ctx {
	int fd;
	uint32_t vm;
	struct xetile_buf batch;	/* commands */
	struct xetile_buf gate;		/* words that the GPU and the test exchange */
};

void ctx_init(struct ctx *c, int fd);
void ctx_fini(struct ctx *c);

/* A batch under construction, in a buffer's mapping. */
struct xetile_batch {
	struct xetile_buf *buf;
	uint32_t start;		/* in dwords */
	uint32_t len;		/* in dwords */
};

/* Begins a batch @offset bytes behind the start of @buf; @offset must be a multiple of 8. */
void batch_begin(struct xetile_batch *b, struct xetile_buf *buf, uint32_t offset);
/* Returns the GPU address of the batch. */
uint64_t batch_addr(const struct xetile_batch *b);
/* Appends a dword; asserts that the buffer has room for it. */
void batch_emit(struct xetile_batch *b, uint32_t dword);
/* Appends the end of the batch. */
void batch_end(struct xetile_batch *b);
/* Stores a dword to @addr; with @per_tile to @addr + 8 * the partition's number. */
void batch_store(struct xetile_batch *b, uint64_t addr, uint32_t value, bool per_tile);
/* Waits until the dword at @addr equals @value. A test holds a batch this way. */
void batch_wait(struct xetile_batch *b, uint64_t addr, uint32_t value);
/* Adds one to the dword at @addr, atomically. */
void batch_atomic_inc(struct xetile_batch *b, uint64_t addr);
/* Stores the executing engine's register at @offset from the engine's base to @addr. */
void batch_store_reg(struct xetile_batch *b, uint32_t offset, uint64_t addr);
/* Jumps to @addr, within the level at which the batch runs. */
void batch_jump(struct xetile_batch *b, uint64_t addr);
/* Lets another context preempt this one here. A jump alone does not allow that. */
void batch_yield(struct xetile_batch *b);
/* Loops without an end, and can be preempted. */
void batch_hang(struct xetile_batch *b);
/* Loops without an end, and cannot be preempted. */
void batch_spin(struct xetile_batch *b);
/* Turns arbitration off: no other context gets the engine until the driver turns it on. */
void batch_keep_engine(struct xetile_batch *b);
/* Copies 1 to 256 Ki bytes on a copy engine. */
void batch_mem_copy(struct xetile_batch *b, uint64_t dst, uint64_t src, uint32_t size);

#endif
