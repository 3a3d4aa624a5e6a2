// SPDX-License-Identifier: MIT
/*
 * Kernel arguments: parsing them from the command line, and filling, saving and printing the
 * contents of buffers. run.c calls these functions.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arg.h"
#include "ctl.h"

static const struct {
	const char *name;
	size_t size;
} types[CTL_NUM_TYPES] = {
	[CTL_U8] = { "u8", 1 }, [CTL_I8] = { "i8", 1 },
	[CTL_U16] = { "u16", 2 }, [CTL_I16] = { "i16", 2 },
	[CTL_U32] = { "u32", 4 }, [CTL_I32] = { "i32", 4 },
	[CTL_U64] = { "u64", 8 }, [CTL_I64] = { "i64", 8 },
	[CTL_F32] = { "f32", 4 }, [CTL_F64] = { "f64", 8 },
};

size_t ctl_type_size(enum ctl_type type)
{
	return types[type].size;
}

static int parse_type(const char *text, enum ctl_type *type)
{
	unsigned int i;

	for (i = 0; i < CTL_NUM_TYPES; i++) {
		if (!strcmp(text, types[i].name)) {
			*type = i;
			return 0;
		}
	}
	return ctl_usage("type '%s' is none of u8 i8 u16 i16 u32 i32 u64 i64 f32 f64", text);
}

/* Store a value; an integer must fit into the type, in decimal or hex. */
static int parse_value(enum ctl_type type, const char *text, uint8_t value[8])
{
	unsigned int bits = 8 * types[type].size;
	bool is_signed = types[type].name[0] == 'i';
	unsigned long long u;
	long long i;
	double d;
	float f;
	char *end;

	errno = 0;
	if (type == CTL_F32 || type == CTL_F64) {
		d = strtod(text, &end);
		f = d;
		if (type == CTL_F32)
			memcpy(value, &f, sizeof(f));
		else
			memcpy(value, &d, sizeof(d));
	} else if (is_signed) {
		i = strtoll(text, &end, 0);
		if (bits < 64 && (i < -(1ll << (bits - 1)) || i >= 1ll << (bits - 1)))
			errno = ERANGE;
		memcpy(value, &i, types[type].size);
	} else {
		u = strtoull(text, &end, 0);
		if (strchr(text, '-') || (bits < 64 && u >> bits))
			errno = ERANGE;
		memcpy(value, &u, types[type].size);
	}
	if (end == text || *end || (errno == ERANGE && type != CTL_F32 && type != CTL_F64))
		return ctl_usage("'%s' is no value of type %s", text, types[type].name);
	return 0;
}

/* Read "TYPE,REST": the comma becomes the end of the text, and @rest points behind it. */
static int parse_typed(char *text, enum ctl_type *type, char **rest)
{
	char *comma = strchr(text, ',');

	if (!comma)
		return ctl_usage("'%s' is not TYPE,NUMBER", text);
	*comma = 0;
	*rest = comma + 1;
	return parse_type(text, type);
}

static int parse_fill(char *text, struct ctl_arg *arg)
{
	char *rest = NULL;
	int ret;

	arg->fill = true;
	ret = parse_typed(text, &arg->fill_type, &rest);
	if (ret)
		return ret;
	/* 0, 1, 2, ...: a misplaced element is seen. */
	arg->iota = !strcmp(rest, "iota");
	return arg->iota ? 0 : parse_value(arg->fill_type, rest, arg->fill_value);
}

static int parse_dump(char *text, struct ctl_arg *arg)
{
	char *rest = NULL;
	int ret;

	arg->dump = true;
	ret = parse_typed(text, &arg->dump_type, &rest);
	if (ret)
		return ret;
	if (xetile_size_parse(rest, &arg->dump_count))
		return ctl_usage("dump: %s", xetile_last_error());
	if (arg->dump_count > arg->size / types[arg->dump_type].size)
		return ctl_usage("dump: the buffer has no %s elements", rest);
	return 0;
}

static int parse_buffer(char *text, struct ctl_arg *arg)
{
	char *next, *option;

	/* A color may contain colons, so the color is the last option. */
	option = strchr(text, ':');
	if (option)
		*option++ = 0;
	if (xetile_size_parse(text, &arg->size) || !arg->size)
		return ctl_usage("'%s' is no size of a buffer", text);
	for (; option; option = next) {
		int ret = 0;

		if (!strncmp(option, "color=", 6)) {
			if (xetile_color_parse(option + 6, &arg->color))
				return ctl_usage("%s", xetile_last_error());
			return 0;
		}
		next = strchr(option, ':');
		if (next)
			*next++ = 0;
		if (!strncmp(option, "in=", 3))
			arg->in = option + 3;
		else if (!strncmp(option, "out=", 4))
			arg->out = option + 4;
		else if (!strncmp(option, "fill=", 5))
			ret = parse_fill(option + 5, arg);
		else if (!strncmp(option, "dump=", 5))
			ret = parse_dump(option + 5, arg);
		else
			ret = ctl_usage("a buffer has no option '%s'", option);
		if (ret)
			return ret;
	}
	if (arg->in && arg->fill)
		return ctl_usage("a buffer has either in= or fill=");
	return 0;
}

/* Read the bytes of a struct or vector, in memory order. */
static int parse_hex(const char *text, struct ctl_arg *arg)
{
	size_t i, len = strlen(text);

	if (!len || len % 2 || len / 2 > CTL_MAX_VALUE ||
	    strspn(text, "0123456789abcdefABCDEF") != len)
		return ctl_usage("'%s' is not 1..%d bytes of two hex digits", text, CTL_MAX_VALUE);
	for (i = 0; i < len / 2; i++) {
		const char digits[3] = { text[2 * i], text[2 * i + 1], 0 };

		arg->value[i] = strtoul(digits, NULL, 16);
	}
	arg->value_size = len / 2;
	return 0;
}

int ctl_arg_parse(char *text, struct ctl_arg *arg)
{
	char *colon = strchr(text, ':');
	enum ctl_type type = CTL_U8;

	if (!strcmp(text, "null")) {
		arg->kind = CTL_ARG_NULL;
		return 0;
	}
	if (!colon)
		return ctl_usage("argument '%s' is not KIND:VALUE", text);
	*colon = 0;
	if (!strcmp(text, "buf")) {
		arg->kind = CTL_ARG_BUFFER;
		return parse_buffer(colon + 1, arg);
	}
	if (!strcmp(text, "slm")) {
		arg->kind = CTL_ARG_SLM;
		if (xetile_size_parse(colon + 1, &arg->size) || !arg->size ||
		    arg->size > UINT32_MAX)
			return ctl_usage("'%s' is no size of local memory", colon + 1);
		return 0;
	}
	arg->kind = CTL_ARG_VALUE;
	if (!strcmp(text, "hex"))
		return parse_hex(colon + 1, arg);
	if (parse_type(text, &type))
		return CTL_USAGE;
	arg->value_size = types[type].size;
	return parse_value(type, colon + 1, arg->value);
}

/* --- contents ---------------------------------------------------------------------- */

static int read_in(struct ctl_arg *arg)
{
	FILE *file = fopen(arg->in, "r");
	size_t got;

	if (!file) {
		fprintf(stderr, "xetilectl: %s: %s\n", arg->in, strerror(errno));
		return CTL_FAILED;
	}
	got = fread(arg->map, 1, arg->size, file);
	/* A short file leaves zeros in the buffer. A long file is an error. */
	if (ferror(file) || (got == arg->size && getc(file) != EOF)) {
		fprintf(stderr, "xetilectl: %s: %s\n", arg->in,
			ferror(file) ? "the file cannot be read" : "the file is longer than the buffer");
		fclose(file);
		return CTL_FAILED;
	}
	fclose(file);
	return CTL_OK;
}

static void put_iota(uint8_t *to, enum ctl_type type, uint64_t i)
{
	float f = i;
	double d = i;

	if (type == CTL_F32)
		memcpy(to, &f, sizeof(f));
	else if (type == CTL_F64)
		memcpy(to, &d, sizeof(d));
	else
		memcpy(to, &i, types[type].size);
}

int ctl_arg_fill(struct ctl_arg *arg)
{
	size_t size = types[arg->fill_type].size;
	uint64_t i;

	if (arg->in)
		return read_in(arg);
	for (i = 0; arg->fill && i < arg->size / size; i++) {
		uint8_t *to = (uint8_t *)arg->map + i * size;

		if (arg->iota)
			put_iota(to, arg->fill_type, i);
		else
			memcpy(to, arg->fill_value, size);
	}
	return CTL_OK;
}

int ctl_arg_save(const struct ctl_arg *arg)
{
	FILE *file;
	int err;

	if (!arg->out)
		return CTL_OK;
	file = fopen(arg->out, "w");
	err = !file || fwrite(arg->map, 1, arg->size, file) != arg->size;
	if (file)
		err |= fclose(file);
	if (!err)
		return CTL_OK;
	fprintf(stderr, "xetilectl: %s: %s\n", arg->out, strerror(errno));
	return CTL_FAILED;
}

/* JSON has no number for infinity and NaN. */
static void print_float(double d, int digits, bool json)
{
	if (json && !isfinite(d))
		printf("null");
	else
		printf("%.*g", digits, d);
}

static void print_value(const uint8_t *from, enum ctl_type type, bool json)
{
	uint64_t u = 0;
	float f;
	double d;

	memcpy(&u, from, types[type].size);
	memcpy(&f, from, types[type].size < sizeof(f) ? types[type].size : sizeof(f));
	memcpy(&d, &u, sizeof(d));
	switch (type) {
	case CTL_I8:
		printf("%d", (int8_t)u);
		break;
	case CTL_I16:
		printf("%d", (int16_t)u);
		break;
	case CTL_I32:
		printf("%d", (int32_t)u);
		break;
	case CTL_I64:
		printf("%lld", (long long)u);
		break;
	case CTL_F32:
		print_float(f, 9, json);
		break;
	case CTL_F64:
		print_float(d, 17, json);
		break;
	default:
		printf("%llu", (unsigned long long)u);
	}
}

void ctl_arg_print(const struct ctl_arg *arg, unsigned int index, bool json)
{
	size_t size = types[arg->dump_type].size;
	uint64_t i;

	if (json)
		printf("{\"arg\":%u,\"type\":\"%s\",\"values\":[", index, types[arg->dump_type].name);
	for (i = 0; i < arg->dump_count; i++) {
		if (json)
			printf("%s", i ? "," : "");
		else if (i % 8 == 0)
			printf("%sarg %u [%llu]:", i ? "\n" : "", index, (unsigned long long)i);
		if (!json)
			putchar(' ');
		print_value((const uint8_t *)arg->map + i * size, arg->dump_type, json);
	}
	printf(json ? "]}" : "\n");
}
