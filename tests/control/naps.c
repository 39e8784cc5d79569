/* Two threads take turns at sleeping while a third one, which looks at the same variable again and
 * again, has what they sleep for. Each must come to its end, however often the others sleep. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

static atomic_int locked = 1, turns;

static void take(void) {
    int expected = 0;
    while (!atomic_compare_exchange_strong(&locked, &expected, 1)) {
        expected = 0;
        sleep(0);
    }
}

static void *work(void *argument) {
    take();
    atomic_store(&locked, 0);
    return argument;
}

int main(void) {
    pthread_t threads[2];
    int seen = 0;
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 100; i++)
        seen += atomic_load(&turns) == 0;
    atomic_store(&locked, 0);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("looked %d times\n", seen);
    return 0;
}
