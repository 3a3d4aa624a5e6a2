// SPDX-License-Identifier: MIT
/*
 * A small coverage-guided fuzzer for where libFuzzer is not: the compiler calls
 * __sanitizer_cov_trace_pc() at every edge (-fsanitize-coverage=trace-pc), inputs
 * that reach new ones are kept and mutated further.
 *
 *   TARGET [-runs=N] [-max_total_time=S] [-seed=N] [-save=DIR] [-merge=DIR]
 *          [FILE|DIR...]
 *
 * All inputs given are run, then N mutations, or as many as S seconds allow.  What
 * is new among the mutations goes to the folder of -save, what is new among those
 * given (small ones first, please) to that of -merge.
 * The same seed gives the same mutations as long as the card takes the same ways,
 * which its threads do not promise.  The input that runs is in the file
 * TARGET.input: what stays behind after a crash is its cause.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "fuzz.h"

#define MAP_SIZE	65536u
#define INPUT_MAX	4096u
#define MAX_CORPUS	4096u
#define MAX_CHANGES	8
/* A single input takes no longer than this, or it hangs. */
#define INPUT_SECONDS	30

static uint8_t map[MAP_SIZE], seen[MAP_SIZE];
static __thread uintptr_t previous;

struct entry {
	uint8_t *data;
	size_t size;
};

static struct entry corpus[MAX_CORPUS];
static unsigned int num_corpus;
static uint64_t rng = 1;
static unsigned int runs, edges;
static const char *save_dir, *merge_dir;
/* The input under way, in a file */
static struct current {
	uint32_t size;
	uint8_t data[INPUT_MAX];
} *current;

void __sanitizer_cov_trace_pc(void);
/* Threads race for a count: one too few is no harm. */
void __sanitizer_cov_trace_pc(void)
{
	uintptr_t pc = (uintptr_t)__builtin_return_address(0);
	uintptr_t at = (pc ^ (pc >> 16)) * 0x9e3779b1u;
	uint8_t *p = &map[(at ^ previous) % MAP_SIZE];

	__atomic_store_n(p, (uint8_t)(__atomic_load_n(p, __ATOMIC_RELAXED) + 1), __ATOMIC_RELAXED);
	previous = at >> 1;
}

static uint64_t next(void)
{
	rng ^= rng << 13;
	rng ^= rng >> 7;
	rng ^= rng << 17;
	return rng;
}

static size_t below(size_t n)
{
	return n ? next() % n : 0;
}

/* How often an edge was taken, as one bit: once, twice, a few, many. */
static uint8_t bucket(uint8_t n)
{
	return n == 1 ? 1 : n == 2 ? 2 : n < 8 ? 4 : n < 64 ? 8 : 16;
}

/* True: something happened that no input before made happen. */
static bool run(const uint8_t *data, size_t size)
{
	bool new = false;

	current->size = (uint32_t)size;
	memcpy(current->data, data, size);
	memset(map, 0, sizeof(map));
	previous = 0;
	alarm(INPUT_SECONDS);
	LLVMFuzzerTestOneInput(current->data, size);
	alarm(0);
	runs++;
	for (unsigned int i = 0; i < MAP_SIZE; i++) {
		uint8_t n = __atomic_load_n(&map[i], __ATOMIC_RELAXED), b;

		if (!n)
			continue;
		b = bucket(n);
		if (seen[i] & b)
			continue;
		edges += !seen[i];
		seen[i] |= b;
		new = true;
	}
	return new;
}

static void keep(const uint8_t *data, size_t size)
{
	struct entry *e;

	if (num_corpus == MAX_CORPUS)
		return;
	e = &corpus[num_corpus];
	e->data = malloc(size + 1);
	if (!e->data)
		return;
	memcpy(e->data, data, size);
	e->size = size;
	num_corpus++;
}

static void save(const char *dir, const uint8_t *data, size_t size)
{
	char path[4096];
	uint64_t hash = 0xcbf29ce484222325ull;
	FILE *f;

	for (size_t i = 0; i < size; i++)
		hash = (hash ^ data[i]) * 0x100000001b3ull;
	snprintf(path, sizeof(path), "%s/%016llx", dir, (unsigned long long)hash);
	f = fopen(path, "we");
	if (!f)
		return;
	fwrite(data, 1, size, f);
	fclose(f);
}

static bool run_file(const char *path)
{
	unsigned int before = edges;
	uint8_t buf[INPUT_MAX];
	FILE *f = fopen(path, "re");
	size_t n;

	if (!f) {
		perror(path);
		return false;
	}
	n = fread(buf, 1, sizeof(buf), f);
	fclose(f);
	run(buf, n);
	/* Edges alone: how often they are taken, mutations find out again. */
	if (merge_dir && edges > before)
		save(merge_dir, buf, n);
	keep(buf, n);
	return true;
}

/* In the order of names: what a file adds depends on those before it. */
static bool run_path(const char *path)
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
		return run_file(path);
	n = scandir(path, &list, NULL, alphasort);
	for (int i = 0; i < n; i++) {
		if (list[i]->d_name[0] != '.') {
			snprintf(full, sizeof(full), "%s/%s", path, list[i]->d_name);
			ok &= run_file(full);
		}
		free(list[i]);
	}
	if (n >= 0)
		free(list);
	return ok && n >= 0;
}

static size_t insert(uint8_t *buf, size_t size, const void *what, size_t n)
{
	size_t at = below(size + 1) & ~(size_t)3;

	if (at > size || size + n > INPUT_MAX)
		return size;
	memmove(buf + at + n, buf + at, size - at);
	memcpy(buf + at, what, n);
	return size + n;
}

/* One change. */
static size_t change(uint8_t *buf, size_t size)
{
	static const uint32_t edge[] = {
		0, 1, 4, 0x7f, 0x80, 0xff, 0xfff, 0x1000, 0xffff, 0x10000, 0x7fffffff, 0x80000000,
		0xfffffffc, 0xffffffff,
	};
	const struct entry *other = &corpus[below(num_corpus)];
	uint32_t word = fuzz_word(next());
	size_t at = below(size), n;

	switch (below(9)) {
	case 0:
		if (size)
			buf[at] ^= (uint8_t)(1u << below(8));
		return size;
	case 1:
		if (size)
			buf[at] = (uint8_t)next();
		return size;
	case 2:
		word = edge[below(sizeof(edge) / sizeof(edge[0]))];
		/* fall through */
	case 3:
		at &= ~(size_t)3;
		if (at + 4 <= size)
			memcpy(buf + at, &word, 4);
		return size;
	case 4:
	case 5:
		return insert(buf, size, &word, 4);
	case 6:
		n = below(size - at + 1);
		memmove(buf + at, buf + at + n, size - at - n);
		return size - n;
	case 7:
		if (!num_corpus || !other->size)
			return size;
		at = below(other->size);
		n = 1 + below(other->size - at);
		return insert(buf, size, other->data + at, n);
	default:
		for (n = 1 + below(16); n && size < INPUT_MAX; n--)
			buf[size++] = (uint8_t)next();
		return size;
	}
}

static void mutate(void)
{
	uint8_t buf[INPUT_MAX];
	size_t size = 0;

	if (num_corpus) {
		const struct entry *e = &corpus[below(num_corpus)];

		size = e->size;
		memcpy(buf, e->data, size);
	}
	for (size_t n = 1 + below(MAX_CHANGES); n; n--)
		size = change(buf, size);
	if (!run(buf, size))
		return;
	keep(buf, size);
	if (save_dir)
		save(save_dir, buf, size);
}

static bool open_current(const char *name, char *path, size_t size)
{
	int fd;

	snprintf(path, size, "%s.input", name);
	/* A file of its own: another run may be under way. */
	unlink(path);
	fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0 || ftruncate(fd, sizeof(*current))) {
		perror(path);
		return false;
	}
	current = mmap(NULL, sizeof(*current), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	return current != MAP_FAILED;
}

int main(int argc, char **argv)
{
	unsigned long limit = 0, seconds = 0, given = 1;
	char path[4096];
	time_t start = time(NULL);
	bool ok = true;

	if (!open_current(argv[0], path, sizeof(path)))
		return 2;
	for (int i = 1; i < argc; i++) {
		if (sscanf(argv[i], "-runs=%lu", &limit) == 1 ||
		    sscanf(argv[i], "-max_total_time=%lu", &seconds) == 1)
			continue;
		if (sscanf(argv[i], "-seed=%lu", &given) == 1)
			rng = given ? given : 1;
		else if (!strncmp(argv[i], "-merge=", 7))
			merge_dir = argv[i] + 7;
		else if (!strncmp(argv[i], "-save=", 6))
			save_dir = argv[i] + 6;
		else
			ok &= run_path(argv[i]);
	}
	if (!ok)
		return 2;
	for (unsigned long n = 0; n < limit || (!limit && seconds); n++) {
		if (seconds && time(NULL) - start >= (time_t)seconds)
			break;
		mutate();
	}
	unlink(path);
	printf("%u inputs, %u edges, corpus of %u\n", runs, edges, num_corpus);
	return 0;
}
