// SPDX-License-Identifier: GPL-2.0-only
#include "card/xetile_pcode.h"

#include <linux/delay.h>
#include <linux/jiffies.h>

#include <drm/drm_print.h>

#include "regs/pvc_soc_regs.h"

#include "card/xetile_mmio.h"
#include "xetile_device.h"

/**
 * DOC: the power controller
 *
 * Firmware of the card, pcode, answers requests by a mailbox in tile 0's window. The mailbox has no
 * lock: the device's lock keeps its users, the start of the card's binding and the machine's sleep,
 * from each other.
 */

#define PCODE_TIMEOUT_US	1000
#define PCODE_READY_TIMEOUT_MS	3000
#define PCODE_READY_PAUSE_MS	10

/* One transaction; *data is sent, and replaced by the answer. */
static int pcode_transact(struct xetile_device *xt, u32 command, u32 *data, u32 *error)
{
	const struct xetile_mmio *mmio = &xt->mmio;
	int err;

	*error = PVC_PCODE_SUCCESS;
	err = xetile_mmio_wait(mmio, PVC_PCODE_MAILBOX, PVC_PCODE_READY, 0, PCODE_TIMEOUT_US);
	if (err)
		return err;

	xetile_mmio_write(mmio, PVC_PCODE_DATA0, *data);
	xetile_mmio_write(mmio, PVC_PCODE_DATA1, 0);
	xetile_mmio_write(mmio, PVC_PCODE_MAILBOX, PVC_PCODE_READY | command);

	err = xetile_mmio_wait(mmio, PVC_PCODE_MAILBOX, PVC_PCODE_READY, 0, PCODE_TIMEOUT_US);
	if (err)
		return err;

	*error = xetile_mmio_read(mmio, PVC_PCODE_MAILBOX) & PVC_PCODE_ERROR_MASK;
	*data = xetile_mmio_read(mmio, PVC_PCODE_DATA0);
	return *error ? -EIO : 0;
}

/**
 * xetile_pcode_wait_ready() - wait until the power controller has set the card up
 * @xt: the card
 *
 * Waits for 3 seconds at most: firmware needs longer only while the machine boots, when drivers
 * are not loaded yet.
 *
 * Context: process.
 * Return: 0, -ETIMEDOUT if the controller is not ready in time, -EIO if it refuses to answer,
 * -ENODEV when the card is gone.
 */
int xetile_pcode_wait_ready(struct xetile_device *xt)
{
	unsigned long deadline = jiffies + msecs_to_jiffies(PCODE_READY_TIMEOUT_MS);
	u32 data, error;
	int err;

	do {
		data = PVC_PCODE_STATUS_GET;
		err = pcode_transact(xt, PVC_PCODE_CMD_STATUS, &data, &error);
		if (!err && (data & PVC_PCODE_STATUS_COMPLETE))
			return 0;
		if (err == -EIO) {
			drm_err(&xt->drm, "pcode refuses to tell its status: error %#x\n", error);
			return err;
		}
		if (err == -ENODEV) {
			drm_err(&xt->drm, "pcode reads all ones: the card does not answer\n");
			return err;
		}
		msleep(PCODE_READY_PAUSE_MS);
	} while (time_before(jiffies, deadline));

	drm_err(&xt->drm, "pcode is not ready: %s\n",
		err ? "its mailbox stays busy" : "initialisation is not complete");
	return -ETIMEDOUT;
}
