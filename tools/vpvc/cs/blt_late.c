// SPDX-License-Identifier: MIT
/*
 * What the copy engines' errata do to blits.
 *
 * Late bytes (Wa_16018031267, Wa_16018063123, Wa_16010961369): a flush does not wait for what
 * the sub-blitters still have.  Here each of them keeps the end of its last blit, and writes it
 * when it gets another one, however long that takes: no source says that it comes by itself.
 * A dummy blit gives all of them one, if they take turns.  Blits of one engine that depend on
 * each other are in order nevertheless, because drivers and users send such blits without a
 * flush between them.
 *
 * Credits (Wa_16017236439): the PCIe credits of engines with even numbers are for requests of
 * 64 bytes, those of the others for 256, and BCS_SWCTRL tells which an engine sends.  The
 * sources do not say what the wrong size does.  Here the engine hangs.
 */
#include "cs/blt_late.h"

#include <string.h>

#include "bus/dma.h"
#include "core/strict.h"
#include "cs/cs_state.h"
#include "mem/memory.h"
#include "pvc_blt_commands.h"

/*
 * The fills that drivers send as dummy blits: one of 36 rows of 4 KiB (prelim i915), one of
 * 32 KiB (compute-runtime), and one of four rows of any width (both, BCS0).
 */
#define DUMMY_BYTES		0x8000u
#define DUMMY_ROWS		4u

#define SMALL_REQUEST		64u
#define LARGE_REQUEST		256u

static void land(struct cs *cs, struct late_bytes *b)
{
	void *p = NULL;

	if (!b->len)
		return;
	/* The memory may have gone meanwhile. */
	if (b->place == PLACE_SYSTEM)
		p = card_dma_map(cs->card, b->phys, b->len, true);
	else if (b->place == PLACE_LOCAL || b->place == PLACE_REMOTE)
		p = card_dpa(cs->card, b->phys, b->len);
	if (p)
		memcpy(p, b->bytes, b->len);
	b->len = 0;
}

void blt_late_meet(struct cs *cs, const struct span *s, uint64_t len)
{
	for (unsigned int i = 0; i < SUB_BLITTERS; i++) {
		struct late_bytes *b = &cs->late.kept[i];

		if (b->len && (b->place == PLACE_SYSTEM) == (s->place == PLACE_SYSTEM) &&
		    b->phys < s->phys + len && s->phys < b->phys + b->len)
			land(cs, b);
	}
}

uint8_t *blt_late_keep(struct cs *cs, const struct span *to, uint64_t len, uint64_t *late)
{
	struct late_bytes *b;

	*late = 0;
	if (!card_punishes(cs->card, STRICT_BCS_LATE))
		return NULL;
	b = &cs->late.kept[cs->late.turn++ % SUB_BLITTERS];
	land(cs, b);
	if (!to->host)
		return NULL;
	b->place = to->place;
	b->len = len < LATE_BYTES ? len : LATE_BYTES;
	b->phys = to->phys + len - b->len;
	*late = b->len;
	return b->bytes;
}

static bool take_turns(struct cs *cs)
{
	return (cs_reg(cs, PVC_RING_ECOSKPD(0)) & PVC_ECOSKPD_SCHEDULING_MASK) ==
	       PVC_ECOSKPD_ROUND_ROBIN;
}

void blt_late_fill(struct cs *cs, uint64_t rows, uint64_t bytes)
{
	if (!card_punishes(cs->card, STRICT_BCS_LATE) || !take_turns(cs))
		return;
	if (bytes < DUMMY_BYTES && rows < DUMMY_ROWS)
		return;
	card_mem_lock(cs->card);
	for (unsigned int i = 0; i < SUB_BLITTERS; i++)
		land(cs, &cs->late.kept[i]);
	card_mem_unlock(cs->card);
}

void blt_late_drop(struct cs *cs)
{
	for (unsigned int i = 0; i < SUB_BLITTERS; i++)
		cs->late.kept[i].len = 0;
	cs->late.turn = 0;
}

bool blt_out_of_credits(struct cs *cs, const struct span *s, uint64_t len)
{
	bool small = cs_reg(cs, PVC_BCS_SWCTRL(0)) & PVC_BCS_SWCTRL_DISABLE_256B;
	unsigned int size = small ? SMALL_REQUEST : LARGE_REQUEST;
	uint64_t first = (s->phys + size - 1) / size * size;

	if (s->place != PLACE_SYSTEM || !card_punishes(cs->card, STRICT_BCS_CREDITS) ||
	    small == !(cs->e->instance % 2))
		return false;
	/* A request is whole and aligned. */
	if (first + size > s->phys + len)
		return false;
	cs_log(cs, "hangs: a request of %u bytes to system memory, which its credits are not for",
	       size);
	return true;
}
