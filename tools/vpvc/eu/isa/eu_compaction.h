/* SPDX-License-Identifier: MIT */
/* Tables for the index fields of compacted instructions. */
#ifndef EU_COMPACTION_H
#define EU_COMPACTION_H

#include <stdint.h>

/* Bits [hi:lo] of a native instruction */
struct eu_bits {
	uint8_t hi, lo;
};

struct eu_compaction {
	const uint64_t *entries;
	const struct eu_bits *bits;	/* ends with {0, 0} */
};

extern const struct eu_compaction eu_compact_control, eu_compact_datatype,
	eu_compact_subreg, eu_compact_src0, eu_compact_src1,
	eu_compact_ternary_control, eu_compact_ternary_source,
	eu_compact_ternary_subreg, eu_compact_dpas_control,
	eu_compact_dpas_source;

#endif
