// SPDX-License-Identifier: GPL-2.0-only
#include "xe/xetile_xe_gone.h"

#include <linux/fs.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include <drm/drm_drv.h>
#include <drm/drm_file.h>
#include <drm/drm_gem.h>
#include <drm/drm_ioctl.h>
#include <drm/xe_drm.h>

#include "xe/xetile_xe.h"

/**
 * DOC: calls on a card that is gone
 *
 * The DRM core answers ENODEV to every call when the card is gone. Intel's runtimes end the process
 * when a queue does not tell whether it is banned, or when an object cannot be given up, and have
 * no other way to hear of the loss but a wait that fails. So these calls are answered as long as
 * the file is open. None of them uses the card.
 *
 * The file's ioctl function comes here in process context, without a lock.
 */

static int gem_close(struct drm_device *drm, void *data, struct drm_file *file)
{
	const struct drm_gem_close *args = data;

	return args->pad ? -EINVAL : drm_gem_handle_delete(file, args->handle);
}

static const struct {
	unsigned int cmd;
	drm_ioctl_t *handler;
} calls[] = {
	{ DRM_IOCTL_XE_EXEC_QUEUE_DESTROY, xetile_xe_exec_queue_destroy },
	{ DRM_IOCTL_XE_EXEC_QUEUE_GET_PROPERTY, xetile_xe_exec_queue_get_property },
	{ DRM_IOCTL_XE_VM_DESTROY, xetile_xe_vm_destroy },
	{ DRM_IOCTL_XE_WAIT_USER_FENCE, xetile_xe_wait_user_fence },
	{ DRM_IOCTL_GEM_CLOSE, gem_close },
};

/* The largest struct of these calls */
union arguments {
	struct drm_xe_exec_queue_destroy destroy;
	struct drm_xe_exec_queue_get_property property;
	struct drm_xe_vm_destroy vm;
	struct drm_xe_wait_user_fence wait;
	struct drm_gem_close close;
};

static long answer(struct drm_file *file, drm_ioctl_t *handler, unsigned int cmd, void __user *user)
{
	union arguments args;
	long err;

	memset(&args, 0, sizeof(args));
	if (copy_from_user(&args, user, _IOC_SIZE(cmd)))
		return -EFAULT;
	err = handler(file->minor->dev, &args, file);
	/* As the DRM core does, also for a call that failed: a wait tells the time that is left. */
	if ((_IOC_DIR(cmd) & _IOC_READ) && copy_to_user(user, &args, _IOC_SIZE(cmd)))
		return -EFAULT;
	return err;
}

/**
 * xetile_xe_ioctl() - a call on a file of the card
 * @opened: the file
 * @cmd: number of the call
 * @arg: its argument
 *
 * Context: process; may sleep.
 *
 * Return: as drm_ioctl(), but for calls that a card answers that is gone.
 */
long xetile_xe_ioctl(struct file *opened, unsigned int cmd, unsigned long arg)
{
	struct drm_file *file = opened->private_data;
	long ret = drm_ioctl(opened, cmd, arg);
	unsigned int i;

	/* It may go at any time: this is known only afterwards. */
	if (likely(ret != -ENODEV) || !drm_dev_is_unplugged(file->minor->dev))
		return ret;
	for (i = 0; i < ARRAY_SIZE(calls); i++)
		if (calls[i].cmd == cmd)
			return answer(file, calls[i].handler, cmd, (void __user *)arg);
	return ret;
}
