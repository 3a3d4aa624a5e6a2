// SPDX-License-Identifier: GPL-2.0-only
#include "mem/xetile_moves.h"

#include <linux/atomic.h>
#include <linux/device.h>
#include <linux/kref.h>
#include <linux/slab.h>

#include "card/xetile_tile.h"
#include "xetile_device.h"
#include "xetile_trace.h"

/**
 * DOC: bytes that moved
 *
 * How many bytes left HBM for system memory, and came back, by cause: of each tile, and of all BOs
 * that a file has made, wherever they lay. The mover adds, statistics read; no lock. A BO may be
 * freed where nothing may sleep for memory, so what counts for its file is no part of the file.
 */

/**
 * xetile_moves_create() - begin to count
 *
 * Context: process.
 * Return: a reference, or NULL without memory.
 */
struct xetile_moves *xetile_moves_create(void)
{
	struct xetile_moves *moves = kzalloc_obj(*moves, GFP_KERNEL_ACCOUNT);

	if (moves)
		kref_init(&moves->ref);
	return moves;
}

/**
 * xetile_moves_get() - take a reference
 * @moves: of a file, or NULL
 *
 * Context: any.
 * Return: @moves.
 */
struct xetile_moves *xetile_moves_get(struct xetile_moves *moves)
{
	if (moves)
		kref_get(&moves->ref);
	return moves;
}

static void moves_release(struct kref *ref)
{
	kfree(container_of(ref, struct xetile_moves, ref));
}

/**
 * xetile_moves_put() - drop a reference
 * @moves: of a file, or NULL
 *
 * Context: any.
 */
void xetile_moves_put(struct xetile_moves *moves)
{
	if (moves)
		kref_put(&moves->ref, moves_release);
}

static const char *const causes[XETILE_NUM_MOVES] = {
	[XETILE_MOVED_ACCESS] = "access",
	[XETILE_MOVED_EVICT] = "evict",
	[XETILE_MOVED_RETURN] = "return",
};

/**
 * xetile_moves_add() - bytes have moved
 * @moves: of the file that has made the BO, or NULL
 * @tile: tile that they left, or came to
 * @cause: why
 * @bytes: how many
 *
 * Context: any.
 */
void xetile_moves_add(struct xetile_moves *moves, struct xetile_tile *tile, enum xetile_move cause,
		      u64 bytes)
{
	trace_xetile_move(dev_name(tile->xt->drm.dev), tile->id, causes[cause], bytes);
	atomic64_add(bytes, &tile->moved[cause]);
	if (moves)
		atomic64_add(bytes, &moves->bytes[cause]);
}
