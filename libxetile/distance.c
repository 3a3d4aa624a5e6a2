// SPDX-License-Identifier: MIT
/*
 * Distances: what the driver knows of a card's memories, which is their order, with the ratios
 * that were measured on the card.
 */
#include "xetile.h"

#include <errno.h>
#include <string.h>

#include "card.h"
#include "device.h"
#include "error.h"

/* Returns the row or column of a tile, or that of @last; -ENOENT: there is no such tile. */
static int find_index(const struct xt_card *card, int number, int last)
{
	if (number == last)
		return XT_RATIO_LAST;
	return number >= 0 && number < (int)card->props.num_tiles ? number : -ENOENT;
}

static enum xetile_hop find_hop(int tile, int memory)
{
	/* The numbers of the CPU and of the machine's memory are the same. */
	if (tile == memory)
		return XETILE_HOP_NONE;
	return tile == XETILE_CPU || memory == XETILE_SYSTEM ? XETILE_HOP_BUS : XETILE_HOP_TILE;
}

int xetile_device_get_distance(struct xetile_device *device, int tile, int memory,
			       struct xetile_distance *distance)
{
	const struct xt_card *card = device->card;
	int row = find_index(card, tile, XETILE_CPU);
	int column = find_index(card, memory, XETILE_SYSTEM);
	int order = 0;

	if (row < 0 || column < 0)
		return xt_error(-ENOENT, "no distance from tile %d to memory %d", tile, memory);
	if (tile != XETILE_CPU) {
		order = xetile_device_distance(device, tile, memory);
		if (order < 0)
			return order;
	}
	*distance = (struct xetile_distance) {
		.hop = find_hop(tile, memory),
		.order = order,
		.measured = card->ratios.of[row][column].read,
		.read = card->ratios.of[row][column].read,
		.write = card->ratios.of[row][column].write,
	};
	return 0;
}

const char *xetile_device_calibration(const struct xetile_device *device)
{
	return device->card->calibration;
}

int xetile_device_store_ratios(struct xetile_device *device, const struct xetile_ratio *ratios,
			       unsigned int num, char *path, size_t size)
{
	const struct xt_card *card = device->card;
	struct xt_ratios new = { .measured = true };
	struct xt_ratios_card name;
	unsigned int i;
	int row, column, err;

	if (!card->state_dir[0])
		return xt_error(-ENOENT, "neither XETILE_STATE_DIR, XDG_STATE_HOME nor HOME names a folder");
	for (i = 0; i < num; i++) {
		row = find_index(card, ratios[i].tile, XETILE_CPU);
		column = find_index(card, ratios[i].memory, XETILE_SYSTEM);
		if (row < 0 || column < 0 || new.of[row][column].read || !ratios[i].read ||
		    !ratios[i].write || ratios[i].read > XT_RATIO_MAX ||
		    ratios[i].write > XT_RATIO_MAX)
			return xt_error(-EINVAL, "ratio %u makes no sense", i);
		new.of[row][column] = (struct xt_ratio) { ratios[i].read, ratios[i].write };
	}
	err = xt_ratios_check(&new, card->props.num_tiles);
	if (err)
		return err;
	xt_card_ratios_name(card, &name);
	err = xt_ratios_write(card->state_dir, &name, &new);
	if (!err)
		xt_ratios_path(card->state_dir, card->pci, path, size);
	return err;
}
