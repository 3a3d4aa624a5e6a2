/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_CLIENT_H__
#define __XETILE_CLIENT_H__

#include <linux/list.h>
#include <linux/rcupdate.h>
#include <linux/types.h>

#include "card/xetile_tile.h"
#include "exec/xetile_cslice_map.h"
#include "exec/xetile_dispatch_types.h"
#include "mem/xetile_color.h"

struct pid;
struct xetile_device;

/* Value of &xetile_cslice_virtual.instance while there is no engine */
#define XETILE_CSLICE_UNBOUND	(-1)

/** struct xetile_cslice_virtual - a process's virtual slice; the slices' lock protects it */
struct xetile_cslice_virtual {
	/** @queues: members of queues that use it */
	unsigned int queues;
	/** @busy: number of them that have unfinished work */
	unsigned int busy;
	/** @instance: engine it is, or was last, bound to, or XETILE_CSLICE_UNBOUND */
	int instance;
};

/** struct xetile_client_wish - what a process wants that cannot say it by its own calls */
struct xetile_client_wish {
	/** @rcu: for freeing it */
	struct rcu_head rcu;
	/** @min_size: smaller buffers are not colored, in bytes */
	u64 min_size;
	/** @color: of its buffers in HBM, without runs; TILE: any tile's */
	struct xetile_coloring color;
	/** @cslice: virtual slice of its queues */
	unsigned int cslice;
	/** @colors: @color and @min_size count */
	bool colors;
};

/** struct xetile_client - a process that made queues, or has said something */
struct xetile_client {
	/** @xt: the card */
	struct xetile_device *xt;
	/** @refs: queues, and files that keep it; protected by the slices' lock */
	unsigned int refs;
	/** @node: among &xetile_cslices.clients; readers hold RCU alone */
	struct hlist_node node;
	/** @rcu: for freeing it */
	struct rcu_head rcu;
	/** @pid: the process, by its thread group */
	struct pid *pid;
	/** @wish: NULL: nothing; changed under the slices' lock, readers hold RCU alone */
	struct xetile_client_wish __rcu *wish;
	/** @turns: its turns on the engines; under the execution lock */
	struct xetile_dispatch_client turns;
	/** @members: members of queues on each tile */
	unsigned int members[XETILE_MAX_TILES];
	/** @cslices: its virtual slices of each tile in each mode */
	struct xetile_cslice_virtual cslices[XETILE_MAX_TILES][XETILE_CSLICE_MODES]
					    [XETILE_MAX_CSLICES];
};

struct xetile_client *xetile_client_get(struct xetile_device *xt, struct pid *tgid);
void xetile_client_ref(struct xetile_client *client);
void xetile_client_put(struct xetile_client *client);
int xetile_client_open_accounts(struct xetile_client *client, unsigned int priority,
				unsigned int group);
int xetile_client_set_wish(struct xetile_client *client, const struct xetile_client_wish *wish);
void xetile_client_wish(struct xetile_device *xt, struct pid *tgid,
			struct xetile_client_wish *wish);
pid_t xetile_client_pid(const struct xetile_client *client);
struct xetile_dispatch_client *xetile_client_turns(struct xetile_client *client);

#endif
