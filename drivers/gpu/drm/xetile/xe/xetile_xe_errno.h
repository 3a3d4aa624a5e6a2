/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_XE_ERRNO_H__
#define __XETILE_XE_ERRNO_H__

#include <linux/errno.h>

/**
 * DOC: errors of the xe driver's calls
 *
 * The core knows errors that users of the xe driver do not expect.
 */

/**
 * xetile_xe_errno() - the error that users of the xe driver know
 * @err: 0 or -errno of the core
 *
 * They free memory and try again when memory is short, which also helps a user who has as much as
 * a user may have.
 *
 * Context: any.
 * Return: 0 or -errno.
 */
static inline int xetile_xe_errno(int err)
{
	return err == -EDQUOT ? -ENOMEM : err;
}

#endif
