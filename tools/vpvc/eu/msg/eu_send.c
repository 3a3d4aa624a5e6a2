// SPDX-License-Identifier: MIT
/*
 * The choice of a handler for a message (caller: eu_program.c), and the messages for the
 * end of a thread, barriers, and scratch blocks, which hold spilled registers.
 */
#include "eu/msg/eu_send.h"

#include "eu/msg/eu_dataport.h"
#include "eu/msg/eu_lsc.h"
#include "eu/msg/eu_memory.h"
#include "eu/msg/eu_message.h"
#include "eu/msg/eu_surface.h"
#include "eu/state/eu_barrier.h"

#define GATEWAY_EOT	0
#define GATEWAY_SIGNAL	1
#define GATEWAY_MONITOR	2
#define GATEWAY_UNMONITOR 3
#define GATEWAY_BARRIER	4
#define GATEWAY_WAIT	6

static struct eu_op *exec_eot(struct eu_thread *t, struct eu_op *op)
{
	return finish(t, op);
}

struct eu_op *eu_exec_barrier_signal(struct eu_thread *t, struct eu_op *op)
{
	uint32_t payload = eu_get32(t, op->in.src[0].reg * EU_REG_BYTES + 8);

	if (eu_live(t, op) && !eu_barrier_signal(t, payload))
		return eu_thread_stop(t, op, EU_ILLEGAL, "no such barrier");
	return finish(t, op);
}

/*
 * A block of registers to or from the thread's scratch. All data moves, independently of
 * the execution size and mask.
 */
static struct eu_op *exec_scratch_block(struct eu_thread *t, struct eu_op *op)
{
	const struct eu_insn *in = &op->in;
	uint32_t desc = eu_descriptor(t, op);
	bool write = desc >> 17 & 1;
	unsigned int bytes = 32u << (desc >> 12 & 3);
	uint64_t offset = (uint64_t)(desc & 0xfff) * 32, fault, base, pitch;
	unsigned int reg = write ? in->src[1].reg : in->dst.reg;
	uint32_t surface = eu_get32(t, in->src[0].reg * EU_REG_BYTES + 20) >> 4;
	const char *why;
	bool ok;

	if (!eu_scratch_surface(t, surface, &base, &pitch, &why, &fault))
		return why ? eu_thread_stop(t, op, EU_ILLEGAL, why) :
			     eu_thread_fault(t, op, fault, false);
	if (offset + bytes > pitch)
		return eu_thread_stop(t, op, EU_ILLEGAL,
				      "beyond the scratch of the thread");
	if (reg * EU_REG_BYTES + bytes > EU_GRF_BYTES)
		return eu_thread_stop(t, op, EU_ILLEGAL,
				      "payload runs past the register file");
	if (write)
		ok = eu_mem_write(t->worker, base + offset,
				  t->regs + reg * EU_REG_BYTES, bytes, &fault);
	else
		ok = eu_mem_read(t->worker, base + offset,
				 t->regs + reg * EU_REG_BYTES, bytes, NULL, &fault);
	if (!ok)
		return eu_thread_fault(t, op, fault, write);
	return finish(t, op);
}

static struct eu_op *exec_gateway(struct eu_thread *t, struct eu_op *op)
{
	switch (eu_descriptor(t, op) & 15) {
	case GATEWAY_EOT:
		if (op->in.eot)
			return exec_eot(t, op);
		break;
	case GATEWAY_BARRIER:
		return eu_exec_barrier_signal(t, op);
	case GATEWAY_SIGNAL: case GATEWAY_MONITOR: case GATEWAY_UNMONITOR: case GATEWAY_WAIT:
		return eu_thread_stop(t, op, EU_ILLEGAL, "the payload of events is not public");
	}
	return eu_thread_stop(t, op, EU_ILLEGAL, "gateway message is not implemented");
}

static struct eu_op *exec_dc0(struct eu_thread *t, struct eu_op *op)
{
	const struct eu_insn *in = &op->in;
	uint32_t desc = eu_descriptor(t, op);
	bool write = desc >> 17 & 1;
	const struct eu_operand *data = write ? &in->src[1] : &in->dst;

	if ((desc >> 18 & 1) && (desc >> 19 & 1) && data->file == EU_GRF)
		return exec_scratch_block(t, op);
	return eu_thread_stop(t, op, EU_ILLEGAL, "data port message is not implemented");
}

/* Returns NULL if @op is no message, or if the EU lacks the message (op->why). */
eu_exec *eu_send_select(struct eu_op *op)
{
	const struct eu_insn *in = &op->in;

	if (eu_opinfo[in->opcode].format != EU_FMT_SEND)
		return NULL;
	if (in->function == EU_SFID_UGM || in->function == EU_SFID_UGML ||
	    in->function == EU_SFID_TGM || in->function == EU_SFID_SLM)
		return eu_lsc_select(op);
	if (in->src[0].file != EU_GRF) {
		op->why = "message without its header register";
		return NULL;
	}
	switch (in->function) {
	case EU_SFID_GATEWAY:
		return !in->desc_reg && (in->desc & 15) == GATEWAY_BARRIER ?
		       eu_exec_barrier_signal : exec_gateway;
	case EU_SFID_DC0:
		return exec_dc0;
	case EU_SFID_DC1:
		return eu_exec_dc1;
	default:
		op->why = "the card has no such shared function";
		return NULL;
	}
}
