/* SPDX-License-Identifier: MIT */
/* Clients of the gang dispatcher that have accounts for the first group of places */
#ifndef HOST_GANG_ACCOUNTS_H
#define HOST_GANG_ACCOUNTS_H

#include <stdlib.h>
#include <string.h>

#include "exec/xetile_dispatch.h"

struct accounts {
	struct xetile_dispatch_account of[XETILE_DISPATCH_PRIORITIES][XETILE_DISPATCH_GROUP];
};

/* Client @i gets the accounts that it had before, emptied. At most @most clients have some. */
static void client_begin(struct xetile_dispatch_client *client, unsigned int i, unsigned int most)
{
	static struct accounts *accounts;
	unsigned int p;

	if (!accounts)
		accounts = calloc(most, sizeof(*accounts));
	if (!accounts)
		abort();
	memset(&accounts[i], 0, sizeof(accounts[i]));
	xetile_dispatch_client_init(client);
	for (p = 0; p < XETILE_DISPATCH_PRIORITIES; p++)
		client->accounts[p][0] = accounts[i].of[p];
}

#endif
