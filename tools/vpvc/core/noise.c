// SPDX-License-Identifier: MIT
/*
 * Memory, page table entries, and registers without a documented reset value need not be
 * zero at power on.  With --seed they hold noise, the same for the same seed, so that a
 * driver that relies on zeros fails.  card/life.c and core/regs.c call this.
 *
 * The registers of contexts are noise without a seed, too, and after each reset of their engine:
 * users must not rely on zeros there, nor may a driver count on a reset to remove what an earlier
 * user has left.
 */
#include "core/noise.h"

#include "card.h"
#include "core/regs.h"
#include "core/strict.h"
#include "pvc_engine_regs.h"
#include "pvc_gfx_commands.h"
#include "pvc_gt_regs.h"
#include "pvc_lrc_regs.h"

#define MIB		(1ull << 20)
#define NOISY_HBM	(16 * MIB)	/* at either end of usable HBM */

/* xorshift64; the state must not be zero */
static uint64_t next(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static uint64_t start(const struct tile *t, uint64_t what)
{
	uint64_t state = t->card->opt.seed * 0x9e3779b97f4a7c15ull + (what << 8) + t->id + 1;

	state = state ? state : 1;
	for (unsigned int i = 0; i < 8; i++)
		next(&state);
	return state;
}

static void fill(uint64_t *p, uint64_t bytes, uint64_t state)
{
	for (uint64_t i = 0; i < bytes / sizeof(*p); i++)
		p[i] = next(&state);
}

void noise_memory(struct tile *t)
{
	uint64_t usable = t->card->opt.usable, noisy;
	uint8_t *hbm = t->card->hbm + t->dpa_base;

	if (!t->card->opt.seed)
		return;
	/* The carve-outs above the usable memory stay zero. */
	if (!usable)
		usable = t->dpa_size - card_carve(t->card);
	noisy = usable < NOISY_HBM ? usable : NOISY_HBM;
	fill((uint64_t *)hbm, noisy, start(t, 1));
	fill((uint64_t *)(hbm + usable - noisy), noisy, start(t, 2));
	fill((uint64_t *)t->ggtt, GGTT_ENTRIES * sizeof(*t->ggtt), start(t, 3));
}

void noise_registers(struct tile *t)
{
	uint64_t state;

	if (!t->card->opt.seed)
		return;
	state = start(t, 4);
	/* Firmware may leave any assignment of slices. */
	reg_write(t, PVC_CCS_MODE, next(&state) & 0xfff);
	for (unsigned int i = 0; i < PVC_PAT_ENTRIES; i++)
		reg_write(t, PVC_PAT_INDEX(i), next(&state) & 0xf);
	for (unsigned int i = 0; i < 2; i++)
		reg_write(t, PVC_LNCFCMOCS(i), next(&state) & 0x00300030);
	/* Others may have woken the wells, and have turned sleep and power gating on. */
	reg_write(t, PVC_FORCEWAKE_GT, 0x2 | (next(&state) & 0xc));
	reg_write(t, PVC_FORCEWAKE_ACK_GT, reg_read(t, PVC_FORCEWAKE_GT));
	reg_write(t, PVC_FORCEWAKE_RENDER, 0x2 | (next(&state) & 0xc));
	reg_write(t, PVC_FORCEWAKE_ACK_RENDER, reg_read(t, PVC_FORCEWAKE_RENDER));
	reg_write(t, PVC_RC_CONTROL, 1u << 31 | (next(&state) & 0xffff));
	reg_write(t, PVC_RC_STATE, 1 | (next(&state) & 0xff));
	reg_write(t, PVC_PG_ENABLE, 1 | (next(&state) & 0x7));
	for (unsigned int n = 0; n < TILE_MAX_ENGINES; n++)
		reg_write(t, PVC_RING_HWS_PGA(t->engines[n].base), next(&state) & 0xfffff000);
}

void noise_words(const struct engine *e, unsigned int what, uint32_t *words, unsigned int n)
{
	uint64_t state = start(e->tile, (uint64_t)what << 8 | e->class << 4 | e->instance);

	while (n--)
		*words++ = (uint32_t)next(&state);
}

/*
 * Registers of a context that commands write before they are of use.  Not here are those that
 * choose how the engine works (MI_MODE, CS_CHICKEN1, BLIT_CCTL, BCS_SWCTRL): drivers set some bits
 * of them with masks, and rely on the hardware's choice for the others.
 */
static const struct {
	uint32_t off;
	unsigned int num;
} noisy[] = {
	{ PVC_RING_NOPID(0), 1 },
	{ PVC_CS_WPARID, 1 },
	{ PVC_CS_WPARID_MASK, 1 },
	{ PVC_CS_PARTITION_STRIDE, 1 },
	{ PVC_CS_RING_PREDICATE_RESULT, 1 },
	{ PVC_CS_PREDICATE_RESULT_2, 1 },
	{ PVC_CS_PREDICATE_SRC0, 2 },
	{ PVC_CS_PREDICATE_SRC1, 2 },
	{ PVC_CS_PREDICATE_DATA, 2 },
	{ PVC_CS_PREDICATE_RESULT, 1 },
	{ PVC_CS_PREDICATE_RESULT_1, 1 },
	{ PVC_CS_DISPATCH_DIM(0), 3 },
	{ PVC_CS_USER_GPR(0), 32 },
};

/*
 * Nothing public says what a reset leaves in the submit queue. A driver that uses both places
 * writes both, one that uses the first only must empty the second.
 */
static void noise_queue(const struct engine *e)
{
	uint32_t words[2];

	noise_words(e, 15, words, 2);
	reg_write(e->tile, PVC_EXECLIST_SQ_CONTENTS(e->base, 1), words[0] | PVC_CTX_VALID);
	reg_write(e->tile, PVC_EXECLIST_SQ_CONTENTS_UDW(e->base, 1), words[1]);
}

void noise_engine(const struct engine *e)
{
	uint32_t words[32];

	if (card_punishes(e->tile->card, STRICT_STALE_QUEUE))
		noise_queue(e);
	if (!card_punishes(e->tile->card, STRICT_STALE_STATE))
		return;
	for (unsigned int i = 0; i < sizeof(noisy) / sizeof(noisy[0]); i++) {
		noise_words(e, 16 + i, words, noisy[i].num);
		for (unsigned int k = 0; k < noisy[i].num; k++)
			reg_write(e->tile, e->base + noisy[i].off + 4 * k, words[k]);
	}
}
