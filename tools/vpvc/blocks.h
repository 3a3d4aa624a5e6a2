/* SPDX-License-Identifier: MIT */
/*
 * What the blocks of the card offer each other; the command streamers see
 * card.h only.
 */
#ifndef VPVC_BLOCKS_H
#define VPVC_BLOCKS_H

#include <stdio.h>

#include "card.h"

/* ---- card.c ---- */

/*
 * Make a card with its engines running.  @opt is copied (strings are not).
 * 0 or -errno, with one line in the log.
 */
int card_create(struct card **out, const struct card_options *opt);
void card_destroy(struct card *c);

/* FLR, device reset, driver FLR: registers, engines, interrupts; HBM stays. */
void card_reset(struct card *c);

/* As if it had been without power: HBM and config space, too. */
void card_power_cycle(struct card *c);

/* Engines of one kind back to their reset state. */
void card_reset_engines(struct tile *t, bool (*select)(const struct engine *e, uint32_t arg),
			uint32_t arg);

/* ---- regs.c: mechanism, regs_table.c: data ---- */

enum reg_access {
	REG_RW,			/* plain storage */
	REG_RO,
	REG_W1C,		/* a 1 clears the bit */
	REG_MASKED,		/* bits 31:16 enable the write of bits 15:0 */
};

#define REG_ROOT	0x1	/* exists once: other tiles' accesses go to tile 0 */
#define REG_HOST	0x2	/* command streams may not write it */
#define REG_SHAPE	0x4	/* reset value follows from options, see regs_reset_shape() */

struct reg_rule {
	uint32_t off;
	const char *name;
	enum reg_access access;
	uint32_t reset;
	unsigned int flags;
	unsigned int count;	/* of consecutive dwords, 0 = 1 */
	/* Hooks replace the access to storage. */
	uint32_t (*read)(struct tile *t, uint32_t off);
	void (*write)(struct tile *t, uint32_t off, uint32_t val);
};

extern const struct reg_rule reg_rules[];
extern const unsigned int num_reg_rules;
/* Offsets are from an engine's base; hooks get the tile and the full offset. */
extern const struct reg_rule engine_reg_rules[];
extern const unsigned int num_engine_reg_rules;

int regs_init(struct tile *t);
void regs_fini(struct tile *t);
/* All registers, or those of one engine, to their reset values. */
void regs_reset(struct tile *t);
void regs_reset_engine(struct engine *e);
/* Host accesses since the start or the last reset of the counters, in order of offset. */
typedef void reg_access_fn(void *arg, uint32_t off, uint64_t reads, uint64_t writes);
void regs_for_each_access(struct tile *t, reg_access_fn *fn, void *arg);
void regs_reset_accesses(struct tile *t);
/* Values a tile's own shape decides; regs_table.c. */
void regs_reset_shape(struct tile *t);

/* ---- noise.c: what --seed makes of the power-on state ---- */
void noise_memory(struct tile *t);
void noise_registers(struct tile *t);

/* Name of a register for the log, NULL if it has none. */
const char *reg_name(uint32_t off);

/* ---- irq.c ---- */
int irq_init(struct card *c);
void irq_fini(struct card *c);
void irq_reset(struct card *c);
uint32_t irq_mmio_read(struct tile *t, uint32_t off);
void irq_mmio_write(struct tile *t, uint32_t off, uint32_t val);

/* Past the masks, and past injected faults.  @again: to come back once acknowledged. */
void irq_deliver(struct tile *t, unsigned int class, unsigned int instance,
		 uint32_t vector, uint32_t again);
/* An error of the tile itself: its bits of GFX_MSTR_IRQ. */
void irq_raise_error(struct tile *t, uint32_t bits);

/* ---- inject_command.c: faults on request ---- */
/* "NAME ARGUMENTS"; 0, or -EINVAL with a line without quotes in @why. */
int inject_command(struct card *c, const char *text, char *why, size_t size);
/* The table of what there is, for --help or for the documentation. */
void inject_help(FILE *f, bool rst);

/* ---- inject.c: where they strike; the engines' hooks are in card.h ---- */
int inject_init(struct card *c);
void inject_fini(struct card *c);
/* Forget interrupts that are still to come. */
void inject_drop_late(struct card *c);
/* What is left of @vector, and what shall come again. */
uint32_t inject_irq(struct engine *e, uint32_t vector, uint32_t *again);
/* For INJECT_FAULT tiles: may refuse an access, or cut the piece @s. */
enum xlat inject_fault(const struct aspace *as, uint64_t va, bool write, struct span *s);
/* For INJECT_POISON tiles: is @dpa bad? If not, *@len is cut to what is good. */
bool inject_poisoned(struct card *c, uint64_t dpa, uint64_t *len);
#define INJECT_WELL_GT		0x1u
#define INJECT_WELL_RENDER	0x2u
#define INJECT_WELL_MEDIA	0x4u
bool inject_well_silent(struct tile *t, unsigned int well);
enum inject_pcode { INJECT_PCODE_NONE, INJECT_PCODE_ERROR, INJECT_PCODE_BUSY };
enum inject_pcode inject_pcode(struct tile *t, uint32_t command, uint32_t *code);
/* Of the domains written to GDRST those that do not answer. */
uint32_t inject_reset(struct tile *t, uint32_t domains);
/* For INJECT_REGISTER tiles: what the host reads where @val is. */
uint32_t inject_register(struct tile *t, uint32_t off, uint32_t val);

/* ---- tlb.c ---- */

/* What a walk ends at. */
struct leaf {
	uint64_t phys, size;
	unsigned int level;
	bool local;		/* HBM, else guest memory */
	bool null, writable, atomics;
};

/* A table on the way to it. */
struct table {
	uint64_t addr;			/* DPA */
	unsigned int level;		/* of its entries */
	bool compact;			/* of level 0, with 32 entries */
	bool writable;			/* so far */
};

int tlb_init(struct engine *e);
void tlb_fini(struct engine *e);
/* @e may be NULL, or keep nothing. */
bool tlb_find(struct engine *e, uint64_t root, uint64_t va, struct leaf *leaf);
void tlb_keep(struct engine *e, uint64_t root, uint64_t va, const struct leaf *leaf);
/* The table of the lowest level that is known on the way to @va. */
bool tlb_find_table(struct engine *e, uint64_t root, uint64_t va, struct table *table);
/* @table: of a level below the root's. */
void tlb_keep_table(struct engine *e, uint64_t root, uint64_t va, const struct table *table);
/* The registers' way, and the resets'. */
void tlb_invalidate_tile(struct tile *t);

/* ---- dma.c: guest memory ---- */
int dma_init(struct card *c);
void dma_fini(struct card *c);
/*
 * @fd: file behind the range, consumed; -1 = known to exist, not reachable.
 * 0, -EINVAL (alignment, overflow, beyond the file), -EEXIST (overlap),
 * -ENOSPC (too many ranges), or an error of mmap().
 */
int dma_map(struct card *c, uint64_t addr, uint64_t size, uint64_t offset,
	    int fd, bool writable);
/* Whole ranges inside [addr, addr+size); -EINVAL if a range is cut. */
int dma_unmap(struct card *c, uint64_t addr, uint64_t size);
void dma_unmap_all(struct card *c);

/* ---- sigbus.c ---- */
/*
 * From now on a file behind [base, base + size) that ends too early makes *lost
 * true instead of killing the process.  False: no room for another one.
 */
extern atomic_uint sigbus_hits;		/* how often that has happened */
bool sigbus_watch(void *base, size_t size, atomic_bool *lost);
void sigbus_forget(void *base);

/* ---- pci.c ---- */
#define PCI_CONFIG_SIZE 4096

int pci_init(struct card *c);
void pci_fini(struct card *c);
void pci_reset(struct card *c);
void pci_config_read(struct card *c, uint32_t off, void *buf, uint32_t len);
void pci_config_write(struct card *c, uint32_t off, const void *buf, uint32_t len);
bool pci_bus_master(struct card *c);
/* Not in D3hot: only there do registers and memory answer. */
bool pci_answers(struct card *c);
/* Where the message goes: an eventfd, consumed, or -1. */
void pci_set_msi(struct card *c, int fd);
/* Send the message, if the guest listens. */
void pci_send_msi(struct card *c);

/* ---- vfu.c: one vfio-user connection ---- */
struct vfu;

struct vfu *vfu_create(struct card *c, int fd);
void vfu_destroy(struct vfu *v);
int vfu_fd(const struct vfu *v);	/* to poll for */
/* Bytes are there: serve what is complete.  False: the connection is over. */
bool vfu_serve(struct vfu *v);

/* ---- control.c ---- */
struct control;
struct pollfd;

/* Listen at @path; 0 or -errno. */
int control_create(struct control **out, struct card *c, const char *path);
void control_destroy(struct control *ctl);
/* Add what to poll for to @fds (room for CONTROL_FDS), and serve it after. */
#define CONTROL_FDS 9
unsigned int control_poll(struct control *ctl, struct pollfd *fds);
void control_serve(struct control *ctl, const struct pollfd *fds, unsigned int n);
/* One command line in, one line of JSON (with newline) out; malloc()ed. */
char *control_command(struct card *c, const char *line);

/* ---- socket.c ---- */
/* A listening UNIX stream socket at @path; a stale one is replaced. fd or -errno. */
int socket_listen(const char *path);

/* ---- spec.c: the tables as the documentation has them ---- */
extern const char * const spec_sections[];	/* ended by NULL */
void spec_print(FILE *f, const char *section);

/* ---- options.c ---- */
/* 0; 1 = what was asked for was printed; -EINVAL with a line on stderr. */
int options_parse(struct card_options *opt, int argc, char **argv);

#endif
