// SPDX-License-Identifier: MIT
/* The tables of opcodes and types. */
#include "eu/isa/eu_isa.h"

#include "eu/eu.h"

_Static_assert(EU_NUM_OPCODES == EU_OPCODES, "counters for all opcodes");

#define P EU_HAS_PRED
#define C EU_HAS_COND
#define Q (EU_HAS_COND | EU_OWN_COND)
#define S EU_HAS_SAT
#define M EU_HAS_MODS
#define N (EU_HAS_MODS | EU_NEG_IS_NOT)
#define Z EU_HAS_COMPACT

const struct eu_opinfo eu_opinfo[EU_OPCODES] = {
#define EU_OPCODE(code, NAME, text, format, modifiers, kind, slow, fast) \
	[code] = {text, EU_FMT_##format, modifiers},
#include "eu/isa/eu_opcodes.def"
};

const struct eu_typeinfo eu_typeinfo[EU_TYPES] = {
	[EU_UB] = {"ub", 1, false, false}, [EU_UW] = {"uw", 2, false, false},
	[EU_UD] = {"ud", 4, false, false}, [EU_UQ] = {"uq", 8, false, false},
	[EU_B] = {"b", 1, false, true}, [EU_W] = {"w", 2, false, true},
	[EU_D] = {"d", 4, false, true}, [EU_Q] = {"q", 8, false, true},
	[EU_BF8] = {"bf8", 1, true, true}, [EU_HF] = {"hf", 2, true, true},
	[EU_F] = {"f", 4, true, true}, [EU_DF] = {"df", 8, true, true},
	[EU_TYPE12] = {"?12", 0, false, false}, [EU_BF] = {"bf", 2, true, true},
	[EU_TF32] = {"tf32", 4, true, true}, [EU_TYPE15] = {"?15", 0, false, false},
	[EU_UV] = {"uv", 4, false, false}, [EU_V] = {"v", 4, false, true},
	[EU_VF] = {"vf", 4, true, true},
};

const char *eu_opcode_name(unsigned int opcode)
{
	return eu_opinfo[opcode].name;
}
