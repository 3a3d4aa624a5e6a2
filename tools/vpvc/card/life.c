// SPDX-License-Identifier: MIT
/*
 * The card as a whole: its shape, its memory, the order in which its parts are made and
 * reset.  main() makes and destroys the card; all of this runs on the host thread.
 */
#define _GNU_SOURCE
#include "card/life.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bus/dma.h"
#include "bus/pci.h"
#include "bus/peer.h"
#include "card.h"
#include "card/inject_command.h"
#include "card/power.h"
#include "card/regs_table.h"
#include "card/resets.h"
#include "core/inject.h"
#include "core/irq.h"
#include "core/noise.h"
#include "core/regs.h"
#include "core/strict.h"
#include "cs/execlist.h"
#include "log.h"
#include "mem/tlb.h"
#include "pvc_engine_regs.h"
#include "pvc_gt_regs.h"

static uint64_t round_up_pow2(uint64_t v)
{
	uint64_t p = 1;

	while (p < v)
		p <<= 1;
	return p;
}

static void *map_memfd(const char *name, uint64_t size, int *fd)
{
	void *p;

	*fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (*fd < 0)
		return NULL;
	if (ftruncate(*fd, (off_t)size))
		return NULL;
	/* The client gets the descriptor and must not truncate memory that is mapped here. */
	if (fcntl(*fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL))
		return NULL;
	/* HBM may be larger than the host's memory: a page exists once it is touched. */
	p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, *fd, 0);
	return p == MAP_FAILED ? NULL : p;
}

static void init_engine(struct tile *t, struct engine *e, unsigned int class,
			unsigned int instance, uint32_t base, bool present)
{
	e->tile = t;
	e->class = class;
	e->instance = instance;
	e->base = base;
	e->present = present;
	snprintf(e->name, sizeof(e->name), "tile%u.%s%u", t->id,
		 class == PVC_CLASS_CCS ? "ccs" : "bcs", instance);
}

static void init_tile(struct card *c, unsigned int id)
{
	struct tile *t = &c->tiles[id];
	struct engine *e = t->engines;

	t->card = c;
	t->id = id;
	t->dpa_base = id * c->opt.hbm;
	t->dpa_size = c->opt.hbm;
	t->cslices = c->opt.quirk_no_cslices ? 0 : c->opt.cslices;
	for (unsigned int n = 0; n < TILE_CSLICES; n++)
		if (t->cslices & (1u << n))
			t->dss_mask |= 0xffffull << (PVC_DSS_PER_CSLICE * n);
	t->dss_mask &= ~c->opt.fused_dss;
	for (unsigned int n = 0; n < TILE_CSLICES; n++)
		if (!(t->dss_mask >> (PVC_DSS_PER_CSLICE * n) & 0xffff))
			t->cslices &= ~(1u << n);
	pthread_mutex_init(&t->fault_lock, NULL);
	/* A compute engine exists if the slice of its number does. */
	for (unsigned int n = 0; n < PVC_NUM_CCS; n++)
		init_engine(t, e++, PVC_CLASS_CCS, n, PVC_CCS_BASE(n), t->cslices & (1u << n));
	for (unsigned int n = 0; n < PVC_NUM_BCS; n++)
		init_engine(t, e++, PVC_CLASS_BCS, n, PVC_BCS_BASE(n), true);
}

static void reset_engines(struct tile *t, bool (*select)(const struct engine *e, uint32_t arg),
			  uint32_t arg)
{
	for (unsigned int n = 0; n < TILE_MAX_ENGINES; n++) {
		struct engine *e = &t->engines[n];

		if (!e->present || (select && !select(e, arg)))
			continue;
		engine_reset(e);
		regs_reset_engine(e);
		tlb_invalidate_engine(e);
	}
}

void card_reset(struct card *c)
{
	power_start_firmware(c);
	for (unsigned int i = 0; i < c->num_tiles; i++)
		reset_engines(&c->tiles[i], NULL, 0);
	inject_drop_late(c);
	resets_forget(c);
	irq_reset(c);
	for (unsigned int i = 0; i < c->num_tiles; i++) {
		regs_reset(&c->tiles[i]);
		tlb_invalidate_tile(&c->tiles[i]);
	}
}

static bool reset_function(struct card *c)
{
	if (inject_flr_dead(c))
		return false;
	card_reset(c);
	return true;
}

/* Fill with zeros by a hole in the file, because the client may have it mapped. */
static void forget(int fd, uint64_t size)
{
	if (fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, (off_t)size))
		vlog("memory not cleared: %s", strerror(errno));
}

void card_power_cycle(struct card *c)
{
	card_reset(c);
	pci_reset(c);
	/* Those of a guest that has let the card go (--replug) would add up. */
	dma_forget_files(c);
	forget(c->hbm_fd, c->hbm_backing);
	forget(c->mmio_fd, (uint64_t)c->num_tiles * PVC_MMIO_TILE_STRIDE);
	for (unsigned int i = 0; i < c->num_tiles; i++)
		noise_memory(&c->tiles[i]);
}

static const struct card_ops ops = {
	.reset = reset_function,
	.power_cycle = card_power_cycle,
	.reset_engines = reset_engines,
};

static int inject_option(struct card *c, const char *text)
{
	char why[512];
	int err = inject_command(c, text, why, sizeof(why));

	if (err)
		vlog("--inject %s: %s", text, why);
	return err;
}

/* HBM, and the memory behind BAR0, of which the GGTTs are used. */
static int map_memory(struct card *c)
{
	uint8_t *mmio;

	c->hbm = map_memfd("vpvc-hbm", c->hbm_backing, &c->hbm_fd);
	if (!c->hbm) {
		int err = -errno;

		vlog("no address space for %llu bytes of HBM: %s",
		     (unsigned long long)c->hbm_backing, strerror(errno));
		return err;
	}
	mmio = map_memfd("vpvc-mmio", (uint64_t)c->num_tiles * PVC_MMIO_TILE_STRIDE, &c->mmio_fd);
	if (!mmio)
		return -ENOMEM;
	for (unsigned int i = 0; i < c->num_tiles; i++)
		c->tiles[i].ggtt = (_Atomic uint64_t *)
			(mmio + (size_t)i * PVC_MMIO_TILE_STRIDE + PVC_MMIO_GGTT_OFFSET);
	return 0;
}

/* All parts but the engines, in the order in which they depend on each other. */
static int init_rooms(struct card *c)
{
	int err;

	err = inject_init(c);
	if (!err)
		err = dma_init(c);
	if (!err)
		err = pci_init(c);
	if (!err)
		err = irq_init(c, inject_irq);
	for (unsigned int i = 0; i < c->num_tiles && !err; i++) {
		err = regs_init(&c->tiles[i], &reg_table);
		noise_memory(&c->tiles[i]);
	}
	return err;
}

static int start_engine(struct engine *e)
{
	struct card *c = e->tile->card;
	int err = c->opt.tlb ? tlb_init(e) : 0;

	if (!err && card_punishes(c, STRICT_GGTT_TLB))
		err = tlb_init_ggtt(e);
	if (!err)
		err = engine_init(e);
	if (err) {
		vlog("%s: no thread: %s", e->name, strerror(-err));
		e->present = false;
	}
	return err;
}

static int start_engines(struct card *c)
{
	int err = 0;

	for (unsigned int i = 0; i < c->num_tiles; i++)
		for (unsigned int n = 0; n < TILE_MAX_ENGINES && !err; n++)
			if (c->tiles[i].engines[n].present)
				err = start_engine(&c->tiles[i].engines[n]);
	return err;
}

int card_create(struct card **out, const struct card_options *opt)
{
	struct card *c = calloc(1, sizeof(*c));
	int err;

	if (!c)
		return -ENOMEM;
	c->ops = &ops;
	c->opt = *opt;
	c->num_tiles = opt->tiles;
	c->hbm_size = opt->tiles * opt->hbm;
	c->hbm_backing = round_up_pow2(c->hbm_size);
	c->bar2_size = opt->window ? opt->window : c->hbm_backing;
	c->hbm_fd = -1;
	c->mmio_fd = -1;
	c->all_ones = opt->quirk_all_ones;
	power_start_firmware(c);
	for (unsigned int i = 0; i < c->num_tiles; i++)
		init_tile(c, i);

	err = map_memory(c);
	if (!err)
		err = init_rooms(c);
	if (!err)
		err = peer_publish(c);
	if (!err)
		err = start_engines(c);
	for (unsigned int i = 0; i < opt->num_inject && !err; i++)
		err = inject_option(c, opt->inject[i]);
	if (err) {
		card_destroy(c);
		return err;
	}
	*out = c;
	return 0;
}

void card_destroy(struct card *c)
{
	for (unsigned int i = 0; i < c->num_tiles; i++) {
		for (unsigned int n = 0; n < TILE_MAX_ENGINES; n++) {
			struct engine *e = &c->tiles[i].engines[n];

			/* An engine without a private part was never started. */
			if (e->present && e->priv)
				engine_fini(e);
			tlb_fini(e);
		}
	}
	peer_retract(c);
	inject_fini(c);
	irq_fini(c);
	pci_fini(c);
	dma_fini(c);
	if (c->tiles[0].ggtt)
		munmap((uint8_t *)c->tiles[0].ggtt - PVC_MMIO_GGTT_OFFSET,
		       (size_t)c->num_tiles * PVC_MMIO_TILE_STRIDE);
	if (c->hbm)
		munmap(c->hbm, c->hbm_backing);
	if (c->mmio_fd >= 0)
		close(c->mmio_fd);
	if (c->hbm_fd >= 0)
		close(c->hbm_fd);
	for (unsigned int i = 0; i < c->num_tiles; i++) {
		regs_fini(&c->tiles[i]);
		pthread_mutex_destroy(&c->tiles[i].fault_lock);
	}
	free(c);
}
