/* SPDX-License-Identifier: MIT */
/* The command line. */
#ifndef VPVC_OPTIONS_H
#define VPVC_OPTIONS_H

#include "card.h"

/* Returns 0, 1 when a printout was asked for and done, -EINVAL with a line on stderr. */
int options_parse(struct card_options *opt, int argc, char **argv);

#endif
