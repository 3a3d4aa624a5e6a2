// SPDX-License-Identifier: MIT
/* Two-dimensional block messages of the load/store unit; caller: eu_lsc.c. */
#include "eu/msg/eu_block.h"

/* The header of a two-dimensional block */
struct block {
	uint64_t base;
	int64_t surface_width, surface_height, pitch;	/* bytes, rows, bytes */
	int64_t x, y;					/* elements, rows */
	unsigned int width, height, count;
	bool transpose, vnni;
};

static unsigned int power_of_two(unsigned int v)
{
	unsigned int p = 1;

	while (p < v)
		p <<= 1;
	return p;
}

static void decode_block(const struct message *m, uint32_t desc, struct block *b)
{
	uint32_t h[8];

	memcpy(h, m->sources + m->op->in.src[0].reg * EU_REG_BYTES, sizeof(h));
	b->base = h[0] | (uint64_t)h[1] << 32;
	b->surface_width = (int64_t)(h[2] & 0xffffff) + 1;
	b->surface_height = (int64_t)(h[3] & 0xffffff) + 1;
	b->pitch = (int64_t)(h[4] & 0xffffff) + 1;
	b->x = (int32_t)h[5];
	b->y = (int32_t)h[6];
	b->width = (h[7] & 0xff) + 1;
	b->height = (h[7] >> 8 & 0xff) + 1;
	b->count = (h[7] >> 16 & 15) + 1;
	b->vnni = desc >> 7 & 1;
	b->transpose = desc >> 15 & 1;
}

/* Index of element (row, column) in the registers of one block */
static unsigned int block_index(const struct message *m, const struct block *b,
				unsigned int row, unsigned int col)
{
	unsigned int k = 4 / (m->bytes < 4 ? m->bytes : 4);

	if (b->transpose)
		return col * power_of_two(b->height) + row;
	if (b->vnni)
		return (row / k * power_of_two(b->width) + col) * k + row % k;
	return row * power_of_two(b->width) + col;
}

static unsigned int block_bytes(const struct message *m, const struct block *b)
{
	unsigned int rows = b->height, cols = power_of_two(b->width);
	unsigned int k = 4 / (m->bytes < 4 ? m->bytes : 4);

	if (b->transpose) {
		rows = b->width;
		cols = power_of_two(b->height);
	} else if (b->vnni) {
		rows = (rows + k - 1) / k * k;
	}
	return (rows * cols * m->bytes + 63) & ~63u;
}

static bool block_element(struct message *m, const struct block *b, bool write,
			  int64_t x, int64_t y, uint8_t *reg)
{
	int64_t at = x * m->bytes;
	uint64_t address = b->base + y * b->pitch + at;

	if (x < 0 || y < 0 || at + m->bytes > b->surface_width ||
	    y >= b->surface_height) {
		if (!write)
			memset(reg, 0, m->bytes);
		return true;
	}
	return write ? eu_store_element(m, address, reg) :
		       eu_load_element(m, address, reg);
}

bool eu_message_block2d(struct message *m, uint32_t desc)
{
	const struct eu_op *op = m->op;
	bool write = m->code == LSC_STORE_BLOCK2D;
	const struct eu_operand *o = write ? &op->in.src[1] : &op->in.dst;
	unsigned int bytes;
	struct block b;
	uint8_t *data;

	decode_block(m, desc, &b);
	m->reg_bytes = m->bytes;
	if (!write && o->file != EU_GRF)
		return true;	/* a prefetch */
	if (b.vnni && b.transpose)
		return illegal(m, "block both transposed and VNNI");
	if (b.width > 64 || b.height > 64 || m->slm)
		return illegal(m, "block is too large");
	bytes = block_bytes(m, &b);
	data = payload(m, o, bytes * b.count);
	if (!data)
		return false;
	if (!write)
		memset(data, 0, bytes * b.count);
	for (unsigned int n = 0; n < b.count; n++, data += bytes)
		for (unsigned int row = 0; row < b.height; row++)
			for (unsigned int col = 0; col < b.width; col++)
				if (!block_element(m, &b, write,
						   b.x + n * b.width + col, b.y + row,
						   data + block_index(m, &b, row, col) *
						   m->bytes))
					return false;
	return true;
}
