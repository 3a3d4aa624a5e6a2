/* SPDX-License-Identifier: MIT */
/*
 * Words that the headers of newer kernels use and sparse 0.6.4 does not know. Without these
 * definitions sparse stops at the headers and checks nothing. Only sparse reads this file.
 */
#define __typeof_unqual__	__typeof__
/* Used on string literals in constant expressions (linux/moduleparam.h). */
#define __builtin_strlen(s)	(sizeof(s) - 1)
