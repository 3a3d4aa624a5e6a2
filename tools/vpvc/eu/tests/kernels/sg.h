/* SPDX-License-Identifier: MIT */
#define KERNEL __attribute__((intel_reqd_sub_group_size(SG))) __kernel void
