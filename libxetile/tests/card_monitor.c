// SPDX-License-Identifier: MIT
/*
 * Handles of the driver on a card, and a card that goes and comes, through the public header only.
 * The program unbinds the first card from the driver and binds it again, as root.
 *
 * Exit status: 0 when all tests passed, 1 when a test failed, 77 when there is no card.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <xetile.h>

#include "test.h"

#define MS	60000
#define PAGE	((uint64_t)XETILE_COLOR_PAGE)
#define DRIVER	"/sys/bus/pci/drivers/xetile/"

unsigned int test_passed, test_failed;

static struct xetile_monitor *monitor;
static struct xetile_device_info info;

static bool all_bytes(const void *map, uint8_t value)
{
	const uint8_t *bytes = map;
	unsigned int i;

	for (i = 0; i < PAGE && bytes[i] == value; i++)
		;
	return i == PAGE;
}

/*
 * Two contexts in one file and one VM, of which one is as a program that makes ioctls: the other's
 * objects are made of its handles.
 */
static bool check_handles(void)
{
	struct xetile_queue_desc copies = { .engine_class = XETILE_COPY };
	struct xetile_vm_desc mine = { .start = 1ull << 40, .size = 1ull << 30 };
	struct xetile_vm_desc theirs = { .start = 1ull << 41, .size = 1ull << 30 };
	struct xetile_mem_desc desc = { .size = PAGE };
	struct xetile_context *own, *other;
	struct xetile_queue *queue, *borrowed;
	struct xetile_event *event, *again;
	struct xetile_mem *mem, *lent;
	struct xetile_platform *platform;
	struct xetile_device *root;
	uint32_t id, syncobj;
	void *map;
	int fd;

	CHECK(!xetile_platform_open(&platform), "%s", xetile_last_error());
	fd = open(info.node, O_RDWR | O_CLOEXEC);
	CHECK(!xetile_device_from_fd(platform, fd, &root), "%s", xetile_last_error());
	CHECK(!xetile_context_from_fd(root, fd, &mine, &own), "%s", xetile_last_error());
	close(fd);
	CHECK(!xetile_mem_alloc(own, root, &desc, &mem) && !xetile_mem_map(mem, &map));
	CHECK(!xetile_queue_create(own, root, &copies, &queue));
	CHECK(xetile_queue_ids(queue, &id, 1) == 1);

	theirs.vm_id = xetile_context_vm(own);
	CHECK(!xetile_context_from_fd(root, xetile_context_fd(own), &theirs, &other), "%s",
	      xetile_last_error());
	CHECK(!xetile_mem_from_handle(other, xetile_mem_handle(mem, NULL),
				      xetile_mem_address(mem), &lent), "%s", xetile_last_error());
	CHECK(xetile_mem_address(lent) == xetile_mem_address(mem));
	CHECK(!xetile_queue_from_id(other, root, XETILE_COPY, id, &borrowed), "%s",
	      xetile_last_error());
	CHECK(!xetile_fill(borrowed, lent, 0, PAGE, 0x5a, 0, NULL, &event), "%s",
	      xetile_last_error());
	CHECK(xetile_event_syncobjs(event, &syncobj, 1) == 1);
	CHECK(!xetile_event_from_syncobj(own, syncobj, &again));
	CHECK(!xetile_event_wait(again, MS), "%s", xetile_last_error());
	CHECK(all_bytes(map, 0x5a));
	xetile_event_destroy(again);
	CHECK(!xetile_event_status(event));
	xetile_event_destroy(event);
	xetile_mem_free(lent);
	/* The library maps it at another address. */
	CHECK(!xetile_mem_from_handle(other, xetile_mem_handle(mem, NULL), 0, &lent));
	CHECK(xetile_mem_address(lent) >= theirs.start);
	CHECK(!xetile_fill(borrowed, lent, 0, PAGE, 0x5b, 0, NULL, &event));
	CHECK(!xetile_event_wait(event, MS), "%s", xetile_last_error());
	CHECK(all_bytes(map, 0x5b));
	xetile_event_destroy(event);
	xetile_mem_free(lent);
	xetile_queue_destroy(borrowed);
	CHECK(xetile_queue_from_id(other, root, XETILE_COPY, 4711, &borrowed) == -ENOENT);
	CHECK(xetile_mem_from_handle(other, 4711, 0, &lent) == -ENOENT);
	xetile_context_destroy(other);

	/* What was borrowed is as before. */
	CHECK(!xetile_fill(queue, mem, 0, PAGE, 0x5c, 0, NULL, &event), "%s", xetile_last_error());
	CHECK(!xetile_event_wait(event, MS), "%s", xetile_last_error());
	CHECK(all_bytes(map, 0x5c));
	theirs.vm_id = 4711;
	CHECK(xetile_context_from_fd(root, xetile_context_fd(own), &theirs, &other) == -ENOENT);
	xetile_event_destroy(event);
	xetile_queue_destroy(queue);
	xetile_mem_free(mem);
	xetile_context_destroy(own);
	xetile_platform_close(platform);
	return true;
}

/* A message that says that the card has gone, from a process, which is root's even */
static bool check_forged(void)
{
	struct sockaddr_nl to;
	struct xetile_change change;
	socklen_t len = sizeof(to);
	char text[256];
	int fd = socket(AF_NETLINK, SOCK_DGRAM, NETLINK_KOBJECT_UEVENT), size;

	size = snprintf(text, sizeof(text),
			"remove@/x/%s/drm/card0%cACTION=remove%cDEVPATH=/x/%s/drm/card0%cSUBSYSTEM=drm",
			info.pci, 0, 0, info.pci, 0) + 1;
	CHECK(fd >= 0 && !getsockname(xetile_monitor_fd(monitor), (struct sockaddr *)&to, &len));
	CHECK(sendto(fd, text, size, 0, (struct sockaddr *)&to, sizeof(to)) == size, "%m");
	CHECK(!xetile_monitor_read(monitor, &change), "%d", change.kind);
	close(fd);
	return true;
}

/* Write the card's address into a file of the driver. */
static bool tell_driver(const char *name)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), DRIVER "%s", name);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	CHECK(fd >= 0, "%s: %m", path);
	CHECK(write(fd, info.pci, strlen(info.pci)) == (ssize_t)strlen(info.pci), "%s: %m", name);
	close(fd);
	return true;
}

/* The next change is this one of the card. */
static bool next_is(enum xetile_change_kind kind)
{
	struct pollfd pfd = { .fd = xetile_monitor_fd(monitor), .events = POLLIN };
	struct xetile_change change;
	int ret;

	while (!(ret = xetile_monitor_read(monitor, &change)))
		CHECK(poll(&pfd, 1, MS) == 1);
	CHECK(ret == 1 && change.kind == kind && !strcmp(change.pci, info.pci), "%d: %d of %s", ret,
	      change.kind, change.pci);
	return true;
}

static bool check_unplug(void)
{
	struct xetile_queue_desc copies = { .engine_class = XETILE_COPY };
	struct xetile_mem_desc desc = { .size = PAGE };
	struct xetile_platform *platform, *later;
	struct xetile_device_info gone;
	struct xetile_queue_info qinfo;
	struct xetile_device *root;
	struct xetile_context *context, *again;
	struct xetile_queue *queue, *more;
	struct xetile_event *event;
	struct xetile_mem *mem, *other;
	struct xetile_run run;

	CHECK(!xetile_platform_open(&platform) &&
	      !xetile_platform_select(platform, info.pci, &root));
	CHECK(!xetile_context_create(root, &context), "%s", xetile_last_error());
	CHECK(!xetile_mem_alloc(context, root, &desc, &mem));
	CHECK(!xetile_queue_create(context, root, &copies, &queue));
	CHECK(!xetile_fill(queue, mem, 0, PAGE, 1, 0, NULL, &event));
	CHECK(!xetile_event_wait(event, MS));
	CHECK(tell_driver("unbind") && next_is(XETILE_CHANGE_WENT));

	CHECK(xetile_device_get_info(root, &gone) < 0);
	CHECK(xetile_context_from_fd(root, xetile_context_fd(context), NULL, &again) == -ENODEV);
	CHECK(xetile_mem_alloc(context, root, &desc, &other) == -ENODEV, "%s", xetile_last_error());
	CHECK(xetile_mem_color(mem, &run, 1) == -ENODEV);
	CHECK(xetile_queue_create(context, root, &copies, &more) == -ENODEV);
	CHECK(xetile_queue_get_info(queue, &qinfo) == -ENODEV);
	CHECK(xetile_fill(queue, mem, 0, PAGE, 2, 0, NULL, NULL) == -ENODEV);
	xetile_event_destroy(event);
	xetile_queue_destroy(queue);
	xetile_mem_free(mem);
	xetile_context_destroy(context);

	CHECK(tell_driver("bind") && next_is(XETILE_CHANGE_CAME));
	CHECK(!xetile_platform_open(&later), "%s", xetile_last_error());
	CHECK(!xetile_platform_select(later, info.pci, &root), "%s", xetile_last_error());
	CHECK(!xetile_context_create(root, &context), "%s", xetile_last_error());
	CHECK(!xetile_mem_alloc(context, root, &desc, &mem), "%s", xetile_last_error());
	xetile_mem_free(mem);
	xetile_context_destroy(context);
	xetile_platform_close(later);
	xetile_platform_close(platform);
	return true;
}

int main(void)
{
	struct xetile_platform *platform;
	struct xetile_device *root;

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (xetile_monitor_open(&monitor)) {
		printf("FAIL no monitor: %s\n", xetile_last_error());
		return 1;
	}
	if (xetile_platform_open(&platform) || xetile_platform_select(platform, "0", &root) ||
	    xetile_device_get_info(root, &info)) {
		printf("skip: no card: %s\n", xetile_last_error());
		return 77;
	}
	xetile_platform_close(platform);
	test_run("objects of handles, and handles of objects", check_handles());
	test_run("a message that is not the kernel's does not count", check_forged());
	test_run("a card goes and comes: events, and -ENODEV", check_unplug());
	xetile_monitor_close(monitor);
	printf("libxetile's monitor on a card: %u passed, %u failed\n", test_passed, test_failed);
	return test_failed != 0;
}
