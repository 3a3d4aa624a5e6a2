/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_SETTINGS_H__
#define __XETILE_SETTINGS_H__

struct drm_printer;
struct xetile_tile;

void xetile_settings_write(struct xetile_tile *tile);
unsigned int xetile_settings_verify(struct xetile_tile *tile);
void xetile_settings_check(struct xetile_tile *tile);
void xetile_settings_print(struct xetile_tile *tile, struct drm_printer *p);

#endif
