// SPDX-License-Identifier: GPL-2.0-only
#include "look/xetile_hwmon.h"

#include <linux/cleanup.h>
#include <linux/device.h>
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/hwmon.h>
#include <linux/jiffies.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/mutex.h>
#include <linux/pci.h>
#include <linux/sysfs.h>
#include <linux/units.h>
#include <linux/workqueue.h>

#include <drm/drm_drv.h>
#include <drm/drm_managed.h>
#include <drm/drm_print.h>

#include "regs/pvc_soc_regs.h"

#include "card/xetile_awake.h"
#include "card/xetile_mmio.h"
#include "card/xetile_pcode.h"
#include "card/xetile_tile.h"
#include "exec/xetile_wedge.h"
#include "xetile_device.h"

/**
 * DOC: energy and power
 *
 * The card's sensors for the hwmon subsystem: the energy of the card and of each tile, and the
 * limits of the card's power. Documentation/ABI/testing/sysfs-driver-xetile-hwmon describes the
 * files.
 *
 * The hardware counts energy in 32 bits, which at 600 W begin anew every seven minutes. A work item
 * looks at the counters each minute, so that no round is missed when nobody reads the files.
 * The power limit is lost with the card's power, and is written again after a sleep.
 *
 * A card that is wedged may lose its registers at any time, because it is reset, and its counters
 * may then begin anew: its sensors answer the error of the card. The sensors' lock is held while
 * they are read, so whoever has wedged the card and then takes the lock has seen the last reader.
 *
 * A sleeping card is not woken up to be read, because tools read its sensors all the time: the
 * files tell what was so when it fell asleep.
 */

#define LOOK_PERIOD		(60 * HZ)
/* Channels of energy: the card, then the tiles */
#define CHANNEL_CARD		0
#define NUM_CHANNELS		(1 + XETILE_MAX_TILES)

/** enum kept_id - registers whose values are kept while the card is asleep */
enum kept_id {
	KEPT_LIMIT,
	KEPT_SKU,
	KEPT_SKU_UDW,
	NUM_KEPT
};

static const u32 kept_regs[NUM_KEPT] = {
	[KEPT_LIMIT] = PVC_PACKAGE_RAPL_LIMIT,
	[KEPT_SKU] = PVC_PACKAGE_POWER_SKU,
	[KEPT_SKU_UDW] = PVC_PACKAGE_POWER_SKU_UDW,
};

/** struct counter - a counter of the hardware, with more bits */
struct counter {
	u64 sum;
	u32 last;
};

/** struct xetile_hwmon - the sensors of a card */
struct xetile_hwmon {
	/** @xt: the card */
	struct xetile_device *xt;
	/** @lock: held while a sensor is read or written; protects the fields up to @limited */
	struct mutex lock;
	/** @asleep: the registers do not answer; see @kept and @kept_crit */
	bool asleep;
	/** @kept: values of kept_regs when the card fell asleep */
	u32 kept[NUM_KEPT];
	/** @kept_crit: the power controller's last answer about the critical limit */
	u32 kept_crit;
	/** @energy: by channel, in units of 1/2^@energy_unit J */
	struct counter energy[NUM_CHANNELS];
	/** @limit: what the administrator has written to the register of the power limit */
	u32 limit;
	/** @limited: whether @limit was written */
	bool limited;
	/**
	 * @crit: hwmon_power or hwmon_curr: what the critical limit is in; hwmon_chip: there is
	 *	none
	 */
	enum hwmon_sensor_types crit;
	/** @power_unit: powers are in units of 1/2^n W */
	unsigned int power_unit;
	/** @energy_unit: energies are in units of 1/2^n J */
	unsigned int energy_unit;
	/** @time_unit: times are in units of 1/2^n s */
	unsigned int time_unit;
	/** @look: looks at the counters before they begin anew */
	struct delayed_work look;
};

static u64 scale(u64 value, unsigned int unit)
{
	return mul_u64_u32_shr(value, MICRO, unit);
}

static u32 read_counter(struct xetile_hwmon *hwmon, int channel)
{
	struct xetile_device *xt = hwmon->xt;

	if (channel == CHANNEL_CARD)
		return xetile_mmio_read(&xt->mmio, PVC_PLATFORM_ENERGY_STATUS);
	return xetile_mmio_read(&xt->tiles[channel - 1].mmio, PVC_PACKAGE_ENERGY_STATUS);
}

static u32 read_kept(const struct xetile_hwmon *hwmon, enum kept_id id)
{
	lockdep_assert_held(&hwmon->lock);
	return hwmon->asleep ? hwmon->kept[id] :
			       xetile_mmio_read(&hwmon->xt->mmio, kept_regs[id]);
}

/* Nobody may read or write the sensors of a card that is wedged. */
static int error_locked(const struct xetile_hwmon *hwmon)
{
	lockdep_assert_held(&hwmon->lock);
	return xetile_wedged(hwmon->xt->sched);
}

static u64 energy_locked(struct xetile_hwmon *hwmon, int channel)
{
	struct counter *counter = &hwmon->energy[channel];
	u32 now = hwmon->asleep ? counter->last : read_counter(hwmon, channel);

	lockdep_assert_held(&hwmon->lock);
	/* A card that is gone reads all ones, which would be taken for energy. */
	if (!PCI_POSSIBLE_ERROR(now)) {
		counter->sum += (u32)(now - counter->last);
		counter->last = now;
	}
	return scale(counter->sum, hwmon->energy_unit);
}

static void look(struct work_struct *work)
{
	struct xetile_hwmon *hwmon = container_of(work, struct xetile_hwmon, look.work);
	int err = 0, idx, channel;

	if (!drm_dev_enter(&hwmon->xt->drm, &idx))
		return;
	scoped_guard(mutex, &hwmon->lock) {
		err = error_locked(hwmon);
		for (channel = 0; channel <= hwmon->xt->num_tiles && !err; channel++)
			energy_locked(hwmon, channel);
	}
	drm_dev_exit(idx);
	/* A card that is wedged stays so until it is bound anew. */
	if (err)
		return;
	queue_delayed_work(system_freezable_wq, &hwmon->look, LOOK_PERIOD);
}

static void stop_look(void *arg)
{
	struct xetile_hwmon *hwmon = arg;

	cancel_delayed_work_sync(&hwmon->look);
}

static int read_limit(struct xetile_hwmon *hwmon, long *value)
{
	u32 limit, sku, low, high;

	limit = read_kept(hwmon, KEPT_LIMIT);
	if (PCI_POSSIBLE_ERROR(limit))
		return -ENODEV;
	if (!(limit & PVC_RAPL_LIMIT_ENABLE)) {
		*value = 0;
		return 0;
	}
	limit &= PVC_RAPL_LIMIT_POWER_MASK;
	/* The hardware accepts all limits, and bounds them by these (xe: xe_hwmon.c). */
	sku = read_kept(hwmon, KEPT_SKU);
	low = (sku & PVC_POWER_SKU_MIN_MASK) >> PVC_POWER_SKU_MIN_SHIFT;
	high = read_kept(hwmon, KEPT_SKU_UDW) & PVC_POWER_SKU_UDW_MAX_MASK;
	if (low && high)
		limit = max(low, min(limit, high));
	*value = scale(limit, hwmon->power_unit);
	return 0;
}

static void put_limit(struct xetile_hwmon *hwmon)
{
	const u32 ours = PVC_RAPL_LIMIT_ENABLE | PVC_RAPL_LIMIT_POWER_MASK;
	const struct xetile_mmio *mmio = &hwmon->xt->mmio;
	u32 old = xetile_mmio_read(mmio, PVC_PACKAGE_RAPL_LIMIT);

	lockdep_assert_held(&hwmon->lock);
	if (!PCI_POSSIBLE_ERROR(old))
		xetile_mmio_write(mmio, PVC_PACKAGE_RAPL_LIMIT, (old & ~ours) | hwmon->limit);
}

/* 0 means no limit. */
static int write_limit(struct xetile_hwmon *hwmon, long value)
{
	const u64 most = scale(PVC_RAPL_LIMIT_POWER_MASK, hwmon->power_unit);
	u32 limit = 0, now;

	if (value < 0)
		return -EINVAL;
	if (value) {
		limit = DIV_ROUND_CLOSEST_ULL(min_t(u64, value, most) << hwmon->power_unit, MICRO);
		limit = max(limit, 1u) | PVC_RAPL_LIMIT_ENABLE;
	}
	lockdep_assert_held(&hwmon->lock);
	hwmon->limit = limit;
	hwmon->limited = true;
	put_limit(hwmon);
	now = xetile_mmio_read(&hwmon->xt->mmio, PVC_PACKAGE_RAPL_LIMIT);
	if (PCI_POSSIBLE_ERROR(now))
		return -ENODEV;
	/* Firmware may have locked the limit. */
	return (now ^ limit) & PVC_RAPL_LIMIT_ENABLE ? -EOPNOTSUPP : 0;
}

static int ask_crit(struct xetile_hwmon *hwmon, u32 *crit)
{
	int err = 0;

	lockdep_assert_held(&hwmon->lock);
	*crit = hwmon->asleep ? hwmon->kept_crit : 0;
	if (!hwmon->asleep)
		err = xetile_pcode_ask(hwmon->xt, PVC_PCODE_CMD_POWER_SETUP |
				       PVC_PCODE_POWER_READ_I1 << PVC_PCODE_PARAM1_SHIFT, crit);
	if (!err)
		hwmon->kept_crit = *crit;
	return err;
}

/* The power controller tells the limit in watts or amperes; hwmon has it in units of 1/@one. */
static int read_crit(struct xetile_hwmon *hwmon, enum hwmon_sensor_types type, u32 one, long *value)
{
	u32 crit;
	int err = ask_crit(hwmon, &crit);

	if (err)
		return err;
	if ((crit & PVC_PCODE_I1_WATTS ? hwmon_power : hwmon_curr) != type)
		return -ENODATA;
	*value = mul_u64_u32_shr(crit & PVC_PCODE_I1_MASK, one, PVC_PCODE_I1_SHIFT);
	return 0;
}

static int read_power(struct xetile_hwmon *hwmon, u32 attr, long *value)
{
	u32 sku;

	if (attr == hwmon_power_max)
		return read_limit(hwmon, value);
	if (attr == hwmon_power_crit)
		return read_crit(hwmon, hwmon_power, MICRO, value);
	if (attr != hwmon_power_rated_max)
		return -EOPNOTSUPP;
	sku = read_kept(hwmon, KEPT_SKU);
	if (PCI_POSSIBLE_ERROR(sku))
		return -ENODEV;
	*value = scale(sku & PVC_POWER_SKU_TDP_MASK, hwmon->power_unit);
	return 0;
}

static int read_locked(struct xetile_hwmon *hwmon, enum hwmon_sensor_types type, u32 attr,
		       int channel, long *value)
{
	int err = error_locked(hwmon);

	lockdep_assert_held(&hwmon->lock);
	if (err)
		return err;
	if (type == hwmon_power)
		return read_power(hwmon, attr, value);
	if (type == hwmon_curr && attr == hwmon_curr_crit)
		return read_crit(hwmon, hwmon_curr, MILLI, value);
	if (type != hwmon_energy || attr != hwmon_energy_input)
		return -EOPNOTSUPP;
	*value = energy_locked(hwmon, channel);
	return 0;
}

static int hwmon_read(struct device *dev, enum hwmon_sensor_types type, u32 attr, int channel,
		      long *value)
{
	struct xetile_hwmon *hwmon = dev_get_drvdata(dev);
	int err, idx;

	if (!drm_dev_enter(&hwmon->xt->drm, &idx))
		return -ENODEV;
	scoped_guard(mutex, &hwmon->lock)
		err = read_locked(hwmon, type, attr, channel, value);
	drm_dev_exit(idx);
	return err;
}

static int hwmon_write(struct device *dev, enum hwmon_sensor_types type, u32 attr, int channel,
		       long value)
{
	struct xetile_hwmon *hwmon = dev_get_drvdata(dev);
	int err, idx;

	if (type != hwmon_power || attr != hwmon_power_max)
		return -EOPNOTSUPP;
	err = xetile_awake_enter(hwmon->xt, &idx);
	if (err)
		return err;
	scoped_guard(mutex, &hwmon->lock)
		err = error_locked(hwmon) ?: write_limit(hwmon, value);
	xetile_awake_exit(hwmon->xt, idx);
	return err;
}

static int hwmon_read_string(struct device *dev, enum hwmon_sensor_types type, u32 attr,
			     int channel, const char **str)
{
	static const char * const names[NUM_CHANNELS] = {
		"card", "tile0", "tile1", "tile2", "tile3",
	};

	*str = names[channel];
	return 0;
}

static umode_t hwmon_is_visible(const void *data, enum hwmon_sensor_types type, u32 attr,
				int channel)
{
	const struct xetile_hwmon *hwmon = data;

	if (type == hwmon_curr || (type == hwmon_power && attr == hwmon_power_crit))
		return type == hwmon->crit ? 0444 : 0;
	if (type == hwmon_power)
		return attr == hwmon_power_max ? 0644 : 0444;
	/* Fine-grained energy tells what others compute, so only root may read it. */
	return channel > hwmon->xt->num_tiles ? 0 : attr == hwmon_energy_input ? 0400 : 0444;
}

static const struct hwmon_ops ops = {
	.is_visible = hwmon_is_visible,
	.read = hwmon_read,
	.read_string = hwmon_read_string,
	.write = hwmon_write,
};

/*
 * The time over which PL1 averages. Only to be read: no register tells reliably which times the
 * card takes (xe: xe_hwmon.c).
 */
static u64 interval_ms(const struct xetile_hwmon *hwmon, u32 limit)
{
	u32 x = (limit & PVC_RAPL_LIMIT_TIME_X_MASK) >> PVC_RAPL_LIMIT_TIME_X_SHIFT;
	u32 y = (limit & PVC_RAPL_LIMIT_TIME_Y_MASK) >> PVC_RAPL_LIMIT_TIME_Y_SHIFT;

	return mul_u64_u32_shr((u64)(4 + x) << y, MILLI, hwmon->time_unit + 2);
}

static ssize_t power1_max_interval_show(struct device *dev, struct device_attribute *attr,
					char *buf)
{
	struct xetile_hwmon *hwmon = dev_get_drvdata(dev);
	u32 limit = 0;
	int err, idx;

	if (!drm_dev_enter(&hwmon->xt->drm, &idx))
		return -ENODEV;
	scoped_guard(mutex, &hwmon->lock) {
		err = error_locked(hwmon);
		if (!err)
			limit = read_kept(hwmon, KEPT_LIMIT);
	}
	drm_dev_exit(idx);
	if (!err && PCI_POSSIBLE_ERROR(limit))
		err = -ENODEV;
	return err ?: sysfs_emit(buf, "%llu\n", interval_ms(hwmon, limit));
}

static DEVICE_ATTR_RO(power1_max_interval);

static struct attribute *hwmon_attrs[] = {
	&dev_attr_power1_max_interval.attr,
	NULL
};
ATTRIBUTE_GROUPS(hwmon);

#define ENERGY	(HWMON_E_INPUT | HWMON_E_LABEL)

static const struct hwmon_channel_info * const channels[] = {
	HWMON_CHANNEL_INFO(power, HWMON_P_MAX | HWMON_P_RATED_MAX | HWMON_P_CRIT | HWMON_P_LABEL),
	HWMON_CHANNEL_INFO(curr, HWMON_C_CRIT),
	HWMON_CHANNEL_INFO(energy, ENERGY, ENERGY, ENERGY, ENERGY, ENERGY),
	NULL
};

static const struct hwmon_chip_info chip = { .ops = &ops, .info = channels };

static void forget_counters(struct xetile_hwmon *hwmon)
{
	int channel;

	lockdep_assert_held(&hwmon->lock);
	for (channel = 0; channel <= hwmon->xt->num_tiles; channel++)
		hwmon->energy[channel].last = read_counter(hwmon, channel);
}

/* Which file, if any, tells the critical limit: it is in watts or in amperes (xe: xe_hwmon.c). */
static void find_crit(struct xetile_hwmon *hwmon)
{
	u32 crit;

	hwmon->crit = hwmon_chip;
	if (!ask_crit(hwmon, &crit) && (crit & PVC_PCODE_I1_MASK))
		hwmon->crit = crit & PVC_PCODE_I1_WATTS ? hwmon_power : hwmon_curr;
}

/**
 * xetile_hwmon_init() - register the sensors of a card
 * @xt: the card; its tiles are known
 *
 * The card works without them, too.
 *
 * Context: process.
 */
void xetile_hwmon_init(struct xetile_device *xt)
{
	struct xetile_hwmon *hwmon;
	struct device *dev;
	u32 units;

	if (!IS_REACHABLE(CONFIG_HWMON))
		return;
	hwmon = drmm_kzalloc(&xt->drm, sizeof(*hwmon), GFP_KERNEL);
	if (!hwmon || drmm_mutex_init(&xt->drm, &hwmon->lock))
		return;
	hwmon->xt = xt;
	units = xetile_mmio_read(&xt->mmio, PVC_PACKAGE_POWER_SKU_UNIT);
	hwmon->power_unit = units & PVC_SKU_UNIT_POWER_MASK;
	hwmon->energy_unit = (units & PVC_SKU_UNIT_ENERGY_MASK) >> PVC_SKU_UNIT_ENERGY_SHIFT;
	hwmon->time_unit = (units & PVC_SKU_UNIT_TIME_MASK) >> PVC_SKU_UNIT_TIME_SHIFT;
	INIT_DELAYED_WORK(&hwmon->look, look);
	scoped_guard(mutex, &hwmon->lock) {
		find_crit(hwmon);
		forget_counters(hwmon);
	}
	if (devm_add_action_or_reset(xt->drm.dev, stop_look, hwmon))
		return;
	dev = devm_hwmon_device_register_with_info(xt->drm.dev, "xetile", hwmon, &chip,
						   hwmon_groups);
	if (IS_ERR(dev)) {
		drm_warn(&xt->drm, "no sensors for hwmon: %pe\n", dev);
		return;
	}
	xt->hwmon = hwmon;
	queue_delayed_work(system_freezable_wq, &hwmon->look, LOOK_PERIOD);
}

/**
 * xetile_hwmon_sleep() - the registers will not answer any more
 * @xt: the card, about to lose its power; its sensors may be missing
 *
 * Context: process; takes the lock of the sensors.
 */
void xetile_hwmon_sleep(struct xetile_device *xt)
{
	struct xetile_hwmon *hwmon = xt->hwmon;
	int i;

	if (!hwmon)
		return;
	guard(mutex)(&hwmon->lock);
	for (i = 0; i <= xt->num_tiles; i++)
		energy_locked(hwmon, i);
	for (i = 0; i < NUM_KEPT; i++)
		hwmon->kept[i] = read_kept(hwmon, i);
	hwmon->asleep = true;
}

/**
 * xetile_hwmon_wake() - go on after a loss of power
 * @xt: the card; its sensors may be missing
 *
 * Context: process; takes the lock of the sensors.
 */
void xetile_hwmon_wake(struct xetile_device *xt)
{
	struct xetile_hwmon *hwmon = xt->hwmon;

	if (!hwmon)
		return;
	guard(mutex)(&hwmon->lock);
	hwmon->asleep = false;
	forget_counters(hwmon);
	if (hwmon->limited)
		put_limit(hwmon);
}

/**
 * xetile_hwmon_stop() - wait until the sensors are not read any more
 * @xt: the card, wedged; its sensors may be missing
 *
 * Who reads them from here on gets the error of the card.
 *
 * Context: process; takes the lock of the sensors.
 */
void xetile_hwmon_stop(struct xetile_device *xt)
{
	if (!xt->hwmon)
		return;
	mutex_lock(&xt->hwmon->lock);
	mutex_unlock(&xt->hwmon->lock);
}
