// SPDX-License-Identifier: GPL-2.0-only
#include "card/xetile_pcode.h"

#include <linux/cleanup.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/lockdep.h>
#include <linux/mutex.h>
#include <linux/string.h>

#include <drm/drm_print.h>

#include "regs/pvc_soc_regs.h"

#include "card/xetile_mmio.h"
#include "card/xetile_patience.h"
#include "xetile_device.h"

/**
 * DOC: the power controller
 *
 * Firmware of the card, pcode, answers requests by a mailbox in tile 0's window. The start of the
 * card's binding and the end of the machine's sleep wait for it; later, readers of the sensors ask
 * it. &xetile_device.pcode_lock keeps them from each other.
 */

#define PCODE_TIMEOUT_US	1000

/* One transaction; *data is sent, and replaced by the answer. */
static int pcode_transact(struct xetile_device *xt, u32 command, u32 *data, u32 *error)
{
	const struct xetile_mmio *mmio = &xt->mmio;
	int err;

	lockdep_assert_held(&xt->pcode_lock);
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
 * xetile_pcode_ask() - ask the power controller
 * @xt: the card
 * @command: the request
 * @data: sent, and replaced by the answer
 *
 * Context: process; takes the mailbox's lock.
 * Return: 0; -EIO: the answer is an error; -ETIMEDOUT: there is none; -ENODEV: the card is gone.
 */
int xetile_pcode_ask(struct xetile_device *xt, u32 command, u32 *data)
{
	u32 error;

	guard(mutex)(&xt->pcode_lock);
	return pcode_transact(xt, command, data, &error);
}

/**
 * xetile_pcode_wait_ready() - wait until the power controller has set the card up
 * @xt: the card
 * @wait: how long at most
 *
 * After an error the question is asked again, because the mailbox answers with errors of all kinds
 * while firmware starts.
 *
 * Context: process; takes the mailbox's lock for each question.
 * Return: 0, -ETIMEDOUT if the controller is not ready in time, -EINTR if the process was killed,
 * -ENODEV when the card is gone; one line in the log tells it.
 */
int xetile_pcode_wait_ready(struct xetile_device *xt, struct xetile_patience *wait)
{
	u32 data, error;
	char why[48];
	int err;

	do {
		data = PVC_PCODE_STATUS_GET;
		scoped_guard(mutex, &xt->pcode_lock)
			err = pcode_transact(xt, PVC_PCODE_CMD_STATUS, &data, &error);
		if (!err && (data & PVC_PCODE_STATUS_COMPLETE))
			return 0;
		if (err == -ENODEV) {
			drm_err(&xt->drm, "pcode reads all ones: the card does not answer\n");
			return err;
		}
		if (!err)
			strscpy(why, "pcode: initialisation is not complete");
		else if (err == -EIO)
			snprintf(why, sizeof(why), "pcode answers error %#x", error);
		else
			strscpy(why, "pcode's mailbox stays busy");
		err = xetile_patience_go_on(wait, why);
	} while (!err);

	xetile_patience_tell_end(wait, why, err);
	return err;
}
