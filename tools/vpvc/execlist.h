/* SPDX-License-Identifier: MIT */
/*
 * Execlist ports. The functions the card calls are in card.h; here is what can
 * be switched.
 */
#ifndef VPVC_EXECLIST_H
#define VPVC_EXECLIST_H

#include <stdbool.h>

/*
 * Whether a page fault raises the command streamer error interrupt. Public
 * sources don't say what silicon does without firmware.
 */
extern bool execlist_fault_interrupt;

#endif
