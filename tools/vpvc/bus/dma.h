/* SPDX-License-Identifier: MIT */
/* Guest memory by bus address. */
#ifndef VPVC_DMA_H
#define VPVC_DMA_H

#include "card.h"

/*
 * Guest memory (PLACE_SYSTEM, card_dma_map()) is looked up and used between
 * card_mem_lock() and card_mem_unlock(), because the guest may unmap it.  The lock is
 * shared, nests on one thread, and HBM does not need it.  Do not hold the lock for more
 * than some milliseconds, and never while you wait for anything: DMA_UNMAP waits for it on
 * the host thread, and all register accesses wait with it.
 *
 * A pointer kept beyond the unlock stays valid host memory until the engines are reset.
 * It may be stale, like a translation that a device still holds after its guest has
 * unmapped the page.  Long work (a walker) may keep pointers if it translates anew when
 * card->mem_generation changes.
 */
void card_mem_lock(struct card *c);
void card_mem_unlock(struct card *c);

/*
 * Guest memory by bus address; under card_mem_lock().  NULL if bus mastering
 * is off, or the range is not wholly mapped, not contiguous in the host, or
 * not writable for @write.
 */
void *card_dma_map(struct card *c, uint64_t addr, uint64_t len, bool write);

/* Like card_dma_map(), but sets *@len to the bytes that are contiguous from @addr. */
void *card_dma_span(struct card *c, uint64_t addr, bool write, uint64_t *len);

/* Bus mastering of the function: while it is off, no guest memory is found. */
void dma_set_bus_master(struct card *c, bool on);
bool dma_bus_master(struct card *c);

int dma_init(struct card *c);
void dma_fini(struct card *c);
/*
 * @fd: file behind the range, closed here; -1 = the range exists but is not reachable.
 * Returns 0, -EINVAL (alignment, overflow, beyond the file), -EEXIST (overlap), -ENOSPC
 * (too many ranges or files), -ENOMEM, or an error of fstat() or mmap().
 */
int dma_map(struct card *c, uint64_t addr, uint64_t size, uint64_t offset,
	    int fd, bool writable);
/* Remove the ranges inside [addr, addr+size); -EINVAL if a range lies there in part. */
int dma_unmap(struct card *c, uint64_t addr, uint64_t size);
void dma_unmap_all(struct card *c);
/*
 * Unmap the files without a range.  The engines have been reset, so that none holds a
 * pointer any more.
 */
void dma_forget_files(struct card *c);

#endif
