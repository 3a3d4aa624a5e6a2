// SPDX-License-Identifier: MIT
/*
 * Address translation: GGTT, and PPGTT walks of five levels.  Nothing is
 * cached: a walk reads at most five entries of host memory.
 */
#include <string.h>

#include "blocks.h"
#include "xt_engine_regs.h"
#include "xt_gt_regs.h"
#include "xt_gtt.h"
#include "xt_irq_regs.h"
#include "xt_soc_regs.h"

#define VA_MASK		((1ull << 57) - 1)

const char *xlat_name(enum xlat x)
{
	switch (x) {
	case XLAT_OK:
		return "ok";
	case XLAT_NOT_PRESENT:
		return "not present";
	case XLAT_READONLY:
		return "read-only";
	case XLAT_MISALIGNED:
		return "misaligned entry";
	case XLAT_OUT_OF_RANGE:
		return "out of range";
	case XLAT_POISONED:
		return "uncorrectable memory error";
	}
	return "?";
}

/* Fill what a leaf of @size bytes at @phys gives for offset @off in it. */
static enum xlat resolve(struct tile *t, struct span *s, bool local, uint64_t phys,
			 uint64_t size, uint64_t off, bool write)
{
	struct card *c = t->card;
	uint64_t left = size - off, have;

	s->phys = phys + off;
	if (local) {
		if (s->phys >= c->hbm_size)
			return XLAT_OUT_OF_RANGE;
		have = c->hbm_size - s->phys;
		s->host = c->hbm + s->phys;
		s->place = s->phys - t->dpa_base < t->dpa_size ? PLACE_LOCAL : PLACE_REMOTE;
		if (inject_armed(&t->injected, INJECT_POISON) &&
		    inject_poisoned(c, s->phys, &left))
			return XLAT_POISONED;
		/* A piece lies in one place. */
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

static enum xlat walk_ggtt(struct tile *t, uint64_t addr, bool write, struct span *s)
{
	uint64_t pte;

	*s = (struct span) { .writable = true, .atomics = true };
	if (addr >= (uint64_t)GGTT_ENTRIES << 12)
		return XLAT_OUT_OF_RANGE;
	pte = atomic_load_explicit(&t->ggtt[addr >> 12], memory_order_acquire);
	if (!(pte & XT_GGTT_PRESENT))
		return XLAT_NOT_PRESENT;
	return resolve(t, s, pte & XT_GGTT_DM, pte & XT_GGTT_ADDR_MASK, 4096, addr & 4095, write);
}

/* A walk that went well may still meet a fault somebody asked for. */
static enum xlat inject(struct tile *t, bool ggtt, uint64_t va, bool write, enum xlat x,
			struct span *s)
{
	if (x != XLAT_OK || !inject_armed(&t->injected, INJECT_FAULT))
		return x;
	return inject_fault(t, ggtt, va, write, s);
}

enum xlat ggtt_translate(struct tile *t, uint64_t addr, bool write, struct span *s)
{
	return inject(t, true, addr, write, walk_ggtt(t, addr, write, s), s);
}

static bool read_entry(struct card *c, uint64_t table, unsigned int index, uint64_t *entry)
{
	uint64_t *p = card_dpa(c, table, XT_PT_TABLE_SIZE);

	if (!p)
		return false;
	*entry = __atomic_load_n(&p[index], __ATOMIC_ACQUIRE);
	return true;
}

/* What an entry of level @level maps when it is a leaf; 0 = it is a directory. */
static uint64_t leaf_size(unsigned int level, bool compact, uint64_t entry)
{
	switch (level) {
	case 0:
		return compact || (entry & XT_PTE_PS64) ? 1ull << 16 : 1ull << 12;
	case 1:
		return entry & XT_PDE_2M ? 1ull << 21 : 0;
	case 2:
		return entry & XT_PDPE_1G ? 1ull << 30 : 0;
	default:
		return 0;
	}
}

static enum xlat take_leaf(struct tile *t, struct span *s, bool compact, uint64_t entry,
			   uint64_t size, uint64_t va, bool write)
{
	uint64_t phys = entry & XT_PTE_ADDR_MASK, stray;

	s->atomics = entry & XT_PTE_AE;
	if (write && !s->writable)
		return XLAT_READONLY;
	if (entry & XT_PTE_NULL)
		return resolve_null(s, size, va & (size - 1));
	stray = phys & (size - 1);
	if (s->level == 0 && !compact && size > 4096) {
		/*
		 * One of 16 entries that together map an aligned 64 KiB page: each
		 * holds its own 4 KiB address, which must be where it belongs.
		 */
		if (stray != (va & 0xf000))
			return XLAT_MISALIGNED;
		phys -= stray;
	} else if (s->level > 0) {
		/* Bit 12 is an attribute here. */
		if (stray & ~XT_PDE_LEAF_PAT2)
			return XLAT_MISALIGNED;
		phys -= stray;
	} else if (stray) {
		return XLAT_MISALIGNED;
	}
	return resolve(t, s, entry & XT_PTE_DM, phys, size, va & (size - 1), write);
}

static enum xlat walk_ppgtt(struct tile *t, uint64_t pdp0, uint64_t va, bool write,
			    struct span *s)
{
	uint64_t table = pdp0 & XT_PTE_ADDR_MASK;
	uint64_t high = va & ~VA_MASK, entry, size;
	bool compact = false;

	*s = (struct span) { .level = XT_PT_LEVELS - 1, .writable = true };
	/* Canonical or zero-extended addresses of 57 bits. */
	if (high && (high != ~VA_MASK || !(va >> 56 & 1)))
		return XLAT_OUT_OF_RANGE;
	va &= VA_MASK;

	for (s->level = XT_PT_LEVELS - 1; ; s->level--) {
		unsigned int shift = compact ? XT_PT_COMPACT_SHIFT : XT_PT_SHIFT(s->level);
		unsigned int entries = compact ? XT_PT_COMPACT_ENTRIES : XT_PT_ENTRIES;

		if (!read_entry(t->card, table, va >> shift & (entries - 1), &entry))
			return XLAT_OUT_OF_RANGE;
		if (!(entry & XT_PTE_PRESENT))
			return XLAT_NOT_PRESENT;
		s->writable &= !!(entry & XT_PTE_WRITE);
		size = leaf_size(s->level, compact, entry);
		if (size)
			return take_leaf(t, s, compact, entry, size, va, write);
		if (s->level > 2 && (entry & XT_PDPE_1G)) {
			/* No leaves of 512 GiB and more: the bit is reserved. */
			return XLAT_MISALIGNED;
		}
		compact = s->level == 1 && (entry & XT_PDE_COMPACT);
		table = entry & XT_PTE_ADDR_MASK;
	}
}

enum xlat ppgtt_translate(struct tile *t, uint64_t pdp0, uint64_t va, bool write, struct span *s)
{
	return inject(t, false, va & VA_MASK, write, walk_ppgtt(t, pdp0, va, write, s), s);
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

static enum xlat translate(const struct aspace *as, uint64_t va, bool write, struct span *s)
{
	if (as->walker)
		counter_add(&as->walker->cnt.page_walks, 1);
	return as->ggtt ? ggtt_translate(as->tile, va, write, s) :
			  ppgtt_translate(as->tile, as->pdp0, va, write, s);
}

/* An aligned dword or qword is one access: others may wait for it. */
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
		enum xlat x = translate(as, va, write, &s);
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
		/* Lost while it was copied: look again, and find it gone. */
		if (s.place == PLACE_SYSTEM && atomic_load(&sigbus_hits) != hits)
			continue;
		count_access(e, s.place, write, n);
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

/* Memory that cannot be corrected: no fault of translation, an error of the device. */
static void report_poison(struct tile *t)
{
	reg_set(t, XT_DEV_ERR_STAT_NONFATAL, XT_DEV_ERR_SOC);
	irq_raise_error(t, XT_GFX_MSTR_ERR_NONFATAL);
}

static void latch_fault(struct engine *e, const struct mem_fault *f)
{
	struct tile *t = e->tile;
	unsigned int level = f->level < 3 ? f->level : 3;
	/* Sources give no table of types: 0 is a missing entry, 1 any other refusal. */
	unsigned int type = f->kind == XLAT_NOT_PRESENT ? 0 : 1;

	pthread_mutex_lock(&t->fault_lock);
	/* The first one stays until the driver has taken it. */
	if (!(reg_read(t, XT_RING_FAULT) & XT_RING_FAULT_VALID)) {
		reg_write(t, XT_FAULT_TLB_DATA0, (uint32_t)(f->va >> 12));
		reg_write(t, XT_FAULT_TLB_DATA1,
			  (uint32_t)(f->va >> 44 & XT_FAULT_TLB_VA_HIGH_MASK) |
			  (f->ggtt ? XT_FAULT_TLB_GGTT : 0));
		/* The engine field has three bits: the class is what fits. */
		reg_write(t, XT_RING_FAULT, XT_RING_FAULT_VALID |
			  level << XT_RING_FAULT_LEVEL_SHIFT |
			  (f->ggtt ? XT_RING_FAULT_GGTT : 0) |
			  (uint32_t)e->class << XT_RING_FAULT_ENGINE_SHIFT |
			  (f->write ? XT_RING_FAULT_WRITE : 0) |
			  type << XT_RING_FAULT_TYPE_SHIFT);
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
	reg_set(t, XT_RING_RESET_CTL(e->base), XT_RESET_CTL_CAT_ERROR);
}
