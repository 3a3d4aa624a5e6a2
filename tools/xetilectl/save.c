// SPDX-License-Identifier: MIT
/*
 * Files that commands write.
 */
#include "save.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ctl.h"

int save_failed(const char *path)
{
	fprintf(stderr, "xetilectl: cannot write '%s': %s\n", path, strerror(errno));
	return CTL_FAILED;
}

FILE *save_open(const char *path)
{
	FILE *out = fopen(path, "we");

	if (!out)
		save_failed(path);
	return out;
}

int save_close(FILE *out, const char *path)
{
	int failed = ferror(out);

	return fclose(out) || failed ? save_failed(path) : CTL_OK;
}

static int write_all(int fd, const char *text, size_t size)
{
	while (size) {
		ssize_t n = write(fd, text, size);

		if (n < 0 && errno != EINTR)
			return -1;
		if (n > 0) {
			text += n;
			size -= n;
		}
	}
	return 0;
}

/*
 * Whether a file of this name may be replaced: no device, and no link, by which udev masks rules.
 * @mode becomes that of a file that is there: an administrator may have hidden it.
 */
static bool may_replace(const char *path, mode_t *mode)
{
	struct stat st;

	if (lstat(path, &st))
		return true;
	*mode = st.st_mode & 0777;
	if (S_ISREG(st.st_mode))
		return true;
	fprintf(stderr, "xetilectl: %s is no regular file\n", path);
	return false;
}

static int replace(const char *path, const char *text, size_t size, mode_t mode)
{
	char temp[PATH_MAX];
	int fd, ret = CTL_OK;

	if (!may_replace(path, &mode))
		return CTL_FAILED;
	if ((size_t)snprintf(temp, sizeof(temp), "%s.XXXXXX", path) >= sizeof(temp)) {
		errno = ENAMETOOLONG;
		return save_failed(path);
	}
	fd = mkostemp(temp, O_CLOEXEC);
	if (fd < 0)
		return save_failed(path);
	if (write_all(fd, text, size) || fchmod(fd, mode) || fsync(fd) || rename(temp, path)) {
		ret = save_failed(path);
		unlink(temp);
	}
	close(fd);
	return ret;
}

int save_replace(const char *path, const char *text, size_t size)
{
	return replace(path, text, size, 0644);
}

int save_replace_private(const char *path, const char *text, size_t size)
{
	return replace(path, text, size, 0600);
}
