/* SPDX-License-Identifier: MIT */
/* Made by kernels/rebuild.sh. */
#ifndef EU_TEST_KERNELS_H
#define EU_TEST_KERNELS_H

#include "eu/tests/machine.h"

/* The kernels as kernels.bin has them, with the bytes of their code for 16 and 32 lanes */
#define KERNELS(F) \
	F(atoms, 1712, 1872) \
	F(diverge, 1168, 1280) \
	F(doubles, 1088, 1744) \
	F(floats, 1344, 1792) \
	F(ids, 768, 1088) \
	F(ints, 3136, 4032) \
	F(longs, 3504, 5856) \
	F(matmul, 1472, 1520) \
	F(nbody, 720, 736) \
	F(private_array, 1184, 1360) \
	F(reduce, 2160, 2336) \
	F(relay, 640, 688) \
	F(scan, 848, 848) \
	F(spin, 128, 128) \
	F(triad, 368, 400)

#define DECLARE(name, size_16, size_32) \
	extern const uint8_t name##_16_code[size_16]; \
	extern const uint8_t name##_32_code[size_32];
KERNELS(DECLARE)
#undef DECLARE

/* kernels.iga */
extern const char kernels_text[];

/* The names of the programs, and the bytes of their code, as programs.bin has it */
#define PROGRAMS(F) \
	F(absolute, 96) \
	F(branches, 320) \
	F(calls, 240) \
	F(deadlock, 128) \
	F(fill, 160) \
	F(halts, 464) \
	F(host, 32) \
	F(indexed, 48) \
	F(loops, 352) \
	F(poll, 112) \
	F(registers, 256) \
	F(start, 64) \
	F(stochastic, 48) \
	F(surfaces, 176)

#define DECLARE(name, size) extern const uint8_t name##_code[size];
PROGRAMS(DECLARE)
#undef DECLARE

static const struct kernel atoms_16 __attribute__((unused)) = {
	"atoms", atoms_16_code, sizeof(atoms_16_code),
	.simd = 16, .grf = 128, .slm = 0, .skip = 128, .scratch = 0,
	.args = {
		{"global_id_offset", 0, 12, -1},
		{"local_size", 12, 12, -1},
		{"arg_bypointer", 32, 8, 0},
		{"arg_bypointer", 40, 8, 1},
		{"enqueued_local_size", 48, 12, -1},
	},
};
static const struct kernel atoms_32 __attribute__((unused)) = {
	"atoms", atoms_32_code, sizeof(atoms_32_code),
	.simd = 32, .grf = 128, .slm = 0, .skip = 128, .scratch = 0,
	.args = {
		{"global_id_offset", 0, 12, -1},
		{"local_size", 12, 12, -1},
		{"arg_bypointer", 32, 8, 0},
		{"arg_bypointer", 40, 8, 1},
		{"enqueued_local_size", 48, 12, -1},
	},
};
static const struct kernel diverge_16 __attribute__((unused)) = {
	"diverge", diverge_16_code, sizeof(diverge_16_code),
	.simd = 16, .grf = 128, .slm = 0, .skip = 128, .scratch = 0,
	.args = {
		{"global_id_offset", 0, 12, -1},
		{"local_size", 12, 12, -1},
		{"arg_bypointer", 32, 8, 0},
		{"arg_bypointer", 40, 8, 1},
		{"private_base_stateless", 48, 8, -1},
		{"enqueued_local_size", 64, 12, -1},
	},
};
static const struct kernel diverge_32 __attribute__((unused)) = {
	"diverge", diverge_32_code, sizeof(diverge_32_code),
	.simd = 32, .grf = 128, .slm = 0, .skip = 128, .scratch = 0,
	.args = {
		{"global_id_offset", 0, 12, -1},
		{"local_size", 12, 12, -1},
		{"arg_bypointer", 32, 8, 0},
		{"arg_bypointer", 40, 8, 1},
		{"private_base_stateless", 48, 8, -1},
		{"enqueued_local_size", 64, 12, -1},
	},
};
static const struct kernel doubles_16 __attribute__((unused)) = {
	"doubles", doubles_16_code, sizeof(doubles_16_code),
	.simd = 16, .grf = 128, .slm = 0, .skip = 128, .scratch = 0,
	.args = {
		{"global_id_offset", 0, 12, -1},
		{"local_size", 12, 12, -1},
		{"arg_bypointer", 32, 8, 0},
		{"arg_bypointer", 40, 8, 1},
		{"arg_bypointer", 48, 8, 2},
		{"enqueued_local_size", 64, 12, -1},
	},
};
static const struct kernel doubles_32 __attribute__((unused)) = {
	"doubles", doubles_32_code, sizeof(doubles_32_code),
	.simd = 32, .grf = 128, .slm = 0, .skip = 128, .scratch = 0,
	.args = {
		{"global_id_offset", 0, 12, -1},
		{"local_size", 12, 12, -1},
		{"arg_bypointer", 32, 8, 0},
		{"arg_bypointer", 40, 8, 1},
		{"arg_bypointer", 48, 8, 2},
		{"enqueued_local_size", 64, 12, -1},
	},
};
static const struct kernel floats_16 __attribute__((unused)) = {
	"floats", floats_16_code, sizeof(floats_16_code),
	.simd = 16, .grf = 128, .slm = 0, .skip = 128, .scratch = 0,
	.args = {
		{"global_id_offset", 0, 12, -1},
		{"local_size", 12, 12, -1},
		{"arg_bypointer", 32, 8, 0},
		{"arg_bypointer", 40, 8, 1},
		{"arg_bypointer", 48, 8, 2},
		{"enqueued_local_size", 64, 12, -1},
	},
};
static const struct kernel floats_32 __attribute__((unused)) = {
	"floats", floats_32_code, sizeof(floats_32_code),
	.simd = 32, .grf = 128, .slm = 0, .skip = 128, .scratch = 0,
	.args = {
		{"global_id_offset", 0, 12, -1},
		{"local_size", 12, 12, -1},
		{"arg_bypointer", 32, 8, 0},
		{"arg_bypointer", 40, 8, 1},
		{"arg_bypointer", 48, 8, 2},
		{"enqueued_local_size", 64, 12, -1},
	},
};
static const struct kernel ids_16 __attribute__((unused)) = {
	"ids", ids_16_code, sizeof(ids_16_code),
	.simd = 16, .grf = 128, .slm = 0, .skip = 128, .scratch = 0,
	.args = {
		{"global_id_offset", 0, 12, -1},
		{"local_size", 12, 12, -1},
		{"arg_bypointer", 32, 8, 0},
		{"global_size", 40, 12, -1},
		{"enqueued_local_size", 52, 12, -1},
	},
};
static const struct kernel ids_32 __attribute__((unused)) = {
	"ids", ids_32_code, sizeof(ids_32_code),
	.simd = 32, .grf = 128, .slm = 0, .skip = 128, .scratch = 0,
	.args = {
		{"global_id_offset", 0, 12, -1},
		{"local_size", 12, 12, -1},
		{"arg_bypointer", 32, 8, 0},
		{"global_size", 40, 12, -1},
		{"enqueued_local_size", 52, 12, -1},
	},
};
static const struct kernel ints_16 __attribute__((unused)) = {
	"ints", ints_16_code, sizeof(ints_16_code),
	.simd = 16, .grf = 128, .slm = 0, .skip = 128, .scratch = 0,
	.args = {
		{"global_id_offset", 0, 12, -1},
		{"local_size", 12, 12, -1},
		{"arg_bypointer", 32, 8, 0},
		{"arg_bypointer", 40, 8, 1},
		{"arg_bypointer", 48, 8, 2},
		{"private_base_stateless", 56, 8, -1},
		{"enqueued_local_size", 64, 12, -1},
	},
};
static const struct kernel ints_32 __attribute__((unused)) = {
	"ints", ints_32_code, sizeof(ints_32_code),
	.simd = 32, .grf = 128, .slm = 0, .skip = 128, .scratch = 0,
	.args = {
		{"global_id_offset", 0, 12, -1},
		{"local_size", 12, 12, -1},
		{"arg_bypointer", 32, 8, 0},
		{"arg_bypointer", 40, 8, 1},
		{"arg_bypointer", 48, 8, 2},
		{"private_base_stateless", 56, 8, -1},
		{"enqueued_local_size", 64, 12, -1},
	},
};
static const struct kernel longs_16 __attribute__((unused)) = {
	"longs", longs_16_code, sizeof(longs_16_code),
	.simd = 16, .grf = 128, .slm = 0, .skip = 128, .scratch = 0,
	.args = {
		{"global_id_offset", 0, 12, -1},
		{"local_size", 12, 12, -1},
		{"arg_bypointer", 32, 8, 0},
		{"arg_bypointer", 40, 8, 1},
		{"arg_bypointer", 48, 8, 2},
		{"private_base_stateless", 56, 8, -1},
		{"enqueued_local_size", 64, 12, -1},
	},
};
static const struct kernel longs_32 __attribute__((unused)) = {
	"longs", longs_32_code, sizeof(longs_32_code),
	.simd = 32, .grf = 128, .slm = 0, .skip = 128, .scratch = 0,
	.args = {
		{"global_id_offset", 0, 12, -1},
		{"local_size", 12, 12, -1},
		{"arg_bypointer", 32, 8, 0},
		{"arg_bypointer", 40, 8, 1},
		{"arg_bypointer", 48, 8, 2},
		{"private_base_stateless", 56, 8, -1},
		{"enqueued_local_size", 64, 12, -1},
	},
};
static const struct kernel matmul_16 __attribute__((unused)) = {
	"matmul", matmul_16_code, sizeof(matmul_16_code),
	.simd = 16, .grf = 128, .slm = 2048, .skip = 128, .scratch = 0,
	.args = {
		{"global_id_offset", 0, 12, -1},
		{"local_size", 12, 12, -1},
		{"arg_bypointer", 32, 8, 0},
		{"arg_bypointer", 40, 8, 1},
		{"arg_bypointer", 48, 8, 2},
		{"arg_byvalue", 56, 4, 3},
	},
};
static const struct kernel matmul_32 __attribute__((unused)) = {
	"matmul", matmul_32_code, sizeof(matmul_32_code),
	.simd = 32, .grf = 128, .slm = 2048, .skip = 128, .scratch = 0,
	.args = {
		{"global_id_offset", 0, 12, -1},
		{"local_size", 12, 12, -1},
		{"arg_bypointer", 32, 8, 0},
		{"arg_bypointer", 40, 8, 1},
		{"arg_bypointer", 48, 8, 2},
		{"arg_byvalue", 56, 4, 3},
	},
};
static const struct kernel nbody_16 __attribute__((unused)) = {
	"nbody", nbody_16_code, sizeof(nbody_16_code),
	.simd = 16, .grf = 128, .slm = 0, .skip = 128, .scratch = 0,
	.args = {
		{"global_id_offset", 0, 12, -1},
		{"local_size", 12, 12, -1},
		{"arg_bypointer", 32, 8, 0},
		{"arg_bypointer", 40, 8, 1},
		{"arg_byvalue", 48, 4, 2},
		{"enqueued_local_size", 52, 12, -1},
	},
};
static const struct kernel nbody_32 __attribute__((unused)) = {
	"nbody", nbody_32_code, sizeof(nbody_32_code),
	.simd = 32, .grf = 128, .slm = 0, .skip = 128, .scratch = 0,
	.args = {
		{"global_id_offset", 0, 12, -1},
		{"local_size", 12, 12, -1},
		{"arg_bypointer", 32, 8, 0},
		{"arg_bypointer", 40, 8, 1},
		{"arg_byvalue", 48, 4, 2},
		{"enqueued_local_size", 52, 12, -1},
	},
};
static const struct kernel private_array_16 __attribute__((unused)) = {
	"private_array", private_array_16_code, sizeof(private_array_16_code),
	.simd = 16, .grf = 128, .slm = 0, .skip = 128, .scratch = 8192,
	.args = {
		{"global_id_offset", 0, 12, -1},
		{"local_size", 12, 12, -1},
		{"arg_bypointer", 32, 8, 0},
		{"arg_bypointer", 40, 8, 1},
		{"arg_byvalue", 48, 4, 2},
		{"private_base_stateless", 56, 8, -1},
		{"enqueued_local_size", 64, 12, -1},
	},
};
static const struct kernel private_array_32 __attribute__((unused)) = {
	"private_array", private_array_32_code, sizeof(private_array_32_code),
	.simd = 32, .grf = 128, .slm = 0, .skip = 128, .scratch = 16384,
	.args = {
		{"global_id_offset", 0, 12, -1},
		{"local_size", 12, 12, -1},
		{"arg_bypointer", 32, 8, 0},
		{"arg_bypointer", 40, 8, 1},
		{"arg_byvalue", 48, 4, 2},
		{"private_base_stateless", 56, 8, -1},
		{"enqueued_local_size", 64, 12, -1},
	},
};
static const struct kernel reduce_16 __attribute__((unused)) = {
	"reduce", reduce_16_code, sizeof(reduce_16_code),
	.simd = 16, .grf = 128, .slm = 1024, .skip = 128, .scratch = 0,
	.args = {
		{"global_id_offset", 0, 12, -1},
		{"local_size", 12, 12, -1},
		{"arg_bypointer", 32, 8, 0},
		{"arg_bypointer", 40, 8, 1},
		{"private_base_stateless", 48, 8, -1},
	},
};
static const struct kernel reduce_32 __attribute__((unused)) = {
	"reduce", reduce_32_code, sizeof(reduce_32_code),
	.simd = 32, .grf = 128, .slm = 1024, .skip = 128, .scratch = 0,
	.args = {
		{"global_id_offset", 0, 12, -1},
		{"local_size", 12, 12, -1},
		{"arg_bypointer", 32, 8, 0},
		{"arg_bypointer", 40, 8, 1},
		{"private_base_stateless", 48, 8, -1},
	},
};
static const struct kernel relay_16 __attribute__((unused)) = {
	"relay", relay_16_code, sizeof(relay_16_code),
	.simd = 16, .grf = 128, .slm = 0, .skip = 128, .scratch = 0,
	.args = {
		{"global_id_offset", 0, 12, -1},
		{"local_size", 12, 12, -1},
		{"arg_bypointer", 32, 8, 0},
		{"group_count", 40, 12, -1},
	},
};
static const struct kernel relay_32 __attribute__((unused)) = {
	"relay", relay_32_code, sizeof(relay_32_code),
	.simd = 32, .grf = 128, .slm = 0, .skip = 128, .scratch = 0,
	.args = {
		{"global_id_offset", 0, 12, -1},
		{"local_size", 12, 12, -1},
		{"arg_bypointer", 32, 8, 0},
		{"group_count", 40, 12, -1},
	},
};
static const struct kernel scan_16 __attribute__((unused)) = {
	"scan", scan_16_code, sizeof(scan_16_code),
	.simd = 16, .grf = 128, .slm = 2048, .skip = 128, .scratch = 0,
	.args = {
		{"global_id_offset", 0, 12, -1},
		{"local_size", 12, 12, -1},
		{"arg_bypointer", 32, 8, 0},
		{"arg_bypointer", 40, 8, 1},
		{"enqueued_local_size", 48, 12, -1},
	},
};
static const struct kernel scan_32 __attribute__((unused)) = {
	"scan", scan_32_code, sizeof(scan_32_code),
	.simd = 32, .grf = 128, .slm = 2048, .skip = 128, .scratch = 0,
	.args = {
		{"global_id_offset", 0, 12, -1},
		{"local_size", 12, 12, -1},
		{"arg_bypointer", 32, 8, 0},
		{"arg_bypointer", 40, 8, 1},
		{"enqueued_local_size", 48, 12, -1},
	},
};
static const struct kernel spin_16 __attribute__((unused)) = {
	"spin", spin_16_code, sizeof(spin_16_code),
	.simd = 16, .grf = 128, .slm = 0, .skip = 0, .scratch = 0,
	.args = {
		{"global_id_offset", 0, 12, -1},
		{"local_size", 12, 12, -1},
		{"arg_bypointer", 32, 8, 0},
	},
};
static const struct kernel spin_32 __attribute__((unused)) = {
	"spin", spin_32_code, sizeof(spin_32_code),
	.simd = 32, .grf = 128, .slm = 0, .skip = 0, .scratch = 0,
	.args = {
		{"global_id_offset", 0, 12, -1},
		{"local_size", 12, 12, -1},
		{"arg_bypointer", 32, 8, 0},
	},
};
static const struct kernel triad_16 __attribute__((unused)) = {
	"triad", triad_16_code, sizeof(triad_16_code),
	.simd = 16, .grf = 128, .slm = 0, .skip = 128, .scratch = 0,
	.args = {
		{"global_id_offset", 0, 12, -1},
		{"local_size", 12, 12, -1},
		{"arg_bypointer", 32, 8, 0},
		{"arg_bypointer", 40, 8, 1},
		{"arg_bypointer", 48, 8, 2},
		{"arg_byvalue", 56, 4, 3},
		{"enqueued_local_size", 64, 12, -1},
	},
};
static const struct kernel triad_32 __attribute__((unused)) = {
	"triad", triad_32_code, sizeof(triad_32_code),
	.simd = 32, .grf = 128, .slm = 0, .skip = 128, .scratch = 0,
	.args = {
		{"global_id_offset", 0, 12, -1},
		{"local_size", 12, 12, -1},
		{"arg_bypointer", 32, 8, 0},
		{"arg_bypointer", 40, 8, 1},
		{"arg_bypointer", 48, 8, 2},
		{"arg_byvalue", 56, 4, 3},
		{"enqueued_local_size", 64, 12, -1},
	},
};

#endif
