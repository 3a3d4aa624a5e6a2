/* SPDX-License-Identifier: MIT */
/*
 * A seeds file holds all inputs with which a fuzz target begins.  One file per target
 * keeps the number of files in the tree small:
 *
 *	8 bytes		"SEEDS 1\n"
 *	u32		number of inputs
 *	each input:	u32 length, SEEDS_MAX at most; its bytes
 *
 * Numbers are little-endian.  tools/seeds/seeds.c writes such files; the programs that run
 * inputs read them by the functions here.
 */
#ifndef SEEDS_H
#define SEEDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SEEDS_MAGIC	"SEEDS 1\n"
#define SEEDS_MAGIC_LEN	8u
/* Most bytes of one input. */
#define SEEDS_MAX	4096u

struct seeds {
	uint8_t *file;
	size_t size, at;
	uint32_t num;
};

/* Does the name of @path end in ".seeds"? */
static inline bool seeds_named(const char *path)
{
	size_t n = strlen(path);

	return n > 6 && !strcmp(path + n - 6, ".seeds");
}

static inline uint32_t seeds_u32(const uint8_t *p)
{
	return p[0] | p[1] << 8 | p[2] << 16 | (uint32_t)p[3] << 24;
}

static inline void seeds_close(struct seeds *s)
{
	free(s->file);
	s->file = NULL;
}

/* Read a file, malloc()ed; NULL, with a text on stderr, on failure. */
static inline uint8_t *seeds_read(const char *path, size_t *size)
{
	uint8_t *bytes = NULL, *more;
	FILE *f = fopen(path, "re");
	size_t room = 0, n = 0;

	while (f && !feof(f) && !ferror(f)) {
		room += 1u << 16;
		more = realloc(bytes, room);
		if (!more) {
			free(bytes);
			bytes = NULL;
			break;
		}
		bytes = more;
		n += fread(bytes + n, 1, room - n, f);
	}
	if (!f || ferror(f) || !bytes) {
		perror(path);
		free(bytes);
		bytes = NULL;
	}
	if (f)
		fclose(f);
	*size = n;
	return bytes;
}

/*
 * Get the next input, which is valid until seeds_close(); false behind the last one.
 * seeds_open() has checked that all inputs are inside the file.
 */
static inline bool seeds_next(struct seeds *s, const uint8_t **data, size_t *size)
{
	if (s->at == s->size)
		return false;
	*size = seeds_u32(s->file + s->at);
	*data = s->file + s->at + 4;
	s->at += 4 + *size;
	return true;
}

/*
 * Read a seeds file and check all of it.  For a damaged file this prints a text on stderr
 * and returns false; its inputs must not be used.
 */
static inline bool seeds_open(struct seeds *s, const char *path)
{
	size_t at = SEEDS_MAGIC_LEN + 4;
	uint32_t i, len;

	s->file = seeds_read(path, &s->size);
	if (!s->file)
		return false;
	if (s->size < at || memcmp(s->file, SEEDS_MAGIC, SEEDS_MAGIC_LEN)) {
		fprintf(stderr, "%s: not a seeds file\n", path);
		goto damaged;
	}
	s->num = seeds_u32(s->file + SEEDS_MAGIC_LEN);
	for (i = 0; i < s->num; i++) {
		if (s->size - at < 4) {
			fprintf(stderr, "%s: ends before input %u of %u\n", path, i, s->num);
			goto damaged;
		}
		len = seeds_u32(s->file + at);
		at += 4;
		if (len > SEEDS_MAX) {
			fprintf(stderr, "%s: input %u of %u has %u bytes, more than %u\n", path, i,
				s->num, len, SEEDS_MAX);
			goto damaged;
		}
		if (len > s->size - at) {
			fprintf(stderr, "%s: ends within input %u of %u\n", path, i, s->num);
			goto damaged;
		}
		at += len;
	}
	if (at != s->size) {
		fprintf(stderr, "%s: %zu bytes behind the last of %u inputs\n", path, s->size - at,
			s->num);
		goto damaged;
	}
	s->at = SEEDS_MAGIC_LEN + 4;
	return true;

damaged:
	seeds_close(s);
	return false;
}

#endif
