// SPDX-License-Identifier: MIT
/*
 * CCS mode: 1, 2 or 4 compute engines share out a tile's cslices.
 * Statements: S60, S61, S64-S68, S85, S86, W6.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "xetile_igt.h"

IGT_TEST_DESCRIPTION("Compute engines per tile by sysfs");

static struct xetile_card card = { .fd = -1 };

static void set_mode(uint32_t tile, unsigned int mode)
{
	char text[16];

	snprintf(text, sizeof(text), "%u\n", mode);
	igt_assert_eq(xetile_sysfs_write(card.fd, tile, "ccs_mode", text), 0);
}

static void restore(int sig)
{
	for (uint32_t t = 0; card.fd >= 0 && t < card.device.num_tiles; t++)
		xetile_sysfs_write(card.fd, t, "ccs_mode", "1");
	(void)sig;
}

static uint32_t engines(uint32_t tile, struct drm_xetile_query_engine *out)
{
	struct drm_xetile_query_engine all[64];
	uint32_t n = 0, num;

	num = xetile_query(card.fd, DRM_XETILE_QUERY_ENGINES, XETILE_ARRAY(all, ARRAY_SIZE(all)));
	igt_assert_lte(num, ARRAY_SIZE(all));
	for (uint32_t i = 0; i < num; i++)
		if (all[i].tile == tile && all[i].engine_class == DRM_XETILE_ENGINE_COMPUTE)
			out[n++] = all[i];
	return n;
}

static void test_modes(uint32_t tile)
{
	uint32_t eus = 0;

	for (uint32_t mode = 1; mode <= DRM_XETILE_MAX_CSLICES; mode++) {
		struct drm_xetile_query_engine e[DRM_XETILE_MAX_CSLICES];
		uint32_t slices = 0;

		if (!(card.tiles[tile].ccs_modes & (1u << mode)))
			continue;
		set_mode(tile, mode);
		igt_assert_eq(xetile_sysfs_uint(card.fd, tile, "ccs_mode"), mode);
		igt_assert_eq_u32(engines(tile, e), mode);
		for (uint32_t i = 0; i < mode; i++) {
			/* equal shares of the slices, nothing shared, nothing left (S66, S67) */
			igt_assert_eq(__builtin_popcount(e[i].cslice_mask),
				      card.tiles[tile].num_cslices / mode);
			igt_assert_eq(slices & e[i].cslice_mask, 0);
			slices |= e[i].cslice_mask;
		}
		igt_assert_eq_u32(slices, card.tiles[tile].cslice_mask);
		if (mode == 1)
			eus = e[0].num_eus;
		else
			igt_assert_lt(e[0].num_eus, eus);
	}
	set_mode(tile, 1);
}

static void test_bad(uint32_t tile)
{
	static const char * const garbage[] = {
		"", "x", "-1", "0", "3x", "1.5", "99999999999999999999", "5", "64", "4294967297",
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(garbage); i++) {
		int ret;

		if (!*garbage[i])	/* write() of nothing reaches no driver */
			continue;
		ret = xetile_sysfs_write(card.fd, tile, "ccs_mode", garbage[i]);
		igt_assert_f(ret == -EINVAL || ret == -ERANGE, "'%s': %d\n", garbage[i], ret);
		igt_assert_eq(xetile_sysfs_uint(card.fd, tile, "ccs_mode"), 1);
	}
	for (uint32_t mode = 2; mode <= DRM_XETILE_MAX_CSLICES; mode++) {
		char text[16];

		if (card.tiles[tile].ccs_modes & (1u << mode))
			continue;
		snprintf(text, sizeof(text), "%u", mode);
		igt_assert_eq(xetile_sysfs_write(card.fd, tile, "ccs_mode", text), -EINVAL);
	}
	igt_assert_eq(xetile_sysfs_write(card.fd, tile, "num_cslices", "1"), -EACCES);
}

static void test_busy(uint32_t tile)
{
	uint32_t vm = xetile_vm(card.fd), q;
	char holders[4096], pid[32];
	char path[PATH_MAX];
	struct pollfd p;

	igt_require_f(card.tiles[tile].ccs_modes & (1u << 2), "no other mode\n");
	q = xetile_queue(card.fd, vm, DRM_XETILE_ENGINE_COMPUTE, DRM_XETILE_TARGET_TILE, tile, 0);
	igt_assert_eq(xetile_sysfs_write(card.fd, tile, "ccs_mode", "2"), -EBUSY);
	igt_assert_eq(xetile_sysfs_write(card.fd, tile, "ccs_mode", "1"), 0);

	/* the file beside it says who (W6) */
	igt_assert_eq(xetile_sysfs_read(card.fd, tile, "ccs_mode_holders", holders, sizeof(holders)), 0);
	snprintf(pid, sizeof(pid), "%d", getpid());
	igt_assert_f(strstr(holders, pid), "holders: '%s', we are %s\n", holders, pid);

	/* a copy queue holds nothing, another tile neither */
	if (card.device.num_tiles > 1) {
		set_mode(!tile, 2);
		set_mode(!tile, 1);
	}

	/* it can be waited for without spinning */
	igt_assert_eq(xetile_sysfs_path(card.fd, tile, "ccs_mode_holders", path, sizeof(path)), 0);
	p = (struct pollfd) { .fd = open(path, O_RDONLY | O_CLOEXEC), .events = POLLPRI };
	igt_assert_lte(0, p.fd);
	igt_assert_lte(0, (int)read(p.fd, holders, sizeof(holders)));
	igt_assert_eq(poll(&p, 1, 50), 0);
	xetile_queue_destroy(card.fd, q);
	igt_assert_eq(poll(&p, 1, 5000), 1);
	close(p.fd);
	igt_assert_eq(xetile_sysfs_read(card.fd, tile, "ccs_mode_holders", holders, sizeof(holders)), 0);
	igt_assert_f(!strstr(holders, pid), "holders: '%s'\n", holders);

	q = xetile_queue(card.fd, vm, DRM_XETILE_ENGINE_COPY, DRM_XETILE_TARGET_TILE, tile, 0);
	set_mode(tile, 2);
	set_mode(tile, 1);
	xetile_queue_destroy(card.fd, q);
	xetile_vm_destroy(card.fd, vm);
}

static void test_fraction(uint32_t mode)
{
	struct drm_xetile_queue_info info;
	uint32_t vm = xetile_vm(card.fd), q, total = 0;

	for (uint32_t t = 0; t < card.device.num_tiles; t++) {
		igt_require_f(card.tiles[t].ccs_modes & (1u << mode), "no mode %u\n", mode);
		set_mode(t, mode);
		total += card.tiles[t].num_cslices;
	}
	/* a ROOT queue uses virtual cslice 0 of every tile and says the share (C9) */
	q = xetile_queue(card.fd, vm, DRM_XETILE_ENGINE_COMPUTE, DRM_XETILE_TARGET_ROOT, 0, 0);
	xetile_queue_info(card.fd, q, &info);
	igt_assert_eq_u32(info.cslices_total, total);
	igt_assert_eq_u32(info.cslices_used, total / mode);
	xetile_queue_destroy(card.fd, q);
	for (uint32_t t = 0; t < card.device.num_tiles; t++)
		set_mode(t, 1);
	xetile_vm_destroy(card.fd, vm);
}

igt_main
{
	igt_fixture {
		xetile_open_card(&card);
		igt_install_exit_handler(restore);
	}

	igt_describe("Off by default: one engine a tile (S61)");
	igt_subtest("default")
		for (uint32_t t = 0; t < card.device.num_tiles; t++)
			igt_assert_eq(xetile_sysfs_uint(card.fd, t, "ccs_mode"), 1);

	igt_describe("Files agree with QUERY");
	igt_subtest("files") {
		for (uint32_t t = 0; t < card.device.num_tiles; t++) {
			char text[64];
			uint32_t modes = 0;

			igt_assert_eq(xetile_sysfs_uint(card.fd, t, "num_cslices"),
				      card.tiles[t].num_cslices);
			igt_assert_eq(xetile_sysfs_read(card.fd, t, "available_ccs_modes", text,
							sizeof(text)), 0);
			for (char *p = strtok(text, " \n"); p; p = strtok(NULL, " \n"))
				modes |= 1u << atoi(p);
			igt_assert_eq_u32(modes, card.tiles[t].ccs_modes);
		}
	}

	igt_describe("Each mode: as many engines, equal shares (S64-S68, S85)");
	igt_subtest("modes")
		for (uint32_t t = 0; t < card.device.num_tiles; t++)
			test_modes(t);

	igt_describe("Garbage, modes the tile cannot have, read-only files");
	igt_subtest("bad-input")
		for (uint32_t t = 0; t < card.device.num_tiles; t++)
			test_bad(t);

	igt_describe("EBUSY while compute queues exist, holders listed, pollable (W6)");
	igt_subtest("busy")
		for (uint32_t t = 0; t < card.device.num_tiles; t++)
			test_busy(t);

	for (uint32_t mode = 1; mode <= DRM_XETILE_MAX_CSLICES; mode *= 2) {
		igt_describe("A ROOT queue reaches 1/mode of the card and says so (C9)");
		igt_subtest_f("root-fraction-%u", mode)
			test_fraction(mode);
	}

	igt_fixture {
		close(card.fd);
		/* The exit handler has nothing to restore any more. */
		card.fd = -1;
	}
}
