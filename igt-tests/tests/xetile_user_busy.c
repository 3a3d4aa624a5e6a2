// SPDX-License-Identifier: MIT
/*
 * Memory of processes (MAP_USER) that is taken away while batches use it: the GPU never touches a
 * page that has left.
 *
 * suite: igt soak
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "xetile_swap.h"
#include "xetile_user_memory.h"

IGT_TEST_DESCRIPTION("Memory of processes goes while the GPU uses it");

enum how { MUNMAP, REPLACE, DONTNEED, MOVE, PROTECT, FORK, TRUNCATE, PAGEOUT, NUM_HOWS };

/* A thread that takes pages away; seen: what the pages held when it was done */
struct taker {
	enum how how;
	int file;
	volatile uint32_t *p, *all;
	atomic_bool begun, done;
	uint32_t seen;
	unsigned char in_core;	/* PAGEOUT: bit 0: the page has not left */
};

static void *taker_run(void *arg)
{
	struct taker *t = arg;
	pid_t child;

	atomic_store(&t->begun, true);
	switch (t->how) {
	case MUNMAP:
		munmap((void *)t->p, SZ_4K);
		break;
	case REPLACE:
		mmap((void *)t->p, SZ_4K, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, t->file,
		     SZ_4K);
		break;
	case DONTNEED:
		madvise((void *)t->p, SZ_4K, MADV_DONTNEED);
		break;
	case MOVE:
		if (mremap((void *)t->p, SZ_4K, SZ_4K, MREMAP_MAYMOVE | MREMAP_FIXED,
			   t->all + 3072) == MAP_FAILED)
			break;
		break;
	case PROTECT:
		mprotect((void *)t->p, SZ_4K, PROT_READ);
		break;
	case FORK:
		child = fork();
		if (!child)
			_exit(0);
		waitpid(child, NULL, 0);
		break;
	case TRUNCATE:
		fallocate(t->file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, SZ_4K);
		break;
	case PAGEOUT:
		madvise((void *)t->p, SZ_4K, MADV_PAGEOUT);
		mincore((void *)t->p, SZ_4K, &t->in_core);
		break;
	default:
		break;
	}
	t->seen = t->all[0];
	atomic_store(&t->done, true);
	return NULL;
}

/*
 * More than a processor collects of new pages before it puts them on the kernel's list of pages, of
 * which it swaps them
 */
#define OWN_BYTES	(64 * SZ_4K)

/* Pages that are mapped here alone, and that have been used one after the other */
static volatile uint32_t *own_pages(void)
{
	uint32_t *p = anon(OWN_BYTES);

	for (unsigned int i = 0; i < OWN_BYTES / SZ_4K; i++)
		p[i * 1024] = 0x10 + i;
	p[0] = 0;
	return p;
}

/*
 * When a call that takes a page away has returned, the batch that used the page is over: what it
 * wrote is there. The next batch finds the page that is at the address now, or none.
 */
static void test_take(const struct xetile_card *card, enum how how)
{
	struct taker t = { .how = how, .file = make_file(4 * SZ_4K) };
	/* A fork write-protects no others, and madvise() swaps no others. */
	bool own = how == FORK || how == PAGEOUT;
	struct held held;
	pthread_t thread;
	struct place s;
	uint32_t seen;

	if (how == PAGEOUT)
		swap_begin();
	t.all = own ? own_pages() : map_file(t.file, NULL, 0, 4 * SZ_4K);
	t.p = own ? t.all : map_file(t.file, NULL, 0, SZ_4K);
	place_init(&s, card->fd);
	map_user(&s, AT, (void *)t.p, SZ_4K, 0);
	held = hold_store(&s, AT, 0x700 + how, 100000);
	igt_assert_eq(pthread_create(&thread, NULL, taker_run, &t), 0);
	while (!atomic_load(&t.begun))
		sched_yield();
	/* Time for a call that does not wait to be done, which it must not be */
	usleep(200000);
	igt_assert(!atomic_load(&t.done));
	s.ctl.map[GO] = 1;
	igt_assert_eq(held_end(&held), 1);
	pthread_join(thread, NULL);
	seen = how == TRUNCATE ? 0 : 0x700 + how;
	igt_assert_eq_u32(t.seen, seen);
	igt_assert_eq(t.in_core & 1, 0);

	if (how == REPLACE) {
		place_store(&s, AT, 1);
		igt_assert_eq_u32(t.all[1024], 1);
	} else if (how == MUNMAP || how == MOVE || how == PROTECT) {
		check_fault(&s);
	} else {
		seen = 1;
		place_store(&s, AT, 1);
		igt_assert_eq_u32(t.p[0], 1);
	}
	igt_assert_eq_u32(t.all[0], seen);
	place_fini(&s);
	munmap((void *)t.all, own ? OWN_BYTES : 4 * SZ_4K);
	if (!own)
		munmap((void *)t.p, SZ_4K);
	close(t.file);
	if (how == PAGEOUT)
		swap_end();
}

#define RACE_BYTES	(4 * SZ_2M)

/* Takes pages away, one after the other, while batches are submitted that write. */
struct swapper {
	int file;
	volatile uint32_t *p, *all;
	unsigned int rounds;
	uint32_t *seen;
	atomic_uint ended;
};

static void *swapper_run(void *arg)
{
	struct swapper *w = arg;

	for (unsigned int i = 1; i <= w->rounds; i++) {
		map_file(w->file, (void *)w->p, i * SZ_4K, SZ_4K);
		/* The page before has left for good. */
		w->seen[i - 1] = w->all[(i - 1) * 1024];
		if (i % 8 == 0)
			usleep(i % 5 * 1000);
	}
	atomic_store(&w->ended, 1);
	return NULL;
}

#define MANY_BOS	2000u

/* Buffers that each submission looks at after it has looked at memory of processes */
static void bind_bos(struct place *s, uint32_t *bos)
{
	struct drm_xetile_bind *binds = calloc(MANY_BOS, sizeof(*binds));

	for (unsigned int i = 0; i < MANY_BOS; i++) {
		bos[i] = xetile_bo(s->fd, SZ_4K, DRM_XETILE_PLACE_SYSTEM);
		binds[i] = (struct drm_xetile_bind) {
			.handle = bos[i], .addr = AT + SZ_1G + i * SZ_64K, .range = SZ_4K,
		};
	}
	igt_assert_eq(__xetile_vm_bind(s->fd, s->vm, binds, MANY_BOS, NULL, 0), 0);
	free(binds);
}

static void test_race(const struct xetile_card *card, unsigned int rounds, bool many)
{
	struct swapper w = { .rounds = rounds, .file = make_file((rounds + 1) * SZ_4K) };
	uint32_t value = 0, done, last = 0, bos[MANY_BOS];
	unsigned int written = 0;
	pthread_t thread;
	struct place s;

	w.seen = calloc(rounds, sizeof(*w.seen));
	w.all = map_file(w.file, NULL, 0, (rounds + 1) * SZ_4K);
	/* The pages behind it make the time longer in which the page may leave unnoticed. */
	w.p = map_file(w.file, anon(RACE_BYTES), 0, SZ_4K);
	place_init(&s, card->fd);
	if (many)
		bind_bos(&s, bos);
	map_user(&s, AT, (void *)w.p, RACE_BYTES, 0);
	igt_assert_eq(pthread_create(&thread, NULL, swapper_run, &w), 0);
	/* Many batches are under way at once; each stores a number of its own. */
	while (!atomic_load(&w.ended)) {
		struct xetile_batch b;
		struct drm_xetile_sync sync = { .flags = DRM_XETILE_SYNC_SIGNAL };

		done = sync.handle = xetile_syncobj(s.fd);
		batch_begin(&b, &s.ctl, value % 64 * 256);
		batch_store(&b, AT, ++value, false);
		batch_end(&b);
		igt_assert_eq(__xetile_exec(s.fd, s.queue, batch_addr(&b), &sync, 1), 0);
		if (last && value % 32 == 0) {
			igt_assert_eq(__xetile_wait(s.fd, last, 60000), 0);
			igt_assert_eq(xetile_fence_status(s.fd, last), 1);
		}
		if (last)
			xetile_syncobj_destroy(s.fd, last);
		last = done;
	}
	igt_assert_eq(__xetile_wait(s.fd, last, 60000), 0);
	igt_assert_eq(xetile_fence_status(s.fd, last), 1);
	xetile_syncobj_destroy(s.fd, last);
	pthread_join(thread, NULL);
	for (unsigned int i = 0; i < rounds; i++) {
		igt_assert_eq_u32(w.all[i * 1024], w.seen[i]);
		written += w.seen[i] != 0;
	}
	igt_info("%u batches, %u of %u pages written\n", value, written, rounds);
	place_store(&s, AT, 0xabc);
	igt_assert_eq_u32(w.all[rounds * 1024], 0xabc);
	place_fini(&s);
	for (unsigned int i = 0; many && i < MANY_BOS; i++)
		xetile_bo_close(card->fd, bos[i]);
	munmap((void *)w.all, (rounds + 1) * SZ_4K);
	munmap((void *)w.p, RACE_BYTES);
	free(w.seen);
	close(w.file);
}

igt_main
{
	static const char *const names[NUM_HOWS] = {
		[MUNMAP] = "munmap", [REPLACE] = "replace", [DONTNEED] = "dontneed",
		[MOVE] = "mremap", [PROTECT] = "mprotect", [FORK] = "fork", [TRUNCATE] = "truncate",
		[PAGEOUT] = "pageout",
	};
	struct xetile_card card = { .fd = -1 };

	igt_fixture {
		xetile_open_card(&card);
		require_user(&card);
	}

	for (enum how how = 0; how < NUM_HOWS; how++) {
		igt_describe("A call that takes a page away must wait for the batch that uses it");
		igt_subtest_f("%s", names[how])
			test_take(&card, how);
	}
	igt_describe("A page that has left must not change any more");
	igt_subtest("race")
		test_race(&card, 400, false);
	igt_subtest("race-slow")
		test_race(&card, 200, true);

	igt_fixture
		close(card.fd);
}
