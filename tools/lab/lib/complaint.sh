# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2034 # used by those who read it

# What a healthy kernel never says.
complaint='WARNING|BUG[:!]|Oops|KASAN|UBSAN|KCSAN|KFENCE|refcount_t|Kernel panic|Call Trace:'
complaint+='|general protection fault|unable to handle|cut here|INFO: task .* blocked'
complaint+='|possible (recursive|circular|irq)|inconsistent lock state|suspicious RCU|held lock'
complaint+='|rcu.*(detected.*stall|self-detected)|soft lockup|hard LOCKUP|DMA-API:|kmemleak: [0-9]+ new'
complaint+='|kmemleak: .*disabled|ref_tracker:|turning off the locking correctness validator'
complaint+='|sleeping function called|scheduling while atomic|Unknown symbol|segfault at'
