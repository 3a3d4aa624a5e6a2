// SPDX-License-Identifier: MIT
/*
 * The process: opens the sockets, makes the card and serves one guest connection.
 * main() is the host thread of card.h and runs the only poll() loop.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "card.h"
#include "card/life.h"
#include "control.h"
#include "eu/eu.h"
#include "log.h"
#include "options.h"
#include "socket.h"
#include "vfu.h"

enum { FD_SIGNAL, FD_VFU, FD_CONTROL, NUM_FDS = FD_CONTROL + CONTROL_FDS };

/* Signals that end the process arrive as a descriptor, so that serve() cleans up. */
static int open_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	/* The engines' threads, which are made later, inherit the mask. */
	if (pthread_sigmask(SIG_BLOCK, &set, NULL))
		return -1;
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

static struct vfu *accept_guest(struct card *c, int *listen_fd, const char *path)
{
	int fd = accept4(*listen_fd, NULL, NULL, SOCK_CLOEXEC);
	struct vfu *v;

	if (fd < 0)
		return NULL;
	v = vfu_create(c, fd);
	if (!v) {
		close(fd);
		return NULL;
	}
	/* A card has one guest: nobody else may connect. */
	close(*listen_fd);
	*listen_fd = -1;
	unlink(path);
	vlog("connected");
	return v;
}

static int open_listener(struct card *c)
{
	int fd = socket_listen(c->opt.socket);

	if (fd < 0)
		fprintf(stderr, "vpvc: --socket %s: %s\n", c->opt.socket, strerror(-fd));
	return fd;
}

/* The guest has let the card go: offer a card that has just got power. */
static int replug(struct card *c, struct vfu *v)
{
	vlog("the guest has let the card go");
	vfu_destroy(v);
	card_power_cycle(c);
	atomic_store(&c->unplugged, false);
	return open_listener(c);
}

static int serve(struct card *c, struct control *ctl, int signal_fd)
{
	struct vfu *v = NULL;
	int listen_fd = open_listener(c), err = 0;
	bool gone = false, lost = false;

	if (listen_fd < 0)
		return listen_fd;
	vlog("listening: 8086:%04x, %u tile%s of %llu GiB, cslices 0x%x", c->opt.device_id,
	     c->num_tiles, c->num_tiles > 1 ? "s" : "", (unsigned long long)(c->opt.hbm >> 30),
	     c->tiles[0].cslices);
	for (;;) {
		struct pollfd fds[NUM_FDS] = {
			[FD_SIGNAL] = { .fd = signal_fd, .events = POLLIN },
			[FD_VFU] = { .fd = v ? vfu_fd(v) : listen_fd, .events = POLLIN },
		};
		unsigned int n = ctl ? control_poll(ctl, fds + FD_CONTROL) : 0;

		if (poll(fds, FD_CONTROL + n, -1) < 0) {
			if (errno == EINTR)
				continue;
			err = -errno;
			break;
		}
		if (fds[FD_SIGNAL].revents)
			break;
		if (fds[FD_VFU].revents && !v)
			v = accept_guest(c, &listen_fd, c->opt.socket);
		else if (fds[FD_VFU].revents && !vfu_serve(v))
			gone = true;
		if (n)
			control_serve(ctl, fds + FD_CONTROL, n);
		/* The card was pulled out: it stops, although the guest does not know yet. */
		if (!lost && atomic_load(&c->unplugged)) {
			vlog("unplugged");
			card_power_cycle(c);
			lost = true;
		}
		if (gone && !c->opt.replug && !lost)
			break;
		if (gone) {
			listen_fd = replug(c, v);
			v = NULL;
			gone = false;
			lost = false;
			if (listen_fd < 0) {
				err = listen_fd;
				break;
			}
		}
	}
	vlog("closing");
	vfu_destroy(v);
	if (listen_fd >= 0) {
		close(listen_fd);
		unlink(c->opt.socket);
	}
	return err;
}

int main(int argc, char **argv)
{
	struct card_options opt;
	struct control *ctl = NULL;
	struct card *c;
	int err, signal_fd;

	err = options_parse(&opt, argc, argv);
	if (err)
		return err < 0 ? 2 : 0;
	err = opt.handlers ? eu_use_handlers(opt.handlers) : 0;
	if (err) {
		fprintf(stderr, "vpvc: --handlers %s: %s\n", opt.handlers, err == -ENOTSUP ?
			"this processor cannot" : "must be general, any, avx2 or avx512");
		return 2;
	}
	err = vlog_open(opt.log);
	if (err) {
		fprintf(stderr, "vpvc: --log %s: %s\n", opt.log, strerror(-err));
		return 1;
	}
	/* A write to a peer that is gone fails with EPIPE; callers check it. */
	signal(SIGPIPE, SIG_IGN);
	signal_fd = open_signals();
	if (signal_fd < 0) {
		perror("vpvc: signals");
		return 1;
	}
	err = card_create(&c, &opt);
	if (err) {
		fprintf(stderr, "vpvc: no card: %s\n", strerror(-err));
		return 1;
	}
	if (opt.control) {
		err = control_create(&ctl, c, opt.control);
		if (err)
			fprintf(stderr, "vpvc: --control %s: %s\n", opt.control, strerror(-err));
	}
	if (!err)
		err = serve(c, ctl, signal_fd);
	control_destroy(ctl);
	card_destroy(c);
	close(signal_fd);
	vlog_close();
	return err ? 1 : 0;
}
