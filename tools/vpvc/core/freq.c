// SPDX-License-Identifier: MIT
/*
 * Frequency and energy.  A request counts if software mode is on when it is written and stays on
 * for a while (xe: xe_guc_pc.c waits 100 us).  Without a request a tile runs at RPn: nobody says
 * where a sold card stays, and this is the worse reading.
 */
#include "core/freq.h"

#include <pthread.h>

#include "core/clock.h"
#include "core/regs.h"
#include "core/strict.h"
#include "log.h"
#include "pvc_gt_regs.h"
#include "pvc_soc_regs.h"

/* Shorter than what drivers wait, because their clock is not the card's. */
#define TAKE_US		50u

/*
 * Of the frequency and the energy of all tiles: engines read energy by commands, while the host
 * changes the frequency.
 */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static unsigned int bounded(uint32_t ratio)
{
	if (ratio < FREQ_RPN)
		return FREQ_RPN;
	return ratio > FREQ_RP0 ? FREQ_RP0 : ratio;
}

/* Adds the energy since the last call, in units of 1/(timestamp Hz * FREQ_RP0) J; under the lock */
static void account(struct tile *t)
{
	uint64_t now = card_timestamp();
	uint64_t watts = FREQ_WATTS_TILE * FREQ_RP0 + FREQ_WATTS_RP0 * t->freq.ratio;

	if (!t->freq.energy_at)
		t->freq.energy_at = t->freq.energy_from = now;
	t->freq.energy += (now - t->freq.energy_at) * watts;
	t->freq.energy_at = now;
}

static uint64_t energy_units(uint64_t energy)
{
	return (uint64_t)((unsigned __int128)energy * (1u << FREQ_ENERGY_UNIT) /
			  ((uint64_t)CARD_TIMESTAMP_HZ * FREQ_RP0));
}

/* The frequency follows from the request and the limits. */
static void update(struct tile *t)
{
	uint32_t limits = t->freq.limits;

	pthread_mutex_lock(&lock);
	account(t);
	t->freq.ratio = limits ? FREQ_RPN : bounded(t->freq.asked);
	pthread_mutex_unlock(&lock);
	atomic_store(&t->freq.slow, t->freq.ratio < FREQ_RP0 &&
		     card_punishes(t->card, STRICT_CLOCK) ? t->freq.ratio : 0);
	reg_write(t, PVC_RPSTAT1, t->freq.ratio << PVC_RPSTAT1_RATIO_SHIFT |
		  t->freq.ratio << PVC_RPSTAT1_CHIPLET_SHIFT);
	/* Reasons stay in the upper half. */
	reg_write(t, PVC_LIMIT_REASONS,
		  (reg_read(t, PVC_LIMIT_REASONS) & 0xffff0000) | limits << 16 | limits);
}

void freq_reset(struct tile *t)
{
	t->freq.asked = t->freq.before = 0;
	reg_write(t, PVC_RPNSWREQ, 0);
	reg_write(t, PVC_RP_CONTROL, 0);
	update(t);
}

void freq_power_on(struct tile *t)
{
	pthread_mutex_lock(&lock);
	t->freq.energy = 0;
	t->freq.energy_at = 0;
	pthread_mutex_unlock(&lock);
	freq_reset(t);
}

void freq_limit(struct tile *t, uint32_t reasons)
{
	t->freq.limits = reasons;
	update(t);
}

static bool software_mode(struct tile *t)
{
	return (reg_read(t, PVC_RP_CONTROL) & PVC_RP_CONTROL_MODE_MASK) == PVC_RP_CONTROL_SOFTWARE;
}

void freq_write_request(struct tile *t, uint32_t off, uint32_t val)
{
	reg_write(t, off, val);
	if (!software_mode(t)) {
		vlog("guest error: tile%u: nobody reads a request for a frequency outside of "
		     "software mode", t->id);
		return;
	}
	t->freq.before = t->freq.asked;
	t->freq.asked_at = card_timestamp();
	t->freq.asked = (val & PVC_RPNSWREQ_RATIO_MASK) >> PVC_RPNSWREQ_RATIO_SHIFT;
	update(t);
}

void freq_write_control(struct tile *t, uint32_t off, uint32_t val)
{
	bool was = software_mode(t);

	reg_write(t, off, val);
	if (!was || software_mode(t) ||
	    (int64_t)(card_timestamp() - t->freq.asked_at) >= (int64_t)card_ticks(TAKE_US))
		return;
	vlog("guest error: tile%u: software mode ended before the request was taken", t->id);
	t->freq.asked = t->freq.before;
	update(t);
}

uint32_t freq_read_energy(struct tile *t, uint32_t off)
{
	struct card *c = t->card;
	uint64_t sum = 0;

	pthread_mutex_lock(&lock);
	if (off == PVC_PACKAGE_ENERGY_STATUS) {
		account(t);
		sum = energy_units(t->freq.energy);
	} else {
		for (unsigned int i = 0; i < c->num_tiles; i++) {
			account(&c->tiles[i]);
			sum += energy_units(c->tiles[i].freq.energy);
		}
		sum += energy_units((card_timestamp() - t->freq.energy_from) * FREQ_WATTS_CARD *
				    FREQ_RP0);
	}
	pthread_mutex_unlock(&lock);
	return (uint32_t)sum;
}

uint64_t freq_delay(struct tile *t, uint64_t ns)
{
	unsigned int ratio = atomic_load_explicit(&t->freq.slow, memory_order_relaxed);

	return ratio ? ns * (FREQ_RP0 - ratio) / ratio : 0;
}
