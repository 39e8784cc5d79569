// Two halves are updated under a recursive mutex, each in a critical section of its own. The twin
// holds the mutex around both: then the unlocks inside are not the last ones and let nobody in.
//
// EXPECT violated: update
// EXPECT cut-by: compare
// EXPECT on: pair
// EXPECT line: update @out @cut @in
// TWIN -DFIXED
// EXPECT-FIXED none
#include "schedule.h"

static struct {
    pthread_mutex_t lock;
    int left, right;
} pair;

static BLOCK void add(int *half) {
    pthread_mutex_lock(&pair.lock); // @in
    ++*half;
    pthread_mutex_unlock(&pair.lock); // @out
}

static BLOCK void update(void) {
#ifdef FIXED
    pthread_mutex_lock(&pair.lock);
#endif
    add(&pair.left); // @out
    step(1);
    step(4);
    add(&pair.right); // @in
#ifdef FIXED
    pthread_mutex_unlock(&pair.lock);
#endif
}

static BLOCK int compare(void) {
    pthread_mutex_lock(&pair.lock);      // @cut
    int equal = pair.left == pair.right; // @cut
    pthread_mutex_unlock(&pair.lock);    // @cut
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
    pthread_mutexattr_t kind;
    pthread_mutexattr_init(&kind);
    pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&pair.lock, &kind);
    pthread_mutexattr_destroy(&kind);
    together(writer, reader);
    pthread_mutex_destroy(&pair.lock);
    puts("ok");
    return 0;
}
