/* SPDX-License-Identifier: MIT */
/* SG can be given on the compiler command line (-DSG=16 / -DSG=32) to pin the SIMD width. */
#ifdef SG
#define KERNEL __attribute__((intel_reqd_sub_group_size(SG))) __kernel
#else
#define KERNEL __kernel
#endif
#ifdef SG16ONLY
#define KERNEL16 __attribute__((intel_reqd_sub_group_size(16))) __kernel
#else
#define KERNEL16 __attribute__((intel_reqd_sub_group_size(16))) __kernel
#endif
