// SPDX-License-Identifier: MIT
/*
 * Compares typed messages with plain C: every format, kind of surface and tiling, with
 * coordinates inside and outside. The test finds an element by the definition of the tiles,
 * one bit of the address after the other, and does not use the card's code.
 */
#include <fenv.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "eu/isa/eu_convert.h"
#include "eu/tests/machine.h"
#include "tests/test.h"

#define R(n)	((n) * EU_REG_BYTES)
#define ROOM	(1u << 19)	/* bytes of a surface */
#define ADDRESS	8u
#define DATA	40u
#define RESULT	100u

static uint64_t seed;

static uint32_t below(uint32_t n)
{
	return (uint32_t)(test_random(&seed) >> 16) % n;
}

/* Each name has the bits of red, green, blue and alpha, and a letter for the kind of number. */
static const struct format {
	unsigned int code;
	const char *name;
} formats[] = {
	{ 0, "32 32 32 32 f" }, { 1, "32 32 32 32 s" }, { 2, "32 32 32 32 u" },
	{ 128, "16 16 16 16 n" }, { 129, "16 16 16 16 m" }, { 130, "16 16 16 16 s" },
	{ 131, "16 16 16 16 u" }, { 132, "16 16 16 16 f" }, { 133, "32 32 0 0 f" },
	{ 134, "32 32 0 0 s" }, { 135, "32 32 0 0 u" }, { 192, "8 8 8 8 b" },
	{ 194, "10 10 10 2 n" }, { 196, "10 10 10 2 u" }, { 199, "8 8 8 8 n" },
	{ 201, "8 8 8 8 m" }, { 202, "8 8 8 8 s" }, { 203, "8 8 8 8 u" }, { 204, "16 16 0 0 n" },
	{ 205, "16 16 0 0 m" }, { 206, "16 16 0 0 s" }, { 207, "16 16 0 0 u" },
	{ 208, "16 16 0 0 f" }, { 214, "32 0 0 0 s" }, { 215, "32 0 0 0 u" }, { 216, "32 0 0 0 f" },
	{ 262, "8 8 0 0 n" }, { 263, "8 8 0 0 m" }, { 264, "8 8 0 0 s" }, { 265, "8 8 0 0 u" },
	{ 266, "16 0 0 0 n" }, { 267, "16 0 0 0 m" }, { 268, "16 0 0 0 s" }, { 269, "16 0 0 0 u" },
	{ 270, "16 0 0 0 f" }, { 320, "8 0 0 0 n" }, { 321, "8 0 0 0 m" }, { 322, "8 0 0 0 s" },
	{ 323, "8 0 0 0 u" },
};

#define FORMATS (sizeof(formats) / sizeof(formats[0]))

enum shape { LINE, IMAGE, ARRAY, VOLUME, BUFFER, SHAPES };
enum tiles { LINEAR, TILE64, TILE_X, TILE4, TILINGS };

/* A surface, and a message that uses it */
struct scene {
	unsigned int bits[4], bytes;
	char kind;
	unsigned int code;
	enum shape shape;
	enum tiles tiles;
	unsigned int width, height, layers, first, qpitch, pitch;
	unsigned int op, mask, lanes, coordinates, address_bytes;
	bool bindless;
	uint32_t em;
	uint32_t at[16][4];
};

/* ---- the place of an element ---- */

static unsigned int pick(unsigned int v, const char *which)
{
	unsigned int n = 0;

	for (unsigned int i = 0; which[i]; i++)
		n |= (v >> (which[i] <= '9' ? which[i] - '0' : which[i] - 'a' + 10) & 1) << i;
	return n;
}

/* Inside of 4 KiB: the bits of the address, from the lowest one on, are bits of x and y. */
static unsigned int in_tile4(unsigned int x, unsigned int y)
{
	return pick(x, "0123") | pick(y, "01") << 4 | pick(x, "45") << 6 | pick(y, "2") << 8 |
	       pick(x, "6") << 9 | pick(y, "34") << 10;
}

static uint64_t offset_of(const struct scene *s, unsigned int x, unsigned int y)
{
	unsigned int wide, high;

	switch (s->tiles) {
	case TILE_X:
		return (uint64_t)(y / 8) * (8 * s->pitch) + x / 512 * 4096 + y % 8 * 512 + x % 512;
	case TILE4:
		return (uint64_t)(y / 32) * (32 * s->pitch) + x / 128 * 4096 +
		       in_tile4(x % 128, y % 32);
	case TILE64:
		wide = s->bytes == 1 ? 256 : s->bytes <= 4 ? 512 : 1024;
		high = 65536 / wide;
		return (uint64_t)(y / high) * (high * s->pitch) + x / wide * 65536 +
		       (y % high / 32 * (wide / 128) + x % wide / 128) * 4096 +
		       in_tile4(x % 128, y % 32);
	default:
		return (uint64_t)y * s->pitch + x;
	}
}

static bool find(const struct scene *s, const uint32_t c[4], uint64_t *at)
{
	if (c[0] >= s->width)
		return false;
	if (s->shape == BUFFER) {
		*at = (uint64_t)c[0] * s->pitch;
		return true;
	}
	if (c[1] >= s->height || c[2] >= s->layers || c[3])
		return false;
	*at = offset_of(s, c[0] * s->bytes, c[1] + (c[2] + s->first) * s->qpitch);
	return true;
}

/* ---- components ---- */

static uint32_t bits_of(float f)
{
	uint32_t v;

	memcpy(&v, &f, sizeof(v));
	return v;
}

static float float_of(uint32_t v)
{
	float f;

	memcpy(&f, &v, sizeof(f));
	return f;
}

static uint32_t read_component(char kind, unsigned int bits, uint32_t v)
{
	int32_t i = v & 1u << (bits - 1) ? (int32_t)(v - (bits < 32 ? 1u << bits : 0)) : (int32_t)v;
	double one = bits == 32 ? 4294967295.0 : (1u << bits) - 1;

	switch (kind) {
	case 'n': case 'b':
		return bits_of((float)(v / one));
	case 'm':
		return bits_of(i == -(1 << (bits - 1)) ? -1.0f : (float)(i / ((one - 1) / 2)));
	case 's':
		return (uint32_t)i;
	case 'f':
		return bits == 32 ? v : bits_of((float)eu_half_to_double((uint16_t)v));
	default:
		return v;
	}
}

static bool right_component(char kind, unsigned int bits, uint32_t sent, uint32_t got)
{
	double one = bits == 32 ? 4294967295.0 : (1u << bits) - 1, low = 0, f = float_of(sent);
	uint64_t mask = bits == 32 ? UINT32_MAX : (1u << bits) - 1;
	int64_t want;

	switch (kind) {
	case 'm':
		one = (one - 1) / 2;
		low = -1;
		got = read_component('s', bits, got);
		/* fall through */
	case 'n': case 'b':
		f = isnan(f) ? 0 : f < low ? low : f > 1 ? 1 : f;
		/* Either of two nearest values is right. */
		return fabs(f * one - (kind == 'm' ? (int32_t)got : (double)got)) <= 0.5;
	case 's':
		want = (int32_t)sent;
		if (want > (int64_t)(mask >> 1))
			want = mask >> 1;
		if (want < -(int64_t)(mask >> 1) - 1)
			want = -(int64_t)(mask >> 1) - 1;
		return got == ((uint64_t)want & mask);
	case 'f':
		return got == (bits == 32 ? sent : eu_double_to_half(f));
	default:
		return got == (sent > mask ? mask : sent);
	}
}

static uint32_t stored_component(const struct scene *s, const uint8_t *texel, unsigned int c)
{
	unsigned __int128 all = 0;
	unsigned int shift = 0;

	if (s->kind == 'b' && c < 3)
		c = 2 - c;
	memcpy(&all, texel, s->bytes);
	for (unsigned int i = 0; i < c; i++)
		shift += s->bits[i];
	return (uint32_t)(all >> shift) & (s->bits[c] == 32 ? UINT32_MAX : (1u << s->bits[c]) - 1);
}

/* ---- the message ---- */

static void put(uint64_t w[2], unsigned int hi, unsigned int lo, uint64_t v)
{
	w[lo / 64] |= (v & ((1ull << (hi - lo + 1)) - 1)) << lo % 64;
}

static unsigned int stride_of(const struct scene *s)
{
	return (s->lanes * s->address_bytes + 63) / 64;
}

static void encode(const struct scene *s, uint64_t w[2])
{
	uint32_t desc = s->op | (s->address_bytes == 2 ? 1u : 2u) << 7 | 2u << 9 |
			(s->op == 2 || s->op == 6 ? s->mask << 12 : 0) |
			(s->coordinates * stride_of(s)) << 25 | (s->bindless ? 1u : 3u) << 29;

	w[0] = w[1] = 0;
	put(w, 6, 0, 0x31);
	put(w, 20, 18, (unsigned int)__builtin_ctz(s->lanes));
	put(w, 95, 92, 13);
	put(w, 66, 66, 1);
	put(w, 79, 72, ADDRESS);
	if (s->op != 2 && s->op != 27) {
		put(w, 98, 98, 1);
		put(w, 111, 104, DATA);
		put(w, 103, 99, 4);
	}
	if (s->op != 6) {
		put(w, 50, 50, 1);
		put(w, 63, 56, RESULT);
	}
	put(w, 123, 122, desc >> 30);
	put(w, 71, 67, desc >> 25);
	put(w, 55, 51, desc >> 20);
	put(w, 121, 113, desc >> 11);
	put(w, 91, 81, desc);
	if (s->bindless) {
		put(w, 49, 49, 1);
		put(w, 42, 40, 2);	/* a0.2 */
		put(w, 39, 39, 1);
	} else {
		put(w, 65, 64, 2);	/* entry 2 of the binding table */
	}
}

static void put_state(struct bench *b, const struct scene *s, uint64_t base)
{
	static const unsigned int types[SHAPES] = { 0, 1, 1, 2, 4 };
	uint32_t state[16] = {}, n = s->width - 1;

	state[0] = types[s->shape] << 29 | (s->shape == ARRAY ? 1u << 28 : 0) | s->code << 18 |
		   s->tiles << 12;
	state[1] = s->qpitch / 4;
	if (s->shape == BUFFER) {
		state[2] = (n & 0x7f) | (n >> 7 & 0x3fff) << 16;
		state[3] = s->pitch - 1;
	} else {
		state[2] = (s->width - 1) | (s->height - 1) << 16;
		state[3] = (s->pitch - 1) | (s->layers - 1) << 21;
		state[4] = s->first << 18;
	}
	state[8] = (uint32_t)base;
	state[9] = base >> 32;
	memcpy(b->m.memory + MACHINE_STATE + 0x80, state, sizeof(state));
}

static void choose(struct scene *s, unsigned int round)
{
	const struct format *f = &formats[round % FORMATS];

	memset(s, 0, sizeof(*s));
	s->code = f->code;
	sscanf(f->name, "%u %u %u %u %c", &s->bits[0], &s->bits[1], &s->bits[2], &s->bits[3],
	       &s->kind);
	s->bytes = (s->bits[0] + s->bits[1] + s->bits[2] + s->bits[3]) / 8;
	s->shape = below(SHAPES);
	s->tiles = s->shape == LINE || s->shape == BUFFER ? LINEAR : below(TILINGS);
	if (s->shape == VOLUME && s->tiles == TILE64)
		s->tiles = TILE4;
	s->width = 1 + below(s->shape == BUFFER ? 300 : 60);
	s->height = s->shape == LINE || s->shape == BUFFER ? 1 : 1 + below(40);
	s->layers = s->shape == ARRAY || s->shape == VOLUME ? 1 + below(3) : 1;
	s->first = s->shape == ARRAY ? below(2) : 0;
	s->qpitch = s->shape == ARRAY || s->shape == VOLUME ? (s->height + 3) / 4 * 4 : 0;
	s->pitch = s->shape == BUFFER ? s->bytes + 4 * below(3) :
		   s->tiles == LINEAR ? 64 * s->bytes : s->tiles == TILE_X ? 1024 : 1024;
	s->address_bytes = below(4) ? 4 : 2;
	s->lanes = 1u << below(5);
	s->coordinates = s->shape == LINE || s->shape == BUFFER ? 1 + below(2) * 3 :
			 s->layers > 1 ? 3 + below(2) : 2 + below(3);
	s->em = below(2) ? UINT32_MAX : (uint32_t)test_random(&seed);
	s->bindless = below(2);
	s->mask = 1 + below(15);
	s->op = below(8) ? 2 + 4 * below(2) : 27;
	if (s->bytes == 4 && !s->bits[1] && below(3) == 0)
		s->op = 12;	/* an addition */
	for (unsigned int l = 0; l < 16; l++) {
		/* Two lanes never write the same element. */
		unsigned int x = s->op == 6 ? l * 4 + below(4) : below(s->width + s->width / 8 + 1);

		s->at[l][0] = x;
		if (s->coordinates > 1 && s->shape != BUFFER)
			s->at[l][1] = below(s->height + s->height / 8 + (s->shape != LINE));
		if (s->coordinates > 2 && s->shape != BUFFER)
			s->at[l][2] = below(s->layers + below(4) / 3);
		if (s->coordinates > 3 && s->shape != BUFFER)
			s->at[l][3] = below(8) / 7;
	}
}

/*
 * Checks the registers and the surface after the message. Returns NULL, or the name of the wrong
 * part.
 */
static const char *check(const struct scene *s, const uint8_t *before, const uint8_t *after,
			 const uint8_t *regs)
{
	static uint8_t untouched[ROOM];
	uint32_t status = 0;

	memcpy(untouched, after, ROOM);
	for (unsigned int l = 0; l < s->lanes; l++) {
		unsigned int n = 0;
		uint64_t at = 0;
		bool there = find(s, s->at[l], &at);

		if (!(s->em >> l & 1))
			continue;
		status |= 1u << l;
		if (s->op == 12 && there) {
			uint32_t add, now;

			/* Undo the additions in the order of the lanes. */
			memcpy(&add, regs + R(DATA) + 4 * l, 4);
			memcpy(&now, untouched + at, 4);
			now -= add;
			memcpy(untouched + at, &now, 4);
		}
		for (unsigned int c = 0; c < 4 && (s->op == 2 || s->op == 6); c++) {
			bool has = s->bits[c] != 0;
			uint32_t reg = 0;

			if (s->mask >> c & 1)
				memcpy(&reg, regs + R(s->op == 2 ? RESULT : DATA) + R(n++) + 4 * l,
				       4);
			if (s->op == 2 && s->mask >> c & 1) {
				uint32_t want = !there ? 0 : has ?
					read_component(s->kind, s->bits[c],
						       stored_component(s, before + at, c)) :
					c < 3 ? 0 : s->kind == 'u' || s->kind == 's' ? 1 :
					bits_of(1);

				if (reg != want)
					return "a component that was read";
			} else if (s->op == 6 && there && has) {
				if (!right_component(s->kind, s->bits[c], reg,
						     stored_component(s, after + at, c)))
					return "a component that was written";
			}
		}
		if (s->op == 6 && there)
			memcpy(untouched + at, before + at, s->bytes);
	}
	if (s->op == 27 && status && memcmp(regs + R(RESULT), &status, 4))
		return "the status";
	return memcmp(untouched, before, ROOM) ? "memory beside the elements" : NULL;
}

static void fire(struct bench *b, const struct scene *s, uint64_t base)
{
	static uint8_t before[ROOM];
	uint8_t *memory = machine_at(&b->m, base);
	const char *wrong;
	uint64_t w[2];

	for (unsigned int i = 0; i < ROOM; i += 8) {
		uint64_t v = test_random(&seed);

		memcpy(memory + i, &v, sizeof(v));
	}
	memcpy(before, memory, ROOM);
	for (unsigned int i = R(DATA); i < R(DATA + 4); i += 4) {
		/* The data are small floats, small integers or any bits. */
		uint32_t v = (uint32_t)test_random(&seed);
		unsigned int how = below(4);

		eu_put32(b->a, i, how == 0 ? bits_of((float)(int32_t)v / 2e9f) :
			 how == 1 ? v % 2000 - 1000 : v);
	}
	for (unsigned int l = 0; l < s->lanes; l++)
		for (unsigned int c = 0; c < s->coordinates; c++)
			memcpy(b->a->regs + R(ADDRESS + c * stride_of(s)) + l * s->address_bytes,
			       &s->at[l][c], s->address_bytes);
	put_state(b, s, base);
	eu_put32(b->a, EU_ARF_SLOT(EU_A0) + 8, 0x40);
	encode(s, w);
	wrong = bench_execute(b, bench_decode(b, w), s->em) ?
		check(s, before, memory, b->a->regs) : b->run.stop.text;
	if (wrong)
		test_fail(__FILE__, __LINE__, "format %u shape %u tiles %u op %u mask %u: %s",
			  s->code, s->shape, s->tiles, s->op, s->mask, wrong);
}

TEST(eu_typed_messages)
{
	uint32_t table[3] = { 0, 0, 0x80 };
	uint64_t base, whole_tiles;
	struct scene s;
	struct bench b;

	REQUIRE(bench_init(&b));
	seed = 57;
	whole_tiles = machine_alloc(&b.m, ROOM + 65536);
	base = (whole_tiles + 65535) & ~65535ull;
	b.m.walker.ssba = MACHINE_BASE + MACHINE_STATE;
	b.m.walker.bindless = MACHINE_BASE + MACHINE_STATE + 0x40;
	b.m.walker.binding_table = 0x400;
	memcpy(b.m.memory + MACHINE_STATE + 0x400, table, sizeof(table));
	b.a->worker = b.w;
	for (unsigned int round = 0; round < 40 * FORMATS; round++) {
		choose(&s, round);
		fire(&b, &s, base);
	}
	bench_fini(&b);
}

/* Conversions round to the nearest value, whatever the rounding mode of the thread. */
TEST(eu_typed_messages_have_their_own_rounding)
{
	uint32_t table[3] = { 0, 0, 0x80 };
	struct eu_op *op;
	struct scene s;
	struct bench b;
	uint64_t w[2];

	REQUIRE(bench_init(&b));
	seed = 58;
	b.m.walker.ssba = MACHINE_BASE + MACHINE_STATE;
	b.m.walker.bindless = MACHINE_BASE + MACHINE_STATE + 0x40;
	b.m.walker.binding_table = 0x400;
	memcpy(b.m.memory + MACHINE_STATE + 0x400, table, sizeof(table));
	b.a->worker = b.w;
	choose(&s, 14);
	CHECK_EQ(s.code, 199);	/* 8-bit components for values from 0 to 1 */
	for (int round = 0; round < 2; round++) {
		uint64_t base = machine_alloc(&b.m, 4096);
		uint8_t *texel = machine_at(&b.m, base);

		s.shape = IMAGE;
		s.tiles = LINEAR;
		s.width = s.height = s.layers = s.lanes = 1;
		s.coordinates = 2;
		s.op = 6;
		s.mask = 15;
		s.em = 1;
		s.address_bytes = 4;
		memset(s.at, 0, sizeof(s.at));
		for (unsigned int c = 0; c < 4; c++)
			eu_put32(b.a, R(DATA + c), bits_of(round ? 0.303f : 0.701f));
		put_state(&b, &s, base);
		eu_put32(b.a, R(ADDRESS), 0);
		eu_put32(b.a, R(ADDRESS + 1), 0);
		eu_put32(b.a, EU_ARF_SLOT(EU_A0) + 8, 0x40);
		encode(&s, w);
		op = bench_decode(&b, w);
		b.w->rounding = round ? FE_UPWARD : FE_DOWNWARD;
		fesetround(b.w->rounding);
		CHECK(bench_execute(&b, op, 1));
		CHECK_EQ(fegetround(), b.w->rounding);
		fesetround(FE_TONEAREST);
		/* 77.265 and 178.755 */
		CHECK_EQ(texel[0], round ? 77 : 179);
	}
	bench_fini(&b);
}

/* A message without a public description stops the thread, and the text names the message. */
TEST(eu_undescribed_messages_stop_by_name)
{
	static const struct {
		unsigned int sfid, op, lanes;
		const char *words;
	} refused[] = {
		{ 13, 3, 1, "newer execution units" }, { 13, 7, 1, "newer execution units" },
		{ 13, 30, 16, "reading a surface's state" }, { 13, 2, 32, "more than 16 lanes" },
		{ 13, 5, 16, "typed message is not implemented" },
		{ 15, 30, 1, "reading a surface's state" },
		{ 3, 1, 8, "events" }, { 3, 2, 8, "events" }, { 3, 3, 8, "events" },
		{ 3, 6, 8, "events" }, { 3, 5, 8, "not implemented" },
		{ 2, 0, 16, "no such shared function" }, { 8, 0, 16, "no such shared function" },
	};
	uint32_t table[3] = { 0, 0, 0x80 };
	struct scene s = {
		.code = 215, .bits = { 32 }, .bytes = 4, .shape = IMAGE, .width = 8, .height = 8,
		.layers = 1, .pitch = 64, .mask = 1, .coordinates = 2, .address_bytes = 4,
	};
	struct bench b;
	uint64_t w[2];

	REQUIRE(bench_init(&b));
	b.m.walker.ssba = MACHINE_BASE + MACHINE_STATE;
	b.m.walker.binding_table = 0x400;
	memcpy(b.m.memory + MACHINE_STATE + 0x400, table, sizeof(table));
	put_state(&b, &s, machine_alloc(&b.m, 4096));
	b.a->worker = b.w;
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		s.op = refused[i].op;
		s.lanes = refused[i].lanes;
		encode(&s, w);
		w[1] = (w[1] & ~(15ull << 28)) | (uint64_t)refused[i].sfid << 28;
		CHECK(!bench_execute(&b, bench_decode(&b, w), UINT32_MAX));
		if (!strstr(b.run.stop.text, refused[i].words))
			test_fail(__FILE__, __LINE__, "the text \"%s\" does not name \"%s\"",
				  b.run.stop.text, refused[i].words);
	}
	bench_fini(&b);
}
