// SPDX-License-Identifier: MIT
/*
 * A card as sysfs shows it: config space, and the registers of BAR0. Nothing is written unless the
 * caller allows it. Requests for wells and the selector are put back; the words that a query leaves
 * in the mailbox of the power controller are not, because they are the controller's answer.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/pci_regs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "regs/pvc_gt_regs.h"
#include "regs/pvc_pci_regs.h"
#include "regs/pvc_soc_regs.h"

#include "check.h"

/* As long as xe and xetile wait for a well; the mailbox answers within a millisecond. */
#define WAKE_NS		50000000ull
#define PCODE_NS	10000000ull

static const uint32_t wells[2][2] = {
	{ PVC_FORCEWAKE_GT, PVC_FORCEWAKE_ACK_GT },
	{ PVC_FORCEWAKE_RENDER, PVC_FORCEWAKE_ACK_RENDER },
};

/* --- sysfs ---------------------------------------------------------------------------- */

static void path_of(const struct check_card *card, const char *file, char *path, size_t size)
{
	snprintf(path, size, "%s/%s/%s", card->sysfs, card->address, file);
}

static long read_number(const char *sysfs, const char *address, const char *file)
{
	char path[512];
	FILE *f;
	long n;

	snprintf(path, sizeof(path), "%s/%s/%s", sysfs, address, file);
	f = fopen(path, "r");
	if (!f)
		return -1;
	if (fscanf(f, "%li", &n) != 1)
		n = -1;
	fclose(f);
	return n;
}

bool check_card_next(const char *sysfs, char address[32])
{
	char best[32] = "";
	struct dirent *entry;
	DIR *dir = opendir(sysfs);

	if (!dir)
		return false;
	while ((entry = readdir(dir))) {
		if (entry->d_name[0] == '.' || strlen(entry->d_name) >= sizeof(best))
			continue;
		if (strcmp(entry->d_name, address) <= 0 ||
		    (best[0] && strcmp(entry->d_name, best) >= 0))
			continue;
		if (read_number(sysfs, entry->d_name, "vendor") == PVC_PCI_VENDOR &&
		    check_table_knows(read_number(sysfs, entry->d_name, "device")))
			strcpy(best, entry->d_name);
	}
	closedir(dir);
	strcpy(address, best);
	return best[0];
}

static int fail(struct check_card *card, const char *what, const char *advice)
{
	snprintf(card->error, sizeof(card->error), "%s%s%s", what, advice[0] ? "; " : "", advice);
	fprintf(stderr, "xetilectl: %s: %s\n", card->address, card->error);
	return -1;
}

static void read_driver(struct check_card *card)
{
	char path[512], link[512];
	ssize_t len;

	path_of(card, "driver", path, sizeof(path));
	len = readlink(path, link, sizeof(link) - 1);
	card->driver[0] = 0;
	if (len <= 0)
		return;
	link[len] = 0;
	snprintf(card->driver, sizeof(card->driver), "%.31s",
		 strrchr(link, '/') ? strrchr(link, '/') + 1 : link);
}

static int read_config(struct check_card *card)
{
	char path[512];
	ssize_t n;
	int fd;

	path_of(card, "config", path, sizeof(path));
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return fail(card, errno == ENOENT ? "there is no such PCI device" : strerror(errno),
			    errno == ENOENT ? "addresses are as in 0000:3a:00.0" : "");
	n = pread(fd, card->config, sizeof(card->config), 0);
	close(fd);
	card->config_size = n > 0 ? n : 0;
	/* Others than root get the first 64 bytes. */
	if (card->config_size < 64)
		return fail(card, "config space cannot be read", "");
	return 0;
}

/* The sizes of the BARs, from lines of start, end and flags */
static int read_bars(struct check_card *card)
{
	unsigned long long start, end, flags;
	unsigned int i;
	char path[512];
	FILE *f;

	path_of(card, "resource", path, sizeof(path));
	f = fopen(path, "r");
	if (!f)
		return fail(card, "no list of its BARs", "");
	for (i = 0; i < 6 && fscanf(f, "%llx %llx %llx", &start, &end, &flags) == 3; i++)
		card->bar_size[i] = end > start ? end - start + 1 : 0;
	fclose(f);
	return 0;
}

static int check_awake(struct check_card *card)
{
	unsigned int pm = check_capability(card, PCI_CAP_ID_PM);
	char advice[160];

	if (check_config(card, PCI_VENDOR_ID, 4) == CHECK_ALL_ONES)
		return fail(card, "config space reads all ones: the card does not answer",
			    "the link is down, or the card has no power");
	if (pm && (check_config(card, pm + PCI_PM_CTRL, 2) & PCI_PM_CTRL_STATE_MASK)) {
		snprintf(advice, sizeof(advice), "echo on > %s/%s/power/control", card->sysfs,
			 card->address);
		return fail(card, "the card sleeps (D3)", advice);
	}
	if (!(check_config(card, PCI_COMMAND, 2) & PCI_COMMAND_MEMORY)) {
		snprintf(advice, sizeof(advice), "to switch it on: echo 1 > %s/%s/enable",
			 card->sysfs, card->address);
		return fail(card, "memory decoding is off, so the registers cannot be read",
			    advice);
	}
	return 0;
}

static int map_registers(struct check_card *card)
{
	int fd, mode = card->writes ? O_RDWR : O_RDONLY;
	char path[512], advice[200];
	struct stat st;
	void *map;

	path_of(card, "resource0", path, sizeof(path));
	fd = open(path, mode | O_SYNC | O_CLOEXEC);
	if (fd < 0)
		return fail(card, errno == ENOENT ? "it has no BAR0" :
			    errno == EACCES ? "no permission to open resource0" : strerror(errno),
			    errno == EACCES ? "the audit needs root" :
			    errno == EPERM ? "a kernel in lockdown lends no registers: "
					     "see probe_stage=0 of the driver" : "");
	/* sysfs gives the file the size of the BAR; a BAR without a size has no registers. */
	if (fstat(fd, &st) || st.st_size < PVC_MMIO_TILE_STRIDE) {
		close(fd);
		return fail(card, "BAR0 is too small for a tile, or has no address", "");
	}
	card->regs_size = st.st_size;
	map = mmap(NULL, card->regs_size, PROT_READ | (card->writes ? PROT_WRITE : 0), MAP_SHARED,
		   fd, 0);
	close(fd);
	if (map != MAP_FAILED) {
		card->regs = map;
		return 0;
	}
	if (errno == EPERM)
		return fail(card, "the kernel is in lockdown and lends no registers",
			    "see probe_stage=0 of the driver");
	if (errno == EINVAL && card->driver[0]) {
		snprintf(advice, sizeof(advice), "echo %s > %s/%s/driver/unbind", card->address,
			 card->sysfs, card->address);
		return fail(card, "its driver has the registers, and this kernel lends them to "
			    "nobody else (IO_STRICT_DEVMEM)", advice);
	}
	return fail(card, strerror(errno), "");
}

int check_card_open(struct check_card *card)
{
	char what[96];

	if (read_config(card))
		return -1;
	read_driver(card);
	card->device = check_config(card, PCI_DEVICE_ID, 2);
	card->revision = check_config(card, PCI_REVISION_ID, 1);
	if (check_config(card, PCI_VENDOR_ID, 4) != CHECK_ALL_ONES &&
	    (check_config(card, PCI_VENDOR_ID, 2) != PVC_PCI_VENDOR ||
	     !check_table_knows(card->device)))
		/* Reads of other devices' registers may have effects. */
		return fail(card, "not a card that the driver knows", "");
	if (card->writes && card->driver[0]) {
		snprintf(what, sizeof(what), "bound to %s, which owns wells and mailbox",
			 card->driver);
		return fail(card, what, "--wake and --pcode need an unbound card");
	}
	if (check_awake(card) || read_bars(card) || map_registers(card))
		return -1;
	if (check_read(card, 0, PVC_MTCFG) == CHECK_ALL_ONES) {
		check_card_close(card);
		return fail(card, "registers read all ones: the card does not answer",
			    "reset it, or switch the machine off and on");
	}
	card->tiles = check_table_tiles(card);
	return 0;
}

void check_card_close(struct check_card *card)
{
	if (card->regs)
		munmap((void *)card->regs, card->regs_size);
	card->regs = NULL;
}

/* --- reads ---------------------------------------------------------------------------- */

static volatile uint32_t *reg_at(const struct check_card *card, unsigned int tile, uint32_t reg)
{
	return card->regs + ((size_t)tile * PVC_MMIO_TILE_STRIDE + reg) / 4;
}

uint32_t check_read(const struct check_card *card, unsigned int tile, uint32_t reg)
{
	return *reg_at(card, tile, reg);
}

uint32_t check_config(const struct check_card *card, unsigned int off, unsigned int bytes)
{
	uint32_t val = 0;

	if (off + bytes > card->config_size)
		return CHECK_ALL_ONES;
	while (bytes--)
		val = val << 8 | card->config[off + bytes];
	return val;
}

unsigned int check_capability(const struct check_card *card, unsigned int id)
{
	unsigned int at = check_config(card, PCI_CAPABILITY_LIST, 1) & ~3u, left = 48;

	/* A list that runs in a circle ends here, too. */
	while (at >= 64 && at < 256 && left--) {
		if (check_config(card, at, 1) == id)
			return at;
		at = check_config(card, at + 1, 1) & ~3u;
	}
	return 0;
}

unsigned int check_ext_capability(const struct check_card *card, unsigned int id)
{
	unsigned int at = PCI_CFG_SPACE_SIZE, left = 480;
	uint32_t header;

	while (at >= PCI_CFG_SPACE_SIZE && at < card->config_size && left--) {
		header = check_config(card, at, 4);
		if (!header || header == CHECK_ALL_ONES)
			return 0;
		if (PCI_EXT_CAP_ID(header) == id)
			return at;
		at = PCI_EXT_CAP_NEXT(header);
	}
	return 0;
}

uint64_t check_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ull + now.tv_nsec;
}

/* --- writes, and putting back ----------------------------------------------------------- */

static void check_write(const struct check_card *card, unsigned int tile, uint32_t reg,
			uint32_t val)
{
	*reg_at(card, tile, reg) = val;
}

/* Returns the register when its bits of @mask are @val, or when the time is up. */
static uint32_t wait_for(const struct check_card *card, unsigned int tile, uint32_t reg,
			 uint32_t mask, uint32_t val, uint64_t ns)
{
	uint64_t end = check_now() + ns;
	uint32_t now;

	do {
		now = check_read(card, tile, reg);
	} while ((now & mask) != val && check_now() < end);
	return now;
}

void check_card_wake(struct check_card *card)
{
	unsigned int t, w;
	uint32_t ack;

	for (t = 0; t < card->tiles; t++) {
		card->awake[t] = true;
		for (w = 0; w < 2; w++) {
			card->requests[t][w] = check_read(card, t, wells[w][0]);
			check_write(card, t, wells[w][0],
				    PVC_MASKED_SET(PVC_FORCEWAKE_KERNEL));
			ack = wait_for(card, t, wells[w][1], PVC_FORCEWAKE_KERNEL,
				       PVC_FORCEWAKE_KERNEL, WAKE_NS);
			if (!(ack & PVC_FORCEWAKE_KERNEL) || ack == CHECK_ALL_ONES)
				card->awake[t] = false;
		}
		card->selector[t] = check_read(card, t, PVC_MCR_SELECTOR);
	}
}

void check_card_sleep(struct check_card *card)
{
	unsigned int t, w;

	for (t = 0; t < card->tiles; t++) {
		if (card->awake[t])
			check_write(card, t, PVC_MCR_SELECTOR, card->selector[t]);
		for (w = 2; w--;) {
			/* A request that was there before is somebody else's. */
			if (card->requests[t][w] != CHECK_ALL_ONES &&
			    (card->requests[t][w] & PVC_FORCEWAKE_KERNEL))
				continue;
			check_write(card, t, wells[w][0], PVC_MASKED_CLEAR(PVC_FORCEWAKE_KERNEL));
			wait_for(card, t, wells[w][1], PVC_FORCEWAKE_KERNEL, 0, WAKE_NS);
		}
	}
}

uint32_t check_read_instance(const struct check_card *card, unsigned int tile, uint32_t reg,
			     unsigned int group, unsigned int instance)
{
	/* The multicast bit stays set while reading (Wa_22013088509). */
	check_write(card, tile, PVC_MCR_SELECTOR, PVC_MCR_MULTICAST |
		    group << PVC_MCR_GROUP_SHIFT | instance << PVC_MCR_INSTANCE_SHIFT);
	return check_read(card, tile, reg);
}

int check_pcode_status(const struct check_card *card, uint32_t *status)
{
	uint32_t box = wait_for(card, 0, PVC_PCODE_MAILBOX, PVC_PCODE_READY, 0, PCODE_NS);

	if (box & PVC_PCODE_READY)
		return -1;
	check_write(card, 0, PVC_PCODE_DATA0, PVC_PCODE_STATUS_GET);
	check_write(card, 0, PVC_PCODE_DATA1, 0);
	check_write(card, 0, PVC_PCODE_MAILBOX, PVC_PCODE_READY | PVC_PCODE_CMD_STATUS);
	box = wait_for(card, 0, PVC_PCODE_MAILBOX, PVC_PCODE_READY, 0, PCODE_NS);
	if (box & PVC_PCODE_READY)
		return -1;
	*status = check_read(card, 0, PVC_PCODE_DATA0);
	return box & PVC_PCODE_ERROR_MASK;
}
