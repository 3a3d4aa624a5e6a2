// SPDX-License-Identifier: GPL-2.0-only
#include "mem/xetile_pt_update.h"

#include <linux/io.h>
#include <linux/list.h>
#include <linux/minmax.h>
#include <linux/overflow.h>
#include <linux/sched.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/string.h>

/**
 * DOC: a change of page tables
 *
 * A change keeps all that xetile_pt_stage.c stages: entries to write, values to put back if the
 * change fails, tables that were made, and tables that go out of use. The change is reverted, or
 * sealed and then committed or discarded. Revert and seal need the lock of the address space; a
 * commit takes no lock, and allocates nothing.
 */

/* The first chunk is in the change itself. Each one after the second has four times the last. */
#define SECOND_CHUNK	SZ_1K
#define LARGEST_CHUNK	SZ_16K

static void log_init(struct xetile_pt_log *log)
{
	log->first.data = (u8 *)log->data;
	log->first.room = sizeof(log->data);
	log->first.used = 0;
	INIT_LIST_HEAD(&log->chunks);
}

static struct xetile_pt_chunk *log_grow(struct xetile_pt_log *log, size_t size)
{
	struct xetile_pt_chunk *chunk;
	size_t bytes = SECOND_CHUNK;

	if (!list_empty(&log->chunks)) {
		chunk = list_last_entry(&log->chunks, struct xetile_pt_chunk, link);
		bytes = min_t(size_t, 4 * (sizeof(*chunk) + chunk->room), LARGEST_CHUNK);
	}
	while (bytes < sizeof(*chunk) + size)
		bytes *= 4;
	chunk = kmalloc(bytes, GFP_KERNEL_ACCOUNT);
	if (!chunk)
		return NULL;
	chunk->data = (u8 *)(chunk + 1);
	chunk->used = 0;
	chunk->room = bytes - sizeof(*chunk);
	list_add_tail(&chunk->link, &log->chunks);
	return chunk;
}

/* Memory for a record or an undo, which is freed with the change; NULL: there is none */
static void *log_take(struct xetile_pt_log *log, size_t size)
{
	struct xetile_pt_chunk *chunk = &log->first;
	void *at;

	if (!list_empty(&log->chunks))
		chunk = list_last_entry(&log->chunks, struct xetile_pt_chunk, link);
	if (chunk->room - chunk->used < size)
		chunk = log_grow(log, size);
	if (!chunk)
		return NULL;
	at = chunk->data + chunk->used;
	chunk->used += size;
	return at;
}

static void log_clear(struct xetile_pt_log *log)
{
	struct xetile_pt_chunk *chunk, *next;

	list_for_each_entry_safe(chunk, next, &log->chunks, link)
		kfree(chunk);
	log_init(log);
}

/**
 * xetile_pt_update_note() - no other change of these addresses may be made at the same time
 * @upd: the change
 * @start: GPU address
 * @end: behind the last one
 *
 * Context: process, with the lock of the address space.
 */
void xetile_pt_update_note(struct xetile_pt_update *upd, u64 start, u64 end)
{
	bool empty = upd->start == upd->end;

	upd->start = empty ? start : min(upd->start, start);
	upd->end = empty ? end : max(upd->end, end);
}

/**
 * xetile_pt_update_record() - stage the values of entries of a table that is in use
 * @upd: the change
 * @pt: the table
 * @first: number of the first entry
 * @count: number of the entries
 *
 * Context: process, with the lock of the address space; may sleep.
 * Return: room for the values, which the caller writes there, and the commit into the table; NULL:
 * no memory.
 */
u64 *xetile_pt_update_record(struct xetile_pt_update *upd, struct xetile_pt *pt, unsigned int first,
			     unsigned int count)
{
	struct xetile_pt_record *rec;

	rec = log_take(&upd->records, struct_size(rec, ptes, count));
	if (!rec)
		return NULL;
	rec->pt = pt;
	rec->first = first;
	rec->count = count;
	xetile_pt_update_note(upd, xetile_pt_entry_addr(pt, first),
			      xetile_pt_entry_addr(pt, first + count));
	return rec->ptes;
}

/**
 * xetile_pt_update_undo() - have a revert put entries back as they are now
 * @upd: the change
 * @pt: the table
 * @first: number of the first entry
 * @count: number of the entries
 *
 * Context: process, with the lock of the address space; may sleep.
 * Return: 0 or -ENOMEM.
 */
int xetile_pt_update_undo(struct xetile_pt_update *upd, struct xetile_pt *pt, unsigned int first,
			  unsigned int count)
{
	size_t size = count * sizeof(*pt->entries);
	struct xetile_pt_undo *undo;
	void *old;

	/* A revert frees fresh tables, so their entries need no undo. */
	if (xetile_pt_is_fresh(pt))
		return 0;
	old = log_take(&upd->undo, size + sizeof(*undo));
	if (!old)
		return -ENOMEM;
	memcpy(old, &pt->entries[first], size);
	/* Behind the entries, so that a revert, which begins at the end, finds it. */
	undo = old + size;
	undo->pt = pt;
	undo->first = first;
	undo->count = count;
	return 0;
}

/**
 * xetile_pt_update_init() - begin a change
 * @upd: the change
 *
 * Context: any.
 */
void xetile_pt_update_init(struct xetile_pt_update *upd)
{
	upd->account = NULL;
	log_init(&upd->records);
	log_init(&upd->undo);
	INIT_LIST_HEAD(&upd->fresh);
	INIT_LIST_HEAD(&upd->retired);
	upd->start = 0;
	upd->end = 0;
	upd->keep_directories = false;
}

/**
 * xetile_pt_retires() - does a staged change take tables out of use
 * @upd: the change
 *
 * An engine caches upper levels of its walks as it caches leaves, so it may go on to walk these
 * tables until its TLB is flushed, whether anything is unmapped or not.
 *
 * Return: true if so.
 */
bool xetile_pt_retires(const struct xetile_pt_update *upd)
{
	return !list_empty(&upd->retired);
}

/*
 * Writes of this CPU to fresh tables may be in its write-combining buffers. Another CPU may
 * link the tables, or get their memory, and its barrier drains its own buffers only. (If the
 * caller moves to another CPU meanwhile, the switch drains the buffers.)
 */
static void drain_fresh(const struct xetile_pt_update *upd)
{
	if (!list_empty(&upd->fresh))
		wmb(); /* out of this CPU's buffers */
}

/* Put back what a chunk of undos holds, the latest first */
static void revert_chunk(const struct xetile_pt_chunk *chunk)
{
	size_t end = chunk->used;

	while (end) {
		const struct xetile_pt_undo *undo = (void *)(chunk->data + end) - sizeof(*undo);
		const struct xetile_pt_entry *old = (void *)undo;
		unsigned int i;

		old -= undo->count;
		for (i = 0; i < undo->count; i++)
			xetile_pt_set_entry(undo->pt, undo->first + i, old[i]);
		end -= sizeof(*undo) + undo->count * sizeof(*old);
	}
}

/**
 * xetile_pt_revert() - undo a change that was staged, all of it
 * @upd: the change; it is done with
 */
void xetile_pt_revert(struct xetile_pt_update *upd)
{
	struct xetile_pt *pt, *next;
	struct xetile_pt_chunk *chunk;

	list_for_each_entry_reverse(chunk, &upd->undo.chunks, link)
		revert_chunk(chunk);
	revert_chunk(&upd->undo.first);
	list_for_each_entry_safe(pt, next, &upd->retired, retired)
		list_del_init(&pt->retired);
	drain_fresh(upd);
	list_for_each_entry_safe(pt, next, &upd->fresh, fresh) {
		xetile_pt_free(pt);
		/* A change may have made a million tables. */
		cond_resched();
	}
	log_clear(&upd->undo);
	log_clear(&upd->records);
}

/**
 * xetile_pt_seal() - a change will be committed for sure
 * @upd: the change
 *
 * Needs the lock of the address space under which the change was staged. Any CPU may commit the
 * change.
 */
void xetile_pt_seal(struct xetile_pt_update *upd)
{
	struct xetile_pt *pt, *next;

	/*
	 * BAR2 is write-combining and keeps no order. The tables that the change makes visible are
	 * complete in HBM from here on, so the entries of a commit need no order among themselves.
	 */
	drain_fresh(upd);
	list_for_each_entry_safe(pt, next, &upd->fresh, fresh)
		list_del_init(&pt->fresh);
	log_clear(&upd->undo);
}

static void write_record(const struct xetile_pt_record *rec)
{
	unsigned int i;

	for (i = 0; i < rec->count; i++)
		writeq(rec->ptes[i], rec->pt->map + rec->first + i);
}

static void write_chunk(const struct xetile_pt_chunk *chunk)
{
	size_t at = 0;

	while (at < chunk->used) {
		const struct xetile_pt_record *rec = (void *)(chunk->data + at);

		write_record(rec);
		at += struct_size(rec, ptes, rec->count);
	}
}

/**
 * xetile_pt_commit() - write a sealed change
 * @upd: the change; it is done with
 * @retired: list that tables out of use are added to, for
 *	xetile_pt_free_retired() when nothing of the address space runs that may
 *	still walk them
 *
 * Allocates nothing and takes no lock: fit for the path that signals fences.
 * The writes have left the CPU on return.
 *
 * Context: any.
 */
void xetile_pt_commit(struct xetile_pt_update *upd, struct list_head *retired)
{
	struct xetile_pt_chunk *chunk;

	write_chunk(&upd->records.first);
	list_for_each_entry(chunk, &upd->records.chunks, link)
		write_chunk(chunk);
	/* Out of the write-combining buffers before a job is started. */
	wmb();
	xetile_pt_discard(upd, retired);
}

/**
 * xetile_pt_discard() - end a sealed change without writing it
 * @upd: the change; it is done with
 * @retired: as of xetile_pt_commit()
 *
 * For a card that is gone.
 */
void xetile_pt_discard(struct xetile_pt_update *upd, struct list_head *retired)
{
	log_clear(&upd->records);
	list_splice_tail_init(&upd->retired, retired);
}

/**
 * xetile_pt_free_retired() - free tables that nothing walks any more
 * @retired: list of xetile_pt_commit()
 *
 * May sleep.
 */
void xetile_pt_free_retired(struct list_head *retired)
{
	struct xetile_pt *pt, *next;

	list_for_each_entry_safe(pt, next, retired, retired) {
		xetile_pt_free_all(pt);
		/* An address space may have a million tables. */
		cond_resched();
	}
	INIT_LIST_HEAD(retired);
}
