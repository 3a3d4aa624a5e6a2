/* SPDX-License-Identifier: MIT */
/*
 * The commands of a batch or ring, decoded. Pure: memory in, text out.
 */
#ifndef _XETILECTL_CRASH_DECODE_H_
#define _XETILECTL_CRASH_DECODE_H_

#include <stddef.h>
#include <stdint.h>

/* Returns the name of the command with the first dword @header, or NULL if it begins none. */
const char *crash_command_name(uint32_t header);
/* Returns the dwords of that command; 1 if there is none. */
unsigned int crash_command_dwords(uint32_t header);
/* Print the fields of a command, of which @n dwords are there: " address 0x1000, data 0x1". */
void crash_print_fields(const uint32_t *dw, unsigned int n);

#endif
