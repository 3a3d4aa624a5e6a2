/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_PMU_H__
#define __XETILE_PMU_H__

struct xetile_device;

#ifdef CONFIG_PERF_EVENTS
void xetile_pmu_attach(struct xetile_device *xt);
void xetile_pmu_exit(void);
#else
static inline void xetile_pmu_attach(struct xetile_device *xt)
{
}

static inline void xetile_pmu_exit(void)
{
}
#endif

#endif
