// SPDX-License-Identifier: MIT
/*
 * Distances: what the driver knows of a card's memories, which is their order and what lies
 * between, with the ratios that were measured on the card.
 */
#include "xetile.h"

#include <drm/xetile_drm.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "card.h"
#include "device.h"
#include "error.h"
#include "util.h"

/* Returns the row or column of a tile, or that of @last; -ENOENT: there is no such tile. */
static int find_index(const struct xt_card *card, int number, int last)
{
	if (number == last)
		return XT_RATIO_LAST;
	return number >= 0 && number < (int)card->props.num_tiles ? number : -ENOENT;
}

_Static_assert((int)XETILE_HOP_NONE == DRM_XETILE_HOP_NONE &&
	       (int)XETILE_HOP_TILE == DRM_XETILE_HOP_TILE &&
	       (int)XETILE_HOP_BUS == DRM_XETILE_HOP_BUS, "the driver's numbers");

/* What drivers before 1.6 do not tell */
static uint32_t find_hop(int tile, int memory)
{
	if (tile == memory)
		return DRM_XETILE_HOP_NONE;
	return memory == XETILE_SYSTEM ? DRM_XETILE_HOP_BUS : DRM_XETILE_HOP_TILE;
}

/* Ask the driver how far a memory is from a tile. Returns 0 or an errno with an error text. */
static int ask(struct xetile_device *device, int tile, int memory,
	       struct drm_xetile_query_distance *found)
{
	uint16_t wanted = memory == XETILE_SYSTEM ? DRM_XETILE_MEM_SYSTEM : memory;
	struct drm_xetile_query_distance *answer;
	int err, ret = -ENOENT;
	bool hops = false;
	uint32_t num, i;

	err = xt_card_query(device->card, -1, DRM_XETILE_QUERY_DISTANCES, sizeof(*answer),
			    (void **)&answer, &num);
	if (err)
		return err;
	for (i = 0; i < num; i++) {
		/* That of the machine's memory is not 0. */
		hops = hops || answer[i].hop;
		if (answer[i].tile == tile && answer[i].memory == wanted) {
			*found = answer[i];
			ret = 0;
		}
	}
	free(answer);
	if (ret)
		return xt_error(ret, "no distance from tile %d to memory %d", tile, memory);
	if (!hops)
		found->hop = find_hop(tile, memory);
	found->distance &= INT32_MAX;
	return 0;
}

int xetile_device_distance(struct xetile_device *device, unsigned int tile, int memory)
{
	struct drm_xetile_query_distance found;
	int err = ask(device, tile, memory < 0 ? XETILE_SYSTEM : memory, &found);

	return err ? err : (int)found.distance;
}

int (xetile_device_get_distance)(struct xetile_device *device, int tile, int memory,
				 struct xetile_distance *distance, size_t size)
{
	const struct xt_card *card = device->card;
	int row = find_index(card, tile, XETILE_CPU);
	int column = find_index(card, memory, XETILE_SYSTEM);
	/* The CPU's own memory is the machine's. */
	struct drm_xetile_query_distance found = {
		.hop = memory == XETILE_SYSTEM ? DRM_XETILE_HOP_NONE : DRM_XETILE_HOP_BUS,
	};
	struct xetile_distance answer;
	int err;

	if (row < 0 || column < 0)
		return xt_error(-ENOENT, "no distance from tile %d to memory %d", tile, memory);
	if (tile != XETILE_CPU) {
		err = ask(device, tile, memory, &found);
		if (err)
			return err;
	}
	/* The bytes between the fields are the program's, too, and zeros. */
	memset(&answer, 0, sizeof(answer));
	answer.hop = (enum xetile_hop)found.hop;
	answer.order = found.distance;
	answer.measured = card->ratios.of[row][column].read;
	answer.read = card->ratios.of[row][column].read;
	answer.write = card->ratios.of[row][column].write;
	xt_answer(distance, size, &answer, sizeof(answer));
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
