// A free list whose lock is released too early: between reading the head and moving it on, another
// thread is given the same node.
//
// EXPECT violated: node_new
// EXPECT harm: status 1
// TWIN -DFIXED
// EXPECT-FIXED none
#include <pthread.h>
#include <stdio.h>

struct node {
    struct node *next;
    int value;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct node nodes[4] = {{&nodes[1], 0}, {&nodes[2], 0}, {&nodes[3], 0}, {NULL, 0}};
static struct node *free_nodes = nodes;

static struct node *node_new(void) {
    pthread_mutex_lock(&lock);
    struct node *node = free_nodes;
#ifndef FIXED
    pthread_mutex_unlock(&lock);
    if (!node) // @gap-before
        return NULL;
    pthread_mutex_lock(&lock);
#endif
    if (node)
        free_nodes = node->next;
    pthread_mutex_unlock(&lock);
    return node;
}

static void *user(void *result) {
    struct node *node = node_new();
    *(struct node **)result = node;
    return NULL;
}

int main(void) {
    pthread_t a, b;
    struct node *first = NULL, *second = NULL;
    pthread_create(&a, NULL, user, &first);
    pthread_create(&b, NULL, user, &second);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    puts(first == second ? "one node for two" : "two nodes");
    return first == second;
}
