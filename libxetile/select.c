// SPDX-License-Identifier: MIT
/*
 * Finding a device by its name: a selector, or the PCI address or a node of a card. A message tells
 * what there is, and what the mask hides.
 */
#include "xetile.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "card.h"
#include "device.h"
#include "error.h"
#include "platform.h"
#include "selector.h"

static struct xetile_device *find_sub(struct xetile_device *parent, uint32_t number)
{
	unsigned int i;

	for (i = 0; i < parent->num_subs; i++) {
		const struct xetile_device *sub = parent->subs[i];

		if ((sub->kind == XETILE_DEVICE_TILE ? sub->tile : sub->cslice) == number)
			return parent->subs[i];
	}
	return NULL;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Whether a text is the PCI address of a card, with its domain or without, or one of its nodes */
static bool is_card(const struct xt_card *card, const char *text)
{
	return !strcasecmp(text, card->pci) ||
	       (!strncmp(card->pci, "0000:", 5) && !strcasecmp(text, card->pci + 5)) ||
	       !strcmp(text, card->node) || !strcmp(text, base_name(card->node)) ||
	       (*card->primary && (!strcmp(text, card->primary) ||
				   !strcmp(text, base_name(card->primary))));
}

/* Whether a text has the form of a PCI address or a node, whatever it names */
static bool is_place(const char *text)
{
	unsigned int n[4];
	int end = 0;

	if (*text == '/' || !strncmp(text, "renderD", 7) || !strncmp(text, "card", 4))
		return true;
	if (sscanf(text, "%4x:%2x:%2x.%1x%n", &n[0], &n[1], &n[2], &n[3], &end) == 4 && !text[end])
		return true;
	return sscanf(text, "%2x:%2x.%1x%n", &n[0], &n[1], &n[2], &end) == 3 && !text[end];
}

/* "there are 0, 1", of a set of numbers */
static void list_numbers(char *text, size_t size, uint64_t numbers)
{
	size_t used = 0;
	unsigned int n;

	snprintf(text, size, "there is none");
	for (n = 0; n < 64 && used < size; n++) {
		if (numbers & 1ull << n)
			used += snprintf(text + used, size - used, used ? ", %u" : "there are %u", n);
	}
}

static int no_card(const struct xetile_platform *platform, const char *selector, uint32_t number)
{
	uint64_t seen = 0;
	char list[256];
	unsigned int i;

	for (i = 0; i < platform->num_cards; i++) {
		if (!platform->cards[i]->root->num_subs && platform->cards[i]->number == number)
			return xt_error(-ENODEV, "%s: card %u is hidden by ZE_AFFINITY_MASK", selector,
					number);
		if (platform->cards[i]->root->num_subs)
			seen |= 1ull << platform->cards[i]->number;
	}
	list_numbers(list, sizeof(list), seen);
	return xt_error(-ENODEV, "%s: there is no card %u: %s", selector, number, list);
}

static int no_tile(const struct xetile_device *root, const char *selector, uint32_t number)
{
	const struct xt_card *card = root->card;
	char list[64];

	if (number < card->props.num_tiles)
		return xt_error(-ENODEV, "%s: tile %u is hidden by ZE_AFFINITY_MASK", selector, number);
	list_numbers(list, sizeof(list), root->tile_mask);
	return xt_error(-ENODEV, "%s: card %u has no tile %u: %s", selector, card->number, number,
			list);
}

static int find_place(struct xetile_platform *platform, const char *text,
		      struct xetile_device **out)
{
	unsigned int i;

	for (i = 0; i < platform->num_cards; i++) {
		if (!is_card(platform->cards[i], text))
			continue;
		*out = platform->cards[i]->root;
		return (*out)->num_subs ? 0 : no_card(platform, text, platform->cards[i]->number);
	}
	return xt_error(-ENODEV, "%.64s: the driver has no such card", text);
}

int xetile_device_from_fd(struct xetile_platform *platform, int fd, struct xetile_device **out)
{
	unsigned int i;
	int ret;

	for (i = 0; i < platform->num_cards; i++) {
		struct xt_card *card = platform->cards[i];

		ret = xt_card_has_file(card, fd);
		if (ret < 0)
			return ret;
		if (!ret)
			continue;
		*out = card->root;
		return card->root->num_subs ? 0 : no_card(platform, card->node, card->number);
	}
	return xt_error(-ENODEV, "file %d is not one of a card of the platform", fd);
}

static int select_first(struct xetile_platform *platform, struct xetile_device **out)
{
	*out = xetile_platform_device(platform, 0);
	return *out ? 0 : xt_error(-ENODEV, "the driver xetile has no card, or ZE_AFFINITY_MASK hides all");
}

int xetile_platform_select(struct xetile_platform *platform, const char *selector,
			   struct xetile_device **out)
{
	struct xetile_device *device = NULL;
	struct xt_selector sel;
	unsigned int i;
	int err;

	if (!selector && !platform->selector)
		return select_first(platform, out);
	if (!selector) {
		err = xetile_platform_select(platform, platform->selector, out);
		return err ? xt_error_add(err, "XETILE_DEVICE_SELECTOR") : 0;
	}
	if (is_place(selector))
		return find_place(platform, selector, out);
	err = xt_selector_parse(selector, &sel);
	if (err)
		return err;
	for (i = 0; i < platform->num_cards; i++) {
		if (platform->cards[i]->number == sel.card && platform->cards[i]->root->num_subs)
			device = platform->cards[i]->root;
	}
	if (!device)
		return no_card(platform, selector, sel.card);
	if (sel.depth > 1) {
		struct xetile_device *root = device;

		device = find_sub(root, sel.tile);
		if (!device)
			return no_tile(root, selector, sel.tile);
	}
	if (sel.depth > 2) {
		struct xetile_device *tile = device;
		uint32_t mode = tile->card->modes[tile->tile];

		device = find_sub(tile, sel.cslice);
		/* In mode 1 the only cslice is the tile. */
		if (!device && mode == 1 && !sel.cslice)
			device = tile;
		if (!device)
			return xt_error(-ENODEV, "%s: tile %u has no cslice %u in CCS mode %u, or it is hidden",
					selector, sel.tile, sel.cslice, mode);
	}
	*out = device;
	return 0;
}
