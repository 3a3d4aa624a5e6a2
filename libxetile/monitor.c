// SPDX-License-Identifier: MIT
/*
 * A monitor of cards. The kernel broadcasts a message for each event of a device, whose text is
 * "action@path" and then KEY=VALUE strings. Those of DRM devices name no driver, and when a removal
 * is read, sysfs no longer says whose the card was: so the monitor knows the addresses of the
 * driver's cards.
 */
#include "monitor.h"

#include <dirent.h>
#include <errno.h>
#include <linux/netlink.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "error.h"
#include "platform.h"
#include "util.h"

#define DEVICES		"/sys/bus/pci/devices"
/* The kernel's own group; another one has what udev makes of its messages. */
#define KERNEL_GROUP	1
/* More than any message has */
#define MESSAGE_BYTES	8192
/* Messages for one call: others of the machine must not keep the caller for ever. */
#define MAX_AT_ONCE	4096

struct xetile_monitor {
	int fd;
	char devices[64];
	unsigned int num_cards;
	char cards[XT_MAX_CARDS][16];	/* PCI addresses */
	bool stale;			/* they could not be read after a loss */
};

/* What a message says; NULL: nothing */
struct message {
	const char *action, *devpath, *subsystem, *driver, *slot, *wedged;
	bool synthetic;			/* somebody has asked for it, and nothing has happened */
};

/* --- cards that are known ----------------------------------------------------------- */

static bool is_card(const struct xetile_monitor *monitor, const char *pci)
{
	char path[sizeof(monitor->devices) + 20];

	snprintf(path, sizeof(path), "%s/%.15s", monitor->devices, pci);
	return xt_is_ours(path);
}

/* Returns the place of a card, or the number of all when it is not known. */
static unsigned int find(const struct xetile_monitor *monitor, const char *pci)
{
	unsigned int i = 0;

	while (i < monitor->num_cards && strcmp(monitor->cards[i], pci))
		i++;
	return i;
}

static bool knows(const struct xetile_monitor *monitor, const char *pci)
{
	return find(monitor, pci) < monitor->num_cards;
}

static void add(struct xetile_monitor *monitor, const char *pci)
{
	if (!knows(monitor, pci) && monitor->num_cards < XT_MAX_CARDS)
		snprintf(monitor->cards[monitor->num_cards++], sizeof(monitor->cards[0]),
			 "%.15s", pci);
}

static void forget(struct xetile_monitor *monitor, const char *pci)
{
	unsigned int i = find(monitor, pci);

	memcpy(monitor->cards[i], monitor->cards[--monitor->num_cards], sizeof(monitor->cards[i]));
}

/* Find the cards that there are now. */
static int scan(struct xetile_monitor *monitor)
{
	DIR *dir = opendir(monitor->devices);
	const struct dirent *entry;

	if (!dir)
		return xt_error(-errno, "cannot read %s: %m", monitor->devices);
	monitor->num_cards = 0;
	while ((entry = readdir(dir))) {
		if (strlen(entry->d_name) < sizeof(monitor->cards[0]) &&
		    is_card(monitor, entry->d_name))
			add(monitor, entry->d_name);
	}
	closedir(dir);
	return 0;
}

/* --- messages ------------------------------------------------------------------------- */

/*
 * Receive a message. The kernel's have the port 0, which no process can have; the kernel sends on
 * those of the machine's administrator (of CAP_SYS_ADMIN over the network) as its own. The user id
 * would say nothing more, and is another one for a process whose users are not the machine's. Returns the
 * number of bytes; 0: nobody's message; -EAGAIN: there is none; -ENOBUFS: some are lost; or another
 * negative errno. No error text is set.
 */
static ssize_t receive(int fd, char *text, size_t room)
{
	struct sockaddr_nl from = { 0 };
	struct iovec data = { text, room };
	struct msghdr message = {
		.msg_name = &from, .msg_namelen = sizeof(from), .msg_iov = &data, .msg_iovlen = 1,
	};
	ssize_t got;

	do {
		got = recvmsg(fd, &message, MSG_DONTWAIT);
	} while (got < 0 && errno == EINTR);
	if (got < 0)
		return -errno;
	if (message.msg_namelen != sizeof(from) || from.nl_family != AF_NETLINK || from.nl_pid ||
	    from.nl_groups != KERNEL_GROUP)
		return 0;
	return message.msg_flags & MSG_TRUNC ? -ENOBUFS : got;
}

/*
 * Until the socket is empty the kernel drops more, and does not tell; and what is in it is older than
 * the list of cards that is made next.
 */
static void drain(int fd, char *text)
{
	unsigned int i;

	for (i = 0; i < MAX_AT_ONCE && receive(fd, text, MESSAGE_BYTES) != -EAGAIN; i++)
		;
}

static const char *value(const char *string, const char *key)
{
	size_t len = strlen(key);

	return !strncmp(string, key, len) && string[len] == '=' ? string + len + 1 : NULL;
}

/* @text has a zero behind its @len bytes. */
static void parse(const char *text, size_t len, struct message *message)
{
	const struct {
		const char *key, **value;
	} keys[] = {
		{ "ACTION", &message->action }, { "DEVPATH", &message->devpath },
		{ "SUBSYSTEM", &message->subsystem }, { "DRIVER", &message->driver },
		{ "PCI_SLOT_NAME", &message->slot }, { "WEDGED", &message->wedged },
	};
	const char *string = text;
	unsigned int i;

	memset(message, 0, sizeof(*message));
	while ((string += strlen(string) + 1) < text + len) {
		message->synthetic |= value(string, "SYNTH_UUID") != NULL;
		for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
			/* The kernel's come first, and those of a driver behind them. */
			if (!*keys[i].value)
				*keys[i].value = value(string, keys[i].key);
		}
	}
}

/*
 * The address in ".../ADDRESS/drm/cardN". A card has another node, which comes before this one and
 * goes after it, and has connectors below.
 */
static bool card_address(const char *devpath, char pci[16])
{
	const char *end = strstr(devpath, "/drm/card"), *number, *start;

	if (!end)
		return false;
	number = end + strlen("/drm/card");
	if (!*number || number[strspn(number, "0123456789")])
		return false;
	for (start = end; start > devpath && start[-1] != '/'; start--)
		;
	if (end - start > 15)
		return false;
	memcpy(pci, start, end - start);
	pci[end - start] = 0;
	return true;
}

/* The kernel may also tell of a recovery that has succeeded. */
static bool is_wedge(const struct message *message)
{
	return !strcmp(message->action, "change") && message->wedged &&
	       strcmp(message->wedged, "none");
}

/* What happened to the DRM device of a card, or 0 */
static enum xetile_change_kind drm_change(struct xetile_monitor *monitor,
					  const struct message *message, const char *pci)
{
	if (!strcmp(message->action, "add") && is_card(monitor, pci)) {
		add(monitor, pci);
		return XETILE_CHANGE_CAME;
	}
	if (!knows(monitor, pci))
		return 0;
	if (!strcmp(message->action, "remove")) {
		forget(monitor, pci);
		return XETILE_CHANGE_WENT;
	}
	return is_wedge(message) ? XETILE_CHANGE_WEDGED : 0;
}

/* Returns whether a message tells of a change. */
static bool understand(struct xetile_monitor *monitor, const struct message *message,
		       struct xetile_change *change)
{
	memset(change, 0, sizeof(*change));
	if (!message->action || !message->devpath || !message->subsystem || message->synthetic)
		return false;
	if (!strcmp(message->subsystem, "drm") && card_address(message->devpath, change->pci))
		change->kind = drm_change(monitor, message, change->pci);
	/* The function of a card that did not come back from its reset tells of it. */
	if (!strcmp(message->subsystem, "pci") && message->slot && message->driver &&
	    !strcmp(message->driver, "xetile") && is_wedge(message)) {
		snprintf(change->pci, sizeof(change->pci), "%s", message->slot);
		change->kind = XETILE_CHANGE_WEDGED;
	}
	return change->kind;
}

static int read_change(struct xetile_monitor *monitor, struct xetile_change *change)
{
	char text[MESSAGE_BYTES + 1];
	struct message message;
	unsigned int i;
	ssize_t got;

	if (monitor->stale)
		monitor->stale = scan(monitor);
	for (i = 0; i < MAX_AT_ONCE; i++) {
		got = receive(monitor->fd, text, MESSAGE_BYTES);
		if (got == -EAGAIN)
			return 0;
		if (got == -ENOBUFS) {
			drain(monitor->fd, text);
			/* Without a new list the old one has to do until the next call. */
			monitor->stale = scan(monitor);
			*change = (struct xetile_change) { .kind = XETILE_CHANGE_LOST };
			return 1;
		}
		if (got < 0)
			return xt_error(got, "cannot receive an event: %s", strerror(-got));
		text[got] = 0;
		parse(text, got, &message);
		if (understand(monitor, &message, change))
			return 1;
	}
	return 0;
}

int (xetile_monitor_read)(struct xetile_monitor *monitor, struct xetile_change *change, size_t size)
{
	struct xetile_change next;
	int ret = read_change(monitor, &next);

	if (ret == 1)
		xt_answer(change, size, &next, sizeof(next));
	return ret;
}

/* --- opening -------------------------------------------------------------------------- */

int xt_monitor_build(int fd, const char *devices, struct xetile_monitor **out)
{
	struct xetile_monitor *monitor = calloc(1, sizeof(*monitor));
	int err = 0;

	if (!monitor) {
		close(fd);
		return xt_error(-ENOMEM, "out of memory");
	}
	monitor->fd = fd;
	snprintf(monitor->devices, sizeof(monitor->devices), "%s", devices);
	err = scan(monitor);
	if (err) {
		xetile_monitor_close(monitor);
		return err;
	}
	*out = monitor;
	return 0;
}

int xetile_monitor_open(struct xetile_monitor **out)
{
	struct sockaddr_nl address = { .nl_family = AF_NETLINK, .nl_groups = KERNEL_GROUP };
	int fd = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_KOBJECT_UEVENT), err;

	if (fd < 0)
		return xt_error(-errno, "cannot make a socket for events: %m");
	/* Before the list of cards is made: what changes then is in the list, or told, or both. */
	if (bind(fd, (struct sockaddr *)&address, sizeof(address))) {
		err = xt_error(-errno, "cannot listen to events: %m");
		close(fd);
		return err;
	}
	return xt_monitor_build(fd, DEVICES, out);
}

void xetile_monitor_close(struct xetile_monitor *monitor)
{
	if (!monitor)
		return;
	close(monitor->fd);
	free(monitor);
}

int xetile_monitor_fd(const struct xetile_monitor *monitor)
{
	return monitor->fd;
}
