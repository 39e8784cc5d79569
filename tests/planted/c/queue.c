#include "planted.h"

enum { ROOM = 64 };

struct queue {
    pthread_mutex_t lock;
    long items[ROOM];
    int size;
};

static struct queue in = {.lock = PTHREAD_MUTEX_INITIALIZER};
static struct queue out = {.lock = PTHREAD_MUTEX_INITIALIZER};

static BLOCK int size_of(struct queue *queue) {
    pthread_mutex_lock(&queue->lock);
    int size = queue->size;
    pthread_mutex_unlock(&queue->lock);
    return size;
}

static BLOCK long pop(struct queue *queue) {
    long item = 0;
    pthread_mutex_lock(&queue->lock);
    if (queue->size)
        item = queue->items[--queue->size];
    pthread_mutex_unlock(&queue->lock);
    return item;
}

static BLOCK void push(struct queue *queue, long item) {
    pthread_mutex_lock(&queue->lock);
    if (queue->size < ROOM)
        queue->items[queue->size++] = item;
    pthread_mutex_unlock(&queue->lock);
}

// CAUSE pop_if_any @asked @popped
BLOCK void pop_if_any(void) {
    if (size_of(&in) >= 0) { // @asked
        gap(POP);
        pop(&in); // @popped
    }
}

// CAUSE move_item @from @to
BLOCK void move_item(void) {
    pthread_mutex_lock(&in.lock); // @from
    long item = in.size ? in.items[--in.size] : 1;
    in.items[0] = item;
    pthread_mutex_unlock(&in.lock);
    gap(MOVE);
    pthread_mutex_lock(&out.lock); // @to
    if (out.size < ROOM)
        out.items[out.size++] = item;
    out.items[0] = item;
    pthread_mutex_unlock(&out.lock);
}

BLOCK void put_item(void) {
    push(&in, 7);
}

BLOCK void drain(void) {
    pthread_mutex_lock(&in.lock);
    pthread_mutex_lock(&out.lock);
    in.size = out.size = 0;
    in.items[0] = out.items[0] = 0;
    pthread_mutex_unlock(&out.lock);
    pthread_mutex_unlock(&in.lock);
}

BLOCK long count_items(void) {
    pthread_mutex_lock(&in.lock);
    pthread_mutex_lock(&out.lock);
    long all = in.size + out.size + in.items[0] + out.items[0];
    pthread_mutex_unlock(&out.lock);
    pthread_mutex_unlock(&in.lock);
    return all;
}
