/* SPDX-License-Identifier: MIT */
/* Text of instructions. */
#ifndef EU_DISASM_H
#define EU_DISASM_H

#include "eu/isa/eu_isa.h"

/* Text of a decoded instruction as iga64 prints it, spaces folded to one. */
void eu_print(const struct eu_insn *insn, char *text, size_t size);

/* The operation of a message: "load", "message 4" or "register descriptor" */
void eu_print_message(const struct eu_insn *insn, char *text, size_t size);

#endif
