// SPDX-License-Identifier: MIT
/*
 * Text of instructions: the words that iga64 prints with hexadecimal floats and bfn
 * tables; only the number of spaces differs. For stop messages, tests, and
 * tools/conformance/disassembly.c.
 */
#include "eu/isa/eu_disasm.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "eu/eu.h"
#include "eu/isa/eu_decode.h"

struct out {
	char *text;
	size_t size, len;
};

static void __attribute__((format(printf, 2, 3)))
add(struct out *o, const char *format, ...)
{
	va_list args;
	int n;

	if (o->len + 1 >= o->size)
		return;
	va_start(args, format);
	n = vsnprintf(o->text + o->len, o->size - o->len, format, args);
	va_end(args);
	if (n > 0)
		o->len += n;
	if (o->len >= o->size)
		o->len = o->size - 1;
}

static void print_register(struct out *o, const struct eu_operand *op)
{
	static const char *const names[16] = {
		[EU_NULL] = "null", [EU_A0] = "a", [EU_ACC] = "acc",
		[EU_FLAG] = "f", [EU_CE] = "ce", [EU_MSG] = "msg",
		[EU_SR] = "sr", [EU_CR] = "cr", [EU_N0] = "n", [EU_IP] = "ip",
		[EU_TDR] = "tdr", [EU_TM] = "tm", [EU_FC] = "fc", [EU_DBG] = "dbg",
	};
	unsigned int arf = op->reg >> 4;

	if (op->file == EU_GRF)
		add(o, "r%u", op->reg);
	else if (arf == EU_NULL || arf == EU_CE || arf == EU_IP)
		add(o, "%s", names[arf]);	/* has no number, as there is one */
	else if (names[arf])
		add(o, "%s%u", names[arf], op->reg & 15);
	else
		add(o, "arf%u.%u", arf, op->reg & 15);
}

static void print_place(struct out *o, const struct eu_operand *op)
{
	if (op->indirect) {
		add(o, "r[a0.%u", op->a0);
		if (op->a0_offset)
			add(o, ",%d", op->a0_offset);
		add(o, "]");
		return;
	}
	print_register(o, op);
	if (eu_is_arf(op, EU_FC))
		add(o, ".%u", op->sub / 2);	/* counts dwords */
	else if (!eu_is_null(op) && !eu_is_arf(op, EU_CE) && !eu_is_arf(op, EU_IP))
		add(o, ".%u", op->sub / (eu_typeinfo[op->type].size ? : 1));
}

static bool uses_mme(const struct eu_insn *in)
{
	return in->opcode == EU_OP_MADM ||
	       (in->opcode == EU_OP_MATH && in->function >= EU_INVM);
}

static void print_mme(struct out *o, const struct eu_operand *op)
{
	print_register(o, op);
	if (op->mme < EU_MME_NONE)
		add(o, ".mme%u", op->mme);
	else
		add(o, ".nomme");
	add(o, ":%s", eu_typeinfo[op->type].name);
}

static void print_dst(struct out *o, const struct eu_insn *in)
{
	const struct eu_operand *d = &in->dst;

	add(o, " ");
	if (in->saturate)
		add(o, "(sat)");
	if (uses_mme(in)) {
		print_mme(o, d);
		return;
	}
	if (in->opcode == EU_OP_DPAS) {
		print_register(o, d);
		add(o, ":%s", eu_typeinfo[d->type].name);
		return;
	}
	print_place(o, d);
	add(o, "<%u>:%s", d->hs, eu_typeinfo[d->type].name);
}

static void print_immediate(struct out *o, const struct eu_operand *s)
{
	const char *name = eu_typeinfo[s->type].name;

	switch (s->type) {
	case EU_W:
		add(o, "%d:%s", (int16_t)s->imm, name);
		break;
	case EU_D:
		add(o, "%d:%s", (int32_t)s->imm, name);
		break;
	case EU_Q:
		add(o, "%lld:%s", (long long)s->imm, name);
		break;
	default:
		add(o, "0x%llX:%s", (unsigned long long)s->imm, name);
	}
}

static void print_src(struct out *o, const struct eu_insn *in, int i)
{
	const struct eu_operand *s = &in->src[i];

	add(o, " ");
	if (s->file == EU_IMM) {
		print_immediate(o, s);
		return;
	}
	if (s->neg)
		add(o, eu_opinfo[in->opcode].has & EU_NEG_IS_NOT ? "~" : "-");
	if (s->abs)
		add(o, "(abs)");
	if (uses_mme(in)) {
		print_mme(o, s);
		return;
	}
	if (in->opcode == EU_OP_DPAS) {
		print_register(o, s);
		if (i == 2)
			add(o, ".%u", s->sub / (eu_typeinfo[s->type].size ? : 1));
		add(o, ":%s", eu_typeinfo[s->type].name);
		return;
	}
	print_place(o, s);
	if (in->sources == 3 && i == 2)
		add(o, "<%u>", s->hs);
	else if (in->sources == 3)
		add(o, "<%u;%u>", s->vs, s->hs);
	else if (s->vs == EU_VXH)
		add(o, "<%u,%u>", s->w, s->hs);
	else
		add(o, "<%u;%u,%u>", s->vs, s->w, s->hs);
	add(o, ":%s", eu_typeinfo[s->type].name);
}

static void print_predicate(struct out *o, const struct eu_insn *in)
{
	static const char *const kind[4] = {"", "", ".any", ".all"};

	if (!in->pred && !in->nomask)
		return;
	add(o, "(");
	if (in->nomask)
		add(o, in->pred ? "W&" : "W");
	if (in->pred)
		add(o, "%sf%u.%u%s", in->pred_inv ? "~" : "", in->flag,
		    in->flag_sub, kind[in->pred]);
	add(o, ") ");
}

static void print_exec(struct out *o, const struct eu_insn *in)
{
	add(o, " (%u|M%u)", in->exec_size, in->channel);
}

static void print_cond(struct out *o, const struct eu_insn *in)
{
	/* Some of the 16 codes are no condition. */
	static const char *const names[16] = {
		"", "eq", "ne", "gt", "ge", "lt", "le", "?7", "ov", "un",
		"?10", "?11", "?12", "?13", "?14", "?15"
	};

	if (in->opcode == EU_OP_MATH && in->function >= EU_INVM)
		add(o, " (eo)f%u.%u", in->flag, in->flag_sub);
	else if (in->cond)
		add(o, " (%s)f%u.%u", names[in->cond], in->flag, in->flag_sub);
}

static void print_distance(struct out *o, unsigned int d)
{
	static const char pipes[] = "\0AFILM";

	if (pipes[d >> 3])
		add(o, "%c", pipes[d >> 3]);
	add(o, "@%u", d & 7);
}

/* The software scoreboard: token and register distance. */
static void print_swsb(struct out *o, const struct eu_insn *in, const char *sep)
{
	unsigned int v = in->swsb, combined = v >> 8 & 3, d = v >> 5 & 7;
	static const char *const token[4] = {".dst", ".src", "", ""};
	static const char *const other[4] = {"", ".dst", ".src", ".dst"};
	static const char *const dpas[4] = {"", "", ".src", ".dst"};
	bool send = in->opcode == EU_OP_SEND || in->opcode == EU_OP_SENDC;

	if (!v)
		return;
	add(o, "%s", sep);
	if (combined && send)
		add(o, "%c@%u,$%u", " AFI"[combined], d, v & 31);
	else if (combined && in->opcode == EU_OP_DPAS)
		add(o, "@%u,$%u%s", d, v & 31, dpas[combined]);
	else if (combined)
		add(o, "%s@%u,$%u%s", combined == 3 ? "A" : "", d, v & 31,
		    other[combined]);
	else if (v >= 0x80 && v < 0xe0)
		add(o, "$%u%s", v & 31, token[(v >> 5 & 7) - 4]);
	else if (v == 0xf0)
		add(o, "NoAccSBSet");
	else if (v < 0x30 && (v & 7))
		print_distance(o, v);
	else
		add(o, "?%#x", v);
}

static void print_options(struct out *o, const struct eu_insn *in)
{
	struct out tail = {(char[64]){}, 64, 0};
	bool compacted = in->size == 8;

	if (compacted)
		add(&tail, "Compacted");
	if (in->exbso)
		add(&tail, "%sExBSO", tail.len ? "," : "");
	if (in->cps)
		add(&tail, "%sCPS", tail.len ? "," : "");
	if (in->eot)
		add(&tail, "%sEOT", tail.len ? "," : "");
	print_swsb(&tail, in, tail.len ? "," : "");
	if (tail.len)
		add(o, " {%s}", tail.text);
}

static void print_sync(struct out *o, const struct eu_insn *in)
{
	static const char *const names[16] = {
		[EU_SYNC_NOP] = "nop", [EU_ALLRD] = "allrd", [EU_ALLWR] = "allwr",
		[EU_FENCE] = "fence", [EU_BAR] = "bar", [EU_HOST] = "host",
	};
	const struct eu_operand *s = &in->src[0];
	const char *sep = "";

	add(o, ".%s", names[in->function] ? : "?");
	if (s->file == EU_IMM && (in->function == EU_ALLRD ||
				  in->function == EU_ALLWR)) {
		add(o, " (");
		for (int i = 0; i < 32; i++) {
			if (!(s->imm >> i & 1))
				continue;
			add(o, "%s$%d", sep, i);
			sep = ",";
		}
		add(o, ")");
	} else if (s->file == EU_IMM) {
		add(o, " 0x%llX", (unsigned long long)s->imm);
	} else {
		add(o, " ");
		print_place(o, s);
	}
}

static void print_branch(struct out *o, const struct eu_insn *in)
{
	if (in->branch_ctrl && (in->opcode == EU_OP_GOTO ||
				in->opcode == EU_OP_IF || in->opcode == EU_OP_ELSE))
		add(o, ".b");
	if (in->opcode != EU_OP_JMPI)
		print_exec(o, in);
	if (in->dst.file != EU_NO_OPERAND) {
		add(o, " ");
		print_register(o, &in->dst);
		add(o, ".%u", in->dst.sub / 4);
	}
	if (in->jip_reg) {
		add(o, " ");
		print_register(o, &in->src[0]);
		add(o, ".%u", in->src[0].sub / 4);
	} else {
		add(o, " %d", in->jip);
	}
	if (in->has_uip)
		add(o, " %d", in->uip);
}

static void print_send(struct out *o, const struct eu_insn *in)
{
	static const char *const sfid[16] = {
		"null", "ugml", "smpl", "gtwy", "dc2", "rc", "urb", "btd",
		"rta", "dcro", "dc0", "pixi", "dc1", "tgm", "slm", "ugm"
	};

	add(o, ".%s", sfid[in->function]);
	print_exec(o, in);
	add(o, " ");
	print_register(o, &in->dst);
	add(o, " ");
	print_register(o, &in->src[0]);
	add(o, " ");
	print_register(o, &in->src[1]);
	if (in->src1_len != 0xff)
		add(o, ":%u", in->src1_len);
	if (in->exdesc_reg)
		add(o, " a0.%u", in->exdesc_a0);
	else
		add(o, " 0x%X", in->exdesc);
	if (in->desc_reg)
		add(o, " a0.0");
	else
		add(o, " 0x%08X", in->desc);
}

static void print_math_name(struct out *o, const struct eu_insn *in)
{
	static const char *const names[16] = {
		[EU_INV] = "inv", [EU_LOG] = "log", [EU_EXP] = "exp",
		[EU_SQT] = "sqt", [EU_RSQT] = "rsqt", [EU_SIN] = "sin",
		[EU_COS] = "cos", [EU_INVM] = "invm", [EU_RSQTM] = "rsqtm",
	};

	add(o, ".%s", names[in->function] ? : "?");
}

void eu_print(const struct eu_insn *in, char *text, size_t size)
{
	const struct eu_opinfo *info = &eu_opinfo[in->opcode];
	struct out out = {text, size, 0}, *o = &out;

	if (size)
		text[0] = '\0';
	print_predicate(o, in);
	add(o, "%s", info->name ? : "?");
	switch (info->format) {
	case EU_FMT_NONE:
	case EU_FMT_PLAIN:
		break;
	case EU_FMT_SYNC:
		print_sync(o, in);
		break;
	case EU_FMT_BRANCH_JIP:
	case EU_FMT_BRANCH_JIP_UIP:
	case EU_FMT_RET:
		print_branch(o, in);
		break;
	case EU_FMT_SEND:
		print_send(o, in);
		break;
	default:
		if (in->opcode == EU_OP_MATH)
			print_math_name(o, in);
		else if (in->opcode == EU_OP_BFN)
			add(o, ".0x%02X", in->function);
		else if (in->opcode == EU_OP_DPAS)
			add(o, ".%ux%u", in->depth, in->repeat);
		print_exec(o, in);
		print_cond(o, in);
		print_dst(o, in);
		for (int i = 0; i < in->sources; i++)
			print_src(o, in, i);
	}
	print_options(o, in);
}

void eu_print_message(const struct eu_insn *in, char *text, size_t size)
{
	static const char *const ops[32] = {
		"load", "load_strided", "load_quad", "load_block2d",
		"store", "store_strided", "store_quad", "store_block2d",
		"atomic_iinc", "atomic_idec", "atomic_load", "atomic_store",
		"atomic_iadd", "atomic_isub", "atomic_smin", "atomic_smax",
		"atomic_umin", "atomic_umax", "atomic_icas", "atomic_fadd",
		"atomic_fsub", "atomic_fmin", "atomic_fmax", "atomic_fcas",
		"atomic_and", "atomic_or", "atomic_xor", "load_status",
		"store_uncompressed", "ccs", "read_state", "fence"
	};
	struct out out = {text, size, 0};

	if (size)
		text[0] = '\0';
	if (in->desc_reg)
		add(&out, "register descriptor");
	else if (in->function == EU_SFID_UGM || in->function == EU_SFID_SLM ||
		 in->function == EU_SFID_TGM)
		add(&out, "%s", ops[in->desc & 0x3f & 31]);
	else
		add(&out, "message %u", in->desc & 0xf);
}

size_t eu_disassemble(const void *code, size_t size, uint32_t ip, char *text,
		      size_t text_size)
{
	const char *why = "";
	struct eu_insn in;
	int ret = eu_decode(code, size, ip, &in, &why);
	struct out out = {text, text_size, 0};

	if (ret == -ENODATA) {
		if (text_size)
			text[0] = '\0';
		return 0;
	}
	if (ret && in.opcode == EU_OP_ILLEGAL)
		add(&out, "illegal");
	else if (ret)
		add(&out, "opcode 0x%02x: %s", in.opcode, why);
	else
		eu_print(&in, text, text_size);
	return in.size;
}
