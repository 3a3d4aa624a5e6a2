// SPDX-License-Identifier: MIT
/*
 * Hardware that gives impossible answers: while the card is bound, while it works, and while it is
 * reset. The driver must believe none of them: a line in the log says what is wrong, the clients
 * whose work is lost are told, and everything works once the hardware answers correctly.
 * Statements: S108, W12.
 *
 * suite: faults
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "xetile_job.h"
#include "xetile_lab.h"

IGT_TEST_DESCRIPTION("Impossible answers of the hardware");

#define LIMIT_MS	500

/* Registers, as offsets in a tile's window; the tests need 1 GiB of address range per tile. */
#define RPM_CONFIG0		"0xd00"
#define TILE_ADDR_RANGE1	"0x4904"
#define FUSE3			"0x9118"
#define EU_ENABLE		"0x9134"
#define DSS_ENABLE		"0x9144"
#define DSS_ENABLE_EXT		"0x9148"
#define GDRST			"0x941c"
#define MTCFG			"0x101800"
#define GSMBASE			"0x108100"
#define GSMBASE_UDW		"0x108104"
#define SG_TILE_ADDR_RANGE1	"0x1083a4"
#define PCODE_MAILBOX		"0x138124"
#define GFX_MSTR_IRQ		"0x190010"
#define INTR_IDENTITY0		"0x190060"
#define INTR_IDENTITY1		"0x190064"
#define BCS0_ESR		"0x220b8"
/* ... and in an engine's register block */
#define RESET_CTL		0xd0
#define CONTEXT_STATUS_PTR	0x3a0

/* Every read of a register, or of some of its bits, returns another value. */
#define SAYS(reg, value)	"register count=0 address=" reg " value=" value
#define BITS(reg, mask, value)	SAYS(reg, value) " mask=" mask

struct lie {
	const char *name;
	const char *faults[4];
	const char *why;
};

static const struct lie fatal[] = {
	{ "pcode-all-ones", { SAYS(PCODE_MAILBOX, "0xffffffff") }, "pcode reads all ones" },
	{ "five-tiles", { BITS(MTCFG, "0xff00", "0x400") }, "5 tiles, at most 4 make sense" },
	{ "more-tiles-than-bar", { BITS(MTCFG, "0xff00", "0x300") },
	  "BAR0 is too small for 4 tiles" },
	{ "reset-endless", { SAYS(GDRST, "0xffffffff") }, "tile0 cannot be reset" },
	{ "tile-is-another", { BITS(MTCFG, "0xff", "0") " tile=1" }, "not this tile" },
	{ "tile-all-ones", { SAYS(MTCFG, "0xffffffff") " tile=1" },
	  "tile1: its registers say 0xffffffff" },
	{ "range-all-ones", { SAYS(TILE_ADDR_RANGE1, "0xffffffff") },
	  "tile1: HBM range reads all ones" },
	{ "range-sg-all-ones", { SAYS(SG_TILE_ADDR_RANGE1, "0xffffffff") },
	  "tile1: HBM range reads all ones" },
	{ "range-empty", { SAYS(TILE_ADDR_RANGE1, "2"), SAYS(SG_TILE_ADDR_RANGE1, "2") },
	  "tile1: HBM range is empty" },
	{ "range-beyond-bar",
	  { SAYS(TILE_ADDR_RANGE1, "0x180"), SAYS(SG_TILE_ADDR_RANGE1, "0x180"),
	    SAYS(GSMBASE, "0x20000000") " tile=1", SAYS(GSMBASE_UDW, "0x10") " tile=1" },
	  "HBM of tile1 at 0x1000000000 lies beyond BAR2" },
	{ "hbm-ends-before", { SAYS(GSMBASE, "0x1000") " tile=1" }, "outside of its range" },
	{ "hbm-ends-behind", { SAYS(GSMBASE_UDW, "1") " tile=0" }, "outside of its range" },
	{ "hbm-all-carved-out", { SAYS(GSMBASE, "0x100000") " tile=0" },
	  "no HBM below the carve-outs" },
	{ "fuses-all-ones", { SAYS(FUSE3, "0xffffffff") }, "fuses read all ones" },
	{ "no-slices", { SAYS(DSS_ENABLE, "0"), SAYS(DSS_ENABLE_EXT, "0") },
	  "fuses say no compute slices" },
	{ "no-eus", { SAYS(EU_ENABLE, "0") }, "fuses say no vector engines" },
	{ "no-l3", { BITS(FUSE3, "0xf0", "0") }, "fuses say no L3 banks" },
	{ "crystal", { BITS(RPM_CONFIG0, "0x38", "0x20") }, "unknown crystal" },
};

static void inject_all(const struct lie *lie)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(lie->faults) && lie->faults[i]; i++)
		lab_inject("%s", lie->faults[i]);
}

static int rebind(void)
{
	char address[64];
	int err;

	xetile_bound_card(address, sizeof(address));
	igt_assert_eq(xetile_write_driver("unbind", address), 0);
	err = xetile_write_driver("bind", address);
	if (err) {
		lab_heal();
		igt_assert_eq(xetile_write_driver("bind", address), 0);
	}
	return err;
}

/* Returns the offset of a job's engine in the tile's window. */
static unsigned int engine_base(const struct job *j)
{
	unsigned int n = j->engine[strlen(j->engine) - 1] - '0';

	if (j->kind == JOB_COPY_TILE)
		return n ? 0x3e0000 + 0x2000 * (n - 1) : 0x22000;
	return n == 3 ? 0x26000 : 0x1a000 + 0x2000 * n;
}

/* --- while the card is bound ------------------------------------------------------------ */

static void test_fatal(const struct lie *lie)
{
	int log = lab_log_open(), fd;

	inject_all(lie);
	igt_assert_lt(rebind(), 0);
	lab_log_close(log, lie->why);
	fd = xetile_open();
	job_check_usable(fd);
	close(fd);
}

typedef void (*check_fn)(const struct xetile_card *before, const struct xetile_card *now);

/*
 * Binds the card with an unusual but possible answer. @check compares the description of the card
 * with the one before.
 */
static void test_strange(const char *fault, check_fn check)
{
	struct xetile_card before, now;

	xetile_open_card(&before);
	close(before.fd);
	lab_inject("%s", fault);
	igt_assert_eq(rebind(), 0);
	xetile_open_card(&now);
	check(&before, &now);
	job_check_usable(now.fd);
	close(now.fd);
	lab_heal();
	igt_assert_eq(rebind(), 0);
}

/* The card's own crystal has 19.2 MHz. */
static void check_clock(const struct xetile_card *before, const struct xetile_card *now,
			unsigned int khz)
{
	igt_assert_eq_u64(now->device.timestamp_hz * 19200, before->device.timestamp_hz * khz);
}

static void check_24_mhz(const struct xetile_card *before, const struct xetile_card *now)
{
	check_clock(before, now, 24000);
}

static void check_25_mhz(const struct xetile_card *before, const struct xetile_card *now)
{
	check_clock(before, now, 25000);
}

static void check_38_mhz(const struct xetile_card *before, const struct xetile_card *now)
{
	check_clock(before, now, 38400);
}

/* With one memory node there are the main copy engine, two more, and CCS0 alone. */
static void check_one_node(const struct xetile_card *before, const struct xetile_card *now)
{
	for (uint32_t i = 0; i < now->device.num_tiles; i++) {
		igt_assert_lt(1, before->tiles[i].num_cslices);
		igt_assert_eq(now->tiles[i].cslice_mask, 1);
		/* without the driver's own */
		igt_assert_eq(now->tiles[i].num_copy_engines, 2);
		igt_assert_eq_u32(now->tiles[i].l3_banks * 4, before->tiles[i].l3_banks);
	}
}

/*
 * The last tile has more HBM than the BAR shows. The driver must report all of it, and only a part
 * as visible.
 */
static void test_beyond_bar(void)
{
	static const struct lie lie = {
		.faults = {
			SAYS(TILE_ADDR_RANGE1, "0x802"), SAYS(SG_TILE_ADDR_RANGE1, "0x802"),
			SAYS(GSMBASE_UDW, "1") " tile=1",
		},
	};
	struct xetile_card card;
	int log = lab_log_open();

	inject_all(&lie);
	igt_assert_eq(rebind(), 0);
	lab_log_close(log, "tile1: the CPU reaches 1024 of");
	xetile_open_card(&card);
	igt_assert(card.tiles[1].hbm_visible < card.tiles[1].hbm_total);
	igt_assert_lte_u64(card.tiles[1].hbm_visible, SZ_1G);
	igt_assert(card.tiles[1].hbm_total > 4 * SZ_1G);
	job_check_usable(card.fd);
	close(card.fd);
	lab_heal();
	igt_assert_eq(rebind(), 0);
}

/* Errors that stay set in an engine are logged, and have no other effect. */
static void test_errors_stay(void)
{
	int log = lab_log_open(), fd;

	lab_inject(SAYS(BCS0_ESR, "1") " tile=0");
	igt_assert_eq(rebind(), 0);
	lab_log_close(log, "tile0.bcs0: errors stay set");
	lab_heal();
	fd = xetile_open();
	job_check_usable(fd);
	close(fd);
}

/* The last reset does not end; unbind succeeds all the same. */
static void test_last_reset(void)
{
	char address[64];
	int fd;

	xetile_bound_card(address, sizeof(address));
	lab_inject(SAYS(GDRST, "0xffffffff"));
	igt_assert_eq(xetile_write_driver("unbind", address), 0);
	lab_heal();
	igt_assert_eq(xetile_write_driver("bind", address), 0);
	fd = xetile_open();
	job_check_usable(fd);
	close(fd);
}

/* --- while the card works -------------------------------------------------------------------- */

/*
 * The source of an interrupt cannot be read, or every interrupt names a source that does not exist.
 * The driver must find the events without this register.
 */
static void test_identity(int fd, const char *value, const char *mask, const char *why)
{
	int log = lab_log_open();
	uint64_t before;
	struct job j;

	for (enum job_kind kind = JOB_COMPUTE_TILE; kind <= JOB_COPY_TILE; kind++) {
		job_init(&j, fd, kind, LIMIT_MS);
		before = lab_injected();
		lab_inject("register address=" INTR_IDENTITY0 " value=%s mask=%s count=0", value,
			   mask);
		lab_inject("register address=" INTR_IDENTITY1 " value=%s mask=%s count=0", value,
			   mask);
		igt_assert_eq(job_run(&j), 1);
		igt_assert(before < lab_injected());
		lab_heal();
		igt_assert(!job_is_banned(&j));
		job_fini(&j);
	}
	if (why)
		lab_log_close(log, why);
	else
		close(log);
	job_check_usable(fd);
}

/*
 * One read makes the card seem gone. From then on the driver must find the end of jobs without
 * interrupts.
 */
static void test_master_gone(void)
{
	int fd = xetile_open(), log = lab_log_open();
	struct job j;

	job_init(&j, fd, JOB_COPY_TILE, LIMIT_MS);
	lab_inject("register address=" GFX_MSTR_IRQ " value=0xffffffff");
	for (int i = 0; i < 3; i++)
		igt_assert_eq(job_run(&j), 1);
	lab_log_close(log, "the card is gone");
	job_fini(&j);
	close(fd);
	igt_assert_eq(rebind(), 0);
	fd = xetile_open();
	job_check_usable(fd);
	close(fd);
}

static const struct drm_xetile_queue_ban engine_failed = { .reason = DRM_XETILE_BAN_ERROR };

/*
 * The engine acknowledges a context that it never had. The job that the engine runs then has not
 * ended, and cannot end by itself.
 */
static void test_event_load(int fd, enum job_kind kind)
{
	int log = lab_log_open();
	struct job j;

	job_init(&j, fd, kind, LIMIT_MS);
	lab_inject("csb-wrong engine=%s", j.engine);
	igt_assert_eq(job_start_held(&j), 0);
	igt_assert_eq(job_end(&j), -EIO);
	lab_log_close(log, "acknowledges a context that was not loaded");
	job_check_own(&j, -EIO, &engine_failed);
	job_fini(&j);
}

/*
 * The engine says that a context has run dry that it never had. The job has ended well before, and
 * counts as such, whatever the entry says. Whether the engine has saved the context nobody knows,
 * so what its batches had set up counts as lost, and the next batch says so.
 */
static void test_event_end(int fd, enum job_kind kind)
{
	struct drm_xetile_queue_info info;
	int log = lab_log_open();
	uint64_t before;
	struct job j;

	job_init(&j, fd, kind, LIMIT_MS);
	before = lab_injected();
	lab_inject("csb-wrong engine=%s skip=1", j.engine);
	igt_assert_eq(job_run(&j), 1);
	igt_assert(before < lab_injected());
	lab_log_close(log, "completes a context it does not run");
	igt_assert_eq(job_run(&j), -EAGAIN);
	igt_assert_eq(job_run(&j), 1);
	xetile_queue_info(j.fd, j.queue, &info);
	igt_assert_eq(info.flags & DRM_XETILE_QUEUE_BANNED, 0);
	igt_assert_eq(info.resets, 1);
	job_fini(&j);
}

/*
 * Without interrupts the driver reads the pointer to the last status entry, which points behind the
 * buffer.
 */
static void test_event_pointer(int fd)
{
	int log = lab_log_open();
	struct job j;

	job_init(&j, fd, JOB_COMPUTE_TILE, LIMIT_MS);
	lab_inject("irq-lost engine=%s count=0", j.engine);
	lab_inject("register address=%#x value=0xf mask=0xf count=0",
		   engine_base(&j) + CONTEXT_STATUS_PTR);
	igt_assert_eq(job_start_held(&j), 0);
	igt_assert_eq(job_end(&j), -EIO);
	lab_log_close(log, "writes events beyond their buffer");
	lab_heal();
	job_check_own(&j, -EIO, &engine_failed);
	job_fini(&j);
}

/*
 * --- while the card is reset -------------------------------------------------------------------
 */

/* An engine that never says that it is ready for its reset is reset all the same. */
static void test_not_ready(int fd)
{
	struct job j;

	job_init(&j, fd, JOB_COPY_TILE, LIMIT_MS);
	lab_inject("register address=%#x value=0 count=0", engine_base(&j) + RESET_CTL);
	lab_inject("hang engine=%s before=2", j.engine);
	igt_assert_eq(job_run(&j), -ETIME);
	lab_heal();
	igt_assert(job_is_banned(&j));
	job_renew_queue(&j);
	igt_assert_eq(job_run(&j), 1);
	job_fini(&j);
}

/*
 * A reset never ends. The driver can guarantee nothing any more, and tells every client. Mapped
 * memory stays readable, but new memory is refused, because it cannot be cleared.
 */
static void test_wedged(const char *gdrst)
{
	int fd = xetile_open(), log = lab_log_open();
	struct drm_xetile_bo_create args = { .size = SZ_2M, .placement = DRM_XETILE_PLACE_HBM };
	struct drm_xetile_bo_create clear = {
		.size = SZ_64K, .placement = DRM_XETILE_PLACE_HBM,
		.color = DRM_XETILE_COLOR_TILE, .tile_mask = 1,
	};
	int mode = xetile_sysfs_polled(fd, 0, "ccs_mode");
	int events = lab_events_open();
	volatile uint32_t *map;
	struct job j, other;

	job_init(&j, fd, JOB_COPY_TILE, LIMIT_MS);
	job_init(&other, fd, JOB_COMPUTE_TILE, LIMIT_MS);
	/*
	 * The creation of the first BO has cleared more memory in advance by the time the BO is
	 * readable.
	 */
	igt_assert_eq(__xetile_bo_create(j.fd, &clear), 0);
	map = xetile_bo_map(j.fd, clear.handle, SZ_64K);
	igt_assert_eq_u32(*map, 0);
	munmap((void *)map, SZ_64K);
	lab_inject(SAYS(GDRST, "%s"), gdrst);
	lab_inject("hang engine=%s before=2", j.engine);
	igt_assert_eq(job_run(&j), -ETIME);
	lab_log_close(log, "the card is wedged");
	xetile_assert_soon(lab_event_says(events, "WEDGED=rebind,bus-reset"));
	close(events);
	/* Who waits until the mode can change is woken, although the other queue lives on (W6). */
	igt_assert(xetile_is_notified(mode, 5000));
	close(mode);
	igt_assert(job_is_banned(&j));
	igt_assert_eq(job_start(&j), -EIO);
	igt_assert_eq(job_start(&other), -EIO);
	igt_assert_eq(__xetile_bo_create(j.fd, &args), -EIO);
	igt_assert_eq(__xetile_bo_create(j.fd, &clear), -EIO);
	igt_assert_eq(xetile_sysfs_write(fd, 0, "ccs_mode", "2"), -EIO);
	igt_assert_eq_u32(*other.data.map, other.number);
	lab_heal();
	job_fini(&j);
	job_fini(&other);
	close(fd);
	igt_assert_eq(rebind(), 0);
	fd = xetile_open();
	job_check_usable(fd);
	close(fd);
}

/* Starts an endless batch whose atomic increments a dword in system memory. Returns the dword. */
static volatile uint32_t *start_counting(struct job *j)
{
	struct drm_xetile_sync sync = { .flags = DRM_XETILE_SYNC_SIGNAL };
	volatile uint32_t *count = j->batch.map + SZ_4K / 4;
	struct xetile_batch b;

	sync.handle = j->syncobj = xetile_syncobj(j->fd);
	*count = 0;
	batch_begin(&b, &j->batch, 0);
	/* A jump that the batch consists of, together with the increment */
	batch_atomic_inc(&b, j->batch.addr + SZ_4K);
	batch_emit(&b, 0x18800101);
	batch_emit(&b, batch_addr(&b));
	batch_emit(&b, batch_addr(&b) >> 32);
	batch_end(&b);
	igt_assert_eq(__xetile_exec(j->fd, j->queue, batch_addr(&b), &sync, 1), 0);
	xetile_assert_soon(*count > 16);
	return count;
}

/*
 * One tile cannot be reset, while an engine of that tile and engines of another one write system
 * memory. They must not write any more once their fences have signalled, because the owner of the
 * memory may use it again then.
 */
static void test_wedged_running(void)
{
	static const enum job_kind kinds[] = { JOB_COPY_TILE, JOB_COMPUTE_ROOT };
	int fd = xetile_open(), log = lab_log_open();
	volatile uint32_t *count[ARRAY_SIZE(kinds)];
	struct job j, runner[ARRAY_SIZE(kinds)];
	uint32_t seen[ARRAY_SIZE(kinds)];
	unsigned int active;
	char *info;

	job_init(&j, fd, JOB_COPY_TILE, LIMIT_MS);
	for (unsigned int i = 0; i < ARRAY_SIZE(kinds); i++)
		job_init(&runner[i], fd, kinds[i], 600000);
	for (unsigned int i = 0; i < ARRAY_SIZE(kinds); i++)
		count[i] = start_counting(&runner[i]);
	lab_inject(SAYS(GDRST, "0xffffffff") " tile=0");
	igt_assert_eq(job_start_held(&j), 0);
	for (unsigned int i = 0; i < ARRAY_SIZE(kinds); i++)
		igt_assert_eq(job_end(&runner[i]), -EIO);
	for (unsigned int i = 0; i < ARRAY_SIZE(kinds); i++)
		seen[i] = *count[i];
	active = lab_engines("active");
	igt_assert_eq(job_end(&j), -ETIME);
	igt_assert_eq(active, 0);
	for (unsigned int i = 0; i < ARRAY_SIZE(kinds); i++)
		igt_assert_eq_u32(*count[i], seen[i]);
	/* Engines that do not report that they stopped have no access to memory. */
	info = lab_ask("info");
	igt_assert(strstr(info, "\"bus_master\":false"));
	free(info);
	lab_log_close(log, "the card is wedged");
	lab_heal();
	job_fini(&j);
	for (unsigned int i = 0; i < ARRAY_SIZE(kinds); i++)
		job_fini(&runner[i]);
	close(fd);
	igt_assert_eq(rebind(), 0);
	fd = xetile_open();
	job_check_usable(fd);
	close(fd);
}

/* Makes the driver look at all busy engines, by a job on another engine that is too slow. */
static void have_it_look(struct job *other)
{
	igt_assert_eq(job_start_held(other), 0);
	igt_assert_eq(job_end(other), -ETIME);
}

static enum job_kind other_kind(enum job_kind kind)
{
	return kind == JOB_COPY_TILE ? JOB_COMPUTE_TILE : JOB_COPY_TILE;
}

static void let_go(struct job *j, unsigned int dword)
{
	((volatile uint32_t *)j->data.map)[dword] = 1;
}

static void check_event_unharmed(int fd, struct job *j, int log)
{
	struct drm_xetile_queue_info info;

	lab_heal();
	xetile_wait_engines_free(fd);
	xetile_queue_info(j->fd, j->queue, &info);
	igt_assert_eq(info.flags & DRM_XETILE_QUEUE_BANNED, 0);
	igt_assert_eq(info.resets, 0);
	lab_log_close(log, "did not end in time");
	job_fini(j);
}

/*
 * The pointer in the register is older than the one in memory, which the driver has already seen.
 * The driver must find nothing new, and least of all take entries of the round before for new ones.
 */
static void test_pointer_behind(int fd, enum job_kind kind)
{
	int log = lab_log_open();
	struct job j, first, other;

	job_init(&first, fd, kind, LIMIT_MS);
	job_init(&j, fd, kind, 0);
	job_init(&other, fd, other_kind(kind), LIMIT_MS);
	igt_assert(!strcmp(first.engine, j.engine));
	/* After a reset the pointer is at the last place, and the other places are empty. */
	have_it_look(&first);
	xetile_wait_engines_free(fd);
	lab_inject("register address=%#x value=0xb mask=0xf count=0",
		   engine_base(&j) + CONTEXT_STATUS_PTR);
	igt_assert_eq(job_start_held(&j), 0);
	have_it_look(&other);
	let_go(&j, 64);
	igt_assert_eq(job_end(&j), 1);
	check_event_unharmed(fd, &j, log);
	job_fini(&first);
	job_fini(&other);
}

/*
 * The pointer in memory is older than the one in the register, because two entries were lost on
 * their way to memory. The interrupt of a batch that ends before the engine's next entry says
 * nothing new about the contexts.
 */
static void test_page_behind(int fd, enum job_kind kind)
{
	struct drm_xetile_sync sync = { .flags = DRM_XETILE_SYNC_SIGNAL };
	int log = lab_log_open();
	struct job j, others[2];
	struct xetile_batch b;

	job_init(&j, fd, kind, 0);
	for (int i = 0; i < 2; i++)
		job_init(&others[i], fd, other_kind(kind), LIMIT_MS);
	lab_inject("csb-lost engine=%s count=2", j.engine);
	igt_assert_eq(job_start_held(&j), 0);
	sync.handle = xetile_syncobj(j.fd);
	batch_begin(&b, &j.batch, SZ_4K);
	batch_wait(&b, j.data.addr + 260, 1);
	batch_end(&b);
	igt_assert_eq(__xetile_exec(j.fd, j.queue, batch_addr(&b), &sync, 1), 0);
	/* The driver finds the entry of the first job, and then that of the second one. */
	for (int i = 0; i < 2; i++)
		have_it_look(&others[i]);
	let_go(&j, 64);
	igt_assert_eq(job_end(&j), 1);
	let_go(&j, 65);
	igt_assert_eq(__xetile_wait(j.fd, sync.handle, 60000), 0);
	igt_assert_eq(xetile_fence_status(j.fd, sync.handle), 1);
	xetile_syncobj_destroy(j.fd, sync.handle);
	check_event_unharmed(fd, &j, log);
	for (int i = 0; i < 2; i++)
		job_fini(&others[i]);
}

/* Returns the bit of an engine's reset domain. */
static unsigned int reset_domain(const struct job *j)
{
	unsigned int n = j->engine[strlen(j->engine) - 1] - '0';

	if (j->kind == JOB_COPY_TILE)
		return n ? 1u << (23 + n) : 1u << 2;
	return 1u << 1;
}

/*
 * An engine whose own reset does not end is reset with its tile. The neighbours on the tile leave
 * before, and go on afterwards.
 */
static void test_full_reset(int fd, enum job_kind kind)
{
	int log = lab_log_open();
	struct job j, near[2];

	job_init(&j, fd, kind, LIMIT_MS);
	job_init(&near[0], fd, other_kind(kind), 0);
	job_init(&near[1], fd, JOB_COMPUTE_ROOT, 0);
	lab_inject("register address=" GDRST " value=%#x mask=%#x count=0", reset_domain(&j),
		   reset_domain(&j));
	igt_assert_eq(job_start_held(&near[0]), 0);
	igt_assert_eq(job_start_held(&j), 0);
	igt_assert_eq(job_end(&j), -ETIME);
	igt_assert_eq(job_start_held(&near[1]), 0);
	for (unsigned int i = 0; i < ARRAY_SIZE(near); i++) {
		let_go(&near[i], 64);
		igt_assert_eq(job_end(&near[i]), 1);
	}
	lab_log_close(log, "do not end their reset");
	lab_heal();
	job_renew_queue(&j);
	igt_assert_eq(job_run(&j), 1);
	job_fini(&j);
	for (unsigned int i = 0; i < ARRAY_SIZE(near); i++)
		job_fini(&near[i]);
	job_check_usable(fd);
}

/*
 * A neighbour on the tile that does not leave is lost in the tile's reset. The part of its batch
 * that has run must not run again.
 */
static void test_full_reset_lost(int fd)
{
	struct drm_xetile_queue_info info;
	struct drm_xetile_sync sync = { .flags = DRM_XETILE_SYNC_SIGNAL };
	int log = lab_log_open();
	struct xetile_batch b;
	struct job j, near;
	uint64_t before;

	job_init(&j, fd, JOB_COPY_TILE, LIMIT_MS);
	job_init(&near, fd, JOB_COMPUTE_TILE, 0);
	lab_inject("register address=" GDRST " value=%#x mask=%#x count=0", reset_domain(&j),
		   reset_domain(&j));
	sync.handle = near.syncobj = xetile_syncobj(near.fd);
	batch_begin(&b, &near.batch, 0);
	batch_store(&b, near.data.addr + 512, 1, false);
	batch_wait(&b, near.data.addr + 256, 1);
	batch_end(&b);
	igt_assert_eq(__xetile_exec(near.fd, near.queue, batch_addr(&b), &sync, 1), 0);
	xetile_assert_soon(((volatile uint32_t *)near.data.map)[128]);
	/* The next command takes a minute; only a reset interrupts it. */
	before = lab_injected();
	lab_inject("slow engine=%s us=60000000", near.engine);
	xetile_assert_soon(lab_injected() != before);
	igt_assert_eq(job_start_held(&j), 0);
	igt_assert_eq(job_end(&j), -ETIME);
	igt_assert_eq(job_end(&near), -EAGAIN);
	lab_log_close(log, "do not end their reset");
	lab_heal();
	xetile_queue_info(near.fd, near.queue, &info);
	igt_assert_eq(info.flags & DRM_XETILE_QUEUE_BANNED, 0);
	igt_assert_eq(info.resets, 1);
	igt_assert_eq(job_run(&near), 1);
	job_renew_queue(&j);
	igt_assert_eq(job_run(&j), 1);
	job_fini(&j);
	job_fini(&near);
}

igt_main
{
	int fd = -1;

	igt_fixture {
		struct xetile_card card;

		igt_assert(!geteuid());
		lab_require_card();
		lab_heal();
		xetile_open_card(&card);
		igt_require(card.device.num_tiles == 2 && card.tiles[0].hbm_total < SZ_1G);
		close(card.fd);
	}
	igt_describe("A card with impossible answers must not be bound");
	for (unsigned int i = 0; i < ARRAY_SIZE(fatal); i++)
		igt_subtest_f("bind-%s", fatal[i].name)
			test_fatal(&fatal[i]);
	igt_describe("An unusual but possible answer must be accepted, and reported as it is");
	igt_subtest("bind-24-mhz")
		test_strange(BITS(RPM_CONFIG0, "0x38", "0"), check_24_mhz);
	igt_subtest("bind-25-mhz")
		test_strange(BITS(RPM_CONFIG0, "0x38", "0x18"), check_25_mhz);
	igt_subtest("bind-38-mhz")
		test_strange(BITS(RPM_CONFIG0, "0x38", "0x10"), check_38_mhz);
	igt_subtest("bind-one-node")
		test_strange(BITS(FUSE3, "0xf", "1"), check_one_node);
	igt_subtest("bind-hbm-beyond-bar")
		test_beyond_bar();
	igt_subtest("bind-errors-stay")
		test_errors_stay();
	igt_describe("The unbinding of a card must succeed although its last reset does not end");
	igt_subtest("unbind-reset")
		test_last_reset();

	igt_fixture
		fd = xetile_open();
	igt_describe("Jobs must end well when the source of an interrupt cannot be told");
	igt_subtest("identity-none")
		test_identity(fd, "0", "0x80000000", "without identity");
	igt_subtest("identity-of-nobody")
		test_identity(fd, "0x83f70000", "0x83f70000", NULL);
	igt_subtest("identity-all-ones")
		test_identity(fd, "0xffffffff", "0xffffffff", NULL);
	for (enum job_kind kind = JOB_COMPUTE_TILE; kind <= JOB_COPY_TILE; kind++) {
		igt_describe("Status entries of contexts that were never loaded must be logged, "
			     "end a job with EIO, and harm no job that has ended");
		igt_subtest_f("event-load-%s", job_kind_name(kind))
			test_event_load(fd, kind);
		igt_subtest_f("event-end-%s", job_kind_name(kind))
			test_event_end(fd, kind);
	}
	for (enum job_kind kind = JOB_COMPUTE_TILE; kind <= JOB_COPY_TILE; kind++) {
		igt_describe("An old pointer to the last status entry, in memory or the "
			     "register, must harm no job");
		igt_subtest_f("pointer-behind-%s", job_kind_name(kind))
			test_pointer_behind(fd, kind);
		igt_subtest_f("page-behind-%s", job_kind_name(kind))
			test_page_behind(fd, kind);
	}
	igt_subtest("event-pointer")
		test_event_pointer(fd);
	igt_describe("Resets that are not answered must end with the tile's reset");
	for (enum job_kind kind = JOB_COMPUTE_TILE; kind <= JOB_COPY_TILE; kind++)
		igt_subtest_f("reset-full-%s", job_kind_name(kind))
			test_full_reset(fd, kind);
	igt_subtest("reset-full-lost")
		test_full_reset_lost(fd);
	igt_subtest("reset-not-ready")
		test_not_ready(fd);
	igt_fixture {
		lab_heal();
		close(fd);
	}
	igt_describe("A card that seemed gone once must be driven without interrupts");
	igt_subtest("master-gone")
		test_master_gone();
	igt_describe("All clients of a card that cannot be reset must be told");
	igt_subtest("wedged")
		test_wedged("0xffffffff");
	igt_subtest("wedged-full")
		test_wedged("0x7ffffff7");
	igt_describe("Engines must write no more after their fences on a tile that cannot be "
		     "reset");
	igt_subtest("wedged-running")
		test_wedged_running();
	igt_fixture
		lab_heal();
}
