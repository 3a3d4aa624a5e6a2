/* SPDX-License-Identifier: MIT */
/* Power wells that an engine asks for by itself, and waits for. */
#ifndef VPVC_WAKE_H
#define VPVC_WAKE_H

#include "card.h"

/* The engine was stopped between two commands: it may ask for a well now. */
void wake_begin(struct engine *e);
/* Do engines of the domains of GDRST wait for a well? */
bool wake_pending(struct tile *t, uint32_t domains);
/* A reset of the domains ends the requests of their engines. */
void wake_forget(struct tile *t, uint32_t domains);

/* Hooks of MSG_IDLE and of the status of the wells */
uint32_t wake_read_msg_idle(struct tile *t, uint32_t off);
uint32_t wake_read_status(struct tile *t, uint32_t off);

#endif
