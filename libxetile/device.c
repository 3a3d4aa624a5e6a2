// SPDX-License-Identifier: MIT
/*
 * Devices: a card, a tile or a cslice of a tile. The functions read the tree that platform.c
 * builds, and ask the card for facts that change.
 */
#include "device.h"

#include <drm/xetile_drm.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "card.h"
#include "error.h"
#include "mode.h"
#include "pvc_pci_regs.h"
#include "util.h"

unsigned int xetile_device_num_sub_devices(const struct xetile_device *device)
{
	return device->num_subs;
}

struct xetile_device *xetile_device_sub_device(struct xetile_device *device,
					       unsigned int index)
{
	return index < device->num_subs ? device->subs[index] : NULL;
}

struct xetile_device *xetile_device_parent(const struct xetile_device *device)
{
	return device->parent;
}

void xetile_device_selector(const struct xetile_device *device, char *buf, size_t size)
{
	uint32_t card = device->card->number;

	switch (device->kind) {
	case XETILE_DEVICE_ROOT:
		snprintf(buf, size, "%u", card);
		break;
	case XETILE_DEVICE_TILE:
		snprintf(buf, size, "%u.%u", card, device->tile);
		break;
	case XETILE_DEVICE_CSLICE:
		snprintf(buf, size, "%u.%u.%u", card, device->tile, device->cslice);
		break;
	}
}

/* Without implicit scaling a root has exactly its first tile's resources. */
uint32_t xt_device_work_mask(const struct xetile_device *device)
{
	if (device->kind == XETILE_DEVICE_ROOT && device->card->implicit_scaling)
		return device->tile_mask;
	return 1u << device->tile;
}

/* The vector engines of one compute engine of the tile: the share of a cslice */
static uint32_t engine_eus(const struct xetile_device *device)
{
	struct xetile_engine_info engines[16];
	int i, num;

	num = xetile_device_get_engines((struct xetile_device *)device, engines,
					ARRAY_SIZE(engines));
	for (i = 0; i < num && i < (int)ARRAY_SIZE(engines); i++) {
		if (!engines[i].is_copy)
			return engines[i].num_eus;
	}
	return 0;
}

/* The tile as the mask leaves it, or NULL: it is hidden */
static const struct xetile_device *find_tile(const struct xetile_device *root, uint32_t tile)
{
	unsigned int i;

	for (i = 0; i < root->num_subs; i++) {
		if (root->subs[i]->tile == tile)
			return root->subs[i];
	}
	return NULL;
}

/* What the mask leaves of a thing that the cslices of a tile share out */
static uint32_t seen_part(const struct xetile_device *device, uint32_t t, uint32_t all)
{
	const struct xetile_device *tile = find_tile(device->card->root, t);
	uint32_t mode = device->card->modes[t];

	/* A slice is whole, whatever else is hidden. In mode 1 a tile is one slice. */
	if (device->kind == XETILE_DEVICE_CSLICE || !tile || !tile->num_subs)
		return all;
	return all * tile->num_subs / mode;
}

static const char *device_name(uint32_t id)
{
	static const struct {
		uint32_t id;
		const char *name;
	} names[] = {
		{ PVC_PCI_DEVICE_MAX_1550VG, "Data Center GPU Max 1550VG" },
		{ PVC_PCI_DEVICE_MAX_1550, "Data Center GPU Max 1550" },
		{ PVC_PCI_DEVICE_MAX_1550_B, "Data Center GPU Max 1550" },
		{ PVC_PCI_DEVICE_MAX_1350, "Data Center GPU Max 1350" },
		{ PVC_PCI_DEVICE_MAX_1350_B, "Data Center GPU Max 1350" },
		{ PVC_PCI_DEVICE_MAX_1100, "Data Center GPU Max 1100" },
		{ PVC_PCI_DEVICE_MAX_1100_B, "Data Center GPU Max 1100" },
		{ PVC_PCI_DEVICE_MAX_1100_C, "Data Center GPU Max 1100" },
		{ PVC_PCI_DEVICE_MAX_1100C, "Data Center GPU Max 1100C" },
		{ PVC_PCI_DEVICE_MAX_1450, "Data Center GPU Max 1450" },
		{ PVC_PCI_DEVICE_ENGINEERING, "Ponte Vecchio, engineering sample" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		if (names[i].id == id)
			return names[i].name;
	}
	return "Ponte Vecchio";
}

static int read_numa_node(const struct xt_card *card)
{
	char path[sizeof(card->sysfs) + 16];
	FILE *file;
	int node = -1;

	snprintf(path, sizeof(path), "%s/numa_node", card->sysfs);
	file = fopen(path, "re");
	if (!file)
		return -1;
	if (fscanf(file, "%d", &node) != 1)
		node = -1;
	fclose(file);
	return node;
}

static uint32_t partitions(const struct xetile_device *device)
{
	if (!device->num_subs)
		return 0;
	return device->kind == XETILE_DEVICE_ROOT ? XETILE_PARTITION_NUMA : XETILE_PARTITION_CSLICE;
}

static int describe(const struct xetile_device *device, struct xetile_device_info *info)
{
	struct drm_xetile_query_tile tiles[XETILE_MAX_TILES];
	const struct xt_card *card = device->card;
	uint32_t t, mask = xt_device_work_mask(device);
	int err;

	err = xt_card_tiles(card, tiles);
	if (err)
		return err;
	memset(info, 0, sizeof(*info));
	info->kind = device->kind;
	info->card = card->number;
	info->tile = device->kind == XETILE_DEVICE_ROOT ? 0 : device->tile;
	info->cslice = device->cslice;
	info->flat = card->flat + info->tile;
	memcpy(info->pci, card->pci, sizeof(info->pci));
	memcpy(info->node, card->node, sizeof(info->node));
	info->device_id = card->props.device_id;
	info->revision = card->props.revision;
	info->tile_mask = mask;
	info->num_tiles = __builtin_popcount(mask);
	info->card_tiles = card->props.num_tiles;
	info->eus_per_dss = card->props.eus_per_dss;
	info->threads_per_eu = card->props.threads_per_eu;
	info->max_slm = card->props.max_slm;
	info->timestamp_hz = card->props.timestamp_hz;
	info->max_timeout_ms = card->props.max_timeout_ms;
	info->caps = card->props.caps;
	/* Without modes for queues they have the one that the tile is in. */
	info->ccs_mode = card->props.caps & DRM_XETILE_CAP_CCS_MODE ?
			 card->modes[device->tile] : tiles[device->tile].ccs_mode;
	info->ccs_modes = tiles[device->tile].ccs_modes;
	info->num_copy_engines = tiles[device->tile].num_copy_engines;
	info->implicit_scaling = info->num_tiles > 1;
	for (t = 0; t < card->props.num_tiles; t++) {
		const struct drm_xetile_query_tile *tile = &tiles[t];

		if (!(mask & (1u << t)))
			continue;
		info->num_eus += seen_part(device, t, tile->num_dss * card->props.eus_per_dss);
		info->num_cslices += seen_part(device, t, tile->num_cslices);
		info->l3_banks += tile->l3_banks;
		info->hbm_total += tile->hbm_total;
		info->hbm_used += tile->hbm_used;
		info->hbm_visible += tile->hbm_visible;
	}
	/* A cslice reports the tile's value of a thing that cslices share, else its own part. */
	if (device->kind == XETILE_DEVICE_CSLICE) {
		/* The driver tells the engines of the tile's own mode. */
		info->num_eus = info->ccs_mode == tiles[device->tile].ccs_mode ?
				engine_eus(device) : info->num_eus / info->ccs_mode;
		info->num_cslices = 1;
	}
	snprintf(info->name, sizeof(info->name), "%s", device_name(card->props.device_id));
	info->numa_node = read_numa_node(card);
	info->partitions = partitions(device);
	info->partitioned_by = device->kind == XETILE_DEVICE_TILE ? XETILE_PARTITION_NUMA :
			       device->kind == XETILE_DEVICE_CSLICE ? XETILE_PARTITION_CSLICE : 0;
	return 0;
}

int (xetile_device_get_info)(struct xetile_device *device, struct xetile_device_info *info,
			     size_t size)
{
	struct xetile_device_info now;
	int err = describe(device, &now);

	if (!err)
		xt_answer(info, size, &now, sizeof(now));
	return err;
}

int xetile_device_partition(struct xetile_device *device, enum xetile_partition by,
			    struct xetile_device **subs, unsigned int max)
{
	unsigned int i;

	if (!by || by & (by - 1) || by & ~(XETILE_PARTITION_NUMA | XETILE_PARTITION_CSLICE))
		return xt_error(-EINVAL, "0x%x is no way to part a device", by);
	if (!(partitions(device) & by))
		return xt_error(-EOPNOTSUPP, "not supported: %s %s", device->kind == XETILE_DEVICE_ROOT ?
				"a card" : device->kind == XETILE_DEVICE_TILE ? "this tile" :
				"a compute slice", by == XETILE_PARTITION_NUMA ?
				"cannot be parted by affinity domain" : device->num_subs ?
				"is parted by affinity domain before by slice" :
				"has one compute engine only, see ZEX_NUMBER_OF_CCS");
	for (i = 0; i < device->num_subs && i < max; i++)
		subs[i] = device->subs[i];
	return device->num_subs;
}

int (xetile_device_get_engines)(struct xetile_device *device,
				struct xetile_engine_info *engines, unsigned int max, size_t size)
{
	struct drm_xetile_query_engine *answer;
	struct xetile_engine_info engine;
	uint32_t found, i, mask = xt_device_work_mask(device);
	unsigned int num = 0;
	int err;

	err = xt_card_query(device->card, -1, DRM_XETILE_QUERY_ENGINES, sizeof(*answer),
			    (void **)&answer, &found);
	if (err)
		return err;
	for (i = 0; i < found; i++) {
		if (answer[i].tile >= XETILE_MAX_TILES || !(mask & (1u << answer[i].tile)))
			continue;
		/* The bytes between the fields are the program's, too, and zeros. */
		memset(&engine, 0, sizeof(engine));
		engine.tile = answer[i].tile;
		engine.is_copy = answer[i].engine_class == DRM_XETILE_ENGINE_COPY;
		engine.instance = answer[i].instance;
		engine.cslice_mask = answer[i].cslice_mask;
		engine.num_eus = answer[i].num_eus;
		if (num < max)
			xt_answer((char *)engines + num * size, size, &engine, sizeof(engine));
		num++;
	}
	free(answer);
	return num;
}

int xetile_device_get_ccs_mode(struct xetile_device *device)
{
	return xt_mode_get(device->card, device->tile);
}

int xetile_device_set_ccs_mode(struct xetile_device *device, unsigned int mode,
			       int timeout_ms)
{
	return xt_mode_set(device->card, device->kind == XETILE_DEVICE_ROOT ?
			   device->tile_mask : 1u << device->tile, mode, timeout_ms);
}
