// SPDX-License-Identifier: MIT
/*
 * Debian's gputop, as it is, tells which process uses the card, and how much of it.
 *
 * Statements: W10.
 *
 * suite: igt
 */
#include <pty.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "xetile_job.h"

IGT_TEST_DESCRIPTION("gputop sees the clients of the card");

#define GPUTOP		"/usr/bin/gputop"
#define MIB		48u

/* struct row - what gputop prints of a client */
struct row {
	unsigned int pid;
	unsigned int mem, rss;
	char mem_unit, rss_unit;
	double compute, copy;
};

/* Starts gputop. It asks the terminal at its input how much it may print. */
static FILE *start_gputop(void)
{
	struct winsize size = { .ws_row = 50, .ws_col = 132 };
	int master, terminal, was = dup(STDIN_FILENO);
	FILE *top;

	igt_assert_eq(openpty(&master, &terminal, NULL, NULL, &size), 0);
	igt_assert_eq(dup2(terminal, STDIN_FILENO), STDIN_FILENO);
	close(terminal);
	top = popen(GPUTOP " -d 1 -n 2", "r");
	igt_assert(top);
	/* The terminal ends with gputop. */
	if (was >= 0) {
		dup2(was, STDIN_FILENO);
		close(was);
	} else {
		close(STDIN_FILENO);
	}
	return top;
}

/* Reads the last row of this process, which has the load of the last second. */
static void read_row(struct row *row)
{
	bool titled = false, found = false;
	char line[1024];
	FILE *top = start_gputop();

	while (fgets(line, sizeof(line), top)) {
		struct row r;

		igt_debug("%s", line);
		/* In the order of the columns that are read below */
		if (strstr(line, "PID") && strstr(line, "MEM") && strstr(line, "compute"))
			titled = strstr(line, "compute") < strstr(line, "copy");
		if (sscanf(line, "%u %u%c %u%c |%lf%%%*[^|]||%lf%%", &r.pid, &r.mem, &r.mem_unit,
			   &r.rss, &r.rss_unit, &r.compute, &r.copy) != 7 ||
		    r.pid != (unsigned int)getpid())
			continue;
		*row = r;
		found = true;
	}
	igt_assert_eq(pclose(top), 0);
	igt_assert_f(titled, "gputop has no columns for compute and copy\n");
	igt_assert_f(found, "gputop has no row for this process\n");
}

static void test_client(const struct xetile_card *card)
{
	struct row row;
	struct job j;
	uint32_t bo;

	job_init(&j, card->fd, JOB_COMPUTE_ROOT, 0);
	bo = xetile_bo(j.fd, (uint64_t)MIB << 20, DRM_XETILE_PLACE_HBM);
	igt_assert_eq(job_start_held(&j), 0);
	read_row(&row);
	*(volatile uint32_t *)&j.data.map[64] = 1;
	igt_assert_eq(job_end(&j), 1);
	/* Contexts and page tables have less than a MiB. */
	igt_assert_eq(row.mem_unit, 'M');
	igt_assert_eq_u32(row.mem, MIB);
	igt_assert_eq(row.rss_unit, 'M');
	igt_assert_eq_u32(row.rss, MIB);
	/* All tiles were busy. */
	igt_assert(row.compute > 50);
	igt_assert(row.copy == 0);
	xetile_bo_close(j.fd, bo);
	job_fini(&j);
}

igt_main
{
	struct xetile_card card;

	igt_fixture {
		xetile_open_card(&card);
		igt_require_f(!access(GPUTOP, X_OK), "there is no " GPUTOP "\n");
	}

	igt_describe("gputop must tell a client's memory, and the load of each class of engines");
	igt_subtest("client")
		test_client(&card);

	igt_fixture
		close(card.fd);
}
