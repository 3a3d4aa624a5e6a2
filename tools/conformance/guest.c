// SPDX-License-Identifier: MIT
/*
 * Runs compiled kernels on a card through the library and writes the contents of their
 * buffers. tools/conformance/run starts this program in the guest.
 *
 * usage: conformance-guest MANIFEST FOLDER OUT CONFIG...
 *
 * FOLDER has a folder for each CONFIG with a compiled file for each file of the manifest:
 * kernels/a.cl is kernels_a.bin there. A file that is missing was not compiled in that
 * configuration; the judge reports it.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <xetile.h>

#include "data.h"
#include "results.h"

#define TIMEOUT_MS	60000

struct guest {
	struct xetile_platform *platform;
	struct xetile_device *device;
	struct xetile_context *context;	/* made again after a run that failed */
	struct xetile_queue *queue;
};

static void failed(struct cts_result *r, const char *status, const char *what)
{
	snprintf(r->status, sizeof(r->status), "%s", status);
	snprintf(r->text, sizeof(r->text), "%s%s%s", what, *what ? ": " : "",
		 xetile_last_error());
}

static void close_context(struct guest *g)
{
	xetile_queue_destroy(g->queue);
	xetile_context_destroy(g->context);
	g->queue = NULL;
	g->context = NULL;
}

static int open_context(struct guest *g)
{
	struct xetile_queue_desc desc = { .timeout_ms = TIMEOUT_MS };

	if (g->context)
		return 0;
	if (xetile_context_create(g->device, &g->context))
		return -1;
	return xetile_queue_create(g->context, g->device, &desc, &g->queue);
}

static int set_arg(struct guest *g, struct xetile_kernel *kernel, const struct cts_kernel *k,
		   unsigned int i, struct xetile_mem **mem, void **map)
{
	const struct cts_arg *a = &k->args[i];
	struct xetile_mem_desc desc = { .size = cts_arg_bytes(a) + CTS_ROOM };
	struct xetile_kernel_info info;

	if (a->kind == CTS_BUFFER) {
		if (xetile_mem_alloc(g->context, g->device, &desc, mem) ||
		    xetile_mem_map(*mem, map))
			return -1;
		cts_data_fill(k, i, *map);
	}
	/* The compiler drops unused parameters at the end: the kernel has no such argument. */
	xetile_kernel_get_info(kernel, &info);
	if (i >= info.num_args)
		return 0;
	switch (a->kind) {
	case CTS_LOCAL:
		return xetile_kernel_set_local(kernel, i, a->count);
	case CTS_VALUE:
		return xetile_kernel_set_value(kernel, i, a->value, a->value_size);
	default:
		return xetile_kernel_set_mem(kernel, i, *mem, 0);
	}
}

static int launch(struct guest *g, struct xetile_kernel *kernel, const struct cts_kernel *k)
{
	struct xetile_launch_desc desc = { 0 };
	struct xetile_event *event;
	unsigned int d;
	int err;

	for (d = 0; d < 3; d++) {
		desc.local[d] = k->local[d];
		desc.groups[d] = k->global[d] / k->local[d];
	}
	err = xetile_launch(g->queue, kernel, &desc, 0, NULL, &event);
	if (err)
		return err;
	err = xetile_event_wait(event, TIMEOUT_MS + 10000);
	xetile_event_destroy(event);
	return err;
}

/* Append the text that the kernel printed to the buffers. */
static int keep_print(struct xetile_kernel *kernel, struct cts_result *r)
{
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);
	int err = f ? xetile_kernel_print(kernel, f) : -1;

	if (f)
		fclose(f);
	if (!err) {
		r->data = realloc(r->data, r->bytes + size + 1);
		if (!r->data)
			abort();
		memcpy(r->data + r->bytes, text, size);
		r->bytes += size;
	}
	free(text);
	return err;
}

static void run(struct guest *g, struct xetile_kernel *kernel, const struct cts_kernel *k,
		struct cts_result *r)
{
	struct xetile_mem *mem[CTS_MAX_ARGS] = { NULL };
	void *map[CTS_MAX_ARGS] = { NULL };
	struct xetile_mem_desc desc = { .size = XETILE_PRINTF_SIZE };
	struct xetile_mem *print = NULL;
	struct xetile_kernel_info info;
	unsigned int i;
	int err = 0;

	xetile_kernel_get_info(kernel, &info);
	r->simd = info.simd;
	for (i = 0; i < k->num_args && !err; i++)
		err = set_arg(g, kernel, k, i, &mem[i], &map[i]);
	if (info.prints && !err)
		err = xetile_mem_alloc(g->context, g->device, &desc, &print) ||
		      xetile_kernel_set_printf(kernel, print);
	if (err) {
		failed(r, "failed", "arguments");
	} else if (launch(g, kernel, k)) {
		failed(r, "failed", "launch");
		err = -1;
	}
	for (i = 0; i < k->num_args && !err; i++) {
		size_t bytes = cts_arg_bytes(&k->args[i]);

		if (!bytes)
			continue;
		memcpy(r->data + r->bytes, map[i], bytes);
		r->bytes += bytes;
	}
	if (info.prints && !err && keep_print(kernel, r)) {
		failed(r, "failed", "");
		err = -1;
	}
	if (!err)
		strcpy(r->status, "ok");
	xetile_mem_free(print);
	for (i = 0; i < k->num_args; i++)
		xetile_mem_free(mem[i]);
	xetile_kernel_destroy(kernel);
}

static void run_kernel(struct guest *g, const char *path, const struct cts_kernel *k,
		       struct cts_result *r)
{
	struct xetile_module *module = NULL;
	struct xetile_kernel *kernel;

	if (open_context(g))
		failed(r, "failed", "context");
	else if (xetile_module_load_file(g->context, path, &module))
		failed(r, "refused", "");
	else if (xetile_kernel_create(module, k->name, &kernel))
		failed(r, "refused", "");
	else
		run(g, kernel, k, r);
	xetile_module_unload(module);
	/* A queue that failed may be banned. */
	if (!strcmp(r->status, "failed"))
		close_context(g);
}

static void run_config(struct guest *g, const struct cts_manifest *m, const char *folder,
		       const char *config, FILE *out)
{
	unsigned int i;

	for (i = 0; i < m->num; i++) {
		const struct cts_kernel *k = &m->kernels[i];
		struct cts_result r = { .status = "failed" };
		char path[512], file[96], *s;

		snprintf(file, sizeof(file), "%s", k->file);
		for (s = file; (s = strchr(s, '/'));)
			*s = '_';
		s = strrchr(file, '.');
		if (s)
			*s = 0;
		snprintf(path, sizeof(path), "%s/%s/%s.bin", folder, config, file);
		if (access(path, R_OK))
			continue;
		snprintf(r.config, sizeof(r.config), "%s", config);
		strcpy(r.file, k->file);
		strcpy(r.kernel, k->name);
		r.data = malloc(cts_kernel_bytes(k) + 1);
		if (!r.data)
			abort();
		run_kernel(g, path, k, &r);
		cts_result_write(out, &r);
		free(r.data);
	}
	fflush(out);
}

int main(int argc, char **argv)
{
	struct cts_manifest m;
	struct guest g = { 0 };
	char why[256];
	FILE *out;
	int i;

	if (argc < 5) {
		fprintf(stderr, "usage: conformance-guest MANIFEST FOLDER OUT CONFIG...\n");
		return 2;
	}
	if (cts_manifest_read(argv[1], &m, why, sizeof(why))) {
		fprintf(stderr, "%s: %s\n", argv[1], why);
		return 2;
	}
	if (xetile_platform_open(&g.platform) ||
	    xetile_platform_select(g.platform, "0", &g.device)) {
		fprintf(stderr, "%s\n", xetile_last_error());
		return 2;
	}
	out = fopen(argv[3], "w");
	if (!out) {
		perror(argv[3]);
		return 2;
	}
	for (i = 4; i < argc; i++) {
		time_t start = time(NULL);

		run_config(&g, &m, argv[2], argv[i], out);
		printf("%s: %ld s\n", argv[i], (long)(time(NULL) - start));
		fflush(stdout);
	}
	close_context(&g);
	xetile_platform_close(g.platform);
	cts_manifest_free(&m);
	if (fclose(out)) {
		perror(argv[3]);
		return 2;
	}
	return 0;
}
