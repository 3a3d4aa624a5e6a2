// SPDX-License-Identifier: MIT
/*
 * The platform: a tree of cards, tiles and cslices, without the devices that the environment
 * hides. A card's number is its place in PCI order among the cards of the driver that this
 * process may open, hidden or not. So a number means the same card to all processes of the same
 * rights; and where a control group bars cards, it means what Intel's runtime and batch systems
 * mean by it, which count the others from 0.
 */
#include "platform.h"

#include <drm/xetile_drm.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xf86drm.h>

#include "card.h"
#include "debug.h"
#include "device.h"
#include "error.h"
#include "selector.h"
#include "util.h"

#define ROOT_STATE_DIR	"/var/lib/xetile"

/* --- building the tree ------------------------------------------------------ */

static struct xetile_device *device_new(struct xt_card *card, struct xetile_device *parent,
					enum xetile_device_kind kind, uint32_t tile,
					uint32_t cslice)
{
	struct xetile_device *device = calloc(1, sizeof(*device));

	if (!device)
		return NULL;
	device->card = card;
	device->parent = parent;
	device->kind = kind;
	device->tile = tile;
	device->cslice = cslice;
	device->first_cslice = cslice;
	device->tile_mask = 1u << tile;
	if (parent)
		parent->subs[parent->num_subs++] = device;
	return device;
}

static void device_free(struct xetile_device *device)
{
	unsigned int i;

	if (!device)
		return;
	for (i = 0; i < device->num_subs; i++)
		device_free(device->subs[i]);
	free(device);
}

/* The cslices of a tile that the mask does not hide, as a bit mask */
static uint32_t seen_cslices(const struct xt_mask *mask, enum xetile_hierarchy hierarchy,
			     const struct xt_card *card, uint32_t tile, uint32_t flat)
{
	uint32_t all = (1u << card->modes[tile]) - 1, seen = 0;
	unsigned int i;

	if (mask->all)
		return all;
	for (i = 0; i < mask->num; i++) {
		const struct xt_selector *sel = &mask->entries[i];

		if (hierarchy != XETILE_COMPOSITE) {
			if (sel->depth == 1 && sel->card == flat)
				return all;
			continue;
		}
		if (sel->card != card->number)
			continue;
		if (sel->depth == 1)
			return all;
		if (sel->tile != tile)
			continue;
		if (sel->depth == 2)
			return all;
		if (sel->cslice < 32)
			seen |= all & (1u << sel->cslice);
	}
	return seen;
}

static int build_tile(struct xt_card *card, uint32_t tile, uint32_t cslices)
{
	uint32_t c, mode = card->modes[tile];
	struct xetile_device *device;

	device = device_new(card, card->root, XETILE_DEVICE_TILE, tile, 0);
	if (!device)
		return -ENOMEM;
	card->root->tile_mask |= 1u << tile;
	device->first_cslice = __builtin_ctz(cslices);
	device->one_cslice = mode > 1 && !(cslices & (cslices - 1));
	/* In mode 1 a tile has one compute engine and cannot be split. */
	for (c = 0; mode > 1 && c < mode; c++) {
		if ((cslices & (1u << c)) &&
		    !device_new(card, device, XETILE_DEVICE_CSLICE, tile, c))
			return -ENOMEM;
	}
	return 0;
}

static int build_card(struct xetile_platform *platform, struct xt_card *card,
		      const struct xt_mask *mask)
{
	uint32_t t, cslices;

	card->root = device_new(card, NULL, XETILE_DEVICE_ROOT, 0, 0);
	if (!card->root)
		return -ENOMEM;
	card->root->tile_mask = 0;
	for (t = 0; t < card->props.num_tiles; t++) {
		cslices = seen_cslices(mask, platform->hierarchy, card, t, card->flat + t);
		if (cslices && build_tile(card, t, cslices))
			return -ENOMEM;
	}
	if (card->root->num_subs) {
		card->root->tile = card->root->subs[0]->tile;
		card->root->first_cslice = card->root->subs[0]->first_cslice;
		card->root->one_cslice = card->root->subs[0]->one_cslice;
	}
	return 0;
}

/*
 * The number of tiles of a card that does not answer, as far as it is known. Tiles in FLAT
 * hierarchy are numbered over all cards, so these tiles keep their numbers, too.
 */
static uint32_t silent_tiles(const struct xt_card *card)
{
	char path[sizeof(card->sysfs) + 16];
	uint32_t t;

	if (card->props.num_tiles && card->props.num_tiles <= XETILE_MAX_TILES)
		return card->props.num_tiles;
	for (t = 0; t < XETILE_MAX_TILES; t++) {
		snprintf(path, sizeof(path), "%s/tile%u", card->sysfs, t);
		if (access(path, F_OK))
			break;
	}
	return t;
}

static int build_top(struct xetile_platform *platform)
{
	unsigned int c, t;

	platform->top = calloc(XT_MAX_CARDS * XETILE_MAX_TILES, sizeof(*platform->top));
	if (!platform->top)
		return -ENOMEM;
	for (c = 0; c < platform->num_cards; c++) {
		struct xetile_device *root = platform->cards[c]->root;

		if (!root->num_subs)
			continue;
		if (platform->hierarchy == XETILE_COMPOSITE) {
			platform->top[platform->num_top++] = root;
			continue;
		}
		for (t = 0; t < root->num_subs; t++) {
			platform->top[platform->num_top++] = root->subs[t];
			if (platform->hierarchy == XETILE_FLAT)
				root->subs[t]->parent = NULL;
		}
	}
	return 0;
}

/* What the environment says */
struct settings {
	struct xt_mask mask;
	bool scaling;
	struct xt_storage storage;
	int num_wishes;
	struct xt_ccs_wish wishes[XT_MAX_CARDS];
};

static int read_settings(struct xetile_platform *platform, const struct xt_env *env,
			 struct settings *set)
{
	int err = xt_hierarchy_parse(env->hierarchy, &platform->hierarchy);

	if (!err)
		err = xt_mask_parse(env->affinity, &set->mask);
	if (!err)
		err = xt_switch_parse("EnableImplicitScaling", env->scaling_compat, true,
				      &set->scaling);
	if (!err)
		err = xt_switch_parse("XETILE_IMPLICIT_SCALING", env->scaling, set->scaling,
				      &set->scaling);
	if (!err)
		err = xt_storage_parse(env->storage_policy, env->storage_granularity,
				       &set->storage);
	if (err)
		return err;
	set->num_wishes = xt_ccs_wishes_parse(env->ccs, set->wishes, XT_MAX_CARDS);
	return set->num_wishes < 0 ? set->num_wishes : 0;
}

static struct xt_card *card_new(struct xetile_platform *platform, const struct xt_node *node,
				uint32_t number, const struct settings *set)
{
	struct xt_card *card = calloc(1, sizeof(*card));

	if (!card)
		return NULL;
	card->platform = platform;
	card->number = number;
	card->implicit_scaling = set->scaling;
	card->default_granule = set->storage.granule;
	memcpy(card->pci, node->pci, sizeof(card->pci));
	memcpy(card->node, node->node, sizeof(card->node));
	memcpy(card->primary, node->primary, sizeof(card->primary));
	memcpy(card->sysfs, node->sysfs, sizeof(card->sysfs));
	return card;
}

/* The node's permissions, or a control group, keep a card from this process. */
static bool is_barred(int err)
{
	return err == -EACCES || err == -EPERM;
}

/*
 * Read the cards that answer. Returns 0 or a negative errno; @failed is the error of a card that
 * does not answer, which must not hide the others, or 0.
 */
static int read_cards(struct xetile_platform *platform, const struct xt_node *nodes,
		      unsigned int num, const struct settings *set, int *failed)
{
	bool lost = false, flat_mask = !set->mask.all && platform->hierarchy != XETILE_COMPOSITE;
	uint32_t number = 0, flat = 0;
	unsigned int i, tiles;
	int err;

	*failed = 0;
	for (i = 0; i < num && number < XT_MAX_CARDS; i++) {
		struct xt_card *card = card_new(platform, &nodes[i], number, set);

		if (!card)
			return xt_error(-ENOMEM, "out of memory");
		err = xt_card_read(card);
		if (err) {
			tiles = is_barred(err) ? 0 : silent_tiles(card);
			flat += tiles;
			lost |= !tiles && !is_barred(err);
			number += !is_barred(err);
			free(card);
			*failed = err;
			continue;
		}
		number++;
		platform->cards[platform->num_cards++] = card;
		card->flat = flat;
		flat += card->props.num_tiles;
		if (lost && flat_mask)
			return xt_error(-ENODEV, "ZE_AFFINITY_MASK: the numbers of tiles from %u on are not known, because a card does not answer",
					card->flat);
	}
	return 0;
}

/* Whether the mask leaves something of a card */
static bool names_card(const struct xetile_platform *platform, const struct xt_mask *mask,
		       const struct xt_card *card)
{
	uint32_t first = card->flat, tiles = card->props.num_tiles;
	unsigned int i;

	for (i = 0; i < mask->num; i++) {
		const struct xt_selector *sel = &mask->entries[i];

		if (platform->hierarchy != XETILE_COMPOSITE ?
		    sel->depth == 1 && sel->card >= first && sel->card < first + tiles :
		    sel->card == card->number && (sel->depth == 1 || sel->tile < tiles))
			return true;
	}
	return mask->all;
}

/*
 * The numbers of ZEX_NUMBER_OF_CCS are those of the cards that the mask leaves. The wishes come
 * before the tree, because they make the slices of which the mask may name one.
 */
static int grant_wishes(struct xetile_platform *platform, const struct settings *set, bool all)
{
	uint32_t seen = 0;
	unsigned int i;
	int w;

	for (i = 0; i < platform->num_cards; i++) {
		if (!names_card(platform, &set->mask, platform->cards[i]))
			continue;
		for (w = 0; w < set->num_wishes; w++) {
			if (set->wishes[w].card == seen)
				xt_card_wish(platform->cards[i], set->wishes[w].mode);
		}
		seen++;
	}
	/* A card that does not answer may be the one that is meant. */
	for (w = 0; w < set->num_wishes && seen && all; w++) {
		if (set->wishes[w].card >= seen)
			return xt_error(-EINVAL, "ZEX_NUMBER_OF_CCS: there is no card %u: %s leaves %u, which count from 0",
					set->wishes[w].card, set->mask.all ? "the machine" :
					"ZE_AFFINITY_MASK", seen);
	}
	return 0;
}

static int build_tree(struct xetile_platform *platform, const struct xt_env *env,
		      const struct settings *set)
{
	unsigned int i;
	int err = 0;

	for (i = 0; i < platform->num_cards && !err; i++) {
		struct xt_card *card = platform->cards[i];

		if (env->state_dirs[0])
			snprintf(card->state_dir, sizeof(card->state_dir), "%s", env->state_dirs[0]);
		xt_card_read_ratios(card, env->state_dirs, ARRAY_SIZE(env->state_dirs));
		err = build_card(platform, card, &set->mask);
	}
	if (!err)
		err = build_top(platform);
	return err ? xt_error(err, "out of memory") : 0;
}

int xt_platform_build(const struct xt_node *nodes, unsigned int num,
		      const struct xt_env *env, struct xetile_platform **out)
{
	struct xetile_platform *platform = calloc(1, sizeof(*platform));
	struct settings set = { 0 };
	int err, failed = 0;

	if (!platform)
		return xt_error(-ENOMEM, "out of memory");
	err = read_settings(platform, env, &set);
	if (!err)
		err = read_cards(platform, nodes, num, &set, &failed);
	if (!err && failed && !platform->num_cards)
		err = failed;
	if (!err)
		err = grant_wishes(platform, &set, !failed);
	if (!err)
		err = build_tree(platform, env, &set);
	if (!err && !xt_is_unset(env->device)) {
		platform->selector = strdup(env->device);
		if (!platform->selector)
			err = xt_error(-ENOMEM, "out of memory");
	}
	if (err) {
		xetile_platform_close(platform);
		return err;
	}
	xt_debug("%u card%s, %u device%s", platform->num_cards,
		 platform->num_cards == 1 ? "" : "s", platform->num_top,
		 platform->num_top == 1 ? "" : "s");
	*out = platform;
	return 0;
}

void xetile_platform_close(struct xetile_platform *platform)
{
	unsigned int i;

	if (!platform)
		return;
	for (i = 0; i < platform->num_cards; i++) {
		device_free(platform->cards[i]->root);
		free(platform->cards[i]);
	}
	free(platform->top);
	free(platform->selector);
	free(platform);
}

/* --- finding the nodes -------------------------------------------------------- */

bool xt_is_ours(const char *sysfs)
{
	char path[128], link[256];
	ssize_t len;

	snprintf(path, sizeof(path), "%s/driver", sysfs);
	len = readlink(path, link, sizeof(link) - 1);
	if (len < 0)
		return false;
	link[len] = 0;
	return strrchr(link, '/') && !strcmp(strrchr(link, '/'), "/xetile");
}

static int by_pci(const void *a, const void *b)
{
	return strcmp(((const struct xt_node *)a)->pci, ((const struct xt_node *)b)->pci);
}

/* Find the driver's nodes among those of all drivers. The caller frees @out. */
static int find_nodes(struct xt_node **out, unsigned int *num)
{
	drmDevicePtr *devices;
	struct xt_node *nodes;
	int i, found, room;

	*num = 0;
	/* A negative number: there are no nodes at all. */
	room = drmGetDevices2(0, NULL, 0);
	if (room < 0)
		room = 0;
	nodes = calloc(room + 1, sizeof(*nodes));
	devices = calloc(room + 1, sizeof(*devices));
	if (!nodes || !devices) {
		free(nodes);
		free(devices);
		return xt_error(-ENOMEM, "out of memory");
	}
	found = drmGetDevices2(0, devices, room);
	/* The number of devices may have changed between the two calls. */
	if (found > room)
		found = room;
	for (i = 0; i < found; i++) {
		struct xt_node *node = &nodes[*num];
		int type;

		if (devices[i]->bustype != DRM_BUS_PCI)
			continue;
		snprintf(node->pci, sizeof(node->pci), "%04x:%02x:%02x.%x",
			 devices[i]->businfo.pci->domain, devices[i]->businfo.pci->bus,
			 devices[i]->businfo.pci->dev, devices[i]->businfo.pci->func);
		snprintf(node->sysfs, sizeof(node->sysfs), "/sys/bus/pci/devices/%s",
			 node->pci);
		if (!xt_is_ours(node->sysfs))
			continue;
		type = devices[i]->available_nodes & (1 << DRM_NODE_RENDER) ?
			DRM_NODE_RENDER : DRM_NODE_PRIMARY;
		if (!(devices[i]->available_nodes & (1 << type)))
			continue;
		snprintf(node->node, sizeof(node->node), "%s", devices[i]->nodes[type]);
		if (devices[i]->available_nodes & (1 << DRM_NODE_PRIMARY))
			snprintf(node->primary, sizeof(node->primary), "%s",
				 devices[i]->nodes[DRM_NODE_PRIMARY]);
		(*num)++;
	}
	if (found > 0)
		drmFreeDevices(devices, found);
	free(devices);
	qsort(nodes, *num, sizeof(*nodes), by_pci);
	*out = nodes;
	return 0;
}

/*
 * The user's folder of files of ratios: NULL when no variable names one, or the name is too long.
 * A program with the rights of another user must not read what its caller's variables name.
 */
static const char *user_state_dir(char *buf, size_t size)
{
	const char *own = secure_getenv("XETILE_STATE_DIR");
	const char *state = secure_getenv("XDG_STATE_HOME"), *home = secure_getenv("HOME");
	int len = -1;

	/* The XDG specification ignores relative names. */
	if (own && *own)
		len = snprintf(buf, size, "%s", own);
	else if (!geteuid())
		len = snprintf(buf, size, "%s", ROOT_STATE_DIR);
	else if (state && *state == '/')
		len = snprintf(buf, size, "%s/xetile", state);
	else if (home && *home == '/')
		len = snprintf(buf, size, "%s/.local/state/xetile", home);
	return len > 0 && len < (int)size ? buf : NULL;
}

int xetile_platform_open(struct xetile_platform **out)
{
	const char *own = secure_getenv("XETILE_STATE_DIR");
	char state_dir[256];
	const struct xt_env env = {
		.affinity = getenv("ZE_AFFINITY_MASK"),
		.hierarchy = getenv("ZE_FLAT_DEVICE_HIERARCHY"),
		.scaling = getenv("XETILE_IMPLICIT_SCALING"),
		.scaling_compat = getenv("EnableImplicitScaling"),
		.storage_policy = getenv("MultiStoragePolicy"),
		.storage_granularity = getenv("MultiStorageGranularity"),
		.ccs = getenv("ZEX_NUMBER_OF_CCS"),
		.device = getenv("XETILE_DEVICE_SELECTOR"),
		.state_dirs = {
			user_state_dir(state_dir, sizeof(state_dir)),
			own && *own ? NULL : ROOT_STATE_DIR,
		},
	};
	struct xt_node *nodes = NULL;
	unsigned int num;
	int err;

	err = find_nodes(&nodes, &num);
	if (err)
		return err;
	err = xt_platform_build(nodes, num, &env, out);
	free(nodes);
	return err;
}

/* --- looking at devices --------------------------------------------------------- */

enum xetile_hierarchy xetile_platform_hierarchy(const struct xetile_platform *platform)
{
	return platform->hierarchy;
}

unsigned int xetile_platform_num_devices(const struct xetile_platform *platform)
{
	return platform->num_top;
}

struct xetile_device *xetile_platform_device(struct xetile_platform *platform,
					     unsigned int index)
{
	return index < platform->num_top ? platform->top[index] : NULL;
}
