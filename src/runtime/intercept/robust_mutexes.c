/* A robust mutex outlives a thread that ends while it holds it: the kernel gives it back, and the
 * next one gets EOWNERDEAD. The kernel knows these mutexes by a list that the C library keeps for
 * each thread. Without a release the next one would seem to take another lock at the same place. */
#define _GNU_SOURCE
#include "runtime/intercept/robust_mutexes.h"
#include "runtime/core/sync_events.h"
#include "runtime/core/system_call.h"
#include "runtime/intercept/interpose.h"

#include <linux/futex.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/syscall.h>

enum { MOST = 4096 }; /* in case the list is damaged */

/* The lowest bit says that priorities are inherited. */
static const struct robust_list *without_mark(const struct robust_list *entry) {
    return (const struct robust_list *)((uintptr_t)entry & ~(uintptr_t)1);
}

/* As often as it was locked, if it is recursive. */
static void give_back(const pthread_mutex_t *mutex, uintptr_t caller) {
    unsigned times = mutex->__data.__count;
    do
        RT_EMIT(rt_unlock(mutex, ST_STREAM_MUTEX, caller));
    while (times-- > 1);
}

void rt_release_robust_mutexes(uintptr_t caller) {
    const struct robust_list_head *head = NULL;
    size_t size = 0;
    if (rt_system_call(SYS_get_robust_list, 0, (long)&head, (long)&size, 0, 0, 0) || !head ||
        size != sizeof *head)
        return;
    const struct robust_list *entry = without_mark(head->list.next);
    for (int i = 0; i < MOST && entry && entry != &head->list; i++) {
        const char *futex = (const char *)entry + head->futex_offset;
        entry = without_mark(entry->next);
        give_back((const pthread_mutex_t *)(futex - offsetof(pthread_mutex_t, __data.__lock)),
                  caller);
    }
}
