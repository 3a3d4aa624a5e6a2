// SPDX-License-Identifier: MIT
#include "xetile_swap.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/swap.h>

#include "xetile_igt.h"

#define ZRAM		"/sys/block/zram0/"
#define SWAP_BYTES	(128u << 20)

/* The header, one page, is the one that mkswap would write. */
void swap_begin(void)
{
	struct {
		char boot[1024];
		uint32_t version, last_page, bad_pages, rest[765];
	} header = { .version = 1, .last_page = SWAP_BYTES / SZ_4K - 1 };
	char text[32];
	int fd;

	_Static_assert(sizeof(header) == 4096, "a page");
	memcpy((char *)&header + 4086, "SWAPSPACE2", 10);
	snprintf(text, sizeof(text), "%u", SWAP_BYTES);
	igt_require_f(!system("modprobe zram") && !xetile_write_file(ZRAM "disksize", text),
		      "the kernel has no zram for swap\n");
	fd = open("/dev/zram0", O_WRONLY | O_CLOEXEC);
	igt_assert_lte(0, fd);
	igt_assert_eq(write(fd, &header, sizeof(header)), sizeof(header));
	close(fd);
	igt_assert_f(!swapon("/dev/zram0", 0), "swapon: %m\n");
}

void swap_end(void)
{
	igt_assert_f(!swapoff("/dev/zram0"), "swapoff: %m\n");
	xetile_assert_soon(!xetile_write_file(ZRAM "reset", "1"));
}
