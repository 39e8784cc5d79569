// A buffer whose consumers wait with `if` instead of `while`. Two of them are woken up, and the one
// that gets the mutex first takes the only item.
//
// EXPECT harm: assert
// TWIN -DFIXED
// EXPECT-FIXED none
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

#ifdef FIXED
#define WHEN while
#else
#define WHEN if
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static int items[4], count, taken;

static void put(int item) {
    pthread_mutex_lock(&lock);
    items[count++] = item;
    pthread_cond_broadcast(&filled);
    pthread_mutex_unlock(&lock);
}

static int get(void) {
    pthread_mutex_lock(&lock);
    WHEN(count == 0) {
        pthread_cond_wait(&filled, &lock);
    }
    assert(count > 0);
    int item = items[--count];
    taken += item;
    pthread_mutex_unlock(&lock);
    return item;
}

static void *consumer(void *argument) {
    get();
    return argument;
}

static void *producer(void *argument) {
    put(1); // @gap-before
    put(2); // @gap-before
    return argument;
}

int main(void) {
    pthread_t threads[3];
    pthread_create(&threads[0], NULL, producer, NULL);
    pthread_create(&threads[1], NULL, consumer, NULL);
    pthread_create(&threads[2], NULL, consumer, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    printf("%d\n", taken);
    return taken != 3;
}
