// SPDX-License-Identifier: MIT
/*
 * Address translation: GGTT, and PPGTT walks of five levels.  The format of entries is
 * that of the driver's pvc_gtt.h, which names the sources.  A walk reads at most five
 * entries of host memory; tlb.c keeps results.  Engines' threads, threads of the execution
 * units and the host thread (control.c) call this.
 */
#include "mem/memory.h"

#include <string.h>

#include "bus/dma.h"
#include "bus/sigbus.h"
#include "card.h"
#include "core/inject.h"
#include "core/ras.h"
#include "core/regs.h"
#include "core/xlat.h"
#include "log.h"
#include "mem/tlb.h"
#include "pvc_engine_regs.h"
#include "pvc_gt_regs.h"
#include "pvc_gtt.h"
#include "pvc_soc_regs.h"

#define VA_MASK		((1ull << PVC_VA_BITS) - 1)

/* Is the memory at @dpa bad? If not, *@len is cut to the good bytes. */
static bool poisoned(const struct aspace *as, uint64_t dpa, uint64_t *len)
{
	return !as->query && inject_armed(&as->tile->injected, INJECT_POISON) &&
	       inject_poisoned(as->tile->card, dpa, len);
}

/* Fill @s for offset @off of a leaf of @size bytes at @phys. */
static enum xlat resolve(const struct aspace *as, struct span *s, bool local, uint64_t phys,
			 uint64_t size, uint64_t off, bool write)
{
	struct tile *t = as->tile;
	struct card *c = t->card;
	uint64_t left = size - off, have;

	s->phys = phys + off;
	if (local) {
		if (s->phys >= c->hbm_size)
			return XLAT_OUT_OF_RANGE;
		have = c->hbm_size - s->phys;
		s->host = c->hbm + s->phys;
		s->place = s->phys - t->dpa_base < t->dpa_size ? PLACE_LOCAL : PLACE_REMOTE;
		if (poisoned(as, s->phys, &left))
			return XLAT_POISONED;
		/* A piece ends where its place, local or remote, ends. */
		if (s->place == PLACE_LOCAL)
			have = t->dpa_base + t->dpa_size - s->phys;
		else if (s->phys < t->dpa_base)
			have = t->dpa_base - s->phys;
	} else {
		s->host = card_dma_span(c, s->phys, write, &have);
		s->place = PLACE_SYSTEM;
		if (!s->host)
			return XLAT_OUT_OF_RANGE;
	}
	s->len = left < have ? left : have;
	return XLAT_OK;
}

static enum xlat resolve_null(struct span *s, uint64_t size, uint64_t off)
{
	s->host = NULL;
	s->place = PLACE_NULL;
	s->phys = 0;
	s->len = size - off;
	return XLAT_OK;
}

static void count_walk(const struct aspace *as)
{
	if (as->walker)
		counter_add(&as->walker->cnt.page_walks, 1);
}

/* An entry has no cells for the upper bits: the access goes to another page. */
static void report_cut(struct tile *t, uint64_t addr, uint64_t pte)
{
	if (pte >> PVC_GGTT_ADDR_BITS && !atomic_exchange(&t->card->ggtt_cut, true))
		vlog("guest error: tile%u: GGTT entry of 0x%08llx is 0x%016llx, bits from %u on "
		     "are lost", t->id, (unsigned long long)addr, (unsigned long long)pte,
		     PVC_GGTT_ADDR_BITS);
}

static enum xlat walk_ggtt(const struct aspace *as, uint64_t addr, bool write, struct span *s)
{
	struct tile *t = as->tile;
	unsigned int ticket = 0;
	uint64_t pte;

	*s = (struct span) { .writable = true, .atomics = true };
	if (addr >= (uint64_t)GGTT_ENTRIES << 12) {
		count_walk(as);
		return XLAT_OUT_OF_RANGE;
	}
	pte = tlb_find_ggtt(as->walker, (uint32_t)(addr >> 12), &ticket);
	if (!pte) {
		count_walk(as);
		pte = atomic_load_explicit(&t->ggtt[addr >> 12], memory_order_acquire);
		if (!(pte & PVC_GGTT_PRESENT))
			return XLAT_NOT_PRESENT;
		report_cut(t, addr, pte);
		tlb_keep_ggtt(as->walker, (uint32_t)(addr >> 12), pte, ticket);
	}
	return resolve(as, s, pte & PVC_GGTT_DM, pte & PVC_GGTT_ADDR_MASK, 4096, addr & 4095,
		       write);
}

static enum xlat read_entry(const struct aspace *as, uint64_t table, unsigned int index,
			    uint64_t *entry)
{
	uint64_t *p = card_dpa(as->tile->card, table, PVC_PT_TABLE_SIZE), len = sizeof(*p);

	if (!p)
		return XLAT_OUT_OF_RANGE;
	if (poisoned(as, table + 8 * index, &len))
		return XLAT_POISONED;
	*entry = __atomic_load_n(&p[index], __ATOMIC_ACQUIRE);
	return XLAT_OK;
}

/* Bytes that an entry of level @level maps as a leaf; 0 = it is a directory. */
static uint64_t leaf_size(unsigned int level, bool compact, uint64_t entry)
{
	switch (level) {
	case 0:
		return compact || (entry & PVC_PTE_PS64) ? 1ull << 16 : 1ull << 12;
	case 1:
		return entry & PVC_PDE_2M ? 1ull << 21 : 0;
	case 2:
		return entry & PVC_PDPE_1G ? 1ull << 30 : 0;
	default:
		return 0;
	}
}

static enum xlat take_leaf(struct leaf *l, bool compact, uint64_t entry, uint64_t va, bool write)
{
	uint64_t stray;

	l->atomics = entry & PVC_PTE_AE;
	l->local = entry & PVC_PTE_DM;
	l->null = entry & PVC_PTE_NULL;
	l->phys = entry & PVC_PTE_ADDR_MASK;
	if (write && !l->writable)
		return XLAT_READONLY;
	if (l->null)
		return XLAT_OK;
	stray = l->phys & (l->size - 1);
	if (l->level == 0 && !compact && l->size > 4096) {
		/*
		 * 16 entries together map an aligned 64 KiB page: each holds the address
		 * of its own 4 KiB.
		 */
		if (stray != (va & 0xf000))
			return XLAT_MISALIGNED;
	} else if (l->level > 0) {
		/* Bit 12 of a larger leaf is an attribute. */
		if (stray & ~PVC_PDE_LEAF_PAT2)
			return XLAT_MISALIGNED;
	} else if (stray) {
		return XLAT_MISALIGNED;
	}
	l->phys -= stray;
	return XLAT_OK;
}

/*
 * Walk from the root, or from the lowest table the engine keeps, to the leaf that maps
 * @va; on failure @l->level is the level of the failure.  A write walks from the root if
 * the kept table was reached through a read-only entry.  A kept table that fails is not
 * walked again from the root.
 */
static enum xlat find_leaf(const struct aspace *as, uint64_t root, uint64_t va, bool write,
			   struct leaf *l)
{
	const struct table top = { .addr = root, .level = PVC_PT_LEVELS - 1, .writable = true };
	struct table at;
	uint64_t entry;
	enum xlat x;

	if (!tlb_find_table(as->walker, root, va, &at) || (write && !at.writable))
		at = top;
	*l = (struct leaf) { .writable = at.writable };
	for (;;) {
		unsigned int shift = at.compact ? PVC_PT_COMPACT_SHIFT : PVC_PT_SHIFT(at.level);
		unsigned int entries = at.compact ? PVC_PT_COMPACT_ENTRIES : PVC_PT_ENTRIES;

		l->level = at.level;
		x = read_entry(as, at.addr, va >> shift & (entries - 1), &entry);
		if (x != XLAT_OK)
			return x;
		if (!(entry & PVC_PTE_PRESENT))
			return XLAT_NOT_PRESENT;
		l->writable &= !!(entry & PVC_PTE_WRITE);
		l->size = leaf_size(at.level, at.compact, entry);
		if (l->size)
			return take_leaf(l, at.compact, entry, va, write);
		if (at.level > 2 && (entry & PVC_PDPE_1G)) {
			/* The bit is reserved: there are no leaves of 512 GiB or more. */
			return XLAT_MISALIGNED;
		}
		at = (struct table) {
			.addr = entry & PVC_PTE_ADDR_MASK, .level = at.level - 1,
			.compact = at.level == 1 && (entry & PVC_PDE_COMPACT),
			.writable = l->writable,
		};
		tlb_keep_table(as->walker, root, va, &at);
	}
}

static enum xlat walk_ppgtt(const struct aspace *as, uint64_t va, bool write, struct span *s)
{
	uint64_t root = as->pdp0 & PVC_PTE_ADDR_MASK, high = va & ~VA_MASK, off;
	struct leaf l;
	enum xlat x;

	*s = (struct span) { .level = PVC_PT_LEVELS - 1 };
	/* Canonical or zero-extended addresses of 57 bits. */
	if (high && (high != ~VA_MASK || !(va >> 56 & 1)))
		return XLAT_OUT_OF_RANGE;
	va &= VA_MASK;
	/* A write walks again if the kept leaf is read-only. */
	if (!tlb_find(as->walker, root, va, &l) || (write && !l.writable)) {
		count_walk(as);
		x = find_leaf(as, root, va, write, &l);
		s->level = l.level;
		if (x != XLAT_OK)
			return x;
		tlb_keep(as->walker, root, va, &l);
	}
	s->level = l.level;
	s->writable = l.writable;
	s->atomics = l.atomics;
	off = va & (l.size - 1);
	return l.null ? resolve_null(s, l.size, off) :
			resolve(as, s, l.local, l.phys, l.size, off, write);
}

enum xlat mem_translate(const struct aspace *as, uint64_t va, bool write, struct span *s)
{
	enum xlat x;

	x = as->ggtt ? walk_ggtt(as, va, write, s) : walk_ppgtt(as, va, write, s);
	/* An injected fault may refuse a translation that succeeded. */
	if (x == XLAT_OK && !as->query && inject_armed(&as->tile->injected, INJECT_FAULT))
		x = inject_fault(as, as->ggtt ? va : va & VA_MASK, write, s);
	return x;
}

enum xlat ggtt_translate(struct tile *t, uint64_t addr, bool write, struct span *s)
{
	return mem_translate(&(struct aspace) { .tile = t, .ggtt = true }, addr, write, s);
}

enum xlat ppgtt_translate(struct tile *t, uint64_t pdp0, uint64_t va, bool write, struct span *s)
{
	return mem_translate(&(struct aspace) { .tile = t, .pdp0 = pdp0 }, va, write, s);
}

void count_access(struct engine *e, enum place place, bool write, uint64_t bytes)
{
	struct engine_counters *n;

	if (!e)
		return;
	n = &e->cnt;
	switch (place) {
	case PLACE_LOCAL:
		counter_add(write ? &n->write_local : &n->read_local, bytes);
		break;
	case PLACE_REMOTE:
		counter_add(write ? &n->write_remote : &n->read_remote, bytes);
		break;
	case PLACE_SYSTEM:
		counter_add(write ? &n->write_system : &n->read_system, bytes);
		break;
	case PLACE_NULL:
		break;
	}
}

void count_store(struct engine *e, enum place place)
{
	if (!e)
		return;
	counter_add(&e->cnt.stores, 1);
	if (place == PLACE_SYSTEM)
		counter_add(&e->cnt.stores_system, 1);
}

/* An aligned dword or qword is one access, because another thread may poll it. */
static void copy_piece(void *dst, const void *src, uint64_t n)
{
	uintptr_t both = (uintptr_t)dst | (uintptr_t)src;

	if (n == 8 && !(both & 7))
		__atomic_store_n((uint64_t *)dst, __atomic_load_n((const uint64_t *)src,
				 __ATOMIC_ACQUIRE), __ATOMIC_RELEASE);
	else if (n == 4 && !(both & 3))
		__atomic_store_n((uint32_t *)dst, __atomic_load_n((const uint32_t *)src,
				 __ATOMIC_ACQUIRE), __ATOMIC_RELEASE);
	else
		memcpy(dst, src, n);
}

static bool access_memory(const struct aspace *as, uint64_t va, uint8_t *buf, uint64_t len,
			  bool write, struct engine *e, struct mem_fault *f)
{
	struct card *c = as->tile->card;

	card_mem_lock(c);
	while (len) {
		unsigned int hits = atomic_load(&sigbus_hits);
		struct span s;
		enum xlat x = mem_translate(as, va, write, &s);
		uint64_t n;

		if (x != XLAT_OK) {
			card_mem_unlock(c);
			if (f)
				*f = (struct mem_fault) { x, va, s.level, write, as->ggtt };
			return false;
		}
		n = s.len < len ? s.len : len;
		if (s.host && write)
			copy_piece(s.host, buf, n);
		else if (s.host)
			copy_piece(buf, s.host, n);
		else if (!write)
			memset(buf, 0, n);
		/* The file was truncated during the copy: translate again, which now fails. */
		if (s.place == PLACE_SYSTEM && atomic_load(&sigbus_hits) != hits)
			continue;
		count_access(e, s.place, write, n);
		/* A write without @e is one of the walker's command streamer. */
		if (write && !e)
			count_store(as->walker, s.place);
		va += n;
		buf += n;
		len -= n;
	}
	card_mem_unlock(c);
	return true;
}

bool mem_read(const struct aspace *as, uint64_t va, void *buf, uint64_t len, struct engine *e,
	      struct mem_fault *f)
{
	return access_memory(as, va, buf, len, false, e, f);
}

bool mem_write(const struct aspace *as, uint64_t va, const void *buf, uint64_t len,
	       struct engine *e, struct mem_fault *f)
{
	return access_memory(as, va, (uint8_t *)buf, len, true, e, f);
}

/* An uncorrectable memory error is an error of the device, no translation fault. */
static void report_poison(struct tile *t)
{
	ras_raise(t, PVC_ERR_NONFATAL, RAS_HBM);
}

static void latch_fault(struct engine *e, const struct mem_fault *f)
{
	struct tile *t = e->tile;
	unsigned int level = f->level < 3 ? f->level : 3;
	/* No source has a table of types: here 0 is a missing entry, 1 any other fault. */
	unsigned int type = f->kind == XLAT_NOT_PRESENT ? 0 : 1;

	pthread_mutex_lock(&t->fault_lock);
	/* The first fault stays until the driver has cleared it. */
	if (!(reg_read(t, PVC_RING_FAULT) & PVC_RING_FAULT_VALID)) {
		reg_write(t, PVC_FAULT_TLB_DATA0, (uint32_t)(f->va >> 12));
		reg_write(t, PVC_FAULT_TLB_DATA1,
			  (uint32_t)(f->va >> 44 & PVC_FAULT_TLB_VA_HIGH_MASK) |
			  (f->ggtt ? PVC_FAULT_TLB_GGTT : 0));
		/* The engine field has three bits, which hold the class. */
		reg_write(t, PVC_RING_FAULT, PVC_RING_FAULT_VALID |
			  level << PVC_RING_FAULT_LEVEL_SHIFT |
			  (f->ggtt ? PVC_RING_FAULT_GGTT : 0) |
			  (uint32_t)e->class << PVC_RING_FAULT_ENGINE_SHIFT |
			  (f->write ? PVC_RING_FAULT_WRITE : 0) |
			  type << PVC_RING_FAULT_TYPE_SHIFT);
	}
	pthread_mutex_unlock(&t->fault_lock);
}

void fault_report(struct engine *e, const struct mem_fault *f)
{
	struct tile *t = e->tile;

	counter_add(&e->cnt.faults, 1);
	vlog("%s: %s fault: %s of %s 0x%llx, level %u", e->name, f->ggtt ? "GGTT" : "PPGTT",
	     f->write ? "write" : "read", xlat_name(f->kind), (unsigned long long)f->va, f->level);
	if (f->kind == XLAT_POISONED)
		report_poison(t);
	else
		latch_fault(e, f);
	reg_set(t, PVC_RING_RESET_CTL(e->base), PVC_RESET_CTL_CAT_ERROR);
}
