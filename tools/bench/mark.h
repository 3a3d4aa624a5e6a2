/* SPDX-License-Identifier: MIT */
#ifndef BENCH_MARK_H
#define BENCH_MARK_H

/*
 * How a program in the guest speaks to the plugin: by executing instructions that
 * do nothing, 0f 1f 80 and four bytes: a tag, what is meant, "xt".
 */
enum mark {
	MARK_BEGIN = 1,		/* a sample with this tag begins: count */
	MARK_RETURN,		/* the caller leaves its part; what it set off goes on */
	MARK_RESUME,		/* and takes it up again */
	MARK_END,		/* the sample is over */
	MARK_SYMBOLS,		/* the file of the kernel's symbols is written anew */
};

#define MARK_BYTES	7
#define MARK_SIGN_0	'x'
#define MARK_SIGN_1	't'

#endif
