// `atomic section`: every outermost critical section is a block of its own. A semaphore, which is
// no lock, is posted and waited for inside of one. The twin leaves the section first. (A line that
// names a function, any function, keeps all others from being blocks.)
//
// SPEC atomic section
// SPEC atomic function no_such_function
// EXPECT violated: *
// EXPECT line: * @post @wait
// TWIN -DFIXED
// EXPECT-FIXED none
#include "schedule.h"

#include <semaphore.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t ping, pong;

static BLOCK void play(void) {
    pthread_mutex_lock(&lock);
#ifdef FIXED
    pthread_mutex_unlock(&lock);
#endif
    sem_post(&ping); // @post
    sem_wait(&pong); // @wait
#ifndef FIXED
    pthread_mutex_unlock(&lock);
#endif
}

THREAD(one) {
    play();
    return NULL;
}

THREAD(two) {
    sem_wait(&ping);
    sem_post(&pong);
    return NULL;
}

int main(void) {
    check(sem_init(&ping, 0, 0) == 0 && sem_init(&pong, 0, 0) == 0);
    together(one, two);
    puts("ok");
    return 0;
}
