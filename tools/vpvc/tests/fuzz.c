// SPDX-License-Identifier: MIT
/*
 * The corpus of the fuzzers: what they have found to lead somewhere, bugs that were
 * mended among it.  They are programs of their own, with the sanitizers in them;
 * fuzz/libfuzzer looks for more.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/test.h"

#define MIN_INPUTS	50

static void run_fuzzer(const char *name)
{
	char self[512], cmd[2048], line[256] = "";
	unsigned int inputs = 0;
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	char *slash;
	FILE *f;
	int status;

	REQUIRE(n > 0);
	self[n] = '\0';
	slash = strrchr(self, '/');
	*slash = '\0';
	snprintf(cmd, sizeof(cmd), "'%s/fuzz/%s' '%s/%s' 2>&1",
		 self, name, FUZZ_CORPUS, name);
	f = popen(cmd, "r");
	REQUIRE(f);
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "%u inputs", &inputs) != 1)
			fprintf(stderr, "  %s", line);
	status = pclose(f);
	if (status)
		test_fail(__FILE__, __LINE__, "%s: status 0x%x; the input is named in %s/fuzz/%s.input",
			  name, status, self, name);
	else if (inputs < MIN_INPUTS)
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
