// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "xetile_beside.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <inttypes.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "xetile_lab.h"

#define FIRST_USER	10000
#define USERS		50000

static int card_fd = -1;
static char node[64];		/* open to every user while the tests run */
static mode_t node_mode;

static void find_node(void)
{
	struct stat st;

	igt_assert_eq(fstat(card_fd, &st), 0);
	for (int minor = 128; minor < 192; minor++) {
		char link[128], a[256] = "", b[256] = "";

		snprintf(link, sizeof(link), "/sys/dev/char/%u:%u/device", major(st.st_rdev),
			 minor(st.st_rdev));
		igt_assert(readlink(link, a, sizeof(a) - 1) > 0);
		snprintf(link, sizeof(link), "/sys/dev/char/%u:%d/device", major(st.st_rdev),
			 minor);
		if (readlink(link, b, sizeof(b) - 1) < 0 || strcmp(a, b))
			continue;
		snprintf(node, sizeof(node), "/dev/dri/renderD%d", minor);
		return;
	}
	igt_assert_f(false, "the card has no render node\n");
}

void beside_init(void)
{
	struct stat st;

	card_fd = xetile_open();
	igt_require_f(!geteuid(), "only root can become other users\n");
	lab_require_card();
	find_node();
	igt_assert_eq(stat(node, &st), 0);
	node_mode = st.st_mode & 07777;
	igt_assert_eq(chmod(node, 0666), 0);
}

void beside_fini(void)
{
	chmod(node, node_mode);
	close(card_fd);
	card_fd = -1;
}

int beside_card(void)
{
	return card_fd;
}

/*
 * Becomes an ordinary user, a different one each time, because the driver holds a user's failed
 * batches against it for a minute.
 */
static void become_somebody(void)
{
	uid_t user = FIRST_USER + getpid() % USERS;

	igt_assert_eq(setgroups(0, NULL), 0);
	igt_assert_eq(setgid(user), 0);
	igt_assert_eq(setuid(user), 0);
}

int hostile_open(void)
{
	int fd = open(node, O_RDWR | O_CLOEXEC);

	igt_assert_f(fd >= 0, "%s: %m\n", node);
	return fd;
}

/*
 * Runs a job of a well-behaved client until it ends well. Returns how often the job was lost
 * because of another client's fault.
 */
static unsigned int run_well(struct job *j)
{
	unsigned int lost = 0;
	int status;

	do {
		igt_assert_eq(job_start(j), 0);
		status = job_end(j);
		if (status != 1)
			igt_assert_eq(status, -EAGAIN);
	} while (status != 1 && ++lost < 100);
	igt_assert_eq(status, 1);
	return lost;
}

/* Asserts that the queue of @j is not banned, and reports resets exactly if it lost a batch. */
static void check_blameless(const struct job *j, unsigned int lost)
{
	struct drm_xetile_queue_info info;

	xetile_queue_info(j->fd, j->queue, &info);
	igt_assert_eq(info.flags & DRM_XETILE_QUEUE_BANNED, 0);
	igt_assert_eq_u32(info.ban.reason, DRM_XETILE_BAN_NONE);
	igt_assert_eq(!info.resets, !lost);
}

/* Asserts the same of a client that lost nothing, and that its next job ends well at once. */
static void check_well(struct job *j)
{
	check_blameless(j, 0);
	igt_assert_eq(run_well(j), 0);
}

/* Runs a job of a new client during the attack. Returns how many batches it lost. */
static unsigned int run_newcomer(enum job_kind kind)
{
	int fd = xetile_reopen(card_fd);
	unsigned int lost;
	struct job j;

	/* Not job_init(), which would wait until no queue owns an engine. */
	job_init_at(&j, fd, kind, 0);
	lost = run_well(&j);
	check_blameless(&j, lost);
	job_fini(&j);
	close(fd);
	return lost;
}

/* Runs a job of each well-behaved client. Returns the contexts that the compute engine loaded. */
static unsigned int run_round(struct beside *b)
{
	const char *engine = b->well[JOB_COMPUTE_TILE].engine;
	uint64_t loads = lab_counter(engine, "elsq_loads");

	for (enum job_kind k = 0; k < JOB_KINDS; k++)
		b->lost += run_well(&b->well[k]);
	return lab_counter(engine, "elsq_loads") - loads;
}

uint64_t beside_resets(void)
{
	char *answer = lab_ask("counters");
	uint64_t n = 0;

	/* "resets" of each engine follows its name; the sums come before the first name. */
	for (const char *at = answer; (at = strstr(at, "\"name\":")); at++)
		n += lab_number(at, "resets");
	free(answer);
	return n;
}

static void attack_in_child(void (*attack)(struct hostile *h), enum job_kind kind, int ready,
			    int stop)
{
	struct hostile h = { .ready = ready, .stop = stop };

	become_somebody();
	h.fd = hostile_open();
	job_init_at(&h.job, h.fd, kind, 0);
	attack(&h);
}

void beside_start(struct beside *b, void (*attack)(struct hostile *h), enum job_kind kind)
{
	int ready[2], stop[2];
	char byte;

	memset(b, 0, sizeof(*b));
	for (enum job_kind k = 0; k < JOB_KINDS; k++)
		job_init(&b->well[k], card_fd, k, 0);
	b->resets = beside_resets();
	igt_assert_eq(pipe(ready), 0);
	igt_assert_eq(pipe(stop), 0);
	igt_fork(child, 1) {
		close(ready[0]);
		close(stop[1]);
		attack_in_child(attack, kind, ready[1], stop[0]);
	}
	close(ready[1]);
	close(stop[0]);
	b->ready = ready[0];
	b->stop = stop[1];
	/* A byte says that the attack has begun. The end of the file says that it is over. */
	igt_assert_eq(read(b->ready, &byte, 1), 1);
}

void beside_round(struct beside *b, bool newcomers)
{
	unsigned int loads = run_round(b);

	if (loads > b->most_loads)
		b->most_loads = loads;
	if (newcomers)
		b->lost += run_newcomer(b->rounds % JOB_KINDS);
	b->rounds++;
}

void beside_let_go(struct beside *b)
{
	if (b->stop >= 0)
		close(b->stop);
	b->stop = -1;
}

void beside_end(struct beside *b)
{
	uint64_t resets;

	beside_let_go(b);
	igt_waitchildren();
	close(b->ready);
	xetile_wait_engines_free(card_fd);
	for (enum job_kind k = 0; k < JOB_KINDS; k++) {
		check_well(&b->well[k]);
		job_fini(&b->well[k]);
	}
	resets = beside_resets() - b->resets;
	igt_info("note: %u rounds beside it, %u contexts loaded in one at most, %" PRIu64
		 " resets, %u batches lost\n", b->rounds, b->most_loads, resets, b->lost);
	igt_assert_lte(b->most_loads, FEW_LOADS);
	igt_assert_lte_u64(b->lost, resets);
}

void beside(void (*attack)(struct hostile *h), enum job_kind kind)
{
	struct beside b;
	struct pollfd end = { .events = POLLIN };

	beside_start(&b, attack, kind);
	end.fd = b.ready;
	do {
		beside_round(&b, true);
		if (b.rounds == 2)
			beside_let_go(&b);
	} while (b.rounds < 2 || !poll(&end, 1, 0));
	beside_end(&b);
}

void hostile_begin(struct hostile *h)
{
	igt_assert_eq(write(h->ready, "", 1), 1);
}

void hostile_hold(struct hostile *h)
{
	char byte;

	igt_assert_eq(read(h->stop, &byte, 1), 0);
}
