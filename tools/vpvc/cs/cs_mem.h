/* SPDX-License-Identifier: MIT */
/* Memory accesses of the command streamer. */
#ifndef VPVC_CS_MEM_H
#define VPVC_CS_MEM_H

#include "core/xlat.h"
#include "cs/cs_state.h"

/* Address space of a command: GGTT, or the context's PPGTT. */
struct aspace cs_space(struct cs *cs, bool ggtt);
/* Report a fault; returns CS_HALT. */
enum cs_result cs_fault(struct cs *cs, const struct mem_fault *f);
enum cs_result cs_read(struct cs *cs, bool ggtt, uint64_t va, void *buf, uint64_t len);
enum cs_result cs_write(struct cs *cs, bool ggtt, uint64_t va, const void *buf, uint64_t len);
/* @va is naturally aligned; other threads see the access whole or not at all. */
enum cs_result cs_load32(struct cs *cs, bool ggtt, uint64_t va, uint32_t *val);
enum cs_result cs_store32(struct cs *cs, bool ggtt, uint64_t va, uint32_t val);
enum cs_result cs_store64(struct cs *cs, bool ggtt, uint64_t va, uint64_t val);
/* An atomic *@old = memory; memory = f(*@old, @arg). */
typedef uint64_t (*cs_rmw_fn)(uint64_t old, const void *arg);
enum cs_result cs_rmw(struct cs *cs, bool ggtt, uint64_t va, bool qword,
		      cs_rmw_fn f, const void *arg, uint64_t *old);
enum xlat cs_translate(struct cs *cs, bool ggtt, uint64_t va, bool write, struct span *s);

#endif
