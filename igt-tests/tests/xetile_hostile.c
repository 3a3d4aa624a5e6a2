// SPDX-License-Identifier: MIT
/*
 * Hostile clients, each a process of an ordinary user, beside well-behaved clients whose jobs must
 * end right while the hostile client is at work.
 *
 * A subtest has two sides: the hostile client's acts, with the results that the client must get,
 * and the other clients' jobs on each kind of engine, which go on meanwhile.
 *
 * suite: hostile
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "xetile_beside.h"
#include "xetile_walker.h"

IGT_TEST_DESCRIPTION("Hostile clients harm nobody else");

/* Engine time limit of hostile batches, to make their end quick */
#define SHORT_MS	200

/* The limit of a file */
#define FILE_MAX_VMS	1024u

/* --- commands that only a hostile client would send ----------------------- */

#define MI_USER_INTERRUPT	(0x02u << 23)
#define MI_SET_PREDICATE_ON	(0x01u << 23 | 15)
#define MI_STORE_DATA_IMM_GGTT	(0x20u << 23 | 1u << 22 | 2)
#define MI_UPDATE_GTT		(0x23u << 23 | 2)
#define MI_LOAD_REGISTER_IMM	(0x22u << 23 | 1)
#define   LRI_ADD_CS_OFFSET	(1u << 19)
#define MI_BATCH_START_GGTT	(0x31u << 23 | 1)
#define MI_BATCH_START_2ND	(0x31u << 23 | 1u << 22 | 1u << 8 | 1)
#define MI_BATCH_END_CONTEXT	(0x0au << 23 | 1)
#define MI_UNKNOWN		(0x3fu << 23)

/* Registers of the engine, by offset from its base */
#define RING_TAIL		0x30
#define RING_HWS_PGA		0x80
#define RING_MI_MODE		0x9c
#define CONTEXT_CONTROL		0x244
#define EXECLIST_SQ		0x510
#define EXECLIST_CONTROL	0x550
/* ... and of the tile */
#define GDRST			0x941c
#define FORCEWAKE_GT		0xa188
#define TLB_INV_DESC0		0xcf7c
#define RCU_MODE		0x14800
#define CCS_MODE		0x14804
#define GFX_MSTR_IRQ		0x190010
#define CCS_RSVD_INTR_ENABLE	0x190048

/* --- contents of a batch -------------------------------------------------- */

static void emit_store_reg(struct xetile_batch *b, uint32_t reg, uint32_t value, bool add_cs)
{
	batch_emit(b, MI_LOAD_REGISTER_IMM | (add_cs ? LRI_ADD_CS_OFFSET : 0));
	batch_emit(b, reg);
	batch_emit(b, value);
}

/* From this global address on lie rings, contexts and status pages of all clients. */
#define GGTT_ADDR	0x400000

static void emit_ggtt_stores(struct xetile_batch *b, const struct job *j)
{
	for (uint32_t addr = GGTT_ADDR; addr < 0x500000; addr += 0x4000) {
		batch_emit(b, MI_STORE_DATA_IMM_GGTT);
		batch_emit(b, addr);
		batch_emit(b, 0);
		batch_emit(b, 0);
	}
}

static void emit_ggtt_entries(struct xetile_batch *b, const struct job *j)
{
	for (uint32_t page = 0x400; page < 0x420; page++) {
		batch_emit(b, MI_UPDATE_GTT);
		batch_emit(b, page << 12);
		batch_emit(b, 0);
		batch_emit(b, 0);
	}
}

static void emit_engine_registers(struct xetile_batch *b, const struct job *j)
{
	static const uint32_t regs[] = {
		RING_TAIL, RING_HWS_PGA, CONTEXT_CONTROL, EXECLIST_SQ, EXECLIST_SQ + 4,
		EXECLIST_CONTROL,
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(regs); i++)
		emit_store_reg(b, regs[i], 1, true);
	emit_store_reg(b, RING_MI_MODE, 0x01000100, true);
}

static void emit_tile_registers(struct xetile_batch *b, const struct job *j)
{
	emit_store_reg(b, GDRST, 0xffffffff, false);
	emit_store_reg(b, FORCEWAKE_GT, 0xffff0000, false);
	emit_store_reg(b, TLB_INV_DESC0, 1, false);
	emit_store_reg(b, RCU_MODE, 0xffff0000, false);
	emit_store_reg(b, CCS_MODE, 0, false);
	emit_store_reg(b, GFX_MSTR_IRQ, 0xffffffff, false);
	emit_store_reg(b, CCS_RSVD_INTR_ENABLE, 0, false);
}

static void emit_batch_in_ggtt(struct xetile_batch *b, const struct job *j)
{
	batch_emit(b, MI_BATCH_START_GGTT);
	batch_emit(b, GGTT_ADDR);
	batch_emit(b, 0);
}

/* Every well-behaved client has data near this address; the hostile client has nothing there. */
#define OTHERS_ADDR	(JOB_DATA_ADDR - SZ_2M)

static void emit_store_elsewhere(struct xetile_batch *b, const struct job *j)
{
	batch_store(b, OTHERS_ADDR, 0xbad, false);
}

static void emit_jump_elsewhere(struct xetile_batch *b, const struct job *j)
{
	batch_jump(b, OTHERS_ADDR);
}

static void emit_predicate(struct xetile_batch *b, const struct job *j)
{
	batch_emit(b, MI_SET_PREDICATE_ON);
}

static void emit_arbitration_off(struct xetile_batch *b, const struct job *j)
{
	batch_keep_engine(b);
}

static void emit_semaphore(struct xetile_batch *b, const struct job *j)
{
	batch_wait(b, j->data.addr + 512, 1);
}

/* Each level calls the next one and never returns. */
static void emit_chain(struct xetile_batch *b, const struct job *j)
{
	uint64_t here = batch_addr(b) + b->len * 4ull;

	batch_emit(b, MI_BATCH_START_2ND);
	batch_emit(b, here);
	batch_emit(b, here >> 32);
}

static void emit_end_of_context(struct xetile_batch *b, const struct job *j)
{
	batch_emit(b, MI_BATCH_END_CONTEXT);
}

static void emit_interrupts(struct xetile_batch *b, const struct job *j)
{
	for (int i = 0; i < 1000; i++)
		batch_emit(b, MI_USER_INTERRUPT);
}

static void emit_unknown(struct xetile_batch *b, const struct job *j)
{
	batch_emit(b, MI_UNKNOWN);
}

/* The contents of a batch, and the result that its client must get */
static const struct content {
	const char *name;
	void (*emit)(struct xetile_batch *b, const struct job *j);
	int status;
	struct drm_xetile_queue_ban ban;
} contents[] = {
	{ "ggtt-stores", emit_ggtt_stores, 1 },
	{ "ggtt-entries", emit_ggtt_entries, 1 },
	{ "engine-registers", emit_engine_registers, 1 },
	{ "tile-registers", emit_tile_registers, 1 },
	/* Taken as an address of the client's own, which has no mapping */
	{ "ggtt-batch", emit_batch_in_ggtt, -EIO,
	  { .reason = DRM_XETILE_BAN_FAULT, .fault_addr = GGTT_ADDR } },
	{ "others-address", emit_store_elsewhere, -EIO,
	  { .reason = DRM_XETILE_BAN_FAULT, .fault_addr = OTHERS_ADDR,
	    .fault_access = DRM_XETILE_ACCESS_WRITE } },
	{ "jump-out", emit_jump_elsewhere, -EIO,
	  { .reason = DRM_XETILE_BAN_FAULT, .fault_addr = OTHERS_ADDR } },
	{ "predicate-left-on", emit_predicate, 1 },
	{ "arbitration-left-off", emit_arbitration_off, 1 },
	{ "semaphore-at-the-end", emit_semaphore, -ETIME,
	  { .reason = DRM_XETILE_BAN_TIMEOUT } },
	{ "second-level-chain", emit_chain, -ETIME,
	  { .reason = DRM_XETILE_BAN_PREEMPT } },
	{ "end-of-context", emit_end_of_context, 1 },
	{ "interrupts", emit_interrupts, 1 },
	{ "unknown-command", emit_unknown, -EIO,
	  { .reason = DRM_XETILE_BAN_ERROR } },
};

static const struct content *content;

/*
 * The reason for a ban of a batch that does not leave: on a compute engine, which others wait for,
 * the batch is asked to leave and does not. On a copy engine, beside which others are free, its
 * time runs out.
 */
static struct drm_xetile_queue_ban stays_for(const struct job *j)
{
	return (struct drm_xetile_queue_ban) {
		.reason = j->kind == JOB_COPY_TILE ? DRM_XETILE_BAN_TIMEOUT :
						     DRM_XETILE_BAN_PREEMPT,
	};
}

#define CONTENT_OFFSET	SZ_4K

static void attack_by_content(struct hostile *h)
{
	bool stays = content->ban.reason == DRM_XETILE_BAN_PREEMPT;
	struct drm_xetile_queue_ban ban = stays ? stays_for(&h->job) : content->ban;
	struct xetile_batch b;

	hostile_begin(h);
	batch_begin(&b, &h->job.batch, CONTENT_OFFSET);
	content->emit(&b, &h->job);
	batch_end(&b);
	for (int i = 0; i < 3; i++) {
		/* Gets a short limit, because only the limit ends this batch. */
		if (ban.reason == DRM_XETILE_BAN_TIMEOUT) {
			h->job.limit_ms = SHORT_MS;
			job_renew_queue(&h->job);
			h->job.limit_ms = 0;
		}
		igt_assert_eq(job_run_at(&h->job, CONTENT_OFFSET), content->status);
		job_check_own(&h->job, content->status, &ban);
	}
}

static void test_content(void)
{
	uint64_t before = beside_resets();

	for (enum job_kind k = 0; k < JOB_KINDS; k++)
		beside(attack_by_content, k);
	/* Commands that the card ignores cause no reset. */
	if (content->status == 1)
		igt_assert_eq_u64(beside_resets(), before);
	else
		igt_assert_lte_u64(before + 1, beside_resets());
}

/* --- batches that do not leave -------------------------------------------- */

static void emit_spin(struct xetile_batch *b, struct hostile *h)
{
	batch_spin(b);
}

static void emit_arbitration_spin(struct xetile_batch *b, struct hostile *h)
{
	batch_keep_engine(b);
	batch_hang(b);
}

static const struct stay {
	const char *name;
	void (*emit)(struct xetile_batch *b, struct hostile *h);
} stays[] = {
	{ "spin", emit_spin },
	{ "arbitration-off", emit_arbitration_spin },
};

static const struct stay *stay;

/* Makes a queue with the longest limit that an ordinary user may have. */
static void ask_for_most(struct hostile *h)
{
	struct drm_xetile_query_device device;

	xetile_query(h->fd, DRM_XETILE_QUERY_DEVICE, XETILE_ARRAY(&device, 1));
	h->job.limit_ms = device.max_timeout_ms;
	job_renew_queue(&h->job);
}

/* Starts a batch; returns its syncobj while the batch is running. */
static uint32_t start_to_stay(struct hostile *h, uint64_t batch, uint32_t *started)
{
	struct drm_xetile_sync sync = { .flags = DRM_XETILE_SYNC_SIGNAL };

	sync.handle = xetile_syncobj(h->fd);
	igt_assert_eq(__xetile_exec(h->fd, h->job.queue, batch, &sync, 1), 0);
	if (started)
		xetile_assert_soon(*(volatile uint32_t *)started);
	return sync.handle;
}

static void end_to_stay(struct hostile *h, uint32_t syncobj)
{
	const struct drm_xetile_queue_ban ban = stays_for(&h->job);

	igt_assert_eq(__xetile_wait(h->fd, syncobj, 60000), 0);
	igt_assert_eq(xetile_fence_status(h->fd, syncobj), -ETIME);
	xetile_syncobj_destroy(h->fd, syncobj);
	job_check_own(&h->job, -ETIME, &ban);
}

static void attack_by_staying(struct hostile *h)
{
	uint32_t *started = h->job.data.map + 128;
	struct xetile_batch b;
	uint32_t syncobj;

	ask_for_most(h);
	batch_begin(&b, &h->job.batch, CONTENT_OFFSET);
	batch_store(&b, h->job.data.addr + 512, 1, false);
	stay->emit(&b, h);
	syncobj = start_to_stay(h, batch_addr(&b), started);
	hostile_begin(h);
	end_to_stay(h, syncobj);
}

/*
 * The others lose one turn. At its end the batch is asked to leave and does not; its engine is
 * reset once, and a compute engine together with all others of its tile.
 */
static void test_stay(void (*attack)(struct hostile *h), enum job_kind kind)
{
	struct drm_xetile_query_tile tiles[DRM_XETILE_MAX_TILES] = { 0 };
	uint64_t before = beside_resets(), resets = 0;

	xetile_query_tiles(beside_card(), tiles);
	for (int t = 0; t < DRM_XETILE_MAX_TILES; t++)
		if (!t || kind == JOB_COMPUTE_ROOT)
			resets += tiles[t].num_cslices;
	beside(attack, kind);
	igt_assert_eq_u64(beside_resets() - before, kind == JOB_COPY_TILE ? 1 : resets);
}

/* Runs an endless group of threads, of a kernel that forbids preemption. */
static void attack_by_walker(struct hostile *h)
{
	static const uint32_t endless[] = {
		0x80000061, 0x04054160, 0x00000000, 0x00010001,
		0x80000020, 0x00004000, 0x00000000, 0xfffffff0,
	};
	struct xetile_buf isa;
	uint32_t syncobj;
	uint64_t batch;

	ask_for_most(h);
	xetile_buf_init(&isa, h->fd, h->job.vm, 0x30000000ull, SZ_64K, DRM_XETILE_PLACE_SYSTEM);
	batch = fill_batch(&h->job.batch, &isa, h->job.data.addr, 0, 1, 1);
	memcpy((char *)isa.map + FILL_START, endless, sizeof(endless));
	fill_disable_preemption(&h->job.batch);
	syncobj = start_to_stay(h, batch, NULL);
	hostile_begin(h);
	end_to_stay(h, syncobj);
	xetile_buf_fini(&isa);
}

/*
 * Runs short groups that would leave in time, but asks for preemption within threads, for which
 * there is no system routine: the units hang, and only the engines of this batch do. On a card that
 * does not punish this the batch would end well.
 */
static void attack_by_threads(struct hostile *h)
{
	uint32_t groups = SZ_2M / 4 - SZ_64K;
	struct xetile_buf isa, counts;
	uint32_t syncobj;

	ask_for_most(h);
	xetile_buf_init(&isa, h->fd, h->job.vm, 0x30000000ull, SZ_64K, DRM_XETILE_PLACE_SYSTEM);
	xetile_buf_init(&counts, h->fd, h->job.vm, 0x50000000ull, SZ_2M, DRM_XETILE_PLACE_HBM);
	syncobj = start_to_stay(h, count_batch(&h->job.batch, &isa, counts.addr, groups, 50, 1,
					       COUNT_IN_THREADS), counts.map);
	hostile_begin(h);
	end_to_stay(h, syncobj);
	xetile_buf_fini(&counts);
	xetile_buf_fini(&isa);
}

/* An ordinary user must not get a limit of an hour, or a high priority. */
static void attack_by_asking(struct hostile *h)
{
	struct drm_xetile_queue_create args = {
		.vm_id = h->job.vm, .engine_class = COMPUTE, .target = TILE,
		.timeout_ms = 3600000,
	};

	hostile_begin(h);
	igt_assert_eq(__xetile_queue_create(h->fd, &args), -EACCES);
	args.timeout_ms = 0;
	args.priority = DRM_XETILE_PRIORITY_HIGH;
	igt_assert_eq(__xetile_queue_create(h->fd, &args), -EACCES);
}

/* --- answers that cannot be written --------------------------------------------- */

/* Makes a call whose arguments the kernel can read, and whose answer it cannot write. */
static void call_unheard(int fd, unsigned long request, const void *args, size_t size)
{
	void *page = mmap(NULL, SZ_4K, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	igt_assert(page != MAP_FAILED);
	memcpy(page, args, size);
	igt_assert_eq(mprotect(page, SZ_4K, PROT_READ), 0);
	igt_assert_eq(xetile_ioctl(fd, request, page), -EFAULT);
	munmap(page, SZ_4K);
}

/*
 * The object exists under the next id and can be destroyed once. An object that is never destroyed
 * belongs to the file, counts towards its limits, and goes with it.
 */
static void attack_by_deafness(struct hostile *h)
{
	struct drm_xetile_bo_create bo = { .size = SZ_2M, .placement = DRM_XETILE_PLACE_HBM };
	struct drm_xetile_queue_create queue = { .engine_class = COMPUTE, .target = TILE };
	struct drm_xetile_queue_create binds = { .engine_class = DRM_XETILE_ENGINE_BIND };
	struct drm_xetile_vm_create vm = { 0 };
	int fd = hostile_open();

	hostile_begin(h);
	queue.vm_id = binds.vm_id = xetile_vm(fd);
	for (int twice = 0; twice < 2; twice++) {
		/* The next call gets the lowest free id, which is this one. */
		igt_assert_eq(xetile_ioctl(fd, DRM_IOCTL_XETILE_VM_CREATE, &vm), 0);
		xetile_vm_destroy(fd, vm.vm_id);
		call_unheard(fd, DRM_IOCTL_XETILE_VM_CREATE, &vm, sizeof(vm));
		igt_assert_eq(__xetile_vm_destroy(fd, vm.vm_id), 0);
		igt_assert_eq(__xetile_vm_destroy(fd, vm.vm_id), -ENOENT);
		for (int i = 0; i < 2; i++) {
			struct drm_xetile_queue_create *args = i ? &binds : &queue;

			igt_assert_eq(__xetile_queue_create(fd, args), 0);
			xetile_queue_destroy(fd, args->queue_id);
			call_unheard(fd, DRM_IOCTL_XETILE_QUEUE_CREATE, args, sizeof(*args));
			igt_assert_eq(__xetile_queue_destroy(fd, args->queue_id), 0);
			igt_assert_eq(__xetile_queue_destroy(fd, args->queue_id), -ENOENT);
		}
	}
	for (int private = 0; private < 2; private++) {
		bo.vm_id = private ? queue.vm_id : 0;
		call_unheard(fd, DRM_IOCTL_XETILE_BO_CREATE, &bo, sizeof(bo));
	}
	call_unheard(fd, DRM_IOCTL_XETILE_QUEUE_CREATE, &queue, sizeof(queue));
	call_unheard(fd, DRM_IOCTL_XETILE_QUEUE_CREATE, &binds, sizeof(binds));
	/* The file has one VM already, and the last call below succeeds. */
	for (unsigned int n = 2; n < FILE_MAX_VMS; n++)
		call_unheard(fd, DRM_IOCTL_XETILE_VM_CREATE, &vm, sizeof(vm));
	igt_assert_eq(xetile_ioctl(fd, DRM_IOCTL_XETILE_VM_CREATE, &vm), 0);
	igt_assert_eq(xetile_ioctl(fd, DRM_IOCTL_XETILE_VM_CREATE, &vm), -EDQUOT);
	close(fd);
	hostile_hold(h);
}

static void test_deafness(void)
{
	uint64_t used = xetile_hbm_used(beside_card());

	beside(attack_by_deafness, JOB_COMPUTE_TILE);
	igt_assert(xetile_hbm_comes_back(beside_card(), used));
}

igt_main
{
	igt_fixture
		beside_init();

	igt_describe("A batch's contents must harm no other client, and its own client must get "
		     "the documented result");
	for (content = contents; content < contents + ARRAY_SIZE(contents); content++) {
		igt_subtest_f("%s", content->name)
			test_content();
	}
	igt_describe("A batch that does not leave its engine must be stopped and banned; each "
		     "engine is reset once");
	for (stay = stays; stay < stays + ARRAY_SIZE(stays); stay++) {
		igt_subtest_f("stay-%s", stay->name)
			for (enum job_kind k = 0; k < JOB_KINDS; k++)
				test_stay(attack_by_staying, k);
	}
	igt_subtest("stay-walker")
		test_stay(attack_by_walker, JOB_COMPUTE_TILE);
	igt_describe("A batch that lets its threads be preempted, with no system routine, must "
		     "harm only itself");
	igt_subtest("stay-threads")
		test_stay(attack_by_threads, JOB_COMPUTE_TILE);
	igt_describe("An ordinary user must not get a limit of an hour or a high priority: EACCES");
	igt_subtest("ask")
		beside(attack_by_asking, JOB_COMPUTE_TILE);

	igt_describe("An object whose id could not be written (EFAULT) must belong to the file "
		     "until that is closed");
	igt_subtest("deaf")
		test_deafness();

	igt_fixture
		beside_fini();
}
