// SPDX-License-Identifier: MIT
/*
 * BARs and config space: vfu.c calls these functions for the region messages of the
 * vfio-user client, on the host thread.
 */
#include "vfu_regions.h"

#include <linux/vfio.h>
#include <string.h>

#include "bus/pci.h"
#include "card.h"
#include "core/regs.h"
#include "vfu_proto.h"

uint64_t vfu_region_size(struct card *c, uint32_t index)
{
	switch (index) {
	case VFIO_PCI_BAR0_REGION_INDEX:
		return (uint64_t)c->num_tiles * PVC_MMIO_TILE_STRIDE;
	case VFIO_PCI_BAR2_REGION_INDEX:
		return c->bar2_size;
	case VFIO_PCI_CONFIG_REGION_INDEX:
		return PCI_CONFIG_SIZE;
	default:
		return 0;
	}
}

/* A client may map the GGTT of each tile in BAR0; the rest are registers. */
size_t vfu_region_sparse(struct card *c, uint8_t *out)
{
	struct vfu_sparse_cap cap = {
		.id = VFIO_REGION_INFO_CAP_SPARSE_MMAP,
		.version = 1,
		.num_areas = c->num_tiles,
	};
	size_t size = sizeof(cap);

	memcpy(out, &cap, sizeof(cap));
	for (unsigned int i = 0; i < c->num_tiles; i++) {
		struct vfu_sparse_area a = {
			.offset = (uint64_t)i * PVC_MMIO_TILE_STRIDE + PVC_MMIO_GGTT_OFFSET,
			.size = PVC_MMIO_TILE_STRIDE - PVC_MMIO_GGTT_OFFSET,
		};

		memcpy(out + size, &a, sizeof(a));
		size += sizeof(a);
	}
	return size;
}

/*
 * Registers are dwords.  A narrower or unaligned read takes its bytes from a read of the
 * dword; such a write is merged with the dword in storage.
 */
static void access_regs(struct tile *t, uint32_t off, uint8_t *buf, uint32_t len, bool write)
{
	while (len) {
		uint32_t in = off & 3, n = 4 - in < len ? 4 - in : len;
		uint32_t reg = off - in, val = 0;

		if (!write || n < 4)
			val = write ? reg_read(t, reg) : mmio_read(t, reg);
		if (write) {
			memcpy((uint8_t *)&val + in, buf, n);
			mmio_write(t, reg, val);
		} else {
			memcpy(buf, (uint8_t *)&val + in, n);
		}
		off += n;
		buf += n;
		len -= n;
	}
}

/* Plain memory: an aligned dword or qword stays one access. */
static void access_ram(void *ram, uint8_t *buf, uint32_t len, bool write)
{
	uint64_t q;
	uint32_t d;

	if (len == 8 && !((uintptr_t)ram & 7)) {
		if (write) {
			memcpy(&q, buf, 8);
			__atomic_store_n((uint64_t *)ram, q, __ATOMIC_RELEASE);
		} else {
			q = __atomic_load_n((uint64_t *)ram, __ATOMIC_ACQUIRE);
			memcpy(buf, &q, 8);
		}
	} else if (len == 4 && !((uintptr_t)ram & 3)) {
		if (write) {
			memcpy(&d, buf, 4);
			__atomic_store_n((uint32_t *)ram, d, __ATOMIC_RELEASE);
		} else {
			d = __atomic_load_n((uint32_t *)ram, __ATOMIC_ACQUIRE);
			memcpy(buf, &d, 4);
		}
	} else if (write) {
		memcpy(ram, buf, len);
	} else {
		memcpy(buf, ram, len);
	}
}

static void access_bar0(struct card *c, uint64_t off, uint8_t *buf, uint32_t len, bool write)
{
	while (len) {
		struct tile *t = &c->tiles[off / PVC_MMIO_TILE_STRIDE];
		uint32_t in = (uint32_t)(off % PVC_MMIO_TILE_STRIDE);
		uint32_t end = in < PVC_MMIO_GGTT_OFFSET ? PVC_MMIO_GGTT_OFFSET :
							   PVC_MMIO_TILE_STRIDE;
		uint32_t n = end - in < len ? end - in : len;

		if (in < PVC_MMIO_GGTT_OFFSET)
			access_regs(t, in, buf, n, write);
		else if (!atomic_load(&c->all_ones))
			access_ram((uint8_t *)t->ggtt + (in - PVC_MMIO_GGTT_OFFSET), buf, n, write);
		else if (!write)
			memset(buf, 0xff, n);
		off += n;
		buf += n;
		len -= n;
	}
}

void vfu_region_serve(struct card *c, const struct vfu_region_access *a, uint8_t *buf,
		      bool write)
{
	/* A card that was pulled out, or is in D3hot, does not answer. */
	if (atomic_load(&c->unplugged) ||
	    (a->region != VFIO_PCI_CONFIG_REGION_INDEX && !pci_answers(c))) {
		if (!write)
			memset(buf, 0xff, a->count);
		return;
	}
	switch (a->region) {
	case VFIO_PCI_BAR0_REGION_INDEX:
		access_bar0(c, a->offset, buf, a->count, write);
		break;
	case VFIO_PCI_BAR2_REGION_INDEX:
		access_ram(c->hbm + a->offset, buf, a->count, write);
		break;
	case VFIO_PCI_CONFIG_REGION_INDEX:
		if (write)
			pci_config_write(c, (uint32_t)a->offset, buf, a->count);
		else
			pci_config_read(c, (uint32_t)a->offset, buf, a->count);
		break;
	}
}

bool vfu_region_fits(struct card *c, const struct vfu_region_access *a)
{
	uint64_t size = vfu_region_size(c, a->region);

	return a->count <= VFU_MAX_DATA && a->offset <= size && a->count <= size - a->offset;
}

/*
 * For the config space of a card that was pulled out, vfu.c answers with an error: QEMU
 * then gives its guest all ones, while it would interpret the bytes of an answer.
 */
bool vfu_region_gone(struct card *c, const struct vfu_region_access *a)
{
	return a->region == VFIO_PCI_CONFIG_REGION_INDEX && atomic_load(&c->unplugged);
}
