// SPDX-License-Identifier: MIT
/*
 * Compiles a file as xetilectl run does, without a card: the module is named instead of loaded.
 *   compile FILE [OPTIONS]
 */
#include <stdio.h>

#include "ctl.h"
#include "run.h"

int ctl_failed(const char *what)
{
	fprintf(stderr, "%s\n", what);
	return CTL_FAILED;
}

int xetile_module_load_file(struct xetile_context *context, const char *path,
			    struct xetile_module **out)
{
	return !printf("%s\n", path);
}

int main(int argc, char **argv)
{
	struct run run = { .file = argv[1], .options = argc > 2 ? argv[2] : NULL };

	return argc > 1 ? run_compile(&run) : CTL_USAGE;
}
