/* SPDX-License-Identifier: MIT */
/* Two-dimensional blocks of messages. */
#ifndef EU_BLOCK_H
#define EU_BLOCK_H

#include "eu/msg/eu_message.h"

bool eu_message_block2d(struct message *m, uint32_t desc);

#endif
