// SPDX-License-Identifier: MIT
/*
 * Memory of processes (MAP_USER) of a card that is unbound. It is no test for a soak, whose other
 * tests need the card.
 *
 * suite: igt
 */
#define _GNU_SOURCE
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "xetile_user_memory.h"

IGT_TEST_DESCRIPTION("The card goes while it uses memory of processes");

/* The card goes, and what was bound stays a process's memory. */
static void test_unbind(struct xetile_card *card)
{
	volatile uint32_t *p = anon(SZ_2M);
	char address[32];
	struct place s;

	xetile_bound_card(address, sizeof(address));
	place_init(&s, xetile_reopen(card->fd));
	close(card->fd);
	map_user(&s, AT, (void *)p, SZ_2M, 0);
	place_store(&s, AT, 7);
	xetile_rebind(address);
	igt_assert_eq(__xetile_exec(s.fd, s.queue, s.ctl.addr, NULL, 0), -ENODEV);
	igt_assert_eq_u32(*p, 7);
	munmap((void *)p, SZ_4K);
	munmap(s.ctl.map, s.ctl.size);
	close(s.fd);
	munmap((void *)(p + 1024), SZ_2M - SZ_4K);
	xetile_open_card(card);
}

igt_main
{
	struct xetile_card card = { .fd = -1 };

	igt_fixture {
		xetile_open_card(&card);
		require_user(&card);
	}

	igt_describe("Nothing must stay mapped for a card that is gone");
	igt_subtest("unbind")
		test_unbind(&card);

	igt_fixture
		close(card.fd);
}
