# SPDX-License-Identifier: MIT
#
# The rooms of the execution units. Each includes and calls those to its right only.
EU_ROOMS := run fast msg state isa

EU_HERE := $(dir $(lastword $(MAKEFILE_LIST)))

# What tests/embed.o is made of besides; the compiler does not tell.
EU_EMBEDDED := $(addprefix $(EU_HERE)tests/,kernels/kernels.bin kernels/kernels.iga \
	programs/programs.bin)

# What the fast handlers of each vector level are compiled with, in every build
%/eu_fast_avx2.o: MACHINE := -mavx2 -mfma -mf16c
%/eu_fast_avx512.o: MACHINE := -mavx2 -mfma -mf16c -mavx512f -mavx512dq -mavx512bw \
	-mavx512vl -mprefer-vector-width=512
