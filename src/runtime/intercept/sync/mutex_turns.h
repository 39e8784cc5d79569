/* Mutexes in controlled runs, for those who wait at conditions. */
#ifndef SERIATIM_RUNTIME_INTERCEPT_SYNC_MUTEX_TURNS_H
#define SERIATIM_RUNTIME_INTERCEPT_SYNC_MUTEX_TURNS_H

#include <pthread.h>
#include <stdint.h>

/* As pthread_mutex_unlock and pthread_mutex_lock, without events and points. */
int rt_mutex_unlock_first(pthread_mutex_t *mutex);
int rt_mutex_lock_again(pthread_mutex_t *mutex, uint64_t deadline);

#endif
