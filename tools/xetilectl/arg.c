// SPDX-License-Identifier: MIT
/*
 * Kernel arguments: parsing them from the command line, and filling, saving and printing the
 * contents of buffers. run.c calls these functions.
 */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
		return ctl_usage("dump: the buffer has %llu elements of type %s, not %s",
				 (unsigned long long)(arg->size / types[arg->dump_type].size),
				 types[arg->dump_type].name, rest);
	return 0;
}

/* A color that is not the last option takes the others for its own argument. */
static bool hides_option(const char *color)
{
	return strstr(color, ":in=") || strstr(color, ":out=") || strstr(color, ":fill=") ||
	       strstr(color, ":dump=");
}

static int parse_buffer(char *text, struct ctl_arg *arg)
{
	char *next, *option;

	/* A color may contain colons, so the color is the last option. */
	option = strchr(text, ':');
	if (option)
		*option++ = 0;
	if (xetile_size_parse(text, &arg->size) || !arg->size)
		return ctl_usage("'%s' is no size of a buffer: a number, then k, m or g", text);
	for (; option; option = next) {
		int ret = 0;

		if (!strncmp(option, "color=", 6)) {
			arg->color_text = option + 6;
			if (hides_option(option))
				return ctl_usage("'%s': color= must be the last option", option);
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
			ret = ctl_usage("a buffer has no option '%s': it has in=, out=, fill=, dump=, color=",
					option);
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

/* Cut "NAME=" off an argument. Options of a buffer have a "=", too, but behind a colon. */
static char *take_name(char *text, struct ctl_arg *arg)
{
	size_t length = strcspn(text, ":=");

	if (text[length] != '=' || !length)
		return text;
	text[length] = 0;
	arg->name = text;
	return text + length + 1;
}

int ctl_arg_parse(char *text, struct ctl_arg *arg)
{
	enum ctl_type type = CTL_U8;
	char *colon;

	arg->out_fd = -1;
	text = take_name(text, arg);
	arg->text = text;
	colon = strchr(text, ':');
	if (!strcmp(text, "null")) {
		arg->kind = CTL_ARG_NULL;
		return 0;
	}
	if (!colon && arg->name) {
		arg->kind = CTL_ARG_PLAIN;
		arg->plain = text;
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

/* Names of types in OpenCL C; "long" has 64 bits. */
static const struct {
	const char *name;
	enum ctl_type type;
} c_types[] = {
	{ "uchar", CTL_U8 }, { "char", CTL_I8 }, { "ushort", CTL_U16 }, { "short", CTL_I16 },
	{ "uint", CTL_U32 }, { "int", CTL_I32 }, { "ulong", CTL_U64 }, { "long", CTL_I64 },
	{ "float", CTL_F32 }, { "double", CTL_F64 },
};

/* Read "float" or "float4": the type of the elements, and how many the value has. */
static bool find_c_type(const char *name, enum ctl_type *type, unsigned long *num)
{
	size_t i, length;
	char *end;

	for (i = 0; i < sizeof(c_types) / sizeof(c_types[0]); i++) {
		length = strlen(c_types[i].name);
		if (strncmp(name, c_types[i].name, length))
			continue;
		*type = c_types[i].type;
		*num = name[length] ? strtoul(name + length, &end, 10) : 1;
		if (!name[length] || (!*end && *num >= 2 && *num <= 16))
			return true;
	}
	return false;
}

int ctl_arg_read_plain(struct ctl_arg *arg, const char *type_name)
{
	char copy[256], *item = copy, *comma;
	enum ctl_type type = CTL_U8;
	unsigned long num = 0, i;
	size_t size;

	if (!find_c_type(type_name, &type, &num))
		return ctl_usage("'%s' of type %s needs a kind, like u32: or hex:", arg->name,
				 type_name);
	if (strlen(arg->plain) >= sizeof(copy))
		return ctl_usage("the value of '%s' is too long", arg->name);
	strcpy(copy, arg->plain);
	size = types[type].size;
	for (i = 0; i < num; i++, item = comma) {
		comma = strchr(item, ',');
		if (comma)
			*comma++ = 0;
		if (!comma != (i + 1 == num))
			return ctl_usage("'%s' has %lu numbers, not those of '%s'", arg->name, num,
					 arg->plain);
		if (parse_value(type, item, arg->value + i * size))
			return CTL_USAGE;
	}
	/* A vector of three takes the room of four. */
	arg->value_size = (num == 3 ? 4 : num) * size;
	arg->kind = CTL_ARG_VALUE;
	return CTL_OK;
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

static int out_failed(const struct ctl_arg *arg)
{
	fprintf(stderr, "xetilectl: %s: %s\n", arg->out, strerror(errno));
	return CTL_FAILED;
}

int ctl_arg_open(struct ctl_arg *arg)
{
	if (!arg->out)
		return CTL_OK;
	arg->out_fd = open(arg->out, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
	return arg->out_fd < 0 ? out_failed(arg) : CTL_OK;
}

int ctl_arg_save(const struct ctl_arg *arg)
{
	const char *from = arg->map;
	uint64_t left = arg->size;
	ssize_t n;

	if (arg->out_fd < 0)
		return CTL_OK;
	/* A pipe has no length. */
	if (ftruncate(arg->out_fd, 0) && errno != EINVAL)
		return out_failed(arg);
	while (left) {
		n = write(arg->out_fd, from, left);
		if (n < 0 && errno != EINTR)
			return out_failed(arg);
		if (n > 0) {
			from += n;
			left -= n;
		}
	}
	return CTL_OK;
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
