// A list of nodes from the heap under a mutex. A worker unlinks a node, works on it without the
// mutex, and frees it. In the bug, it looks at the first node in one section, and unlinks it in the
// next.
//
// SPEC atomic function add
// SPEC atomic function pop
// SPEC atomic function use
// EXPECT violated: pop
// EXPECT cut-by: add
// EXPECT on: list
// TWIN -DFIXED
// EXPECT-FIXED none
#define SCHEDULE_HOLDS
#include "schedule.h"

#include <stdlib.h>

struct node {
    struct node *next;
    int value, result;
};

static struct {
    pthread_mutex_t lock;
    struct node *first;
    int count;
} list = {.lock = PTHREAD_MUTEX_INITIALIZER};

static BLOCK void add(int value) {
    struct node *node = malloc(sizeof *node);
    node->value = value;
    node->result = 0;
    pthread_mutex_lock(&list.lock);
    node->next = list.first;
    list.first = node;
    list.count++;
    pthread_mutex_unlock(&list.lock);
}

static void be_slow(int slow) {
    if (slow) {
        step(4);
        step(7);
    }
}

static BLOCK struct node *pop(int slow) {
    pthread_mutex_lock(&list.lock);
    struct node *node = list.first;
#ifndef FIXED
    pthread_mutex_unlock(&list.lock);
    be_slow(slow);
    pthread_mutex_lock(&list.lock);
#endif
    if (node) {
        list.first = node->next;
        list.count--;
    }
    pthread_mutex_unlock(&list.lock);
#ifdef FIXED
    be_slow(slow);
#endif
    return node;
}

static BLOCK int use(struct node *node) {
    node->result = node->value * node->value;
    node->value = -1;
    int result = node->result;
    free(node);
    return result;
}

THREAD(producer) {
    step(1);
    add(1);
    add(2);
    step(2);
    step(5);
    add(3);
    step(6);
    return NULL;
}

THREAD(worker) {
    step(3);
    int sum = use(pop(1));
    sum += use(pop(0));
    check(sum > 0);
    return NULL;
}

int main(void) {
    together(producer, worker);
    puts("ok");
    return 0;
}
