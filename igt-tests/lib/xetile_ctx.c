// SPDX-License-Identifier: MIT
#include "xetile_ctx.h"

void ctx_init(struct ctx *c, int fd)
{
	c->fd = fd;
	c->vm = xetile_vm(fd);
	xetile_buf_init(&c->batch, fd, c->vm, BATCH_ADDR, SZ_64K, DRM_XETILE_PLACE_SYSTEM);
	xetile_buf_init(&c->gate, fd, c->vm, GATE_ADDR, SZ_64K, DRM_XETILE_PLACE_SYSTEM);
}

void ctx_fini(struct ctx *c)
{
	xetile_buf_fini(&c->batch);
	xetile_buf_fini(&c->gate);
	xetile_vm_destroy(c->fd, c->vm);
}
