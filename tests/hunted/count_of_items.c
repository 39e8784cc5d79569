// The value of a semaphore is looked at first, so that nobody has to wait. Two consumers see the
// same last item, and the second waits for ever.
//
// EXPECT harm: deadlock
// TWIN -DFIXED
// EXPECT-FIXED none
#include <pthread.h>
#include <semaphore.h>

static sem_t items;

static void take_if_any(void) {
#ifdef FIXED
    sem_trywait(&items);
#else
    int value;
    sem_getvalue(&items, &value); // @gaps
    if (value > 0)
        sem_wait(&items);
#endif
}

static void *consumer(void *argument) {
    take_if_any();
    return argument;
}

int main(void) {
    pthread_t a, b;
    sem_init(&items, 0, 1);
    pthread_create(&a, NULL, consumer, NULL);
    pthread_create(&b, NULL, consumer, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
