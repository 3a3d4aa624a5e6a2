// SPDX-License-Identifier: MIT
// Recursion is outside the OpenCL C rules, but IGC accepts it and lowers it with its stack-call ABI (call/ret + frame in scratch).
#include "conformance.h"
__attribute__((noinline)) int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
__attribute__((noinline)) int ack(int m, int n, __global int *cnt) { ++*cnt; return !m ? n + 1 : !n ? ack(m - 1, 1, cnt) : ack(m - 1, ack(m, n - 1, cnt), cnt); }
KERNEL void use_fib(__global const int *in, __global int *out) { size_t i = get_global_id(0); out[i] = fib(in[i] & 7); }
KERNEL void use_ack(__global const int *in, __global int *out, __global int *cnt) { size_t i = get_global_id(0); out[i] = ack(in[i] & 1, in[i] & 3, cnt + i); }
