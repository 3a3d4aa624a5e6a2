/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_PT_H__
#define __XETILE_PT_H__

#include <linux/list.h>
#include <linux/types.h>

struct xetile_account;
struct xetile_layout;
struct xetile_pt;
struct xetile_tile;

/** struct xetile_pt_tree - the page tables of one address space on one tile */
struct xetile_pt_tree {
	/** @tile: tile in whose HBM the tables lie */
	struct xetile_tile *tile;
	/** @root: the level 4 table */
	struct xetile_pt *root;
};

/** struct xetile_pt_chunk - memory that things are put into one after the other */
struct xetile_pt_chunk {
	/** @link: in @chunks of the log */
	struct list_head link;
	/** @data: the memory */
	u8 *data;
	/** @used: bytes of it */
	size_t used;
	/** @room: bytes there are */
	size_t room;
};

/** struct xetile_pt_log - records, or undos, of a change; does not move */
struct xetile_pt_log {
	/** @chunks: what it is in, oldest first */
	struct list_head chunks;
	/** @first: the oldest one, which most changes fit into */
	struct xetile_pt_chunk first;
	/** @data: of @first */
	u64 data[32];
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
 * That range is what was asked for, and what the entries translate that the commit writes,
 * all the way down. A
 * table that was made, replaced or retired by a change is below an entry that this change
 * writes. So whatever another change reads or writes in such a table, or in what stands in
 * its place, lies in the range of both.
 */
struct xetile_pt_update {
	/** @account: of the file tables are made for; the caller's to set; NULL at first */
	struct xetile_account *account;
	/** @records: entries to write, in order */
	struct xetile_pt_log records;
	/** @undo: what a revert puts back, in order of the changes */
	struct xetile_pt_log undo;
	/** @fresh: tables made by this change */
	struct list_head fresh;
	/** @retired: tables that this change takes out of use */
	struct list_head retired;
	/** @start: the first GPU address it is about, on any tile */
	u64 start;
	/** @end: behind the last one; as @start: about none */
	u64 end;
	/**
	 * @keep_directories: leave tables above level 0 where they are when they become
	 * empty, as that would make the range of the change larger
	 */
	bool keep_directories;
};

int xetile_pt_tree_init(struct xetile_pt_tree *tree, struct xetile_tile *tile,
			struct xetile_account *account);
void xetile_pt_tree_fini(struct xetile_pt_tree *tree);
u64 xetile_pt_tree_root(const struct xetile_pt_tree *tree);

void xetile_pt_update_init(struct xetile_pt_update *upd);
int xetile_pt_grow(struct xetile_pt_update *upd, struct xetile_pt_tree *tree, u64 addr, u64 size);
int xetile_pt_prune(struct xetile_pt_update *upd, struct xetile_pt_tree *tree, u64 addr, u64 size);
int xetile_pt_map(struct xetile_pt_update *upd, struct xetile_pt_tree *tree, u64 addr, u64 size,
		  const struct xetile_layout *layout, u64 offset, u32 flags);
int xetile_pt_map_null(struct xetile_pt_update *upd, struct xetile_pt_tree *tree, u64 addr,
		       u64 size);
int xetile_pt_unmap(struct xetile_pt_update *upd, struct xetile_pt_tree *tree, u64 addr,
		    u64 size);
bool xetile_pt_retires(const struct xetile_pt_update *upd);
void xetile_pt_revert(struct xetile_pt_update *upd);
void xetile_pt_seal(struct xetile_pt_update *upd);
void xetile_pt_commit(struct xetile_pt_update *upd, struct list_head *retired);
void xetile_pt_discard(struct xetile_pt_update *upd, struct list_head *retired);
void xetile_pt_free_retired(struct list_head *retired);

int xetile_pt_window(struct xetile_pt_tree *tree, u64 addr, struct xetile_pt **table);
void xetile_pt_window_set(struct xetile_pt *table, unsigned int first, dma_addr_t addr,
			  unsigned int n);

#endif
