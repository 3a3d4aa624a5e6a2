/* SPDX-License-Identifier: MIT */
/*
 * What a report is made of: the output of this program's own commands, files, and the kernel's log.
 */
#ifndef _XETILECTL_REPORT_READ_H_
#define _XETILECTL_REPORT_READ_H_

/*
 * Run this program with arguments, of which the last is NULL, and keep what it prints, up to a MiB:
 * if there is more, the text says so, and @status is not 0. Else @status is its exit status. The
 * caller frees the text; NULL: out of memory.
 */
char *report_read_command(const char *const *arguments, int *status);
/* A file of this program; NULL: it cannot be read, or has more than a MiB. The caller frees it. */
char *report_read_file(const char *path);
/* Lines of the kernel's log in which a word is. Returns as report_read_command(). */
char *report_read_log(const char *word, int *status);
/* Which kernel, driver and program these are, and what the environment asks of the library */
char *report_read_versions(void);

#endif
