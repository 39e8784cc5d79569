// Each of two threads looks whether the other one wants to go in, and only then says that it does.
// Both go in.
//
// EXPECT violated: add_one
// EXPECT maybe: enter
// EXPECT harm: status 1
// TWIN -DFIXED
// EXPECT-FIXED none
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int wants[2];
static atomic_int value;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int enter(int me) {
#ifdef FIXED
    (void)me;
    return pthread_mutex_trylock(&lock) == 0;
#else
    if (atomic_load(&wants[!me]))
        return 0;
    atomic_store(&wants[me], 1); // @gaps-before
    return 1;
#endif
}

static void leave(int me) {
#ifdef FIXED
    (void)me;
    pthread_mutex_unlock(&lock);
#else
    atomic_store(&wants[me], 0);
#endif
}

static int add_one(int me) {
    if (!enter(me))
        return 0;
    int old = atomic_load(&value); // @gaps
    atomic_store(&value, old + 1);
    leave(me);
    return 1;
}

struct worker {
    int number, done;
};

static void *work(void *argument) {
    struct worker *worker = argument;
    worker->done = add_one(worker->number);
    return NULL;
}

int main(void) {
    pthread_t a, b;
    struct worker first = {0, 0}, second = {1, 0};
    (void)lock;
    (void)wants;
    pthread_create(&a, NULL, work, &first);
    pthread_create(&b, NULL, work, &second);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    puts(value == first.done + second.done ? "all were counted" : "one was lost");
    return value != first.done + second.done;
}
