// SPDX-License-Identifier: GPL-2.0-only
#include "exec/xetile_client.h"

#include <linux/err.h>
#include <linux/hashtable.h>
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/pid.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#include "exec/xetile_cslice_types.h"
#include "exec/xetile_dispatch.h"
#include "exec/xetile_sched_types.h"
#include "xetile_device.h"

/**
 * DOC: processes
 *
 * A client is a process (a thread group) that made queues, whichever files it opened. It has
 * virtual compute slices (xetile_cslice.c), and takes turns with other processes. Each queue
 * holds one reference, and so does a file in which it has said what it wants;
 * &xetile_cslices.lock protects the list of clients and their references.
 * A process that comes back after its last queue is gone is a new client, and has used nothing; so
 * new clients pay for their first turns in advance (xetile_dispatch_share.c).
 */

static struct xetile_client *client_find(struct xetile_cslices *cs, struct pid *tgid)
{
	struct xetile_client *client;

	lockdep_assert_held(&cs->lock);
	hash_for_each_possible(cs->clients, client, node, (unsigned long)tgid) {
		if (client->pid == tgid) {
			client->refs++;
			return client;
		}
	}
	return NULL;
}

static void client_init(struct xetile_client *client, struct xetile_device *xt, struct pid *tgid)
{
	unsigned int t, m, s;

	client->xt = xt;
	client->refs = 1;
	client->pid = get_pid(tgid);
	xetile_dispatch_client_init(&client->turns);
	for (t = 0; t < XETILE_MAX_TILES; t++)
		for (m = 0; m < XETILE_CSLICE_MODES; m++)
			for (s = 0; s < XETILE_MAX_CSLICES; s++)
				client->cslices[t][m][s].instance = XETILE_CSLICE_UNBOUND;
}

/**
 * xetile_client_get() - the client of a process
 * @xt: the card
 * @tgid: the process
 *
 * Context: process; takes &xetile_cslices.lock.
 * Return: a reference for xetile_client_put(), or ERR_PTR(-ENOMEM).
 */
struct xetile_client *xetile_client_get(struct xetile_device *xt, struct pid *tgid)
{
	struct xetile_cslices *cs = xt->cslices;
	struct xetile_client *fresh, *client;

	spin_lock_irq(&cs->lock);
	client = client_find(cs, tgid);
	spin_unlock_irq(&cs->lock);
	if (client)
		return client;

	fresh = kzalloc(sizeof(*fresh), GFP_KERNEL_ACCOUNT);
	if (!fresh)
		return ERR_PTR(-ENOMEM);
	client_init(fresh, xt, tgid);

	/* Another thread may have made it meanwhile. */
	spin_lock_irq(&cs->lock);
	client = client_find(cs, tgid);
	if (!client) {
		hash_add_rcu(cs->clients, &fresh->node, (unsigned long)tgid);
		client = fresh;
	}
	spin_unlock_irq(&cs->lock);

	if (client != fresh) {
		put_pid(fresh->pid);
		kfree(fresh);
	}
	return client;
}

/**
 * xetile_client_ref() - take another reference
 * @client: a client the caller has a reference of
 *
 * Context: any; takes &xetile_cslices.lock.
 */
void xetile_client_ref(struct xetile_client *client)
{
	unsigned long flags;

	spin_lock_irqsave(&client->xt->cslices->lock, flags);
	client->refs++;
	spin_unlock_irqrestore(&client->xt->cslices->lock, flags);
}

static void client_free_rcu(struct rcu_head *rcu)
{
	struct xetile_client *client = container_of(rcu, struct xetile_client, rcu);
	unsigned int p, g;

	for (p = 0; p < XETILE_DISPATCH_PRIORITIES; p++)
		for (g = 0; g < XETILE_DISPATCH_GROUPS; g++)
			kfree(client->turns.accounts[p][g]);
	kfree(rcu_access_pointer(client->wish));
	put_pid(client->pid);
	kfree(client);
}

/**
 * xetile_client_put() - drop a reference
 * @client: the client
 *
 * Context: any; takes &xetile_cslices.lock.
 */
void xetile_client_put(struct xetile_client *client)
{
	struct xetile_cslices *cs = client->xt->cslices;
	unsigned long flags;
	bool last;

	spin_lock_irqsave(&cs->lock, flags);
	last = !--client->refs;
	if (last)
		hash_del_rcu(&client->node);
	spin_unlock_irqrestore(&cs->lock, flags);
	if (last)
		call_rcu(&client->rcu, client_free_rcu);
}

/**
 * xetile_client_open_accounts() - have accounts for a queue that is to be made
 * @client: its process
 * @priority: priority of its gang
 * @group: its group of places
 *
 * They live as long as @client.
 *
 * Context: process; takes the execution lock.
 * Return: 0, or -ENOMEM.
 */
int xetile_client_open_accounts(struct xetile_client *client, unsigned int priority,
				unsigned int group)
{
	struct xetile_dispatch_account **accounts = &client->turns.accounts[priority][group];
	struct xetile_sched *sched = client->xt->sched;
	struct xetile_dispatch_account *fresh;

	/* Once there they stay. */
	if (READ_ONCE(*accounts))
		return 0;
	fresh = kcalloc(XETILE_DISPATCH_GROUP, sizeof(*fresh), GFP_KERNEL_ACCOUNT);
	if (!fresh)
		return -ENOMEM;

	/* Nothing changes for the dispatcher: it need not look. */
	spin_lock_irq(&sched->lock);
	if (!*accounts) {
		WRITE_ONCE(*accounts, fresh);
		fresh = NULL;
	}
	spin_unlock_irq(&sched->lock);
	kfree(fresh);
	return 0;
}

/**
 * xetile_client_set_wish() - note what a process wants
 * @client: the process
 * @wish: replaces all that was noted before
 *
 * Context: process; takes &xetile_cslices.lock.
 * Return: 0, or -ENOMEM: nothing has changed.
 */
int xetile_client_set_wish(struct xetile_client *client, const struct xetile_client_wish *wish)
{
	struct xetile_client_wish *old, *fresh;

	fresh = kmemdup(wish, sizeof(*wish), GFP_KERNEL_ACCOUNT);
	if (!fresh)
		return -ENOMEM;
	spin_lock_irq(&client->xt->cslices->lock);
	old = rcu_replace_pointer(client->wish, fresh,
				  lockdep_is_held(&client->xt->cslices->lock));
	spin_unlock_irq(&client->xt->cslices->lock);
	if (old)
		kfree_rcu(old, rcu);
	return 0;
}

/**
 * xetile_client_wish() - what a process wants
 * @xt: the card
 * @tgid: the process
 * @wish: filled in; zeros for a process that has said nothing
 *
 * Context: any; takes no lock.
 */
void xetile_client_wish(struct xetile_device *xt, struct pid *tgid,
			struct xetile_client_wish *wish)
{
	const struct xetile_client_wish *noted = NULL;
	struct xetile_client *client;

	rcu_read_lock();
	hash_for_each_possible_rcu(xt->cslices->clients, client, node, (unsigned long)tgid) {
		if (client->pid != tgid)
			continue;
		noted = rcu_dereference(client->wish);
		break;
	}
	*wish = noted ? *noted : (struct xetile_client_wish) { };
	rcu_read_unlock();
}

/**
 * xetile_client_pid() - number of a client's process
 * @client: the client
 *
 * Context: any.
 *
 * Return: the process's number in the kernel's log.
 */
pid_t xetile_client_pid(const struct xetile_client *client)
{
	return pid_nr(client->pid);
}

/**
 * xetile_client_turns() - a client, for the dispatcher
 * @client: the client
 *
 * Context: any.
 *
 * Return: the part that takes turns with other processes; lives as long as @client.
 */
struct xetile_dispatch_client *xetile_client_turns(struct xetile_client *client)
{
	return &client->turns;
}
