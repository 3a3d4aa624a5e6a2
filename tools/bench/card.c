// SPDX-License-Identifier: MIT
/* The control port of the first card, and the card's counters. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "card.h"
#include "ops.h"

#define PORT	"/dev/virtio-ports/vpvc.0"
#define ACTIVE	"\"state\":\"active\""

static FILE *port_in;
static int port;
static char *answer;
static size_t answer_size;

void card_open(void)
{
	port = open(PORT, O_RDWR);
	port_in = port < 0 ? NULL : fdopen(port, "r");
	if (!port_in)
		fail("cannot open %s", PORT);
}

void card_say(const char *command)
{
	if (dprintf(port, "%s\n", command) < 0 ||
	    getline(&answer, &answer_size, port_in) <= 0)
		fail("the card does not answer \"%s\"", command);
	if (strstr(answer, "\"error\""))
		fail("the card does not understand \"%s\": %s", command, answer);
}

/* Returns the sum of all numbers of the name in the answer. */
static uint64_t sum_of(const char *name)
{
	uint64_t sum = 0;
	char key[64];

	snprintf(key, sizeof(key), "\"%s\":", name);
	if (!strstr(answer, key))
		fail("the card counts no %s", name);
	for (const char *p = answer; (p = strstr(p, key)); ) {
		p += strlen(key);
		sum += strtoull(p, NULL, 10);
	}
	return sum;
}

void card_counters(struct card_counters *c)
{
	card_say("counters");
	c->reads = sum_of("register_reads");
	c->writes = sum_of("register_writes");
	c->messages = sum_of("msis");
	/* Each is counted by its engine, and in the sum of its tile. */
	c->loads = sum_of("elsq_loads") / 2;
	c->active = 0;
	for (const char *p = answer; (p = strstr(p, ACTIVE)); p += strlen(ACTIVE))
		c->active++;
}
