// A result is computed in two stages, each under a lock of its own; whoever sees that the first one
// is done expects the second one. Everything is in the functions that the threads start with.
//
// EXPECT violated: thread?function?compute
// EXPECT harm: status 1
// TWIN -DFIXED
// EXPECT-FIXED none
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t first_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t second_lock = PTHREAD_MUTEX_INITIALIZER;
static int half, whole;
static int wrong;

static void *compute(void *argument) {
    pthread_mutex_lock(&first_lock);
    half = 21;
#ifdef FIXED
    pthread_mutex_lock(&second_lock);
    whole = 42;
    pthread_mutex_unlock(&second_lock);
    pthread_mutex_unlock(&first_lock);
#else
    pthread_mutex_unlock(&first_lock); // @gap
    pthread_mutex_lock(&second_lock);
    whole = 42;
    pthread_mutex_unlock(&second_lock);
#endif
    return argument;
}

static void *compare(void *argument) {
    pthread_mutex_lock(&first_lock);
    pthread_mutex_lock(&second_lock);
    if (half && whole != 2 * half)
        wrong = 1;
    pthread_mutex_unlock(&second_lock);
    pthread_mutex_unlock(&first_lock);
    return argument;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, compute, NULL);
    pthread_create(&b, NULL, compare, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%d %d\n", half, whole);
    return wrong;
}
