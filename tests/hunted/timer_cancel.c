// A timer fires: its callback is fetched under the lock and called after that. Whoever cancels the
// timer in between believes that nothing will happen any more, and takes the data away.
//
// EXPECT violated: timer_fire
// EXPECT harm: crash
// TWIN -DFIXED
// EXPECT-FIXED none
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>

struct timer {
    pthread_mutex_t lock;
    int armed;
    int *target;
};

static int ticks;
static struct timer timer = {PTHREAD_MUTEX_INITIALIZER, 1, &ticks};

static int *timer_target(struct timer *t) {
#ifndef FIXED
    pthread_mutex_lock(&t->lock);
#endif
    int *target = t->target;
#ifndef FIXED
    pthread_mutex_unlock(&t->lock);
#endif
    return target;
}

static void timer_fire(struct timer *t) {
    pthread_mutex_lock(&t->lock);
    int armed = t->armed;
#ifndef FIXED
    pthread_mutex_unlock(&t->lock); // @gap
#endif
    if (armed)
        ++*timer_target(t);
#ifdef FIXED
    pthread_mutex_unlock(&t->lock);
#endif
}

static void timer_cancel(struct timer *t) {
    pthread_mutex_lock(&t->lock);
    t->armed = 0;
    t->target = NULL;
    pthread_mutex_unlock(&t->lock);
}

static void *clock_thread(void *argument) {
    timer_fire(&timer);
    return argument;
}

static void *user(void *argument) {
    timer_cancel(&timer);
    return argument;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, clock_thread, NULL);
    pthread_create(&b, NULL, user, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    puts(ticks <= 1 ? "ok" : "too often");
    return 0;
}
