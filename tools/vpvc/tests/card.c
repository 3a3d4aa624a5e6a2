// SPDX-License-Identifier: MIT
/* Makes cards for tests, and sends messages to them (test.h). */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/pci_regs.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bus/dma.h"
#include "bus/pci.h"
#include "card.h"
#include "card/life.h"
#include "core/regs.h"
#include "log.h"
#include "pvc_irq_regs.h"
#include "pvc_soc_regs.h"
#include "tests/test.h"

/* Tests provoke errors, so the log goes to VPVC_TEST_LOG or nowhere. */
__attribute__((constructor)) static void quiet(void)
{
	vlog_open(getenv("VPVC_TEST_LOG") ? getenv("VPVC_TEST_LOG") : "/dev/null");
}

struct card *test_card_full(const struct card_options *opt, unsigned long ram)
{
	const uint16_t command = PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER;
	struct card *c;
	int fd;

	if (card_create(&c, opt)) {
		fprintf(stderr, "no card\n");
		abort();
	}
	pci_config_write(c, PCI_COMMAND, &command, sizeof(command));
	if (ram) {
		fd = memfd_create("ram", MFD_CLOEXEC);
		if (fd < 0 || ftruncate(fd, (off_t)ram) || dma_map(c, 0, ram, 0, fd, true)) {
			fprintf(stderr, "no memory for the guest\n");
			abort();
		}
	}
	return c;
}

struct card *test_card(unsigned int tiles, unsigned long ram)
{
	return test_card_full(TEST_OPTIONS(tiles), ram);
}

void test_card_free(struct card *c)
{
	card_destroy(c);
}

void test_quiet(struct card *c)
{
	static const uint32_t blocks[] = { PVC_GU_MISC_IRQ_BASE, PVC_PCU_IRQ_BASE };
	static const uint32_t handlers[] = { PVC_IEH_SECOND, PVC_IEH_FIRST };

	for (unsigned int i = 0; i < c->num_tiles; i++) {
		struct tile *t = &c->tiles[i];

		for (unsigned int k = 0; k < 2; k++) {
			mmio_write(t, PVC_IRQ_BLOCK_IER(blocks[k]), 0);
			mmio_write(t, PVC_IRQ_BLOCK_IIR(blocks[k]), ~0u);
			mmio_write(t, PVC_IEH_LOCAL_UNCORRECTABLE(handlers[k]), ~0u);
			mmio_write(t, PVC_IEH_LOCAL_CORRECTABLE(handlers[k]), ~0u);
			for (unsigned int s = 0; s < PVC_NUM_ERR; s++)
				mmio_write(t, PVC_IEH_GLOBAL(handlers[k], s), ~0u);
		}
		for (unsigned int s = 0; s < PVC_NUM_ERR; s++)
			mmio_write(t, PVC_DEV_ERR_STAT_FATAL + 4 * s, ~0u);
		mmio_write(t, PVC_GFX_MSTR_IRQ, ~0u);
	}
}

void test_irq_enable(struct card *c)
{
	test_quiet(c);
	for (unsigned int i = 0; i < c->num_tiles; i++) {
		struct tile *t = &c->tiles[i];

		mmio_write(t, PVC_RENDER_COPY_INTR_ENABLE, ~0u);
		mmio_write(t, PVC_CCS_RSVD_INTR_ENABLE, ~0u);
		mmio_write(t, PVC_BCS_RSVD_INTR_MASK, 0);
		for (unsigned int k = 0; k < 4; k++)
			mmio_write(t, PVC_BCS1_BCS2_INTR_MASK + 4 * k, 0);
		mmio_write(t, PVC_CCS0_CCS1_INTR_MASK, 0);
		mmio_write(t, PVC_CCS2_CCS3_INTR_MASK, 0);
	}
	mmio_write(&c->tiles[0], PVC_MSTR_TILE_INTR, PVC_MSTR_IRQ_ENABLE);
}

/* ---- sends bytes with descriptors, as a vfio-user client does ---- */

bool test_send(int sock, const void *data, size_t len, const int *fds, size_t n, int flags)
{
	union {
		struct cmsghdr align;
		char buf[CMSG_SPACE(16 * sizeof(int))];
	} control;
	struct iovec iov = { (void *)data, len };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };

	if (n) {
		struct cmsghdr *cm;

		memset(&control, 0, sizeof(control));
		msg.msg_control = control.buf;
		msg.msg_controllen = CMSG_SPACE(n * sizeof(int));
		cm = CMSG_FIRSTHDR(&msg);
		cm->cmsg_level = SOL_SOCKET;
		cm->cmsg_type = SCM_RIGHTS;
		cm->cmsg_len = CMSG_LEN(n * sizeof(int));
		memcpy(CMSG_DATA(cm), fds, n * sizeof(int));
	}
	return sendmsg(sock, &msg, MSG_NOSIGNAL | flags) == (ssize_t)len;
}
