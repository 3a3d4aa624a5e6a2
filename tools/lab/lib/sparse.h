/* SPDX-License-Identifier: MIT */
/*
 * What sparse 0.6.4 does not know and the headers of newer kernels use. Without
 * these it stops at the headers and checks nothing. Read by sparse only.
 */
#define __typeof_unqual__	__typeof__
/* Used on string literals in constant expressions (linux/moduleparam.h). */
#define __builtin_strlen(s)	(sizeof(s) - 1)
