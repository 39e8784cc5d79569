// A recursive lock made of a mutex and a note that says which thread holds it. Who takes the lock
// looks at the note first, without the mutex, and asks only whether it is itself. Another thread
// cannot change the answer: so that look is no access, and the notes that others write do not come
// between. Two halves are updated in a critical section each; the twin holds the lock around both.
//
// EXPECT violated: update
// EXPECT cut-by: compare
// EXPECT on: pair
// EXPECT line: update @out @cut @in
// TWIN -DFIXED
// EXPECT-FIXED none
#include "schedule.h"

#include <stdatomic.h>

static struct {
    pthread_mutex_t mutex;
    _Atomic pthread_t owner;
    int depth;
    int left, right;
} pair;

static BLOCK void lock(void) {
    if (atomic_load_explicit(&pair.owner, memory_order_relaxed) == pthread_self()) { // @cut
        pair.depth++;
        return;
    }
    pthread_mutex_lock(&pair.mutex);
    atomic_store_explicit(&pair.owner, pthread_self(), memory_order_relaxed); // @in @cut
    pair.depth = 1;                                                           // @in @cut
}

static BLOCK void unlock(void) {
    if (--pair.depth) // @out @cut
        return;
    atomic_store_explicit(&pair.owner, 0, memory_order_relaxed); // @out @cut
    pthread_mutex_unlock(&pair.mutex);
}

static BLOCK void add(int *half) {
    lock();
    ++*half; // @in @out
    unlock();
}

static BLOCK void update(void) {
#ifdef FIXED
    lock();
#endif
    add(&pair.left); // @out
    step(1);
    step(4);
    add(&pair.right); // @in
#ifdef FIXED
    unlock();
#endif
}

static BLOCK int compare(void) {
    lock();
    int equal = pair.left == pair.right; // @cut
    unlock();
    return equal;
}

THREAD(writer) {
    update();
    return NULL;
}

THREAD(reader) {
    step(2);
    int equal = compare();
    step(3);
#ifdef FIXED
    check(equal);
#else
    check(!equal);
#endif
    return NULL;
}

int main(void) {
    check(pthread_mutex_init(&pair.mutex, NULL) == 0);
    together(writer, reader);
    check(pair.left == 1 && pair.right == 1);
    puts("ok");
    return 0;
}
