// SPDX-License-Identifier: MIT
/*
 * The rules by which the rows of check_table.c are judged: what sold cards have, and how registers
 * depend on each other. A rule sets value and verdict of one line, and reads only.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <linux/pci_regs.h>

#include "regs/pvc_engine_regs.h"
#include "regs/pvc_gt_regs.h"
#include "regs/pvc_pci_regs.h"
#include "regs/pvc_soc_regs.h"

#include "check.h"
#include "check_rules.h"

_Static_assert(CHECK_MAX_TILES == PVC_MAX_TILES, "tiles");

#define GIB		(1ull << 30)
#define MIB		(1ull << 20)
#define COUNT(a)	(sizeof(a) / sizeof((a)[0]))
#define DSS		64	/* of a tile, at most */

/* --- cards that were sold --------------------------------------------------------------- */

struct model {
	uint16_t device;
	unsigned int tiles, dss, meml3;		/* 0: not published */
};

static const struct model models[] = {
	{ PVC_PCI_DEVICE_MAX_1550, 2, 64, 0xf },
	{ PVC_PCI_DEVICE_MAX_1550_B, 2, 64, 0xf },
	{ PVC_PCI_DEVICE_MAX_1100, 1, 56, 0x7 },
	{ PVC_PCI_DEVICE_MAX_1100_B, 1, 56, 0x7 },
	{ PVC_PCI_DEVICE_MAX_1100_C, 1, 56, 0x7 },
	{ PVC_PCI_DEVICE_MAX_1550VG }, { PVC_PCI_DEVICE_MAX_1350 }, { PVC_PCI_DEVICE_MAX_1350_B },
	{ PVC_PCI_DEVICE_MAX_1450 }, { PVC_PCI_DEVICE_MAX_1100C }, { PVC_PCI_DEVICE_ENGINEERING },
	{ PVC_PCI_DEVICE_UNNAMED_0 }, { PVC_PCI_DEVICE_UNNAMED_1 }, { PVC_PCI_DEVICE_UNNAMED_2 },
};

static const struct model *model_of(uint16_t device)
{
	size_t i;

	for (i = 0; i < COUNT(models); i++)
		if (models[i].device == device)
			return &models[i];
	return NULL;
}

bool check_table_knows(uint16_t device)
{
	return model_of(device);
}

static unsigned int told_tiles(const struct check_card *card)
{
	return ((check_read(card, 0, PVC_MTCFG) & PVC_MTCFG_TILE_COUNT_MASK) >>
		PVC_MTCFG_TILE_COUNT_SHIFT) + 1;
}

unsigned int check_table_tiles(const struct check_card *card)
{
	unsigned int tiles = told_tiles(card);

	return tiles <= PVC_MAX_TILES && tiles * (uint64_t)PVC_MMIO_TILE_STRIDE <= card->regs_size ?
	       tiles : 1;
}

/* --- values and verdicts ------------------------------------------------------------ */

static void set_value(struct check_finding *f, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static void set_value(struct check_finding *f, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(f->value, sizeof(f->value), fmt, args);
	va_end(args);
}

void check_judge(struct check_finding *f, enum check_verdict verdict, const char *note)
{
	f->verdict = verdict;
	snprintf(f->note, sizeof(f->note), "%s", verdict != CHECK_PASS && note ? note : "");
}

/* Is it all ones, which no register of the table may be? */
static bool is_dead(struct check_finding *f, uint32_t val)
{
	set_value(f, "0x%08x", val);
	if (val != CHECK_ALL_ONES)
		return false;
	check_judge(f, CHECK_DIFF, "all ones: nothing answers there");
	return true;
}

void rule_equal(RULE_ARGS)
{
	uint32_t val = check_read(card, tile, reg);
	char note[112];

	if (is_dead(f, val))
		return;
	snprintf(note, sizeof(note), "expected %#x in the bits of %#x%s%s", row->value, row->mask,
		 row->note ? ": " : "", row->note ? row->note : "");
	check_judge(f, (val & row->mask) == row->value ? CHECK_PASS : CHECK_DIFF, note);
}

/* The first of some registers whose bits are not all 0 stands for them. */
static void judge_zero(const struct check_card *card, const struct row *row, unsigned int tile,
		       const uint32_t *regs, unsigned int n, struct check_finding *f)
{
	unsigned int i;

	for (i = 0; i < n && !check_read(card, tile, regs[i]); i++)
		;
	f->offset = regs[i < n ? i : 0];
	if (!is_dead(f, check_read(card, tile, f->offset)))
		check_judge(f, i < n ? CHECK_DIFF : CHECK_PASS, row->note);
}

/* Registers side by side, as many as the row's value, which hold errors if anything */
void rule_zeroes(RULE_ARGS)
{
	uint32_t regs[16];
	unsigned int i;

	for (i = 0; i < row->value && i < COUNT(regs); i++)
		regs[i] = reg + i * sizeof(uint32_t);
	judge_zero(card, row, tile, regs, i, f);
}

/* The statuses of an error handler; @reg is its base. */
void rule_error_handler(RULE_ARGS)
{
	const uint32_t regs[] = {
		PVC_IEH_GLOBAL(reg, PVC_ERR_FATAL), PVC_IEH_GLOBAL(reg, PVC_ERR_NONFATAL),
		PVC_IEH_GLOBAL(reg, PVC_ERR_CORRECTABLE), PVC_IEH_LOCAL_UNCORRECTABLE(reg),
		PVC_IEH_LOCAL_CORRECTABLE(reg),
	};

	judge_zero(card, row, tile, regs, COUNT(regs), f);
}

/* A register whose value nobody has published */
void rule_record(RULE_ARGS)
{
	if (!is_dead(f, check_read(card, tile, reg)))
		check_judge(f, CHECK_UNKNOWN, row->note ? row->note : "recorded");
}

/* --- config space ----------------------------------------------------------------------- */

void rule_config_revision(RULE_ARGS)
{
	set_value(f, "0x%02x", card->revision);
	if ((card->revision & PVC_PCI_REV_COMPUTE_TILE_MASK) != PVC_PCI_REV_COMPUTE_TILE_C0)
		check_judge(f, CHECK_DIFF, "not the stepping that was sold; errata of earlier ones are "
			    "not handled");
	else if (card->revision != 0x2f)
		check_judge(f, CHECK_UNKNOWN, "a base die that no public log shows");
}

void rule_config_class(RULE_ARGS)
{
	uint32_t class = check_config(card, PCI_CLASS_DEVICE, 2);

	set_value(f, "0x%04x", class);
	check_judge(f, class == 0x0380 ? CHECK_PASS : CHECK_DIFF, "expected 0x0380");
}

void rule_config_bar0(RULE_ARGS)
{
	set_value(f, "%llu MiB", (unsigned long long)(card->bar_size[PVC_BAR_MMIO] / MIB));
	if (told_tiles(card) > PVC_MAX_TILES)
		check_judge(f, CHECK_UNKNOWN, "no sensible number of tiles");
	else if (card->bar_size[PVC_BAR_MMIO] < told_tiles(card) * (uint64_t)PVC_MMIO_TILE_STRIDE)
		check_judge(f, CHECK_DIFF, "less than 16 MiB for each tile: only tile 0 is audited");
}

static uint64_t range_of(const struct check_card *card, unsigned int tile, uint64_t *base)
{
	uint32_t sg = check_read(card, tile, PVC_SG_TILE_ADDR_RANGE(tile));

	*base = ((sg & PVC_SG_TILE_BASE_MASK) >> PVC_SG_TILE_BASE_SHIFT) * GIB;
	return ((sg & PVC_SG_TILE_SIZE_MASK) >> PVC_SG_TILE_SIZE_SHIFT) * GIB;
}

void rule_config_bar2(RULE_ARGS)
{
	uint64_t size, base, end = 0;
	unsigned int t;

	for (t = 0; t < card->tiles; t++) {
		size = range_of(card, t, &base);
		if (base + size > end)
			end = base + size;
	}
	set_value(f, "%llu MiB", (unsigned long long)(card->bar_size[PVC_BAR_HBM] / MIB));
	if (card->bar_size[PVC_BAR_HBM] < end)
		check_judge(f, CHECK_DIFF, "the CPU does not reach all HBM: enable large BARs in the "
			    "machine's setup");
}

void rule_config_ggtt(RULE_ARGS)
{
	uint32_t ctrl = check_config(card, PVC_PCI_GMCH_CTRL, 2);
	unsigned int log = (ctrl & PVC_GMCH_CTRL_GGMS_MASK) >> PVC_GMCH_CTRL_GGMS_SHIFT;

	if (ctrl == CHECK_ALL_ONES) {
		check_judge(f, CHECK_UNKNOWN, "needs root");
		return;
	}
	set_value(f, "%u MiB", log ? 1u << log : 0);
	check_judge(f, log && (1u << log) * MIB == PVC_MMIO_GGTT_SIZE ? CHECK_PASS : CHECK_DIFF,
		    "expected a global page table of 8 MiB");
}

void rule_config_link(RULE_ARGS)
{
	unsigned int at = check_capability(card, PCI_CAP_ID_EXP);
	uint32_t status = check_config(card, at + PCI_EXP_LNKSTA, 2);
	unsigned int speed = status & PCI_EXP_LNKSTA_CLS;
	unsigned int width = (status & PCI_EXP_LNKSTA_NLW) >> PCI_EXP_LNKSTA_NLW_SHIFT;

	if (!at) {
		check_judge(f, CHECK_UNKNOWN, "no PCI Express capability");
		return;
	}
	set_value(f, "gen %u, x%u", speed, width);
	/* A machine may be what limits the link, so a slower one is no sign of a bad card. */
	check_judge(f, speed == 5 && width == 16 ? CHECK_PASS : CHECK_UNKNOWN,
		    "sold with gen 5, x16; a slot or a virtual machine may offer less");
}

void rule_config_sriov(RULE_ARGS)
{
	unsigned int at = check_ext_capability(card, PCI_EXT_CAP_ID_SRIOV);
	uint32_t vfs = check_config(card, at + PCI_SRIOV_NUM_VF, 2);

	if (!at) {
		check_judge(f, CHECK_UNKNOWN, "no SR-IOV capability");
		return;
	}
	set_value(f, "%u virtual functions", vfs);
	check_judge(f, vfs ? CHECK_DIFF : CHECK_PASS, "the card is shared with virtual functions");
}

void rule_config_aer(RULE_ARGS)
{
	unsigned int at = check_ext_capability(card, PCI_EXT_CAP_ID_ERR);
	uint32_t status = check_config(card, at + PCI_ERR_UNCOR_STATUS, 4);

	if (!at) {
		check_judge(f, CHECK_UNKNOWN, "no error reporting capability");
		return;
	}
	set_value(f, "0x%08x", status);
	check_judge(f, status ? CHECK_DIFF : CHECK_PASS, "uncorrectable errors of the link are recorded");
}

/* --- card and tiles ----------------------------------------------------------------------- */

void rule_alive_tiles(RULE_ARGS)
{
	unsigned int tiles = told_tiles(card);
	const struct model *model = model_of(card->device);

	set_value(f, "%u", tiles);
	if (tiles > PVC_MAX_TILES)
		check_judge(f, CHECK_DIFF, "no card has so many: only tile 0 is audited");
	else if (!model->tiles)
		check_judge(f, CHECK_UNKNOWN, "not published for this model");
	else if (tiles != model->tiles)
		check_judge(f, CHECK_UNKNOWN, "another number than this model was sold with");
}

void rule_alive_id(RULE_ARGS)
{
	uint32_t val = check_read(card, tile, reg);

	if (!is_dead(f, val))
		check_judge(f, (val & PVC_MTCFG_TILE_ID_MASK) == tile ? CHECK_PASS : CHECK_DIFF,
			    "the registers of another tile");
}

void rule_pcode_complete(RULE_ARGS)
{
	uint32_t status = 0;
	int err;

	if (!(card->writes & CHECK_PCODE)) {
		check_judge(f, CHECK_UNKNOWN, "not asked: needs --pcode");
		return;
	}
	err = check_pcode_status(card, &status);
	if (err < 0) {
		check_judge(f, CHECK_DIFF, "the mailbox does not answer");
	} else if (err) {
		set_value(f, "error %#x", err);
		check_judge(f, CHECK_DIFF, "the power controller refuses: after a reset wait for 15 s");
	} else if (!is_dead(f, status)) {
		check_judge(f, status & PVC_PCODE_STATUS_COMPLETE ? CHECK_PASS : CHECK_DIFF,
			    "firmware is not ready: after a reset wait for 15 s");
	}
}

void rule_hbm_range(RULE_ARGS)
{
	uint64_t base, size, other_base, other_size;
	unsigned int t;

	if (is_dead(f, check_read(card, tile, reg)))
		return;
	size = range_of(card, tile, &base);
	set_value(f, "%llu GiB at %llu GiB", (unsigned long long)(size / GIB),
		  (unsigned long long)(base / GIB));
	if (!size) {
		check_judge(f, CHECK_DIFF, "an empty range");
		return;
	}
	for (t = 0; t < tile; t++) {
		other_size = range_of(card, t, &other_base);
		if (base < other_base + other_size && other_base < base + size) {
			check_judge(f, CHECK_DIFF, "overlaps with the HBM of a tile before it");
			return;
		}
	}
	if ((size != 64 * GIB && size != 48 * GIB) || base != tile * 64 * GIB)
		check_judge(f, CHECK_UNKNOWN, "sold with 64 or 48 GiB at 64 GiB times the tile's number");
}

void rule_hbm_ranges_agree(RULE_ARGS)
{
	uint32_t gt = check_read_instance(card, tile, PVC_TILE_ADDR_RANGE(tile), 0, 0);
	uint64_t base, size = range_of(card, tile, &base);

	f->offset = PVC_TILE_ADDR_RANGE(tile);
	if (is_dead(f, gt))
		return;
	if ((gt & PVC_TILE_BASE_MASK) >> PVC_TILE_BASE_SHIFT != base / GIB ||
	    (gt & PVC_TILE_SIZE_MASK) >> PVC_TILE_SIZE_SHIFT != size / GIB)
		check_judge(f, CHECK_DIFF, "not the range that the other register tells");
}

static uint64_t read_pair(const struct check_card *card, unsigned int tile, uint32_t reg)
{
	return (uint64_t)check_read(card, tile, reg + 4) << 32 | check_read(card, tile, reg);
}

void rule_hbm_carve_out(RULE_ARGS)
{
	uint64_t base, size = range_of(card, tile, &base);
	uint64_t end = read_pair(card, tile, reg);

	/* The base of stolen memory has a lock and other bits below. */
	if (reg == PVC_DSMBASE)
		end &= PVC_DSMBASE_MASK;
	set_value(f, "%#llx", (unsigned long long)end);
	if (end <= base || end > base + size)
		check_judge(f, CHECK_DIFF, "outside of the tile's HBM");
	else if (reg == PVC_GSMBASE && end != base + size - 16 * MIB)
		check_judge(f, CHECK_UNKNOWN, "logs of sold cards show 16 MiB below the end");
}

/* Ratios of the unit of 50/3 MHz: RP0, and RPn; 0 if they make no sense */
static unsigned int ratios_of(const struct check_card *card, unsigned int tile, unsigned int *lowest)
{
	uint32_t cap = check_read(card, tile, PVC_RP_STATE_CAP);
	unsigned int rp0 = (cap & PVC_RP0_CAP_MASK) * PVC_RATIO_PER_50_MHZ;
	unsigned int rp1 = ((cap & PVC_RP1_CAP_MASK) >> PVC_RP1_CAP_SHIFT) * PVC_RATIO_PER_50_MHZ;

	*lowest = ((cap & PVC_RPN_CAP_MASK) >> PVC_RPN_CAP_SHIFT) * PVC_RATIO_PER_50_MHZ;
	return *lowest && *lowest <= rp1 && rp1 <= rp0 ? rp0 : 0;
}

void rule_frequencies(RULE_ARGS)
{
	unsigned int lowest, highest = ratios_of(card, tile, &lowest);

	if (is_dead(f, check_read(card, tile, reg)))
		return;
	if (highest)
		set_value(f, "%u to %u MHz", lowest * 50 / PVC_RATIO_PER_50_MHZ,
			  highest * 50 / PVC_RATIO_PER_50_MHZ);
	check_judge(f, highest ? CHECK_PASS : CHECK_DIFF, "no sensible order of RP0, RP1, RPn");
}

void rule_frequency(RULE_ARGS)
{
	uint32_t val = check_read(card, tile, reg);
	unsigned int ratio = (val & PVC_RPSTAT1_RATIO_MASK) >> PVC_RPSTAT1_RATIO_SHIFT;
	unsigned int lowest, highest = ratios_of(card, tile, &lowest);

	if (is_dead(f, val))
		return;
	set_value(f, "%u MHz", ratio * 50 / PVC_RATIO_PER_50_MHZ);
	if (!highest)
		check_judge(f, CHECK_UNKNOWN, "the tile's range is not known");
	else if (!ratio)
		check_judge(f, CHECK_UNKNOWN, "the tile sleeps");
	else if (ratio < lowest || ratio > highest)
		check_judge(f, CHECK_DIFF, "outside of the range that the tile tells");
}

void rule_rapl(RULE_ARGS)
{
	set_value(f, "0x%016llx", (unsigned long long)read_pair(card, tile, reg));
	check_judge(f, read_pair(card, tile, reg) == ~0ull ? CHECK_DIFF : CHECK_UNKNOWN, row->note);
}

void rule_well(RULE_ARGS)
{
	uint32_t val = check_read(card, tile, reg);

	if (!is_dead(f, val))
		check_judge(f, val & PVC_FORCEWAKE_KERNEL ? CHECK_PASS : CHECK_DIFF,
			    "the well does not wake: what is behind it cannot be read");
}

/* Requests from before this audit: of a predecessor that crashed, or of firmware */
void rule_well_requests(RULE_ARGS)
{
	uint32_t before = card->requests[tile][reg != PVC_FORCEWAKE_GT];

	if (!is_dead(f, before))
		check_judge(f, before & 0xffff ? CHECK_DIFF : CHECK_PASS, "a predecessor left requests");
}

/* --- behind the wells ----------------------------------------------------------------------- */

uint64_t check_dss_mask(const struct check_card *card, unsigned int tile)
{
	return (uint64_t)check_read(card, tile, PVC_COMPUTE_DSS_ENABLE_EXT) << 32 |
	       check_read(card, tile, PVC_COMPUTE_DSS_ENABLE);
}

void rule_fuse_dss(RULE_ARGS)
{
	uint64_t mask = check_dss_mask(card, tile);
	unsigned int n = __builtin_popcountll(mask);
	const struct model *model = model_of(card->device);

	set_value(f, "%u, %#llx", n, (unsigned long long)mask);
	if (!n)
		check_judge(f, CHECK_DIFF, "no compute at all");
	else if (!model->dss)
		check_judge(f, CHECK_UNKNOWN, "not published for this model");
	else if (n > model->dss)
		check_judge(f, CHECK_DIFF, "more than this model was sold with");
}

void rule_fuse_meml3(RULE_ARGS)
{
	uint32_t val = check_read(card, tile, reg), nodes = val & PVC_FUSE3_MEML3_EN_MASK;
	const struct model *model = model_of(card->device);

	if (is_dead(f, val))
		return;
	if (!nodes || !(val & PVC_FUSE3_L3_MODE_MASK))
		check_judge(f, CHECK_DIFF, "no L3 at all");
	else if (!model->meml3)
		check_judge(f, CHECK_UNKNOWN, "not published for this model");
	else if (nodes != model->meml3)
		check_judge(f, CHECK_DIFF, model->meml3 == 0xf ? "this model was sold with nodes 0xf" :
							   "this model was sold with nodes 0x7");
}

static uint32_t clock_hz(const struct check_card *card, unsigned int tile)
{
	uint32_t config = check_read(card, tile, PVC_RPM_CONFIG0);
	unsigned int shift = (config & PVC_RPM_CTC_SHIFT_MASK) >> PVC_RPM_CTC_SHIFT_SHIFT;

	switch (config & PVC_RPM_CRYSTAL_MASK) {
	case PVC_RPM_CRYSTAL_24_MHZ:
		return 24000000 >> (3 - shift);
	case PVC_RPM_CRYSTAL_19_2_MHZ:
		return 19200000 >> (3 - shift);
	case PVC_RPM_CRYSTAL_38_4_MHZ:
		return 38400000 >> (3 - shift);
	case PVC_RPM_CRYSTAL_25_MHZ:
		return 25000000 >> (3 - shift);
	default:
		return 0;
	}
}

void rule_crystal(RULE_ARGS)
{
	if (is_dead(f, check_read(card, tile, reg)))
		return;
	set_value(f, "%u Hz", clock_hz(card, tile));
	check_judge(f, clock_hz(card, tile) ? CHECK_PASS : CHECK_DIFF, "an unknown crystal");
}

/* All live subslices hold the same; a dead one answers 0. */
void rule_replicated(RULE_ARGS)
{
	unsigned int d, n = 0, odd = 0, first_odd = 0, dead = 0, first_dead = 0;
	uint64_t live = check_dss_mask(card, tile);
	uint32_t val, first = 0;

	for (d = 0; d < DSS; d++) {
		val = check_read_instance(card, tile, reg, d / PVC_DSS_PER_MCR_GROUP, d % PVC_DSS_PER_MCR_GROUP);
		if (!(live >> d & 1)) {
			if (val && !dead++)
				first_dead = d;
			continue;
		}
		if (!n++)
			first = val;
		else if (val != first && !odd++)
			first_odd = d;
	}
	if (!n) {
		check_judge(f, CHECK_UNKNOWN, "no live subslice to read it from");
		return;
	}
	if (is_dead(f, first))
		return;
	if (odd)
		set_value(f, "0x%08x, odd DSS %u", first, first_odd);
	else if (dead)
		set_value(f, "0x%08x, dead DSS %u answers", first, first_dead);
	check_judge(f, odd || dead ? CHECK_DIFF : CHECK_PASS,
		    odd ? "not equal on all live subslices" :
			  "a subslice that is fused off does not answer 0");
}

/* --- engines -------------------------------------------------------------------------------- */

void rule_engine_id(RULE_ARGS)
{
	uint32_t val = check_read(card, tile, reg), base = reg - PVC_RING_ENGINE_ID(0);
	uint32_t class = PVC_CLASS_BCS, instance = 0, i;

	for (i = 0; i < PVC_NUM_CCS; i++)
		if (PVC_CCS_BASE(i) == base) {
			class = PVC_CLASS_CCS;
			instance = i;
		}
	for (i = 0; i < PVC_NUM_BCS; i++)
		if ((uint32_t)PVC_BCS_BASE(i) == base)
			instance = i;
	if (is_dead(f, val))
		return;
	check_judge(f, (val & PVC_ENGINE_ID_CLASS_MASK) == class &&
		    (val & PVC_ENGINE_ID_INSTANCE_MASK) >> PVC_ENGINE_ID_INSTANCE_SHIFT == instance ?
		    CHECK_PASS : CHECK_DIFF, "another class or instance than this engine has");
}

/*
 * The counter's steps lie between those of the clock's times around both reads. So a slow reader
 * only makes the bounds wider, and no verdict depends on how fast the machine is. The clock of a
 * virtual machine may be wrong by several percent. A fault of the clock configuration that matters
 * makes the rate wrong by half at least.
 */
void rule_timestamp(RULE_ARGS)
{
	const struct timespec pause = { .tv_nsec = 5000000 };
	uint64_t before[2], after[2], steps, hz = clock_hz(card, tile);
	uint32_t val[2];
	unsigned int i;

	for (i = 0; i < 2; i++) {
		before[i] = check_now();
		val[i] = check_read(card, tile, reg);
		after[i] = check_now();
		if (!i)
			nanosleep(&pause, NULL);
	}
	steps = (uint32_t)(val[1] - val[0]);
	if (is_dead(f, val[0]) && val[0] == val[1])
		return;
	set_value(f, "%llu steps in %llu us", (unsigned long long)steps,
		  (unsigned long long)((before[1] - after[0]) / 1000));
	if (!hz)
		check_judge(f, CHECK_UNKNOWN, "the clock's rate is not known");
	else if (steps * 1000000000ull < hz * (before[1] - after[0]) / 3 * 2 ||
		 steps * 1000000000ull > hz * (after[1] - before[0]) / 2 * 3)
		check_judge(f, CHECK_DIFF, "not the rate that the clock configuration tells");
	else
		check_judge(f, CHECK_PASS, NULL);
}
