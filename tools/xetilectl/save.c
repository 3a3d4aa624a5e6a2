// SPDX-License-Identifier: MIT
/*
 * Files that commands write.
 */
#include "save.h"

#include <errno.h>
#include <string.h>

#include "ctl.h"

static int save_failed(const char *path)
{
	fprintf(stderr, "xetilectl: cannot write '%s': %s\n", path, strerror(errno));
	return CTL_FAILED;
}

FILE *save_open(const char *path)
{
	FILE *out = fopen(path, "we");

	if (!out)
		save_failed(path);
	return out;
}

int save_close(FILE *out, const char *path)
{
	int failed = ferror(out);

	return fclose(out) || failed ? save_failed(path) : CTL_OK;
}
