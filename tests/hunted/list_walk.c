// A walk through a list takes the lock for each step. The node it stands on is taken out and put on
// the free list, and the walk goes on from there.
//
// EXPECT violated: sum_list
// EXPECT harm: status 1
// TWIN -DFIXED
// EXPECT-FIXED none
#include <pthread.h>
#include <stdio.h>

struct node {
    int value;
    struct node *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct node third = {3, NULL}, second = {2, &third}, first = {1, &second};
static struct node *free_nodes;
static int found;

#ifndef FIXED
static struct node *next_of(struct node *node) {
    pthread_mutex_lock(&lock);
    struct node *next = node->next;
    pthread_mutex_unlock(&lock); // @gap
    return next;
}
#endif

static int sum_list(void) {
    int sum = 0;
#ifdef FIXED
    pthread_mutex_lock(&lock);
    for (struct node *node = &first; node; node = node->next)
        sum += node->value;
    pthread_mutex_unlock(&lock);
#else
    for (struct node *node = &first; node; node = next_of(node))
        sum += node->value;
#endif
    return sum;
}

static void remove_after(struct node *node) {
    pthread_mutex_lock(&lock);
    struct node *gone = node->next;
    if (gone) {
        node->next = gone->next;
        gone->next = free_nodes;
        free_nodes = gone;
    }
    pthread_mutex_unlock(&lock);
}

static void *reader(void *argument) {
    found = sum_list();
    return argument;
}

static void *remover(void *argument) {
    remove_after(&first);
    return argument;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, reader, NULL);
    pthread_create(&b, NULL, remover, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    puts(found == 6 || found == 4 ? "ok" : "the rest of the list was missed");
    return found != 6 && found != 4;
}
