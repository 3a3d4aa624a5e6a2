/* SPDX-License-Identifier: MIT */
#ifndef BENCH_OPS_H
#define BENCH_OPS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * A driver, as far as it is compared: each function is one call of its own, and
 * ends the program with a word when it fails.
 */
struct ops {
	const char *name;
	/* Exec on all tiles is one call, on one queue that spans them */
	bool gang;
	/* What waits is ended when the card is removed */
	bool bans;
	/* Once, for a card of so many tiles */
	void (*init)(int fd, unsigned int tiles);
	/* In the HBM of tile 0 */
	uint32_t (*bo_create)(int fd, uint64_t size);
	uint64_t (*bo_mmap_offset)(int fd, uint32_t bo);
	uint32_t (*vm_create)(int fd);
	void (*vm_destroy)(int fd, uint32_t vm);
	/* On all tiles; @syncobj signals when it is done */
	void (*bind)(int fd, uint32_t vm, uint32_t bo, uint64_t addr, uint64_t size,
		     uint32_t syncobj);
	void (*unbind)(int fd, uint32_t vm, uint64_t addr, uint64_t size, uint32_t syncobj);
	/* For compute; @tile is ALL_TILES if .gang */
	uint32_t (*queue_create)(int fd, uint32_t vm, unsigned int tile);
	void (*queue_destroy)(int fd, uint32_t queue);
	void (*exec)(int fd, uint32_t queue, uint64_t batch, uint32_t syncobj);
	/*
	 * What not every driver has, or NULL: a BO that only @vm can map; queues on
	 * tile 0, one for copies and one for compute that is before all others and may
	 * run for long; what became of a queue; a BO over all tiles in pieces of
	 * @granule, which may be evicted, and one that is on tile 0 or nowhere; bytes
	 * such a one can have now.
	 */
	uint32_t (*bo_create_private)(int fd, uint32_t vm, uint64_t size);
	uint32_t (*copy_queue_create)(int fd, uint32_t vm);
	uint32_t (*first_queue_create)(int fd, uint32_t vm);
	void (*queue_info)(int fd, uint32_t queue);
	uint32_t (*bo_create_pieces)(int fd, uint64_t size, uint64_t granule);
	uint32_t (*bo_create_strict)(int fd, uint64_t size);
	uint64_t (*hbm_free)(int fd);
	uint64_t (*hbm_used)(int fd);
};

#define ALL_TILES	(~0u)

extern const struct ops xe_ops;
extern struct ops xetile_ops;

void fail(const char *fmt, ...) __attribute__((noreturn, format(printf, 1, 2)));
void do_ioctl(int fd, unsigned long request, void *arg, const char *what);

#endif
