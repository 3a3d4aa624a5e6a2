/* SPDX-License-Identifier: MIT */
/*
 * The audit of a card that xetilectl check does: check.c runs it, check_table.c says what is
 * expected, check_card.c reads the card.
 */
#ifndef _XETILECTL_CHECK_H_
#define _XETILECTL_CHECK_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CHECK_CONFIG_SIZE	4096
#define CHECK_MAX_TILES		4	/* as PVC_MAX_TILES, which check_table.c asserts */
#define CHECK_ALL_ONES		0xffffffffu

/* What the audit may write. It writes nothing else. */
#define CHECK_WAKE	0x1u	/* forcewake requests and the steering selector */
#define CHECK_PCODE	0x2u	/* one query to the mailbox of the power controller */

/* A card, opened by check_card_open() */
struct check_card {
	const char *sysfs;		/* folder of the devices */
	char address[32];
	char driver[32];		/* "" if the card is not bound */
	uint16_t device;
	uint8_t revision;
	uint8_t config[CHECK_CONFIG_SIZE];
	size_t config_size;
	uint64_t bar_size[6];
	volatile uint32_t *regs;	/* written only with one of CHECK_* */
	size_t regs_size;
	unsigned int writes;		/* CHECK_* that are allowed */
	unsigned int tiles;		/* tiles to audit */
	char error[600];		/* why the card cannot be opened */

	/* Of check_card_wake() */
	bool awake[CHECK_MAX_TILES];
	uint32_t selector[CHECK_MAX_TILES];
	uint32_t requests[CHECK_MAX_TILES][2];	/* before; 0: GT, 1: RENDER */
};

/*
 * Find the next card below @sysfs after the one named @address ("" for the first), in the order
 * of the addresses. Returns false if there is none.
 */
bool check_card_next(const char *sysfs, char address[32]);
/*
 * Open the card @card->address for @card->writes. Returns 0, or -1 after a message, which is also
 * in @card->error.
 */
int check_card_open(struct check_card *card);
void check_card_close(struct check_card *card);
/* Wake all wells of the card's tiles. check_card_sleep() puts every written register back. */
void check_card_wake(struct check_card *card);
void check_card_sleep(struct check_card *card);
/* Read a register, or a dword or byte of config space; all ones where there is none. */
uint32_t check_read(const struct check_card *card, unsigned int tile, uint32_t reg);
uint32_t check_config(const struct check_card *card, unsigned int off, unsigned int bytes);
/* Offset of a capability in config space; 0 if there is none. */
unsigned int check_capability(const struct check_card *card, unsigned int id);
unsigned int check_ext_capability(const struct check_card *card, unsigned int id);
/* Read an instance of a replicated register; the tile is awake. */
uint32_t check_read_instance(const struct check_card *card, unsigned int tile, uint32_t reg,
			     unsigned int group, unsigned int instance);
/*
 * Ask the power controller for its status, with CHECK_PCODE. Returns 0 and the answer, the
 * mailbox's error code, or -1 if it does not answer.
 */
int check_pcode_status(const struct check_card *card, uint32_t *status);
/* Time of a clock that a register can be compared with, in nanoseconds */
uint64_t check_now(void);

/* --- lines --------------------------------------------------------------------------- */

enum check_verdict {
	CHECK_PASS,	/* as expected */
	CHECK_DIFF,	/* not as expected */
	CHECK_UNKNOWN,	/* recorded: nobody has published what to expect; or not read */
	CHECK_NUM_VERDICTS,
};

struct check_finding {
	char name[48];
	uint32_t offset;	/* CHECK_ALL_ONES: no register of a tile */
	enum check_verdict verdict;
	char value[48];
	char note[112];
};

/* Make the lines of the table for @card, in order, and call @found for each of them. */
void check_table_run(const struct check_card *card,
		     void (*found)(void *arg, const struct check_finding *finding), void *arg);
/* Number of tiles that the card's register tells and BAR0 has; 1 if that makes no sense. */
unsigned int check_table_tiles(const struct check_card *card);
/* Is @device the id of a card that the driver knows? */
bool check_table_knows(uint16_t device);

#endif
