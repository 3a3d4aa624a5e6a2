/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_PT_UPDATE_H__
#define __XETILE_PT_UPDATE_H__

#include <linux/list.h>
#include <linux/types.h>

#include "mem/xetile_pt_table.h"

struct xetile_account;

/** struct xetile_pt_chunk - memory that records are appended to */
struct xetile_pt_chunk {
	/** @link: in @chunks of the log */
	struct list_head link;
	/** @data: the memory */
	u8 *data;
	/** @used: bytes of @data in use */
	size_t used;
	/** @room: size of @data in bytes */
	size_t room;
};

/**
 * struct xetile_pt_log - records, or undos, of a change; must not be moved, because @first points
 * into it
 */
struct xetile_pt_log {
	/** @first: its memory, which most changes fit into; in no list */
	struct xetile_pt_chunk first;
	/** @chunks: further memory, oldest first */
	struct list_head chunks;
	/** @data: memory of @first */
	u64 data[32];
};

/** struct xetile_pt_record - entries to write into a table, followed by their values */
struct xetile_pt_record {
	/** @pt: table */
	struct xetile_pt *pt;
	/** @first: the first entry */
	u32 first;
	/** @count: elements of @ptes */
	u32 count;
	/** @ptes: the values */
	u64 ptes[];
};

/** struct xetile_pt_undo - entries that a revert puts back; they stand before it, as they were */
struct xetile_pt_undo {
	/** @pt: table */
	struct xetile_pt *pt;
	/** @first: the first entry, in &xetile_pt.entries */
	u32 first;
	/** @count: number of entries */
	u32 count;
};

/**
 * struct xetile_pt_update - a change of page tables, made ready
 *
 * A change is staged (that may fail, and can be reverted), sealed (from then on
 * later changes build on it), and committed: only the commit writes entries
 * that the hardware may read. Staging needs the lock of the address space; a
 * commit needs none, but commits of changes whose [@start, @end) overlap must come in
 * the order of the seals.
 *
 * The range covers the addresses that were asked for, and all addresses that the entries
 * translate that the commit writes. A table that a change makes, replaces or retires is below
 * an entry that this change writes. So everything that another change reads or writes in such a
 * table, or in the table that takes its place, lies in the ranges of both changes.
 */
struct xetile_pt_update {
	/**
	 * @account: account of the file that tables are made for; set by the caller; NULL at first
	 */
	struct xetile_account *account;
	/** @records: entries to write, in order */
	struct xetile_pt_log records;
	/** @undo: what a revert puts back, in order of the changes */
	struct xetile_pt_log undo;
	/** @fresh: tables made by this change */
	struct list_head fresh;
	/** @retired: tables that this change takes out of use */
	struct list_head retired;
	/** @start: the first GPU address of its range, on any tile */
	u64 start;
	/** @end: behind the last address; equal to @start: an empty range */
	u64 end;
	/**
	 * @keep_directories: leave tables above level 0 where they are when they become
	 * empty, as that would make the range of the change larger
	 */
	bool keep_directories;
};

void xetile_pt_update_init(struct xetile_pt_update *upd);
void xetile_pt_update_note(struct xetile_pt_update *upd, u64 start, u64 end);
u64 *xetile_pt_update_record(struct xetile_pt_update *upd, struct xetile_pt *pt, unsigned int first,
			     unsigned int count);
int xetile_pt_update_undo(struct xetile_pt_update *upd, struct xetile_pt *pt, unsigned int first,
			  unsigned int count);
bool xetile_pt_retires(const struct xetile_pt_update *upd);
void xetile_pt_revert(struct xetile_pt_update *upd);
void xetile_pt_seal(struct xetile_pt_update *upd);
void xetile_pt_commit(struct xetile_pt_update *upd, struct list_head *retired);
void xetile_pt_discard(struct xetile_pt_update *upd, struct list_head *retired);
void xetile_pt_free_retired(struct list_head *retired);

#endif
