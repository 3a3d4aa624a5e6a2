/* SPDX-License-Identifier: MIT */
/*
 * The grammar of device selectors and of the environment's values. platform.c reads the
 * environment with these functions. They are pure: a function reads its arguments only, and each
 * returns -EINVAL with an error text when a text does not follow the grammar.
 */
#ifndef _XETILE_SELECTOR_H_
#define _XETILE_SELECTOR_H_

#include <stdbool.h>
#include <stdint.h>

#include "xetile.h"

struct xt_selector {
	uint32_t card, tile, cslice;
	unsigned int depth;		/* 1 card, 2 card.tile, 3 card.tile.cslice */
};

#define XT_MAX_SELECTORS	64

struct xt_mask {
	bool all;			/* there is no mask: every device is seen */
	unsigned int num;
	struct xt_selector entries[XT_MAX_SELECTORS];
};

/* The CCS mode that ZEX_NUMBER_OF_CCS asks for on one card */
struct xt_ccs_wish {
	uint32_t card;
	uint32_t mode;
};

/* The color that new buffers have unless their owner asks for another one */
struct xt_storage {
	uint64_t granule;		/* bytes of a chunk of CHUNK; 0: EVEN */
};

int xt_selector_parse(const char *text, struct xt_selector *sel);
/* Whether a variable has no value, or "default", the word that stands for none */
bool xt_is_unset(const char *text);
/* A NULL @text is the mask that hides nothing. */
int xt_mask_parse(const char *text, struct xt_mask *mask);
/* Returns the number of wishes, at most @max, or -EINVAL. @text may be NULL. */
int xt_ccs_wishes_parse(const char *text, struct xt_ccs_wish *wishes, unsigned int max);
/*
 * MultiStoragePolicy and MultiStorageGranularity, keys of Intel's runtime, say together how new
 * buffers are colored. A NULL text gives the key's default.
 */
int xt_storage_parse(const char *policy, const char *granularity, struct xt_storage *storage);
/* A NULL @text gives the default. */
int xt_hierarchy_parse(const char *text, enum xetile_hierarchy *hierarchy);
/* A switch is "0" or "1"; a NULL @text gives @fallback. */
int xt_switch_parse(const char *name, const char *text, bool fallback, bool *value);

#endif
