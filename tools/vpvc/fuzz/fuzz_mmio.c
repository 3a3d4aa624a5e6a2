// SPDX-License-Identifier: MIT
/* A fuzz target for register and config accesses in any order, and injected faults. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>

#include "bus/pci.h"
#include "card.h"
#include "card/regs_table.h"
#include "control.h"
#include "core/irq.h"
#include "core/regs.h"
#include "fuzz/fuzz.h"
#include "pvc_engine_regs.h"
#include "pvc_gt_regs.h"
#include "pvc_irq_regs.h"
#include "pvc_soc_regs.h"
#include "tests/test.h"

/* The offset of a register in the tables. */
static uint32_t known_offset(uint32_t n)
{
	static const uint32_t bases[] = {
		PVC_CCS0_BASE, PVC_CCS3_BASE, PVC_BCS0_BASE, PVC_BCS_BASE(1), PVC_BCS_BASE(8),
	};
	uint32_t i = n % (reg_table.tile.num + 4 * reg_table.engine.num);

	if (i < reg_table.tile.num)
		return reg_table.tile.row[i].off;
	i -= reg_table.tile.num;
	return bases[n / 64 % 5] + reg_table.engine.row[i % reg_table.engine.num].off;
}

uint32_t fuzz_word(uint64_t random)
{
	return random & 1 ? 0x10001u << (random >> 1 & 15) : (uint32_t)(random >> 8);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, size };
	unsigned int tiles = 1 + take8(&in) % 2;
	struct card *c = test_card(tiles, 1 << 20);
	uint8_t buf[64];
	char line[64];

	pci_set_msi(c, eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
	if (take8(&in) & 1)
		test_irq_enable(c);
	for (unsigned int n = 0; in.left && n < 256; n++) {
		unsigned int op = take8(&in);
		struct tile *t = &c->tiles[op >> 4 & (tiles - 1)];
		uint32_t off, len;
		char *out;

		switch (op % 8) {
		case 0:
			mmio_write(t, take32(&in), take32(&in));
			break;
		case 1:
			mmio_read(t, take32(&in));
			break;
		case 2:
		case 3:
			off = known_offset(take16(&in));
			mmio_write(t, off, take32(&in));
			break;
		case 4:
			mmio_read(t, known_offset(take16(&in)));
			break;
		case 5:
			off = take16(&in) % PCI_CONFIG_SIZE;
			len = take8(&in) % (sizeof(buf) + 1);
			if (len > PCI_CONFIG_SIZE - off)
				len = PCI_CONFIG_SIZE - off;
			take(&in, buf, len);
			if (op & 0x80)
				pci_config_write(c, off, buf, len);
			pci_config_read(c, off, buf, len);
			break;
		case 6:
			irq_raise(t, op & 0x40 ? PVC_CLASS_CCS : PVC_CLASS_BCS, op >> 5 & 3,
				  take16(&in));
			break;
		default:
			take(&in, line, sizeof(line) - 1);
			line[sizeof(line) - 1] = '\0';
			out = control_command(c, line);
			PROMISE(out);
			free(out);
			break;
		}
	}
	test_card_free(c);
	return 0;
}
