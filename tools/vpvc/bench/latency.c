// SPDX-License-Identifier: MIT
/*
 * Latencies that a guest sees (make bench): the round trip of a register access and the
 * delivery of an interrupt, for the card and for a bare vfio-user server.
 *
 * The bare server does the least any server must do: it receives a message, answers, and
 * hands a request to a thread that signals an eventfd.  The same client measures both in
 * turns over the same kind of socket, so that other load of the machine affects both.  The
 * numbers depend on the machine and its load.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/vfio.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <time.h>

#include "bus/pci.h"
#include "card.h"
#include "core/regs.h"
#include "tests/cs_test.h"
#include "vfu.h"
#include "vfu_proto.h"

#define ROUNDS		20
#define ACCESSES	1000
#define INTERRUPTS	200
#define IDLE_SECONDS	2

static uint64_t now_ns(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

void test_fail(const char *file, int line, const char *fmt, ...)
{
	(void)fmt;
	fprintf(stderr, "%s:%d: failed\n", file, line);
	exit(1);
}

/* ---- the bare server ---- */

struct bare {
	int sock, event;
	pthread_mutex_t lock;
	pthread_cond_t wake;
	bool wanted, quit;
};

static void *bare_worker(void *arg)
{
	struct bare *b = arg;

	pthread_mutex_lock(&b->lock);
	while (!b->quit) {
		if (!b->wanted) {
			pthread_cond_wait(&b->wake, &b->lock);
			continue;
		}
		b->wanted = false;
		pthread_mutex_unlock(&b->lock);
		eventfd_write(b->event, 1);
		pthread_mutex_lock(&b->lock);
	}
	pthread_mutex_unlock(&b->lock);
	return NULL;
}

static void *bare_server(void *arg)
{
	struct bare *b = arg;
	uint8_t buf[256];

	for (;;) {
		struct pollfd p = { .fd = b->sock, .events = POLLIN };
		struct vfu_header *h = (struct vfu_header *)buf;
		ssize_t n;

		poll(&p, 1, -1);
		n = recv(b->sock, buf, sizeof(buf), 0);
		if (n <= 0)
			return NULL;
		if (h->command == VFU_REGION_WRITE) {
			pthread_mutex_lock(&b->lock);
			b->wanted = true;
			pthread_cond_signal(&b->wake);
			pthread_mutex_unlock(&b->lock);
			h->size = sizeof(*h) + sizeof(struct vfu_region_access);
		} else {
			h->size = sizeof(*h) + sizeof(struct vfu_region_access) + 4;
		}
		h->flags = VFU_TYPE_REPLY;
		if (send(b->sock, buf, h->size, MSG_NOSIGNAL) < 0)
			return NULL;
	}
}

/* ---- the card, as main.c serves it ---- */

static void *card_server(void *arg)
{
	struct vfu *v = arg;

	for (;;) {
		struct pollfd p = { .fd = vfu_fd(v), .events = POLLIN };

		poll(&p, 1, -1);
		if (!vfu_serve(v))
			return NULL;
	}
}

/* ---- the client ---- */

static void ask(int sock, const void *msg, size_t len, size_t reply)
{
	uint8_t buf[512];
	size_t got = 0;

	if (send(sock, msg, len, MSG_NOSIGNAL) != (ssize_t)len)
		exit(1);
	while (got < reply) {
		ssize_t n = recv(sock, buf + got, reply - got, 0);

		if (n <= 0)
			exit(1);
		got += (size_t)n;
	}
}

struct access_message {
	struct vfu_header h;
	struct vfu_region_access a;
	uint32_t data;
} __attribute__((packed));

static void region_read(int sock, uint64_t off)
{
	struct access_message m = {
		{ 1, VFU_REGION_READ, sizeof(m) - 4, 0, 0 },
		{ off, VFIO_PCI_BAR0_REGION_INDEX, 4 }, 0,
	};

	ask(sock, &m, sizeof(m) - 4, sizeof(m));
}

static void region_write(int sock, uint64_t off, uint32_t val)
{
	struct access_message m = {
		{ 1, VFU_REGION_WRITE, sizeof(m), 0, 0 },
		{ off, VFIO_PCI_BAR0_REGION_INDEX, 4 }, val,
	};

	ask(sock, &m, sizeof(m), sizeof(m) - 4);
}

static int by_value(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

struct samples {
	const char *name;
	uint64_t ns[ROUNDS * ACCESSES];
	unsigned int num;
};

static void show(struct samples *s, const struct samples *bare)
{
	qsort(s->ns, s->num, sizeof(*s->ns), by_value);
	printf("%-34s median %7.2f us   90%% %7.2f us", s->name, (double)s->ns[s->num / 2] / 1e3,
	       (double)s->ns[s->num * 9 / 10] / 1e3);
	if (bare)
		printf("   %.2f of bare",
		       (double)s->ns[s->num / 2] / (double)bare->ns[bare->num / 2]);
	putchar('\n');
}

static void measure_reads(struct samples *s, int sock, uint64_t off)
{
	for (unsigned int i = 0; i < ACCESSES; i++) {
		uint64_t t = now_ns(CLOCK_MONOTONIC);

		region_read(sock, off);
		s->ns[s->num++] = now_ns(CLOCK_MONOTONIC) - t;
	}
}

static void await_event(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	eventfd_t n;

	if (poll(&p, 1, 5000) != 1 || eventfd_read(fd, &n)) {
		fprintf(stderr, "no interrupt\n");
		exit(1);
	}
}

static void measure_bare_irq(struct samples *s, int sock, int event)
{
	for (unsigned int i = 0; i < INTERRUPTS; i++) {
		uint64_t t = now_ns(CLOCK_MONOTONIC);

		region_write(sock, 0, 1);
		await_event(event);
		s->ns[s->num++] = now_ns(CLOCK_MONOTONIC) - t;
	}
}

/* A job of one command: the time from the write that loads it to its interrupt. */
static void measure_card_irq(struct samples *s, int sock, int event, struct ctx *x)
{
	struct tile *t = x->t;
	uint32_t base = x->e->base;

	/* A reset leaves anything in the second place. */
	region_write(sock, PVC_EXECLIST_SQ_CONTENTS(base, 1), 0);
	region_write(sock, PVC_EXECLIST_SQ_CONTENTS_UDW(base, 1), 0);
	for (unsigned int i = 0; i < INTERRUPTS; i++) {
		uint64_t start;
		eventfd_t left;

		RING(x, PVC_MI_USER_INTERRUPT, PVC_MI_NOOP);
		ring_close(x);
		region_write(sock, PVC_EXECLIST_SQ_CONTENTS(base, 0), PVC_LOWER_32(descriptor(x)));
		region_write(sock, PVC_EXECLIST_SQ_CONTENTS_UDW(base, 0),
			     PVC_UPPER_32(descriptor(x)));
		start = now_ns(CLOCK_MONOTONIC);
		region_write(sock, PVC_EXECLIST_CONTROL(base), PVC_EXECLIST_CONTROL_LOAD);
		await_event(event);
		s->ns[s->num++] = now_ns(CLOCK_MONOTONIC) - start;
		/* Acknowledge as a driver's handler does; switch events may still come. */
		if (!WAIT_FOR(!busy(x->e)))
			exit(1);
		region_write(sock, PVC_MSTR_TILE_INTR, 0);
		region_write(sock, PVC_GFX_MSTR_IRQ, ~0u);
		while (take_irq(x->e))
			;
		region_write(sock, PVC_GFX_MSTR_IRQ, ~0u);
		(void)mmio_read(t, PVC_GFX_MSTR_IRQ);
		region_write(sock, PVC_MSTR_TILE_INTR, PVC_MSTR_IRQ_ENABLE);
		while (!eventfd_read(event, &left))
			;
	}
}

static void connect_card(struct card *c, int *sock, pthread_t *thread)
{
	static const char version[] = "\0\0\0\0{}";
	struct vfu_header h = { 1, VFU_VERSION, sizeof(h) + sizeof(version), 0, 0 };
	uint8_t hello[sizeof(h) + sizeof(version)];
	char reply[512];
	int s[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, s))
		exit(1);
	memcpy(hello, &h, sizeof(h));
	memcpy(hello + sizeof(h), version, sizeof(version));
	*sock = s[1];
	if (pthread_create(thread, NULL, card_server, vfu_create(c, s[0])) ||
	    send(*sock, hello, sizeof(hello), 0) < 0 || recv(*sock, reply, sizeof(reply), 0) < 0)
		exit(1);
}

int main(void)
{
	static struct samples bare_read = { .name = "register read, bare server" },
			      card_read = { .name = "register read, card" },
			      bare_irq = { .name = "interrupt, bare server" },
			      card_irq = { .name = "interrupt of a job, card" };
	struct bare bare = { .event = eventfd(0, EFD_NONBLOCK), .lock = PTHREAD_MUTEX_INITIALIZER,
			     .wake = PTHREAD_COND_INITIALIZER };
	int event = eventfd(0, EFD_NONBLOCK), s[2], sock;
	pthread_t server, worker, host;
	struct bench b;
	struct ctx x;
	uint64_t cpu;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, s))
		return 1;
	bare.sock = s[0];
	pthread_create(&server, NULL, bare_server, &bare);
	pthread_create(&worker, NULL, bare_worker, &bare);
	bench_init(&b, 1);
	ctx_init(&b, &x, bench_engine(&b, 0, PVC_CLASS_BCS, 1), 1);
	pci_set_msi(b.c, event);
	connect_card(b.c, &sock, &host);

	cpu = now_ns(CLOCK_PROCESS_CPUTIME_ID);
	sleep(IDLE_SECONDS);
	cpu = now_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu;
	for (unsigned int i = 0; i < ROUNDS; i++) {
		measure_reads(&bare_read, s[1], 0);
		measure_reads(&card_read, sock, PVC_EXECLIST_STATUS(x.e->base));
		measure_bare_irq(&bare_irq, s[1], bare.event);
		measure_card_irq(&card_irq, sock, event, &x);
	}
	show(&bare_read, NULL);
	show(&card_read, &bare_read);
	show(&bare_irq, NULL);
	show(&card_irq, &bare_irq);
	printf("idle: %.3f %% of a processor over %d s\n", (double)cpu / 1e7 / IDLE_SECONDS,
	       IDLE_SECONDS);
	/* The end of the process ends all threads that still wait. */
	return 0;
}
