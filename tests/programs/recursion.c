// A recursive function is a block at every depth. Somebody comes in when two of four calls are
// open: those two are cut, the two inside them begin later and are not.
//
// EXPECT violated: visit
// EXPECT cut-by: count_all
// EXPECT on: tree
// EXPECT runs: visit 2/4
// TWIN -DFIXED
// EXPECT-FIXED none
#include "schedule.h"

static struct {
    pthread_mutex_t lock;
    int visited;
} tree = {.lock = PTHREAD_MUTEX_INITIALIZER};

static BLOCK void mark(void) {
#ifndef FIXED
    pthread_mutex_lock(&tree.lock);
#endif
    tree.visited++;
#ifndef FIXED
    pthread_mutex_unlock(&tree.lock);
#endif
}

static BLOCK void visit(int node) {
    mark();
    if (node == 2) {
        step(1);
        step(4);
    }
    if (node < 4)
        visit(node + 1);
    check(node <= 4); /* so that the call is not the last thing: some compilers make a loop of it */
}

static BLOCK int count_all(void) {
    pthread_mutex_lock(&tree.lock);
    int visited = tree.visited;
    pthread_mutex_unlock(&tree.lock);
    return visited;
}

THREAD(visitor) {
#ifdef FIXED
    pthread_mutex_lock(&tree.lock);
    visit(1);
    pthread_mutex_unlock(&tree.lock);
#else
    visit(1);
#endif
    return NULL;
}

THREAD(counter) {
    step(2);
    int visited = count_all();
    step(3);
#ifdef FIXED
    check(visited == 0 || visited == 4);
#else
    check(visited == 2);
#endif
    return NULL;
}

int main(void) {
    together(visitor, counter);
    puts("ok");
    return 0;
}
