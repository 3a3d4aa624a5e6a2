/* SPDX-License-Identifier: MIT */
#ifndef _XETILE_MONITOR_H_
#define _XETILE_MONITOR_H_

/**
 * DOC: monitor
 *
 * A platform holds the cards that there were when it was opened. A monitor tells what happens to
 * cards after that: a program polls its file, and reads what has changed. There is no thread.
 *
 * Open the monitor first, and then the platform: so no change is missed in between, but one may be
 * told that the platform has already.
 *
 * A card that came is in platforms that are opened from now on. Others stay as they are, and so do
 * their objects; but the numbers of cards, which are in PCI order, may differ between platforms, so
 * tell cards by their PCI address. The address is to be kept: a card that went describes itself no
 * more. When a CAME is read, the administrator's rules for the new node may not have been applied
 * yet, and xetile_context_create() fails with -EACCES for a moment.
 *
 * Of a card that went (a hot-unplug, an unbinding, or a reset that brought up a new card at the
 * same address) nothing that was made before works again: all calls that ask the driver fail with
 * -ENODEV, or with the error of opening a node that is no longer there; waits end, and mappings
 * show empty memory. Objects are destroyed as ever, with no error. The platform and its devices are
 * of no more use: they are of the cards that were there when it was opened.
 * On a card that is wedged calls fail with -EIO until the administrator resets or binds it anew.
 *
 * Only messages from the kernel count; the kernel sends on what the administrator of the socket's
 * network namespace gives it, and nobody else's. Containers with a network of their own that is not
 * the machine's receive none, if they have users of their own, too. A child of fork() has the same
 * messages as its parent: who reads one takes it from the other.
 */

#ifndef _XETILE_H_
#error "include <xetile.h>"
#endif

#if defined(__cplusplus)
extern "C" {
#endif

struct xetile_monitor;

/**
 * enum xetile_change_kind - what has happened
 */
enum xetile_change_kind {
	/** @XETILE_CHANGE_CAME: a card has come, and its nodes are there */
	XETILE_CHANGE_CAME = 1,
	/** @XETILE_CHANGE_WENT: a card is gone; after a reset a CAME follows */
	XETILE_CHANGE_WENT = 2,
	/** @XETILE_CHANGE_WEDGED: a card works no more, and needs the administrator */
	XETILE_CHANGE_WEDGED = 3,
	/**
	 * @XETILE_CHANGE_LOST: the kernel had no room for changes that were not read soon enough:
	 * anything may have happened, so look at all cards again, in a new platform
	 */
	XETILE_CHANGE_LOST = 4,
};

/**
 * struct xetile_change - one change
 */
struct xetile_change {
	/** @kind: what has happened */
	enum xetile_change_kind kind;
	/** @pci: PCI address of the card, as in &struct xetile_device_info; LOST: empty */
	char pci[16];
};

/**
 * xetile_monitor_open() - watch for changes from now on
 * @out: the monitor
 *
 * All cards of the driver count, also those that ZE_AFFINITY_MASK hides.
 *
 * Return: 0; -ENOMEM; errors of making a socket, and of reading /sys/bus/pci/devices.
 */
int xetile_monitor_open(struct xetile_monitor **out);

/**
 * xetile_monitor_close() - end watching
 * @monitor: may be NULL
 */
void xetile_monitor_close(struct xetile_monitor *monitor);

/**
 * xetile_monitor_fd() - the file of a monitor
 * @monitor: the monitor
 *
 * Return: a descriptor for poll() (POLLIN) alone. It is readable for what concerns no card, too.
 */
int xetile_monitor_fd(const struct xetile_monitor *monitor);

/**
 * xetile_monitor_read() - read the next change, without waiting
 * @monitor: the monitor
 * @change: the change
 * @size: bytes of the struct
 *
 * Call it until it returns 0, and then poll.
 *
 * Return: 1: @change is set; 0: there is none now; or the error of receiving.
 */
int xetile_monitor_read(struct xetile_monitor *monitor, struct xetile_change *change, size_t size);
#define xetile_monitor_read(monitor, change)					\
	xetile_monitor_read(monitor, change, sizeof(struct xetile_change))

#if defined(__cplusplus)
}
#endif

#endif
