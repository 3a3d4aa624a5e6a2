// SPDX-License-Identifier: MIT
/* Tests of manifest, data, comparison and files of results (make check). */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compare.h"
#include "data.h"
#include "manifest.h"
#include "reference.h"
#include "results.h"

static unsigned int passed, failed;

#define CHECK(cond)								\
	do {									\
		if (!(cond)) {							\
			printf("  %s:%d: %s\n", __FILE__, __LINE__, #cond);	\
			return false;						\
		}								\
	} while (0)

static void run(const char *name, bool ok)
{
	printf("%s %s\n", ok ? "ok  " : "FAIL", name);
	if (ok)
		passed++;
	else
		failed++;
}

static bool check_tree(void)
{
	struct cts_manifest m;
	char path[512], why[256] = "";

	snprintf(path, sizeof(path), "%s/manifest", getenv("CONFORMANCE_TOP"));
	if (cts_manifest_read(path, &m, why, sizeof(why))) {
		printf("  %s\n", why);
		return false;
	}
	CHECK(m.num > 125);
	cts_manifest_free(&m);
	return true;
}

static bool check_line(void)
{
	static const char text[] =
		"# words\n\n k/a.cl one 32x16 16x4 pocl,ieee f4[8]=-1..2!0~3,2*a0.5,any~fast:r1e-3 "
		"i8[4]=steps:0..9 u4=0x10 f8=-2.5 local=256 hex=0a0bff b2[2] i1[3]=list:1,-2\n"
		"b.cl two 64 64 c\n";
	struct cts_manifest m;
	const struct cts_kernel *k;
	const struct cts_tols *t;
	char why[256];
	double d;

	CHECK(!cts_manifest_parse(text, &m, why, sizeof(why)));
	CHECK(m.num == 2);
	k = &m.kernels[0];
	CHECK(!strcmp(k->file, "k/a.cl") && !strcmp(k->name, "one") && k->dims == 2);
	CHECK(k->global[0] == 32 && k->global[1] == 16 && k->global[2] == 1 && k->local[1] == 4);
	CHECK(k->oracle == CTS_POCL && k->ieee && k->num_args == 8);
	CHECK(k->args[0].data == CTS_NONZERO && k->args[0].lo == -1 && k->args[0].hi == 2);
	t = cts_tols(&k->args[0], "o2");
	CHECK(t && t->num == 4 && t->tol[0].kind == CTS_ULP && t->tol[0].bound == 3);
	CHECK(t->tol[1].kind == CTS_ABS && t->tol[2].kind == CTS_ABS &&
	      t->tol[3].kind == CTS_ANY);
	t = cts_tols(&k->args[0], "fast");
	CHECK(t && t->num == 1 && t->tol[0].kind == CTS_REL);
	CHECK(!cts_tols(&k->args[1], "o2"));
	CHECK(k->args[1].data == CTS_STEPS && k->args[1].size == 8);
	CHECK(k->args[2].kind == CTS_VALUE && k->args[2].value[0] == 16);
	memcpy(&d, k->args[3].value, sizeof(d));
	CHECK(d == -2.5);
	CHECK(k->args[4].kind == CTS_LOCAL && k->args[4].count == 256);
	CHECK(k->args[5].value_size == 3 && k->args[5].value[2] == 0xff);
	CHECK(cts_kernel_bytes(k) == 32 + 32 + 4 + 3);
	k = &m.kernels[1];
	CHECK(k->oracle == CTS_C && !k->ieee && !k->num_args);
	cts_manifest_free(&m);
	return true;
}

static bool check_bad_lines(void)
{
	static const char * const lines[] = {
		"", "a.cl", "a.cl k 64 64", "a.cl k 64 63 c", "a.cl k 64x2 64 c", "a.cl k 0 64 c",
		"a.cl k 64 64 other", "a.cl k 64 64 c,fast", "a.cl k 64 64 c i3[4]",
		"a.cl k 64 64 c i4[0]", "a.cl k 64 64 c i4[4", "a.cl k 64 64 c i4",
		"a.cl k 64 64 c i4[4]=1", "a.cl k 64 64 c i4[4]=2..1", "a.cl k 64 64 c i4[4]=0..0!0",
		"a.cl k 64 64 c i4[4]=1..2!1", "a.cl k 64 64 c i4[4]=list:", "a.cl k 64 64 c i4=x",
		"a.cl k 64 64 c f4=1x", "a.cl k 64 64 c hex=0", "a.cl k 64 64 c hex=zz",
		"a.cl k 64 64 c local=0", "a.cl k 64 64 c f4[4]~", "a.cl k 64 64 c f4[4]~-1",
		"a.cl k 64 64 c f4[4]~0*1", "a.cl k 64 64 c f4[4]~65*1", "a.cl k 64 64 c f4[4]~a",
		"a.cl k 64 64 c f4[4]~1@x", "a.cl k 64 64 c i4[4]=special:0..1",
		"a.cl k 64 64 c i8[99999999]", "a.cl k 64 64 c u4[4]=zero.", "a.cl k 64 64 c q4[1]",
	};
	struct cts_manifest m;
	char why[256];
	size_t i;

	for (i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		*why = 0;
		if (!cts_manifest_parse(lines[i], &m, why, sizeof(why)) || !*why) {
			printf("  '%s' is taken\n", lines[i]);
			cts_manifest_free(&m);
			return false;
		}
	}
	return true;
}

static bool check_data(void)
{
	static const char text[] =
		"a.cl one 1 1 c i4[999]=-3..3!0 f4[999]=-2..2 u1[999]=5..9 f8[999]=special:1..2 "
		"i4[9]=iota u4[9]=steps:2..3 i2[9]=zero i1[9]=list:1,-2 i4[999] i4[999] f2[999]\n";
	static union {
		int32_t i[999];
		uint32_t u[999];
		int16_t s[999];
		int8_t c[999];
		uint8_t b[999];
		float f[999];
		double d[999];
	} v, w;
	struct cts_manifest m;
	unsigned int i, nan = 0, inf = 0, plain = 0;
	const struct cts_kernel *k;
	char why[256];
	double h;

	CHECK(!cts_manifest_parse(text, &m, why, sizeof(why)));
	k = &m.kernels[0];
	cts_data_fill(k, 0, &v);
	cts_data_fill(k, 0, &w);
	CHECK(!memcmp(&v, &w, sizeof(v.i)));
	for (i = 0; i < 999; i++)
		CHECK(v.i[i] >= -3 && v.i[i] <= 3 && v.i[i]);
	cts_data_fill(k, 1, &v);
	for (i = 0; i < 999; i++)
		CHECK(v.f[i] >= -2 && v.f[i] <= 2);
	cts_data_fill(k, 2, &v);
	for (i = 0; i < 999; i++)
		CHECK(v.b[i] >= 5 && v.b[i] <= 9);
	cts_data_fill(k, 3, &v);
	for (i = 0; i < 999; i++) {
		nan += isnan(v.d[i]) != 0;
		inf += isinf(v.d[i]) != 0;
		plain += v.d[i] >= 1 && v.d[i] <= 2;
	}
	CHECK(nan > 3 && inf > 6 && plain > 800);
	cts_data_fill(k, 4, &v);
	CHECK(v.i[0] == 0 && v.i[8] == 8);
	cts_data_fill(k, 5, &v);
	CHECK(v.u[0] == 0 && v.u[8] >= 16 && v.u[8] <= 24);
	cts_data_fill(k, 6, &v);
	CHECK(!v.s[0] && !v.s[8]);
	cts_data_fill(k, 7, &v);
	CHECK(v.c[0] == 1 && v.c[1] == -2 && v.c[8] == 1);
	cts_data_fill(k, 8, &v);
	cts_data_fill(k, 9, &w);
	CHECK(memcmp(&v, &w, sizeof(v.i)));
	cts_data_fill(k, 10, &v);
	for (i = 0; i < 999; i++) {
		h = cts_element_get('f', 2, &v.s[i]);
		CHECK(h >= -10 && h <= 10);
	}
	cts_manifest_free(&m);
	return true;
}

/* True if cts_equal() of @got and @want under @bound gives @may. */
static bool floats(const char *bound, float got, float want, bool may)
{
	char line[128], why[256];
	struct cts_manifest m;
	const struct cts_tols *t;
	bool ok;

	snprintf(line, sizeof(line), "a.cl k 1 1 c f4[1]%s", bound);
	if (cts_manifest_parse(line, &m, why, sizeof(why)))
		return false;
	t = cts_tols(&m.kernels[0].args[0], "o2");
	ok = cts_equal(&m.kernels[0].args[0], t ? t->tol : NULL, &got, &want) == may;
	cts_manifest_free(&m);
	if (!ok)
		printf("  %g for %g under '%s' is%s allowed\n", got, want, bound, may ? " not" : "");
	return ok;
}

static bool check_compare(void)
{
	const float one = 1, next = nextafterf(1, 2), third = nextafterf(next, 2);
	bool ok = true;

	CHECK(cts_ulp(1, 4) == FLT_EPSILON && cts_ulp(1.999, 4) == FLT_EPSILON);
	CHECK(cts_ulp(2, 8) == 2 * DBL_EPSILON && cts_ulp(0, 4) == 0x1p-149);
	CHECK(cts_ulp(1, 2) == 0x1p-10 && cts_ulp(0x1p-149, 4) == 0x1p-149);
	ok &= floats("", one, one, true);
	ok &= floats("", next, one, false);
	ok &= floats("", NAN, -NAN, true);
	ok &= floats("", NAN, one, false);
	ok &= floats("~9", one, NAN, false);
	ok &= floats("", 0.0f, -0.0f, true);
	ok &= floats("~1", next, one, true);
	ok &= floats("~1", third, one, false);
	ok &= floats("~1@2", third, one, true);
	ok &= floats("~1", INFINITY, FLT_MAX, false);
	ok &= floats("~1", INFINITY, INFINITY, true);
	ok &= floats("~a0.5", 1.5f, one, true);
	ok &= floats("~a0.5", 1.6f, one, false);
	ok &= floats("~r0.5", 1.5f, one, true);
	ok &= floats("~r0.5", 15.1f, 10, false);
	ok &= floats("~any", NAN, one, true);
	return ok;
}

static bool check_elements(void)
{
	static const char text[] = "a.cl k 1 1 c i4[2] u1[4]~0,any";
	struct cts_manifest m;
	uint8_t got[12] = { 0 }, want[12] = { 0 };
	char why[256];

	CHECK(!cts_manifest_parse(text, &m, why, sizeof(why)));
	CHECK(!cts_compare(&m.kernels[0], "o2", got, want, why, sizeof(why)));
	got[9] = got[11] = 1;
	CHECK(!cts_compare(&m.kernels[0], "o2", got, want, why, sizeof(why)));
	got[5] = 1;
	CHECK(cts_compare(&m.kernels[0], "o2", got, want, why, sizeof(why)) == 1);
	CHECK(strstr(why, "argument 0, element 1 is 0x100, not 0"));
	got[10] = 1;
	CHECK(cts_compare(&m.kernels[0], "o2", got, want, why, sizeof(why)) == 2);
	cts_manifest_free(&m);
	return true;
}

static bool check_results(void)
{
	char path[] = "/tmp/conformance-test.XXXXXX";
	struct cts_result a = {
		.config = "o2", .file = "k/a.cl", .kernel = "one", .status = "ok", .simd = 16,
		.bytes = 5, .text = "two\nlines", .data = (uint8_t *)"a\nb\0c",
	}, *list;
	const struct cts_result *r;
	int fd = mkstemp(path);
	FILE *f;

	CHECK(fd >= 0 && (f = fdopen(fd, "w")));
	cts_result_write(f, &a);
	a.simd = 32;
	cts_result_write(f, &a);
	strcpy(a.config, "fast");
	a.bytes = 0;
	*a.text = 0;
	cts_result_write(f, &a);
	fclose(f);
	list = cts_results_read(path);
	CHECK(list);
	r = cts_results_find(list, "o2", "k/a.cl", "one");
	CHECK(r && r->simd == 32 && r->bytes == 5 && !memcmp(r->data, "a\nb\0c", 5));
	CHECK(!strcmp(r->text, "two lines"));
	r = cts_results_find(list, "fast", "k/a.cl", "one");
	CHECK(r && !r->bytes && !*r->text);
	CHECK(!cts_results_find(list, "o2", "k/a.cl", "two"));
	cts_results_free(list);
	CHECK(!truncate(path, 30));
	list = cts_results_read(path);
	unlink(path);
	CHECK(!list);
	return true;
}

static bool check_lines(void)
{
	enum { LINES = 1500 };
	static char a[LINES * 6 + 1], b[LINES * 6 + 1];

	CHECK(cts_same_lines("", "") && cts_same_lines("x\ny\n", "y\nx\n"));
	CHECK(!cts_same_lines("x\n", "") && !cts_same_lines("x\nx\n", "x\n"));
	CHECK(!cts_same_lines("x\nx\ny\n", "x\ny\ny\n"));
	for (int i = 0; i < LINES; i++) {
		sprintf(a + 6 * i, "%05d\n", i);
		sprintf(b + 6 * i, "%05d\n", LINES - 1 - i);
	}
	CHECK(cts_same_lines(a, b));
	/* the last line of one, and the first of the other */
	a[6 * LINES - 2]++;
	CHECK(!cts_same_lines(a, b));
	return true;
}

/* References with arrays for the work-items refuse launches that are larger. */
static bool check_many_items(void)
{
	static const char text[] = "a.cl g_ballot 1024 64 c i4[1024] u4[10240]\n"
				   "a.cl g_ballot 4096 64 c i4[4096] u4[40960]\n";
	struct cts_manifest m;
	char why[256];
	void *data;

	CHECK(!cts_manifest_parse(text, &m, why, sizeof(why)));
	data = calloc(1, cts_kernel_bytes(&m.kernels[1]));
	CHECK(data);
	CHECK(!cts_reference(&m.kernels[0], 16, data));
	CHECK(cts_reference(&m.kernels[1], 16, data) == -1);
	free(data);
	cts_manifest_free(&m);
	return true;
}

int main(void)
{
	run("manifest: the tree's manifest", check_tree());
	run("manifest: a line", check_line());
	run("manifest: lines that are refused", check_bad_lines());
	run("data: as requested, and always the same", check_data());
	run("compare: bounds", check_compare());
	run("compare: elements", check_elements());
	run("compare: lines in any order", check_lines());
	run("reference: too many work-items", check_many_items());
	run("results: written and read", check_results());
	printf("conformance: %u passed, %u failed\n", passed, failed);
	return failed != 0;
}
