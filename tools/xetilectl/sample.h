/* SPDX-License-Identifier: MIT */
/*
 * What was seen of a card at a moment: its tiles, and the files of it that processes have open.
 */
#ifndef _XETILECTL_SAMPLE_H_
#define _XETILECTL_SAMPLE_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <xetile.h>

#include "fdinfo.h"
#include "slices.h"

/* What a card is, which never changes */
struct sample_card {
	unsigned int number;
	char pci[16], node[64];
	unsigned int tiles;
	uint32_t present[XETILE_MAX_TILES];	/* slices; 0: not known */
	unsigned int copies[XETILE_MAX_TILES];	/* copy engines; 0: not known */
	uint64_t hz;				/* of the card's clock */
};

struct sample_tile {
	uint64_t hbm_total, hbm_used;	/* bytes */
	unsigned int ccs_mode;
	unsigned int mhz;		/* 0: not known, or it sleeps */
	uint64_t energy;		/* uJ; 0: not known */
};

/* A file of the card that a process has open. Processes may share it: one entry for each. */
struct sample_client {
	struct fdinfo use;
	int pid;
	unsigned int uid;
	char user[33], command[64];	/* whatever bytes there are: no terminal may see them so */
};

/* How many compute queues a process has on a tile */
struct sample_queues {
	unsigned int tile, queues;
	int pid;
};

struct sample {
	uint64_t ns;			/* of the monotonic clock, when it was begun */
	struct sample_tile tiles[XETILE_MAX_TILES];
	uint64_t energy;		/* uJ of the card; 0: not known */
	struct sample_client *clients;	/* by id, then by process */
	size_t num_clients;
	struct slices_binding *slices;
	size_t num_slices;
	struct sample_queues *queues;
	size_t num_queues;
	bool knows_slices, knows_queues;	/* the kernel tells them to root only */
	bool complete;			/* no process of our PID namespace or file was left out */
};

/* Entries of a sample: hostile processes may have a file open very often, and pass it around. */
#define SAMPLE_CLIENTS	(1u << 16)

/*
 * Add an entry. Returns false without memory. One that is the same file of the same process as the
 * last one is left out. So are those for which there is no room; the sample is not complete then.
 */
bool sample_add_client(struct sample *sample, const struct sample_client *client);
/* Add the entries of a text. They return false without memory. */
bool sample_add_slices(struct sample *sample, const char *text);
/* Of one tile, a text of lines "PID QUEUES COMMAND" */
bool sample_add_queues(struct sample *sample, unsigned int tile, const char *text);

/* After the last entry: brings them in order. */
void sample_sort(struct sample *sample);

/* The first entry of a file, or NULL */
const struct sample_client *sample_find(const struct sample *sample, uint64_t id);

void sample_free(struct sample *sample);

#endif
