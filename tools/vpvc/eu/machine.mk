# SPDX-License-Identifier: MIT
#
# Folders of the execution units. The files of each include and call those to its right.
EU_ROOMS := run fast msg state isa

EU_HERE := $(dir $(lastword $(MAKEFILE_LIST)))

# Files embedded in tests/embed.o: the compiler does not list them as dependencies.
EU_EMBEDDED := $(addprefix $(EU_HERE)tests/,kernels/kernels.bin kernels/kernels.iga \
	kernels/programs.bin)

# Flags for the fast handlers of each vector level, in every build. They are one source with very
# many functions: to describe these for a debugger takes a fifth of the time to compile them.
%/eu_fast_any.o: MACHINE := -g0
%/eu_fast_avx2.o: MACHINE := -g0 -mavx2 -mbmi -mbmi2 -mfma -mf16c
%/eu_fast_avx512.o: MACHINE := -g0 -mavx2 -mbmi -mbmi2 -mfma -mf16c -mavx512f -mavx512dq \
	-mavx512bw -mavx512vl -mprefer-vector-width=512
