// SPDX-License-Identifier: MIT
/*
 * Power and firmware of the card while it is bound: firmware that takes its time, power wells
 * that an earlier driver has used, functions and parts that the driver does not know.
 * Statements: S108.
 *
 * suite: bringup
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "xetile_job.h"
#include "xetile_lab.h"

IGT_TEST_DESCRIPTION("Power and firmware of a card that is bound");

#define SAYS(reg, value)	"register address=" reg " value=" value
#define BITS(reg, mask, value)	SAYS(reg, value) " mask=" mask
#define ALWAYS			" count=0"

#define TILE_ADDR_RANGE1	"0x4904"
#define FUSE2			"0x9120"
#define GU_CNTL			"0x101010"
#define MTCFG			"0x101800"
#define PCODE_DATA0		"0x138128"
#define VF_CAP			"0x1901f8"

#define GMCH_CTRL		0x50	/* in configuration space */

static char address[64];

static void unbind(void)
{
	igt_assert_eq(xetile_write_driver("unbind", address), 0);
}

static void bind_card(void)
{
	int fd;

	igt_assert_eq(xetile_write_driver("bind", address), 0);
	fd = xetile_open();
	job_check_usable(fd);
	close(fd);
}

/* A card that nobody drives has the fault. Returns the log from here on. */
static int begin(const char *fault)
{
	int log;

	lab_recover(address);
	log = lab_log_open();
	unbind();
	lab_inject("%s", fault);
	return log;
}

/* --- firmware -------------------------------------------------------------------------- */

/* The card is bound although firmware fails at first. */
static void test_patient(const char *fault)
{
	uint64_t before;

	lab_recover(address);
	unbind();
	before = lab_injected();
	lab_inject("%s", fault);
	bind_card();
	igt_assert(before < lab_injected());
	lab_heal();
}

/* Has a process of its own bind the card; returns its id. */
static pid_t bind_aside(void)
{
	pid_t child = fork();

	igt_assert(child >= 0);
	if (!child)
		_exit(xetile_write_driver("bind", address) ? 1 : 0);
	return child;
}

static bool binds(pid_t child)
{
	int status;

	igt_assert_eq(waitpid(child, &status, 0), child);
	return WIFEXITED(status) && !WEXITSTATUS(status);
}

/* Firmware is not ready for seconds. The log must say what is waited for; then all must work. */
static void test_heals(const char *fault, const char *why)
{
	int log = begin(fault);
	pid_t child = bind_aside();

	lab_log_close(log, why);
	igt_assert_eq(waitpid(child, NULL, WNOHANG), 0);
	lab_heal();
	igt_assert(binds(child));
	unbind();
	bind_card();
}

/* Firmware never gets ready. A user who kills the process that binds the card must not wait. */
static void test_killed(const char *fault, const char *why, const char *end)
{
	int log = begin(fault), killed;
	pid_t child = bind_aside();

	lab_log_close(log, why);
	killed = lab_log_open();
	igt_assert_eq(kill(child, SIGKILL), 0);
	igt_assert(!binds(child));
	lab_log_close(killed, end);
	lab_heal();
	bind_card();
}

/* Firmware starts anew when the function is reset. */
static void test_reset(void)
{
	lab_recover(address);
	unbind();
	xetile_reset_function(address);
	bind_card();
}

/* --- wells ------------------------------------------------------------------------------ */

/* A request of the driver is not acknowledged until another request changes. */
static void test_ack_lost(const char *well, unsigned int skip)
{
	int log;

	lab_recover(address);
	log = lab_log_open();
	unbind();
	lab_inject("forcewake-lost well=%s skip=%u tile=0", well, skip);
	bind_card();
	lab_heal();
	lab_log_close(log, "answered attempt");
}

static uint64_t value_of(FILE *file, const char *name)
{
	char line[128], found[64];
	unsigned int value;

	rewind(file);
	while (fgets(line, sizeof(line), file))
		if (sscanf(line, " %63s %x", found, &value) == 2 && !strcmp(found, name))
			return value;
	igt_assert_f(false, "no %s\n", name);
	return 0;
}

/*
 * Nobody's requests but the driver's keep the wells awake, and nothing turns parts of the tile off.
 * The card has other values at power on.
 */
static void test_clean(void)
{
	static const struct {
		const char *name;
		uint64_t value;
	} want[] = {
		{ "PVC_FORCEWAKE_GT", 1 }, { "PVC_FORCEWAKE_RENDER", 1 }, { "PVC_RC_CONTROL", 0 },
		{ "PVC_RC_STATE", 0 }, { "PVC_PG_ENABLE", 0 },
	};
	FILE *file;
	int fd;

	lab_recover(address);
	fd = xetile_open();
	file = xetile_debugfs_open(fd, "registers");
	for (unsigned int i = 0; i < ARRAY_SIZE(want); i++)
		igt_assert_eq_u64(value_of(file, want[i].name), want[i].value);
	fclose(file);
	close(fd);
}

/* --- addresses ----------------------------------------------------------------------------- */

static unsigned int bits(const char *name)
{
	unsigned int value = 0;
	char path[128];
	FILE *file;

	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/%s", address, name);
	file = fopen(path, "r");
	igt_assert_f(file, "%s: %m\n", path);
	igt_assert_eq(fscanf(file, "%u", &value), 1);
	fclose(file);
	return value;
}

/* Coherent memory has addresses that entries of the GGTT can hold, bits 45:12. */
static void test_dma_mask(void)
{
	lab_recover(address);
	igt_assert_eq_u32(bits("consistent_dma_mask_bits"), 46);
	igt_assert_eq_u32(bits("dma_mask_bits"), 52);
}

/* --- what the card is --------------------------------------------------------------------- */

static void test_refused(const char *fault, const char *why)
{
	int log = begin(fault);

	igt_assert_eq(xetile_write_driver("bind", address), -ENODEV);
	lab_heal();
	lab_log_close(log, why);
	bind_card();
}

static void test_told(const char *fault, const char *why)
{
	int log = begin(fault);

	bind_card();
	lab_heal();
	lab_log_close(log, why);
	unbind();
	bind_card();
}

/* Drivers differ on whether to ask for the size of the GGTT; another one than expected is told. */
static void test_ggtt_size(void)
{
	char path[128];
	uint16_t ctrl;
	FILE *file;
	int log;

	lab_recover(address);
	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/config", address);
	file = fopen(path, "r");
	igt_assert_f(file, "%s: %m\n", path);
	igt_assert_eq(fseek(file, GMCH_CTRL, SEEK_SET), 0);
	igt_assert_eq(fread(&ctrl, sizeof(ctrl), 1, file), 1);
	fclose(file);
	/* Bits 7:6: 2 MiB, 4, 8 */
	igt_require_f((ctrl >> 6 & 3) == 2, "the card's GGTT is as large as expected\n");
	log = lab_log_open();
	unbind();
	bind_card();
	lab_log_close(log, "global page table has 4 MiB, not 8");
}

/* The registers of the HBM's range disagree: the one that newer drivers read prevails. */
static void test_two_ranges(void)
{
	struct xetile_card before, now;

	lab_recover(address);
	xetile_open_card(&before);
	close(before.fd);
	igt_require_f(before.device.num_tiles > 1, "the card has one tile\n");
	test_told(SAYS(TILE_ADDR_RANGE1, "0x202") ALWAYS, "two registers disagree");
	unbind();
	lab_inject(SAYS(TILE_ADDR_RANGE1, "0x202") ALWAYS);
	bind_card();
	xetile_open_card(&now);
	igt_assert_eq_u64(now.tiles[1].hbm_total, before.tiles[1].hbm_total);
	close(now.fd);
	lab_heal();
	unbind();
	bind_card();
}

igt_main
{
	static const struct {
		const char *name, *fault, *why, *end;
	} slow[] = {
		{ "pcode-error", "pcode-error count=0", "s: pcode answers error 0x2",
		  "pcode answers error 0x2: its binding was interrupted" },
		{ "pcode-busy", "pcode-busy count=0", "s: pcode's mailbox stays busy",
		  "stays busy: its binding was interrupted" },
		{ "pcode-unfinished", SAYS(PCODE_DATA0, "0") ALWAYS,
		  "s: pcode: initialisation is not complete",
		  "not complete: its binding was interrupted" },
		{ "hbm-untrained", BITS(GU_CNTL, "0x80", "0") ALWAYS, "s: HBM is not initialised",
		  "by the card's firmware: its binding was interrupted" },
	};

	igt_fixture {
		igt_assert(!geteuid());
		lab_require_card();
		lab_heal();
		xetile_bound_card(address, sizeof(address));
	}

	igt_describe("Firmware that fails at first must be asked again");
	igt_subtest("errors-first")
		test_patient("pcode-error count=40 code=0x11");
	igt_describe("Registers that do not answer at first must be read again");
	igt_subtest("all-ones-first")
		test_patient(SAYS(MTCFG, "0xffffffff") " count=40");
	for (unsigned int i = 0; i < ARRAY_SIZE(slow); i++) {
		igt_describe("Firmware must be waited for, and the log say so");
		igt_subtest_f("slow-%s", slow[i].name)
			test_heals(slow[i].fault, slow[i].why);
		igt_describe("A process that waits for firmware must be free to die");
		igt_subtest_f("killed-%s", slow[i].name)
			test_killed(slow[i].fault, slow[i].why, slow[i].end);
	}
	igt_describe("The card must be bound after a reset of its function");
	igt_subtest("reset")
		test_reset();

	igt_describe("A power well whose acknowledge is lost must be asked again");
	igt_subtest("ack-lost-gt")
		test_ack_lost("gt", 1);
	igt_subtest("ack-lost-render")
		test_ack_lost("render", 1);
	igt_describe("Memory that the GGTT maps must have addresses that its entries can hold");
	igt_subtest("dma-mask")
		test_dma_mask();
	igt_describe("Requests and power gating that others left behind must be taken back");
	igt_subtest("clean")
		test_clean();

	igt_describe("A virtual function must be refused");
	igt_subtest("virtual-function")
		test_refused(SAYS(VF_CAP, "1") ALWAYS, "a virtual function");
	igt_describe("A part that is not for sale must be bound, and the log say so");
	igt_subtest("not-production")
		test_told(BITS(FUSE2, "4", "0") ALWAYS, "not a production part");
	igt_describe("A GGTT of another size must be told, and the card be bound");
	igt_subtest("ggtt-size")
		test_ggtt_size();
	igt_describe("Two registers of one range may disagree");
	igt_subtest("two-ranges")
		test_two_ranges();

	igt_fixture
		lab_heal();
}
