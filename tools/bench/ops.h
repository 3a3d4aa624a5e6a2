/* SPDX-License-Identifier: MIT */
#ifndef BENCH_OPS_H
#define BENCH_OPS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * The calls of a driver that the benchmark compares. Each function makes one call to the
 * driver, and ends the program with a message when the call fails.
 */
struct ops {
	const char *name;
	/* An exec on all tiles is one call, on one queue that spans the tiles */
	bool gang;
	/* Removing the card ends the batches that wait */
	bool bans;
	/* Called once, with the number of the card's tiles */
	void (*init)(int fd, unsigned int tiles);
	/* The BO lies in the HBM of tile 0 */
	uint32_t (*bo_create)(int fd, uint64_t size);
	uint64_t (*bo_mmap_offset)(int fd, uint32_t bo);
	uint32_t (*vm_create)(int fd);
	void (*vm_destroy)(int fd, uint32_t vm);
	/* Binds are on all tiles; @syncobj signals when a bind is done */
	void (*bind)(int fd, uint32_t vm, uint32_t bo, uint64_t addr, uint64_t size,
		     uint32_t syncobj);
	void (*unbind)(int fd, uint32_t vm, uint64_t addr, uint64_t size, uint32_t syncobj);
	/* Memory of the calling process, which the GPU can use from the next exec on at the latest */
	void (*bind_user)(int fd, uint32_t vm, void *memory, uint64_t addr, uint64_t size,
			  uint32_t syncobj);
	/* The queue is for compute; @tile may be ALL_TILES if .gang */
	uint32_t (*queue_create)(int fd, uint32_t vm, unsigned int tile);
	void (*queue_destroy)(int fd, uint32_t queue);
	void (*exec)(int fd, uint32_t queue, uint64_t batch, uint32_t syncobj);
	/*
	 * Not every driver has these calls; NULL: the driver has none. They make a BO that
	 * only @vm can map; queues on tile 0, one for copies, and one for compute with high
	 * priority and a long time limit; ask for the state of a queue; make a BO over all
	 * tiles in pieces of @granule, which may be evicted, and a BO that lies on tile 0 or
	 * fails; count the free bytes of tile 0; bind many pieces by one call: .pieces_prepare
	 * describes MAX_PIECES pieces of @size bytes from @addr on, without memory if @bo is 0, and
	 * .pieces_bind binds some of them.
	 */
	uint32_t (*bo_create_private)(int fd, uint32_t vm, uint64_t size);
	uint32_t (*copy_queue_create)(int fd, uint32_t vm);
	uint32_t (*first_queue_create)(int fd, uint32_t vm);
	void (*queue_info)(int fd, uint32_t queue);
	uint32_t (*bo_create_pieces)(int fd, uint64_t size, uint64_t granule);
	uint32_t (*bo_create_strict)(int fd, uint64_t size);
	uint64_t (*hbm_free)(int fd);
	uint64_t (*hbm_used)(int fd);
	void (*pieces_prepare)(uint32_t bo, uint64_t addr, uint64_t size);
	void (*pieces_bind)(int fd, uint32_t vm, unsigned int first, unsigned int num);
	/* A BO of which each tile has an equal share */
	uint32_t (*bo_create_even)(int fd, uint64_t size);
	/*
	 * Move the pages of a BO so that tiles 0 and 1 have its @runs runs of one size in turn,
	 * and tile @first the first one; at most MAX_RUNS runs; @syncobj signals when they have moved
	 */
	void (*recolor)(int fd, uint32_t bo, uint64_t size, unsigned int runs, unsigned int first,
			uint32_t syncobj);
};

#define MAX_PIECES	4096u
#define MAX_RUNS	1024u

#define ALL_TILES	(~0u)

extern const struct ops xe_ops;
extern struct ops xetile_ops;

void fail(const char *fmt, ...) __attribute__((noreturn, format(printf, 1, 2)));
void do_ioctl(int fd, unsigned long request, void *arg, const char *what);

#endif
