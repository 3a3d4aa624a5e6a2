// SPDX-License-Identifier: MIT
/*
 * Compares the card's results with the correct ones and prints a line for each kernel and
 * configuration that differs. tools/conformance/run starts this program.
 *
 * usage: conformance-judge COMPILER MANIFEST GAPS FOLDER RESULTS POCL16 POCL32 CONFIG...
 *
 * FOLDER has the compiled files. GAPS lists the known faults of compilers; their runs are
 * counted separately, and a run that gives the correct result is a failure.
 */
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compare.h"
#include "data.h"
#include "reference.h"
#include "results.h"

struct judge {
	const char *compiler, *gaps, *folder;
	struct cts_manifest manifest;
	struct cts_result *results, *pocl[2];
	const char *gap;		/* of the kernel that is judged */
	unsigned int passed, failed, known;
};

static void fail(struct judge *j, const char *config, const struct cts_kernel *k,
		 const char *text)
{
	if (j->gap) {
		j->known++;
		return;
	}
	j->failed++;
	printf("FAIL %s %s %s %s: %s\n", j->compiler, config, k->file, k->name, text);
}

/* The reason in the file of gaps why the kernel's result is wrong; NULL: no gap. */
static const char *find_gap(const struct judge *j, const char *config,
			    const struct cts_kernel *k)
{
	char want[4][96];
	static char line[512];
	int at;
	FILE *f = fopen(j->gaps, "r");
	const char *why = NULL;

	while (f && !why && fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = 0;
		if (sscanf(line, "%95s %95s %95s %95s %n", want[0], want[1], want[2], want[3],
			   &at) == 4 && !fnmatch(want[0], j->compiler, 0) &&
		    !fnmatch(want[1], config, 0) && !fnmatch(want[2], k->file, 0) &&
		    !fnmatch(want[3], k->name, 0))
			why = line + at;
	}
	if (f)
		fclose(f);
	return why;
}

static bool is_compiled(const struct judge *j, const char *config, const char *file)
{
	char path[512], name[96], *s;

	snprintf(name, sizeof(name), "%s", file);
	for (s = name; (s = strchr(s, '/'));)
		*s = '_';
	s = strrchr(name, '.');
	if (s)
		*s = 0;
	snprintf(path, sizeof(path), "%s/%s/%s.bin", j->folder, config, name);
	return !access(path, R_OK);
}

/* The correct buffers and text, both to be freed; NULL with a reason. */
static void *wanted(struct judge *j, const struct cts_kernel *k, unsigned int simd,
		    char **printed, char *why, size_t size)
{
	size_t bytes = cts_kernel_bytes(k);
	const struct cts_result *r;
	uint8_t *data = calloc(1, bytes + 1), *at = data;
	unsigned int i;

	if (!data)
		abort();
	*printed = strdup("");
	if (k->oracle == CTS_C) {
		for (i = 0; i < k->num_args; i++) {
			if (k->args[i].kind == CTS_BUFFER)
				cts_data_fill(k, i, at);
			at += cts_arg_bytes(&k->args[i]);
		}
		if (!cts_reference(k, simd, data))
			return data;
		snprintf(why, size, "there is no reference in C of that name and size");
		free(data);
		return NULL;
	}
	r = cts_results_find(j->pocl[simd == 32], NULL, k->file, k->name);
	if (!r || strcmp(r->status, "ok") || r->bytes < bytes) {
		snprintf(why, size, "no result of the CPU OpenCL: %s", r ? r->text : "not run");
		free(data);
		return NULL;
	}
	memcpy(data, r->data, bytes);
	free(*printed);
	*printed = strndup((char *)r->data + bytes, r->bytes - bytes);
	return data;
}

static void judge_result(struct judge *j, const char *config, const struct cts_kernel *k,
			 const struct cts_result *r)
{
	char text[640], what[512];
	char *printed, *got;
	uint64_t wrong;
	void *want;

	if (!r)
		return fail(j, config, k, "not run");
	if (strcmp(r->status, "ok")) {
		snprintf(text, sizeof(text), "%s: %s", r->status, r->text);
		return fail(j, config, k, text);
	}
	if (r->bytes < cts_kernel_bytes(k))
		return fail(j, config, k, "result of another size");
	want = wanted(j, k, r->simd, &printed, what, sizeof(what));
	if (!want) {
		free(printed);
		return fail(j, config, k, what);
	}
	wrong = cts_compare(k, config, r->data, want, what, sizeof(what));
	got = strndup((char *)r->data + cts_kernel_bytes(k),
		      r->bytes - cts_kernel_bytes(k));
	if (!wrong && !cts_same_lines(got, printed)) {
		wrong++;
		snprintf(what, sizeof(what), "the kernel printed \"%.200s\", not \"%.200s\"", got,
			 printed);
	}
	free(got);
	free(printed);
	free(want);
	if (!wrong && j->gap) {
		j->gap = NULL;
		return fail(j, config, k, "equal, although the file of gaps names it");
	}
	if (!wrong) {
		j->passed++;
		return;
	}
	snprintf(text, sizeof(text), "SIMD%u: %llu differ: %s", r->simd,
		 (unsigned long long)wrong, what);
	fail(j, config, k, text);
}

static void judge_config(struct judge *j, const char *config)
{
	unsigned int i, passed = j->passed, failed = j->failed, known = j->known;

	for (i = 0; i < j->manifest.num; i++) {
		const struct cts_kernel *k = &j->manifest.kernels[i];

		if (!strcmp(config, "ieee") && !k->ieee)
			continue;
		j->gap = find_gap(j, config, k);
		if (!is_compiled(j, config, k->file))
			fail(j, config, k, "not compiled");
		else
			judge_result(j, config, k,
				     cts_results_find(j->results, config, k->file, k->name));
	}
	printf("%-8s %-6s %4u equal, %3u not", j->compiler, config, j->passed - passed,
	       j->failed - failed);
	if (j->known != known)
		printf(", %3u known to be the compiler's", j->known - known);
	printf("\n");
}

int main(int argc, char **argv)
{
	struct judge j = { 0 };
	char why[256];
	int i;

	if (argc < 9) {
		fprintf(stderr, "usage: conformance-judge COMPILER MANIFEST GAPS FOLDER RESULTS "
			"POCL16 POCL32 CONFIG...\n");
		return 2;
	}
	j.compiler = argv[1];
	j.gaps = argv[3];
	j.folder = argv[4];
	if (cts_manifest_read(argv[2], &j.manifest, why, sizeof(why))) {
		fprintf(stderr, "%s: %s\n", argv[2], why);
		return 2;
	}
	j.results = cts_results_read(argv[5]);
	j.pocl[0] = cts_results_read(argv[6]);
	j.pocl[1] = cts_results_read(argv[7]);
	for (i = 8; i < argc; i++)
		judge_config(&j, argv[i]);
	printf("%s: %u passed, %u failed\n", j.compiler, j.passed, j.failed);
	cts_results_free(j.results);
	cts_results_free(j.pocl[0]);
	cts_results_free(j.pocl[1]);
	cts_manifest_free(&j.manifest);
	return j.failed || !j.passed;
}
