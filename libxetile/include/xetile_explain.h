/* SPDX-License-Identifier: MIT */
#ifndef _XETILE_EXPLAIN_H_
#define _XETILE_EXPLAIN_H_

/**
 * DOC: explain
 *
 * A forecast of locality: how many bytes of a buffer each tile will access in its own HBM, and how
 * many in that of other tiles, when a launch is partitioned over tiles and the buffer has a color;
 * and which color is better for it. No card is needed.
 *
 * What is counted is what the work-items ask for, as the kernel is written: a word that three
 * work-items read counts three times, whatever a cache does of it. The forecast is of the color: a
 * buffer that was spilled, or lies in the machine's memory, has other bytes.
 */

#ifndef _XETILE_H_
#error "include <xetile.h>"
#endif

#if defined(__cplusplus)
extern "C" {
#endif

/**
 * define XETILE_REMOTE_LIMIT - percent of remote bytes that are still few
 *
 * Intel's guide to work on several tiles advises fewer.
 */
#define XETILE_REMOTE_LIMIT	10u
/**
 * define XETILE_MAX_HALO - neighbors in one direction that a forecast takes
 */
#define XETILE_MAX_HALO		1024u

/**
 * enum xetile_pattern - which elements of a buffer a work-item accesses
 *
 * Work-items have coordinates from 0, without &xetile_launch_desc.offset, and those that are one
 * behind the other are in the order of x, then y, then z.
 */
enum xetile_pattern {
	/**
	 * @XETILE_PATTERN_STREAM: its own; the elements of all items lie one behind the other. With
	 * XETILE_EDGE_INSIDE only the items that a stencil of the same halo has: the stencil's
	 * results
	 */
	XETILE_PATTERN_STREAM = 0,
	/**
	 * @XETILE_PATTERN_STENCIL: its own, and those of the items up to &xetile_access.halo before
	 * and behind it in x, in y and in z: a cross
	 */
	XETILE_PATTERN_STENCIL = 1,
	/** @XETILE_PATTERN_ROWS: its own, at &xetile_access.pitch */
	XETILE_PATTERN_ROWS = 2,
	/** @XETILE_PATTERN_GATHER: the one whose number &xetile_access.index says */
	XETILE_PATTERN_GATHER = 3,
};

/**
 * enum xetile_edge - what a stencil does for neighbors that are not there
 */
enum xetile_edge {
	/** @XETILE_EDGE_SKIP: it leaves them out */
	XETILE_EDGE_SKIP = 0,
	/** @XETILE_EDGE_CLAMP: it accesses the last one that is there instead */
	XETILE_EDGE_CLAMP = 1,
	/** @XETILE_EDGE_INSIDE: items that lack one access nothing */
	XETILE_EDGE_INSIDE = 2,
};

/**
 * struct xetile_access - an access of each work-item to a buffer; a zero field means the default
 */
struct xetile_access {
	/** @pattern: which elements */
	enum xetile_pattern pattern;
	/** @edge: STENCIL, and INSIDE of a STREAM: the rule at the edge of the items */
	enum xetile_edge edge;
	/** @bytes: size of an element, not 0 */
	uint32_t bytes;
	/** @write: the access writes */
	bool write;
	/** @offset: where the first element begins, bytes */
	uint64_t offset;
	/** @items: work-items in x, y, z that access; 0: as many as the launch has */
	uint64_t items[3];
	/**
	 * @pitch: ROWS, STENCIL: bytes from the element of an item to that of the next one in x, in
	 * y and in z. 0 is the same element for all of them, but a STENCIL of zeros only has its
	 * elements one behind the other
	 */
	uint64_t pitch[3];
	/** @halo: with @edge: elements in each direction of x, y, z, XETILE_MAX_HALO at most */
	uint32_t halo[3];
	/** @index: GATHER: number of the element of each item, one behind the other */
	const uint64_t *index;
	/** @num_index: elements at @index, not fewer than items */
	uint64_t num_index;
};

/**
 * struct xetile_piece - one of the equal pieces of a buffer, for a picture
 */
struct xetile_piece {
	/** @held: bytes of the piece in the HBM of each tile */
	uint64_t held[XETILE_MAX_TILES];
	/** @accessed: bytes of the piece that each tile accesses */
	uint64_t accessed[XETILE_MAX_TILES];
};

/**
 * struct xetile_explain_desc - a launch, a buffer, and what the launch does with it
 */
struct xetile_explain_desc {
	/** @launch: groups, size of a group, and the rule of the partition; it follows no buffer */
	const struct xetile_launch_desc *launch;
	/** @tile_mask: tiles that the work runs on, see &xetile_device_info.tile_mask */
	uint32_t tile_mask;
	/** @mem: size and color of the buffer, at most 1 TiB */
	const struct xetile_mem_desc *mem;
	/** @num_accesses: elements at @accesses, not 0 */
	uint32_t num_accesses;
	/** @accesses: what each work-item does; their bytes are added */
	const struct xetile_access *accesses;
	/** @num_pieces: elements at @pieces */
	uint32_t num_pieces;
	/**
	 * @pieces: room for a picture. A piece has whole color pages; if there are fewer pages than
	 * pieces, pieces beside each other are of the same page
	 */
	struct xetile_piece *pieces;
};

/**
 * struct xetile_forecast - where a launch will find the bytes of a buffer
 */
struct xetile_forecast {
	/** @plan: the partition of the launch; part n runs on the n-th tile of the mask */
	struct xetile_plan plan;
	/** @local: bytes that each tile accesses in its own HBM */
	uint64_t local[XETILE_MAX_TILES];
	/** @remote: bytes that each tile accesses in that of other tiles */
	uint64_t remote[XETILE_MAX_TILES];
	/** @total: all bytes */
	uint64_t total;
	/** @total_remote: those in the HBM of other tiles */
	uint64_t total_remote;
	/** @has_better: another color has fewer remote bytes, and the next two are valid */
	bool has_better;
	/** @better: size and color; free its runs with xetile_color_free() */
	struct xetile_mem_desc better;
	/** @better_remote: remote bytes with this color */
	uint64_t better_remote;
};

/**
 * xetile_plan_explain() - forecast how much of a launch is remote
 * @desc: the question
 * @forecast: the answer
 * @size: bytes of the struct
 *
 * The better color is that of EVEN, FOLLOW, TILE and CHUNK, in this order, with the fewest remote
 * bytes. If more than XETILE_REMOTE_LIMIT percent are remote even so, it is MAP, with a list of
 * 4096 runs at most; and then, for a buffer that nobody writes, REPLICATE, which needs HBM for all
 * the copies. A color has to save 1 % of all bytes, compared with the present one and with those
 * before; TILE, MAP and REPLICATE, which have a price, have to save 5 %.
 *
 * Return: 0; -EINVAL, and the text names what is wrong; -ERANGE when an element is not within the
 * buffer, there are more than 2^63 bytes in all, or to count them would take minutes; -ENOMEM.
 */
int xetile_plan_explain(const struct xetile_explain_desc *desc, struct xetile_forecast *forecast,
			size_t size);
#define xetile_plan_explain(desc, forecast)					\
	xetile_plan_explain(desc, forecast, sizeof(struct xetile_forecast))

#if defined(__cplusplus)
}
#endif

#endif
