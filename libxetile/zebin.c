// SPDX-License-Identifier: MIT
/*
 * The container of compiled kernels: an ELF file with the machine code of each kernel, data of
 * the module, relocations, a note that names the target, and .ze_info (zeinfo.c). The file is
 * not trusted: every header field is checked before use, and all bytes come from a private copy
 * that nobody else can change. module.c calls xt_zebin_parse().
 */
#include "zebin.h"

#include <elf.h>
#include <errno.h>
#include <gelf.h>
#include <inttypes.h>
#include <libelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "util.h"
#include "zeinfo.h"

#define MAX_FILE	(256u << 20)
#define MAX_SECTIONS	16384
#define MAX_DATA	(1ull << 30)

#define EM_INTELGT_	205
#define ET_ZEBIN_REL	0xff11
#define SHT_ZEBIN_ZEINFO	0xff000011u

#define NOTE_OWNER	"IntelGT"
#define NOTE_PRODUCT_FAMILY	1
#define NOTE_GFX_CORE	2
#define NOTE_PRODUCT_CONFIG	6
#define NOTE_IMPLICIT_VERSION	8
#define PRODUCT_FAMILY_PVC	0x4f7
#define GFX_CORE_XE_HPC	0xc08
#define CONFIG_ARCH(v)		((v) >> 22)
#define CONFIG_RELEASE(v)	(((v) >> 14) & 0xff)

struct section {
	const char *name;
	GElf_Shdr hdr;
	const uint8_t *bytes;	/* NULL: the section has no bytes in the file */
};

struct reader {
	struct xt_zebin *zebin;
	Elf *elf;
	size_t num;
	struct section *sections;
};

static int check_header(const uint8_t *file, size_t size)
{
	const Elf64_Ehdr *h = (const Elf64_Ehdr *)file;
	unsigned int i;

	if (size < sizeof(*h))
		return xt_error(-EINVAL, "zebin: %zu bytes are too few for an ELF header", size);
	if (memcmp(h->e_ident, ELFMAG, SELFMAG))
		return xt_error(-ENOEXEC, "zebin: this is no ELF file");
	if (h->e_ident[EI_CLASS] != ELFCLASS64 || h->e_ident[EI_DATA] != ELFDATA2LSB)
		return xt_error(-ENOEXEC, "zebin: e_ident: not 64-bit little endian");
	if (h->e_ident[EI_VERSION] != EV_CURRENT || h->e_version != EV_CURRENT)
		return xt_error(-EINVAL, "zebin: e_version is wrong");
	if (h->e_ident[EI_OSABI] || h->e_ident[EI_ABIVERSION] > 1)
		return xt_error(-EINVAL, "zebin: e_ident: ABI %u version %u is unknown",
				h->e_ident[EI_OSABI], h->e_ident[EI_ABIVERSION]);
	for (i = EI_PAD; i < EI_NIDENT; i++) {
		if (h->e_ident[i])
			return xt_error(-EINVAL, "zebin: e_ident: padding is not zero");
	}
	if (h->e_machine != EM_INTELGT_)
		return xt_error(-ENOEXEC, "zebin: e_machine %u is not that of Intel graphics",
				h->e_machine);
	if (h->e_type != ET_REL && h->e_type != ET_ZEBIN_REL)
		return xt_error(-EINVAL, "zebin: e_type 0x%x is not relocatable", h->e_type);
	if (h->e_entry || h->e_flags || h->e_phoff || h->e_phnum)
		return xt_error(-EINVAL, "zebin: e_entry, e_flags, e_phoff or e_phnum is not 0");
	if (h->e_phentsize && h->e_phentsize != sizeof(Elf64_Phdr))
		return xt_error(-EINVAL, "zebin: e_phentsize %u is wrong", h->e_phentsize);
	if (h->e_ehsize != sizeof(*h))
		return xt_error(-EINVAL, "zebin: e_ehsize %u is wrong", h->e_ehsize);
	if (h->e_shentsize != sizeof(Elf64_Shdr))
		return xt_error(-EINVAL, "zebin: e_shentsize %u is wrong", h->e_shentsize);
	if (!h->e_shnum || h->e_shnum > MAX_SECTIONS || h->e_shoff < sizeof(*h) ||
	    h->e_shoff > size || (size - h->e_shoff) / sizeof(Elf64_Shdr) < h->e_shnum)
		return xt_error(-EINVAL, "zebin: e_shoff, e_shnum: the section headers exceed the file");
	if (!h->e_shstrndx || h->e_shstrndx >= h->e_shnum)
		return xt_error(-EINVAL, "zebin: e_shstrndx %u is wrong", h->e_shstrndx);
	return 0;
}

/*
 * In a file of ocloc section headers need not be aligned, and libelf would return pointers to
 * them. gelf_getshdr() copies each header into an aligned GElf_Shdr.
 */
static int read_sections(struct reader *r)
{
	const struct xt_zebin *z = r->zebin;
	size_t i, strndx;

	if (elf_getshdrnum(r->elf, &r->num) || elf_getshdrstrndx(r->elf, &strndx))
		return xt_error(-EINVAL, "zebin: section headers: %s", elf_errmsg(-1));
	r->sections = calloc(r->num, sizeof(*r->sections));
	if (!r->sections)
		return xt_error(-ENOMEM, "out of memory");

	for (i = 0; i < r->num; i++) {
		struct section *s = &r->sections[i];
		Elf_Scn *scn = elf_getscn(r->elf, i);

		if (!scn || !gelf_getshdr(scn, &s->hdr))
			return xt_error(-EINVAL, "zebin: section %zu: %s", i, elf_errmsg(-1));
		if (s->hdr.sh_type != SHT_NULL && s->hdr.sh_type != SHT_NOBITS &&
		    (s->hdr.sh_offset > z->file_size ||
		     s->hdr.sh_size > z->file_size - s->hdr.sh_offset))
			return xt_error(-EINVAL, "zebin: section %zu: sh_offset, sh_size exceed the file",
					i);
	}
	if (r->sections[strndx].hdr.sh_type != SHT_STRTAB)
		return xt_error(-EINVAL, "zebin: e_shstrndx %zu is no string table", strndx);
	for (i = 0; i < r->num; i++) {
		struct section *s = &r->sections[i];

		s->name = elf_strptr(r->elf, strndx, s->hdr.sh_name);
		if (!s->name)
			return xt_error(-EINVAL, "zebin: section %zu: sh_name %u is wrong", i,
					s->hdr.sh_name);
		if (s->hdr.sh_type == SHT_NULL)
			continue;
		if (s->hdr.sh_addr || (s->hdr.sh_addralign & (s->hdr.sh_addralign - 1)))
			return xt_error(-EINVAL, "zebin: section %.64s: sh_addr or sh_addralign is wrong",
					s->name);
		if (s->hdr.sh_type != SHT_NOBITS)
			s->bytes = z->file + s->hdr.sh_offset;
	}
	return 0;
}

/* Find the section of a name; @index is 0 when there is none. */
static int find_section(const struct reader *r, const char *name, uint32_t *index)
{
	size_t i;

	*index = 0;
	for (i = 1; i < r->num; i++) {
		if (strcmp(r->sections[i].name, name))
			continue;
		if (*index)
			return xt_error(-EINVAL, "zebin: there are two sections %.64s", name);
		*index = i;
	}
	return 0;
}

static int bad_section(const struct section *s, const char *what)
{
	return xt_error(-EINVAL, "zebin: section %.64s: %s", s->name, what);
}

/* --- the target ------------------------------------------------------------- */

static int check_note(struct xt_zebin *z, uint32_t type, const uint8_t *desc, uint32_t size,
		      bool *known)
{
	uint32_t v = 0;

	if (type != NOTE_PRODUCT_FAMILY && type != NOTE_GFX_CORE &&
	    type != NOTE_PRODUCT_CONFIG && type != NOTE_IMPLICIT_VERSION)
		return 0;
	if (size != sizeof(v))
		return xt_error(-EINVAL, "zebin: note %u has %u bytes, not 4", type, size);
	memcpy(&v, desc, sizeof(v));
	switch (type) {
	case NOTE_PRODUCT_FAMILY:
		if (v != PRODUCT_FAMILY_PVC)
			return xt_error(-ENOEXEC, "zebin: compiled for product family 0x%x, not for PVC",
					v);
		*known = true;
		return 0;
	case NOTE_GFX_CORE:
		/* Older compilers write 0. */
		if (v && v != GFX_CORE_XE_HPC)
			return xt_error(-ENOEXEC, "zebin: compiled for core family 0x%x, not for PVC",
					v);
		return 0;
	case NOTE_IMPLICIT_VERSION:
		z->implicit_version = v;
		return 0;
	default:
		if (CONFIG_ARCH(v) != 12 || (CONFIG_RELEASE(v) != 60 && CONFIG_RELEASE(v) != 61))
			return xt_error(-ENOEXEC, "zebin: compiled for product %u.%u, not for PVC",
					CONFIG_ARCH(v), CONFIG_RELEASE(v));
		*known = true;
		return 0;
	}
}

static int check_target(const struct reader *r)
{
	const struct section *s;
	uint64_t pos = 0, left;
	bool known = false;
	uint32_t index;
	int err;

	err = find_section(r, ".note.intelgt.compat", &index);
	if (err)
		return err;
	s = &r->sections[index];
	if (!index || s->hdr.sh_type != SHT_NOTE || !s->bytes)
		return xt_error(-EINVAL, "zebin: .note.intelgt.compat is missing");
	/* Bytes behind the last note are padding. */
	while ((left = s->hdr.sh_size - pos) > sizeof(Elf64_Nhdr)) {
		uint64_t name, desc;
		Elf64_Nhdr n;

		memcpy(&n, s->bytes + pos, sizeof(n));
		name = xt_align(n.n_namesz, 4);
		desc = n.n_descsz;
		if (name + desc > left - sizeof(n))
			return bad_section(s, "a note exceeds the section");
		if (n.n_namesz != sizeof(NOTE_OWNER) ||
		    memcmp(s->bytes + pos + sizeof(n), NOTE_OWNER, sizeof(NOTE_OWNER)))
			return bad_section(s, "a note's owner is not IntelGT");
		err = check_note(r->zebin, n.n_type, s->bytes + pos + sizeof(n) + name, n.n_descsz,
				 &known);
		if (err)
			return err;
		pos += sizeof(n) + name + xt_align(desc, 4);
		if (pos >= s->hdr.sh_size)
			break;
	}
	if (!known)
		return bad_section(s, "no note names the product");
	return 0;
}

/* --- kernels and data --------------------------------------------------------- */

static int read_zeinfo(const struct reader *r)
{
	const struct section *s;
	uint32_t index;
	int err;

	err = find_section(r, ".ze_info", &index);
	if (err)
		return err;
	s = &r->sections[index];
	if (!index || !s->bytes)
		return xt_error(-EINVAL, "zebin: .ze_info is missing");
	if (s->hdr.sh_type != SHT_ZEBIN_ZEINFO)
		return bad_section(s, "sh_type is wrong");
	return xt_zeinfo_parse((const char *)s->bytes, s->hdr.sh_size, r->zebin);
}

static int find_texts(const struct reader *r)
{
	char name[1100];
	uint32_t i, index;
	int err;

	for (i = 0; i < r->zebin->num_kernels; i++) {
		struct xt_kernel_desc *k = &r->zebin->kernels[i];
		const struct section *s;

		snprintf(name, sizeof(name), ".text.%s", k->name);
		err = find_section(r, name, &index);
		if (err)
			return err;
		s = &r->sections[index];
		if (!index || !s->bytes || s->hdr.sh_type != SHT_PROGBITS)
			return xt_error(-EINVAL, "zebin: kernel %.64s has no machine code", k->name);
		if (!(s->hdr.sh_flags & SHF_EXECINSTR))
			return bad_section(s, "sh_flags: the section is not executable");
		if (!s->hdr.sh_size || s->hdr.sh_size % 8)
			return bad_section(s, "sh_size is no multiple of an instruction");
		if (k->skip_offset >= s->hdr.sh_size)
			return xt_error(-EINVAL, "zebin: kernel %.64s: offset_to_skip_per_thread_data_load %u exceeds its code",
					k->name, k->skip_offset);
		k->text_section = index;
		k->text = s->bytes;
		k->text_size = s->hdr.sh_size;
	}
	return 0;
}

/* Functions that several kernels call are in a section of their own. */
static int find_functions(const struct reader *r)
{
	struct xt_functions *f = &r->zebin->functions;
	const struct section *s;
	int err = find_section(r, ".text.Intel_Symbol_Table_Void_Program", &f->section);

	if (err || !f->section)
		return err;
	s = &r->sections[f->section];
	if (!s->bytes || s->hdr.sh_type != SHT_PROGBITS)
		return bad_section(s, "sh_type is wrong");
	f->text = s->bytes;
	f->text_size = s->hdr.sh_size;
	return 0;
}

/* Data of one kind are initialised bytes, then zeros. */
static int find_data(const struct reader *r, const char *init, const char *bss,
		     struct xt_data *data)
{
	const struct section *s;
	int err;

	err = find_section(r, init, &data->section);
	if (!err)
		err = find_section(r, bss, &data->bss_section);
	if (err)
		return err;
	if (data->section) {
		s = &r->sections[data->section];
		if (s->hdr.sh_type != SHT_PROGBITS)
			return bad_section(s, "sh_type is wrong");
		data->init = s->bytes;
		data->init_size = data->size = s->hdr.sh_size;
	}
	if (data->bss_section) {
		s = &r->sections[data->bss_section];
		if (s->hdr.sh_type != SHT_NOBITS)
			return bad_section(s, "sh_type is wrong");
		if (s->hdr.sh_size > MAX_DATA)
			return bad_section(s, "sh_size is too large");
		data->size += s->hdr.sh_size;
	}
	return 0;
}

/* --- symbols and relocations ----------------------------------------------------- */

static int read_symbols(const struct reader *r, uint32_t index)
{
	const struct section *s = &r->sections[index];
	struct xt_zebin *z = r->zebin;
	uint64_t i, num = s->hdr.sh_size / sizeof(Elf64_Sym);

	if (s->hdr.sh_entsize != sizeof(Elf64_Sym) || s->hdr.sh_size % sizeof(Elf64_Sym))
		return bad_section(s, "sh_entsize or sh_size is wrong");
	if (!s->hdr.sh_link || s->hdr.sh_link >= r->num ||
	    r->sections[s->hdr.sh_link].hdr.sh_type != SHT_STRTAB)
		return bad_section(s, "sh_link is no string table");
	z->symbols = calloc(num ? num : 1, sizeof(*z->symbols));
	if (!z->symbols)
		return xt_error(-ENOMEM, "out of memory");
	z->num_symbols = num;
	for (i = 0; i < num; i++) {
		const char *name;
		Elf64_Sym sym;

		memcpy(&sym, s->bytes + i * sizeof(sym), sizeof(sym));
		name = elf_strptr(r->elf, s->hdr.sh_link, sym.st_name);
		if (!name)
			return xt_error(-EINVAL, "zebin: symbol %" PRIu64 ": st_name %u is wrong", i,
					sym.st_name);
		if (sym.st_shndx >= r->num && sym.st_shndx < SHN_LORESERVE)
			return xt_error(-EINVAL, "zebin: symbol %.64s: st_shndx %u is wrong", name,
					sym.st_shndx);
		snprintf(z->symbols[i].name, sizeof(z->symbols[i].name), "%s", name);
		z->symbols[i].section = sym.st_shndx < SHN_LORESERVE ? sym.st_shndx : SHN_UNDEF;
		z->symbols[i].value = sym.st_value;
		/* One whose name has no room could be taken for another one. */
		z->symbols[i].is_function = strlen(name) < sizeof(z->symbols[i].name) &&
			ELF64_ST_BIND(sym.st_info) == STB_GLOBAL &&
			ELF64_ST_TYPE(sym.st_info) == STT_FUNC;
	}
	return 0;
}

/* Bytes of a section that the library patches; 0: the library does not patch the section. */
static uint64_t patched_size(const struct xt_zebin *z, uint32_t section)
{
	uint32_t i;

	for (i = 0; i < z->num_kernels; i++) {
		if (z->kernels[i].text_section == section)
			return z->kernels[i].text_size;
	}
	for (i = 0; i < ARRAY_SIZE(z->data); i++) {
		if (z->data[i].section == section)
			return z->data[i].init_size;
	}
	return section && z->functions.section == section ? z->functions.text_size : 0;
}

static unsigned int reloc_bytes(uint32_t type)
{
	switch (type) {
	case XT_RELOC_ADDR:
		return 8;
	case XT_RELOC_ADDR_16:
		return 2;
	default:
		return 4;
	}
}

static int read_relocs(const struct reader *r, uint32_t index, uint32_t symtab)
{
	const struct section *s = &r->sections[index];
	struct xt_zebin *z = r->zebin;
	struct xt_reloc *relocs;
	uint64_t i, num, target;

	if (s->hdr.sh_info >= r->num)
		return bad_section(s, "sh_info is no section");
	target = patched_size(z, s->hdr.sh_info);
	/* Debug information is not loaded, so it is not patched. */
	if (!target)
		return 0;
	if (s->hdr.sh_type == SHT_RELA)
		return xt_error(-EOPNOTSUPP, "zebin: section %.64s: relocations with addends are not supported",
				s->name);
	if (s->hdr.sh_entsize != sizeof(Elf64_Rel) || s->hdr.sh_size % sizeof(Elf64_Rel))
		return bad_section(s, "sh_entsize or sh_size is wrong");
	if (!symtab || s->hdr.sh_link != symtab)
		return bad_section(s, "sh_link is not the symbol table");
	num = s->hdr.sh_size / sizeof(Elf64_Rel);
	if (!num)
		return 0;
	relocs = realloc(z->relocs, (z->num_relocs + num) * sizeof(*relocs));
	if (!relocs)
		return xt_error(-ENOMEM, "out of memory");
	z->relocs = relocs;
	for (i = 0; i < num; i++) {
		struct xt_reloc *out = &z->relocs[z->num_relocs];
		Elf64_Rel rel;

		memcpy(&rel, s->bytes + i * sizeof(rel), sizeof(rel));
		out->section = s->hdr.sh_info;
		out->symbol = ELF64_R_SYM(rel.r_info);
		out->type = ELF64_R_TYPE(rel.r_info);
		out->offset = rel.r_offset;
		if (out->symbol >= z->num_symbols)
			return bad_section(s, "r_info names no symbol");
		if (out->type > XT_RELOC_ADDR_16)
			return bad_section(s, "r_info has an unknown type");
		if (out->offset > target || target - out->offset < reloc_bytes(out->type))
			return bad_section(s, "r_offset exceeds the patched section");
		if (out->type != XT_RELOC_NONE)
			z->num_relocs++;
	}
	return 0;
}

static int read_linkage(const struct reader *r)
{
	uint32_t i, symtab = 0;
	int err;

	for (i = 1; i < r->num; i++) {
		if (r->sections[i].hdr.sh_type != SHT_SYMTAB)
			continue;
		if (symtab)
			return xt_error(-EINVAL, "zebin: there are two symbol tables");
		symtab = i;
		err = read_symbols(r, i);
		if (err)
			return err;
	}
	for (i = 1; i < r->num; i++) {
		if (r->sections[i].hdr.sh_type != SHT_REL &&
		    r->sections[i].hdr.sh_type != SHT_RELA)
			continue;
		err = read_relocs(r, i, symtab);
		if (err)
			return err;
	}
	return 0;
}

/*
 * Functions with a stack read facts of the launch in front of the arguments. A compiler that
 * does not leave room there has no function that reads them.
 */
static int check_implicit(struct xt_zebin *z)
{
	uint32_t i, n;

	for (i = 0; i < z->num_kernels; i++) {
		struct xt_kernel_desc *k = &z->kernels[i];
		bool moved = false;

		for (n = 0; n < z->num_relocs; n++)
			moved |= z->relocs[n].section == k->text_section &&
				 !strcmp(z->symbols[z->relocs[n].symbol].name,
					 XT_SYMBOL_CROSS_THREAD);
		if (moved)
			k->needs_implicit |= k->has_stack_calls;
		if (k->needs_implicit && z->implicit_version > 1 && !k->refusal[0])
			snprintf(k->refusal, sizeof(k->refusal),
				 "implicit arguments of version %u", z->implicit_version);
		if (k->needs_implicit && !moved && !k->refusal[0])
			snprintf(k->refusal, sizeof(k->refusal),
				 "implicit arguments in an unknown place");
	}
	return 0;
}

/* --- the file ------------------------------------------------------------------------ */

static int parse(struct reader *r)
{
	struct xt_zebin *z = r->zebin;
	int err;

	err = read_sections(r);
	if (!err)
		err = check_target(r);
	if (!err)
		err = read_zeinfo(r);
	if (!err)
		err = find_texts(r);
	if (!err)
		err = find_functions(r);
	if (!err)
		err = find_data(r, ".data.const", ".bss.const", &z->data[XT_DATA_CONST]);
	if (!err)
		err = find_data(r, ".data.global", ".bss.global", &z->data[XT_DATA_GLOBAL]);
	if (!err)
		err = find_data(r, ".data.const.string", ".bss.const.string",
				&z->data[XT_DATA_STRING]);
	if (!err)
		err = check_implicit(z);
	if (!err)
		err = read_linkage(r);
	return err;
}

int xt_zebin_parse(const void *data, size_t size, struct xt_zebin *zebin)
{
	struct reader r = { .zebin = zebin };
	int err;

	memset(zebin, 0, sizeof(*zebin));
	if (size > MAX_FILE)
		return xt_error(-EINVAL, "zebin: %zu bytes are too many", size);
	zebin->file = malloc(size ? size : 1);
	if (!zebin->file)
		return xt_error(-ENOMEM, "out of memory");
	memcpy(zebin->file, data, size);
	zebin->file_size = size;
	err = check_header(zebin->file, size);
	if (!err) {
		elf_version(EV_CURRENT);
		r.elf = elf_memory((char *)zebin->file, size);
		if (!r.elf)
			err = xt_error(-EINVAL, "zebin: %s", elf_errmsg(-1));
		else
			err = parse(&r);
	}
	elf_end(r.elf);
	free(r.sections);
	if (err)
		xt_zebin_free(zebin);
	return err;
}

void xt_zebin_free(struct xt_zebin *zebin)
{
	uint32_t i, p;

	for (i = 0; i < zebin->num_kernels; i++) {
		free(zebin->kernels[i].name);
		free(zebin->kernels[i].payloads);
		for (p = 0; p < zebin->kernels[i].num_parameters; p++) {
			free(zebin->kernels[i].parameters[p].name);
			free(zebin->kernels[i].parameters[p].type);
		}
		free(zebin->kernels[i].parameters);
	}
	free(zebin->kernels);
	free(zebin->symbols);
	free(zebin->relocs);
	free(zebin->file);
	memset(zebin, 0, sizeof(*zebin));
}
