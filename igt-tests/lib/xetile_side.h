/* SPDX-License-Identifier: MIT */
/*
 * A card that shares buffers with others by dma-buf: a client of it with an engine that reads and
 * writes the buffers. All shared buffers have SHARE_BYTES.
 */
#ifndef XETILE_SIDE_H
#define XETILE_SIDE_H

#include "xetile_igt.h"

#define SHARE_BYTES	(16 * SZ_64K)
#define SHARE_PAGES	(SHARE_BYTES / SZ_4K)
#define SHARE_ANYWHERE	(DRM_XETILE_PLACE_HBM | DRM_XETILE_PLACE_SYSTEM)

struct side {
	struct ctx c;
	uint32_t queue;
	unsigned int number;		/* of the card */
	struct xetile_buf copy;		/* for what the engine reads and writes */
};

void side_init(struct side *s, unsigned int number);
void side_fini(struct side *s);
/* As side_fini(), when the card is gone */
void side_drop(struct side *s);
/* The PCI address of a card, which has to be bound */
void side_address(unsigned int number, char *address, size_t size);
/* Are two cards, of open files, behind one PCIe switch? */
bool side_switched(int fd, int other);
/* The number of a card that is not behind one switch with card 0; skips the test without one. */
unsigned int side_far(void);

/* A word in each page of SHARE_BYTES, of which no two are the same */
void share_paint(volatile uint32_t *map, uint32_t seed);
void share_check(volatile uint32_t *map, uint32_t seed);
/* Have the card write or read such words at a GPU address, or copy all bytes. */
void side_paint(struct side *s, uint64_t addr, uint32_t seed);
void side_check(struct side *s, uint64_t addr, uint32_t seed);
void side_copy(struct side *s, uint64_t dst, uint64_t src);
/* Adds such a copy, and the end, to a batch. */
void side_emit_copy(struct side *s, struct xetile_batch *b, uint64_t dst, uint64_t src);
/*
 * side_start_held() starts a job that waits for side_let_go(), and then copies. Returns the syncobj
 * of its fence, which side_let_go() waits for and destroys. side_open_gate() only lets it go.
 */
uint32_t side_start_held(struct side *s, uint64_t dst, uint64_t src);
void side_open_gate(struct side *s);
void side_let_go(struct side *s, uint32_t fence);
struct drm_xetile_sync share_signal(uint32_t syncobj);

/* DRM_XETILE_SHARE_*, as BO_INFO tells */
uint64_t share_of(int fd, uint32_t bo);
int share_export(int fd, uint32_t bo);
/* Imports a dma-buf and maps it at DATA_ADDR. Returns its handle. */
uint32_t side_import(struct side *s, int file);
/* Unmaps a buffer from DATA_ADDR and closes it. */
void side_forget(struct side *s, uint32_t bo);
/* Asserts that both sides of a shared buffer tell the same; returns whether it is peer-to-peer. */
bool share_told(int from, uint32_t exported, int to, uint32_t imported);
/*
 * Returns the address behind a GPU address that the engine's last job used: in HBM, or on the bus.
 * Needs a card that takes orders (xetile_lab.h).
 */
uint64_t side_place(const struct side *s, uint64_t addr, bool *hbm);

#endif
