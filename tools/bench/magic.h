/* SPDX-License-Identifier: MIT */
/*
 * Magic instructions: a program in the guest executes them to tell the plugin something. They
 * do nothing on a processor: each is a long no-operation, 0f 1f 80 and four bytes, which are a
 * tag, the kind, and "xt". The program and the plugin include this header.
 */
#ifndef BENCH_MAGIC_H
#define BENCH_MAGIC_H

#define MAGIC_KINDS	6
#define MAGIC_BYTES	7
#define MAGIC_SIGN_0	'x'
#define MAGIC_SIGN_1	't'

#ifndef __ASSEMBLER__
enum magic {
	MAGIC_BEGIN = 1,	/* a sample with this tag begins: the plugin counts from here */
	MAGIC_RETURN,		/* the caller leaves its part; the work that it started goes on */
	MAGIC_RESUME,		/* the caller takes up its part again */
	MAGIC_END,		/* the sample is over */
	MAGIC_SYMBOLS,		/* the file of the kernel's symbols is written anew */
};
#endif

#endif
