// Each turn of a loop reads the total under the lock, and writes it under the lock again. There are
// no functions but those that threads start with.
//
// EXPECT violated: one?iteration?of?the?loop?at?adder,*
// EXPECT harm: status 1
// TWIN -DFIXED
// EXPECT-FIXED none
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int total;

static void *adder(void *argument) {
    for (int i = 1; i <= 3; i++) {
        pthread_mutex_lock(&lock);
        int old = total;
#ifndef FIXED
        pthread_mutex_unlock(&lock); // @gap
        pthread_mutex_lock(&lock);
#endif
        total = old + i;
        pthread_mutex_unlock(&lock);
    }
    return argument;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, adder, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("%d\n", total);
    return total != 12;
}
