/* SPDX-License-Identifier: MIT */
/* Guest memory. */
#ifndef VPVC_DMA_H
#define VPVC_DMA_H

#include "card.h"

/*
 * Guest memory (PLACE_SYSTEM, card_dma_map()) is looked up and used between
 * card_mem_lock() and card_mem_unlock(): the guest may take it away.  The lock
 * is shared, nests on one thread, and HBM doesn't need it.  Don't hold it for
 * more than some milliseconds (the host thread waits for it in DMA_UNMAP and so
 * all registers do), never while waiting for anything.
 *
 * A pointer kept beyond the unlock stays valid host memory until the process
 * ends: it may only be stale, as a translation is that a device holds after its
 * guest has unmapped the page.  Long work (a walker) may do that, and
 * translates anew when card->mem_generation changes.
 */
void card_mem_lock(struct card *c);
void card_mem_unlock(struct card *c);

/*
 * Guest memory by bus address; under card_mem_lock().  NULL if bus mastering
 * is off, or the range is not wholly mapped, not contiguous in the host, or
 * not writable for @write.
 */
void *card_dma_map(struct card *c, uint64_t addr, uint64_t len, bool write);

/* As above, but returns how far it is contiguous in *@len. */
void *card_dma_span(struct card *c, uint64_t addr, bool write, uint64_t *len);

/* Whether the function may be master of the bus: the one switch of all that is here. */
void dma_set_bus_master(struct card *c, bool on);
bool dma_bus_master(struct card *c);

int dma_init(struct card *c);
void dma_fini(struct card *c);
/*
 * @fd: file behind the range, consumed; -1 = known to exist, not reachable.
 * 0, -EINVAL (alignment, overflow, beyond the file), -EEXIST (overlap),
 * -ENOSPC (too many ranges), or an error of mmap().
 */
int dma_map(struct card *c, uint64_t addr, uint64_t size, uint64_t offset,
	    int fd, bool writable);
/* Whole ranges inside [addr, addr+size); -EINVAL if a range is cut. */
int dma_unmap(struct card *c, uint64_t addr, uint64_t size);
void dma_unmap_all(struct card *c);

#endif
