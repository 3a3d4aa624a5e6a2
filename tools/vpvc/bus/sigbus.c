// SPDX-License-Identifier: MIT
/*
 * Guest memory is a file that belongs to the vfio-user client, and the client may
 * truncate it while it is mapped here; the next access beyond its end raises SIGBUS.
 * The signal must not kill the process: the handler maps zeros over the missing pages, so
 * that the access can end, and marks the file as lost, so that no translation leads to it
 * any more.  dma.c registers each file; the handler runs on any thread.
 */
#define _GNU_SOURCE
#include "bus/sigbus.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#define MAX_WATCHED	128

atomic_uint sigbus_hits;

/* The handler reads this without the lock: an entry is complete before its base is set. */
static struct watched {
	_Atomic uintptr_t base;
	uintptr_t size;
	atomic_bool *lost;
} watched[MAX_WATCHED];

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct sigaction before;
static uintptr_t page_mask;

/* Uses system calls and atomics only, because the signal interrupts any code. */
static void handler(int sig, siginfo_t *info, void *context)
{
	uintptr_t at = (uintptr_t)info->si_addr;
	int saved = errno;

	for (unsigned int i = 0; i < MAX_WATCHED; i++) {
		struct watched *w = &watched[i];
		uintptr_t base = atomic_load(&w->base);
		void *page = (void *)(at & page_mask);

		if (!base || at < base || at - base >= w->size)
			continue;
		atomic_store(w->lost, true);
		atomic_fetch_add(&sigbus_hits, 1);
		/* All pages up to the end of the mapping are missing too. */
		if (mmap(page, w->size - ((uintptr_t)page - base), PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) ==
		    MAP_FAILED)
			break;
		errno = saved;
		return;
	}
	/* The address is not watched: the access is repeated under the former action. */
	sigaction(SIGBUS, &before, NULL);
	errno = saved;
	(void)sig;
	(void)context;
}

static void install(void)
{
	struct sigaction sa = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO };

	page_mask = ~((uintptr_t)sysconf(_SC_PAGESIZE) - 1);
	sigemptyset(&sa.sa_mask);
	sigaction(SIGBUS, &sa, &before);
}

bool sigbus_watch(void *base, size_t size, atomic_bool *lost)
{
	bool ok = false;

	pthread_once(&once, install);
	pthread_mutex_lock(&lock);
	for (unsigned int i = 0; i < MAX_WATCHED && !ok; i++) {
		if (atomic_load(&watched[i].base))
			continue;
		watched[i].size = size;
		watched[i].lost = lost;
		atomic_store(&watched[i].base, (uintptr_t)base);
		ok = true;
	}
	pthread_mutex_unlock(&lock);
	return ok;
}

void sigbus_forget(void *base)
{
	pthread_mutex_lock(&lock);
	for (unsigned int i = 0; i < MAX_WATCHED; i++)
		if (atomic_load(&watched[i].base) == (uintptr_t)base)
			atomic_store(&watched[i].base, 0);
	pthread_mutex_unlock(&lock);
}
