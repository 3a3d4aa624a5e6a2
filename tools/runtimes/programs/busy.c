// SPDX-License-Identifier: MIT
/*
 * usage: busy STOP [WORDS]
 *
 * Keeps a compute engine busy by OpenCL until the file STOP exists: the next kernels are always
 * there when one has ended. Says "busy" when the first one has. Compares each word of the result
 * with the CPU's.
 */
#include "ocl.h"

#define AHEAD	4

int main(int argc, char **argv)
{
	uint32_t words = argc > 2 ? atoi(argv[2]) : 1 << 20;
	cl_event events[AHEAD];
	unsigned long kernels = 0;
	cl_device_id device;
	struct run run;
	bool right;

	if (argc < 2 || !find_devices(&device, 1))
		return 2;
	setup(&run, device, words);
	send(&run, run.a, 1, 0);
	send(&run, run.b, 2, 0);
	for (; access(argv[1], F_OK); kernels++) {
		cl_event *event = &events[kernels % AHEAD];

		if (kernels >= AHEAD) {
			TRY(clWaitForEvents(1, event));
			TRY(clReleaseEvent(*event));
			say_busy(kernels == AHEAD);
		}
		add(&run, event);
		TRY(clFlush(run.queue));
	}
	right = sums_right(&run, 0);
	cleanup(&run);
	printf("busy: %lu kernels, the last one %s\n", kernels, right ? "right" : "wrong");
	return right && kernels > AHEAD ? 0 : 1;
}
