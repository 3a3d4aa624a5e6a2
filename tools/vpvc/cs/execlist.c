// SPDX-License-Identifier: MIT
/*
 * Execlist ports: one thread per engine takes the submit queue that the host loaded, runs
 * its contexts one after another and reports each switch.
 *
 * The host thread leaves requests (loads, attention bits) under the port's lock and wakes
 * the engine; it waits for the engine in engine_reset() alone.
 */
#include "cs/execlist.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "card.h"
#include "core/clock.h"
#include "core/inject.h"
#include "core/noise.h"
#include "core/regs.h"
#include "core/strict.h"
#include "core/wake.h"
#include "core/xlat.h"
#include "cs/context.h"
#include "cs/cs.h"
#include "cs/cs_state.h"
#include "eu/eu.h"
#include "log.h"
#include "mem/memory.h"
#include "pvc_gt_regs.h"
#include "pvc_lrc_regs.h"

/*
 * Does a page fault raise the command streamer error interrupt? No public source says how
 * silicon behaves without firmware.
 */
static const bool fault_interrupt = true;

/* ---- status and events: engine's thread, with the lock held ---- */

static void set_status(struct cs *cs, uint64_t desc)
{
	bool active = desc & PVC_CTX_VALID;

	cs_set_reg(cs, PVC_EXECLIST_STATUS_UDW(0), active ? PVC_UPPER_32(desc) : 0);
	cs_set_reg(cs, PVC_CURRENT_LRCA(0),
		   active ? (desc & PVC_CTX_LRCA_MASK) | PVC_CURRENT_LRCA_VALID : 0);
	/* A load the engine has not taken yet keeps the port busy. */
	if (active || (atomic_load(&cs->port.attention) & ATTENTION_LOAD))
		cs_set_reg(cs, PVC_EXECLIST_STATUS(0), PVC_EXECLIST_STATUS_ACTIVE);
	else
		cs_set_reg(cs, PVC_EXECLIST_STATUS(0), 0);
}

/* Id and counter as an event shows them; 0 is "no context". */
static uint64_t event_id(uint64_t desc)
{
	uint64_t id, counter;

	if (!(desc & PVC_CTX_VALID))
		return PVC_CTX_SW_ID_NONE;
	id = (desc & PVC_CTX_SW_ID_MASK) >> PVC_CTX_SW_ID_SHIFT;
	counter = (desc & PVC_CTX_SW_COUNTER_MASK) >> PVC_CTX_SW_COUNTER_SHIFT;
	return counter << 16 | id;
}

static bool event_to_memory(struct cs *cs, unsigned int index, uint64_t entry)
{
	struct aspace ggtt = { .tile = cs->tile, .ggtt = true, .walker = cs->e };
	uint32_t hwsp = cs_reg(cs, PVC_RING_HWS_PGA(0)) & ~0xfffu;
	bool there = true;

	if (cs->ctx.late.held)
		there = mem_write(&ggtt, hwsp + PVC_HWSP_CSB + 8 * cs->ctx.late.index,
				  &cs->ctx.late.entry, 8, NULL, NULL);
	cs->ctx.late.held = false;
	if (inject_csb_lost(cs->e))
		return there;
	if (inject_csb_late(cs->e)) {
		cs->ctx.late.held = true;
		cs->ctx.late.index = index;
		cs->ctx.late.entry = entry;
		return there;
	}
	return there && mem_write(&ggtt, hwsp + PVC_HWSP_CSB + 8 * index, &entry, 8, NULL, NULL) &&
	       mem_write(&ggtt, hwsp + PVC_HWSP_CSB_WRITE_PTR, &index, 4, NULL, NULL);
}

/*
 * Report a switch: entry, then pointer, then interrupt. The pointer in the register
 * changes after memory: on PCI the answer to a read pushes earlier writes, so a driver
 * that reads the new pointer from the register must find the entry in memory.
 */
static void event(struct cs *cs, uint64_t to, uint64_t away, unsigned int detail, bool new_queue)
{
	uint32_t base = cs->e->base;
	uint32_t ptr = cs_reg(cs, PVC_CONTEXT_STATUS_PTR(0));
	uint32_t index = (ptr & PVC_CSB_PTR_WRITE_MASK) + 1;
	uint64_t entry = detail |
			 (uint64_t)cs->e->instance << PVC_CSB_INSTANCE_SHIFT |
			 event_id(to) << PVC_CSB_TO_ID_SHIFT |
			 (new_queue ? PVC_CSB_NEW_QUEUE : 0) |
			 event_id(away) << PVC_CSB_AWAY_ID_SHIFT;

	if (inject_csb_wrong(cs->e))
		entry ^= 1ull << PVC_CSB_TO_ID_SHIFT | 1ull << PVC_CSB_AWAY_ID_SHIFT;
	if (index >= PVC_CSB_ENTRIES)
		index = 0;
	cs_set_reg(cs, PVC_RING_CSB_LO(0, index), PVC_LOWER_32(entry));
	cs_set_reg(cs, PVC_RING_CSB_HI(0, index), PVC_UPPER_32(entry));

	if (!event_to_memory(cs, index, entry))
		cs_log(cs, "status page %#x is not mapped in the GGTT",
		       cs_reg(cs, PVC_RING_HWS_PGA(0)) & ~0xfffu);
	reg_write(cs->tile, PVC_CONTEXT_STATUS_PTR(base), (ptr & ~PVC_CSB_PTR_WRITE_MASK) | index);

	counter_add(&cs->e->cnt.context_switches, 1);
	cs_irq(cs, PVC_VEC_CONTEXT_SWITCH | cs->batch.held_irq);
	cs->batch.held_irq = 0;
}

/* The first waiting load becomes the queue. Lock held. */
static void take_load(struct cs *cs)
{
	memcpy(cs->ctx.queue, cs->port.loads[0].desc, sizeof(cs->ctx.queue));
	cs->ctx.num_queue = cs->port.loads[0].num;
	cs->ctx.current = 0;
	cs->ctx.wanted_since = 0;
	cs->port.num_loads--;
	memmove(cs->port.loads, cs->port.loads + 1, cs->port.num_loads * sizeof(cs->port.loads[0]));
	if (!cs->port.num_loads)
		atomic_fetch_and(&cs->port.attention, ~ATTENTION_LOAD);
}

/* Take a waiting load of the running context; false when there is none. */
static bool lite_restore(struct cs *cs)
{
	const struct cs_load *first = &cs->port.loads[0];
	uint64_t away = cs->ctx.desc, to;
	bool lite = false;

	pthread_mutex_lock(&cs->port.lock);
	if (cs->port.num_loads && cs_is_lite_restore(cs, first)) {
		lite = true;
		take_load(cs);
		to = cs->ctx.queue[0];
		cs->ctx.desc = to;
		counter_add(&cs->e->cnt.lite_restores, 1);
		cs->ctx.broken = context_update_tail(cs) != CS_OK;
		set_status(cs, to);
		event(cs, to, away, PVC_CSB_DETAIL_COMPLETE, true);
	}
	pthread_mutex_unlock(&cs->port.lock);
	return lite;
}

/* ---- the engine's thread ---- */

/* A fault or error has stopped the engine: wait for a reset. */
static void halted(struct cs *cs)
{
	atomic_store(&cs->port.executing, false);
	atomic_store(&cs->port.halted, true);
	cs_flush_irq(cs);
	if (fault_interrupt && (cs_reg(cs, PVC_RING_RESET_CTL(0)) & PVC_RESET_CTL_CAT_ERROR))
		cs_irq(cs, PVC_VEC_CS_ERROR);
	cs_hang(cs);
}

/* Choose and report the next context after a save. False: there is none. Lock held. */
static bool next_context(struct cs *cs, enum cs_exit why)
{
	uint64_t away = cs->ctx.desc, to = 0;
	unsigned int detail = why == EXIT_PREEMPTED ? PVC_CSB_DETAIL_PREEMPTED :
						      PVC_CSB_DETAIL_COMPLETE;
	bool new_queue = false;

	if (why == EXIT_PREEMPTED)
		counter_add(&cs->e->cnt.preemptions, 1);
	if (atomic_load(&cs->port.attention) & ATTENTION_LOAD) {
		take_load(cs);
		new_queue = true;
	} else {
		cs->ctx.current++;
	}
	if (cs->ctx.current < cs->ctx.num_queue)
		to = cs->ctx.queue[cs->ctx.current];
	atomic_store(&cs->port.running, false);
	set_status(cs, to);
	if (!to)
		atomic_store(&cs->port.executing, false);
	event(cs, to, away, detail, new_queue);
	return to;
}

/* Run the queue until it is empty or the engine stops. */
static void run_queue(struct cs *cs)
{
	bool more = true;

	while (more) {
		enum cs_exit why = EXIT_STOPPED;
		enum cs_result r;

		/* A wait of the former context may be unfinished. */
		cs->batch.poll_us = 0;
		r = context_load(cs, cs->ctx.queue[cs->ctx.current], cs_run_wa);
		if (r == CS_OK)
			why = cs_execute(cs, lite_restore);
		else if (r == CS_HALT)
			why = EXIT_HALTED;
		if (why == EXIT_EMPTY || why == EXIT_PREEMPTED) {
			if (context_save(cs) != CS_OK)
				why = EXIT_HALTED;
		}
		if (why == EXIT_HALTED)
			halted(cs);
		if (why == EXIT_HALTED || why == EXIT_STOPPED)
			return;
		pthread_mutex_lock(&cs->port.lock);
		more = next_context(cs, why);
		pthread_mutex_unlock(&cs->port.lock);
	}
}

/*
 * State that no context has set. Predication, arbitration, the pipeline and the compute mode begin
 * with the values of a reset; addresses and limits are undefined until a command sets them.
 */
static void forget_state(struct cs *cs)
{
	struct cs_compute *c = &cs->ctx.s.compute;
	uint64_t noise[8];
	uint32_t words[3];

	memset(&cs->ctx.s, 0, sizeof(cs->ctx.s));
	if (!card_punishes(cs->card, STRICT_STALE_STATE))
		return;
	noise_words(cs->e, 0, (uint32_t *)noise, 16);
	noise_words(cs->e, 1, words, 3);
	for (unsigned int i = 0; i < 8; i++)
		noise[i] &= 0x00007ffffffff000ull;
	c->gsba = noise[0];
	c->ssba = noise[1];
	c->dsba = noise[2];
	c->iba = noise[3];
	c->bindless = noise[4];
	c->sip = noise[5];
	c->fence = noise[6];
	c->binding_pool = noise[7];
	c->binding_pool_size = words[0] & 0xfffff;
	c->scratch = words[1] & 0xfffffc00;
	c->max_threads = words[2] & 0xffff;
}

/* A reset: forget all loads and the queue; lock held. */
static void drop_all(struct cs *cs)
{
	cs->port.num_loads = 0;
	cs->ctx.num_queue = 0;
	cs->ctx.desc = 0;
	cs->batch.held_irq = 0;
	cs->ctx.late.held = false;
	blt_late_drop(cs);
	cs->batch.logged = 0;
	forget_state(cs);
	atomic_store(&cs->port.running, false);
	atomic_store(&cs->port.executing, false);
	atomic_store(&cs->port.halted, false);
	atomic_fetch_and(&cs->port.attention,
			 ~(ATTENTION_RESET | ATTENTION_LOAD | ATTENTION_STOP_RING));
	set_status(cs, 0);
	atomic_store(&cs->port.cancel, false);
	pthread_cond_broadcast(&cs->port.quiet);
}

/*
 * An injected fault: the load that waits has to wait longer. False: something else comes before it.
 * Lock held.
 */
static bool wait_to_take(struct cs *cs)
{
	unsigned int us = inject_load_delay(cs->e);

	if (us)
		cs_sleep_locked(cs, us);
	return !(atomic_load(&cs->port.attention) & ~ATTENTION_LOAD);
}

static void *engine_thread(void *arg)
{
	struct cs *cs = arg;
	unsigned int attention;

	pthread_mutex_lock(&cs->port.lock);
	for (;;) {
		attention = atomic_load(&cs->port.attention);
		if (attention & ATTENTION_QUIT)
			break;
		if (attention & ATTENTION_RESET) {
			drop_all(cs);
			continue;
		}
		if (!(attention & ATTENTION_LOAD) || (attention & ATTENTION_STOP_RING)) {
			pthread_cond_wait(&cs->port.wake, &cs->port.lock);
			continue;
		}
		if (!wait_to_take(cs))
			continue;
		take_load(cs);
		if (!cs->ctx.num_queue) {
			set_status(cs, 0);
			continue;
		}
		atomic_store(&cs->port.executing, true);
		set_status(cs, cs->ctx.queue[0]);
		event(cs, cs->ctx.queue[0], 0, PVC_CSB_DETAIL_COMPLETE, true);
		pthread_mutex_unlock(&cs->port.lock);
		run_queue(cs);
		pthread_mutex_lock(&cs->port.lock);
	}
	pthread_mutex_unlock(&cs->port.lock);
	return NULL;
}

/* ---- hooks and calls of other threads ---- */

static void set_attention(struct cs *cs, unsigned int bit)
{
	atomic_fetch_or(&cs->port.attention, bit);
	pthread_cond_broadcast(&cs->port.wake);
}

/*
 * EXECLIST_CONTROL: load the queue's elements up to the first invalid one.  Silicon takes
 * a load before a driver can write the next one.  Here the engine's thread may be late, so
 * up to CS_LOADS loads wait in line instead of replacing each other.
 */
static void load_queue(struct cs *cs)
{
	struct cs_load load = { 0 };

	for (; load.num < CS_PORTS; load.num++) {
		uint64_t low = cs_reg(cs, PVC_EXECLIST_SQ_CONTENTS(0, load.num));
		uint64_t high = cs_reg(cs, PVC_EXECLIST_SQ_CONTENTS_UDW(0, load.num));
		uint64_t desc = high << 32 | low;

		if (!(desc & PVC_CTX_VALID))
			break;
		load.desc[load.num] = desc;
	}
	/* The firmware schedules, and takes no turns with a driver. */
	if (!(reg_read(cs->e->tile, PVC_GUC_STATUS) & PVC_GUC_STATUS_IN_RESET)) {
		vlog("guest error: %s: a load while the GuC runs is ignored", cs->e->name);
		return;
	}
	pthread_mutex_lock(&cs->port.lock);
	if (cs->port.num_loads == CS_LOADS)
		vlog("guest error: %s: %u loads wait, the last is replaced", cs->e->name,
		     cs->port.num_loads--);
	cs->port.loads[cs->port.num_loads++] = load;
	counter_add(&cs->e->cnt.elsq_loads, 1);
	if (load.num)
		cs_set_reg(cs, PVC_EXECLIST_STATUS(0), PVC_EXECLIST_STATUS_ACTIVE);
	set_attention(cs, ATTENTION_LOAD);
	pthread_mutex_unlock(&cs->port.lock);
}

/* The streamer of the register's engine; NULL: the engine is absent, its registers storage. */
static struct cs *streamer_of(struct tile *t, uint32_t off)
{
	return regs_engine(t, off)->priv;
}

void execlist_write_control(struct tile *t, uint32_t off, uint32_t val)
{
	struct cs *cs = streamer_of(t, off);

	if (!cs)
		reg_store(t, off, val);
	else if (val & PVC_EXECLIST_CONTROL_LOAD)
		load_queue(cs);
}

uint32_t execlist_read_mi_mode(struct tile *t, uint32_t off)
{
	struct cs *cs = streamer_of(t, off);

	if (!cs)
		return reg_read(t, off);
	return (reg_read(t, off) & ~PVC_MI_MODE_IDLE) |
	       (atomic_load(&cs->port.executing) ? 0 : PVC_MI_MODE_IDLE);
}

void execlist_write_mi_mode(struct tile *t, uint32_t off, uint32_t val)
{
	struct cs *cs = streamer_of(t, off);

	if (!cs) {
		reg_store(t, off, val);
		return;
	}
	pthread_mutex_lock(&cs->port.lock);
	reg_store(t, off, val & ~(PVC_MI_MODE_IDLE << 16));
	if (reg_read(t, off) & PVC_MI_MODE_STOP_RING) {
		if (atomic_load(&cs->port.executing))
			wake_begin(cs->e);
		atomic_fetch_or(&cs->port.attention, ATTENTION_STOP_RING);
	} else {
		atomic_fetch_and(&cs->port.attention, ~ATTENTION_STOP_RING);
	}
	pthread_cond_broadcast(&cs->port.wake);
	pthread_mutex_unlock(&cs->port.lock);
}

/* A request for a reset is acknowledged at once, because nothing needs to be drained. */
void execlist_write_reset_ctl(struct tile *t, uint32_t off, uint32_t val)
{
	uint32_t enable = val >> 16;

	if (!streamer_of(t, off)) {
		reg_store(t, off, val);
		return;
	}
	if (enable & PVC_RESET_CTL_REQUEST) {
		if (val & PVC_RESET_CTL_REQUEST)
			reg_set(t, off, PVC_RESET_CTL_REQUEST | PVC_RESET_CTL_READY);
		else
			reg_clear(t, off, PVC_RESET_CTL_REQUEST | PVC_RESET_CTL_READY);
	}
	if (enable & val & PVC_RESET_CTL_CAT_ERROR)
		reg_clear(t, off, PVC_RESET_CTL_CAT_ERROR);
}

/* Shift of the lower or the upper register of the pair. */
static unsigned int context_time_shift(uint32_t off)
{
	return off % PVC_ENGINE_REGS_SIZE == PVC_CTX_TIMESTAMP(0) ? 0 : 32;
}

uint32_t execlist_read_context_time(struct tile *t, uint32_t off)
{
	struct cs *cs = streamer_of(t, off);

	return cs ? (uint32_t)(cs_context_time(cs) >> context_time_shift(off)) : reg_read(t, off);
}

void execlist_write_context_time(struct tile *t, uint32_t off, uint32_t val)
{
	struct cs *cs = streamer_of(t, off);
	unsigned int shift = context_time_shift(off);
	uint64_t now, time;

	if (!cs) {
		reg_store(t, off, val);
		return;
	}
	now = atomic_load(&cs->port.running) ? card_timestamp() : 0;
	time = atomic_load(&cs->port.time) + now;
	time = (time & ~(0xffffffffull << shift)) | (uint64_t)val << shift;
	atomic_store(&cs->port.time, time - now);
}

void engine_reset(struct engine *e)
{
	struct cs *cs = e->priv;

	if (!cs)
		return;
	pthread_mutex_lock(&cs->port.lock);
	atomic_store(&cs->port.cancel, true);
	set_attention(cs, ATTENTION_RESET);
	while (atomic_load(&cs->port.attention) & ATTENTION_RESET)
		pthread_cond_wait(&cs->port.quiet, &cs->port.lock);
	pthread_mutex_unlock(&cs->port.lock);
	/* A request that is repeated finds an engine that nobody has set up since. */
	if (cs_reg(cs, PVC_RING_HWS_PGA(0)))
		counter_add(&e->cnt.resets, 1);
}

const char *engine_state(struct engine *e)
{
	struct cs *cs = e->priv;

	if (!cs || !e->present)
		return "absent";
	if (atomic_load(&cs->port.halted))
		return "stopped";
	return cs_reg(cs, PVC_EXECLIST_STATUS(0)) & PVC_EXECLIST_STATUS_ACTIVE ? "active" : "idle";
}

int engine_init(struct engine *e)
{
	pthread_condattr_t attr;
	struct cs *cs;
	int err;

	cs = calloc(1, sizeof(*cs));
	if (!cs)
		return -ENOMEM;
	cs->e = e;
	cs->tile = e->tile;
	cs->card = e->tile->card;
	forget_state(cs);
	pthread_mutex_init(&cs->port.lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&cs->port.wake, &attr);
	pthread_cond_init(&cs->port.quiet, &attr);
	pthread_condattr_destroy(&attr);
	e->priv = cs;
	err = pthread_create(&cs->port.thread, NULL, engine_thread, cs);
	if (err) {
		e->priv = NULL;
		free(cs);
	}
	return -err;
}

void engine_fini(struct engine *e)
{
	struct cs *cs = e->priv;

	if (!cs)
		return;
	pthread_mutex_lock(&cs->port.lock);
	atomic_store(&cs->port.cancel, true);
	set_attention(cs, ATTENTION_QUIT);
	pthread_mutex_unlock(&cs->port.lock);
	pthread_join(cs->port.thread, NULL);
	pthread_cond_destroy(&cs->port.wake);
	pthread_cond_destroy(&cs->port.quiet);
	pthread_mutex_destroy(&cs->port.lock);
	e->priv = NULL;
	eu_cache_free(cs->batch.eu_cache);
	free(cs);
}
