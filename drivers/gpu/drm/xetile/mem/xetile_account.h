/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_ACCOUNT_H__
#define __XETILE_ACCOUNT_H__

#include <linux/types.h>
#include <linux/uidgid_types.h>

#include "card/xetile_tile.h"

struct xetile_account;
struct xetile_device;
struct xetile_fault_line;
struct xetile_score;

/*
 * Limits of one file, so that no file takes all of what the clients share. An object counts
 * until it is freed: the file has given it up, and no job needs it any more.
 */
#define XETILE_FILE_MAX_QUEUES	1024
/* Batches, and changes of address spaces that wait */
#define XETILE_FILE_MAX_JOBS	16384
/* Fences that these changes wait for: one interrupt may have to look at all of them */
#define XETILE_FILE_MAX_DEPS	131072

/* Where pinned memory lies: the number of a tile, or system memory */
#define XETILE_ACCOUNT_SYSTEM	XETILE_MAX_TILES

int xetile_account_init(struct xetile_device *xt);

struct xetile_account *xetile_account_create(struct xetile_device *xt, kuid_t uid);
struct xetile_account *xetile_account_get(struct xetile_account *account);
void xetile_account_put(struct xetile_account *account);
struct xetile_score *xetile_account_user_score(const struct xetile_account *account);
struct xetile_fault_line *xetile_account_faults(struct xetile_account *account);
bool xetile_account_may_exceed(const struct xetile_account *account);

int xetile_account_take_queue(struct xetile_account *account, unsigned int contexts);
void xetile_account_give_queue(struct xetile_account *account, unsigned int contexts);
int xetile_account_take_vm(struct xetile_account *account);
void xetile_account_give_vm(struct xetile_account *account);
int xetile_account_take_job(struct xetile_account *account);
void xetile_account_give_job(struct xetile_account *account);
int xetile_account_take_deps(struct xetile_account *account, unsigned int num);
void xetile_account_give_deps(struct xetile_account *account, unsigned int num);
int xetile_account_take_pages(struct xetile_account *account, u64 num);
void xetile_account_give_pages(struct xetile_account *account, u64 num);

int xetile_account_pin(struct xetile_account *account, unsigned int where, u64 bytes);
void xetile_account_unpin(struct xetile_account *account, unsigned int where, u64 bytes);
int xetile_account_lend(struct xetile_account *account, u64 bytes);
void xetile_account_give_lent(struct xetile_account *account, u64 bytes);
int xetile_account_pin_bo(struct xetile_account *account, unsigned int tile, u64 bytes);
void xetile_account_unpin_bo(struct xetile_account *account, unsigned int tile, u64 bytes);
u64 xetile_account_user_pinned(const struct xetile_account *account, unsigned int tile);
u64 xetile_account_pinned(const struct xetile_account *account, unsigned int where);

#endif
