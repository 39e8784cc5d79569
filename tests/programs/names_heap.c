// Memory from functions that only hand it out is named after who asked them for it, by the type of
// what it is for: a member of a structure that has a tail, a lock in it, and an element of an
// array.
//
// EXPECT violated: retain tally
// EXPECT on: item->refcount
// EXPECT on: counts[3]
// EXPECT on: @item
// EXPECT on: @counts
// EXPECT line: retain @out @cut @in
// TWIN -DFIXED
// EXPECT-FIXED none
#include "schedule.h"

#include <stdlib.h>
#include <string.h>

typedef struct _item {
    struct _item *next;
    pthread_mutex_t lock;
    int refcount;
    char data[];
} item;

static item *shared;
static long *counts;

static BLOCK void allocate(size_t size, void **result) {
    *result = malloc(size);
    check(*result);
}

static void *xmalloc(size_t size) {
    void *memory;
    allocate(size, &memory);
    return memory;
}

static void *cleared(size_t count, size_t size) {
    return memset(xmalloc(count * size), 0, count * size);
}

static BLOCK void retain(item *it) {
    pthread_mutex_lock(&it->lock);
    int value = it->refcount; // @out
#ifndef FIXED
    pthread_mutex_unlock(&it->lock);
#endif
    step(1);
    step(4);
#ifndef FIXED
    pthread_mutex_lock(&it->lock);
#endif
    it->refcount = value + 1; // @in
    pthread_mutex_unlock(&it->lock);
}

static BLOCK void tally(item *it) {
    pthread_mutex_lock(&it->lock);
    long value = counts[3];
#ifndef FIXED
    pthread_mutex_unlock(&it->lock);
#endif
    step(5);
    step(8);
#ifndef FIXED
    pthread_mutex_lock(&it->lock);
#endif
    counts[3] = value + 1;
    pthread_mutex_unlock(&it->lock);
}

static BLOCK void reset(item *it, int *counter, long *element) {
    pthread_mutex_lock(&it->lock);
    if (counter)
        *counter = 7; // @cut
    if (element)
        *element = 7;
    pthread_mutex_unlock(&it->lock);
}

THREAD(worker) {
    retain(shared);
    tally(shared);
    return NULL;
}

THREAD(other) {
    step(2);
    reset(shared, &shared->refcount, NULL);
    step(3);
    step(6);
    reset(shared, NULL, &counts[3]);
    step(7);
    return NULL;
}

int main(void) {
    item *it = cleared(1, sizeof *it + 10); // @item
    pthread_mutex_init(&it->lock, NULL);
    shared = it;
    counts = cleared(8, sizeof *counts); // @counts
    together(worker, other);
    puts("ok");
    return 0;
}
