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

/* --- replacing ------------------------------------------------------------------------------ */

int save_begin(struct save *save, const char *path, mode_t mode)
{
	int fd;

	*save = (struct save) { .path = path, .mode = mode };
	if (!may_replace(path, &save->mode))
		return CTL_FAILED;
	if ((size_t)snprintf(save->temp, sizeof(save->temp), "%s.XXXXXX", path) >=
	    sizeof(save->temp)) {
		errno = ENAMETOOLONG;
		return save_failed(path);
	}
	fd = mkostemp(save->temp, O_CLOEXEC);
	if (fd < 0)
		return save_failed(path);
	save->out = fdopen(fd, "w");
	if (save->out)
		return CTL_OK;
	save_failed(path);
	unlink(save->temp);
	close(fd);
	return CTL_FAILED;
}

int save_end(struct save *save)
{
	int fd = fileno(save->out), ret = CTL_OK;

	if (ferror(save->out) || fflush(save->out) || fchmod(fd, save->mode) || fsync(fd) ||
	    rename(save->temp, save->path)) {
		ret = save_failed(save->path);
		unlink(save->temp);
	}
	fclose(save->out);
	save->out = NULL;
	return ret;
}

void save_drop(struct save *save)
{
	if (!save->out)
		return;
	unlink(save->temp);
	fclose(save->out);
	save->out = NULL;
}

/* @most: all that a file may allow */
static int replace(const char *path, const char *text, size_t size, mode_t mode, mode_t most)
{
	struct save save;
	int ret = save_begin(&save, path, mode);

	if (ret)
		return ret;
	save.mode &= most;
	fwrite(text, 1, size, save.out);
	return save_end(&save);
}

int save_replace(const char *path, const char *text, size_t size)
{
	return replace(path, text, size, 0644, 0777);
}

int save_replace_private(const char *path, const char *text, size_t size)
{
	return replace(path, text, size, 0600, 0600);
}
