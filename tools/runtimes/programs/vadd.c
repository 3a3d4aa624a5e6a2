// SPDX-License-Identifier: MIT
/*
 * usage: vadd [ROUNDS [WORDS]]
 *
 * Adds vectors by OpenCL on the first GPU of each device of the platform, from and to buffers of
 * the card, and compares each word with the CPU's.
 */
#include "ocl.h"

int main(int argc, char **argv)
{
	uint32_t rounds = argc > 1 ? atoi(argv[1]) : 3;
	uint32_t words = argc > 2 ? atoi(argv[2]) : 1 << 16;
	cl_device_id devices[8];
	cl_uint num = find_devices(devices, 8);
	unsigned int good = 0;
	char name[128];

	for (cl_uint d = 0; d < num; d++) {
		struct run run;

		TRY(clGetDeviceInfo(devices[d], CL_DEVICE_NAME, sizeof(name), name, NULL));
		setup(&run, devices[d], words);
		for (uint32_t round = 0; round < rounds; round++) {
			send(&run, run.a, 1, round);
			send(&run, run.b, 2, round);
			add(&run, NULL);
			good += sums_right(&run, round);
		}
		cleanup(&run);
		printf("device %u: %s\n", d, name);
	}
	printf("vadd: %u of %u rounds right\n", good, num * rounds);
	return good == num * rounds && good ? 0 : 1;
}
