// SPDX-License-Identifier: MIT
/*
 * Injected faults take effect here: other blocks call these hooks where a fault may
 * happen. The table in card/inject_command.c lists the faults and arms them.
 *
 * Nothing here is random: events are counted, and the count decides which one is hit. An
 * armed fault is not state of the card, so resets leave it armed.
 *
 * Engines' threads call the hooks for engines and memory, which take the lock; the host
 * thread alone arms and calls those for forcewake, pcode and GDRST, which need none.
 */
#include "core/inject.h"

#include <errno.h>
#include <stdlib.h>

#include "card.h"
#include "core/clock.h"
#include "core/inject_rules.h"
#include "core/irq.h"
#include "core/xlat.h"
#include "log.h"

#define LINE		64u

/* Is this event hit? *@last: no later event will be. */
static bool strikes(struct strike *s, bool *last)
{
	*last = false;
	if (s->skip) {
		s->skip--;
		return false;
	}
	if (s->endless)
		return true;
	*last = s->count <= 1;
	if (!s->count)
		return false;
	s->count--;
	return true;
}

static void took_effect(struct card *c, const char *where, const char *what)
{
	counter_add(&c->injected, 1);
	vlog("injected: %s: %s", where, what);
}

/* ---- hooks ---- */

bool inject_hang(struct engine *e, bool after)
{
	struct inject *in = e->tile->card->inject;
	struct engine_rules *r;
	bool hit = false, last;

	if (!inject_armed(&e->injected, INJECT_HANG))
		return false;
	pthread_mutex_lock(&in->lock);
	r = rules_of(e);
	if (inject_armed(&e->injected, INJECT_HANG) && r->hang_after == after)
		hit = strikes(&r->hang, &last);
	if (hit)
		atomic_fetch_and(&e->injected, ~INJECT_HANG);
	pthread_mutex_unlock(&in->lock);
	if (hit)
		took_effect(e->tile->card, e->name, after ? "hangs after this command" :
							    "hangs before this command");
	return hit;
}

unsigned int inject_delay(struct engine *e)
{
	if (!inject_armed(&e->injected, INJECT_SLOW))
		return 0;
	counter_add(&e->tile->card->injected, 1);
	return atomic_load(&rules_of(e)->slow_us);
}

unsigned int inject_load_delay(struct engine *e)
{
	struct inject *in = e->tile->card->inject;
	struct engine_rules *r;
	unsigned int us = 0;
	bool last;

	if (!inject_armed(&e->injected, INJECT_LOAD_LATE))
		return 0;
	pthread_mutex_lock(&in->lock);
	r = rules_of(e);
	if (strikes(&r->load, &last))
		us = r->load_us;
	if (last)
		atomic_fetch_and(&e->injected, ~INJECT_LOAD_LATE);
	pthread_mutex_unlock(&in->lock);
	if (us)
		took_effect(e->tile->card, e->name, "load taken late");
	return us;
}

static bool csb_is_hit(struct engine *e, unsigned int which, const char *what)
{
	struct inject *in = e->tile->card->inject;
	bool hit, last;

	if (!inject_armed(&e->injected, csb_bit(which)))
		return false;
	pthread_mutex_lock(&in->lock);
	hit = strikes(&rules_of(e)->csb[which], &last);
	if (last)
		atomic_fetch_and(&e->injected, ~csb_bit(which));
	pthread_mutex_unlock(&in->lock);
	if (hit)
		took_effect(e->tile->card, e->name, what);
	return hit;
}

bool inject_csb_lost(struct engine *e)
{
	return csb_is_hit(e, CSB_LOST, "status entry lost");
}

bool inject_csb_late(struct engine *e)
{
	return csb_is_hit(e, CSB_LATE, "status entry late");
}

bool inject_csb_wrong(struct engine *e)
{
	return csb_is_hit(e, CSB_WRONG, "status entry wrong");
}

bool inject_copy_lost(struct engine *e, uint64_t bytes)
{
	struct inject *in = e->tile->card->inject;
	struct engine_rules *r;
	bool hit, last;

	if (!inject_armed(&e->injected, INJECT_COPY_LOST))
		return false;
	pthread_mutex_lock(&in->lock);
	r = rules_of(e);
	last = false;
	hit = bytes >= r->copy_bytes && strikes(&r->copy, &last);
	if (last)
		atomic_fetch_and(&e->injected, ~INJECT_COPY_LOST);
	pthread_mutex_unlock(&in->lock);
	if (hit)
		took_effect(e->tile->card, e->name, "part of a blit is not written");
	return hit;
}

static void add_late(struct inject *in, struct engine *e, uint32_t vector, uint64_t us)
{
	if (in->num_late == MAX_LATE) {
		vlog("injected: %s: too many late interrupts, this one is lost", e->name);
		return;
	}
	in->late[in->num_late++] = (struct late) {
		.due = card_timestamp() + card_ticks(us),
		.t = e->tile, .class = e->class, .instance = e->instance, .vector = vector,
	};
	pthread_cond_signal(&in->wake);
}

uint32_t inject_irq(struct engine *e, uint32_t vector, uint32_t *again)
{
	static const char * const what[NUM_IRQ_RULES] = {
		"interrupt lost", "interrupt late", "interrupt twice",
	};
	struct inject *in = e->tile->card->inject;
	struct engine_rules *r;
	bool hit[NUM_IRQ_RULES] = { false }, last, armed = false;

	*again = 0;
	if (!inject_armed(&e->injected, INJECT_IRQ))
		return vector;
	pthread_mutex_lock(&in->lock);
	r = rules_of(e);
	for (unsigned int i = 0; i < NUM_IRQ_RULES; i++) {
		struct irq_rule *rule = &r->irq[i];
		uint32_t hits = vector & rule->vectors;

		if (!rule->armed || !hits)
			continue;
		hit[i] = strikes(&rule->strike, &last);
		if (last)
			rule->armed = false;
		if (!hit[i])
			continue;
		if (i == IRQ_TWICE) {
			*again = hits;
			continue;
		}
		if (i == IRQ_LATE)
			add_late(in, e, hits, rule->us);
		vector &= ~hits;
	}
	for (unsigned int i = 0; i < NUM_IRQ_RULES; i++)
		armed |= r->irq[i].armed;
	if (!armed)
		atomic_fetch_and(&e->injected, ~INJECT_IRQ);
	pthread_mutex_unlock(&in->lock);
	for (unsigned int i = 0; i < NUM_IRQ_RULES; i++)
		if (hit[i])
			took_effect(e->tile->card, e->name, what[i]);
	return vector;
}

/* Cut [at, at + *len) to the bytes before range @r; false: @at is inside @r. */
static bool cut(const struct range *r, uint64_t at, uint64_t *len)
{
	if (at >= r->first && at <= r->last)
		return false;
	if (at < r->first && r->first - at < *len)
		*len = r->first - at;
	return true;
}

/* Does range @r apply to accesses in @as? */
static bool concerns(const struct range *r, const struct aspace *as)
{
	struct engine *e = as->walker;

	if (!r->armed || !(r->tiles & 1u << as->tile->id) || r->ggtt != as->ggtt)
		return false;
	if (r->of_engines && !(e && (r->engines & engine_bit(e))))
		return false;
	return !r->of_context || (e && counter_get(&e->cnt.last_context) == r->context);
}

enum xlat inject_fault(const struct aspace *as, uint64_t va, bool write, struct span *s)
{
	struct inject *in = as->tile->card->inject;
	enum xlat x = XLAT_OK;
	bool last;

	pthread_mutex_lock(&in->lock);
	for (unsigned int i = 0; i < MAX_RANGES && x == XLAT_OK; i++) {
		struct range *r = &in->fault[i];

		if (!concerns(r, as) || cut(r, va, &s->len))
			continue;
		/* A holder of this translation must translate again before it writes, ... */
		s->writable = s->writable && !r->writes_only;
		if (r->writes_only && !write)
			continue;
		if (strikes(&r->strike, &last))
			x = r->kind;
		/* ... and after a cache line, because each access counts as an event. */
		if (s->len > LINE - va % LINE)
			s->len = LINE - va % LINE;
		if (last)
			r->armed = false;
	}
	pthread_mutex_unlock(&in->lock);
	if (x != XLAT_OK)
		took_effect(as->tile->card, as->ggtt ? "GGTT" : "PPGTT", xlat_name(x));
	return x;
}

bool inject_poisoned(struct card *c, uint64_t dpa, uint64_t *len)
{
	struct inject *in = c->inject;
	bool hit = false;

	pthread_mutex_lock(&in->lock);
	for (unsigned int i = 0; i < MAX_RANGES; i++)
		if (in->poison[i].armed && !cut(&in->poison[i], dpa, len))
			hit = true;
	pthread_mutex_unlock(&in->lock);
	if (hit)
		took_effect(c, "HBM", "poisoned memory touched");
	return hit;
}

bool inject_well_silent(struct tile *t, unsigned int well)
{
	if (!inject_armed(&t->injected, INJECT_WELL) ||
	    !(t->card->inject->tile[t->id].wells & well))
		return false;
	took_effect(t->card, "forcewake", "not acknowledged");
	return true;
}

bool inject_well_lost(struct tile *t, unsigned int well)
{
	struct tile_rules *r = &t->card->inject->tile[t->id];
	bool last;

	if (!inject_armed(&t->injected, INJECT_WELL_LOST) || !(r->lossy_wells & well) ||
	    !strikes(&r->lost, &last))
		return false;
	if (last)
		atomic_fetch_and(&t->injected, ~INJECT_WELL_LOST);
	took_effect(t->card, "forcewake", "acknowledge lost");
	return true;
}

enum inject_pcode inject_pcode(struct tile *t, uint32_t command, uint32_t *code)
{
	struct tile_rules *r = &t->card->inject->tile[t->id];
	bool last;

	if (!inject_armed(&t->injected, INJECT_PCODE) ||
	    !(r->pcode_any || r->pcode_command == command) || !strikes(&r->pcode, &last))
		return INJECT_PCODE_NONE;
	if (last)
		atomic_fetch_and(&t->injected, ~INJECT_PCODE);
	*code = r->pcode_code;
	took_effect(t->card, "pcode", r->pcode_busy ? "never answers" : "answers an error");
	return r->pcode_busy ? INJECT_PCODE_BUSY : INJECT_PCODE_ERROR;
}

bool inject_flr_dead(struct card *c)
{
	if (!atomic_load(&c->flr_dead))
		return false;
	took_effect(c, "function", "a reset without effect");
	return true;
}

uint32_t inject_reset(struct tile *t, uint32_t domains)
{
	struct tile_rules *r = &t->card->inject->tile[t->id];
	bool last;

	if (!inject_armed(&t->injected, INJECT_RESET) || !(domains & r->reset_domains) ||
	    !strikes(&r->reset, &last))
		return 0;
	if (last)
		atomic_fetch_and(&t->injected, ~INJECT_RESET);
	took_effect(t->card, "GDRST", "a reset that does not end");
	return domains & r->reset_domains;
}

uint32_t inject_register(struct tile *t, uint32_t off, uint32_t val)
{
	struct inject *in = t->card->inject;
	bool hit = false, last;

	pthread_mutex_lock(&in->lock);
	for (unsigned int i = 0; i < MAX_LIES; i++) {
		struct lie *l = &in->lies[i];

		if (!l->armed || l->off != off || !(l->tiles & 1u << t->id))
			continue;
		if (strikes(&l->strike, &last)) {
			val = (val & ~l->mask) | (l->value & l->mask);
			hit = true;
		}
		if (last)
			l->armed = false;
	}
	pthread_mutex_unlock(&in->lock);
	if (hit)
		took_effect(t->card, "register", "the host reads a false value");
	return val;
}

/* ---- late interrupts ---- */

/* Index of the interrupt that is due first; 0 if there is none. */
static unsigned int first_late(const struct inject *in)
{
	unsigned int best = 0;

	for (unsigned int i = 1; i < in->num_late; i++)
		if (in->late[i].due < in->late[best].due)
			best = i;
	return best;
}

static void *late_thread(void *arg)
{
	struct inject *in = arg;

	pthread_mutex_lock(&in->lock);
	while (!in->quit) {
		unsigned int i = first_late(in);
		uint64_t now = card_timestamp();
		struct late l;

		if (!in->num_late) {
			pthread_cond_wait(&in->wake, &in->lock);
			continue;
		}
		l = in->late[i];
		if (l.due > now) {
			/* card_timestamp() is the monotonic clock in ticks. */
			uint64_t ns = l.due * 625 / 12;
			struct timespec ts = { (time_t)(ns / 1000000000), (long)(ns % 1000000000) };

			pthread_cond_timedwait(&in->wake, &in->lock, &ts);
			continue;
		}
		in->late[i] = in->late[--in->num_late];
		pthread_mutex_unlock(&in->lock);
		irq_deliver(l.t, l.class, l.instance, l.vector, 0);
		pthread_mutex_lock(&in->lock);
	}
	pthread_mutex_unlock(&in->lock);
	return NULL;
}

bool inject_start_late(struct inject *in)
{
	if (!in->running)
		in->running = !pthread_create(&in->thread, NULL, late_thread, in);
	return in->running;
}

void inject_drop_late(struct card *c)
{
	pthread_mutex_lock(&c->inject->lock);
	c->inject->num_late = 0;
	pthread_mutex_unlock(&c->inject->lock);
}

/* ---- made and destroyed with the card ---- */

int inject_init(struct card *c)
{
	pthread_condattr_t attr;

	c->inject = calloc(1, sizeof(*c->inject));
	if (!c->inject)
		return -ENOMEM;
	pthread_mutex_init(&c->inject->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&c->inject->wake, &attr);
	pthread_condattr_destroy(&attr);
	return 0;
}

void inject_fini(struct card *c)
{
	struct inject *in = c->inject;

	if (!in)
		return;
	if (in->running) {
		pthread_mutex_lock(&in->lock);
		in->quit = true;
		pthread_cond_signal(&in->wake);
		pthread_mutex_unlock(&in->lock);
		pthread_join(in->thread, NULL);
	}
	pthread_cond_destroy(&in->wake);
	pthread_mutex_destroy(&in->lock);
	free(in);
}
