// SPDX-License-Identifier: MIT
/*
 * main() of a target without libFuzzer, for compilers that only have the sanitizers: runs
 * the given inputs.
 *
 *   TARGET FILE|DIR...
 *
 * NAME.seeds holds many inputs (seeds/seeds.h), any other file is one.  After a crash
 * TARGET.input has the name of the input that ran.
 */
#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fuzz/fuzz.h"
#include "seeds/seeds.h"

/* An input that takes longer hangs: SIGALRM kills the target. */
#define INPUT_SECONDS	30

static unsigned int runs;

/* Write the input's name to TARGET.input; @input: its number in a seeds file, or -1. */
static bool note(const char *self, const char *path, int input)
{
	char file[4096];
	FILE *f;

	snprintf(file, sizeof(file), "%s.input", self);
	f = fopen(file, "we");
	if (!f) {
		perror(file);
		return false;
	}
	if (input < 0)
		fprintf(f, "%s\n", path);
	else
		fprintf(f, "%s, input %04d\n", path, input);
	return !fclose(f);
}

static bool run_input(const uint8_t *data, size_t n)
{
	/* The memory has the size of the input, so that the sanitizer sees reads past it. */
	uint8_t *exact = malloc(n);

	if (!exact && n) {
		perror("malloc");
		return false;
	}
	if (n)
		memcpy(exact, data, n);
	alarm(INPUT_SECONDS);
	LLVMFuzzerTestOneInput(exact, n);
	alarm(0);
	free(exact);
	runs++;
	return true;
}

static bool run_seeds(const char *self, const char *path)
{
	const uint8_t *data;
	struct seeds s;
	bool ok = true;
	int input = 0;
	size_t n;

	if (!seeds_open(&s, path))
		return false;
	while (ok && seeds_next(&s, &data, &n))
		ok = note(self, path, input++) && run_input(data, n);
	seeds_close(&s);
	return ok;
}

static bool run_file(const char *self, const char *path)
{
	uint8_t *data;
	size_t n;
	bool ok;

	if (seeds_named(path))
		return run_seeds(self, path);
	data = seeds_read(path, &n);
	if (!data)
		return false;
	ok = note(self, path, -1) && run_input(data, n);
	free(data);
	return ok;
}

static bool run_path(const char *self, const char *path)
{
	struct dirent **list;
	struct stat st;
	char full[4096];
	bool ok = true;
	int n;

	if (stat(path, &st)) {
		perror(path);
		return false;
	}
	if (!S_ISDIR(st.st_mode))
		return run_file(self, path);
	n = scandir(path, &list, NULL, alphasort);
	for (int i = 0; i < n; i++) {
		if (list[i]->d_name[0] != '.') {
			snprintf(full, sizeof(full), "%s/%s", path, list[i]->d_name);
			ok &= run_file(self, full);
		}
		free(list[i]);
	}
	if (n >= 0)
		free(list);
	return ok && n >= 0;
}

int main(int argc, char **argv)
{
	char file[4096];
	bool ok = true;

	for (int i = 1; i < argc; i++)
		ok &= run_path(argv[0], argv[i]);
	snprintf(file, sizeof(file), "%s.input", argv[0]);
	unlink(file);
	printf("%u inputs\n", runs);
	return ok ? 0 : 2;
}
