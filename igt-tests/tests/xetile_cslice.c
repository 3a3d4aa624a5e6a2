// SPDX-License-Identifier: MIT
/*
 * Virtual compute slices: a virtual number stays on one physical slice within a process,
 * and the driver chooses the physical slice by the load of all processes.
 * Statements: S71-S76, S89, S92-S94, C10.
 *
 * suite: igt soak-alone 1-tile 4-tiles
 */
#include <errno.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "xetile_files.h"
#include "xetile_igt.h"

IGT_TEST_DESCRIPTION("Each process has its own virtual compute slices");

#define NEVER		0xffff

static struct xetile_card card = { .fd = -1 };

/* A queue on a virtual slice, and a batch that runs until held_end() */
struct held {
	int fd;
	uint32_t vm, queue;
	struct xetile_buf buf;
	struct drm_xetile_sync sync;
};

static void held_init(struct held *h, int fd, uint32_t tile, uint32_t v)
{
	/* The first batch runs while many others are submitted, perhaps on a slow machine. */
	struct drm_xetile_queue_create args = {
		.vm_id = xetile_vm(fd), .target = DRM_XETILE_TARGET_CSLICE, .tile = tile,
		.cslice = v, .timeout_ms = card.device.max_timeout_ms,
	};

	igt_assert_eq(__xetile_queue_create(fd, &args), 0);
	h->fd = fd;
	h->vm = args.vm_id;
	h->queue = args.queue_id;
	xetile_buf_init(&h->buf, fd, h->vm, BATCH_ADDR, SZ_64K, DRM_XETILE_PLACE_SYSTEM);
	h->sync = (struct drm_xetile_sync) {
		.handle = xetile_syncobj(fd), .flags = DRM_XETILE_SYNC_SIGNAL,
	};
}

static void held_start(struct held *h)
{
	struct xetile_batch b;

	h->buf.map[0] = 0;
	batch_begin(&b, &h->buf, 4096);
	batch_store(&b, h->buf.addr + 64, 1, false);
	batch_wait(&b, h->buf.addr, 1);
	batch_end(&b);
	igt_assert_eq(__xetile_exec(h->fd, h->queue, batch_addr(&b), &h->sync, 1), 0);
}

static void held_end(struct held *h)
{
	*(volatile uint32_t *)h->buf.map = 1;
	igt_assert_eq(__xetile_wait(h->fd, h->sync.handle, 30000), 0);
	igt_assert_eq(xetile_fence_status(h->fd, h->sync.handle), 1);
}

static void held_fini(struct held *h)
{
	xetile_syncobj_destroy(h->fd, h->sync.handle);
	xetile_queue_destroy(h->fd, h->queue);
	xetile_buf_fini(&h->buf);
	xetile_vm_destroy(h->fd, h->vm);
}

static uint32_t instance(const struct held *h)
{
	struct drm_xetile_queue_info info;

	xetile_queue_info(h->fd, h->queue, &info);
	igt_assert_eq_u32(info.num_members, 1);
	return info.members[0].instance;
}

static void set_mode(unsigned int mode)
{
	char text[16];

	snprintf(text, sizeof(text), "%u", mode);
	for (uint32_t t = 0; t < card.device.num_tiles; t++) {
		igt_require_f(card.tiles[t].ccs_modes & (1u << mode), "no mode %u\n", mode);
		igt_assert_eq(xetile_sysfs_write(card.fd, t, "ccs_mode", text), 0);
	}
}

static void restore(int sig)
{
	(void)sig;
	if (card.fd >= 0)
		xetile_usual_ccs_modes(&card);
}

/* In one process different numbers are on different engines, the same number on the same one. */
static void test_one_process(uint32_t tile, unsigned int mode)
{
	struct held h[DRM_XETILE_MAX_CSLICES], twin;
	uint32_t used = 0;

	for (unsigned int v = 0; v < mode; v++) {
		held_init(&h[v], card.fd, tile, v);
		igt_assert_eq_u32(instance(&h[v]), NEVER);
		held_start(&h[v]);
	}
	held_init(&twin, card.fd, tile, mode - 1);
	held_start(&twin);
	for (unsigned int v = 0; v < mode; v++) {
		uint32_t i;

		xetile_assert_soon((i = instance(&h[v])) != NEVER);
		igt_assert_eq(used & (1u << i), 0);
		used |= 1u << i;
	}
	/* S73: A second queue on the same number is on the same engine. */
	xetile_assert_soon(instance(&twin) != NEVER);
	igt_assert_eq_u32(instance(&twin), instance(&h[mode - 1]));
	/* All batches make progress at the same time (S74). */
	for (unsigned int v = 0; v < mode; v++)
		xetile_assert_soon(*(volatile uint32_t *)&h[v].buf.map[16]);
	for (unsigned int v = 0; v < mode; v++)
		held_end(&h[v]);
	held_end(&twin);
	for (unsigned int v = 0; v < mode; v++)
		held_fini(&h[v]);
	held_fini(&twin);
}

struct shared {
	volatile uint32_t bound[64];	/* instance + 1 */
	volatile uint32_t end;
};

/*
 * Many processes ask for one of the first @numbers numbers: the driver spreads the processes
 * evenly, and a binding does not change while work is unfinished.
 */
static void test_processes(uint32_t tile, unsigned int mode, unsigned int processes,
			   unsigned int numbers)
{
	struct shared *s = mmap(NULL, sizeof(*s), PROT_READ | PROT_WRITE,
				MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	unsigned int load[DRM_XETILE_MAX_CSLICES] = { 0 };
	unsigned int least = ~0u, most = 0, kinds = 0;

	igt_assert(s != MAP_FAILED);
	/* A context that has not left its engine would count as load. */
	xetile_wait_engines_free(card.fd);
	igt_fork(child, processes) {
		struct held h;
		uint32_t first;
		int fd;

		fd = xetile_open();
		held_init(&h, fd, tile, child % numbers);
		held_start(&h);
		xetile_assert_soon((first = instance(&h)) != NEVER);
		s->bound[child] = first + 1;
		while (!s->end) {
			igt_assert_eq_u32(instance(&h), first);
			usleep(10000);
		}
		held_end(&h);
		held_fini(&h);
		close(fd);
	}
	for (unsigned int i = 0; i < processes; i++) {
		for (int ms = 0; !s->bound[i]; ms++) {
			igt_assert_f(ms < 30000, "process %u was never bound\n", i);
			usleep(1000);
		}
		igt_assert_lte(s->bound[i], DRM_XETILE_MAX_CSLICES);
		load[s->bound[i] - 1]++;
	}
	s->end = 1;
	igt_waitchildren();
	for (unsigned int i = 0; i < DRM_XETILE_MAX_CSLICES; i++) {
		if (!load[i])
			continue;
		kinds++;
		least = load[i] < least ? load[i] : least;
		most = load[i] > most ? load[i] : most;
	}
	igt_assert_eq(kinds, processes < mode ? processes : mode);
	igt_assert_lte(most - least, 1);
	munmap(s, sizeof(*s));
}

/*
 * A launcher opens the card, and its workers use the opened file. Each worker is a process of
 * its own, therefore number 0 is another engine in each worker. With @sent the workers receive
 * the file by a socket, otherwise they inherit the file.
 */
static void test_one_file(uint32_t tile, unsigned int mode, bool sent)
{
	struct shared *s = mmap(NULL, sizeof(*s), PROT_READ | PROT_WRITE,
				MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int fd = xetile_reopen(card.fd), sockets[2];
	uint32_t used = 0;

	igt_assert(s != MAP_FAILED);
	igt_assert_eq(socketpair(AF_UNIX, SOCK_DGRAM, 0, sockets), 0);
	xetile_wait_engines_free(card.fd);
	igt_fork(child, mode) {
		struct held h;
		uint32_t i;

		if (sent) {
			int none;

			close(fd);
			fd = files_receive(sockets[1], &none);
			igt_assert_lte(0, fd);
		}
		held_init(&h, fd, tile, 0);
		held_start(&h);
		xetile_assert_soon((i = instance(&h)) != NEVER);
		s->bound[child] = i + 1;
		xetile_assert_soon(s->end);
		held_end(&h);
		held_fini(&h);
	}
	for (unsigned int i = 0; sent && i < mode; i++)
		files_send(sockets[0], 0, fd);
	for (unsigned int i = 0; i < mode; i++) {
		xetile_assert_soon(s->bound[i]);
		igt_assert_eq(used & (1u << s->bound[i]), 0);
		used |= 1u << s->bound[i];
	}
	s->end = 1;
	igt_waitchildren();
	close(sockets[0]);
	close(sockets[1]);
	close(fd);
	munmap(s, sizeof(*s));
}

/* An idle process does not keep its binding: other processes get the slice. */
static void test_rebind(uint32_t tile, unsigned int mode)
{
	struct held h;
	uint32_t i;

	held_init(&h, card.fd, tile, 0);
	for (int round = 0; round < 3; round++) {
		held_start(&h);
		xetile_assert_soon((i = instance(&h)) != NEVER);
		igt_assert_lt(i, DRM_XETILE_MAX_CSLICES);
		held_end(&h);
	}
	held_fini(&h);
	test_processes(tile, mode, mode, 1);
}

/*
 * A batch that waits for a fence needs no engine yet: the driver binds the slice after the fence
 * has signalled. Before, the batch does not count as load of an engine.
 */
static void test_waiting(uint32_t tile)
{
	struct drm_xetile_sync syncs[2] = { { 0 }, { .flags = DRM_XETILE_SYNC_SIGNAL } };
	struct held first, second;
	struct xetile_batch b;

	held_init(&first, card.fd, tile, 0);
	held_init(&second, card.fd, tile, 1);
	held_start(&first);
	xetile_assert_soon(*(volatile uint32_t *)&first.buf.map[16]);

	syncs[0].handle = first.sync.handle;
	syncs[1].handle = second.sync.handle;
	batch_begin(&b, &second.buf, 4096);
	batch_end(&b);
	igt_assert_eq(__xetile_exec(card.fd, second.queue, batch_addr(&b), syncs, 2), 0);
	igt_assert_eq_u32(instance(&second), NEVER);
	held_end(&first);
	igt_assert_eq(__xetile_wait(card.fd, second.sync.handle, 30000), 0);
	igt_assert_neq(instance(&second), NEVER);
	held_fini(&first);
	held_fini(&second);
}

/* What another process is asked for: to have a batch run on one engine, and to end it again */
struct sitter {
	volatile uint32_t step, done;	/* odd steps begin, even ones end; ~0: there are no more */
	volatile uint32_t instance;
};

/* Batches on all engines begin, so that each has let go of its last context; one is kept. */
static void sit(struct held *h, unsigned int num, struct sitter *s)
{
	struct held *kept = NULL;

	for (unsigned int v = 0; v < num; v++) {
		h[v].buf.map[16] = 0;
		held_start(&h[v]);
	}
	for (unsigned int v = 0; v < num; v++)
		xetile_assert_soon(*(volatile uint32_t *)&h[v].buf.map[16]);
	for (unsigned int v = 0; v < num; v++) {
		if (instance(&h[v]) == s->instance)
			kept = &h[v];
		else
			held_end(&h[v]);
	}
	igt_assert(kept);
	/*
	 * The fence of a batch signals before its context has left the engine, which counts as load
	 * until then.
	 */
	xetile_wait_engines_owned(card.fd, 1);
	s->done = s->step;
	xetile_assert_soon(s->step != s->done);
	held_end(kept);
}

static void sitter(struct sitter *s, unsigned int mode)
{
	struct held h[DRM_XETILE_MAX_CSLICES];

	for (unsigned int v = 0; v < mode; v++)
		held_init(&h[v], card.fd, 0, v);
	for (;;) {
		xetile_assert_soon(s->step != s->done);
		if (s->step == ~0u)
			break;
		sit(h, mode, s);
		s->done = s->step;
	}
	for (unsigned int v = 0; v < mode; v++)
		held_fini(&h[v]);
}

static void next_step(struct sitter *s, uint32_t instance)
{
	s->instance = instance;
	s->step++;
	xetile_assert_soon(s->done == s->step);
}

static void store(struct held *h, uint64_t addr, uint32_t value)
{
	struct xetile_batch b;

	batch_begin(&b, &h->buf, 8192);
	batch_store(&b, addr, value, false);
	batch_end(&b);
	igt_assert_eq(__xetile_exec(h->fd, h->queue, batch_addr(&b), &h->sync, 1), 0);
	igt_assert_eq(__xetile_wait(h->fd, h->sync.handle, 30000), 0);
	igt_assert_eq(xetile_fence_status(h->fd, h->sync.handle), 1);
}

/*
 * A compute context moves to another engine, uses a new mapping there, and comes back. The first
 * engine's old translation must not be used.
 */
static void test_moving(void)
{
	struct sitter *s = mmap(NULL, sizeof(*s), PROT_READ | PROT_WRITE,
				MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	uint32_t bo[2], *map[2], home;
	struct held h;

	igt_assert(s != MAP_FAILED);
	igt_fork(child, 1)
		sitter(s, 2);
	held_init(&h, card.fd, 0, 0);
	for (int i = 0; i < 2; i++) {
		bo[i] = xetile_bo(card.fd, SZ_64K, DRM_XETILE_PLACE_HBM);
		map[i] = xetile_bo_map(card.fd, bo[i], SZ_64K);
	}
	for (uint32_t i = 1; i <= 4; i++) {
		xetile_vm_map(card.fd, h.vm, bo[0], 0, DATA_ADDR, SZ_64K);
		store(&h, DATA_ADDR, 3 * i);
		igt_assert_eq_u32(*map[0], 3 * i);
		home = instance(&h);

		next_step(s, home);
		xetile_vm_map(card.fd, h.vm, bo[1], 0, DATA_ADDR, SZ_64K);
		store(&h, DATA_ADDR, 3 * i + 1);
		igt_assert_eq_u32(*map[1], 3 * i + 1);
		igt_assert_eq_u32(instance(&h), !home);
		next_step(s, home);

		next_step(s, !home);
		store(&h, DATA_ADDR, 3 * i + 2);
		igt_assert_eq_u32(instance(&h), home);
		igt_assert_eq_u32(*map[1], 3 * i + 2);
		igt_assert_eq_u32(*map[0], 3 * i);
		next_step(s, !home);
	}
	s->step = ~0u;
	igt_waitchildren();
	for (int i = 0; i < 2; i++) {
		munmap(map[i], SZ_64K);
		xetile_bo_close(card.fd, bo[i]);
	}
	held_fini(&h);
	munmap(s, sizeof(*s));
}

igt_main
{
	igt_fixture {
		xetile_open_card(&card);
		igt_install_exit_handler(restore);
	}

	for (unsigned int mode = 1; mode <= DRM_XETILE_MAX_CSLICES; mode *= 2) {
		igt_describe("Numbers of one process have fixed and different engines (S72-S74)");
		igt_subtest_f("one-process-%u", mode) {
			set_mode(mode);
			for (uint32_t t = 0; t < card.device.num_tiles; t++)
				test_one_process(t, mode);
			set_mode(1);
		}
		igt_fixture
			restore(0);
		igt_describe("Each process with number 0 gets a slice of its own (S75, S76)");
		igt_subtest_f("processes-%u", mode) {
			set_mode(mode);
			for (uint32_t t = 0; t < card.device.num_tiles; t++)
				test_processes(t, mode, mode, 1);
			set_mode(1);
		}
		igt_fixture
			restore(0);
		igt_describe("The loads of two slices differ by at most one (S76, S93, S94)");
		igt_subtest_f("spread-%u", mode) {
			set_mode(mode);
			for (uint32_t t = 0; t < card.device.num_tiles; t++)
				test_processes(t, mode, 2 * mode + 1, mode);
			set_mode(1);
		}
		igt_fixture
			restore(0);
		igt_describe("A binding is kept while work is unfinished, and then given back");
		igt_subtest_f("rebind-%u", mode) {
			set_mode(mode);
			test_rebind(0, mode);
			set_mode(1);
		}
		igt_fixture
			restore(0);
	}

	igt_describe("Processes that inherit an opened file have slices of their own (S75)");
	igt_subtest("forked-file") {
		set_mode(2);
		for (uint32_t t = 0; t < card.device.num_tiles; t++)
			test_one_file(t, 2, false);
		set_mode(1);
	}
	igt_fixture
		restore(0);

	igt_describe("Processes that receive a file by a socket have slices of their own (S75)");
	igt_subtest("sent-file") {
		set_mode(2);
		for (uint32_t t = 0; t < card.device.num_tiles; t++)
			test_one_file(t, 2, true);
		set_mode(1);
	}
	igt_fixture
		restore(0);

	igt_describe("The slice of a batch that waits for a fence is not bound (S76)");
	igt_subtest("waiting") {
		set_mode(2);
		for (uint32_t t = 0; t < card.device.num_tiles; t++)
			test_waiting(t);
		set_mode(1);
	}
	igt_fixture
		restore(0);

	igt_describe("A rebind must take effect also when a compute queue changes engines");
	igt_subtest("moving") {
		igt_require_f(card.tiles[0].ccs_modes & (1u << 4), "engines 0 and 1 need all four slices\n");
		set_mode(2);
		test_moving();
		set_mode(1);
	}
	igt_fixture
		restore(0);

	igt_describe("A virtual number beyond the mode is refused");
	igt_subtest("beyond-mode") {
		uint32_t vm = xetile_vm(card.fd);
		struct drm_xetile_queue_create args = {
			.vm_id = vm, .target = DRM_XETILE_TARGET_CSLICE, .cslice = 1,
		};

		igt_assert_eq(__xetile_queue_create(card.fd, &args), -EINVAL);
		xetile_vm_destroy(card.fd, vm);
	}

	igt_fixture {
		close(card.fd);
		/* The exit handler must not use the closed file. */
		card.fd = -1;
	}
}
