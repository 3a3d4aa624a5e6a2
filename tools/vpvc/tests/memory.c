// SPDX-License-Identifier: MIT
/* GGTT, PPGTT with every leaf size and every fault, guest memory. */
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bus/dma.h"
#include "bus/pci.h"
#include "card.h"
#include "card/life.h"
#include "core/regs.h"
#include "core/xlat.h"
#include "mem/memory.h"
#include "pvc_engine_regs.h"
#include "pvc_gt_regs.h"
#include "pvc_gtt.h"
#include "tests/test.h"

#define GIB	(1ull << 30)
#define MIB	(1ull << 20)
#define DIR	(PVC_PTE_PRESENT | PVC_PTE_WRITE)
#define LEAF	(PVC_PTE_PRESENT | PVC_PTE_WRITE | PVC_PTE_DM)

/* Tables from 16 MiB on; pages of data where the tests want them. */
struct tables {
	struct card *c;
	struct tile *t;
	uint64_t root, next;
};

static uint64_t new_table(struct tables *p)
{
	uint64_t at = p->next;

	p->next += 4096;
	return at;
}

static struct tables start(unsigned int tiles, unsigned long ram)
{
	struct tables p = { .c = test_card(tiles, ram), .next = 16 * MIB };

	p.t = &p.c->tiles[0];
	p.root = new_table(&p);
	return p;
}

static uint64_t *entry(struct tables *p, uint64_t table, unsigned int i)
{
	return (uint64_t *)card_dpa(p->c, table + 8 * i, 8);
}

/* Directories down to @level; returns the table of that level. */
static uint64_t walk_to(struct tables *p, uint64_t va, unsigned int level, uint64_t flags)
{
	uint64_t table = p->root;

	for (unsigned int l = 4; l > level; l--) {
		uint64_t *e = entry(p, table, va >> PVC_PT_SHIFT(l) & 511);

		if (!(*e & PVC_PTE_PRESENT))
			*e = new_table(p) | DIR | (l == 1 ? flags : 0);
		table = *e & PVC_PTE_ADDR_MASK;
	}
	return table;
}

static void map(struct tables *p, uint64_t va, unsigned int level, uint64_t pte)
{
	*entry(p, walk_to(p, va, level, 0), va >> PVC_PT_SHIFT(level) & 511) = pte;
}

static void map_compact(struct tables *p, uint64_t va, uint64_t pte)
{
	*entry(p, walk_to(p, va, 0, PVC_PDE_COMPACT), va >> 16 & 31) = pte;
}

static enum xlat look(struct tables *p, uint64_t va, bool write, struct span *s)
{
	return ppgtt_translate(p->t, p->root | 0x1b, va, write, s);
}

#define CHECK_SPAN(s, want_phys, want_len, want_place) do { \
	CHECK_EQ((s).phys, want_phys); \
	CHECK_EQ((s).len, want_len); \
	CHECK_EQ((s).place, want_place); \
} while (0)

TEST(ppgtt_4k_leaf)
{
	struct tables p = start(2, 0);
	const uint64_t va = 0x123456789000;
	struct span s;

	map(&p, va, 0, 32 * MIB | LEAF);
	CHECK_EQ(look(&p, va + 0x345, true, &s), XLAT_OK);
	CHECK_SPAN(s, 32 * MIB + 0x345, 4096 - 0x345, PLACE_LOCAL);
	CHECK(s.host == p.c->hbm + 32 * MIB + 0x345);
	CHECK(s.writable && !s.atomics);
	CHECK_EQ(s.level, 0);
	map(&p, va, 0, (GIB + 32 * MIB) | LEAF | PVC_PTE_AE);
	CHECK_EQ(look(&p, va, false, &s), XLAT_OK);
	CHECK_SPAN(s, GIB + 32 * MIB, 4096, PLACE_REMOTE);
	CHECK(s.atomics);
	/* the other tile sees it the other way round */
	CHECK_EQ(ppgtt_translate(&p.c->tiles[1], p.root, va, false, &s), XLAT_OK);
	CHECK_EQ(s.place, PLACE_LOCAL);
	test_card_free(p.c);
}

TEST(ppgtt_ps64_leaf)
{
	struct tables p = start(1, 0);
	struct span s;

	for (unsigned int i = 0; i < 16; i++)
		map(&p, 0x10000 + 4096 * i, 0, (64 * MIB + 4096 * i) | LEAF | PVC_PTE_PS64);
	CHECK_EQ(look(&p, 0x13010, false, &s), XLAT_OK);
	CHECK_SPAN(s, 64 * MIB + 0x3010, 0x10000 - 0x3010, PLACE_LOCAL);
	/* an entry whose address does not fit its group of 64 KiB */
	map(&p, 0x14000, 0, (64 * MIB + 0x5000) | LEAF | PVC_PTE_PS64);
	CHECK_EQ(look(&p, 0x14000, false, &s), XLAT_MISALIGNED);
	test_card_free(p.c);
}

TEST(ppgtt_compact_leaf)
{
	struct tables p = start(1, 0);
	struct span s;

	map_compact(&p, 0x40000000 + 0x1f0000, 48 * MIB | LEAF);
	CHECK_EQ(look(&p, 0x40000000 + 0x1f1234, true, &s), XLAT_OK);
	CHECK_SPAN(s, 48 * MIB + 0x1234, 0x10000 - 0x1234, PLACE_LOCAL);
	CHECK_EQ(look(&p, 0x40000000, false, &s), XLAT_NOT_PRESENT);
	CHECK_EQ(s.level, 0);
	map_compact(&p, 0x40000000, (48 * MIB + 0x1000) | LEAF);
	CHECK_EQ(look(&p, 0x40000000, false, &s), XLAT_MISALIGNED);
	test_card_free(p.c);
}

TEST(ppgtt_2m_and_1g_leaves)
{
	struct tables p = start(2, 0);
	struct span s;

	map(&p, 0x200000, 1, 64 * MIB | LEAF | PVC_PDE_2M);
	CHECK_EQ(look(&p, 0x2abcde, true, &s), XLAT_OK);
	CHECK_SPAN(s, 64 * MIB + 0xabcde, 2 * MIB - 0xabcde, PLACE_LOCAL);
	CHECK_EQ(s.level, 1);
	/* bit 12 is an attribute */
	map(&p, 0x200000, 1, 64 * MIB | LEAF | PVC_PDE_2M | PVC_PDE_LEAF_PAT2);
	CHECK_EQ(look(&p, 0x200000, true, &s), XLAT_OK);
	CHECK_EQ(s.phys, 64 * MIB);
	map(&p, 0x200000, 1, (64 * MIB + 0x10000) | LEAF | PVC_PDE_2M);
	CHECK_EQ(look(&p, 0x200000, true, &s), XLAT_MISALIGNED);

	map(&p, 256 * GIB, 2, GIB | LEAF | PVC_PDPE_1G);
	CHECK_EQ(look(&p, 256 * GIB + 5, true, &s), XLAT_OK);
	CHECK_SPAN(s, GIB + 5, GIB - 5, PLACE_REMOTE);
	CHECK_EQ(s.level, 2);
	map(&p, 256 * GIB, 2, (GIB + 2 * MIB) | LEAF | PVC_PDPE_1G);
	CHECK_EQ(look(&p, 256 * GIB, true, &s), XLAT_MISALIGNED);
	/* no larger leaves */
	map(&p, 512 * GIB, 3, LEAF | PVC_PDPE_1G);
	CHECK_EQ(look(&p, 512 * GIB, true, &s), XLAT_MISALIGNED);
	CHECK_EQ(s.level, 3);
	test_card_free(p.c);
}

TEST(ppgtt_null_leaves)
{
	struct tables p = start(1, 0);
	struct aspace as = { .tile = p.t, .pdp0 = p.root };
	const uint64_t null = LEAF | PVC_PTE_NULL;
	char buf[64];
	struct span s;

	map(&p, 0x1000, 0, null);
	map(&p, 0x200000, 1, null | PVC_PDE_2M);
	map(&p, 255 * GIB, 2, null | PVC_PDPE_1G);
	CHECK_EQ(look(&p, 0x1010, true, &s), XLAT_OK);
	CHECK(!s.host);
	CHECK_SPAN(s, 0, 0xff0, PLACE_NULL);
	CHECK_EQ(look(&p, 0x200000, true, &s), XLAT_OK);
	CHECK_EQ(s.len, 2 * MIB);
	CHECK_EQ(look(&p, 255 * GIB, true, &s), XLAT_OK);
	CHECK_EQ(s.len, GIB);
	memset(buf, 0xaa, sizeof(buf));
	CHECK(mem_write(&as, 0x200000, buf, sizeof(buf), NULL, NULL));
	CHECK(mem_read(&as, 0x200000, buf, sizeof(buf), NULL, NULL));
	for (unsigned int i = 0; i < sizeof(buf); i++)
		CHECK_EQ(buf[i], 0);
	test_card_free(p.c);
}

TEST(ppgtt_faults)
{
	struct tables p = start(1, MIB);
	struct span s;

	/* nothing at all, then one level more each time */
	for (int level = 4; level >= 0; level--) {
		if (level < 4)
			walk_to(&p, 0x1000, (unsigned int)level, 0);
		CHECK_EQ(look(&p, 0x1000, false, &s), XLAT_NOT_PRESENT);
		CHECK_EQ(s.level, level);
	}
	/* read-only leaf, read-only directory */
	map(&p, 0x1000, 0, 32 * MIB | PVC_PTE_PRESENT | PVC_PTE_DM);
	CHECK_EQ(look(&p, 0x1000, false, &s), XLAT_OK);
	CHECK(!s.writable);
	CHECK_EQ(look(&p, 0x1000, true, &s), XLAT_READONLY);
	map(&p, 0x1000, 0, 32 * MIB | LEAF);
	*entry(&p, p.root, 0) &= ~PVC_PTE_WRITE;
	CHECK_EQ(look(&p, 0x1000, true, &s), XLAT_READONLY);
	*entry(&p, p.root, 0) |= PVC_PTE_WRITE;
	CHECK_EQ(look(&p, 0x1000, true, &s), XLAT_OK);
	/* beyond HBM, beyond guest memory, tables beyond HBM */
	map(&p, 0x1000, 0, GIB | LEAF);
	CHECK_EQ(look(&p, 0x1000, false, &s), XLAT_OUT_OF_RANGE);
	map(&p, 0x1000, 0, MIB | DIR);
	CHECK_EQ(look(&p, 0x1000, false, &s), XLAT_OUT_OF_RANGE);
	map(&p, 0x200000, 1, 8 * GIB | DIR);
	CHECK_EQ(look(&p, 0x200000, false, &s), XLAT_OUT_OF_RANGE);
	CHECK_EQ(s.level, 0);
	CHECK_EQ(ppgtt_translate(p.t, GIB, 0, false, &s), XLAT_OUT_OF_RANGE);
	/* addresses of more than 57 bits, sign-extended ones accepted */
	CHECK_EQ(look(&p, 1ull << 57 | 0x1000, false, &s), XLAT_OUT_OF_RANGE);
	CHECK_EQ(look(&p, ~0ull << 57, false, &s), XLAT_OUT_OF_RANGE);
	map(&p, 1ull << 56, 0, 32 * MIB | LEAF);
	CHECK_EQ(look(&p, 0xffull << 56, false, &s), XLAT_OK);
	CHECK_EQ(look(&p, 1ull << 56, false, &s), XLAT_OK);
	test_card_free(p.c);
}

TEST(ppgtt_system_memory)
{
	struct tables p = start(1, MIB);
	struct aspace as = { .tile = p.t, .pdp0 = p.root };
	struct mem_fault f;
	const uint16_t off = 2;
	uint32_t v = 0x12345678, *ram;
	struct span s;

	map(&p, 0x1000, 0, 0x3000 | DIR);
	card_mem_lock(p.c);
	CHECK_EQ(look(&p, 0x1004, true, &s), XLAT_OK);
	CHECK_SPAN(s, 0x3004, 0xffc, PLACE_SYSTEM);
	card_mem_unlock(p.c);
	CHECK(mem_write(&as, 0x1004, &v, 4, NULL, NULL));
	card_mem_lock(p.c);
	ram = card_dma_map(p.c, 0x3004, 4, false);
	REQUIRE(ram);
	CHECK_EQ(*ram, 0x12345678);
	CHECK(!card_dma_map(p.c, MIB - 4, 8, false));
	card_mem_unlock(p.c);
	/* the guest may switch bus mastering off */
	pci_config_write(p.c, 4, &off, sizeof(off));
	CHECK(!mem_write(&as, 0x1004, &v, 4, NULL, &f));
	CHECK_EQ(f.kind, XLAT_OUT_OF_RANGE);
	CHECK_EQ(f.va, 0x1004);
	test_card_free(p.c);
}

TEST(ggtt_walk)
{
	struct card *c = test_card(2, MIB);
	struct tile *t = &c->tiles[1];
	struct span s;

	CHECK_EQ(ggtt_translate(t, 0x400000, false, &s), XLAT_NOT_PRESENT);
	t->ggtt[0x400] = (GIB + 0x5000) | PVC_GGTT_PRESENT | PVC_GGTT_DM;
	CHECK_EQ(ggtt_translate(t, 0x400010, true, &s), XLAT_OK);
	CHECK_SPAN(s, GIB + 0x5010, 0xff0, PLACE_LOCAL);
	CHECK_EQ(ggtt_translate(&c->tiles[0], 0x400000, true, &s), XLAT_NOT_PRESENT);
	/* an entry has no cells for the address bits above 45 */
	CHECK(!atomic_load(&c->ggtt_cut));
	t->ggtt[0x402] = (GIB + 0x7000) | 1ull << 46 | 1ull << 63 | PVC_GGTT_PRESENT | PVC_GGTT_DM;
	CHECK_EQ(ggtt_translate(t, 0x402000, true, &s), XLAT_OK);
	CHECK_SPAN(s, GIB + 0x7000, 4096, PLACE_LOCAL);
	CHECK(atomic_load(&c->ggtt_cut));
	t->ggtt[0x401] = 0x6000 | PVC_GGTT_PRESENT;
	card_mem_lock(c);
	CHECK_EQ(ggtt_translate(t, 0x401000, true, &s), XLAT_OK);
	CHECK_SPAN(s, 0x6000, 4096, PLACE_SYSTEM);
	t->ggtt[0x401] = 0x200000 | PVC_GGTT_PRESENT;
	CHECK_EQ(ggtt_translate(t, 0x401000, true, &s), XLAT_OUT_OF_RANGE);
	card_mem_unlock(c);
	t->ggtt[0x401] = 2 * GIB | PVC_GGTT_PRESENT | PVC_GGTT_DM;
	CHECK_EQ(ggtt_translate(t, 0x401000, true, &s), XLAT_OUT_OF_RANGE);
	CHECK_EQ(ggtt_translate(t, 1ull << 32, true, &s), XLAT_OUT_OF_RANGE);
	test_card_free(c);
}

TEST(memory_copy_crosses_pages_and_counts)
{
	struct tables p = start(2, MIB);
	struct aspace as = { .tile = p.t, .pdp0 = p.root };
	struct engine *e = &p.t->engines[0];
	uint8_t in[0x3000], out[0x3000];
	struct mem_fault f;

	/* local, remote, system, hole */
	map(&p, 0x10000, 0, 32 * MIB | LEAF);
	map(&p, 0x11000, 0, (GIB + 4096) | LEAF);
	map(&p, 0x12000, 0, 0x7000 | DIR);
	for (unsigned int i = 0; i < sizeof(in); i++)
		in[i] = (uint8_t)(i * 7 + i / 256);
	CHECK(mem_write(&as, 0x10000, in, sizeof(in), e, NULL));
	CHECK(mem_read(&as, 0x10000, out, sizeof(out), e, NULL));
	CHECK(!memcmp(in, out, sizeof(in)));
	CHECK(!memcmp(p.c->hbm + GIB + 4096, in + 4096, 4096));
	CHECK_EQ(counter_get(&e->cnt.write_local), 4096);
	CHECK_EQ(counter_get(&e->cnt.write_remote), 4096);
	CHECK_EQ(counter_get(&e->cnt.write_system), 4096);
	CHECK_EQ(counter_get(&e->cnt.read_local), 4096);
	CHECK_EQ(counter_get(&e->cnt.read_remote), 4096);
	CHECK_EQ(counter_get(&e->cnt.read_system), 4096);
	CHECK(!mem_read(&as, 0x12ff0, out, 32, e, &f));
	CHECK_EQ(f.kind, XLAT_NOT_PRESENT);
	CHECK_EQ(f.va, 0x13000);
	CHECK_EQ(f.level, 0);
	CHECK(!f.write && !f.ggtt);
	test_card_free(p.c);
}

TEST(memory_fault_report_latches_the_first)
{
	struct card *c = test_card(1, 0);
	struct tile *t = &c->tiles[0];
	struct engine *e = &t->engines[1];
	struct mem_fault f = { XLAT_NOT_PRESENT, 0x7f1234567000, 2, true, false };

	fault_report(e, &f);
	CHECK_EQ(mmio_read(t, PVC_RING_FAULT), PVC_RING_FAULT_VALID |
		 2 << PVC_RING_FAULT_LEVEL_SHIFT | 5 << PVC_RING_FAULT_ENGINE_SHIFT |
		 PVC_RING_FAULT_WRITE);
	CHECK_EQ(mmio_read(t, PVC_FAULT_TLB_DATA0), 0xf1234567);
	CHECK_EQ(mmio_read(t, PVC_FAULT_TLB_DATA1), 0x7);
	CHECK_EQ(reg_read(t, PVC_RING_RESET_CTL(e->base)), PVC_RESET_CTL_CAT_ERROR);
	f.va = 0x1000;
	fault_report(e, &f);
	CHECK_EQ(mmio_read(t, PVC_FAULT_TLB_DATA0), 0xf1234567);
	mmio_write(t, PVC_RING_FAULT, 0);
	f.ggtt = true;
	fault_report(e, &f);
	CHECK_EQ(mmio_read(t, PVC_FAULT_TLB_DATA0), 1);
	CHECK_EQ(mmio_read(t, PVC_FAULT_TLB_DATA1), PVC_FAULT_TLB_GGTT);
	CHECK_EQ(counter_get(&e->cnt.faults), 3);
	test_card_free(c);
}

static int new_memfd(uint64_t size)
{
	int fd = memfd_create("test", MFD_CLOEXEC);

	if (ftruncate(fd, (off_t)size))
		perror("ftruncate");
	return fd;
}

TEST(dma_ranges)
{
	struct card *c = test_card(1, 0);
	int fd = new_memfd(MIB), dup1 = dup(fd), dup2 = dup(fd);
	unsigned int gen = atomic_load(&c->mem_generation);
	uint8_t *kept;
	uint64_t len;

	/* two ranges of one file that continue each other are one piece */
	CHECK_EQ(dma_map(c, 0x10000, 0x1000, 0x2000, fd, true), 0);
	CHECK_EQ(dma_map(c, 0x11000, 0x1000, 0x3000, dup1, true), 0);
	CHECK_EQ(dma_map(c, 0x12000, 0x1000, 0x8000, dup2, false), 0);
	card_mem_lock(c);
	card_mem_lock(c);		/* nests */
	kept = card_dma_span(c, 0x10800, true, &len);
	REQUIRE(kept);
	CHECK_EQ(len, 0x1800);
	CHECK(card_dma_map(c, 0x12000, 0x1000, false));
	CHECK(!card_dma_map(c, 0x12000, 0x1000, true));
	CHECK(!card_dma_map(c, 0xf000, 1, false));
	CHECK(!card_dma_map(c, 0x13000, 1, false));
	card_mem_unlock(c);
	card_mem_unlock(c);

	CHECK_EQ(dma_map(c, 0x11000, 0x1000, 0, new_memfd(MIB), true), -EEXIST);
	CHECK_EQ(dma_map(c, 0xf000, 0x10000, 0, -1, true), -EEXIST);
	CHECK_EQ(dma_map(c, 0x20001, 0x1000, 0, -1, true), -EINVAL);
	CHECK_EQ(dma_map(c, 0x20000, 0, 0, -1, true), -EINVAL);
	CHECK_EQ(dma_map(c, ~0xfffull, 0x2000, 0, -1, true), -EINVAL);
	CHECK_EQ(dma_map(c, 0x20000, 0x1000, MIB, new_memfd(MIB), true), -EINVAL);
	CHECK_EQ(dma_map(c, 0x20000, 0x1000, ~0xfffull, new_memfd(MIB), true), -EINVAL);
	/* a range without a file is not reachable */
	CHECK_EQ(dma_map(c, 0x20000, 0x1000, 0, -1, true), 0);
	card_mem_lock(c);
	CHECK(!card_dma_map(c, 0x20000, 4, false));
	card_mem_unlock(c);

	CHECK_EQ(dma_unmap(c, 0x10800, 0x1000), -EINVAL);
	CHECK_EQ(dma_unmap(c, 0x10000, 0x1800), -EINVAL);
	CHECK_EQ(dma_unmap(c, 0x10000, 0), -EINVAL);
	CHECK_EQ(dma_unmap(c, 0x500000, 0x1000), 0);
	CHECK_EQ(dma_unmap(c, 0x10000, 0x2000), 0);
	CHECK(atomic_load(&c->mem_generation) != gen);
	card_mem_lock(c);
	CHECK(!card_dma_map(c, 0x10000, 4, false));
	CHECK(card_dma_map(c, 0x12000, 4, false));
	card_mem_unlock(c);
	/* the pointer is stale, but valid memory */
	kept[0] = 1;
	test_card_free(c);
}

/* A guest that truncates its memory loses it, and nothing else is lost. */
TEST(dma_truncated_file)
{
	struct card *c = test_card(1, 0);
	int fd = new_memfd(MIB), other = new_memfd(MIB);
	uint8_t *p, *q;

	CHECK_EQ(dma_map(c, 0, MIB, 0, dup(fd), true), 0);
	CHECK_EQ(dma_map(c, 2 * MIB, MIB, 0, other, true), 0);
	card_mem_lock(c);
	p = card_dma_map(c, 0, MIB, true);
	q = card_dma_map(c, 2 * MIB, MIB, true);
	REQUIRE(p && q);
	memset(p, 0x11, MIB);
	memset(q, 0x22, MIB);
	CHECK_EQ(ftruncate(fd, 4096), 0);
	/* the current access ends; the rest of the file does not change */
	memset(p, 0x33, MIB);
	CHECK_EQ(p[4095], 0x33);
	CHECK(!card_dma_map(c, 0, 4096, true));
	CHECK(!card_dma_map(c, 0x8000, 4096, false));
	CHECK(card_dma_map(c, 2 * MIB, MIB, true) == q);
	CHECK_EQ(q[MIB - 1], 0x22);
	card_mem_unlock(c);
	/* grown again and mapped again, it is another mapping */
	CHECK_EQ(dma_unmap(c, 0, MIB), 0);
	CHECK_EQ(ftruncate(fd, MIB), 0);
	CHECK_EQ(dma_map(c, 0, MIB, 0, dup(fd), true), 0);
	card_mem_lock(c);
	p = card_dma_map(c, 0, MIB, true);
	REQUIRE(p);
	CHECK_EQ(p[0], 0x33);
	CHECK_EQ(p[4096], 0);
	card_mem_unlock(c);
	/* the card's own memory cannot be truncated */
	CHECK(ftruncate(c->hbm_fd, 4096) && errno == EPERM);
	CHECK(ftruncate(c->mmio_fd, 4096) && errno == EPERM);
	close(fd);
	test_card_free(c);
}

/* The same while an engine runs: a page fault. */
TEST(dma_truncated_under_an_engine)
{
	struct card *c = test_card(1, 0);
	struct tile *t = &c->tiles[0];
	struct aspace as = { .tile = t, .ggtt = true };
	int fd = new_memfd(MIB);
	struct mem_fault f;
	uint8_t buf[4096];

	CHECK_EQ(dma_map(c, 0, MIB, 0, dup(fd), true), 0);
	t->ggtt[0] = 0x10000 | PVC_GGTT_PRESENT;
	CHECK(mem_read(&as, 0, buf, sizeof(buf), NULL, NULL));
	CHECK_EQ(ftruncate(fd, 0), 0);
	/* this access finds the file truncated; later ones know */
	CHECK(!mem_read(&as, 0, buf, sizeof(buf), NULL, &f));
	CHECK_EQ(f.kind, XLAT_OUT_OF_RANGE);
	CHECK(!mem_read(&as, 0, buf, sizeof(buf), NULL, &f));
	CHECK_EQ(f.kind, XLAT_OUT_OF_RANGE);
	close(fd);
	test_card_free(c);
}

/* Files that happen to be side by side in the host are no piece: each is lost alone. */
TEST(dma_files_side_by_side)
{
	struct card *c = test_card(1, 0);
	unsigned int low = 0, high = 0;
	uint8_t *host[16];
	uint64_t len;
	int fd[16];

	for (unsigned int i = 0; i < 16; i++) {
		fd[i] = new_memfd(MIB);
		REQUIRE(!dma_map(c, 2 * i * MIB, MIB, 0, dup(fd[i]), true));
		card_mem_lock(c);
		host[i] = card_dma_map(c, 2 * i * MIB, MIB, true);
		card_mem_unlock(c);
	}
	for (unsigned int i = 0; i < 16 * 16; i++) {
		if (host[i / 16] + MIB == host[i % 16]) {
			low = i / 16;
			high = i % 16;
		}
	}
	REQUIRE(low != high);
	dma_unmap_all(c);
	REQUIRE(!dma_map(c, 0, MIB, 0, dup(fd[low]), true));
	REQUIRE(!dma_map(c, MIB, MIB, 0, dup(fd[high]), true));
	card_mem_lock(c);
	CHECK(card_dma_span(c, 0, true, &len) == host[low]);
	CHECK_EQ(len, MIB);
	CHECK_EQ(ftruncate(fd[high], 0), 0);
	host[high][0] = 1;
	CHECK(!card_dma_map(c, MIB, 4, true));
	CHECK(!card_dma_map(c, MIB - 4, 8, true));
	CHECK(card_dma_map(c, MIB - 4, 4, true));
	card_mem_unlock(c);
	for (unsigned int i = 0; i < 16; i++)
		close(fd[i]);
	test_card_free(c);
}

/* A power cycle ends the mappings of guests that are gone, and of nobody else. */
TEST(dma_files_of_former_guests)
{
	struct card *c = test_card(1, 0);
	uint8_t *p;

	REQUIRE(!dma_map(c, 0x10000000, MIB, 0, new_memfd(MIB), true));
	card_mem_lock(c);
	p = card_dma_map(c, 0x10000000, MIB, true);
	card_mem_unlock(c);
	REQUIRE(p);
	for (unsigned int guest = 0; guest < 200; guest++) {
		for (unsigned int i = 0; i < 3; i++)
			REQUIRE(!dma_map(c, i * MIB, MIB, 0, new_memfd(MIB), true));
		REQUIRE(!dma_unmap(c, 0, 3 * MIB));
		card_power_cycle(c);
		p[guest] = 1;
	}
	dma_set_bus_master(c, true);
	card_mem_lock(c);
	CHECK(card_dma_map(c, 0x10000000, MIB, true) == p);
	card_mem_unlock(c);
	test_card_free(c);
}

/* With an IOMMU in the guest: a range for each page, in any order. */
TEST(dma_many_ranges)
{
	struct card *c = test_card(1, 0);
	int fd = new_memfd(8192 * 4096ull);
	uint64_t len;

	for (unsigned int i = 0; i < 8192; i++) {
		unsigned int page = (i * 4099u) % 8192;

		REQUIRE(!dma_map(c, 0x100000000 + page * 4096ull, 4096, page * 4096ull, dup(fd),
				 true));
	}
	card_mem_lock(c);
	CHECK(card_dma_span(c, 0x100000000, true, &len));
	CHECK_EQ(len, 8192 * 4096);
	card_mem_unlock(c);
	for (unsigned int i = 0; i < 8192; i += 2)
		CHECK_EQ(dma_unmap(c, 0x100000000 + i * 4096ull, 4096), 0);
	card_mem_lock(c);
	CHECK(!card_dma_map(c, 0x100000000, 1, true));
	CHECK(card_dma_span(c, 0x100001000, true, &len));
	CHECK_EQ(len, 4096);
	card_mem_unlock(c);
	close(fd);
	test_card_free(c);
}
