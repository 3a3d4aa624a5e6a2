// SPDX-License-Identifier: MIT
/* A fuzz target for context images, descriptors and rings that no correct driver makes. */
#include <stdio.h>
#include <stdlib.h>

#include "fuzz/fuzz.h"
#include "fuzz/stream.h"

uint32_t fuzz_word(uint64_t random)
{
	static const uint32_t words[] = {
		0x11081019, 0x1108101b, 0x11001011, 0x05000000, 0x05000001, 0x34, 0x30, 0x38, 0x3c,
		0x244, 0x1c0, 0x1c4, 0x140, 0x168, 0x274, 0x270, 0x3a8, 0x00090008, 0x43565056,
		0x1f001, 0x1, 0x1ffff001,
	};

	return random & 1 ? command_word(random >> 1) :
			    words[(random >> 1) % (sizeof(words) / sizeof(words[0]))];
}

/*
 * A correct context is patched by the input: its image (offset, dword), its ring, its
 * descriptor. It is loaded once or twice.
 */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, size };
	unsigned int how = take8(&in);
	struct bench b;
	struct ctx x, y;
	uint64_t desc;
	uint8_t *page;

	bench_init(&b, 1);
	PROMISE(b.c);
	ctx_init(&b, &x, bench_engine(&b, 0, how & 1 ? PVC_CLASS_CCS : PVC_CLASS_BCS,
				      how >> 1 & 3), 1);
	ctx_init(&b, &y, x.e, 2);
	page = (uint8_t *)image(&x);
	for (unsigned int n = take8(&in) % 32; n; n--) {
		uint32_t at = take16(&in) % 0xffd, dw = take32(&in);

		memcpy(page + at, &dw, 4);
	}
	for (unsigned int n = take8(&in) % 64; n && in.left; n--)
		ring_dw(&x, take32(&in));
	ring_close(&x);
	if (how & 0x10)
		image(&x)[PVC_LRC_RING_TAIL + 1] = take32(&in);
	desc = descriptor(&x);
	if (how & 0x20)
		desc ^= take64(&in);
	RING(&y, PVC_MI_USER_INTERRUPT, PVC_MI_NOOP);
	ring_close(&y);
	submit2(x.e, desc, how & 0x40 ? descriptor(&y) : 0);
	if (how & 0x80) {
		usleep(take8(&in));
		submit2(x.e, descriptor(&y), desc);
	}
	finish_job(x.e);
	bench_fini(&b);
	return 0;
}
