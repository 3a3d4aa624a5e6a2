/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_MMIO_H__
#define __XETILE_MMIO_H__

#include <linux/io.h>
#include <linux/types.h>

struct xetile_device;
struct xetile_tile;

/**
 * struct xetile_mmio - a window of registers
 *
 * The driver wakes all power domains of a tile once, when the tile comes up, and releases them
 * when the tile goes down, so an access needs no forcewake of its own. It needs a card that is
 * awake (xetile_awake.h).
 */
struct xetile_mmio {
	/** @xt: the card */
	struct xetile_device *xt;
	/** @regs: mapping of the window */
	void __iomem *regs;
	/** @size: bytes of the window */
	u32 size;
};

void xetile_mmio_assert_awake(const struct xetile_mmio *mmio);

/**
 * xetile_mmio_read() - read a register
 * @mmio: window
 * @reg: offset in the window
 *
 * Context: any; the card's power wells are on (see &struct xetile_mmio).
 * Return: its value; all ones when the card is gone.
 */
static inline u32 xetile_mmio_read(const struct xetile_mmio *mmio, u32 reg)
{
	xetile_mmio_assert_awake(mmio);
	return readl(mmio->regs + reg);
}

/**
 * xetile_mmio_write() - write a register
 * @mmio: window
 * @reg: offset in the window
 * @val: what to write
 *
 * Context: any.
 */
static inline void xetile_mmio_write(const struct xetile_mmio *mmio, u32 reg, u32 val)
{
	writel(val, mmio->regs + reg);
}

/** struct xetile_named_reg - a register that is printed by its name */
struct xetile_named_reg {
	/** @name: its name in regs/ */
	const char *name;
	/** @offset: its offset in the window */
	u32 offset;
};

#define XETILE_NAMED_REG(reg)	{ #reg, (reg) }

int xetile_mmio_init(struct xetile_device *xt);
u64 xetile_mmio_read64(const struct xetile_mmio *mmio, u32 reg);
void xetile_mmio_write_masked(const struct xetile_mmio *mmio, u32 reg, u16 mask, u16 val);
int xetile_mmio_wait(const struct xetile_mmio *mmio, u32 reg, u32 mask, u32 val,
		     unsigned int timeout_us);
u32 xetile_mcr_read(struct xetile_tile *tile, u32 reg, unsigned int group, unsigned int instance);
void xetile_mcr_write(struct xetile_tile *tile, u32 reg, u32 val);

#endif
