/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_MIGRATE_H__
#define __XETILE_MIGRATE_H__

struct drm_printer;
struct xetile_device;
struct xetile_tile;

int xetile_migrate_init(struct xetile_device *xt);
void xetile_migrate_fini(struct xetile_device *xt);
void xetile_migrate_pause(struct xetile_device *xt);
void xetile_migrate_resume(struct xetile_device *xt);
void xetile_migrate_print(struct xetile_tile *tile, struct drm_printer *p);

#endif
