// SPDX-License-Identifier: MIT
/*
 * Rings in a user's memory whose pages somebody withholds: they are those of a file in a FUSE file
 * system, which answers when the test likes. A page fault of the driver's waits for that.
 *
 * suite: igt
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/fuse.h>

#include "xetile_beside.h"
#include "xetile_machine.h"
#include "xetile_user_memory.h"
#include "xetile_xe.h"
#include "xetile_xe_exec.h"
#include "xetile_xe_ring.h"

IGT_TEST_DESCRIPTION("Rings whose pages are withheld");

#define XE_COPY		DRM_XE_ENGINE_CLASS_COPY
#define XE_COMPUTE	DRM_XE_ENGINE_CLASS_COMPUTE

#define PAGES_AT	(DATA_AT + 32 * SZ_2M)

/*
 * Of the client that withholds pages: files, and address spaces of each; together more than the
 * works of a kernel's queue that may run at a time, on 6.12
 */
#define FILES		15
#define VMS		20

#define FILE_SIZE	(FILES * VMS * SZ_64K)
#define MAX_HELD	1024

static struct xetile_card card = { .fd = -1 };

/* What the processes of a test tell each other */
static struct shared {
	uint32_t held;		/* reads of the file that wait */
	uint32_t go;		/* they need not wait any more */
	uint32_t ready;		/* a client has begun */
} volatile *shared;

/* --- a file system of one file, which is its root ---------------------------- */

static char file_name[] = "/tmp/xetile-pages-XXXXXX";
static pid_t server;

static void answer(int dev, uint64_t unique, const void *data, size_t size, int error)
{
	struct fuse_out_header head = {
		.len = sizeof(head) + size, .error = error, .unique = unique,
	};
	struct iovec parts[2] = {
		{ &head, sizeof(head) }, { (void *)data, size },
	};

	/* Who asked may have gone. */
	if (writev(dev, parts, 2) < 0)
		return;
}

static void answer_read(int dev, uint64_t unique, uint32_t size)
{
	void *zero = calloc(1, size);

	answer(dev, unique, zero, size, 0);
	free(zero);
}

static void serve_one(int dev, const struct fuse_in_header *in, const void *arg)
{
	struct fuse_init_out init = {
		.major = FUSE_KERNEL_VERSION, .minor = 31, .max_write = SZ_4K,
		.max_background = MAX_HELD, .congestion_threshold = MAX_HELD,
	};
	struct fuse_attr_out attr = {
		.attr_valid = 3600,
		.attr = { .ino = 1, .size = FILE_SIZE, .mode = S_IFREG | 0666, .nlink = 1 },
	};
	struct fuse_open_out opened = { .fh = 1 };

	switch (in->opcode) {
	case FUSE_INIT:
		answer(dev, in->unique, &init, sizeof(init), 0);
		break;
	case FUSE_GETATTR:
		answer(dev, in->unique, &attr, sizeof(attr), 0);
		break;
	case FUSE_OPEN:
		answer(dev, in->unique, &opened, sizeof(opened), 0);
		break;
	case FUSE_FORGET:
	case FUSE_BATCH_FORGET:
	case FUSE_INTERRUPT:
		break;
	case FUSE_RELEASE:
	case FUSE_FLUSH:
		answer(dev, in->unique, NULL, 0, 0);
		break;
	default:
		answer(dev, in->unique, NULL, 0, -ENOSYS);
	}
}

static void serve(int dev)
{
	static struct {
		uint64_t unique;
		uint32_t size;
	} held[MAX_HELD];
	static char request[SZ_64K * 2] __attribute__((aligned(8)));
	struct pollfd poll_fd = { .fd = dev, .events = POLLIN };
	const struct fuse_in_header *in = (void *)request;
	const struct fuse_read_in *arg = (void *)(in + 1);

	for (;;) {
		while (shared->go && shared->held) {
			shared->held--;
			answer_read(dev, held[shared->held].unique, held[shared->held].size);
		}
		if (poll(&poll_fd, 1, 10) != 1)
			continue;
		if (read(dev, request, sizeof(request)) < 0) {
			if (errno == ENODEV)
				_exit(0);
			continue;
		}
		if (in->opcode != FUSE_READ) {
			serve_one(dev, in, in + 1);
		} else if (shared->held < MAX_HELD) {
			held[shared->held].unique = in->unique;
			held[shared->held].size = arg->size;
			shared->held++;
		}
	}
}

/* Mounts the file system. The server ends with the test. */
static void file_init(void)
{
	char options[128];
	int dev, file;

	shared = mmap(NULL, SZ_4K, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	igt_assert(shared != MAP_FAILED);
	if (access("/dev/fuse", R_OK) && system("modprobe fuse 2>/dev/null"))
		igt_debug("no module\n");
	dev = open("/dev/fuse", O_RDWR | O_CLOEXEC);
	igt_require_f(dev >= 0, "the kernel has no FUSE\n");
	file = mkstemp(file_name);
	igt_assert_lte(0, file);
	close(file);
	snprintf(options, sizeof(options),
		 "fd=%d,rootmode=100666,user_id=0,group_id=0,allow_other", dev);
	igt_assert_f(!mount("xetile-pages", file_name, "fuse", 0, options), "mount: %m\n");
	server = fork();
	igt_assert_lte(0, server);
	if (!server) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		serve(dev);
	}
	close(dev);
}

static void file_fini(void)
{
	umount2(file_name, MNT_DETACH);
	kill(server, SIGKILL);
	waitpid(server, NULL, 0);
	unlink(file_name);
}

/* Maps the file's first @size bytes at @at, or anywhere: each page waits until it is read. */
static char *map_withheld(void *at, uint64_t size)
{
	int file = open(file_name, O_RDWR | O_CLOEXEC);
	struct stat st;
	char *p;

	igt_assert_f(file >= 0, "open: %m\n");
	/* The kernel asks for the size now, or does not know it. */
	igt_assert_eq(fstat(file, &st), 0);
	igt_assert_eq_u64(st.st_size, FILE_SIZE);
	p = mmap(at, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | (at ? MAP_FIXED : 0), file, 0);
	igt_assert(p != MAP_FAILED);
	close(file);
	return p;
}

/* No page is in the kernel's cache. */
static void withhold(void)
{
	int file = open(file_name, O_RDWR | O_CLOEXEC);

	igt_assert_eq(posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED), 0);
	close(file);
	shared->held = 0;
	shared->go = 0;
	shared->ready = 0;
}

/* --- tests -------------------------------------------------------------------- */

static void sleeper(uint32_t class)
{
	char *memory = (char *)anon(2 * SZ_2M);
	volatile uint32_t *word = (uint32_t *)memory;
	int fd = xetile_open();
	struct ring r;

	ring_init(&r, fd, class, DRM_XETILE_PLACE_SYSTEM);
	ring_check(&r);
	for (unsigned int i = 0; i < SZ_2M; i += SZ_4K)
		memory[i] = 1;
	map_withheld(memory + SZ_2M, SZ_2M);
	igt_assert_eq(try_user(fd, r.vm, PAGES_AT, memory, 2 * SZ_2M, 0), 0);
	/* From here on a page fault of the driver's has the lock of all mappings. */
	ring_store(&r, PAGES_AT, 0x77);
	ring_store(&r, PAGES_AT + SZ_2M + SZ_64K, 0x78);
	while (!shared->go) {
		igt_assert_eq(__xe_queue_is_banned(fd, r.queue), 0);
		usleep(10000);
	}
	ring_check(&r);
	igt_assert_eq_u32(word[0], 0x77);
	igt_assert_eq_u32(word[(SZ_2M + SZ_64K) / 4], 0x78);
	ring_fini(&r);
	close(fd);
}

/*
 * The machine sleeps while a part of a range has been faulted in, and the rest is waited for. After
 * the sleep all of it is right.
 */
static void test_sleep(uint32_t class)
{
	require_user(&card);
	withhold();
	igt_fork(child, 1)
		sleeper(class);
	for (unsigned int i = 0; i < 3000 && !shared->held; i++)
		usleep(10000);
	igt_assert(shared->held);
	/* The pages before are there. */
	usleep(300000);
	igt_assert_eq(machine_sleep(0), 0);
	shared->go = 1;
	igt_waitchildren();
}

/* Has very many address spaces wait for pages that never come. */
static void wait_in_all(void)
{
	static uint32_t queues[FILES][VMS];
	char *memory = map_withheld(NULL, FILE_SIZE);
	int fds[FILES];

	igt_assert_eq(setuid(65534), 0);
	for (unsigned int f = 0; f < FILES; f++) {
		int fd = fds[f] = hostile_open();
		uint32_t bo = xetile_bo(fd, SZ_64K, DRM_XETILE_PLACE_SYSTEM);
		uint32_t *map = xetile_bo_map(fd, bo, SZ_64K);

		/* MI_BATCH_BUFFER_END */
		map[0] = 0x05000000;
		for (unsigned int v = 0; v < VMS; v++) {
			uint32_t vm = xe_vm(fd, DRM_XE_VM_CREATE_FLAG_LR_MODE);

			queues[f][v] = xe_queue(fd, vm, 0, XE_COPY, 1);
			xe_map(fd, vm, bo, RING_AT, SZ_64K);
			igt_assert_eq(try_user(fd, vm, PAGES_AT, memory, SZ_64K, 0), 0);
			memory += SZ_64K;
		}
	}
	/* From here on nothing is mapped or unmapped here, which would wait, too. */
	for (unsigned int f = 0; f < FILES; f++)
		for (unsigned int v = 0; v < VMS; v++)
			if (__xe_exec_batch(fds[f], queues[f][v], RING_AT, 0))
				_exit(1);
	while (!shared->held)
		usleep(10000);
	shared->ready = 1;
	for (;;)
		pause();
}

/* A client that withholds its pages does not keep other users' rings from their own. */
static void test_others(void)
{
	volatile uint32_t *memory = anon(SZ_64K);
	struct ring r;
	pid_t pid;

	require_user(&card);
	withhold();
	ring_init(&r, card.fd, XE_COMPUTE, DRM_XETILE_PLACE_SYSTEM);
	ring_check(&r);
	pid = fork();
	igt_assert_lte(0, pid);
	if (!pid) {
		wait_in_all();
		_exit(0);
	}
	igt_assert(word_becomes(&shared->ready, 1, 300000));
	usleep(300000);
	igt_assert_eq(try_user(card.fd, r.vm, PAGES_AT, (void *)memory, SZ_64K, 0), 0);
	for (unsigned int i = 0; i < 3; i++) {
		ring_store(&r, PAGES_AT + 4 * i, 0x90 + i);
		ring_check(&r);
		igt_assert_eq_u32(memory[i], 0x90 + i);
		igt_assert_eq(madvise((void *)memory, SZ_64K, MADV_DONTNEED), 0);
	}
	igt_info("note: %u reads wait\n", shared->held);
	/* It can be killed, and leaves nothing behind. */
	igt_assert_eq(waitpid(pid, NULL, WNOHANG), 0);
	kill(pid, SIGKILL);
	igt_assert_eq(waitpid(pid, NULL, 0), pid);
	ring_check(&r);
	shared->go = 1;
	ring_fini(&r);
	munmap((void *)memory, SZ_64K);
	xetile_wait_engines_free(card.fd);
}

igt_main {
	igt_fixture {
		xetile_open_card(&card);
		beside_init();
		file_init();
	}

	igt_describe("The machine sleeps while a page of a ring is waited for (M3)");
	igt_subtest("sleep-compute")
		test_sleep(XE_COMPUTE);
	igt_subtest("sleep-copy")
		test_sleep(XE_COPY);
	igt_describe("Pages that one user withholds do not hold up another user's ring (M3)");
	igt_subtest("others")
		test_others();

	igt_fixture {
		file_fini();
		beside_fini();
		close(card.fd);
	}
}
