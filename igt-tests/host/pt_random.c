// SPDX-License-Identifier: MIT
/*
 * Page tables: the test makes random changes and compares the tables with a flat list of all
 * mappings. Some changes fail in the middle, others are committed late. A walker that is written
 * from the hardware's description reads the tables and checks the hardware's rules for leaves.
 * One CPU stages a change and another CPU commits the change. The walker sees a write of a CPU at
 * the latest after that CPU's barrier, and looks while a change is being written. In half of the
 * tests nothing faults: what nothing is mapped to has leaves without memory.
 * tests/xetile_pt_kunit.c has the cases that are not random.
 */
#include <string.h>

#include "check.h"
#include "wc.h"
#include "mem/xetile_hbm.h"
#include "mem/xetile_layout.h"
#include "mem/xetile_pt.h"
#include "mem/xetile_pt_scratch.h"
#include "mem/xetile_pt_stage.h"
#include "mem/xetile_pt_update.h"
#include "mem/xetile_pte.h"

#define K64		0x10000ull
#define M2		0x200000ull
#define G1		0x40000000ull
#define TABLES		60000
#define SLOTS		49152u			/* of 64 KiB: 3 GiB of addresses */
#define K4		4096ull
#define GROUP		16u			/* pages of 4 KiB in a slot */
#define PAGES		(SLOTS * GROUP)
#define BASE		((1ull << 48) - 2 * G1)	/* crosses an entry of the root */
#define CROWD		96u			/* slots that half of the changes touch */
#define OBJECTS		8
#define NOWHERE		OBJECTS			/* number of an object without memory */
#define UNMAPPED	(-1)
#define STEPS		3000
#define LATE		4

/* --- an HBM of tables ------------------------------------------------------- */

static u64 (*arena)[512];
static unsigned char taken[TABLES];
static unsigned int num_taken, next_table;
/* the number of allocations that succeed before one fails; < 0: all succeed */
static int fuse = -1;

int host_may_alloc(void)
{
	if (fuse < 0)
		return 1;
	return fuse-- > 0;
}

int xetile_hbm_alloc(struct xetile_tile *tile, u64 size, struct xetile_account *account, u64 *dpa,
		     void **cookie)
{
	if (!host_may_alloc())
		return -28;	/* ENOSPC */
	while (taken[next_table])
		next_table = (next_table + 1) % TABLES;
	taken[next_table] = 1;
	num_taken++;
	*dpa = (next_table + 1) * 4096ull;
	*cookie = &taken[next_table];
	memset(arena[next_table], 0xa5, 4096);
	return 0;
}

bool xetile_hbm_is_gone(const struct xetile_tile *tile)
{
	return false;
}

void xetile_hbm_free(struct xetile_tile *tile, void *cookie)
{
	unsigned char *mark = cookie;

	CHECK(*mark, "freed twice");
	CHECK(!wc_pending(arena[mark - taken], 4096), "a freed table has pending writes");
	*mark = 0;
	num_taken--;
	/* A walk that still uses the freed table finds wrong entries. */
	memset(arena[mark - taken], 0xff, 4096);
}

void *xetile_hbm_map(struct xetile_tile *tile, u64 dpa, u64 size)
{
	return arena[dpa / 4096 - 1];
}

/* --- objects ------------------------------------------------------------------ */

static struct object {
	struct xetile_layout layout;
	struct xetile_extent ext[4096];
	u64 start[4096];
	u64 dma[65536];
} objects[OBJECTS];

static u64 random64(u64 below)
{
	return (((u64)random() << 31) ^ random()) % below;
}

static void make_hbm(struct object *o, u64 size, u64 chunk, u64 where)
{
	u64 at;

	for (at = 0; at < size; at += chunk) {
		unsigned int i = o->layout.num++;

		o->ext[i].addr = where + at / chunk * 3 * chunk;
		o->ext[i].size = chunk < size - at ? chunk : size - at;
		o->start[i] = at;
	}
	o->layout.ext = o->ext;
	o->layout.start = o->start;
	o->layout.size = size;
}

static void make_system(struct object *o, u64 size, int scattered)
{
	u64 i;

	for (i = 0; i < size / 4096; i++)
		o->dma[i] = (1ull << 40) +
			    (scattered && i % 37 < 20 ? i * 3 + 1 : i + 16 * 3) * 4096;
	o->layout.dma = o->dma;
	o->layout.size = size;
}

static void make_objects(void)
{
	make_hbm(&objects[0], 2 * G1, 2 * G1, 4 * G1);
	make_hbm(&objects[1], 256 * M2, M2, 16 * G1);
	make_hbm(&objects[2], 128 * M2, K64, 64 * G1);
	make_hbm(&objects[3], 100 * M2 + 3 * K64, 50 * M2 + K64, 128 * G1 + 5 * K64);
	make_hbm(&objects[4], 64 * M2, 64 * M2, 200 * G1 + K64);
	make_system(&objects[5], 64 * M2, 0);
	make_system(&objects[6], 64 * M2, 1);
	make_hbm(&objects[7], K64, K64, 300 * G1);
}

/* The address of the 4 KiB at an offset, found without the driver's code */
static u64 object_addr(const struct object *o, u64 offset)
{
	unsigned int i;

	if (o->layout.dma)
		return o->dma[offset / 4096] + offset % 4096;
	for (i = 0; i + 1 < o->layout.num && o->start[i + 1] <= offset; )
		i++;
	return o->ext[i].addr + (offset - o->start[i]);
}

/* --- all mappings, as a list of pages of 4 KiB ---------------------------------- */

struct page {
	short object;		/* UNMAPPED, or NOWHERE: a NULL mapping */
	unsigned char readonly;
	unsigned char pat;	/* entry of the PAT */
	unsigned int page;	/* 4 KiB page of the object */
};

/* Everything counts pages of 4 KiB. */
struct op {
	int map;
	unsigned int first, count, page;
	int object, readonly, pat;
};

static struct page op_page(const struct op *op, unsigned int i)
{
	return op->map ? (struct page){ op->object, op->readonly, op->pat,
					op->page + i - op->first } :
			 (struct page){ UNMAPPED, 0, 0, 0 };
}

static void apply(struct page *pages, const struct op *op)
{
	unsigned int i;

	for (i = op->first; i < op->first + op->count; i++)
		pages[i] = op_page(op, i);
}

/* --- the walker ----------------------------------------------------------------- */

/* What nothing is mapped to does not fault. */
static int scratch;

/* An entry that is not there, which must not be where nothing faults */
static void check_absent(u64 entry, int level)
{
	CHECK(!entry && !scratch, "level %d: an absent entry is %#llx", level,
	      (unsigned long long)entry);
}

static u64 walk(u64 root, u64 addr, u64 *pte, unsigned int *size_log)
{
	u64 table = root & 0xffffffffff000ull;
	int level;

	for (level = 4; ; level--) {
		unsigned int shift = 12 + 9 * level;
		u64 *t, e;

		CHECK(table / 4096 - 1 < TABLES, "the walk leads to an address that is no table");
		if (table / 4096 - 1 >= TABLES)
			return 0;
		t = arena[table / 4096 - 1];
		e = t[addr >> shift & 511];
		CHECK(taken[table / 4096 - 1], "the walk leads to a freed table");
		if (!(e & 1)) {
			check_absent(e, level);
			*pte = 0;
			return 0;
		}
		*pte = e;
		*size_log = shift;
		if (level == 0)
			return (e & 0xffffffffff000ull) + addr % 4096;
		if (level <= 2 && e & 0x80) {
			u64 mask = (1ull << shift) - 1;

			/* But bit 12, which is a part of the number of the PAT's entry */
			CHECK(!(e & 0xfffffffffe000ull & mask), "unaligned leaf");
			return (e & 0xffffffffff000ull & ~mask) + (addr & mask);
		}
		table = e & 0xffffffffff000ull;
		if (level == 1 && e & 0x40) {
			t = arena[table / 4096 - 1];
			CHECK(taken[table / 4096 - 1], "the walk leads to a freed table");
			e = t[addr >> 16 & 31];
			if (!(e & 1)) {
				check_absent(e, 0);
				*pte = 0;
				return 0;
			}
			CHECK(!(e & 0xf000) && !(e & 0x100), "compact entry %#llx",
			      (unsigned long long)e);
			*pte = e;
			*size_log = 16;
			return (e & 0xfffffffff0000ull) + addr % K64;
		}
	}
}

static void check_page(u64 root, const struct page *p, u64 addr, u64 *row)
{
	const struct object *o;
	u64 pte = 0, phys, want;
	unsigned int log = 0;

	phys = walk(root, addr, &pte, &log);
	if (p->object == UNMAPPED && !scratch) {
		CHECK(!phys && !pte, "%#llx: mapped", (unsigned long long)addr);
		return;
	}
	CHECK(pte & 1, "%#llx: not mapped", (unsigned long long)addr);
	/* PS64 says that 16 pages lie in a row, aligned, and all of them say so. */
	if (log == 12 && addr % K64 == 0)
		*row = pte & 0x100 ? pte : 0;
	if (log == 12 && pte & 0x100)
		CHECK(*row && pte == *row + (pte & 0x200 ? 0 : addr % K64) &&
		      !(*row & 0xf000), "%#llx: PS64", (unsigned long long)addr);
	else if (log == 12)
		CHECK(!*row, "%#llx: one of 16 pages is without PS64", (unsigned long long)addr);
	if (p->object == NOWHERE || p->object == UNMAPPED) {
		CHECK((pte & 0xffffffffffe02) == 0x202, "%#llx: NULL, but %#llx",
		      (unsigned long long)addr, (unsigned long long)pte);
		return;
	}
	o = &objects[p->object];
	want = object_addr(o, p->page * K4);
	CHECK(phys == want, "%#llx: %#llx, not %#llx", (unsigned long long)addr,
	      (unsigned long long)phys, (unsigned long long)want);
	CHECK((pte & 2 ? 0 : 1) == p->readonly, "%#llx: rights", (unsigned long long)addr);
	CHECK((pte >> 3 & 3) + (log >= 21 ? pte >> 10 & 4 : pte >> 5 & 4) == p->pat,
	      "%#llx: PAT, %#llx", (unsigned long long)addr, (unsigned long long)pte);
	CHECK((pte & 0xc00) == (o->layout.dma ? 0 : 0xc00), "%#llx: DM, AE",
	      (unsigned long long)addr);
	/* HBM has no 4 KiB pages. */
	CHECK(log > 12 || o->layout.dma || pte & 0x100, "%#llx: HBM without PS64",
	      (unsigned long long)addr);
}

static void check_slot(u64 root, const struct page *pages, unsigned int i)
{
	u64 row = 0;

	for (unsigned int n = 0; n < GROUP; n++)
		check_page(root, &pages[i * GROUP + n], BASE + i * K64 + n * K4, &row);
}

static void check_all(u64 root, const struct page *pages, int thorough)
{
	unsigned int i;

	for (i = 0; i < SLOTS; i += thorough || i < CROWD ? 1 : 1 + random64(300))
		check_slot(root, pages, i);
}

/* --- random changes -------------------------------------------------------------- */

static void random_op(struct op *op)
{
	const struct object *o = &objects[op->object = random64(OBJECTS + 1)];
	unsigned int pages = op->object == NOWHERE ? SLOTS : o->layout.size / K64;
	static const unsigned int units[] = { 1, 1, 32, 32, 16384 };
	unsigned int unit = units[random64(5)];

	op->map = random64(3) != 0;
	op->readonly = random64(2);
	op->pat = random64(2) ? XETILE_PAT_WB : random64(XETILE_NUM_PATS);
	op->page = 0;
	if (op->map) {
		op->page = random64(pages) / unit * unit;
		op->count = 1 + random64(pages - op->page);
		if (random64(2) && op->count > unit)
			op->count -= op->count % unit;
	} else {
		op->count = 1 + random64(random64(2) ? SLOTS : 100);
	}
	op->first = random64(SLOTS - op->count + 1) / unit * unit;
	/* Half of the changes are in the same three tables of level 0. */
	if (random64(2)) {
		if (op->count > 24)
			op->count = 1 + random64(24);
		op->map &= random64(2);
		op->first = random64(CROWD - op->count);
	}
	op->first *= GROUP;
	op->count *= GROUP;
	op->page *= GROUP;
}

/* A change that is committed late */
struct late {
	struct xetile_pt_update upd;
	struct op ops[4];
	unsigned int num;
};

static struct page pages[PAGES];

/* What a page is when all changes that are staged are made, the last of @num @late included */
static struct page staged(const struct late *late, unsigned int num, unsigned int num_ops,
			  unsigned int i)
{
	for (; num; num_ops = --num ? late[num - 1].num : 0)
		while (num_ops--) {
			const struct op *op = &late[num - 1].ops[num_ops];

			if (i >= op->first && i < op->first + op->count)
				return op_page(op, i);
		}
	return pages[i];
}

static int may_cut(const struct late *late, unsigned int num, unsigned int num_ops, unsigned int i)
{
	struct page p;

	if (i % GROUP == 0)
		return 1;
	p = staged(late, num, num_ops, i);
	return p.object < 0 || p.object == NOWHERE || objects[p.object].layout.dma;
}

static unsigned int fine_ops;

/* Shift an operation's ends, and its object's pages, by pages of 4 KiB if no HBM is cut. */
static void refine(struct op *op, const struct late *late, unsigned int num, unsigned int num_ops)
{
	struct op fine = *op;
	unsigned int cut = random64(2 * GROUP);

	if (op->map && op->object != NOWHERE && !objects[op->object].layout.dma)
		return;
	fine.first += cut;
	fine.count -= random64(2) ? cut : 0;
	fine.page += op->map && random64(2) ? cut : 0;
	cut = random64(2 * GROUP);
	if ((int)(fine.count - cut) <= 0 || fine.count - cut > op->count)
		return;
	fine.count -= cut;
	if (fine.first + fine.count > PAGES)
		return;
	if (op->map && op->object != NOWHERE &&
	    (fine.page + fine.count) * K4 > objects[op->object].layout.size)
		return;
	if (!may_cut(late, num, num_ops, fine.first) ||
	    (fine.first + fine.count < PAGES &&
	     !may_cut(late, num, num_ops, fine.first + fine.count)))
		return;
	*op = fine;
	fine_ops++;
}

static int stage(struct xetile_pt_update *upd, struct xetile_pt_tree *tree, const struct op *op)
{
	u64 addr = BASE + op->first * K4, size = op->count * K4;

	if (!op->map)
		return xetile_pt_unmap(upd, tree, addr, size);
	if (op->object == NOWHERE)
		return xetile_pt_map_null(upd, tree, addr, size);
	return xetile_pt_map(upd, tree, addr, size, &objects[op->object].layout, op->page * K4,
			     (op->readonly ? XETILE_PTE_READONLY : 0) | XETILE_PTE_PAT(op->pat));
}

/* commits made before the commit of an earlier change; updates that made directories before */
static unsigned int overtakes, grown;
/* walks while a change was being written */
static unsigned int looks;

static int overlap(const struct xetile_pt_update *a, const struct xetile_pt_update *b)
{
	return a->start < b->end && b->start < a->end;
}

/* The change that is being committed, and the root of its tables */
static const struct late *now;
static u64 now_root;

/*
 * While a change is written, the walker finds all other mappings as they are: a leaf that is split
 * must never be seen as a table whose entries have not arrived. What the change itself maps is old
 * or new, and the walk leads to no memory that is not a table.
 */
static void look(void)
{
	for (unsigned int tries = 0; tries < 4; tries++) {
		unsigned int i = random64(random64(2) ? SLOTS : CROWD), log, n;
		u64 pte;

		for (n = 0; n < now->num; n++)
			if ((i + 1) * GROUP > now->ops[n].first &&
			    i * GROUP < now->ops[n].first + now->ops[n].count)
				break;
		if (n == now->num)
			check_slot(now_root, pages, i);
		else
			walk(now_root, BASE + i * K64, &pte, &log);
	}
	looks++;
}

static void commit(struct late *l, struct list_head *retired, u64 root)
{
	unsigned int n;

	wc_any_cpu();
	now = l;
	now_root = root;
	wc_look = look;
	xetile_pt_commit(&l->upd, retired);
	wc_look = NULL;
	for (n = 0; n < l->num; n++)
		apply(pages, &l->ops[n]);
}

/*
 * Commits the changes in a random order, but changes whose ranges overlap in their own order. The
 * walker sees the committed changes and no others, also in tables that several changes use.
 */
static void commit_all(struct late *late, unsigned int num, struct list_head *retired,
		       u64 root, int look)
{
	unsigned int left = num, i, n;
	int done[LATE] = { 0 };

	while (left) {
		int waits = 0, earlier = 0;

		i = random64(num);
		for (n = 0; n < i; n++) {
			earlier |= !done[n];
			waits |= !done[n] && overlap(&late[n].upd, &late[i].upd);
		}
		if (done[i] || waits)
			continue;
		overtakes += earlier;
		commit(&late[i], retired, root);
		done[i] = 1;
		left--;
		if (look)
			check_all(root, pages, 0);
	}
}

/* Makes directories for the first operation of a change, unless a late change overlaps them. */
static void grow(struct late *late, unsigned int num_late, struct xetile_pt_tree *tree,
		 const struct op *op, struct list_head *retired)
{
	struct xetile_pt_update upd;
	unsigned int i;
	int err;

	xetile_pt_update_init(&upd);
	err = xetile_pt_grow(&upd, tree, BASE + op->first * K4, op->count * K4);
	for (i = 0; i < num_late; i++)
		err |= overlap(&late[i].upd, &upd);
	if (err) {
		xetile_pt_revert(&upd);
		return;
	}
	grown += upd.start != upd.end;
	xetile_pt_seal(&upd);
	xetile_pt_commit(&upd, retired);
}

/* Each allocation fails once, and no table is lost. */
static void init_scratch(struct xetile_tile *tile)
{
	struct drm_device *drm = &tile->xt->drm;
	int err = -1, allocs;

	for (allocs = 0; err && allocs < 10; allocs++) {
		*drm = (struct drm_device){ 0 };
		fuse = allocs;
		err = xetile_pt_scratch_init(tile);
		fuse = -1;
		if (err && drm->action)
			drm->action(drm, drm->arg);
		CHECK(num_taken == (err ? 0 : XETILE_PT_SCRATCH_TABLES), "%u tables of %d",
		      num_taken, err);
	}
	/* One for the whole, and three for each table */
	CHECK(!err && allocs == 2 + 3 * XETILE_PT_SCRATCH_TABLES, "%d allocations", allocs);
	/* Another CPU may use them first. */
	CHECK(!wc_pending(arena, TABLES * sizeof(*arena)), "tables are on their way");
}

static void fini_scratch(struct xetile_tile *tile)
{
	tile->xt->drm.action(&tile->xt->drm, tile->xt->drm.arg);
	free(tile->xt->drm.arg);
	CHECK(num_taken == 0, "%u tables are lost", num_taken);
}

static void test_random(unsigned int seed, const struct xetile_pt_scratch *tables)
{
	const unsigned int shared = tables ? XETILE_PT_SCRATCH_TABLES : 0;
	struct late late[LATE];
	unsigned int num_late = 0, step, i, reverts = 0;
	struct xetile_pt_tree tree = { 0 };
	struct op everything = { .count = PAGES };
	LIST_HEAD(retired);
	u64 root;

	srandom(seed);
	scratch = !!tables;
	for (i = 0; i < PAGES; i++)
		pages[i].object = UNMAPPED;
	CHECK(!xetile_pt_tree_init(&tree, NULL, NULL, tables), "tree");
	root = xetile_pt_tree_root(&tree);

	for (step = 0; step < STEPS; step++) {
		struct late *l = &late[num_late];
		int err = 0;

		wc_any_cpu();
		xetile_pt_update_init(&l->upd);
		l->upd.keep_directories = random64(2);
		l->num = random64(2) ? 1 : 1 + random64(4);
		fuse = random64(3) ? -1 : (int)random64(60);
		for (i = 0; i < l->num && !err; i++) {
			random_op(&l->ops[i]);
			if (random64(2))
				refine(&l->ops[i], late, num_late + 1, i);
			if (!i && l->ops[i].map)
				grow(late, num_late, &tree, &l->ops[i], &retired);
			err = stage(&l->upd, &tree, &l->ops[i]);
		}
		fuse = -1;
		if (err) {
			xetile_pt_revert(&l->upd);
			reverts++;
		} else {
			xetile_pt_seal(&l->upd);
			num_late++;
		}
		/* The walker does not see a change that is sealed and not committed. */
		if (step % 50 == 0)
			check_all(root, pages, 0);
		if (num_late < LATE && random64(3))
			continue;
		commit_all(late, num_late, &retired, root, step % 10 == 0);
		num_late = 0;
		xetile_pt_free_retired(&retired);
		if (step % 10 == 0)
			check_all(root, pages, step % 1000 == 0);
	}
	commit_all(late, num_late, &retired, root, 0);
	CHECK(reverts > STEPS / 50, "only %u changes failed", reverts);
	CHECK(overtakes > STEPS / 50, "only %u changes overtook others", overtakes);
	CHECK(grown, "no directories");
	CHECK(fine_ops > STEPS / 5, "only %u changes by pages of 4 KiB", fine_ops);
	CHECK(looks > STEPS, "only %u looks at changes on their way", looks);

	/* When all is unmapped only the root is left. */
	xetile_pt_update_init(&late[0].upd);
	CHECK(!stage(&late[0].upd, &tree, &everything), "unmap all");
	xetile_pt_seal(&late[0].upd);
	xetile_pt_commit(&late[0].upd, &retired);
	xetile_pt_free_retired(&retired);
	CHECK(num_taken == 1 + shared, "%u tables are left without a mapping", num_taken);
	apply(pages, &everything);
	check_all(root, pages, 1);
	xetile_pt_tree_fini(&tree);
	CHECK(num_taken == shared, "%u tables are lost", num_taken);
}

int main(void)
{
	struct xetile_device xt = { 0 };
	struct xetile_tile tile = { .xt = &xt };
	unsigned int seed;

	arena = malloc(TABLES * 4096ull);
	if (!arena)
		return EXIT_FAILURE;
	make_objects();
	for (seed = 1; seed <= 4; seed++)
		RUN("random changes, reverted or committed", test_random(seed, NULL));
	RUN("tables that map nothing are complete, or none is left", init_scratch(&tile));
	for (seed = 5; seed <= 8; seed++)
		RUN("random changes where nothing faults", test_random(seed, tile.scratch));
	RUN("tables that map nothing go with the card", fini_scratch(&tile));
	free(arena);
	return check_end();
}
