/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_FILE_H__
#define __XETILE_FILE_H__

#include <linux/xarray.h>

struct drm_device;
struct drm_file;
struct xetile_account;
struct xetile_bind_queue;
struct xetile_device;
struct xetile_queue;
struct xetile_sched_usage;
struct xetile_score;
struct xetile_vm;

/* What one file may have at once, as a card has 2^20 numbers of address spaces for all */
#define XETILE_FILE_MAX_VMS	1024

/** struct xetile_file - an opened DRM file */
struct xetile_file {
	/** @xt: the card */
	struct xetile_device *xt;
	/** @account: what it has of what all share */
	struct xetile_account *account;
	/** @usage: engine time its queues have used */
	struct xetile_sched_usage *usage;
	/** @score: its batches that failed */
	struct xetile_score *score;
	/** @vms: VMs by id; each entry holds a reference */
	struct xarray vms;
	/**
	 * @queues: queues by id; each entry holds a reference. The ids of bind queues are
	 * reserved
	 */
	struct xarray queues;
	/** @bind_queues: bind queues by id; each entry holds a reference */
	struct xarray bind_queues;
};

int xetile_file_open(struct drm_device *drm, struct drm_file *file);
void xetile_file_close(struct drm_device *drm, struct drm_file *file);
struct xetile_vm *xetile_file_vm(struct xetile_file *xf, u32 id);
struct xetile_queue *xetile_file_queue(struct xetile_file *xf, u32 id);
struct xetile_bind_queue *xetile_file_bind_queue(struct xetile_file *xf, u32 id);

#endif
