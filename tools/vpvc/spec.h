/* SPDX-License-Identifier: MIT */
/* The tables as the documentation has them. */
#ifndef VPVC_SPEC_H
#define VPVC_SPEC_H

#include <stdio.h>

extern const char * const spec_sections[];	/* ended by NULL */
void spec_print(FILE *f, const char *section);

#endif
