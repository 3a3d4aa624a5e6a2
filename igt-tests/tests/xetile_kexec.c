// SPDX-License-Identifier: MIT
/*
 * Another kernel takes the machine over while the card works: shutdown() must leave a quiet card.
 * The machine is not reset in between, and therefore neither is the card. Each subtest runs in a
 * kernel of its own; igt-tests/kexec combines them.
 *
 * suite: kexec
 */
#include <fcntl.h>
#include <string.h>
#include <sys/reboot.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/kexec.h>

#include "xetile_job.h"
#include "xetile_lab.h"
#include "xetile_withheld.h"

#define KERNEL	"XETILE_KEXEC_KERNEL"
#define INITRD	"XETILE_KEXEC_INITRD"

static int open_file(const char *variable)
{
	const char *path = getenv(variable);
	int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;

	igt_assert_f(fd >= 0, "%s=%s: %m\n", variable, path);
	return fd;
}

/* Loads this kernel once more, with the same command line. */
static void load_kernel(void)
{
	int kernel = open_file(KERNEL), initrd = open_file(INITRD);
	FILE *f = fopen("/proc/cmdline", "r");
	char words[2048];

	igt_assert(f && fgets(words, sizeof(words), f));
	fclose(f);
	words[strcspn(words, "\n")] = 0;
	igt_assert_f(!syscall(SYS_kexec_file_load, kernel, initrd, strlen(words) + 1, words, 0),
		     "kexec_file_load: %m\n");
	close(kernel);
	close(initrd);
}

igt_main
{
	igt_describe("shutdown() must hand over a machine with held engines, a full queue, and "
		     "calls that wait");
	igt_subtest("leave") {
		struct job jobs[JOB_KINDS];
		struct withheld withheld;
		struct crowd crowd;
		int fd;

		igt_require_f(getenv(KERNEL) && getenv(INITRD),
			      "only igt-tests/kexec can run this\n");
		lab_require_card();
		/* Before the jobs, because this takes longer than a batch may run */
		load_kernel();
		sync();
		fd = xetile_open();
		for (int kind = 0; kind < JOB_KINDS; kind++)
			job_init(&jobs[kind], fd, kind, 0);
		/* Before the jobs that are held, because it waits until no queue owns an engine */
		crowd_init(&crowd, fd, JOB_COPY_TILE);
		/* The job for all tiles is the last one, and waits behind the first. */
		for (int kind = 0; kind < JOB_KINDS; kind++)
			igt_assert_eq(job_start_held(&jobs[kind]), 0);
		xetile_assert_soon(3 <= lab_engines("active"));
		withheld_start(&withheld, fd, WITHHELD_ANSWER);
		reboot(RB_KEXEC);
		igt_assert_f(false, "reboot() failed: %m\n");
	}

	igt_describe("The next kernel must find no engine active, and the card without access to "
		     "memory");
	igt_subtest("arrive") {
		char *info;

		lab_require_card();
		igt_require_f(access("/sys/module/xetile", F_OK), "the driver is loaded\n");
		info = lab_ask("info");
		igt_assert_f(strstr(info, "\"bus_master\":false"), "%s", info);
		free(info);
		igt_assert_lt(0, lab_engines("idle"));
		igt_assert_eq(lab_engines("active"), 0);
		igt_assert_eq(lab_engines("stopped"), 0);
	}
}
