/* pthread_mutex_clocklock on top of pthread_mutex_timedlock, for ThreadSanitizer only: gcc's
 * version of it does not know the former, which std::timed_mutex is made of. */
#include <pthread.h>
#include <time.h>

int pthread_mutex_clocklock(pthread_mutex_t *mutex, clockid_t clock,
                            const struct timespec *deadline) {
    struct timespec now, end;
    clock_gettime(clock, &now);
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += deadline->tv_sec - now.tv_sec;
    end.tv_nsec += deadline->tv_nsec - now.tv_nsec;
    for (; end.tv_nsec < 0; end.tv_nsec += 1000000000)
        end.tv_sec--;
    for (; end.tv_nsec >= 1000000000; end.tv_nsec -= 1000000000)
        end.tv_sec++;
    return pthread_mutex_timedlock(mutex, &end);
}
