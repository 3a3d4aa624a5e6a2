/* SPDX-License-Identifier: MIT */
/* All of it is behind a BAR, see linux/io.h. */
#ifndef HOST_LINUX_IOSYS_MAP_H
#define HOST_LINUX_IOSYS_MAP_H

#include <linux/io.h>

struct iosys_map {
	void *vaddr;
};

#define iosys_map_wr(map, offset, type, value) ({				\
	type value__ = (value);							\
	host_write_wc((char *)(map)->vaddr + (offset), &value__, sizeof(value__)); \
})

#define iosys_map_rd(map, offset, type) ({					\
	type value__;								\
	memcpy(&value__, (char *)(map)->vaddr + (offset), sizeof(value__));	\
	value__;								\
})

static inline void iosys_map_memcpy_to(struct iosys_map *map, size_t offset, const void *from,
				       size_t size)
{
	host_write_wc((char *)map->vaddr + offset, from, size);
}

static inline void iosys_map_memcpy_from(void *to, const struct iosys_map *map, size_t offset,
					 size_t size)
{
	memcpy(to, (char *)map->vaddr + offset, size);
}

#endif
