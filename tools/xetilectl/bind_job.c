// SPDX-License-Identifier: MIT
/*
 * The rank of a process among those of its job on this machine, which launchers tell in variables:
 *
 * - Open MPI's documentation, "Environment variables set for MPI applications";
 * - MPICH's process manager sets MPI_LOCALRANKID and MPI_LOCALNRANKS (src/pm/hydra), of which Intel
 *   MPI has its own version; prov/psm3/psm3/utils in libfabric reads them from both;
 * - PALS, HPE's launcher: scripts of sites that have it read PALS_LOCAL_RANKID and PALS_LOCAL_SIZE;
 * - srun(1), "OUTPUT ENVIRONMENT VARIABLES", says what Slurm sets.
 *
 * The launcher that started the process itself comes first. mpirun in an allocation of Slurm or
 * PALS lets that start one daemon on each machine, and the daemon's children inherit the daemon's
 * variables: rank 0 for all of them.
 */
#include "bind.h"

#include <stdlib.h>
#include <string.h>

#include "ctl.h"
#include "text.h"

#define MOST		1000000

static const struct launcher {
	const char *name, *rank, *ranks;
} launchers[] = {
	{ "Open MPI", "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE" },
	{ "MPICH or Intel MPI", "MPI_LOCALRANKID", "MPI_LOCALNRANKS" },
	{ "PALS", "PALS_LOCAL_RANKID", "PALS_LOCAL_SIZE" },
	/* Of the step; it is a list by node. */
	{ "Slurm", "SLURM_LOCALID", "SLURM_STEP_TASKS_PER_NODE" },
};

/* Where srun is older, or something else than srun has set SLURM_LOCALID: what was asked for */
#define SLURM_ASKED	"SLURM_NTASKS_PER_NODE"
#define SLURM_NODE	"SLURM_NODEID"

/* Read a decimal number without sign up to MOST. Returns the text behind it, or NULL. */
static const char *take_number(const char *text, unsigned int *value)
{
	size_t digits = strspn(text, "0123456789");

	if (!digits || digits > 7)
		return NULL;
	*value = strtoul(text, NULL, 10);
	return *value <= MOST ? text + digits : NULL;
}

static int bad_number(const char *name, const char *what)
{
	char value[48];

	text_clean(value, sizeof(value), getenv(name));
	fprintf(stderr, "xetilectl: bind: %s='%s' is no %s\n"
		"  remedy: start the program with its launcher, or name --rank N and --ranks M\n",
		name, value, what);
	return CTL_FAILED;
}

static int read_number(const char *name, const char *what, unsigned int *value)
{
	const char *end = take_number(getenv(name), value);

	return end && !*end ? CTL_OK : bad_number(name, what);
}

/* Find the count of the node @node in a list like "4(x2),3". Returns whether it has one. */
static bool find_count(const char *list, unsigned int node, unsigned int *count)
{
	unsigned int times;

	for (;; list++) {
		times = 1;
		list = take_number(list, count);
		if (list && !strncmp(list, "(x", 2)) {
			list = take_number(list + 2, &times);
			if (list && *list++ != ')')
				return false;
		}
		if (!list || (*list && *list != ','))
			return false;
		if (node < times)
			return true;
		if (!*list)
			return false;
		node -= times;
	}
}

static int read_list(const char *name, unsigned int *count)
{
	unsigned int node = 0;
	int ret = CTL_OK;

	if (getenv(SLURM_NODE))
		ret = read_number(SLURM_NODE, "number of a node", &node);
	else if (strchr(getenv(name), ','))
		return bad_number(name, "number of ranks without " SLURM_NODE);
	if (ret)
		return ret;
	return find_count(getenv(name), node, count) ? CTL_OK :
		bad_number(name, "list of ranks that has one for this node");
}

static int read_ranks(const struct launcher *launcher, unsigned int *ranks)
{
	const char *name = launcher->ranks;
	bool slurm = !strncmp(name, "SLURM", 5);

	if (slurm && getenv(name))
		return read_list(name, ranks);
	if (slurm)
		name = SLURM_ASKED;
	if (getenv(name))
		return read_number(name, "number of ranks", ranks);
	fprintf(stderr, "xetilectl: bind: there is %s, but no %s: the number of ranks is not known\n"
		"  remedy: name it with --ranks M\n", launcher->rank, launcher->ranks);
	return CTL_FAILED;
}

static const struct launcher *find_launcher(void)
{
	size_t i;

	for (i = 0; i < sizeof(launchers) / sizeof(launchers[0]); i++) {
		if (getenv(launchers[i].rank))
			return &launchers[i];
	}
	return NULL;
}

static int no_launcher(void)
{
	size_t i;

	fputs("xetilectl: bind: no launcher has told the rank of this process: there is none of\n ",
	      stderr);
	for (i = 0; i < sizeof(launchers) / sizeof(launchers[0]); i++)
		fprintf(stderr, " %s%s", launchers[i].rank,
			i + 1 < sizeof(launchers) / sizeof(launchers[0]) ? "," : "\n");
	fputs("  remedy: mpiexec ... xetilectl bind ..., or name --rank N and --ranks M\n", stderr);
	return CTL_FAILED;
}

static int read_launcher(struct bind_job *job)
{
	const struct launcher *launcher = find_launcher();
	unsigned int rank;
	int ret;

	if (!launcher)
		return CTL_OK;
	job->launcher = launcher->name;
	ret = read_number(launcher->rank, "rank", &rank);
	if (ret)
		return ret;
	job->rank = rank;
	return job->ranks ? CTL_OK : read_ranks(launcher, &job->ranks);
}

int bind_job_read(struct bind_job *job, bool needs_rank)
{
	int ret = job->rank < 0 ? read_launcher(job) : CTL_OK;

	if (ret)
		return ret;
	if (!job->ranks && !job->launcher)
		return no_launcher();
	if (needs_rank && job->rank < 0)
		return no_launcher();
	if (job->ranks && job->rank < (int)job->ranks)
		return CTL_OK;
	fprintf(stderr, "xetilectl: bind: rank %d of %u ranks, which count from 0%s%s\n"
		"  remedy: start the program with its launcher, or name --rank N and --ranks M\n",
		job->rank, job->ranks, job->launcher ? ", by " : "",
		job->launcher ? job->launcher : "");
	return CTL_FAILED;
}
