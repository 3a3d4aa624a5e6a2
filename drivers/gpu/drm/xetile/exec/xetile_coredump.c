// SPDX-License-Identifier: GPL-2.0-only
#include "exec/xetile_coredump.h"

#include <linux/atomic.h>
#include <linux/cleanup.h>
#include <linux/devcoredump.h>
#include <linux/ktime.h>
#include <linux/lockdep.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/seq_file.h>
#include <linux/sizes.h>
#include <linux/string_choices.h>
#include <linux/utsname.h>
#include <linux/vmalloc.h>
#include <linux/workqueue.h>

#include <drm/drm_managed.h>
#include <drm/drm_print.h>

#include "regs/pvc_engine_regs.h"
#include "regs/pvc_gt_regs.h"
#include "regs/pvc_lrc_regs.h"

#include "card/xetile_engine.h"
#include "exec/xetile_coredump_batch.h"
#include "exec/xetile_job.h"
#include "exec/xetile_lrc.h"
#include "exec/xetile_sched_engine.h"
#include "exec/xetile_sched_queue.h"
#include "exec/xetile_sched_types.h"
#include "mem/xetile_vm_print.h"
#include "xetile_device.h"
#include "xetile_info.h"

/**
 * DOC: device coredumps
 *
 * A batch that is stopped leaves a text behind, which tells the state of its queue and its engines:
 * /sys/class/devcoredump/devcd<n>/data, readable by root only. It holds registers, the driver's own
 * commands in the rings, the user's commands about the place where the engine stood
 * (xetile_coredump_batch.c), and which buffers were mapped where around that place or around the
 * address of a page fault. It holds no other byte of a user's buffer. (RING_IPEHR is the first
 * dword of the command that ran.)
 *
 * The kernel keeps one such text a device, until somebody reads it and writes to it, or five
 * minutes have passed; texts that come meanwhile are dropped. The driver keeps a copy of the last
 * one that it made, for debugfs, until the next one replaces it or the card is freed: DUMP_SIZE
 * bytes of each card at most, however many batches fail.
 *
 * A reset, which all fences may wait for, must not wait for memory. So the state that a reset
 * destroys is saved before, in memory that was allocated with the card. A worker then makes the
 * text, which needs memory and the VM's reservation. Batches may be stopped while it does, and the
 * last of them is the one that must not be missed. So there are three places for states::
 *
 *	next ---------- publish ----------> waiting --------- worker ---------> making
 *	begin: queue, engines               until the worker is free            becomes a text
 *	capture: registers, rings
 *
 * Each step exchanges two places. So nobody waits for anybody, and a state that still waits when
 * the next one is published is given up.
 */

#define DUMP_SIZE	SZ_256K
#define DUMP_MAPPINGS	1000

/* Dwords that are saved of the ring, half of them before its head, and of the image; whole lines */
#define RING_DWORDS	128
#define STATE_DWORDS	128
#define LINE_DWORDS	8

static_assert(RING_DWORDS * sizeof(u32) <= XETILE_RING_SIZE);
/* The GPRs hold values of users, and are not saved. */
static_assert(STATE_DWORDS <= PVC_LRC_GPR0);

/** struct dump_context - a context of the queue, before the reset */
struct dump_context {
	/** @engine: engine that had the context, or NULL */
	struct xetile_engine *engine;
	/** @tile: its tile */
	const struct xetile_tile *tile;
	/** @left: it has left @engine since, whose registers are not about it */
	bool left;
	/** @regs: registers of @engine */
	struct xetile_engine_regs regs;
	/** @eus: execution units of @engine */
	struct xetile_engine_eus eus;
	/** @fault: of the engine's tile: RING_FAULT, FAULT_TLB_DATA0, FAULT_TLB_DATA1 */
	u32 fault[3];
	/** @batch: where its batch is */
	struct xetile_coredump_batch batch;
	/** @begun: last job whose batch may have begun */
	u32 begun;
	/** @seqno: last job that is done */
	u32 seqno;
	/** @tail: end of the emitted commands, in bytes */
	u32 tail;
	/** @ring_at: where in the ring @ring begins, in bytes */
	u32 ring_at;
	/** @ring: dwords of the ring */
	u32 ring[RING_DWORDS];
	/** @state: registers of the image, as they were saved last */
	u32 state[STATE_DWORDS];
};

/** struct dump_stop - state saved of a batch that is stopped */
struct dump_stop {
	/** @sq: the queue, a reference; NULL if there is no state here */
	struct xetile_sched_queue *sq;
	/** @error: the engine reported an error */
	bool error;
	/** @at: time of the stop */
	struct timespec64 at;
	/** @num_contexts: valid elements of @contexts */
	unsigned int num_contexts;
	/** @contexts: contexts of the queue */
	struct dump_context contexts[XETILE_MAX_TILES];
};

/** struct xetile_coredump - batches that were stopped, and the text of the last one */
struct xetile_coredump {
	/** @xt: the card */
	struct xetile_device *xt;
	/** @work: makes the text; on the card's own queue */
	struct work_struct work;
	/** @stops: the three places */
	struct dump_stop stops[3];
	/** @next: the reset's place */
	struct dump_stop *next;
	/** @waiting: the last one that was published; exchanged by both */
	struct dump_stop *waiting;
	/** @making: the place of @work */
	struct dump_stop *making;
	/** @last: copy of the last text */
	struct {
		/** @last.lock: protects the text; nobody who holds it waits for memory */
		struct mutex lock;
		/** @last.text: the text, or NULL */
		char *text;
		/** @last.size: its bytes */
		size_t size;
	} last;
};

static void print_dwords(struct drm_printer *p, u32 at, const u32 *dwords, unsigned int n)
{
	unsigned int i;

	static_assert(LINE_DWORDS == 8);
	for (i = 0; i < n; i += LINE_DWORDS, dwords += LINE_DWORDS)
		drm_printf(p, "  %05x: %08x %08x %08x %08x %08x %08x %08x %08x\n",
			   (u32)((at + i * sizeof(u32)) & (XETILE_RING_SIZE - 1)),
			   dwords[0], dwords[1], dwords[2], dwords[3],
			   dwords[4], dwords[5], dwords[6], dwords[7]);
}

static void print_context(struct drm_printer *p, const struct dump_context *context,
			  unsigned int member)
{
	drm_printf(p, "context %u: on %s\n", member,
		   context->engine ? context->engine->name : "no engine");
	if (context->left)
		drm_puts(p, "  has left it\n");
	drm_printf(p, "  done %u\n  begun %u\n  tail %#x\n  batch %#llx\n", context->seqno,
		   context->begun, context->tail, context->batch.begin);
	if (context->engine) {
		drm_printf(p, "registers of %s\n", context->engine->name);
		xetile_engine_print_regs(&context->regs, p);
		if (context->eus.dss)
			drm_printf(p, "  instruction caches busy in subslices %#llx of %#llx\n",
				   context->eus.dss & ~context->eus.idle, context->eus.dss);
		drm_printf(p, "  %-20s %#010x\n", "RING_FAULT", context->fault[0]);
		drm_printf(p, "  %-20s %#010x\n", "FAULT_TLB_DATA0", context->fault[1]);
		drm_printf(p, "  %-20s %#010x\n", "FAULT_TLB_DATA1", context->fault[2]);
	}
	drm_printf(p, "ring of context %u\n", member);
	print_dwords(p, context->ring_at, context->ring, RING_DWORDS);
	drm_printf(p, "image of context %u\n", member);
	print_dwords(p, 0, context->state, STATE_DWORDS);
}

static void print_reason(struct drm_printer *p, const struct xetile_ban *ban, bool error)
{
	switch (ban->reason) {
	case XETILE_BAN_FAULT:
		if (ban->fault.known)
			drm_printf(p, "reason: page fault at %#llx, %s\n", ban->fault.addr,
				   str_write_read(ban->fault.write));
		else
			drm_puts(p, "reason: page fault at an address that is not known\n");
		break;
	case XETILE_BAN_PREEMPT:
		drm_puts(p, "reason: batch did not leave its engine in time\n");
		break;
	default:
		/* The kernel's own queues are not banned. */
		drm_printf(p, "reason: %s\n", error ? "engine reported an error" :
						      "batch did not end in time");
		break;
	}
	if (ban->engine)
		drm_printf(p, "engine: %s\n", ban->engine->name);
}

/* The address of the fault, if the context's tile had one; or where its engine stood */
static u64 focus_of(const struct dump_context *context, const struct xetile_ban *ban,
		    const struct xetile_tile *tile)
{
	if (ban->reason == XETILE_BAN_FAULT && ban->fault.known && ban->engine->tile == tile)
		return ban->fault.addr;
	return xetile_coredump_batch_focus(&context->batch);
}

/* The batches, and what the address space maps around them */
static void print_memory(struct drm_printer *p, const struct dump_stop *stop,
			 const struct xetile_ban *ban)
{
	struct xetile_vm *vm = stop->sq->ops->vm(stop->sq);
	const struct xetile_tile *tile;
	unsigned int m;

	for (m = 0; m < stop->num_contexts; m++)
		xetile_coredump_batch_print(&stop->contexts[m].batch, m, vm,
					    stop->contexts[m].tile->id, p);
	/* Last, because there may be more mappings than there is room for */
	for (m = 0; m < stop->num_contexts; m++) {
		tile = stop->contexts[m].tile;
		xetile_vm_print(vm, p, tile->id, focus_of(&stop->contexts[m], ban, tile),
				DUMP_MAPPINGS / stop->num_contexts);
	}
}

static void print_dump(struct drm_printer *p, const struct xetile_device *xt,
		       const struct dump_stop *stop)
{
	struct xetile_sched *sched = xt->sched;
	struct xetile_ban ban;
	unsigned long flags;
	unsigned int m;

	/* The address of a page fault is found only after the dump has begun. */
	spin_lock_irqsave(&sched->lock, flags);
	ban = stop->sq->ban;
	spin_unlock_irqrestore(&sched->lock, flags);

	drm_printf(p, "**** xetile device coredump ****\nkernel: %s\ncard: %s, %s\n",
		   init_utsname()->release, dev_name(xt->drm.dev), xt->info->name);
	drm_printf(p, "time: %lld.%09ld\n", (s64)stop->at.tv_sec, stop->at.tv_nsec);
	print_reason(p, &ban, stop->error);
	stop->sq->ops->print(stop->sq, p);
	for (m = 0; m < stop->num_contexts; m++)
		print_context(p, &stop->contexts[m], m);
	print_memory(p, stop, &ban);
}

/* Returns the text, or NULL without memory. */
static char *make_text(const struct xetile_device *xt, const struct dump_stop *stop, size_t *size)
{
	struct drm_print_iterator text = { .remain = DUMP_SIZE };
	struct drm_printer p;

	text.data = vmalloc(DUMP_SIZE);
	if (!text.data)
		return NULL;
	p = drm_coredump_printer(&text);
	print_dump(&p, xt, stop);
	*size = DUMP_SIZE - text.remain;
	return text.data;
}

/* Replaces the copy of the text before. Without memory there is none: an old one would mislead. */
static void keep_text(struct xetile_coredump *dump, const char *text, size_t size)
{
	char *copy = text ? kvmemdup(text, size, GFP_KERNEL) : NULL;

	scoped_guard(mutex, &dump->last.lock) {
		swap(copy, dump->last.text);
		dump->last.size = size;
	}
	kvfree(copy);
}

static void give_up(struct dump_stop *stop)
{
	if (stop->sq)
		xetile_sched_queue_put(stop->sq);
	stop->sq = NULL;
}

static void dump_work(struct work_struct *work)
{
	struct xetile_coredump *dump = container_of(work, struct xetile_coredump, work);
	struct dump_stop *stop;
	size_t size = 0;
	char *text;

	stop = xchg(&dump->waiting, dump->making);
	dump->making = stop;
	/* It was taken before, because another one was published just when the work began. */
	if (!stop->sq)
		return;
	text = make_text(dump->xt, stop, &size);
	keep_text(dump, text, size);
	/*
	 * From here on the text belongs to the coredump core, which frees it if it has one of
	 * this card already. The text needs nothing of this module: card and module may go.
	 */
	if (text)
		dev_coredumpv(dump->xt->drm.dev, text, size, GFP_KERNEL);
	/* The queue's reference has kept the card until here. */
	give_up(stop);
}

static void dump_release(struct drm_device *drm, void *arg)
{
	struct xetile_coredump *dump = arg;

	kvfree(dump->last.text);
}

/**
 * xetile_coredump_create() - allocate memory for the state of a batch that is stopped
 * @xt: the card, which frees it
 *
 * Context: process; may sleep.
 *
 * Return: the memory, or NULL.
 */
struct xetile_coredump *xetile_coredump_create(struct xetile_device *xt)
{
	struct xetile_coredump *dump = drmm_kzalloc(&xt->drm, sizeof(*dump), GFP_KERNEL);

	if (!dump)
		return NULL;
	dump->xt = xt;
	dump->next = &dump->stops[0];
	dump->waiting = &dump->stops[1];
	dump->making = &dump->stops[2];
	INIT_WORK(&dump->work, dump_work);
	if (drmm_mutex_init(&xt->drm, &dump->last.lock) ||
	    drmm_add_action(&xt->drm, dump_release, dump))
		return NULL;
	return dump;
}

/**
 * xetile_coredump_begin_locked() - a batch is to be stopped
 * @dump: the card's
 * @sq: its queue, which was blamed
 * @error: its engine reported an error
 *
 * Does nothing if this reset has stopped another one: there is one text for each reset.
 *
 * Context: the reset, with the execution lock held.
 */
void xetile_coredump_begin_locked(struct xetile_coredump *dump, struct xetile_sched_queue *sq,
				  bool error)
{
	const struct xetile_job *job = list_first_entry_or_null(&sq->running, struct xetile_job,
								link);
	const struct xetile_gang *gang = &sq->gang;
	struct dump_stop *stop = dump->next;
	unsigned int m;

	lockdep_assert_held(&dump->xt->sched->lock);
	if (stop->sq)
		return;
	xetile_sched_queue_get(sq);
	stop->sq = sq;
	stop->error = error;
	ktime_get_real_ts64(&stop->at);
	stop->num_contexts = gang->num_members;
	for (m = 0; m < gang->num_members; m++) {
		stop->contexts[m].engine =
			!xetile_gang_is_off(gang) && gang->members[m].loaded ?
			xetile_sched_engine(dump->xt, gang->members[m].engine) : NULL;
		/* The worker prints, and the queue may have no contexts any more by then. */
		stop->contexts[m].tile = sq->lrcs[m]->tile;
		stop->contexts[m].batch = (struct xetile_coredump_batch) {
			.begin = job ? job->batches[m] : 0,
		};
	}
}

static void capture_engine(struct dump_context *context)
{
	struct xetile_tile *tile = context->engine->tile;

	xetile_engine_read_regs(context->engine, &context->regs);
	xetile_engine_read_eus(context->engine, &context->eus);
	xetile_coredump_batch_capture(&context->batch, context->engine);
	context->fault[0] = xetile_mcr_read(tile, PVC_RING_FAULT, 0, 0);
	context->fault[1] = xetile_mcr_read(tile, PVC_FAULT_TLB_DATA0, 0, 0);
	context->fault[2] = xetile_mcr_read(tile, PVC_FAULT_TLB_DATA1, 0, 0);
}

static bool engine_has(struct xetile_engine *engine, const struct xetile_lrc *lrc)
{
	u32 lrca = xetile_engine_read(engine, PVC_CURRENT_LRCA(engine->base));

	return !((lrca ^ lower_32_bits(lrc->desc)) & PVC_CURRENT_LRCA_MASK);
}

static void capture_context(struct dump_context *context, const struct xetile_lrc *lrc)
{
	u32 head = 0;

	context->left = false;
	if (context->engine) {
		capture_engine(context);
		head = xetile_engine_read(context->engine, PVC_RING_HEAD(context->engine->base));
		/* Asked to leave when its queue was banned, it may have done so meanwhile. */
		context->left = !engine_has(context->engine, lrc);
	}
	/* Now, because a context that leaves is saved first */
	xetile_lrc_read_state(lrc, context->state, STATE_DWORDS);
	if (!context->engine || context->left) {
		head = context->state[PVC_LRC_RING_HEAD + 1];
		xetile_coredump_batch_saved(&context->batch, context->state);
	}
	context->seqno = xetile_lrc_seqno(lrc);
	context->begun = xetile_lrc_begun(lrc);
	context->tail = READ_ONCE(lrc->tail);
	context->ring_at = round_down(head - RING_DWORDS / 2 * sizeof(u32),
				      LINE_DWORDS * sizeof(u32)) & (XETILE_RING_SIZE - 1);
	xetile_lrc_read_ring(lrc, context->ring_at, context->ring, RING_DWORDS);
}

/**
 * xetile_coredump_capture() - save the state that a reset destroys
 * @dump: the card's; does nothing if nothing was begun
 *
 * Its reads go to the card and back, some hundreds of them; so no lock is held. The
 * queue's contexts stay, because removal waits for the reset before it frees them.
 *
 * Context: the reset, before it.
 */
void xetile_coredump_capture(struct xetile_coredump *dump)
{
	struct dump_stop *stop = dump->next;
	unsigned int m;

	if (!stop->sq)
		return;
	for (m = 0; m < stop->num_contexts; m++)
		capture_context(&stop->contexts[m], stop->sq->lrcs[m]);
}

/**
 * xetile_coredump_publish() - have the text made and published
 * @dump: the card's; does nothing if nothing was begun
 *
 * Context: the reset; does not wait.
 */
void xetile_coredump_publish(struct xetile_coredump *dump)
{
	if (!dump->next->sq)
		return;
	dump->next = xchg(&dump->waiting, dump->next);
	give_up(dump->next);
	queue_work(dump->xt->wq, &dump->work);
}

/**
 * xetile_coredump_show_last() - print the text of the last batch that was stopped
 * @xt: the card
 * @m: where; nothing is printed if no batch was stopped since the card was bound
 *
 * Context: process; takes the lock of the text.
 */
void xetile_coredump_show_last(struct xetile_device *xt, struct seq_file *m)
{
	struct xetile_coredump *dump = xt->sched->coredump;

	guard(mutex)(&dump->last.lock);
	if (dump->last.text)
		seq_write(m, dump->last.text, dump->last.size);
}
