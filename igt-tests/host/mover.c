// SPDX-License-Identifier: MIT
/*
 * The driver's clears and copies. Engines that are written from the commands' description run the
 * batches that are pushed to them, all at once, in a time of their own: a page takes a unit of
 * it, and it goes on while the driver sleeps. A batch may run as soon as it is pushed: what the CPU
 * that made it has not let out of its buffers, the engine does not see. It keeps translations of
 * the window until the job invalidates them.
 *
 * And the page tables that all address spaces share: they are complete before one points to them.
 */
#include <stdbool.h>
#include <string.h>

#include "check.h"
#include "wc.h"

#include "instructions/pvc_blt_commands.h"
#include "instructions/pvc_mi_commands.h"
#include "exec/xetile_migrate_types.h"
#include "exec/xetile_mover.h"
#include "exec/xetile_queue_submit.h"
#include "exec/xetile_wedge.h"
#include "mem/xetile_fence.h"
#include "mem/xetile_hbm.h"
#include "mem/xetile_kbo.h"
#include "mem/xetile_pt.h"
#include "mem/xetile_pt_table.h"
#include "mem/xetile_pt_top.h"
#include "mem/xetile_va.h"
#include "mem/xetile_vm_kernel.h"

#define PAGE		4096u
#define TILES		2u
#define TILE_PAGES	16384u
#define HBM_PAGES	(TILES * TILE_PAGES)
#define SYSTEM_PAGES	9000u
/* The most pages of a random request */
#define MOST_PAGES	6000u
#define SYSTEM_BASE	(1ull << 40)
#define WINDOW_BASE	(1ull << 30)
#define WINDOW_PAGES	(XETILE_MIGRATE_SLOTS * XETILE_MIGRATE_PAGES)
#define STEPS		300u

int host_may_alloc(void)
{
	return 1;
}

/* --- memory: HBM and system memory, of which a page is one number ----------------------- */

static u32 hbm[HBM_PAGES], sys[SYSTEM_PAGES];
static unsigned long batches_run, window_uses;
static int fences, jobs;
/*
 * How many more jobs are made before there is no memory; waits for slots before the task is killed;
 * and batches before one fails
 */
static unsigned int memory_left = -1u, life_left = -1u, luck_left = -1u;

struct xetile_kbo {
	struct iosys_map map;
};

struct iosys_map *xetile_kbo_map(struct xetile_kbo *kbo)
{
	return &kbo->map;
}

u64 xetile_kbo_dpa(const struct xetile_kbo *kbo)
{
	return 0x7000000;
}

int xetile_wedged(const struct xetile_sched *sched)
{
	return 0;
}

/* --- a tile's own address space ---------------------------------------------------------- */

struct xetile_vm {
	u64 window[WINDOW_PAGES], tlb[WINDOW_PAGES];
};

u64 xetile_vm_window(struct xetile_vm *vm)
{
	return WINDOW_BASE;
}

void xetile_vm_window_set(struct xetile_vm *vm, unsigned int first, dma_addr_t addr,
			  unsigned int n)
{
	CHECK(first + n <= WINDOW_PAGES, "beyond the window");
	for (unsigned int i = 0; i < n; i++)
		writeq(addr + i * PAGE, &vm->window[first + i]);
}

/* Returns the page at an address, or NULL. */
static u32 *page_at(struct xetile_vm *vm, u64 addr)
{
	u64 page;

	if (addr >= XETILE_IDENTITY_BASE) {
		page = (addr - XETILE_IDENTITY_BASE) / PAGE;
		return page < HBM_PAGES ? &hbm[page] : NULL;
	}
	page = (addr - WINDOW_BASE) / PAGE;
	if (page >= WINDOW_PAGES)
		return NULL;
	if (!vm->tlb[page])
		vm->tlb[page] = vm->window[page];
	window_uses++;
	page = (vm->tlb[page] - SYSTEM_BASE) / PAGE;
	return page < SYSTEM_PAGES ? &sys[page] : NULL;
}

/* --- the engine ---------------------------------------------------------------------------- */

/* A batch that was pushed */
struct pending {
	struct xetile_job *job;
	struct dma_fence *fence;
	u64 end;
};

struct xetile_queue {
	struct xetile_migrate *mig;
	struct pending line[XETILE_MIGRATE_SLOTS];
	unsigned int num;
};

static struct xetile_queue queues[TILES];
static u64 now;

static u64 address(const u32 *dw)
{
	return dw[0] | (u64)dw[1] << 32;
}

/* One command; returns its length. A row is a page. */
static unsigned int run_command(struct xetile_vm *vm, const u32 *dw)
{
	bool copy = (dw[0] & PVC_BLT_OPCODE_MASK) == (PVC_MEM_COPY & PVC_BLT_OPCODE_MASK);
	u32 rows = dw[2] + 1;

	CHECK(copy || (dw[0] & PVC_BLT_OPCODE_MASK) == (PVC_MEM_SET & PVC_BLT_OPCODE_MASK),
	      "command %#x", dw[0]);
	CHECK(dw[1] == PAGE - 1 && dw[3] == PAGE - 1 && rows <= 0x4000, "geometry");
	for (u32 i = 0; i < rows; i++) {
		u32 *to = page_at(vm, address(dw + (copy ? 7 : 4)) + i * PAGE);
		u32 *from = copy ? page_at(vm, address(dw + 5) + i * PAGE) : NULL;

		CHECK(to && (from || !copy), "an address without memory");
		if (to)
			*to = from ? *from : 0;
	}
	return copy ? PVC_MEM_COPY_DWORDS : PVC_MEM_SET_DWORDS;
}

static const u32 *batch_of(struct xetile_migrate *mig, const struct xetile_job *job)
{
	u64 offset = job->batches[0] - XETILE_IDENTITY_BASE - xetile_kbo_dpa(mig->batches);

	return (const u32 *)((char *)mig->batches->map.vaddr + offset);
}

static bool is_end(const u32 *dw, const u32 *start)
{
	return *dw == PVC_MI_BATCH_BUFFER_END || dw - start >= XETILE_MIGRATE_BATCH / 4;
}

static u64 time_of(const u32 *start)
{
	u64 pages = 0;

	for (const u32 *dw = start; !is_end(dw, start); ) {
		pages += dw[2] + 1;
		dw += (*dw & PVC_BLT_OPCODE_MASK) == (PVC_MEM_COPY & PVC_BLT_OPCODE_MASK) ?
		      PVC_MEM_COPY_DWORDS : PVC_MEM_SET_DWORDS;
	}
	return pages;
}

struct dma_fence *xetile_queue_push(struct xetile_queue *queue, struct xetile_job *job)
{
	struct xetile_migrate *mig = queue->mig;
	const u32 *start = batch_of(mig, job);
	u64 begin = queue->num ? queue->line[queue->num - 1].end : now;
	struct dma_fence *fence = calloc(1, sizeof(*fence));

	CHECK(!wc_pending(start, XETILE_MIGRATE_BATCH), "commands are on their way");
	CHECK(!wc_pending(mig->vm->window, sizeof(mig->vm->window)), "the window is on its way");
	CHECK(!wc_pending(hbm, sizeof(hbm)), "what the caller wrote is on its way");
	CHECK(queue->num < XETILE_MIGRATE_SLOTS, "more batches than slots");
	fences++;
	fence->refs = 2;
	queue->line[queue->num++] = (struct pending) { job, fence, begin + time_of(start) };
	return fence;
}

static void run_batch(struct xetile_migrate *mig, const struct xetile_job *job)
{
	const u32 *start = batch_of(mig, job), *dw = start;

	if (job->invalidate_tlb)
		memset(mig->vm->tlb, 0, sizeof(mig->vm->tlb));
	while (!is_end(dw, start))
		dw += run_command(mig->vm, dw);
	batches_run++;
}

/*
 * The batch that ends next runs, unless the one that it waits for failed. Returns false if none is
 * left.
 */
static bool engines_step(void)
{
	struct xetile_queue *next = NULL;
	struct pending p;

	for (unsigned int t = 0; t < TILES; t++)
		if (queues[t].num && (!next || queues[t].line[0].end < next->line[0].end))
			next = &queues[t];
	if (!next)
		return false;
	p = next->line[0];
	memmove(next->line, next->line + 1, --next->num * sizeof(p));
	now = p.end;
	CHECK(!p.job->dep || p.job->dep->signalled, "out of order");
	if (p.job->dep && p.job->dep->error)
		p.fence->error = -ENODATA;
	else if (!luck_left--)
		p.fence->error = -EIO;
	else
		run_batch(next->mig, p.job);
	dma_fence_put(p.job->dep);
	xetile_job_destroy(p.job);
	dma_fence_signal(p.fence);
	dma_fence_put(p.fence);
	return true;
}

void host_wait(struct dma_fence *fence)
{
	while (!fence->signalled)
		if (!engines_step()) {
			CHECK(false, "nothing will signal the fence");
			check_give_up();
		}
}

int host_down(struct semaphore *semaphore, bool killable)
{
	if (killable && !life_left--)
		return -EINTR;
	while (!semaphore->count)
		if (!engines_step()) {
			CHECK(false, "nothing will free a slot");
			check_give_up();
		}
	semaphore->count--;
	return 0;
}

struct xetile_job *xetile_job_create(void)
{
	if (!memory_left--)
		return NULL;
	jobs++;
	return calloc(1, sizeof(struct xetile_job));
}

void xetile_job_destroy(struct xetile_job *job)
{
	jobs--;
	free(job);
}

int xetile_job_add_dep(struct xetile_job *job, struct dma_fence *fence, bool vital)
{
	CHECK(vital && !job->dep, "a dependency");
	job->dep = fence ? dma_fence_get(fence) : NULL;
	return 0;
}

void xetile_fence_arm_copy(struct dma_fence *fence, u64 context, u32 seqno)
{
	fences++;
	fence->refs = 1;
}

void host_fence_free(struct dma_fence *fence)
{
	CHECK(fence->signalled, "a fence is freed before it has signalled");
	fences--;
	free(fence);
}

/* --- random requests -------------------------------------------------------------------------- */

/* An object: in system memory, page by page, or in pieces of HBM */
struct object {
	struct xetile_layout layout;
	struct xetile_extent ext[HBM_PAGES];
	u64 start[HBM_PAGES];
	dma_addr_t dma[SYSTEM_PAGES];
};

/* Rows of pages, which come one after the other in reverse order */
static void make_system(struct object *o, unsigned int pages, unsigned int row)
{
	unsigned int first = random() % SYSTEM_PAGES;

	for (unsigned int i = 0; i < pages; i++)
		o->dma[i] = SYSTEM_BASE + (u64)((first + (pages - 1 - i) / row * row + i % row) %
						SYSTEM_PAGES) * PAGE;
	o->layout = (struct xetile_layout) { .dma = o->dma, .size = (u64)pages * PAGE };
}

/* Deals pieces to @tiles tiles, from page @first of each on, with a page between some of them. */
static void make_hbm(struct object *o, unsigned int pages, unsigned int first, unsigned int tiles)
{
	unsigned int at = 0, n = 0, next[TILES];

	for (unsigned int t = 0; t < TILES; t++)
		next[t] = t * TILE_PAGES + first;
	while (at < pages) {
		unsigned int piece = 1 + random() % 40, t = random() % tiles;

		if (piece > pages - at)
			piece = pages - at;
		o->ext[n] = (struct xetile_extent) {
			.addr = (u64)next[t] * PAGE, .size = (u64)piece * PAGE,
		};
		o->start[n++] = (u64)at * PAGE;
		at += piece;
		next[t] += piece + random() % 2;
	}
	o->layout = (struct xetile_layout) {
		.ext = o->ext, .start = o->start, .num = n, .size = (u64)pages * PAGE,
	};
}

static u32 *page_of(struct object *o, unsigned int page)
{
	u64 addr;

	if (o->layout.dma)
		return &sys[(o->dma[page] - SYSTEM_BASE) / PAGE];
	xetile_layout_find(&o->layout, (u64)page * PAGE, PAGE, &addr);
	return &hbm[addr / PAGE];
}

static void fill(struct object *o, u32 seed)
{
	for (unsigned int i = 0; i < o->layout.size / PAGE; i++) {
		u32 value = seed + i;

		/* The CPU's own writes to HBM are behind a BAR. */
		if (o->layout.dma)
			*page_of(o, i) = value;
		else
			host_write_wc(page_of(o, i), &value, sizeof(value));
	}
}

static void check(struct object *o, u32 seed, bool clear)
{
	for (unsigned int i = 0; i < o->layout.size / PAGE; i++)
		CHECK(*page_of(o, i) == (clear ? 0 : seed + i), "page %u is %#x", i,
		      *page_of(o, i));
}

static struct xetile_migrate migs[TILES];
static struct xetile_tile tiles[TILES];
static struct xetile_device xt = { .tiles = tiles, .num_tiles = TILES };
static struct object a, b;

static void card_init(void)
{
	static struct xetile_kbo kbos[TILES];

	for (unsigned int t = 0; t < TILES; t++) {
		struct xetile_migrate *mig = &migs[t];

		tiles[t] = (struct xetile_tile) {
			.xt = &xt, .migrate = mig, .range.base = (u64)t * TILE_PAGES * PAGE,
			.range.size = (u64)TILE_PAGES * PAGE,
		};
		kbos[t].map.vaddr = calloc(XETILE_MIGRATE_SLOTS, XETILE_MIGRATE_BATCH);
		*mig = (struct xetile_migrate) {
			.tile = &tiles[t], .vm = calloc(1, sizeof(struct xetile_vm)),
			.queue = &queues[t], .batches = &kbos[t],
			.idle.count = XETILE_MIGRATE_SLOTS,
		};
		queues[t] = (struct xetile_queue) { .mig = mig };
		for (unsigned int i = 0; i < XETILE_MIGRATE_SLOTS; i++)
			mig->slots[i].mig = mig;
	}
}

static void card_fini(void)
{
	for (unsigned int t = 0; t < TILES; t++) {
		CHECK(!migs[t].busy && migs[t].idle.count == XETILE_MIGRATE_SLOTS, "lost slot");
		free(migs[t].vm);
		free(migs[t].batches->map.vaddr);
	}
	CHECK(!fences && !jobs, "%d fences and %d jobs are left", fences, jobs);
}

/* Returns the error of a request's fence, which is dropped, or that of the request. */
static int end_of(struct dma_fence *fence)
{
	int err;

	if (IS_ERR(fence)) {
		for (unsigned int t = 0; t < TILES; t++)
			CHECK(!queues[t].num, "the request goes on behind its end");
		/* What the caller wrote to HBM, its next request would have had seen. */
		host_wmb();
		return PTR_ERR(fence);
	}
	host_wait(fence);
	err = fence->error;
	dma_fence_put(fence);
	return err;
}

/* A clear of @a, a copy to @a or to @b; returns its error. */
static int request(unsigned int what, u32 seed)
{
	bool killable = random() % 2;

	wc_any_cpu();
	fill(what == 1 ? &b : &a, seed);
	if (!what)
		return end_of(xetile_mover.clear(&xt, &a.layout, killable));
	return end_of(what == 1 ? xetile_mover.copy(&xt, &a.layout, &b.layout, killable) :
				  xetile_mover.copy(&xt, &b.layout, &a.layout, killable));
}

static unsigned int random_objects(void)
{
	unsigned int pages = 1 + random() % MOST_PAGES, what = random() % 4;

	make_hbm(&a, pages, 0, 1 + random() % TILES);
	if (what == 3)
		make_hbm(&b, pages, TILE_PAGES / 2, 1 + random() % TILES);
	else
		make_system(&b, pages, 1 + random() % 7);
	return what;
}

static void test_mover(void)
{
	card_init();
	for (unsigned int step = 0; step < STEPS; step++) {
		unsigned int what = random_objects();
		int err = request(what, step << 16);

		CHECK(!err, "%d", err);
		check(what < 2 ? &a : &b, step << 16, !what);
	}
	CHECK(batches_run > STEPS && window_uses > STEPS * 50, "only %lu batches", batches_run);
	card_fini();
}

/* A batch fails, or there is no memory, or the task is killed. */
static void test_fails(void)
{
	unsigned int seen[3] = { 0 };

	card_init();
	for (unsigned int step = 0; step < STEPS; step++) {
		unsigned int what = random_objects();
		int err;

		/* A request that waits for slots */
		if (step % 3 == 2) {
			make_hbm(&a, MOST_PAGES, 0, 1);
			make_system(&b, MOST_PAGES, 1);
			what = 1;
		}
		luck_left = step % 3 ? -1u : random() % 8;
		memory_left = step % 3 == 1 ? random() % 8 : -1u;
		life_left = step % 3 == 2 ? random() % 2 : -1u;
		err = request(what, step << 16);
		if (!err) {
			check(what < 2 ? &a : &b, step << 16, !what);
			CHECK((int)luck_left >= 0 || step % 3, "a batch failed");
			CHECK((int)memory_left >= 0 || step % 3 != 1, "there was no memory");
			CHECK((int)life_left >= 0 || step % 3 != 2, "the task was killed");
			continue;
		}
		seen[step % 3]++;
		CHECK(step % 3 ? err == (step % 3 == 1 ? -ENOMEM : -ERESTARTSYS) :
		      err == -EIO || err == -ENODATA, "%d", err);
	}
	luck_left = -1u;
	memory_left = -1u;
	life_left = -1u;
	CHECK(seen[0] > 10 && seen[1] > 10 && seen[2] > 10, "%u, %u, %u", seen[0], seen[1],
	      seen[2]);
	card_fini();
}

/* An object in pieces of @piece pages, dealt to @num tiles in turn, or in contiguous shares */
static void make_shares(unsigned int pages, unsigned int num, unsigned int piece)
{
	unsigned int next[TILES], n = 0;

	for (unsigned int t = 0; t < TILES; t++)
		next[t] = t * TILE_PAGES;
	for (unsigned int at = 0; at < pages; at += piece) {
		unsigned int t = n % num;

		a.ext[n] = (struct xetile_extent) {
			.addr = (u64)next[t] * PAGE, .size = (u64)piece * PAGE,
		};
		a.start[n++] = (u64)at * PAGE;
		next[t] += piece;
	}
	a.layout = (struct xetile_layout) {
		.ext = a.ext, .start = a.start, .num = n, .size = (u64)pages * PAGE,
	};
}

/* Returns the time that the engines need to write @a back to system memory and to restore it. */
static u64 time_to_move(void)
{
	u64 begin = now;

	CHECK(!request(2, 7 << 16), "evict");
	CHECK(!request(1, 8 << 16), "restore");
	check(&a, 8 << 16, false);
	return now - begin;
}

/* All tiles work at once, however their shares lie in the object. */
static void test_tiles(void)
{
	const unsigned int pages = TILE_PAGES / 2;
	u64 one, two;

	card_init();
	/* No page of system memory beside the one before: a batch has 400 of them. */
	make_system(&b, pages, 1);
	make_shares(pages, 1, pages);
	one = time_to_move();
	CHECK(one == 2 * pages, "%llu", (unsigned long long)one);
	for (unsigned int piece = pages / TILES; piece; piece /= 8) {
		make_shares(pages, TILES, piece);
		two = time_to_move();
		CHECK(two * 100 <= one * 55, "shares of %u pages: %llu instead of %llu", piece,
		      (unsigned long long)two, (unsigned long long)one);
	}
	card_fini();
}

/* --- the tables that address spaces share ------------------------------------------------ */

static u64 tables[8][512];
static unsigned int num_tables;

bool xetile_hbm_is_gone(const struct xetile_tile *tile)
{
	return false;
}

int xetile_hbm_alloc(struct xetile_tile *tile, u64 size, struct xetile_account *account, u64 *dpa,
		     void **cookie)
{
	memset(tables[num_tables], 0xa5, sizeof(tables[0]));
	*dpa = (num_tables + 1) * 4096ull;
	*cookie = tables[num_tables++];
	return 0;
}

void xetile_hbm_free(struct xetile_tile *tile, void *cookie)
{
}

void *xetile_hbm_map(struct xetile_tile *tile, u64 dpa, u64 size)
{
	return tables[dpa / 4096 - 1];
}

static void test_top(void)
{
	struct xetile_device xt = { 0 };
	struct xetile_tile tile = { .xt = &xt };
	struct xetile_pt_tree tree = { 0 };
	u64 table, e;
	int level;

	wc_cpu = 0;
	CHECK(!xetile_pt_top_init(&tile), "tables");
	CHECK(!wc_pending(tables, sizeof(tables)), "shared tables are on their way");
	CHECK(!xetile_pt_tree_init(&tree, &tile, NULL, NULL), "tree");
	xetile_pt_top_link(&tree);
	/* Another CPU loads the context. */
	wc_cpu = 1;
	CHECK(!wc_pending(tables, sizeof(tables)), "the link is on its way");
	table = xetile_pt_tree_root(&tree) & 0xffffffffff000ull;
	for (level = 4; level > 2; level--) {
		e = tables[table / 4096 - 1][XETILE_VA_NOWHERE >> (12 + 9 * level) & 511];
		CHECK(e & 1 && !(e & 0x80) && (e & 0xffffffffff000ull) / 4096 <= num_tables,
		      "level %d: %#llx", level, (unsigned long long)e);
		table = e & 0xffffffffff000ull;
		if (table / 4096 - 1 >= num_tables)
			return;
	}
	e = tables[table / 4096 - 1][XETILE_VA_NOWHERE >> 30 & 511];
	CHECK((e & 0x283) == 0x283, "no NULL leaf of 1 GiB: %#llx", (unsigned long long)e);
	xetile_pt_tree_fini(&tree);
}

int main(void)
{
	RUN("clears and copies are in memory when they are pushed", test_mover());
	RUN("a request fails as a whole, and nothing of it goes on", test_fails());
	RUN("two tiles take half the time of one", test_tiles());
	RUN("tables that address spaces share are complete before one has them", test_top());
	return check_end();
}
