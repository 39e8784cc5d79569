/* Timers that start a thread each time they fire. The C library has a thread of its own for them,
 * which waits for a signal, and nobody sees either. In a controlled run that signal would come in
 * real time, if at all, and a program whose other threads wait for it would seem to be in a
 * deadlock. So there a thread like any other waits for the descriptor of a timer, and starts the
 * others. It does nothing that the program could not have done itself. */
#define _GNU_SOURCE
#include "runtime/intercept/timer_threads.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/timerfd.h>
#include <unistd.h>

enum { TIMERS = 1024 }; /* at a time; a program may also come to the limit of the kernel */

enum { FREE, TAKEN, RUNNING, DELETED };

static struct threaded {
    atomic_int state;
    atomic_int users; /* threads that still look here */
    timer_t id;
    int descriptor;
    void (*function)(union sigval value);
    union sigval value;
} timers[TIMERS];

static void leave(struct threaded *timer) {
    if (atomic_fetch_sub(&timer->users, 1) == 1)
        atomic_store(&timer->state, FREE);
}

static void *call(void *argument) {
    struct threaded *timer = argument;
    void (*function)(union sigval) = timer->function;
    union sigval value = timer->value;
    leave(timer);
    function(value);
    return NULL;
}

static void *start_threads(void *argument) {
    struct threaded *timer = argument;
    pthread_attr_t detached;
    uint64_t times;
    pthread_attr_init(&detached);
    pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
    while (read(timer->descriptor, &times, sizeof times) == (ssize_t)sizeof times &&
           atomic_load(&timer->state) == RUNNING)
        for (pthread_t thread; times; times--) {
            atomic_fetch_add(&timer->users, 1);
            if (pthread_create(&thread, &detached, call, timer))
                leave(timer);
        }
    close(timer->descriptor);
    pthread_attr_destroy(&detached);
    leave(timer);
    return NULL;
}

static struct threaded *take(void) {
    for (int i = 0, is_free; i < TIMERS; i++)
        if (is_free = FREE, atomic_compare_exchange_strong(&timers[i].state, &is_free, TAKEN))
            return &timers[i];
    return NULL;
}

static struct threaded *find(timer_t id) {
    for (int i = 0; i < TIMERS; i++)
        if (atomic_load(&timers[i].state) == RUNNING && timers[i].id == id)
            return &timers[i];
    return NULL;
}

bool rt_start_timer_threads(clockid_t clock, const struct sigevent *event, timer_t timer) {
    struct threaded *threaded = take();
    pthread_t thread;
    if (!threaded)
        return false;
    threaded->id = timer;
    threaded->function = event->sigev_notify_function;
    threaded->value = event->sigev_value;
    threaded->descriptor = timerfd_create(clock, TFD_CLOEXEC);
    atomic_store(&threaded->users, 1);
    atomic_store(&threaded->state, RUNNING);
    if (threaded->descriptor >= 0 && pthread_create(&thread, NULL, start_threads, threaded) == 0) {
        pthread_detach(thread);
        return true;
    }
    if (threaded->descriptor >= 0)
        close(threaded->descriptor);
    atomic_store(&threaded->state, FREE);
    return false;
}

int rt_descriptor_of_timer(timer_t timer) {
    const struct threaded *threaded = find(timer);
    return threaded ? threaded->descriptor : -1;
}

/* Its thread wakes, and ends. */
bool rt_end_timer_threads(timer_t timer) {
    static const struct itimerspec at_once = {.it_value = {.tv_nsec = 1}};
    struct threaded *threaded = find(timer);
    if (!threaded)
        return false;
    atomic_store(&threaded->state, DELETED);
    timerfd_settime(threaded->descriptor, 0, &at_once, NULL);
    return true;
}
