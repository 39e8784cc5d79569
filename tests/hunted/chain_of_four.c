// What a sender puts into the first box is passed on from box to box, by a thread each. Before it
// looks into the last box, which should still be empty then, it lets go of the first one.
//
// EXPECT violated: put_first
// EXPECT harm: status 1
// TWIN -DFIXED
// EXPECT-FIXED none
#include <pthread.h>
#include <stdio.h>

enum { BOXES = 4 };
static pthread_mutex_t locks[BOXES] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
                                       PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static int boxes[BOXES];
static int seen;

static void put_first(void) {
    pthread_mutex_lock(&locks[0]);
    boxes[0] = 1;
#ifndef FIXED
    pthread_mutex_unlock(&locks[0]); // @gap
#endif
    pthread_mutex_lock(&locks[BOXES - 1]);
    seen = boxes[BOXES - 1];
    pthread_mutex_unlock(&locks[BOXES - 1]);
#ifdef FIXED
    pthread_mutex_unlock(&locks[0]);
#endif
}

static void pass_on(long box) {
    pthread_mutex_lock(&locks[box]);
    pthread_mutex_lock(&locks[box + 1]);
    boxes[box + 1] = boxes[box];
    pthread_mutex_unlock(&locks[box + 1]);
    pthread_mutex_unlock(&locks[box]);
}

static void *sender(void *argument) {
    put_first();
    return argument;
}

static void *passer(void *argument) {
    pass_on((long)argument);
    return NULL;
}

int main(void) {
    pthread_t threads[BOXES];
    pthread_create(&threads[0], NULL, sender, NULL);
    for (long i = 1; i < BOXES; i++)
        pthread_create(&threads[i], NULL, passer, (void *)(i - 1));
    for (int i = 0; i < BOXES; i++)
        pthread_join(threads[i], NULL);
    printf("seen in the last box: %d\n", seen);
    return seen;
}
