// SPDX-License-Identifier: GPL-2.0-only
#include "exec/xetile_migrate.h"

#include <linux/device.h>
#include <linux/err.h>
#include <linux/mutex.h>
#include <linux/semaphore.h>
#include <linux/slab.h>

#include <drm/drm_print.h>

#include "card/xetile_bisect.h"
#include "exec/xetile_migrate_types.h"
#include "exec/xetile_mover.h"
#include "exec/xetile_mover_cpu.h"
#include "exec/xetile_queue.h"
#include "mem/xetile_kbo.h"
#include "mem/xetile_vm.h"
#include "mem/xetile_vm_kernel.h"
#include "xetile_device.h"

/**
 * DOC: the kernel's own copies
 *
 * Each tile has a copy queue of the kernel's, on an engine that users do not get
 * when there is another one. Its address space maps all HBM at a fixed place, so
 * HBM needs no tables written; pages of system memory are mapped through a
 * window.
 *
 * xetile_mover.c clears and copies bytes. This file makes and frees the queues, and pauses them
 * while the machine sleeps.
 */

/* A long list of commands is the kernel's own fault, not a hang. */
#define TIMEOUT_MS	60000

/**
 * xetile_migrate_print() - tell what a tile's copies did so far
 * @tile: the tile
 * @p: where to
 *
 * Context: any.
 */
void xetile_migrate_print(struct xetile_tile *tile, struct drm_printer *p)
{
	drm_printf(p, "  passes %lld\n", atomic64_read(&tile->migrate->passes));
}

static void tile_pause(struct xetile_migrate *mig)
{
	unsigned int i;

	for (i = 0; i < XETILE_MIGRATE_SLOTS; i++)
		down(&mig->idle);
	mig->paused = true;
}

static void tile_resume(struct xetile_migrate *mig)
{
	unsigned int i;

	if (!mig->paused)
		return;
	mig->paused = false;
	for (i = 0; i < XETILE_MIGRATE_SLOTS; i++)
		up(&mig->idle);
}

/**
 * xetile_migrate_pause() - begin no copy or clear, and wait for those that were begun
 * @xt: the card
 *
 * New ones wait for xetile_migrate_resume().
 *
 * Context: process, with the device's lock.
 */
void xetile_migrate_pause(struct xetile_device *xt)
{
	struct xetile_tile *tile;

	device_lock_assert(xt->drm.dev);
	xetile_for_each_tile(tile, xt)
		tile_pause(tile->migrate);
}

/**
 * xetile_migrate_resume() - undo xetile_migrate_pause()
 * @xt: the card; does nothing if its copies are not paused
 *
 * Context: process, with the device's lock.
 */
void xetile_migrate_resume(struct xetile_device *xt)
{
	struct xetile_tile *tile;

	device_lock_assert(xt->drm.dev);
	xetile_for_each_tile(tile, xt)
		tile_resume(tile->migrate);
}

static void tile_fini(struct xetile_tile *tile)
{
	struct xetile_migrate *mig = tile->migrate;
	unsigned int i;

	if (!mig)
		return;
	tile->migrate = NULL;
	if (mig->queue) {
		xetile_queue_kill(mig->queue);
		/* The callbacks of the last fences still use their slots: wait for them. */
		for (i = 0; i < XETILE_MIGRATE_SLOTS; i++)
			down(&mig->idle);
		xetile_queue_put(mig->queue);
	}
	if (mig->batches)
		xetile_kbo_destroy(mig->batches);
	if (mig->vm)
		xetile_vm_put(mig->vm);
	kfree(mig);
}

/* Keep the highest copy engine for the kernel, unless it is the only one. */
static void reserve_engine(struct xetile_tile *tile)
{
	struct xetile_engine *engine = NULL;
	unsigned int i, n = 0;

	for (i = 0; i < tile->num_engines; i++) {
		if (tile->engines[i].class != XETILE_ENGINE_COPY)
			continue;
		engine = &tile->engines[i];
		n++;
	}
	/* BCS0 cannot be fused off. */
	engine->kernel_only = n > 1;
}

static int tile_init(struct xetile_tile *tile)
{
	struct xetile_queue_args args = {
		.class = XETILE_ENGINE_COPY,
		.target = XETILE_QUEUE_KERNEL,
		.tile = tile->id,
		.priority = 1,
		.weight = XETILE_QUEUE_DEFAULT_WEIGHT,
		.timeout_ms = TIMEOUT_MS,
	};
	struct xetile_migrate *mig;
	unsigned int i;
	int err;

	reserve_engine(tile);
	mig = kzalloc(sizeof(*mig), GFP_KERNEL);
	if (!mig)
		return -ENOMEM;
	tile->migrate = mig;
	mig->tile = tile;
	mutex_init(&mig->lock);
	sema_init(&mig->idle, XETILE_MIGRATE_SLOTS);
	for (i = 0; i < XETILE_MIGRATE_SLOTS; i++)
		mig->slots[i].mig = mig;

	mig->vm = xetile_vm_create_kernel(tile, XETILE_MIGRATE_SLOTS * XETILE_MIGRATE_PAGES);
	if (IS_ERR(mig->vm)) {
		err = PTR_ERR(mig->vm);
		mig->vm = NULL;
		goto err_fini;
	}
	mig->batches = xetile_kbo_create(tile, XETILE_MIGRATE_SLOTS * XETILE_MIGRATE_BATCH, 0,
					 NULL);
	if (IS_ERR(mig->batches)) {
		err = PTR_ERR(mig->batches);
		mig->batches = NULL;
		goto err_fini;
	}
	args.vm = mig->vm;
	mig->queue = xetile_queue_create(tile->xt, &args);
	if (IS_ERR(mig->queue)) {
		err = PTR_ERR(mig->queue);
		mig->queue = NULL;
		goto err_fini;
	}
	return 0;

err_fini:
	tile_fini(tile);
	return err;
}

/**
 * xetile_migrate_init() - let the copy engines clear and copy buffers
 * @xt: the card
 *
 * Context: process; may sleep.
 *
 * Return: 0 or -errno.
 */
int xetile_migrate_init(struct xetile_device *xt)
{
	struct xetile_tile *tile;
	int err;

	xetile_for_each_tile(tile, xt) {
		err = tile_init(tile);
		if (err) {
			xetile_migrate_fini(xt);
			return err;
		}
	}
	xt->mover = xetile_bisect.copy_cpu ? &xetile_mover_cpu : &xetile_mover;
	return 0;
}

/**
 * xetile_migrate_fini() - undo xetile_migrate_init()
 * @xt: the card; its work has been stopped
 *
 * Context: process; may sleep.
 */
void xetile_migrate_fini(struct xetile_device *xt)
{
	struct xetile_tile *tile;

	xt->mover = NULL;
	xetile_for_each_tile(tile, xt)
		tile_fini(tile);
}
