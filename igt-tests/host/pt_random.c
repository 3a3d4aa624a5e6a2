// SPDX-License-Identifier: MIT
/*
 * Page tables: the test makes random changes and compares the tables with a flat list of all
 * mappings. Some changes fail in the middle, others are committed late. A walker that is written
 * from the hardware's description reads the tables and checks the hardware's rules for leaves.
 * One CPU stages a change and another CPU commits the change. The walker sees a write of a CPU at
 * the latest after that CPU's barrier, and looks while a change is being written.
 * tests/xetile_pt_kunit.c has the cases that are not random.
 */
#include <string.h>

#include "check.h"
#include "wc.h"
#include "mem/xetile_hbm.h"
#include "mem/xetile_layout.h"
#include "mem/xetile_pt.h"
#include "mem/xetile_pt_stage.h"
#include "mem/xetile_pt_update.h"
#include "mem/xetile_pte.h"

#define K64		0x10000ull
#define M2		0x200000ull
#define G1		0x40000000ull
#define TABLES		60000
#define SLOTS		49152u			/* of 64 KiB: 3 GiB of addresses */
#define BASE		((1ull << 48) - 2 * G1)	/* crosses an entry of the root */
#define CROWD		96u			/* slots that half of the changes touch */
#define OBJECTS		8
#define NOWHERE		OBJECTS			/* number of an object without memory */
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

/* --- all mappings, as a list --------------------------------------------------- */

struct slot {
	short object;		/* -1: not mapped; NOWHERE: a NULL mapping */
	unsigned short readonly;
	unsigned int page;	/* 64 KiB page of the object */
};

struct op {
	int map;
	unsigned int slot, count, page;
	int object, readonly;
};

static void apply(struct slot *slots, const struct op *op)
{
	unsigned int i;

	for (i = 0; i < op->count; i++)
		slots[op->slot + i] = op->map ?
			(struct slot){ op->object, op->readonly, op->page + i } :
			(struct slot){ -1, 0, 0 };
}

/* --- the walker ----------------------------------------------------------------- */

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
			CHECK(!e, "level %d: an absent entry is %#llx", level,
			      (unsigned long long)e);
			return 0;
		}
		*pte = e;
		*size_log = shift;
		if (level == 0)
			return (e & 0xffffffffff000ull) + addr % 4096;
		if (level <= 2 && e & 0x80) {
			u64 mask = (1ull << shift) - 1;

			CHECK(!(e & 0xffffffffff000ull & mask), "unaligned leaf");
			return (e & 0xffffffffff000ull & ~mask) + (addr & mask);
		}
		table = e & 0xffffffffff000ull;
		if (level == 1 && e & 0x40) {
			t = arena[table / 4096 - 1];
			CHECK(taken[table / 4096 - 1], "the walk leads to a freed table");
			e = t[addr >> 16 & 31];
			if (!(e & 1)) {
				CHECK(!e, "compact: an absent entry");
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

static void check_slot(u64 root, const struct slot *slots, unsigned int i)
{
	u64 addr = BASE + i * K64, pte, at, phys, first = 0;
	const struct object *o;
	unsigned int log;
	int system;

	if (slots[i].object < 0) {
		CHECK(!walk(root, addr, &pte, &log), "slot %u: mapped", i);
		return;
	}
	if (slots[i].object == NOWHERE) {
		for (at = 0; at < K64; at += 4096) {
			pte = 0;
			walk(root, addr + at, &pte, &log);
			CHECK((pte & 0xffffffffffe02) == 0x202, "slot %u: NULL, but %#llx", i,
			      (unsigned long long)pte);
		}
		return;
	}
	o = &objects[slots[i].object];
	system = !!o->layout.dma;
	for (at = 0; at < K64; at += 4096) {
		u64 want = object_addr(o, slots[i].page * K64 + at);

		phys = walk(root, addr + at, &pte, &log);
		CHECK(phys == want, "slot %u + %#llx: %#llx, not %#llx", i,
		      (unsigned long long)at, (unsigned long long)phys, (unsigned long long)want);
		if (phys != want)
			return;
		CHECK((pte & 2 ? 0 : 1) == slots[i].readonly, "slot %u: rights", i);
		CHECK((pte & 0xc00) == (system ? 0 : 0xc00), "slot %u: DM, AE", i);
		/* HBM has no 4 KiB pages, and PS64 says that 16 pages lie in a row, aligned. */
		if (log == 12) {
			if (!at)
				first = phys;
			CHECK(system || pte & 0x100, "slot %u: HBM without PS64", i);
			if (pte & 0x100)
				CHECK(!(first % K64) && phys == first + at, "slot %u: PS64", i);
		}
	}
}

static void check_all(u64 root, const struct slot *slots, int thorough)
{
	unsigned int i;

	for (i = 0; i < SLOTS; i += thorough || i < CROWD ? 1 : 1 + random64(300))
		check_slot(root, slots, i);
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
	if (op->map) {
		op->page = random64(pages) / unit * unit;
		op->count = 1 + random64(pages - op->page);
		if (random64(2) && op->count > unit)
			op->count -= op->count % unit;
	} else {
		op->count = 1 + random64(random64(2) ? SLOTS : 100);
	}
	op->slot = random64(SLOTS - op->count + 1) / unit * unit;
	/* Half of the changes are in the same three tables of level 0. */
	if (random64(2)) {
		if (op->count > 24)
			op->count = 1 + random64(24);
		op->map &= random64(2);
		op->slot = random64(CROWD - op->count);
	}
}

static int stage(struct xetile_pt_update *upd, struct xetile_pt_tree *tree, const struct op *op)
{
	u64 addr = BASE + op->slot * K64, size = op->count * K64;

	if (!op->map)
		return xetile_pt_unmap(upd, tree, addr, size);
	if (op->object == NOWHERE)
		return xetile_pt_map_null(upd, tree, addr, size);
	return xetile_pt_map(upd, tree, addr, size, &objects[op->object].layout, op->page * K64,
			     op->readonly ? XETILE_PTE_READONLY : 0);
}

/* A change that is committed late */
struct late {
	struct xetile_pt_update upd;
	struct op ops[4];
	unsigned int num;
};

static struct slot slots[SLOTS];
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
			if (i >= now->ops[n].slot && i < now->ops[n].slot + now->ops[n].count)
				break;
		if (n == now->num)
			check_slot(now_root, slots, i);
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
		apply(slots, &l->ops[n]);
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
			check_all(root, slots, 0);
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
	err = xetile_pt_grow(&upd, tree, BASE + op->slot * K64, op->count * K64);
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

static void test_random(unsigned int seed)
{
	struct late late[LATE];
	unsigned int num_late = 0, step, i, reverts = 0;
	struct xetile_pt_tree tree = { 0 };
	struct op everything = { .count = SLOTS };
	LIST_HEAD(retired);
	u64 root;

	srandom(seed);
	for (i = 0; i < SLOTS; i++)
		slots[i].object = -1;
	CHECK(!xetile_pt_tree_init(&tree, NULL, NULL), "tree");
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
			check_all(root, slots, 0);
		if (num_late < LATE && random64(3))
			continue;
		commit_all(late, num_late, &retired, root, step % 10 == 0);
		num_late = 0;
		xetile_pt_free_retired(&retired);
		if (step % 10 == 0)
			check_all(root, slots, step % 1000 == 0);
	}
	commit_all(late, num_late, &retired, root, 0);
	CHECK(reverts > STEPS / 50, "only %u changes failed", reverts);
	CHECK(overtakes > STEPS / 50, "only %u changes overtook others", overtakes);
	CHECK(grown, "no directories");
	CHECK(looks > STEPS, "only %u looks at changes on their way", looks);

	/* When all is unmapped only the root is left. */
	xetile_pt_update_init(&late[0].upd);
	CHECK(!stage(&late[0].upd, &tree, &everything), "unmap all");
	xetile_pt_seal(&late[0].upd);
	xetile_pt_commit(&late[0].upd, &retired);
	xetile_pt_free_retired(&retired);
	CHECK(num_taken == 1, "%u tables are left without a mapping", num_taken);
	apply(slots, &everything);
	check_all(root, slots, 1);
	xetile_pt_tree_fini(&tree);
	CHECK(num_taken == 0, "%u tables are lost", num_taken);
}

int main(void)
{
	unsigned int seed;

	arena = malloc(TABLES * 4096ull);
	if (!arena)
		return EXIT_FAILURE;
	make_objects();
	for (seed = 1; seed <= 4; seed++)
		RUN("random changes, reverted or committed", test_random(seed));
	free(arena);
	return check_end();
}
