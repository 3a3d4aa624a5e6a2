// SPDX-License-Identifier: MIT
/*
 * The lists of a sample.
 */
#include "sample.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Makes room for one more entry in an array, whose room is a power of two. */
static bool grow(void **array, size_t num, size_t size)
{
	size_t room = num ? 2 * num : 16;
	void *larger;

	if (num && (num < 16 || num & (num - 1)))
		return true;
	larger = reallocarray(*array, room, size);
	if (larger)
		*array = larger;
	return larger;
}

bool sample_add_client(struct sample *sample, const struct sample_client *client)
{
	const struct sample_client *last = NULL;

	if (sample->num_clients)
		last = &sample->clients[sample->num_clients - 1];
	if (last && last->pid == client->pid && last->use.id == client->use.id)
		return true;
	if (sample->num_clients >= SAMPLE_CLIENTS) {
		sample->complete = false;
		return true;
	}
	if (!grow((void **)&sample->clients, sample->num_clients, sizeof(*client)))
		return false;
	sample->clients[sample->num_clients++] = *client;
	return true;
}

bool sample_add_slices(struct sample *sample, const char *text)
{
	unsigned int tile = XETILE_MAX_TILES;
	struct slices_binding binding;

	while ((text = slices_next(text, &tile, &binding))) {
		if (!grow((void **)&sample->slices, sample->num_slices, sizeof(binding)))
			return false;
		sample->slices[sample->num_slices++] = binding;
	}
	return true;
}

bool sample_add_queues(struct sample *sample, unsigned int tile, const char *text)
{
	struct sample_queues entry = { .tile = tile };

	for (; *text; text += strcspn(text, "\n"), text += *text == '\n') {
		if (sscanf(text, "%9d %9u ", &entry.pid, &entry.queues) != 2)
			continue;
		if (!grow((void **)&sample->queues, sample->num_queues, sizeof(entry)))
			return false;
		sample->queues[sample->num_queues++] = entry;
	}
	return true;
}

static int compare(const void *a, const void *b)
{
	const struct sample_client *x = a, *y = b;

	if (x->use.id != y->use.id)
		return x->use.id < y->use.id ? -1 : 1;
	return (x->pid > y->pid) - (x->pid < y->pid);
}

void sample_sort(struct sample *sample)
{
	size_t i, n = 0;

	if (!sample->num_clients)
		return;
	qsort(sample->clients, sample->num_clients, sizeof(*sample->clients), compare);
	/* A process may have a file open twice. */
	for (i = 0; i < sample->num_clients; i++) {
		if (n && !compare(&sample->clients[i], &sample->clients[n - 1]))
			continue;
		if (n != i)
			sample->clients[n] = sample->clients[i];
		n++;
	}
	sample->num_clients = n;
}

const struct sample_client *sample_find(const struct sample *sample, uint64_t id)
{
	size_t low = 0, high = sample->num_clients, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (sample->clients[middle].use.id < id)
			low = middle + 1;
		else
			high = middle;
	}
	return low < sample->num_clients && sample->clients[low].use.id == id ?
	       &sample->clients[low] : NULL;
}

void sample_free(struct sample *sample)
{
	free(sample->clients);
	free(sample->slices);
	free(sample->queues);
	memset(sample, 0, sizeof(*sample));
}
