// SPDX-License-Identifier: MIT
/*
 * The driver's clears and copies. An engine that is written from the commands' description runs
 * each batch when it is pushed, as any CPU may have it run: what the CPU that made it has not let
 * out of its buffers, the engine does not see. It keeps translations of the window until the job
 * invalidates them.
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
#include "mem/xetile_hbm.h"
#include "mem/xetile_kbo.h"
#include "mem/xetile_pt.h"
#include "mem/xetile_pt_table.h"
#include "mem/xetile_pt_top.h"
#include "mem/xetile_va.h"
#include "mem/xetile_vm_kernel.h"

#define PAGE		4096u
#define TILES		2u
#define TILE_PAGES	512u
#define HBM_PAGES	(TILES * TILE_PAGES)
#define SYSTEM_PAGES	3000u
#define SYSTEM_BASE	(1ull << 40)
#define WINDOW_BASE	(1ull << 30)
#define WINDOW_PAGES	(XETILE_MIGRATE_SLOTS * XETILE_MIGRATE_PAGES)
#define STEPS		400u

int host_may_alloc(void)
{
	return 1;
}

/* --- memory: HBM and system memory, of which a page is one number ----------------------- */

static u32 hbm[HBM_PAGES], sys[SYSTEM_PAGES];
static unsigned long batches_run, window_uses;

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

struct xetile_queue {
	struct xetile_migrate *mig;
};

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

struct dma_fence *xetile_queue_push(struct xetile_queue *queue, struct xetile_job *job)
{
	struct xetile_migrate *mig = queue->mig;
	u64 offset = job->batches[0] - XETILE_IDENTITY_BASE - xetile_kbo_dpa(mig->batches);
	const u32 *dw = (const u32 *)((char *)mig->batches->map.vaddr + offset), *start = dw;

	CHECK(!wc_pending(dw, XETILE_MIGRATE_BATCH), "commands are on their way");
	CHECK(!wc_pending(mig->vm->window, sizeof(mig->vm->window)), "the window is on its way");
	CHECK(!wc_pending(hbm, sizeof(hbm)), "what the caller wrote is on its way");
	if (job->invalidate_tlb)
		memset(mig->vm->tlb, 0, sizeof(mig->vm->tlb));
	while (*dw != PVC_MI_BATCH_BUFFER_END && dw - start < XETILE_MIGRATE_BATCH / 4)
		dw += run_command(mig->vm, dw);
	batches_run++;
	free(job);
	return dma_fence_get_stub();
}

struct xetile_job *xetile_job_create(void)
{
	return calloc(1, sizeof(struct xetile_job));
}

void xetile_job_destroy(struct xetile_job *job)
{
	free(job);
}

/* --- random requests -------------------------------------------------------------------------- */

static struct xetile_sched *const no_sched;

/* An object: in system memory, page by page, or in pieces of HBM */
struct object {
	struct xetile_layout layout;
	struct xetile_extent ext[HBM_PAGES];
	u64 start[HBM_PAGES];
	dma_addr_t dma[SYSTEM_PAGES];
};

static void make_system(struct object *o, unsigned int pages)
{
	unsigned int first = random() % SYSTEM_PAGES, row = 1 + random() % 7;

	/* Rows of pages, which come one after the other in reverse order */
	for (unsigned int i = 0; i < pages; i++)
		o->dma[i] = SYSTEM_BASE + (u64)((first + (pages - 1 - i) / row * row + i % row) %
						SYSTEM_PAGES) * PAGE;
	o->layout = (struct xetile_layout) { .dma = o->dma, .size = (u64)pages * PAGE };
}

static void make_hbm(struct object *o, unsigned int pages, unsigned int first)
{
	unsigned int at = 0, n = 0;

	while (at < pages) {
		unsigned int piece = 1 + random() % 40, page = first + at;

		/* A piece lies on one tile. */
		if (piece > pages - at)
			piece = pages - at;
		if (piece > TILE_PAGES - page % TILE_PAGES)
			piece = TILE_PAGES - page % TILE_PAGES;
		o->ext[n] = (struct xetile_extent) {
			.addr = (u64)page * PAGE, .size = (u64)piece * PAGE,
		};
		o->start[n++] = (u64)at * PAGE;
		at += piece;
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

static void test_mover(void)
{
	static struct xetile_migrate migs[TILES];
	static struct xetile_queue queues[TILES];
	static struct xetile_kbo kbos[TILES];
	static struct object a, b;
	struct xetile_tile tiles[TILES];
	struct xetile_device xt = { .sched = no_sched, .tiles = tiles, .num_tiles = TILES };

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
		queues[t].mig = mig;
		for (unsigned int i = 0; i < XETILE_MIGRATE_SLOTS; i++)
			mig->slots[i].mig = mig;
	}
	for (unsigned int step = 0; step < STEPS; step++) {
		unsigned int pages = 1 + random() % (HBM_PAGES / 2);
		unsigned int what = random() % 4, first = random() % (HBM_PAGES - pages + 1);
		struct dma_fence *fence;

		wc_any_cpu();
		make_hbm(&a, pages, first);
		if (what == 3)
			make_hbm(&b, pages, first >= pages ? first - pages :
					    first + 2 * pages <= HBM_PAGES ? first + pages : first);
		else
			make_system(&b, pages);
		switch (what) {
		case 0:
			fill(&a, step << 16);
			fence = xetile_mover.clear(&xt, &a.layout, false);
			check(&a, 0, true);
			break;
		case 1:
			fill(&b, step << 16);
			fence = xetile_mover.copy(&xt, &a.layout, &b.layout, false);
			check(&a, step << 16, false);
			break;
		default:
			fill(&a, step << 16);
			fence = xetile_mover.copy(&xt, &b.layout, &a.layout, true);
			check(&b, step << 16, false);
		}
		CHECK(!IS_ERR(fence), "%ld", PTR_ERR(fence));
	}
	CHECK(batches_run > STEPS && window_uses > STEPS * 50, "only %lu batches", batches_run);
	for (unsigned int t = 0; t < TILES; t++) {
		CHECK(!migs[t].busy && migs[t].idle.count == XETILE_MIGRATE_SLOTS, "lost slot");
		free(migs[t].vm);
		free(kbos[t].map.vaddr);
	}
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
	CHECK(!xetile_pt_tree_init(&tree, &tile, NULL), "tree");
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
	RUN("tables that address spaces share are complete before one has them", test_top());
	return check_end();
}
