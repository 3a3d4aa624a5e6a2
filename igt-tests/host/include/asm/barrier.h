/* SPDX-License-Identifier: MIT */
#include <linux/io.h>
