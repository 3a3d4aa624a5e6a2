/* SPDX-License-Identifier: MIT */
#ifndef _XETILE_DISTANCE_H_
#define _XETILE_DISTANCE_H_

/**
 * DOC: distance
 *
 * How far the memories of a card are from its engines, and from the CPU. The driver knows the
 * order of the memories and what an access crosses. How much slower one is than another is
 * measured on the card at hand, by "xetilectl calibrate", which stores ratios in a file:
 *
 * - $XETILE_STATE_DIR/PCI.distances if this variable is set, else
 * - of root: /var/lib/xetile/PCI.distances;
 * - of other users: $XDG_STATE_HOME/xetile/PCI.distances, where the folder is
 *   $HOME/.local/state if the variable is not set; if there is no such file, that of root.
 *
 * PCI is the card's address. xetile_platform_open() reads the file. A file that is damaged, or
 * of a card of another type, is ignored, and xetile_device_calibration() says why. Cards of the
 * same type in the same slot cannot be told apart: calibrate after a change of cards.
 */

#ifndef _XETILE_H_
#error "include <xetile.h>"
#endif

#if defined(__cplusplus)
extern "C" {
#endif

/**
 * define XETILE_SYSTEM - number of the machine's memory, where tiles have their HBM's
 */
#define XETILE_SYSTEM	(-1)
/**
 * define XETILE_CPU - number of the CPU, where tiles stand for their engines
 */
#define XETILE_CPU	(-1)
/**
 * define XETILE_RATIO_ONE - the ratio of the nearest memory
 */
#define XETILE_RATIO_ONE	1000u

/**
 * enum xetile_hop - what an access crosses; drivers after 1.6 may tell others
 */
enum xetile_hop {
	/** @XETILE_HOP_NONE: nothing: a tile's own HBM, or the CPU's own memory */
	XETILE_HOP_NONE = 0,
	/** @XETILE_HOP_TILE: the link to another tile of the card */
	XETILE_HOP_TILE = 1,
	/** @XETILE_HOP_BUS: the bus between the machine and the card */
	XETILE_HOP_BUS = 2,
};

/**
 * struct xetile_distance - how far a memory is
 */
struct xetile_distance {
	/** @hop: what an access crosses */
	enum xetile_hop hop;
	/** @order: the driver's number, which orders memories and is no ratio; of the CPU: 0 */
	uint32_t order;
	/** @measured: the next two are from a measurement of this card; else they are 0 */
	bool measured;
	/** @read: time of reading, where that of the nearest memory is XETILE_RATIO_ONE */
	uint32_t read;
	/** @write: the same for writing */
	uint32_t write;
};

/**
 * xetile_device_get_distance() - distance of a memory from a tile or the CPU
 * @device: any device of the card
 * @tile: tile whose engines access; XETILE_CPU
 * @memory: tile whose HBM is accessed; XETILE_SYSTEM
 * @distance: the answer
 * @size: bytes of the struct
 *
 * Return: 0; -ENOENT when there is no such tile or memory; an error of
 * xetile_device_get_info().
 */
int xetile_device_get_distance(struct xetile_device *device, int tile, int memory,
			       struct xetile_distance *distance, size_t size);
#define xetile_device_get_distance(device, tile, memory, distance)		\
	xetile_device_get_distance(device, tile, memory, distance,		\
				   sizeof(struct xetile_distance))

/**
 * xetile_device_calibration() - where the ratios of a card come from
 * @device: any device of the card
 *
 * Return: a line of text, valid as long as the platform: the file, or why there are no
 * ratios.
 */
const char *xetile_device_calibration(const struct xetile_device *device);

/**
 * struct xetile_ratio - a measured ratio
 */
struct xetile_ratio {
	/** @tile: tile whose engines access; XETILE_CPU */
	int tile;
	/** @memory: tile whose HBM is accessed; XETILE_SYSTEM */
	int memory;
	/** @read: time of reading, 1..1000000000; that of the nearest memory is XETILE_RATIO_ONE */
	uint32_t read;
	/** @write: the same for writing */
	uint32_t write;
};

/**
 * xetile_device_store_ratios() - keep what a measurement of a card has found
 * @device: any device of the card
 * @ratios: one for each pair of a tile and a memory of the card, in any order; those of the CPU
 *          may be missing
 * @num: elements at @ratios
 * @path: room for the name of the file
 * @size: bytes at @path
 *
 * The file is replaced as a whole. Platforms that are opened later use it.
 *
 * Return: 0; -EINVAL for a pair that is missing, occurs twice or has a bad ratio; -ENOENT when
 * no variable says where the file is; the error of making the folder or the file.
 */
int xetile_device_store_ratios(struct xetile_device *device, const struct xetile_ratio *ratios,
			       unsigned int num, char *path, size_t size);

#if defined(__cplusplus)
}
#endif

#endif
