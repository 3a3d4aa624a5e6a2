/* SPDX-License-Identifier: MIT */
/*
 * Programs that a command runs in its own process.
 */
#ifndef _XETILECTL_PROGRAM_H_
#define _XETILECTL_PROGRAM_H_

/*
 * Become the program @argv[0]. Returns only when that fails, after a message that names @command:
 * the exit code, 127: there is no such program, 126: it cannot run, as shells and env(1) say it.
 */
int program_run(const char *command, char **argv);

#endif
