// SPDX-License-Identifier: MIT
/*
 * The control socket: a client sends a line and gets a line of JSON.  The host thread
 * (main.c) serves up to MAX_CLIENTS clients between register accesses.
 */
#define _GNU_SOURCE
#include "control.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bus/dma.h"
#include "card.h"
#include "card/inject_command.h"
#include "core/regs.h"
#include "core/steer.h"
#include "core/tile.h"
#include "core/xlat.h"
#include "cs/execlist.h"
#include "mem/memory.h"
#include "pvc_engine_regs.h"
#include "socket.h"

#define MAX_CLIENTS	(CONTROL_FDS - 1)
#define MAX_LINE	320

struct client {
	int fd;
	char line[MAX_LINE];
	size_t len;
};

struct control {
	struct card *card;
	int listen_fd;
	const char *path;
	struct client client[MAX_CLIENTS];
	unsigned int num;
};

/* ---- replies ---- */

/* Instructions by mnemonic; "stepped_over" counts those without effect. */
static void put_opcodes(FILE *f, struct engine *e)
{
	uint64_t n, rest = counter_get(&e->cnt.instructions);

	fprintf(f, ",\"opcodes\":{");
	for (unsigned int i = 0; i < EU_NUM_OPCODES; i++) {
		n = counter_get(&e->cnt.opcodes[i]);
		if (!n)
			continue;
		fprintf(f, "\"%s\":%llu,", eu_opcode_name(i) ? eu_opcode_name(i) : "?",
			(unsigned long long)n);
		rest -= n < rest ? n : rest;
	}
	fprintf(f, "\"stepped_over\":%llu}", (unsigned long long)rest);
}

static void put_engine_counters(FILE *f, struct engine *e)
{
#define PUT(name) fprintf(f, ",\"" #name "\":%llu", \
			  (unsigned long long)counter_get(&e->cnt.name));
	fprintf(f, "{\"name\":\"%s%u\",\"class\":\"%s\",\"instance\":%u,\"present\":%s"
		",\"state\":\"%s\"",
		e->class == PVC_CLASS_CCS ? "ccs" : "bcs", e->instance,
		e->class == PVC_CLASS_CCS ? "ccs" : "bcs", e->instance,
		e->present ? "true" : "false", engine_state(e));
	ENGINE_COUNTERS(PUT)
	ENGINE_GAUGES(PUT)
	put_opcodes(f, e);
	fputc('}', f);
#undef PUT
}

static void put_tile_counters(FILE *f, struct tile *t)
{
#define PUT(name) fprintf(f, ",\"" #name "\":%llu", \
			  (unsigned long long)counter_get(&t->cnt.name));
#define SUM(name) { \
	uint64_t sum = 0; \
	for (unsigned int n = 0; n < TILE_MAX_ENGINES; n++) \
		sum += counter_get(&t->engines[n].cnt.name); \
	fprintf(f, ",\"" #name "\":%llu", (unsigned long long)sum); \
}
	fprintf(f, "{\"tile\":%u", t->id);
	TILE_COUNTERS(PUT)
	ENGINE_COUNTERS(SUM)
	fprintf(f, ",\"engines\":[");
	for (unsigned int n = 0; n < TILE_MAX_ENGINES; n++) {
		if (n)
			fputc(',', f);
		put_engine_counters(f, &t->engines[n]);
	}
	fprintf(f, "]}");
#undef PUT
#undef SUM
}

static void do_counters(FILE *f, struct card *c)
{
	fprintf(f, "{\"msis\":%llu,\"injected\":%llu,\"walkers\":%llu,\"tiles\":[",
		(unsigned long long)counter_get(&c->msis),
		(unsigned long long)counter_get(&c->injected),
		(unsigned long long)counter_get(&c->walkers));
	for (unsigned int i = 0; i < c->num_tiles; i++) {
		if (i)
			fputc(',', f);
		put_tile_counters(f, &c->tiles[i]);
	}
	fprintf(f, "]}");
}

struct list {
	FILE *f;
	const char *sep;
};

static void put_register(void *arg, uint32_t off, uint64_t reads, uint64_t writes)
{
	struct list *l = arg;
	const char *name = reg_name(off);

	fprintf(l->f, "%s{\"offset\":%u,\"name\":\"%s\",\"reads\":%llu,\"writes\":%llu}", l->sep,
		off, name ? name : "", (unsigned long long)reads, (unsigned long long)writes);
	l->sep = ",";
}

static void do_registers(FILE *f, struct card *c)
{
	fprintf(f, "{\"tiles\":[");
	for (unsigned int i = 0; i < c->num_tiles; i++) {
		struct list l = { f, "" };

		fprintf(f, "%s{\"tile\":%u,\"registers\":[", i ? "," : "", i);
		regs_for_each_access(&c->tiles[i], put_register, &l);
		fprintf(f, "]}");
	}
	fprintf(f, "]}");
}

static void do_reset_counters(FILE *f, struct card *c)
{
#define ZERO_TILE(name) counter_set(&t->cnt.name, 0);
#define ZERO_ENGINE(name) counter_set(&t->engines[n].cnt.name, 0);
	counter_set(&c->msis, 0);
	counter_set(&c->injected, 0);
	counter_set(&c->walkers, 0);
	for (unsigned int i = 0; i < c->num_tiles; i++) {
		struct tile *t = &c->tiles[i];

		TILE_COUNTERS(ZERO_TILE)
		regs_reset_accesses(t);
		for (unsigned int n = 0; n < TILE_MAX_ENGINES; n++) {
			ENGINE_COUNTERS(ZERO_ENGINE)
			ENGINE_GAUGES(ZERO_ENGINE)
			for (unsigned int i = 0; i < EU_NUM_OPCODES; i++)
				counter_set(&t->engines[n].cnt.opcodes[i], 0);
		}
	}
	fprintf(f, "{\"ok\":true}");
#undef ZERO_TILE
#undef ZERO_ENGINE
}

static void do_info(FILE *f, struct card *c)
{
	fprintf(f, "{\"device\":\"8086:%04x\",\"tiles\":%u,\"hbm_per_tile\":%llu,"
		"\"bar2_size\":%llu,\"cslices\":%u,\"all_ones\":%s,\"bus_master\":%s,\"ccs\":[",
		c->opt.device_id, c->num_tiles, (unsigned long long)c->opt.hbm,
		(unsigned long long)c->bar2_size, c->tiles[0].cslices,
		atomic_load(&c->all_ones) ? "true" : "false",
		dma_bus_master(c) ? "true" : "false");
	/* The slices that each compute engine of each tile has now */
	for (unsigned int i = 0; i < c->num_tiles; i++) {
		fprintf(f, "%s[", i ? "," : "");
		for (unsigned int n = 0; n < TILE_CSLICES; n++)
			fprintf(f, "%s%u", n ? "," : "", tile_ccs_cslices(&c->tiles[i], n));
		fputc(']', f);
	}
	fprintf(f, "]}");
}

static void do_inject(FILE *f, struct card *c, const char *what)
{
	char why[512];

	if (inject_command(c, what, why, sizeof(why)))
		fprintf(f, "{\"error\":\"%s\"}", why);
	else
		fprintf(f, "{\"ok\":true}");
}

static struct engine *find_engine(struct card *c, const char *name)
{
	for (unsigned int i = 0; i < c->num_tiles; i++)
		for (unsigned int n = 0; n < TILE_MAX_ENGINES; n++)
			if (!strcmp(c->tiles[i].engines[n].name, name))
				return &c->tiles[i].engines[n];
	return NULL;
}

#define MOST_LEAVES	1024u	/* in an answer */

static bool put_leaf(FILE *f, const struct aspace *as, uint64_t va, struct span *s)
{
	enum xlat x = mem_translate(as, va, false, s);

	if (x != XLAT_OK)
		fprintf(f, "{\"error\":\"%s\"}", xlat_name(x));
	else
		fprintf(f, "{\"place\":\"%s\",\"address\":%llu,\"bytes\":%llu}",
			s->place == PLACE_NULL ? "null" :
			s->place == PLACE_SYSTEM ? "system" : "hbm",
			(unsigned long long)s->phys, (unsigned long long)s->len);
	return x == XLAT_OK;
}

static void put_leaves(FILE *f, const struct aspace *as, uint64_t va, uint64_t bytes)
{
	uint64_t done = 0;
	struct span s;

	fprintf(f, "{\"leaves\":[");
	for (unsigned int n = 0; done < bytes && n < MOST_LEAVES; n++) {
		fputs(n ? "," : "", f);
		if (!put_leaf(f, as, va + done, &s))
			break;
		done += s.len;
	}
	fprintf(f, "]}");
}

/*
 * "translate ENGINE ADDRESS [BYTES]": the memory behind an address of the engine's present or
 * last context, to the end of the leaf, without the faults that a test has armed; with BYTES, the
 * leaves of so much from the address on.
 */
static void do_translate(FILE *f, struct card *c, const char *what)
{
	struct aspace as = { .query = true };
	uint64_t va, bytes;
	struct engine *e;
	char name[16], end;
	struct span s;
	int n = sscanf(what, "%15s 0x%" SCNx64 " 0x%" SCNx64 "%c", name, &va, &bytes, &end);

	if (n != 3 && sscanf(what, "%15s 0x%" SCNx64 "%c", name, &va, &end) != 2) {
		fprintf(f, "{\"error\":\"translate takes: ENGINE 0xADDRESS [0xBYTES]\"}");
		return;
	}
	e = find_engine(c, name);
	if (!e) {
		fprintf(f, "{\"error\":\"no such engine\"}");
		return;
	}
	as.tile = e->tile;
	as.pdp0 = reg_read(e->tile, PVC_RING_PDP(e->base, 0)) |
		  (uint64_t)reg_read(e->tile, PVC_RING_PDP_UDW(e->base, 0)) << 32;
	card_mem_lock(c);
	if (n == 3)
		put_leaves(f, &as, va, bytes);
	else
		put_leaf(f, &as, va, &s);
	card_mem_unlock(c);
}

/*
 * "peek TILE OFFSET [DSS]": what a register of a tile holds, or its instance in a subslice; nothing
 * changes and nothing is counted.
 */
static void do_peek(FILE *f, struct card *c, const char *what)
{
	unsigned int tile, off, dss;
	char end;
	int n = sscanf(what, "%u 0x%x %u%c", &tile, &off, &dss, &end);

	if ((n != 2 && n != 3) || tile >= c->num_tiles || off >= TILE_REG_SIZE || off % 4 ||
	    (n == 3 && dss >= 64)) {
		fprintf(f, "{\"error\":\"peek takes: TILE 0xOFFSET [DSS]\"}");
		return;
	}
	fprintf(f, "{\"value\":%u}", n == 3 ? steer_peek(&c->tiles[tile], off, dss) :
					      reg_read(&c->tiles[tile], off));
}

char *control_command(struct card *c, const char *line)
{
	char *buf = NULL;
	size_t size;
	FILE *f = open_memstream(&buf, &size);

	if (!f)
		return NULL;
	if (!strcmp(line, "counters"))
		do_counters(f, c);
	else if (!strcmp(line, "reset-counters"))
		do_reset_counters(f, c);
	else if (!strcmp(line, "registers"))
		do_registers(f, c);
	else if (!strcmp(line, "info"))
		do_info(f, c);
	else if (!strncmp(line, "translate ", 10))
		do_translate(f, c, line + 10);
	else if (!strncmp(line, "peek ", 5))
		do_peek(f, c, line + 5);
	else if (!strncmp(line, "inject", 6) && (line[6] == ' ' || !line[6]))
		do_inject(f, c, line + 6);
	else
		fprintf(f, "{\"error\":\"unknown command; there are: counters, registers, "
			"reset-counters, info, translate, peek, inject\"}");
	fputc('\n', f);
	if (fclose(f)) {
		free(buf);
		return NULL;
	}
	return buf;
}

/* ---- sockets ---- */

int control_create(struct control **out, struct card *c, const char *path)
{
	struct control *ctl = calloc(1, sizeof(*ctl));

	if (!ctl)
		return -ENOMEM;
	ctl->card = c;
	ctl->path = path;
	ctl->listen_fd = socket_listen(path);
	if (ctl->listen_fd < 0) {
		int err = ctl->listen_fd;

		free(ctl);
		return err;
	}
	*out = ctl;
	return 0;
}

static void drop_client(struct control *ctl, unsigned int i)
{
	close(ctl->client[i].fd);
	ctl->client[i] = ctl->client[--ctl->num];
}

void control_destroy(struct control *ctl)
{
	if (!ctl)
		return;
	while (ctl->num)
		drop_client(ctl, 0);
	close(ctl->listen_fd);
	unlink(ctl->path);
	free(ctl);
}

unsigned int control_poll(struct control *ctl, struct pollfd *fds)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < ctl->num; i++)
		fds[n++] = (struct pollfd) { .fd = ctl->client[i].fd, .events = POLLIN };
	/* When all places are taken, the next client waits in the queue of the socket. */
	if (ctl->num < MAX_CLIENTS)
		fds[n++] = (struct pollfd) { .fd = ctl->listen_fd, .events = POLLIN };
	return n;
}

static bool reply(struct control *ctl, int fd, const char *line)
{
	char *out = control_command(ctl->card, line);
	size_t len, sent = 0;

	if (!out)
		return false;
	len = strlen(out);
	while (sent < len) {
		ssize_t n = send(fd, out + sent, len - sent, MSG_NOSIGNAL);

		/* send() does not wait: a client that reads no answers must not stop the guest. */
		if (n < 0)
			break;
		sent += (size_t)n;
	}
	free(out);
	return sent == len;
}

static bool serve_client(struct control *ctl, struct client *cl)
{
	ssize_t n = recv(cl->fd, cl->line + cl->len, sizeof(cl->line) - 1 - cl->len, 0);
	char *end;

	if (n < 0)
		return errno == EAGAIN || errno == EINTR;
	if (n == 0)
		return false;
	cl->len += (size_t)n;
	cl->line[cl->len] = '\0';
	while ((end = memchr(cl->line, '\n', cl->len))) {
		size_t used = (size_t)(end - cl->line) + 1;

		*end = '\0';
		if (end > cl->line && end[-1] == '\r')
			end[-1] = '\0';
		if (!reply(ctl, cl->fd, cl->line))
			return false;
		cl->len -= used;
		memmove(cl->line, cl->line + used, cl->len + 1);
	}
	/* A line that does not fit is no command: the client is dropped. */
	return cl->len < sizeof(cl->line) - 1;
}

static void accept_client(struct control *ctl)
{
	int fd = accept4(ctl->listen_fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	int size = 1 << 18;

	if (fd < 0)
		return;
	/* The buffer holds a whole answer, because reply() does not wait. */
	setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &size, sizeof(size));
	ctl->client[ctl->num++] = (struct client) { .fd = fd };
}

void control_serve(struct control *ctl, const struct pollfd *fds, unsigned int n)
{
	for (unsigned int k = 0; k < n; k++) {
		if (!fds[k].revents)
			continue;
		if (fds[k].fd == ctl->listen_fd) {
			if (ctl->num < MAX_CLIENTS)
				accept_client(ctl);
			continue;
		}
		for (unsigned int i = 0; i < ctl->num; i++) {
			if (ctl->client[i].fd != fds[k].fd)
				continue;
			if (!serve_client(ctl, &ctl->client[i]))
				drop_client(ctl, i);
			break;
		}
	}
}
