/* SPDX-License-Identifier: MIT */
/* Atomics of messages. */
#ifndef EU_ATOMIC_H
#define EU_ATOMIC_H

#include "eu/msg/eu_message.h"

bool eu_message_atomics(struct message *m);

#endif
