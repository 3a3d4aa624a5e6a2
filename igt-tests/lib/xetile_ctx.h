/* SPDX-License-Identifier: MIT */
/*
 * A VM with a buffer of 64 KiB for batches, and another one for the words that the GPU and the
 * test exchange.
 */
#ifndef XETILE_CTX_H
#define XETILE_CTX_H

#include "xetile_igt.h"

#define BATCH_ADDR	0x10000000ull
#define GATE_ADDR	0x20000000ull
/* From this address on the helpers map nothing: the addresses are free for the test. */
#define DATA_ADDR	0x4000000000ull

struct ctx {
	int fd;
	uint32_t vm;
	struct xetile_buf batch;	/* commands */
	struct xetile_buf gate;		/* words that the GPU and the test exchange */
};

void ctx_init(struct ctx *c, int fd);
void ctx_fini(struct ctx *c);

#endif
