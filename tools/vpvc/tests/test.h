/* SPDX-License-Identifier: MIT */
/*
 * The unit tests run in one process: TEST() registers a test, CHECK() counts a failure and
 * goes on.
 */
#ifndef VPVC_TEST_H
#define VPVC_TEST_H

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "card.h"

struct card;
struct card_options;

struct test {
	const char *name;
	void (*fn)(void);
	struct test *next;
};

void test_register(struct test *t);
void test_fail(const char *file, int line, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#define TEST(ident) \
	static void ident(void); \
	static struct test ident##_test = { #ident, ident, NULL }; \
	__attribute__((constructor)) static void ident##_register(void) \
	{ \
		test_register(&ident##_test); \
	} \
	static void ident(void)

#define CHECK(cond) do { \
	if (!(cond)) \
		test_fail(__FILE__, __LINE__, "%s", #cond); \
} while (0)

#define CHECK_EQ(got, want) do { \
	uint64_t got_ = (uint64_t)(got), want_ = (uint64_t)(want); \
	if (got_ != want_) \
		test_fail(__FILE__, __LINE__, "%s is 0x%" PRIx64 ", not 0x%" PRIx64, \
			  #got, got_, want_); \
} while (0)

/* Like CHECK(), but a failure ends the test. */
#define REQUIRE(cond) do { \
	if (!(cond)) { \
		test_fail(__FILE__, __LINE__, "%s", #cond); \
		return; \
	} \
} while (0)

/*
 * A card without a guest: @tiles tiles of 1 GiB, all cslices, engines running,
 * bus master on, and @ram bytes of guest memory at bus address 0 (0 = none),
 * reachable by card_dma_map().  test_card_full() takes all options.
 */
struct card *test_card(unsigned int tiles, unsigned long ram);
struct card *test_card_full(const struct card_options *opt, unsigned long ram);
void test_card_free(struct card *c);
/* The options of test_card(), and more: TEST_OPTIONS(1, .seed = 5) */
#define TEST_OPTIONS(num_tiles_, ...) (&(const struct card_options) { \
	.tiles = (num_tiles_), .hbm = 1ull << 30, .cslices = 0xf, .device_id = 0x0bd5, \
	__VA_ARGS__ })

/* Clear what firmware has left pending: errors, and events of the blocks GU_MISC and PCU. */
void test_quiet(struct card *c);
/* test_quiet(); enable all vectors of all engines, and the interrupt message. */
void test_irq_enable(struct card *c);

/*
 * Send bytes and up to 16 descriptors with one call, with sendmsg()'s @flags; false when
 * not all of it went.
 */
bool test_send(int sock, const void *data, size_t len, const int *fds, size_t n, int flags);

#endif
