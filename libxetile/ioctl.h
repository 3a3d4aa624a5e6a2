/* SPDX-License-Identifier: MIT */
/*
 * The door to the kernel: every ioctl of the library and every open of a DRM node passes here.
 * All objects that own something in the driver call these functions.
 */
#ifndef _XETILE_IOCTL_H_
#define _XETILE_IOCTL_H_

#include <stdint.h>

struct xt_door {
	int (*ioctl)(int fd, unsigned long request, void *arg);
	int (*open)(const char *node);
};

/* Only tests replace the functions. */
extern struct xt_door xt_door;

/*
 * Returns 0 or a negative errno, and sets no error text. The call is repeated when a signal
 * interrupts the call.
 */
int xt_ioctl(int fd, unsigned long request, void *arg);

/* Returns 0 or a negative errno with an error text. */
int xt_syncobj_create(int fd, uint32_t *handle);
void xt_syncobj_destroy(int fd, uint32_t handle);
/*
 * Wait for all of @num fences. Returns 0, -ETIMEDOUT or another error, and sets no error text.
 * @timeout_ms -1 waits for ever.
 */
int xt_syncobj_wait(int fd, const uint32_t *handles, unsigned int num, int timeout_ms);
/*
 * Returns 0 when the fence is signaled without an error, -EINPROGRESS when the fence is not
 * signaled, or the error that the fence carries.
 */
int xt_syncobj_status(int fd, uint32_t handle);

#endif
