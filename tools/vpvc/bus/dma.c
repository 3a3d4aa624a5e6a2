// SPDX-License-Identifier: MIT
/*
 * Guest memory: the ranges of bus addresses that the vfio-user client has mapped.  The
 * host thread changes them; all threads look them up under card_mem_lock().
 *
 * A file behind ranges is mapped whole, once, and stays mapped until the card loses its
 * power or is destroyed: with an IOMMU in the guest, ranges of a page come and go, and a
 * pointer that an engine still holds must stay valid.
 */
#define _GNU_SOURCE
#include "bus/dma.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bus/sigbus.h"
#include "card.h"

#define MAX_RANGES	65535
#define MAX_FILES	64

struct dma_file {
	dev_t dev;
	ino_t ino;
	uint8_t *base;			/* NULL: the slot is free */
	uint64_t size;
	bool writable;
	atomic_bool lost;		/* cut short by its owner */
};

struct dma_range {
	uint64_t addr, size;
	uint8_t *host;			/* NULL: the range exists but has no file */
	const struct dma_file *file;
	bool writable;
};

struct dma {
	atomic_bool bus_master;
	pthread_rwlock_t lock;
	struct dma_range *range;	/* sorted by address, no overlap */
	unsigned int num, room;
	struct dma_file file[MAX_FILES];
};

/* Nested shared locks of this thread; a thread works for one card at a time. */
static __thread unsigned int depth;

int dma_init(struct card *c)
{
	pthread_rwlockattr_t attr;

	c->dma = calloc(1, sizeof(*c->dma));
	if (!c->dma)
		return -ENOMEM;
	pthread_rwlockattr_init(&attr);
	/* The host thread must not starve behind engines that take turns. */
	pthread_rwlockattr_setkind_np(&attr, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
	pthread_rwlock_init(&c->dma->lock, &attr);
	pthread_rwlockattr_destroy(&attr);
	return 0;
}

static void unmap_file(struct dma_file *f)
{
	if (!f->base)
		return;
	sigbus_forget(f->base);
	munmap(f->base, f->size);
	f->base = NULL;
}

void dma_fini(struct card *c)
{
	struct dma *d = c->dma;

	if (!d)
		return;
	for (unsigned int i = 0; i < MAX_FILES; i++)
		unmap_file(&d->file[i]);
	pthread_rwlock_destroy(&d->lock);
	free(d->range);
	free(d);
}

void dma_set_bus_master(struct card *c, bool on)
{
	atomic_store(&c->dma->bus_master, on);
}

bool dma_bus_master(struct card *c)
{
	return atomic_load(&c->dma->bus_master);
}

void card_mem_lock(struct card *c)
{
	if (!depth++)
		pthread_rwlock_rdlock(&c->dma->lock);
}

void card_mem_unlock(struct card *c)
{
	if (!--depth)
		pthread_rwlock_unlock(&c->dma->lock);
}

/* Index of the first range that ends after @addr. */
static unsigned int find_range(const struct dma *d, uint64_t addr)
{
	unsigned int lo = 0, hi = d->num;

	while (lo < hi) {
		unsigned int mid = (lo + hi) / 2;

		if (d->range[mid].addr + (d->range[mid].size - 1) < addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* Find or make the mapping of the whole file, and set @r->host and @r->file. */
static int map_file(struct dma *d, int fd, uint64_t offset, struct dma_range *r)
{
	int prot = PROT_READ | (r->writable ? PROT_WRITE : 0);
	struct dma_file *f, *unused = NULL;
	struct stat st;
	void *p;

	if (fstat(fd, &st))
		return -errno;
	/* An access beyond the end of the file would be a SIGBUS. */
	if (st.st_size <= 0 || offset > (uint64_t)st.st_size ||
	    r->size > (uint64_t)st.st_size - offset)
		return -EINVAL;
	for (unsigned int i = 0; i < MAX_FILES; i++) {
		f = &d->file[i];
		if (!f->base)
			unused = f;
		else if (f->dev == st.st_dev && f->ino == st.st_ino &&
			 f->size == (uint64_t)st.st_size && (f->writable || !r->writable) &&
			 !atomic_load(&f->lost)) {
			r->host = f->base + offset;
			r->file = f;
			return 0;
		}
	}
	if (!unused)
		return -ENOSPC;
	p = mmap(NULL, (size_t)st.st_size, prot, MAP_SHARED | MAP_NORESERVE, fd, 0);
	if (p == MAP_FAILED)
		return -errno;
	f = unused;
	*f = (struct dma_file) {
		.dev = st.st_dev, .ino = st.st_ino, .base = p, .size = (uint64_t)st.st_size,
		.writable = r->writable,
	};
	if (!sigbus_watch(p, f->size, &f->lost)) {
		munmap(p, f->size);
		f->base = NULL;
		return -ENOSPC;
	}
	r->host = f->base + offset;
	r->file = f;
	return 0;
}

static int insert_range(struct dma *d, const struct dma_range *r)
{
	unsigned int at = find_range(d, r->addr);

	if (at < d->num && d->range[at].addr <= r->addr + (r->size - 1))
		return -EEXIST;
	if (d->num == MAX_RANGES)
		return -ENOSPC;
	if (d->num == d->room) {
		unsigned int room = d->room ? 2 * d->room : 32;
		struct dma_range *p = realloc(d->range, room * sizeof(*p));

		if (!p)
			return -ENOMEM;
		d->range = p;
		d->room = room;
	}
	memmove(&d->range[at + 1], &d->range[at], (d->num - at) * sizeof(*d->range));
	d->range[at] = *r;
	d->num++;
	return 0;
}

int dma_map(struct card *c, uint64_t addr, uint64_t size, uint64_t offset, int fd,
	    bool writable)
{
	struct dma_range r = { .addr = addr, .size = size, .writable = writable };
	int err = 0;

	if (!size || ((addr | size | offset) & 4095) || addr + (size - 1) < addr ||
	    offset + size < offset)
		err = -EINVAL;
	pthread_rwlock_wrlock(&c->dma->lock);
	if (!err && fd >= 0)
		err = map_file(c->dma, fd, offset, &r);
	if (!err)
		err = insert_range(c->dma, &r);
	pthread_rwlock_unlock(&c->dma->lock);
	if (fd >= 0)
		close(fd);
	return err;
}

int dma_unmap(struct card *c, uint64_t addr, uint64_t size)
{
	struct dma *d = c->dma;
	uint64_t last = addr + (size - 1);
	unsigned int first, end;
	int err = 0;

	if (!size || last < addr)
		return -EINVAL;
	pthread_rwlock_wrlock(&d->lock);
	first = find_range(d, addr);
	for (end = first; end < d->num && d->range[end].addr <= last; end++)
		if (d->range[end].addr < addr ||
		    d->range[end].addr + (d->range[end].size - 1) > last)
			err = -EINVAL;
	if (!err && end > first) {
		memmove(&d->range[first], &d->range[end], (d->num - end) * sizeof(*d->range));
		d->num -= end - first;
		atomic_fetch_add(&c->mem_generation, 1);
	}
	pthread_rwlock_unlock(&d->lock);
	return err;
}

void dma_unmap_all(struct card *c)
{
	pthread_rwlock_wrlock(&c->dma->lock);
	c->dma->num = 0;
	atomic_fetch_add(&c->mem_generation, 1);
	pthread_rwlock_unlock(&c->dma->lock);
}

static bool is_used(const struct dma *d, const struct dma_file *f)
{
	for (unsigned int i = 0; i < d->num; i++)
		if (d->range[i].file == f)
			return true;
	return false;
}

void dma_forget_files(struct card *c)
{
	struct dma *d = c->dma;

	pthread_rwlock_wrlock(&d->lock);
	for (unsigned int i = 0; i < MAX_FILES; i++)
		if (!is_used(d, &d->file[i]))
			unmap_file(&d->file[i]);
	pthread_rwlock_unlock(&d->lock);
}

void *card_dma_span(struct card *c, uint64_t addr, bool write, uint64_t *len)
{
	struct dma *d = c->dma;
	const struct dma_range *r;
	unsigned int i;
	uint8_t *host;

	/* Nothing else enforces bus mastering: the process reaches mapped memory anyway. */
	if (!dma_bus_master(c))
		return NULL;
	i = find_range(d, addr);
	if (i == d->num)
		return NULL;
	r = &d->range[i];
	if (r->addr > addr || !r->host || (write && !r->writable) || atomic_load(&r->file->lost))
		return NULL;
	host = r->host + (addr - r->addr);
	*len = r->size - (addr - r->addr);
	/*
	 * Ranges of one file that are adjacent in the guest and in the host are one piece.
	 * Two files may lie side by side in the host by chance, but each is lost alone.
	 */
	for (; i + 1 < d->num; i++) {
		const struct dma_range *next = r + 1;

		if (next->addr != r->addr + r->size || next->host != r->host + r->size ||
		    next->file != r->file || (write && !next->writable))
			break;
		*len += next->size;
		r = next;
	}
	return host;
}

void *card_dma_map(struct card *c, uint64_t addr, uint64_t len, bool write)
{
	uint64_t have;
	void *p = card_dma_span(c, addr, write, &have);

	return p && len <= have ? p : NULL;
}
