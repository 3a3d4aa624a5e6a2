// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "xetile_privilege.h"

#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <xf86drm.h>

#include "xetile_igt.h"

static struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };

void privilege_keep(uid_t user, int capability)
{
	struct __user_cap_data_struct caps[2] = { };

	igt_assert_eq(prctl(PR_SET_KEEPCAPS, 1), 0);
	igt_assert_eq(setgroups(0, NULL), 0);
	igt_assert_eq(setresgid(user, user, user), 0);
	igt_assert_eq(setresuid(user, user, user), 0);
	caps[CAP_TO_INDEX(capability)].permitted = CAP_TO_MASK(capability);
	igt_assert_eq(syscall(SYS_capset, &head, caps), 0);
}

void privilege_use(int capability, bool use)
{
	struct __user_cap_data_struct caps[2];
	uint32_t *effective = &caps[CAP_TO_INDEX(capability)].effective;

	igt_assert_eq(syscall(SYS_capget, &head, caps), 0);
	*effective = use ? *effective | CAP_TO_MASK(capability) :
		     *effective & ~CAP_TO_MASK(capability);
	igt_assert_eq(syscall(SYS_capset, &head, caps), 0);
}

void privilege_become(uid_t user)
{
	igt_assert_eq(setgroups(0, NULL), 0);
	igt_assert_eq(setgid(user), 0);
	igt_assert_eq(setuid(user), 0);
}

int privilege_open_render(int fd)
{
	char *path = drmGetRenderDeviceNameFromFd(fd);
	int node;

	igt_assert(path);
	node = open(path, O_RDWR | O_CLOEXEC);
	igt_assert_f(node >= 0, "%s: %m\n", path);
	free(path);
	return node;
}
