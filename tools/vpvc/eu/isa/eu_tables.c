/* SPDX-License-Identifier: MIT */
#include "eu/eu.h"
#include "eu/isa/eu_isa.h"

_Static_assert(EU_NUM_OPCODES == EU_OPCODES, "counters for all opcodes");

#define P EU_HAS_PRED
#define C EU_HAS_COND
#define S EU_HAS_SAT
#define M EU_HAS_MODS
#define Z EU_HAS_COMPACT

const struct eu_opinfo eu_opinfo[EU_OPCODES] = {
	[EU_OP_ILLEGAL]	= {"illegal", EU_FMT_PLAIN, 0},
	[EU_OP_SYNC]	= {"sync", EU_FMT_SYNC, Z},
	[EU_OP_JMPI]	= {"jmpi", EU_FMT_BRANCH_JIP, P},
	[EU_OP_BRD]	= {"brd", EU_FMT_BRANCH_JIP, P},
	[EU_OP_IF]	= {"if", EU_FMT_BRANCH_JIP_UIP, P},
	[EU_OP_BRC]	= {"brc", EU_FMT_BRANCH_JIP_UIP, P},
	[EU_OP_ELSE]	= {"else", EU_FMT_BRANCH_JIP_UIP, 0},
	[EU_OP_ENDIF]	= {"endif", EU_FMT_BRANCH_JIP, 0},
	[EU_OP_WHILE]	= {"while", EU_FMT_BRANCH_JIP, P},
	[EU_OP_BREAK]	= {"break", EU_FMT_BRANCH_JIP_UIP, P},
	[EU_OP_CONT]	= {"cont", EU_FMT_BRANCH_JIP_UIP, P},
	[EU_OP_HALT]	= {"halt", EU_FMT_BRANCH_JIP_UIP, P},
	[EU_OP_CALLA]	= {"calla", EU_FMT_BRANCH_JIP, P},
	[EU_OP_CALL]	= {"call", EU_FMT_BRANCH_JIP, P},
	[EU_OP_RET]	= {"ret", EU_FMT_RET, P},
	[EU_OP_GOTO]	= {"goto", EU_FMT_BRANCH_JIP_UIP, P},
	[EU_OP_JOIN]	= {"join", EU_FMT_BRANCH_JIP, P},
	[EU_OP_SEND]	= {"send", EU_FMT_SEND, P},
	[EU_OP_SENDC]	= {"sendc", EU_FMT_SEND, P},
	[EU_OP_MATH]	= {"math", EU_FMT_MATH, P | S | M},
	[EU_OP_ADD]	= {"add", EU_FMT_TWO, P | C | S | M | Z},
	[EU_OP_MUL]	= {"mul", EU_FMT_TWO, P | C | S | M | Z},
	[EU_OP_AVG]	= {"avg", EU_FMT_TWO, P | C | S | M | Z},
	[EU_OP_FRC]	= {"frc", EU_FMT_ONE, P | C | M | Z},
	[EU_OP_RNDU]	= {"rndu", EU_FMT_ONE, P | C | S | M | Z},
	[EU_OP_RNDD]	= {"rndd", EU_FMT_ONE, P | C | S | M | Z},
	[EU_OP_RNDE]	= {"rnde", EU_FMT_ONE, P | C | S | M | Z},
	[EU_OP_RNDZ]	= {"rndz", EU_FMT_ONE, P | C | S | M | Z},
	[EU_OP_MAC]	= {"mac", EU_FMT_TWO, P | C | S | M | Z},
	[EU_OP_MACH]	= {"mach", EU_FMT_TWO, P | M | Z},
	[EU_OP_LZD]	= {"lzd", EU_FMT_ONE, P | C | M | Z},
	[EU_OP_FBH]	= {"fbh", EU_FMT_ONE, P | Z},
	[EU_OP_FBL]	= {"fbl", EU_FMT_ONE, P | Z},
	[EU_OP_CBIT]	= {"cbit", EU_FMT_ONE, P | Z},
	[EU_OP_ADDC]	= {"addc", EU_FMT_TWO, P | C | Z},
	[EU_OP_SUBB]	= {"subb", EU_FMT_TWO, P | C | S | Z},
	[EU_OP_ADD3]	= {"add3", EU_FMT_THREE, P | C | S | M | Z},
	[EU_OP_MACL]	= {"macl", EU_FMT_TWO, P | M | Z},
	[EU_OP_SRND]	= {"srnd", EU_FMT_TWO, S | Z},
	[EU_OP_DP4A]	= {"dp4a", EU_FMT_THREE, P | C | S | Z},
	[EU_OP_DPAS]	= {"dpas", EU_FMT_DPAS, Z},
	[EU_OP_MAD]	= {"mad", EU_FMT_THREE, P | C | S | M | Z},
	[EU_OP_MADM]	= {"madm", EU_FMT_THREE, P | M | Z},
	[EU_OP_NOP]	= {"nop", EU_FMT_PLAIN, 0},
	[EU_OP_MOV]	= {"mov", EU_FMT_ONE, P | C | S | M | Z},
	[EU_OP_SEL]	= {"sel", EU_FMT_TWO, P | C | S | M | Z},
	[EU_OP_MOVI]	= {"movi", EU_FMT_TWO, P | S | M | Z},
	[EU_OP_NOT]	= {"not", EU_FMT_ONE, P | C | M | Z},
	[EU_OP_AND]	= {"and", EU_FMT_TWO, P | C | M | Z},
	[EU_OP_OR]	= {"or", EU_FMT_TWO, P | C | M | Z},
	[EU_OP_XOR]	= {"xor", EU_FMT_TWO, P | C | M | Z},
	[EU_OP_SHR]	= {"shr", EU_FMT_TWO, P | C | S | M | Z},
	[EU_OP_SHL]	= {"shl", EU_FMT_TWO, P | C | S | M | Z},
	[EU_OP_BFN]	= {"bfn", EU_FMT_THREE, P | C | Z},
	[EU_OP_ASR]	= {"asr", EU_FMT_TWO, P | C | S | M | Z},
	[EU_OP_ROR]	= {"ror", EU_FMT_TWO, P | C | Z},
	[EU_OP_ROL]	= {"rol", EU_FMT_TWO, P | C | Z},
	[EU_OP_CMP]	= {"cmp", EU_FMT_TWO, P | C | M | Z},
	[EU_OP_CMPN]	= {"cmpn", EU_FMT_TWO, P | C | M | Z},
	[EU_OP_CSEL]	= {"csel", EU_FMT_THREE, C | S | M | Z},
	[EU_OP_BFREV]	= {"bfrev", EU_FMT_ONE, P | Z},
	[EU_OP_BFE]	= {"bfe", EU_FMT_THREE, P | Z},
	[EU_OP_BFI1]	= {"bfi1", EU_FMT_TWO, P | Z},
	[EU_OP_BFI2]	= {"bfi2", EU_FMT_THREE, P | Z},
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
