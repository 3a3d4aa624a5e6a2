// SPDX-License-Identifier: MIT
/* Counters: every engine and tile has all of them, and their values are exact. */
#include <stdlib.h>

#include "card.h"
#include "control.h"
#include "tests/cs_test.h"

static unsigned int occurrences(const char *text, const char *part)
{
	unsigned int n = 0;

	for (; (text = strstr(text, part)); text += strlen(part))
		n++;
	return n;
}

TEST(counters_of_every_engine_and_tile)
{
	static const char * const of_tiles[] = { "register_reads", "register_writes" };
	static const char * const of_engines[] = {
		"elsq_loads", "interrupts", "context_switches", "page_walks", "commands",
		"work_groups", "instructions", "read_local", "read_remote", "write_local",
		"write_remote",
	};
	struct card *c = test_card(2, 0);
	char *text = control_command(c, "counters"), key[64];

	for (unsigned int i = 0; i < sizeof(of_tiles) / sizeof(of_tiles[0]); i++) {
		snprintf(key, sizeof(key), "\"%s\":", of_tiles[i]);
		CHECK_EQ(occurrences(text, key), 2);
	}
	/* of each engine, and their sum */
	for (unsigned int i = 0; i < sizeof(of_engines) / sizeof(of_engines[0]); i++) {
		snprintf(key, sizeof(key), "\"%s\":", of_engines[i]);
		CHECK_EQ(occurrences(text, key), 2 * (TILE_MAX_ENGINES + 1));
	}
	CHECK_EQ(occurrences(text, "\"opcodes\":{"), 2 * TILE_MAX_ENGINES);
	free(text);
	test_card_free(c);
}

/* One job on one engine changes only the counters of that engine and its tile. */
TEST(counters_of_a_job)
{
	struct bench b;
	struct ctx x;
	char *text;

	bench_init(&b, 2);
	ctx_init(&b, &x, bench_engine(&b, 1, PVC_CLASS_BCS, 3), 7);
	ppgtt_map(&b, 1, x.root, USER_VA + DATA_BYTES, 0x200000 | PVC_PTE_PRESENT | PVC_PTE_WRITE |
		  PVC_PTE_DM | PVC_PDE_2M, 1);	/* of tile 0 */
	free(control_command(b.c, "reset-counters"));
	BATCH(&x, PVC_MI_STORE_DATA_IMM, ADDR(VA(0)), 1);
	BATCH(&x, PVC_MEM_COPY, 4096 - 1, 0, 0, 0, ADDR(VA(0)), ADDR(USER_VA + DATA_BYTES), 0);
	CHECK(run_batch(&x));
	CHECK(WAIT_FOR(counter_get(&x.e->cnt.context_switches) == 2));
	/* ring: ARB, BATCH_START; batch: store, copy, end */
	CHECK_EQ(counter_get(&x.e->cnt.commands), 5);
	CHECK_EQ(counter_get(&x.e->cnt.batches), 1);
	CHECK_EQ(counter_get(&x.e->cnt.elsq_loads), 1);
	CHECK_EQ(counter_get(&x.e->cnt.contexts), 1);
	CHECK(counter_get(&x.e->cnt.interrupts) >= 1);
	CHECK(counter_get(&x.e->cnt.page_walks) >= 5);
	/* 4 KiB from here to the other tile */
	CHECK_EQ(counter_get(&x.e->cnt.read_local), 4096);
	CHECK_EQ(counter_get(&x.e->cnt.write_remote), 4096);
	CHECK_EQ(counter_get(&x.e->cnt.read_remote), 0);
	CHECK_EQ(counter_get(&x.e->cnt.write_local), 0);
	CHECK_EQ(counter_get(&x.e->cnt.write_system), 0);
	text = control_command(b.c, "counters");
	/* the engine's and its tile's sum */
	CHECK_EQ(occurrences(text, "\"commands\":5,"), 2);
	CHECK_EQ(occurrences(text, "\"commands\":0,"), 2 * (TILE_MAX_ENGINES + 1) - 2);
	CHECK_EQ(occurrences(text, "\"write_remote\":4096,"), 2);
	/* a load takes five writes, as in drivers, and some reads of the status */
	CHECK_EQ(counter_get(&x.t->cnt.register_writes), 5);
	CHECK(counter_get(&x.t->cnt.register_reads) >= 1);
	CHECK_EQ(counter_get(&b.c->tiles[0].cnt.register_reads), 0);
	CHECK_EQ(counter_get(&b.c->tiles[0].cnt.register_writes), 0);
	free(text);
	bench_fini(&b);
}
