/* SPDX-License-Identifier: MIT */
/*
 * A context: an open file of a card and one GPU address space on all tiles of the card. Memory,
 * modules, queues and events point to their context.
 */
#ifndef _XETILE_CONTEXT_H_
#define _XETILE_CONTEXT_H_

#include <pthread.h>
#include <stdint.h>

#include "va.h"
#include "xetile.h"

struct xt_card;

struct xetile_context {
	struct xt_card *card;
	int fd;
	int minor;			/* of the driver's interface */
	uint32_t vm_id;
	pthread_mutex_t lock;		/* protects @va */
	struct xt_va va;
};

#endif
