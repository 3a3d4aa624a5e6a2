// SPDX-License-Identifier: MIT
/*
 * The tree of devices, on a driver that runs in this process (fake.c): the visible devices, their
 * descriptions, and their CCS mode.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include <xf86drm.h>

#include "fake.h"
#include "platform.h"
#include "test.h"
#include "util.h"
#include "xetile.h"

/* --- devices ---------------------------------------------------------------------- */

/* The whole tree as text: "0(0.0(0.0.0 0.0.1) 0.1) ..." */
static void print_tree(char *to, struct xetile_device *device)
{
	unsigned int i, num = xetile_device_num_sub_devices(device);
	char sel[32];

	xetile_device_selector(device, sel, sizeof(sel));
	strcat(to, sel);
	for (i = 0; i < num; i++) {
		strcat(to, i ? " " : "(");
		print_tree(to, xetile_device_sub_device(device, i));
	}
	if (num)
		strcat(to, ")");
}

static bool tree_is(unsigned int cards, unsigned int tiles, unsigned int mode,
		    const char *mask, const char *hierarchy, const char *expected)
{
	const struct xt_env env = { .affinity = mask, .hierarchy = hierarchy };
	struct xetile_platform *p;
	char tree[1024] = "";
	unsigned int i;

	fake_start(tiles, mode);
	CHECK(!fake_platform(cards, &env, &p), "%s", xetile_last_error());
	for (i = 0; i < xetile_platform_num_devices(p); i++) {
		if (i)
			strcat(tree, " ");
		print_tree(tree, xetile_platform_device(p, i));
	}
	CHECK(!xetile_platform_device(p, i));
	xetile_platform_close(p);
	CHECK(!strcmp(tree, expected), "'%s', not '%s'", tree, expected);
	return true;
}

static bool check_trees(void)
{
	return tree_is(1, 2, 1, NULL, NULL, "0(0.0 0.1)") &&
	       tree_is(2, 1, 1, NULL, NULL, "0(0.0) 1(1.0)") &&
	       tree_is(1, 1, 2, NULL, NULL, "0(0.0(0.0.0 0.0.1))") &&
	       tree_is(1, 1, 4, NULL, NULL, "0(0.0(0.0.0 0.0.1 0.0.2 0.0.3))") &&
	       tree_is(0, 1, 4, NULL, NULL, "");
}

static bool check_affinity(void)
{
	return tree_is(2, 2, 1, "1", NULL, "1(1.0 1.1)") &&
	       tree_is(2, 2, 1, "0.1", NULL, "0(0.1)") &&
	       tree_is(2, 2, 1, "1.1,0.0", NULL, "0(0.0) 1(1.1)") &&
	       tree_is(2, 2, 1, "7,0.9", NULL, "") &&
	       tree_is(1, 2, 2, "0.1.0", NULL, "0(0.1(0.1.0))") &&
	       tree_is(1, 2, 2, "0.1.1,0.0", NULL, "0(0.0(0.0.0 0.0.1) 0.1(0.1.1))") &&
	       tree_is(1, 2, 2, "0.1.2", NULL, "");
}

static bool check_hierarchies(void)
{
	return tree_is(2, 2, 1, NULL, "FLAT", "0.0 0.1 1.0 1.1") &&
	       tree_is(2, 2, 1, "1,2", "FLAT", "0.1 1.0") &&
	       tree_is(2, 2, 1, "0.1", "FLAT", "") &&
	       tree_is(2, 2, 2, "3", "COMBINED", "1.1(1.1.0 1.1.1)");
}

/* Numbers do not depend on the mask or on the hierarchy. */
static bool check_flat_numbers(void)
{
	const struct xt_env flat = { .hierarchy = "FLAT", .affinity = "1,3" };
	const struct xt_env hidden = { .affinity = "1" };
	struct xetile_device_info info;
	struct xetile_platform *p;

	fake_start(2, 1);
	CHECK(!fake_platform(2, &flat, &p));
	CHECK(!xetile_device_get_info(xetile_platform_device(p, 0), &info) && info.flat == 1);
	CHECK(!xetile_device_get_info(xetile_platform_device(p, 1), &info) && info.flat == 3);
	xetile_platform_close(p);
	CHECK(!fake_platform(2, &hidden, &p));
	CHECK(!xetile_device_get_info(xetile_platform_device(p, 0), &info) && info.flat == 2);
	xetile_platform_close(p);
	return true;
}

static bool flat_is(const struct xt_node *nodes, unsigned int num, const char *mask,
		    uint32_t want)
{
	const struct xt_env env = { .hierarchy = "FLAT", .affinity = mask };
	struct xetile_device_info info;
	struct xetile_platform *p;
	bool ok;

	CHECK(!xt_platform_build(nodes, num, &env, &p), "%s", xetile_last_error());
	ok = xetile_platform_num_devices(p) >= 1 &&
	     !xetile_device_get_info(xetile_platform_device(p, 0), &info) &&
	     info.flat == want && info.card == 1;
	xetile_platform_close(p);
	CHECK(ok, "mask %s", mask ? mask : "none");
	return true;
}

/* Card 0 does not answer: the tiles of card 1 keep their numbers. */
static bool check_silent_card(void)
{
	const struct xt_env masked = { .hierarchy = "FLAT", .affinity = "1" };
	const struct xt_env cards = { .affinity = "1" };
	struct xt_node nodes[2] = {
		{ .pci = "0000:01:00.0", .node = "/gone/0" },
		{ .pci = "0000:02:00.0", .node = "/fake/1" },
	};
	struct xetile_platform *p;
	char command[256];
	bool ok;

	strcpy(nodes[0].sysfs, "/tmp/xetile-test-XXXXXX");
	CHECK(mkdtemp(nodes[0].sysfs));
	snprintf(command, sizeof(command), "mkdir %s/tile0 %s/tile1", nodes[0].sysfs,
		 nodes[0].sysfs);
	CHECK(!system(command));
	fake_start(2, 1);
	ok = flat_is(nodes, 2, NULL, 2) && flat_is(nodes, 2, "2", 2) &&
	     flat_is(nodes, 2, "1,3", 3);
	/* sysfs does not tell the number of tiles either: a mask of tile numbers has no meaning. */
	snprintf(command, sizeof(command), "rm -r %s", nodes[0].sysfs);
	CHECK(!system(command) && ok);
	CHECK(flat_is(nodes, 2, NULL, 0));
	CHECK(xt_platform_build(nodes, 2, &masked, &p) == -ENODEV);
	CHECK_TEXT("from 0 on");
	CHECK(!xt_platform_build(nodes, 2, &cards, &p));
	CHECK(xetile_platform_num_devices(p) == 1);
	xetile_platform_close(p);
	return true;
}

/* Of four cards this process may open the second and the last one, and the third one is gone. */
static bool check_barred_card(void)
{
	const struct xt_env first = { .affinity = "0" }, last = { .affinity = "2" };
	const struct xt_env flat = { .affinity = "4", .hierarchy = "FLAT" };
	const struct xt_env unknown = { .affinity = "3" };
	struct xt_node nodes[4] = {
		{ .pci = "0000:01:00.0", .node = "/barred/0" },
		{ .pci = "0000:02:00.0", .node = "/fake/1" },
		{ .pci = "0000:03:00.0", .node = "/gone/2" },
		{ .pci = "0000:04:00.0", .node = "/fake/3" },
	};
	struct xetile_device_info info;
	struct xetile_platform *p;
	char command[256];

	strcpy(nodes[2].sysfs, "/tmp/xetile-test-XXXXXX");
	CHECK(mkdtemp(nodes[2].sysfs));
	snprintf(command, sizeof(command), "mkdir %s/tile0 %s/tile1", nodes[2].sysfs,
		 nodes[2].sysfs);
	CHECK(!system(command));
	fake_start(2, 1);
	CHECK(!xt_platform_build(nodes, 4, &first, &p) && xetile_platform_num_devices(p));
	CHECK(!xetile_device_get_info(xetile_platform_device(p, 0), &info));
	CHECK(info.card == 0 && !strcmp(info.pci, nodes[1].pci));
	xetile_platform_close(p);
	CHECK(!xt_platform_build(nodes, 4, &last, &p) && xetile_platform_num_devices(p));
	CHECK(!xetile_device_get_info(xetile_platform_device(p, 0), &info));
	CHECK(info.card == 2 && info.flat == 4 && !strcmp(info.pci, nodes[3].pci));
	xetile_platform_close(p);
	CHECK(!xt_platform_build(nodes, 4, &flat, &p) && xetile_platform_num_devices(p));
	CHECK(!xetile_device_get_info(xetile_platform_device(p, 0), &info));
	CHECK(info.card == 2 && info.tile == 0 && !strcmp(info.pci, nodes[3].pci));
	xetile_platform_close(p);
	CHECK(!xt_platform_build(nodes, 4, &unknown, &p));
	CHECK(!xetile_platform_num_devices(p));
	xetile_platform_close(p);
	CHECK(xt_platform_build(nodes, 1, &first, &p) == -EPERM);
	snprintf(command, sizeof(command), "rm -r %s", nodes[2].sysfs);
	CHECK(!system(command));
	return true;
}

static bool check_parents(void)
{
	const struct xt_env flat = { .hierarchy = "FLAT" }, combined = { .hierarchy = "COMBINED" };
	struct xetile_platform *p;

	fake_start(2, 1);
	CHECK(!fake_platform(1, &flat, &p));
	CHECK(!xetile_device_parent(xetile_platform_device(p, 0)));
	CHECK(xetile_platform_hierarchy(p) == XETILE_FLAT);
	xetile_platform_close(p);
	CHECK(!fake_platform(1, &combined, &p));
	CHECK(xetile_device_parent(xetile_platform_device(p, 0)) ==
	      xetile_device_parent(xetile_platform_device(p, 1)));
	CHECK(xetile_device_parent(xetile_platform_device(p, 0)));
	xetile_platform_close(p);
	return true;
}

static bool check_select(void)
{
	struct xetile_device *device;
	struct xetile_platform *p;
	char sel[32];

	fake_start(2, 2);
	CHECK(!fake_platform(2, NULL, &p));
	CHECK(!xetile_platform_select(p, "1.1.1", &device));
	xetile_device_selector(device, sel, sizeof(sel));
	CHECK(!strcmp(sel, "1.1.1"));
	CHECK(xetile_platform_select(p, "2", &device) == -ENODEV);
	CHECK(xetile_platform_select(p, "0.2", &device) == -ENODEV);
	CHECK(xetile_platform_select(p, "0.0.2", &device) == -ENODEV);
	CHECK_TEXT("CCS mode 2");
	CHECK(xetile_platform_select(p, "0:0", &device) == -EINVAL);
	CHECK(xetile_platform_select(p, "7", &device) == -ENODEV);
	CHECK_TEXT("there is no card 7: there are 0, 1");
	CHECK(xetile_platform_select(p, "0.5", &device) == -ENODEV);
	CHECK_TEXT("card 0 has no tile 5: there are 0, 1");
	xetile_platform_close(p);
	return true;
}

/* Whether a name selects a device of the selector @want; NULL: none */
static bool selects(struct xetile_platform *p, const char *name, const char *want)
{
	struct xetile_device *device;
	char sel[32] = "";
	int err = xetile_platform_select(p, name, &device);

	if (!err)
		xetile_device_selector(device, sel, sizeof(sel));
	return want ? !err && !strcmp(sel, want) : err == -ENODEV;
}

/* Cards by PCI address and node; the default; what the mask hides, by name */
static bool check_names(void)
{
	const struct xt_env hidden = { .affinity = "1.1" }, flat = { .hierarchy = "FLAT" };
	const struct xt_env first = { .device = "1.0" }, wrong = { .device = "9" };
	const struct xt_env unset = { .device = " default " };
	struct xetile_device *device;
	struct xetile_platform *p;

	fake_start(2, 1);
	CHECK(!fake_platform(2, NULL, &p));
	CHECK(selects(p, "0000:02:00.0", "1") && selects(p, "01:00.0", "0"));
	CHECK(selects(p, "/fake/1", "1") && selects(p, NULL, "0"));
	CHECK(selects(p, "0000:03:00.0", NULL) && selects(p, "renderD9", NULL));
	CHECK(selects(p, "/fake/2", NULL) && selects(p, "card0", NULL));
	xetile_platform_close(p);
	CHECK(!fake_platform(2, &hidden, &p));
	CHECK(selects(p, NULL, "1") && selects(p, "01:00.0", NULL));
	CHECK_TEXT("card 0 is hidden by ZE_AFFINITY_MASK");
	CHECK(selects(p, "0", NULL) && selects(p, "1.0", NULL));
	CHECK_TEXT("tile 0 is hidden by ZE_AFFINITY_MASK");
	xetile_platform_close(p);
	CHECK(!fake_platform(2, &flat, &p) && selects(p, NULL, "0.0"));
	xetile_platform_close(p);
	CHECK(!fake_platform(2, &first, &p) && selects(p, NULL, "1.0") && selects(p, "0", "0"));
	xetile_platform_close(p);
	CHECK(!fake_platform(2, &unset, &p) && selects(p, NULL, "0"));
	xetile_platform_close(p);
	CHECK(!fake_platform(2, &wrong, &p));
	CHECK(xetile_platform_select(p, NULL, &device) == -ENODEV);
	CHECK_TEXT("XETILE_DEVICE_SELECTOR: 9: there is no card 9");
	xetile_platform_close(p);
	CHECK(!fake_platform(0, NULL, &p) && selects(p, NULL, NULL));
	CHECK_TEXT("has no card");
	xetile_platform_close(p);
	return true;
}

static bool check_info(void)
{
	const struct xt_env off = { .scaling = "0", .scaling_compat = "1" };
	struct xetile_device_info root, tile, cslice;
	struct xetile_engine_info engines[8];
	struct xetile_device *device;
	struct xetile_platform *p;

	fake_start(2, 4);
	CHECK(!fake_platform(1, NULL, &p));
	device = xetile_platform_device(p, 0);
	CHECK(!xetile_device_get_info(device, &root));
	CHECK(root.kind == XETILE_DEVICE_ROOT && root.num_tiles == 2 && root.implicit_scaling);
	CHECK(root.hbm_total == 2ull << 30 && root.num_eus == 2 * 64 * 8);
	CHECK(xetile_device_get_engines(device, engines, 8) == 10);
	device = xetile_device_sub_device(device, 1);
	CHECK(!xetile_device_get_info(device, &tile));
	CHECK(tile.tile == 1 && tile.num_tiles == 1 && tile.num_eus == 512 && tile.num_cslices == 4);
	CHECK(xetile_device_get_engines(device, engines, 8) == 5);
	CHECK(xetile_device_distance(device, 1, 1) == 10);
	CHECK(xetile_device_distance(device, 1, -1) == 40);
	CHECK(xetile_device_distance(device, 1, 3) == -ENOENT);
	device = xetile_device_sub_device(device, 2);
	CHECK(!xetile_device_get_info(device, &cslice));
	/* S84-S86: a cslice reports its share of split resources, and all of shared resources. */
	CHECK(cslice.num_eus == 128 && cslice.num_cslices == 1 && cslice.hbm_total == tile.hbm_total);
	CHECK(xetile_device_num_sub_devices(device) == 0);
	xetile_platform_close(p);

	/* S53: without implicit scaling the root is tile 0. */
	CHECK(!fake_platform(1, &off, &p));
	CHECK(!xetile_device_get_info(xetile_platform_device(p, 0), &root));
	CHECK(root.num_tiles == 1 && root.tile_mask == 1 && !root.implicit_scaling);
	CHECK(root.hbm_total == 1ull << 30 && root.num_eus == 512);
	xetile_platform_close(p);
	return true;
}

/* S104: what a mask leaves of a tile and of its card */
static bool check_masked_info(void)
{
	const struct xt_env env = { .affinity = "0.0.1,0.0.3,0.1.2" };
	struct xetile_device_info info;
	struct xetile_device *root;
	struct xetile_platform *p;

	fake_start(2, 4);
	CHECK(!fake_platform(1, &env, &p));
	root = xetile_platform_device(p, 0);
	CHECK(!xetile_device_get_info(root, &info));
	CHECK(info.num_eus == 3 * 128 && info.num_cslices == 3 && info.hbm_total == 2ull << 30);
	CHECK(!xetile_device_get_info(xetile_device_sub_device(root, 0), &info));
	CHECK(info.num_eus == 2 * 128 && info.num_cslices == 2 && info.hbm_total == 1ull << 30);
	CHECK(!xetile_device_get_info(xetile_device_sub_device(root, 1), &info));
	CHECK(info.num_eus == 128 && info.num_cslices == 1);
	xetile_platform_close(p);
	return true;
}

/* S80 S82 S83 S102 S105 C13: a card is parted into tiles, a tile into slices. */
static bool check_partition(void)
{
	struct xetile_device *root, *tile, *subs[4];
	struct xetile_device_info info;
	struct xetile_platform *p;

	fake_start(2, 4);
	CHECK(!fake_platform(1, NULL, &p));
	root = xetile_platform_device(p, 0);
	CHECK(!xetile_device_get_info(root, &info));
	CHECK(info.partitions == XETILE_PARTITION_NUMA && !info.partitioned_by);
	CHECK(!strcmp(info.name, "Data Center GPU Max 1550") && info.numa_node == -1);
	CHECK(xetile_device_partition(root, XETILE_PARTITION_NUMA, subs, 4) == 2);
	tile = subs[1];
	CHECK(tile == xetile_device_sub_device(root, 1));
	CHECK(xetile_device_partition(root, XETILE_PARTITION_CSLICE, subs, 4) == -EOPNOTSUPP);
	CHECK_TEXT("not supported: a card is parted by affinity domain before");
	CHECK(!xetile_device_get_info(tile, &info));
	CHECK(info.partitions == XETILE_PARTITION_CSLICE &&
	      info.partitioned_by == XETILE_PARTITION_NUMA);
	CHECK(xetile_device_partition(tile, XETILE_PARTITION_NUMA, NULL, 0) == -EOPNOTSUPP);
	CHECK(xetile_device_partition(tile, XETILE_PARTITION_CSLICE, subs, 2) == 4);
	CHECK(subs[0] == xetile_device_sub_device(tile, 0));
	CHECK(!xetile_device_get_info(subs[1], &info));
	CHECK(!info.partitions && info.partitioned_by == XETILE_PARTITION_CSLICE);
	CHECK(xetile_device_partition(subs[1], XETILE_PARTITION_CSLICE, NULL, 0) == -EOPNOTSUPP);
	CHECK(xetile_device_partition(tile, 3, NULL, 0) == -EINVAL);
	CHECK(xetile_device_partition(tile, 4, NULL, 0) == -EINVAL);
	xetile_platform_close(p);
	/* In mode 1 there is nothing to part a tile into. */
	fake_start(1, 1);
	CHECK(!fake_platform(1, NULL, &p));
	tile = xetile_device_sub_device(xetile_platform_device(p, 0), 0);
	CHECK(xetile_device_partition(tile, XETILE_PARTITION_CSLICE, NULL, 0) == -EOPNOTSUPP);
	CHECK_TEXT("one compute engine only");
	xetile_platform_close(p);
	return true;
}

static bool check_bad_environment(void)
{
	static const struct xt_env bad[] = {
		{ .affinity = "0," }, { .hierarchy = "TREE" }, { .scaling = "yes" },
		{ .scaling_compat = "2" }, { .ccs = "0" }, { .storage_policy = "3" },
		{ .storage_granularity = "100" },
	};
	struct xetile_platform *p;
	unsigned int i;

	fake_start(2, 1);
	for (i = 0; i < ARRAY_SIZE(bad); i++)
		CHECK(fake_platform(1, &bad[i], &p) == -EINVAL, "%u", i);
	fake.tiles = 5;
	CHECK(fake_platform(1, NULL, &p) == -EIO);
	CHECK_TEXT("makes no sense");
	fake_start(2, 0);
	CHECK(fake_platform(1, NULL, &p) == -EIO);
	return true;
}

/* --- nodes ------------------------------------------------------------------------------ */

/* The devices of all drivers: the driver xetile has the devices from number @first on. */
static struct {
	unsigned int num, first, grows;
	drmPciBusInfo bus[256];
	drmDevice device[256];
} machine;

static char node_name[] = "/fake/0";

/* The next two functions take the place of libdrm's functions. */
int drmGetDevices2(uint32_t flags, drmDevicePtr devices[], int max)
{
	static char *names[DRM_NODE_MAX] = { node_name, node_name, node_name };
	unsigned int i;

	if (!machine.num)
		return -ENOENT;
	for (i = 0; devices && i < machine.num && (int)i < max; i++) {
		machine.bus[i] = (drmPciBusInfo){ .bus = i & 0xff };
		machine.device[i] = (drmDevice){
			.nodes = names, .bustype = flags ? DRM_BUS_USB : DRM_BUS_PCI,
			.available_nodes = 1 << DRM_NODE_RENDER,
			.businfo.pci = &machine.bus[i],
		};
		devices[i] = &machine.device[i];
	}
	machine.num += machine.grows;
	return machine.num;
}

void drmFreeDevices(drmDevicePtr devices[], int count)
{
	memset(devices, 0, count * sizeof(*devices));
}

/* Takes the place of libc's readlink(): tells the driver of a device, as a link in sysfs does. */
ssize_t readlink(const char *path, char *to, size_t size)
{
	unsigned int bus;

	if (sscanf(path, "/sys/bus/pci/devices/0000:%x:00.0/driver", &bus) != 1)
		return -1;
	snprintf(to, size, "../../%s", bus >= machine.first ? "xetile" : "other");
	return strlen(to);
}

static bool check_nodes(void)
{
	static const struct { unsigned int num, first, grows, cards; } rows[] = {
		{ 0, 0, 0, 0 }, { 1, 0, 0, 1 }, { 100, 99, 0, 1 }, { 100, 98, 0, 2 },
		{ 70, 70, 0, 0 }, { 10, 8, 3, 5 }, { 80, 10, 0, 64 },
	};
	struct xetile_platform *p;
	unsigned int i, found;

	unsetenv("ZE_AFFINITY_MASK");
	unsetenv("ZE_FLAT_DEVICE_HIERARCHY");
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		fake_start(1, 1);
		machine.num = rows[i].num;
		machine.first = rows[i].first;
		machine.grows = rows[i].grows;
		CHECK(!xetile_platform_open(&p), "%s", xetile_last_error());
		found = xetile_platform_num_devices(p);
		xetile_platform_close(p);
		CHECK(found == rows[i].cards, "row %u: %u cards", i, found);
	}
	return true;
}

/* --- CCS mode --------------------------------------------------------------------------- */

static void put_file(const char *dir, const char *name, const char *text)
{
	char path[600];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	file = fopen(path, "w");
	if (file) {
		fputs(text, file);
		fclose(file);
	}
}

/* A file that can be opened and read, but not written */
static bool refusing_file(const char *dir, const char *name, const char *text)
{
	char path[256], link[64];
	int fd = memfd_create("refusing", MFD_ALLOW_SEALING);

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	return fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text) &&
	       !fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE) && !unlink(path) && !symlink(link, path);
}

/* Files of an ordinary directory stand for those of sysfs. */
static bool check_mode(void)
{
	struct xt_node node = { .pci = "0000:01:00.0", .node = "/fake/0" };
	const struct xt_env env = { 0 }, wish = { .ccs = "0:4" };
	struct xetile_context *context;
	struct xetile_device *device;
	struct xetile_platform *p;
	char command[256];

	strcpy(node.sysfs, "/tmp/xetile-test-XXXXXX");
	CHECK(mkdtemp(node.sysfs));
	snprintf(command, sizeof(command), "mkdir -p %s/tile0/gt0 %s/tile1/gt0", node.sysfs,
		 node.sysfs);
	CHECK(!system(command));
	put_file(node.sysfs, "tile0/gt0/ccs_mode", "1\n");
	put_file(node.sysfs, "tile1/gt0/ccs_mode", "2\n");
	fake_start(2, 1);
	CHECK(!xt_platform_build(&node, 1, &env, &p));
	CHECK(!xetile_platform_select(p, "0", &device));
	CHECK(xetile_device_get_ccs_mode(device) == 1);
	CHECK(!xetile_device_set_ccs_mode(device, 4, 0), "%s", xetile_last_error());
	CHECK(xetile_device_get_ccs_mode(device) == 4);
	device = xetile_device_sub_device(device, 1);
	CHECK(xetile_device_get_ccs_mode(device) == 4);
	CHECK(!xetile_device_set_ccs_mode(device, 2, -1));
	device = xetile_device_parent(device);
	CHECK(xetile_device_get_ccs_mode(device) == 4);
	/* A tile that cannot be read: nothing is changed. */
	put_file(node.sysfs, "tile1/gt0/ccs_mode", "many\n");
	CHECK(xetile_device_set_ccs_mode(device, 1, 0) == -EIO);
	CHECK_TEXT("reads 'many");
	CHECK(xetile_device_get_ccs_mode(device) == 4);
	xetile_platform_close(p);

	/* S95: opening the card puts it into the mode that ZEX_NUMBER_OF_CCS names. */
	put_file(node.sysfs, "tile0/gt0/ccs_mode", "1\n");
	put_file(node.sysfs, "tile1/gt0/ccs_mode", "4\n");
	CHECK(!xt_platform_build(&node, 1, &wish, &p));
	CHECK(!xetile_platform_select(p, "0", &device));
	CHECK(!xetile_context_create(device, &context), "%s", xetile_last_error());
	CHECK(xetile_device_get_ccs_mode(device) == 4);
	xetile_context_destroy(context);

	/* A tile that refuses: the others are put back. */
	put_file(node.sysfs, "tile0/gt0/ccs_mode", "1\n");
	CHECK(refusing_file(node.sysfs, "tile1/gt0/ccs_mode", "2\n"));
	CHECK(xetile_context_create(device, &context) == -EPERM);
	CHECK_TEXT("ZEX_NUMBER_OF_CCS");
	CHECK(xetile_device_get_ccs_mode(device) == 1);
	CHECK(!fake_leaks());
	snprintf(command, sizeof(command), "rm -r %s", node.sysfs);
	CHECK(!system(command));
	CHECK(xetile_device_get_ccs_mode(device) == -ENOENT);
	CHECK(xetile_context_create(device, &context) == -ENOENT);
	CHECK_TEXT("ZEX_NUMBER_OF_CCS");
	xetile_platform_close(p);
	return true;
}

/*
 * S95 S91 W5: with a driver whose queues have modes of their own the devices are those of the mode
 * that ZEX_NUMBER_OF_CCS names, and no file of sysfs, of which there is none here, is written.
 */
static bool check_own_mode(void)
{
	struct xt_node node = { .pci = "0000:01:00.0", .node = "/fake/0", .sysfs = "/nowhere" };
	const struct xt_env wish = { .ccs = "0:2" }, wrong = { .ccs = "0:2", .affinity = "0.1.1" };
	const struct xetile_queue_desc compute = { 0 }, copy = { .engine_class = XETILE_COPY };
	struct xetile_context *context;
	struct xetile_device_info info;
	struct xetile_device *device;
	struct xetile_queue *queue;
	struct xetile_platform *p;

	fake_start(2, 1);
	fake.caps |= DRM_XETILE_CAP_CCS_MODE;
	CHECK(!xt_platform_build(&node, 1, &wish, &p));
	CHECK(!xetile_platform_select(p, "0.1.1", &device), "%s", xetile_last_error());
	CHECK(!xetile_device_get_info(device, &info));
	CHECK(info.kind == XETILE_DEVICE_CSLICE && info.ccs_mode == 2 && info.num_eus == 256);
	CHECK(xetile_platform_select(p, "0.1.2", &device) == -ENODEV);
	CHECK(!xetile_context_create(device, &context), "%s", xetile_last_error());
	CHECK(!xetile_queue_create(context, device, &compute, &queue), "%s", xetile_last_error());
	CHECK(fake.last_queue.ccs_mode == 2 && fake.last_queue.cslice == 1 &&
	      fake.last_queue.target == DRM_XETILE_TARGET_CSLICE);
	xetile_queue_destroy(queue);
	CHECK(!xetile_platform_select(p, "0", &device));
	CHECK(!xetile_queue_create(context, device, &compute, &queue));
	CHECK(fake.last_queue.ccs_mode == 2 && fake.last_queue.target == DRM_XETILE_TARGET_ROOT);
	xetile_queue_destroy(queue);
	CHECK(!xetile_queue_create(context, device, &copy, &queue));
	CHECK(!fake.last_queue.ccs_mode);
	xetile_queue_destroy(queue);
	xetile_context_destroy(context);
	xetile_platform_close(p);

	/* The second command of seed 002: the mask names a slice that only the wish makes. */
	CHECK(!xt_platform_build(&node, 1, &wrong, &p));
	CHECK(!xetile_platform_select(p, "0.1.1", &device), "%s", xetile_last_error());
	CHECK(xetile_platform_select(p, "0.1.0", &device) == -ENODEV);
	/* A slice is as large as without a mask. */
	CHECK(!xetile_platform_select(p, "0.1.1", &device));
	CHECK(!xetile_device_get_info(device, &info));
	CHECK(info.kind == XETILE_DEVICE_CSLICE && info.num_eus == 256, "%u", info.num_eus);
	xetile_platform_close(p);

	/* A mode that the tiles do not have */
	fake.ccs_modes = 0x2;
	CHECK(!xt_platform_build(&node, 1, &wish, &p));
	CHECK(!xetile_platform_select(p, "0", &device));
	CHECK(xetile_context_create(device, &context) == -EINVAL);
	CHECK_TEXT("has no mode 2");
	xetile_platform_close(p);
	CHECK(!fake_leaks());
	return true;
}

/* The modes of the tiles 0.0 and 1.0 of two cards; 0: hidden */
static bool modes_are(const char *affinity, const char *hierarchy, const char *ccs, uint32_t first,
		      uint32_t second)
{
	const struct xt_env env = { .affinity = affinity, .hierarchy = hierarchy, .ccs = ccs };
	const char *const names[] = { "0.0", "1.0" };
	const uint32_t want[] = { first, second };
	struct xetile_device_info info;
	struct xetile_device *device;
	struct xetile_platform *p;
	unsigned int i;

	CHECK(!fake_platform(2, &env, &p), "%s", xetile_last_error());
	for (i = 0; i < 2; i++) {
		info.ccs_mode = 0;
		if (!xetile_platform_select(p, names[i], &device))
			CHECK(!xetile_device_get_info(device, &info));
		CHECK(info.ccs_mode == want[i], "mask %s, wishes %s: card %u has mode %u",
		      affinity ? affinity : "none", ccs, i, info.ccs_mode);
	}
	xetile_platform_close(p);
	return true;
}

/* S95: the numbers of ZEX_NUMBER_OF_CCS are those after masking, as for Intel's runtime. */
static bool check_wish_numbers(void)
{
	const struct xt_env none = { .ccs = "2:4" }, masked = { .ccs = "1:4", .affinity = "1" };
	struct xetile_platform *p;

	fake_start(2, 1);
	fake.caps |= DRM_XETILE_CAP_CCS_MODE;
	CHECK(modes_are(NULL, NULL, "1:2", 1, 2) && modes_are("1", NULL, "0:4", 0, 4));
	CHECK(modes_are("1.0.1", NULL, "0:4", 0, 4) && modes_are("1,0", NULL, "0:4,1:2", 4, 2));
	CHECK(modes_are("2", "FLAT", "0:2", 0, 2) && modes_are("0,2", "FLAT", "1:2", 1, 2));
	CHECK(modes_are("0.9,1", NULL, "0:4", 0, 4));
	CHECK(fake_platform(2, &none, &p) == -EINVAL);
	CHECK_TEXT("there is no card 2: the machine leaves 2");
	CHECK(fake_platform(2, &masked, &p) == -EINVAL);
	CHECK_TEXT("there is no card 1: ZE_AFFINITY_MASK leaves 1");
	CHECK(!fake_platform(0, &none, &p));
	xetile_platform_close(p);
	return true;
}

/* W17: a queue borrows idle slices only if it asks for that, of a driver that lends them. */
static bool check_borrow(void)
{
	struct xetile_queue_desc desc = { .flags = XETILE_QUEUE_BORROW };
	struct xetile_context *context;
	struct xetile_device *device;
	struct xetile_queue *queue;
	struct xetile_platform *p;

	fake_start(2, 1);
	CHECK(!fake_platform(1, NULL, &p));
	CHECK(!xetile_platform_select(p, "0", &device));
	CHECK(!xetile_context_create(device, &context));
	CHECK(xetile_queue_create(context, device, &desc, &queue) == -EOPNOTSUPP);
	CHECK_TEXT("lends no slices");
	xetile_context_destroy(context);
	xetile_platform_close(p);

	fake.caps |= DRM_XETILE_CAP_BORROW;
	CHECK(!fake_platform(1, NULL, &p));
	CHECK(!xetile_platform_select(p, "0", &device));
	CHECK(!xetile_context_create(device, &context));
	CHECK(!xetile_queue_create(context, device, &desc, &queue), "%s", xetile_last_error());
	CHECK(fake.last_queue.flags == DRM_XETILE_QUEUE_BORROW);
	xetile_queue_destroy(queue);
	CHECK(!xetile_queue_create(context, device, NULL, &queue));
	CHECK(!fake.last_queue.flags);
	xetile_queue_destroy(queue);
	desc.priority = 1;
	CHECK(xetile_queue_create(context, device, &desc, &queue) == -EINVAL);
	CHECK_TEXT("can borrow");
	desc = (struct xetile_queue_desc) {
		.engine_class = XETILE_COPY, .flags = XETILE_QUEUE_BORROW,
	};
	CHECK(xetile_queue_create(context, device, &desc, &queue) == -EINVAL);
	desc = (struct xetile_queue_desc) { .flags = 1u << 31 };
	CHECK(xetile_queue_create(context, device, &desc, &queue) == -EINVAL);
	CHECK_TEXT("unknown flags 0x80000000");
	xetile_context_destroy(context);
	xetile_platform_close(p);
	CHECK(!fake_leaks());
	return true;
}

/* Batches are run again only of queues that ask for it, of a driver that does so. */
static bool check_replay(void)
{
	struct xetile_queue_desc desc = {
		.engine_class = XETILE_COPY, .flags = XETILE_QUEUE_REPLAY,
	};
	struct xetile_context *context;
	struct xetile_device *device;
	struct xetile_queue *queue;
	struct xetile_platform *p;

	fake_start(2, 1);
	fake.caps |= DRM_XETILE_CAP_BORROW;
	CHECK(!fake_platform(1, NULL, &p));
	CHECK(!xetile_platform_select(p, "0", &device));
	CHECK(!xetile_context_create(device, &context));
	CHECK(xetile_queue_create(context, device, &desc, &queue) == -EOPNOTSUPP);
	CHECK_TEXT("runs no batch again");
	xetile_context_destroy(context);
	xetile_platform_close(p);

	fake.caps |= DRM_XETILE_CAP_REPLAY;
	CHECK(!fake_platform(1, NULL, &p));
	CHECK(!xetile_platform_select(p, "0", &device));
	CHECK(!xetile_context_create(device, &context));
	CHECK(!xetile_queue_create(context, device, &desc, &queue), "%s", xetile_last_error());
	CHECK(fake.last_queue.flags == DRM_XETILE_QUEUE_REPLAY);
	xetile_queue_destroy(queue);
	desc.engine_class = XETILE_COMPUTE;
	desc.flags |= XETILE_QUEUE_BORROW;
	CHECK(!xetile_queue_create(context, device, &desc, &queue), "%s", xetile_last_error());
	CHECK(fake.last_queue.flags == (DRM_XETILE_QUEUE_REPLAY | DRM_XETILE_QUEUE_BORROW));
	xetile_queue_destroy(queue);
	xetile_context_destroy(context);
	xetile_platform_close(p);
	CHECK(!fake_leaks());
	return true;
}

int main(void)
{
	test_run("S36 S37 S66 S67 S79 S102: cards, tiles and cslices", check_trees());
	test_run("S91 S104: devices that the affinity mask leaves", check_affinity());
	test_run("C11: hierarchies", check_hierarchies());
	test_run("C11: numbers in flat hierarchy", check_flat_numbers());
	test_run("C11: numbers behind a card that does not answer", check_silent_card());
	test_run("C11: numbers behind a card that may not be opened", check_barred_card());
	test_run("C11: parents", check_parents());
	test_run("C14: devices by selector", check_select());
	test_run("C14: cards by their names, and the default", check_names());
	test_run("S51 S52 S53 S84 S85 S86: descriptions of devices", check_info());
	test_run("S104: descriptions under a mask", check_masked_info());
	test_run("S80 S82 S83 S102 S105 C13: parts of devices", check_partition());
	test_run("bad environment and bad answers are refused", check_bad_environment());
	test_run("cards among many devices of other drivers", check_nodes());
	test_run("S66 S67 S95: CCS mode", check_mode());
	test_run("S95 S91 W5: a CCS mode of the process's own", check_own_mode());
	test_run("S95: the numbers of ZEX_NUMBER_OF_CCS", check_wish_numbers());
	test_run("W17: queues that borrow idle slices", check_borrow());
	test_run("W16: queues whose batches can run again", check_replay());
	return test_end();
}
