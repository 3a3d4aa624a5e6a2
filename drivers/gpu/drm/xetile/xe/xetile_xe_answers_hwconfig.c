// SPDX-License-Identifier: GPL-2.0-only
#include "xe/xetile_xe_answers.h"

/**
 * DOC: the table of the hardware's configuration
 *
 * Runtimes read the largest geometry that the part can have from a table of keys and values, which
 * firmware has on other parts. Without it they take the part for another one, and use an eighth of
 * it. The table is made from facts alone. Whatever no fact tells has no key, and what works is in
 * the answer with the masks (xetile_xe_answers_topology.c).
 */

/* Keys and the kind of memory, as Intel's runtime for compute numbers them */
#define KEY_MAX_SLICES		1
#define KEY_MEMORY_TYPE		11
#define   MEMORY_TYPE_HBM2E	3
#define KEY_THREADS_PER_EU	15
#define KEY_L3_BANK_KIB		64
#define KEY_MAX_DSS		70
#define KEY_MAX_EUS_PER_DSS	71
#define KEY_SLM_PER_DSS_KIB	73

/* Runtimes count the DSS of this part in slices of 8, whatever the compute engines have. */
#define MAX_DSS			64
#define MAX_SLICES		(MAX_DSS / 8)
#define MAX_EUS_PER_DSS		8
/* A whole tile has 204 MiB in 64 banks. Source: Intel's brief of the Max 1550. */
#define L3_BANK_KIB		(204 * 1024 / 64)

struct row {
	u32 key;
	/* Words of the value */
	u32 len;
	u32 value;
};

static struct row *row_put(struct row *row, u32 key, u32 value)
{
	row->key = key;
	row->len = 1;
	row->value = value;
	return row + 1;
}

/**
 * xetile_xe_hwconfig() - the configuration that the part can have
 * @facts: facts of the card
 * @answer: the table; %XETILE_XE_ANSWER bytes of zeros
 *
 * Context: any.
 * Return: bytes of the answer.
 */
size_t xetile_xe_hwconfig(const struct xetile_xe_facts *facts, void *answer)
{
	struct row *row = answer;

	row = row_put(row, KEY_MAX_SLICES, MAX_SLICES);
	row = row_put(row, KEY_MAX_DSS, MAX_DSS);
	row = row_put(row, KEY_MAX_EUS_PER_DSS, MAX_EUS_PER_DSS);
	row = row_put(row, KEY_THREADS_PER_EU, facts->threads_per_eu);
	row = row_put(row, KEY_SLM_PER_DSS_KIB, facts->max_slm / 1024);
	row = row_put(row, KEY_L3_BANK_KIB, L3_BANK_KIB);
	row = row_put(row, KEY_MEMORY_TYPE, MEMORY_TYPE_HBM2E);
	return (char *)row - (char *)answer;
}
