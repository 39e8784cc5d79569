// A lock-free stack of nodes that are used again. `pop` reads the head and what comes after it;
// when it swaps the head, that is the same node as before, but not the same stack any more.
//
// EXPECT violated: pop
// EXPECT maybe: push
// EXPECT harm: status 1
// TWIN -DFIXED
// EXPECT-FIXED none
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

struct node {
    _Atomic(struct node *) next;
    atomic_int users;
};

static struct node c = {NULL, 0}, b = {&c, 0}, a = {&b, 0};
static _Atomic(struct node *) head = &a;
static atomic_int wrong;
#ifdef FIXED
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
#endif

static struct node *pop(void) {
#ifdef FIXED
    pthread_mutex_lock(&lock);
    struct node *old = atomic_load(&head);
    if (old)
        atomic_store(&head, atomic_load(&old->next));
    pthread_mutex_unlock(&lock);
#else
    struct node *old, *next;
    do {
        old = atomic_load(&head);
        if (!old)
            return NULL;
        next = atomic_load(&old->next); // @gap
    } while (!atomic_compare_exchange_strong(&head, &old, next));
#endif
    return old;
}

static void push(struct node *node) {
#ifdef FIXED
    pthread_mutex_lock(&lock);
    atomic_store(&node->next, atomic_load(&head));
    atomic_store(&head, node);
    pthread_mutex_unlock(&lock);
#else
    struct node *old = atomic_load(&head);
    do {
        atomic_store(&node->next, old);
    } while (!atomic_compare_exchange_strong(&head, &old, node));
#endif
}

static void use(struct node *node) {
    if (node && atomic_fetch_add(&node->users, 1) != 0)
        atomic_store(&wrong, 1);
}

static void *one(void *argument) {
    use(pop());
    use(pop());
    return argument;
}

static void *other(void *argument) {
    struct node *first = pop();
    use(pop());
    if (first)
        push(first);
    return argument;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, one, NULL);
    pthread_create(&threads[1], NULL, other, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    puts(wrong ? "a node has two users" : "each node has one user");
    return wrong;
}
