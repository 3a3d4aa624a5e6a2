// SPDX-License-Identifier: GPL-2.0-only
#include "mem/xetile_account.h"

#include <linux/atomic.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/uidgid.h>

#include <drm/drm_managed.h>

#include "card/xetile_awake.h"
#include "mem/xetile_fault_line.h"
#include "mem/xetile_privilege.h"
#include "mem/xetile_score.h"
#include "mem/xetile_sysmem.h"
#include "xetile_device.h"

/**
 * DOC: what a file has of what all share
 *
 * An account counts how much a file has of the resources that all clients share, and refuses more
 * than a file, or a user, may have.
 *
 * Queues, address spaces and page tables outlive the ids that the file has of them: they live until
 * the last job that needs them is done. So the account counts the objects and not the ids.
 * Otherwise a file could make and give up queues without end, with a job in each that waits for
 * ever.
 *
 * Contexts are counted by user as well, because a tile has global addresses for some 31,000 of
 * them, and a user can open the card many times. The HBM of contexts and page tables is counted by
 * user too, because nothing moves it away when others want room; and so are the fences that changes
 * of page tables wait for, the numbers that such changes are to write, and the pages of processes
 * that are bound, because the memory for their records is the kernel's.
 *
 * A run of endless jobs is begun by a work. That acts with the privilege of who opened the file. It
 * makes page tables anew when buffers have moved, and no call is there to hear of a limit. The old
 * tables are freed when the new ones are in place, so a work may take as much again as calls may.
 * Beyond that the address space is banned.
 *
 * The card is awake as long as there is an account (xetile_awake.h).
 *
 * Counters are atomic. &xetile_device.users.lock protects the list of users alone.
 */

static unsigned int user_contexts = 8192;
module_param(user_contexts, uint, 0644);
MODULE_PARM_DESC(user_contexts,
		 "Contexts that the queues of one user may have on a card at once; CAP_SYS_RESOURCE may exceed it (default 8192)");

/* A quarter of the 2^20 address space ids of a card */
static unsigned int user_vms = 262144;
module_param(user_vms, uint, 0644);
MODULE_PARM_DESC(user_vms,
		 "Address spaces that one user may have on a card at once; CAP_SYS_RESOURCE may exceed it (default 262144)");

/* As many as eight files may have; they take some 40 MiB */
static unsigned int user_fences = 8 * XETILE_FILE_MAX_DEPS;
module_param(user_fences, uint, 0644);
MODULE_PARM_DESC(user_fences,
		 "Fences that binds of one user may wait for on a card at once, a number to write being as many as 8; CAP_SYS_RESOURCE may exceed it (default 1048576)");

static unsigned int user_pinned;
module_param(user_pinned, uint, 0644);
MODULE_PARM_DESC(user_pinned,
		 "MiB of each tile's HBM that page tables and contexts of one user may take; CAP_SYS_RESOURCE may exceed it (default 0: an eighth)");

static unsigned int user_bo_pins;
module_param(user_bo_pins, uint, 0644);
MODULE_PARM_DESC(user_bo_pins,
		 "MiB of each tile's HBM that BOs which one user has pinned may take; CAP_SYS_RESOURCE may exceed it (default 0: a quarter)");

/*
 * struct account_user - all files of a user on a card
 *
 * It outlives the user's last file as long as its score remembers that batches of the user
 * failed.
 */
struct account_user {
	/* in xetile_device.users.list */
	struct list_head link;
	kuid_t uid;
	/* accounts; under xetile_device.users.lock */
	unsigned int refs;
	struct xetile_score *score;
	atomic_t contexts;
	atomic_t vms;
	atomic_t deps;
	/* pages of processes that are bound, and of imports */
	atomic64_t pages;
	/* bytes of contexts and page tables, by tile */
	atomic64_t pinned[XETILE_MAX_TILES];
	/* bytes of BOs that other devices have pinned */
	atomic64_t lent;
	/* bytes of BOs that stay in HBM, by tile */
	atomic64_t bo_pins[XETILE_MAX_TILES];
	struct xetile_fault_user faults;
};

/* struct xetile_account - the file has a reference, and so has each object that the file made */
struct xetile_account {
	struct kref ref;
	struct xetile_device *xt;
	struct account_user *user;
	/* as of xetile_may_exceed_limits(), when the file was opened */
	bool may_exceed;
	atomic_t queues;
	atomic_t jobs;
	atomic_t deps;
	/* bytes of contexts and page tables: by tile, then of system memory */
	atomic64_t pinned[XETILE_MAX_TILES + 1];
	struct xetile_fault_line faults;
};

static void user_free(struct account_user *user)
{
	list_del(&user->link);
	xetile_score_put(user->score);
	kfree(user);
}

/* No file is open any more. */
static void users_fini(struct drm_device *drm, void *arg)
{
	struct account_user *user, *next;

	list_for_each_entry_safe(user, next, &to_xetile_device(drm)->users.list, link)
		user_free(user);
}

/**
 * xetile_account_init() - begin to count
 * @xt: card
 *
 * Return: 0 or -ENOMEM.
 */
int xetile_account_init(struct xetile_device *xt)
{
	int err;

	INIT_LIST_HEAD(&xt->users.list);
	err = drmm_mutex_init(&xt->drm, &xt->users.lock);
	return err ?: drmm_add_action_or_reset(&xt->drm, users_fini, NULL);
}

static struct account_user *user_find(struct xetile_device *xt, kuid_t uid)
{
	struct account_user *user;

	lockdep_assert_held(&xt->users.lock);
	list_for_each_entry(user, &xt->users.list, link)
		if (uid_eq(user->uid, uid))
			return user;
	return NULL;
}

static struct account_user *user_create(struct xetile_device *xt, kuid_t uid)
{
	struct account_user *user = kzalloc_obj(*user, GFP_KERNEL_ACCOUNT);

	if (!user)
		return NULL;
	user->score = xetile_score_create(NULL);
	if (!user->score) {
		kfree(user);
		return NULL;
	}
	user->uid = uid;
	xetile_fault_user_init(&user->faults);
	list_add(&user->link, &xt->users.list);
	return user;
}

/* Free the users who have no file open and no failed batches to be remembered */
static void users_forget(struct xetile_device *xt)
{
	struct account_user *user, *next;

	lockdep_assert_held(&xt->users.lock);
	list_for_each_entry_safe(user, next, &xt->users.list, link)
		if (!user->refs && xetile_score_is_clean(user->score))
			user_free(user);
}

static struct account_user *user_get(struct xetile_device *xt, kuid_t uid)
{
	struct account_user *user;

	mutex_lock(&xt->users.lock);
	user = user_find(xt, uid) ?: user_create(xt, uid);
	if (user)
		user->refs++;
	mutex_unlock(&xt->users.lock);
	return user;
}

static void user_put(struct xetile_device *xt, struct account_user *user)
{
	mutex_lock(&xt->users.lock);
	user->refs--;
	users_forget(xt);
	mutex_unlock(&xt->users.lock);
}

/**
 * xetile_account_create() - make an empty account
 * @xt: card, awake; it outlives the account
 * @uid: user whose file it is
 *
 * Return: a reference, or NULL without memory.
 */
struct xetile_account *xetile_account_create(struct xetile_device *xt, kuid_t uid)
{
	struct xetile_account *account = kzalloc_obj(*account, GFP_KERNEL_ACCOUNT);

	if (!account)
		return NULL;
	account->user = user_get(xt, uid);
	if (!account->user) {
		kfree(account);
		return NULL;
	}
	account->xt = xt;
	account->may_exceed = xetile_may_exceed_limits();
	kref_init(&account->ref);
	xetile_fault_line_init(&account->faults, &account->user->faults);
	xetile_awake_hold(xt);
	return account;
}

/**
 * xetile_account_get() - take a reference
 * @account: an account the caller has a reference of, or NULL: the kernel's
 *
 * Return: @account.
 */
struct xetile_account *xetile_account_get(struct xetile_account *account)
{
	if (account)
		kref_get(&account->ref);
	return account;
}

static void account_release(struct kref *ref)
{
	struct xetile_account *account = container_of(ref, struct xetile_account, ref);

	user_put(account->xt, account->user);
	xetile_awake_put(account->xt);
	kfree(account);
}

/**
 * xetile_account_put() - drop a reference
 * @account: the account, or NULL
 *
 * Context: process.
 */
void xetile_account_put(struct xetile_account *account)
{
	if (account)
		kref_put(&account->ref, account_release);
}

/**
 * xetile_account_user_score() - batches that failed, of all files of the user
 * @account: of a file
 *
 * Return: the score, which lives as long as @account.
 */
struct xetile_score *xetile_account_user_score(const struct xetile_account *account)
{
	return account->user->score;
}

/**
 * xetile_account_faults() - the line in which works of a file wait that fault pages in
 * @account: of the file
 *
 * Return: the line, which lives as long as @account.
 */
struct xetile_fault_line *xetile_account_faults(struct xetile_account *account)
{
	return &account->faults;
}

/* Add @n to a count, unless the sum would exceed @max. Returns whether @n was added. */
static bool take(atomic_t *count, unsigned int n, unsigned int max)
{
	int old = atomic_read(count);

	do {
		if (old + n > max)
			return false;
	} while (!atomic_try_cmpxchg(count, &old, old + n));
	return true;
}

/* The same for the count of a user: CAP_SYS_RESOURCE may exceed the limit, and is counted too. */
static bool take_of_user(atomic_t *count, unsigned int n, unsigned int max)
{
	if (take(count, n, max))
		return true;
	if (!xetile_may_exceed_limits())
		return false;
	atomic_add(n, count);
	return true;
}

/**
 * xetile_account_take_queue() - a queue is to be made
 * @account: of the file, or NULL: the kernel's
 * @contexts: how many it has
 *
 * Return: 0, and the caller owes xetile_account_give_queue(); or -EDQUOT: the file has as many
 * queues as it may, or its user has as many contexts.
 */
int xetile_account_take_queue(struct xetile_account *account, unsigned int contexts)
{
	if (!account)
		return 0;
	if (!take(&account->queues, 1, XETILE_FILE_MAX_QUEUES))
		return -EDQUOT;
	if (take_of_user(&account->user->contexts, contexts, READ_ONCE(user_contexts)))
		return 0;
	atomic_dec(&account->queues);
	return -EDQUOT;
}

/**
 * xetile_account_give_queue() - a queue is gone, with its contexts
 * @account: of xetile_account_take_queue()
 * @contexts: the same
 *
 * Context: any.
 */
void xetile_account_give_queue(struct xetile_account *account, unsigned int contexts)
{
	if (!account)
		return;
	atomic_sub(contexts, &account->user->contexts);
	atomic_dec(&account->queues);
}

/**
 * xetile_account_take_vm() - an address space is to be made
 * @account: of the file, or NULL: the kernel's
 *
 * Return: 0, and the caller owes xetile_account_give_vm(); or -EDQUOT: the user has as many
 * as a user may.
 */
int xetile_account_take_vm(struct xetile_account *account)
{
	if (!account || take_of_user(&account->user->vms, 1, READ_ONCE(user_vms)))
		return 0;
	return -EDQUOT;
}

/**
 * xetile_account_give_vm() - an address space is gone
 * @account: of xetile_account_take_vm()
 *
 * Context: any.
 */
void xetile_account_give_vm(struct xetile_account *account)
{
	if (account)
		atomic_dec(&account->user->vms);
}

/**
 * xetile_account_take_job() - a batch, or a change of an address space, is to be made
 * @account: of the file, or NULL: the kernel's
 *
 * Return: 0, and the caller owes xetile_account_give_job(); or -EDQUOT.
 */
int xetile_account_take_job(struct xetile_account *account)
{
	return !account || take(&account->jobs, 1, XETILE_FILE_MAX_JOBS) ? 0 : -EDQUOT;
}

/**
 * xetile_account_give_job() - a batch or a change is done, or was given up
 * @account: of xetile_account_take_job()
 *
 * Context: any.
 */
void xetile_account_give_job(struct xetile_account *account)
{
	if (account)
		atomic_dec(&account->jobs);
}

/**
 * xetile_account_take_deps() - a change is to wait for fences, or write a number
 * @account: of the file, or NULL: the kernel's
 * @num: how many
 *
 * Context: process, of the client.
 *
 * Return: 0, and the caller owes xetile_account_give_deps(); or -EDQUOT: the file waits for as many
 * fences as it may, or its user does.
 */
int xetile_account_take_deps(struct xetile_account *account, unsigned int num)
{
	if (!account || !num)
		return 0;
	if (!take(&account->deps, num, XETILE_FILE_MAX_DEPS))
		return -EDQUOT;
	if (take_of_user(&account->user->deps, num, READ_ONCE(user_fences)))
		return 0;
	atomic_sub(num, &account->deps);
	return -EDQUOT;
}

/**
 * xetile_account_give_deps() - a change waits for its fences no more, or a number is written
 * @account: of xetile_account_take_deps()
 * @num: the same
 *
 * Context: any.
 */
void xetile_account_give_deps(struct xetile_account *account, unsigned int num)
{
	if (!account)
		return;
	atomic_sub(num, &account->user->deps);
	atomic_sub(num, &account->deps);
}

/* Bytes of a tile's HBM that a user's page tables and contexts may take: the CPU must reach them */
static u64 pinned_max(const struct xetile_tile *tile)
{
	unsigned int max = READ_ONCE(user_pinned);

	return max ? (u64)max * SZ_1M : min(tile->range.capacity, tile->range.visible) / 8;
}

/**
 * xetile_account_may_exceed() - may who takes something for a file exceed the limits of a user
 * @account: of the file
 *
 * Context: process, of the client or of a work that acts for it.
 * Return: true if so.
 */
bool xetile_account_may_exceed(const struct xetile_account *account)
{
	return xetile_acts_for_client() ? account->may_exceed : xetile_may_exceed_limits();
}

/* take_of_user() for big numbers, of bytes or pages; returns 0 or -EDQUOT */
static int take_bytes(const struct xetile_account *account, atomic64_t *count, u64 bytes, u64 max)
{
	s64 old = atomic64_read(count);

	do {
		if (old + bytes > max && !xetile_account_may_exceed(account))
			return -EDQUOT;
	} while (!atomic64_try_cmpxchg(count, &old, old + bytes));
	return 0;
}

/**
 * xetile_account_take_pages() - pages of a process are to be bound, or of another device imported
 * @account: of the file, or NULL: the kernel's
 * @num: how many
 *
 * Each has a record of 8 bytes. The limit lets these records take a 32nd of the machine's memory.
 *
 * Context: process, of the client.
 *
 * Return: 0, and the caller owes xetile_account_give_pages(); or -EDQUOT: the user has bound and
 * imported 16 times the machine's memory.
 */
int xetile_account_take_pages(struct xetile_account *account, u64 num)
{
	if (!account)
		return 0;
	return take_bytes(account, &account->user->pages, num, 16ull * totalram_pages());
}

/**
 * xetile_account_give_pages() - pages are not bound or imported any more
 * @account: of xetile_account_take_pages()
 * @num: the same
 *
 * Context: any.
 */
void xetile_account_give_pages(struct xetile_account *account, u64 num)
{
	if (account)
		atomic64_sub(num, &account->user->pages);
}

/**
 * xetile_account_pin() - memory of a context or a page table is to be taken
 * @account: of the file, or NULL: the kernel's
 * @where: number of the tile, or XETILE_ACCOUNT_SYSTEM
 * @bytes: how much
 *
 * Context: process, of the client or of a work that acts for it.
 *
 * Return: 0, and the caller owes xetile_account_unpin(); or -EDQUOT: the user has as much of the
 * tile's HBM as a user may have, or a work twice as much.
 */
int xetile_account_pin(struct xetile_account *account, unsigned int where, u64 bytes)
{
	unsigned int parts = xetile_acts_for_client() ? 2 : 1;
	int err = 0;

	if (!account)
		return 0;
	/* No limit for system memory: a context has one page there, and contexts are counted. */
	if (where != XETILE_ACCOUNT_SYSTEM)
		err = take_bytes(account, &account->user->pinned[where], bytes,
				 parts * pinned_max(&account->xt->tiles[where]));
	if (!err)
		atomic64_add(bytes, &account->pinned[where]);
	return err;
}

/**
 * xetile_account_unpin() - memory of a context or a page table was given back
 * @account: of xetile_account_pin()
 * @where: the same
 * @bytes: the same
 *
 * Context: any.
 */
void xetile_account_unpin(struct xetile_account *account, unsigned int where, u64 bytes)
{
	if (!account)
		return;
	if (where != XETILE_ACCOUNT_SYSTEM)
		atomic64_sub(bytes, &account->user->pinned[where]);
	atomic64_sub(bytes, &account->pinned[where]);
}

/**
 * xetile_account_lend() - a device of another driver is to pin a BO in system memory
 * @account: of the user for whom it does
 * @bytes: size of the BO
 *
 * Pinned memory cannot be swapped out, so one user must not pin all that the BOs of all users may
 * have.
 *
 * Context: process, of the user.
 *
 * Return: 0, and the caller owes xetile_account_give_lent(); or -EDQUOT: the user has as much as a
 * user may, a quarter of that memory.
 */
int xetile_account_lend(struct xetile_account *account, u64 bytes)
{
	return take_bytes(account, &account->user->lent, bytes,
			  xetile_sysmem_capacity(account->xt) / 4);
}

/**
 * xetile_account_give_lent() - a BO is not pinned any more
 * @account: of xetile_account_lend()
 * @bytes: the same
 *
 * Context: any.
 */
void xetile_account_give_lent(struct xetile_account *account, u64 bytes)
{
	atomic64_sub(bytes, &account->user->lent);
}

/**
 * xetile_account_pin_bo() - a BO of a user is to stay in HBM
 * @account: of the file
 * @tile: number of the tile
 * @bytes: bytes of the BO there
 *
 * Context: process, of the user.
 *
 * Return: 0, and the caller owes xetile_account_unpin_bo(); or -EDQUOT: the user has as much of the
 * tile's HBM as a user may.
 */
int xetile_account_pin_bo(struct xetile_account *account, unsigned int tile, u64 bytes)
{
	unsigned int max = READ_ONCE(user_bo_pins);

	return take_bytes(account, &account->user->bo_pins[tile], bytes,
			  max ? (u64)max * SZ_1M : account->xt->tiles[tile].range.capacity / 4);
}

/**
 * xetile_account_unpin_bo() - a BO need not stay in HBM any more
 * @account: of xetile_account_pin_bo()
 * @tile: the same
 * @bytes: the same
 *
 * Context: any.
 */
void xetile_account_unpin_bo(struct xetile_account *account, unsigned int tile, u64 bytes)
{
	atomic64_sub(bytes, &account->user->bo_pins[tile]);
}

/**
 * xetile_account_user_pinned() - how much HBM contexts and page tables of a file's user have
 * @account: of the file
 * @tile: number of the tile
 *
 * Return: bytes.
 */
u64 xetile_account_user_pinned(const struct xetile_account *account, unsigned int tile)
{
	return atomic64_read(&account->user->pinned[tile]);
}

/**
 * xetile_account_pinned() - how much memory contexts and page tables have
 * @account: of a file
 * @where: number of the tile, or XETILE_ACCOUNT_SYSTEM
 *
 * Return: bytes.
 */
u64 xetile_account_pinned(const struct xetile_account *account, unsigned int where)
{
	return atomic64_read(&account->pinned[where]);
}
