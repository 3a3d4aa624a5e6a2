// SPDX-License-Identifier: MIT
/*
 * Rings in a user's memory, as Intel's runtime has them: a batch that never ends waits for numbers
 * that the CPU writes, and runs what the CPU has written behind. Address spaces of xe_drm.h for
 * long-running work; gaps of the map of runtimes: M1-M5, M14, T2, T3.
 *
 * suite: igt 1-tile 4-tiles
 */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "xetile_job.h"
#include "xetile_machine.h"
#include "xetile_user_memory.h"
#include "xetile_xe.h"
#include "xetile_xe_exec.h"
#include "xetile_xe_ring.h"

IGT_TEST_DESCRIPTION("Rings in a user's memory that never end");

#define XE_COPY		DRM_XE_ENGINE_CLASS_COPY
#define XE_COMPUTE	DRM_XE_ENGINE_CLASS_COMPUTE

#define FENCE_VALUE	0x1122334455667788ull

static struct xetile_card card = { .fd = -1 };

/* A ring lives longer than a batch may (T3), and is not disturbed by another one (M1). */
static void test_runs(uint32_t class)
{
	struct ring r;

	ring_init(&r, card.fd, class, DRM_XETILE_PLACE_SYSTEM);
	for (unsigned int i = 0; i < 192; i++)
		ring_check(&r);
	sleep(12);
	ring_check(&r);
	igt_assert_eq(__xe_queue_is_banned(card.fd, r.queue), 0);
	ring_fini(&r);
}

/* Nobody is told of the end by a syncobj; a number in memory tells of it (M1, M5). */
static void test_fence(uint32_t class)
{
	uint32_t syncobj = xetile_syncobj(card.fd);
	struct ring r;
	struct drm_xe_sync sync = {
		.type = DRM_XE_SYNC_TYPE_USER_FENCE, .flags = DRM_XE_SYNC_FLAG_SIGNAL,
		.addr = ring_word_at(16), .timeline_value = FENCE_VALUE,
	};
	struct drm_xe_exec args = {
		.address = RING_AT + (SZ_64K / 2), .num_batch_buffer = 1, .num_syncs = 1,
		.syncs = to_user(&sync),
	};
	struct xetile_batch b;

	ring_init(&r, card.fd, class, DRM_XETILE_PLACE_SYSTEM);
	igt_assert_eq(__xe_exec_batch(card.fd, r.queue, RING_AT, syncobj), -EOPNOTSUPP);
	batch_begin(&b, &r.ring, (SZ_64K / 2));
	batch_store(&b, ring_word_at(2), 0x77, false);
	batch_end(&b);
	args.exec_queue_id = r.queue;
	igt_assert_eq(xetile_ioctl(card.fd, DRM_IOCTL_XE_EXEC, &args), 0);
	usleep(200000);
	igt_assert_eq_u32(r.word[16], 0);
	ring_end(&r);
	igt_assert(word_becomes(r.word + 16, (uint32_t)FENCE_VALUE, 30000));
	igt_assert_eq_u32(r.word[17], FENCE_VALUE >> 32);
	igt_assert_eq_u32(r.word[2], 0x77);
	ring_fini(&r);
	xetile_syncobj_destroy(card.fd, syncobj);
}

/* What is mapped anew under a ring that runs is what it sees next (M14). */
static void test_unbind(uint32_t class)
{
	uint32_t bo[2], *map[2];
	struct ring r;

	ring_init(&r, card.fd, class, DRM_XETILE_PLACE_SYSTEM);
	for (unsigned int i = 0; i < 2; i++) {
		bo[i] = xetile_bo(card.fd, SZ_64K, DRM_XETILE_PLACE_HBM);
		map[i] = xetile_bo_map(card.fd, bo[i], SZ_64K);
	}
	for (unsigned int i = 0; i < 8; i++) {
		xetile_vm_map(card.fd, r.vm, bo[i % 2], 0, DATA_AT, SZ_64K);
		ring_store(&r, DATA_AT + 4 * i, 0x100 + i);
		ring_check(&r);
		igt_assert_eq_u32(map[i % 2][i], 0x100 + i);
		igt_assert_eq_u32(map[!(i % 2)][i], 0);
		if (i % 4 == 3)
			xetile_vm_unmap(card.fd, r.vm, DATA_AT, SZ_64K);
	}
	for (unsigned int i = 0; i < 2; i++) {
		munmap(map[i], SZ_64K);
		xetile_bo_close(card.fd, bo[i]);
	}
	ring_check(&r);
	ring_fini(&r);
}

/* Another process wants all of the HBM, the ring's memory leaves, and comes back (M2, M3). */
static void test_evict(uint32_t class)
{
	struct xetile_buf data;
	struct ring r;

	ring_init(&r, card.fd, class, DRM_XETILE_PLACE_HBM);
	xetile_buf_init(&data, card.fd, r.vm, DATA_AT, SZ_2M, DRM_XETILE_PLACE_HBM);
	ring_store(&r, DATA_AT, 0x1234);
	ring_check(&r);
	igt_fork(child, 1) {
		int fd = xetile_open();

		xetile_evict_all(fd);
		close(fd);
	}
	igt_waitchildren();
	igt_assert_eq_u32(((volatile uint32_t *)data.map)[0], 0x1234);
	for (unsigned int i = 1; i < 16; i++)
		ring_store(&r, DATA_AT + 4 * i, i);
	ring_check(&r);
	for (unsigned int i = 1; i < 16; i++)
		igt_assert_eq_u32(((volatile uint32_t *)data.map)[i], i);
	igt_assert_eq(__xe_queue_is_banned(card.fd, r.queue), 0);
	xetile_buf_fini(&data);
	ring_fini(&r);
}

/* Pages of the process leave under the ring, which goes on with those that came after (M2, M3). */
static void test_user(uint32_t class)
{
	struct drm_xe_vm_bind_op map;
	volatile uint32_t *memory, *also;
	struct xetile_buf data;
	struct ring r;

	require_user(&card);
	memory = mmap(NULL, SZ_64K, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	igt_assert(memory != MAP_FAILED);
	ring_init(&r, card.fd, class, DRM_XETILE_PLACE_SYSTEM);
	igt_assert_eq(try_user(card.fd, r.vm, DATA_AT, (void *)memory, SZ_64K, 0), 0);
	/* A bind of xe has the pages brought before it maps them. */
	also = anon(SZ_64K);
	map = (struct drm_xe_vm_bind_op) {
		.op = DRM_XE_VM_BIND_OP_MAP_USERPTR, .userptr = to_user((void *)also),
		.addr = DATA_AT + SZ_2M, .range = SZ_64K, .pat_index = XE_PAT_WB,
	};
	ring_check(&r);
	igt_assert_eq(__xe_bind(card.fd, r.vm, &map, NULL), 0);
	ring_store(&r, DATA_AT + SZ_2M, 0x4ff);
	ring_check(&r);
	igt_assert_eq_u32(*also, 0x4ff);
	for (unsigned int i = 0; i < 6; i++) {
		ring_store(&r, DATA_AT + 4 * i, 0x500 + i);
		ring_check(&r);
		igt_assert_eq_u32(memory[i], 0x500 + i);
		/* The pages that come next are others, and zero. */
		igt_assert_eq(madvise((void *)memory, SZ_64K, MADV_DONTNEED), 0);
		igt_assert_eq_u32(memory[i], 0);
	}
	ring_check(&r);
	/* The ring outlives memory that it does not use, and uses what is bound there instead. */
	munmap((void *)memory, SZ_64K);
	for (unsigned int i = 0; i < 5; i++)
		ring_check(&r);
	xetile_buf_init(&data, card.fd, r.vm, DATA_AT, SZ_64K, DRM_XETILE_PLACE_HBM);
	ring_store(&r, DATA_AT, 0x600);
	ring_check(&r);
	igt_assert_eq_u32(((volatile uint32_t *)data.map)[0], 0x600);
	munmap((void *)also, SZ_64K);
	xetile_buf_fini(&data);
	ring_fini(&r);
}

static bool becomes_banned(const struct ring *r)
{
	for (unsigned int i = 0; i < 100; i++) {
		if (__xe_queue_is_banned(r->fd, r->queue))
			return true;
		usleep(100000);
	}
	return false;
}

/* The ring uses memory that the process has given back: a page fault, and no word of others'. */
static void test_user_gone(uint32_t class)
{
	uint32_t *memory;
	struct drm_xe_exec none = { 0 };
	struct ring r;

	require_user(&card);
	memory = mmap(NULL, SZ_64K, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	igt_assert(memory != MAP_FAILED);
	ring_init(&r, card.fd, class, DRM_XETILE_PLACE_SYSTEM);
	none.exec_queue_id = r.queue;
	igt_assert_eq(try_user(card.fd, r.vm, DATA_AT, memory, SZ_64K, 0), 0);
	ring_store(&r, DATA_AT, 1);
	ring_check(&r);
	munmap(memory, SZ_64K);
	ring_check(&r);
	igt_assert_eq(xetile_ioctl(card.fd, DRM_IOCTL_XE_EXEC, &none), 0);
	ring_store(&r, DATA_AT, 2);
	igt_assert(becomes_banned(&r));
	igt_assert_eq(__xe_exec_batch(card.fd, r.queue, RING_AT, 0), -ECANCELED);
	igt_assert_eq(xetile_ioctl(card.fd, DRM_IOCTL_XE_EXEC, &none), -ECANCELED);
	ring_fini(&r);
}

/* The ring uses memory that was out of its process's reach for a while, and is not any more. */
static void test_user_back(uint32_t class)
{
	volatile uint32_t *memory;
	struct ring r;

	require_user(&card);
	memory = anon(SZ_64K);
	ring_init(&r, card.fd, class, DRM_XETILE_PLACE_SYSTEM);
	igt_assert_eq(try_user(card.fd, r.vm, DATA_AT, (void *)memory, SZ_64K, 0), 0);
	for (unsigned int i = 0; i < 3; i++) {
		ring_store(&r, DATA_AT + 4 * i, 0x700 + i);
		ring_check(&r);
		igt_assert_eq_u32(memory[i], 0x700 + i);
		igt_assert_eq(mprotect((void *)memory, SZ_64K, PROT_NONE), 0);
		/* The ring goes on without the memory. */
		ring_check(&r);
		igt_assert_eq(mprotect((void *)memory, SZ_64K, PROT_READ | PROT_WRITE), 0);
	}
	ring_store(&r, DATA_AT + 4 * 3, 0x703);
	ring_check(&r);
	for (unsigned int i = 0; i < 4; i++)
		igt_assert_eq_u32(memory[i], 0x700 + i);
	igt_assert_eq(__xe_queue_is_banned(card.fd, r.queue), 0);
	ring_fini(&r);
	munmap((void *)memory, SZ_64K);
}

/* The file has as many jobs as it may, and pages leave under its ring, which goes on. */
static void test_user_full(uint32_t class)
{
	struct drm_xetile_sync sync = { 0 };
	volatile uint32_t *memory;
	uint32_t queues[5], vm;
	struct ring r;
	struct dam dam;
	int err = 0;

	require_user(&card);
	memory = anon(SZ_64K);
	ring_init(&r, xetile_reopen(card.fd), class, DRM_XETILE_PLACE_SYSTEM);
	igt_assert_eq(try_user(r.fd, r.vm, DATA_AT, (void *)memory, SZ_64K, 0), 0);
	dam_init(&dam, card.fd);
	sync.handle = dam_fence(&dam, r.fd);
	vm = xetile_vm(r.fd);
	for (unsigned int i = 0; i < ARRAY_SIZE(queues); i++)
		queues[i] = xetile_copy_queue(r.fd, vm);
	for (unsigned int i = 0; !err; i++) {
		struct drm_xetile_exec args = {
			.queue_id = queues[i % ARRAY_SIZE(queues)],
			.syncs = XETILE_ARRAY(&sync, 1),
		};

		err = xetile_ioctl(r.fd, DRM_IOCTL_XETILE_EXEC, &args);
	}
	igt_assert_eq(err, -EDQUOT);
	for (unsigned int i = 0; i < 3; i++) {
		ring_store(&r, DATA_AT + 4 * i, 0x800 + i);
		ring_check(&r);
		igt_assert_eq_u32(memory[i], 0x800 + i);
		igt_assert_eq(madvise((void *)memory, SZ_64K, MADV_DONTNEED), 0);
	}
	ring_check(&r);
	igt_assert_eq(__xe_queue_is_banned(r.fd, r.queue), 0);
	dam_open(&dam);
	dam_fini(&dam);
	ring_fini(&r);
	close(r.fd);
	munmap((void *)memory, SZ_64K);
}

/* The memory's process ends, and others have the address space: that is banned (M12). */
static void test_user_ended(uint32_t class)
{
	struct drm_xe_vm_bind_op map;
	struct ring r;

	require_user(&card);
	ring_init(&r, card.fd, class, DRM_XETILE_PLACE_SYSTEM);
	map = xe_map_op(r.ring.handle, DATA_AT, SZ_64K);
	igt_fork(child, 1) {
		void *memory = mmap(NULL, SZ_64K, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		igt_assert(memory != MAP_FAILED);
		igt_assert_eq(try_user(card.fd, r.vm, DATA_AT, memory, SZ_64K, 0), 0);
		ring_store(&r, DATA_AT, 1);
		ring_check(&r);
	}
	igt_waitchildren();
	igt_assert(becomes_banned(&r));
	igt_assert_eq(__xe_exec_batch(card.fd, r.queue, RING_AT, 0), -ECANCELED);
	igt_assert_eq(__xe_bind(card.fd, r.vm, &map, NULL), -ENOENT);
	ring_fini(&r);
}

/* Two processes have live rings on one engine, and both get on. */
static void test_share(uint32_t class)
{
	igt_fork(child, 2) {
		int fd = xetile_open();
		struct ring r;

		ring_init(&r, fd, class, DRM_XETILE_PLACE_SYSTEM);
		for (unsigned int i = 0; i < 100; i++)
			ring_check(&r);
		ring_fini(&r);
		close(fd);
	}
	igt_waitchildren();
}

/* A process is killed while its ring runs: another one has the engine soon. */
static void test_kill(uint32_t class)
{
	volatile uint32_t *told = mmap(NULL, SZ_4K, PROT_READ | PROT_WRITE,
				       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct ring r;
	uint64_t begun;
	pid_t pid = fork();

	igt_assert_lte(0, pid);
	if (!pid) {
		ring_init(&r, xetile_open(), class, DRM_XETILE_PLACE_SYSTEM);
		ring_check(&r);
		told[0] = 1;
		for (;;)
			pause();
	}
	igt_assert(word_becomes(told, 1, 60000));
	begun = xetile_now_ms();
	kill(pid, SIGKILL);
	igt_assert_eq(waitpid(pid, NULL, 0), pid);
	ring_init(&r, card.fd, class, DRM_XETILE_PLACE_SYSTEM);
	ring_check(&r);
	igt_assert_lt(xetile_now_ms() - begun, 30000);
	/* So is a queue that is destroyed. */
	begun = xetile_now_ms();
	xe_queue_destroy(card.fd, r.queue);
	igt_assert_lt(xetile_now_ms() - begun, 10000);
	r.queue = xe_queue(card.fd, r.vm, 0, class, 1);
	ring_fini(&r);
	xetile_wait_engines_free(card.fd);
	munmap((void *)told, SZ_4K);
}

/* A batch that does not let itself be interrupted is reset when its memory has to leave, and banned. */
static void test_stuck(uint32_t class)
{
	struct xetile_buf data;
	struct xetile_batch b;
	struct ring r;

	ring_init(&r, card.fd, class, DRM_XETILE_PLACE_SYSTEM);
	xetile_buf_init(&data, card.fd, r.vm, DATA_AT, SZ_64K, DRM_XETILE_PLACE_HBM);
	ring_check(&r);
	ring_section(&r, &b, r.next);
	batch_keep_engine(&b);
	batch_store(&b, ring_word_at(3), 1, false);
	batch_wait(&b, ring_word_at(4), 1);
	batch_end(&b);
	__sync_synchronize();
	r.word[0] = ++r.next;
	igt_assert(word_becomes(r.word + 3, 1, 30000));
	igt_assert_eq(__xe_queue_is_banned(card.fd, r.queue), 0);
	xetile_buf_fini(&data);
	igt_assert_eq(__xe_queue_is_banned(card.fd, r.queue), 1);
	ring_fini(&r);
}

/*
 * Two processes each want most of a tile's memory for good. Neither is starved, and no byte is lost
 * on the way.
 */
static void test_greedy(uint32_t class)
{
	uint64_t size = card.tiles[0].hbm_total / 20 / SZ_2M * SZ_2M;

	igt_fork(child, 2) {
		uint32_t *map[12], bo[ARRAY_SIZE(map)];
		int fd = xetile_open();
		struct ring r;

		ring_init(&r, fd, class, DRM_XETILE_PLACE_SYSTEM);
		for (unsigned int n = 0; n < ARRAY_SIZE(bo); n++) {
			bo[n] = xe_bo(fd, size, 2);
			map[n] = xetile_bo_map(fd, bo[n], SZ_64K);
			xe_map(fd, r.vm, bo[n], DATA_AT + n * size, size);
		}
		for (unsigned int i = 0; i < 5; i++) {
			for (unsigned int n = 0; n < ARRAY_SIZE(bo); n++)
				ring_store(&r, DATA_AT + n * size + 4 * i, 0x1000 * child + i + n);
			ring_check(&r);
			usleep(20000);
		}
		for (unsigned int n = 0; n < ARRAY_SIZE(bo); n++) {
			for (unsigned int i = 0; i < 5; i++)
				igt_assert_eq_u32(map[n][i], 0x1000 * child + i + n);
			munmap(map[n], SZ_64K);
		}
		igt_assert_eq(__xe_queue_is_banned(fd, r.queue), 0);
		for (unsigned int n = 0; n < ARRAY_SIZE(bo); n++)
			xetile_bo_close(fd, bo[n]);
		ring_fini(&r);
		close(fd);
	}
	igt_waitchildren();
}

/* The machine sleeps while a ring runs, which goes on where it was, with all of its memory. */
static void test_sleep(uint32_t class)
{
	volatile uint32_t *memory;
	struct xetile_buf data;
	struct ring r;

	ring_init(&r, card.fd, class, DRM_XETILE_PLACE_HBM);
	xetile_buf_init(&data, card.fd, r.vm, DATA_AT, SZ_64K, DRM_XETILE_PLACE_HBM);
	memory = anon(SZ_64K);
	igt_assert_eq(try_user(card.fd, r.vm, DATA_AT + SZ_2M, (void *)memory, SZ_64K, 0), 0);
	for (unsigned int i = 0; i < 3; i++) {
		ring_store(&r, DATA_AT + 4 * i, 0x60 + i);
		ring_check(&r);
		igt_assert_eq(machine_sleep(0), 0);
		ring_store(&r, DATA_AT + SZ_2M + 4 * i, 0x70 + i);
		ring_check(&r);
		igt_assert_eq_u32(((volatile uint32_t *)data.map)[i], 0x60 + i);
		igt_assert_eq_u32(memory[i], 0x70 + i);
	}
	igt_assert_eq(__xe_queue_is_banned(card.fd, r.queue), 0);
	xetile_buf_drop(&data);
	ring_fini(&r);
	munmap((void *)memory, SZ_64K);
}

/* The card is taken from its driver while a ring runs: that does not wait for the ring. */
static void test_gone(uint32_t class)
{
	int fd = xetile_open();
	char address[32];
	uint64_t begun;
	struct ring r;

	xetile_bound_card(address, sizeof(address));
	ring_init(&r, fd, class, DRM_XETILE_PLACE_HBM);
	ring_check(&r);
	close(card.fd);
	begun = xetile_now_ms();
	xetile_rebind(address);
	igt_assert_lt(xetile_now_ms() - begun, 60000);
	igt_assert_eq(__xe_queue_is_banned(fd, r.queue), 1);
	igt_assert_eq(__xe_queue_destroy(fd, r.queue), 0);
	xetile_buf_drop(&r.ring);
	xetile_buf_drop(&r.words);
	close(fd);
	xetile_open_card(&card);
}

igt_main {
	static const struct {
		const char *name;
		uint32_t class;
	} classes[] = { { "compute", XE_COMPUTE }, { "copy", XE_COPY } };

	igt_fixture {
		xetile_open_card(&card);
	}

	for (unsigned int i = 0; i < ARRAY_SIZE(classes); i++) {
		igt_describe("A ring outlives the time of a batch (M1, T3)");
		igt_subtest_f("runs-%s", classes[i].name)
			test_runs(classes[i].class);
		igt_describe("The end of a batch is told by a number alone (M1, M5)");
		igt_subtest_f("fence-%s", classes[i].name)
			test_fence(classes[i].class);
		igt_describe("A ring sees what is mapped under it (M14)");
		igt_subtest_f("unbind-%s", classes[i].name)
			test_unbind(classes[i].class);
		igt_describe("A ring's memory leaves and comes back (M2, M3)");
		igt_subtest_f("evict-%s", classes[i].name)
			test_evict(classes[i].class);
		igt_describe("Pages of the process leave under a ring (M2, M3)");
		igt_subtest_f("user-%s", classes[i].name)
			test_user(classes[i].class);
		igt_describe("A ring goes on without memory that its process has given back, and "
			     "faults where it uses that");
		igt_subtest_f("user-gone-%s", classes[i].name)
			test_user_gone(classes[i].class);
		igt_describe("A ring uses memory that its process may use again (M2, M3)");
		igt_subtest_f("user-back-%s", classes[i].name)
			test_user_back(classes[i].class);
		igt_describe("Pages leave under a ring whose file has all the jobs it may (M3)");
		igt_subtest_f("user-full-%s", classes[i].name)
			test_user_full(classes[i].class);
		igt_describe("Memory of a process that has ended bans the address space (M12)");
		igt_subtest_f("user-ended-%s", classes[i].name)
			test_user_ended(classes[i].class);
		igt_describe("Two processes have rings on one engine");
		igt_subtest_f("share-%s", classes[i].name)
			test_share(classes[i].class);
		igt_describe("Two processes want most of the memory (M3)");
		igt_subtest_f("greedy-%s", classes[i].name)
			test_greedy(classes[i].class);
		igt_describe("A ring's process is killed, its queue destroyed");
		igt_subtest_f("kill-%s", classes[i].name)
			test_kill(classes[i].class);
		igt_describe("A batch that does not leave is banned (T2)");
		igt_subtest_f("stuck-%s", classes[i].name)
			test_stuck(classes[i].class);
	}

	igt_describe("The machine sleeps while a ring runs");
	for (unsigned int i = 0; i < ARRAY_SIZE(classes); i++)
		igt_subtest_f("sleep-%s", classes[i].name) {
			require_user(&card);
			test_sleep(classes[i].class);
		}
	igt_describe("The card goes while a ring runs (T4)");
	for (unsigned int i = 0; i < ARRAY_SIZE(classes); i++)
		igt_subtest_f("gone-%s", classes[i].name)
			test_gone(classes[i].class);

	igt_fixture {
		close(card.fd);
	}
}
