// SPDX-License-Identifier: GPL-2.0-only
/* The description of the module with all KUnit tests */
#include <linux/module.h>

MODULE_DESCRIPTION("KUnit tests of xetile");
MODULE_LICENSE("GPL");
