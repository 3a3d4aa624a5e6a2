// SPDX-License-Identifier: MIT
/*
 * The table of all ranks of a job and their shares, as text and as JSON.
 */
#include "bind.h"

#include <string.h>

#include "ctl.h"

/* Columns of the mask, the last one of a line of 80 */
#define MASK_WIDTH	28

static const char *const by_names[] = {
	[BIND_CARD] = "card",
	[BIND_TILE] = "tile",
	[BIND_CSLICE] = "cslice",
};

static const char *const order_names[] = {
	[BIND_BLOCK] = "block",
	[BIND_ROUND] = "round",
};

/* --- text --------------------------------------------------------------------------------- */

/* A number, or "-" for one that is not known */
static void print_number(FILE *out, int width, int value, bool known)
{
	if (known)
		fprintf(out, "%*d", width, value);
	else
		fprintf(out, "%*s", width, "-");
}

static void view_rank(FILE *out, const struct bind_plan *plan, const struct bind_job *job,
		      unsigned int rank)
{
	unsigned int number = bind_plan_share(plan, rank, job->ranks);
	const struct bind_share *share = &plan->shares[number];
	unsigned int mode = bind_share_mode(share);
	struct bind_env env;
	char name[32];
	const char *mask = env.vars[0].value;

	bind_share_name(plan, share, name, sizeof(name));
	bind_env_make(plan, share, &env);
	fprintf(out, "%c%7u  %-8s %6u", (int)rank == job->rank ? '>' : ' ', rank, name,
		bind_plan_users(plan, number, job->ranks));
	print_number(out, 5, mode, mode);
	fprintf(out, "  %-13s", share->card->pci);
	print_number(out, 5, share->card->numa_node, share->card->numa_node >= 0);
	if (strlen(mask) > MASK_WIDTH)
		fprintf(out, "  %.*s+\n", MASK_WIDTH - 1, mask);
	else
		fprintf(out, "  %s\n", mask);
}

/* The variables that are the same for all ranks, but for the mode */
static void view_others(FILE *out, const struct bind_plan *plan)
{
	struct bind_env env;
	unsigned int i;

	bind_env_make(plan, &plan->shares[0], &env);
	fputs("Each rank also gets\n", out);
	for (i = 1; i < env.num; i++) {
		if (!strcmp(env.vars[i].name, "ZEX_NUMBER_OF_CCS") && plan->tree->wished)
			fprintf(out, "  %s=0:MODE\n", env.vars[i].name);
		else if (env.vars[i].unset)
			fprintf(out, "  no %s\n", env.vars[i].name);
		else
			fprintf(out, "  %s=%s\n", env.vars[i].name, env.vars[i].value);
	}
}

void bind_view(FILE *out, const struct bind_plan *plan, const struct bind_job *job)
{
	unsigned int rank;

	fprintf(out, "%u rank%s on %u %s%s", job->ranks, job->ranks == 1 ? "" : "s", plan->num,
		by_names[plan->by], plan->num == 1 ? "" : "s");
	if (plan->by != BIND_CARD)
		fprintf(out, " of %u card%s", plan->tree->num, plan->tree->num == 1 ? "" : "s");
	fprintf(out, ", order %s\n", order_names[plan->order]);
	if (job->rank >= 0)
		fprintf(out, "This process is rank %d, by %s.\n", job->rank,
			job->launcher ? job->launcher : "--rank");
	fputs("    RANK  DEVICE    RANKS MODE  CARD          NUMA  ZE_AFFINITY_MASK\n", out);
	for (rank = 0; rank < job->ranks; rank++)
		view_rank(out, plan, job, rank);
	view_others(out, plan);
}

/* --- JSON --------------------------------------------------------------------------------- */

/* null for a number that is not known */
static void json_number(const char *key, int value, bool known)
{
	printf(",\"%s\":", key);
	if (known)
		printf("%d", value);
	else
		printf("null");
}

static void json_env(const struct bind_env *env)
{
	unsigned int i;

	printf(",\"environment\":{");
	for (i = 0; i < env->num; i++) {
		printf("%s\"%s\":", i ? "," : "", env->vars[i].name);
		if (env->vars[i].unset)
			printf("null");
		else
			ctl_json_string(env->vars[i].value);
	}
	putchar('}');
}

static void json_rank(const struct bind_plan *plan, const struct bind_job *job, unsigned int rank)
{
	unsigned int number = bind_plan_share(plan, rank, job->ranks);
	const struct bind_share *share = &plan->shares[number];
	unsigned int mode = bind_share_mode(share);
	struct bind_env env;
	char name[32];

	bind_share_name(plan, share, name, sizeof(name));
	printf("%s{\"rank\":%u,\"device\":\"%s\",\"card\":%u", rank ? "," : "", rank, name,
	       share->card->number);
	json_number("tile", share->tile ? (int)share->tile->number : 0, share->tile);
	json_number("cslice", share->slice, plan->by == BIND_CSLICE);
	json_number("ccs_mode", mode, mode);
	printf(",\"pci\":\"%s\"", share->card->pci);
	json_number("numa_node", share->card->numa_node, share->card->numa_node >= 0);
	printf(",\"ranks\":%u", bind_plan_users(plan, number, job->ranks));
	bind_env_make(plan, share, &env);
	json_env(&env);
	putchar('}');
}

void bind_json(const struct bind_plan *plan, const struct bind_job *job)
{
	unsigned int rank;

	printf("{\"by\":\"%s\",\"order\":\"%s\",\"launcher\":", by_names[plan->by],
	       order_names[plan->order]);
	if (job->launcher)
		ctl_json_string(job->launcher);
	else
		printf("null");
	json_number("rank", job->rank, job->rank >= 0);
	printf(",\"shares\":%u,\"ranks\":[", plan->num);
	for (rank = 0; rank < job->ranks; rank++)
		json_rank(plan, job, rank);
	printf("]}\n");
}
