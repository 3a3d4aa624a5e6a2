/* SPDX-License-Identifier: MIT */
/*
 * The part of the interface of IGT GPU Tools' libigt that these tests use.
 *
 * Distributions package libigt without its headers. Therefore this header declares
 * the part of libigt that the tests need, with the same names and the same meaning.
 * A test written against this header builds unchanged inside an IGT tree, where
 * IGT's own igt.h takes the place of this header.
 */
#ifndef IGT_H
#define IGT_H

#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/types.h>

#ifndef IGT_LOG_DOMAIN
#define IGT_LOG_DOMAIN	((const char *)NULL)
#endif

#define IGT_EXIT_SUCCESS	0
#define IGT_EXIT_SKIP		77
#define IGT_EXIT_FAILURE	98

enum igt_log_level {
	IGT_LOG_DEBUG,
	IGT_LOG_INFO,
	IGT_LOG_WARN,
	IGT_LOG_CRITICAL,
	IGT_LOG_NONE,
};

struct option;
typedef int (*igt_opt_handler_t)(int opt, int opt_index, void *data);
typedef void (*igt_exit_handler_t)(int sig);

extern jmp_buf igt_subtest_jmpbuf;
extern jmp_buf igt_dynamic_jmpbuf;

int igt_subtest_init_parse_opts(int *argc, char **argv, const char *extra_short_opts,
				const struct option *extra_long_opts, const char *help_str,
				igt_opt_handler_t extra_opt_handler, void *handler_data);
void igt_exit(void) __attribute__((noreturn));
void igt_success(void);
void igt_fail(int exitcode) __attribute__((noreturn));
void igt_skip(const char *f, ...) __attribute__((noreturn, format(printf, 1, 2)));
void igt_log(const char *domain, enum igt_log_level level, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void igt_install_exit_handler(igt_exit_handler_t fn);
void igt_set_timeout(unsigned int seconds, const char *op);
void igt_reset_timeout(void);
void igt_describe_f(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void igt_waitchildren(void);
int igt_kmod_load(const char *mod_name, const char *opts);
int igt_kmod_unload(const char *mod_name);
bool igt_kmod_is_loaded(const char *mod_name);

bool __igt_fixture(void);
void __igt_fixture_complete(void);
bool __igt_run_subtest(const char *subtest_name, const char *file, const int line);
bool __igt_enter_dynamic_container(void);
bool __igt_run_dynamic_subtest(const char *dynamic_subtest_name);
bool __igt_fork(void);
void __igt_skip_check(const char *file, const int line, const char *func, const char *check,
		      const char *format, ...)
	__attribute__((noreturn, format(printf, 5, 6)));
void __igt_fail_assert(const char *domain, const char *file, const int line, const char *func,
		       const char *assertion, const char *format, ...)
	__attribute__((noreturn, format(printf, 6, 7)));

#define __igt_paste2(a, b)	a##b
#define __igt_paste(a, b)	__igt_paste2(a, b)
#define igt_unique(name)	__igt_paste(__igt_##name##_, __LINE__)

#define IGT_TEST_DESCRIPTION(text) const char *__igt_test_description = text

#define igt_main \
	static void igt_unique(body)(void); \
	int main(int argc, char **argv) \
	{ \
		igt_subtest_init_parse_opts(&argc, argv, NULL, NULL, NULL, NULL, NULL); \
		igt_unique(body)(); \
		igt_exit(); \
	} \
	static void igt_unique(body)(void)

/* A failed assertion jumps back to the head of the enclosing block. */
#define igt_fixture \
	for (volatile int igt_unique(once) = 0; \
	     igt_unique(once) < 1 && __igt_fixture() && \
	     sigsetjmp(igt_subtest_jmpbuf, 1) == 0; \
	     igt_unique(once)++, __igt_fixture_complete())

#define igt_subtest(name) \
	for (; __igt_run_subtest(name, __FILE__, __LINE__) && \
	       sigsetjmp(igt_subtest_jmpbuf, 1) == 0; \
	     igt_success())

#define __igt_named_subtest(buf, ...) \
	for (char buf[256]; \
	     snprintf(buf, sizeof(buf), __VA_ARGS__), \
	     __igt_run_subtest(buf, __FILE__, __LINE__) && \
	     sigsetjmp(igt_subtest_jmpbuf, 1) == 0; \
	     igt_success())
#define igt_subtest_f(...) __igt_named_subtest(igt_unique(name), __VA_ARGS__)

#define igt_describe(text)	igt_describe_f("%s", text)
#define igt_info(...)		igt_log(IGT_LOG_DOMAIN, IGT_LOG_INFO, __VA_ARGS__)
#define igt_debug(...)		igt_log(IGT_LOG_DOMAIN, IGT_LOG_DEBUG, __VA_ARGS__)
#define igt_warn(...)		igt_log(IGT_LOG_DOMAIN, IGT_LOG_WARN, __VA_ARGS__)

#define igt_assert(expr) \
	do { \
		if (!(expr)) \
			__igt_fail_assert(IGT_LOG_DOMAIN, __FILE__, __LINE__, __func__, \
					  #expr, NULL); \
	} while (0)
#define igt_assert_f(expr, ...) \
	do { \
		if (!(expr)) \
			__igt_fail_assert(IGT_LOG_DOMAIN, __FILE__, __LINE__, __func__, \
					  #expr, __VA_ARGS__); \
	} while (0)

#define __igt_assert_cmp(type, fmt, a, op, b) \
	do { \
		type __a = (a), __b = (b); \
		if (!(__a op __b)) \
			__igt_fail_assert(IGT_LOG_DOMAIN, __FILE__, __LINE__, __func__, \
					  #a " " #op " " #b, \
					  "error: " fmt " against " fmt "\n", __a, __b); \
	} while (0)
#define igt_assert_eq(a, b)	__igt_assert_cmp(int, "%d", a, ==, b)
#define igt_assert_neq(a, b)	__igt_assert_cmp(int, "%d", a, !=, b)
#define igt_assert_lt(a, b)	__igt_assert_cmp(int, "%d", a, <, b)
#define igt_assert_lte(a, b)	__igt_assert_cmp(int, "%d", a, <=, b)
#define igt_assert_eq_u32(a, b)	__igt_assert_cmp(uint32_t, "%#x", a, ==, b)
#define igt_assert_eq_u64(a, b) \
	__igt_assert_cmp(unsigned long long, "%#llx", a, ==, b)
#define igt_assert_lte_u64(a, b) \
	__igt_assert_cmp(unsigned long long, "%#llx", a, <=, b)

#define igt_require(expr) \
	do { \
		if (!(expr)) \
			__igt_skip_check(__FILE__, __LINE__, __func__, #expr, NULL); \
	} while (0)
#define igt_require_f(expr, ...) \
	do { \
		if (!(expr)) \
			__igt_skip_check(__FILE__, __LINE__, __func__, #expr, __VA_ARGS__); \
	} while (0)

#define igt_fork(child, num_children) \
	for (int child = 0; child < (num_children); child++) \
		for (; __igt_fork(); exit(0))

#endif
