/* SPDX-License-Identifier: MIT */
/*
 * A context: an open file of a card and one GPU address space on all tiles of the card. Memory,
 * modules, queues and events point to their context.
 */
#ifndef _XETILE_CONTEXT_H_
#define _XETILE_CONTEXT_H_

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "usm.h"
#include "va.h"
#include "xetile.h"

struct xt_card;

/* Memory in which the hardware notes a fence; nobody else reads or writes it. */
#define XT_FENCE_BYTES	XETILE_COLOR_PAGE

#define XT_MEM_LISTS	256u

struct xetile_context {
	struct xt_card *card;
	int fd;
	int minor;			/* of the driver's interface */
	uint32_t vm_id;
	bool borrowed;			/* the VM is the program's, and outlives the context */
	uint64_t va_start, va_end;	/* addresses that are the library's, all of @va */
	pthread_mutex_t lock;		/* protects @va and @mems */
	struct xt_va va;
	/* all buffers that have a handle, by its low bits: the driver gives handles out in order */
	struct xetile_mem *mems[XT_MEM_LISTS];
	pthread_mutex_t queues_lock;	/* protects @queues */
	struct xetile_queue *queues;	/* those of the driver */
	/* protects what events and slots share, see times.h, and the next two */
	pthread_mutex_t times_lock;
	struct xetile_event *spare;	/* events for the next submissions */
	unsigned int num_spare;
	struct xt_usm usm;
	struct xetile_mem *fence;	/* for fences of batches: XT_FENCE_BYTES on each tile */
};

/* Returns the address for the fences of batches on a tile. */
uint64_t xt_context_fence(const struct xetile_context *context, uint32_t tile);

#endif
