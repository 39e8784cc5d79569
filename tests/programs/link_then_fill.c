// A new node is linked first and filled in afterwards, each under the lock: who walks the list in
// between finds a node without a value. The twin fills it in first, and nobody can know of it until
// it is linked, although its value is never read or written under the lock.
//
// EXPECT violated: add
// EXPECT cut-by: sum
// EXPECT line: add @out @in
// TWIN -DFIXED
// EXPECT-FIXED none
#include "schedule.h"

#include <stdlib.h>

struct node {
    struct node *next;
    int value;
};

static struct {
    pthread_mutex_t lock;
    struct node *first;
} list = {.lock = PTHREAD_MUTEX_INITIALIZER};

static BLOCK void link_node(struct node *node) {
    pthread_mutex_lock(&list.lock);
    node->next = list.first;
    list.first = node;
    pthread_mutex_unlock(&list.lock);
}

static BLOCK void add(int value) {
    struct node *node = malloc(sizeof *node);
#ifdef FIXED
    node->value = value;
    step(1);
    step(4);
    link_node(node);
#else
    node->value = 0;
    link_node(node); // @out
    step(1);
    step(4);
    pthread_mutex_lock(&list.lock);
    node->value = value; // @in
    pthread_mutex_unlock(&list.lock);
#endif
}

static BLOCK struct node *first_node(void) {
    pthread_mutex_lock(&list.lock);
    struct node *node = list.first;
    pthread_mutex_unlock(&list.lock);
    return node;
}

static int value_of(const struct node *node) {
#ifdef FIXED
    return node->value;
#else
    pthread_mutex_lock(&list.lock);
    int value = node->value;
    pthread_mutex_unlock(&list.lock);
    return value;
#endif
}

static BLOCK int sum(void) {
    int values = 0;
    for (struct node *node = first_node(); node; node = node->next)
        values += value_of(node);
    return values;
}

THREAD(adder) {
    add(5);
    return NULL;
}

THREAD(reader) {
    step(2);
    int found = sum();
    step(3);
    check(found == 0 || found == 5);
    return NULL;
}

int main(void) {
    together(adder, reader);
    check(sum() == 5);
    free(list.first);
    puts("ok");
    return 0;
}
