// SPDX-License-Identifier: MIT
/*
 * Functions for a thread that all handlers share: stops, modes of cr0, and the number of
 * the hardware thread.
 */
#include "eu/state/eu_state.h"

#include <fenv.h>
#include <stdio.h>

#include "eu/isa/eu_disasm.h"

/* Stop the thread. Only the first stop of a run is reported, from whichever worker. */
static struct eu_op *report(struct eu_thread *t, const struct eu_op *op,
			    enum eu_reason reason, uint64_t va, bool write,
			    const char *what)
{
	struct eu_run_state *run = t->worker->run;
	struct eu_stop *stop = &run->stop;
	char text[160] = "";
	bool expected = false;

	t->status = EU_T_STOPPED;
	if (!atomic_compare_exchange_strong(&run->stopped, &expected, true))
		return NULL;
	stop->reason = reason;
	stop->ip = op->in.ip;
	stop->va = va;
	stop->write = write;
	if (reason == EU_FAULT && t->worker->failure.va == va)
		stop->cause = t->worker->failure.cause;
	if (op->in.size && op->in.exec_size)
		eu_print(&op->in, text, sizeof(text));
	else if (op->in.size)
		snprintf(text, sizeof(text), "opcode 0x%02x", op->in.opcode);
	snprintf(stop->text, sizeof(stop->text), "%s%s%s", text,
		 text[0] ? ": " : "", what);
	return NULL;
}

struct eu_op *eu_thread_stop(struct eu_thread *t, struct eu_op *op,
			     enum eu_reason reason, const char *what)
{
	return report(t, op, reason, 0, false, what);
}

struct eu_op *eu_thread_fault(struct eu_thread *t, struct eu_op *op,
			      uint64_t va, bool write)
{
	char what[64];

	snprintf(what, sizeof(what), "page fault, %s 0x%llx",
		 write ? "write" : "read", (unsigned long long)va);
	return report(t, op, EU_FAULT, va, write, what);
}

/* cr0 has changed: the host's rounding mode follows its bits [5:4]. */
void eu_thread_cr0_changed(struct eu_thread *t)
{
	static const int modes[4] = {
		FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO
	};
	uint32_t cr0 = eu_get32(t, EU_ARF_SLOT(EU_CR));
	uint32_t keep = EU_CR0_KEEP_DF | EU_CR0_KEEP_F | EU_CR0_KEEP_HF;
	int mode;

	t->slow = (cr0 & keep) != keep;
	mode = modes[cr0 >> EU_CR0_ROUND_SHIFT & 3];
	t->rounding = mode;
	if (mode == t->worker->rounding)
		return;
	fesetround(mode);
	t->worker->rounding = mode;
}

/* sr0.0: thread [2:0], EU [5:4] and [8], sub-slice [11:9], slice [14:12] */
uint32_t eu_hardware_id(const struct eu_walker *walker, unsigned int slot)
{
	uint64_t mask = walker->dss_mask ? : UINT64_MAX;
	unsigned int dss = slot / 64, eu = slot / 8 % 8, n = 0;

	for (n = 0; n < 64; n++)
		if (mask >> n & 1 && !dss--)
			break;
	return (slot & 7) | (eu & 3) << 4 | (eu >> 2) << 8 |
	       (n & 7) << 9 | (n >> 3 & 7) << 12;
}
