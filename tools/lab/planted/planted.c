// SPDX-License-Identifier: MIT
/*
 * Makes one mistake when it is loaded; the parameter names the mistake. Each is of a kind that one
 * of the debug kernels' checks has to find, and otherwise harmless. A lab run that ends well with
 * a mistake of this module has lost a check.
 */
#include <linux/dma-mapping.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/platform_device.h>
#include <linux/ref_tracker.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/timer.h>

static char *fault = "none";
module_param(fault, charp, 0);

/* The compiler must not know these values. */
static volatile unsigned int ninety_nine = 99;
static volatile char sink;

static int plant_none(void)
{
	return 0;
}

static int plant_leak(void)
{
	char *p = kzalloc(777, GFP_KERNEL);

	OPTIMIZER_HIDE_VAR(p);
	return p ? 0 : -ENOMEM;
}

static int plant_bounds(void)
{
	char *p = kmalloc(64, GFP_KERNEL);

	if (!p)
		return -ENOMEM;
	OPTIMIZER_HIDE_VAR(p);
	sink = p[64];
	kfree(p);
	return 0;
}

static int plant_freed(void)
{
	char *p = kmalloc(64, GFP_KERNEL), *stale = p;

	if (!p)
		return -ENOMEM;
	OPTIMIZER_HIDE_VAR(stale);
	kfree(p);
	sink = stale[8];
	return 0;
}

static int plant_shift(void)
{
	sink = 1u << ninety_nine;
	return 0;
}

static DEFINE_MUTEX(first);
static DEFINE_MUTEX(second);

static int plant_order(void)
{
	mutex_lock(&first);
	mutex_lock(&second);
	mutex_unlock(&second);
	mutex_unlock(&first);

	mutex_lock(&second);
	mutex_lock(&first);
	mutex_unlock(&first);
	mutex_unlock(&second);
	return 0;
}

static DEFINE_SPINLOCK(held);

static int plant_sleep(void)
{
	spin_lock(&held);
	might_sleep();
	spin_unlock(&held);
	return 0;
}

static void __rcu *published;

static int plant_rcu(void)
{
	return rcu_dereference(published) ? -EINVAL : 0;
}

static void never(struct timer_list *timer)
{
}

static int plant_object(void)
{
	struct timer_list *timer = kzalloc(sizeof(*timer), GFP_KERNEL);

	if (!timer)
		return -ENOMEM;
	timer_setup(timer, never, 0);
	mod_timer(timer, jiffies + 1000 * HZ);
	kfree(timer); /* the check stops the timer */
	return 0;
}

static int plant_dma(void)
{
	struct platform_device *pdev = platform_device_register_simple("planted", -1, NULL, 0);
	int ret;

	if (IS_ERR(pdev))
		return PTR_ERR(pdev);
	ret = dma_coerce_mask_and_coherent(&pdev->dev, DMA_BIT_MASK(32));
	if (!ret) /* never mapped */
		dma_unmap_single(&pdev->dev, 0x100000, 64, DMA_TO_DEVICE);
	platform_device_unregister(pdev);
	return ret;
}

static int plant_reference(void)
{
	struct ref_tracker_dir dir;
	struct ref_tracker *tracker;
	int ret;

	ref_tracker_dir_init(&dir, 4, "planted");
	ret = ref_tracker_alloc(&dir, &tracker, GFP_KERNEL);
	ref_tracker_dir_exit(&dir); /* reports the reference, then frees it */
	return ret;
}

static unsigned long contested;

static int racer(void *data)
{
	while (!kthread_should_stop()) {
		contested++;
		barrier();
		cond_resched();
	}
	return 0;
}

static int plant_race(void)
{
	struct task_struct *task = kthread_run(racer, NULL, "planted");
	unsigned long until = jiffies + 5 * HZ;

	if (IS_ERR(task))
		return PTR_ERR(task);
	while (time_before(jiffies, until)) {
		contested++;
		barrier();
		cond_resched();
	}
	return kthread_stop(task);
}

static const struct {
	const char *name;
	int (*plant)(void);
} faults[] = {
	{ "none", plant_none },
	{ "leak", plant_leak },
	{ "bounds", plant_bounds },
	{ "freed", plant_freed },
	{ "shift", plant_shift },
	{ "order", plant_order },
	{ "sleep", plant_sleep },
	{ "rcu", plant_rcu },
	{ "object", plant_object },
	{ "dma", plant_dma },
	{ "reference", plant_reference },
	{ "race", plant_race },
};

static int __init planted_init(void)
{
	for (int i = 0; i < ARRAY_SIZE(faults); i++)
		if (!strcmp(faults[i].name, fault))
			return faults[i].plant();
	pr_err("planted: no fault \"%s\"\n", fault);
	return -EINVAL;
}
module_init(planted_init);

static void __exit planted_exit(void)
{
}
module_exit(planted_exit);

MODULE_DESCRIPTION("One mistake, which a kernel that checks itself must see");
MODULE_LICENSE("Dual MIT/GPL");
