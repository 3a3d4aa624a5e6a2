// SPDX-License-Identifier: MIT
/* Documentation/specs/vpvc.rst has a place for each table that the program prints. */
#include <stdlib.h>
#include <string.h>

#include "card.h"
#include "card/regs_table.h"
#include "core/regs.h"
#include "spec.h"
#include "tests/test.h"

static char *read_document(void)
{
	FILE *f = fopen(SPEC_DOCUMENT, "r");
	char *text = calloc(1, 1 << 20);

	if (f) {
		text[fread(text, 1, (1 << 20) - 1, f)] = '\0';
		fclose(f);
	}
	return text;
}

/* Each table has one place in the document, and each place a table. */
TEST(spec_has_a_place_for_each_table)
{
	char *document = read_document(), *section, place[64];
	unsigned int places = 0, tables = 0;
	size_t size;

	for (; spec_sections[tables]; tables++) {
		FILE *f = open_memstream(&section, &size);

		REQUIRE(f);
		spec_print(f, spec_sections[tables]);
		fclose(f);
		CHECK(size > 100);
		free(section);
		snprintf(place, sizeof(place), "\n*Table* ``%s``.\n", spec_sections[tables]);
		if (!strstr(document, place))
			test_fail(__FILE__, __LINE__, "%s has no place for the table %s",
				  SPEC_DOCUMENT, spec_sections[tables]);
	}
	for (char *at = document; (at = strstr(at, "\n*Table* ``")) != NULL; at++)
		places++;
	CHECK_EQ(places, tables);
	free(document);
}

/* No two rows of a table overlap, because one would hide the other. */
TEST(spec_rows_are_apart)
{
	for (unsigned int i = 0; i < reg_table.engine.num; i++) {
		const struct reg_rule *a = &reg_table.engine.row[i];

		CHECK(a->off < PVC_ENGINE_REGS_SIZE && !(a->off & 3));
		for (unsigned int k = 0; k < i; k++) {
			const struct reg_rule *b = &reg_table.engine.row[k];
			uint32_t end_a = a->off + 4 * (a->count ? a->count : 1);
			uint32_t end_b = b->off + 4 * (b->count ? b->count : 1);

			if (a->off < end_b && b->off < end_a)
				test_fail(__FILE__, __LINE__, "%s overlaps %s", a->name, b->name);
		}
	}
	for (unsigned int i = 0; i < reg_table.tile.num; i++) {
		const struct reg_rule *a = &reg_table.tile.row[i];

		CHECK(a->off < TILE_REG_SIZE && !(a->off & 3));
		for (unsigned int k = 0; k < i; k++) {
			const struct reg_rule *b = &reg_table.tile.row[k];
			uint32_t end_a = a->off + 4 * (a->count ? a->count : 1);
			uint32_t end_b = b->off + 4 * (b->count ? b->count : 1);

			if (a->off < end_b && b->off < end_a)
				test_fail(__FILE__, __LINE__, "%s overlaps %s", a->name, b->name);
		}
	}
}
