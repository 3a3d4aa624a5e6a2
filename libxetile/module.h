/* SPDX-License-Identifier: MIT */
/*
 * A module: the code and the data of a zebin in GPU memory.
 */
#ifndef _XETILE_MODULE_H_
#define _XETILE_MODULE_H_

#include <stdint.h>

#include "xetile.h"
#include "zebin.h"

struct xetile_module {
	struct xetile_context *context;
	struct xt_zebin zebin;
	struct xetile_mem *image;	/* machine code, one copy for each tile */
	uint64_t image_size;		/* of one copy */
	struct xetile_mem *data[3];	/* by XT_DATA_*; NULL: the module has no such data */
};

#endif
