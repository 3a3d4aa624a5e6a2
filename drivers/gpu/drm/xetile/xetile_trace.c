// SPDX-License-Identifier: GPL-2.0-only
#define CREATE_TRACE_POINTS
#include "xetile_trace.h"

/**
 * DOC: trace events
 *
 * What the driver tells tracers, such as perf and trace-cmd, of the group "xetile". The header has
 * the events, this file makes their code. Those who do something call an event, with names and
 * numbers that the user of the driver knows; no address of the kernel is among them. An event that
 * nobody traces costs a jump. Documentation/gpu/xetile/telemetry.rst describes the fields, which
 * scripts rely on: they are only added to.
 */
