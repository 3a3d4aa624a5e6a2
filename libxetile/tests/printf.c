// SPDX-License-Identifier: MIT
/* Records of printf, valid ones and damaged ones. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "context.h"
#include "kernel.h"
#include "memory.h"
#include "module.h"
#include "test.h"
#include "xetile.h"
#include "zebin.h"

#define STRINGS	0x10000000ull

static const char strings[] =
	"n %d %u %x %5.2f|%s|%c %%\n\0"		/* at 0 */
	"word\0"				/* at 27 */
	"%ld %p %-4d|\n\0"			/* at 32 */
	"%v4d\0"				/* at 46 */
	"%d %f\0"				/* at 51 */
	"%-04095d\0"				/* at 57 */
	"%5000d\0"				/* at 66 */
	"%.2147483647f\0"			/* at 73 */
	"%1.4294967297s\0"			/* at 87 */
	"%*d";					/* at 102, without an end */
#define AT_WORD		27
#define AT_LONG		32
#define AT_VECTOR	46
#define AT_TYPES	51
#define AT_WIDE		57
#define AT_TOO_WIDE	66
#define AT_PRECISE	73
#define AT_WRAP		87
#define AT_OPEN		102

static uint32_t buffer[XETILE_PRINTF_SIZE / 4];
static struct xetile_context context;
static struct xetile_mem string_mem = { .addr = STRINGS };
static struct xetile_mem mem = {
	.context = &context, .size = sizeof(buffer), .map = buffer,
};
static struct xetile_module module = { .context = &context };
static struct xt_kernel_desc desc = { .name = "k", .has_printf = true };
static struct xetile_kernel kernel = { .module = &module, .desc = &desc };
static unsigned int used;

static void start(void)
{
	if (xetile_kernel_set_printf(&kernel, &mem) || buffer[0] != 4)
		abort();
	used = 1;
}

static void put(uint32_t v)
{
	buffer[used++] = v;
	buffer[0] = used * 4;
}

static void put_string(uint32_t at)
{
	put(STRINGS + at);
	put(0);
}

static void put_value(uint32_t type, uint64_t v, bool wide)
{
	put(type);
	put((uint32_t)v);
	if (wide)
		put(v >> 32);
}

/* Returns the output; the caller frees the text. */
static char *show(int *err)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		abort();
	*err = xetile_kernel_print(&kernel, f);
	fclose(f);
	return text;
}

static bool check_records(void)
{
	char *text;
	int err;

	start();
	put_string(0);
	put_value(3, (uint32_t)-5, false);
	put_value(1, 0xff, false);
	put_value(2, 0xffff, false);
	put_value(4, 0x40490fdb, false);
	put_value(5, STRINGS + AT_WORD, true);
	put_value(3, 'q', false);
	put_string(AT_LONG);
	put_value(6, -1ull << 40, true);
	put_value(7, 0x123456789ull, true);
	put_value(3, 7, false);
	text = show(&err);
	CHECK(!err, "%s", xetile_last_error());
	CHECK(!strcmp(text, "n -5 255 ffff  3.14|word|q %\n-1099511627776 0x123456789 7   |\n"),
	      "'%s'", text);
	free(text);
	text = show(&err);
	CHECK(!err && !*text, "the same text is printed again: '%s'", text);
	free(text);
	return true;
}

static bool fails(int want, const char *word)
{
	char *text;
	int err;

	text = show(&err);
	free(text);
	CHECK(err == want, "%d", err);
	CHECK_TEXT(word);
	return true;
}

static bool check_bad_records(void)
{
	bool ok = true;

	start();
	buffer[0] = 3;
	ok &= fails(-EIO, "count");
	start();
	put(STRINGS);
	ok &= fails(-EIO, "in the middle");
	start();
	put_string(sizeof(strings));
	ok &= fails(-EIO, "no string");
	start();
	put_string(AT_OPEN);
	ok &= fails(-EIO, "no string");
	start();
	put_string(0);
	put_value(99, 0, false);
	ok &= fails(-EOPNOTSUPP, "type 99");
	start();
	put_string(AT_VECTOR);
	ok &= fails(-EOPNOTSUPP, "vector");
	start();
	put_string(AT_LONG);
	put_value(6, 1, true);
	put_value(6, 1, true);
	put(3);
	ok &= fails(-EIO, "in the middle");
	/* Work-items that found no room continued to count. */
	start();
	buffer[0] = UINT32_MAX;
	ok &= fails(-EIO, "no string");
	return ok;
}

/* A width or a precision that an untrusted format names must not fill a disk. */
static bool check_width(void)
{
	bool ok = true;
	char *text;
	int err;

	start();
	put_string(AT_WIDE);
	put_value(3, 5, false);
	text = show(&err);
	ok = !err && strlen(text) == 4095 && *text == '5';
	free(text);
	CHECK(ok, "%d", err);
	start();
	put_string(AT_TOO_WIDE);
	put_value(3, 5, false);
	ok &= fails(-EOPNOTSUPP, "too long");
	start();
	put_string(AT_PRECISE);
	put_value(4, 0, false);
	ok &= fails(-EOPNOTSUPP, "too long");
	start();
	put_string(AT_WRAP);
	put_value(5, STRINGS + AT_WORD, true);
	ok &= fails(-EOPNOTSUPP, "too long");
	return ok;
}

/*
 * An argument of another type is undefined in OpenCL C. The library prints the bits of a real
 * number as a whole number, but refuses to print a whole number as a real one.
 */
static bool check_types(void)
{
	char *text;
	int err;
	bool ok;

	start();
	put_string(AT_TYPES);
	put_value(4, 0x3f800000, false);
	put_value(3, 1, false);
	text = show(&err);
	ok = err == -EOPNOTSUPP && !strcmp(text, "1065353216 ");
	free(text);
	CHECK(ok, "%d", err);
	CHECK_TEXT("does not fit");
	return true;
}

static bool full_disk(int buffering, unsigned int records)
{
	FILE *full = fopen("/dev/full", "w");
	int err;

	CHECK(full);
	setvbuf(full, NULL, buffering, BUFSIZ);
	start();
	while (records--) {
		put_string(AT_TYPES);
		put_value(3, 1, false);
		put_value(4, 0, false);
	}
	err = xetile_kernel_print(&kernel, full);
	fclose(full);
	CHECK(err == -ENOSPC, "%d", err);
	CHECK_TEXT("cannot write");
	return true;
}

static bool check_full_disk(void)
{
	return full_disk(_IOFBF, 1) && full_disk(_IOFBF, 10000) && full_disk(_IONBF, 1);
}

static ssize_t count(void *cookie, const char *text, size_t size)
{
	(void)text;
	*(uint64_t *)cookie += size;
	return size;
}

/* Small records that ask for much text: 4 MiB of them for more than 1 GiB */
static bool check_much_text(void)
{
	const uint64_t most = 256ull << 20;
	cookie_io_functions_t io = { .write = count };
	uint64_t size = 0;
	FILE *f = fopencookie(&size, "w", io);
	char *text;
	int err;

	CHECK(f);
	start();
	while (used + 4 <= sizeof(buffer) / 4) {
		put_string(AT_WIDE);
		put_value(3, 1, false);
	}
	err = xetile_kernel_print(&kernel, f);
	fclose(f);
	CHECK(err == -EFBIG, "%d", err);
	CHECK_TEXT("longer than 256 MiB");
	/* The last conversion is written whole. */
	CHECK(size > most - 4096 && size < most + 4096, "%llu bytes", (unsigned long long)size);
	text = show(&err);
	CHECK(!err && !*text, "%d, '%s'", err, text);
	free(text);
	/* The next launch has all the room again. */
	start();
	put_string(AT_WORD);
	text = show(&err);
	CHECK(!err && !strcmp(text, "word"), "%d, '%s'", err, text);
	free(text);
	return true;
}

static bool check_memory(void)
{
	struct xetile_mem small = { .context = &context, .size = XETILE_PRINTF_SIZE - 1 };
	struct xetile_mem foreign = { .size = XETILE_PRINTF_SIZE };

	CHECK(xetile_kernel_set_printf(&kernel, &small) == -EINVAL);
	CHECK_TEXT("too few");
	CHECK(xetile_kernel_set_printf(&kernel, &foreign) == -EINVAL);
	CHECK_TEXT("another context");
	return true;
}

int main(void)
{
	module.data[XT_DATA_STRING] = &string_mem;
	module.zebin.data[XT_DATA_STRING].init = (const uint8_t *)strings;
	/* Leave out the zero that ends the array. */
	module.zebin.data[XT_DATA_STRING].init_size = sizeof(strings) - 1;
	test_run("printf: records", check_records());
	test_run("printf: damaged records", check_bad_records());
	test_run("printf: width and precision", check_width());
	test_run("printf: arguments of another type", check_types());
	test_run("printf: a full disk", check_full_disk());
	test_run("printf: much text", check_much_text());
	test_run("printf: memory", check_memory());
	return test_end();
}
