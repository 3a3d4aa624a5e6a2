/* SPDX-License-Identifier: MIT */
/* One vfio-user connection. */
#ifndef VPVC_VFU_H
#define VPVC_VFU_H

#include "card.h"

struct vfu;

struct vfu *vfu_create(struct card *c, int fd);
void vfu_destroy(struct vfu *v);
int vfu_fd(const struct vfu *v);	/* the descriptor to poll */
/* Bytes have arrived: serve the messages that are complete.  False: the connection is over. */
bool vfu_serve(struct vfu *v);

#endif
