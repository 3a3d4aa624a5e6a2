// SPDX-License-Identifier: GPL-2.0-only
#include "look/xetile_pmu.h"

#include <linux/atomic.h>
#include <linux/cleanup.h>
#include <linux/device.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/perf_event.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/sysfs.h>
#include <linux/timekeeping.h>

#include <drm/drm_print.h>

#include "exec/xetile_sched_engine.h"
#include "exec/xetile_sched_usage.h"
#include "xetile_device.h"

/**
 * DOC: busy engines, for perf
 *
 * A PMU for each card, with an event for each engine: the time, in ns, for which contexts had the
 * engine, whoever's they are. It counts for the whole machine; there is nothing to sample.
 *
 * Perf events may stay open when a card goes, and older kernels cannot take a PMU away from them.
 * So a PMU stays as long as the module, which open events hold, and a card that comes in the same
 * place takes it over: a reset of the card, or a new binding, does not end a measurement. There are
 * as many PMUs as PCI addresses that ever had a card.
 *
 * The perf core calls under its own and the CPU's scheduler's locks, perhaps in an NMI. So the
 * execution writes the times where they can be read without a lock, in the PMU itself.
 */

#define NUM_ENGINES	XETILE_DISPATCH_ENGINES

/* An engine's event: its file in the folder events/, and the one that tells its unit */
struct pmu_engine {
	struct device_attribute event, unit;
	unsigned int number;
	char name[24], unit_name[32];
};

struct xetile_pmu {
	struct pmu base;
	/* In pmus */
	struct list_head link;
	/* Its function's name, with other letters */
	char *name;
	/* The engines' times; see xetile_sched_usage_watch() */
	atomic64_t busy[NUM_ENGINES];
	/* Below: never change after the registration */
	struct pmu_engine engines[NUM_ENGINES];
	struct attribute *event_attrs[2 * NUM_ENGINES + 1];
	struct attribute_group events;
	const struct attribute_group *groups[3];
};

/* All PMUs, and the lock of the list */
static LIST_HEAD(pmus);
static DEFINE_MUTEX(pmus_lock);

static struct xetile_pmu *to_xetile_pmu(struct pmu *base)
{
	return container_of(base, struct xetile_pmu, base);
}

static u64 event_now(struct perf_event *event)
{
	struct xetile_pmu *pmu = to_xetile_pmu(event->pmu);

	return xetile_sched_usage_busy(&pmu->busy[event->attr.config], ktime_get_mono_fast_ns());
}

static int pmu_event_init(struct perf_event *event)
{
	struct xetile_pmu *pmu = to_xetile_pmu(event->pmu);

	if (event->attr.type != pmu->base.type)
		return -ENOENT;
	if (is_sampling_event(event))
		return -EOPNOTSUPP;
	if (event->cpu < 0)
		return -EINVAL;
	/* Engines that the card lacks have no name. */
	if (event->attr.config >= NUM_ENGINES || !pmu->engines[event->attr.config].name[0] ||
	    event->attr.config1 || event->attr.config2 || event->attr.config3)
		return -EINVAL;
	return 0;
}

/* The time of a turn that goes on may turn out to be a little less: then it is waited for. */
static void pmu_event_read(struct perf_event *event)
{
	u64 now = event_now(event), last = local64_read(&event->hw.prev_count);

	do {
		if (now <= last)
			return;
	} while (!local64_try_cmpxchg(&event->hw.prev_count, &last, now));
	local64_add(now - last, &event->count);
}

static void pmu_event_start(struct perf_event *event, int flags)
{
	local64_set(&event->hw.prev_count, event_now(event));
	event->hw.state = 0;
}

static void pmu_event_stop(struct perf_event *event, int flags)
{
	if (event->hw.state & PERF_HES_STOPPED)
		return;
	if (flags & PERF_EF_UPDATE)
		pmu_event_read(event);
	event->hw.state = PERF_HES_STOPPED;
}

static int pmu_event_add(struct perf_event *event, int flags)
{
	event->hw.state = PERF_HES_STOPPED;
	if (flags & PERF_EF_START)
		pmu_event_start(event, flags);
	return 0;
}

static void pmu_event_del(struct perf_event *event, int flags)
{
	pmu_event_stop(event, PERF_EF_UPDATE);
}

PMU_FORMAT_ATTR(engine, "config:0-7");

static struct attribute *format_attrs[] = {
	&format_attr_engine.attr,
	NULL,
};

static const struct attribute_group format_group = {
	.name = "format",
	.attrs = format_attrs,
};

static ssize_t event_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "engine=%#x\n",
			  container_of(attr, struct pmu_engine, event)->number);
}

static ssize_t unit_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "ns\n");
}

static void init_attr(struct device_attribute *attr, const char *name,
		      ssize_t (*show)(struct device *dev, struct device_attribute *attr, char *buf))
{
	sysfs_attr_init(&attr->attr);
	attr->attr.name = name;
	attr->attr.mode = 0444;
	attr->show = show;
}

/* "tile0-ccs0-busy" of the engine "tile0.ccs0" */
static void init_engines(struct xetile_pmu *pmu, struct xetile_device *xt)
{
	struct xetile_tile *tile;
	char name[16];
	unsigned int i, n = 0;

	xetile_for_each_tile(tile, xt) {
		for (i = 0; i < tile->num_engines; i++) {
			unsigned int e = xetile_sched_engine_index(&tile->engines[i]);
			struct pmu_engine *engine = &pmu->engines[e];

			strscpy(name, tile->engines[i].name);
			strreplace(name, '.', '-');
			engine->number = e;
			snprintf(engine->name, sizeof(engine->name), "%s-busy", name);
			snprintf(engine->unit_name, sizeof(engine->unit_name), "%s-busy.unit",
				 name);
			init_attr(&engine->event, engine->name, event_show);
			init_attr(&engine->unit, engine->unit_name, unit_show);
			pmu->event_attrs[n++] = &engine->event.attr;
			pmu->event_attrs[n++] = &engine->unit.attr;
		}
	}
	pmu->events.name = "events";
	pmu->events.attrs = pmu->event_attrs;
}

static void pmu_free(struct xetile_pmu *pmu)
{
	kfree(pmu->name);
	kfree(pmu);
}

static struct xetile_pmu *pmu_create(struct xetile_device *xt, const char *name)
{
	struct xetile_pmu *pmu = kzalloc(sizeof(*pmu), GFP_KERNEL);
	int err;

	if (!pmu)
		return NULL;
	pmu->name = kstrdup(name, GFP_KERNEL);
	init_engines(pmu, xt);
	pmu->groups[0] = &format_group;
	pmu->groups[1] = &pmu->events;
	pmu->base = (struct pmu) {
		.module = THIS_MODULE,
		.attr_groups = pmu->groups,
		.capabilities = PERF_PMU_CAP_NO_INTERRUPT | PERF_PMU_CAP_NO_EXCLUDE,
		.scope = PERF_PMU_SCOPE_SYS_WIDE,
		.task_ctx_nr = perf_invalid_context,
		.event_init = pmu_event_init,
		.add = pmu_event_add,
		.del = pmu_event_del,
		.start = pmu_event_start,
		.stop = pmu_event_stop,
		.read = pmu_event_read,
	};
	err = pmu->name ? perf_pmu_register(&pmu->base, pmu->name, -1) : -ENOMEM;
	if (err) {
		drm_dbg(&xt->drm, "no PMU: %pe\n", ERR_PTR(err));
		pmu_free(pmu);
		return NULL;
	}
	list_add(&pmu->link, &pmus);
	return pmu;
}

static struct xetile_pmu *pmu_find(const char *name)
{
	struct xetile_pmu *pmu;

	list_for_each_entry(pmu, &pmus, link)
		if (!strcmp(pmu->name, name))
			return pmu;
	return NULL;
}

/**
 * xetile_pmu_attach() - have a card's engines counted for perf
 * @xt: the card, with started engines
 *
 * Without memory there is no PMU; the card works all the same.
 *
 * Context: process; may sleep.
 */
void xetile_pmu_attach(struct xetile_device *xt)
{
	struct xetile_pmu *pmu;
	char name[48];

	snprintf(name, sizeof(name), "xetile_%s", dev_name(xt->drm.dev));
	strreplace(name, ':', '_');
	guard(mutex)(&pmus_lock);
	pmu = pmu_find(name) ?: pmu_create(xt, name);
	if (pmu)
		xetile_sched_usage_watch(xt->sched, pmu->busy);
}

/**
 * xetile_pmu_exit() - take all PMUs away
 *
 * No event is open, and no card is bound.
 *
 * Context: process, as the module ends.
 */
void xetile_pmu_exit(void)
{
	struct xetile_pmu *pmu, *next;

	list_for_each_entry_safe(pmu, next, &pmus, link) {
		perf_pmu_unregister(&pmu->base);
		pmu_free(pmu);
	}
}
