// SPDX-License-Identifier: MIT
/*
 * Tables for the index fields of compacted instructions, used by eu_decode.c. The bits of
 * an entry, lowest first, fill the native bit ranges of its table in order.
 */
#include "eu/isa/eu_compaction.h"

static const uint64_t control[] = {
	0x4, 0x800, 0x84, 0x0, 0x802, 0x5, 0x803, 0x804, 0x14802, 0x10802, 0x801,
	0x10800, 0x14800, 0x14803, 0x14004, 0x10803, 0x10004, 0x8000, 0x14005,
	0xc000, 0x10005, 0xc800, 0x4800, 0x884, 0x38800, 0x3, 0x4004, 0x104,
	0x125, 0x2, 0x14025, 0x14015,
};

static const struct eu_bits control_bits[] = {
	{28, 18}, {31, 31}, {32, 32}, {34, 34}, {95, 92}, {0, 0}
};

static const uint64_t datatype[] = {
	0xbe8ee, 0x800, 0x6844, 0xd6954, 0x2ecee, 0x6954, 0x6866, 0x2b54, 0x36cce,
	0xb68cc, 0xde976, 0x7044, 0x2eccc, 0x68cc, 0x2a44, 0x2aac, 0x2cccc,
	0x36cee, 0x68ee, 0xa40, 0xd4954, 0x8c44, 0x968ee, 0x4844, 0x8c8cc, 0x7844,
	0x695a, 0x2ec4e, 0x36ccc, 0xec44, 0x2ecce, 0x16c44,
};

static const struct eu_bits datatype_bits[] = {
	{43, 35}, {50, 46}, {66, 66}, {91, 88}, {98, 98}, {0, 0}
};

static const uint64_t subreg[] = {
	0x0, 0x400, 0x80, 0x200, 0x100, 0x4, 0x8, 0x20, 0x180, 0x10, 0x600, 0x108,
	0x500, 0x300, 0xc, 0x210,
};

static const struct eu_bits subreg_bits[] = {
	{33, 33}, {55, 51}, {71, 67}, {87, 87}, {0, 0}
};

static const uint64_t src0[] = {
	0x100, 0x0, 0x200, 0x300, 0x710, 0x102, 0x2, 0x110,
};

static const struct eu_bits src0_bits[] = {
	{45, 44}, {65, 64}, {86, 80}, {0, 0}
};

static const uint64_t src1[] = {
	0x0, 0x800, 0x10, 0x50, 0x1000, 0x8800, 0x40, 0x20, 0x18, 0x8, 0x30, 0x60,
	0x70, 0x840, 0x820, 0x1808,
};

static const struct eu_bits src1_bits[] = {
	{97, 96}, {103, 99}, {118, 112}, {121, 120}, {0, 0}
};

static const uint64_t ternary_control[] = {
	0x1b8ec004, 0x1b8ec084, 0x1b0ec004, 0x128a8005, 0x120a8005, 0x1b0ec084,
	0x128a8004, 0x36998005, 0x2a8a8004, 0x1b8ec800, 0x1b0ec003, 0x120a8004,
	0x2a0a8004, 0x36998004, 0x2a8b4004, 0x36998800,
};

static const struct eu_bits ternary_control_bits[] = {
	{28, 18}, {31, 31}, {32, 32}, {34, 34}, {42, 36}, {50, 48}, {82, 80},
	{90, 88}, {93, 92}, {95, 94}, {0, 0}
};

static const uint64_t ternary_source[] = {
	0x160b01, 0x160301, 0x120201, 0x160a01, 0x160201, 0x16e142, 0x14c142,
	0x122201, 0x120100, 0x120301, 0x160001, 0x160101, 0x16c142, 0x120300,
	0x122301, 0x140300,
};

static const struct eu_bits ternary_source_bits[] = {
	{35, 35}, {47, 43}, {66, 64}, {87, 83}, {91, 91}, {98, 96}, {114, 112}, {0, 0}
};

static const uint64_t ternary_subreg[] = {
	0x0, 0x80000, 0x4000, 0xe0000, 0x40000, 0xa0000, 0x20000, 0x60000,
	0xc0000, 0x2101, 0x2102, 0xa103, 0x20806, 0x4e8, 0x20c27, 0x3a101,
	0x22105, 0x29880, 0x804, 0x300, 0x1000, 0x280, 0x2000, 0x10000, 0x800,
	0xb0000, 0x90000, 0x30000, 0x50000, 0xd0000, 0x70000, 0xf0000,
};

static const struct eu_bits ternary_subreg_bits[] = {
	{55, 51}, {71, 67}, {103, 99}, {119, 115}, {0, 0}
};

static const uint64_t dpas_control[] = {
	0xf99004, 0x4f99004, 0x20f99004, 0x24f99004, 0xf98004, 0x24f98004,
	0x2dea9004, 0x2df69004, 0x2deb5004, 0x2df75004, 0x2dea8004, 0x9ea9004,
	0x9e69004, 0x9ea5004, 0x9e65004, 0x9ea8004,
};

static const struct eu_bits dpas_control_bits[] = {
	{28, 18}, {31, 31}, {32, 32}, {34, 34}, {42, 36}, {50, 48}, {82, 80},
	{90, 88}, {93, 92}, {95, 94}, {0, 0}
};

static const uint64_t dpas_source[] = {
	0x120100, 0x120500, 0x120900, 0x121100, 0x121500, 0x121900, 0x122100,
	0x122500, 0x122900, 0x120102, 0x120502, 0x121102, 0x121502, 0x122902,
	0x12010e, 0x12150e,
};

static const struct eu_bits dpas_source_bits[] = {
	{35, 35}, {47, 43}, {66, 64}, {87, 83}, {91, 91}, {98, 96}, {114, 112}, {0, 0}
};

const struct eu_compaction eu_compact_control = {control, control_bits};
const struct eu_compaction eu_compact_datatype = {datatype, datatype_bits};
const struct eu_compaction eu_compact_subreg = {subreg, subreg_bits};
const struct eu_compaction eu_compact_src0 = {src0, src0_bits};
const struct eu_compaction eu_compact_src1 = {src1, src1_bits};
const struct eu_compaction eu_compact_ternary_control = {ternary_control, ternary_control_bits};
const struct eu_compaction eu_compact_ternary_source = {ternary_source, ternary_source_bits};
const struct eu_compaction eu_compact_ternary_subreg = {ternary_subreg, ternary_subreg_bits};
const struct eu_compaction eu_compact_dpas_control = {dpas_control, dpas_control_bits};
const struct eu_compaction eu_compact_dpas_source = {dpas_source, dpas_source_bits};
