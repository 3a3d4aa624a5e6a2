// SPDX-License-Identifier: MIT
/*
 * A fuzz target for page tables: NUM_TABLES pages with entries of the input, and walks
 * through them.  A walk must give existing memory only, and no more bytes than the leaf
 * maps.
 */
#include <stdio.h>
#include <stdlib.h>

#include "bus/dma.h"
#include "card.h"
#include "core/xlat.h"
#include "fuzz/fuzz.h"
#include "mem/memory.h"
#include "pvc_gtt.h"
#include "tests/test.h"

#define RAM		(1u << 20)
#define TABLES		0x1000000ull
#define NUM_TABLES	8

uint32_t fuzz_word(uint64_t random)
{
	uint32_t flags = PVC_PTE_PRESENT | PVC_PTE_WRITE | (random & 0xfe0);

	return (uint32_t)TABLES + (uint32_t)(random >> 12 & 7) * 4096 + flags;
}

static void check_piece(struct tile *t, enum xlat x, const struct span *s, bool write)
{
	struct card *c = t->card;
	volatile uint8_t *p = s->host;
	void *want;

	if (x != XLAT_OK) {
		PROMISE(s->level <= 4);
		return;
	}
	PROMISE(s->len && s->len <= 1ull << 30);
	PROMISE(!write || s->writable);
	switch (s->place) {
	case PLACE_NULL:
		PROMISE(!p);
		return;
	case PLACE_LOCAL:
	case PLACE_REMOTE:
		PROMISE(s->phys < c->hbm_size && s->len <= c->hbm_size - s->phys);
		PROMISE(p == c->hbm + s->phys);
		PROMISE((s->place == PLACE_LOCAL) == (s->phys - t->dpa_base < t->dpa_size));
		break;
	case PLACE_SYSTEM:
		PROMISE(s->phys < RAM && s->len <= RAM - s->phys);
		want = card_dma_map(c, s->phys, s->len, write);
		PROMISE(want == s->host);
		break;
	}
	/* Both ends can be read. */
	(void)p[0];
	(void)p[s->len - 1];
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, size };
	struct card *c = test_card(1 + take8(&in) % 2, RAM);
	struct tile *t = &c->tiles[0];
	uint64_t pdp0 = TABLES;
	uint8_t buf[256];
	struct span s;

	/* Some entries of the tables are set; the walks below meet them. */
	for (unsigned int i = 0; i < 24 && in.left; i++) {
		unsigned int where = take8(&in);
		uint64_t *table = (uint64_t *)card_dpa(c, TABLES + where % NUM_TABLES * 4096, 4096);

		table[take16(&in) % 512] = take64(&in);
	}
	for (unsigned int i = 0; i < 8 && in.left; i++)
		t->ggtt[take8(&in)] = take64(&in);
	if (take8(&in) & 1)
		pdp0 = take64(&in);
	for (unsigned int i = 0; i < 32 && in.left; i++) {
		unsigned int how = take8(&in);
		uint64_t va = take64(&in);
		bool write = how & 1;
		struct aspace as = { .tile = t, .pdp0 = pdp0, .ggtt = how & 2 };
		struct mem_fault f;
		enum xlat x;

		if (how & 4)
			va &= 0x1fffff;
		card_mem_lock(c);
		x = how & 2 ? ggtt_translate(t, va, write, &s) :
			      ppgtt_translate(t, pdp0, va, write, &s);
		check_piece(t, x, &s, write);
		card_mem_unlock(c);
		if (mem_read(&as, va, buf, how, NULL, &f) && how & 8)
			mem_write(&as, va, buf, how, NULL, &f);
	}
	test_card_free(c);
	return 0;
}
