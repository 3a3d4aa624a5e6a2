// SPDX-License-Identifier: MIT
/*
 * Files of a compiler. A file for several cards is an archive in the form of ar(1), whose members
 * have names that differ between compilers: the zebin that is for this card is found by its notes.
 * The file is not trusted.
 */
#include "binary.h"

#include <ar.h>
#include <elf.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "zebin.h"

#define SPIRV_MAGIC	0x07230203u
#define HOW		"ocloc compile -file FILE.cl -device pvc makes one"

static bool is_elf(const uint8_t *data, size_t size)
{
	return size >= sizeof(Elf64_Ehdr) && !memcmp(data, ELFMAG, SELFMAG);
}

/* Compilers of before 2023 write another format unless they are asked. */
static bool is_old(const uint8_t *data, size_t size)
{
	Elf64_Ehdr hdr;

	if (!is_elf(data, size))
		return false;
	/* The bytes need not be aligned. */
	memcpy(&hdr, data, sizeof(hdr));
	return hdr.e_machine == EM_NONE;
}

static int refuse_old(void)
{
	return xt_error(-ENOEXEC, "zebin: e_machine 0 is the compiler's old format: ocloc writes the new one with --format zebin");
}

/*
 * The size of the member whose header is at @offset, and 0 or -EINVAL. The bytes follow the header.
 */
static int read_member(const uint8_t *data, size_t size, size_t offset, size_t *member)
{
	const struct ar_hdr *hdr = (const void *)(data + offset);
	char text[sizeof(hdr->ar_size) + 1] = "";
	char *end;

	if (size - offset < sizeof(*hdr) || memcmp(hdr->ar_fmag, ARFMAG, sizeof(hdr->ar_fmag)))
		return -EINVAL;
	memcpy(text, hdr->ar_size, sizeof(hdr->ar_size));
	*member = strtoul(text, &end, 10);
	if (end == text || (*end && *end != ' ') || *text == '-' || *text == '+' ||
	    *member > size - offset - sizeof(*hdr))
		return -EINVAL;
	return 0;
}

static int parse_archive(const uint8_t *data, size_t size, struct xt_zebin *zebin)
{
	size_t offset = SARMAG, member;
	unsigned int others = 0;
	bool old = false;
	int err;

	while (offset < size) {
		if (read_member(data, size, offset, &member))
			return xt_error(-EINVAL, "the archive's member at %zu is damaged", offset);
		offset += sizeof(struct ar_hdr);
		if (is_elf(data + offset, member)) {
			err = xt_zebin_parse(data + offset, member, zebin);
			if (err != -ENOEXEC)
				return err;
			others++;
			old |= is_old(data + offset, member);
		}
		/* Members begin at even places. */
		offset += member + (member & 1);
	}
	if (old)
		return refuse_old();
	return xt_error(-ENOEXEC, "the archive has kernels of %u other cards, but none for PVC", others);
}

int xt_binary_parse(const void *data, size_t size, struct xt_zebin *zebin)
{
	uint32_t magic = 0;

	memset(zebin, 0, sizeof(*zebin));
	if (size >= SARMAG && !memcmp(data, ARMAG, SARMAG))
		return parse_archive(data, size, zebin);
	if (is_old(data, size))
		return refuse_old();
	if (is_elf(data, size))
		return xt_zebin_parse(data, size, zebin);
	if (size >= sizeof(magic))
		memcpy(&magic, data, sizeof(magic));
	if (magic == SPIRV_MAGIC)
		return xt_error(-ENOEXEC, "this is SPIR-V, not machine code: ocloc compile -spirv_input -file FILE.spv -device pvc makes it");
	return xt_error(-ENOEXEC, "this is no ELF file with compiled kernels: " HOW);
}
