// SPDX-License-Identifier: GPL-2.0-only
#include <linux/module.h>

MODULE_DESCRIPTION("KUnit tests of xetile");
MODULE_LICENSE("GPL");
