// SPDX-License-Identifier: GPL-2.0-only
#include "card/xetile_bisect.h"

#include <linux/cache.h>
#include <linux/moduleparam.h>
#include <linux/string.h>
#include <linux/sysfs.h>

/**
 * DOC: what can be taken out of the way
 *
 * When a card misbehaves, the first question is which part of the driver is concerned. Each of
 * these parameters of the module takes one part out of the way, at a price that nobody would pay
 * every day. Each is unsafe, and taints the kernel. They are read where the part does its work,
 * and never change while the module is loaded. Documentation/gpu/xetile/bring-up.rst says when to
 * try which of them.
 */

struct xetile_bisect xetile_bisect __ro_after_init = {
	.engines = 0x1fff,
};

/* A parameter that is one of two words */
struct choice {
	const char *words[2];
	/* Set if it is the second word */
	bool *value;
};

static int choice_set(const char *text, const struct kernel_param *param)
{
	const struct choice *choice = param->arg;
	int word = sysfs_match_string(choice->words, text);

	if (word < 0)
		return word;
	*choice->value = word;
	return 0;
}

static int choice_get(char *buffer, const struct kernel_param *param)
{
	const struct choice *choice = param->arg;

	return sysfs_emit(buffer, "%s\n", choice->words[*choice->value]);
}

static const struct kernel_param_ops choice_ops = {
	.set = choice_set,
	.get = choice_get,
};

static struct choice tlb = { { "changes", "always" }, &xetile_bisect.tlb_always };
module_param_cb_unsafe(tlb, &choice_ops, &tlb, 0444);
MODULE_PARM_DESC(tlb, "When jobs invalidate translations: changes (default) of mappings, or always");

static struct choice preempt = { { "on", "off" }, &xetile_bisect.preempt_off };
module_param_cb_unsafe(preempt, &choice_ops, &preempt, 0444);
MODULE_PARM_DESC(preempt, "off: an engine keeps a context until it is dry (default: on)");

static struct choice copy = { { "engine", "cpu" }, &xetile_bisect.copy_cpu };
module_param_cb_unsafe(copy, &choice_ops, &copy, 0444);
MODULE_PARM_DESC(copy, "Who clears and copies buffers: engine (default), or cpu where it can");

static struct choice ras = { { "on", "off" }, &xetile_bisect.ras_off };
module_param_cb_unsafe(ras, &choice_ops, &ras, 0444);
MODULE_PARM_DESC(ras, "off: errors of the hardware are masked and not counted (default: on)");

module_param_named_unsafe(engines, xetile_bisect.engines, uint, 0444);
MODULE_PARM_DESC(engines,
		 "Engines of each tile that are used: bits 0-3 compute, 4-12 copy (default: all)");
