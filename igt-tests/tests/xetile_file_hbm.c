// SPDX-License-Identifier: MIT
/*
 * The HBM that the buffers of one file may have on each tile (the module's parameter file_hbm).
 * Statements: W21.
 *
 * suite: igt
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "xetile_job.h"
#include "xetile_privilege.h"
#include "xetile_recolor.h"

IGT_TEST_DESCRIPTION("Limits of a file's HBM");

#define USER		65534

#define FILE_MIB	4u
#define FILE_BYTES	((uint64_t)FILE_MIB << 20)
#define FILE_PAGES	(FILE_BYTES / DRM_XETILE_COLOR_PAGE)
#define HBM		DRM_XETILE_PLACE_HBM

/* Creates a buffer that lies on one tile, or in system memory if it may. Returns 0 or -errno. */
static int try_hbm(int fd, unsigned int tile, uint64_t size, uint32_t placement, uint32_t *bo)
{
	return try_tile(fd, size, tile, DRM_XETILE_BO_STRICT, placement, bo);
}

/* A part that moves to a full tile is refused, and one that moves away makes room. */
static void recolor_file(int fd, uint32_t full, uint32_t moves)
{
	const uint64_t half = FILE_BYTES / 2;
	const struct drm_xetile_bo_range range =
		range_of(0, FILE_PAGES / 2, DRM_XETILE_COLOR_TILE, 1);
	uint32_t bo;

	igt_assert_eq(__xetile_recolor(fd, moves, &range, 1, NULL, 0), -EDQUOT);
	xetile_bo_close(fd, full);
	xetile_recolor(fd, moves, &range, 1);
	igt_assert_eq(try_hbm(fd, 0, half + SZ_64K, HBM, &bo), -EDQUOT);
	igt_assert_eq(try_hbm(fd, 0, half, HBM, &bo), 0);
	xetile_assert_soon(!try_hbm(fd, 1, half, HBM, &bo));
	/* Also when a worker has freed the old places, which counts until then */
	for (unsigned int i = 0; i < 30; i++) {
		igt_assert_eq(try_hbm(fd, 1, SZ_64K, HBM, &bo), -EDQUOT);
		usleep(10000);
	}
}

static void fill_file(const struct xetile_card *card)
{
	int fd = xetile_reopen(card->fd), other = xetile_reopen(card->fd);
	struct drm_xetile_color_run run;
	uint32_t full, bo;

	privilege_become(USER);
	igt_assert_eq(try_hbm(fd, 0, FILE_BYTES + SZ_64K, HBM, &bo), -EDQUOT);
	igt_assert_eq(try_hbm(fd, 0, FILE_BYTES, HBM, &full), 0);
	igt_assert_eq(try_hbm(fd, 0, SZ_64K, HBM, &bo), -EDQUOT);
	igt_assert_eq(try_hbm(fd, 0, SZ_64K, HBM | DRM_XETILE_PLACE_SYSTEM, &bo), 0);
	igt_assert_eq(xetile_bo_runs(fd, bo, &run, 1), 1);
	igt_assert_eq_u32(run.tile, DRM_XETILE_MEM_SYSTEM);
	igt_assert_eq(try_hbm(other, 0, FILE_BYTES, HBM, &bo), 0);
	if (card->device.num_tiles > 1) {
		igt_assert_eq(try_hbm(fd, 1, FILE_BYTES, HBM, &bo), 0);
		recolor_file(fd, full, bo);
	} else {
		xetile_bo_close(fd, full);
		xetile_assert_soon(!try_hbm(fd, 0, FILE_BYTES, HBM, &bo));
	}
}

static void test_full(const struct xetile_card *card)
{
	uint32_t bo;

	igt_fork(user, 1)
		fill_file(card);
	igt_waitchildren();
	/* Root has no limit. */
	igt_assert_eq(try_hbm(card->fd, 0, FILE_BYTES + SZ_64K, HBM, &bo), 0);
	xetile_bo_close(card->fd, bo);
}

/* --- buffers that were closed ---------------------------------------------------------- */

/* TTM has 16 workers that free buffers, each of which waits for the jobs of one. */
#define CLOSED		40u

/* Closes buffers that a held job uses: the workers wait for the job. */
static void block_workers(struct place *p)
{
	uint32_t bos[CLOSED];

	for (unsigned int i = 0; i < CLOSED; i++) {
		bos[i] = strict_on(p->fd, PAGE, 0);
		xetile_vm_map(p->fd, p->vm, bos[i], 0, DATA_ADDR + i * PAGE, PAGE);
	}
	place_hold(p);
	xetile_vm_unmap(p->fd, p->vm, DATA_ADDR, CLOSED * PAGE);
	for (unsigned int i = 0; i < CLOSED; i++)
		xetile_bo_close(p->fd, bos[i]);
}

/* A buffer that its file has closed counts while a job uses it, and no longer. */
static void close_busy(const struct xetile_card *card)
{
	struct place p;
	uint32_t bo;

	place_init(&p, xetile_reopen(card->fd));
	privilege_become(USER);
	igt_assert_eq(try_hbm(p.fd, 0, FILE_BYTES, HBM, &bo), 0);
	xetile_vm_map(p.fd, p.vm, bo, 0, DATA_ADDR, FILE_BYTES);
	place_hold(&p);
	xetile_vm_unmap(p.fd, p.vm, DATA_ADDR, FILE_BYTES);
	xetile_bo_close(p.fd, bo);
	igt_assert_eq(try_hbm(p.fd, 0, PAGE, HBM, &bo), -EDQUOT);
	place_let_go(&p);
	igt_assert_eq(try_hbm(p.fd, 0, FILE_BYTES, HBM, &bo), 0);
	xetile_bo_close(p.fd, bo);
	place_fini(&p);
}

static void test_closed(const struct xetile_card *card)
{
	struct place p;

	place_init(&p, card->fd);
	block_workers(&p);
	igt_fork(user, 1)
		close_busy(card);
	igt_waitchildren();
	place_let_go(&p);
	place_fini(&p);
}

/* --- a tile that is full ---------------------------------------------------------------- */

/*
 * Fills tile 0 but for a MiB with a buffer that a held job uses. When the job is done the buffer is
 * dropped, and not copied, if somebody wants its HBM.
 */
static uint32_t fill_tile(struct place *p)
{
	struct drm_xetile_bo_create args = {
		.size = (hbm_free(p->fd) & ~(PAGE - 1)) - SZ_2M / 2,
		.placement = HBM, .flags = DRM_XETILE_BO_STRICT, .color = DRM_XETILE_COLOR_TILE,
		.tile_mask = 1, .vm_id = p->vm,
	};
	struct drm_xetile_bo_purge purge = { .flags = DRM_XETILE_PURGE_ALLOW };

	igt_assert_eq(__xetile_bo_create(p->fd, &args), 0);
	purge.handle = args.handle;
	igt_assert_eq(xetile_ioctl(p->fd, DRM_IOCTL_XETILE_BO_PURGE, &purge), 0);
	xetile_vm_map(p->fd, p->vm, args.handle, 0, DATA_ADDR, PAGE);
	place_hold(p);
	return args.handle;
}

/* A buffer whose other pages the limit keeps from another tile: the call waits for the first. */
static void test_waits(const struct xetile_card *card)
{
	bool ended = false;
	struct place p;
	uint32_t full;
	int status;
	pid_t pid;

	xetile_wait_hbm_free(card->fd);
	place_init(&p, card->fd);
	full = fill_tile(&p);
	pid = fork();
	igt_assert_lte(0, pid);
	if (!pid) {
		int fd = xetile_reopen(card->fd), err;
		uint32_t bo;

		privilege_become(USER);
		err = try_hbm(fd, 1, FILE_BYTES, HBM, &bo) ?:
		      try_tile(fd, FILE_BYTES, 0, 0, HBM, &bo);
		_exit(err ? -err : pages_on(fd, bo, 0) != FILE_PAGES);
	}
	xetile_assert_soon((ended = waitpid(pid, &status, WNOHANG) == pid) ||
			   xetile_sleeps_in(pid, "xetile_room_again"));
	place_let_go(&p);
	if (!ended)
		igt_assert_eq(waitpid(pid, &status, 0), pid);
	igt_assert(WIFEXITED(status));
	igt_assert_eq(WEXITSTATUS(status), 0);
	igt_assert(!ended);
	xetile_bo_close(card->fd, full);
	place_fini(&p);
}

/* Pages on another tile go home when there is room, though the file then has all it may have. */
static void test_home(const struct xetile_card *card)
{
	struct place hog, p;
	uint32_t full, bo;
	int go[2], placed[2];
	char c;

	xetile_wait_hbm_free(card->fd);
	igt_assert_eq(pipe(go), 0);
	igt_assert_eq(pipe(placed), 0);
	place_init(&hog, card->fd);
	full = fill_tile(&hog);
	igt_fork(user, 1) {
		close(go[1]);
		place_init(&p, xetile_reopen(card->fd));
		privilege_become(USER);
		igt_assert_eq(try_tile(p.fd, FILE_BYTES, 0, 0, HBM, &bo), 0);
		igt_assert_lte_u64(1, pages_on(p.fd, bo, 0));
		igt_assert_lte_u64(1, pages_on(p.fd, bo, 1));
		xetile_vm_map(p.fd, p.vm, bo, 0, DATA_ADDR, FILE_BYTES);
		igt_assert_eq(write(placed[1], "", 1), 1);
		igt_assert_eq(read(go[0], &c, 1), 0);
		/* While the buffer is in use a job passes it by. */
		xetile_assert_soon((place_store(&p, DATA_ADDR, 1),
				    pages_on(p.fd, bo, 0) == FILE_PAGES));
		/* It counts once. */
		xetile_assert_soon(!try_hbm(p.fd, 1, FILE_BYTES, HBM, &bo));
		igt_assert_eq(try_hbm(p.fd, 0, PAGE, HBM, &bo), -EDQUOT);
		place_fini(&p);
	}
	close(placed[1]);
	igt_assert_f(read(placed[0], &c, 1) == 1, "the user's buffer was not placed\n");
	place_let_go(&hog);
	xetile_bo_close(card->fd, full);
	place_fini(&hog);
	xetile_assert_soon(hbm_free(card->fd) > card->tiles[0].hbm_total / 2);
	close(go[1]);
	igt_waitchildren();
	close(go[0]);
	close(placed[0]);
}

/* --- the audit log --------------------------------------------------------------------- */

#define TRACING		"/sys/kernel/tracing/"
#define PROBE		TRACING "events/kprobes/xetile_audited/"

/* Writes @text to a file of the tracer, or, to "kprobe_events", adds it there. */
static bool trace(const char *file, const char *text)
{
	int fd = open(file, O_WRONLY | O_CLOEXEC | O_APPEND);
	bool done = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	if (fd >= 0)
		close(fd);
	return done;
}

/* Returns how often the probe was hit, as far as its filter says. */
static unsigned int num_audited(void)
{
	FILE *f = fopen(TRACING "trace", "re");
	unsigned int n = 0;
	char line[256];

	igt_assert(f);
	while (fgets(line, sizeof(line), f))
		n += line[0] != '#' && strstr(line, "xetile_audited:");
	fclose(f);
	return n;
}

/*
 * A program that runs into its limit asks for no privilege. The kernel's question for a capability
 * says whether a refusal is to be in the audit log (CAP_OPT_NOAUDIT, 2).
 */
static void check_audit(const struct xetile_card *card)
{
	struct rlimit core = { 0, 0 };
	char filter[80];
	uint32_t bo;
	int fd;

	/* CAP_SYS_RESOURCE is 24. */
	snprintf(filter, sizeof(filter), "common_pid == %d && cap == 24 && !(opts & 2)", getpid());
	igt_assert(trace(PROBE "filter", filter));
	igt_assert(trace(PROBE "enable", "1"));
	fd = xetile_reopen(card->fd);
	privilege_become(USER);
	/* One question whose answer goes to the log shows that the probe works. */
	igt_assert_eq(setrlimit(RLIMIT_CORE, &core), 0);
	core.rlim_max = 1;
	igt_assert_eq(setrlimit(RLIMIT_CORE, &core), -1);
	igt_assert_eq(try_hbm(fd, 0, FILE_BYTES + PAGE, HBM, &bo), -EDQUOT);
}

static void test_audit(const struct xetile_card *card)
{
	igt_require_f(trace(TRACING "kprobe_events",
			    "p:xetile_audited cap_capable cap=%dx:s32 opts=%cx:u32\n"),
		      "the kernel has no probes of functions\n");
	igt_fork(user, 1)
		check_audit(card);
	igt_waitchildren();
	igt_assert_eq(num_audited(), 1);
}

static void audit_end(void)
{
	if (access(PROBE "enable", F_OK))
		return;
	trace(PROBE "enable", "0");
	trace(TRACING "kprobe_events", "-:xetile_audited\n");
}

igt_main
{
	struct xetile_card card = { .fd = -1 };
	unsigned int was;

	igt_fixture {
		xetile_open_card(&card);
		was = xetile_set_parameter("file_hbm", FILE_MIB);
	}

	igt_describe("The HBM of a file's buffers must be limited on each tile");
	igt_subtest("full")
		test_full(&card);
	igt_describe("A buffer that was closed must count until its jobs are done, and no longer");
	igt_subtest("closed")
		test_closed(&card);
	igt_describe("A buffer that the limit keeps from other tiles must wait for its own");
	igt_subtest("waits") {
		igt_require_f(card.device.num_tiles >= 2, "needs two tiles\n");
		test_waits(&card);
	}
	igt_describe("A file at its limit must have its buffers moved to their own tile");
	igt_subtest("home") {
		igt_require_f(card.device.num_tiles >= 2, "needs two tiles\n");
		test_home(&card);
	}
	igt_describe("A file at its limit must not fill the audit log");
	igt_subtest("audit")
		test_audit(&card);
	igt_fixture
		audit_end();

	igt_fixture {
		xetile_set_parameter("file_hbm", was);
		close(card.fd);
	}
}
