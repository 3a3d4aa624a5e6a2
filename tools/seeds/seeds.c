// SPDX-License-Identifier: MIT
/*
 * Makes, extends and unpacks seeds files (seeds.h has the format).
 *
 *   seeds add SEEDS FILE|FOLDER...	add inputs to SEEDS, which is made if it is missing
 *   seeds unpack SEEDS FOLDER		write input n to FOLDER/n, with four digits
 *
 * Inputs are sorted by length, then by bytes, and each is there once: the same inputs make
 * the same file.
 */
#include "seeds.h"

#include <dirent.h>
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

struct input {
	uint8_t *bytes;
	size_t size;
};

static struct input *inputs;
static size_t num_inputs;

static void die(const char *what)
{
	perror(what);
	exit(2);
}

static void add_input(const uint8_t *bytes, size_t size)
{
	struct input *in;

	inputs = realloc(inputs, (num_inputs + 1) * sizeof(*inputs));
	if (!inputs)
		die("seeds");
	in = &inputs[num_inputs++];
	in->size = size;
	in->bytes = malloc(size + 1);
	if (!in->bytes)
		die("seeds");
	memcpy(in->bytes, bytes, size);
}

static void add_file(const char *path)
{
	size_t size;
	uint8_t *bytes = seeds_read(path, &size);

	if (!bytes)
		exit(2);
	if (size > SEEDS_MAX) {
		fprintf(stderr, "%s: %zu bytes, more than %u\n", path, size, SEEDS_MAX);
		exit(2);
	}
	add_input(bytes, size);
	free(bytes);
}

static void add_seeds(const char *path)
{
	const uint8_t *bytes;
	struct seeds s;
	size_t size;

	if (!seeds_open(&s, path))
		exit(2);
	while (seeds_next(&s, &bytes, &size))
		add_input(bytes, size);
	seeds_close(&s);
}

static void add_path(const char *path)
{
	struct dirent **names;
	char file[4096];
	struct stat st;
	int n;

	if (stat(path, &st))
		die(path);
	if (!S_ISDIR(st.st_mode)) {
		add_file(path);
		return;
	}
	n = scandir(path, &names, NULL, alphasort);
	if (n < 0)
		die(path);
	for (int i = 0; i < n; i++) {
		snprintf(file, sizeof(file), "%s/%s", path, names[i]->d_name);
		if (names[i]->d_name[0] != '.')
			add_file(file);
		free(names[i]);
	}
	free(names);
}

static int by_length(const void *a, const void *b)
{
	const struct input *x = a, *y = b;

	if (x->size != y->size)
		return x->size < y->size ? -1 : 1;
	return memcmp(x->bytes, y->bytes, x->size);
}

static void put_u32(FILE *f, uint32_t v)
{
	for (unsigned int i = 0; i < 4; i++)
		putc(v >> 8 * i & 0xff, f);
}

/* Replace the file at once by rename(): after an error the old file stays. */
static void write_seeds(const char *path)
{
	char new[4096];
	FILE *f;

	snprintf(new, sizeof(new), "%s.new", path);
	f = fopen(new, "we");
	if (!f)
		die(new);
	fputs(SEEDS_MAGIC, f);
	put_u32(f, (uint32_t)num_inputs);
	for (size_t i = 0; i < num_inputs; i++) {
		put_u32(f, (uint32_t)inputs[i].size);
		fwrite(inputs[i].bytes, 1, inputs[i].size, f);
	}
	if (ferror(f) | fclose(f) || rename(new, path)) {
		unlink(new);
		die(path);
	}
}

/* Sort the inputs and drop those that are there twice. */
static void sort_inputs(void)
{
	size_t kept = 0;

	if (!num_inputs)
		return;
	qsort(inputs, num_inputs, sizeof(*inputs), by_length);
	for (size_t i = 0; i < num_inputs; i++) {
		if (kept && !by_length(&inputs[kept - 1], &inputs[i]))
			free(inputs[i].bytes);
		else
			inputs[kept++] = inputs[i];
	}
	num_inputs = kept;
}

static int add(const char *path, char **paths, int num)
{
	size_t read, before;

	if (!access(path, F_OK))
		add_seeds(path);
	read = num_inputs;
	sort_inputs();
	before = num_inputs;
	for (int i = 0; i < num; i++)
		add_path(paths[i]);
	sort_inputs();
	/* A file that has all inputs, each once, is not written. */
	if (num_inputs != before || before != read || !before)
		write_seeds(path);
	printf("%s: %zu inputs, %zu of them new\n", path, num_inputs, num_inputs - before);
	return 0;
}

static int unpack(const char *path, const char *folder)
{
	char file[4096];

	add_seeds(path);
	if (mkdir(folder, 0777) && errno != EEXIST)
		die(folder);
	for (size_t i = 0; i < num_inputs; i++) {
		FILE *f;

		snprintf(file, sizeof(file), "%s/%04zu", folder, i);
		f = fopen(file, "we");
		if (!f)
			die(file);
		fwrite(inputs[i].bytes, 1, inputs[i].size, f);
		if (ferror(f) | fclose(f))
			die(file);
	}
	printf("%s: %zu inputs\n", path, num_inputs);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc >= 3 && !strcmp(argv[1], "add"))
		return add(argv[2], argv + 3, argc - 3);
	if (argc == 4 && !strcmp(argv[1], "unpack"))
		return unpack(argv[2], argv[3]);
	fprintf(stderr, "usage: seeds add SEEDS FILE|FOLDER...\n"
			"       seeds unpack SEEDS FOLDER\n");
	return 2;
}
