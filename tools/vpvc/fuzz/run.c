// SPDX-License-Identifier: MIT
/*
 * A target without libFuzzer: runs the inputs given, for compilers that have the
 * sanitizers alone.
 *
 *   TARGET FILE|DIR...
 *
 * The input that runs stays named in TARGET.input after a crash.
 */
#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fuzz/fuzz.h"

#define INPUT_MAX	4096u
/* A single input takes no longer than this, or it hangs. */
#define INPUT_SECONDS	30

static unsigned int runs;

/* Says what runs where a crash leaves it. */
static bool note(const char *self, const char *path)
{
	char file[4096];
	FILE *f;

	snprintf(file, sizeof(file), "%s.input", self);
	f = fopen(file, "we");
	if (!f) {
		perror(file);
		return false;
	}
	fprintf(f, "%s\n", path);
	return !fclose(f);
}

static bool run_file(const char *self, const char *path)
{
	FILE *f = fopen(path, "re");
	uint8_t buf[INPUT_MAX], *exact;
	size_t n;

	if (!f) {
		perror(path);
		return false;
	}
	n = fread(buf, 1, sizeof(buf), f);
	fclose(f);
	/* In memory of its own size, so that reading past it is seen. */
	exact = malloc(n);
	if ((!exact && n) || !note(self, path))
		return false;
	if (n)
		memcpy(exact, buf, n);
	alarm(INPUT_SECONDS);
	LLVMFuzzerTestOneInput(exact, n);
	alarm(0);
	free(exact);
	runs++;
	return true;
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
