/* SPDX-License-Identifier: GPL-2.0-only */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM xetile

#if !defined(__XETILE_TRACE_H__) || defined(TRACE_HEADER_MULTI_READ)
#define __XETILE_TRACE_H__

#include <linux/tracepoint.h>
#include <linux/types.h>

/* No type of the driver: all folders include this. @card: the device's name */

TRACE_EVENT(xetile_submit,
	TP_PROTO(const char *card, u64 context, u64 seqno, u32 queue, pid_t process,
		 const char *class, const char *target, unsigned int tile, unsigned int cslice),
	TP_ARGS(card, context, seqno, queue, process, class, target, tile, cslice),
	TP_STRUCT__entry(
		__string(card, card)
		__field(u64, context)
		__field(u64, seqno)
		__field(u32, queue)
		__field(pid_t, process)
		__string(class, class)
		__string(target, target)
		__field(u32, tile)
		__field(u32, cslice)
	),
	TP_fast_assign(
		__assign_str(card);
		__entry->context = context;
		__entry->seqno = seqno;
		__entry->queue = queue;
		__entry->process = process;
		__assign_str(class);
		__assign_str(target);
		__entry->tile = tile;
		__entry->cslice = cslice;
	),
	TP_printk("card=%s context=%llu seqno=%llu queue=%u process=%d class=%s target=%s tile=%u cslice=%u",
		  __get_str(card), __entry->context, __entry->seqno, __entry->queue,
		  __entry->process, __get_str(class), __get_str(target), __entry->tile,
		  __entry->cslice)
);

TRACE_EVENT(xetile_start,
	TP_PROTO(const char *card, u64 context, u64 seqno, const char *engine),
	TP_ARGS(card, context, seqno, engine),
	TP_STRUCT__entry(
		__string(card, card)
		__field(u64, context)
		__field(u64, seqno)
		__string(engine, engine)
	),
	TP_fast_assign(
		__assign_str(card);
		__entry->context = context;
		__entry->seqno = seqno;
		__assign_str(engine);
	),
	TP_printk("card=%s context=%llu seqno=%llu engine=%s", __get_str(card), __entry->context,
		  __entry->seqno, __get_str(engine))
);

TRACE_EVENT(xetile_preempt,
	TP_PROTO(const char *card, u64 context, u64 seqno),
	TP_ARGS(card, context, seqno),
	TP_STRUCT__entry(
		__string(card, card)
		__field(u64, context)
		__field(u64, seqno)
	),
	TP_fast_assign(
		__assign_str(card);
		__entry->context = context;
		__entry->seqno = seqno;
	),
	TP_printk("card=%s context=%llu seqno=%llu", __get_str(card), __entry->context,
		  __entry->seqno)
);

TRACE_EVENT(xetile_leave,
	TP_PROTO(const char *card, u64 context, u32 jobs),
	TP_ARGS(card, context, jobs),
	TP_STRUCT__entry(
		__string(card, card)
		__field(u64, context)
		__field(u32, jobs)
	),
	TP_fast_assign(
		__assign_str(card);
		__entry->context = context;
		__entry->jobs = jobs;
	),
	TP_printk("card=%s context=%llu jobs=%u", __get_str(card), __entry->context,
		  __entry->jobs)
);

TRACE_EVENT(xetile_complete,
	TP_PROTO(const char *card, u64 context, u64 seqno, int error),
	TP_ARGS(card, context, seqno, error),
	TP_STRUCT__entry(
		__string(card, card)
		__field(u64, context)
		__field(u64, seqno)
		__field(int, error)
	),
	TP_fast_assign(
		__assign_str(card);
		__entry->context = context;
		__entry->seqno = seqno;
		__entry->error = error;
	),
	TP_printk("card=%s context=%llu seqno=%llu error=%d", __get_str(card), __entry->context,
		  __entry->seqno, __entry->error)
);

TRACE_EVENT(xetile_bind,
	TP_PROTO(const char *card, u32 vm, u64 addr, u64 bytes, const char *op),
	TP_ARGS(card, vm, addr, bytes, op),
	TP_STRUCT__entry(
		__string(card, card)
		__field(u32, vm)
		__field(u64, addr)
		__field(u64, bytes)
		__string(op, op)
	),
	TP_fast_assign(
		__assign_str(card);
		__entry->vm = vm;
		__entry->addr = addr;
		__entry->bytes = bytes;
		__assign_str(op);
	),
	TP_printk("card=%s vm=%u addr=%#llx bytes=%llu op=%s", __get_str(card), __entry->vm,
		  __entry->addr, __entry->bytes, __get_str(op))
);

TRACE_EVENT(xetile_recolor,
	TP_PROTO(const char *card, u32 handle, u64 size, u64 moved),
	TP_ARGS(card, handle, size, moved),
	TP_STRUCT__entry(
		__string(card, card)
		__field(u32, handle)
		__field(u64, size)
		__field(u64, moved)
	),
	TP_fast_assign(
		__assign_str(card);
		__entry->handle = handle;
		__entry->size = size;
		__entry->moved = moved;
	),
	TP_printk("card=%s handle=%u size=%llu moved=%llu", __get_str(card), __entry->handle,
		  __entry->size, __entry->moved)
);

TRACE_EVENT(xetile_move,
	TP_PROTO(const char *card, unsigned int tile, const char *reason, u64 bytes),
	TP_ARGS(card, tile, reason, bytes),
	TP_STRUCT__entry(
		__string(card, card)
		__field(u32, tile)
		__string(reason, reason)
		__field(u64, bytes)
	),
	TP_fast_assign(
		__assign_str(card);
		__entry->tile = tile;
		__assign_str(reason);
		__entry->bytes = bytes;
	),
	TP_printk("card=%s tile=%u reason=%s bytes=%llu", __get_str(card), __entry->tile,
		  __get_str(reason), __entry->bytes)
);

TRACE_EVENT(xetile_mode,
	TP_PROTO(const char *card, unsigned int tile, unsigned int from, unsigned int to),
	TP_ARGS(card, tile, from, to),
	TP_STRUCT__entry(
		__string(card, card)
		__field(u32, tile)
		__field(u32, from)
		__field(u32, to)
	),
	TP_fast_assign(
		__assign_str(card);
		__entry->tile = tile;
		__entry->from = from;
		__entry->to = to;
	),
	TP_printk("card=%s tile=%u from=%u to=%u", __get_str(card), __entry->tile, __entry->from,
		  __entry->to)
);

TRACE_EVENT(xetile_reset,
	TP_PROTO(const char *card, const char *what, int tile, const char *reason),
	TP_ARGS(card, what, tile, reason),
	TP_STRUCT__entry(
		__string(card, card)
		__string(what, what)
		__field(int, tile)
		__string(reason, reason)
	),
	TP_fast_assign(
		__assign_str(card);
		__assign_str(what);
		__entry->tile = tile;
		__assign_str(reason);
	),
	TP_printk("card=%s what=%s tile=%d reason=%s", __get_str(card), __get_str(what),
		  __entry->tile, __get_str(reason))
);

#endif

/* Outside of the guard: this file is read once more for each part of an event. */
#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE xetile_trace
#include <trace/define_trace.h>
