// SPDX-License-Identifier: MIT
/*
 * Prints the rate of this processor's time-stamp counter in kHz.
 *
 * QEMU without KVM gives this counter to the guest as it is. The guest's kernel would measure the
 * rate against a timer that QEMU emulates. That is 5 % wrong on an idle machine and may be wrong by
 * half on a busy one, and then every second of the guest is.
 */
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include <x86intrin.h>

#define NSEC_PER_SEC 1000000000ull

struct sample {
	uint64_t ns, tsc;
};

/* Reads both clocks within the shortest time of several tries: an interrupt may come between. */
static struct sample sample(void)
{
	uint64_t shortest = UINT64_MAX;
	struct sample best = { 0 };

	for (int i = 0; i < 20; i++) {
		uint64_t before = __rdtsc(), after;
		struct timespec now;

		clock_gettime(CLOCK_MONOTONIC, &now);
		after = __rdtsc();
		if (after - before >= shortest)
			continue;
		shortest = after - before;
		best.ns = now.tv_sec * NSEC_PER_SEC + now.tv_nsec;
		best.tsc = before + shortest / 2;
	}
	return best;
}

int main(void)
{
	const struct timespec pause = { .tv_nsec = 50000000 };
	struct sample first = sample(), last;

	nanosleep(&pause, NULL);
	last = sample();
	printf("%llu\n", (unsigned long long)((last.tsc - first.tsc) * 1000000ull /
					      (last.ns - first.ns)));
	return 0;
}
