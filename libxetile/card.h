/* SPDX-License-Identifier: MIT */
/*
 * A card: its place in the machine and the driver's answers to queries. The platform builds the
 * cards; devices and contexts ask them.
 */
#ifndef _XETILE_CARD_H_
#define _XETILE_CARD_H_

#include <drm/xetile_drm.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ratios.h"
#include "xetile.h"

/* Dual subslices that a tile of any card may have */
#define XT_MAX_DSS	64

struct xt_card {
	struct xetile_platform *platform;
	uint32_t number;
	uint32_t flat;			/* number of its first tile in FLAT hierarchy */
	char pci[16];
	char node[64];
	char primary[64];		/* empty: none */
	char sysfs[96];			/* directory of the PCI device */
	bool implicit_scaling;
	uint64_t default_granule;	/* of CHUNK; 0: the color of a new buffer is EVEN */
	uint32_t wished_mode;		/* ZEX_NUMBER_OF_CCS asks for this mode; 0: for none */
	struct drm_xetile_query_device props;
	struct drm_xetile_query_tile tiles[XETILE_MAX_TILES];
	uint32_t modes[XETILE_MAX_TILES];	/* CCS mode of each tile for this process */
	struct xetile_device *root;
	char state_dir[256];		/* for the file of ratios; empty: nowhere */
	struct xt_ratios ratios;
	char calibration[640];		/* where @ratios are from, or why there are none */
};

/*
 * Ask a card for one item; the caller frees the answer. @fd -1 opens the node for this
 * question. Returns 0 or a negative errno with an error text, as the next two.
 */
int xt_card_query(const struct xt_card *card, int fd, uint32_t item, size_t elem,
		  void **answer, uint32_t *num);
/* Read the tiles again, because their usage and their CCS mode change. */
int xt_card_tiles(const struct xt_card *card,
		  struct drm_xetile_query_tile tiles[XETILE_MAX_TILES]);
/* Open the card's node. Returns the file, or a negative errno with an error text. */
int xt_card_open(const struct xt_card *card);
/* Whether @fd is an open file of the card. Returns 1, 0, or a negative errno with an error text. */
int xt_card_has_file(const struct xt_card *card, int fd);
/* What the file of ratios says of its card */
void xt_card_ratios_name(const struct xt_card *card, struct xt_ratios_card *name);
/* Read the ratios from the first of the folders that has a file of the card. */
void xt_card_read_ratios(struct xt_card *card, const char *const *dirs, unsigned int num);
/*
 * Read the constant properties (@card->props), and the present state of the tiles (.tiles), whose
 * modes (.modes) are those of the tiles.
 */
int xt_card_read(struct xt_card *card);
/* Wish for a mode, which the tiles have for this process if queues can have modes of their own. */
void xt_card_wish(struct xt_card *card, uint32_t mode);

#endif
