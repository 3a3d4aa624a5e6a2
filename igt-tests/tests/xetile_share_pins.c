// SPDX-License-Identifier: MIT
/*
 * Memory that one user has other devices pin has a limit, because the kernel cannot take it back.
 * The imports of one user have a limit, because each has a record of its pages that nobody is
 * charged with.
 * Statements: S132.
 *
 * suite: share
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include <xf86drm.h>

#include "xetile_igt.h"

IGT_TEST_DESCRIPTION("A user cannot have all memory pinned by other devices, nor any number of imports");

#define BUF_BYTES	(64ull << 20)
#define MAX_BUFS	64u
#define USER		65534
#define OTHER_USER	65533

/* An exporter, an importer that pins what it maps, and its VM */
struct pair {
	int from, to;
	uint32_t vm;
};

/* A buffer, and its import */
struct shared {
	uint32_t bo, there;
};

static void pair_fini(struct pair *p)
{
	xetile_vm_destroy(p->to, p->vm);
	close(p->to);
	close(p->from);
}

static bool is_pinned(const struct pair *p, const struct shared *s)
{
	struct drm_xetile_bo_info info = { .handle = s->bo };

	igt_assert_eq(xetile_ioctl(p->from, DRM_IOCTL_XETILE_BO_INFO, &info), 0);
	return info.share & DRM_XETILE_SHARE_PINNED;
}

/* Has the importer map buffer @slot. Returns the error of the bind. */
static int share(const struct pair *p, struct shared *s, unsigned int slot, uint32_t place)
{
	struct drm_xetile_bind bind = { .addr = DATA_ADDR + slot * BUF_BYTES, .range = BUF_BYTES };
	int file;

	s->bo = xetile_bo(p->from, BUF_BYTES, place);
	igt_assert_eq(drmPrimeHandleToFD(p->from, s->bo, DRM_CLOEXEC | DRM_RDWR, &file), 0);
	igt_assert_f(!drmPrimeFDToHandle(p->to, file, &s->there), "import: %m\n");
	close(file);
	bind.handle = s->there;
	return __xetile_vm_bind(p->to, p->vm, &bind, 1, NULL, 0);
}

static void unshare(const struct pair *p, const struct shared *s, unsigned int slot)
{
	xetile_vm_unmap(p->to, p->vm, DATA_ADDR + slot * BUF_BYTES, BUF_BYTES);
	xetile_bo_close(p->to, s->there);
	/* A worker frees the import. */
	xetile_assert_soon(!is_pinned(p, s));
	xetile_bo_close(p->from, s->bo);
}

/* Skips the test where nothing is pinned. */
static void pair_init(struct pair *p)
{
	struct shared s;
	bool pinned;

	p->from = xetile_open_number(0);
	p->to = xetile_open_number(1);
	p->vm = xetile_vm(p->to);
	igt_assert_eq(share(p, &s, 0, DRM_XETILE_PLACE_HBM | DRM_XETILE_PLACE_SYSTEM), 0);
	pinned = is_pinned(p, &s);
	/* What is pinned is in system memory. */
	if (pinned)
		xetile_wait_hbm_of_clients(p->from, 0);
	unshare(p, &s, 0);
	igt_require_f(pinned, "importers of this kernel follow moves, so nothing is pinned\n");
}

/* Bytes of system memory that one user may have pinned: see Documentation/gpu/xetile/memory.rst */
static uint64_t limit_bytes(void)
{
	char text[32];

	igt_assert_eq(xetile_read_file("/sys/module/ttm/parameters/pages_limit", text,
				       sizeof(text)), 0);
	return strtoull(text, NULL, 10) / 8 * 7 / 4 * SZ_4K;
}

/* Pins until the limit. Returns the number of buffers. */
static unsigned int fill(const struct pair *p, struct shared *bufs)
{
	unsigned int num = 0;
	int err = 0;

	while (!err && num < MAX_BUFS) {
		err = share(p, &bufs[num], num, DRM_XETILE_PLACE_SYSTEM);
		num += !err;
	}
	igt_assert_eq(err, -EDQUOT);
	xetile_bo_close(p->to, bufs[num].there);
	xetile_bo_close(p->from, bufs[num].bo);
	return num;
}

static void test_limit(void)
{
	struct shared bufs[MAX_BUFS + 1], more;
	unsigned int num;
	struct pair p;

	pair_init(&p);
	igt_assert_eq(seteuid(USER), 0);
	num = fill(&p, bufs);
	igt_info("%u buffers of %llu MiB\n", num, BUF_BYTES >> 20);
	igt_assert_lte_u64(num * BUF_BYTES, limit_bytes());
	igt_assert_lte_u64(limit_bytes(), (num + 1) * BUF_BYTES);

	/* Others are not concerned. */
	igt_assert_eq(seteuid(0), 0);
	igt_assert_eq(seteuid(OTHER_USER), 0);
	igt_assert_eq(share(&p, &more, num, DRM_XETILE_PLACE_SYSTEM), 0);
	unshare(&p, &more, num);
	igt_assert_eq(seteuid(0), 0);
	igt_assert_eq(seteuid(USER), 0);

	/* What is given back can be pinned again. */
	num--;
	unshare(&p, &bufs[num], num);
	igt_assert_eq(share(&p, &bufs[num], num, DRM_XETILE_PLACE_SYSTEM), 0);
	igt_assert_eq(seteuid(0), 0);
	pair_fini(&p);
}

/* A buffer that may lie in HBM alone is refused, because HBM is not pinned. */
static void test_hbm(void)
{
	struct pair p;
	uint32_t bo, there;
	int file;

	pair_init(&p);
	bo = xetile_bo(p.from, BUF_BYTES, DRM_XETILE_PLACE_HBM);
	igt_assert_eq(drmPrimeHandleToFD(p.from, bo, DRM_CLOEXEC | DRM_RDWR, &file), 0);
	igt_assert_eq(drmPrimeFDToHandle(p.to, file, &there), -1);
	igt_assert_eq(errno, EOPNOTSUPP);
	close(file);
	xetile_bo_close(p.from, bo);
	pair_fini(&p);
}

#define IMPORT_BYTES	(256ull << 20)
#define MAX_IMPORTS	900u

/* Imports into a file of its own. Returns the file, or -errno. */
static int import_by(uid_t user, int file)
{
	int fd = xetile_open_number(1), err;
	uint32_t bo;

	igt_assert_eq(seteuid(user), 0);
	err = drmPrimeFDToHandle(fd, file, &bo) ? errno : 0;
	igt_assert_eq(seteuid(0), 0);
	if (err)
		close(fd);
	return err ? -err : fd;
}

/* Many files import one buffer: each has a record of all its pages. */
static void test_imports(void)
{
	int from = xetile_open_number(0), file, files[MAX_IMPORTS], fd;
	struct sysinfo info;
	unsigned int num;
	uint64_t most;
	uint32_t bo;

	igt_assert_eq(sysinfo(&info), 0);
	most = 16 * (uint64_t)info.totalram * info.mem_unit / IMPORT_BYTES;
	igt_require_f(most < MAX_IMPORTS, "too much memory: %llu imports\n",
		      (unsigned long long)most);
	bo = xetile_bo(from, IMPORT_BYTES, DRM_XETILE_PLACE_HBM | DRM_XETILE_PLACE_SYSTEM);
	igt_assert_eq(drmPrimeHandleToFD(from, bo, DRM_CLOEXEC | DRM_RDWR, &file), 0);
	for (num = 0; num < MAX_IMPORTS; num++) {
		files[num] = import_by(USER, file);
		if (files[num] < 0)
			break;
	}
	igt_info("%u imports\n", num);
	igt_assert_eq(files[num], -EDQUOT);
	igt_assert_eq_u64(num, most);

	/* Others are not concerned, nor is who may exceed limits. */
	fd = import_by(OTHER_USER, file);
	igt_assert_lte(0, fd);
	close(fd);
	fd = import_by(0, file);
	igt_assert_lte(0, fd);
	close(fd);
	igt_assert_eq(import_by(USER, file), -EDQUOT);

	/* What is given back, a moment later, can be had again, and no more. */
	close(files[0]);
	xetile_assert_soon((files[0] = import_by(USER, file)) >= 0);
	igt_assert_eq(import_by(USER, file), -EDQUOT);
	for (unsigned int i = 0; i < num; i++)
		close(files[i]);
	close(file);
	xetile_bo_close(from, bo);
	close(from);
}

igt_main
{
	igt_describe("A user must have a part of the system memory pinned at most, and others theirs");
	igt_subtest("limit")
		test_limit();
	igt_describe("No other device must pin HBM");
	igt_subtest("hbm")
		test_hbm();
	igt_describe("A user must have so many imports at most, and others theirs");
	igt_subtest("imports")
		test_imports();
}
