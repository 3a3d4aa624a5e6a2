/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_FILE_H__
#define __XETILE_FILE_H__

#include <linux/list.h>
#include <linux/xarray.h>

struct drm_device;
struct drm_file;
struct xetile_account;
struct xetile_bind_queue;
struct xetile_bo_args;
struct xetile_client;
struct xetile_device;
struct xetile_moves;
struct xetile_quota;
struct xetile_queue;
struct xetile_sched_usage;
struct xetile_score;
struct xetile_vm;

/* VMs that one file may have at once, because all files share a card's 2^20 address space ids */
#define XETILE_FILE_MAX_VMS	1024

/** struct xetile_file - an opened DRM file */
struct xetile_file {
	/** @xt: the card */
	struct xetile_device *xt;
	/** @account: counts its part of the resources that all clients share */
	struct xetile_account *account;
	/** @usage: engine time its queues have used */
	struct xetile_sched_usage *usage;
	/** @moves: bytes of its BOs that moved between HBM and system memory */
	struct xetile_moves *moves;
	/** @quota: HBM that its BOs have */
	struct xetile_quota *quota;
	/** @score: counts its batches that failed */
	struct xetile_score *score;
	/** @client: the process that has said something by it, or NULL; set once */
	struct xetile_client *client;
	/** @vms: VMs by id; each entry holds a reference */
	struct xarray vms;
	/**
	 * @queues: queues by id; each entry holds a reference. The ids of bind queues are
	 *	reserved here, so that no other queue gets them
	 */
	struct xarray queues;
	/** @given_up: queues whose ids are gone, and that have batches; for xetile_queue.c */
	struct list_head given_up;
	/** @bind_queues: bind queues by id; each entry holds a reference */
	struct xarray bind_queues;
};

int xetile_file_open(struct drm_device *drm, struct drm_file *file);
void xetile_file_close(struct drm_device *drm, struct drm_file *file);
struct xetile_vm *xetile_file_vm(struct xetile_file *xf, u32 id);
struct xetile_queue *xetile_file_queue(struct xetile_file *xf, u32 id);
struct xetile_bind_queue *xetile_file_bind_queue(struct xetile_file *xf, u32 id);
int xetile_file_make_bo(struct drm_file *file, const struct xetile_bo_args *args, u32 *handle);
int xetile_file_add_queue(struct xetile_file *xf, struct xetile_queue *queue, u32 *id);
int xetile_file_add_bind_queue(struct xetile_file *xf, struct xetile_bind_queue *queue, u32 *id);
int xetile_file_destroy_queue(struct xetile_file *xf, u32 id);

#endif
