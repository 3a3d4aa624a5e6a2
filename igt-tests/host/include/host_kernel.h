/* SPDX-License-Identifier: MIT */
/*
 * The part of the kernel's interface that the driver's pure files need, for the host. For each
 * kernel header that these files include, the Makefile writes a header that includes this file.
 */
#ifndef HOST_KERNEL_H
#define HOST_KERNEL_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host_rbtree.h"

/* --- types, bits and sizes ------------------------------------------------------ */

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int64_t s64;
typedef u64 dma_addr_t;

/* As headers of the uAPI write them */
typedef uint8_t __u8;
typedef uint16_t __u16;
typedef uint32_t __u32;
typedef unsigned long long __u64;
typedef int32_t __s32;
typedef long long __s64;
typedef unsigned long __kernel_size_t;

#define __iomem

#define U32_MAX			UINT32_MAX
#define PCI_POSSIBLE_ERROR(val)	((val) == (typeof(val))~0ull)
#define U64_MAX			UINT64_MAX
#define PAGE_SIZE		4096

#define SZ_1K			0x400ull
#define SZ_4K			0x1000ull
#define SZ_16K			0x4000ull
#define SZ_64K			0x10000ull
#define SZ_2M			0x200000ull
#define SZ_4M			0x400000ull
#define SZ_8M			0x800000ull
#define SZ_1G			0x40000000ull

#define BIT(n)			(1ul << (n))
#define BIT_ULL(n)		(1ull << (n))
#define GENMASK(hi, lo)		((~0ul >> (63 - (hi))) & (~0ul << (lo)))
#define GENMASK_ULL(hi, lo)	((~0ull >> (63 - (hi))) & (~0ull << (lo)))
#define lower_32_bits(n)	((u32)(n))
#define upper_32_bits(n)	((u32)((u64)(n) >> 32))
#define hweight32(n)		((unsigned int)__builtin_popcount(n))
#define __ffs(n)		((unsigned int)__builtin_ctzl(n))

#define ARRAY_SIZE(a)		(sizeof(a) / sizeof((a)[0]))
#define DIV_ROUND_UP(n, d)	(((n) + (d) - 1) / (d))
#define round_down(x, y)	((x) & ~((__typeof__(x))(y) - 1))
#define IS_ALIGNED(x, a)	(((x) & ((__typeof__(x))(a) - 1)) == 0)
#define struct_size(p, member, n) (sizeof(*(p)) + sizeof((p)->member[0]) * (n))

#define min(a, b) ({								\
	__auto_type a__ = (a);							\
	__auto_type b__ = (b);							\
	a__ < b__ ? a__ : b__;							\
})
#define max(a, b) ({								\
	__auto_type a__ = (a);							\
	__auto_type b__ = (b);							\
	a__ > b__ ? a__ : b__;							\
})
#define min_t(type, a, b)	min((type)(a), (type)(b))
#define swap(a, b) do {								\
	__auto_type a__ = (a);							\
	(a) = (b);								\
	(b) = a__;								\
} while (0)

/* --- one thread at a time plays all CPUs ------------------------------------------ */

typedef struct { int unused; } spinlock_t;
typedef struct { long value; } atomic64_t;
struct mutex { int unused; };

#define lockdep_assert_held(lock)	((void)(lock))
#define spin_lock_init(lock)		((void)(lock))
#define spin_lock(lock)			((void)(lock))
#define spin_unlock(lock)		((void)(lock))

struct lockdep_map { int unused; };
struct lock_class_key { int unused; };

#define _RET_IP_			0
#define lockdep_init_map(map, name, key, subclass) ((void)(map), (void)(key))
#define mutex_acquire(map, subclass, trylock, ip) ((void)(map))
#define mutex_release(map, ip)		((void)(map))

/* Time stands still on the host; a test says what time it is. */
#define msecs_to_jiffies(ms)		((unsigned long)(ms))
#define get_jiffies_64()		0ull

struct completion {
	bool done;
};

#define init_completion(c)		((void)((c)->done = false))
#define complete(c)			((void)((c)->done = true))
/* The kernel alone knows this number. */
#define ERESTARTSYS			512

/* Nobody else runs meanwhile: who would have to wait gets a signal. */
#define wait_for_completion_interruptible(c) ((c)->done ? 0 : -EINTR)
/* A host test gets no fatal signal, and need not give up its processor. */
#define fatal_signal_pending(task)	0
#define cond_resched()			do { } while (0)

#define READ_ONCE(x)		(*(const volatile __typeof__(x) *)&(x))
#define WRITE_ONCE(x, value)	(*(volatile __typeof__(x) *)&(x) = (value))

/* --- errors ------------------------------------------------------------------------ */

/* A kernel warning ends a host test as a failure. */
#define WARN_ON(cond) ({							\
	int cond__ = !!(cond);							\
	if (cond__) {								\
		fprintf(stderr, "%s:%d: WARN_ON(%s)\n", __FILE__, __LINE__, #cond); \
		abort();							\
	}									\
	cond__;									\
})

#define WARN_ON_ONCE(cond)	WARN_ON(cond)

static inline void *ERR_PTR(long err)
{
	return (void *)err;
}

static inline long PTR_ERR(const void *ptr)
{
	return (long)ptr;
}

static inline bool IS_ERR(const void *ptr)
{
	return (unsigned long)ptr >= -4095ul;
}

/* --- memory ------------------------------------------------------------------------ */

#define GFP_KERNEL		0
#define GFP_KERNEL_ACCOUNT	0
/* Flags have no effect on the host. */
#define kzalloc_obj(object, ...) kzalloc(sizeof(object), GFP_KERNEL)

/* A test defines this function, which says whether the next allocation may succeed. */
int host_may_alloc(void);

static inline void *kzalloc(size_t size, int gfp)
{
	return host_may_alloc() ? calloc(1, size) : NULL;
}

static inline void *kmalloc(size_t size, int gfp)
{
	return kzalloc(size, gfp);
}

static inline void *kcalloc(size_t num, size_t size, int gfp)
{
	return kzalloc(num * size, gfp);
}

static inline void kfree(void *p)
{
	free(p);
}

/* A host test never uses all numbers, so that a freed number need not be used again. */
struct ida {
	unsigned int next;
};

#define ida_alloc_range(ida, min, max, gfp)	((void)(max), (int)((min) + (ida)->next++))
#define ida_free(ida, id)			((void)(ida), (void)(id))

/* --- the card's memory ---------------------------------------------------------------- */

/*
 * Memory behind a BAR is write-combining: the test decides when the card sees a write.
 * Registers are ordinary memory; their writes are seen in the order of the program.
 */

/* A test defines these functions: a write by the CPU that runs, and a barrier of this CPU. */
void host_write_wc(void *at, const void *from, size_t size);
void host_wmb(void);

#define wmb()			host_wmb()
#define rmb()			__asm__ volatile("" ::: "memory")

static inline void memset_io(void *at, u8 value, size_t size)
{
	u8 bytes[64];

	memset(bytes, value, sizeof(bytes));
	while (size) {
		size_t n = size < sizeof(bytes) ? size : sizeof(bytes);

		host_write_wc(at, bytes, n);
		at = (u8 *)at + n;
		size -= n;
	}
}

static inline u32 readl(const void *at)
{
	return *(const volatile u32 *)at;
}

static inline void writel(u32 value, void *at)
{
	*(volatile u32 *)at = value;
}

static inline void writeq(u64 value, u64 *at)
{
	host_write_wc(at, &value, sizeof(value));
}

/* Memory of an iosys_map is always behind a BAR. */
struct iosys_map {
	union {
		void *vaddr;
		void *vaddr_iomem;
	};
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

static inline void __iowrite32_copy(void *to, const void *from, size_t count)
{
	host_write_wc(to, from, count * sizeof(u32));
}

static inline void iosys_map_memcpy_from(void *to, const struct iosys_map *map, size_t offset,
					 size_t size)
{
	memcpy(to, (char *)map->vaddr + offset, size);
}

/* The page tables include the allocator's header, but need no function of TTM. */
#define TTM_PL_TT	1
#define TTM_PL_PRIV	3

struct ttm_resource {
	int unused;
};

/* --- lists ------------------------------------------------------------------------------ */

struct list_head {
	struct list_head *next, *prev;
};

#define LIST_HEAD(name) struct list_head name = { &(name), &(name) }
#define list_entry(p, type, member) ((type *)((char *)(p) - offsetof(type, member)))
#define container_of(p, type, member) list_entry(p, type, member)
#define list_first_entry(head, type, member) list_entry((head)->next, type, member)
#define list_last_entry(head, type, member) list_entry((head)->prev, type, member)

#define list_next_entry(pos, member) list_entry((pos)->member.next, __typeof__(*(pos)), member)
#define list_prev_entry(pos, member) list_entry((pos)->member.prev, __typeof__(*(pos)), member)

#define list_for_each_entry(pos, head, member)					\
	for (pos = list_entry((head)->next, __typeof__(*pos), member);		\
	     &pos->member != (head);						\
	     pos = list_entry(pos->member.next, __typeof__(*pos), member))

#define list_for_each_entry_reverse(pos, head, member)				\
	for (pos = list_entry((head)->prev, __typeof__(*pos), member);		\
	     &pos->member != (head);						\
	     pos = list_entry(pos->member.prev, __typeof__(*pos), member))

#define list_for_each_entry_safe(pos, n, head, member)				\
	for (pos = list_entry((head)->next, __typeof__(*pos), member),		\
	     n = list_entry(pos->member.next, __typeof__(*pos), member);	\
	     &pos->member != (head);						\
	     pos = n, n = list_entry(n->member.next, __typeof__(*n), member))

static inline void INIT_LIST_HEAD(struct list_head *head)
{
	head->next = head->prev = head;
}

static inline int list_empty(const struct list_head *head)
{
	return head->next == head;
}

static inline int list_is_singular(const struct list_head *head)
{
	return !list_empty(head) && head->next == head->prev;
}

static inline size_t list_count_nodes(const struct list_head *head)
{
	const struct list_head *at;
	size_t n = 0;

	for (at = head->next; at != head; at = at->next)
		n++;
	return n;
}

static inline void list_add_tail(struct list_head *entry, struct list_head *head)
{
	entry->prev = head->prev;
	entry->next = head;
	head->prev->next = entry;
	head->prev = entry;
}

static inline void list_add(struct list_head *entry, struct list_head *head)
{
	list_add_tail(entry, head->next);
}

static inline void list_del(struct list_head *entry)
{
	entry->prev->next = entry->next;
	entry->next->prev = entry->prev;
	entry->next = entry->prev = NULL;
}

static inline void list_del_init(struct list_head *entry)
{
	entry->prev->next = entry->next;
	entry->next->prev = entry->prev;
	INIT_LIST_HEAD(entry);
}

static inline void list_replace(struct list_head *old, struct list_head *entry)
{
	entry->next = old->next;
	entry->next->prev = entry;
	entry->prev = old->prev;
	entry->prev->next = entry;
}

static inline void list_swap(struct list_head *a, struct list_head *b)
{
	struct list_head *before = b->prev;

	list_del(b);
	list_replace(a, b);
	list_add(a, before == a ? b : before);
}

static inline void list_splice_tail_init(struct list_head *list, struct list_head *head)
{
	if (list_empty(list))
		return;
	list->next->prev = head->prev;
	head->prev->next = list->next;
	list->prev->next = head;
	head->prev = list->prev;
	INIT_LIST_HEAD(list);
}

#endif
