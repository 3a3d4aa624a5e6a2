// SPDX-License-Identifier: MIT
/*
 * Runs the fuzz targets on their inputs: those that reach different code (seeds) and those
 * that once broke the card (regress).  The targets are separate programs with the
 * sanitizers; fuzz/libfuzzer looks for more inputs.
 */
#define _GNU_SOURCE
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/test.h"

#define MIN_INPUTS	50

/* Find the folder of this program, which has fuzz/ in it; false on failure. */
static bool build_folder(char *path, size_t room)
{
	ssize_t n = readlink("/proc/self/exe", path, room - 1);

	if (n <= 0)
		return false;
	path[n] = '\0';
	*strrchr(path, '/') = '\0';
	return true;
}

/*
 * Run @cmd and copy both of its outputs to this program's; @last gets the last line.
 * Returns the status of pclose().
 */
static int run_command(const char *cmd, char *last, size_t room)
{
	FILE *f = popen(cmd, "r");
	char line[1024];

	*last = '\0';
	if (!f)
		return -1;
	while (fgets(line, sizeof(line), f)) {
		if (*last)
			fprintf(stderr, "  %s", last);
		snprintf(last, room, "%s", line);
	}
	return pclose(f);
}

static void run_fuzzer(const char *name)
{
	char self[512], cmd[8192], line[1024];
	unsigned int inputs = 0;
	int status, n;
	glob_t loose;

	REQUIRE(build_folder(self, sizeof(self)));
	n = snprintf(cmd, sizeof(cmd), "'%s/fuzz/%s' '%s/seeds/%s.seeds'", self, name, FUZZ, name);
	snprintf(line, sizeof(line), "%s/regress/%s-*.bin", FUZZ, name);
	if (!glob(line, 0, NULL, &loose)) {
		for (size_t i = 0; i < loose.gl_pathc && n < (int)sizeof(cmd); i++)
			n += snprintf(cmd + n, sizeof(cmd) - n, " '%s'", loose.gl_pathv[i]);
		globfree(&loose);
	}
	REQUIRE(n + 6 < (int)sizeof(cmd));
	snprintf(cmd + n, sizeof(cmd) - n, " 2>&1");
	status = run_command(cmd, line, sizeof(line));
	if (status)
		test_fail(__FILE__, __LINE__, "%s: status 0x%x, input in %s/fuzz/%s.input: %s",
			  name, status, self, name, line);
	else if (sscanf(line, "%u inputs", &inputs) != 1 || inputs < MIN_INPUTS)
		test_fail(__FILE__, __LINE__, "%s: %u inputs only", name, inputs);
	else
		printf("     %s: %s", name, line);
}

TEST(fuzz_messages)
{
	run_fuzzer("fuzz_vfu");
}

TEST(fuzz_registers)
{
	run_fuzzer("fuzz_mmio");
}

TEST(fuzz_page_tables)
{
	run_fuzzer("fuzz_pages");
}

TEST(fuzz_contexts)
{
	run_fuzzer("fuzz_context");
}

TEST(fuzz_command_streams)
{
	run_fuzzer("fuzz_commands");
}

/* A seeds file (seeds/seeds.h) of three inputs: nothing, "a" and "bc". */
static const char sound[] = "SEEDS 1\n\3\0\0\0" "\0\0\0\0" "\1\0\0\0a" "\2\0\0\0bc";
#define SOUND_SIZE (sizeof(sound) - 1)

static bool write_file(const char *path, const void *bytes, size_t size)
{
	FILE *f = fopen(path, "we");
	bool ok = f && fwrite(bytes, 1, size, f) == size;

	return f && !fclose(f) && ok;
}

/* True if a file has exactly these bytes. */
static bool holds(const char *path, const void *bytes, size_t size)
{
	FILE *f = fopen(path, "re");
	char have[256];
	size_t n = f ? fread(have, 1, sizeof(have), f) : 0;

	if (f)
		fclose(f);
	return f && n == size && !memcmp(have, bytes, n);
}

TEST(fuzz_seeds_that_are_damaged)
{
	static const struct {
		size_t size, at;
		char byte;
		const char *want;
	} damages[] = {
		{ 5, 0, 'S', "not a seeds file" },
		{ SOUND_SIZE, 0, 'X', "not a seeds file" },
		{ SOUND_SIZE - 1, 0, 'S', "ends within input 2 of 3" },
		{ SOUND_SIZE - 4, 0, 'S', "ends before input 2 of 3" },
		{ SOUND_SIZE - 6, 0, 'S', "ends before input 2 of 3" },
		{ SOUND_SIZE, 8, 4, "ends before input 3 of 4" },
		{ SOUND_SIZE, 8, 2, "6 bytes behind the last of 2 inputs" },
		{ SOUND_SIZE, 21, 3, "ends within input 2 of 3" },
		{ SOUND_SIZE, 22, 0x20, "input 2 of 3 has 8194 bytes, more than 4096" },
		{ SOUND_SIZE, 24, 0x7f, "input 2 of 3 has 2130706434 bytes, more than 4096" },
	};
	char self[512], path[600], runs[2048], adds[2048], line[1024], bytes[SOUND_SIZE];

	REQUIRE(build_folder(self, sizeof(self)));
	snprintf(path, sizeof(path), "%s/fuzz/damaged.seeds", self);
	snprintf(runs, sizeof(runs), "'%s/fuzz/fuzz_pages' '%s' 2>&1", self, path);
	REQUIRE(write_file(path, sound, SOUND_SIZE));
	CHECK_EQ(run_command(runs, line, sizeof(line)), 0);
	CHECK(!strcmp(line, "3 inputs\n"));
	/* only its error message */
	snprintf(runs, sizeof(runs), "'%s/fuzz/fuzz_pages' '%s' 2>&1 >/dev/null", self, path);
	snprintf(adds, sizeof(adds), "'%s/fuzz/seeds' add '%s' 2>&1", self, path);
	for (size_t i = 0; i < sizeof(damages) / sizeof(damages[0]); i++) {
		memcpy(bytes, sound, SOUND_SIZE);
		bytes[damages[i].at] = damages[i].byte;
		REQUIRE(write_file(path, bytes, damages[i].size));
		CHECK_EQ(WEXITSTATUS(run_command(runs, line, sizeof(line))), 2);
		if (!strstr(line, damages[i].want))
			test_fail(__FILE__, __LINE__, "\"%s\", not \"%s\"", line, damages[i].want);
		CHECK_EQ(WEXITSTATUS(run_command(adds, line, sizeof(line))), 2);
		CHECK(strstr(line, damages[i].want));
		CHECK(holds(path, bytes, damages[i].size));
	}
	unlink(path);
}

TEST(fuzz_seeds_are_added)
{
	static const char more[] = "SEEDS 1\n\4\0\0\0" "\0\0\0\0" "\1\0\0\0a"
				   "\2\0\0\0ba" "\2\0\0\0bc";
	static const char twice[] = "SEEDS 1\n\4\0\0\0" "\0\0\0\0" "\1\0\0\0a"
				    "\1\0\0\0a" "\2\0\0\0bc";
	static char big[4097];
	char self[512], dir[600], path[700], file[700], cmd[2048], add[2048], line[1024];

	REQUIRE(build_folder(self, sizeof(self)));
	snprintf(dir, sizeof(dir), "%s/fuzz/added", self);
	snprintf(cmd, sizeof(cmd), "rm -rf '%s' && mkdir -p '%s'", dir, dir);
	REQUIRE(!run_command(cmd, line, sizeof(line)));
	snprintf(path, sizeof(path), "%s/x.seeds", dir);
	REQUIRE(write_file(path, sound, SOUND_SIZE));
	snprintf(add, sizeof(add), "'%s/fuzz/seeds' add '%s' '%s/in' 2>&1", self, path, dir);
	snprintf(cmd, sizeof(cmd), "'%s/fuzz/seeds' unpack '%s' '%s/in' 2>&1", self, path, dir);
	CHECK_EQ(run_command(cmd, line, sizeof(line)), 0);
	/* inputs that are in the file already change nothing */
	CHECK_EQ(run_command(add, line, sizeof(line)), 0);
	CHECK(strstr(line, ": 3 inputs, 0 of them new"));
	CHECK(holds(path, sound, SOUND_SIZE));
	/* an input that is in the file twice is kept once, and is not new */
	REQUIRE(write_file(path, twice, sizeof(twice) - 1));
	CHECK_EQ(run_command(add, line, sizeof(line)), 0);
	CHECK(strstr(line, ": 3 inputs, 0 of them new"));
	CHECK(holds(path, sound, SOUND_SIZE));
	/* the same from nothing, and with one more input */
	unlink(path);
	CHECK_EQ(run_command(add, line, sizeof(line)), 0);
	CHECK(strstr(line, ": 3 inputs, 3 of them new"));
	CHECK(holds(path, sound, SOUND_SIZE));
	snprintf(file, sizeof(file), "%s/in/one", dir);
	REQUIRE(write_file(file, "ba", 2));
	CHECK_EQ(run_command(add, line, sizeof(line)), 0);
	CHECK(strstr(line, ": 4 inputs, 1 of them new"));
	CHECK(holds(path, more, sizeof(more) - 1));
	/* an input that is too long */
	snprintf(file, sizeof(file), "%s/in/big", dir);
	REQUIRE(write_file(file, big, sizeof(big)));
	CHECK_EQ(WEXITSTATUS(run_command(add, line, sizeof(line))), 2);
	CHECK(strstr(line, "4097 bytes, more than 4096"));
	CHECK(holds(path, more, sizeof(more) - 1));
	snprintf(cmd, sizeof(cmd), "rm -rf '%s'", dir);
	CHECK_EQ(run_command(cmd, line, sizeof(line)), 0);
}
