// SPDX-License-Identifier: MIT
/*
 * A monitor, with a folder of devices that the test makes, and messages that it makes the monitor
 * receive: recvmsg() is wrapped. Their form is that of the kernel's.
 */
#include "monitor.h"

#include <errno.h>
#include <linux/netlink.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "test.h"

#define PATH	"/devices/pci0000:00/0000:00:03.0/0000:03:00.0"

/* --- what is received ---------------------------------------------------------------- */

static struct {
	const char *text;
	size_t len;
	struct sockaddr_nl from;
	int flags;
	int error;			/* instead of a message */
} inbox[8];
static unsigned int num_in, next_in;
/* The last message over and over */
static bool endless;
static unsigned int calls;

ssize_t __real_recvmsg(int fd, struct msghdr *message, int flags);
ssize_t __wrap_recvmsg(int fd, struct msghdr *message, int flags);
ssize_t __wrap_recvmsg(int fd, struct msghdr *message, int flags)
{
	unsigned int i = next_in;

	if (fd < 0 || !(flags & MSG_DONTWAIT) || ++calls > 100000)
		abort();
	if (i == num_in) {
		errno = EAGAIN;
		return -1;
	}
	if (!endless)
		next_in++;
	if (inbox[i].error) {
		errno = inbox[i].error;
		return -1;
	}
	memcpy(message->msg_name, &inbox[i].from, sizeof(inbox[i].from));
	message->msg_namelen = sizeof(inbox[i].from);
	message->msg_flags = inbox[i].flags;
	memset(message->msg_iov->iov_base, 'x', message->msg_iov->iov_len);
	memcpy(message->msg_iov->iov_base, inbox[i].text, inbox[i].len);
	return inbox[i].len;
}

static void put(const char *text, size_t len)
{
	if (next_in == num_in)
		num_in = next_in = 0;
	memset(&inbox[num_in], 0, sizeof(inbox[0]));
	inbox[num_in].from = (struct sockaddr_nl) { .nl_family = AF_NETLINK, .nl_groups = 1 };
	inbox[num_in].text = text;
	inbox[num_in++].len = len;
}

static void put_error(int error)
{
	put("", 0);
	inbox[num_in - 1].error = error;
}

/* A literal has the last string's zero. */
#define PUT(text)	put(text, sizeof(text))
#define DRM(action, path, more)							\
	PUT(action "@" path "\0ACTION=" action "\0DEVPATH=" path "\0SUBSYSTEM=drm\0" more "SEQNUM=7")
#define PCI(action, driver, slot, more)						\
	PUT(action "@" PATH "\0ACTION=" action "\0DEVPATH=" PATH "\0SUBSYSTEM=pci\0"	\
	    "DRIVER=" driver "\0PCI_SLOT_NAME=" slot "\0" more "SEQNUM=8")

/* --- the machine --------------------------------------------------------------------- */

static char top[64];

/* A device with a driver */
static bool plug(const char *pci, const char *driver)
{
	char path[128], link[64];

	snprintf(path, sizeof(path), "%s/%s", top, pci);
	CHECK(!mkdir(path, 0700));
	snprintf(path, sizeof(path), "%s/%s/driver", top, pci);
	snprintf(link, sizeof(link), "../../../bus/pci/drivers/%s", driver);
	CHECK(!symlink(link, path));
	return true;
}

static void unplug(const char *pci)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%s/driver", top, pci);
	unlink(path);
	snprintf(path, sizeof(path), "%s/%s", top, pci);
	rmdir(path);
}

/* Card 03 of the driver, and 04 of another one's */
static bool machine_open(struct xetile_monitor **monitor)
{
	num_in = next_in = 0;
	endless = false;
	snprintf(top, sizeof(top), "/tmp/xetile-monitor-XXXXXX");
	CHECK(mkdtemp(top));
	CHECK(plug("0000:03:00.0", "xetile") && plug("0000:04:00.0", "xe"));
	CHECK(!xt_monitor_build(dup(0), top, monitor), "%s", xetile_last_error());
	return true;
}

static bool machine_close(struct xetile_monitor *monitor)
{
	xetile_monitor_close(monitor);
	unplug("0000:03:00.0");
	unplug("0000:04:00.0");
	unplug("0000:05:00.0");
	CHECK(!rmdir(top));
	return true;
}

/* The next change, and that there is no other */
static bool one(struct xetile_monitor *monitor, enum xetile_change_kind kind, const char *pci)
{
	struct xetile_change change;

	CHECK(xetile_monitor_read(monitor, &change) == 1, "not %d of %s", kind, pci);
	CHECK(change.kind == kind && !strcmp(change.pci, pci), "%d of %s, not %d of %s",
	      change.kind, change.pci, kind, pci);
	CHECK(!xetile_monitor_read(monitor, &change), "%d of %s", change.kind, change.pci);
	return true;
}

static bool none(struct xetile_monitor *monitor)
{
	struct xetile_change change;
	int ret = xetile_monitor_read(monitor, &change);

	CHECK(!ret, "%d, %d of %s", ret, change.kind, change.pci);
	return true;
}

/* --- tests --------------------------------------------------------------------------- */

static bool check_plug(void)
{
	struct xetile_monitor *monitor;

	if (!machine_open(&monitor))
		return false;
	CHECK(none(monitor));
	/* The other node, a connector, and what is below a card's own folders */
	DRM("remove", PATH "/drm/renderD128", "");
	DRM("remove", PATH "/drm/card0/card0-DP-1", "");
	DRM("remove", PATH "/drm/card", "");
	CHECK(none(monitor));
	unplug("0000:03:00.0");
	DRM("remove", PATH "/drm/card0", "DEVNAME=dri/card0\0DEVTYPE=drm_minor\0");
	CHECK(one(monitor, XETILE_CHANGE_WENT, "0000:03:00.0"));
	DRM("remove", PATH "/drm/card0", "");
	CHECK(none(monitor));
	/* It comes back with the driver, and goes again; a card that has gone since never came. */
	DRM("add", PATH "/drm/card0", "");
	CHECK(none(monitor));
	CHECK(plug("0000:03:00.0", "xetile"));
	DRM("add", PATH "/drm/card0", "");
	CHECK(one(monitor, XETILE_CHANGE_CAME, "0000:03:00.0"));
	DRM("remove", PATH "/drm/card1", "");
	DRM("add", PATH "/drm/card2", "");
	CHECK(xetile_monitor_read(monitor, &(struct xetile_change) { 0 }) == 1);
	CHECK(one(monitor, XETILE_CHANGE_CAME, "0000:03:00.0"));
	/* A card that is new */
	CHECK(plug("0000:05:00.0", "xetile"));
	DRM("add", "/devices/pci0000:00/0000:05:00.0/drm/card12", "");
	CHECK(one(monitor, XETILE_CHANGE_CAME, "0000:05:00.0"));
	DRM("remove", "/devices/pci0000:00/0000:05:00.0/drm/card12", "");
	CHECK(one(monitor, XETILE_CHANGE_WENT, "0000:05:00.0"));
	return machine_close(monitor);
}

static bool check_others(void)
{
	struct xetile_monitor *monitor;

	if (!machine_open(&monitor))
		return false;
	DRM("add", "/devices/pci0000:00/0000:04:00.0/drm/card1", "");
	DRM("remove", "/devices/pci0000:00/0000:04:00.0/drm/card1", "");
	DRM("change", "/devices/pci0000:00/0000:04:00.0/drm/card1", "WEDGED=rebind\0");
	DRM("add", "/devices/faux/vgem/drm/card1", "");
	DRM("add", "/devices/a-name-that-is-longer-than-any-address/drm/card1", "");
	DRM("add", "/drm/card1", "");
	CHECK(none(monitor));
	PUT("remove@" PATH "\0ACTION=remove\0DEVPATH=" PATH "/drm/card0\0SUBSYSTEM=net\0SEQNUM=1");
	PCI("change", "xe", "0000:04:00.0", "WEDGED=rebind,bus-reset\0");
	PCI("bind", "xetile", "0000:03:00.0", "");
	CHECK(none(monitor));
	return machine_close(monitor);
}

static bool check_wedge(void)
{
	struct xetile_monitor *monitor;

	if (!machine_open(&monitor))
		return false;
	DRM("change", PATH "/drm/card0", "WEDGED=rebind,bus-reset\0DEVNAME=dri/card0\0");
	CHECK(one(monitor, XETILE_CHANGE_WEDGED, "0000:03:00.0"));
	DRM("change", PATH "/drm/card0", "WEDGED=none\0");
	DRM("change", PATH "/drm/card0", "XETILE_BANNED=timeout\0XETILE_PROCESS=5\0");
	CHECK(none(monitor));
	/* A reset without a card after it: the DRM device has gone. */
	DRM("remove", PATH "/drm/card0", "");
	CHECK(one(monitor, XETILE_CHANGE_WENT, "0000:03:00.0"));
	PCI("change", "xetile", "0000:03:00.0", "WEDGED=rebind,bus-reset\0");
	CHECK(one(monitor, XETILE_CHANGE_WEDGED, "0000:03:00.0"));
	PCI("change", "xetile", "0000:03:00.0", "XETILE_TILE=0\0XETILE_CCS_MODE=2\0");
	PCI("unbind", "xetile", "0000:03:00.0", "WEDGED=rebind\0");
	CHECK(none(monitor));
	return machine_close(monitor);
}

/* Only what the kernel sends counts, and only what has happened. */
static bool check_forged(void)
{
	static const char unended[] =
		"remove@x\0ACTION=remove\0DEVPATH=" PATH "/drm/card0\0SUBSYSTEM=drm";
	struct xetile_monitor *monitor;

	if (!machine_open(&monitor))
		return false;
	DRM("remove", PATH "/drm/card0", "");
	inbox[num_in - 1].from.nl_pid = 4711;
	CHECK(none(monitor));
	DRM("remove", PATH "/drm/card0", "");
	inbox[num_in - 1].from.nl_groups = 0;
	CHECK(none(monitor));
	DRM("remove", PATH "/drm/card0", "");
	inbox[num_in - 1].from.nl_family = AF_UNIX;
	CHECK(none(monitor));
	DRM("remove", PATH "/drm/card0", "SYNTH_UUID=0\0");
	DRM("add", PATH "/drm/card0", "SYNTH_UUID=0\0");
	CHECK(none(monitor));
	/* What a driver adds cannot say what the kernel has said otherwise. */
	DRM("change", PATH "/drm/card0", "ACTION=remove\0");
	CHECK(none(monitor));
	/* Nothing, no end, no key */
	put("", 0);
	put("remove@x", 8);
	put("remove@x\0ACTION=remove\0SUBSYSTEM=drm\0DEVPATH=" PATH "/drm/card", 37);
	put("\0\0\0\0", 4);
	CHECK(none(monitor));
	/* The last string has no zero. */
	put(unended, sizeof(unended) - 1);
	CHECK(one(monitor, XETILE_CHANGE_WENT, "0000:03:00.0"));
	return machine_close(monitor);
}

/* Messages are lost: the cards are looked at again, by the caller and by the monitor. */
static bool check_lost(void)
{
	struct xetile_monitor *monitor;
	struct xetile_change change;

	if (!machine_open(&monitor))
		return false;
	/* What is in the socket is older than the list that is made after a loss. */
	put_error(ENOBUFS);
	DRM("remove", PATH "/drm/card0", "");
	CHECK(one(monitor, XETILE_CHANGE_LOST, ""));
	CHECK(none(monitor));
	DRM("remove", PATH "/drm/card0", "");
	CHECK(one(monitor, XETILE_CHANGE_WENT, "0000:03:00.0"));
	CHECK(plug("0000:05:00.0", "xetile"));
	unplug("0000:03:00.0");
	put_error(ENOBUFS);
	CHECK(one(monitor, XETILE_CHANGE_LOST, ""));
	DRM("remove", PATH "/drm/card0", "");
	DRM("remove", "/devices/pci0000:00/0000:05:00.0/drm/card1", "");
	CHECK(one(monitor, XETILE_CHANGE_WENT, "0000:05:00.0"));
	DRM("remove", PATH "/drm/card0", "");
	inbox[num_in - 1].flags = MSG_TRUNC;
	CHECK(one(monitor, XETILE_CHANGE_LOST, ""));

	put_error(EINTR);
	CHECK(none(monitor));
	put_error(ENOMEM);
	CHECK(xetile_monitor_read(monitor, &change) == -ENOMEM);
	CHECK_TEXT("cannot receive an event");
	/* Messages of others without an end do not keep the caller. */
	DRM("add", "/devices/faux/vgem/drm/card1", "");
	endless = true;
	CHECK(none(monitor));
	return machine_close(monitor);
}

static bool check_open(void)
{
	struct xetile_monitor *monitor;
	struct pollfd pfd = { .events = POLLIN };

	CHECK(xt_monitor_build(dup(0), "/nowhere", &monitor) == -ENOENT);
	CHECK_TEXT("/nowhere");
	xetile_monitor_close(NULL);
	/* The machine's own */
	CHECK(!xetile_monitor_open(&monitor), "%s", xetile_last_error());
	pfd.fd = xetile_monitor_fd(monitor);
	CHECK(poll(&pfd, 1, 0) >= 0 && !(pfd.revents & (POLLERR | POLLNVAL)));
	xetile_monitor_close(monitor);
	return true;
}

int main(void)
{
	test_run("cards come and go", check_plug());
	test_run("cards of others do not count", check_others());
	test_run("a card is wedged", check_wedge());
	test_run("only the kernel's messages count, of what has happened", check_forged());
	test_run("lost messages are told", check_lost());
	test_run("a monitor of the machine", check_open());
	return test_end();
}
