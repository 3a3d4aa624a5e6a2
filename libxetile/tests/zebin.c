// SPDX-License-Identifier: MIT
/*
 * The loader on compiled kernels and on damaged ones. The sanitizer finds wrong accesses to
 * memory; the tests check that the loader refuses a damaged file with an error text.
 */
#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "binary.h"
#include "error.h"
#include "test.h"
#include "util.h"
#include "xetile.h"
#include "zebin.h"
#include "zeinfo.h"

#define MAX_FILES	32
#define MUTATIONS	6000

static struct file {
	char name[64];
	uint8_t *data;
	size_t size;
} files[MAX_FILES];
static unsigned int num_files;

static uint32_t random_state = 20240607;

static uint32_t next_random(uint32_t below)
{
	random_state = random_state * 1664525 + 1013904223;
	return (random_state >> 8) % below;
}

static void read_files(const char *dir)
{
	char path[1024];
	struct dirent *e;
	DIR *d;

	snprintf(path, sizeof(path), "%s/%s", test_top(), dir);
	d = opendir(path);
	while (d && (e = readdir(d)) && num_files < MAX_FILES) {
		size_t len = strlen(e->d_name);

		if (len < 5 || len >= sizeof(files[0].name) || strcmp(e->d_name + len - 4, ".bin"))
			continue;
		snprintf(path, sizeof(path), "%s/%s/%s", test_top(), dir, e->d_name);
		strcpy(files[num_files].name, e->d_name);
		files[num_files].data = test_read_file(path, &files[num_files].size);
		num_files++;
	}
	if (d)
		closedir(d);
}

static const struct file *find_file(const char *name)
{
	unsigned int i;

	for (i = 0; i < num_files; i++) {
		if (!strcmp(files[i].name, name))
			return &files[i];
	}
	return NULL;
}

/* Returns 0 or an error; each error must have a text. */
static int try_load(const uint8_t *data, size_t size)
{
	struct xt_zebin z;
	int err;

	xt_error(0, "%s", "");
	err = xt_zebin_parse(data, size, &z);
	if (!err)
		xt_zebin_free(&z);
	else if (!*xetile_last_error())
		return 1;
	return err;
}

/* --- valid files ----------------------------------------------------------------- */

static bool check_all_load(void)
{
	unsigned int i, k;

	CHECK(num_files >= 5, "%u files", num_files);
	for (i = 0; i < num_files; i++) {
		struct xt_zebin z;

		CHECK(!xt_zebin_parse(files[i].data, files[i].size, &z), "%s: %s",
		      files[i].name, xetile_last_error());
		CHECK(z.num_kernels > 0);
		for (k = 0; k < z.num_kernels; k++) {
			CHECK(!z.kernels[k].refusal[0], "%s: %s", files[i].name,
			      z.kernels[k].refusal);
			CHECK(z.kernels[k].text && z.kernels[k].text_size >= 16);
			CHECK(z.kernels[k].cross_size % 32 == 0);
		}
		xt_zebin_free(&z);
	}
	return true;
}

/* Parses kernels.bin into @z and returns a kernel of it. The caller frees @z. */
static const struct xt_kernel_desc *kernel_of_tree(const char *name, struct xt_zebin *z)
{
	const struct file *f = find_file("kernels.bin");
	unsigned int i;

	if (!f || xt_zebin_parse(f->data, f->size, z))
		return NULL;
	for (i = 0; i < z->num_kernels; i++)
		if (!strcmp(z->kernels[i].name, name))
			return &z->kernels[i];
	xt_zebin_free(z);
	return NULL;
}

static bool check_triad(void)
{
	static const enum xt_arg_type types[] = {
		XT_ARG_POINTER, XT_ARG_POINTER, XT_ARG_POINTER, XT_ARG_VALUE,
	};
	const struct xt_kernel_desc *k;
	struct xt_zebin z;
	uint32_t i, a;

	k = kernel_of_tree("triad", &z);
	CHECK(k);
	CHECK((k->simd == 16 || k->simd == 32) && k->grf_count == 128);
	CHECK(k->num_args == 4 && k->has_local_ids && k->skip_offset);
	CHECK(!k->slm_size && !k->barriers && !k->has_dpas);
	for (a = 0; a < 4; a++) {
		bool found = false;

		for (i = 0; i < k->num_payloads; i++)
			found |= k->payloads[i].arg == (int32_t)a &&
				k->payloads[i].type == types[a];
		CHECK(found, "argument %u", a);
	}
	xt_zebin_free(&z);
	return true;
}

static bool check_group_sum(void)
{
	const struct xt_kernel_desc *k;
	struct xt_zebin z;
	uint32_t i;
	bool slm = false;

	k = kernel_of_tree("group_sum", &z);
	CHECK(k);
	CHECK(k->barriers == 1 && k->num_args == 3);
	for (i = 0; i < k->num_payloads; i++)
		slm |= k->payloads[i].type == XT_ARG_SLM && k->payloads[i].arg == 2;
	CHECK(slm);
	xt_zebin_free(&z);
	return true;
}

/* --- damaged files ----------------------------------------------------------------- */

static bool check_truncated(void)
{
	unsigned int i;
	size_t len;

	for (i = 0; i < num_files; i++) {
		for (len = 0; len < files[i].size; len++) {
			/* An exact copy lets the sanitizer find an access behind it. */
			uint8_t *copy = malloc(len ? len : 1);
			int err;

			memcpy(copy, files[i].data, len);
			err = try_load(copy, len);
			free(copy);
			CHECK(err < 0, "%s cut at %zu: %d", files[i].name, len, err);
		}
	}
	return true;
}

static bool check_header_fields(void)
{
	const struct file *f = find_file("triad_26_27.bin");
	uint8_t *copy;
	unsigned int i, bit;

	CHECK(f);
	copy = malloc(f->size);
	for (i = 0; i < sizeof(Elf64_Ehdr); i++) {
		for (bit = 0; bit < 9; bit++) {
			int err;

			memcpy(copy, f->data, f->size);
			copy[i] ^= bit < 8 ? 1u << bit : 0xff;
			err = try_load(copy, f->size);
			/* The loader takes versions 0 and 1 of the ABI. */
			if (i == EI_ABIVERSION && copy[i] < 2)
				CHECK(!err);
			else
				CHECK(err < 0, "byte %u bit %u: %d", i, bit, err);
		}
	}
	free(copy);
	return true;
}

static bool check_section_headers(void)
{
	const struct file *f = find_file("group_sum_26_27.bin");
	const Elf64_Ehdr *h = (const Elf64_Ehdr *)f->data;
	uint8_t *copy = malloc(f->size);
	size_t i, end = h->e_shoff + h->e_shnum * sizeof(Elf64_Shdr);
	unsigned int bit, refused = 0;

	for (i = h->e_shoff; i < end; i++) {
		for (bit = 0; bit < 9; bit++) {
			int err;

			memcpy(copy, f->data, f->size);
			copy[i] ^= bit < 8 ? 1u << bit : 0xff;
			err = try_load(copy, f->size);
			CHECK(err <= 0, "byte %zu: an error without a text", i);
			refused += err < 0;
		}
	}
	free(copy);
	CHECK(refused > 1000, "%u", refused);
	return true;
}

static void mutate(uint8_t *data, size_t *size)
{
	unsigned int n = 1 + next_random(8);

	while (n--) {
		size_t at = next_random(*size), len;

		switch (next_random(6)) {
		case 0:
			data[at] ^= 1u << next_random(8);
			break;
		case 1:
			data[at] = next_random(256);
			break;
		case 2:
			data[at] = next_random(2) ? 0 : 0xff;
			break;
		case 3:
			/* Replace a digit by a digit, so that numbers stay numbers. */
			for (len = 0; len < 200 && at + len < *size; len++) {
				if (data[at + len] >= '0' && data[at + len] <= '9') {
					data[at + len] = '0' + next_random(10);
					break;
				}
			}
			break;
		case 4:
			len = 1 + next_random(64);
			if (at + len < *size)
				memmove(data + next_random(*size - len), data + at, len);
			break;
		case 5:
			if (!next_random(20))
				*size = 1 + next_random(*size);
			break;
		}
	}
}

static bool check_mutations(void)
{
	unsigned int i, loaded = 0, refused = 0;

	for (i = 0; i < MUTATIONS; i++) {
		const struct file *f = &files[next_random(num_files)];
		size_t size = f->size;
		uint8_t *copy = malloc(size);
		int err;

		memcpy(copy, f->data, size);
		mutate(copy, &size);
		copy = realloc(copy, size);
		err = try_load(copy, size);
		free(copy);
		CHECK(err <= 0, "mutation %u: an error without a text", i);
		loaded += !err;
		refused += err < 0;
	}
	/* The test proves nothing when no mutation is refused, or when all are refused. */
	CHECK(loaded > MUTATIONS / 20 && refused > MUTATIONS / 20, "%u loaded, %u refused",
	      loaded, refused);
	return true;
}

static bool note_is_refused(uint32_t type, uint32_t value, const char *word)
{
	const struct file *f = find_file("triad_26_27.bin");
	uint8_t *copy = malloc(f->size);
	size_t i;
	int err = 0;

	memcpy(copy, f->data, f->size);
	for (i = 0; i + 28 < f->size; i++) {
		const uint32_t head[3] = { 8, 4, type };

		if (!memcmp(copy + i, head, 12) && !memcmp(copy + i + 12, "IntelGT", 8)) {
			memcpy(copy + i + 20, &value, 4);
			err = try_load(copy, f->size);
		}
	}
	free(copy);
	CHECK(err == -ENOEXEC, "%d", err);
	CHECK_TEXT(word);
	return true;
}

/* --- .ze_info ----------------------------------------------------------------------------- */

#define HEAD	"---\nversion: '1.20'\nkernels:\n  - name: k\n"
#define ENV	"    execution_env:\n      simd_size: 32\n      grf_count: 128\n"
#define MEMORY(text)	"    per_thread_memory_buffers:\n      - { " text " }\n"
#define ARG(...)	"    payload_arguments:\n      - { " __VA_ARGS__ " }\n"

static int parse_text(const char *text, struct xt_zebin *z)
{
	memset(z, 0, sizeof(*z));
	return xt_zeinfo_parse(text, strlen(text), z);
}

static bool text_is_refused(const char *text, const char *word)
{
	struct xt_zebin z;
	int err = parse_text(text, &z);

	xt_zebin_free(&z);
	CHECK(err == -EINVAL, "%d for:\n%s", err, text);
	CHECK_TEXT(word);
	return true;
}

static bool kernel_is_refused(const char *text, const char *word)
{
	struct xt_zebin z;
	bool ok;

	CHECK(!parse_text(text, &z), "%s", xetile_last_error());
	ok = z.num_kernels == 1 && strstr(z.kernels[0].refusal, word);
	if (!ok)
		printf("  refusal '%s', not '%s'\n", z.kernels[0].refusal, word);
	xt_zebin_free(&z);
	return ok;
}

static bool check_damaged_text(void)
{
	static const char * const rows[][2] = {
		{ "", "mapping" },
		{ "a: [", "line" },
		{ "- 1\n", "mapping" },
		{ "kernels: []\n", "version" },
		{ "version: '2.0'\nkernels: []\n", "version 2.0" },
		{ "version: [1]\nkernels: []\n", "version" },
		{ "version: '1.20'\n", "kernels is missing" },
		{ "version: '1.20'\nkernels: 3\n", "kernels is no list" },
		{ "version: '1.20'\nkernels: []\nwhat: 1\n", "unknown field what" },
		{ "version: '1.20'\nversion: '1.20'\nkernels: []\n", "two fields version" },
		{ "version: '1.20'\nkernels:\n  - execution_env: {}\n", "no name" },
		{ HEAD, "execution_env is missing" },
		{ HEAD "    execution_env: 5\n", "execution_env is no mapping" },
		{ HEAD "    execution_env:\n      grf_count: 128\n", "simd_size" },
		{ HEAD "    execution_env:\n      simd_size: 32\n", "grf_count" },
		{ HEAD "    execution_env:\n      simd_size: 7\n      grf_count: 128\n", "simd_size" },
		{ HEAD "    execution_env:\n      simd_size: x\n", "simd_size is no number" },
		{ HEAD "    execution_env:\n      simd_size: -1\n", "simd_size is no number" },
		{ HEAD "    execution_env:\n      simd_size: 99999999999\n", "simd_size" },
		{ HEAD "    execution_env:\n      simd_size: 32\n      simd_size: 32\n", "two fields simd_size" },
		{ HEAD "    execution_env:\n      simd_size: 32\n      grf_count: 64\n", "grf_count" },
		{ HEAD ENV "      slm_size: 131073\n", "slm_size" },
		{ HEAD ENV "      barrier_count: 33\n", "barrier_count" },
		{ HEAD ENV "      has_dpas: 1\n", "has_dpas" },
		{ HEAD ENV "      has_dpaz: true\n", "unknown field has_dpaz" },
		{ HEAD ENV "      offset_to_skip_per_thread_data_load: 100\n", "offset_to_skip" },
		{ HEAD ENV "      required_work_group_size: [1, 2]\n", "required_work_group_size" },
		{ HEAD ENV "      required_work_group_size: [1, 2, 5000]\n", "required_work_group_size" },
		{ HEAD ENV "      work_group_walk_order_dimensions: [0, 0, 1]\n", "twice" },
		{ HEAD ENV ARG("offset: 0, size: 4"), "arg_type is missing" },
		{ HEAD ENV ARG("arg_type: local_size, size: 12"), "offset is missing" },
		{ HEAD ENV ARG("arg_type: local_size, offset: 0"), "size is missing" },
		{ HEAD ENV ARG("arg_type: local_size, offset: 0, size: 8"), "local_size: size 8" },
		{ HEAD ENV ARG("arg_type: nonsense, offset: 0, size: 8"), "unknown arg_type nonsense" },
		{ HEAD ENV ARG("arg_type: arg_byvalue, offset: 0, size: 8"), "arg_index is missing" },
		{ HEAD ENV ARG("arg_type: arg_byvalue, offset: 0, size: 0, arg_index: 0"), "size 0" },
		{ HEAD ENV ARG("arg_type: arg_byvalue, offset: 16380, size: 8, arg_index: 0"), "exceed" },
		{ HEAD ENV ARG("arg_type: arg_byvalue, offset: 4294967295, size: 8, arg_index: 0"), "offset" },
		{ HEAD ENV ARG("arg_type: arg_byvalue, offset: 0, size: 8, arg_index: 1024"), "arg_index" },
		{ HEAD ENV ARG("arg_type: arg_bypointer, offset: 0, size: 8, arg_index: 0"), "addrmode is missing" },
		{ HEAD ENV ARG("arg_type: arg_bypointer, offset: 0, size: 4, arg_index: 0, addrmode: stateless"),
		  "size 4 is not 8" },
		{ HEAD ENV ARG("arg_type: arg_bypointer, offset: 0, size: 8, arg_index: 0, addrmode: odd"),
		  "unknown addrmode odd" },
		{ HEAD ENV ARG("arg_type: arg_bypointer, offset: 0, size: 8, arg_index: 0, addrmode: slm, slm_alignment: 3"),
		  "slm_alignment" },
		{ HEAD ENV ARG("arg_type: local_size, offset: 0, size: 12 }\n      - { arg_type: work_dimensions, offset: 8, size: 4"),
		  "overlap at offset 8" },
		{ HEAD ENV ARG("arg_type: local_size, offset: 0, size: 12, odd: 1"), "unknown field odd" },
		{ HEAD ENV "    per_thread_payload_arguments:\n      - { arg_type: local_id, offset: 0, size: 64 }\n",
		  "local_id" },
		{ HEAD ENV "    per_thread_payload_arguments:\n      - { arg_type: odd, offset: 0, size: 64 }\n",
		  "unknown arg_type odd" },
		{ HEAD ENV "    per_thread_memory_buffers:\n      - { type: scratch, usage: x }\n",
		  "per_thread_memory_buffers" },
		{ HEAD ENV MEMORY("type: scratch, usage: x, size: 64, slot: 2"), "slot 2 exceeds 1" },
		{ HEAD ENV MEMORY("type: scratch, usage: x, size: 262145"), "exceed 262144" },
		{ HEAD ENV MEMORY("type: global, usage: x, size: 67108865"), "exceed 67108864" },
		{ HEAD ENV MEMORY("type: global, usage: x, size: 4194304, is_simt_thread: true"),
		  "exceed 67108864" },
		{ HEAD ENV MEMORY("type: global, usage: x, size: 64, is_simt_thread: maybe"),
		  "is_simt_thread" },
		{ HEAD ENV MEMORY("type: scratch, usage: x, size: 64 }\n      - { type: scratch, usage: x, size: 64"),
		  "two buffers in slot 0" },
		{ HEAD ENV MEMORY("type: odd, usage: x, size: 64"), "unknown type odd" },
		{ HEAD ENV "  - name: k\n" ENV, "two kernels of this name" },
	};
	bool ok = true;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		ok &= text_is_refused(rows[i][0], rows[i][1]);
	return ok;
}

static bool check_refused_kernels(void)
{
	static const char * const rows[][2] = {
		{ HEAD ENV "      has_indirect_calls: true\n", "function pointers" },
		{ HEAD ENV "      inline_data_payload_size: 32\n", "inline data" },
		{ HEAD ENV "      work_group_walk_order_dimensions: [1, 0, 2]\n", "order" },
		{ HEAD ENV ARG("arg_type: image_width, offset: 0, size: 4, arg_index: 0"), "images" },
		{ HEAD ENV ARG("arg_type: arg_bypointer, offset: 0, size: 0, arg_index: 0, addrmode: stateful"),
		  "binding tables" },
		{ HEAD ENV MEMORY("type: slm, usage: private_space, size: 16"),
		  "private memory in shared local memory" },
		{ HEAD "    execution_env:\n      simd_size: 8\n      grf_count: 128\n", "8 work-items" },
	};
	bool ok = true;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		ok &= kernel_is_refused(rows[i][0], rows[i][1]);
	return ok;
}

static bool check_thread_memory(void)
{
	static const char text[] = HEAD ENV "      has_stack_calls: true\n"
		ARG("arg_type: private_base_stateless, offset: 0, size: 8 }\n"
		    "      - { arg_type: printf_buffer, offset: 8, size: 8")
		MEMORY("type: scratch, usage: spill_fill_space, size: 65536 }\n"
		       "      - { type: scratch, usage: private_space, size: 1000, slot: 1 }\n"
		       "      - { type: global, usage: private_space, size: 16, is_simt_thread: true");
	const struct xt_kernel_desc *k;
	struct xt_zebin z;

	CHECK(!parse_text(text, &z), "%s", xetile_last_error());
	k = &z.kernels[0];
	CHECK(!k->refusal[0], "%s", k->refusal);
	CHECK(k->scratch[0] == 65536 && k->scratch[1] == 1000);
	CHECK(k->private_size == 16 * k->simd);
	CHECK(k->has_stack_calls && k->has_printf && !k->needs_implicit);
	CHECK(k->payloads[0].type == XT_ARG_PRIVATE_BASE && k->payloads[1].type == XT_ARG_PRINTF);
	xt_zebin_free(&z);
	return true;
}

static bool check_good_text(void)
{
	static const char text[] = HEAD ENV "      has_4gb_buffers: true\n"
		"      required_work_group_size: [64, 1, 1]\n"
		"    user_attributes:\n      intel_reqd_workgroup_walk_order: [0, 1, 2]\n"
		ARG("arg_type: arg_bypointer, offset: 0, size: 0, arg_index: 0, addrmode: stateful }\n"
		    "      - { arg_type: arg_bypointer, offset: 8, size: 8, arg_index: 0, addrmode: stateless }\n"
		    "      - { arg_type: arg_byvalue, offset: 40, size: 21, arg_index: 2, source_offset: 3");
	struct xt_zebin z;

	CHECK(!parse_text(text, &z), "%s", xetile_last_error());
	CHECK(z.num_kernels == 1 && !z.kernels[0].refusal[0]);
	CHECK(z.kernels[0].cross_size == 64 && z.kernels[0].num_args == 3);
	CHECK(z.kernels[0].required_local[0] == 64 && !z.kernels[0].has_local_ids);
	CHECK(z.kernels[0].payloads[2].source == 3 && z.kernels[0].payloads[2].size == 21);
	xt_zebin_free(&z);
	return true;
}

/* --- files of several cards --------------------------------------------------------- */

/* Append a member to an archive. Returns the archive's new size. */
static size_t add_member(uint8_t *to, size_t at, const uint8_t *data, size_t size)
{
	char header[61];

	snprintf(header, sizeof(header), "%-16s%-12s%-6s%-6s%-8s%-10zu`\n", "x/", "0", "0", "0", "644",
		 size);
	memcpy(to + at, header, 60);
	memcpy(to + at + 60, data, size);
	at += 60 + size;
	if (size & 1)
		to[at++] = '\n';
	return at;
}

/* Of an archive the part for this card is taken, wherever it is. */
static bool check_archive(void)
{
	const struct file *f = find_file("triad_26_27.bin");
	size_t size, first, room = 2 * f->size + 1024;
	uint8_t *ar = calloc(1, room), *other = malloc(f->size);
	struct xt_zebin z;
	size_t i;

	CHECK(f && ar && other);
	memcpy(other, f->data, f->size);
	/* The product family of PVC, in the note, becomes another one's. */
	for (i = 0; i + 4 <= f->size; i += 4) {
		if (!memcmp(other + i, "\xf7\x04\0\0", 4))
			other[i] = 0xf6;
	}
	CHECK(xt_binary_parse(other, f->size, &z) == -ENOEXEC);
	memcpy(ar, "!<arch>\n", 8);
	size = add_member(ar, 8, (const uint8_t *)"odd", 3);
	size = first = add_member(ar, size, other, f->size);
	CHECK(xt_binary_parse(ar, size, &z) == -ENOEXEC);
	CHECK_TEXT("kernels of 1 other cards, but none for PVC");
	size = add_member(ar, size, f->data, f->size);
	CHECK(!xt_binary_parse(ar, size, &z), "%s", xetile_last_error());
	CHECK(z.num_kernels == 1 && !strcmp(z.kernels[0].name, "triad"));
	xt_zebin_free(&z);
	/* An archive that ends early, at any place behind its first members */
	for (i = first + 1; i < size; i += 97) {
		CHECK(xt_binary_parse(ar, i, &z) == -EINVAL, "%zu", i);
		CHECK_TEXT("damaged");
	}
	ar[first + 48] = '-';
	CHECK(xt_binary_parse(ar, size, &z) == -EINVAL);
	free(ar);
	free(other);
	return true;
}

/* A file that is no zebin is named, with what makes one of it. */
static bool check_not_compiled(void)
{
	const struct file *f = find_file("triad_26_27.bin");
	uint8_t *old = malloc(f->size), *ar;
	struct xt_zebin z;

	CHECK(xt_binary_parse("__kernel void f()", 17, &z) == -ENOEXEC);
	CHECK_TEXT("ocloc compile -file");
	CHECK(xt_binary_parse("\3\2\x23\7\0\0\0\0", 8, &z) == -ENOEXEC);
	CHECK_TEXT("SPIR-V");
	CHECK(xt_binary_parse("", 0, &z) == -ENOEXEC);
	memcpy(old, f->data, f->size);
	((Elf64_Ehdr *)old)->e_machine = 0;
	CHECK(xt_binary_parse(old, f->size, &z) == -ENOEXEC);
	CHECK_TEXT("--format zebin");
	/* An archive of such files; and the bytes may begin anywhere. */
	ar = calloc(1, f->size + 128);
	CHECK(ar);
	memcpy(ar, "!<arch>\n", 8);
	CHECK(xt_binary_parse(ar, add_member(ar, 8, old, f->size), &z) == -ENOEXEC);
	CHECK_TEXT("--format zebin");
	memmove(ar + 1, old, f->size);
	CHECK(xt_binary_parse(ar + 1, f->size, &z) == -ENOEXEC);
	free(ar);
	free(old);
	return true;
}

/* The names and types of the parameters, also of those that nothing uses */
static bool check_parameters(void)
{
	const struct xt_kernel_desc *k;
	struct xt_zebin z;

	k = kernel_of_tree("copy", &z);
	CHECK(k && k->num_parameters == 2);
	CHECK(!strcmp(k->parameters[0].name, "dst") && !strcmp(k->parameters[0].type, "uint*"));
	CHECK(!strcmp(k->parameters[1].name, "src"));
	xt_zebin_free(&z);
	return true;
}

/* A long name is cut, because an alias of YAML repeats it for nothing. */
static bool check_long_parameter(void)
{
	char text[1024];
	const struct xt_kernel_desc *k;
	struct xt_zebin z;

	snprintf(text, sizeof(text), HEAD ENV "kernels_misc_info:\n  - name: k\n    args_info:\n"
		 "      - { index: 0, name: &n '%0300d', type_name: *n }\n", 0);
	CHECK(!parse_text(text, &z), "%s", xetile_last_error());
	k = &z.kernels[0];
	CHECK(k->num_parameters == 1);
	CHECK(strlen(k->parameters[0].name) == 255 && strlen(k->parameters[0].type) == 255);
	xt_zebin_free(&z);
	return true;
}

int main(void)
{
	unsigned int i;

	read_files("kernels");
	read_files("tests/data");
	test_run("zebin: every compiled kernel of the tree loads", check_all_load());
	test_run("zebin: triad has the arguments of its source", check_triad());
	test_run("zebin: group_sum has a barrier and local memory", check_group_sum());
	test_run("files for several cards", check_archive());
	test_run("files that are not compiled", check_not_compiled());
	test_run("names of parameters", check_parameters());
	test_run("long names of parameters", check_long_parameter());
	test_run("zebin: a file cut at any length is refused", check_truncated());
	test_run("zebin: every ELF header field is checked", check_header_fields());
	test_run("zebin: damaged section headers", check_section_headers());
	test_run("zebin: another product is refused", note_is_refused(1, 0x4f8, "product family"));
	test_run("zebin: another core is refused", note_is_refused(2, 0xc05, "core family"));
	test_run("zebin: random damage", check_mutations());
	test_run("ze_info: damaged text is refused and the field is named", check_damaged_text());
	test_run("ze_info: memory of hardware threads", check_thread_memory());
	test_run("ze_info: kernels beyond the library are refused by name", check_refused_kernels());
	test_run("ze_info: the loader accepts every allowed text", check_good_text());
	for (i = 0; i < num_files; i++)
		free(files[i].data);
	return test_end();
}
