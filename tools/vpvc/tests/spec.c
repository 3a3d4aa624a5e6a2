// SPDX-License-Identifier: MIT
/* Documentation/specs/vpvc.rst has the tables that the program prints. */
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

TEST(spec_agrees_with_the_tables)
{
	char *document = read_document(), *section;
	size_t size;

	for (unsigned int i = 0; spec_sections[i]; i++) {
		FILE *f = open_memstream(&section, &size);

		REQUIRE(f);
		spec_print(f, spec_sections[i]);
		fclose(f);
		CHECK(size > 100);
		if (!strstr(document, section))
			test_fail(__FILE__, __LINE__, "section %s of %s is not what vpvc --spec "
				  "prints; make -C tools/vpvc spec", spec_sections[i],
				  SPEC_DOCUMENT);
		free(section);
	}
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
