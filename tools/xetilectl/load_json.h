/* SPDX-License-Identifier: MIT */
/*
 * A load as one object of JSON, which tests/who.schema.json describes. Pure: it prints to standard
 * output.
 */
#ifndef _XETILECTL_LOAD_JSON_H_
#define _XETILECTL_LOAD_JSON_H_

#include "load.h"

void load_json(const struct sample_card *card, const struct sample *sample,
	       const struct load *load);

#endif
