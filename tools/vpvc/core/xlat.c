// SPDX-License-Identifier: MIT
/* Names of translation faults, for the log and the control socket. */
#include "core/xlat.h"

const char *xlat_name(enum xlat x)
{
	switch (x) {
	case XLAT_OK:
		return "ok";
	case XLAT_NOT_PRESENT:
		return "not present";
	case XLAT_READONLY:
		return "read-only";
	case XLAT_MISALIGNED:
		return "misaligned entry";
	case XLAT_OUT_OF_RANGE:
		return "out of range";
	case XLAT_POISONED:
		return "uncorrectable memory error";
	}
	return "?";
}
