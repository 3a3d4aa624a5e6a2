// SPDX-License-Identifier: MIT
#include "xetile_walker.h"

#include <string.h>

#include "fill_kernel.h"	/* fill_kernel[]: .text.fill of libxetile/kernels/kernels.bin */

/* Offsets of the arguments, from .ze_info of the zebin, and of the code behind them */
#define FILL_LOCAL_SIZE		12
#define FILL_OUT		32
#define FILL_PATTERN		40
#define FILL_ENQUEUED_SIZE	44
#define FILL_CROSS_THREAD	64

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

uint64_t fill_batch(struct xetile_buf *batch, struct xetile_buf *isa, uint64_t out,
		    uint32_t pattern, uint32_t groups, uint32_t tiles)
{
	uint8_t *args = (uint8_t *)batch->map + FILL_ARGS;
	const uint32_t local[3] = { FILL_LOCAL, 1, 1 };
	struct xetile_batch b;

	memcpy(isa->map, fill_kernel, sizeof(fill_kernel));
	memset(args, 0, FILL_CROSS_THREAD);
	memcpy(args + FILL_LOCAL_SIZE, local, sizeof(local));
	memcpy(args + FILL_OUT, &out, sizeof(out));
	memcpy(args + FILL_PATTERN, &pattern, sizeof(pattern));
	memcpy(args + FILL_ENQUEUED_SIZE, local, sizeof(local));

	batch_begin(&b, batch, 0);
	emit_state(&b, batch->addr, isa->addr);
	emit_walker(&b, groups, tiles);
	batch_emit(&b, PIPE_CONTROL | PC_HDC_FLUSH | PC_UNTYPED_FLUSH);
	batch_emit(&b, PC_CS_STALL);
	for (int i = 0; i < 4; i++)
		batch_emit(&b, 0);
	batch_end(&b);
	return batch_addr(&b);
}

void fill_disable_preemption(struct xetile_buf *batch)
{
	unsigned int i = 0;

	while (batch->map[i] >> 16 != COMPUTE_WALKER >> 16)
		i++;
	/* In the interface descriptor within the walker */
	batch->map[i + 20] |= 1u << 20;
}
