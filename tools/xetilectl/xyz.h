/* SPDX-License-Identifier: MIT */
/*
 * Numbers of three dimensions, as the command line has them.
 */
#ifndef _XETILECTL_XYZ_H_
#define _XETILECTL_XYZ_H_

#include <stdint.h>

/*
 * Read X[,Y[,Z]]: sizes of @most at most. Those that are not there are left as they are. Returns
 * CTL_OK, or CTL_USAGE after a message about the option @name.
 */
int xyz_parse(const char *name, const char *text, uint64_t most, uint64_t v[3]);
/* The same for numbers of 32 bits */
int xyz_parse_u32(const char *name, const char *text, uint32_t v[3]);

#endif
