// SPDX-License-Identifier: MIT
#include "program.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "text.h"

#define EXIT_NO_EXEC	126
#define EXIT_NO_PROGRAM	127

int program_run(const char *command, char **argv)
{
	char name[256];
	int err;

	execvp(argv[0], argv);
	err = errno;
	text_clean(name, sizeof(name), argv[0]);
	fprintf(stderr, "xetilectl: %s: cannot run '%s': %s\n", command, name, strerror(err));
	return err == ENOENT ? EXIT_NO_PROGRAM : EXIT_NO_EXEC;
}
