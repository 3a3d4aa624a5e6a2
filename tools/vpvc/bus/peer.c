// SPDX-License-Identifier: MIT
/*
 * Peer-to-peer: an access of this card that a switch routes to another card's BAR2.  The
 * vfio-user client maps BARs of all devices for each device, but sends a file only with
 * the guest's memory.  So the cards find each other's HBM by names in the host's file
 * system.  A mapping without a file that has the size of the peer's HBM is its BAR2,
 * unless it is at the address of this card's own BAR2.
 *
 * The client takes the mapping back when the peer's memory is disabled or the peer is
 * pulled out.  A peer that sleeps (D3hot), or was pulled out a moment ago, still answers
 * here.
 */
#define _GNU_SOURCE
#include "bus/peer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bus/pci.h"
#include "card.h"

int peer_publish(struct card *c)
{
	char target[64];

	if (!c->opt.publish)
		return 0;
	/* A name of the descriptor, not of the file: the memory ends with the process. */
	snprintf(target, sizeof(target), "/proc/%d/fd/%d", (int)getpid(), c->hbm_fd);
	if (unlink(c->opt.publish) && errno != ENOENT)
		return -errno;
	return symlink(target, c->opt.publish) ? -errno : 0;
}

void peer_retract(struct card *c)
{
	if (c->opt.publish)
		unlink(c->opt.publish);
}

int peer_open(struct card *c, uint64_t addr, uint64_t size)
{
	struct stat st;
	int fd;

	if (!c->opt.peer || addr == pci_bar2(c))
		return -1;
	fd = open(c->opt.peer, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return -1;
	if (!fstat(fd, &st) && (uint64_t)st.st_size == size)
		return fd;
	close(fd);
	return -1;
}
