// Four threads stand in a ring, and each sets its own number to one more than its neighbour's. If
// all read before anybody writes, nobody was the first one. No two or three threads can do that.
//
// EXPECT cycle: follow
// EXPECT harm: status 1
// TWIN -DFIXED
// EXPECT-FIXED none
#include <pthread.h>
#include <stdio.h>

enum { COUNT = 4 };

struct place {
    pthread_mutex_t lock;
    int number;
};

static struct place places[COUNT] = {{PTHREAD_MUTEX_INITIALIZER, 0},
                                     {PTHREAD_MUTEX_INITIALIZER, 0},
                                     {PTHREAD_MUTEX_INITIALIZER, 0},
                                     {PTHREAD_MUTEX_INITIALIZER, 0}};

static void follow(struct place *own, struct place *neighbour) {
#ifdef FIXED
    struct place *first = own < neighbour ? own : neighbour;
    struct place *second = own < neighbour ? neighbour : own;
    pthread_mutex_lock(&first->lock);
    pthread_mutex_lock(&second->lock);
    own->number = neighbour->number + 1;
    pthread_mutex_unlock(&second->lock);
    pthread_mutex_unlock(&first->lock);
#else
    pthread_mutex_lock(&neighbour->lock);
    int number = neighbour->number;
    pthread_mutex_unlock(&neighbour->lock); // @gaps
    pthread_mutex_lock(&own->lock);
    own->number = number + 1;
    pthread_mutex_unlock(&own->lock);
#endif
}

static void *member(void *argument) {
    struct place *own = argument;
    follow(own, own == places ? &places[COUNT - 1] : own - 1);
    return NULL;
}

int main(void) {
    pthread_t threads[COUNT];
    int all_one = 1;
    for (int i = 0; i < COUNT; i++)
        pthread_create(&threads[i], NULL, member, &places[i]);
    for (int i = 0; i < COUNT; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < COUNT; i++)
        all_one &= places[i].number == 1;
    puts(all_one ? "all are first" : "ok");
    return all_one;
}
