// Statistics must not make anybody wait: if the lock is taken, a hit is counted without it. The
// holder of the lock does not know, and writes over it.
//
// EXPECT violated: count_hit
// EXPECT harm: status 1
// TWIN -DFIXED
// EXPECT-FIXED none
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_long hits;

static void count_hit(void) {
#ifdef FIXED
    pthread_mutex_lock(&lock);
    hits = hits + 1;
    pthread_mutex_unlock(&lock);
#else
    if (pthread_mutex_trylock(&lock) == 0) {
        long value = hits; // @gap
        hits = value + 1;
        pthread_mutex_unlock(&lock);
    } else {
        hits++;
    }
#endif
}

static void *server(void *argument) {
    for (int i = 0; i < 3; i++)
        count_hit();
    return argument;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, server, NULL);
    pthread_create(&b, NULL, server, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%ld hits\n", hits);
    return hits != 6;
}
