/* SPDX-License-Identifier: MIT */
/*
 * The rules by which the rows of check_table.c are judged.
 */
#ifndef _XETILECTL_CHECK_RULES_H_
#define _XETILECTL_CHECK_RULES_H_

#include "check.h"

struct row;

/* @reg is the row's register, for an engine with the engine's base. @f is PASS before. */
#define RULE_ARGS	const struct check_card *card, const struct row *row, unsigned int tile, \
			uint32_t reg, struct check_finding *f

enum part { CARD, TILE, CCS, BCS, ENGINE };

/* A row of the table */
struct row {
	const char *name;
	enum part part;			/* a line for each of these */
	bool wake;			/* behind a power well */
	uint32_t reg;			/* of an engine: for base 0 */
	uint32_t mask, value;		/* of rule_equal(); rule_zeroes(): how many registers */
	void (*rule)(RULE_ARGS);	/* NULL: rule_equal() */
	const char *note;		/* for a DIFF, or what UNKNOWN means */
};

void rule_equal(RULE_ARGS);
void rule_zeroes(RULE_ARGS);
void rule_error_handler(RULE_ARGS);
void rule_record(RULE_ARGS);
void rule_config_revision(RULE_ARGS);
void rule_config_class(RULE_ARGS);
void rule_config_bar0(RULE_ARGS);
void rule_config_bar2(RULE_ARGS);
void rule_config_ggtt(RULE_ARGS);
void rule_config_link(RULE_ARGS);
void rule_config_sriov(RULE_ARGS);
void rule_config_aer(RULE_ARGS);
void rule_alive_tiles(RULE_ARGS);
void rule_alive_id(RULE_ARGS);
void rule_pcode_complete(RULE_ARGS);
void rule_hbm_range(RULE_ARGS);
void rule_hbm_ranges_agree(RULE_ARGS);
void rule_hbm_carve_out(RULE_ARGS);
void rule_frequencies(RULE_ARGS);
void rule_frequency(RULE_ARGS);
void rule_rapl(RULE_ARGS);
void rule_well(RULE_ARGS);
void rule_well_requests(RULE_ARGS);
void rule_fuse_dss(RULE_ARGS);
void rule_fuse_meml3(RULE_ARGS);
void rule_crystal(RULE_ARGS);
void rule_replicated(RULE_ARGS);
void rule_engine_id(RULE_ARGS);
void rule_timestamp(RULE_ARGS);

void check_judge(struct check_finding *f, enum check_verdict verdict, const char *note);
/* The live subslices of a tile that is awake */
uint64_t check_dss_mask(const struct check_card *card, unsigned int tile);

#endif
