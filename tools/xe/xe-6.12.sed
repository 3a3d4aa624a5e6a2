# SPDX-License-Identifier: MIT
# The one change to the peer driver: the card's ids join its PCI match table.
/^static const struct pci_device_id pciidlist/a\
	XE_PVC_IDS(INTEL_VGA_DEVICE, &pvc_desc),
