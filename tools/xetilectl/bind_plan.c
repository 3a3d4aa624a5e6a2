// SPDX-License-Identifier: MIT
/*
 * Which rank has which share, and the environment that hides all others from a program.
 */
#include "bind.h"

#include <stdlib.h>
#include <string.h>

#include "ctl.h"

/* --- finding shares ----------------------------------------------------------------------- */

static unsigned int highest(uint32_t mask)
{
	return mask ? 31 - __builtin_clz(mask) : 0;
}

/* The n-th bit of a mask, or -1 */
static int nth(uint32_t mask, unsigned int n)
{
	while (n-- && mask)
		mask &= mask - 1;
	return mask ? __builtin_ctz(mask) : -1;
}

/* A tile that cannot be split, because its other slices are fused off, is one slice. */
static uint32_t slices(const struct bind_tile *tile)
{
	return tile->mode == 1 ? 1 : tile->slices;
}

/* Add the share at a place of the tree, if there is one. */
static void add(struct bind_plan *plan, unsigned int c, unsigned int t, unsigned int s)
{
	const struct bind_card *card = &plan->tree->cards[c];
	struct bind_share *share = &plan->shares[plan->num];
	int slice;

	if (t >= card->num_tiles)
		return;
	*share = (struct bind_share) { .card = card };
	if (plan->by != BIND_CARD)
		share->tile = &card->tiles[t];
	if (plan->by == BIND_CSLICE) {
		slice = nth(slices(share->tile), s);
		if (slice < 0)
			return;
		share->slice = slice;
	}
	plan->num++;
}

/* By block the slices of a tile follow each other, then tiles, then cards; else the cards first. */
static void add_all(struct bind_plan *plan)
{
	unsigned int most_tiles = plan->by == BIND_CARD ? 1 : XETILE_MAX_TILES;
	unsigned int most_slices = plan->by == BIND_CSLICE ? XETILE_MAX_CSLICES : 1;
	unsigned int c, t, s;

	if (plan->order == BIND_BLOCK) {
		for (c = 0; c < plan->tree->num; c++)
			for (t = 0; t < most_tiles; t++)
				for (s = 0; s < most_slices; s++)
					add(plan, c, t, s);
		return;
	}
	for (s = 0; s < most_slices; s++)
		for (t = 0; t < most_tiles; t++)
			for (c = 0; c < plan->tree->num; c++)
				add(plan, c, t, s);
}

/* On a tile in mode 1 a rank would get a tile, where others get a slice. */
static int check_modes(const struct bind_plan *plan)
{
	unsigned int c, t;

	if (plan->by != BIND_CSLICE)
		return CTL_OK;
	for (c = 0; c < plan->tree->num; c++) {
		const struct bind_card *card = &plan->tree->cards[c];

		for (t = 0; t < card->num_tiles; t++) {
			const struct bind_tile *tile = &card->tiles[t];
			unsigned int better = highest(tile->modes);

			if (tile->mode > 1 || better < 2)
				continue;
			fprintf(stderr, "xetilectl: bind: tile %u.%u is in CCS mode 1, in which it has no slices\n"
				"  remedy: --mode %u for this job alone, or for all xetilectl mode set --device %u %u\n",
				card->number, tile->number, better, card->number, better);
			return CTL_FAILED;
		}
	}
	return CTL_OK;
}

static const char *plural(enum bind_by by, unsigned int num)
{
	static const char *const names[][2] = {
		[BIND_CARD] = { "cards", "card" },
		[BIND_TILE] = { "tiles", "tile" },
		[BIND_CSLICE] = { "cslices", "cslice" },
	};

	return names[by][num == 1];
}

int bind_plan_make(struct bind_plan *plan, unsigned int ranks)
{
	int ret = check_modes(plan);

	if (ret)
		return ret;
	plan->num = 0;
	/* One more than there can be, where add() writes what it does not keep. */
	plan->shares = calloc(plan->tree->num * XETILE_MAX_TILES * XETILE_MAX_CSLICES + 1,
			      sizeof(*plan->shares));
	if (!plan->shares) {
		fputs("xetilectl: out of memory\n", stderr);
		return CTL_FAILED;
	}
	add_all(plan);
	if (ranks <= plan->num || (plan->may_share && plan->num))
		return CTL_OK;
	fprintf(stderr, "xetilectl: bind: %u ranks, but %u %s%s\n"
		"  remedy: %sstart fewer ranks on this machine%s\n",
		ranks, plan->num, plural(plan->by, plan->num),
		plan->tree->masked ? " that ZE_AFFINITY_MASK leaves" : "",
		plan->may_share ? "" : "--share lets ranks share one, or ",
		plan->by == BIND_CARD ? ", or --by tile" :
		plan->by == BIND_TILE ? ", or --by cslice" : "");
	free(plan->shares);
	plan->shares = NULL;
	return CTL_FAILED;
}

/* Blocks differ by one rank at most; of fewer ranks than shares, each card has its part. */
unsigned int bind_plan_share(const struct bind_plan *plan, unsigned int rank, unsigned int ranks)
{
	if (plan->order == BIND_ROUND)
		return rank % plan->num;
	return (uint64_t)rank * plan->num / ranks;
}

unsigned int bind_plan_users(const struct bind_plan *plan, unsigned int share, unsigned int ranks)
{
	uint64_t num = plan->num;

	if (plan->order == BIND_ROUND)
		return ranks / num + (share < ranks % num);
	/* The ranks whose product is in this share's part of the line */
	return ((share + 1) * (uint64_t)ranks + num - 1) / num - (share * (uint64_t)ranks + num - 1) / num;
}

/* --- the environment ---------------------------------------------------------------------- */

void bind_share_name(const struct bind_plan *plan, const struct bind_share *share, char *out,
		     size_t size)
{
	if (plan->by == BIND_CARD)
		snprintf(out, size, "%u", share->card->number);
	else if (plan->by == BIND_TILE)
		snprintf(out, size, "%u.%u", share->card->number, share->tile->number);
	else
		snprintf(out, size, "%u.%u.%u", share->card->number, share->tile->number,
			 share->slice);
}

unsigned int bind_share_mode(const struct bind_share *share)
{
	unsigned int t;

	if (share->tile)
		return share->tile->mode;
	for (t = 1; t < share->card->num_tiles; t++) {
		if (share->card->tiles[t].mode != share->card->tiles[0].mode)
			return 0;
	}
	return share->card->tiles[0].mode;
}

static void append(char *mask, size_t size, const char *entry)
{
	size_t used = strlen(mask);

	snprintf(mask + used, size - used, "%s%s", used ? "," : "", entry);
}

static bool is_whole(const struct bind_tile *tile)
{
	return tile->mode == 1 || (unsigned int)__builtin_popcount(tile->slices) == tile->mode;
}

/* What a mask that is there leaves of a tile may be less than the tile. */
static void append_tile(char *mask, size_t size, const struct bind_card *card,
			const struct bind_tile *tile)
{
	char entry[48];
	unsigned int s;

	if (is_whole(tile)) {
		snprintf(entry, sizeof(entry), "%u.%u", card->number, tile->number);
		append(mask, size, entry);
		return;
	}
	for (s = 0; s < XETILE_MAX_CSLICES; s++) {
		if (!(tile->slices & 1u << s))
			continue;
		snprintf(entry, sizeof(entry), "%u.%u.%u", card->number, tile->number, s);
		append(mask, size, entry);
	}
}

static void append_flat(char *mask, size_t size, const struct bind_tile *tile)
{
	char entry[16];

	snprintf(entry, sizeof(entry), "%u", tile->flat);
	append(mask, size, entry);
}

static bool is_whole_card(const struct bind_card *card)
{
	unsigned int t;

	for (t = 0; t < card->num_tiles; t++) {
		if (!is_whole(&card->tiles[t]))
			return false;
	}
	return card->num_tiles == card->all_tiles;
}

/* A slice has no name in flat and combined hierarchy, where a mask has numbers of tiles. */
static enum xetile_hierarchy hierarchy_of(const struct bind_plan *plan)
{
	return plan->by == BIND_CSLICE ? XETILE_COMPOSITE : plan->tree->hierarchy;
}

static void make_mask(const struct bind_plan *plan, const struct bind_share *share, char *mask,
		      size_t size)
{
	bool flat = hierarchy_of(plan) != XETILE_COMPOSITE;
	unsigned int t;

	*mask = 0;
	/* The one slice of a tile that cannot be split is the tile. */
	if ((plan->by == BIND_CSLICE && share->tile->mode > 1) ||
	    (plan->by == BIND_CARD && !flat && is_whole_card(share->card))) {
		bind_share_name(plan, share, mask, size);
		return;
	}
	for (t = 0; t < share->card->num_tiles; t++) {
		const struct bind_tile *tile = &share->card->tiles[t];

		if (share->tile && share->tile != tile)
			continue;
		if (flat)
			append_flat(mask, size, tile);
		else
			append_tile(mask, size, share->card, tile);
	}
}

static void set(struct bind_env *env, const char *name, const char *value)
{
	unsigned int n = env->num++;

	env->vars[n].name = name;
	env->vars[n].unset = !value;
	snprintf(env->vars[n].value, sizeof(env->vars[n].value), "%s", value ? value : "");
}

/*
 * The hierarchy is named, because its default is FLAT for Intel's runtime, which reads the mask in
 * another way then. Nor need that runtime number cards by PCI order, unless asked: its
 * sortNeoDevices() does it for ZE_ENABLE_PCI_ID_DEVICE_ORDER.
 *
 * Modes are asked for by the numbers of the cards that the mask leaves, of which there is one now.
 * A default device that is named may be hidden; without a name it is the first one.
 */
void bind_env_make(const struct bind_plan *plan, const struct bind_share *share,
		   struct bind_env *env)
{
	static const char *const names[] = {
		[XETILE_COMPOSITE] = "COMPOSITE",
		[XETILE_FLAT] = "FLAT",
		[XETILE_COMBINED] = "COMBINED",
	};
	unsigned int mode = plan->tree->wished ? bind_share_mode(share) : 0;
	char text[256];

	env->num = 0;
	make_mask(plan, share, text, sizeof(text));
	set(env, "ZE_AFFINITY_MASK", text);
	set(env, "ZE_FLAT_DEVICE_HIERARCHY", names[hierarchy_of(plan)]);
	set(env, "ZE_ENABLE_PCI_ID_DEVICE_ORDER", "1");
	snprintf(text, sizeof(text), "0:%u", mode);
	set(env, "ZEX_NUMBER_OF_CCS", mode ? text : NULL);
	set(env, "XETILE_DEVICE_SELECTOR", NULL);
}
