// SPDX-License-Identifier: MIT
/*
 * Compares the text that the card's disassembler (tools/vpvc/eu/isa) gives for machine code
 * with that of Intel's iga64, instruction by instruction, field by field. lib/disassembly
 * runs this: "split" writes the code of zebins to files, "compare" reads them and iga64's
 * texts.
 */
#include <elf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "eu/eu.h"

#define SHOWN	20		/* differences that are printed */
#define FIELDS	32		/* of one instruction, more than any has */

struct file {
	unsigned char *bytes;
	size_t size;
};

struct totals {
	unsigned long sections, instructions, compacted, fields, differ, instructions_differ;
};

static int fail(const char *what, const char *name)
{
	fprintf(stderr, "conformance-disassembly: %s: %s\n", name, what);
	return 2;
}

static bool read_file(const char *name, struct file *f)
{
	FILE *from = fopen(name, "rb");
	long size = -1;

	memset(f, 0, sizeof(*f));
	if (!from)
		return false;
	if (!fseek(from, 0, SEEK_END))
		size = ftell(from);
	rewind(from);
	/* The zero behind the last byte ends a text. */
	f->bytes = size < 0 ? NULL : calloc(1, (size_t)size + 1);
	f->size = f->bytes ? fread(f->bytes, 1, (size_t)size, from) : 0;
	fclose(from);
	return f->bytes && f->size == (size_t)size;
}

/* Write a section of machine code to a file of its own, and a line about it to @list. */
static bool write_section(FILE *list, const char *folder, unsigned int n, const char *zebin,
			  const char *section, const unsigned char *code, size_t size)
{
	char name[4096];
	FILE *to;
	bool ok;

	snprintf(name, sizeof(name), "%s/%u.code", folder, n);
	to = fopen(name, "wb");
	if (!to)
		return false;
	ok = fwrite(code, 1, size, to) == size;
	ok = !fclose(to) && ok;
	return fprintf(list, "%u %s %s\n", n, zebin, section) > 0 && ok;
}

/* Write all code sections of a zebin; *n counts them. Returns NULL or the error. */
static const char *split_zebin(FILE *list, const char *folder, const char *zebin,
			       unsigned int *n)
{
	const Elf64_Ehdr *header;
	const Elf64_Shdr *sections, *names;
	const char *why = NULL;
	struct file f;

	if (!read_file(zebin, &f))
		return "cannot be read";
	header = (const Elf64_Ehdr *)f.bytes;
	if (f.size < sizeof(*header) || memcmp(f.bytes, ELFMAG, SELFMAG) ||
	    header->e_shoff > f.size || header->e_shstrndx >= header->e_shnum ||
	    f.size - header->e_shoff < header->e_shnum * sizeof(*sections)) {
		free(f.bytes);
		return "is not a zebin";
	}
	sections = (const Elf64_Shdr *)(f.bytes + header->e_shoff);
	names = &sections[header->e_shstrndx];
	for (unsigned int i = 0; i < header->e_shnum && !why; i++) {
		const Elf64_Shdr *s = &sections[i];
		const char *name = (const char *)f.bytes + names->sh_offset + s->sh_name;

		if (names->sh_offset + s->sh_name >= f.size || s->sh_offset > f.size ||
		    (s->sh_type == SHT_PROGBITS && s->sh_size > f.size - s->sh_offset))
			why = "has a section beyond its end";
		else if (s->sh_type == SHT_PROGBITS && !strncmp(name, ".text", 5) &&
			 !write_section(list, folder, (*n)++, zebin, name,
					f.bytes + s->sh_offset, s->sh_size))
			why = "has a section that cannot be written";
	}
	free(f.bytes);
	return why;
}

static int split(const char *folder, char **zebins)
{
	char name[4096];
	const char *why = NULL;
	unsigned int n = 0;
	FILE *list;

	snprintf(name, sizeof(name), "%s/list", folder);
	list = fopen(name, "w");
	if (!list)
		return fail(strerror(errno), name);
	for (; *zebins && !why; zebins++) {
		why = split_zebin(list, folder, *zebins, &n);
		if (why)
			fail(why, *zebins);
	}
	if (fclose(list) || why)
		return 2;
	return n ? 0 : fail("no machine code", folder);
}

/*
 * Split a line at blanks outside of braces and parentheses, and drop the comment behind
 * the instruction. Returns the number of fields.
 */
static unsigned int take_apart(char *line, char *field[FIELDS])
{
	unsigned int n = 0, depth = 0;
	char *comment = strstr(line, "//");

	if (comment)
		*comment = 0;
	for (bool inside = false; *line; line++) {
		bool blank = (*line == ' ' || *line == '\t' || *line == '\r') && !depth;

		depth += *line == '{' || *line == '(';
		depth -= (*line == '}' || *line == ')') && depth;
		if (blank)
			*line = 0;
		else if (!inside && n < FIELDS)
			field[n++] = line;
		inside = !blank;
	}
	return n;
}

/* Compare both texts of one instruction and count the fields that differ. */
static void compare_line(struct totals *t, const char *where, size_t at, char *ours,
			 char *theirs)
{
	char *a[FIELDS], *b[FIELDS];
	char text[2][512];
	unsigned int n, m, differ = 0;

	snprintf(text[0], sizeof(text[0]), "%s", ours);
	snprintf(text[1], sizeof(text[1]), "%s", theirs);
	n = take_apart(ours, a);
	m = take_apart(theirs, b);
	for (unsigned int i = 0; i < n || i < m; i++) {
		t->fields++;
		differ += i >= n || i >= m || strcmp(a[i], b[i]);
	}
	t->instructions++;
	t->differ += differ;
	if (differ && t->instructions_differ++ < SHOWN)
		printf("%s+0x%zx: the card reads \"%s\", iga64 \"%s\"\n", where, at, text[0],
		       text[1]);
}

/* The next line with an instruction, or NULL */
static char *next_line(char **rest)
{
	char *line;

	while ((line = strsep(rest, "\n")))
		if (line[strspn(line, " \t\r")] && strncmp(line, "//", 2))
			return line;
	return NULL;
}

/* Sections end at a multiple of 8 bytes; the rest of the last 16 may be zeros. */
static bool is_padding(const struct file *code, size_t at)
{
	for (; at < code->size; at++)
		if (code->bytes[at])
			return false;
	return true;
}

static const char *compare_section(struct totals *t, const char *folder, unsigned int n,
				   const char *where)
{
	struct file code = {}, theirs = {};
	const char *why = NULL;
	char name[4096], text[512], *rest, *line;
	size_t at = 0, size;

	snprintf(name, sizeof(name), "%s/%u.code", folder, n);
	if (!read_file(name, &code))
		why = "the machine code cannot be read";
	snprintf(name, sizeof(name), "%s/%u.text", folder, n);
	if (!why && !read_file(name, &theirs))
		why = "iga64 printed nothing";
	for (rest = (char *)theirs.bytes; !why && at < code.size; at += size) {
		size = eu_disassemble(code.bytes + at, code.size - at, (uint32_t)at, text,
				      sizeof(text));
		if (!size && is_padding(&code, at))
			break;
		line = next_line(&rest);
		if (!size)
			why = "the code ends inside an instruction";
		else if (!line)
			why = "iga64 reads fewer instructions";
		else
			compare_line(t, where, at, text, line);
		t->compacted += size == 8;
	}
	if (!why && next_line(&rest))
		why = "iga64 reads more instructions";
	free(code.bytes);
	free(theirs.bytes);
	t->sections++;
	return why;
}

static int compare(const char *folder)
{
	char name[4096], where[4096];
	struct totals t = {};
	unsigned int n, broken = 0;
	const char *why;
	FILE *list;

	snprintf(name, sizeof(name), "%s/list", folder);
	list = fopen(name, "r");
	if (!list)
		return fail(strerror(errno), name);
	while (fscanf(list, "%u %4095[^\n]", &n, where) == 2) {
		why = compare_section(&t, folder, n, where);
		if (why && broken++ < SHOWN)
			printf("%s: %s\n", where, why);
	}
	fclose(list);
	printf("%lu sections, %lu instructions, %lu of them compacted, %lu fields: "
	       "%lu fields of %lu instructions differ, %u sections not read to the end\n",
	       t.sections, t.instructions, t.compacted, t.fields, t.differ,
	       t.instructions_differ, broken);
	return t.instructions && !t.differ && !broken ? 0 : 1;
}

int main(int argc, char **argv)
{
	if (argc > 3 && !strcmp(argv[1], "split"))
		return split(argv[2], argv + 3);
	if (argc == 3 && !strcmp(argv[1], "compare"))
		return compare(argv[2]);
	fprintf(stderr, "usage: conformance-disassembly split FOLDER ZEBIN...\n"
		"       conformance-disassembly compare FOLDER\n");
	return 2;
}
