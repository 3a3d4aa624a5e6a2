/* SPDX-License-Identifier: MIT */
/* The data of a kernel's buffers before a run: the card and the CPU get the same. */
#ifndef CTS_DATA_H
#define CTS_DATA_H

#include "manifest.h"

/* Fill @to, cts_arg_bytes() of argument @index of @k. */
void cts_data_fill(const struct cts_kernel *k, unsigned int index, void *to);

/* One element of @type and @size at @at as a number, and back (integers wrap). */
double cts_element_get(char type, unsigned int size, const void *at);
void cts_element_put(char type, unsigned int size, void *at, double v);

#endif
