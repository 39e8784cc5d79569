// A bounded queue as in every textbook. Without a specification each function is a block, and is
// split where it waits for a condition: nobody is cut.
//
// EXPECT none
#include "schedule.h"

enum { SIZE = 2, ITEMS = 50 };

static struct {
    pthread_mutex_t lock;
    pthread_cond_t not_full, not_empty;
    int first, count, items[SIZE];
} queue = {.lock = PTHREAD_MUTEX_INITIALIZER,
           .not_full = PTHREAD_COND_INITIALIZER,
           .not_empty = PTHREAD_COND_INITIALIZER};

static BLOCK void put(int item) {
    pthread_mutex_lock(&queue.lock);
    while (queue.count == SIZE)
        pthread_cond_wait(&queue.not_full, &queue.lock);
    queue.items[(queue.first + queue.count++) % SIZE] = item;
    pthread_cond_signal(&queue.not_empty);
    pthread_mutex_unlock(&queue.lock);
}

static BLOCK int take(void) {
    pthread_mutex_lock(&queue.lock);
    while (queue.count == 0)
        pthread_cond_wait(&queue.not_empty, &queue.lock);
    int item = queue.items[queue.first];
    queue.first = (queue.first + 1) % SIZE;
    queue.count--;
    pthread_cond_signal(&queue.not_full);
    pthread_mutex_unlock(&queue.lock);
    return item;
}

THREAD(producer) {
    for (int i = 0; i < ITEMS; i++)
        put(i);
    return NULL;
}

THREAD(consumer) {
    for (int i = 0; i < ITEMS; i++)
        check(take() == i);
    return NULL;
}

int main(void) {
    together(producer, consumer);
    puts("ok");
    return 0;
}
