/* SPDX-License-Identifier: MIT */
/*
 * The module with parameters. A test that ends has the module loaded without any.
 */
#ifndef XETILE_MODULE_H
#define XETILE_MODULE_H

#include <stdbool.h>

/*
 * Loads the module that XETILE_MODULE names; skips the test without a name. Returns 0 or -errno.
 * Cards that cannot be bound make no error.
 */
int xetile_module_load(const char *parameters);
/* Unloads the module if it is loaded; asserts that this succeeds within a minute. */
void xetile_module_unload(void);
/* Returns whether the module, which is loaded, has a card. */
bool xetile_module_has_card(void);

#endif
