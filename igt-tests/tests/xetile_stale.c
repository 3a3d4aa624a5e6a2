// SPDX-License-Identifier: MIT
/*
 * Hostile clients, each a process of an ordinary user, that use translations which are stale, or
 * are just being removed, beside well-behaved clients whose jobs must end right.
 *
 * suite: hostile
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "xetile_beside.h"
#include "xetile_lab.h"

IGT_TEST_DESCRIPTION("Hostile clients that use stale translations");

#define CONTENT_OFFSET	SZ_4K

#define STALE_ADDR	0x8000000000ull

/* Stores to an address that has not been used before. Returns the status of the fence. */
static int store_to(struct job *j, uint64_t addr, uint32_t value)
{
	struct xetile_batch b;

	batch_begin(&b, &j->batch, CONTENT_OFFSET);
	batch_store(&b, addr, value, false);
	batch_end(&b);
	return job_run_at(j, CONTENT_OFFSET);
}

/*
 * A job that was submitted before an unmap runs and uses the address. Then the unmap is made, and
 * its tables and the buffer are freed. The job has flushed the TLB for everything before its own
 * submission, and not for the unmap.
 */
static void leave_stale(struct hostile *h)
{
	struct drm_xetile_bind unmap = {
		.op = DRM_XETILE_BIND_UNMAP, .addr = STALE_ADDR, .range = SZ_64K,
	};
	uint32_t bo = xetile_bo(h->fd, SZ_64K, DRM_XETILE_PLACE_HBM), done = xetile_syncobj(h->fd);
	struct drm_xetile_sync start[2], second = { 0 };
	struct job *j = &h->job, gates[2];
	struct xetile_batch b;

	for (int i = 0; i < 2; i++) {
		job_init_at(&gates[i], h->fd, j->kind == JOB_COPY_TILE ? JOB_COMPUTE_TILE :
			    JOB_COPY_TILE, 0);
		igt_assert_eq(job_start_held(&gates[i]), 0);
	}
	start[0] = (struct drm_xetile_sync) { .handle = gates[0].syncobj };
	start[1] = (struct drm_xetile_sync) { .handle = done, .flags = DRM_XETILE_SYNC_SIGNAL };
	second.handle = gates[1].syncobj;
	xetile_vm_map(h->fd, j->vm, bo, 0, STALE_ADDR, SZ_64K);
	batch_begin(&b, &j->batch, CONTENT_OFFSET);
	batch_store(&b, STALE_ADDR, 0xbad, false);
	batch_end(&b);
	igt_assert_eq(__xetile_exec(h->fd, j->queue, batch_addr(&b), start, 2), 0);
	igt_assert_eq(__xetile_vm_bind(h->fd, j->vm, &unmap, 1, &second, 1), 0);
	for (int i = 0; i < 2; i++) {
		((volatile uint32_t *)gates[i].data.map)[64] = 1;
		igt_assert_eq(job_end(&gates[i]), 1);
		igt_assert_eq(__xetile_wait(h->fd, done, 60000), 0);
		igt_assert_eq(xetile_fence_status(h->fd, done), 1);
	}
	xetile_bo_close(h->fd, bo);
	for (int i = 0; i < 2; i++)
		job_fini(&gates[i]);
}

/* The next job finds nothing at the address. */
static void attack_by_stale_buffer(struct hostile *h)
{
	const struct drm_xetile_queue_ban ban = {
		.reason = DRM_XETILE_BAN_FAULT, .fault_addr = STALE_ADDR,
		.fault_access = DRM_XETILE_ACCESS_WRITE,
	};

	hostile_begin(h);
	leave_stale(h);
	igt_assert_eq(store_to(&h->job, STALE_ADDR, 0xbad), -EIO);
	job_check_own(&h->job, -EIO, &ban);
}

/* A buffer that is mapped next to it is found by the new tables, not by the old ones. */
static void attack_by_stale_table(struct hostile *h)
{
	uint32_t bo = xetile_bo(h->fd, SZ_64K, DRM_XETILE_PLACE_SYSTEM);
	volatile uint32_t *map = xetile_bo_map(h->fd, bo, SZ_64K);

	hostile_begin(h);
	leave_stale(h);
	xetile_vm_map(h->fd, h->job.vm, bo, 0, STALE_ADDR + SZ_64K, SZ_64K);
	igt_assert_eq(store_to(&h->job, STALE_ADDR + SZ_64K, 0x600d), 1);
	igt_assert_eq_u32(map[0], 0x600d);
}

#define PAGES		32u
#define STORES		3000u

/* Unmaps by a bind queue, which jobs do not wait for; returns when the change is made. */
static void unmap_now(struct hostile *h, uint64_t addr, uint64_t range)
{
	struct drm_xetile_queue_create queue = {
		.vm_id = h->job.vm, .engine_class = DRM_XETILE_ENGINE_BIND,
	};
	struct drm_xetile_bind bind = {
		.op = DRM_XETILE_BIND_UNMAP, .addr = addr, .range = range,
	};
	struct drm_xetile_sync sync = { .flags = DRM_XETILE_SYNC_SIGNAL };
	struct drm_xetile_vm_bind args = {
		.binds = DRM_XETILE_ARRAY(&bind, 1), .vm_id = h->job.vm,
		.syncs = DRM_XETILE_ARRAY(&sync, 1),
	};

	igt_assert_eq(__xetile_queue_create(h->fd, &queue), 0);
	args.queue_id = queue.queue_id;
	sync.handle = xetile_syncobj(h->fd);
	igt_assert_eq(xetile_ioctl(h->fd, DRM_IOCTL_XETILE_VM_BIND, &args), 0);
	igt_assert_eq(__xetile_wait(h->fd, sync.handle, 60000), 0);
	igt_assert_eq(xetile_fence_status(h->fd, sync.handle), 1);
	xetile_syncobj_destroy(h->fd, sync.handle);
	xetile_queue_destroy(h->fd, queue.queue_id);
}

/*
 * A job stores to one page after the other while the pages are unmapped and their buffer is closed.
 * With @first the job stores only afterwards. Returns the status of its fence.
 */
static int store_under_unmap(struct hostile *h, bool first)
{
	struct drm_xetile_sync sync = { .flags = DRM_XETILE_SYNC_SIGNAL };
	uint32_t bo = xetile_bo(h->fd, PAGES * SZ_64K, DRM_XETILE_PLACE_HBM);
	volatile uint32_t *begun = h->job.data.map + 128;
	struct job *j = &h->job;
	struct xetile_batch b;
	int status;

	begun[0] = begun[32] = 0;
	xetile_vm_map(h->fd, j->vm, bo, 0, STALE_ADDR, PAGES * SZ_64K);
	batch_begin(&b, &j->batch, CONTENT_OFFSET);
	batch_store(&b, j->data.addr + 512, 1, false);
	batch_wait(&b, j->data.addr + 512 + 128, 1);
	for (unsigned int i = 0; i < STORES; i++)
		batch_store(&b, STALE_ADDR + i % PAGES * SZ_64K, 0xbad, false);
	batch_end(&b);
	sync.handle = xetile_syncobj(h->fd);
	igt_assert_eq(__xetile_exec(h->fd, j->queue, batch_addr(&b), &sync, 1), 0);
	xetile_assert_soon(begun[0]);
	if (!first)
		begun[32] = 1;
	unmap_now(h, STALE_ADDR, PAGES * SZ_64K);
	xetile_bo_close(h->fd, bo);
	begun[32] = 1;
	igt_assert_eq(__xetile_wait(h->fd, sync.handle, 60000), 0);
	status = xetile_fence_status(h->fd, sync.handle);
	xetile_syncobj_destroy(h->fd, sync.handle);
	return status;
}

/* The job ends well, or its queue reports the page that the job did not find. */
static void attack_by_unmapping(struct hostile *h)
{
	struct drm_xetile_queue_ban ban = { 0 };
	unsigned int faults = 0;

	hostile_begin(h);
	for (int i = 0; i < 8; i++) {
		struct drm_xetile_queue_info info;
		int status = store_under_unmap(h, i & 1);

		if (i & 1)
			igt_assert_eq(status, -EIO);
		if (status == 1) {
			igt_assert_eq(job_start(&h->job), 0);
			igt_assert_eq(job_end(&h->job), 1);
			continue;
		}
		faults++;
		igt_assert_eq(status, -EIO);
		xetile_queue_info(h->fd, h->job.queue, &info);
		ban = (struct drm_xetile_queue_ban) {
			.reason = DRM_XETILE_BAN_FAULT, .fault_addr = info.ban.fault_addr,
			.fault_access = DRM_XETILE_ACCESS_WRITE,
		};
		igt_assert_lte_u64(STALE_ADDR, ban.fault_addr);
		igt_assert_lte_u64(ban.fault_addr, STALE_ADDR + PAGES * SZ_64K - 1);
		if (i & 1)
			igt_assert_eq_u64(ban.fault_addr, STALE_ADDR);
		job_check_own(&h->job, status, &ban);
	}
	igt_info("note: %u of 8 have found a page unmapped\n", faults);
}

/* The old VM and all later ones use different addresses for their own buffers. */
#define OLD_ADDR	STALE_ADDR
#define OLD_BATCH	JOB_BATCH_ADDR
#define NEW_BATCH	(1ull << 50)
#define NEW_DATA	(NEW_BATCH + SZ_1G)
#define NEW_VMS		64u
#define MAX_QUEUES	16u

/* A VM, which may be gone, and the buffer that was mapped at OLD_ADDR, which still exists */
struct old_vm {
	uint64_t root;
	struct xetile_buf buf;
};

/* Writes the name of the engine that the queue had last; of a gang that of its last tile. */
static void engine_name(const struct job *j, char *name, size_t size)
{
	const struct drm_xetile_queue_member *m;
	struct drm_xetile_queue_info info;

	xetile_queue_info(j->fd, j->queue, &info);
	m = &info.members[info.num_members - 1];
	snprintf(name, size, "tile%u.%s%u", m->tile, j->kind == JOB_COPY_TILE ? "bcs" : "ccs",
		 m->instance);
}

static uint64_t root_of(const struct job *j)
{
	char engine[32];

	engine_name(j, engine, sizeof(engine));
	return lab_counter(engine, "last_root");
}

/*
 * Stores to OLD_ADDR on every engine that a test may use later. Copy engines are assigned in turn:
 * all of them get such a job at the same time. Returns the root of the VM's tables.
 */
static uint64_t use_old_vm(struct job *j, struct xetile_buf *words)
{
	struct drm_xetile_query_tile tiles[DRM_XETILE_MAX_TILES];
	uint32_t syncobjs[MAX_QUEUES], queues[MAX_QUEUES];
	volatile uint32_t *word = words->map;
	unsigned int n = 1;
	uint64_t root;

	xetile_query_tiles(j->fd, tiles);
	if (j->kind == JOB_COPY_TILE)
		n = tiles[0].num_copy_engines;
	igt_assert_lte(n, MAX_QUEUES - 1);
	for (unsigned int i = 0; i < n; i++) {
		struct drm_xetile_sync sync = { .flags = DRM_XETILE_SYNC_SIGNAL };
		struct xetile_batch b;

		job_new_queue(j);
		queues[i] = j->queue;
		sync.handle = syncobjs[i] = xetile_syncobj(j->fd);
		batch_begin(&b, &j->batch, i * SZ_4K);
		batch_store(&b, words->addr + 64 * (i + 1), 1, false);
		batch_wait(&b, words->addr, 1);
		batch_store(&b, OLD_ADDR, 0x01d, false);
		batch_end(&b);
		igt_assert_eq(__xetile_exec(j->fd, j->queue, batch_addr(&b), &sync, 1), 0);
		xetile_assert_soon(word[16 * (i + 1)]);
	}
	word[0] = 1;
	for (unsigned int i = 0; i < n; i++) {
		igt_assert_eq(__xetile_wait(j->fd, syncobjs[i], 60000), 0);
		igt_assert_eq(xetile_fence_status(j->fd, syncobjs[i]), 1);
		xetile_syncobj_destroy(j->fd, syncobjs[i]);
	}
	root = root_of(j);
	for (unsigned int i = 0; i < n; i++)
		xetile_queue_destroy(j->fd, queues[i]);
	return root;
}

/* Makes and destroys a VM. Its id and its tables are free when this returns. */
static void make_old_vm(struct old_vm *old, int fd, enum job_kind kind)
{
	struct job j = { .fd = fd, .kind = kind };
	uint64_t used = xetile_hbm_used(fd);
	struct xetile_buf words;

	j.vm = xetile_vm(fd);
	xetile_buf_init(&j.batch, fd, j.vm, OLD_BATCH, SZ_64K, DRM_XETILE_PLACE_SYSTEM);
	xetile_buf_init(&words, fd, j.vm, JOB_DATA_ADDR, SZ_64K, DRM_XETILE_PLACE_SYSTEM);
	xetile_buf_init(&old->buf, fd, j.vm, OLD_ADDR, SZ_64K, DRM_XETILE_PLACE_SYSTEM);
	old->root = use_old_vm(&j, &words);
	igt_assert(old->root);
	igt_assert_eq_u32(old->buf.map[0], 0x01d);
	memset(old->buf.map, 0x55, SZ_64K);
	xetile_vm_destroy(fd, j.vm);
	munmap(words.map, SZ_64K);
	xetile_bo_close(fd, words.handle);
	munmap(j.batch.map, SZ_64K);
	xetile_bo_close(fd, j.batch.handle);
	/* No other process takes or frees HBM here. */
	xetile_assert_soon(xetile_hbm_used(fd) == used);
}

static void check_untouched(const struct xetile_buf *buf)
{
	const unsigned char *byte = (const void *)buf->map;

	for (size_t i = 0; i < buf->size; i++)
		igt_assert_f(byte[i] == 0x55, "byte %zu of another VM's memory is 0x%02x\n", i,
			     byte[i]);
}

/* Creates a buffer without mapping it for the GPU. */
static void make_buf(struct xetile_buf *buf, int fd, uint64_t addr)
{
	*buf = (struct xetile_buf) { .fd = fd, .addr = addr, .size = SZ_64K };
	buf->handle = xetile_bo(fd, buf->size, DRM_XETILE_PLACE_SYSTEM);
	buf->map = xetile_bo_map(fd, buf->handle, buf->size);
}

/* Finds a VM of another file that has the old VM's root. Its queue is new. */
static void find_new_vm(struct job *j, const struct old_vm *old)
{
	uint32_t vms[NEW_VMS];
	unsigned int i;

	/* Create all roots first, so that no other table takes the old root's place. */
	for (i = 0; i < NEW_VMS; i++)
		vms[i] = xetile_vm(j->fd);
	for (i = 0; i < NEW_VMS; i++) {
		uint64_t root;

		j->vm = j->batch.vm = j->data.vm = vms[i];
		xetile_vm_map(j->fd, j->vm, j->batch.handle, 0, NEW_BATCH, SZ_64K);
		xetile_vm_map(j->fd, j->vm, j->data.handle, 0, NEW_DATA, SZ_64K);
		job_new_queue(j);
		igt_assert_eq(job_start(j), 0);
		igt_assert_eq(job_end(j), 1);
		root = root_of(j);
		job_renew_queue(j);
		if (root == old->root)
			return;
	}
	igt_assert_f(false, "none of %u VMs has the root of the old VM\n", NEW_VMS);
}

/*
 * Engines remember translations of a VM that is destroyed, and a VM of another file gets its root.
 * The new VM must find its own mappings only, and nothing at addresses that only the old VM had
 * mapped. The same holds for another VM of the old VM's file.
 */
static void test_stale_vm(enum job_kind kind, bool taken)
{
	const struct drm_xetile_queue_ban ban = {
		.reason = DRM_XETILE_BAN_FAULT, .fault_addr = OLD_ADDR,
		.fault_access = DRM_XETILE_ACCESS_WRITE,
	};
	struct job j = { .fd = xetile_reopen(beside_card()), .kind = kind }, other;
	struct xetile_buf mine;
	struct old_vm old;

	/* From now on the bytes of HBM in use are exact. */
	xetile_wait_hbm_free(beside_card());
	job_init(&other, beside_card(), kind, 0);
	make_buf(&j.batch, j.fd, NEW_BATCH);
	make_buf(&j.data, j.fd, NEW_DATA);
	make_buf(&mine, j.fd, OLD_ADDR);
	make_old_vm(&old, other.fd, kind);
	find_new_vm(&j, &old);
	if (taken) {
		xetile_vm_map(j.fd, j.vm, mine.handle, 0, OLD_ADDR, SZ_64K);
		igt_assert_eq(store_to(&j, OLD_ADDR, 0x600d), 1);
		igt_assert_eq_u32(mine.map[0], 0x600d);
	} else {
		igt_assert_eq(store_to(&j, OLD_ADDR, 0xbad), -EIO);
		job_check_ban(&j, &ban);
	}
	check_untouched(&old.buf);
	igt_assert_eq(store_to(&other, OLD_ADDR, 0xbad), -EIO);
	job_check_own(&other, -EIO, &ban);
	check_untouched(&old.buf);
	munmap(old.buf.map, SZ_64K);
	munmap(mine.map, SZ_64K);
	munmap(j.batch.map, SZ_64K);
	munmap(j.data.map, SZ_64K);
	close(j.fd);
	job_fini(&other);
}

/*
 * A mapping of single pages is added between 64 KiB pages, where nothing was mapped. The whole
 * range then gets another table, and engines remember the way to the old table.
 */

static bool write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool done = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	if (fd >= 0)
		close(fd);
	return done;
}

static void set_up_failures(const char *probability)
{
	const char * const settings[][2] = {
		{ "task-filter", "Y" }, { "ignore-gfp-wait", "N" },
		{ "ignore-gfp-highmem", "N" }, { "min-order", "1" },
		{ "verbose", "0" }, { "interval", "1" }, { "times", "-1" },
		{ "probability", probability },
	};
	char path[64];

	for (unsigned int i = 0; i < ARRAY_SIZE(settings); i++) {
		snprintf(path, sizeof(path), "/sys/kernel/debug/fail_page_alloc/%s", settings[i][0]);
		igt_assert(write_text(path, settings[i][1]));
	}
}

/* Returns where an address that a job has just used lies, in bytes from the start of the memory. */
static uint64_t translate(const struct job *j, uint64_t addr)
{
	char *answer = lab_ask("translate %s %#llx", j->engine, (unsigned long long)addr);
	uint64_t at = lab_number(answer, "address");

	free(answer);
	return at;
}

#define SINGLE_ADDR	(STALE_ADDR + SZ_1G)
#define SINGLE_BYTES	(16 * SZ_64K)

/* Creates a buffer; @offset becomes the place of 64 KiB in it whose pages are not in a row. */
static uint32_t make_single_pages(struct job *j, uint32_t *offset, volatile uint32_t **map)
{
	int fail = open("/proc/self/make-it-fail", O_WRONLY | O_CLOEXEC);
	uint32_t bo;

	igt_assert(fail >= 0);
	set_up_failures("100");
	/* For a short time this process gets no two contiguous pages, for any purpose. */
	for (int i = 0; i < 2; i++) {
		/*
		 * The first round is without failures, so that all the code it needs has been read
		 * in.
		 */
		igt_assert_eq(write(fail, i ? "1" : "0", 1), 1);
		bo = xetile_bo(j->fd, SINGLE_BYTES, DRM_XETILE_PLACE_SYSTEM);
		*map = xetile_bo_map(j->fd, bo, SINGLE_BYTES);
		memset((void *)*map, 0, SINGLE_BYTES);
		igt_assert_eq(write(fail, "0", 1), 1);
		if (i)
			break;
		munmap((void *)*map, SINGLE_BYTES);
		xetile_bo_close(j->fd, bo);
	}
	close(fail);
	set_up_failures("0");
	xetile_vm_map(j->fd, j->vm, bo, 0, SINGLE_ADDR, SINGLE_BYTES);
	igt_assert_eq(store_to(j, SINGLE_ADDR, 1), 1);
	for (*offset = 0; *offset < SINGLE_BYTES; *offset += SZ_64K)
		if (translate(j, SINGLE_ADDR + *offset) % SZ_64K)
			break;
	igt_assert_lt(*offset, SINGLE_BYTES);
	return bo;
}

static void test_replaced_table(enum job_kind kind)
{
	volatile uint32_t *map;
	uint32_t big, singles, offset;
	struct job j;

	igt_require_f(!access("/proc/self/make-it-fail", W_OK), "no fault injection\n");
	job_init(&j, beside_card(), kind, 0);
	singles = make_single_pages(&j, &offset, &map);
	/* Has 64 KiB pages, because its address is not aligned to more. */
	big = xetile_bo(j.fd, 2 * SZ_2M, DRM_XETILE_PLACE_HBM);
	xetile_vm_map(j.fd, j.vm, big, SZ_64K, STALE_ADDR, SZ_2M);
	xetile_vm_unmap(j.fd, j.vm, STALE_ADDR + SZ_64K, SZ_64K);
	igt_assert_eq(store_to(&j, STALE_ADDR, 1), 1);
	igt_assert(translate(&j, STALE_ADDR) % SZ_2M);
	xetile_vm_map(j.fd, j.vm, singles, offset, STALE_ADDR + SZ_64K, SZ_64K);
	igt_assert_eq(store_to(&j, STALE_ADDR + SZ_64K, 0x600d), 1);
	igt_assert_eq_u32(map[offset / 4], 0x600d);
	munmap((void *)map, SINGLE_BYTES);
	xetile_bo_close(j.fd, singles);
	xetile_bo_close(j.fd, big);
	job_fini(&j);
}

/* Returns how often the translations of the GGTT of tile 0 were invalidated. */
static uint64_t ggtt_flushes(void)
{
	char *answer = lab_ask("counters"), *at = strstr(answer, "{\"tile\":0,");
	uint64_t n;

	igt_assert(at);
	n = lab_number(at, "ggtt_invalidations");
	free(answer);
	return n;
}

/*
 * Engines keep translations of the GGTT, in which contexts and rings are. The card reads a context
 * before the first command, so only an invalidation with each change of the GGTT comes in time.
 * As a second precaution a freed address is not the next one to be used.
 */
static void test_ggtt(enum job_kind kind)
{
	int fd = xetile_open();
	uint64_t before, address = 0, last;
	struct job j;

	for (unsigned int i = 0; i < 8; i++) {
		before = ggtt_flushes();
		job_init(&j, fd, kind, 0);
		igt_assert(before < ggtt_flushes());
		igt_assert_eq(job_run(&j), 1);
		last = address;
		address = lab_counter(j.engine, "last_lrca");
		igt_assert_f(address != last, "the second context in turn at %#llx\n",
			     (unsigned long long)address);
		before = ggtt_flushes();
		job_fini(&j);
	}
	/* The memory of a context is not freed before engines forget where it was. */
	close(fd);
	xetile_wait_hbm_free(fd = xetile_open());
	igt_assert(before < ggtt_flushes());
	close(fd);
}

igt_main
{
	igt_fixture
		beside_init();

	igt_describe("A stale translation must not be used: not of a buffer, a table, or a VM");
	for (enum job_kind k = 0; k < JOB_KINDS; k++) {
		igt_subtest_f("buffer-%s", job_kind_name(k))
			beside(attack_by_stale_buffer, k);
		igt_subtest_f("table-%s", job_kind_name(k))
			beside(attack_by_stale_table, k);
		igt_subtest_f("vm-taken-%s", job_kind_name(k))
			test_stale_vm(k, true);
		igt_subtest_f("vm-gone-%s", job_kind_name(k))
			test_stale_vm(k, false);
		igt_subtest_f("replaced-table-%s", job_kind_name(k))
			test_replaced_table(k);
		igt_subtest_f("ggtt-%s", job_kind_name(k))
			test_ggtt(k);
	}
	igt_describe("A job on pages that are being unmapped must end well, or with EIO and a "
		     "ban for the page");
	for (enum job_kind k = 0; k < JOB_KINDS; k++) {
		igt_subtest_f("unmap-under-job-%s", job_kind_name(k))
			beside(attack_by_unmapping, k);
	}

	igt_fixture
		beside_fini();
}
