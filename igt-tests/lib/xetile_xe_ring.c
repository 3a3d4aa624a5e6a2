// SPDX-License-Identifier: MIT
#include <sys/mman.h>
#include <unistd.h>

#include "xetile_xe.h"
#include "xetile_xe_ring.h"

/* MI_SEMAPHORE_WAIT: polls, passes if the word in memory is at least the number */
#define WAIT_GTE	(0x0e000003u | 1u << 15 | 1u << 12)

/* Of the ring: bytes of a section, and sections, after which it begins anew */
#define SECTION		64
#define SECTIONS	64

uint64_t ring_word_at(unsigned int word)
{
	return WORDS_AT + 4 * word;
}

void ring_section(struct ring *r, struct xetile_batch *b, unsigned int n)
{
	batch_begin(b, &r->ring, n % SECTIONS * SECTION);
	batch_emit(b, WAIT_GTE);
	batch_emit(b, n + 1);
	batch_emit(b, (uint32_t)ring_word_at(0));
	batch_emit(b, ring_word_at(0) >> 32);
	batch_emit(b, 0);
}

void ring_init(struct ring *r, int fd, uint32_t class, uint32_t place)
{
	struct xetile_batch b;

	*r = (struct ring) { .fd = fd, .vm = xe_vm(fd, DRM_XE_VM_CREATE_FLAG_LR_MODE) };
	r->queue = xe_queue(fd, r->vm, 0, class, 1);
	xetile_buf_init(&r->ring, fd, r->vm, RING_AT, SZ_64K, place);
	xetile_buf_init(&r->words, fd, r->vm, WORDS_AT, SZ_64K, DRM_XETILE_PLACE_SYSTEM);
	r->word = r->words.map;
	ring_section(r, &b, 0);
	igt_assert_eq(__xe_exec_batch(fd, r->queue, RING_AT, 0), 0);
}

void ring_store(struct ring *r, uint64_t addr, uint32_t value)
{
	struct xetile_batch b, next;

	ring_section(r, &next, r->next + 1);
	ring_section(r, &b, r->next);
	batch_store(&b, addr, value, false);
	batch_jump(&b, batch_addr(&next));
	__sync_synchronize();
	r->word[0] = ++r->next;
}

bool word_becomes(volatile const uint32_t *word, uint32_t value, unsigned int ms)
{
	uint64_t until = xetile_now_ms() + ms;

	while (*word != value && xetile_now_ms() < until)
		usleep(1000);
	return *word == value;
}

bool ring_runs(struct ring *r, unsigned int ms)
{
	uint32_t value = 0x40000000 + r->next;

	ring_store(r, ring_word_at(1), value);
	return word_becomes(r->word + 1, value, ms);
}

void ring_check(struct ring *r)
{
	igt_assert_f(ring_runs(r, 30000), "word 1 is %#x, not %#x; banned: %d\n", r->word[1],
		     0x40000000 + r->next - 1, __xe_queue_is_banned(r->fd, r->queue));
}

void ring_end(struct ring *r)
{
	struct xetile_batch b;

	ring_section(r, &b, r->next);
	batch_end(&b);
	__sync_synchronize();
	r->word[0] = ++r->next;
}

void xetile_buf_drop(struct xetile_buf *buf)
{
	munmap(buf->map, buf->size);
	xetile_bo_close(buf->fd, buf->handle);
}

void ring_fini(struct ring *r)
{
	xe_queue_destroy(r->fd, r->queue);
	xetile_vm_destroy(r->fd, r->vm);
	xetile_buf_drop(&r->ring);
	xetile_buf_drop(&r->words);
}
