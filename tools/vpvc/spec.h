/* SPDX-License-Identifier: MIT */
/* The card's tables in the form of Documentation/specs/vpvc.rst. */
#ifndef VPVC_SPEC_H
#define VPVC_SPEC_H

#include <stdio.h>

extern const char * const spec_sections[];	/* ended by NULL */
void spec_print(FILE *f, const char *section);

#endif
