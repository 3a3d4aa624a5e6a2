// SPDX-License-Identifier: MIT
#include "xetile_walker.h"

#include <string.h>

/* copy_kernel[] and fill_kernel[]: .text.copy and .text.fill of libxetile/kernels/kernels.bin */
#include "copy_kernel.h"
#include "fill_kernel.h"

/* Offsets of the arguments, from .ze_info of the zebin, and of the code behind them */
#define FILL_LOCAL_SIZE		12
#define FILL_OUT		32
#define FILL_PATTERN		40
#define FILL_ENQUEUED_SIZE	44
#define FILL_CROSS_THREAD	64
/* The copy kernel has the rest where the fill kernel has it. */
#define COPY_IN			40
#define COPY_ENQUEUED_SIZE	48

#define PIPELINE_SELECT_GPGPU	0x69040302u
#define STATE_COMPUTE_MODE	0x61050000u
#define CFE_STATE		0x72000004u
#define STATE_BASE_ADDRESS	0x61010014u
#define COMPUTE_WALKER		0x72080025u
#define   WALKER_PARTITION	(1u << 9)
#define PIPE_CONTROL		0x7a000004u
#define   PC_HDC_FLUSH		(1u << 9)
#define   PC_UNTYPED_FLUSH	(1u << 11)
#define   PC_CS_STALL		(1u << 20)
#define LOAD_REGISTER_IMM_CS	0x11080001u	/* one register, of this engine */
#define CS_CHICKEN1		0x580u
#define MOCS_WB			(2u << 5)
#define MODIFY			1u

static void emit_base(struct xetile_batch *b, uint64_t base)
{
	batch_emit(b, (uint32_t)base | MOCS_WB | MODIFY);
	batch_emit(b, base >> 32);
}

static void emit_state(struct xetile_batch *b, uint64_t general, uint64_t instruction)
{
	batch_emit(b, PIPELINE_SELECT_GPGPU);
	batch_emit(b, STATE_COMPUTE_MODE);
	batch_emit(b, 0xe0186010u);
	batch_emit(b, CFE_STATE);
	batch_emit(b, 0);
	batch_emit(b, 0);
	batch_emit(b, 4096u << 16 | 1u << 11);
	batch_emit(b, 0);
	batch_emit(b, 0);

	batch_emit(b, STATE_BASE_ADDRESS);
	emit_base(b, general);
	batch_emit(b, 0x00044000u);
	emit_base(b, general);		/* surface state */
	emit_base(b, general);		/* dynamic state */
	batch_emit(b, 0);
	batch_emit(b, 0);
	emit_base(b, instruction);
	for (int i = 0; i < 4; i++)	/* sizes: general, dynamic, indirect, instruction */
		batch_emit(b, 0xfffff000u | MODIFY);
	for (int i = 0; i < 6; i++)
		batch_emit(b, 0);
}

static void emit_walker(struct xetile_batch *b, uint32_t groups, uint32_t tiles)
{
	uint32_t dw[39] = { COMPUTE_WALKER };

	if (tiles > 1) {
		dw[0] |= WALKER_PARTITION;
		dw[14] = (groups + tiles - 1) / tiles;
	}
	dw[2] = FILL_CROSS_THREAD | (tiles > 1 ? 1u << 30 : 0);
	dw[3] = FILL_ARGS;
	/* SIMD32; ids are generated and emitted for X, Y and Z */
	dw[4] = 2u << 30 | 1u << 29 | 7u << 26 | 2u << 17;
	dw[5] = ~0u;
	dw[6] = FILL_LOCAL - 1;
	dw[7] = groups;
	dw[8] = 1;
	dw[9] = 1;
	dw[18] = FILL_START;		/* kernel start, from the instruction base */
	dw[20] = 1u << 19;
	dw[23] = FILL_LOCAL / 32;
	for (unsigned int i = 0; i < ARRAY_SIZE(dw); i++)
		batch_emit(b, dw[i]);
}

/* What walkers have written is in memory when the batch ends. Returns the batch's address. */
static uint64_t end_walkers(struct xetile_batch *b)
{
	batch_emit(b, PIPE_CONTROL | PC_HDC_FLUSH | PC_UNTYPED_FLUSH);
	batch_emit(b, PC_CS_STALL);
	for (int i = 0; i < 4; i++)
		batch_emit(b, 0);
	batch_end(b);
	return batch_addr(b);
}

static void put_sizes(uint8_t *args, uint64_t out, unsigned int enqueued_size)
{
	const uint32_t local[3] = { FILL_LOCAL, 1, 1 };

	memset(args, 0, FILL_CROSS_THREAD);
	memcpy(args + FILL_LOCAL_SIZE, local, sizeof(local));
	memcpy(args + FILL_OUT, &out, sizeof(out));
	memcpy(args + enqueued_size, local, sizeof(local));
}

static uint64_t walker_batch(struct xetile_buf *batch, struct xetile_buf *isa, uint32_t groups,
			     uint32_t tiles)
{
	struct xetile_batch b;

	batch_begin(&b, batch, 0);
	emit_state(&b, batch->addr, isa->addr);
	emit_walker(&b, groups, tiles);
	return end_walkers(&b);
}

uint64_t fill_batch(struct xetile_buf *batch, struct xetile_buf *isa, uint64_t out,
		    uint32_t pattern, uint32_t groups, uint32_t tiles)
{
	uint8_t *args = (uint8_t *)batch->map + FILL_ARGS;

	memcpy(isa->map, fill_kernel, sizeof(fill_kernel));
	put_sizes(args, out, FILL_ENQUEUED_SIZE);
	memcpy(args + FILL_PATTERN, &pattern, sizeof(pattern));
	return walker_batch(batch, isa, groups, tiles);
}

uint64_t copy_batch(struct xetile_buf *batch, struct xetile_buf *isa, uint64_t out, uint64_t in,
		    uint32_t groups, uint32_t tiles)
{
	uint8_t *args = (uint8_t *)batch->map + FILL_ARGS;

	memcpy(isa->map, copy_kernel, sizeof(copy_kernel));
	put_sizes(args, out, COPY_ENQUEUED_SIZE);
	memcpy(args + COPY_IN, &in, sizeof(in));
	return walker_batch(batch, isa, groups, tiles);
}

void fill_disable_preemption(struct xetile_buf *batch)
{
	unsigned int i = 0;

	while (batch->map[i] >> 16 != COMPUTE_WALKER >> 16)
		i++;
	/* In the interface descriptor within the walker */
	batch->map[i + 20] |= 1u << 20;
}

/* As in the card's own tests: add 1 to dword r0.1 of the array at inline.uq[0] */
static const uint32_t count_kernel[] = {
	0x80000941, 0x0a050220, 0x01000064, 0x00000124,
	0x80001941, 0x0a150220, 0x01000074, 0x00000134,
	0x80001940, 0x0a050220, 0x02000a04, 0x00000a14,
	0x80001940, 0x0a050220, 0x02000a04, 0x00000014,
	0x80001969, 0x0a058220, 0x01000a04, 0x00020002,
	0x80001940, 0x02050330, 0x02000104, 0x00000a04,
	0x80001961, 0x04054160, 0x00000000, 0x00010001,
	0x80012131, 0x00000000, 0xcffe0214, 0x0120040c,
	0x8010a161, 0x7f050aa0, 0x00100004, 0x00000000,
	0x800c1131, 0x00000004, 0x30207f0c, 0x00000000,
};

static void emit_counting_walker(struct xetile_batch *b, uint64_t out, uint32_t groups,
				 uint32_t tiles, bool threads)
{
	uint64_t done = (out + 4ull * groups + 63) / 64 * 64;
	uint32_t dw[39] = { COMPUTE_WALKER };

	if (tiles > 1) {
		dw[0] |= WALKER_PARTITION;
		dw[2] = 1u << 30;
		dw[14] = (groups + tiles - 1) / tiles;
	}
	/* SIMD16, with inline data */
	dw[4] = 1u << 30 | 1u << 25 | 1u << 17;
	dw[5] = ~0u;
	dw[6] = 15;
	dw[7] = groups;
	dw[8] = 1;
	dw[9] = 1;
	dw[18] = FILL_START;
	dw[20] = 1u << 19 | (threads ? 0 : 1u << 20);
	dw[23] = 1;
	dw[26] = 1;			/* an immediate value when the walker has ended */
	dw[27] = (uint32_t)done;
	dw[28] = done >> 32;
	dw[29] = COUNT_DONE;
	dw[31] = (uint32_t)out;
	dw[32] = out >> 32;
	for (unsigned int i = 0; i < ARRAY_SIZE(dw); i++)
		batch_emit(b, dw[i]);
}

uint64_t count_batch(struct xetile_buf *batch, struct xetile_buf *isa, uint64_t out,
		     uint32_t groups, uint32_t walkers, uint32_t tiles, enum count_preemption how)
{
	struct xetile_batch b;

	memcpy((char *)isa->map + FILL_START, count_kernel, sizeof(count_kernel));
	batch_begin(&b, batch, 0);
	if (how != COUNT_AS_DRIVER) {
		batch_emit(&b, LOAD_REGISTER_IMM_CS);
		batch_emit(&b, CS_CHICKEN1);
		batch_emit(&b, 6u << 16);	/* bits 2:1: within threads */
	}
	emit_state(&b, batch->addr, isa->addr);
	while (walkers--)
		emit_counting_walker(&b, out, groups, tiles, how != COUNT_BY_DESCRIPTOR);
	return end_walkers(&b);
}
