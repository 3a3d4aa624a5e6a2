// SPDX-License-Identifier: MIT
/* Files of results: write, read, search. */
#include "results.h"

#include <stdlib.h>
#include <string.h>

int cts_result_write(FILE *f, const struct cts_result *r)
{
	const char *s;

	fprintf(f, "%s %s %s %s %u %zu ", r->config, r->file, r->kernel, r->status, r->simd,
		r->bytes);
	for (s = r->text; *s; s++)
		fputc(*s == '\n' ? ' ' : *s, f);
	fputc('\n', f);
	if (r->bytes)
		fwrite(r->data, 1, r->bytes, f);
	return ferror(f) ? -1 : 0;
}

/* Returns 1: read one result, 0: end of file, -1: not a file of results. */
static int read_one(FILE *f, struct cts_result *r)
{
	int c = fgetc(f), at = 0;
	char line[768];

	if (c == EOF)
		return 0;
	ungetc(c, f);
	if (!fgets(line, sizeof(line), f) || !strchr(line, '\n'))
		return -1;
	*strchr(line, '\n') = 0;
	if (sscanf(line, "%15s %95s %63s %15s %u %zu %n", r->config, r->file, r->kernel,
		   r->status, &r->simd, &r->bytes, &at) != 6 || r->bytes > 1u << 30)
		return -1;
	snprintf(r->text, sizeof(r->text), "%s", at ? line + at : "");
	r->data = malloc(r->bytes ? r->bytes : 1);
	if (!r->data || fread(r->data, 1, r->bytes, f) != r->bytes)
		return -1;
	return 1;
}

struct cts_result *cts_results_read(const char *path)
{
	struct cts_result *list = NULL, **end = &list;
	FILE *f = fopen(path, "r");
	int more = f ? 1 : -1;

	while (more > 0) {
		*end = calloc(1, sizeof(**end));
		more = *end ? read_one(f, *end) : -1;
		if (more > 0)
			end = &(*end)->next;
	}
	if (f)
		fclose(f);
	if (more < 0) {
		fprintf(stderr, "%s: cannot read results\n", path);
		cts_results_free(list);
		return NULL;
	}
	/* The last element was made for the end of the file. */
	free(*end);
	*end = NULL;
	return list;
}

void cts_results_free(struct cts_result *list)
{
	struct cts_result *next;

	for (; list; list = next) {
		next = list->next;
		free(list->data);
		free(list);
	}
}

const struct cts_result *cts_results_find(const struct cts_result *list,
					  const char *config, const char *file,
					  const char *kernel)
{
	const struct cts_result *found = NULL;

	for (; list; list = list->next) {
		if ((!config || !strcmp(list->config, config)) && !strcmp(list->file, file) &&
		    !strcmp(list->kernel, kernel))
			found = list;
	}
	return found;
}
