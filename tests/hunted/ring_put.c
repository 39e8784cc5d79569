// A ring buffer for one producer and one consumer, with two producers: both read the same position,
// and one item is written over the other.
//
// EXPECT violated: ring_put
// EXPECT harm: status 1
// TWIN -DFIXED
// EXPECT-FIXED none
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>

enum { SIZE = 8 };

static atomic_int items[SIZE];
static atomic_uint head, tail;
#ifdef FIXED
static pthread_mutex_t producers = PTHREAD_MUTEX_INITIALIZER;
#endif

static bool ring_put(int item) {
#ifdef FIXED
    pthread_mutex_lock(&producers);
#endif
    unsigned at = atomic_load(&head);
    bool fits = at - atomic_load(&tail) < SIZE;
    if (fits) {
        atomic_store(&items[at % SIZE], item); // @gap
        atomic_store(&head, at + 1);
    }
#ifdef FIXED
    pthread_mutex_unlock(&producers);
#endif
    return fits;
}

static int ring_sum(void) {
    int sum = 0;
    while (tail != head) {
        sum += items[tail % SIZE];
        tail++;
    }
    return sum;
}

static void *producer(void *item) {
    ring_put(*(int *)item);
    return NULL;
}

int main(void) {
    pthread_t a, b;
    int one = 1, two = 2;
    pthread_create(&a, NULL, producer, &one);
    pthread_create(&b, NULL, producer, &two);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    int sum = ring_sum();
    printf("%d\n", sum);
    return sum != 3;
}
