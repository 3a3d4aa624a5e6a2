// SPDX-License-Identifier: MIT
/*
 * xetilectl trace: runs a program, or waits, and writes what the driver did meanwhile.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "ctl.h"
#include "options.h"
#include "save.h"
#include "trace.h"
#include "trace_record.h"

#define LOOK_MS		100

static void usage(FILE *out)
{
	fputs("usage: xetilectl trace [-o FILE] [--seconds N] [--json] [--] PROGRAM [ARG...]\n"
	      "       xetilectl trace [-o FILE] --seconds N [--json]\n\n"
	      "Writes what the driver does while PROGRAM runs, or for some seconds, as a file that\n"
	      "Perfetto (https://ui.perfetto.dev) and chrome://tracing open: for each engine whose\n"
	      "work it has, jobs, preemptions and faults; for each tile CCS modes and resets; and\n"
	      "what becomes of memory. All cards and all processes are in it. Needs root.\n"
	      "  --output, -o FILE  the file (default xetile.trace.json)\n"
	      "  --seconds N        no longer than that\n"
	      "  --tracefs FOLDER   is there, instead of " TRACE_FS "\n"
	      "  --json, -j         print one line of JSON about the file\n"
	      "The exit status is that of PROGRAM if the file is written.\n", out);
}

struct job {
	const char *path, *tracefs;
	double seconds;		/* 0: no limit */
	char **program;		/* NULL: none */
	bool json;
	struct trace_record record;
	FILE *text;		/* what was recorded */
	struct save save;
};

/* --- signals --------------------------------------------------------------------------------- */

static volatile sig_atomic_t ended_by, passed_on;

/*
 * What a process sends is for the program, too. What the terminal sends, the program has got from
 * it; what the kernel says of this process, as a file that is too large, is none of the program's.
 */
static void note_signal(int number, siginfo_t *info, void *context)
{
	if (number == SIGCHLD)
		return;
	ended_by = number;
	if (info->si_code <= 0 && info->si_pid != getpid())
		passed_on = number;
}

/* The kernel's instance must not stay: no signal that asks the program to end does so at once. */
static void catch_signals(void)
{
	static const int numbers[] = {
		SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE, SIGUSR1, SIGUSR2, SIGALRM, SIGVTALRM,
		SIGPROF, SIGIO, SIGXCPU, SIGXFSZ, SIGCHLD,
	};
	const struct sigaction action = { .sa_sigaction = note_signal, .sa_flags = SA_SIGINFO };
	struct sigaction before;
	unsigned int i;

	/* What the caller ignores, as nohup does, stays so; but a child has to be waited for. */
	for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		if (numbers[i] == SIGCHLD || sigaction(numbers[i], NULL, &before) ||
		    before.sa_handler != SIG_IGN)
			sigaction(numbers[i], &action, NULL);
	}
}

/* --- recording -------------------------------------------------------------------------------- */

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec + ts.tv_nsec * 1e-9;
}

/* Handlers end with the program that had them. Returns the process, or -1 after a message. */
static pid_t start(char **program)
{
	pid_t pid = fork();

	if (!pid) {
		execvp(program[0], program);
		fprintf(stderr, "xetilectl: cannot run '%s': %s\n", program[0], strerror(errno));
		_exit(errno == ENOENT ? 127 : 126);
	}
	if (pid < 0)
		perror("xetilectl: cannot start a program");
	return pid;
}

/* Returns whether the program has ended. */
static bool has_ended(pid_t pid, int *status)
{
	return pid > 0 && waitpid(pid, status, WNOHANG) == pid;
}

/* What there is, and nothing more */
static int end_record(struct job *job)
{
	int ret;

	if (!*job->record.path)
		return CTL_OK;
	trace_record_stop(&job->record);
	ret = trace_record_read(&job->record, job->text);
	trace_record_end(&job->record);
	return ret;
}

/*
 * Record until the program ends, the time is over, or a signal comes, which the program gets. Then
 * wait for the program, whose status is in *@status.
 */
static int record(struct job *job, pid_t pid, int *status)
{
	double end = job->seconds ? now() + job->seconds : 0;
	bool ended = pid <= 0, over = false;
	int ret = CTL_OK;

	while (!ended || !over) {
		int number = passed_on;

		if (number && pid > 0) {
			passed_on = 0;
			kill(pid, number);
		}
		over = over || ret || (end && now() >= end) || (ended_by && pid <= 0);
		poll(NULL, 0, LOOK_MS);
		ended = ended || has_ended(pid, status);
		over = over || (ended && pid > 0);
		if (over && !ret)
			ret = end_record(job);
		else if (!ret)
			ret = trace_record_read(&job->record, job->text);
	}
	return ret;
}

/* --- the file --------------------------------------------------------------------------------- */

static int convert(FILE *text, FILE *out, struct trace_counts *counts)
{
	struct trace *trace = trace_begin(out);
	bool ok = trace;
	char *line = NULL;
	size_t size = 0;

	rewind(text);
	while (ok && getline(&line, &size, text) > 0)
		ok = trace_line(trace, line);
	free(line);
	if (trace)
		trace_end(trace, counts);
	if (ok)
		return CTL_OK;
	fputs("xetilectl: out of memory\n", stderr);
	return CTL_FAILED;
}

static void show(const struct job *job, const struct trace_counts *c)
{
	double seconds = (c->last_us - c->first_us) / 1e6;

	if (job->json) {
		printf("{\"file\":");
		ctl_json_string(job->path);
		printf(",\"seconds\":%.6f,\"events\":%" PRIu64 ",\"lost\":%" PRIu64 ",\"unknown\":%" PRIu64
		       ",\"early\":%" PRIu64 ",\"turns\":%" PRIu64 ",\"jobs\":%" PRIu64
		       ",\"failed\":%" PRIu64 "}\n", seconds, c->events, c->lost, c->unknown, c->early,
		       c->turns, c->jobs, c->failed);
	} else {
		/* Standard output is the program's. */
		fprintf(stderr, "%s: %" PRIu64 " events in %.3f s, %" PRIu64 " jobs, %" PRIu64 " failed\n",
			job->path, c->events, seconds, c->jobs, c->failed);
		fputs("  open it at https://ui.perfetto.dev\n", stderr);
	}
	if (c->lost)
		fprintf(stderr, "xetilectl: note: %" PRIu64 " events were lost, and the file has gaps there\n",
			c->lost);
	if (c->unknown)
		fprintf(stderr, "xetilectl: note: %" PRIu64 " lines are not known to this program\n",
			c->unknown);
}

static int write_all(struct job *job)
{
	struct trace_counts counts = { 0 };

	if (convert(job->text, job->save.out, &counts) || save_end(&job->save))
		return CTL_FAILED;
	show(job, &counts);
	return CTL_OK;
}

/* The mode of a new file, as the user wants it */
static mode_t new_mode(void)
{
	mode_t mask = umask(0);

	umask(mask);
	return 0666 & ~mask;
}

/*
 * Open what a trace needs. What is there is lost only when the trace is written. Root runs this,
 * maybe in a folder of others: it must not follow their links.
 */
static int open_files(struct job *job)
{
	job->text = tmpfile();
	if (!job->text || fcntl(fileno(job->text), F_SETFD, FD_CLOEXEC)) {
		perror("xetilectl: cannot make a temporary file");
		return CTL_FAILED;
	}
	if (trace_record_begin(&job->record, job->tracefs))
		return CTL_FAILED;
	return save_begin(&job->save, job->path, new_mode());
}

static int run(struct job *job)
{
	int status = 0, ret;
	pid_t pid = 0;

	catch_signals();
	ret = open_files(job);
	if (!ret && job->program) {
		pid = start(job->program);
		ret = pid < 0 ? CTL_FAILED : CTL_OK;
	}
	if (!ret)
		ret = record(job, pid, &status);
	trace_record_end(&job->record);
	if (!ret)
		ret = write_all(job);
	save_drop(&job->save);
	if (job->text)
		fclose(job->text);
	if (ret || !job->program)
		return ret;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

int ctl_trace(int argc, char **argv)
{
	struct job job = {
		.path = "xetile.trace.json", .tracefs = TRACE_FS, .record = { .pipe = -1 },
	};
	const struct option_line lines[] = {
		{ "output", 'o', OPTION_FILE, &job.path },
		{ "seconds", 0, OPTION_SECONDS, &job.seconds },
		{ "tracefs", 0, OPTION_FOLDER, &job.tracefs },
		{ "json", 'j', OPTION_FLAG, &job.json },
		{ NULL },
	};
	const struct option_table table = {
		"trace", lines, OPTIONS_ANY, usage, OPTION_FILE, .is_program = true,
	};
	int ret;

	if (!options_read(&table, argc, argv, &ret))
		return ret;
	if (optind < argc)
		job.program = argv + optind;
	else if (!job.seconds)
		return ctl_usage("trace needs a program, or --seconds");
	return run(&job);
}
