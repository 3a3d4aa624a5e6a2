/* SPDX-License-Identifier: MIT */
/*
 * A driver in this process, behind the library's interface to the kernel (ioctl.h). The driver
 * knows which objects are open, mapped and alive, and gives a test the last submission. It executes
 * batches of copies and fills if a test asks for that, and no others. Buffers are pages of a memfd,
 * so that mmap() works.
 */
#ifndef _XETILE_FAKE_H_
#define _XETILE_FAKE_H_

#include <drm/xetile_drm.h>
#include <stdbool.h>
#include <stdint.h>

#include "platform.h"
#include "xetile.h"

#define FAKE_MAX	256
#define FAKE_LOG	16
#define FAKE_SYNCS	64	/* of a submission */

struct fake_bo {
	bool used;
	struct drm_xetile_bo_create create;
	struct drm_xetile_color_run runs[16];
	uint64_t offset;
	bool pinned, purgeable, purged;
	int event_fd;			/* of the pin */
};

struct fake_bind {
	bool used;
	uint64_t addr, range;
	uint32_t handle;		/* 0: memory of the process */
	uint64_t offset;
	uint32_t flags, vm_id;
};

struct fake_exec {
	struct drm_xetile_exec exec;
	uint32_t tile;			/* of the queue */
	uint64_t batches[XETILE_MAX_TILES];
	struct drm_xetile_sync syncs[FAKE_SYNCS];
};

struct fake {
	unsigned int tiles;		/* of every card */
	unsigned int ccs_mode, ccs_modes;
	uint64_t caps;
	const char *name;		/* of the DRM device */
	int major, minor;		/* version of the driver's interface */
	uint32_t hop;			/* to another tile; 0: the driver is older and tells none */
	unsigned long fail_request;	/* the ioctl that fails, 0: none */
	unsigned int fail_nth;		/* only this one of them fails, from 1; 0: all do */
	int fail_errno;
	bool gone;			/* the card is: every ioctl fails with -ENODEV */
	bool executes;			/* copies and fills, when they are submitted */
	bool hold;			/* fences signal only in a wait without a limit */
	int fence_error;		/* fences end with this error */
	int memfd;
	uint64_t va_size;
	uint64_t next_offset;
	struct fake_bo bos[FAKE_MAX];
	struct fake_bind binds[FAKE_MAX];
	unsigned int num_binds;		/* those that were ever used are before it */
	bool syncobjs[FAKE_MAX];
	int sync_status[FAKE_MAX];	/* 0 active, 1 done, < 0 error */
	int fd_status[FAKE_MAX];	/* of exported sync files */
	unsigned int vms, queues, execs;
	unsigned int ioctls;		/* calls, whether they failed or not */
	unsigned int fences;		/* submissions without a batch */
	unsigned int last_waits;	/* fences that the last submission with a batch waits for */
	uint32_t last_vm;
	unsigned int fail_exec;		/* the number of the submission that fails, 0: none */
	struct drm_xetile_queue_create last_queue;
	struct drm_xetile_process process;	/* what the process gets by the calls of xe */
	struct drm_xetile_bo_recolor last_recolor;
	struct drm_xetile_bo_range last_ranges[4];
	struct drm_xetile_color_run last_runs[4];	/* of the first range */
	struct fake_exec last;
	struct fake_exec log[FAKE_LOG];	/* submission n is at n % FAKE_LOG */
	uint32_t queue_tiles[FAKE_MAX];	/* by the queue's number */
};

extern struct fake fake;

void fake_start(unsigned int tiles, unsigned int ccs_mode);
/* Returns the number of objects that the library did not free. */
unsigned int fake_leaks(void);
/* What is mapped at a GPU address, or NULL */
const struct fake_bind *fake_bind_at(uint64_t addr);
/* CPU address of a GPU address; NULL when nothing is mapped there. */
void *fake_at(uint64_t addr);
/* The same for an engine of a tile, which reads and writes its own copy of a buffer */
void *fake_on_tile(uint64_t addr, uint32_t tile);
/* Run the copies and fills of a submission on one tile. Returns the bytes. */
uint64_t fake_run(const struct fake_exec *exec);
/* Open a platform of @cards fake cards. */
int fake_platform(unsigned int cards, const struct xt_env *env, struct xetile_platform **out);

#endif
