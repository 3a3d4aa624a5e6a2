// SPDX-License-Identifier: GPL-2.0-only
#include "xe/xetile_xe_name.h"

#include <linux/hex.h>
#include <linux/moduleparam.h>
#include <linux/pci.h>
#include <linux/printk.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/sysfs.h>

/**
 * DOC: the name of a card's device
 *
 * Intel's runtimes use a device that is called xe. The administrator says which cards' are, by the
 * module's parameter uapi. A device has one name, because two devices of one function would share a
 * path in /dev/dri, and has it until the card goes: a parameter that is written acts on cards that
 * come. &wanted_lock protects the parameter.
 */

#define MAX_CARDS	32u

/** struct wanted - which cards' devices are called xe */
struct wanted {
	/** @all: those of all cards */
	bool all;
	/** @num: if not, how many of @cards there are */
	unsigned int num;
	/** @cards: addresses of cards, see address_of() */
	u64 cards[MAX_CARDS];
};

static struct wanted wanted;
static DEFINE_SPINLOCK(wanted_lock);

static u64 address_of(unsigned int domain, unsigned int bus, unsigned int devfn)
{
	return (u64)domain << 16 | bus << 8 | devfn;
}

/* Reads @min to @max hexadecimal digits, and the character @end behind them */
static bool hex_read(const char **text, unsigned int min, unsigned int max, char end,
		     unsigned int *value)
{
	unsigned int digits = 0;

	*value = 0;
	for (; digits < max && hex_to_bin(**text) >= 0; digits++)
		*value = *value << 4 | hex_to_bin(*(*text)++);
	return digits >= min && *(*text)++ == end;
}

/* Reads an address as lspci -D prints it; it may lack the domain, which is 0 then */
static bool address_read(const char *text, u64 *address)
{
	unsigned int domain = 0, bus, slot, function;

	if (strlen(text) > strlen("00:00.0") && !hex_read(&text, 4, 8, ':', &domain))
		return false;
	if (!hex_read(&text, 2, 2, ':', &bus) || !hex_read(&text, 2, 2, '.', &slot) ||
	    !hex_read(&text, 1, 1, '\0', &function) || slot > 0x1f || function > 7)
		return false;
	*address = address_of(domain, bus, PCI_DEVFN(slot, function));
	return true;
}

static bool cards_read(char *text, struct wanted *to)
{
	const char *word;

	while ((word = strsep(&text, ",")))
		if (to->num == MAX_CARDS || !address_read(word, &to->cards[to->num++]))
			return false;
	return true;
}

/* A word that means nothing is refused here, where somebody reads the answer. */
static int uapi_set(const char *text, const struct kernel_param *param)
{
	struct wanted next = {};
	char *copy = kstrdup(text, GFP_KERNEL), *word;
	int err = 0;

	if (!copy)
		return -ENOMEM;
	word = strim(copy);
	next.all = !strcmp(word, "xe");
	if (!next.all && strcmp(word, "xetile") && !cards_read(word, &next)) {
		pr_err("xetile: uapi=%s: not xe, not xetile, nor up to %u PCI addresses such as 0000:03:00.0 with commas between\n",
		       text, MAX_CARDS);
		err = -EINVAL;
	} else {
		spin_lock(&wanted_lock);
		wanted = next;
		spin_unlock(&wanted_lock);
	}
	kfree(copy);
	return err;
}

static int uapi_get(char *buf, const struct kernel_param *param)
{
	struct wanted now;
	unsigned int i;
	int len = 0;

	spin_lock(&wanted_lock);
	now = wanted;
	spin_unlock(&wanted_lock);
	if (!now.num)
		return sysfs_emit(buf, "%s\n", now.all ? "xe" : "xetile");
	for (i = 0; i < now.num; i++)
		len += sysfs_emit_at(buf, len, "%04x:%02x:%02x.%x%c", (u32)(now.cards[i] >> 16),
				     (u8)(now.cards[i] >> 8), PCI_SLOT((u8)now.cards[i]),
				     PCI_FUNC((u8)now.cards[i]), i + 1 < now.num ? ',' : '\n');
	return len;
}

static const struct kernel_param_ops uapi_ops = {
	.set = uapi_set,
	.get = uapi_get,
};
module_param_cb(uapi, &uapi_ops, NULL, 0644);
MODULE_PARM_DESC(uapi,
		 "Name of the devices of cards that come: xetile (default); xe, for Intel's runtimes; or PCI addresses of the cards for those, with commas between");

/**
 * xetile_xe_is_name() - is a card's device called xe
 * @pdev: the card
 *
 * Context: any, but no interrupt.
 * Return: true if the administrator wants it.
 */
bool xetile_xe_is_name(struct pci_dev *pdev)
{
	u64 address = address_of(pci_domain_nr(pdev->bus), pdev->bus->number, pdev->devfn);
	unsigned int i;
	bool is;

	spin_lock(&wanted_lock);
	is = wanted.all;
	for (i = 0; i < wanted.num; i++)
		is |= wanted.cards[i] == address;
	spin_unlock(&wanted_lock);
	return is;
}
