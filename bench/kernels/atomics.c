/* Counters and a lock-free stack with C11 atomics. */
#include "kernel.h"

#include <stdatomic.h>

struct node {
    struct node *next;
    long value;
};
static _Atomic(struct node *) top;
static atomic_long hits;
static long rounds;

static void push(struct node *node) {
    node->next = atomic_load(&top);
    while (!atomic_compare_exchange_weak(&top, &node->next, node))
        ;
}

static void *work(void *number) {
    struct node *nodes = calloc((size_t)rounds, sizeof *nodes);
    for (long i = 0; i < rounds; i++) {
        atomic_fetch_add(&hits, 1);
        nodes[i].value = i ^ (intptr_t)number;
        push(&nodes[i]);
    }
    return NULL;
}

int main(int argc, char **argv) {
    rounds = 50000 * scale(argc, argv);
    run_threads(work);
    long sum = atomic_load(&hits);
    for (struct node *node = top; node; node = node->next)
        sum += node->value;
    printf("%ld\n", sum);
}
