/* SPDX-License-Identifier: MIT */
/* A row of the tables of commands; cs.c finds and runs them. */
#ifndef VPVC_COMMAND_H
#define VPVC_COMMAND_H

#include "cs/cs_state.h"

#define CMD_CCS			0x1u
#define CMD_BCS			0x2u
#define CMD_ANY			(CMD_CCS | CMD_BCS)
#define CMD_PRIVILEGED		0x4u	/* dropped in a user's batch */
#define CMD_CONTROL		0x8u	/* runs under MI_SET_PREDICATE, which it may check */

struct cs_command {
	uint32_t mask, value;		/* of the first dword */
	const char *name;
	uint32_t len_mask;		/* 0: one dword, else (field) + 2 */
	unsigned int min, max;		/* dwords */
	unsigned int flags;
	enum cs_result (*run)(struct cs *cs, const uint32_t *dw, unsigned int len);
};

#endif
