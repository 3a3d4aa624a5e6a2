// SPDX-License-Identifier: MIT
/*
 * Modules: the machine code of a zebin in GPU memory, and the module's data. Each tile has a
 * copy of the code, so that no tile fetches instructions from another. All tiles share one copy
 * of the data.
 */
#include "module.h"

#include <drm/xetile_drm.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "binary.h"
#include "card.h"
#include "context.h"
#include "error.h"
#include "memory.h"
#include "util.h"
#include "zebin.h"

#define TEXT_ALIGN	256
/* Instruction fetch reads beyond the end of the code. */
#define TEXT_PAD	4096

static int load_data(struct xetile_module *m, unsigned int which)
{
	const struct xt_data *data = &m->zebin.data[which];
	struct xetile_mem_desc desc = { .size = data->size };
	void *map;
	int err;

	if (!data->size)
		return 0;
	err = xetile_mem_alloc(m->context, m->context->card->root, &desc, &m->data[which]);
	if (err)
		return err;
	err = xetile_mem_map(m->data[which], &map);
	if (!err && data->init_size)
		memcpy(map, data->init, data->init_size);
	return err;
}

/* A function's value is its distance from the base of instructions, because calls add the base. */
static bool function_value(const struct xt_zebin *z, const struct xt_symbol *sym, uint64_t *value)
{
	uint64_t size = 0;
	uint32_t i;

	for (i = 0; i < z->num_kernels; i++) {
		if (z->kernels[i].text_section != sym->section)
			continue;
		*value = z->kernels[i].image_offset + sym->value;
		size = z->kernels[i].text_size;
	}
	if (z->functions.section && z->functions.section == sym->section) {
		*value = z->functions.image_offset + sym->value;
		size = z->functions.text_size;
	}
	return sym->value < size;
}

/*
 * The value of a symbol: an address in the module's data, a function, or the number of bytes in
 * front of the cross-thread data of @kernel (NULL: no kernel is patched).
 */
static int symbol_value(const struct xetile_module *m, const struct xt_kernel_desc *kernel,
			const struct xt_symbol *sym, uint64_t *value)
{
	unsigned int i;

	if (!sym->section && !strcmp(sym->name, XT_SYMBOL_CROSS_THREAD)) {
		*value = kernel && kernel->needs_implicit ?
			XT_IMPLICIT_SIZE(m->zebin.implicit_version) : 0;
		return 0;
	}
	if (sym->section && function_value(&m->zebin, sym, value))
		return 0;
	for (i = 0; sym->section && i < ARRAY_SIZE(m->data); i++) {
		const struct xt_data *data = &m->zebin.data[i];
		uint64_t base = 0;

		if (sym->section == data->bss_section)
			base = data->init_size;
		else if (sym->section != data->section)
			continue;
		if (!m->data[i] || base > data->size || sym->value > data->size - base)
			return xt_error(-EINVAL, "zebin: symbol %s: st_value exceeds its data",
					sym->name);
		*value = m->data[i]->addr + base + sym->value;
		return 0;
	}
	return xt_error(-EOPNOTSUPP, "zebin: the library cannot place symbol %s", sym->name);
}

/* Machine code takes the value itself; in data the value is added to the bytes in the file. */
static int patch(uint8_t *at, uint32_t type, uint64_t value, bool add)
{
	uint64_t old = 0;
	size_t size;

	switch (type) {
	case XT_RELOC_ADDR:
		size = 8;
		break;
	case XT_RELOC_ADDR_32:
	case XT_RELOC_IMM_32:
		size = 4;
		break;
	case XT_RELOC_ADDR_32_HIGH:
		size = 4;
		value >>= 32;
		break;
	case XT_RELOC_ADDR_16:
		size = 2;
		break;
	default:
		return xt_error(-EOPNOTSUPP, "zebin: relocation type %u is not supported", type);
	}
	if (add)
		memcpy(&old, at, size);
	value += old;
	memcpy(at, &value, size);
	return 0;
}

/* Apply the relocations of one section; @bytes is the copy of the section to patch. */
static int relocate(const struct xetile_module *m, const struct xt_kernel_desc *kernel,
		    uint32_t section, uint8_t *bytes, bool add)
{
	const struct xt_zebin *z = &m->zebin;
	uint64_t value = 0;
	uint32_t i;
	int err;

	for (i = 0; i < z->num_relocs; i++) {
		const struct xt_reloc *r = &z->relocs[i];

		if (r->section != section)
			continue;
		err = symbol_value(m, kernel, &z->symbols[r->symbol], &value);
		if (!err)
			err = patch(bytes + r->offset, r->type, value, add);
		if (err)
			return err;
	}
	return 0;
}

/* Patch the code of one section and copy the code into every tile's copy of the image. */
static int load_text(struct xetile_module *m, struct xt_kernel_desc *kernel, uint32_t section,
		     const uint8_t *from, uint64_t size, uint64_t offset, uint8_t *map)
{
	uint32_t t, tiles = m->context->card->props.num_tiles;
	uint8_t *text = malloc(size);
	int err;

	if (!text)
		return xt_error(-ENOMEM, "out of memory");
	memcpy(text, from, size);
	err = relocate(m, kernel, section, text, false);
	for (t = 0; t < tiles; t++)
		memcpy(map + t * m->image_size + offset, text, size);
	free(text);
	return err;
}

static int load_image(struct xetile_module *m)
{
	struct xt_zebin *z = &m->zebin;
	uint32_t i, tiles = m->context->card->props.num_tiles;
	struct xt_functions *f = &z->functions;
	uint64_t offset = 0;
	void *map;
	int err;

	for (i = 0; i < z->num_kernels; i++) {
		z->kernels[i].image_offset = offset;
		offset = xt_align(offset + z->kernels[i].text_size, TEXT_ALIGN);
	}
	f->image_offset = offset;
	offset = xt_align(offset + f->text_size, TEXT_ALIGN);
	m->image_size = xt_align(offset + TEXT_PAD, XETILE_COLOR_PAGE);
	err = xt_mem_alloc_parts(m->context, (1u << tiles) - 1, m->image_size, &m->image);
	if (!err)
		err = xetile_mem_map(m->image, &map);
	if (err)
		return err;

	for (i = 0; i < z->num_kernels; i++) {
		struct xt_kernel_desc *k = &z->kernels[i];

		err = load_text(m, k, k->text_section, k->text, k->text_size, k->image_offset, map);
		if (err == -ENOMEM)
			return err;
		/* A kernel that cannot be linked must not keep the others from running. */
		if (err && !k->refusal[0])
			snprintf(k->refusal, sizeof(k->refusal), "%.80s", xetile_last_error());
	}
	return f->section ? load_text(m, NULL, f->section, f->text, f->text_size, f->image_offset,
				      map) : 0;
}

int xetile_module_load(struct xetile_context *context, const void *data, size_t size,
		       struct xetile_module **out)
{
	struct xetile_module *m = calloc(1, sizeof(*m));
	unsigned int i;
	void *map;
	int err;

	if (!m)
		return xt_error(-ENOMEM, "out of memory");
	m->context = context;
	err = xt_binary_parse(data, size, &m->zebin);
	if (!err && !m->zebin.num_kernels)
		err = xt_error(-EINVAL, "zebin: the file has no kernel");
	if (!err && m->zebin.needs_groups &&
	    !(context->card->props.caps & DRM_XETILE_CAP_NON_UNIFORM_GROUPS))
		err = xt_error(-EOPNOTSUPP,
			       "the module needs non-uniform groups, which the card does not have");
	for (i = 0; !err && i < ARRAY_SIZE(m->data); i++)
		err = load_data(m, i);
	/* This sets the functions' addresses, which the data may contain. */
	if (!err)
		err = load_image(m);
	for (i = 0; !err && i < ARRAY_SIZE(m->data); i++) {
		if (!m->data[i] || !m->zebin.data[i].section)
			continue;
		err = xetile_mem_map(m->data[i], &map);
		if (!err)
			err = relocate(m, NULL, m->zebin.data[i].section, map, true);
	}
	if (err) {
		xetile_module_unload(m);
		return err;
	}
	*out = m;
	return 0;
}

int xetile_module_load_file(struct xetile_context *context, const char *path,
			    struct xetile_module **out)
{
	struct stat st;
	uint8_t *data;
	ssize_t len;
	size_t got = 0;
	int fd, err = 0;

	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return xt_error(-errno, "cannot open %.200s: %m", path);
	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_size > 256 << 20) {
		close(fd);
		return xt_error(-EINVAL, "%.200s is no regular file of at most 256 MiB", path);
	}
	data = malloc(st.st_size ? st.st_size : 1);
	while (data && got < (size_t)st.st_size) {
		len = read(fd, data + got, st.st_size - got);
		if (len <= 0) {
			err = len < 0 ? -errno : -EIO;
			break;
		}
		got += len;
	}
	close(fd);
	if (!data)
		return xt_error(-ENOMEM, "out of memory");
	if (err)
		xt_error(err, "cannot read %.200s: %s", path, strerror(-err));
	else
		err = xetile_module_load(context, data, got, out);
	free(data);
	return err;
}

void xetile_module_unload(struct xetile_module *m)
{
	unsigned int i;

	if (!m)
		return;
	xetile_mem_free(m->image);
	for (i = 0; i < ARRAY_SIZE(m->data); i++)
		xetile_mem_free(m->data[i]);
	xt_zebin_free(&m->zebin);
	free(m);
}

int xetile_module_function_address(const struct xetile_module *module, const char *name,
				   uint64_t *address)
{
	const struct xt_zebin *z = &module->zebin;
	uint32_t i;

	if (strlen(name) >= sizeof(z->symbols[0].name))
		return xt_error(-ENAMETOOLONG, "the name of a function has %zu characters",
				strlen(name));
	for (i = 0; i < z->num_symbols; i++) {
		const struct xt_symbol *sym = &z->symbols[i];

		if (sym->is_function && sym->section && sym->section == z->functions.section &&
		    !strcmp(sym->name, name) && function_value(z, sym, address))
			return 0;
	}
	return xt_error(-ENOENT, "there is no function %s in the module", name);
}

unsigned int xetile_module_num_kernels(const struct xetile_module *m)
{
	return m->zebin.num_kernels;
}

const char *xetile_module_kernel_name(const struct xetile_module *m, unsigned int index)
{
	return index < m->zebin.num_kernels ? m->zebin.kernels[index].name : NULL;
}
