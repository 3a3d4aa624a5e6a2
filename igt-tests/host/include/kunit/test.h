/* SPDX-License-Identifier: MIT */
/*
 * KUnit's macros for the host. The cases of a unit are written once, in the driver's tests/, and
 * on the host each of these files is a program. The program prints a line for each case, or for
 * each parameter of a case that has parameters.
 */
#ifndef HOST_KUNIT_TEST_H
#define HOST_KUNIT_TEST_H

#include <setjmp.h>

#include "host_kernel.h"
#include "check.h"
#include "wc.h"

struct kunit {
	const void *param_value;
	/* A failed assertion jumps to this point. */
	jmp_buf end;
	/* The memory of the case: each block begins with the address of the block before. */
	void **blocks;
};

struct kunit_case {
	void (*run_case)(struct kunit *test);
	const char *name;
	const void *(*next_param)(const void *last, const char **desc);
};

struct kunit_suite {
	const char *name;
	int (*init)(struct kunit *test);
	struct kunit_case *test_cases;
};

#define KUNIT_CASE(run)			{ .run_case = run, .name = #run }
#define KUNIT_CASE_PARAM(run, params)	{ .run_case = run, .name = #run, .next_param = params }

#define KUNIT_ARRAY_PARAM_DESC(name_, array, member)				\
static const void *name_##_gen_params(const void *last, const char **desc)	\
{										\
	__typeof__(&(array)[0]) next = last;					\
										\
	next = next ? next + 1 : (array);					\
	if (next == (array) + ARRAY_SIZE(array))				\
		return NULL;							\
	*desc = next->member;							\
	return next;								\
}

/* At each comparison the case may move to another CPU. */
#define KUNIT_COMPARE(test, left, op, right, type, format, or_else) do {	\
	wc_any_cpu();								\
	__typeof__(left) left__ = (left);					\
	__typeof__(right) right__ = (right);					\
										\
	CHECK(left__ op right__, "%s: " format ", %s: " format, #left, (type)left__, #right, \
	      (type)right__);							\
	if (!(left__ op right__))						\
		or_else;							\
} while (0)

#define KUNIT_EXPECT(test, a, op, b)	KUNIT_COMPARE(test, a, op, b, long long, "%#llx", break)
#define KUNIT_ASSERT(test, a, op, b) \
	KUNIT_COMPARE(test, a, op, b, long long, "%#llx", longjmp((test)->end, 1))

#define KUNIT_EXPECT_EQ(test, a, b)	KUNIT_EXPECT(test, a, ==, b)
#define KUNIT_EXPECT_NE(test, a, b)	KUNIT_EXPECT(test, a, !=, b)
#define KUNIT_EXPECT_LT(test, a, b)	KUNIT_EXPECT(test, a, <, b)
#define KUNIT_EXPECT_LE(test, a, b)	KUNIT_EXPECT(test, a, <=, b)
#define KUNIT_EXPECT_GT(test, a, b)	KUNIT_EXPECT(test, a, >, b)
#define KUNIT_EXPECT_GE(test, a, b)	KUNIT_EXPECT(test, a, >=, b)
#define KUNIT_EXPECT_TRUE(test, a)	KUNIT_EXPECT(test, !!(a), ==, true)
#define KUNIT_EXPECT_FALSE(test, a)	KUNIT_EXPECT(test, !!(a), ==, false)
#define KUNIT_ASSERT_EQ(test, a, b)	KUNIT_ASSERT(test, a, ==, b)
#define KUNIT_ASSERT_NE(test, a, b)	KUNIT_ASSERT(test, a, !=, b)
#define KUNIT_ASSERT_LT(test, a, b)	KUNIT_ASSERT(test, a, <, b)
#define KUNIT_ASSERT_LE(test, a, b)	KUNIT_ASSERT(test, a, <=, b)
#define KUNIT_ASSERT_GT(test, a, b)	KUNIT_ASSERT(test, a, >, b)
#define KUNIT_ASSERT_GE(test, a, b)	KUNIT_ASSERT(test, a, >=, b)
#define KUNIT_ASSERT_TRUE(test, a)	KUNIT_ASSERT(test, !!(a), ==, true)
#define KUNIT_ASSERT_FALSE(test, a)	KUNIT_ASSERT(test, !!(a), ==, false)

#define KUNIT_EXPECT_PTR_EQ(test, a, b)	KUNIT_COMPARE(test, a, ==, b, void *, "%p", break)
#define KUNIT_ASSERT_PTR_EQ(test, a, b) \
	KUNIT_COMPARE(test, a, ==, b, void *, "%p", longjmp((test)->end, 1))
#define KUNIT_EXPECT_NULL(test, a)	KUNIT_EXPECT_PTR_EQ(test, a, (void *)NULL)
#define KUNIT_EXPECT_NOT_NULL(test, a)	KUNIT_EXPECT_TRUE(test, a)
#define KUNIT_ASSERT_NOT_NULL(test, a)	KUNIT_ASSERT_TRUE(test, a)

/* The memory is freed at the end of the case. */
static inline void *kunit_kzalloc(struct kunit *test, size_t size, int gfp)
{
	void **block = calloc(1, 2 * sizeof(*block) + size);

	if (!block)
		return NULL;
	*block = test->blocks;
	test->blocks = block;
	return block + 2;
}

int host_may_alloc(void)
{
	return 1;
}

static void kunit_run_case(const struct kunit_suite *suite, const struct kunit_case *c,
			   const void *param)
{
	struct kunit test = { .param_value = param };

	if (!setjmp(test.end)) {
		if (suite->init)
			CHECK(!suite->init(&test), "%s", suite->name);
		c->run_case(&test);
	}
	while (test.blocks) {
		void **block = test.blocks;

		test.blocks = *block;
		free(block);
	}
}

static int kunit_run(const struct kunit_suite *suite)
{
	for (const struct kunit_case *c = suite->test_cases; c->run_case; c++) {
		unsigned int before = passed + failed;
		const void *param = NULL;
		const char *desc;
		char name[128];

		if (!c->next_param)
			RUN(c->name, kunit_run_case(suite, c, NULL));
		while (c->next_param && (param = c->next_param(param, &desc))) {
			snprintf(name, sizeof(name), "%s: %s", c->name, desc);
			RUN(name, kunit_run_case(suite, c, param));
		}
		if (passed + failed == before)
			RUN(c->name, CHECK(false, "a case without parameters"));
	}
	return check_end();
}

#define kunit_test_suite(suite)							\
int main(void)									\
{										\
	return kunit_run(&(suite));						\
}

#endif
