# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# Options of the card for guests of xe, and for guests that are compared with xe's.
# shellcheck disable=SC2034 # by the scripts that read this file

# What the card does not punish where xe drives it, because xe cannot live with it:
# xe knows no blit in front of a flush (Wa_16018031267 is in no table of xe_wa.c).
xe_forgiven=--no-bcs-late
# xe sets the size of requests (16017236439) in the default image of contexts, which it records for
# GuC submission only; in execlist mode the register keeps its reset value.
xe_forgiven+=' --no-bcs-credits'
# xe invalidates translations of the GGTT when it has a GuC, and not in execlist mode
# (xe_gt_tlb_invalidation_ggtt() and xe_device_uc_enabled()).
xe_forgiven+=' --no-ggtt-tlb'
# xe writes the first place of the submit queue only (__start_lrc()).
xe_forgiven+=' --no-stale-queue'
# xe masks the block GU_MISC on the first tile only (xe_irq_reset()). While the second tile has an
# event of it, each interrupt is followed by the next one.
xe_forgiven+=' --no-irq-blocks'
