// SPDX-License-Identifier: MIT
/*
 * A card: questions to its driver, and the check that the answers make sense. platform.c,
 * device.c and mode.c work with the answers.
 */
#include "card.h"

#include <drm/xetile_drm.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "error.h"
#include "ioctl.h"

#define MAX_ANSWER	4096		/* elements a query may have */

static int query_fd(int fd, uint32_t item, size_t elem, void **answer, uint32_t *num)
{
	struct drm_xetile_query query = { .item = item };
	uint32_t room;
	void *data;
	int err;

	err = xt_ioctl(fd, DRM_IOCTL_XETILE_QUERY, &query);
	if (err)
		return err;
	room = query.answer.count;
	if (!room || room > MAX_ANSWER)
		return -EIO;
	data = calloc(room, elem);
	if (!data)
		return -ENOMEM;
	query.answer.data = (uintptr_t)data;
	query.answer.stride = elem;
	err = xt_ioctl(fd, DRM_IOCTL_XETILE_QUERY, &query);
	if (err) {
		free(data);
		return err;
	}
	*answer = data;
	/* The number of elements may have changed between the two calls. */
	*num = query.answer.count < room ? query.answer.count : room;
	return 0;
}

/* The number of a card's node may be another card's, once the card is gone. */
static bool is_at(const struct xt_card *card, dev_t device)
{
	char path[64], link[256];
	const char *pci;
	ssize_t len;

	snprintf(path, sizeof(path), "/sys/dev/char/%u:%u/device", major(device), minor(device));
	len = readlink(path, link, sizeof(link) - 1);
	if (len < 0)
		return true;	/* a process without sysfs has to do without this check */
	link[len] = 0;
	pci = strrchr(link, '/');
	return !strcmp(pci ? pci + 1 : link, card->pci);
}

int xt_card_open(const struct xt_card *card)
{
	int fd = xt_door.open(card->node);
	struct stat st;

	if (fd < 0)
		return xt_error(fd, "cannot open %s: %s", card->node, strerror(-fd));
	if (fstat(fd, &st) || is_at(card, st.st_rdev))
		return fd;
	close(fd);
	return xt_error(-ENODEV, "card %u (%s) is gone: %s is another card's", card->number,
			card->pci, card->node);
}

/*
 * The node is open only for the question: no open file of a process that only looks may keep
 * others from changing a CCS mode.
 */
int xt_card_query(const struct xt_card *card, int fd, uint32_t item, size_t elem,
		  void **answer, uint32_t *num)
{
	int err, own = -1;

	if (fd < 0) {
		fd = own = xt_card_open(card);
		if (own < 0)
			return own;
	}
	err = query_fd(fd, item, elem, answer, num);
	if (own >= 0)
		close(own);
	if (err)
		return xt_error(err, "card %u (%s) does not answer query %u: %s",
				card->number, card->pci, item, xt_driver_error(err));
	return 0;
}

static int bad_answer(const struct xt_card *card, const char *what)
{
	return xt_error(-EIO, "card %u (%s): the driver's %s makes no sense",
			card->number, card->pci, what);
}

int xt_card_tiles(const struct xt_card *card,
		  struct drm_xetile_query_tile tiles[XETILE_MAX_TILES])
{
	struct drm_xetile_query_tile *answer;
	uint32_t num, t, n = card->props.num_tiles;
	int err;

	err = xt_card_query(card, -1, DRM_XETILE_QUERY_TILES, sizeof(*answer),
			    (void **)&answer, &num);
	if (err)
		return err;
	if (num != n)
		err = bad_answer(card, "number of tiles");
	for (t = 0; t < n && !err; t++) {
		const struct drm_xetile_query_tile *tile = &answer[t];

		if (tile->tile != t)
			err = bad_answer(card, "order of tiles");
		else if (tile->num_cslices > XETILE_MAX_CSLICES ||
			 tile->ccs_mode > tile->num_cslices || !tile->ccs_mode)
			err = bad_answer(card, "CCS mode");
		else if (!tile->num_dss || tile->num_dss > XT_MAX_DSS)
			err = bad_answer(card, "number of dual subslices");
		else if (tile->hbm_used > tile->hbm_total)
			err = bad_answer(card, "HBM usage");
	}
	if (!err)
		memcpy(tiles, answer, n * sizeof(*answer));
	free(answer);
	return err;
}

/* xetile_context_create() refuses a mode that a tile does not have. */
void xt_card_wish(struct xt_card *card, uint32_t mode)
{
	bool own = card->props.caps & DRM_XETILE_CAP_CCS_MODE;
	uint32_t t;

	card->wished_mode = mode;
	for (t = 0; t < card->props.num_tiles; t++)
		card->modes[t] = own && mode && card->tiles[t].ccs_modes & 1u << mode ?
				 mode : card->tiles[t].ccs_mode;
}

int xt_card_read(struct xt_card *card)
{
	struct drm_xetile_query_device *answer;
	uint32_t num;
	int err;

	err = xt_card_query(card, -1, DRM_XETILE_QUERY_DEVICE, sizeof(*answer),
			    (void **)&answer, &num);
	if (err)
		return err;
	card->props = *answer;
	free(answer);

	if (!card->props.num_tiles || card->props.num_tiles > XETILE_MAX_TILES)
		return bad_answer(card, "number of tiles");
	if (card->props.color_page != XETILE_COLOR_PAGE)
		return bad_answer(card, "color page");
	if (!card->props.bind_align || XETILE_COLOR_PAGE % card->props.bind_align)
		return bad_answer(card, "bind alignment");
	if (!card->props.eus_per_dss || card->props.eus_per_dss > 64 ||
	    !card->props.threads_per_eu || card->props.threads_per_eu > 64)
		return bad_answer(card, "number of threads");
	err = xt_card_tiles(card, card->tiles);
	if (!err)
		xt_card_wish(card, 0);
	return err;
}

static bool is_file_of(const struct stat *file, const char *node)
{
	struct stat st;

	return *node && !stat(node, &st) && S_ISCHR(st.st_mode) && st.st_rdev == file->st_rdev;
}

int xt_card_has_file(const struct xt_card *card, int fd)
{
	struct stat file;

	if (fstat(fd, &file))
		return xt_error(-errno, "cannot look at file %d: %m", fd);
	return S_ISCHR(file.st_mode) && is_at(card, file.st_rdev) &&
	       (is_file_of(&file, card->node) || is_file_of(&file, card->primary));
}

void xt_card_ratios_name(const struct xt_card *card, struct xt_ratios_card *name)
{
	memset(name, 0, sizeof(*name));
	memcpy(name->pci, card->pci, sizeof(name->pci));
	name->device_id = card->props.device_id;
	name->revision = card->props.revision;
	name->tiles = card->props.num_tiles;
}

/* A bad file costs the ratios, and must not cost the card. */
void xt_card_read_ratios(struct xt_card *card, const char *const *dirs, unsigned int num)
{
	struct xt_ratios_card name;
	char path[320];
	unsigned int i;
	int err;

	snprintf(card->calibration, sizeof(card->calibration),
		 "not measured: the distances are an order only");
	xt_card_ratios_name(card, &name);
	for (i = 0; i < num; i++) {
		if (!dirs[i])
			continue;
		err = xt_ratios_read(dirs[i], &name, &card->ratios);
		if (err == -ENOENT)
			continue;
		if (err) {
			snprintf(card->calibration, sizeof(card->calibration), "ignored: %s",
				 xetile_last_error());
		} else {
			xt_ratios_path(dirs[i], card->pci, path, sizeof(path));
			snprintf(card->calibration, sizeof(card->calibration),
				 "measured on this card: %s", path);
		}
		return;
	}
}
