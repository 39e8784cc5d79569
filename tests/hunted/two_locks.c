// Something is made by whoever comes first, and each looks under a lock. But it is not the same
// lock, so two may come first.
//
// EXPECT violated: make
// EXPECT harm: status 1
// TWIN -DFIXED
// EXPECT-FIXED none
#include <pthread.h>

static pthread_mutex_t readers = PTHREAD_MUTEX_INITIALIZER;
#ifdef FIXED
#define writers readers
#else
static pthread_mutex_t writers = PTHREAD_MUTEX_INITIALIZER;
#endif
static int made, times;

static void make(pthread_mutex_t *lock) {
    pthread_mutex_lock(lock);
    if (!made) { // @gap
        made = 1;
        times++;
    }
    pthread_mutex_unlock(lock);
}

static void *reader(void *argument) {
    make(&readers);
    return argument;
}

static void *writer(void *argument) {
    make(&writers);
    return argument;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, reader, NULL);
    pthread_create(&b, NULL, writer, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return times != 1;
}
