/* SPDX-License-Identifier: MIT */
/* Config space and the interrupt message. */
#ifndef VPVC_PCI_H
#define VPVC_PCI_H

#include "card.h"

#define PCI_CONFIG_SIZE 4096

int pci_init(struct card *c);
void pci_fini(struct card *c);
void pci_reset(struct card *c);
void pci_config_read(struct card *c, uint32_t off, void *buf, uint32_t len);
void pci_config_write(struct card *c, uint32_t off, const void *buf, uint32_t len);
/* Do registers and memory answer?  They do unless the function is in D3hot. */
bool pci_answers(struct card *c);
/* Address of BAR2, as the host has written it */
uint64_t pci_bar2(struct card *c);
/* Set the eventfd that takes the message, closed here when it is replaced; -1 = none. */
void pci_set_msi(struct card *c, int fd);
/* Send the message, if bus mastering is on and there is an eventfd.  Any thread. */
void pci_send_msi(struct card *c);

#endif
