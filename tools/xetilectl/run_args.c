// SPDX-License-Identifier: MIT
/*
 * xetilectl run: gives a kernel its arguments. Those of the command line are in the order of the
 * kernel's parameters, or all of them have names.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "buffer.h"
#include "ctl.h"
#include "fault.h"
#include "run.h"

/* --- which argument is which --------------------------------------------------------------- */

static int wrong_args(struct run *run, int ret)
{
	run_list_args(run->kernel);
	return ret;
}

static int find_name(const struct xetile_kernel *kernel, unsigned int num, const char *name)
{
	const char *other;
	unsigned int i;

	for (i = 0; i < num; i++) {
		other = xetile_kernel_arg_name(kernel, i);
		if (other && !strcmp(other, name))
			return i;
	}
	return -1;
}

/* Put named arguments into the order of the parameters. */
static int order_by_name(struct run *run, unsigned int num)
{
	struct ctl_arg *args = calloc(num + 1, sizeof(*args));
	unsigned int i;
	int at, ret = CTL_OK;

	if (!args) {
		fputs("xetilectl: out of memory\n", stderr);
		return CTL_FAILED;
	}
	for (i = 0; i < num; i++)
		args[i] = (struct ctl_arg) { .kind = CTL_ARG_NULL, .out_fd = -1 };
	for (i = 0; i < run->num_args && !ret; i++) {
		at = run->args[i].name ? find_name(run->kernel, num, run->args[i].name) : -1;
		if (!run->args[i].name)
			ret = ctl_usage("'%s': either all arguments have names or none", run->args[i].text);
		else if (at < 0)
			ret = ctl_usage("the kernel has no argument '%s'", run->args[i].name);
		else if (args[at].name)
			ret = ctl_usage("argument '%s' is there twice", run->args[i].name);
		else
			args[at] = run->args[i];
	}
	for (i = 0; i < num && !ret; i++) {
		if (!args[i].name && xetile_kernel_arg_name(run->kernel, i))
			ret = ctl_usage("argument '%s' is missing", xetile_kernel_arg_name(run->kernel, i));
		else if (args[i].kind == CTL_ARG_PLAIN)
			ret = ctl_arg_read_plain(&args[i], xetile_kernel_arg_type(run->kernel, i));
	}
	if (ret) {
		free(args);
		return wrong_args(run, ret);
	}
	free(run->args);
	run->args = args;
	run->num_args = num;
	return CTL_OK;
}

static bool has_names(const struct run *run)
{
	unsigned int i;

	for (i = 0; i < run->num_args; i++) {
		if (run->args[i].name)
			return true;
	}
	return false;
}

/*
 * A file without names tells nothing of parameters that nothing uses, if they are the last ones: a
 * value there may be right, and memory for nothing is not meant.
 */
static int check_surplus(struct run *run, const char *kernel, unsigned int num)
{
	unsigned int i;

	for (i = num; i < run->num_args; i++) {
		if (run->args[i].kind == CTL_ARG_BUFFER || run->args[i].kind == CTL_ARG_SLM)
			return wrong_args(run, ctl_usage("kernel %s has %u arguments, not %u", kernel, num,
							 run->num_args));
		fprintf(stderr, "xetilectl: note: argument %u: kernel %s uses no such argument\n", i,
			kernel);
	}
	return CTL_OK;
}

static int match_args(struct run *run, const struct xetile_kernel_info *info)
{
	unsigned int most = info->num_parameters > info->num_args ? info->num_parameters :
			    info->num_args;

	if (has_names(run) && !info->num_parameters)
		return ctl_usage("%s tells no names of arguments (compile with -cl-kernel-arg-info)",
				 run->file);
	if (has_names(run))
		return order_by_name(run, most);
	if (run->num_args < info->num_args || (info->num_parameters && run->num_args > most))
		return wrong_args(run, ctl_usage("kernel %s has %u arguments, not %u", info->name, most,
						 run->num_args));
	return check_surplus(run, info->name, most);
}

/* --- giving them to the kernel ------------------------------------------------------------- */

static int no_buffer(struct run *run, unsigned int index)
{
	char name[64];

	fault_arg_name(name, sizeof(name), index, xetile_kernel_arg_name(run->kernel, index));
	return buffer_failed(name, run->device);
}

static int set_buffer(struct run *run, unsigned int index, struct ctl_arg *arg)
{
	struct xetile_mem_desc desc = arg->color.color ? arg->color : run->color;

	desc.size = arg->size;
	if (run->strict)
		desc.flags |= XETILE_MEM_STRICT;
	if (xetile_mem_alloc(run->context, run->device, &desc, &arg->mem))
		return no_buffer(run, index);
	if (xetile_mem_map(arg->mem, &arg->map))
		return ctl_failed("buffer");
	/* A parameter that is no pointer */
	if (xetile_kernel_set_mem(run->kernel, index, arg->mem, 0))
		return wrong_args(run, ctl_usage("%s", xetile_last_error()));
	return ctl_arg_fill(arg);
}

static int set_arg(struct run *run, unsigned int index, struct ctl_arg *arg)
{
	int err = 0;

	switch (arg->kind) {
	case CTL_ARG_BUFFER:
		return set_buffer(run, index, arg);
	case CTL_ARG_VALUE:
		err = xetile_kernel_set_value(run->kernel, index, arg->value, arg->value_size);
		break;
	case CTL_ARG_SLM:
		err = xetile_kernel_set_local(run->kernel, index, arg->size);
		break;
	case CTL_ARG_NULL:
	case CTL_ARG_PLAIN:
		err = xetile_kernel_set_mem(run->kernel, index, NULL, 0);
		break;
	}
	/* A kind or a size that the parameter does not have */
	return err ? wrong_args(run, ctl_usage("%s", xetile_last_error())) : CTL_OK;
}

static int set_print(struct run *run)
{
	const struct xetile_mem_desc desc = { .size = XETILE_PRINTF_SIZE };

	return xetile_mem_alloc(run->context, run->device, &desc, &run->print) ||
	       xetile_kernel_set_printf(run->kernel, run->print) ? ctl_failed("output") : CTL_OK;
}

int run_set_args(struct run *run)
{
	struct xetile_kernel_info info;
	unsigned int i;
	int ret;

	xetile_kernel_get_info(run->kernel, &info);
	ret = match_args(run, &info);
	for (i = 0; i < run->num_args && i < info.num_args && !ret; i++)
		ret = set_arg(run, i, &run->args[i]);
	for (i = 0; i < run->num_args && !ret; i++)
		ret = ctl_arg_open(&run->args[i]);
	return ret || !info.prints ? ret : set_print(run);
}
