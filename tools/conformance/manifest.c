// SPDX-License-Identifier: MIT
/*
 * Parses the manifest; Documentation/gpu/xetile/conformance.rst has the grammar. Only
 * cts_manifest_read() accesses files.
 */
#include "manifest.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_BYTES	(64u << 20)

struct parser {
	unsigned int line;
	char *why;
	size_t size;
};

static int bad(const struct parser *p, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static int bad(const struct parser *p, const char *fmt, ...)
{
	va_list args;
	int n = snprintf(p->why, p->size, "line %u: ", p->line);

	va_start(args, fmt);
	if (n > 0 && (size_t)n < p->size)
		vsnprintf(p->why + n, p->size - n, fmt, args);
	va_end(args);
	return -1;
}

/* The text is cut at "..", because strtod() would read "0." in "0..1". */
static bool get_number(const char *text, char **end, double *v)
{
	const char *dots = strstr(text, "..");
	char copy[40], *stop;
	size_t len = dots ? (size_t)(dots - text) : strlen(text);

	snprintf(copy, sizeof(copy), "%.*s", (int)len, text);
	errno = 0;
	*v = strtod(copy, &stop);
	*end = (char *)text + (stop - copy);
	return stop != copy && !errno;
}

/* "16x4" and the like */
static int parse_sizes(const struct parser *p, const char *text, uint32_t v[3],
		       unsigned int *dims)
{
	const char *s = text;
	char *end;

	v[0] = v[1] = v[2] = 1;
	for (*dims = 0; *dims < 3; s = end + 1) {
		unsigned long n = strtoul(s, &end, 10);

		if (*s < '0' || *s > '9' || !n || n > 1u << 24)
			return bad(p, "'%s' is not a size", text);
		v[(*dims)++] = n;
		if (*end != 'x')
			break;
	}
	return *end ? bad(p, "'%s' is not a size", text) : 0;
}

static int parse_oracle(const struct parser *p, char *text, struct cts_kernel *k)
{
	char *comma = strchr(text, ',');

	if (comma)
		*comma++ = 0;
	if (comma && strcmp(comma, "ieee"))
		return bad(p, "'%s' after the oracle is not ieee", comma);
	k->ieee = comma;
	if (!strcmp(text, "pocl"))
		k->oracle = CTS_POCL;
	else if (!strcmp(text, "c"))
		k->oracle = CTS_C;
	else
		return bad(p, "oracle '%s' is not pocl or c", text);
	return 0;
}

/* "4", "4@32", "a1e-3", "r1e-4", "any" */
static int parse_tol(const struct parser *p, const char *text, struct cts_tol *t)
{
	const char *s = text;
	char *end;

	*t = (struct cts_tol){ .kind = CTS_ULP };
	if (!strcmp(text, "any")) {
		t->kind = CTS_ANY;
		return 0;
	}
	if (*s == 'a' || *s == 'r')
		t->kind = *s++ == 'a' ? CTS_ABS : CTS_REL;
	if (!get_number(s, &end, &t->bound) || t->bound < 0)
		return bad(p, "bound '%s'", text);
	if (*end == '@' && t->kind == CTS_ULP && !get_number(end + 1, &end, &t->at))
		return bad(p, "bound '%s'", text);
	return *end ? bad(p, "bound '%s'", text) : 0;
}

/* "4,4,5" or "fast:a1e-3,15*0" */
static int parse_tols(const struct parser *p, char *text, struct cts_arg *a)
{
	char *colon = strchr(text, ':'), *next;
	struct cts_tols *t;

	if (a->num_tols == sizeof(a->tols) / sizeof(a->tols[0]))
		return bad(p, "too many lists of bounds");
	t = &a->tols[a->num_tols++];
	if (colon) {
		*colon++ = 0;
		if (!*text || strlen(text) >= sizeof(t->config))
			return bad(p, "'%s' is not a configuration", text);
		strcpy(t->config, text);
		text = colon;
	}
	for (; text; text = next) {
		unsigned long times = 1;
		struct cts_tol tol;
		char *star = strchr(text, '*');

		next = strchr(text, ',');
		if (next)
			*next++ = 0;
		if (star && (!next || star < next)) {
			times = strtoul(text, &colon, 10);
			if (colon != star || !times)
				return bad(p, "bound '%s'", text);
			text = star + 1;
		}
		if (parse_tol(p, text, &tol))
			return -1;
		while (times--) {
			if (t->num == CTS_MAX_TOLS)
				return bad(p, "more than %d bounds", CTS_MAX_TOLS);
			t->tol[t->num++] = tol;
		}
	}
	return 0;
}

static int parse_range(const struct parser *p, const char *text, struct cts_arg *a,
		       const char *after)
{
	char *end;

	if (!get_number(text, &end, &a->lo) || strncmp(end, "..", 2) ||
	    !get_number(end + 2, &end, &a->hi) || a->hi < a->lo)
		return bad(p, "'%s' is not a range", text);
	return strcmp(end, after) ? bad(p, "'%s' after a range", end) : 0;
}

static int parse_list(const struct parser *p, const char *text, struct cts_arg *a)
{
	char *end;

	a->data = CTS_LIST;
	for (;; text = end + 1) {
		if (a->num_list == CTS_MAX_LIST ||
		    !get_number(text, &end, &a->list[a->num_list++]))
			return bad(p, "'%s' is not a list of numbers", text);
		if (*end != ',')
			return *end ? bad(p, "'%s' is not a list of numbers", text) : 0;
	}
}

static int parse_data(const struct parser *p, const char *text, struct cts_arg *a)
{
	static const struct {
		const char *name;
		enum cts_data data;
	} words[] = {
		{ "random", CTS_RANDOM }, { "zero", CTS_ZERO }, { "iota", CTS_IOTA },
	};
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (!strcmp(text, words[i].name)) {
			a->data = words[i].data;
			return 0;
		}
	}
	if (!strncmp(text, "list:", 5))
		return parse_list(p, text + 5, a);
	if (!strncmp(text, "steps:", 6)) {
		a->data = CTS_STEPS;
		return parse_range(p, text + 6, a, "");
	}
	if (!strncmp(text, "special:", 8)) {
		a->data = CTS_SPECIAL;
		if (a->type != 'f')
			return bad(p, "special is for floats only");
		return parse_range(p, text + 8, a, "");
	}
	i = strlen(text);
	a->data = i > 2 && !strcmp(text + i - 2, "!0") ? CTS_NONZERO : CTS_RANGE;
	if (parse_range(p, text, a, a->data == CTS_NONZERO ? "!0" : ""))
		return -1;
	if (a->data == CTS_NONZERO && !a->lo && !a->hi)
		return bad(p, "'%s' has no number but 0", text);
	return 0;
}

static int parse_value(const struct parser *p, const char *text, struct cts_arg *a)
{
	double d;
	char *end;

	a->kind = CTS_VALUE;
	a->value_size = a->size;
	if (a->type == 'f') {
		float f;

		if (a->size == 2 || !get_number(text, &end, &d) || *end)
			return bad(p, "value '%s'", text);
		f = d;
		memcpy(a->value, a->size == 4 ? (void *)&f : (void *)&d, a->size);
	} else {
		uint64_t v = strtoull(text, &end, 0);

		if (end == text || *end)
			return bad(p, "value '%s'", text);
		memcpy(a->value, &v, a->size);
	}
	return 0;
}

static int parse_hex(const struct parser *p, const char *text, struct cts_arg *a)
{
	unsigned int byte;

	a->kind = CTS_VALUE;
	for (; *text; text += 2) {
		if (!text[1] || a->value_size == sizeof(a->value) ||
		    sscanf(text, "%2x", &byte) != 1)
			return bad(p, "'%s' is not a row of bytes", text);
		a->value[a->value_size++] = byte;
	}
	return a->value_size ? 0 : bad(p, "no bytes");
}

static int parse_type(const struct parser *p, const char *text, struct cts_arg *a)
{
	static const char types[][3] = {
		"i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "b2",
	};
	size_t i;

	for (i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		if (strncmp(text, types[i], 2))
			continue;
		a->type = types[i][0];
		a->size = types[i][1] - '0';
		return 0;
	}
	return bad(p, "'%s' does not start with a type", text);
}

/* TYPE[COUNT][=DATA][~BOUNDS]..., TYPE=VALUE, local=BYTES, hex=BYTES */
static int parse_arg(const struct parser *p, char *text, struct cts_arg *a)
{
	char *tols = strchr(text, '~'), *next, *end;

	if (!strncmp(text, "hex=", 4))
		return parse_hex(p, text + 4, a);
	if (!strncmp(text, "local=", 6)) {
		a->kind = CTS_LOCAL;
		a->count = strtoul(text + 6, &end, 10);
		return *end || !a->count || a->count > 1 << 17 ?
			bad(p, "'%s'", text) : 0;
	}
	if (parse_type(p, text, a))
		return -1;
	if (text[2] == '=')
		return parse_value(p, text + 3, a);
	if (text[2] != '[')
		return bad(p, "'%s' has neither [COUNT] nor =VALUE", text);
	if (tols)
		*tols++ = 0;
	a->kind = CTS_BUFFER;
	a->count = strtoul(text + 3, &end, 10);
	if (*end != ']' || !a->count || a->count * a->size > MAX_BYTES)
		return bad(p, "'%s' has no valid count", text);
	if (end[1] == '=') {
		if (parse_data(p, end + 2, a))
			return -1;
	} else if (end[1]) {
		return bad(p, "'%s' after the count", end + 1);
	}
	for (; tols; tols = next) {
		next = strchr(tols, '~');
		if (next)
			*next++ = 0;
		if (parse_tols(p, tols, a))
			return -1;
	}
	return 0;
}

static int parse_kernel(const struct parser *p, char *line, struct cts_kernel *k)
{
	unsigned int word, dims;
	char *save, *s;

	for (word = 0, s = strtok_r(line, " \t", &save); s;
	     word++, s = strtok_r(NULL, " \t", &save)) {
		switch (word) {
		case 0:
			if (strlen(s) >= sizeof(k->file))
				return bad(p, "file name is too long");
			strcpy(k->file, s);
			break;
		case 1:
			if (strlen(s) >= sizeof(k->name))
				return bad(p, "kernel name is too long");
			strcpy(k->name, s);
			break;
		case 2:
			if (parse_sizes(p, s, k->global, &k->dims))
				return -1;
			break;
		case 3:
			if (parse_sizes(p, s, k->local, &dims))
				return -1;
			if (dims != k->dims)
				return bad(p, "global and local size differ in dimensions");
			break;
		case 4:
			if (parse_oracle(p, s, k))
				return -1;
			break;
		default:
			if (k->num_args == CTS_MAX_ARGS)
				return bad(p, "more than %d arguments", CTS_MAX_ARGS);
			if (parse_arg(p, s, &k->args[k->num_args++]))
				return -1;
		}
	}
	if (word < 5)
		return bad(p, "FILE KERNEL GLOBAL LOCAL ORACLE are needed");
	for (dims = 0; dims < 3; dims++) {
		if (k->global[dims] % k->local[dims])
			return bad(p, "global size is not a multiple of the local size");
	}
	return 0;
}

int cts_manifest_parse(const char *text, struct cts_manifest *m, char *why, size_t size)
{
	struct parser p = { .why = why, .size = size };
	char *copy = strdup(text), *line, *next;
	int err = copy ? 0 : -1;

	memset(m, 0, sizeof(*m));
	for (line = copy; line && !err; line = next) {
		struct cts_kernel *kernels;

		p.line++;
		next = strchr(line, '\n');
		if (next)
			*next++ = 0;
		line += strspn(line, " \t");
		if (!*line || *line == '#')
			continue;
		kernels = realloc(m->kernels, (m->num + 1) * sizeof(*kernels));
		if (!kernels) {
			err = bad(&p, "out of memory");
			break;
		}
		m->kernels = kernels;
		memset(&kernels[m->num], 0, sizeof(*kernels));
		err = parse_kernel(&p, line, &kernels[m->num++]);
	}
	if (!err && !m->num)
		err = bad(&p, "no kernel");
	free(copy);
	if (err)
		cts_manifest_free(m);
	return err;
}

int cts_manifest_read(const char *path, struct cts_manifest *m, char *why, size_t size)
{
	FILE *f = fopen(path, "r");
	char *text = NULL;
	size_t len = 0;
	int err;

	memset(m, 0, sizeof(*m));
	/* A text has no zero bytes, so getdelim() reads all of it. */
	if (!f || (getdelim(&text, &len, 0, f) < 0 && ferror(f))) {
		snprintf(why, size, "cannot read the manifest: %m");
		err = -1;
	} else {
		err = cts_manifest_parse(text ? text : "", m, why, size);
	}
	free(text);
	if (f)
		fclose(f);
	return err;
}

void cts_manifest_free(struct cts_manifest *m)
{
	free(m->kernels);
	memset(m, 0, sizeof(*m));
}

const struct cts_tols *cts_tols(const struct cts_arg *arg, const char *config)
{
	const struct cts_tols *found = NULL;
	unsigned int i;

	for (i = 0; i < arg->num_tols; i++) {
		if (!strcmp(arg->tols[i].config, config))
			return &arg->tols[i];
		if (!*arg->tols[i].config)
			found = &arg->tols[i];
	}
	return found;
}

size_t cts_arg_bytes(const struct cts_arg *arg)
{
	return arg->kind == CTS_BUFFER ? arg->count * arg->size : 0;
}

size_t cts_kernel_bytes(const struct cts_kernel *k)
{
	size_t sum = 0;
	unsigned int i;

	for (i = 0; i < k->num_args; i++)
		sum += cts_arg_bytes(&k->args[i]);
	return sum;
}
