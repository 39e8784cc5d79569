// An error-checking mutex. In the twin another thread tries to take it, and to unlock it, while it
// is held, and its holder tries to lock it again: all three fail, and what failed orders nothing.
//
// EXPECT violated: refill
// EXPECT cut-by: drain
// EXPECT on: tank
// EXPECT line: refill @out @cut @in
// TWIN -DFIXED
// EXPECT-FIXED none
#define SCHEDULE_HOLDS
#include "schedule.h"

#include <errno.h>

static struct {
    pthread_mutex_t lock;
    int level;
} tank;

static BLOCK void refill(void) {
    pthread_mutex_lock(&tank.lock);
    tank.level = 1;                   // @out
    pthread_mutex_unlock(&tank.lock); // @out
#ifdef FIXED
    pthread_mutex_lock(&tank.lock);
#endif
    step(1);
    step(4);
#ifdef FIXED
    check(pthread_mutex_lock(&tank.lock) == EDEADLK);
#else
    pthread_mutex_lock(&tank.lock);   // @in
#endif
    tank.level++; // @in
    pthread_mutex_unlock(&tank.lock);
}

static BLOCK void drain(void) {
#ifdef FIXED
    check(pthread_mutex_trylock(&tank.lock) == EBUSY);
    check(pthread_mutex_unlock(&tank.lock) == EPERM);
#else
    pthread_mutex_lock(&tank.lock);   // @cut
    tank.level = 0;                   // @cut
    pthread_mutex_unlock(&tank.lock); // @cut
#endif
}

THREAD(filler) {
    refill();
    return NULL;
}

THREAD(drainer) {
    step(2);
    drain();
    step(3);
    return NULL;
}

int main(void) {
    pthread_mutexattr_t kind;
    pthread_mutexattr_init(&kind);
    pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&tank.lock, &kind);
    together(filler, drainer);
    pthread_mutex_destroy(&tank.lock);
    puts("ok");
    return 0;
}
