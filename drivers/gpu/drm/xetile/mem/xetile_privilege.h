/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __XETILE_PRIVILEGE_H__
#define __XETILE_PRIVILEGE_H__

#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/sched.h>

/**
 * DOC: who may exceed limits
 *
 * For all files that count what clients have. No lock.
 */

/*
 * May the caller exceed limits? Without a record in the audit log, which a program would fill that
 * runs into its limit again and again: it asks for no privilege, and a refusal is no attack.
 */
static inline bool xetile_may_exceed_limits(void)
{
	return ns_capable_noaudit(&init_user_ns, CAP_SYS_RESOURCE);
}

/*
 * Is the caller a work of the driver's, which has all privileges whoever it acts for? The one that
 * takes what clients pay for begins a run of endless jobs (xetile_vm_run.c).
 */
static inline bool xetile_acts_for_client(void)
{
	return current->flags & PF_KTHREAD;
}

#endif
