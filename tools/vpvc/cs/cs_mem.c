// SPDX-License-Identifier: MIT
/*
 * Memory accesses of the command streamer, on the engine's thread; cs_translate() also on
 * the threads of the execution units.
 *
 * Small accesses are single host loads and stores, because other engines, the guest's
 * processors and the execution units read and write the same words.
 */
#include "cs/cs_mem.h"

#include <string.h>

#include "bus/dma.h"
#include "core/xlat.h"
#include "cs/cs_state.h"
#include "mem/memory.h"

/* User addresses are canonical: the bits above the 57th repeat it. */
#define VA_MASK		((1ull << PVC_VA_BITS) - 1)

struct aspace cs_space(struct cs *cs, bool ggtt)
{
	/* A context without PPGTT uses the GGTT for all accesses. */
	return (struct aspace) {
		.tile = cs->tile,
		.pdp0 = cs->ctx.pdp0,
		.ggtt = ggtt || !cs->ctx.ppgtt,
		.walker = cs->e,
	};
}

static uint64_t space_va(const struct aspace *as, uint64_t va)
{
	return as->ggtt ? va : va & VA_MASK;
}

enum xlat cs_translate(struct cs *cs, bool ggtt, uint64_t va, bool write, struct span *s)
{
	struct aspace as = cs_space(cs, ggtt);

	return mem_translate(&as, space_va(&as, va), write, s);
}

enum cs_result cs_fault(struct cs *cs, const struct mem_fault *f)
{
	fault_report(cs->e, f);
	return CS_HALT;
}

enum cs_result cs_read(struct cs *cs, bool ggtt, uint64_t va, void *buf, uint64_t len)
{
	struct aspace as = cs_space(cs, ggtt);
	struct mem_fault f = { 0 };

	if (!mem_read(&as, space_va(&as, va), buf, len, NULL, &f))
		return cs_fault(cs, &f);
	return CS_OK;
}

enum cs_result cs_write(struct cs *cs, bool ggtt, uint64_t va, const void *buf, uint64_t len)
{
	struct aspace as = cs_space(cs, ggtt);
	struct mem_fault f = { 0 };

	if (!mem_write(&as, space_va(&as, va), buf, len, NULL, &f))
		return cs_fault(cs, &f);
	return CS_OK;
}

/* Find the host pointer of @len aligned bytes; on CS_OK the memory lock is held. */
static enum cs_result map_word(struct cs *cs, bool ggtt, uint64_t va, unsigned int len,
			       bool write, void **p)
{
	struct aspace as = cs_space(cs, ggtt);
	struct span s = { 0 };
	enum xlat x;

	if (va & (len - 1))
		return cs_error(cs, "address %#llx not aligned to %u",
				(unsigned long long)va, len);
	card_mem_lock(cs->card);
	x = cs_translate(cs, ggtt, va, write, &s);
	if (x != XLAT_OK) {
		struct mem_fault f = {
			.kind = x, .va = space_va(&as, va), .level = s.level,
			.write = write, .ggtt = as.ggtt,
		};

		card_mem_unlock(cs->card);
		return cs_fault(cs, &f);
	}
	*p = s.host;
	if (write)
		count_store(cs->e, s.place);
	return CS_OK;
}

enum cs_result cs_load32(struct cs *cs, bool ggtt, uint64_t va, uint32_t *val)
{
	enum cs_result r;
	void *p;

	r = map_word(cs, ggtt, va, 4, false, &p);
	if (r != CS_OK)
		return r;
	*val = p ? __atomic_load_n((uint32_t *)p, __ATOMIC_SEQ_CST) : 0;
	card_mem_unlock(cs->card);
	return CS_OK;
}

enum cs_result cs_store32(struct cs *cs, bool ggtt, uint64_t va, uint32_t val)
{
	enum cs_result r;
	void *p;

	r = map_word(cs, ggtt, va, 4, true, &p);
	if (r != CS_OK)
		return r;
	if (p)
		__atomic_store_n((uint32_t *)p, val, __ATOMIC_SEQ_CST);
	card_mem_unlock(cs->card);
	return CS_OK;
}

enum cs_result cs_store64(struct cs *cs, bool ggtt, uint64_t va, uint64_t val)
{
	enum cs_result r;
	void *p;

	r = map_word(cs, ggtt, va, 8, true, &p);
	if (r != CS_OK)
		return r;
	if (p)
		__atomic_store_n((uint64_t *)p, val, __ATOMIC_SEQ_CST);
	card_mem_unlock(cs->card);
	return CS_OK;
}

enum cs_result cs_rmw(struct cs *cs, bool ggtt, uint64_t va, bool qword,
		      cs_rmw_fn f, const void *arg, uint64_t *old)
{
	enum cs_result r;
	void *p;

	r = map_word(cs, ggtt, va, qword ? 8 : 4, true, &p);
	if (r != CS_OK)
		return r;
	if (!p) {
		*old = 0;
	} else if (qword) {
		uint64_t was = __atomic_load_n((uint64_t *)p, __ATOMIC_SEQ_CST);

		while (!__atomic_compare_exchange_n((uint64_t *)p, &was, f(was, arg), false,
						    __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
			;
		*old = was;
	} else {
		uint32_t was = __atomic_load_n((uint32_t *)p, __ATOMIC_SEQ_CST);

		while (!__atomic_compare_exchange_n((uint32_t *)p, &was, (uint32_t)f(was, arg),
						    false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
			;
		*old = was;
	}
	card_mem_unlock(cs->card);
	return CS_OK;
}
