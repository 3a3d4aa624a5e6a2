// SPDX-License-Identifier: MIT
/*
 * xetilectl run --info: shows the kernels of a file.
 */
#include <stdio.h>
#include <string.h>

#include "ctl.h"
#include "run.h"
#include "text.h"

static const char *kind_text(int kind)
{
	switch (kind) {
	case XETILE_ARG_VALUE:
		return "value";
	case XETILE_ARG_POINTER:
		return "pointer";
	case XETILE_ARG_LOCAL:
		return "local";
	default:
		return "unused";
	}
}

static unsigned int num_shown(const struct xetile_kernel *kernel)
{
	struct xetile_kernel_info info;

	xetile_kernel_get_info(kernel, &info);
	return info.num_parameters > info.num_args ? info.num_parameters : info.num_args;
}

/* Returns its kind; one behind the last that the kernel uses is unused. */
static int get_arg(const struct xetile_kernel *kernel, unsigned int index, size_t *size)
{
	int kind;

	*size = 0;
	kind = xetile_kernel_arg(kernel, index, size);
	return kind < 0 ? XETILE_ARG_UNUSED : kind;
}

static void print_arg(FILE *out, const struct xetile_kernel *kernel, unsigned int index)
{
	const char *name = xetile_kernel_arg_name(kernel, index);
	const char *type = xetile_kernel_arg_type(kernel, index);
	char clean[64];
	size_t size;
	int kind = get_arg(kernel, index, &size);

	fprintf(out, "  argument %u: %s", index, kind_text(kind));
	if (kind != XETILE_ARG_UNUSED)
		fprintf(out, ", %zu bytes", size);
	if (name && type) {
		text_clean(clean, sizeof(clean), type);
		fprintf(out, ", %s", clean);
		text_clean(clean, sizeof(clean), name);
		fprintf(out, " %s", clean);
	}
	fputc('\n', out);
}

void run_list_args(const struct xetile_kernel *kernel)
{
	unsigned int i, num = num_shown(kernel);

	for (i = 0; i < num; i++)
		print_arg(stderr, kernel, i);
}

static void text_kernel(const struct xetile_kernel *kernel, const char *name)
{
	struct xetile_kernel_info info;
	unsigned int i;

	xetile_kernel_get_info(kernel, &info);
	printf("%s: SIMD%u, %u registers, %u bytes of local memory, %u barriers,\n"
	       "  %llu bytes of code\n", name, info.simd, info.grf_count, info.slm_size,
	       info.barriers, (unsigned long long)info.text_size);
	if (info.required_local[0])
		printf("  work-groups of %u,%u,%u\n", info.required_local[0],
		       info.required_local[1], info.required_local[2]);
	for (i = 0; i < num_shown(kernel); i++)
		print_arg(stdout, kernel, i);
}

static void json_kernel(const struct xetile_kernel *kernel, const char *name)
{
	struct xetile_kernel_info info;
	const char *text;
	unsigned int i;
	size_t size;
	int kind;

	xetile_kernel_get_info(kernel, &info);
	printf("{\"name\":");
	ctl_json_string(name);
	printf(",\"simd\":%u,\"grf_count\":%u,\"slm_size\":%u,\"barriers\":%u,\"text_size\":%llu,"
	       "\"args\":[", info.simd, info.grf_count, info.slm_size, info.barriers,
	       (unsigned long long)info.text_size);
	for (i = 0; i < num_shown(kernel); i++) {
		kind = get_arg(kernel, i, &size);
		printf("%s{\"kind\":\"%s\",\"size\":%zu", i ? "," : "", kind_text(kind), size);
		text = xetile_kernel_arg_name(kernel, i);
		if (text) {
			printf(",\"name\":");
			ctl_json_string(text);
			printf(",\"type\":");
			text = xetile_kernel_arg_type(kernel, i);
			ctl_json_string(text ? text : "");
		}
		putchar('}');
	}
	printf("]}");
}

static void refused_kernel(const char *name, bool json)
{
	if (!json) {
		printf("%s: %s\n", name, xetile_last_error());
		return;
	}
	printf("{\"name\":");
	ctl_json_string(name);
	printf(",\"refused\":");
	ctl_json_string(xetile_last_error());
	printf("}");
}

int run_show_kernels(struct run *run)
{
	unsigned int i, shown = 0, num = xetile_module_num_kernels(run->module);
	struct xetile_kernel *kernel;
	const char *name;

	for (i = 0; i < num; i++) {
		name = xetile_module_kernel_name(run->module, i);
		if (run->kernel_name && strcmp(run->kernel_name, name))
			continue;
		if (run->json)
			fputs(shown ? "," : "{\"kernels\":[", stdout);
		shown++;
		if (xetile_kernel_create(run->module, name, &kernel)) {
			refused_kernel(name, run->json);
			continue;
		}
		if (run->json)
			json_kernel(kernel, name);
		else
			text_kernel(kernel, name);
		xetile_kernel_destroy(kernel);
	}
	if (!shown) {
		fprintf(stderr, "xetilectl: %s has no kernel %s\n", run->file, run->kernel_name);
		return CTL_FAILED;
	}
	if (run->json)
		puts("]}");
	return CTL_OK;
}
