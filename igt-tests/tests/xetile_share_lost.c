// SPDX-License-Identifier: MIT
/*
 * The card that has exported a buffer is pulled out while a job of another card uses the buffer.
 * The job must end, the importer be told what is lost, keep what is in system memory, and go on;
 * and the card must work when it is back.
 * Statements: S108, S132.
 *
 * suite: share
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <xf86drm.h>

#include "xetile_lab.h"
#include "xetile_side.h"

IGT_TEST_DESCRIPTION("An exporter that is pulled out under a running importer");

static unsigned int num_cards(void)
{
	char path[64];
	unsigned int n = 0;

	for (; n < 8; n++) {
		snprintf(path, sizeof(path), "%u", n);
		setenv("XETILE_CARD", path, 1);
		if (xetile_open_path(path, sizeof(path)))
			break;
	}
	return n;
}

static void choose(unsigned int number)
{
	char text[16];

	snprintf(text, sizeof(text), "%u", number);
	setenv("XETILE_CARD", text, 1);
}

/* The card leaves the bus at once; the slot tells the kernel later. */
static pid_t pull_out(unsigned int number)
{
	unsigned int before = num_cards();
	pid_t pid;

	choose(number);
	lab_inject("unplug");
	pid = fork();
	igt_assert_lte(0, pid);
	if (!pid) {
		lab_plug(false);
		_exit(0);
	}
	/* The driver has begun to let the card go. */
	xetile_assert_soon(num_cards() < before);
	return pid;
}

static void is_out(pid_t pid)
{
	int status;

	igt_assert_eq(waitpid(pid, &status, 0), pid);
	igt_assert_eq(status, 0);
}

/* The new card must have the number of the old one, which therefore has to be forgotten. */
static void put_back(unsigned int number, const char *address)
{
	unsigned int before = num_cards();
	char now[32];

	choose(number);
	lab_plug(true);
	xetile_assert_soon(num_cards() > before);
	side_address(number, now, sizeof(now));
	igt_assert_f(!strcmp(now, address), "card %u is at %s now\n", number, now);
}

/* The first card reads what another one writes. Returns the import; all is as before afterwards. */
static void use_new(struct side *b, unsigned int number)
{
	struct side a;
	uint32_t bo, there;
	int file;

	side_init(&a, number);
	bo = xetile_bo(a.c.fd, SHARE_BYTES, SHARE_ANYWHERE);
	xetile_vm_map(a.c.fd, a.c.vm, bo, 0, DATA_ADDR, SHARE_BYTES);
	side_paint(&a, DATA_ADDR, 0x900000);
	file = share_export(a.c.fd, bo);
	there = side_import(b, file);
	close(file);
	side_check(b, DATA_ADDR, 0x900000);
	side_forget(b, there);
	side_forget(&a, bo);
	side_fini(&a);
}

static int exec_on(struct side *b)
{
	struct xetile_batch batch;

	batch_begin(&batch, &b->c.batch, 0);
	side_emit_copy(b, &batch, b->copy.addr, DATA_ADDR);
	return __xetile_exec(b->c.fd, b->queue, batch_addr(&batch), NULL, 0);
}

static void test_lost(unsigned int number)
{
	struct drm_xetile_vm_create vm = { };
	uint32_t bo, there, fence, *map;
	char address[32];
	struct side b;
	int from, file;
	bool peer;
	pid_t out;

	side_init(&b, 0);
	side_address(number, address, sizeof(address));
	from = xetile_open_number(number);
	lab_require_card();
	bo = xetile_bo(from, SHARE_BYTES, SHARE_ANYWHERE);
	map = xetile_bo_map(from, bo, SHARE_BYTES);
	share_paint(map, 0x700000);
	munmap(map, SHARE_BYTES);
	file = share_export(from, bo);
	there = side_import(&b, file);
	close(file);
	side_check(&b, DATA_ADDR, 0x700000);
	peer = share_told(from, bo, b.c.fd, there);
	igt_info("%s\n", peer ? "peer-to-peer" : "system memory");

	fence = side_start_held(&b, b.copy.addr, DATA_ADDR);
	out = pull_out(number);
	/* The removal waits for a job that may use the card's HBM, and for no other. */
	if (!peer)
		is_out(out);
	side_let_go(&b, fence);
	if (peer) {
		is_out(out);
		igt_assert_eq(exec_on(&b), -ENODATA);
	} else {
		share_check(b.copy.map, 0x700000);
		side_paint(&b, DATA_ADDR, 0x710000);
		side_check(&b, DATA_ADDR, 0x710000);
	}
	igt_assert_eq(xetile_ioctl(from, DRM_IOCTL_XETILE_VM_CREATE, &vm), -ENODEV);
	close(from);
	if (!peer)
		side_check(&b, DATA_ADDR, 0x710000);
	side_forget(&b, there);
	side_copy(&b, b.copy.addr, b.copy.addr);
	put_back(number, address);
	use_new(&b, number);
	side_fini(&b);
}

igt_main
{
	igt_describe("An importer must live on when the exporter's card is pulled out");
	igt_subtest("lost")
		test_lost(1);
	igt_describe("The same must be true if the importer has the buffer in system memory");
	igt_subtest("lost-far") {
		unsigned int far = side_far();

		igt_require_f(far != 1, "that is the subtest before\n");
		test_lost(far);
	}
}
