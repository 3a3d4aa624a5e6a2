// SPDX-License-Identifier: MIT
/*
 * The printf of kernels. A kernel writes records to a buffer: the address of the format, then
 * for each argument its type and value, all in units of four bytes. The kernel may write
 * anything, so nothing in the buffer is trusted.
 */
#include "xetile.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "kernel.h"
#include "memory.h"
#include "module.h"
#include "util.h"
#include "zebin.h"

/* Bytes of the header: a word that counts the bytes of the buffer, with the header. */
#define HEADER	4u

/* A kernel's format is not trusted: the C standard promises conversions of 4095 characters. */
#define MAX_WIDTH	4095

/* A record of 16 bytes can ask for 4095 characters, or for a string as long as the module. */
#define MAX_TEXT	(64ull * XETILE_PRINTF_SIZE)

enum printf_type {
	PRINTF_BYTE = 1, PRINTF_SHORT, PRINTF_INT, PRINTF_FLOAT, PRINTF_STRING,
	PRINTF_LONG, PRINTF_POINTER, PRINTF_DOUBLE,
};

struct reader {
	const struct xetile_module *module;
	const uint8_t *at, *end;
	FILE *out;
	uint64_t room;		/* bytes of text that may still be written */
};

struct value {
	enum printf_type type;
	uint64_t bits;
};

static int get_u32(struct reader *r, uint32_t *v)
{
	if (r->end - r->at < (ptrdiff_t)sizeof(*v))
		return xt_error(-EIO, "printf: a record ends in the middle");
	memcpy(v, r->at, sizeof(*v));
	r->at += sizeof(*v);
	return 0;
}

static int get_u64(struct reader *r, uint64_t *v)
{
	uint32_t low = 0, high = 0;
	int err = get_u32(r, &low);

	if (!err)
		err = get_u32(r, &high);
	*v = (uint64_t)high << 32 | low;
	return err;
}

static int get_value(struct reader *r, struct value *v)
{
	uint32_t type = 0, word = 0;
	int err = get_u32(r, &type);

	if (err)
		return err;
	v->type = type;
	switch (v->type) {
	case PRINTF_BYTE:
	case PRINTF_SHORT:
	case PRINTF_INT:
	case PRINTF_FLOAT:
		err = get_u32(r, &word);
		v->bits = word;
		return err;
	case PRINTF_STRING:
	case PRINTF_LONG:
	case PRINTF_POINTER:
	case PRINTF_DOUBLE:
		return get_u64(r, &v->bits);
	}
	return xt_error(-EOPNOTSUPP, "printf: type %u of an argument is not supported", type);
}

/* Returns the string of the module at @addr, or NULL: no string there ends within the data. */
static const char *find_string(const struct xetile_module *m, uint64_t addr)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(m->data); i++) {
		const struct xt_data *data = &m->zebin.data[i];
		uint64_t at;

		if (!m->data[i] || addr < m->data[i]->addr)
			continue;
		at = addr - m->data[i]->addr;
		if (at < data->init_size && memchr(data->init + at, 0, data->init_size - at))
			return (const char *)data->init + at;
	}
	return NULL;
}

static int64_t as_signed(const struct value *v)
{
	switch (v->type) {
	case PRINTF_BYTE:
		return (int8_t)v->bits;
	case PRINTF_SHORT:
		return (int16_t)v->bits;
	case PRINTF_INT:
		return (int32_t)v->bits;
	default:
		return (int64_t)v->bits;
	}
}

static uint64_t as_unsigned(const struct value *v)
{
	switch (v->type) {
	case PRINTF_BYTE:
		return (uint8_t)v->bits;
	case PRINTF_SHORT:
		return (uint16_t)v->bits;
	default:
		return v->bits;
	}
}

static double as_double(const struct value *v)
{
	uint32_t word = v->bits;
	double d;
	float f;

	if (v->type == PRINTF_FLOAT) {
		memcpy(&f, &word, sizeof(f));
		return f;
	}
	memcpy(&d, &v->bits, sizeof(d));
	return d;
}

static int write_error(void)
{
	int err = errno ? -errno : -EIO;

	return xt_error(err, "printf: cannot write: %s", strerror(-err));
}

/* @len: what fprintf() has answered */
static int written(struct reader *r, int len)
{
	if (len < 0)
		return write_error();
	if ((uint64_t)len > r->room)
		return xt_error(-EFBIG, "printf: the text is longer than %llu MiB", MAX_TEXT >> 20);
	r->room -= len;
	return 0;
}

static int print_char(struct reader *r, char c)
{
	return written(r, fputc(c, r->out) == EOF ? -1 : 1);
}

/*
 * Print one conversion; @spec is its text without length modifiers and without the letter. OpenCL C
 * leaves a conversion of an argument of another type undefined: conversions of whole numbers, of
 * characters and %p take the bits of a real number, and the others refuse the argument, or find no
 * string at its value.
 */
static int print_value(struct reader *r, const struct value *v, char *spec, char letter)
{
	size_t len = strlen(spec);
	FILE *out = r->out;
	const char *s;

	switch (letter) {
	case 'd':
	case 'i':
		strcpy(spec + len, PRIi64);
		return written(r, fprintf(out, spec, as_signed(v)));
	case 'u':
	case 'o':
	case 'x':
	case 'X':
		sprintf(spec + len, "l%c", letter);
		return written(r, fprintf(out, spec, (unsigned long)as_unsigned(v)));
	case 'c':
		strcpy(spec + len, "c");
		return written(r, fprintf(out, spec, (int)(unsigned char)v->bits));
	case 'f': case 'F': case 'e': case 'E': case 'g': case 'G': case 'a': case 'A':
		if (v->type != PRINTF_FLOAT && v->type != PRINTF_DOUBLE)
			break;
		sprintf(spec + len, "%c", letter);
		return written(r, fprintf(out, spec, as_double(v)));
	case 'p':
		return written(r, fprintf(out, "0x%" PRIx64, v->bits));
	case 's':
		s = find_string(r->module, v->bits);
		strcpy(spec + len, "s");
		return written(r, fprintf(out, spec, s ? s : "(null)"));
	}
	return xt_error(-EOPNOTSUPP, "printf: conversion '%s%c' does not fit an argument of type %d",
			spec, letter, (int)v->type);
}

/* Print a conversion; @format points behind its percent sign and is moved behind the letter. */
static int print_conversion(struct reader *r, const char **format)
{
	char spec[32] = "%";
	const char *p = *format;
	struct value v = { 0 };
	unsigned int number = 0;
	size_t len = 1;
	int err;

	while (*p && (strchr("-+ #.", *p) || isdigit((unsigned char)*p))) {
		/* The width and the precision; a flag 0 before them changes neither. */
		number = isdigit((unsigned char)*p) ? number * 10 + (*p - '0') : 0;
		if (len > 16 || number > MAX_WIDTH)
			return xt_error(-EOPNOTSUPP, "printf: '%.20s' is too long", *format);
		spec[len++] = *p++;
	}
	if (*p == 'v')
		return xt_error(-EOPNOTSUPP, "printf: vectors are not supported");
	while (*p == 'h' || *p == 'l')
		p++;
	if (!*p)
		return xt_error(-EIO, "printf: the format ends in the middle");
	*format = p + 1;
	err = get_value(r, &v);
	return err ? err : print_value(r, &v, spec, *p);
}

static int print_record(struct reader *r)
{
	const char *format;
	uint64_t addr;
	int err = get_u64(r, &addr);

	if (err)
		return err;
	format = find_string(r->module, addr);
	if (!format)
		return xt_error(-EIO, "printf: 0x%" PRIx64 " is no string of the module", addr);
	while (*format && !err) {
		if (*format != '%') {
			err = print_char(r, *format++);
		} else if (format[1] == '%') {
			err = print_char(r, '%');
			format += 2;
		} else {
			format++;
			err = print_conversion(r, &format);
		}
	}
	return err;
}

static void reset(uint8_t *map)
{
	const uint32_t used = HEADER;

	memcpy(map, &used, sizeof(used));
}

int xetile_kernel_set_printf(struct xetile_kernel *kernel, struct xetile_mem *mem)
{
	void *map;
	int err;

	if (mem->context != kernel->module->context)
		return xt_error(-EINVAL, "kernel %s: memory of another context", kernel->desc->name);
	if (mem->size < XETILE_PRINTF_SIZE)
		return xt_error(-EINVAL, "kernel %s: %" PRIu64 " bytes are too few for printf, which takes %u",
				kernel->desc->name, mem->size, XETILE_PRINTF_SIZE);
	err = xetile_mem_map(mem, &map);
	if (err)
		return err;
	reset(map);
	kernel->printf = mem;
	return 0;
}

int xetile_kernel_print(struct xetile_kernel *kernel, FILE *out)
{
	struct reader r = { .module = kernel->module, .out = out, .room = MAX_TEXT };
	uint8_t *copy;
	uint32_t used;
	void *map;
	int err;

	if (!kernel->printf)
		return xt_error(-EINVAL, "kernel %s: memory for its printf is not set",
				kernel->desc->name);
	err = xetile_mem_map(kernel->printf, &map);
	if (err)
		return err;
	memcpy(&used, map, sizeof(used));
	/* Work-items continue to count when the buffer is full. */
	if (used > XETILE_PRINTF_SIZE)
		used = XETILE_PRINTF_SIZE;
	if (used < HEADER)
		return xt_error(-EIO, "printf: the count of bytes is %u", used);
	copy = malloc(used);
	if (!copy)
		return xt_error(-ENOMEM, "out of memory");
	memcpy(copy, map, used);
	r.at = copy + HEADER;
	r.end = copy + used;
	while (r.at < r.end && !err)
		err = print_record(&r);
	/* A full disk may show no sooner than here. */
	if (fflush(out) && !err)
		err = write_error();
	free(copy);
	reset(map);
	return err;
}
