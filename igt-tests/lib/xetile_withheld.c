// SPDX-License-Identifier: MIT
#include "xetile_withheld.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/userfaultfd.h>
#include <xf86drm.h>

#include "xetile_job.h"

/* A page of memory that nobody provides until the parent asks for it */
struct page {
	int faults;		/* its userfaultfd */
	int let_go;		/* pipe: readable when the page is to be provided */
	void *at;
	union {			/* the page's content once it is provided */
		char bytes[SZ_4K];
		struct drm_xetile_vm_create vm;
		struct drm_xetile_color_run run;
		struct drm_xetile_bind bind;
		struct drm_xetile_sync sync;
		uint32_t handle;
	} content;
};

static void page_init(struct page *page, int let_go)
{
	struct uffdio_register memory = { .mode = UFFDIO_REGISTER_MODE_MISSING };
	struct uffdio_api api = { .api = UFFD_API };

	memset(page, 0, sizeof(*page));
	page->let_go = let_go;
	page->faults = syscall(SYS_userfaultfd, O_CLOEXEC);
	igt_assert_f(page->faults >= 0, "userfaultfd: %m\n");
	page->at = mmap(NULL, SZ_4K, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	igt_assert(page->at != MAP_FAILED);
	memory.range.start = to_user(page->at);
	memory.range.len = SZ_4K;
	igt_assert_eq(ioctl(page->faults, UFFDIO_API, &api), 0);
	igt_assert_eq(ioctl(page->faults, UFFDIO_REGISTER, &memory), 0);
}

static void *provide(void *arg)
{
	struct page *page = arg;
	struct uffdio_copy copy = {
		.dst = to_user(page->at), .src = to_user(&page->content), .len = SZ_4K,
	};
	char byte;

	if (read(page->let_go, &byte, 1) != 1 || ioctl(page->faults, UFFDIO_COPY, &copy))
		_exit(255);
	return NULL;
}

/* Makes a call whose arguments are all valid: it can fail only because the card is gone. */
static int call(int fd, enum withheld_kind kind, struct page *page)
{
	struct drm_xetile_bo_create bo = {
		.size = SZ_64K, .placement = DRM_XETILE_PLACE_HBM,
		.color = DRM_XETILE_COLOR_MAP,
		.runs = DRM_XETILE_ARRAY((struct drm_xetile_color_run *)page->at, 1),
	};
	struct drm_xetile_bo_info info = {
		.runs = DRM_XETILE_ARRAY((struct drm_xetile_color_run *)page->at, 1),
	};
	struct drm_xetile_query query = {
		.item = DRM_XETILE_QUERY_TILES,
		.answer = DRM_XETILE_ARRAY((struct drm_xetile_query_tile *)page->at, 1),
	};
	struct drm_xetile_vm_bind bind = {
		.binds = DRM_XETILE_ARRAY((struct drm_xetile_bind *)page->at, 1),
	};
	struct drm_xetile_exec exec = {
		.syncs = DRM_XETILE_ARRAY((struct drm_xetile_sync *)page->at, 1),
	};
	struct drm_syncobj_array syncobjs = { .handles = to_user(page->at), .count_handles = 1 };

	switch (kind) {
	case WITHHELD_STRUCT:
		return xetile_ioctl(fd, DRM_IOCTL_XETILE_VM_CREATE, page->at);
	case WITHHELD_ANSWER:
		return xetile_ioctl(fd, DRM_IOCTL_XETILE_QUERY, &query);
	case WITHHELD_COLOR:
		page->content.run.pages = 1;
		return xetile_ioctl(fd, DRM_IOCTL_XETILE_BO_CREATE, &bo);
	case WITHHELD_RUNS:
		info.handle = xetile_bo(fd, SZ_64K, DRM_XETILE_PLACE_HBM);
		return xetile_ioctl(fd, DRM_IOCTL_XETILE_BO_INFO, &info);
	case WITHHELD_BINDS:
		bind.vm_id = xetile_vm(fd);
		page->content.bind.op = DRM_XETILE_BIND_UNMAP;
		page->content.bind.range = SZ_64K;
		return xetile_ioctl(fd, DRM_IOCTL_XETILE_VM_BIND, &bind);
	case WITHHELD_SYNCS:
		exec.queue_id = xetile_queue(fd, xetile_vm(fd), COMPUTE, TILE, 0, 0);
		page->content.sync.handle = xetile_syncobj(fd);
		page->content.sync.flags = DRM_XETILE_SYNC_SIGNAL;
		return xetile_ioctl(fd, DRM_IOCTL_XETILE_EXEC, &exec);
	default:
		page->content.handle = xetile_syncobj(fd);
		return xetile_ioctl(fd, DRM_IOCTL_SYNCOBJ_SIGNAL, &syncobjs);
	}
}

static void call_in_child(int fd, enum withheld_kind kind, int let_go)
{
	static struct page page;
	pthread_t thread;

	igt_assert_eq(prctl(PR_SET_PDEATHSIG, SIGKILL), 0);
	fd = xetile_reopen(fd);
	page_init(&page, let_go);
	igt_assert_eq(pthread_create(&thread, NULL, provide, &page), 0);
	_exit(-call(fd, kind, &page));
}

static void require_userfaultfd(void)
{
	int faults = syscall(SYS_userfaultfd, O_CLOEXEC);

	igt_require_f(faults >= 0 || errno != ENOSYS, "the kernel has no userfaultfd\n");
	if (faults >= 0)
		close(faults);
}

void withheld_start(struct withheld *w, int fd, enum withheld_kind kind)
{
	int let_go[2];

	require_userfaultfd();
	igt_assert_eq(pipe(let_go), 0);
	w->pid = fork();
	igt_assert_lte(0, w->pid);
	if (!w->pid) {
		close(let_go[1]);
		call_in_child(fd, kind, let_go[0]);
	}
	close(let_go[0]);
	w->let_go = let_go[1];
	xetile_assert_soon(xetile_sleeps_in(w->pid, "handle_userfault") &&
			   xetile_sleeps_in(w->pid, "drm_ioctl"));
}

int withheld_end(struct withheld *w)
{
	int status;

	igt_assert_eq(write(w->let_go, "", 1), 1);
	close(w->let_go);
	xetile_assert_soon(waitpid(w->pid, &status, WNOHANG) == w->pid);
	igt_assert(WIFEXITED(status));
	return -WEXITSTATUS(status);
}
