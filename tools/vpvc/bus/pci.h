/* SPDX-License-Identifier: MIT */
/* Config space, and the message of an interrupt. */
#ifndef VPVC_PCI_H
#define VPVC_PCI_H

#include "card.h"

#define PCI_CONFIG_SIZE 4096

int pci_init(struct card *c);
void pci_fini(struct card *c);
void pci_reset(struct card *c);
void pci_config_read(struct card *c, uint32_t off, void *buf, uint32_t len);
void pci_config_write(struct card *c, uint32_t off, const void *buf, uint32_t len);
/* Not in D3hot: only there do registers and memory answer. */
bool pci_answers(struct card *c);
/* Where the message goes: an eventfd, consumed, or -1. */
void pci_set_msi(struct card *c, int fd);
/* Send the message, if the guest listens. */
void pci_send_msi(struct card *c);

#endif
