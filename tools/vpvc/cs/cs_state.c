// SPDX-License-Identifier: MIT
/*
 * Services of the streamer for its commands: registers, errors, interrupts, time, levels
 * of batches, and waits. All run on the engine's thread; waits use the port's lock.
 */
#include "cs/cs_state.h"

#include <stdarg.h>
#include <stdio.h>
#include <time.h>

#include "card.h"
#include "core/clock.h"
#include "core/freq.h"
#include "core/irq.h"
#include "core/regs.h"
#include "log.h"
#include "pvc_gfx_commands.h"
#include "pvc_gtt.h"
#include "pvc_lrc_regs.h"

/*
 * After SPIN_JUMPS batch starts without other work, a batch counts as a busy loop, and
 * each further start sleeps. The sleep grows with the loop, because engines that spin take
 * the host's processors from engines that work.
 */
#define SPIN_JUMPS		64
#define SPIN_SLEEP_US		50
#define SPIN_DOUBLE_JUMPS	1024
#define SPIN_MAX_DOUBLINGS	4
#define LOG_LIMIT		200
/* A tile below its highest frequency takes longer: its engines sleep when it is long enough. */
#define SLEEP_MIN_NS		100000

uint64_t cs_gpr(struct cs *cs, unsigned int n)
{
	return cs_reg(cs, PVC_CS_USER_GPR(n)) |
	       (uint64_t)cs_reg(cs, PVC_CS_USER_GPR(n) + 4) << 32;
}

void cs_set_gpr(struct cs *cs, unsigned int n, uint64_t val)
{
	cs_set_reg(cs, PVC_CS_USER_GPR(n), PVC_LOWER_32(val));
	cs_set_reg(cs, PVC_CS_USER_GPR(n) + 4, PVC_UPPER_32(val));
}

uint64_t cs_context_time(struct cs *cs)
{
	uint64_t t = atomic_load(&cs->port.time);

	return atomic_load(&cs->port.running) ? t + card_timestamp() : t;
}

uint64_t cs_partition_offset(struct cs *cs)
{
	return (uint64_t)cs_reg(cs, PVC_CS_WPARID) * cs_reg(cs, PVC_CS_PARTITION_STRIDE);
}

void cs_irq(struct cs *cs, uint32_t vector)
{
	counter_add(&cs->e->cnt.interrupts, 1);
	irq_raise(cs->tile, cs->e->class, cs->e->instance, vector);
}

void cs_flush_irq(struct cs *cs)
{
	uint32_t vector = cs->batch.held_irq;

	cs->batch.held_irq = 0;
	if (vector)
		cs_irq(cs, vector);
}

void cs_log(struct cs *cs, const char *fmt, ...)
{
	char text[256];
	va_list ap;

	if (cs->batch.logged >= LOG_LIMIT)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	vlog("guest error: %s: %s%s", cs->e->name, text,
	     ++cs->batch.logged == LOG_LIMIT ? " (no more of these)" : "");
}

/* Text with the position of the current command, for messages. */
static void describe_position(struct cs *cs, char *buf, size_t size)
{
	if (cs->batch.insn_level)
		snprintf(buf, size, "%s batch level %u address %#llx",
			 cs->ctx.s.ggtt & (1u << cs->batch.insn_level) ? "GGTT" : "PPGTT",
			 cs->batch.insn_level, (unsigned long long)cs->batch.insn_addr);
	else
		snprintf(buf, size, "ring %#x offset %#llx", cs->ctx.ring_start,
			 (unsigned long long)cs->batch.insn_addr);
}

enum cs_result cs_error(struct cs *cs, const char *fmt, ...)
{
	char text[256], where[80];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	describe_position(cs, where, sizeof(where));
	vlog("%s: command %#010x, %s: %s; engine stopped", cs->e->name, cs->batch.cmd[0], where,
	     text);

	reg_set(cs->tile, PVC_RING_EIR(cs->e->base), PVC_ERROR_INSTRUCTION);
	if (!(cs_reg(cs, PVC_RING_EMR(0)) & PVC_ERROR_INSTRUCTION))
		cs_irq(cs, PVC_VEC_CS_ERROR);
	return CS_HALT;
}

/* ---- levels ---- */

static unsigned int spin_sleep_us(struct cs *cs)
{
	unsigned int doublings = cs->batch.jumps / SPIN_DOUBLE_JUMPS;

	if (doublings > SPIN_MAX_DOUBLINGS)
		doublings = SPIN_MAX_DOUBLINGS;
	return SPIN_SLEEP_US << doublings;
}

/*
 * The level of a batch that is started at level @from, with bit 22 of MI_BATCH_BUFFER_START or
 * without.  In nested mode (MI_MODE bit 12) the bit goes one level down, and a start without it
 * stays.  In the older mode the bit names the level: a second-level batch chains with the bit, and
 * leaves for a first-level batch without.
 */
static unsigned int next_level(struct cs *cs, unsigned int from, bool bit)
{
	if (from == 0)
		return 1;
	if (!(cs_reg(cs, PVC_RING_MI_MODE(0)) & PVC_MI_MODE_NESTED_BB))
		return bit ? 2 : 1;
	return bit && from + 1 < CS_LEVELS ? from + 1 : from;
}

void cs_batch_start(struct cs *cs, uint64_t addr, bool ggtt, bool nested)
{
	unsigned int from = cs->ctx.s.level;
	unsigned int to = next_level(cs, from, nested);

	/* A user's batch cannot leave the PPGTT. */
	if (!cs_privileged(cs))
		ggtt = false;
	/* A context without batches, such as a driver's idle context, leaves the last root. */
	if (from == 0 && !ggtt && cs->ctx.ppgtt)
		counter_set(&cs->e->cnt.last_root, cs->ctx.pdp0 & PVC_PTE_ADDR_MASK);
	cs->ctx.s.level = to;
	cs->ctx.s.addr[to] = addr;
	if (ggtt)
		cs->ctx.s.ggtt |= 1u << to;
	else
		cs->ctx.s.ggtt &= ~(1u << to);
	/* A jump inside a batch is no arbitration point: a loop needs one of its own. */
	cs->batch.arb_point = from == 0;
	counter_add(&cs->e->cnt.batches, 1);
	if (++cs->batch.jumps > SPIN_JUMPS)
		cs_sleep(cs, spin_sleep_us(cs));
}

void cs_batch_end(struct cs *cs, bool all)
{
	if (cs->ctx.s.level)
		cs->ctx.s.level = all ? 0 : cs->ctx.s.level - 1;
	cs->batch.arb_point = true;
	cs->batch.jumps = 0;
}

/* ---- waiting ---- */

uint64_t cs_now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ull + ts.tv_nsec;
}

/* Wait for the condition until @ns of the monotonic clock. */
static void wait_until(struct cs *cs, uint64_t ns)
{
	struct timespec ts = { ns / 1000000000ull, ns % 1000000000ull };

	pthread_cond_timedwait(&cs->port.wake, &cs->port.lock, &ts);
}

void cs_sleep_locked(struct cs *cs, unsigned int us)
{
	uint64_t end = cs_now_ns() + 1000ull * us;

	/* A waiting load does not end the sleep, because it may have to wait longer. */
	while (!(atomic_load(&cs->port.attention) & ~ATTENTION_LOAD) && cs_now_ns() < end)
		wait_until(cs, end);
}

void cs_sleep(struct cs *cs, unsigned int us)
{
	cs->batch.waited_ns += 1000ull * us;
	pthread_mutex_lock(&cs->port.lock);
	cs_sleep_locked(cs, us);
	pthread_mutex_unlock(&cs->port.lock);
}

void cs_slow_down(struct cs *cs, uint64_t ns)
{
	cs->batch.owed_ns += freq_delay(cs->tile, ns);
	if (cs->batch.owed_ns < SLEEP_MIN_NS)
		return;
	counter_add(&cs->e->cnt.slowed_us, cs->batch.owed_ns / 1000);
	cs_sleep(cs, (unsigned int)(cs->batch.owed_ns / 1000));
	cs->batch.owed_ns = 0;
}

void cs_slow_part(struct cs *cs, uint64_t start)
{
	if (!freq_is_low(cs->tile))
		return;
	cs_slow_down(cs, cs_now_ns() - start);
	cs->batch.slowed_ns += cs_now_ns() - start;
}

enum cs_result cs_hang(struct cs *cs)
{
	counter_add(&cs->e->cnt.hangs, 1);
	pthread_mutex_lock(&cs->port.lock);
	while (!cs_stopping(cs))
		pthread_cond_wait(&cs->port.wake, &cs->port.lock);
	pthread_mutex_unlock(&cs->port.lock);
	return CS_STOP;
}

void cs_park(struct cs *cs)
{
	cs_flush_irq(cs);
	pthread_mutex_lock(&cs->port.lock);
	atomic_store(&cs->port.executing, false);
	while (!cs_stopping(cs) && (atomic_load(&cs->port.attention) & ATTENTION_STOP_RING))
		pthread_cond_wait(&cs->port.wake, &cs->port.lock);
	atomic_store(&cs->port.executing, true);
	pthread_mutex_unlock(&cs->port.lock);
}

/* The engine's own time: processor time of its thread, and its waits. */
static uint64_t engine_ns(struct cs *cs)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return ts.tv_sec * 1000000000ull + ts.tv_nsec + cs->batch.waited_ns;
}

bool cs_preempt_due(struct cs *cs)
{
	uint64_t now;

	if (!(atomic_load(&cs->port.attention) & ATTENTION_LOAD))
		return false;
	now = engine_ns(cs);
	if (!cs->ctx.wanted_since)
		cs->ctx.wanted_since = now;
	return now - cs->ctx.wanted_since >= PREEMPT_GRACE_NS;
}

bool cs_is_lite_restore(const struct cs *cs, const struct cs_load *load)
{
	uint64_t other = load->desc[0] ^ cs->ctx.desc;

	return load->num && !(other & PVC_CTX_LRCA_MASK) &&
	       !(load->desc[0] & PVC_CTX_FORCE_RESTORE);
}

bool cs_switch_waits(struct cs *cs)
{
	bool waits = false;

	if (!(atomic_load(&cs->port.attention) & ATTENTION_LOAD))
		return false;
	pthread_mutex_lock(&cs->port.lock);
	if (cs->port.num_loads)
		waits = !cs_is_lite_restore(cs, &cs->port.loads[0]);
	pthread_mutex_unlock(&cs->port.lock);
	return waits;
}
